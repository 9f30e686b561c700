//! The human: an athletic adult of 1.75 m, seven and a half heads tall, in an A-pose.

use glam::DVec3;

use super::clay::{Clay, ball, bean, bone, capped, flat_bone, limb, s, v};
use super::field::Group;
use super::{Detail, Plan, human_hand, human_head, human_rig, moves};

pub(super) const TORSO: u16 = 0;
pub(super) const HEAD: u16 = 1;
pub(super) const ARM: u16 = 2;
pub(super) const PALM: u16 = 3;
/// Thumb, then index to pinky.
pub(super) const THUMB: u16 = 4;
pub(super) const LEG: u16 = 9;
pub(super) const FOOT: u16 = 10;

pub(super) const SHOULDER: DVec3 = v(0.178, 1.424, -0.022);
pub(super) const ELBOW: DVec3 = v(0.382, 1.226, -0.034);
pub(super) const WRIST: DVec3 = v(0.556, 1.050, 0.012);
pub(super) const HIP: DVec3 = v(0.092, 0.915, -0.004);
pub(super) const KNEE: DVec3 = v(0.108, 0.492, 0.006);
pub(super) const ANKLE: DVec3 = v(0.118, 0.082, -0.028);

/// Everything about the human.
pub(super) fn plan() -> Plan {
    let hand = human_hand::Hand::new();
    let rig = human_rig::rig(&hand);
    let regions = human_rig::regions(&rig);
    let patches = human_head::patches(&rig);
    let mut groups = vec![torso(), human_head::head(), human_head::hair(), leg(), foot(), arm()];
    groups.extend(hand.clay());
    let detail = |center, radius, factor| Detail { center, radius, factor };
    let mut details = vec![
        detail(v(0.0, 1.59, 0.09), 0.06, 0.30),
        detail(v(0.033, 1.636, 0.08), 0.022, 0.125),
        detail(v(0.0, 1.572, 0.092), 0.027, 0.15),
        detail(v(0.0, 1.60, 0.108), 0.020, 0.17),
        detail(v(0.085, 1.628, -0.01), 0.032, 0.27),
        detail(v(0.03, 1.62, 0.02), 0.11, 0.55),
        detail(v(0.022, 1.708, 0.072), 0.030, 0.36),
        detail(v(0.062, 1.675, 0.035), 0.030, 0.36),
        detail(hand.at(0.12, 0.0, 0.0), 0.085, 0.30),
        detail(hand.at(0.05, 0.02, 0.0), 0.06, 0.36),
        detail(v(0.0, 1.052, 0.105), 0.014, 0.35),
        detail(v(0.135, 0.02, 0.14), 0.05, 0.42),
        detail(v(0.12, 0.05, 0.03), 0.10, 0.65),
        detail(ELBOW, 0.05, 0.70),
        detail(KNEE, 0.06, 0.75),
        detail(SHOULDER, 0.08, 0.80),
    ];
    details.push(detail(WRIST, 0.04, 0.6));
    Plan {
        name: "human",
        groups,
        low: v(0.0, -0.02, -0.22),
        high: v(0.82, 1.79, 0.27),
        cell: 0.004,
        details,
        rig,
        regions,
        patches,
        clips: moves::human,
    }
}

