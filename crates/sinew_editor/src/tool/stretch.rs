//! Stretching bones: pull a bone's end along it, or type how many times its length.

use glam::{Vec2, Vec3};
use sinew::skeleton::JointPose;
use sinew_view::scene::{Disc, Line, Marks};

use super::select::{chosen_marks, clicked};
use super::typed::{Typed, type_into};
use super::{Act, Context, Event, Key, Tool};
use crate::edit::PoseEdit;
use crate::view::View;

const HANDLE_COLOR: [f32; 4] = [0.98, 0.55, 0.95, 1.0];
/// Times [`crate::View::gizmo_scale`], as all lengths in pixels here.
const HANDLE_PX: f32 = 8.0;
const LINE_PX: f32 = 3.0;
/// A click this near to the handle means it.
const REACH_PX: f32 = 12.0;
/// Neither nothing nor out of sight.
const FACTORS: std::ops::RangeInclusive<f64> = 0.05..=20.0;
/// What is left of a bone after any number of times.
const STRETCHES: std::ops::RangeInclusive<f64> = 1e-3..=1e3;
/// With Control, a drag goes in steps of this share of the length.
const SNAP: f64 = 0.05;

/// Drag the end of a bone, or type a factor.
#[derive(Clone, Debug, Default)]
pub struct StretchTool {
    held: Option<Held>,
    is_hovered: bool,
}

#[derive(Clone, Debug)]
struct Held {
    starts: Vec<(u32, JointPose)>,
    /// The bone that is pulled, in the model.
    bone: [Vec3; 2],
    from: Vec2,
    to: Vec2,
    snaps: bool,
    is_modal: bool,
    typed: Option<Typed>,
    /// For the hint, which sees no view.
    shown_factor: f64,
}

impl Held {
    fn new(at: Vec2, is_modal: bool, context: &Context<'_>) -> Option<Self> {
        let bone = active_bone(context)?;
        let pose = context.pose;
        let starts = context.selection.joints.iter().map(|&j| (j, pose.joints[j as usize]));
        let starts = starts.collect();
        Some(Self {
            starts,
            bone,
            from: at,
            to: at,
            snaps: false,
            is_modal,
            typed: None,
            shown_factor: 1.0,
        })
    }

    fn factor(&self, view: &View) -> f64 {
        if let Some(typed) = &self.typed {
            return typed.number().filter(|factor| *factor > 0.0).unwrap_or(1.0);
        }
        let [head, tail] = self.bone;
        // Away from the joint, wherever the pointer took hold of it: its distance is the length.
        let arm = view.project(head).map_or(Vec2::ZERO, |head| self.from - head);
        let moved_px = self.to - self.from;
        let more = if self.is_modal && arm.length() > HANDLE_PX * view.gizmo_scale() {
            moved_px.dot(arm) / arm.length_squared()
        } else {
            view.slide(tail, tail - head, moved_px)
        };
        let factor = 1.0 + f64::from(more);
        let factor = if self.snaps { (factor / SNAP).round() * SNAP } else { factor };
        factor.clamp(*FACTORS.start(), *FACTORS.end())
    }

    fn edit(&self, context: &Context<'_>) -> Act {
        let factor = self.factor(&context.view);
        let stretched = self.starts.iter().map(|&(joint, start)| {
            // A bone that was beyond all bounds before is not brought back by a touch.
            let bounds = STRETCHES.start().min(start.stretch)..=STRETCHES.end().max(start.stretch);
            let stretch = (start.stretch * factor).clamp(*bounds.start(), *bounds.end());
            (context.document.joint_ref(joint), JointPose { stretch, ..start })
        });
        Act::Replace(vec![PoseEdit::PoseJoints { joints: stretched.collect() }.into()])
    }
}

fn active_bone(context: &Context<'_>) -> Option<[Vec3; 2]> {
    let active = context.selection.active?;
    Some(context.bone_ends(&context.palette(), active))
}

fn is_on_handle(at: Vec2, context: &Context<'_>) -> bool {
    active_bone(context)
        .and_then(|[_, tail]| context.view.project(tail))
        .is_some_and(|tail| tail.distance(at) <= REACH_PX * context.view.gizmo_scale())
}

impl Tool for StretchTool {
    fn name(&self) -> &'static str {
        "Stretch"
    }

    fn hint(&self) -> String {
        match &self.held {
            None => {
                "Drag the end of the bone to stretch it, or type how many times its length".into()
            }
            Some(held) => {
                let words = held.typed.as_ref().map_or_else(
                    || format!("{:.2} × its length", held.shown_factor),
                    |typed| format!("{typed} × its length"),
                );
                format!("{words}  Enter to keep it, Esc to take it back, Ctrl to go in steps")
            }
        }
    }

    fn is_hovered(&self) -> bool {
        self.is_hovered
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                if self.held.take().is_some() {
                    return vec![Act::Commit];
                }
                if is_on_handle(at, context) {
                    self.held = Held::new(at, false, context);
                }
                match self.held {
                    Some(_) => vec![Act::Begin("Stretch".into())],
                    None => vec![Act::Select(clicked(at, modifiers.shift, context))],
                }
            }
            Event::Grabbed { .. } if self.held.is_some() => Vec::new(),
            Event::Grabbed { at } => {
                self.held = Held::new(at, true, context);
                self.held.iter().map(|_| Act::Begin("Stretch".into())).collect()
            }
            Event::Moved { at, modifiers } => match &mut self.held {
                Some(held) => {
                    (held.to, held.snaps) = (at, modifiers.control);
                    held.shown_factor = held.factor(&context.view);
                    vec![held.edit(context)]
                }
                None => {
                    self.is_hovered = is_on_handle(at, context);
                    Vec::new()
                }
            },
            Event::Released { .. } if self.held.as_ref().is_some_and(|held| !held.is_modal) => {
                self.held = None;
                vec![Act::Commit]
            }
            Event::Released { .. } | Event::Found => Vec::new(),
            Event::Key(Key::Escape) => self.held.take().map(|_| Act::Cancel).into_iter().collect(),
            Event::Key(Key::Enter) => self.held.take().map(|_| Act::Commit).into_iter().collect(),
            Event::Key(key) => {
                let mut begun = Vec::new();
                if self.held.is_none() && matches!(key, Key::Char('0'..='9' | '.')) {
                    self.held = Held::new(Vec2::ZERO, true, context);
                    begun.extend(self.held.iter().map(|_| Act::Begin("Stretch".into())));
                }
                let Some(held) = &mut self.held else { return Vec::new() };
                if !type_into(&mut held.typed, key) {
                    return Vec::new();
                }
                begun.push(held.edit(context));
                begun
            }
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut marks = chosen_marks(context);
        let Some([head, tail]) = active_bone(context) else { return marks };
        let is_strong = self.held.is_some() || self.is_hovered;
        let scale = context.view.gizmo_scale();
        let radius_px = scale * if is_strong { 1.4 * HANDLE_PX } else { HANDLE_PX };
        marks.lines.push(Line {
            ends: [head, tail],
            color: HANDLE_COLOR,
            width_px: scale * LINE_PX,
        });
        marks.discs.push(Disc { center: tail, color: HANDLE_COLOR, radius_px });
        marks
    }
}
