//! Turning joints: rings about the joint's own axes and its bone, or a number typed in.

use glam::{DQuat, DVec3, Vec2, Vec3};
use sinew::skeleton::JointPose;
use sinew_view::scene::Marks;

use super::gizmo::{Ring, Turning};
use super::reach::turned_in_model;
use super::select::{chosen_marks, clicked};
use super::typed::Typed;
use super::{Act, Context, Event, Key, Modifiers, Tool};
use crate::axis::Axis;
use crate::edit::Edit;

const RING_WIDTH_PX: f32 = 2.5;
const HELD_WIDTH_PX: f32 = 4.0;
/// With Control, a drag goes in steps.
const SNAP_DEGREES: f64 = 15.0;

/// In the order in which a click is tried: the bone's own ring is what a rigger wants most.
const AXES: [(Axis, [f32; 4]); 4] = [
    (Axis::Twist, [1.0, 0.85, 0.2, 1.0]),
    (Axis::X, [0.93, 0.27, 0.3, 1.0]),
    (Axis::Y, [0.42, 0.8, 0.25, 1.0]),
    (Axis::Z, [0.25, 0.5, 0.98, 1.0]),
];

/// Drag a ring, or press X, Y, Z or T and type degrees.
#[derive(Clone, Debug, Default)]
pub struct RotateTool {
    held: Option<Held>,
    hovered: Option<Axis>,
}

/// What a drag turns about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum About {
    /// An axis of the joint's own.
    Own(Axis),
    /// The line of sight, in the model.
    Sight(DVec3),
}

#[derive(Clone, Debug)]
struct Held {
    about: About,
    /// Where each chosen joint started.
    starts: Vec<(u32, JointPose)>,
    by: By,
}

#[derive(Clone, Debug)]
enum By {
    /// Modal if no button is held: a click ends it.
    Pointer {
        turning: Turning,
        snaps: bool,
        is_modal: bool,
    },
    Typing(Typed),
}

impl Held {
    fn degrees(&self) -> f64 {
        match &self.by {
            By::Pointer { turning, snaps: false, .. } => turning.radians.to_degrees(),
            By::Pointer { turning, snaps: true, .. } => {
                (turning.radians.to_degrees() / SNAP_DEGREES).round() * SNAP_DEGREES
            }
            By::Typing(typed) => typed.number().unwrap_or(0.0),
        }
    }

    fn edit(&self, context: &Context<'_>) -> Act {
        let joints = context.document.character().skeleton.joints();
        let turned = self.starts.iter().map(|&(joint, start)| {
            let pose = match self.about {
                About::Own(axis) => axis.turn(start, &joints[joint as usize], self.degrees()),
                About::Sight(axis) => {
                    let turn = DQuat::from_axis_angle(axis, self.degrees().to_radians());
                    turned_in_model(context, (joint, start), turn)
                }
            };
            (context.document.joint_ref(joint), pose)
        });
        Act::Replace(vec![Edit::PoseJoints { joints: turned.collect() }])
    }
}

fn ring(axis: Axis, context: &Context<'_>) -> Option<Ring> {
    let joint = context.selection.active?;
    let palette = context.palette();
    let model_from_joint = palette.model_from_joint().get(joint as usize)?;
    let bone_axis = context.document.character().skeleton.joints()[joint as usize].bone_axis();
    let own = match axis {
        Axis::X => DVec3::X,
        Axis::Y => DVec3::Y,
        Axis::Z => DVec3::Z,
        Axis::Twist => bone_axis,
    };
    let in_model: Vec3 = model_from_joint.transform_vector3(own).as_vec3();
    Some(Ring::new(model_from_joint.translation.as_vec3(), in_model, &context.view))
}

/// A point of the ring about one of the active joint's axes, at an angle from where the ring begins, in model space. Where there are
/// two in sight of each other, the one nearer to the eye can be taken hold of.
pub fn ring_point(context: &Context<'_>, axis: Axis, radians: f32) -> Option<Vec3> {
    Some(ring(axis, context)?.point(radians))
}

