//! Pulling a hand, a foot or the hips: the body follows (`pull`).

use std::sync::Arc;

use glam::{DVec3, Vec2};
use sinew::skeleton::{Pose, Skeleton};
use sinew_view::scene::{Disc, Marks};

use super::limb::{limb_end_above, limb_ends};
use super::pull::{Body, Pull};
use super::select::{chosen_marks, clicked, joint_at};
use super::{Act, Context, Event, Hit, Key, Tool};
use crate::edit::PoseEdit;
use crate::selection::Selection;

/// Handles on the ends of limbs: their radius, and how near a click is meant for one. Times
/// [`crate::View::gizmo_scale`].
const HANDLE_PX: f32 = 6.0;
const HANDLE_REACH_PX: f32 = 13.0;
const HANDLE_COLOR: [f32; 4] = [0.16, 0.55, 0.95, 0.85];
const PINNED_COLOR: [f32; 4] = [0.92, 0.25, 0.2, 0.95];

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
    let hips = Body::of(skeleton).hips;
    let handle = context
        .shown_joints()
        .filter(|&joint| ends[joint as usize] || hips == Some(joint))
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

/// The end of the limb that a joint is at or below; the joint itself above every end. What a pin
/// holds.
pub fn limb_end(skeleton: &Skeleton, joint: u32) -> u32 {
    limb_end_above(skeleton, &limb_ends(skeleton), joint).unwrap_or(joint)
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
    body: Body,
    from: Vec2,
    /// From the pointer to the joint, in the plane that faces the camera.
    grip: DVec3,
    depth_at: glam::Vec3,
}

impl ReachTool {
    fn pull(held: &Held, at: Vec2, context: &Context<'_>) -> Act {
        if at == held.from {
            // To where it is, but for roundings.
            return Act::Replace(Vec::new());
        }
        let target = context.view.on_facing_plane(at, held.depth_at).as_dvec3() + held.grip;
        let pull = Pull {
            skeleton: &context.document.character().skeleton,
            start: &held.start,
            body: &held.body,
            work: context.reach,
            hinges: context.hinges,
        };
        let poses = pull.to(held.joint, target);
        let joints = poses.into_iter().map(|(j, pose)| (context.document.joint_ref(j), pose));
        Act::Replace(vec![PoseEdit::PoseJoints { joints: joints.collect() }.into()])
    }
}

impl Tool for ReachTool {
    fn name(&self) -> &'static str {
        "Reach"
    }

    fn hint(&self) -> String {
        "Drag a hand, a foot, the head or the hips (their dots): the body follows. A knee or an \
         elbow swings around. Shift+P pins what is chosen"
            .into()
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
                let body = Body::of(&context.document.character().skeleton);
                self.held = Some(Held { joint, start, body, from: at, grip, depth_at });
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
        let skeleton = &context.document.character().skeleton;
        let (ends, hips) = (limb_ends(skeleton), Body::of(skeleton).hips);
        let palette = context.palette();
        let radius_px = HANDLE_PX * context.view.gizmo_scale();
        let pins = &context.reach.pins;
        let is_handle =
            |joint: u32| ends[joint as usize] || hips == Some(joint) || pins.contains(&joint);
        let handles = context.shown_joints().filter(|&joint| is_handle(joint));
        marks.discs.extend(handles.map(|joint| {
            let center = palette.model_from_joint()[joint as usize].translation.as_vec3();
            let color = if pins.contains(&joint) { PINNED_COLOR } else { HANDLE_COLOR };
            Disc { center, color, radius_px }
        }));
        marks
    }
}
