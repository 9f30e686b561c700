//! Weights of one side on the other: what the left has, the right gets, joints by their names.
//!
//! By position: the row at the mirror image of a point, on any mesh of the character. By topology:
//! the row of the point that sits in the same place of the other half's triangles (`topology`), in
//! whatever pose or shape; where there is none, by position.

mod plane;
#[cfg(test)]
mod tests;
mod topology;

pub use plane::{JointPairs, MirrorPlane, point_partners};

use glam::DVec3;

use super::rules::{PointRow, RowRules};
use super::surface::WeightedSurface;
use super::{Influence, SkinWeights};
use crate::Character;
use crate::skeleton::Side;

/// Of the diagonal: what is nearer to the plane is on it.
const MIDDLE_SHARE: f64 = 1e-4;

/// How the other side's point is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MirrorBy {
    /// By where it is at rest.
    #[default]
    Position,
    /// By its triangles.
    Topology,
}

/// What is mirrored.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorSettings {
    /// The side that gives.
    pub from: Side,
    /// How partners are found.
    pub by: MirrorBy,
    /// How many influences a point may have, and which joints' weights stay as they are.
    pub rules: RowRules,
}

/// Why nothing was mirrored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MirrorError {
    /// Names tell no side.
    #[error(
        "no joint has a partner on the other side; names must differ by left and right, or by l \
         and r between marks, as in 'arm_l' and 'arm_r'"
    )]
    NoPairs,
    /// Nothing to mirror.
    #[error("there are no weights to mirror; `sinew bind` gives some")]
    NoWeights,
}

/// Rows that were mirrored.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirrored {
    /// Of each mesh, the rows that are others than before.
    pub of_part: Vec<Vec<PointRow>>,
    /// Points that got the other side's row.
    pub num_mirrored: usize,
    /// Of these, such that were asked for by topology and have no partner by it.
    pub num_by_position: usize,
    /// The farthest that a mirror image was from the surface.
    pub worst_distance: f64,
}

/// Gives one side the weights of the other; points in the middle get what is the same on both.
///
/// # Errors
/// If no joint has a partner, or there are no weights.
pub fn mirror(character: &Character, settings: &MirrorSettings) -> Result<Mirrored, MirrorError> {
    let pairs = JointPairs::of(&character.skeleton).ok_or(MirrorError::NoPairs)?;
    let plane = MirrorPlane::of(&character.skeleton, &pairs);
    let rules = &settings.rules;
    let diagonal = f64::from(character.bounds().diagonal());
    let places: Vec<Vec<DVec3>> = (character.parts.iter())
        .map(|part| part.mesh.points().iter().map(|point| point.as_dvec3()).collect())
        .collect();
    let with_weights =
        character.parts.iter().zip(&places).filter_map(|(part, places)| {
            Some((&part.mesh, places.as_slice(), part.weights.as_ref()?))
        });
    let surface = WeightedSurface::new(with_weights);
    if character.parts.iter().all(|part| part.weights.is_none()) {
        return Err(MirrorError::NoWeights);
    }
    let sign = if settings.from == Side::Left { 1.0 } else { -1.0 };
    let mut out =
        Mirrored { of_part: Vec::new(), num_mirrored: 0, num_by_position: 0, worst_distance: 0.0 };
    for (part, places) in character.parts.iter().zip(&places) {
        let Some(weights) = &part.weights else {
            out.of_part.push(Vec::new());
            continue;
        };
        let partners = match settings.by {
            MirrorBy::Position => vec![None; places.len()],
            MirrorBy::Topology => topology::partners(&part.mesh, &plane),
        };
        let mut rows = Vec::new();
        for (point, &place) in places.iter().enumerate() {
            let before = weights.row(point);
            // Towards the side that gives.
            let height = sign * plane.height(place);
            let own_partner = partners[point] == Some(point as u32);
            let is_middle = height.abs() <= MIDDLE_SHARE * diagonal || own_partner;
            let row = if is_middle {
                Some(symmetric(before, &pairs, rules))
            } else if height < 0.0 {
                let by_topology = partners[point];
                out.num_mirrored += 1;
                let found = match by_topology {
                    Some(partner) => Some(entries(weights, partner)),
                    None => surface.closest(plane.image(place)).map(|found| {
                        out.num_by_position += usize::from(settings.by == MirrorBy::Topology);
                        out.worst_distance = out.worst_distance.max(found.distance);
                        found.row
                    }),
                };
                found.map(|row| rules.finish(before, &pairs.row(&row), None))
            } else {
                None
            };
            rows.extend(row.filter(|row| row != before).map(|row| (point as u32, row)));
        }
        out.of_part.push(rows);
    }
    Ok(out)
}

fn entries(weights: &SkinWeights, point: u32) -> Vec<(u32, f64)> {
    weights.row(point as usize).iter().map(|i| (i.joint, f64::from(i.weight))).collect()
}

/// The mean of a row and its mirror image.
fn symmetric(before: &[Influence], pairs: &JointPairs, rules: &RowRules) -> Vec<Influence> {
    let own: Vec<(u32, f64)> = before.iter().map(|i| (i.joint, f64::from(i.weight))).collect();
    let weight = |row: &[(u32, f64)], joint: u32| {
        row.iter().find(|entry| entry.0 == joint).map_or(0.0, |entry| entry.1)
    };
    let image = pairs.row(&own);
    let is_even = own.iter().all(|&(joint, w)| (weight(&image, joint) - w).abs() < 1e-7);
    if is_even && image.len() == own.len() {
        return before.to_vec();
    }
    let mut wanted = own;
    wanted.extend(image);
    let mut sums: Vec<(u32, f64)> = Vec::new();
    for (joint, more) in wanted {
        match sums.iter_mut().find(|entry| entry.0 == joint) {
            Some(entry) => entry.1 += more,
            None => sums.push((joint, more)),
        }
    }
    // Partners leave together, or the budget would make the middle lean to a side.
    while sums.len() > rules.max_influences {
        let least = sums.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|entry| entry.0);
        let Some(least) = least else { break };
        sums.retain(|entry| entry.0 != least && entry.0 != pairs.partner(least));
    }
    rules.finish(before, &sums, None)
}
