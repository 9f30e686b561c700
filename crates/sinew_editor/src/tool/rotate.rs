//! Turning joints: rings about the joint's own axes and its bone, or a number typed in.

use glam::{DVec3, Vec2, Vec3};
use sinew::skeleton::JointPose;
use sinew_view::scene::Marks;

use super::gizmo::{Ring, Turning};
use super::select::{chosen_marks, clicked};
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

#[derive(Clone, Debug)]
struct Held {
    axis: Axis,
    /// Where each chosen joint started.
    starts: Vec<(u32, JointPose)>,
    by: By,
}

#[derive(Clone, Debug)]
enum By {
    Pointer { turning: Turning, snaps: bool },
    Typing(String),
}

impl Held {
    fn degrees(&self) -> f64 {
        match &self.by {
            By::Pointer { turning, snaps: false } => turning.radians.to_degrees(),
            By::Pointer { turning, snaps: true } => {
                (turning.radians.to_degrees() / SNAP_DEGREES).round() * SNAP_DEGREES
            }
            // "-" and "." are numbers about to be.
            By::Typing(text) => text.parse().ok().filter(|d: &f64| d.is_finite()).unwrap_or(0.0),
        }
    }

    fn edit(&self, context: &Context<'_>) -> Act {
        let joints = context.document.character().skeleton.joints();
        let turned = self.starts.iter().map(|&(joint, start)| {
            let pose = self.axis.turn(start, &joints[joint as usize], self.degrees());
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
        let by = By::Pointer { turning, snaps: modifiers.control };
        self.held = Some(Held { axis, starts: Self::starts(context), by });
        vec![Act::Begin("Rotate".into())]
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
            let begins = self.held.is_none();
            // In the middle of it: the same from where it began, about another axis.
            let starts = self.held.take().map_or_else(|| Self::starts(context), |held| held.starts);
            self.held = Some(Held { axis, starts, by: By::Typing(String::new()) });
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
            Key::Char(c @ ('0'..='9' | '.' | '-')) => match &mut held.by {
                By::Typing(text) => text.push(c),
                By::Pointer { .. } => held.by = By::Typing(c.to_string()),
            },
            Key::Backspace => match &mut held.by {
                By::Typing(text) => _ = text.pop(),
                By::Pointer { .. } => return Vec::new(),
            },
            Key::Char(_) => return Vec::new(),
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
                    By::Typing(text) => format!("{text}_"),
                    By::Pointer { .. } if turns.abs() >= 1.0 => format!("{degrees:.1}° ({turns:.2} turns)"),
                    By::Pointer { .. } => format!("{degrees:.1}°"),
                };
                format!("{words}  Enter to keep it, Esc to take it back, Ctrl to go in steps of {SNAP_DEGREES}°")
            }
        }
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
            Event::Moved { at, modifiers } => match &mut self.held {
                Some(held) => {
                    let By::Pointer { turning, snaps } = &mut held.by else { return Vec::new() };
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
                Some(Held { by: By::Pointer { .. }, .. }) => {
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
        let held = self.held.as_ref().map(|held| held.axis);
        for (axis, color) in AXES {
            // While one is held the others would only be in the way.
            if held.is_some_and(|held| held != axis) {
                continue;
            }
            let is_strong = held == Some(axis) || self.hovered == Some(axis);
            let width_px = if is_strong { HELD_WIDTH_PX } else { RING_WIDTH_PX };
            if let Some(ring) = ring(axis, context) {
                marks.append(ring.marks(color, width_px));
            }
        }
        marks
    }
}
