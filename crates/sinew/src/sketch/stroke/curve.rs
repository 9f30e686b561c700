//! A composite cubic Bézier, walked by the length of its arc.

use glam::DVec3;

use super::StrokeError;
use super::clean::is_usable;
use super::span::{INTERVALS, Span};

/// Where two spans meet, with the arms that shape them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Knot {
    /// On the curve.
    pub at: DVec3,
    /// From the knot to the control point before it.
    pub arm_in: DVec3,
    /// From the knot to the control point after it.
    pub arm_out: DVec3,
    /// The arms are free of each other; else they stay on one line.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_corner: bool,
}

impl Knot {
    /// A knot without arms.
    pub fn corner(at: DVec3) -> Self {
        Self { at, arm_in: DVec3::ZERO, arm_out: DVec3::ZERO, is_corner: true }
    }
}

/// The place of a curve that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// How far along the curve, by length, in [0, 1].
    pub t: f64,
    /// The place.
    pub at: DVec3,
    /// From it to the point.
    pub distance: f64,
}

/// Cubic Béziers end to end, of a length above zero. `t` in [0, 1] is the share of its length.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<Knot>", into = "Vec<Knot>")
)]
pub struct Curve {
    knots: Vec<Knot>,
    spans: Vec<Span>,
    /// Length from the start to each interval's start, and to the end at last; [`INTERVALS`] a
    /// span.
    lengths: Vec<f64>,
}

impl Curve {
    /// A curve through knots.
    ///
    /// # Errors
    /// If there are fewer than two, if they are all in one place, or if one is not finite.
    pub fn of_knots(knots: Vec<Knot>) -> Result<Self, StrokeError> {
        let is_bad = |knot: &Knot| ![knot.at, knot.arm_in, knot.arm_out].into_iter().all(is_usable);
        if let Some(knot) = knots.iter().position(is_bad) {
            return Err(StrokeError::NotFinite { knot });
        }
        let spans: Vec<Span> = knots
            .windows(2)
            .map(|pair| {
                let (a, b) = (&pair[0], &pair[1]);
                Span([a.at, a.at + a.arm_out, b.at + b.arm_in, b.at])
            })
            .collect();
        let mut lengths = vec![0.0];
        let mut length = 0.0;
        for span in &spans {
            for interval in 0..INTERVALS {
                let [from, to] = [interval, interval + 1].map(|i| i as f64 / INTERVALS as f64);
                length += span.length_between(from, to);
                lengths.push(length);
            }
        }
        if length > 0.0 {
            Ok(Self { knots, spans, lengths })
        } else {
            Err(StrokeError::TooShort { found: knots.len().min(1) })
        }
    }

    /// A curve of straight lines.
    ///
    /// # Errors
    /// As [`Self::of_knots`].
    pub fn of_polyline(points: &[DVec3]) -> Result<Self, StrokeError> {
        if let Some(knot) = points.iter().position(|&at| !is_usable(at)) {
            return Err(StrokeError::NotFinite { knot });
        }
        let mut knots: Vec<Knot> = points.iter().copied().map(Knot::corner).collect();
        for index in 1..knots.len() {
            let third = (knots[index].at - knots[index - 1].at) / 3.0;
            knots[index - 1].arm_out = third;
            knots[index].arm_in = -third;
        }
        Self::of_knots(knots)
    }

    /// What shapes it.
    pub fn knots(&self) -> &[Knot] {
        &self.knots
    }

    /// Its knots, to make another of.
    pub fn into_knots(self) -> Vec<Knot> {
        self.knots
    }