fn torso() -> Group {
    let mut clay = Clay::new(TORSO, 0.03);
    let trunk = limb(
        [v(0.0, 0.82, 0.0), v(0.0, 1.46, 0.0)],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.000, [0.0, -0.010], [0.104, 0.104, 0.062, 0.074]),
            s(0.094, [0.0, -0.008], [0.142, 0.142, 0.082, 0.090]),
            s(0.188, [0.0, -0.006], [0.156, 0.156, 0.094, 0.096]),
            s(0.281, [0.0, -0.002], [0.153, 0.153, 0.097, 0.090]),
            s(0.391, [0.0, 0.001], [0.143, 0.143, 0.096, 0.085]),
            s(0.500, [0.0, 0.001], [0.140, 0.140, 0.100, 0.090]),
            s(0.625, [0.0, -0.002], [0.147, 0.147, 0.108, 0.098]),
            s(0.750, [0.0, -0.008], [0.160, 0.160, 0.110, 0.106]),
            s(0.844, [0.0, -0.015], [0.160, 0.160, 0.102, 0.104]),
            s(0.922, [0.0, -0.024], [0.146, 0.146, 0.082, 0.092]),
            s(1.000, [0.0, -0.032], [0.104, 0.104, 0.060, 0.072]),
        ],
    );
    clay.add(0.03, capped(trunk, 0.05, 0.035));
    // Chest, back, shoulder girdle.
    clay.add_across(
        0.024,
        bean(v(0.080, 1.330, 0.061), v(0.75, 0.26, -0.16), DVec3::Z, v(0.057, 0.084, 0.032)),
    );
    clay.add_across(
        0.06,
        bean(v(0.116, 1.255, -0.042), v(0.20, 1.0, 0.0), DVec3::Z, v(0.046, 0.175, 0.060)),
    );
    clay.add_across(
        0.045,
        bean(v(0.088, 1.365, -0.088), v(0.3, 1.0, 0.1), DVec3::Z, v(0.052, 0.085, 0.030)),
    );
    clay.add_across(0.045, bone(v(0.030, 1.515, -0.040), v(0.165, 1.444, -0.030), 0.034, 0.030));
    clay.add(0.04, ball(v(0.0, 1.415, 0.012), v(0.11, 0.035, 0.046)));
    clay.add_across(0.028, bone(v(0.020, 1.428, 0.040), v(0.165, 1.453, -0.006), 0.008, 0.009));
    // Belly: two straight muscles with the line between, oblique fullness over the crest of the
    // hip.
    clay.add_across(
        0.026,
        bean(v(0.040, 1.085, 0.074), v(0.06, 1.0, 0.03), DVec3::Z, v(0.038, 0.165, 0.031)),
    );
    clay.add_across(
        0.06,
        bean(v(0.098, 1.015, 0.004), v(-0.04, 1.0, 0.0), DVec3::Z, v(0.044, 0.135, 0.074)),
    );
    // Below the arch of the ribs, along the groin, the navel.
    clay.carve(0.040, bone(v(0.020, 1.190, 0.134), v(0.115, 1.110, 0.098), 0.010, 0.010));
    clay.carve(0.030, bone(v(0.135, 0.985, 0.094), v(0.040, 0.866, 0.114), 0.008, 0.008));
    clay.carve(0.026, bone(v(0.0, 1.250, 0.136), v(0.0, 1.395, 0.101), 0.008, 0.008));
    clay.carve(0.025, bone(v(0.0, 1.080, 0.124), v(0.0, 1.200, 0.128), 0.008, 0.008));
    clay.carve(0.012, ball(v(0.0, 1.052, 0.112), v(0.006, 0.009, 0.010)));
    // Spine's furrow; the buttocks, high and broad enough to flow into back and thigh.
    clay.carve(0.05, bone(v(0.0, 1.02, -0.112), v(0.0, 1.36, -0.150), 0.012, 0.010));
    clay.add_across(
        0.035,
        bean(v(0.078, 0.892, -0.054), v(0.14, 1.0, 0.12), DVec3::Z, v(0.074, 0.092, 0.071)),
    );
    clay.carve(0.035, bone(v(0.0, 0.790, -0.094), v(0.0, 0.950, -0.122), 0.012, 0.006));
    clay.done()
}

