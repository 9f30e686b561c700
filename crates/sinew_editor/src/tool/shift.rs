//! Moving joints: arrows along the model's axes, a disc for any way across the view, or a number typed in.

use std::collections::BTreeSet;

use glam::{DVec3, Vec2, Vec3};
use sinew::skeleton::{JointPose, Palette};
use sinew_view::scene::{Disc, Line, Marks};

use super::select::{chosen_marks, clicked};
use super::typed::Typed;
use super::{Act, Context, Event, Key, Modifiers, Tool};
use crate::edit::Edit;
use crate::view::distance_to_segment;

/// Arrows are as long on the screen whatever the camera does.
const ARROW_PX: f32 = 80.0;
const ARROW_WIDTH_PX: f32 = 3.0;
const HELD_WIDTH_PX: f32 = 5.0;
const TIP_PX: f32 = 6.5;
const MIDDLE_PX: f32 = 7.0;
/// A click this near to an arrow, or to the middle, means it.
const REACH_PX: f32 = 9.0;
/// With Control, a drag goes in steps of a hundredth of the character's height, rounded to 1, 2 or 5.
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
    /// Where each joint started, and its parent's frame: a chosen joint under another chosen one goes with it.
    starts: Vec<(u32, JointPose, glam::DMat3)>,
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
        let palette = context.palette();
        let active = context.selection.active?;
        let center = palette.model_from_joint().get(active as usize)?.translation.as_vec3();
        let joints = context.document.character().skeleton.joints();
        let chosen: &BTreeSet<u32> = &context.selection.joints;
        let is_led = |mut joint: u32| {
            while let Some(parent) = joints[joint as usize].parent {
                if chosen.contains(&parent) {
                    return true;
                }
                joint = parent;
            }
            false
        };
        let start = |&joint: &u32| {
            let parent = joints[joint as usize].parent;
            let model_from_parent =
                parent.map_or(glam::DMat3::IDENTITY, |p| model_from_joint(&palette, p));
            (joint, context.document.pose().joints[joint as usize], model_from_parent)
        };
        let starts = chosen.iter().filter(|&&joint| !is_led(joint)).map(start).collect();
        Some(Self { way, starts, center, from: at, to: at, snaps: false, is_modal, typed: None })
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
            Way::Along(axis) => axis * self.along(axis, context),
        };
        if !self.snaps {
            return offset;
        }
        let step = step_metres(f64::from(context.document.character().bounds().size().y));
        (offset / step).round() * step
    }

    /// Metres along an axis that bring its picture nearest to the pointer.
    fn along(&self, axis: DVec3, context: &Context<'_>) -> f64 {
        let view = &context.view;
        let metre = 10.0 / view.pixels_per_metre(self.center).max(f32::EPSILON);
        let ends = [self.center, self.center + metre * axis.as_vec3()].map(|p| view.project(p));
        let [Some(start), Some(ahead)] = ends else { return 0.0 };
        let direction = ahead - start;
        // An axis that points at the eye cannot be pulled along.
        let length_squared = direction.length_squared().max(1.0);
        f64::from(metre * (self.to - self.from).dot(direction) / length_squared)
    }

    fn edit(&self, context: &Context<'_>) -> Act {
        let offset = self.offset(context);
        let moved = self.starts.iter().map(|&(joint, start, model_from_parent)| {
            let translation = start.translation + model_from_parent.inverse() * offset;
            (context.document.joint_ref(joint), JointPose { translation, ..start })
        });
        Act::Replace(vec![Edit::PoseJoints { joints: moved.collect() }])
    }
}

fn model_from_joint(palette: &Palette, joint: u32) -> glam::DMat3 {
    palette.model_from_joint()[joint as usize].matrix3
}

fn step_metres(height: f64) -> f64 {
    let wanted = (height / SNAPS_IN_HEIGHT).max(1e-9);
    let decade = 10f64.powf(wanted.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * decade >= wanted);
    times.unwrap_or(10.0) * decade
}

/// Where the gizmo stands, and a metre's worth of its arrows.
fn stand(context: &Context<'_>) -> Option<(Vec3, f32)> {
    let active = context.selection.active?;
    let center = context.palette().model_from_joint().get(active as usize)?.translation.as_vec3();
    Some((center, ARROW_PX / context.view.pixels_per_metre(center).max(f32::EPSILON)))
}

fn way_at(at: Vec2, context: &Context<'_>) -> Option<Way> {
    let (center, length) = stand(context)?;
    let middle = context.view.project(center)?;
    if middle.distance(at) <= REACH_PX {
        return Some(Way::Free);
    }
    let distance = |way: Way| {
        let Way::Along(axis) = way else { return None };
        let tip = context.view.project(center + length * axis.as_vec3())?;
        Some(distance_to_segment(at, [middle, tip]))
    };
    WAYS.iter()
        .filter_map(|&(way, _)| Some((way, distance(way)?)))
        .filter(|&(_, distance)| distance <= REACH_PX)
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
                if !held.typed.get_or_insert_default().take(key) {
                    return Vec::new();
                }
            }
        }
        vec![held.edit(context)]
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
            Event::Released { .. } => Vec::new(),
            Event::Key(key) => self.key(key, context),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut marks = chosen_marks(context);
        let Some((center, length)) = stand(context) else { return marks };
        let held = self.held.as_ref().map(|held| held.way);
        for (way, color) in WAYS {
            if held.is_some_and(|held| held != way) {
                continue;
            }
            let is_strong = held == Some(way) || self.hovered == Some(way);
            let grown = if is_strong { 1.4 } else { 1.0 };
            match way {
                Way::Free => {
                    marks.discs.push(Disc { center, color, radius_px: grown * MIDDLE_PX });
                }
                Way::Along(axis) => {
                    let tip = center + length * axis.as_vec3();
                    let width_px = if is_strong { HELD_WIDTH_PX } else { ARROW_WIDTH_PX };
                    marks.lines.push(Line { ends: [center, tip], color, width_px });
                    marks.discs.push(Disc { center: tip, color, radius_px: grown * TIP_PX });
                }
            }
        }
        marks
    }
}
