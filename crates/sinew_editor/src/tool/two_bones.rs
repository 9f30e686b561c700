//! Inverse kinematics of two bones.
//!
//! The middle joint opens or closes, in the plane that it is bent in, until the end is as far from
//! the first joint as the pointer is (law of cosines); the first joint then turns by the shortest
//! arc. Closed form, so that the same pull gives the same pose.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use sinew::posing::Hinges;
use sinew::skeleton::{JointPose, Pose, Skeleton};

use super::frames::Frames;

/// A limb is not stretched wholly: at full length the way that it bends is lost. Over its length.
const MOST_REACH: f64 = 0.9999;
/// Bones nearer to one line than this (sine) have no plane of their own.
const STRAIGHT: f64 = 1e-4;
/// With a hinge that is known, bones this near to one line (3°) bend about it.
const NEARLY_STRAIGHT: f64 = 0.05;

/// The poses of the two joints above `end` that bring it to `target` in model space, or as near as
/// the limb reaches. With one joint above it, only that one turns; with none, the joint itself is
/// moved.
pub fn reach(skeleton: &Skeleton, pose: &Pose, end: u32, target: DVec3) -> Vec<(u32, JointPose)> {
    reach_by(skeleton, pose, (end, target), None)
}

/// The same with the axes that joints bend about: a straight knee bends the way that knees do.
pub(super) fn reach_by(
    skeleton: &Skeleton,
    pose: &Pose,
    (end, target): (u32, DVec3),
    hinges: Option<&Hinges>,
) -> Vec<(u32, JointPose)> {
    let joints = skeleton.joints();
    let frames = Frames::new(skeleton, pose);
    let place = |joint: u32| frames.place(joint);
    let Some(middle) = joints[end as usize].parent else {
        let mut moved = pose.joints[end as usize];
        moved.translation += target - place(end);
        return vec![(end, moved)];
    };
    let Some(first) = joints[middle as usize].parent else {
        let turn = DQuat::from_rotation_arc(
            (place(end) - place(middle)).normalize_or(DVec3::Y),
            (target - place(middle)).normalize_or(DVec3::Y),
        );
        return vec![(middle, frames.turned(middle, turn))];
    };
    let (a, b, c) = (place(first), place(middle), place(end));
    let (upper, lower) = (b - a, c - b);
    let (upper_length, lower_length) = (upper.length(), lower.length());
    if upper_length == 0.0 || lower_length == 0.0 || !target.is_finite() {
        return Vec::new();
    }
    let shortest = (upper_length - lower_length).abs().max(1e-6 * (upper_length + lower_length));
    let wanted = (target - a).length().clamp(shortest, MOST_REACH * (upper_length + lower_length));
    // Angle at the middle joint between the two bones: now, and as it must be.
    let sides = upper_length * upper_length + lower_length * lower_length;
    let open_angle = |length: f64| {
        ((sides - length * length) / (2.0 * upper_length * lower_length)).clamp(-1.0, 1.0).acos()
    };
    let now = (-upper).angle_between(lower);
    let bend = upper.cross(lower);
    let hinge = hinges.and_then(|hinges| hinges.joint(middle));
    let straight = if hinge.is_some() { NEARLY_STRAIGHT } else { STRAIGHT };
    // A knee or an elbow bends one way, and no further than it closes.
    let one_way = hinge.and_then(|hinge| Some((hinge, hinge.range_degrees?)));
    let is_backward =
        one_way.is_some_and(|(hinge, _)| bend.dot(frames.hinge_axis(middle, hinge.bend)) < 0.0);
    let least_open = one_way.map_or(0.0, |(_, [_, most])| PI - most.to_radians());
    let axis = if bend.length() > straight * upper_length * lower_length && !is_backward {
        bend.normalize()
    } else {
        // A straight limb bends about its hinge, or, where nobody knows of one, about the middle
        // joint's own X, as far as that is across the bone.
        let own = match hinge {
            Some(hinge) => frames.hinge_axis(middle, hinge.bend),
            None => frames.own_axis(middle, DVec3::X),
        };
        let along = upper / upper_length;
        (own - along * own.dot(along)).normalize_or(along.any_orthonormal_vector())
    };
    // From the other side of straight it first has to be opened.
    let now = if is_backward { 2.0 * PI - now } else { now };
    let bent = DQuat::from_axis_angle(axis, now - open_angle(wanted).max(least_open));
    let c_bent = b + bent * lower;
    let middle_pose = frames.turned(middle, bent);
    let swung = DQuat::from_rotation_arc(
        (c_bent - a).normalize_or(DVec3::Y),
        (target - a).normalize_or((c_bent - a).normalize_or(DVec3::Y)),
    );
    vec![(first, frames.turned(first, swung)), (middle, middle_pose)]
}