fn leg() -> Group {
    let mut clay = Clay::new(LEG, 0.05);
    // The axis starts inside the pelvis, where the thigh is slimmer than the hip: their skins meet
    // at a flat angle.
    let thigh = limb(
        [v(0.090, 0.96, -0.004), KNEE],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.00, [0.0, 0.0], [0.060, 0.066, 0.072, 0.078]),
            s(0.13, [0.0, 0.0], [0.074, 0.075, 0.084, 0.088]),
            s(0.26, [0.001, 0.0], [0.079, 0.080, 0.090, 0.085]),
            s(0.43, [0.002, 0.003], [0.074, 0.077, 0.087, 0.083]),
            s(0.60, [0.002, 0.003], [0.068, 0.067, 0.076, 0.072]),
            s(0.77, [0.001, 0.002], [0.057, 0.056, 0.062, 0.060]),
            s(0.90, [0.0, 0.0], [0.050, 0.051, 0.053, 0.052]),
            s(1.00, [0.0, 0.0], [0.048, 0.050, 0.050, 0.047]),
        ],
    );
    clay.add_across(0.02, thigh);
    let shin = limb(
        [KNEE, ANKLE],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.00, [0.0, 0.0], [0.050, 0.051, 0.048, 0.046]),
            s(0.12, [0.0, 0.0], [0.049, 0.049, 0.044, 0.048]),
            s(0.30, [0.001, -0.002], [0.054, 0.053, 0.042, 0.064]),
            s(0.52, [0.001, 0.0], [0.045, 0.043, 0.038, 0.053]),
            s(0.76, [0.0, 0.002], [0.032, 0.031, 0.034, 0.037]),
            s(0.92, [0.0, 0.0], [0.029, 0.029, 0.033, 0.036]),
            s(1.00, [0.0, 0.0], [0.032, 0.032, 0.034, 0.036]),
        ],
    );
    clay.add(0.035, shin);
    // Straight muscle in front, the vastus on either side of it, the hamstrings; kneecap, the two
    // heads of the calf.
    clay.add(
        0.035,
        bean(v(0.104, 0.735, 0.052), v(0.02, 1.0, 0.04), DVec3::Z, v(0.040, 0.150, 0.038)),
    );
    clay.add(
        0.03,
        bean(v(0.084, 0.585, 0.028), v(0.10, 1.0, 0.0), DVec3::Z, v(0.028, 0.062, 0.030)),
    );
    clay.add(
        0.035,
        bean(v(0.136, 0.690, 0.018), v(0.08, 1.0, 0.0), DVec3::Z, v(0.030, 0.140, 0.040)),
    );
    clay.add(
        0.035,
        bean(v(0.102, 0.720, -0.042), v(0.0, 1.0, -0.08), DVec3::Z, v(0.044, 0.150, 0.034)),
    );
    clay.add(0.022, ball(v(0.108, 0.500, 0.044), v(0.024, 0.030, 0.016)));
    clay.add(0.02, bone(v(0.109, 0.448, 0.046), v(0.112, 0.425, 0.040), 0.010, 0.008));
    clay.add(
        0.03,
        bean(v(0.086, 0.375, -0.030), v(0.03, 1.0, -0.05), DVec3::Z, v(0.026, 0.072, 0.034)),
    );
    clay.add(
        0.03,
        bean(v(0.138, 0.385, -0.028), v(-0.02, 1.0, -0.05), DVec3::Z, v(0.025, 0.065, 0.032)),
    );
    // Ankle bones and the tendon behind.
    clay.add(0.016, ball(v(0.089, 0.088, -0.020), v(0.011, 0.014, 0.013)));
    clay.add(0.016, ball(v(0.148, 0.078, -0.028), v(0.010, 0.014, 0.012)));
    clay.add(0.02, bone(v(0.117, 0.185, -0.042), v(0.117, 0.05, -0.070), 0.012, 0.014));
    clay.done()
}

