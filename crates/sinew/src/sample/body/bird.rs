//! The bird: a body of 0.8 m that glides, with wings of 1.8 m from tip to tip and 11 bones.

use glam::DVec3;

use super::bind::Region;
use super::clay::{Clay, ball, bone, capped, limb, s, v};
use super::field::Group;
use super::rig::Rig;
use super::{Detail, Plan, moves};

const TORSO: u16 = 0;
const HEAD: u16 = 1;
const WING: u16 = 2;
const TAIL: u16 = 3;

const SHOULDER: DVec3 = v(0.050, 0.215, 0.060);
const ELBOW: DVec3 = v(0.330, 0.245, 0.090);
const WRIST: DVec3 = v(0.600, 0.235, 0.060);
const TIP: DVec3 = v(0.880, 0.210, -0.060);

/// Everything about the bird.
pub(super) fn plan() -> Plan {
    let rig = rig();
    Plan {
        name: "bird",
        groups: vec![torso(), head(), tail(), wing()],
        low: v(0.0, -0.03, -0.66),
        high: v(0.96, 0.40, 0.56),
        cell: 0.006,
        details: vec![
            Detail { center: v(0.0, 0.25, 0.38), radius: 0.09, factor: 0.55 },
            Detail { center: TIP, radius: 0.12, factor: 0.8 },
        ],
        regions: regions(&rig),
        patches: Vec::new(),
        rig,
        clips: moves::bird,
    }
}

fn torso() -> Group {
    let mut clay = Clay::new(TORSO, 0.05);
    let trunk = limb(
        [v(0.0, 0.155, -0.280), v(0.0, 0.175, 0.220)],
        DVec3::Y,
        DVec3::X,
        &[
            s(0.00, [0.0; 2], [0.035, 0.035, 0.030, 0.034]),
            s(0.25, [0.0; 2], [0.078, 0.078, 0.065, 0.080]),
            s(0.60, [0.0; 2], [0.112, 0.112, 0.092, 0.132]),
            s(0.85, [0.0; 2], [0.100, 0.100, 0.088, 0.112]),
            s(1.00, [0.0; 2], [0.062, 0.062, 0.060, 0.066]),
        ],
    );
    clay.add(0.04, trunk);
    clay.done()
}

fn head() -> Group {
    let mut clay = Clay::new(HEAD, 0.05);
    clay.add(0.03, bone(v(0.0, 0.190, 0.210), v(0.0, 0.245, 0.310), 0.062, 0.050));
    clay.add(0.03, ball(v(0.0, 0.252, 0.345), v(0.056, 0.056, 0.068)));
    clay.add(0.02, bone(v(0.0, 0.243, 0.400), v(0.0, 0.226, 0.475), 0.022, 0.007));
    clay.add(0.006, ball(v(0.040, 0.268, 0.376), DVec3::splat(0.014)));
    clay.done()
}

fn tail() -> Group {
    let mut clay = Clay::new(TAIL, 0.05);
    let fan = limb(
        [v(0.0, 0.155, -0.250), v(0.0, 0.150, -0.560)],
        DVec3::Y,
        DVec3::X,
        &[
            s(0.0, [0.0; 2], [0.046, 0.046, 0.026, 0.026]),
            s(0.5, [0.0; 2], [0.082, 0.082, 0.018, 0.018]),
            s(1.0, [0.0; 2], [0.140, 0.140, 0.014, 0.014]),
        ],
    );
    clay.add(0.03, capped(fan, 0.030, 0.025));
    clay.done()
}

fn wing() -> Group {
    let mut clay = Clay::new(WING, 0.05);
    // Thin upwards and downwards; short before the bones and long behind them.
    let inner = limb(
        [SHOULDER, ELBOW],
        DVec3::Z,
        DVec3::Y,
        &[
            s(0.0, [0.0; 2], [0.032, 0.032, 0.050, 0.120]),
            s(1.0, [0.0; 2], [0.023, 0.023, 0.045, 0.160]),
        ],
    );
    clay.add(0.03, inner);
    let outer = limb(
        [ELBOW, WRIST],
        DVec3::Z,
        DVec3::Y,
        &[
            s(0.0, [0.0; 2], [0.023, 0.023, 0.045, 0.160]),
            s(1.0, [0.0; 2], [0.018, 0.018, 0.038, 0.145]),
        ],
    );
    clay.add(0.03, outer);
    let hand = limb(
        [WRIST, TIP],
        DVec3::Z,
        DVec3::Y,
        &[
            s(0.0, [0.0; 2], [0.018, 0.018, 0.038, 0.145]),
            s(0.6, [0.0; 2], [0.015, 0.015, 0.032, 0.100]),
            s(1.0, [0.0; 2], [0.013, 0.013, 0.022, 0.050]),
        ],
    );
    clay.add(0.03, capped(hand, 0.030, 0.040));
    clay.done()
}

fn rig() -> Rig {
    let mut rig = Rig::default();
    let up = DVec3::Y;
    rig.center("spine", "", [v(0.0, 0.155, -0.120), v(0.0, 0.165, 0.050)], up);
    rig.center("chest", "spine", [v(0.0, 0.165, 0.050), v(0.0, 0.185, 0.210)], up);
    rig.center("neck", "chest", [v(0.0, 0.185, 0.210), v(0.0, 0.248, 0.310)], up);
    rig.center("head", "neck", [v(0.0, 0.248, 0.310), v(0.0, 0.240, 0.430)], up);
    rig.center("tail", "spine", [v(0.0, 0.155, -0.240), v(0.0, 0.150, -0.560)], up);
    rig.left("wing_1", "chest", [SHOULDER, ELBOW], up);
    rig.left("wing_2", "wing_1", [ELBOW, WRIST], up);
    rig.left("wing_3", "wing_2", [WRIST, TIP], up);
    rig
}

fn regions(rig: &Rig) -> Vec<Region> {
    let region = |names: &[&str], chart_axis| Region { joints: rig.find_all(names), chart_axis };
    vec![
        region(&["spine", "chest"], [v(0.0, 0.155, -0.28), v(0.0, 0.175, 0.22)]),
        region(&["neck", "head"], [v(0.0, 0.19, 0.21), v(0.0, 0.24, 0.43)]),
        region(&["wing_1", "wing_2", "wing_3"], [SHOULDER, TIP]),
        region(&["tail"], [v(0.0, 0.155, -0.25), v(0.0, 0.15, -0.56)]),
    ]
}
