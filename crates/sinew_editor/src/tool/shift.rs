//! Moving joints: arrows along the model's axes, a disc for any way across the view, or a number
//! typed in.

use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};
use sinew::skeleton::Pose;
use sinew_view::scene::{Disc, Line, Marks};

use super::frames::Frames;
use super::select::{chosen_marks, clicked};
use super::typed::{Typed, type_into};
use super::{Act, Context, Event, Key, Modifiers, Tool};
use crate::edit::PoseEdit;
use crate::view::distance_to_segment;

/// Arrows are as long on the screen whatever the camera does. Times [`crate::View::gizmo_scale`],
/// as all lengths in pixels here.
const ARROW_PX: f32 = 80.0;
const ARROW_WIDTH_PX: f32 = 3.0;
const HELD_WIDTH_PX: f32 = 5.0;
const TIP_PX: f32 = 6.5;
const MIDDLE_PX: f32 = 7.0;
/// A click this near to an arrow, or to the middle, means it.
const REACH_PX: f32 = 9.0;
/// With Control, a drag goes in steps of a hundredth of the character's height, rounded to 1, 2
/// or 5.
const SNAPS_IN_HEIGHT: f64 = 100.0;

/// The way that a move is held to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// One of the model's axes.
    Along(DVec3),
    /// Any, across the view.
    Free,
}

const WAYS: [(Way, [f32; 4]); 4] = [
    (Way::Free, [0.95, 0.95, 0.95, 1.0]),
    (Way::Along(DVec3::X), [0.93, 0.27, 0.3, 1.0]),
    (Way::Along(DVec3::Y), [0.42, 0.8, 0.25, 1.0]),
    (Way::Along(DVec3::Z), [0.25, 0.5, 0.98, 1.0]),
];

/// Drag an arrow or the middle, or press X, Y or Z and type metres.
#[derive(Clone, Debug, Default)]
pub struct MoveTool {
    held: Option<Held>,
    hovered: Option<Way>,
}

#[derive(Clone, Debug)]
struct Held {
    way: Way,
    /// The chosen joints but those under another chosen one: they go with it.
    joints: Vec<u32>,
    /// Where they all started.
    start: Arc<Pose>,
    /// Where the gizmo stood.
    center: Vec3,
    from: Vec2,
    to: Vec2,
    snaps: bool,
    /// True if no button is held: a click ends it.
    is_modal: bool,
    typed: Option<Typed>,
}

impl Held {
    fn new(way: Way, at: Vec2, is_modal: bool, context: &Context<'_>) -> Option<Self> {
        let active = context.selection.active?;
        let start = Arc::clone(context.pose);
        let center = Frames::of(context, &start).place(active).as_vec3();
        let of_skeleton = context.document.character().skeleton.joints();
        let chosen = &context.selection.joints;
        let is_led = |mut joint: u32| {
            while let Some(parent) = of_skeleton[joint as usize].parent {
                if chosen.contains(&parent) {
                    return true;
                }
                joint = parent;
            }
            false
        };
        let joints = chosen.iter().copied().filter(|&joint| !is_led(joint)).collect();
        let (from, to, snaps, typed) = (at, at, false, None);
        Some(Self { way, joints, start, center, from, to, snaps, is_modal, typed })
    }

    /// In model space.
    fn offset(&self, context: &Context<'_>) -> DVec3 {
        let view = &context.view;
        if let Some(typed) = &self.typed {
            // Without an axis a number means up.
            let way = if let Way::Along(axis) = self.way { axis } else { DVec3::Y };
            return typed.number().unwrap_or(0.0) * way;
        }
        let free = view.on_facing_plane(self.to, self.center)
            - view.on_facing_plane(self.from, self.center);
        let offset = match self.way {
            Way::Free => free.as_dvec3(),
            Way::Along(axis) => {
                axis * f64::from(view.slide(self.center, axis.as_vec3(), self.to - self.from))
            }
        };
        if !self.snaps {
            return offset;
        }
        let step = step_metres(f64::from(context.document.character().bounds().size().y));
        (offset / step).round() * step
    }

    fn edit(&self, context: &Context<'_>) -> Act {
        let offset = self.offset(context);
        let frames = Frames::of(context, &self.start);
        let moved = self
            .joints
            .iter()
            .map(|&joint| (context.document.joint_ref(joint), frames.moved(joint, offset)));
        Act::Replace(vec![PoseEdit::PoseJoints { joints: moved.collect() }.into()])
    }
}

fn step_metres(height: f64) -> f64 {
    let wanted = (height / SNAPS_IN_HEIGHT).max(1e-9);
    let decade = 10f64.powf(wanted.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * decade >= wanted);
    times.unwrap_or(10.0) * decade
}

/// Where the gizmo stands, and how long its arrows are in the model.
fn stand(context: &Context<'_>) -> Option<(Vec3, f32)> {
    let active = context.selection.active?;
    let center = context.palette().model_from_joint().get(active as usize)?.translation.as_vec3();
    let arrow_px = ARROW_PX * context.view.gizmo_scale();
    Some((center, arrow_px / context.view.pixels_per_metre(center).max(f32::EPSILON)))
}

