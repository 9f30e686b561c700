//! The giant: 2.8 m of shoulders, belly and fists on short legs, with 19 bones.

use glam::DVec3;

use super::bind::Region;
use super::clay::{Clay, ball, bean, bone, capped, flat_bone, limb, s, v};
use super::field::Group;
use super::rig::Rig;
use super::{Detail, Plan, moves};

const TORSO: u16 = 0;
const HEAD: u16 = 1;
const ARM: u16 = 2;
const HAND: u16 = 3;
const LEG: u16 = 4;
const FOOT: u16 = 5;

const SHOULDER: DVec3 = v(0.480, 2.200, -0.080);
const ELBOW: DVec3 = v(0.800, 1.760, -0.110);
const WRIST: DVec3 = v(1.010, 1.320, 0.010);
const HIP: DVec3 = v(0.200, 1.180, -0.010);
const KNEE: DVec3 = v(0.255, 0.660, 0.030);
const ANKLE: DVec3 = v(0.285, 0.150, -0.050);

/// Everything about the giant.
pub(super) fn plan() -> Plan {
    let rig = rig();
    let detail = |center, radius, factor| Detail { center, radius, factor };
    Plan {
        name: "giant",
        groups: vec![torso(), head(), leg(), foot(), arm(), hand()],
        low: v(0.0, -0.04, -0.62),
        high: v(1.45, 2.90, 0.62),
        cell: 0.009,
        details: vec![
            detail(v(0.0, 2.52, 0.20), 0.20, 0.50),
            detail(WRIST + v(0.08, -0.22, 0.06), 0.20, 0.60),
            detail(v(0.32, 0.06, 0.22), 0.16, 0.70),
        ],
        regions: regions(&rig),
        patches: Vec::new(),
        rig,
        clips: moves::giant,
    }
}

fn torso() -> Group {
    let mut clay = Clay::new(TORSO, 0.06);
    let trunk = limb(
        [v(0.0, 1.10, 0.0), v(0.0, 2.34, 0.0)],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.00, [0.0, -0.01], [0.290, 0.290, 0.190, 0.200]),
            s(0.12, [0.0, 0.00], [0.330, 0.330, 0.240, 0.220]),
            s(0.30, [0.0, 0.02], [0.345, 0.345, 0.300, 0.220]),
            s(0.50, [0.0, 0.01], [0.370, 0.370, 0.295, 0.240]),
            s(0.70, [0.0, -0.02], [0.430, 0.430, 0.270, 0.290]),
            s(0.86, [0.0, -0.06], [0.430, 0.430, 0.220, 0.290]),
            s(1.00, [0.0, -0.10], [0.300, 0.300, 0.150, 0.210]),
        ],
    );
    clay.add(0.06, capped(trunk, 0.12, 0.10));
    clay.add_across(0.06, bone(v(0.070, 2.470, -0.110), v(0.430, 2.280, -0.090), 0.130, 0.120));
    clay.add_across(
        0.12,
        bean(v(0.180, 2.030, 0.120), v(0.9, 0.3, 0.0), DVec3::Z, v(0.150, 0.230, 0.090)),
    );
    clay.add_across(
        0.14,
        bean(v(0.310, 1.840, -0.100), v(0.25, 1.0, 0.0), DVec3::Z, v(0.125, 0.330, 0.170)),
    );
    clay.add_across(
        0.14,
        bean(v(0.220, 2.100, -0.225), v(0.3, 1.0, 0.1), DVec3::Z, v(0.130, 0.210, 0.080)),
    );
    clay.add_across(
        0.05,
        bean(v(0.165, 1.130, -0.150), v(0.1, 1.0, 0.1), DVec3::Z, v(0.165, 0.170, 0.130)),
    );
    clay.add_across(
        0.05,
        bean(v(0.090, 1.560, 0.250), v(0.05, 1.0, -0.05), DVec3::Z, v(0.095, 0.220, 0.070)),
    );
    clay.carve(0.03, ball(v(0.0, 1.430, 0.345), v(0.016, 0.022, 0.030)));
    clay.carve(0.10, bone(v(0.0, 1.42, -0.290), v(0.0, 2.05, -0.430), 0.030, 0.030));
    // A belt of rope, tied in front.
    let radii = [0.350, 0.350, 0.270, 0.245];
    let belt = limb(
        [v(0.0, 1.255, 0.005), v(0.0, 1.285, 0.005)],
        DVec3::Z,
        DVec3::X,
        &[s(0.0, [0.0; 2], radii), s(1.0, [0.0; 2], radii)],
    );
    clay.add(0.02, capped(belt, 0.035, 0.035));
    clay.add(0.02, ball(v(0.0, 1.270, 0.285), v(0.060, 0.060, 0.040)));
    clay.done()
}

