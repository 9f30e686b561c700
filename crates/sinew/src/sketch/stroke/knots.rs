//! Knots moved, put in, taken out, and a stretch of a stroke drawn again.

use glam::DVec3;

use super::curve::{Curve, Knot};
use super::fit::FitSettings;
use super::span::Span;
use super::{StrokeError, clean};

/// Where both ends of a new stroke meet the old one.
#[derive(Clone, Debug, PartialEq)]
pub struct Redrawn {
    /// The old stroke with the new stretch in it.
    pub curve: Curve,
    /// Where the stretch begins and ends on the old stroke, by length.
    pub replaced: [f64; 2],
}

/// Directions that differ by less than this (about 26°) were meant to be one.
const MEANT_SMOOTH: f64 = 0.9;

impl Curve {
    /// The curve with a knot in another place; its arms go with it.
    ///
    /// # Errors
    /// If there is no such knot, or nothing would be left of the curve.
    pub fn with_knot_at(&self, knot: usize, at: DVec3) -> Result<Self, StrokeError> {
        self.with_knot(knot, |knot| knot.at = at)
    }

    /// The curve with another arm after a knot (or before it): what the hand has hold of. Unless
    /// the knot is a corner, its other arm turns with it and keeps its length.
    ///
    /// # Errors
    /// As [`Self::with_knot_at`].
    pub fn with_arm(&self, knot: usize, arm: Arm, to: DVec3) -> Result<Self, StrokeError> {
        self.with_knot(knot, |knot| {
            let (held, other) = match arm {
                Arm::In => (&mut knot.arm_in, &mut knot.arm_out),
                Arm::Out => (&mut knot.arm_out, &mut knot.arm_in),
            };
            *held = to - knot.at;
            if let Some(along) = held.try_normalize().filter(|_| !knot.is_corner) {
                *other = -other.length() * along;
            }
        })
    }

    fn with_knot(&self, knot: usize, change: impl Fn(&mut Knot)) -> Result<Self, StrokeError> {
        let mut knots = self.knots().to_vec();
        let len = knots.len();
        change(knots.get_mut(knot).ok_or(StrokeError::NoKnot { knot, len })?);
        Self::of_knots(knots)
    }

    /// The same curve with one more knot at a share of its length, and the knot's number. A knot
    /// that is already there is given instead.
    pub fn with_knot_inserted(&self, t: f64) -> (Self, usize) {
        let near = |knot: &usize| (self.t_of_knot(*knot) - t.clamp(0.0, 1.0)).abs() < 1e-6;
        if let Some(knot) = (0..self.knots().len()).find(near) {
            return (self.clone(), knot);
        }
        let (span, u) = self.place(t);
        let [Span([_, a1, a2, at]), Span([_, b1, b2, _])] = self.spans()[span].split(u);
        let mut knots = self.knots().to_vec();
        knots[span].arm_out = a1 - knots[span].at;
        knots[span + 1].arm_in = b2 - knots[span + 1].at;
        let inserted = Knot { at, arm_in: a2 - at, arm_out: b1 - at, is_corner: false };
        knots.insert(span + 1, inserted);
        // Halves of a finite span are finite, and as long as it was.
        (Self::of_knots(knots).unwrap_or_else(|_| self.clone()), span + 1)
    }

    /// The curve without a knot. What was on both sides of it becomes one span as near to both as
    /// it gets.
    ///
    /// # Errors
    /// If there is no such knot, or only two.
    pub fn with_knot_deleted(&self, knot: usize) -> Result<Self, StrokeError> {
        let len = self.knots().len();
        if knot >= len {
            return Err(StrokeError::NoKnot { knot, len });
        }
        if len <= 2 {
            return Err(StrokeError::LastKnots);
        }
        let mut knots = self.knots().to_vec();
        let gone = knots.remove(knot);
        if knot > 0 && knot < len - 1 {
            // De Casteljau backwards: arms of the whole are longer than those of its parts, by
            // what the arms of the knot between say of where it parted them.
            let (before, after) = (gone.arm_in.length(), gone.arm_out.length());
            let share = before / (before + after);
            let share = if share.is_finite() { share.clamp(0.05, 0.95) } else { 0.5 };
            knots[knot - 1].arm_out /= share;
            knots[knot].arm_in /= 1.0 - share;
        }
        Self::of_knots(knots)
    }