fn way_at(at: Vec2, context: &Context<'_>) -> Option<Way> {
    let (center, length) = stand(context)?;
    let middle = context.view.project(center)?;
    let reach_px = REACH_PX * context.view.gizmo_scale();
    if middle.distance(at) <= reach_px {
        return Some(Way::Free);
    }
    let distance = |way: Way| {
        let Way::Along(axis) = way else { return None };
        let tip = context.view.project(center + length * axis.as_vec3())?;
        Some(distance_to_segment(at, [middle, tip]))
    };
    WAYS.iter()
        .filter_map(|&(way, _)| Some((way, distance(way)?)))
        .filter(|&(_, distance)| distance <= reach_px)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(way, _)| way)
}

impl MoveTool {
    fn key(&mut self, key: Key, context: &Context<'_>) -> Vec<Act> {
        let way = match key {
            Key::Char('x') => Some(Way::Along(DVec3::X)),
            Key::Char('y') => Some(Way::Along(DVec3::Y)),
            Key::Char('z') => Some(Way::Along(DVec3::Z)),
            _ => None,
        };
        if let Some(way) = way {
            let Some(held) = &mut self.held else {
                self.held = Held::new(way, Vec2::ZERO, true, context);
                let Some(held) = &mut self.held else { return Vec::new() };
                held.typed = Some(Typed::default());
                return vec![Act::Begin("Move".into()), Act::Replace(Vec::new())];
            };
            held.way = way;
            return vec![held.edit(context)];
        }
        match key {
            Key::Escape => self.held.take().map(|_| Act::Cancel).into_iter().collect(),
            Key::Enter => self.held.take().map(|_| Act::Commit).into_iter().collect(),
            Key::Char(_) | Key::Backspace => {
                let Some(held) = &mut self.held else { return Vec::new() };
                let is_used = type_into(&mut held.typed, key);
                is_used.then(|| held.edit(context)).into_iter().collect()
            }
        }
    }
}

impl Tool for MoveTool {
    fn name(&self) -> &'static str {
        "Move"
    }

    fn hint(&self) -> String {
        match &self.held {
            None => "Drag an arrow or the middle to move the joint, or press X, Y or Z and type metres".into(),
            Some(Held { typed: Some(typed), .. }) => {
                format!("{typed} m  Enter to keep it, Esc to take it back")
            }
            Some(_) => "X, Y, Z hold to an axis, digits type metres, Ctrl goes in steps. Enter or click to keep it, Esc to take it back".into(),
        }
    }

    fn is_hovered(&self) -> bool {
        self.hovered.is_some()
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                if self.held.take().is_some() {
                    return vec![Act::Commit];
                }
                let taken = way_at(at, context).and_then(|way| Held::new(way, at, false, context));
                if taken.is_none() {
                    return vec![Act::Select(clicked(at, modifiers.shift, context))];
                }
                self.held = taken;
                vec![Act::Begin("Move".into())]
            }
            Event::Grabbed { .. } if self.held.is_some() => Vec::new(),
            Event::Grabbed { at } => {
                self.held = Held::new(Way::Free, at, true, context);
                self.held.iter().map(|_| Act::Begin("Move".into())).collect()
            }
            Event::Moved { at, modifiers: Modifiers { control, .. } } => match &mut self.held {
                Some(held) => {
                    (held.to, held.snaps) = (at, control);
                    vec![held.edit(context)]
                }
                None => {
                    self.hovered = way_at(at, context);
                    Vec::new()
                }
            },
            Event::Released { .. } if self.held.as_ref().is_some_and(|held| !held.is_modal) => {
                self.held = None;
                vec![Act::Commit]
            }
            Event::Released { .. } | Event::Found => Vec::new(),
            Event::Key(key) => self.key(key, context),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut marks = chosen_marks(context);
        let Some((center, length)) = stand(context) else { return marks };
        let scale = context.view.gizmo_scale();
        let held = self.held.as_ref().map(|held| held.way);
        for (way, color) in WAYS {
            if held.is_some_and(|held| held != way) {
                continue;
            }
            let is_strong = held == Some(way) || self.hovered == Some(way);
            let grown = if is_strong { 1.4 * scale } else { scale };
            match way {
                Way::Free => {
                    marks.discs.push(Disc { center, color, radius_px: grown * MIDDLE_PX });
                }
                Way::Along(axis) => {
                    let tip = center + length * axis.as_vec3();
                    let width_px = scale * if is_strong { HELD_WIDTH_PX } else { ARROW_WIDTH_PX };
                    marks.lines.push(Line { ends: [center, tip], color, width_px });
                    marks.discs.push(Disc { center: tip, color, radius_px: grown * TIP_PX });
                }
            }
        }
        marks
    }
}
