//! What the cage tool draws: sides and handles that fade away from the pointer, so that the skin is
//! seen; what is chosen, what goes along, and what a check has found.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Vec2, Vec3};
use sinew_view::scene::{Disc, Line, Marks};

use super::super::Context;
use super::drag::soft_shares;
use super::handles::Handles;

/// Times [`crate::View::gizmo_scale`], as all lengths in pixels here.
const LINE_PX: f32 = 1.3;
const HANDLE_PX: f32 = 3.4;
const CHOSEN_PX: f32 = 5.2;
const HOVER_PX: f32 = 6.5;
/// Up to here from the pointer everything is drawn whole; from there on it fades.
const CLEAR_PX: f32 = 110.0;
const FADED_PX: f32 = 420.0;
/// What is left far from the pointer, of sides and of handles.
const FADED: [f32; 2] = [0.12, 0.22];
/// On the side that looks away it is this much less.
const BEHIND: f32 = 0.3;

/// What goes along on the other side is shown this much as what is chosen.
const IMAGE_SHARE: f64 = 0.6;

const REST_COLOR: [f32; 3] = [0.16, 0.60, 0.30];
const POSED_COLOR: [f32; 3] = [0.05, 0.42, 0.60];
const CHOSEN_COLOR: [f32; 3] = [1.0, 0.45, 0.05];
const HOVER_COLOR: [f32; 3] = [1.0, 0.86, 0.45];
const BAD_COLOR: [f32; 3] = [0.9, 0.02, 0.02];

/// How much of a mark is left at a distance from the pointer.
fn clearness(distance_px: Option<f32>, least: f32) -> f32 {
    // No pointer over the view: half, so that a picture of it shows the cage.
    let Some(distance_px) = distance_px else { return least.max(0.5) };
    let gone = ((distance_px - CLEAR_PX) / (FADED_PX - CLEAR_PX)).clamp(0.0, 1.0);
    // Smooth at both ends.
    let gone = gone * gone * (3.0 - 2.0 * gone);
    1.0 + (least - 1.0) * gone
}

fn mixed(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * share)
}

/// The cage, its handles and what is chosen of them.
pub(super) fn cage_marks(
    handles: &Handles<'_>,
    (chosen, hovered): (&BTreeSet<u32>, Option<u32>),
    pointer: Option<Vec2>,
    context: &Context<'_>,
) -> Marks {
    let (view, scale) = (&context.view, context.view.gizmo_scale());
    let eye = view.camera.eye();
    let normals = handles.cage.normals_at(handles.places);
    let seen: Vec<Option<Vec2>> =
        (0..normals.len() as u32).map(|handle| view.project(handles.place(handle))).collect();
    let faces_eye = |handle: u32| {
        let to_eye = eye - handles.place(handle);
        normals[handle as usize].as_vec3().dot(to_eye) > -0.15 * to_eye.length()
    };
    let from_pointer =
        |at: Vec2| pointer.map(|pointer| at.distance(pointer) / scale.max(f32::EPSILON));
    let bad_points: BTreeSet<u32> = context.cage.bad_points.iter().copied().collect();
    let mut shares: BTreeMap<u32, f64> = match chosen.is_empty() {
        true => BTreeMap::new(),
        false => soft_shares(handles.cage, chosen, context.cage.reach).into_iter().collect(),
    };
    if context.cage.mirrors
        && !shares.is_empty()
        && let Some(mirrored) = handles.cage.mirrored_handles()
    {
        for (handle, share) in shares.clone() {
            let Some(image) = mirrored.images[handle as usize] else { continue };
            let of_image = shares.entry(image).or_default();
            *of_image = of_image.max(IMAGE_SHARE * share);
        }
    }
    let share = |handle: u32| shares.get(&handle).map_or(0.0, |&share| share as f32);
    let plain = if context.cage.at_rest { REST_COLOR } else { POSED_COLOR };
    let mut marks = Marks::default();
    for [a, b] in handles.cage.edges() {
        let (Some(from), Some(to)) = (seen[a as usize], seen[b as usize]) else { continue };
        let is_behind = !faces_eye(a) && !faces_eye(b);
        let of = share(a).min(share(b));
        let near = clearness(from_pointer(from.midpoint(to)), FADED[0]).max(of);
        let opacity = 0.85 * near * if is_behind { BEHIND } else { 1.0 };
        let [r, g, b_] = mixed(plain, CHOSEN_COLOR, of);
        let ends = [handles.place(a), handles.place(b)];
        marks.lines.push(Line { ends, color: [r, g, b_, opacity], width_px: LINE_PX * scale });
    }
    for &face in &context.cage.bad_faces {
        let Some(face) = handles.cage.faces().get(face as usize) else { continue };
        for [a, b] in face.sides() {
            let ends = [handles.place(a), handles.place(b)];
            let [r, g, b] = BAD_COLOR;
            let width_px = 2.5 * LINE_PX * scale;
            marks.lines.push(Line { ends, color: [r, g, b, 1.0], width_px });
        }
    }
    for (handle, at) in (0u32..).zip(&seen) {
        let Some(at) = *at else { continue };
        let center = handles.place(handle);
        let own = share(handle);
        let is_bad = bad_points.contains(&handle);
        let (color, radius_px) = match () {
            () if hovered == Some(handle) => (HOVER_COLOR, HOVER_PX),
            () if is_bad => (BAD_COLOR, CHOSEN_PX),
            () => (mixed(plain, CHOSEN_COLOR, own), HANDLE_PX + (CHOSEN_PX - HANDLE_PX) * own),
        };
        let near = clearness(from_pointer(at), FADED[1]).max(own);
        let near = if is_bad { 1.0 } else { near };
        let opacity = near * if faces_eye(handle) || own > 0.5 { 1.0 } else { BEHIND };
        let [r, g, b] = color;
        marks.discs.push(Disc { center, color: [r, g, b, opacity], radius_px: radius_px * scale });
    }
    marks
}

/// The outline of what is being drawn to choose by.
pub(super) fn outline(corners: &[Vec2], context: &Context<'_>) -> Marks {
    let mut marks = Marks::default();
    let center: Vec3 = context.view.camera.target;
    let place = |at: Vec2| context.view.on_facing_plane(at, center);
    for (index, &to) in corners.iter().enumerate() {
        let from = corners[(index + corners.len() - 1) % corners.len()];
        let ends = [place(from), place(to)];
        marks.lines.push(Line { ends, color: [1.0, 1.0, 1.0, 0.9], width_px: 1.5 });
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_fade_away_from_the_pointer_and_never_wholly() {
        assert_eq!(clearness(Some(0.0), 0.1), 1.0);
        assert_eq!(clearness(Some(CLEAR_PX), 0.1), 1.0);
        assert!(clearness(Some(200.0), 0.1) < 1.0);
        assert!((clearness(Some(1e4), 0.1) - 0.1).abs() < 1e-6);
        assert!(clearness(None, 0.1) >= 0.5);
    }
}
