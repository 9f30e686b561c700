//! Between limbs the offset is smaller: legs and arms that stand near to one another, or to the
//! body, are to be in tubes of their own.
//!
//! A point of one joint that faces a point of another across a gap, though the way between them
//! through the skeleton is long, has at most a share of that gap for its offset.

use std::collections::HashMap;

use glam::{DVec3, IVec3};

use crate::Character;
use crate::skeleton::Skeleton;

/// The way through the skeleton over the gap from which on two points are of different limbs.
const LONGER: f64 = 4.0;
/// Of a gap, what either side may have.
const SHARE: f64 = 0.3;
/// The cosine at which two points face one another.
const FACING: f64 = 0.3;

/// Points of a joint in a cell of a grid, as one.
#[derive(Clone, Copy)]
struct Patch {
    joint: u32,
    place: DVec3,
    normal: DVec3,
    /// From the joint's head.
    arm: f64,
    offset: f64,
}

/// The offset of each point of a character, in the order of its parts; `None` if it is the same
/// everywhere.
pub(super) fn offsets(
    character: &Character,
    points: &[DVec3],
    triangles: &[[u32; 3]],
    offset: f64,
) -> Option<Vec<f64>> {
    let skeleton = &character.skeleton;
    if skeleton.len() < 2 {
        return None;
    }
    let mut normals = vec![DVec3::ZERO; points.len()];
    for t in triangles {
        let [a, b, c] = t.map(|corner| points[corner as usize]);
        let normal = (b - a).cross(c - a);
        t.iter().for_each(|&corner| normals[corner as usize] += normal);
    }
    let heads: Vec<DVec3> =
        skeleton.rest_model_from_joint().iter().map(|frame| frame.translation).collect();
    let joints = strongest_joints(character);
    // Cells small enough for a gap to be seen between two of them.
    let cell = |p: DVec3| (p / (offset / 3.0)).floor().as_ivec3();
    let mut number_of: HashMap<(IVec3, u32), usize> = HashMap::new();
    let mut patches: Vec<Patch> = Vec::new();
    let mut counts: Vec<f64> = Vec::new();
    let patch_of: Vec<Option<usize>> = points
        .iter()
        .zip(&normals)
        .zip(&joints)
        .map(|((&place, &normal), &joint)| {
            let joint = joint?;
            let number = *number_of.entry((cell(place), joint)).or_insert_with(|| {
                let empty = DVec3::ZERO;
                patches.push(Patch { joint, place: empty, normal: empty, arm: 0.0, offset });
                counts.push(0.0);
                patches.len() - 1
            });
            patches[number].place += place;
            patches[number].normal += normal.normalize_or_zero();
            counts[number] += 1.0;
            Some(number)
        })
        .collect();
    for (patch, count) in patches.iter_mut().zip(&counts) {
        patch.place /= *count;
        patch.normal = patch.normal.normalize_or_zero();
        patch.arm = patch.place.distance(heads[patch.joint as usize]);
    }
    narrow(&mut patches, &ways(skeleton, &heads), skeleton.len(), offset);
    if patches.iter().all(|patch| patch.offset == offset) {
        return None;
    }
    let of_point = |number: &Option<usize>| number.map_or(offset, |number| patches[number].offset);
    Some(patch_of.iter().map(of_point).collect())
}

/// The joint that each point hangs on most.
fn strongest_joints(character: &Character) -> Vec<Option<u32>> {
    let mut joints = Vec::new();
    for part in &character.parts {
        match &part.weights {
            // Rows are sorted, the strongest first.
            Some(weights) => joints.extend(weights.rows().map(|row| {
                let strongest = row.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
                strongest.map(|influence| influence.joint)
            })),
            None => joints.extend(std::iter::repeat_n(None, part.mesh.points().len())),
        }
    }
    joints
}

/// How far it is from each joint's head to each other's along the bones; infinite between trees.
fn ways(skeleton: &Skeleton, heads: &[DVec3]) -> Vec<f64> {
    let num = skeleton.len();
    let mut ways = vec![f64::INFINITY; num * num];
    for (joint, of_joint) in skeleton.joints().iter().enumerate() {
        ways[joint * num + joint] = 0.0;
        let Some(parent) = of_joint.parent.map(|parent| parent as usize) else { continue };
        // Parents come before children: all ways of the parent to those before are known.
        let step = heads[joint].distance(heads[parent]);
        for other in 0..joint {
            let way = ways[parent * num + other] + step;
            ways[joint * num + other] = way;
            ways[other * num + joint] = way;
        }
    }
    ways
}

fn narrow(patches: &mut [Patch], ways: &[f64], num_joints: usize, offset: f64) {
    let reach = offset / SHARE;
    let cell = |p: DVec3| (p / reach).floor().as_ivec3();
    let mut in_cell: HashMap<IVec3, Vec<usize>> = HashMap::new();
    for (number, patch) in patches.iter().enumerate() {
        in_cell.entry(cell(patch.place)).or_default().push(number);
    }
    let narrowest = |a: &Patch| {
        let mut least = offset;
        let at = cell(a.place);
        for step in 0..27 {
            let beside = at + IVec3::new(step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1);
            for &other in in_cell.get(&beside).into_iter().flatten() {
                let b = &patches[other];
                let gap = b.place - a.place;
                let distance = gap.length();
                if a.joint == b.joint || SHARE * distance >= least || distance <= 0.0 {
                    continue;
                }
                let way = ways[a.joint as usize * num_joints + b.joint as usize];
                let is_elsewhere = a.arm + way + b.arm > LONGER * distance;
                let is_facing =
                    a.normal.dot(gap) > FACING * distance && b.normal.dot(gap) < -FACING * distance;
                if is_elsewhere && is_facing {
                    least = SHARE * distance;
                }
            }
        }
        least
    };
    let found: Vec<f64> = patches.iter().map(narrowest).collect();
    for (patch, offset) in patches.iter_mut().zip(found) {
        patch.offset = offset;
    }
}