    /// The same from its other end.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let turned = |knot: &Knot| Knot { arm_in: knot.arm_out, arm_out: knot.arm_in, ..*knot };
        let knots = self.knots.iter().rev().map(turned).collect();
        // The same points make the same length, but for roundings.
        Self::of_knots(knots).unwrap_or_else(|_| self.clone())
    }

    /// How long it is, in the unit of its points.
    pub fn length(&self) -> f64 {
        self.lengths[self.lengths.len() - 1]
    }

    /// The place at a share of its length.
    pub fn at(&self, t: f64) -> DVec3 {
        let (span, u) = self.place(t);
        self.spans[span].at(u)
    }

    /// The unit direction at a share of its length. At a corner it is that of what follows.
    pub fn tangent(&self, t: f64) -> DVec3 {
        let (span, u) = self.place(t);
        let own = self.spans[span].tangent(u);
        // A span of no length between others has no direction of its own.
        own.or_else(|| self.spans.iter().find_map(|span| span.tangent(0.5))).unwrap_or(DVec3::X)
    }

    /// The place of a knot as a share of the length.
    pub fn t_of_knot(&self, knot: usize) -> f64 {
        let at = (knot * INTERVALS).min(self.lengths.len() - 1);
        self.lengths[at] / self.length()
    }

    /// The place nearest to a point; the first one, if several are.
    pub fn closest(&self, point: DVec3) -> Closest {
        let mut best = (f64::INFINITY, 0, 0.0);
        for (index, span) in self.spans.iter().enumerate() {
            let place = |step: usize| step as f64 / INTERVALS as f64;
            let squares: [f64; INTERVALS + 1] =
                std::array::from_fn(|step| span.at(place(step)).distance_squared(point));
            for (step, &squared) in squares.iter().enumerate() {
                // From every valley: that with the lowest known point need not be the deepest.
                let beside = [step.checked_sub(1), Some(step + 1)];
                let is_lower = |beside: Option<usize>| {
                    beside.and_then(|step| squares.get(step)).is_none_or(|&other| squared <= other)
                };
                if !beside.into_iter().all(is_lower) {
                    continue;
                }
                let (squared, u) = span.valley(point, squared, place(step));
                if squared < best.0 {
                    best = (squared, index, u);
                }
            }
        }
        let (squared, index, u) = best;
        Closest { t: self.t_of(index, u), at: self.spans[index].at(u), distance: squared.sqrt() }
    }

    /// Points along it, evenly by length, with both ends.
    ///
    /// # Panics
    /// If fewer than two are asked for.
    pub fn points(&self, count: usize) -> Vec<DVec3> {
        assert!(count >= 2, "two ends");
        (0..count).map(|index| self.at(index as f64 / (count - 1) as f64)).collect()
    }

    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The span and the parameter in it at a share of the length.
    pub(super) fn place(&self, t: f64) -> (usize, f64) {
        // What is no number is the start.
        let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) };
        let wanted = t * self.length();
        let intervals = self.lengths.len() - 1;
        // The last interval that begins at or before the place: of what has no length, the end.
        let interval =
            self.lengths.partition_point(|&at| at <= wanted).saturating_sub(1).min(intervals - 1);
        let (span, within) = (interval / INTERVALS, interval % INTERVALS);
        let [from, to] = [within, within + 1].map(|i| i as f64 / INTERVALS as f64);
        let length = self.lengths[interval + 1] - self.lengths[interval];
        let rest = wanted - self.lengths[interval];
        let mut u = if length > 0.0 { from + (to - from) * (rest / length).min(1.0) } else { from };
        // Speed changes within an interval; two steps bring it to where the length is right.
        for _ in 0..2 {
            let speed = self.spans[span].first_derivative(u).length();
            if speed > 0.0 {
                let off = rest - self.spans[span].length_between(from, u);
                u = (u + off / speed).clamp(from, to);
            }
        }
        (span, u)
    }

    /// The share of the length at a parameter of a span.
    fn t_of(&self, span: usize, u: f64) -> f64 {
        let within = ((u * INTERVALS as f64) as usize).min(INTERVALS - 1);
        let from = within as f64 / INTERVALS as f64;
        let before = self.lengths[span * INTERVALS + within];
        ((before + self.spans[span].length_between(from, u)) / self.length()).clamp(0.0, 1.0)
    }
}

impl TryFrom<Vec<Knot>> for Curve {
    type Error = StrokeError;

    fn try_from(knots: Vec<Knot>) -> Result<Self, StrokeError> {
        Self::of_knots(knots)
    }
}

