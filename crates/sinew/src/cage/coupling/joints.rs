//! Where joints are in a cage: `a_j = Σ ψ_jk c_k` (eq. 9–13).
//!
//! A joint's place among the points that blend there: mean value weights of its head over the
//! mesh, localised by `L = −1 + ω^s + (1 − ω)^s`, `s = 0.1`, give each handle a mass, and the
//! nearest row to these masses that is precise ([`affine_fix`]) is the joint's. The paper takes
//! the row of largest entropy instead, which needs positive masses and diverges outside the cage's
//! hull; on its own arm *every* joint has negative masses, and the projection follows joints a
//! little better.

use glam::DVec3;
use rayon::prelude::*;

use super::CoupledPart;
use crate::cage::coordinates::{Coordinates, QuadMeanValue, WithPoints, affine_fix, prior};
use crate::cage::{Cage, CageError, CagedPoints};
use crate::skeleton::Skeleton;

/// `s` of eq. 9.
const POWER: f64 = 0.1;
/// Weights below this are nothing: with a power of 0.1 even 1e-7 would change `L` by 0.21.
const LEAST_WEIGHT: f64 = 1e-4;

/// What joints' places are found from.
pub(super) struct JointInput<'a> {
    pub(super) caged: &'a CagedPoints,
    pub(super) parts: &'a [CoupledPart<'a>],
    pub(super) skeleton: &'a Skeleton,
}

/// One row a joint, `num_handles` entries each.
pub(super) fn joint_rows(input: &JointInput<'_>) -> Result<Vec<f64>, CageError> {
    let cage = input.caged.cage();
    let num_handles = cage.points().len();
    let places: Vec<DVec3> =
        (0..input.skeleton.len() as u32).map(|joint| input.skeleton.bind_bone(joint)[0]).collect();
    if let Some(pieces) = input.caged.pieces() {
        let mut rows = vec![0.0; places.len() * num_handles];
        for (row, &place) in rows.chunks_exact_mut(num_handles).zip(&places) {
            pieces.moving_row(place, WithPoints::No, row);
        }
        return Ok(rows);
    }
    let touched = triangles_of_joints(input);
    let diagonal = cage.diagonal();
    let plain = QuadMeanValue::new(cage);
    let mut rows = vec![0.0; places.len() * num_handles];
    rows.par_chunks_mut(num_handles).zip(&places).zip(&touched).for_each(
        |((row, &place), triangles)| {
            masses(input, place, triangles, row);
            if !is_row(row) {
                plain.rows(0, &[place], row);
            }
            affine_fix(cage.points(), place, diagonal, row);
            if !is_precise(cage, place, diagonal, row) {
                plain.rows(0, &[place], row);
                affine_fix(cage.points(), place, diagonal, row);
            }
        },
    );
    for (joint, (row, &place)) in rows.chunks_exact(num_handles).zip(&places).enumerate() {
        if !is_precise(cage, place, diagonal, row) {
            return Err(CageError::NoJoint {
                joint,
                name: input.skeleton.joints()[joint].name.clone(),
            });
        }
    }
    Ok(rows)
}

/// A row that says something: not all zero, and numbers.
fn is_row(row: &[f64]) -> bool {
    row.iter().all(|mass| mass.is_finite()) && row.iter().any(|mass| *mass != 0.0)
}

fn is_precise(cage: &Cage, place: DVec3, diagonal: f64, row: &[f64]) -> bool {
    let found: DVec3 = row.iter().zip(cage.points()).map(|(&psi, &c)| psi * (c - place)).sum();
    let sum: f64 = row.iter().sum();
    found.length() <= 1e-10 * diagonal && (sum - 1.0).abs() <= 1e-10
}

/// A joint's weight on each of a triangle's corners that blend it with others, localised.
struct Touched {
    part: usize,
    triangle: [u32; 3],
    localized: [f64; 3],
}

/// For each joint the triangles at which it blends with others.
fn triangles_of_joints(input: &JointInput<'_>) -> Vec<Vec<Touched>> {
    let mut touched: Vec<Vec<Touched>> = (0..input.skeleton.len()).map(|_| Vec::new()).collect();
    let mut joints: Vec<u32> = Vec::new();
    for (part, of_part) in input.parts.iter().enumerate() {
        let Some(weights) = of_part.weights else { continue };
        for &triangle in of_part.triangles {
            joints.clear();
            for corner in triangle {
                let row = weights.row(corner as usize);
                joints.extend(row.iter().filter(|i| i.weight < 1.0).map(|i| i.joint));
            }
            joints.sort_unstable();
            joints.dedup();
            for &joint in &joints {
                let localized = triangle.map(|corner| {
                    localize(
                        weights
                            .row(corner as usize)
                            .iter()
                            .map(|i| (i.joint == joint, f64::from(i.weight))),
                    )
                });
                if localized.iter().any(|&l| l > 0.0) {
                    touched[joint as usize].push(Touched { part, triangle, localized });
                }
            }
        }
    }
    touched
}

/// `L` of a point, from `(is the joint's, weight)`.
fn localize(weights: impl Iterator<Item = (bool, f64)>) -> f64 {
    let (mut own, mut sum) = (0.0, 0.0);
    for (is_own, weight) in weights.filter(|(_, weight)| *weight >= LEAST_WEIGHT) {
        sum += weight;
        own += if is_own { weight } else { 0.0 };
    }
    if own <= 0.0 || sum - own <= LEAST_WEIGHT * sum {
        return 0.0;
    }
    let share = own / sum;
    -1.0 + share.powf(POWER) + (1.0 - share).powf(POWER)
}

/// The masses of a joint's handles (the argument of eq. 10), summing to one.
fn masses(input: &JointInput<'_>, place: DVec3, triangles: &[Touched], out: &mut [f64]) {
    out.fill(0.0);
    let rows = input.caged.rows();
    let diagonal = input.caged.cage().diagonal();
    // Weights of a surface that is seen from within all have one sign, which is its orientation's.
    for touched in triangles {
        let part = &input.parts[touched.part];
        let at = |corner: u32| (part.first_point + corner as usize, corner);
        let of_corner = |corner: u32| {
            touched.triangle.iter().position(|&c| c == corner).map_or(0.0, |i| touched.localized[i])
        };
        let mut add = |corner: u32, weight: f64| {
            let localized = weight * of_corner(corner);
            if localized != 0.0 {
                for (mass, &phi) in out.iter_mut().zip(rows.row(at(corner).0)) {
                    *mass += localized * phi;
                }
            }
        };
        let hit = prior(place, part.points, [touched.triangle].into_iter(), diagonal, &mut add);
        if let Some(corner) = hit {
            // The joint is that point.
            let row = rows.row(at(corner).0);
            let share = if of_corner(corner) > 0.0 { 1.0 } else { 0.0 };
            out.iter_mut().zip(row).for_each(|(mass, &phi)| *mass = share * phi);
            return;
        }
    }
    let sum: f64 = out.iter().sum();
    let size: f64 = out.iter().map(|mass| mass.abs()).sum();
    // Masses that cancel say nothing about where the joint is.
    let scale = if sum.abs() > 1e-3 * size { 1.0 / sum } else { 0.0 };
    out.iter_mut().for_each(|mass| *mass *= scale);
}
