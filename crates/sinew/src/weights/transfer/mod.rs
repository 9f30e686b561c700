//! Weights from one character to another, of other topology, other proportions and other joints.
//!
//! The source is brought into the target's shape by their joints (`fit`), each point of the target
//! takes the row of the nearest place where distance and normal agree, and what has no match is
//! filled over the surface from what has (Abdrashitov et al. 2023, *Robust Skin Weights Transfer
//! via Weight Inpainting*; by harmonic rows, which stay between nothing and one).

mod fill;
mod fit;
mod joints;
#[cfg(test)]
mod tests;

pub use joints::JointMap;

use glam::DVec3;
use rayon::prelude::*;

use super::SkinWeights;
use super::rules::RowRules;
use super::surface::WeightedSurface;
use crate::Character;
use crate::progress::Progress;

/// How weights are carried over.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferSettings {
    /// Of the target's diagonal: what lies further off has no match.
    pub max_distance: f64,
    /// Between normals: what is turned further has no match.
    pub max_radians: f64,
    /// From nothing (the target's own weights) to one (the source's).
    pub mix: f64,
    /// Brings the source into the target's shape by the joints of both first.
    pub fit: bool,
    /// Of the target's joints, those that take part; all if none is named.
    pub joints: Vec<u32>,
    /// How many influences a point may have, and which joints' weights stay as they are.
    pub rules: RowRules,
}

impl Default for TransferSettings {
    fn default() -> Self {
        Self {
            max_distance: 0.05,
            max_radians: 1.05,
            mix: 1.0,
            fit: true,
            joints: Vec::new(),
            rules: RowRules::default(),
        }
    }
}

/// Why nothing was carried over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// Nothing to take.
    #[error("the source has no weights; `sinew bind` gives it some")]
    NoWeights,
    /// Nothing to give them to.
    #[error("the target has no skeleton; weights need joints")]
    NoJoints,
    /// No joint of one is a joint of the other.
    #[error(
        "no joint of the source is a joint of the target: neither names nor limbs agree; \
         rename joints of one of them"
    )]
    NothingInCommon,
    /// The surface could not be solved over.
    #[error("the target's surface could not be filled; does it have points that are no number?")]
    Factor,
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Weights that were carried over.
#[derive(Clone, Debug, PartialEq)]
pub struct Transferred {
    /// One a mesh of the target.
    pub of_part: Vec<SkinWeights>,
    /// Points that found their match.
    pub num_matched: usize,
    /// Points that were filled from around.
    pub num_filled: usize,
    /// Which joint of the target each of the source is.
    pub map: JointMap,
}

/// Carries the weights of a character over to another.
///
/// # Errors
/// If there is nothing to take or to give, or someone asked to stop.
pub fn transfer(
    from: &Character,
    to: &Character,
    settings: &TransferSettings,
    progress: &dyn Progress,
) -> Result<Transferred, TransferError> {
    if from.parts.iter().all(|part| part.weights.is_none()) {
        return Err(TransferError::NoWeights);
    }
    if to.skeleton.is_empty() {
        return Err(TransferError::NoJoints);
    }
    let map = JointMap::between(&from.skeleton, &to.skeleton);
    if map.num_alike() == 0 {
        return Err(TransferError::NothingInCommon);
    }
    let places = fit::places(from, to, &map, settings.fit);
    let parts = from.parts.iter().zip(&places).filter_map(|(part, places)| {
        let weights = part.weights.as_ref()?;
        Some((&part.mesh, places.as_slice(), weights))
    });
    let source = WeightedSurface::new(parts);
    let diagonal = f64::from(to.bounds().diagonal());
    let (mut of_part, mut num_matched, mut num_filled) = (Vec::new(), 0, 0);
    for (index, part) in to.parts.iter().enumerate() {
        if progress.is_cancelled() {
            return Err(TransferError::Cancelled);
        }
        progress.report("carrying weights over", index as f32 / to.parts.len() as f32);
        let points: Vec<DVec3> = part.mesh.points().iter().map(|point| point.as_dvec3()).collect();
        let mut normals = vec![glam::Vec3::ZERO; points.len()];
        part.mesh.point_normals(part.mesh.points(), &mut normals);
        let found: Vec<fill::Known> = (points.par_iter().zip(&normals))
            .map(|(&point, normal)| {
                let Some(found) = source.closest(point) else {
                    return fill::Known { row: vec![(0, 1.0)], is_matched: false };
                };
                let cosine = found.normal.dot(normal.as_dvec3());
                // Where either has no normal, the distance alone speaks.
                let is_turned = found.normal != DVec3::ZERO
                    && *normal != glam::Vec3::ZERO
                    && cosine < settings.max_radians.cos();
                let is_matched = found.distance <= settings.max_distance * diagonal && !is_turned;
                fill::Known { row: map.row(&found.row), is_matched }
            })
            .collect();
        let matched = found.iter().filter(|known| known.is_matched).count();
        num_matched += matched;
        num_filled += found.len() - matched;
        let rows = if matched == found.len() {
            found.into_iter().map(|known| known.row).collect()
        } else {
            fill::fill(&points, part.mesh.point_triangles(), &found)?
        };
        of_part.push(mixed(part.weights.as_ref(), &rows, to.skeleton.len(), settings));
    }
    Ok(Transferred { of_part, num_matched, num_filled, map })
}

/// The rows within budget and locks, mixed with those that the mesh has.
fn mixed(
    own: Option<&SkinWeights>,
    rows: &[Vec<(u32, f64)>],
    num_joints: usize,
    settings: &TransferSettings,
) -> SkinWeights {
    let Some(own) = own else {
        let none = RowRules { locked: Vec::new(), ..settings.rules.clone() };
        let anyone = [super::Influence { joint: 0, weight: 1.0 }];
        let rows = rows.iter().map(|row| {
            none.finish(&anyone, row, None).into_iter().map(|i| (i.joint, i.weight)).collect()
        });
        let rows: Vec<Vec<(u32, f32)>> = rows.collect();
        return SkinWeights::from_exact_rows(rows.clone(), num_joints)
            .unwrap_or_else(|| SkinWeights::from_rows(rows, num_joints).0);
    };
    let takes_part = |joint: u32| settings.joints.is_empty() || settings.joints.contains(&joint);
    let changed: Vec<super::PointRow> = (0u32..)
        .zip(rows)
        .map(|(point, row)| {
            let before = own.row(point as usize);
            let mut wanted: Vec<(u32, f64)> = before
                .iter()
                .map(|i| {
                    let kept = if takes_part(i.joint) { 1.0 - settings.mix } else { 1.0 };
                    (i.joint, kept * f64::from(i.weight))
                })
                .collect();
            let new = row.iter().filter(|entry| takes_part(entry.0));
            wanted.extend(new.map(|&(joint, weight)| (joint, settings.mix * weight)));
            (point, settings.rules.finish(before, &wanted, None))
        })
        .collect();
    own.with_rows(&changed)
}