impl From<Curve> for Vec<Knot> {
    fn from(curve: Curve) -> Self {
        curve.knots
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    /// A cubic is a quarter of a circle but for 2.7e-4 of its radius.
    const QUARTER_OFF: f64 = 3e-4;
    const ROUNDING: f64 = 1e-9;

    /// Half a circle of radius one from +X over +Y to −X, of two spans.
    fn half_circle() -> Curve {
        let arm = 4.0 / 3.0 * (FRAC_PI_2 / 4.0).tan();
        let knot = |at: DVec3, along: DVec3| Knot {
            at,
            arm_in: -arm * along,
            arm_out: arm * along,
            is_corner: false,
        };
        Curve::of_knots(vec![
            knot(DVec3::X, DVec3::Y),
            knot(DVec3::Y, -DVec3::X),
            knot(-DVec3::X, -DVec3::Y),
        ])
        .unwrap()
    }

    #[test]
    fn lengths_and_places_of_half_a_circle_are_those_of_half_a_circle() {
        let curve = half_circle();
        assert!((curve.length() - PI).abs() < QUARTER_OFF * PI);
        for step in 0..=100 {
            let t = f64::from(step) / 100.0;
            let wanted = DVec3::new((PI * t).cos(), (PI * t).sin(), 0.0);
            assert!(curve.at(t).distance(wanted) < 4.0 * QUARTER_OFF, "{t}");
            let along = DVec3::new(-(PI * t).sin(), (PI * t).cos(), 0.0);
            assert!(curve.tangent(t).distance(along) < 10.0 * QUARTER_OFF, "{t}");
        }
        assert!((curve.t_of_knot(1) - 0.5).abs() < ROUNDING);
    }

    #[test]
    fn the_nearest_place_comes_back_from_beside_the_curve() {
        let curve = half_circle();
        for step in 0..=40 {
            let t = f64::from(step) / 40.0;
            let at = curve.at(t);
            let found = curve.closest(at * 1.3);
            assert!((found.t - t).abs() < 1e-4, "{t} {found:?}");
            assert!((found.distance - at.length() * 0.3).abs() < QUARTER_OFF);
        }
        assert_eq!(curve.closest(DVec3::new(1.0, -5.0, 0.0)).t, 0.0);
    }

    #[test]
    fn a_polyline_has_its_corners_and_its_length() {
        let curve =
            Curve::of_polyline(&[DVec3::ZERO, DVec3::X, DVec3::new(1.0, 3.0, 0.0)]).unwrap();
        assert!((curve.length() - 4.0).abs() < ROUNDING);
        assert!(curve.at(0.25).distance(DVec3::X) < ROUNDING);
        assert!(curve.at(0.5).distance(DVec3::new(1.0, 1.0, 0.0)) < ROUNDING);
        assert_eq!(curve.points(3)[2], DVec3::new(1.0, 3.0, 0.0));
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        let too_short = |found| Err(StrokeError::TooShort { found });
        assert_eq!(Curve::of_knots(Vec::new()), too_short(0));
        assert_eq!(Curve::of_polyline(&[DVec3::X]), too_short(1));
        assert_eq!(Curve::of_polyline(&[DVec3::X; 3]), too_short(1));
        let bad = [DVec3::X, DVec3::splat(f64::INFINITY)];
        assert_eq!(Curve::of_polyline(&bad), Err(StrokeError::NotFinite { knot: 1 }));
    }

    #[test]
    fn knots_in_one_place_between_others_do_no_harm() {
        let curve = Curve::of_polyline(&[DVec3::ZERO, DVec3::X, DVec3::X, DVec3::X * 2.0]).unwrap();
        for t in [0.0, 0.499_999, 0.5, 0.500_001, 1.0, f64::NAN] {
            assert!(curve.at(t).is_finite() && curve.tangent(t).distance(DVec3::X) < ROUNDING);
        }
        assert!((curve.closest(DVec3::new(1.0, 1.0, 0.0)).t - 0.5).abs() < ROUNDING);
    }
}
