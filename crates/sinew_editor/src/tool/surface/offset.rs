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