    /// A stretch drawn again: `samples` begin within `reach` of the curve. If they end there, too,
    /// they take the place of what is between, in either direction; else of all that follows.
    /// `None` if they begin elsewhere or are no stroke: then they are a stroke of their own.
    pub fn redrawn(
        &self,
        samples: &[DVec3],
        reach: f64,
        settings: &FitSettings,
    ) -> Option<Redrawn> {
        let mut samples = clean(samples, settings.least_step);
        let (&first, &last) = (samples.first()?, samples.last()?);
        let (mut start, mut end) = (self.closest(first), self.closest(last));
        if start.distance > reach {
            return None;
        }
        let meets = end.distance <= reach;
        if meets && end.t < start.t {
            samples.reverse();
            std::mem::swap(&mut start, &mut end);
        }
        let to = if meets { end.t } else { 1.0 };
        *samples.first_mut()? = start.at;
        if meets {
            *samples.last_mut()? = end.at;
        }
        let drawn = Self::fit(&samples, settings).ok()?.into_knots();
        let mut knots = self.part(0.0, start.t);
        join(&mut knots, drawn, Arm::In);
        join(&mut knots, self.part(to, 1.0), Arm::Out);
        let curve = Self::of_knots(knots).ok()?;
        Some(Redrawn { curve, replaced: [start.t, to] })
    }

    /// The knots of a stretch, with arms that make the same curve; none for a stretch of no length.
    fn part(&self, from: f64, to: f64) -> Vec<Knot> {
        if to - from < 1e-6 {
            return Vec::new();
        }
        let (cut, _) = self.with_knot_inserted(from);
        let (cut, last) = cut.with_knot_inserted(to);
        let first = (0..=last).rev().find(|&knot| cut.t_of_knot(knot) <= from + 1e-6);
        cut.knots()[first.unwrap_or(0)..=last].to_vec()
    }
}

/// The arm on one side of a knot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// Towards what comes before.
    In,
    /// The handle towards the next knot.
    Out,
}

