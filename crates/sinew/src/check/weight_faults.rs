//! What is wrong with weights, point by point: for the check that says so and the repair that mends
//! it.

use std::collections::HashMap;

use glam::{DVec3, Vec3};

use crate::character::Part;
use crate::mesh::Adjacency;
use crate::skeleton::Skeleton;
use crate::weights::SkinWeights;

/// Below half a step of eight-bit weights an influence vanishes in most exporters.
pub(crate) const TINY_WEIGHT: f32 = 0.5 / 255.0;

/// Smaller shares are smoothing, and reach far by their nature.
pub(super) const STRAY_WEIGHT: f32 = 0.1;
/// Nearer than this share of the mesh's diagonal nothing is far.
const FAR_OVER_DIAGONAL: f64 = 0.25;
/// And it must be an exception among what the joint moves.
const FAR_OVER_MEDIAN: f64 = 8.0;

/// Weights further apart than this tear a seam by a visible amount: a step of eight-bit weights.
const SEAM_WEIGHT_TOLERANCE: f32 = 1.0 / 255.0;

/// More points than this that follow one joint are a part of the character, not a slip.
const MOST_STRAY: usize = 8;

/// Points, and a joint of each, with a share of at least [`STRAY_WEIGHT`] in a joint whose bone is
/// further off than [`FAR_OVER_DIAGONAL`] and [`FAR_OVER_MEDIAN`] times as far as half of what it
/// moves.
pub(crate) fn far_influences(part: &Part, skeleton: &Skeleton) -> Vec<(usize, u32)> {
    let Some(weights) = &part.weights else { return Vec::new() };
    let far = f64::from(part.mesh.bounds().diagonal()) * FAR_OVER_DIAGONAL;
    let mut of_joint: Vec<Vec<(f64, usize)>> = vec![Vec::new(); skeleton.len()];
    for (point, row) in weights.rows().enumerate() {
        for influence in row.iter().filter(|i| i.weight >= STRAY_WEIGHT) {
            let joint = influence.joint as usize;
            if joint < skeleton.len() {
                let bone = skeleton.bind_bone(influence.joint);
                let at = part.mesh.points()[point].as_dvec3();
                of_joint[joint].push((distance_to_segment(at, bone), point));
            }
        }
    }
    let mut found = Vec::new();
    for (joint, distances) in (0u32..).zip(&mut of_joint) {
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(median, _)) = distances.get(distances.len() / 2) else { continue };
        let limit = far.max(FAR_OVER_MEDIAN * median);
        found.extend(distances.iter().rev().take_while(|d| d.0 > limit).map(|d| (d.1, joint)));
    }
    found
}

pub(super) fn distance_to_segment(at: DVec3, [head, tail]: [DVec3; 2]) -> f64 {
    let along = tail - head;
    let share = (at - head).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    at.distance(head + along * share.clamp(0.0, 1.0))
}

/// Points that coincide exactly with an earlier one whose weights differ.
pub(crate) fn torn_seams(part: &Part) -> Vec<usize> {
    let Some(weights) = &part.weights else { return Vec::new() };
    // The first point of a place stands for it: comparing all with all is quadratic where many
    // coincide.
    let mut first_at: HashMap<[u32; 3], usize> = HashMap::new();
    let mut torn = Vec::new();
    for (point, position) in part.mesh.points().iter().enumerate() {
        let first = *first_at.entry(place_key(*position)).or_insert(point);
        if first != point && !weights.rows_equal(first, point, SEAM_WEIGHT_TOLERANCE) {
            torn.push(point);
        }
    }
    torn
}

/// Says which points lie on one place. `+ 0.0` makes one of the two zeros.
pub(crate) fn place_key(place: Vec3) -> [u32; 3] {
    place.to_array().map(|x| (x + 0.0).to_bits())
}

/// Points of small groups whose joint has nothing of any point around them, and around which all
/// points have one other joint: what a slip of the hand, or a reader that found no weights, leaves.
pub(crate) fn stray_points(weights: &SkinWeights, adjacency: &Adjacency) -> Vec<u32> {
    let num_points = weights.num_points().min(adjacency.num_points());
    let dominant: Vec<u32> = (0..num_points).map(|point| weights.dominant_joint(point)).collect();
    let mut is_seen = vec![false; num_points];
    let mut stray = Vec::new();
    for start in 0..num_points as u32 {
        if std::mem::replace(&mut is_seen[start as usize], true) {
            continue;
        }
        let joint = dominant[start as usize];
        let mut group = vec![start];
        let mut around = Vec::new();
        let mut next = 0;
        while next < group.len() {
            for &other in adjacency.ring(group[next] as usize) {
                if dominant[other as usize] != joint {
                    around.push(other);
                } else if !std::mem::replace(&mut is_seen[other as usize], true) {
                    group.push(other);
                }
            }
            next += 1;
        }
        let has_joint = |point: &u32| weights.row(*point as usize).iter().any(|i| i.joint == joint);
        let Some(&first) = around.first() else { continue };
        let shares_another = |point: &u32| {
            let theirs = dominant[first as usize];
            weights.row(*point as usize).iter().any(|i| i.joint == theirs)
        };
        if group.len() <= MOST_STRAY
            && !around.iter().any(has_joint)
            && around.iter().all(shares_another)
        {
            stray.extend(group);
        }
    }
    stray.sort_unstable();
    stray
}