fn head() -> Group {
    let mut clay = Clay::new(HEAD, 0.07);
    clay.add(0.05, bone(v(0.0, 2.33, -0.060), v(0.0, 2.52, 0.060), 0.160, 0.130));
    clay.add(0.05, ball(v(0.0, 2.630, 0.080), v(0.138, 0.150, 0.165)));
    clay.add(0.05, ball(v(0.0, 2.510, 0.150), v(0.125, 0.110, 0.120)));
    clay.add_across(0.04, bone(v(0.095, 2.520, 0.090), v(0.045, 2.440, 0.220), 0.050, 0.045));
    clay.add(0.03, ball(v(0.0, 2.440, 0.245), v(0.060, 0.040, 0.040)));
    clay.add_across(0.025, bone(v(0.020, 2.630, 0.232), v(0.098, 2.625, 0.175), 0.026, 0.022));
    clay.add_across(0.03, ball(v(0.085, 2.555, 0.180), v(0.040, 0.028, 0.040)));
    clay.carve(0.022, ball(v(0.056, 2.592, 0.268), v(0.034, 0.021, 0.040)));
    clay.add(0.005, ball(v(0.057, 2.592, 0.210), DVec3::splat(0.025)));
    clay.add(0.03, bone(v(0.0, 2.615, 0.225), v(0.0, 2.545, 0.275), 0.020, 0.030));
    clay.add_across(0.016, ball(v(0.030, 2.535, 0.265), v(0.022, 0.018, 0.024)));
    clay.carve(0.010, ball(v(0.017, 2.520, 0.287), v(0.009, 0.008, 0.011)));
    // Mouth, under-bite and two small tusks.
    clay.add(0.03, ball(v(0.0, 2.482, 0.225), v(0.070, 0.042, 0.042)));
    clay.add_across(0.014, bone(v(0.010, 2.497, 0.264), v(0.062, 2.488, 0.222), 0.014, 0.008));
    clay.add_across(0.014, bone(v(0.010, 2.467, 0.268), v(0.062, 2.478, 0.224), 0.017, 0.009));
    clay.carve(
        0.010,
        flat_bone(v(0.0, 2.483, 0.285), v(0.070, 2.482, 0.235), [0.009, 0.007], DVec3::Y, 0.5),
    );
    clay.add(0.006, bone(v(0.038, 2.474, 0.262), v(0.043, 2.512, 0.276), 0.012, 0.005));
    // Pointed ears.
    clay.add(0.02, bone(v(0.130, 2.580, 0.060), v(0.215, 2.640, 0.000), 0.036, 0.012));
    clay.carve(0.014, bone(v(0.150, 2.588, 0.090), v(0.190, 2.622, 0.045), 0.018, 0.008));
    clay.done()
}

fn leg() -> Group {
    let mut clay = Clay::new(LEG, 0.08);
    let thigh = limb(
        [v(0.200, 1.150, -0.010), KNEE],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.00, [0.0; 2], [0.165, 0.165, 0.180, 0.190]),
            s(0.25, [0.0; 2], [0.180, 0.172, 0.190, 0.180]),
            s(0.60, [0.0; 2], [0.155, 0.145, 0.165, 0.150]),
            s(1.00, [0.0; 2], [0.118, 0.118, 0.118, 0.115]),
        ],
    );
    clay.add_across(0.04, thigh);
    let shin = limb(
        [KNEE, ANKLE],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.00, [0.0; 2], [0.116, 0.116, 0.112, 0.110]),
            s(0.30, [0.0; 2], [0.130, 0.126, 0.105, 0.155]),
            s(0.60, [0.0; 2], [0.108, 0.104, 0.096, 0.125]),
            s(0.85, [0.0; 2], [0.088, 0.086, 0.090, 0.094]),
            s(1.00, [0.0; 2], [0.092, 0.092, 0.096, 0.098]),
        ],
    );
    clay.add(0.06, shin);
    clay.add(0.04, ball(v(0.258, 0.690, 0.125), v(0.065, 0.075, 0.040)));
    clay.add(
        0.06,
        bean(v(0.185, 0.800, 0.090), v(0.1, 1.0, 0.0), DVec3::Z, v(0.065, 0.140, 0.070)),
    );
    clay.add(
        0.06,
        bean(v(0.345, 0.830, 0.080), v(-0.1, 1.0, 0.0), DVec3::Z, v(0.060, 0.170, 0.070)),
    );
    clay.done()
}

