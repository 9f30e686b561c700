//! Shapes of a motion on another character: those that are called the same move alike.

use crate::Character;
use crate::motion::{Clip, Curve, Interpolation, ShapeTrack};

/// Splines are written as straight lines between so many keys a second.
const KEYS_PER_SECOND: f64 = 60.0;

/// Shape tracks of another character's clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarriedShapes {
    /// Of the character: one a part that has a shape with a partner.
    pub tracks: Vec<ShapeTrack>,
    /// Names of the motion's shapes that move and have no partner.
    pub lost: Vec<String>,
}

/// A track of the source, and which of its shapes.
#[derive(Clone, Copy)]
struct Partner<'a> {
    track: &'a ShapeTrack,
    shape: usize,
}

/// What a clip of `source` does to shapes, for those of `target` that are called the same; upper and
/// lower case count as one where nothing is called exactly so.
pub fn carry_shapes(source: &Character, clip: &Clip, target: &Character) -> CarriedShapes {
    let mut known: Vec<(&str, Partner<'_>)> = Vec::new();
    for track in &clip.shape_tracks {
        let Some(part) = source.parts.get(track.part as usize) else { continue };
        for (shape, of) in part.shapes.iter().enumerate().take(track.num_shapes) {
            // A later track of a part takes the place of one before it.
            known.retain(|(name, partner)| {
                *name != of.name || partner.track.part != track.part || partner.shape != shape
            });
            known.push((&of.name, Partner { track, shape }));
        }
    }
    let find = |name: &str| {
        let exact = known.iter().find(|(known, _)| *known == name);
        exact.or_else(|| known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)))
    };
    let mut carried = CarriedShapes::default();
    let mut met: Vec<&str> = Vec::new();
    for (part, of) in (0..).zip(&target.parts) {
        let partners: Vec<_> = of.shapes.iter().map(|shape| find(&shape.name)).collect();
        if partners.iter().all(Option::is_none) {
            continue;
        }
        met.extend(partners.iter().flatten().map(|(name, _)| *name));
        let partners: Vec<_> = partners.iter().map(|found| found.map(|(_, of)| of)).collect();
        let weights = woven(&partners, &of.rest_shape_weights());
        let num_shapes = of.shapes.len();
        carried.tracks.push(ShapeTrack { part, num_shapes, weights });
    }
    for (name, partner) in &known {
        let is_listed = carried.lost.iter().any(|lost| lost == name);
        if !met.contains(name) && moves(partner) && !is_listed {
            carried.lost.push((*name).to_owned());
        }
    }
    carried
}

fn moves(partner: &Partner<'_>) -> bool {
    let keys = partner.track.weights.values.chunks(partner.track.num_shapes.max(1));
    let mut values = keys.filter_map(|key| key.get(partner.shape));
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// One curve of all shapes of a part: at the keys of every track that one of them is from.
fn woven(partners: &[Option<&Partner<'_>>], rest: &[f32]) -> Curve<f32> {
    let tracks = || partners.iter().flatten().map(|partner| &partner.track.weights);
    let mut times: Vec<f64> = Vec::new();
    for curve in tracks() {
        times.extend_from_slice(&curve.times_seconds);
        let is_spline = matches!(curve.interpolation, Interpolation::Cubic(_));
        if let (true, [first, .., last]) = (is_spline, &curve.times_seconds[..]) {
            let num_steps = ((last - first) * KEYS_PER_SECOND).ceil().clamp(1.0, 1e6) as usize;
            let step = (last - first) / num_steps as f64;
            times.extend((1..num_steps).map(|at| first + step * at as f64));
        }
    }
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| *a - *b < 1e-6);
    let mut values = Vec::with_capacity(times.len() * partners.len());
    for &seconds in &times {
        values.extend(partners.iter().zip(rest).map(|(partner, rest)| {
            let Some(Partner { track, shape }) = partner else { return *rest };
            let spot = track.weights.locate(track.num_shapes, seconds);
            spot.map_or(*rest, |spot| track.weights.value(spot, track.num_shapes, *shape))
        }));
    }
    let all_step = tracks().all(|curve| matches!(curve.interpolation, Interpolation::Step));
    match all_step {
        true => Curve::step(times, values),
        false => Curve::linear(times, values),
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::shape::BlendShape;

    fn with_shapes(kind: SampleKind, names: &[&str]) -> Character {
        let mut character = build(&SampleOptions::new(kind)).unwrap();
        let num_points = character.parts[0].mesh.points().len();
        let shape = |name: &&str| BlendShape {
            name: (*name).to_owned(),
            deltas: vec![Vec3::X; num_points].into(),
            rest_weight: 0.25,
        };
        character.parts[0].shapes = names.iter().map(shape).collect();
        character
    }

    fn smiling() -> Character {
        let mut source = with_shapes(SampleKind::Human, &["smile", "blink", "frown"]);
        let weights = Curve::linear(
            vec![0.0, 1.0],
            // Key after key.
            vec![0.0, 0.5, 0.1, 1.0, 0.5, 0.9],
        );
        let track = ShapeTrack { part: 0, num_shapes: 3, weights };
        source.clips = vec![Clip { shape_tracks: vec![track], ..Clip::default() }];
        source
    }

    #[test]
    fn shapes_that_are_called_the_same_move_alike_and_others_rest() {
        let (source, target) =
            (smiling(), with_shapes(SampleKind::Chibi, &["jaw", "Blink", "smile"]));
        let carried = carry_shapes(&source, &source.clips[0], &target);
        let clip = Clip { shape_tracks: carried.tracks, ..Clip::default() };
        for (seconds, smile) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (2.0, 1.0)] {
            let weights = clip.shape_weights_at(0, &target.parts[0], seconds);
            assert_eq!(weights, [0.25, 0.5, smile]);
        }
        assert_eq!(carried.lost, ["frown"]);
    }

    #[test]
    fn a_character_without_such_shapes_gets_no_track() {
        let source = smiling();
        let target = with_shapes(SampleKind::Chibi, &["jaw"]);
        let carried = carry_shapes(&source, &source.clips[0], &target);
        assert_eq!(carried.tracks, []);
        // What does not move is not missed.
        assert_eq!(carried.lost, ["smile", "frown"]);
    }
}
