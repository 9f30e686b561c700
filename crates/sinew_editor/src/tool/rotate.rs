//! Turning joints: rings about the joint's own axes and its bone, or a number typed in.

use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};
use sinew::skeleton::{JointPose, Pose};
use sinew_view::scene::Marks;

use super::frames::Frames;
use super::gizmo::{Ring, Turning};
use super::select::{chosen_marks, clicked};
use super::typed::{Typed, type_into};
use super::{Act, Context, Event, Key, Modifiers, Tool};
use crate::edit::PoseEdit;
use sinew::skeleton::Axis;

/// Times [`crate::View::gizmo_scale`].
const RING_WIDTH_PX: f32 = 2.5;
const HELD_WIDTH_PX: f32 = 4.0;
/// With Control, a drag goes in steps.
const SNAP_DEGREES: f64 = 15.0;

/// In the order in which a click is tried: the bone's own ring is what a rigger wants most.
const RINGS: [Axis; 3] = [Axis::Twist, Axis::Bend, Axis::Side];

fn color(axis: Axis) -> [f32; 4] {
    match axis {
        Axis::Twist => [1.0, 0.85, 0.2, 1.0],
        Axis::X | Axis::Bend => [0.93, 0.27, 0.3, 1.0],
        Axis::Y | Axis::Side => [0.42, 0.8, 0.25, 1.0],
        Axis::Z => [0.25, 0.5, 0.98, 1.0],
    }
}

/// Of the ring that faces the eye.
const SIGHT_COLOR: [f32; 4] = [0.95, 0.95, 0.95, 1.0];

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
    /// The line of sight, in the model; it points at the eye.
    Sight(DVec3),
}

#[derive(Clone, Debug)]
struct Held {
    about: About,
    /// The chosen joints.
    joints: Vec<u32>,
    /// Where they all started.
    start: Arc<Pose>,
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

    fn turned(&self, joint: u32, context: &Context<'_>) -> JointPose {
        let (start, degrees) = (self.start.joints[joint as usize], self.degrees());
        if degrees == 0.0 {
            return start;
        }
        let of_joint = &context.document.character().skeleton.joints()[joint as usize];
        match self.about {
            About::Own(axis) => {
                let own = context.axis_in_joint(joint, axis, &self.start);
                start.rotated(own, degrees.to_radians(), of_joint.bone_axis())
            }
            About::Sight(axis) => {
                let frames = Frames::of(context, &self.start);
                frames.turned_as_seen(joint, axis, degrees.to_radians())
            }
        }
    }

    fn edit(&self, context: &Context<'_>) -> Act {
        let turned = self
            .joints
            .iter()
            .map(|&joint| (context.document.joint_ref(joint), self.turned(joint, context)));
        Act::Replace(vec![PoseEdit::PoseJoints { joints: turned.collect() }.into()])
    }
}

fn ring(axis: Axis, context: &Context<'_>) -> Option<Ring> {
    let joint = context.selection.active?;
    let frames = Frames::of(context, context.pose);
    let in_model =
        frames.own_axis(joint, context.axis_in_joint(joint, axis, context.pose)).as_vec3();
    Some(Ring::new(frames.place(joint).as_vec3(), in_model, &context.view))
}

/// A point of the ring about one of the active joint's axes, at an angle from where the ring
/// begins, in model space. Where there are two in sight of each other, the one nearer to the eye
/// can be taken hold of.
pub fn ring_point(context: &Context<'_>, axis: Axis, radians: f32) -> Option<Vec3> {
    Some(ring(axis, context)?.point(radians))
}

