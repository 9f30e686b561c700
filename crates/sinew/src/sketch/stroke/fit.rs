//! A curve through samples: corners, then least squares between them.
//!
//! Between two corners one cubic is tried: its ends and their directions are those of the samples,
//! its arms `a`, `b` make `Σ |B(u_i) − p_i|²` least (two unknowns), and the `u_i` are moved to the
//! nearest places by Newton and the arms found again. A sample farther than the tolerance from the
//! best cubic parts the stretch there, in the direction that the samples have around it, so that
//! both cubics go on from each other.

use std::ops::RangeInclusive;

use glam::DVec3;

use super::curve::{Curve, Knot};
use super::simplify::simplify;
use super::span::Span;
use super::{StrokeError, clean};

/// How close a curve keeps to its samples, in their unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSettings {
    /// Samples nearer than this to the one before are dropped.
    pub least_step: f64,
    /// No sample is farther than this from the curve, as far as that can be had.
    pub tolerance: f64,
    /// A turn by more than this is a corner.
    pub corner_radians: f64,
}

impl FitSettings {
    /// For samples of a hand on a screen, in pixels: what a mouse trembles is less than this.
    pub const SCREEN: Self = Self { least_step: 1.0, tolerance: 2.5, corner_radians: 0.9 };

    /// The same where a pixel is `unit` long.
    #[must_use]
    pub fn scaled(self, unit: f64) -> Self {
        Self { least_step: self.least_step * unit, tolerance: self.tolerance * unit, ..self }
    }
}

/// Directions are taken over this many tolerances: over less, a tremble is taken for a turn.
const ARM_TOLERANCES: f64 = 5.0;
/// Rounds of moving the parameters. Each about halves the error; a stretch that is still off after
/// these has more shape than one cubic.
const ROUNDS: usize = 6;
/// A stretch that is this much worse than the tolerance at once is parted without trying further.
const HOPELESS: f64 = 6.0;
/// An arm longer than this times the chord is no answer of the least squares but a loop.
const LONGEST_ARM: f64 = 2.0;

impl Curve {
    /// A curve with few knots along samples, with corners where they have corners.
    ///
    /// # Errors
    /// If fewer than two of them can be used: see [`clean`].
    pub fn fit(samples: &[DVec3], settings: &FitSettings) -> Result<Self, StrokeError> {
        let samples = clean(samples, settings.least_step);
        if samples.len() < 2 {
            return Err(StrokeError::TooShort { found: samples.len() });
        }
        let fit = Fit::new(&samples, settings);
        let mut knots = vec![Knot { is_corner: false, ..Knot::corner(samples[0]) }];
        for pair in fit.corners().windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let directions = [fit.direction(from, to), -fit.direction(to, from)];
            fit.stretch(from..=to, directions, &mut knots);
            if let Some(knot) = knots.last_mut() {
                knot.is_corner = to + 1 < samples.len();
            }
        }
        Self::of_knots(knots)
    }
}

struct Fit<'a> {
    samples: &'a [DVec3],
    /// Way from the start to each sample.
    walked: Vec<f64>,
    tolerance: f64,
    corner_radians: f64,
}

impl<'a> Fit<'a> {
    fn new(samples: &'a [DVec3], settings: &FitSettings) -> Self {
        let mut walked = vec![0.0];
        for pair in samples.windows(2) {
            walked.push(walked[walked.len() - 1] + pair[0].distance(pair[1]));
        }
        // No tolerance at all would make every sample a knot, for roundings.
        let least = 1e-6 * walked[walked.len() - 1];
        let tolerance = if settings.tolerance > least { settings.tolerance } else { least };
        Self { samples, walked, tolerance, corner_radians: settings.corner_radians }
    }

    /// The sample about `way` from `from` in the direction of `towards`, and not beyond it.
    fn sample_beside(&self, from: usize, towards: usize, way: f64) -> usize {
        let is_far = |index: usize| (self.walked[index] - self.walked[from]).abs() >= way;
        if towards > from {
            (from + 1..towards).find(|&index| is_far(index)).unwrap_or(towards)
        } else {
            (towards + 1..from).rev().find(|&index| is_far(index)).unwrap_or(towards)
        }
    }