fn foot() -> Group {
    let mut clay = Clay::new(FOOT, 0.03);
    let sole = limb(
        [v(0.116, 0.034, -0.066), v(0.140, 0.024, 0.128)],
        DVec3::Y,
        DVec3::X,
        &[
            s(0.00, [0.0, 0.0], [0.030, 0.030, 0.040, 0.034]),
            s(0.22, [0.0, 0.0], [0.030, 0.031, 0.052, 0.032]),
            s(0.45, [0.002, 0.0], [0.034, 0.029, 0.048, 0.026]),
            s(0.70, [0.001, 0.0], [0.042, 0.036, 0.030, 0.026]),
            s(0.90, [-0.001, 0.0], [0.046, 0.041, 0.017, 0.024]),
            s(1.00, [-0.002, 0.0], [0.043, 0.041, 0.013, 0.022]),
        ],
    );
    clay.add(0.02, capped(sole, 0.026, 0.016));
    clay.add(0.03, bone(v(0.118, 0.085, -0.020), v(0.122, 0.055, 0.045), 0.030, 0.022));
    for (x, z, tip_x, tip_z, radius) in [
        (0.116, 0.128, 0.119, 0.178, 0.0145),
        (0.138, 0.134, 0.142, 0.178, 0.0105),
        (0.153, 0.130, 0.158, 0.170, 0.0098),
        (0.167, 0.122, 0.173, 0.158, 0.0094),
        (0.178, 0.110, 0.186, 0.143, 0.0092),
    ] {
        let base = v(x, radius + 0.006, z);
        let middle = v(0.5 * (x + tip_x), radius + 0.007, 0.45 * z + 0.55 * tip_z);
        let tip = v(tip_x, radius + 0.0005, tip_z);
        clay.add(0.010, bone(base, middle, radius * 1.02, radius * 0.9));
        clay.add(0.005, flat_bone(middle, tip, [radius * 0.9, radius], DVec3::Y, 0.92));
    }
    clay.done()
}

fn arm() -> Group {
    let mut clay = Clay::new(ARM, 0.045);
    let along = (ELBOW - SHOULDER).normalize();
    let out = v(0.7, 0.72, 0.0).reject_from_normalized(along).normalize();
    let upper = limb(
        [SHOULDER, ELBOW],
        DVec3::Z,
        out,
        &[
            s(0.00, [0.0, 0.0], [0.044, 0.042, 0.048, 0.048]),
            s(0.22, [0.0, 0.0], [0.047, 0.047, 0.052, 0.050]),
            s(0.48, [0.0, 0.002], [0.041, 0.044, 0.049, 0.046]),
            s(0.75, [0.0, 0.0], [0.037, 0.038, 0.041, 0.042]),
            s(0.92, [0.0, 0.0], [0.034, 0.034, 0.037, 0.036]),
            s(1.00, [0.0, 0.0], [0.034, 0.034, 0.036, 0.036]),
        ],
    );
    clay.add(0.03, upper);
    // Deltoid, biceps, triceps.
    clay.add(
        0.03,
        bean(SHOULDER + along * 0.045 + out * 0.012, along, DVec3::Z, v(0.047, 0.088, 0.056)),
    );
    clay.add(
        0.03,
        bean(
            SHOULDER + along * 0.155 + v(0.0, 0.0, 0.018),
            along,
            DVec3::Z,
            v(0.032, 0.075, 0.030),
        ),
    );
    clay.add(
        0.03,
        bean(
            SHOULDER + along * 0.140 - v(0.004, 0.004, 0.022),
            along,
            DVec3::Z,
            v(0.035, 0.085, 0.028),
        ),
    );
    let down = (WRIST - ELBOW).normalize();
    let back = out.reject_from_normalized(down).normalize();
    let forearm = limb(
        [ELBOW, WRIST],
        DVec3::Z,
        back,
        &[
            s(0.00, [0.0, 0.0], [0.034, 0.034, 0.036, 0.037]),
            s(0.10, [0.0, 0.002], [0.036, 0.037, 0.042, 0.038]),
            s(0.27, [0.0, 0.003], [0.037, 0.039, 0.047, 0.038]),
            s(0.52, [0.0, 0.002], [0.032, 0.033, 0.039, 0.034]),
            s(0.80, [0.0, 0.0], [0.023, 0.024, 0.030, 0.029]),
            s(1.00, [0.0, 0.0], [0.0195, 0.0205, 0.027, 0.027]),
        ],
    );
    clay.add(0.03, forearm);
    // The elbow's point and the wrist's outer bone.
    clay.add(0.016, ball(ELBOW - v(0.002, 0.0, 0.029) + back * 0.006, v(0.013, 0.016, 0.012)));
    clay.add(
        0.012,
        ball(WRIST - down * 0.018 + back * 0.014 - v(0.0, 0.0, 0.018), v(0.008, 0.008, 0.008)),
    );
    clay.done()
}
