//! Joints that bend one way alone: an elbow, a knee.
//!
//! Between the bone above, along `u`, and its own bone, along `d`, a hinge has an angle `β` about
//! an axis `h` that the bone above carries. A drawing says `d`. Where it is off the hinge's plane
//! the bone above rolls about `u` until it is not, which moves no joint: a shoulder does the same
//! when a forearm goes up. What would be behind the elbow however the bone above is rolled is bent
//! less, and straight at last.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use crate::posing::Hinges;
use crate::sketch::chain::Chain;

/// How far the bone above rolls from where it has no twist, radians (120°): a little more than a
/// shoulder does, since a limb that is drawn against its hinge is often just beyond the quarter.
const MOST_ROLL: f64 = 2.0 * PI / 3.0;
/// From where on a bend is against its hinge altogether, likewise (150°).
const AGAINST: f64 = 5.0 * PI / 6.0;
/// A limb this straight (3°) has no plane to roll to; from the second angle on (12°) it is met.
const STRAIGHT: [f64; 2] = [0.05, 0.2];

/// How joints of a chain may bend; by default as they like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    hinges: Vec<Limit>,
}

/// That of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    joint: u32,
    /// In the joint's own frame: a positive turn about it is a bend.
    pub(super) axis: DVec3,
    /// From straight.
    range_radians: [f64; 2],
}

/// What a hinge makes of a drawn direction.
pub(super) struct Bent {
    /// How far the bone above is to roll about its direction.
    pub(super) roll_radians: f64,
    /// Where the bone goes then, of length one.
    pub(super) along: DVec3,
}

impl Limits {
    /// The hinges among the joints of a chain that turn.
    pub fn of(chain: &Chain, hinges: &Hinges) -> Self {
        let limit = |&joint: &u32| {
            let hinge = hinges.joint(joint)?;
            let range_radians = hinge.range_degrees?.map(f64::to_radians);
            Some(Limit { joint, axis: hinge.bend, range_radians })
        };
        Self { hinges: chain.turning().iter().filter_map(limit).collect() }
    }

    /// True if every joint bends as it likes.
    pub fn is_empty(&self) -> bool {
        self.hinges.is_empty()
    }

    pub(super) fn joint(&self, joint: u32) -> Option<&Limit> {
        self.hinges.iter().find(|limit| limit.joint == joint)
    }
}

impl Limit {
    /// What a bone does that is to go along `along` (of length one) on one that goes along `above`,
    /// if the hinge's axis is `axis` now and the bone above is twisted so far already.
    pub(super) fn bent(
        &self,
        [above, along]: [DVec3; 2],
        axis: DVec3,
        twist_radians: f64,
    ) -> Option<Bent> {
        // Where a bend takes the bone, across the one above.
        let bends_to = axis.cross(above).try_normalize()?;
        let across = along.reject_from_normalized(above);
        let bend = across.length().atan2(along.dot(above));
        let side = across.try_normalize().unwrap_or(bends_to);
        let angle = above.dot(bends_to.cross(side)).atan2(bends_to.dot(side));
        let from_rest = wrapped(angle + twist_radians);
        let roll = wrapped(from_rest.clamp(-MOST_ROLL, MOST_ROLL) - twist_radians);
        let share = 1.0 - smooth_step([MOST_ROLL, AGAINST], from_rest.abs());
        let [least, most] = self.range_radians;
        let bend = (share * bend).clamp(least, most);
        let to = DQuat::from_axis_angle(above, roll) * bends_to;
        Some(Bent {
            roll_radians: roll * smooth_step(STRAIGHT, bend),
            along: bend.cos() * above + bend.sin() * to,
        })
    }
}

/// The same turn, no more than half of one.
fn wrapped(radians: f64) -> f64 {
    radians - 2.0 * PI * (radians / (2.0 * PI)).round()
}

fn smooth_step([from, to]: [f64; 2], at: f64) -> f64 {
    let share = ((at - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roundings of a few rotations.
    const SAME: f64 = 1e-9;

    /// A hinge on a bone that goes up, which bends forward (+Z).
    fn elbow() -> Limit {
        Limit { joint: 0, axis: DVec3::X, range_radians: [0.0, 155f64.to_radians()] }
    }

    fn bent(along: DVec3) -> Bent {
        elbow().bent([DVec3::Y, along.normalize()], DVec3::X, 0.0).unwrap()
    }

    #[test]
    fn forward_it_goes_where_it_is_drawn_and_sideways_the_bone_above_rolls() {
        let forward = bent(DVec3::new(0.0, 1.0, 1.0));
        assert!(forward.roll_radians.abs() < SAME);
        assert!(forward.along.distance(DVec3::new(0.0, 1.0, 1.0).normalize()) < SAME);
        for x in [-1.0, 1.0] {
            let drawn = DVec3::new(x, 0.3, 0.0).normalize();
            let side = bent(drawn);
            assert!(side.along.distance(drawn) < SAME);
            let rolled = DQuat::from_axis_angle(DVec3::Y, side.roll_radians) * DVec3::Z;
            assert!(rolled.distance(x * DVec3::X) < SAME, "{rolled}");
        }
    }

    #[test]
    fn backward_it_is_straight_and_no_further_than_it_closes() {
        let back = bent(DVec3::new(0.0, 0.4, -1.0));
        assert!(back.along.distance(DVec3::Y) < SAME, "{}", back.along);
        assert!(back.roll_radians.abs() < SAME);
        let closed = bent(DVec3::new(0.0, -1.0, 0.05));
        assert!((closed.along.angle_between(DVec3::Y) - 155f64.to_radians()).abs() < SAME);
    }

    #[test]
    fn what_a_drawing_turns_a_little_turns_the_bones_a_little() {
        let mut before: Option<Bent> = None;
        for step in 0..=3600 {
            let angle = PI * f64::from(step) / 3600.0;
            // From forward over the side to behind.
            let drawn = DVec3::new(angle.sin(), 0.2, angle.cos());
            let now = bent(drawn);
            if let Some(before) = before {
                assert!(now.along.distance(before.along) < 0.01, "{angle}");
                assert!((now.roll_radians - before.roll_radians).abs() < 0.1, "{angle}");
            }
            before = Some(now);
        }
    }
}