    /// The direction that the samples leave `from` in. The chord to a place a little on is off by
    /// half of what the curve turns on the way; twice the way is off by twice as much, so that the
    /// difference of both mends it.
    fn direction(&self, from: usize, towards: usize) -> DVec3 {
        let way = ARM_TOLERANCES * self.tolerance;
        let chord = |way: f64| {
            let beside = self.sample_beside(from, towards, way);
            let length = (self.walked[beside] - self.walked[from]).abs();
            ((self.samples[beside] - self.samples[from]).normalize_or_zero(), length)
        };
        let ((near, near_length), (far, far_length)) = (chord(way), chord(2.0 * way));
        let share = near_length / far_length;
        let mended = if share < 0.9 { (near - share * far) / (1.0 - share) } else { near };
        // Beyond the nearer chord by more than the farther one is before it, it is a tremble.
        let mended = if mended.dot(near) > 0.8 * mended.length() { mended } else { near };
        mended.normalize_or(near)
    }

    /// First, last, and every sample where the stroke turns sharply. Only what the polyline keeps
    /// can be one; and a tight bend turns less over a shorter way, where a corner turns as much.
    fn corners(&self) -> Vec<usize> {
        let last = self.samples.len() - 1;
        let way = ARM_TOLERANCES * self.tolerance;
        let turn = |at: usize, way: f64| {
            let before = self.samples[at] - self.samples[self.sample_beside(at, 0, way)];
            let after = self.samples[self.sample_beside(at, last, way)] - self.samples[at];
            if before == DVec3::ZERO || after == DVec3::ZERO {
                return 0.0;
            }
            before.angle_between(after)
        };
        let sharp = |at: usize| turn(at, way).min(turn(at, 0.5 * way));
        let kept = simplify(self.samples, 0.5 * self.tolerance);
        let mut corners = vec![0];
        for &at in &kept[1..kept.len() - 1] {
            // A pen that lands or leaves makes a hook; nobody means that.
            let is_end = self.walked[at].min(self.walked[last] - self.walked[at]) < way;
            if is_end || sharp(at) < self.corner_radians {
                continue;
            }
            let before = corners[corners.len() - 1];
            let is_near = before > 0 && self.walked[at] - self.walked[before] < way;
            match is_near {
                // Of two in one bend, the sharper.
                true if sharp(at) > sharp(before) => {
                    corners.pop();
                    corners.push(at);
                }
                true => {}
                false => corners.push(at),
            }
        }
        corners.push(last);
        corners
    }

    /// Cubics from the last knot, at the range's start, to a knot at its end.
    fn stretch(&self, range: RangeInclusive<usize>, ends: [DVec3; 2], knots: &mut Vec<Knot>) {
        let mut open = vec![(*range.start(), *range.end(), ends)];
        while let Some((from, to, [leave, arrive])) = open.pop() {
            let (span, worst) = self.cubic(from, to, [leave, arrive]);
            if worst.distance > self.tolerance && to - from > 2 {
                let middle = worst.sample.clamp(from + 1, to - 1);
                let along = self.through(middle, from, to);
                open.push((middle, to, [along, arrive]));
                open.push((from, middle, [leave, along]));
                continue;
            }
            let [a, b, c, d] = span.0;
            if let Some(knot) = knots.last_mut() {
                knot.arm_out = b - a;
            }
            knots.push(Knot { at: d, arm_in: c - d, arm_out: DVec3::ZERO, is_corner: false });
        }
    }

    /// The direction that the samples go through one of them in.
    fn through(&self, at: usize, from: usize, to: usize) -> DVec3 {
        let way = ARM_TOLERANCES * self.tolerance;
        let before = self.samples[self.sample_beside(at, from, way)];
        let after = self.samples[self.sample_beside(at, to, way)];
        (after - before).try_normalize().unwrap_or_else(|| self.direction(at, to))
    }

    /// The best cubic over some samples that leaves and arrives in the directions given, and where
    /// it is worst.
    fn cubic(&self, from: usize, to: usize, directions: [DVec3; 2]) -> (Span, Worst) {
        let samples = &self.samples[from..=to];
        let total = self.walked[to] - self.walked[from];
        let mut places: Vec<f64> =
            self.walked[from..=to].iter().map(|at| (at - self.walked[from]) / total).collect();
        let mut best: Option<(Span, Worst)> = None;
        for _ in 0..ROUNDS {
            let span = arms(samples, &places, directions);
            let worst = Worst::of(&span, samples, &places, from);
            if best.as_ref().is_none_or(|(_, least)| worst.distance < least.distance) {
                best = Some((span, worst));
            }
            if worst.distance <= 0.25 * self.tolerance || worst.distance > HOPELESS * self.tolerance
            {
                break;
            }
            for (place, &sample) in places.iter_mut().zip(samples) {
                *place = span.nearer(sample, *place);
            }
        }
        best.unwrap_or_else(|| {
            let span = arms(samples, &places, directions);
            (span, Worst::of(&span, samples, &places, from))
        })
    }
}

