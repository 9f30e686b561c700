//! Where the points of a chain are to be: along a stroke, at the distances that its bones have.
//!
//! With offsets `o_i` from the baseline (in the frame of its tangent) and depths `d_i`, the target
//! of point `i` at a length `s` of the stroke is `q_i(s) = lift(C(s) + F(s)·o_i, d_i)`. A chain
//! whose bones keep their lengths walks along: `q_i(s_i)` is the first place after `s_{i-1}` that
//! is as far from point `i − 1` as the bone is long. Where the stroke ends, it goes on straight.

use glam::{DVec2, DVec3};

use super::plane::{Depth, StrokePlane};
use crate::sketch::stroke::Curve;

/// A point of the chain, seen from the baseline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where along the baseline, by length.
    pub(super) t: f64,
    /// Along its tangent, and to the left of it.
    pub(super) offset: DVec2,
    pub(super) depth: Depth,
}

/// The stroke that the chain is to follow.
pub(super) struct Track<'a> {
    pub(super) curve: &'a Curve,
    pub(super) plane: &'a StrokePlane,
    /// Added to all of the stroke: one that was drawn beside the chain gives its shape alone.
    pub(super) shift: DVec3,
}

/// Steps that a bone's length is walked in. A stroke that comes back within one of them is cut
/// short, which is less than a hand can draw on purpose.
const STEPS_A_BONE: f64 = 24.0;
/// A bone that is farther from the stroke than it is long looks for it no farther than this many
/// lengths.
const MOST_LENGTHS: f64 = 3.0;
/// Halvings of a step: to 1e-9 of a bone.
const HALVINGS: usize = 26;

impl Track<'_> {
    /// The target of a point at a share of the stroke's length; beyond one, straight on.
    pub(super) fn target(&self, place: &Place, t: f64) -> DVec3 {
        let (inside, beyond) = (t.clamp(0.0, 1.0), (t - 1.0).max(0.0));
        let mut at = self.curve.at(inside);
        if beyond > 0.0 || place.offset != DVec2::ZERO {
            let along = self.curve.tangent(inside);
            at += beyond * self.curve.length() * along
                + place.offset.x * along
                + place.offset.y * self.plane.left_of(along);
        }
        self.plane.lifted(at + self.shift, place.depth)
    }

    /// The first share after `t` whose target is `length` from `from`, and whether there is one.
    /// Where the stroke is farther away all the time, the share where it comes nearest.
    pub(super) fn walk(&self, place: &Place, from: DVec3, length: f64, t: f64) -> f64 {
        let step = length / STEPS_A_BONE / self.curve.length();
        if !(step > 0.0 && step.is_finite()) {
            return t;
        }
        let distance = |t: f64| self.target(place, t).distance(from);
        let mut nearest = (distance(t), t);
        let mut last = t;
        // Within the length it must come to be beyond it; beyond it, first come within.
        let mut is_within = nearest.0 <= length;
        for index in 1..=(MOST_LENGTHS * STEPS_A_BONE) as usize {
            let next = t + step * index as f64;
            let found = distance(next);
            if is_within && found > length {
                return halved(last, next, |t| distance(t) > length);
            }
            is_within |= found <= length;
            if found < nearest.0 {
                nearest = (found, next);
            }
            last = next;
        }
        if is_within { last } else { nearest.1 }
    }

    /// Where the stroke first comes nearest to a point of the chain: it may begin before it.
    pub(super) fn start(&self, place: &Place, from: DVec3, length: f64) -> f64 {
        let step = length / STEPS_A_BONE / self.curve.length();
        let distance = |t: f64| self.target(place, t).distance(from);
        let (mut nearest, mut t) = (distance(0.0), 0.0);
        while step > 0.0 && t + step < 1.0 {
            let next = distance(t + step);
            if next > nearest {
                break;
            }
            (nearest, t) = (next, t + step);
        }
        t
    }
}

fn halved(mut before: f64, mut after: f64, is_after: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (before + after);
        if is_after(middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    0.5 * (before + after)
}
