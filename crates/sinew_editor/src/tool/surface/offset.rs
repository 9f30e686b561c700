//! Offset strokes by hand: knots and lines dragged, drawn anew, or as high as a pen was pressed
//! hard.

use glam::{DVec3, Vec2};
use sinew::sketch::surface::{OffsetKnot, OffsetStroke, StrokeFrame};

use super::super::Context;
use super::place::same_share;
use super::{APART_PX, Over};

/// Knots of an offset stroke that is drawn anew.
const NUM_REDRAWN: usize = 9;

/// An offset stroke as high, place by place, as the pen was pressed hard.
pub(super) fn by_pressure(offset: &OffsetStroke, pressures: &[f32]) -> Option<OffsetStroke> {
    let last = pressures.len().checked_sub(1)?;
    let knot = |index: usize| {
        let share = index as f64 / (NUM_REDRAWN - 1) as f64;
        // The mean of what is around: a hand presses unevenly.
        let around = (share * last as f64).round() as usize;
        let from = around.saturating_sub(last / NUM_REDRAWN);
        let near = &pressures[from..=(around + last / NUM_REDRAWN).min(last)];
        let mean = near.iter().map(|&pressure| f64::from(pressure)).sum::<f64>();
        OffsetKnot { share, by: offset.at(share) * (2.0 * mean / near.len() as f64) }
    };
    Some(OffsetStroke::new((0..NUM_REDRAWN).map(knot)))
}

/// A knot or the line is taken within this. Times [`crate::View::gizmo_scale`].
const REACH_PX: f32 = 11.0;

/// What of an offset stroke is under a pixel.
pub(super) fn over(
    offset: &OffsetStroke,
    frames: &[StrokeFrame],
    at: Vec2,
    context: &Context<'_>,
) -> Option<Over> {
    let reach = REACH_PX * context.view.gizmo_scale();
    let seen = |place: DVec3| context.view.project(place.as_vec3());
    let nearest = (offset.knot_places(frames).into_iter().enumerate())
        .filter_map(|(index, knot)| Some((index, seen(knot)?.distance(at))))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((index, _)) = nearest.filter(|(_, distance)| *distance <= reach) {
        return Some(Over::Knot(index));
    }
    let nearest = nearest_on_line(offset, frames, at, context);
    nearest.filter(|(distance, _)| *distance <= 0.6 * reach).map(|_| Over::Line)
}

/// The share of an offset stroke that is nearest to a pixel.
pub(super) fn share_at(
    offset: &OffsetStroke,
    frames: &[StrokeFrame],
    at: Vec2,
    context: &Context<'_>,
) -> Option<f64> {
    nearest_on_line(offset, frames, at, context).map(|(_, share)| share)
}

/// How far a line is from a pixel, and the share where it is nearest.
fn nearest_on_line(
    offset: &OffsetStroke,
    frames: &[StrokeFrame],
    at: Vec2,
    context: &Context<'_>,
) -> Option<(f32, f64)> {
    let places = offset.places(frames);
    let seen: Vec<Option<Vec2>> =
        places.iter().map(|place| context.view.project(place.as_vec3())).collect();
    let near = |(pair, shares): (&[Option<Vec2>], &[StrokeFrame])| {
        let [a, b] = [pair[0]?, pair[1]?];
        let along = b - a;
        let part = (at - a).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
        let part = part.clamp(0.0, 1.0);
        let share = shares[0].share + f64::from(part) * (shares[1].share - shares[0].share);
        Some(((a + part * along).distance(at), share))
    };
    let pairs = seen.windows(2).zip(frames.windows(2));
    pairs.filter_map(near).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// An offset stroke with a knot under the pointer, or all of it as much higher.
pub(super) fn moved(
    offset: &OffsetStroke,
    over: Over,
    frames: &[StrokeFrame],
    [from, to]: [Vec2; 2],
    context: &Context<'_>,
) -> Option<OffsetStroke> {
    let places = offset.knot_places(frames);
    match over {
        Over::Knot(index) => {
            let (knot, place) = (offset.knots().get(index)?, *places.get(index)?);
            let frame = same_share(frames, knot.share)?;
            let [before, after] =
                [from, to].map(|pixel| context.view.on_facing_plane(pixel, place.as_vec3()));
            let by = frame.from_model((after - before).as_dvec3());
            Some(offset.clone().with_knot(index, knot.by + by))
        }
        Over::Line => {
            let nearest = places.iter().min_by(|a, b| {
                let distance = |place: &DVec3| {
                    let seen = context.view.project(place.as_vec3());
                    seen.map_or(f32::INFINITY, |seen| seen.distance(from))
                };
                distance(a).total_cmp(&distance(b))
            })?;
            let index = places.iter().position(|place| place == nearest)?;
            let frame = same_share(frames, offset.knots()[index].share)?;
            let normal = frame.normal.as_vec3();
            let slid = context.view.slide(nearest.as_vec3(), normal, to - from);
            let higher = |knot: &OffsetKnot| OffsetKnot {
                by: knot.by + DVec3::Y * f64::from(slid),
                ..*knot
            };
            Some(OffsetStroke::new(offset.knots().iter().map(higher)))
        }
    }
}

/// An offset stroke along a line of the picture, as deep in it as it was.
pub(super) fn drawn_anew(
    offset: &OffsetStroke,
    frames: &[StrokeFrame],
    line: &[Vec2],
    context: &Context<'_>,
) -> Option<OffsetStroke> {
    let place_at = |share: f64| {
        let frame = same_share(frames, share)?;
        Some((frame, frame.place + frame.to_model(offset.at(share))))
    };
    let seen = |share: f64| context.view.project(place_at(share)?.1.as_vec3());
    let (start, end, first) = (seen(0.0)?, seen(1.0)?, *line.first()?);
    let backwards = first.distance(end) < first.distance(start);
    let mut lengths = vec![0.0f32];
    for pair in line.windows(2) {
        lengths.push(lengths.last().copied().unwrap_or(0.0) + pair[0].distance(pair[1]));
    }
    let total = *lengths.last()?;
    if total < APART_PX {
        return None;
    }
    let pixel_at = |share: f32| {
        let wanted = share * total;
        let after = lengths.partition_point(|&length| length < wanted).clamp(1, line.len() - 1);
        let [a, b] = [lengths[after - 1], lengths[after]];
        line[after - 1].lerp(line[after], ((wanted - a) / (b - a).max(f32::EPSILON)).min(1.0))
    };
    let knot = |index: usize| {
        let share = index as f64 / (NUM_REDRAWN - 1) as f64;
        let along = if backwards { 1.0 - share } else { share };
        let (frame, place) = place_at(share)?;
        let to = context.view.on_facing_plane(pixel_at(along as f32), place.as_vec3());
        Some(OffsetKnot { share, by: frame.from_model(to.as_dvec3() - frame.place) })
    };
    Some(OffsetStroke::new((0..NUM_REDRAWN).filter_map(knot)))
}