#[derive(Clone, Copy)]
struct Worst {
    distance: f64,
    sample: usize,
}

impl Worst {
    fn of(span: &Span, samples: &[DVec3], places: &[f64], first: usize) -> Self {
        let mut worst = Self { distance: 0.0, sample: first + samples.len() / 2 };
        for (index, (&sample, &place)) in samples.iter().zip(places).enumerate() {
            let distance = span.at(place).distance(sample);
            if distance > worst.distance {
                worst = Self { distance, sample: first + index };
            }
        }
        worst
    }
}

/// The cubic whose arms along the directions are best by least squares; thirds of the chord where
/// there is no good answer.
fn arms(samples: &[DVec3], places: &[f64], [leave, arrive]: [DVec3; 2]) -> Span {
    let (start, end) = (samples[0], samples[samples.len() - 1]);
    let (mut aa, mut ab, mut bb, mut ax, mut bx) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (&sample, &u) in samples.iter().zip(places) {
        let v = 1.0 - u;
        let [b0, b1, b2, b3] = [v * v * v, 3.0 * v * v * u, 3.0 * v * u * u, u * u * u];
        let (a, b) = (b1 * leave, -b2 * arrive);
        let rest = sample - ((b0 + b1) * start + (b2 + b3) * end);
        aa += a.dot(a);
        ab += a.dot(b);
        bb += b.dot(b);
        ax += a.dot(rest);
        bx += b.dot(rest);
    }
    let determinant = aa * bb - ab * ab;
    let chord = start.distance(end);
    let way: f64 = samples.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let third = if chord > 0.0 { chord / 3.0 } else { way / 3.0 };
    let [mut out, mut back] = [third; 2];
    if determinant > 1e-12 * aa * bb {
        let solved = [(ax * bb - bx * ab) / determinant, (bx * aa - ax * ab) / determinant];
        if solved.iter().all(|&arm| arm > 1e-3 * third && arm < LONGEST_ARM * way) {
            [out, back] = solved;
        }
    }
    Span([start, start + out * leave, end - back * arrive, end])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::*;
    use proptest::prelude::*;

    fn circle(radius: f64, turn: f64, count: usize) -> Vec<DVec3> {
        (0..=count)
            .map(|index| turn * index as f64 / count as f64)
            .map(|angle| radius * DVec3::new(angle.cos(), angle.sin(), 0.0))
            .collect()
    }

    fn farthest(curve: &Curve, samples: &[DVec3]) -> f64 {
        samples.iter().map(|&sample| curve.closest(sample).distance).fold(0.0, f64::max)
    }

    #[test]
    fn a_drawn_arc_is_few_knots_within_the_tolerance() {
        let samples = circle(150.0, PI, 200);
        let curve = Curve::fit(&samples, &FitSettings::SCREEN).unwrap();
        assert!(curve.knots().len() <= 4, "{} knots", curve.knots().len());
        assert!(farthest(&curve, &samples) <= FitSettings::SCREEN.tolerance);
        assert!((curve.length() - 150.0 * PI).abs() < 2.0, "{}", curve.length());
        assert!(curve.knots().iter().all(|knot| !knot.is_corner));
    }

    #[test]
    fn a_trembling_hand_draws_the_same_arc() {
        let tremble = |i: usize| {
            let angle = (i * i) as f64;
            1.2 * DVec3::new(angle.sin(), angle.cos(), 0.0)
        };
        let steady = circle(150.0, PI, 200);
        let samples: Vec<DVec3> =
            steady.iter().enumerate().map(|(i, &at)| at + tremble(i)).collect();
        let curve = Curve::fit(&samples, &FitSettings::SCREEN).unwrap();
        assert!(curve.knots().len() <= 6, "{} knots", curve.knots().len());
        assert!(farthest(&curve, &steady) < FitSettings::SCREEN.tolerance + 1.2);
        assert!(curve.knots().iter().all(|knot| !knot.is_corner));
    }

    #[test]
    fn a_corner_is_a_corner_and_a_tight_bend_is_none() {
        let mut samples: Vec<DVec3> = (0..=50).map(|i| DVec3::X * 2.0 * f64::from(i)).collect();
        samples.extend((1..=50).map(|i| DVec3::new(100.0, 2.0 * f64::from(i), 0.0)));
        let curve = Curve::fit(&samples, &FitSettings::SCREEN).unwrap();
        let corners: Vec<DVec3> =
            curve.knots().iter().filter(|knot| knot.is_corner).map(|knot| knot.at).collect();
        assert_eq!(corners, [DVec3::X * 100.0]);
        assert_eq!(curve.knots().len(), 3);
        let bend = Curve::fit(&circle(30.0, PI, 60), &FitSettings::SCREEN).unwrap();
        assert!(bend.knots().iter().all(|knot| !knot.is_corner));
    }

    #[test]
    fn a_loop_and_a_circle_are_followed_around() {
        for turns in [1.0, 2.3] {
            let samples = circle(80.0, turns * TAU, 300);
            let curve = Curve::fit(&samples, &FitSettings::SCREEN).unwrap();
            assert!(farthest(&curve, &samples) <= FitSettings::SCREEN.tolerance);
            assert!((curve.length() / (80.0 * turns * TAU) - 1.0).abs() < 0.01);
        }
    }

    #[test]
    fn a_screw_in_space_is_fitted_as_well() {
        let samples: Vec<DVec3> = circle(1.0, TAU, 200)
            .iter()
            .enumerate()
            .map(|(i, &at)| at + DVec3::Z * 0.01 * i as f64)
            .collect();
        let settings = FitSettings { least_step: 1e-3, tolerance: 0.01, corner_radians: 0.9 };
        let curve = Curve::fit(&samples, &settings).unwrap();
        assert!(farthest(&curve, &samples) <= settings.tolerance);
    }

    #[test]
    fn there_and_back_again_has_a_corner_at_the_turn() {
        let mut samples: Vec<DVec3> = (0..=40).map(|i| DVec3::X * f64::from(i)).collect();
        samples.extend((0..40).rev().map(|i| DVec3::X * f64::from(i)));
        let curve = Curve::fit(&samples, &FitSettings::SCREEN).unwrap();
        assert!((curve.length() - 80.0).abs() < 1e-6, "{}", curve.length());
        assert!(curve.knots().iter().any(|knot| knot.is_corner && knot.at == DVec3::X * 40.0));
    }

    #[test]
    fn points_and_nothing_are_no_stroke() {
        let fit = |samples: &[DVec3]| Curve::fit(samples, &FitSettings::SCREEN);
        assert_eq!(fit(&[]), Err(StrokeError::TooShort { found: 0 }));
        assert_eq!(fit(&[DVec3::X; 9]), Err(StrokeError::TooShort { found: 1 }));
        assert!(fit(&[DVec3::X, DVec3::X * 1.5]).is_ok(), "short, but a stroke");
    }

    proptest! {
        #[test]
        fn whatever_the_hand_does_the_curve_is_finite_and_has_both_ends(
            steps in prop::collection::vec((-1e3..1e3f64, -1e3..1e3f64, 0..5u8), 0..200),
        ) {
            let mut at = DVec3::ZERO;
            let mut samples = Vec::new();
            for (x, y, kind) in steps {
                match kind {
                    0 => samples.push(at),
                    1 => samples.push(DVec3::splat(f64::NAN)),
                    2 => at += DVec3::new(x, y, 0.0),
                    _ => at += DVec3::new(x, y, 0.0) * 1e-3,
                }
                samples.push(at);
            }
            let Ok(curve) = Curve::fit(&samples, &FitSettings::SCREEN) else { return Ok(()) };
            for t in 0..=20 {
                let t = f64::from(t) / 20.0;
                prop_assert!(curve.at(t).is_finite() && curve.tangent(t).is_normalized());
            }
            let cleaned = clean(&samples, FitSettings::SCREEN.least_step);
            prop_assert_eq!(curve.at(0.0), cleaned[0]);
            prop_assert!(curve.at(1.0).distance(cleaned[cleaned.len() - 1]) < 1e-9);
        }
    }
}