fn foot() -> Group {
    let mut clay = Clay::new(FOOT, 0.06);
    let sole = limb(
        [v(0.285, 0.075, -0.130), v(0.330, 0.055, 0.240)],
        DVec3::Y,
        DVec3::X,
        &[
            s(0.0, [0.0; 2], [0.090, 0.090, 0.090, 0.075]),
            s(0.4, [0.0; 2], [0.102, 0.096, 0.120, 0.066]),
            s(0.8, [0.0; 2], [0.135, 0.120, 0.065, 0.058]),
            s(1.0, [0.0; 2], [0.138, 0.124, 0.046, 0.055]),
        ],
    );
    clay.add(0.04, capped(sole, 0.080, 0.040));
    for (x, z, tip_x, tip_z, radius) in [
        (0.248, 0.240, 0.250, 0.345, 0.047),
        (0.330, 0.245, 0.336, 0.345, 0.038),
        (0.395, 0.225, 0.405, 0.316, 0.035),
        (0.448, 0.185, 0.465, 0.265, 0.033),
    ] {
        clay.add(
            0.022,
            bone(v(x, radius + 0.012, z), v(tip_x, radius, tip_z), radius * 1.05, radius),
        );
    }
    clay.done()
}

fn arm() -> Group {
    let mut clay = Clay::new(ARM, 0.09);
    let along = (ELBOW - SHOULDER).normalize();
    let out = v(0.8, 0.6, 0.0).reject_from_normalized(along).normalize();
    let upper = limb(
        [SHOULDER, ELBOW],
        DVec3::Z,
        out,
        &[
            s(0.00, [0.0; 2], [0.130, 0.130, 0.150, 0.150]),
            s(0.25, [0.0; 2], [0.140, 0.140, 0.155, 0.150]),
            s(0.60, [0.0; 2], [0.122, 0.126, 0.140, 0.130]),
            s(1.00, [0.0; 2], [0.102, 0.102, 0.108, 0.110]),
        ],
    );
    clay.add(0.06, upper);
    clay.add(
        0.07,
        bean(SHOULDER + along * 0.09 + out * 0.04, along, DVec3::Z, v(0.135, 0.220, 0.165)),
    );
    clay.add(
        0.06,
        bean(SHOULDER + along * 0.31 + v(0.0, 0.0, 0.060), along, DVec3::Z, v(0.095, 0.170, 0.090)),
    );
    clay.add(
        0.06,
        bean(SHOULDER + along * 0.28 - v(0.0, 0.0, 0.065), along, DVec3::Z, v(0.100, 0.190, 0.085)),
    );
    let down = (WRIST - ELBOW).normalize();
    let back = out.reject_from_normalized(down).normalize();
    let forearm = limb(
        [ELBOW, WRIST],
        DVec3::Z,
        back,
        &[
            s(0.00, [0.0; 2], [0.102, 0.102, 0.108, 0.112]),
            s(0.28, [0.0; 2], [0.124, 0.122, 0.145, 0.125]),
            s(0.60, [0.0; 2], [0.112, 0.110, 0.126, 0.112]),
            s(1.00, [0.0; 2], [0.080, 0.080, 0.092, 0.092]),
        ],
    );
    clay.add(0.06, forearm);
    clay.done()
}

/// Along the hand, towards the thumb, towards its back.
fn hand_frame() -> [DVec3; 3] {
    let along = ((WRIST - ELBOW).normalize() + v(0.05, -0.30, 0.02)).normalize();
    let thumbwards = DVec3::Z.reject_from_normalized(along).normalize();
    let back = along.cross(thumbwards);
    [along, thumbwards, if back.x < 0.0 { -back } else { back }]
}

