//! Choosing joints by their bones, and points of the skin: by a click, a box or a lasso.

use glam::Vec2;
use sinew_view::scene::{Disc, Line, Marks};

use super::region::{Region, point_at, points_in};
use super::{Act, Context, Event, Hit, Key, Modifiers, Picks, Tool};
use crate::selection::Selection;
use crate::view::{distance_to_segment, share_along_segment};

/// A click this near to a bone means it. Times [`crate::View::gizmo_scale`], as all lengths in
/// pixels here.
const REACH_PX: f32 = 14.0;
/// Bones whose distances from the pointer differ by less lie over each other in the picture.
const OVER_PX: f32 = 2.5;
/// A bone that is nearer to the eye by more than this share is before another; those of one chain
/// are not.
const BEFORE_SHARE: f32 = 0.03;
const CHOSEN_COLOR: [f32; 4] = [1.0, 0.62, 0.1, 1.0];
const CHOSEN_WIDTH_PX: f32 = 4.0;
const POINT_RADIUS_PX: f32 = 3.0;
const REGION_COLOR: [f32; 4] = [1.0, 1.0, 1.0, 0.9];
/// A drag shorter than this is a click.
const CLICK_PX: f32 = 3.0;

/// Click a bone to choose its joint, or a point of the skin, with Shift to add or remove it; drag
/// for all in a box or a lasso.
#[derive(Clone, Debug, Default)]
pub struct SelectTool {
    held: Option<Held>,
}

#[derive(Clone, Debug)]
struct Held {
    /// Where the pointer went.
    way: Vec<Vec2>,
    modifiers: Modifiers,
    /// Let go; what lies in it is being found out.
    is_over: bool,
}

/// A bone that a click could mean.
struct Near {
    joint: u32,
    /// From the pointer.
    distance_px: f32,
    /// From the eye to where the bone is nearest to the pointer, in metres.
    depth: f32,
}

