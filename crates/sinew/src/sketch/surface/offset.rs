//! The offset stroke: where a stroke's handles go, told in the stroke's own frames.

use glam::DVec3;

use super::StrokeFrame;
use super::stroke::frame_at;

/// Knots that a new offset stroke has: ends, middle and quarters, so that each can be taken.
const NUM_KNOTS: usize = 5;

/// How far the offset stroke is from its stroke at a place of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct OffsetKnot {
    /// Of the stroke's length, from 0 to 1.
    pub share: f64,
    /// Across, normal and along, in metres.
    pub by: DVec3,
}

/// A curve beside a stroke, smooth through its knots.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct OffsetStroke {
    /// By rising share.
    knots: Vec<OffsetKnot>,
}

impl OffsetStroke {
    /// Through knots in any order; of those at the same share the last counts. What is no number
    /// is left out.
    pub fn new(knots: impl IntoIterator<Item = OffsetKnot>) -> Self {
        let is_number = |knot: &OffsetKnot| knot.share.is_finite() && knot.by.is_finite();
        let mut knots: Vec<OffsetKnot> = knots.into_iter().filter(is_number).collect();
        knots.reverse();
        knots.sort_by(|a, b| a.share.total_cmp(&b.share));
        knots.dedup_by(|next, kept| next.share == kept.share);
        Self { knots }
    }

    /// Everywhere as high above the surface.
    pub fn of_height(height: f64) -> Self {
        let knot = |index: usize| OffsetKnot {
            share: index as f64 / (NUM_KNOTS - 1) as f64,
            by: DVec3::new(0.0, height, 0.0),
        };
        Self { knots: (0..NUM_KNOTS).map(knot).collect() }
    }

    /// Its knots, by rising share.
    pub fn knots(&self) -> &[OffsetKnot] {
        &self.knots
    }

    /// The same with a knot moved.
    #[must_use]
    pub fn with_knot(mut self, index: usize, by: DVec3) -> Self {
        if let Some(knot) = self.knots.get_mut(index).filter(|_| by.is_finite()) {
            knot.by = by;
        }
        self
    }

    /// The same with one more knot, where it is already, and the knot's number. A knot that is at
    /// that share is given instead.
    pub fn with_knot_inserted(&self, share: f64) -> (Self, usize) {
        let share = share.clamp(0.0, 1.0);
        let place = self.knots.partition_point(|knot| knot.share < share);
        let mut knots = self.knots.clone();
        if knots.get(place).is_none_or(|knot| knot.share != share) {
            knots.insert(place, OffsetKnot { share, by: self.at(share) });
        }
        (Self { knots }, place)
    }

    /// The same without a knot; `None` if there is no such one, or only two.
    pub fn with_knot_deleted(&self, index: usize) -> Option<Self> {
        let mut knots = self.knots.clone();
        if knots.len() <= 2 || index >= knots.len() {
            return None;
        }
        knots.remove(index);
        Some(Self { knots })
    }

    /// The largest height of its knots, with its sign.
    pub fn height(&self) -> f64 {
        let heights = self.knots.iter().map(|knot| knot.by.y);
        heights.fold(0.0, |most: f64, height| if height.abs() > most.abs() { height } else { most })
    }

    /// The same at another height: heights keep their shares of the largest.
    #[must_use]
    pub fn with_height(mut self, height: f64) -> Self {
        let before = self.height();
        for knot in &mut self.knots {
            knot.by.y = if before == 0.0 { height } else { knot.by.y * (height / before) };
        }
        self
    }

    /// How far it is from the stroke at a share of it: smooth, and no further out than the knots
    /// on both sides need.
    pub fn at(&self, share: f64) -> DVec3 {
        let after = self.knots.partition_point(|knot| knot.share < share);
        let (Some(before), Some(next)) =
            (after.checked_sub(1).map(|index| &self.knots[index]), self.knots.get(after))
        else {
            let end = if after == 0 { self.knots.first() } else { self.knots.last() };
            return end.map_or(DVec3::ZERO, |knot| knot.by);
        };
        let span = next.share - before.share;
        let t = ((share - before.share) / span).clamp(0.0, 1.0);
        let (m0, m1) = (self.slope(after - 1) * span, self.slope(after) * span);
        let (t2, t3) = (t * t, t * t * t);
        before.by * (2.0 * t3 - 3.0 * t2 + 1.0)
            + m0 * (t3 - 2.0 * t2 + t)
            + next.by * (3.0 * t2 - 2.0 * t3)
            + m1 * (t3 - t2)
    }

    /// Of Catmull and Rom; level where a coordinate turns back, so that nothing overshoots.
    fn slope(&self, index: usize) -> DVec3 {
        let (Some(before), Some(after)) =
            (index.checked_sub(1).map(|before| self.knots[before]), self.knots.get(index + 1))
        else {
            return DVec3::ZERO;
        };
        let at = self.knots[index];
        let left = (at.by - before.by) / (at.share - before.share);
        let right = (after.by - at.by) / (after.share - at.share);
        let of = |left: f64, right: f64| {
            if left * right <= 0.0 { 0.0 } else { 2.0 * left * right / (left + right) }
        };
        DVec3::new(of(left.x, right.x), of(left.y, right.y), of(left.z, right.z))
    }

    /// Where its knots are beside a stroke's frames.
    pub fn knot_places(&self, frames: &[StrokeFrame]) -> Vec<DVec3> {
        let place = |knot: &OffsetKnot| {
            frame_at(frames, knot.share).map(|frame| frame.place + frame.to_model(knot.by))
        };
        self.knots.iter().filter_map(place).collect()
    }

    /// Where it runs beside a stroke's frames, one place a frame.
    pub fn places(&self, frames: &[StrokeFrame]) -> Vec<DVec3> {
        frames.iter().map(|frame| frame.place + frame.to_model(self.at(frame.share))).collect()
    }

    /// How far what is at a share of the stroke goes, in model space.
    pub fn move_at(&self, frames: &[StrokeFrame], share: f64) -> DVec3 {
        frame_at(frames, share).map_or(DVec3::ZERO, |frame| frame.to_model(self.at(share)))
    }
}