/// The ring under a pixel.
fn axis_at(at: Vec2, context: &Context<'_>) -> Option<Axis> {
    let distance = |axis| ring(axis, context)?.distance_px(at, &context.view);
    AXES.iter()
        .filter_map(|&(axis, _)| Some((axis, distance(axis)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(axis, _)| axis)
}

impl RotateTool {
    fn starts(context: &Context<'_>) -> Vec<(u32, JointPose)> {
        let pose = context.document.pose();
        context.selection.joints.iter().map(|&j| (j, pose.joints[j as usize])).collect()
    }

    fn press(&mut self, at: Vec2, modifiers: Modifiers, context: &Context<'_>) -> Vec<Act> {
        let taken = axis_at(at, context)
            .and_then(|axis| Some((axis, ring(axis, context)?.begin(at, &context.view)?)));
        let Some((axis, turning)) = taken else {
            return vec![Act::Select(clicked(at, modifiers.shift, context))];
        };
        let by = By::Pointer { turning, snaps: modifiers.control, is_modal: false };
        self.held = Some(Held { about: About::Own(axis), starts: Self::starts(context), by });
        vec![Act::Begin("Rotate".into())]
    }

    /// About the line of sight, from where the pointer is.
    fn grab(&mut self, at: Vec2, context: &Context<'_>) -> Option<Act> {
        let ring = ring(Axis::Twist, context)?;
        let sight = (context.view.camera.eye() - ring.center).normalize_or(Vec3::Z);
        let turning = Ring { axis: sight, ..ring }.begin(at, &context.view)?;
        let by = By::Pointer { turning, snaps: false, is_modal: true };
        let about = About::Sight(sight.as_dvec3());
        self.held = Some(Held { about, starts: Self::starts(context), by });
        Some(Act::Begin("Rotate".into()))
    }

    fn key(&mut self, key: Key, context: &Context<'_>) -> Vec<Act> {
        let axis = match key {
            Key::Char('x') => Some(Axis::X),
            Key::Char('y') => Some(Axis::Y),
            Key::Char('z') => Some(Axis::Z),
            Key::Char('t') => Some(Axis::Twist),
            _ => None,
        };
        if let Some(axis) = axis {
            if context.selection.is_empty() {
                return Vec::new();
            }
            if let Some(Held { about, by: By::Pointer { is_modal: true, .. }, .. }) = &mut self.held
            {
                *about = About::Own(axis);
                return self.held.iter().map(|held| held.edit(context)).collect();
            }
            let begins = self.held.is_none();
            // In the middle of it: the same from where it began, about another axis.
            let starts = self.held.take().map_or_else(|| Self::starts(context), |held| held.starts);
            let by = By::Typing(Typed::default());
            self.held = Some(Held { about: About::Own(axis), starts, by });
            let begin = begins.then(|| Act::Begin("Rotate".into()));
            return begin.into_iter().chain([Act::Replace(Vec::new())]).collect();
        }
        let Some(held) = &mut self.held else { return Vec::new() };
        match key {
            Key::Escape => {
                self.held = None;
                return vec![Act::Cancel];
            }
            Key::Enter => {
                self.held = None;
                return vec![Act::Commit];
            }
            Key::Char(_) | Key::Backspace => {
                let mut typed = match &held.by {
                    By::Typing(typed) => typed.clone(),
                    By::Pointer { .. } => Typed::default(),
                };
                if !typed.take(key) {
                    return Vec::new();
                }
                held.by = By::Typing(typed);
            }
        }
        vec![held.edit(context)]
    }
}

impl Tool for RotateTool {
    fn name(&self) -> &'static str {
        "Rotate"
    }

    fn hint(&self) -> String {
        match &self.held {
            None => "Drag a ring to turn the joint (yellow: about its bone), or press X, Y, Z or T and type degrees".into(),
            Some(held) => {
                let degrees = held.degrees();
                let turns = degrees / 360.0;
                let words = match &held.by {
                    By::Typing(typed) => format!("{typed}°"),
                    By::Pointer { .. } if turns.abs() >= 1.0 => format!("{degrees:.1}° ({turns:.2} turns)"),
                    By::Pointer { .. } => format!("{degrees:.1}°"),
                };
                format!("{words}  Enter to keep it, Esc to take it back, Ctrl to go in steps of {SNAP_DEGREES}°")
            }
        }
    }

    fn is_hovered(&self) -> bool {
        self.hovered.is_some()
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } if self.held.is_none() => {
                self.press(at, modifiers, context)
            }
            // A click keeps what was typed.
            Event::Pressed { .. } => {
                self.held = None;
                vec![Act::Commit]
            }
            Event::Grabbed { at } => self.grab(at, context).into_iter().collect(),
            Event::Moved { at, modifiers } => match &mut self.held {
                Some(held) => {
                    let By::Pointer { turning, snaps, .. } = &mut held.by else {
                        return Vec::new();
                    };
                    turning.move_to(at);
                    *snaps = modifiers.control;
                    vec![held.edit(context)]
                }
                None => {
                    self.hovered = axis_at(at, context);
                    Vec::new()
                }
            },
            Event::Released { .. } => match &self.held {
                Some(Held { by: By::Pointer { is_modal: false, .. }, .. }) => {
                    self.held = None;
                    vec![Act::Commit]
                }
                _ => Vec::new(),
            },
            Event::Key(key) => self.key(key, context),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut marks = chosen_marks(context);
        let held = self.held.as_ref().map(|held| held.about);
        for (axis, color) in AXES {
            let about = About::Own(axis);
            // While one is held the others would only be in the way.
            if held.is_some_and(|held| held != about) {
                continue;
            }
            let is_strong = held == Some(about) || self.hovered == Some(axis);
            let width_px = if is_strong { HELD_WIDTH_PX } else { RING_WIDTH_PX };
            if let Some(ring) = ring(axis, context) {
                marks.append(ring.marks(color, width_px));
            }
        }
        marks
    }
}
