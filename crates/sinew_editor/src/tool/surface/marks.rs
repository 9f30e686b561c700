//! What the surface tool draws: the stroke, where it goes, its knots, handles and region.

use glam::{DVec3, Vec3};
use sinew::sketch::surface::{Sheet, StrokeFrame};
use sinew::springs::Region;
use sinew_view::scene::{Disc, Line, Marks};

use super::super::Context;
use crate::surface::{Drawn, SurfaceDrawing};

/// As in the paper: the stroke red, where it goes blue, handles green, what follows red.
const STROKE_COLOR: [f32; 4] = [0.95, 0.25, 0.2, 1.0];
const OFFSET_COLOR: [f32; 4] = [0.2, 0.5, 1.0, 1.0];
const KNOT_COLOR: [f32; 4] = [0.35, 0.65, 1.0, 1.0];
const TAKEN_COLOR: [f32; 4] = [1.0, 0.93, 0.5, 1.0];
const HANDLE_COLOR: [f32; 4] = [0.2, 0.85, 0.3, 1.0];
const PASSIVE_COLOR: [f32; 4] = [0.95, 0.35, 0.3, 0.6];
const GHOST_COLOR: [f32; 4] = [0.35, 0.35, 0.4, 0.45];
const BOUNDARY_COLOR: [f32; 4] = [0.55, 0.6, 0.75, 0.9];
/// Times [`crate::View::gizmo_scale`], as all lengths in pixels here.
const LINE_PX: f32 = 2.5;
const GHOST_PX: f32 = 1.0;
const KNOT_PX: f32 = 6.0;
const HANDLE_PX: f32 = 3.0;
const POINT_PX: f32 = 1.6;
/// Of the way from one point to the next.
const DOT_SHARE: f32 = 0.22;
/// More points of a region than this are a carpet: only handles and boundary are shown.
const MOST_POINTS: usize = 1500;

/// A line through places.
pub(super) fn line(places: &[Vec3], color: [f32; 4], scale: f32) -> Vec<Line> {
    let segment = |pair: &[Vec3]| {
        let ends = [pair[0], pair[1]];
        (ends[0] != ends[1]).then_some(Line { ends, color, width_px: LINE_PX * scale })
    };
    places.windows(2).filter_map(segment).collect()
}

/// How far neighbours are apart in the picture, at the first handle.
fn spacing_px(sheet: &Sheet<'_>, handles: &[u32], context: &Context<'_>) -> f32 {
    let Some(&first) = handles.first() else { return f32::INFINITY };
    let place = sheet.points[first as usize];
    let ring = sheet.adjacency.ring(first as usize);
    let sum: f32 = ring.iter().map(|&next| sheet.points[next as usize].distance(place)).sum();
    sum / ring.len().max(1) as f32 * context.view.pixels_per_metre(place)
}

/// The skin as it was, where it is elsewhere now: its edges within the region.
pub(super) fn ghost(
    region: &Region,
    before: &[Vec3],
    sheet: &Sheet<'_>,
    context: &Context<'_>,
) -> Marks {
    let mut marks = Marks::default();
    if before.len() != sheet.points.len() {
        return marks;
    }
    let inside = region.handles().iter().chain(match region.passive().len() {
        0..=MOST_POINTS => region.passive(),
        _ => &[],
    });
    let width_px = GHOST_PX * context.view.gizmo_scale();
    for &point in inside {
        let was = before[point as usize];
        for &next in sheet.adjacency.ring(point as usize) {
            // Each edge once: of two points that move the one that comes first draws it.
            let is_own = point < next || !region.is_free(next);
            let moved =
                [point, next].iter().any(|&at| before[at as usize] != sheet.points[at as usize]);
            if is_own && moved {
                let ends = [was, before[next as usize]];
                marks.lines.push(Line { ends, color: GHOST_COLOR, width_px });
            }
        }
    }
    marks
}

/// What is drawn of an edit.
pub(super) struct Shown<'a> {
    pub(super) drawing: &'a SurfaceDrawing,
    pub(super) drawn: &'a Drawn,
    /// The stroke's on the skin as it would stand without the edit.
    pub(super) frames: &'a [StrokeFrame],
    /// The knot in the hand.
    pub(super) taken: Option<usize>,
}

/// The marks of an edit on the posed skin.
pub(super) fn of(shown: &Shown<'_>, sheet: &Sheet<'_>, context: &Context<'_>) -> Marks {
    let Shown { drawing, drawn, frames, taken } = *shown;
    let mut marks = Marks::default();
    let scale = context.view.gizmo_scale();
    let region = &drawn.region;
    // From far away dots would be a carpet.
    let most_px = DOT_SHARE * spacing_px(sheet, region.handles(), context);
    let mut dots = |points: &[u32], color: [f32; 4], radius_px: f32| {
        let disc = |&point: &u32| {
            let center = *sheet.points.get(point as usize)?;
            Some(Disc { center, color, radius_px: (radius_px * scale).min(most_px) })
        };
        marks.discs.extend(points.iter().filter_map(disc));
    };
    if region.passive().len() <= MOST_POINTS {
        dots(region.passive(), PASSIVE_COLOR, POINT_PX);
    }
    dots(region.boundary(), BOUNDARY_COLOR, POINT_PX);
    dots(region.handles(), HANDLE_COLOR, HANDLE_PX);
    let narrow =
        |places: Vec<DVec3>| -> Vec<Vec3> { places.iter().map(|place| place.as_vec3()).collect() };
    let under = narrow(frames.iter().map(|frame| frame.place).collect());
    marks.lines.extend(line(&under, STROKE_COLOR, scale));
    marks.lines.extend(line(&narrow(drawing.offset.places(frames)), OFFSET_COLOR, scale));
    for (index, center) in narrow(drawing.offset.knot_places(frames)).into_iter().enumerate() {
        let color = if taken == Some(index) { TAKEN_COLOR } else { KNOT_COLOR };
        marks.discs.push(Disc { center, color, radius_px: KNOT_PX * scale });
    }
    marks
}
