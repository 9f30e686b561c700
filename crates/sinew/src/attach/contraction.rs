//! Mesh contraction: the surface shrunk towards its middle lines before it is projected onto bones
//! (poster; after Au et al. 2008, *Skeleton Extraction by Mesh Contraction*).
//!
//! A round solves `(L + M) x' = M x` with the cotangent Laplacian `L` of the surface as it is, and
//! `M = A₀/(r d)² · √(A₀/A)`: `A₀` and `A` the points' areas at rest and now, `d` the distance to
//! the closest bone, and `r²` doubling with each round. That is Au's contraction against attraction
//! in its implicit form (`L` in place of `LᵀL`, which fills in less): what has collapsed is held by
//! its lost area, and as edges around a limb shorten, `L` no longer couples along it, so that limbs
//! get thin before they get short. Since `d` scales the step, a finger and a belly take the same
//! number of rounds, whatever the resolution.
//!
//! Limits: points next to a wrong bone take small steps, and lag behind the rest; where a limb
//! ends, it gets shorter (on the cylinder by less than its radius); sheets (cloth) shrink from
//! their outline.

use glam::DVec3;

use super::{AttachInput, ShareError};
use crate::linalg::Laplacian;
use crate::progress::Progress;

/// Of the first round: a tube shrinks to two thirds.
const FIRST_REACH_SQUARED: f64 = 0.5;
/// Of each round over the one before.
const REACH_GROWTH: f64 = 2.0;
/// Area is taken as lost up to this ratio; beyond it the attraction would drown the rest in
/// rounding.
const MOST_LOSS: f64 = 1e6;
/// A distance to the bone below this over the mean of all is a point that sits on a bone.
const MIN_DISTANCE_OVER_MEAN: f64 = 0.05;

/// The points after so many rounds. Points without triangles stay.
///
/// `distances` is how far each point is from the closest bone.
pub(super) fn contract(
    input: &AttachInput<'_>,
    distances: &[f64],
    rounds: u32,
    progress: &dyn Progress,
) -> Result<Vec<DVec3>, ShareError> {
    let mut points = input.points.to_vec();
    if rounds == 0 || points.is_empty() {
        return Ok(points);
    }
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    // Everything on bones: any length will do.
    let least = if mean > 0.0 { MIN_DISTANCE_OVER_MEAN * mean } else { 1.0 };
    let rest = Laplacian::cotangent(&points, input.triangles);
    let mut reach_squared = FIRST_REACH_SQUARED;
    for round in 0..rounds {
        if progress.is_cancelled() {
            return Err(ShareError::Cancelled);
        }
        progress.report("contracting the mesh", round as f32 / rounds as f32);
        let later;
        let laplacian = if round == 0 {
            &rest
        } else {
            later = Laplacian::cotangent(&points, input.triangles);
            &later
        };
        let masses: Vec<f64> = (rest.areas().iter().zip(laplacian.areas()).zip(distances))
            .map(|((at_rest, now), distance)| {
                let lost = (at_rest / now).clamp(1.0, MOST_LOSS);
                at_rest / (reach_squared * distance.max(least).powi(2)) * lost.sqrt()
            })
            .collect();
        let factor = laplacian.factor_screened(&masses).map_err(|_| ShareError::Factor)?;
        let mut columns = [0, 1, 2].map(|axis| -> Vec<f64> {
            points.iter().zip(&masses).map(|(p, mass)| p[axis] * mass).collect()
        });
        factor.solve(&mut columns);
        for (point, p) in points.iter_mut().enumerate() {
            // Without neighbours a point solves to itself, but for rounding.
            if !input.adjacency.ring(point).is_empty() {
                *p = DVec3::new(columns[0][point], columns[1][point], columns[2][point]);
            }
        }
        reach_squared *= REACH_GROWTH;
    }
    Ok(points)
}
