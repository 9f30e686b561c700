//! Weights on the wrong one of two joints: of a pair left and right, or of two at one place. For
//! the check that says so and the repair that mends it.

use crate::character::{Character, Part};
use crate::skeleton::{JointTransform, Skeleton};
use crate::weights::mirror::{JointPairs, MirrorPlane};

use super::weight_faults::{STRAY_WEIGHT, distance_to_segment};

/// Of the mesh's diagonal: nearer to the plane between the sides a point is of both.
const MIDDLE_SHARE: f64 = 0.02;
/// The joint must be so many times as far off as its partner, and weigh so many times as much.
const WRONG_BY: f64 = 2.0;
/// Of the character: joints this near are at one place.
const SAME_PLACE_SHARE: f64 = 1e-5;
/// Rotations and scales this near are the same.
const SAME_TURN: f64 = 1e-4;

/// Points, and a joint of each that belongs to the other side, where its partner is the one that
/// is meant: nearer by far, on the point's own side, and with hardly anything.
pub(crate) fn wrong_side(part: &Part, skeleton: &Skeleton) -> Vec<(u32, u32)> {
    let (Some(weights), Some(pairs)) = (&part.weights, JointPairs::of(skeleton)) else {
        return Vec::new();
    };
    let plane = MirrorPlane::of(skeleton, &pairs);
    let least = MIDDLE_SHARE * f64::from(part.mesh.bounds().diagonal());
    let side_of = |joint: u32| {
        let [head, tail] = skeleton.bind_bone(joint);
        plane.height(head.midpoint(tail))
    };
    let mut found = Vec::new();
    for ((point, place), row) in (0u32..).zip(part.mesh.points()).zip(weights.rows()) {
        let place = place.as_dvec3();
        let height = plane.height(place);
        if height.abs() < least {
            continue;
        }
        let weight = |joint: u32| row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight);
        let is_wrong = |joint: u32| {
            let partner = pairs.partner(joint);
            partner != joint
                && side_of(joint) * height < 0.0
                && side_of(partner) * height > 0.0
                && weight(joint) >= STRAY_WEIGHT
                && f64::from(weight(joint)) > WRONG_BY * f64::from(weight(partner))
                && distance_to_segment(place, skeleton.bind_bone(joint))
                    > WRONG_BY * distance_to_segment(place, skeleton.bind_bone(partner))
        };
        let of_skeleton = row.iter().filter(|i| (i.joint as usize) < skeleton.len());
        found.extend(of_skeleton.filter(|i| is_wrong(i.joint)).map(|i| (point, i.joint)));
    }
    found
}

/// Joints that stand where an earlier one stands, under the same parent and with the same bone,
/// which both have points; and the earlier one. None that has children, that a driver names or that
/// a clip moves: it is there for something.
pub(crate) fn duplicate_joints(character: &Character) -> Vec<(u32, u32)> {
    let skeleton = &character.skeleton;
    let joints = skeleton.joints();
    let near = SAME_PLACE_SHARE * f64::from(character.bounds().diagonal());
    let mut has_points = vec![false; joints.len()];
    let all = character.parts.iter().filter_map(|part| part.weights.as_ref());
    for influence in all.flat_map(|weights| weights.rows()).flatten() {
        if let Some(has) = has_points.get_mut(influence.joint as usize) {
            *has = true;
        }
    }
    let same_turn = |a: &JointTransform, b: &JointTransform| {
        a.rotation.dot(b.rotation).abs() > 1.0 - SAME_TURN
            && (a.scale - b.scale).abs().max_element() < SAME_TURN
    };
    let is_same = |a: u32, b: u32| {
        let (one, other) = (&joints[a as usize], &joints[b as usize]);
        let bones = [a, b].map(|joint| skeleton.bind_bone(joint));
        one.parent == other.parent
            && same_turn(&one.rest, &other.rest)
            && one.rest.translation.distance(other.rest.translation) <= near
            && (0..2).all(|end| bones[0][end].distance(bones[1][end]) <= near)
    };
    let is_named = |joint: u32| {
        let named = |&other: &u32| if other == joint { Err(()) } else { Ok(other) };
        let of_driver = |driver: &crate::driver::Driver| {
            driver.try_map(named, |shape| Ok::<_, ()>(*shape)).is_err()
        };
        let mut tracks = character.clips.iter().flat_map(|clip| &clip.tracks);
        joints.iter().any(|other| other.parent == Some(joint))
            || character.drivers.list.iter().any(of_driver)
            || tracks.any(|track| track.joint == joint)
    };
    let mut found: Vec<(u32, u32)> = Vec::new();
    for joint in (0..joints.len() as u32).filter(|&joint| has_points[joint as usize]) {
        let is_free = |earlier: &u32| found.iter().all(|(duplicate, _)| duplicate != earlier);
        let earlier = (0..joint)
            .filter(|&earlier| has_points[earlier as usize] && is_same(earlier, joint))
            .find(is_free);
        if let Some(earlier) = earlier.filter(|_| !is_named(joint)) {
            found.push((joint, earlier));
        }
    }
    found
}