/// Puts knots behind others, the first of them onto the last of those. Where both meant one
/// direction it is that of the arm that stays: what was not drawn again is as it was.
fn join(knots: &mut Vec<Knot>, more: Vec<Knot>, stays: Arm) {
    let mut more = more.into_iter();
    if let Some(end) = knots.last_mut()
        && let Some(start) = more.next()
    {
        end.arm_out = start.arm_out;
        let [before, after] = [-end.arm_in, end.arm_out].map(DVec3::normalize_or_zero);
        end.is_corner = before.dot(after) < MEANT_SMOOTH;
        match stays {
            _ if end.is_corner => {}
            Arm::In => end.arm_out = end.arm_out.length() * before,
            Arm::Out => end.arm_in = -end.arm_in.length() * after,
        }
    }
    knots.extend(more);
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// Both curves are followed in steps of length; roundings of the lengths' inversion.
    const SAME: f64 = 1e-6;

    fn arc() -> Curve {
        let samples: Vec<DVec3> = (0..=120)
            .map(|i| PI * f64::from(i) / 120.0)
            .map(|angle| 100.0 * DVec3::new(angle.cos(), angle.sin(), 0.0))
            .collect();
        Curve::fit(&samples, &FitSettings::SCREEN).unwrap()
    }

    fn assert_same(a: &Curve, b: &Curve, tolerance: f64) {
        for t in 0..=50 {
            let t = f64::from(t) / 50.0;
            let off = a.at(t).distance(b.at(t));
            assert!(off < tolerance, "{off} apart at {t}");
        }
    }

    #[test]
    fn a_knot_put_in_changes_nothing_and_taken_out_again_neither() {
        let arc = arc();
        let (more, knot) = arc.with_knot_inserted(0.31);
        assert_eq!(more.knots().len(), arc.knots().len() + 1);
        assert!((more.t_of_knot(knot) - 0.31).abs() < SAME);
        assert_same(&more, &arc, SAME);
        assert_same(&more.with_knot_deleted(knot).unwrap(), &arc, SAME);
        let (again, same) = more.with_knot_inserted(0.31);
        assert_eq!((again, same), (more, knot));
    }

    #[test]
    fn a_moved_knot_is_where_it_was_moved_to_and_its_arms_stay_on_one_line() {
        let (arc, knot) = arc().with_knot_inserted(0.5);
        let moved = arc.with_knot_at(knot, DVec3::Y * 140.0).unwrap();
        assert!(moved.closest(DVec3::Y * 140.0).distance < SAME);
        let turned = moved.with_arm(knot, Arm::Out, DVec3::new(-30.0, 180.0, 0.0)).unwrap();
        let Knot { arm_in, arm_out, .. } = turned.knots()[knot];
        assert!(arm_in.cross(arm_out).length() < SAME && arm_in.dot(arm_out) < 0.0);
        assert!((arm_in.length() - moved.knots()[knot].arm_in.length()).abs() < SAME);
        let none = Err(StrokeError::NoKnot { knot: 99, len: arc.knots().len() });
        assert_eq!(arc.with_knot_at(99, DVec3::ZERO), none);
        let far = arc.with_knot_at(0, DVec3::splat(f64::NAN));
        assert_eq!(far, Err(StrokeError::NotFinite { knot: 0 }));
    }

    #[test]
    fn two_knots_stay() {
        let line = Curve::of_polyline(&[DVec3::ZERO, DVec3::X]).unwrap();
        assert_eq!(line.with_knot_deleted(0), Err(StrokeError::LastKnots));
    }

    /// A bump outwards of the arc between two angles in degrees.
    fn bump(from: i32, to: i32) -> Vec<DVec3> {
        let steps = (to - from).abs();
        (0..=steps)
            .map(|i| {
                let share = f64::from(i) / f64::from(steps);
                let angle = f64::from(from) + share * f64::from(to - from);
                let radius = 100.0 + 30.0 * (PI * share).sin();
                let angle = angle.to_radians();
                radius * DVec3::new(angle.cos(), angle.sin(), 0.0)
            })
            .collect()
    }

    #[test]
    fn a_stretch_drawn_again_replaces_what_is_between_in_either_direction() {
        let arc = arc();
        let mut both = Vec::new();
        for samples in [bump(60, 120), bump(120, 60)] {
            let Redrawn { curve, replaced } =
                arc.redrawn(&samples, 10.0, &FitSettings::SCREEN).unwrap();
            assert!((replaced[0] - 1.0 / 3.0).abs() < 0.01, "{replaced:?}");
            assert!((replaced[1] - 2.0 / 3.0).abs() < 0.01, "{replaced:?}");
            for &sample in &samples {
                assert!(curve.closest(sample).distance < 2.0 * FitSettings::SCREEN.tolerance);
            }
            assert!(curve.closest(arc.at(0.2)).distance < SAME, "what is before stays");
            assert!(curve.closest(arc.at(0.8)).distance < SAME, "what follows stays");
            assert_eq!((curve.at(0.0), curve.at(1.0)), (arc.at(0.0), arc.at(1.0)));
            both.push(curve);
        }
        assert_same(&both[0], &both[1], 2.0 * FitSettings::SCREEN.tolerance);
    }

    #[test]
    fn an_end_drawn_again_replaces_all_that_follows_and_one_elsewhere_nothing() {
        let arc = arc();
        let away: Vec<DVec3> =
            (0..50).map(|i| arc.at(0.5) + DVec3::Y * 3.0 * f64::from(i)).collect();
        let redrawn = arc.redrawn(&away, 10.0, &FitSettings::SCREEN).unwrap();
        assert_eq!(redrawn.curve.at(1.0), away[49]);
        assert!((redrawn.replaced[1] - 1.0).abs() < SAME);
        let elsewhere: Vec<DVec3> = away.iter().map(|at| *at + DVec3::Y * 50.0).collect();
        assert_eq!(arc.redrawn(&elsewhere, 10.0, &FitSettings::SCREEN), None);
        assert_eq!(arc.redrawn(&away[..1], 10.0, &FitSettings::SCREEN), None);
    }
}
