//! Posing a chain of joints by a stroke (spring paper, section 5.1).
//!
//! Strokes lie on a plane ([`StrokePlane`]). A *baseline* gives every joint of the chain the place
//! `t` along it that is nearest, and its offset from there. A second stroke, the *target*, gives
//! the chain its shape: joints keep their offsets, in the frame of the stroke, and their depth
//! before or behind the plane, which a drawing does not show. Without a baseline the chain's own
//! line is one, with no offsets: its joints come to lie under the stroke.
//!
//! Bones turn and keep their lengths: the chain walks along the stroke from its start. If they may
//! stretch, each joint goes to its own `t` of the stroke instead. Twists stay as they are; what
//! hangs on the chain follows. A stroke that was drawn far beside the chain gives its shape alone.
//! With [`Limits`] hinges bend about their own axes: the bone above twists for it, and what is
//! against the hinge leaves the stroke.
//!
//! Öztireli and others 2013 (differential blending), Guay and others 2013 (line of action).

mod goal;
mod limb;
mod limits;
mod plane;
#[cfg(test)]
mod tests;
mod walk;

pub use limits::Limits;
pub use plane::StrokePlane;

use glam::{DVec2, DVec3};

use self::limb::Limb;
use self::plane::Depth;
use self::walk::{Place, Track};
use super::chain::{Chain, shares};
use super::stroke::Curve;
use crate::skeleton::{JointPose, Pose, Skeleton};

/// A stroke that poses a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseStroke {
    /// What follows it.
    pub chain: Chain,
    /// What both strokes lie on.
    pub plane: StrokePlane,
    /// Where the chain was drawn; `None` for one that is to lie under the target.
    pub baseline: Option<Curve>,
    /// What it is to follow, from the chain's upper end.
    pub target: Curve,
    /// What it may do.
    pub freedom: Freedom,
    /// What its joints may not.
    pub limits: Limits,
}

/// What a chain may do to follow a stroke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Freedom {
    /// Bones get longer and shorter: the chain covers the whole stroke.
    pub stretches: bool,
    /// The first joint goes to where the stroke begins.
    pub moves_start: bool,
    /// On a stroke shorter than the chain it bends, and ends where the stroke does: a hand at its
    /// goal. Else it goes on straight.
    pub ends_there: bool,
}

/// A stroke that begins farther from the chain's first joint than this share of the chain's length
/// was drawn beside it.
const BESIDE: f64 = 0.25;
/// A stroke from the chain's far end fits at least so much better than one from its start.
const BACKWARDS: f64 = 0.8;

impl PoseStroke {
    /// The joints of a skeleton that the stroke changes, and how they stand then.
    ///
    /// # Panics
    /// If chain and pose are not of this skeleton.
    pub fn posed(&self, skeleton: &Skeleton, pose: &Pose) -> Vec<(u32, JointPose)> {
        let mut limb = Limb::new(&self.chain, &self.limits, (skeleton, pose));
        let points = limb.points();
        let places = self.places(&points);
        let lengths: Vec<f64> = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        let total: f64 = lengths.iter().sum();
        if total <= 0.0 {
            return Vec::new();
        }
        let mut track = Track { curve: &self.target, plane: &self.plane, shift: DVec3::ZERO };
        let mut t = match self.baseline {
            Some(_) => places[0].t,
            None => track.start(&places[0], points[0], total),
        };
        let gap = points[0] - track.target(&places[0], t);
        if self.freedom.moves_start {
            limb.shift(-gap);
        } else if gap.length() > BESIDE * total {
            track.shift = self.shift_on_plane(&track, &places[0], points[0], t);
        }
        let first = t;
        for index in 0..limb.num_bones() {
            let place = &places[index + 1];
            t = if !self.freedom.stretches {
                track.walk(place, limb.point(index), lengths[index], t)
            } else if self.baseline.is_some() {
                place.t
            } else {
                first + place.t * (1.0 - first)
            };
            let at = limb.bend(index, track.target(place, t), &self.limits);
            limb.aim(index, at, self.freedom.stretches);
        }
        if self.freedom.ends_there && !self.freedom.stretches && t > 1.0 {
            let start = limb.point(0);
            let goal = track.target(&places[places.len() - 1], 1.0);
            let moved: Vec<DVec3> = points.iter().map(|&at| at + start - points[0]).collect();
            let side = self.plane.left_of(goal - start).normalize_or_zero();
            for (index, at) in goal::reach(&moved, goal, side).into_iter().skip(1).enumerate() {
                let at = limb.bend(index, at, &self.limits);
                limb.aim(index, at, false);
            }
        }
        limb.changed_from(pose)
    }

    /// What brings the stroke to the chain's first joint, on the plane.
    fn shift_on_plane(&self, track: &Track<'_>, place: &Place, at: DVec3, t: f64) -> DVec3 {
        let (on_plane, _) = self.plane.onto(at);
        let (target, _) = self.plane.onto(track.target(place, t));
        on_plane - target
    }

    /// Where each point of the chain is beside the baseline.
    fn places(&self, points: &[DVec3]) -> Vec<Place> {
        let seen: Vec<(DVec3, Depth)> = points.iter().map(|&at| self.plane.onto(at)).collect();
        let Some(baseline) = &self.baseline else {
            let on_plane: Vec<DVec3> = seen.iter().map(|&(at, _)| at).collect();
            let own = shares(&on_plane).into_iter().zip(&seen);
            let own = own.map(|(t, &(_, depth))| Place { t, offset: DVec2::ZERO, depth });
            return own.collect();
        };
        let mut least = 0.0;
        let beside = |&(at, depth): &(DVec3, Depth)| {
            // Joints come one after the other, on a stroke that meets itself, too.
            let t = baseline.closest(at).t.max(least);
            least = t;
            let along = baseline.tangent(t);
            let off = at - baseline.at(t);
            let offset = DVec2::new(off.dot(along), off.dot(self.plane.left_of(along)));
            Place { t, offset, depth }
        };
        seen.iter().map(beside).collect()
    }

    /// The same with strokes from the chain's upper end: a hand may draw an arm from the wrist.
    #[must_use]
    pub fn from_upper_end(mut self, skeleton: &Skeleton, pose: &Pose) -> Self {
        let points = Limb::new(&self.chain, &self.limits, (skeleton, pose)).points();
        let [first, last] = [points[0], points[points.len() - 1]].map(|at| self.plane.onto(at).0);
        let is_backwards = match &self.baseline {
            Some(baseline) => baseline.closest(first).t > baseline.closest(last).t,
            None => {
                let [from, to] = [self.target.at(0.0), self.target.at(1.0)];
                let forwards = from.distance(first) + to.distance(last);
                let backwards = from.distance(last) + to.distance(first);
                from.distance(last) < from.distance(first) && backwards < BACKWARDS * forwards
            }
        };
        if is_backwards {
            self.baseline = self.baseline.map(|baseline| baseline.reversed());
            self.target = self.target.reversed();
        }
        self
    }
}
