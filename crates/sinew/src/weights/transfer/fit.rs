//! A source's points in the shape of a target: each joint that has a counterpart takes what it
//! moves along, turned and scaled as its bone is.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::JointMap;
use crate::Character;
use crate::skeleton::Skeleton;

/// Scales beyond these are a bone of no length.
const SCALES: [f64; 2] = [0.02, 50.0];

/// The points of each mesh; where they are if they are not to be fitted.
pub(super) fn places(
    from: &Character,
    to: &Character,
    map: &JointMap,
    fits: bool,
) -> Vec<Vec<DVec3>> {
    let transforms = if fits { transforms(&from.skeleton, &to.skeleton, map) } else { Vec::new() };
    from.parts
        .iter()
        .map(|part| {
            let points = part.mesh.points().iter().map(|point| point.as_dvec3());
            match (&part.weights, fits) {
                (Some(weights), true) => points
                    .zip(weights.rows())
                    .map(|(point, row)| {
                        let moved = row.iter().map(|i| {
                            transforms[i.joint as usize].transform_point3(point)
                                * f64::from(i.weight)
                        });
                        moved.sum()
                    })
                    .collect(),
                _ => points.collect(),
            }
        })
        .collect()
}

fn transforms(from: &Skeleton, to: &Skeleton, map: &JointMap) -> Vec<DAffine3> {
    let mut found: Vec<DAffine3> = Vec::with_capacity(from.len());
    for joint in 0..from.len() as u32 {
        let parent = from.joints()[joint as usize].parent;
        let above = parent.map_or(DAffine3::IDENTITY, |parent| found[parent as usize]);
        let Some(other) = map.counterpart(joint) else {
            found.push(above);
            continue;
        };
        let head = from.bind_bone(joint)[0];
        let head_to = to.bind_bone(other)[0];
        let turned = match next_alike(from, map, joint) {
            Some(next) => {
                let along = from.bind_bone(next)[0] - head;
                let end = map.counterpart(next).map_or(head_to, |next| to.bind_bone(next)[0]);
                let along_to = end - head_to;
                let scale = (along_to.length() / along.length()).clamp(SCALES[0], SCALES[1]);
                match (along.try_normalize(), along_to.try_normalize()) {
                    (Some(a), Some(b)) => DMat3::from_quat(DQuat::from_rotation_arc(a, b)) * scale,
                    _ => above.matrix3,
                }
            }
            None => above.matrix3,
        };
        found.push(DAffine3::from_mat3_translation(turned, head_to - turned * head));
    }
    found
}

/// The one joint below that has a counterpart: the end of a limb's bone. `None` at ends and where
/// several hang, such as at hips and chests: there the first on the way of the bone's own end.
fn next_alike(skeleton: &Skeleton, map: &JointMap, joint: u32) -> Option<u32> {
    let mut at = joint;
    loop {
        let tail = skeleton.bind_bone(at)[1];
        let nearest = skeleton.children(at).min_by(|&a, &b| {
            let distance = |joint: u32| skeleton.bind_bone(joint)[0].distance(tail);
            distance(a).total_cmp(&distance(b))
        });
        at = nearest?;
        if map.counterpart(at).is_some() {
            return Some(at);
        }
    }
}
