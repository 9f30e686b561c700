//! Choosing joints by their bones.

use glam::Vec2;
use sinew_view::scene::{Line, Marks};

use super::{Act, Context, Event, Tool};
use crate::selection::Selection;
use crate::view::distance_to_segment;

/// A click this near to a bone means it. Times [`crate::View::gizmo_scale`], as all lengths in pixels here.
const REACH_PX: f32 = 14.0;
const CHOSEN_COLOR: [f32; 4] = [1.0, 0.62, 0.1, 1.0];
const CHOSEN_WIDTH_PX: f32 = 4.0;

/// Click a bone to choose its joint, with Shift to add or remove it, beside all bones to choose none.
#[derive(Clone, Copy, Debug, Default)]
pub struct SelectTool;

/// The joint whose bone is nearest to a pixel, if one is near.
pub(crate) fn joint_at(at: Vec2, context: &Context<'_>) -> Option<u32> {
    let palette = context.palette();
    let reach_px = REACH_PX * context.view.gizmo_scale();
    let distance = |joint: u32| -> Option<f32> {
        let [head, tail] = context.bone_ends(&palette, joint);
        let seen = [context.view.project(head)?, context.view.project(tail)?];
        Some(distance_to_segment(at, seen))
    };
    (0..palette.len() as u32)
        .filter_map(|joint| Some((joint, distance(joint)?)))
        .filter(|&(_, distance)| distance <= reach_px)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(joint, _)| joint)
}

/// What a click chooses.
pub(super) fn clicked(at: Vec2, adds: bool, context: &Context<'_>) -> Selection {
    match (joint_at(at, context), adds) {
        (Some(joint), false) => Selection::of(joint),
        (Some(joint), true) => {
            let mut selection = context.selection.clone();
            selection.toggle(joint);
            selection
        }
        (None, true) => context.selection.clone(),
        (None, false) => Selection::default(),
    }
}

/// The chosen bones, drawn strong.
pub(super) fn chosen_marks(context: &Context<'_>) -> Marks {
    let palette = context.palette();
    let mut marks = Marks::default();
    marks.lines.extend(context.selection.joints.iter().map(|&joint| Line {
        ends: context.bone_ends(&palette, joint),
        color: CHOSEN_COLOR,
        width_px: CHOSEN_WIDTH_PX * context.view.gizmo_scale(),
    }));
    marks
}

impl Tool for SelectTool {
    fn name(&self) -> &'static str {
        "Select"
    }

    fn hint(&self) -> String {
        "Click a bone to choose it, Shift+click to choose several".into()
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                vec![Act::Select(clicked(at, modifiers.shift, context))]
            }
            Event::Moved { .. }
            | Event::Grabbed { .. }
            | Event::Released { .. }
            | Event::Key(_) => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        chosen_marks(context)
    }
}