/// The ring under a pixel.
fn axis_at(at: Vec2, context: &Context<'_>) -> Option<Axis> {
    let distance = |axis| ring(axis, context)?.distance_px(at, &context.view);
    RINGS
        .into_iter()
        .filter_map(|axis| Some((axis, distance(axis)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(axis, _)| axis)
}

impl RotateTool {
    fn hold(&mut self, about: About, by: By, context: &Context<'_>) -> Act {
        let joints = context.selection.joints.iter().copied().collect();
        self.held = Some(Held { about, joints, start: Arc::clone(context.pose), by });
        Act::Begin("Rotate".into())
    }

    fn press(&mut self, at: Vec2, modifiers: Modifiers, context: &Context<'_>) -> Vec<Act> {
        let taken = axis_at(at, context)
            .and_then(|axis| Some((axis, ring(axis, context)?.begin(at, &context.view)?)));
        let Some((axis, turning)) = taken else {
            return vec![Act::Select(clicked(at, modifiers.shift, context))];
        };
        let by = By::Pointer { turning, snaps: modifiers.control, is_modal: false };
        vec![self.hold(About::Own(axis), by, context)]
    }

    /// About the line of sight, from where the pointer is.
    fn grab(&mut self, at: Vec2, context: &Context<'_>) -> Option<Act> {
        let ring = ring(Axis::Twist, context)?;
        let sight = (context.view.camera.eye() - ring.center).normalize_or(Vec3::Z);
        let turning = Ring { axis: sight, ..ring }.begin(at, &context.view)?;
        let by = By::Pointer { turning, snaps: false, is_modal: true };
        Some(self.hold(About::Sight(sight.as_dvec3().normalize()), by, context))
    }

    /// Turns about one of the joint's own axes instead, from where it began.
    fn constrain(&mut self, axis: Axis, context: &Context<'_>) -> Vec<Act> {
        let Some(active) = context.selection.active else { return Vec::new() };
        let Some(held) = &mut self.held else {
            let begin = self.hold(About::Own(axis), By::Typing(Typed::default()), context);
            return vec![begin, Act::Replace(Vec::new())];
        };
        held.about = About::Own(axis);
        if let By::Pointer { turning, is_modal: true, .. } = &mut held.by {
            let frames = Frames::of(context, &held.start);
            let to_eye = context.view.camera.eye().as_dvec3() - frames.place(active);
            let own = context.axis_in_joint(active, axis, &held.start);
            turning.face(frames.own_axis(active, own).dot(to_eye) >= 0.0);
        } else {
            held.by = By::Typing(Typed::default());
        }
        vec![held.edit(context)]
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
            return self.constrain(axis, context);
        }
        match key {
            Key::Escape => self.held.take().map(|_| Act::Cancel).into_iter().collect(),
            Key::Enter => self.held.take().map(|_| Act::Commit).into_iter().collect(),
            Key::Char(_) | Key::Backspace => {
                let Some(held) = &mut self.held else { return Vec::new() };
                let mut typed = match &held.by {
                    By::Typing(typed) => Some(typed.clone()),
                    By::Pointer { .. } => None,
                };
                if !type_into(&mut typed, key) {
                    return Vec::new();
                }
                held.by = By::Typing(typed.unwrap_or_default());
                vec![held.edit(context)]
            }
        }
    }
}

impl Tool for RotateTool {
    fn name(&self) -> &'static str {
        "Rotate"
    }

    fn hint(&self) -> String {
        match &self.held {
            None => match self.hovered {
                Some(Axis::Bend) => "Bend: closes a knee or an elbow, bows a back. Drag it".into(),
                Some(Axis::Side) => "Side: takes a limb outward. Drag it".into(),
                Some(Axis::Twist) => "Twist: turns about the bone, past 360° too. Drag it".into(),
                _ => "Drag a ring: red bends, green goes to the side, yellow twists; or press X, Y, Z or T and type degrees".into(),
            },
            Some(held) => {
                let degrees = held.degrees();
                let turns = degrees / 360.0;
                let words = match &held.by {
                    By::Typing(typed) => format!("{typed}°"),
                    By::Pointer { .. } if turns.abs() >= 1.0 => format!("{degrees:.1}° ({turns:.2} turns)"),
                    By::Pointer { .. } => format!("{degrees:.1}°"),
                };
                let about = match held.about {
                    About::Own(axis) => axis.word(),
                    About::Sight(_) => "turn",
                };
                format!("{about} {words}  Enter to keep it, Esc to take it back, Ctrl to go in steps of {SNAP_DEGREES}°")
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
            Event::Grabbed { .. } if self.held.is_some() => Vec::new(),
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
            Event::Found => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut marks = chosen_marks(context);
        let scale = context.view.gizmo_scale();
        let held = self.held.as_ref().map(|held| held.about);
        if let (Some(About::Sight(sight)), Some(ring)) = (held, ring(Axis::Twist, context)) {
            let ring = Ring { axis: sight.as_vec3(), ..ring };
            marks.append(ring.marks(SIGHT_COLOR, scale * HELD_WIDTH_PX));
        }
        let own = match held {
            Some(About::Own(axis)) if !RINGS.contains(&axis) => Some(axis),
            _ => None,
        };
        for axis in RINGS.into_iter().chain(own) {
            let about = About::Own(axis);
            // While one is held the others would only be in the way.
            if held.is_some_and(|held| held != about) {
                continue;
            }
            let is_strong = held == Some(about) || self.hovered == Some(axis);
            let width_px = if is_strong { HELD_WIDTH_PX } else { RING_WIDTH_PX };
            if let Some(ring) = ring(axis, context) {
                marks.append(ring.marks(color(axis), scale * width_px));
            }
        }
        marks
    }
}