/// The joint that a click means, if a bone is near.
///
/// Bones are seen through the skin, so that every one can be taken: the nearest in the picture.
/// Where two lie over each other there, as the legs do from the side, the one before the other is
/// meant.
pub(crate) fn joint_at(at: Vec2, context: &Context<'_>) -> Option<u32> {
    let palette = context.palette();
    let scale = context.view.gizmo_scale();
    let eye = context.view.camera.eye();
    let near = |joint: u32| -> Option<Near> {
        let [head, tail] = context.bone_ends(&palette, joint);
        let seen = [context.view.project(head)?, context.view.project(tail)?];
        let depth = head.lerp(tail, share_along_segment(at, seen)).distance(eye);
        let distance_px = distance_to_segment(at, seen);
        (distance_px <= REACH_PX * scale).then_some(Near { joint, distance_px, depth })
    };
    let found: Vec<Near> = context.shown_joints().filter_map(near).collect();
    let nearest = found.iter().min_by(|a, b| a.distance_px.total_cmp(&b.distance_px))?;
    let is_over = |other: &&Near| {
        other.distance_px <= nearest.distance_px + OVER_PX * scale
            && other.depth < nearest.depth * (1.0 - BEFORE_SHARE)
    };
    let before =
        found.iter().filter(is_over).min_by(|a, b| a.distance_px.total_cmp(&b.distance_px));
    Some(before.unwrap_or(nearest).joint)
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

/// What is chosen, drawn strong.
pub(super) fn chosen_marks(context: &Context<'_>) -> Marks {
    let palette = context.palette();
    let scale = context.view.gizmo_scale();
    let mut marks = Marks::default();
    marks.lines.extend(context.selection.joints.iter().map(|&joint| Line {
        ends: context.bone_ends(&palette, joint),
        color: CHOSEN_COLOR,
        width_px: CHOSEN_WIDTH_PX * scale,
    }));
    let Some(frame) = context.frame else { return marks };
    for (&part, points) in &context.selection.points {
        let Some(posed) = frame.parts().get(part) else { continue };
        let places = points.iter().filter_map(|&point| posed.points().get(point as usize));
        marks.discs.extend(places.map(|&center| Disc {
            center,
            color: CHOSEN_COLOR,
            radius_px: POINT_RADIUS_PX * scale,
        }));
    }
    marks
}

impl Held {
    fn last(&self) -> Vec2 {
        self.way.last().copied().unwrap_or_default()
    }

    fn is_click(&self) -> bool {
        self.way.iter().all(|at| at.distance(self.way[0]) <= CLICK_PX)
    }

    fn region(&self, context: &Context<'_>) -> Region {
        match context.picking.by_lasso {
            true => Region::Lasso(self.way.clone()),
            false => Region::Box(self.way[0], self.last()),
        }
    }

    /// What it chooses; `None` while that is being found out.
    fn choice(&self, context: &Context<'_>) -> Option<Selection> {
        let Modifiers { shift, control } = self.modifiers;
        let mut selection = match shift || control {
            true => context.selection.clone(),
            false => Selection::default(),
        };
        match (context.picking.picks, self.is_click()) {
            (Picks::Joints, true) => return Some(clicked(self.way[0], shift, context)),
            (Picks::Joints, false) => {
                let region = self.region(context);
                for joint in joints_in(&region, context) {
                    if control {
                        selection.joints.remove(&joint);
                    } else {
                        selection.joints.insert(joint);
                    }
                }
                let kept = selection.active.filter(|joint| selection.joints.contains(joint));
                selection.active = kept.or_else(|| selection.joints.last().copied());
            }
            (Picks::Points, true) => {
                if let Some((part, point)) = point_at(self.way[0], context)? {
                    selection.toggle_point(part, point);
                }
            }
            (Picks::Points, false) => {
                let points = points_in(&self.region(context), context)?;
                if control {
                    selection.remove_points(points);
                } else {
                    selection.add_points(points);
                }
            }
        }
        Some(selection)
    }
}

/// Joints whose bones' middles lie in a region.
fn joints_in(region: &Region, context: &Context<'_>) -> Vec<u32> {
    let palette = context.palette();
    let is_inside = |joint: &u32| {
        let [head, tail] = context.bone_ends(&palette, *joint);
        context.view.project(head.midpoint(tail)).is_some_and(|at| region.contains(at))
    };
    context.shown_joints().filter(is_inside).collect()
}

impl SelectTool {
    /// Chooses what lies in what was drawn, if that is known.
    fn finish(&mut self, context: &Context<'_>) -> Vec<Act> {
        let Some(held) = self.held.as_mut() else { return Vec::new() };
        held.is_over = true;
        let Some(selection) = held.choice(context) else { return Vec::new() };
        self.held = None;
        vec![Act::Select(selection)]
    }
}

impl Tool for SelectTool {
    fn name(&self) -> &'static str {
        "Select"
    }

    fn hint(&self) -> String {
        "Click to choose a bone or a point, drag for all in a box or a lasso; Shift adds, Ctrl takes out".into()
    }

    fn has_pointer(&self) -> bool {
        self.held.as_ref().is_some_and(|held| !held.is_over)
    }

    fn is_waiting(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.is_over)
    }

    fn under(&self, at: Vec2, context: &Context<'_>) -> Option<Hit> {
        match context.picking.picks {
            Picks::Joints => joint_at(at, context).map(Hit::Joint),
            Picks::Points => point_at(at, context)?.map(|(part, point)| Hit::Point { part, point }),
        }
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                let is_bone =
                    context.picking.picks == Picks::Joints && joint_at(at, context).is_some();
                if is_bone {
                    return vec![Act::Select(clicked(at, modifiers.shift, context))];
                }
                self.held = Some(Held { way: vec![at], modifiers, is_over: false });
                Vec::new()
            }
            Event::Moved { at, .. } => {
                if let Some(held) = self.held.as_mut().filter(|held| !held.is_over) {
                    held.way.push(at);
                }
                Vec::new()
            }
            Event::Released { .. } | Event::Found if self.held.is_some() => self.finish(context),
            Event::Key(Key::Escape) => {
                self.held = None;
                Vec::new()
            }
            Event::Grabbed { .. } | Event::Released { .. } | Event::Found | Event::Key(_) => {
                Vec::new()
            }
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut marks = chosen_marks(context);
        let Some(held) = self.held.as_ref().filter(|held| !held.is_click()) else { return marks };
        let corners = match held.region(context) {
            Region::Lasso(line) => line,
            Region::Box(a, b) => vec![a, Vec2::new(b.x, a.y), b, Vec2::new(a.x, b.y)],
        };
        let center = context.view.camera.target;
        let place = |at: Vec2| context.view.on_facing_plane(at, center);
        for (index, &to) in corners.iter().enumerate() {
            let from = corners[(index + corners.len() - 1) % corners.len()];
            let ends = [place(from), place(to)];
            marks.lines.push(Line { ends, color: REGION_COLOR, width_px: 1.5 });
        }
        marks
    }
}