fn hand() -> Group {
    let [along, thumbwards, back] = hand_frame();
    let at = |t: f64, side: f64, b: f64| WRIST + along * t + thumbwards * side + back * b;
    let mut clay = Clay::new(HAND, 0.05);
    let palm = limb(
        [at(-0.01, 0.0, 0.0), at(0.190, 0.0, 0.0)],
        back,
        thumbwards,
        &[
            s(0.0, [0.0; 2], [0.088, 0.088, 0.072, 0.074]),
            s(0.5, [0.0; 2], [0.118, 0.112, 0.068, 0.074]),
            s(1.0, [0.0; 2], [0.122, 0.120, 0.056, 0.060]),
        ],
    );
    clay.add(0.03, capped(palm, 0.06, 0.045));
    clay.add(0.05, bean(at(0.090, 0.075, -0.045), along, back, v(0.055, 0.090, 0.050)));
    for (side, spread, length) in [
        (0.092, 0.020, 0.165),
        (0.032, 0.006, 0.185),
        (-0.030, -0.010, 0.172),
        (-0.090, -0.028, 0.140),
    ] {
        let (a, b) = (at(0.205, side, 0.0), at(0.205 + length * 0.42, side + spread * 0.5, -0.018));
        let (c, d) = (
            at(0.205 + length * 0.76, side + spread * 0.8, -0.060),
            at(0.205 + length * 0.95, side + spread, -0.108),
        );
        clay.add(0.018, bone(a, b, 0.036, 0.034));
        clay.add(0.012, bone(b, c, 0.034, 0.032));
        clay.add(0.012, bone(c, d, 0.032, 0.027));
    }
    clay.add(0.03, bone(at(0.070, 0.080, -0.030), at(0.145, 0.160, -0.070), 0.050, 0.043));
    clay.add(0.015, bone(at(0.145, 0.160, -0.070), at(0.225, 0.190, -0.105), 0.043, 0.034));
    clay.done()
}

fn rig() -> Rig {
    let mut rig = Rig::default();
    let (front, back, up) = (DVec3::Z, -DVec3::Z, DVec3::Y);
    let spine = [
        v(0.0, 1.20, 0.0),
        v(0.0, 1.50, 0.01),
        v(0.0, 1.85, -0.02),
        v(0.0, 2.36, -0.06),
        v(0.0, 2.50, 0.05),
        v(0.0, 2.76, 0.09),
    ];
    let mut parent = "";
    for (index, name) in ["hips", "spine", "chest", "neck", "head"].into_iter().enumerate() {
        rig.center(name, parent, [spine[index], spine[index + 1]], front);
        parent = name;
    }
    rig.left("clavicle", "chest", [v(0.06, 2.24, 0.0), SHOULDER + v(-0.01, 0.01, 0.0)], up);
    rig.left("upper_arm", "clavicle", [SHOULDER, ELBOW], front);
    rig.left("forearm", "upper_arm", [ELBOW, WRIST], front);
    let [along, _, dorsal] = hand_frame();
    rig.left("hand", "forearm", [WRIST, WRIST + along * 0.30 - dorsal * 0.02], -dorsal);
    rig.left("thigh", "hips", [HIP, KNEE], front);
    rig.left("shin", "thigh", [KNEE, ANKLE], back);
    rig.left("foot", "shin", [ANKLE, v(0.335, 0.050, 0.270)], up);
    rig
}

fn regions(rig: &Rig) -> Vec<Region> {
    let region = |names: &[&str], chart_axis| Region { joints: rig.find_all(names), chart_axis };
    let vertical = [v(0.0, 1.0, -0.02), v(0.0, 2.5, -0.02)];
    vec![
        region(&["hips", "spine", "chest", "clavicle"], vertical),
        region(&["neck", "head"], [v(0.0, 2.3, 0.06), v(0.0, 2.8, 0.06)]),
        region(&["upper_arm", "forearm"], [SHOULDER, WRIST]),
        region(&["hand"], [ELBOW, WRIST]),
        region(&["thigh", "shin"], [HIP, ANKLE]),
        region(&["foot"], [v(0.285, 0.07, -0.13), v(0.33, 0.06, 0.24)]),
    ]
}
