//! The human's left hand: a palm, four fingers and a thumb, in a frame of its own.
//!
//! Hand space: along the fingers, towards the thumb, towards the back of the hand; the wrist is the
//! origin.

use glam::DVec3;

use super::clay::{Clay, bean, bone, capped, limb, s};
use super::field::Group;
use super::human::{ELBOW, PALM, THUMB, WRIST};

/// Names of the digits, thumb first.
pub(super) const DIGITS: [&str; 5] = ["thumb", "index", "middle", "ring", "pinky"];

/// Where the hand is and how its digits lie.
pub(super) struct Hand {
    along: DVec3,
    thumbwards: DVec3,
    dorsal: DVec3,
    /// Knuckles of each digit: four points, model space.
    pub(super) knuckles: [[DVec3; 4]; 5],
}

/// (knuckle along, thumbwards, back; spread in degrees; length; radius at the knuckle) of index to
/// pinky.
const FINGERS: [(f64, f64, f64, f64, f64, f64); 4] = [
    (0.0880, 0.0325, 0.000, 8.5, 0.0800, 0.0088),
    (0.0920, 0.0105, 0.002, 1.5, 0.0890, 0.0090),
    (0.0880, -0.0120, 0.001, -5.5, 0.0830, 0.0086),
    (0.0790, -0.0330, -0.002, -14.0, 0.0660, 0.0077),
];

impl Hand {
    pub(super) fn new() -> Self {
        let forearm = (WRIST - ELBOW).normalize();
        let along = (forearm + DVec3::new(0.02, -0.03, 0.02)).normalize();
        let thumbwards =
            (DVec3::Z + DVec3::new(0.12, -0.12, 0.0)).reject_from_normalized(along).normalize();
        // Palms face down and in, thumbs forwards.
        let mut dorsal = along.cross(thumbwards);
        if dorsal.y < 0.0 {
            dorsal = -dorsal;
        }
        let mut hand = Self { along, thumbwards, dorsal, knuckles: [[DVec3::ZERO; 4]; 5] };
        hand.knuckles[0] = [
            hand.at(0.022, 0.022, -0.008),
            hand.at(0.054, 0.051, -0.020),
            hand.at(0.084, 0.068, -0.027),
            hand.at(0.108, 0.077, -0.032),
        ];
        for (digit, &(t, side, back, spread, length, _)) in FINGERS.iter().enumerate() {
            let (sin, cos) = spread.to_radians().sin_cos();
            let mut at = [t, side, back];
            let mut knuckles = [hand.at(t, side, back); 4];
            // A relaxed hand: each phalanx bends a little further into the palm.
            for (phalanx, (share, curl)) in
                [(0.44, 8.0_f64), (0.31, 18.0), (0.25, 27.0)].into_iter().enumerate()
            {
                let (down, forward) = curl.to_radians().sin_cos();
                let step = length * share;
                at[0] += step * forward * cos;
                at[1] += step * forward * sin;
                at[2] -= step * down;
                knuckles[phalanx + 1] = hand.at(at[0], at[1], at[2]);
            }
            hand.knuckles[digit + 1] = knuckles;
        }
        hand
    }

    /// A point of hand space in model space.
    pub(super) fn at(&self, along: f64, thumbwards: f64, back: f64) -> DVec3 {
        WRIST + self.along * along + self.thumbwards * thumbwards + self.dorsal * back
    }

    /// Out of the palm.
    pub(super) fn palmwards(&self) -> DVec3 {
        -self.dorsal
    }

    /// The way the thumb folds: across the palm.
    pub(super) fn thumb_fold(&self) -> DVec3 {
        (-self.thumbwards * 0.75 - self.dorsal * 0.65).normalize()
    }

    /// The hand, then each digit.
    pub(super) fn clay(&self) -> Vec<Group> {
        let mut palm = Clay::new(PALM, 0.025);
        let block = limb(
            [self.at(-0.005, 0.0, 0.0), self.at(0.076, 0.0, 0.0)],
            self.dorsal,
            self.thumbwards,
            &[
                s(0.00, [0.0, 0.0], [0.026, 0.026, 0.018, 0.019]),
                s(0.30, [0.0, 0.0], [0.034, 0.033, 0.016, 0.018]),
                s(0.65, [0.0, 0.0], [0.039, 0.039, 0.0145, 0.016]),
                s(1.00, [0.0, 0.0], [0.039, 0.040, 0.0125, 0.013]),
            ],
        );
        palm.add(0.01, capped(block, 0.015, 0.010));
        // Ball of the thumb and the heel of the hand.
        let thenar = self.at(0.075, 0.045, -0.018) - self.at(0.015, 0.012, -0.010);
        palm.add(
            0.02,
            bean(
                self.at(0.042, 0.026, -0.013),
                thenar,
                self.dorsal,
                DVec3::new(0.016, 0.032, 0.014),
            ),
        );
        palm.add(
            0.02,
            bean(
                self.at(0.040, -0.024, -0.011),
                self.along,
                self.dorsal,
                DVec3::new(0.013, 0.032, 0.011),
            ),
        );
        for &(t, side, back, _, _, radius) in &FINGERS {
            palm.add(
                0.012,
                bone(
                    self.at(t - 0.045, side * 0.75, back),
                    self.at(t - 0.006, side, back + 0.001),
                    0.009,
                    radius * 1.04,
                ),
            );
        }
        let mut groups = vec![palm.done()];
        for (digit, knuckles) in self.knuckles.iter().enumerate() {
            let is_thumb = digit == 0;
            let base = if is_thumb { 0.0135 } else { FINGERS[digit - 1].5 };
            let mut clay = Clay::new(THUMB + digit as u16, if is_thumb { 0.014 } else { 0.005 });
            let [a, b, c, d] = *knuckles;
            let radii = if is_thumb {
                [base, 0.0118, 0.0110, 0.0090]
            } else {
                [base, base * 0.95, base * 0.89, base * 0.76]
            };
            clay.add(0.004, bone(a, b, radii[0], radii[1]));
            clay.add(0.002, bone(b, c, radii[1], radii[2]));
            clay.add(0.002, bone(c, d - (d - c).normalize() * radii[3], radii[2], radii[3]));
            // Fleshy first and second phalanx, thicker joints, a pad on the tip.
            for joint in [b, c] {
                clay.add(
                    0.006,
                    bean(
                        joint + self.dorsal * 0.001,
                        b - a,
                        self.dorsal,
                        DVec3::new(1.0, 1.1, 1.0) * radii[1] * 0.97,
                    ),
                );
            }
            clay.add(
                0.006,
                bean(
                    a.lerp(b, 0.55) - self.dorsal * 0.0018,
                    b - a,
                    self.dorsal,
                    DVec3::new(radii[1] * 0.99, 0.018, radii[1]),
                ),
            );
            clay.add(
                0.005,
                bean(
                    c.lerp(d, 0.5) - self.dorsal * 0.0012,
                    d - c,
                    self.dorsal,
                    DVec3::new(radii[3] * 1.12, 0.013, radii[3] * 1.05),
                ),
            );
            groups.push(clay.done());
        }
        groups
    }
}
