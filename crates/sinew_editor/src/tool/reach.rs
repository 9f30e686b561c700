//! Pulling a hand or a foot: the limb follows (inverse kinematics of two bones).
//!
//! The middle joint opens or closes, in the plane that it is bent in, until the end is as far from
//! the first joint as the pointer is (law of cosines); the first joint then turns by the shortest
//! arc. Closed form, so that the same pull gives the same pose.

use std::sync::Arc;

use glam::{DQuat, DVec3, Vec2};
use sinew::skeleton::{JointPose, Pose, Skeleton};
use sinew_view::scene::{Disc, Marks};

use super::frames::Frames;
use super::limb::{limb_end_above, limb_ends};
use super::select::{chosen_marks, clicked, joint_at};
use super::{Act, Context, Event, Hit, Key, Tool};
use crate::edit::PoseEdit;
use crate::selection::Selection;
use sinew::skeleton::Axis;

/// A limb is not stretched wholly: at full length the way that it bends is lost. Over its length.
const MOST_REACH: f64 = 0.9999;
/// Bones nearer to one line than this (sine) have no plane of their own.
const STRAIGHT: f64 = 1e-4;

/// Handles on the ends of limbs: their radius, and how near a click is meant for one. Times
/// [`crate::View::gizmo_scale`].
const HANDLE_PX: f32 = 6.0;
const HANDLE_REACH_PX: f32 = 13.0;
const HANDLE_COLOR: [f32; 4] = [0.16, 0.55, 0.95, 0.85];

/// The joint that a pull there takes: the hand or the foot that one points at or that a finger or a
/// toe hangs on; else the nearer end of the bone.
pub(crate) fn reach_at(at: Vec2, context: &Context<'_>) -> Option<u32> {
    let skeleton = &context.document.character().skeleton;
    let ends = limb_ends(skeleton);
    let palette = context.palette();
    let seen = |joint: u32| {
        let place = palette.model_from_joint()[joint as usize].translation;
        context.view.project(place.as_vec3())
    };
    let reach_px = HANDLE_REACH_PX * context.view.gizmo_scale();
    let handle = context
        .shown_joints()
        .filter(|&joint| ends[joint as usize])
        .filter_map(|joint| Some((joint, seen(joint)?.distance(at))))
        .filter(|&(_, distance)| distance <= reach_px)
        .min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((joint, _)) = handle {
        return Some(joint);
    }
    let joint = joint_at(at, context)?;
    if let Some(end) = limb_end_above(skeleton, &ends, joint) {
        return Some(end);
    }
    // A shin is taken by the knee or by the ankle, whichever is nearer.
    let next = skeleton.next_joint(joint).unwrap_or(joint);
    let distance = |joint: u32| seen(joint).map_or(f32::INFINITY, |seen| seen.distance(at));
    Some(if distance(next) < distance(joint) { next } else { joint })
}

/// Drag a joint; its limb follows.
#[derive(Clone, Debug, Default)]
pub struct ReachTool {
    held: Option<Held>,
}

#[derive(Clone, Debug)]
struct Held {
    joint: u32,
    start: Arc<Pose>,
    from: Vec2,
    /// From the pointer to the joint, in the plane that faces the camera.
    grip: DVec3,
    depth_at: glam::Vec3,
}

/// The poses of the two joints above `end` that bring it to `target` in model space, or as near as
/// the limb reaches. With one joint above it, only that one turns; with none, the joint itself is
/// moved.
pub fn reach(skeleton: &Skeleton, pose: &Pose, end: u32, target: DVec3) -> Vec<(u32, JointPose)> {
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
    let axis = if bend.length() > STRAIGHT * upper_length * lower_length {
        bend.normalize()
    } else {
        // A straight limb may bend any way: about the middle joint's own X, as far as that is
        // across the bone.
        let own = frames.own_axis(middle, Axis::X);
        let along = upper / upper_length;
        (own - along * own.dot(along)).normalize_or(along.any_orthonormal_vector())
    };
    let bent = DQuat::from_axis_angle(axis, now - open_angle(wanted));
    let c_bent = b + bent * lower;
    let middle_pose = frames.turned(middle, bent);
    let swung = DQuat::from_rotation_arc(
        (c_bent - a).normalize_or(DVec3::Y),
        (target - a).normalize_or((c_bent - a).normalize_or(DVec3::Y)),
    );
    vec![(first, frames.turned(first, swung)), (middle, middle_pose)]
}

impl ReachTool {
    fn pull(held: &Held, at: Vec2, context: &Context<'_>) -> Act {
        if at == held.from {
            // To where it is, but for roundings.
            return Act::Replace(Vec::new());
        }
        let target = context.view.on_facing_plane(at, held.depth_at).as_dvec3() + held.grip;
        let skeleton = &context.document.character().skeleton;
        let poses = reach(skeleton, &held.start, held.joint, target);
        let joints = poses.into_iter().map(|(j, pose)| (context.document.joint_ref(j), pose));
        Act::Replace(vec![PoseEdit::PoseJoints { joints: joints.collect() }.into()])
    }
}

impl Tool for ReachTool {
    fn name(&self) -> &'static str {
        "Reach"
    }

    fn hint(&self) -> String {
        "Drag a hand, a foot (their dots) or any joint: its limb follows. Esc takes it back".into()
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                let Some(joint) = reach_at(at, context).filter(|_| !modifiers.shift) else {
                    return vec![Act::Select(clicked(at, modifiers.shift, context))];
                };
                let place = context.palette().model_from_joint()[joint as usize].translation;
                let depth_at = place.as_vec3();
                let grip = place - context.view.on_facing_plane(at, depth_at).as_dvec3();
                let start = Arc::clone(context.pose);
                self.held = Some(Held { joint, start, from: at, grip, depth_at });
                vec![Act::Select(Selection::of(joint)), Act::Begin("Reach".into())]
            }
            Event::Moved { at, .. } => {
                self.held.as_ref().map(|held| Self::pull(held, at, context)).into_iter().collect()
            }
            Event::Released { .. } => self.held.take().map(|_| Act::Commit).into_iter().collect(),
            Event::Key(Key::Escape) => self.held.take().map(|_| Act::Cancel).into_iter().collect(),
            Event::Grabbed { .. } | Event::Found | Event::Key(_) => Vec::new(),
        }
    }

    fn under(&self, at: Vec2, context: &Context<'_>) -> Option<Hit> {
        reach_at(at, context).map(Hit::Joint)
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut marks = chosen_marks(context);
        let ends = limb_ends(&context.document.character().skeleton);
        let palette = context.palette();
        let radius_px = HANDLE_PX * context.view.gizmo_scale();
        let handles = context.shown_joints().filter(|&joint| ends[joint as usize]);
        marks.discs.extend(handles.map(|joint| {
            let center = palette.model_from_joint()[joint as usize].translation.as_vec3();
            Disc { center, color: HANDLE_COLOR, radius_px }
        }));
        marks
    }
}
