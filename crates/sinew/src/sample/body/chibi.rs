//! The chibi: a small hero two heads tall, with big eyes, twin tails, a tunic, cuffed sleeves,
//! mittens and chunky shoes.

use glam::DVec3;

use super::bind::{Patch, Region};
use super::clay::{Clay, ball, bean, bone, capped, flat_bone, limb, s, v};
use super::field::Group;
use super::rig::Rig;
use super::{Detail, Plan, moves};

const BODY: u16 = 0;
const HEAD: u16 = 1;
const ARM: u16 = 2;
const HAND: u16 = 3;
const THUMB: u16 = 4;
const LEG: u16 = 5;
const FOOT: u16 = 6;
const HAIR: u16 = 7;
const TAIL: u16 = 8;

const SHOULDER: DVec3 = v(0.088, 0.392, -0.005);
const ELBOW: DVec3 = v(0.160, 0.326, -0.008);
const WRIST: DVec3 = v(0.226, 0.262, 0.006);
const HIP: DVec3 = v(0.062, 0.235, 0.0);
const KNEE: DVec3 = v(0.070, 0.110, 0.004);
const ANKLE: DVec3 = v(0.073, 0.060, -0.008);
const EYE: DVec3 = v(0.089, 0.634, 0.158);

/// Everything about the chibi.
pub(super) fn plan() -> Plan {
    let rig = rig();
    let detail = |center, radius, factor| Detail { center, radius, factor };
    Plan {
        name: "chibi",
        groups: vec![body(), leg(), shoe(), arm(), hand(), head(), hair(), tail()],
        low: v(0.0, -0.02, -0.32),
        high: v(0.46, 1.08, 0.34),
        cell: 0.004,
        details: vec![
            detail(v(0.088, 0.645, 0.19), 0.065, 0.42),
            detail(v(0.0, 0.575, 0.20), 0.05, 0.42),
            detail(v(0.0, 0.70, 0.15), 0.17, 0.72),
            detail(v(0.262, 0.228, 0.015), 0.06, 0.55),
            detail(v(0.078, 0.04, 0.02), 0.11, 0.75),
            detail(v(0.0, 0.33, 0.09), 0.07, 0.5),
        ],
        regions: regions(&rig),
        patches: patches(&rig),
        rig,
        clips: moves::chibi,
    }
}

fn body() -> Group {
    let mut clay = Clay::new(BODY, 0.02);
    let tunic = limb(
        [v(0.0, 0.178, 0.0), v(0.0, 0.440, 0.0)],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.00, [0.0, 0.0], [0.142, 0.142, 0.118, 0.118]),
            s(0.12, [0.0, 0.0], [0.132, 0.132, 0.110, 0.110]),
            s(0.34, [0.0, 0.0], [0.112, 0.112, 0.096, 0.094]),
            s(0.60, [0.0, 0.0], [0.101, 0.101, 0.087, 0.085]),
            s(0.84, [0.0, 0.0], [0.090, 0.090, 0.072, 0.074]),
            s(1.00, [0.0, 0.0], [0.062, 0.062, 0.052, 0.054]),
        ],
    );
    clay.add(0.02, capped(tunic, 0.020, 0.03));
    // Belt, collar and two buttons.
    clay.add(0.008, ring(v(0.0, 0.262, 0.0), 0.118, 0.100, 0.010));
    clay.add(0.012, ring(v(0.0, 0.432, 0.004), 0.084, 0.076, 0.018));
    for y in [0.375, 0.330] {
        clay.add(0.005, ball(v(0.0, y, 0.080), v(0.013, 0.013, 0.012)));
    }
    clay.add(0.005, ball(v(0.0, 0.262, 0.102), v(0.022, 0.018, 0.011)));
    clay.done()
}

/// A rounded band around a vertical axis.
fn ring(center: DVec3, out: f64, front: f64, half_height: f64) -> super::field::Shape {
    let up = DVec3::Y * half_height * 0.3;
    let radii = [out, out, front, front];
    capped(
        limb(
            [center - up, center + up],
            DVec3::Z,
            DVec3::X,
            &[s(0.0, [0.0; 2], radii), s(1.0, [0.0; 2], radii)],
        ),
        half_height,
        half_height,
    )
}

fn leg() -> Group {
    let mut clay = Clay::new(LEG, 0.012);
    let thigh = limb(
        [HIP, v(0.071, 0.130, 0.004)],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.0, [0.0; 2], [0.060, 0.056, 0.064, 0.066]),
            s(0.7, [0.0; 2], [0.064, 0.058, 0.067, 0.068]),
            s(1.0, [0.0; 2], [0.068, 0.060, 0.070, 0.071]),
        ],
    );
    clay.add_across(0.01, capped(thigh, 0.04, 0.012));
    clay.add(0.006, bone(v(0.068, 0.140, 0.006), ANKLE, 0.046, 0.042));
    clay.add(0.006, ring_at(v(0.072, 0.098, -0.002), 0.053, 0.013));
    clay.done()
}

fn ring_at(center: DVec3, radius: f64, half_height: f64) -> super::field::Shape {
    ball(center, v(radius, half_height, radius))
}

fn shoe() -> Group {
    let mut clay = Clay::new(FOOT, 0.010);
    let upper = limb(
        [v(0.073, 0.042, -0.046), v(0.088, 0.040, 0.078)],
        DVec3::Y,
        DVec3::X,
        &[
            s(0.0, [0.0; 2], [0.046, 0.045, 0.042, 0.036]),
            s(0.4, [0.0; 2], [0.050, 0.048, 0.046, 0.036]),
            s(0.8, [0.0; 2], [0.060, 0.056, 0.040, 0.036]),
            s(1.0, [0.0; 2], [0.058, 0.056, 0.036, 0.036]),
        ],
    );
    clay.add(0.015, capped(upper, 0.030, 0.042));
    let sole = limb(
        [v(0.073, 0.014, -0.050), v(0.089, 0.014, 0.082)],
        DVec3::Y,
        DVec3::X,
        &[
            s(0.0, [0.0; 2], [0.050, 0.049, 0.014, 0.014]),
            s(0.5, [0.0; 2], [0.056, 0.052, 0.014, 0.014]),
            s(1.0, [0.0; 2], [0.063, 0.060, 0.014, 0.014]),
        ],
    );
    clay.add(0.009, capped(sole, 0.034, 0.046));
    // Tongue and two straps.
    clay.add(0.008, bone(v(0.075, 0.086, 0.028), v(0.080, 0.074, 0.052), 0.022, 0.016));
    clay.done()
}

fn arm() -> Group {
    let mut clay = Clay::new(ARM, 0.022);
    let along = (WRIST - SHOULDER).normalize();
    let out = v(0.7, 0.7, 0.0).reject_from_normalized(along);
    let sleeve = limb(
        [SHOULDER, SHOULDER + along * 0.178],
        DVec3::Z,
        out,
        &[
            s(0.00, [0.0; 2], [0.040, 0.040, 0.046, 0.046]),
            s(0.30, [0.0; 2], [0.044, 0.042, 0.047, 0.047]),
            s(0.62, [0.0; 2], [0.045, 0.045, 0.047, 0.047]),
            s(0.88, [0.0; 2], [0.054, 0.054, 0.056, 0.056]),
            s(1.00, [0.0; 2], [0.059, 0.059, 0.060, 0.060]),
        ],
    );
    clay.add(0.02, capped(sleeve, 0.035, 0.012));
    clay.done()
}

/// Along the arm, towards the back of the hand.
fn hand_frame() -> [DVec3; 2] {
    let along = (WRIST - ELBOW).normalize();
    [along, v(0.7, 0.7, 0.0).reject_from_normalized(along).normalize()]
}

fn hand() -> Group {
    let [along, back] = hand_frame();
    let mut clay = Clay::new(HAND, 0.006);
    clay.add(0.01, bone(WRIST - along * 0.02, WRIST + along * 0.02, 0.030, 0.030));
    clay.add(0.015, bean(WRIST + along * 0.040, along, back, v(0.038, 0.038, 0.029)));
    // Three soft fingers side by side.
    for (side, length) in [(0.021, 0.066), (0.0, 0.072), (-0.020, 0.064)] {
        let base = WRIST + along * 0.040 + DVec3::Z * side;
        let tip = WRIST + along * length + DVec3::Z * side * 1.25 - back * 0.010;
        clay.add(0.008, bone(base, tip, 0.0165, 0.0150));
    }
    clay.region(THUMB);
    let thumb = thumb();
    clay.add(0.012, bone(thumb[0], thumb[1], 0.017, 0.0155));
    clay.add(0.008, bone(thumb[1], thumb[2], 0.0155, 0.0140));
    clay.done()
}

fn thumb() -> [DVec3; 3] {
    let [along, back] = hand_frame();
    [
        WRIST + along * 0.022 + v(0.0, 0.0, 0.020) - back * 0.004,
        WRIST + along * 0.040 + v(0.0, 0.0, 0.046) - back * 0.010,
        WRIST + along * 0.058 + v(0.0, 0.0, 0.056) - back * 0.014,
    ]
}

fn head() -> Group {
    let mut clay = Clay::new(HEAD, 0.012);
    clay.add(0.02, bone(v(0.0, 0.42, -0.004), v(0.0, 0.50, 0.0), 0.048, 0.050));
    clay.add(0.03, ball(v(0.0, 0.685, 0.005), v(0.222, 0.205, 0.205)));
    clay.add_across(0.07, ball(v(0.085, 0.585, 0.075), v(0.105, 0.085, 0.105)));
    clay.add(0.06, ball(v(0.0, 0.528, 0.100), v(0.070, 0.044, 0.066)));
    clay.add(0.012, bean(v(0.216, 0.625, 0.0), DVec3::Y, v(1.0, 0.0, 0.5), v(0.022, 0.034, 0.012)));
    // Eyes: a wide shallow hollow, a tall domed eye with its pupil, the lash line above.
    let gaze = v(0.36, 0.0, 1.0);
    clay.carve(0.009, bean(v(0.094, 0.636, 0.222), DVec3::Y, gaze, v(0.058, 0.070, 0.032)));
    clay.add(0.0015, bean(EYE, DVec3::Y, gaze, v(0.051, 0.064, 0.038)));
    clay.carve(0.004, bean(v(0.1035, 0.631, 0.1985), DVec3::Y, gaze, v(0.028, 0.041, 0.0100)));
    clay.add(0.003, ball(v(0.093, 0.652, 0.1900), v(0.0105, 0.0130, 0.0075)));
    let lash = [
        v(0.042, 0.664, 0.203),
        v(0.064, 0.694, 0.200),
        v(0.092, 0.704, 0.190),
        v(0.120, 0.695, 0.176),
        v(0.142, 0.672, 0.160),
        v(0.152, 0.650, 0.150),
    ];
    for (ends, radii) in lash.windows(2).zip([0.004, 0.007, 0.009, 0.010, 0.009, 0.005].windows(2))
    {
        clay.add(0.006, bone(ends[0], ends[1], radii[0], radii[1]));
    }

    // Nose, smile.
    clay.add(0.022, ball(v(0.0, 0.600, 0.2000), v(0.014, 0.010, 0.012)));
    clay.carve(0.007, bone(v(0.0, 0.5560, 0.1880), v(0.022, 0.5605, 0.1870), 0.0100, 0.0090));
    clay.carve(0.007, bone(v(0.022, 0.5605, 0.1870), v(0.042, 0.5710, 0.1850), 0.0090, 0.0070));
    clay.done()
}

fn hair() -> Group {
    let mut clay = Clay::new(HAIR, 0.006);
    clay.add(0.02, ball(v(0.0, 0.712, -0.018), v(0.250, 0.236, 0.236)));
    clay.add(0.05, ball(v(0.0, 0.615, -0.115), v(0.205, 0.165, 0.125)));
    // The face stays free.
    clay.carve(0.025, bean(v(0.0, 0.600, 0.230), DVec3::Y, DVec3::Z, v(0.205, 0.175, 0.215)));
    clay.carve(0.03, ball(v(0.0, 0.44, 0.02), v(0.16, 0.08, 0.13)));
    // Fringe: locks from the crown over the brow.
    let locks = [
        (v(0.030, 0.868, 0.130), v(0.014, 0.738, 0.222), 0.050, 0.010),
        (v(0.085, 0.866, 0.110), v(0.074, 0.744, 0.212), 0.050, 0.010),
        (v(0.135, 0.842, 0.090), v(0.134, 0.724, 0.184), 0.048, 0.010),
        (v(0.178, 0.806, 0.060), v(0.186, 0.688, 0.138), 0.044, 0.010),
        (v(0.212, 0.740, 0.040), v(0.222, 0.535, 0.085), 0.044, 0.011),
        (v(0.222, 0.700, -0.020), v(0.218, 0.520, 0.010), 0.040, 0.012),
    ];
    for (root, tip, radius, end) in locks {
        let flat = (root + tip - v(0.0, 1.4, 0.0)).normalize();
        clay.add_across(0.012, flat_bone(root, tip, [radius, end], flat, 0.62));
    }
    // Tufts at the nape.
    for (root, tip, radius) in [
        (v(0.045, 0.600, -0.195), v(0.040, 0.452, -0.222), 0.055),
        (v(0.125, 0.600, -0.150), v(0.128, 0.462, -0.180), 0.055),
        (v(0.185, 0.610, -0.085), v(0.196, 0.482, -0.100), 0.048),
    ] {
        clay.add_across(0.018, bone(root, tip, radius, 0.010));
    }
    // Strands from the crown down the back.
    for azimuth in [0.26, 0.76, 1.24_f64] {
        let on_cap = |elevation: f64| {
            let (up, out) = elevation.sin_cos();
            v(0.250 * out * azimuth.sin(), 0.236 * up, -0.236 * out * azimuth.cos()) * 0.865
                + v(0.0, 0.712, -0.018)
        };
        let line = [on_cap(1.25), on_cap(0.75), on_cap(0.30), on_cap(-0.20), on_cap(-0.55)];
        for (ends, radii) in line.windows(2).zip([0.030, 0.041, 0.044, 0.044, 0.036].windows(2)) {
            clay.add_across(0.0025, bone(ends[0], ends[1], radii[0], radii[1]));
        }
    }
    clay.done()
}

/// Where a twin tail starts, hangs and ends.
const TAIL_LINE: [DVec3; 5] = [
    v(0.225, 0.815, -0.075),
    v(0.290, 0.810, -0.095),
    v(0.345, 0.720, -0.105),
    v(0.355, 0.600, -0.095),
    v(0.325, 0.490, -0.070),
];

fn tail() -> Group {
    let mut clay = Clay::new(TAIL, 0.010);
    for (ends, radii) in
        TAIL_LINE.windows(2).zip([[0.034, 0.050], [0.050, 0.062], [0.062, 0.052], [0.052, 0.010]])
    {
        clay.add(0.006, bone(ends[0], ends[1], radii[0], radii[1]));
    }
    clay.add(0.012, bone(v(0.345, 0.640, -0.120), v(0.372, 0.520, -0.135), 0.040, 0.008));
    // The bobble that holds it.
    clay.region(HAIR);
    clay.add(0.006, ball(v(0.246, 0.822, -0.080), v(0.040, 0.044, 0.044)));
    clay.done()
}

fn rig() -> Rig {
    let mut rig = Rig::default();
    let (front, back, up) = (DVec3::Z, -DVec3::Z, DVec3::Y);
    rig.center("hips", "", [v(0.0, 0.225, 0.0), v(0.0, 0.285, 0.0)], front);
    rig.center("spine", "hips", [v(0.0, 0.285, 0.0), v(0.0, 0.350, 0.0)], front);
    rig.center("chest", "spine", [v(0.0, 0.350, 0.0), v(0.0, 0.430, 0.0)], front);
    rig.center("neck", "chest", [v(0.0, 0.430, 0.0), v(0.0, 0.512, 0.0)], front);
    rig.center("head", "neck", [v(0.0, 0.512, 0.0), v(0.0, 0.930, 0.0)], front);
    rig.center("hair", "head", [v(0.0, 0.620, -0.170), v(0.0, 0.475, -0.200)], back);
    rig.left("eye", "head", [EYE, EYE + v(0.010, 0.0, 0.030)], up);
    rig.left("brow", "head", [v(0.085, 0.735, 0.160), v(0.090, 0.737, 0.185)], up);
    rig.left(
        "hair_side",
        "head",
        [v(0.250, 0.818, -0.080), v(0.340, 0.560, -0.090)],
        v(1.0, 0.4, 0.0),
    );
    rig.left("clavicle", "chest", [v(0.020, 0.400, 0.0), SHOULDER], up);
    rig.left("upper_arm", "clavicle", [SHOULDER, ELBOW], front);
    rig.left("forearm", "upper_arm", [ELBOW, WRIST], front);
    let [along, dorsal] = hand_frame();
    let knuckle = WRIST + along * 0.044;
    let middle = WRIST + along * 0.060 - dorsal * 0.005;
    let tip = WRIST + along * 0.084 - dorsal * 0.012;
    rig.left("hand", "forearm", [WRIST, knuckle], -dorsal);
    rig.left("fingers_1", "hand", [knuckle, middle], -dorsal);
    rig.left("fingers_2", "fingers_1", [middle, tip], -dorsal);
    let thumb = thumb();
    rig.left("thumb_1", "hand", [thumb[0], thumb[1]], -DVec3::Z - dorsal);
    rig.left("thumb_2", "thumb_1", [thumb[1], thumb[2]], -DVec3::Z - dorsal);
    rig.left("thigh", "hips", [HIP, KNEE], front);
    rig.left("shin", "thigh", [KNEE, ANKLE], back);
    rig.left("foot", "shin", [ANKLE, v(0.084, 0.032, 0.050)], up);
    rig.left("toes", "foot", [v(0.084, 0.032, 0.050), v(0.090, 0.032, 0.110)], up);
    rig
}

fn regions(rig: &Rig) -> Vec<Region> {
    let region = |names: &[&str], chart_axis| Region { joints: rig.find_all(names), chart_axis };
    let vertical = [v(0.0, 0.2, 0.0), v(0.0, 0.8, 0.0)];
    vec![
        region(&["hips", "spine", "chest", "clavicle"], vertical),
        region(&["neck", "head"], vertical),
        region(&["upper_arm", "forearm"], [SHOULDER, WRIST]),
        region(&["hand", "fingers_1", "fingers_2"], [ELBOW, WRIST]),
        region(&["thumb_1", "thumb_2"], [thumb()[0], thumb()[2]]),
        region(&["thigh", "shin"], [HIP, ANKLE]),
        region(&["foot", "toes"], [v(0.073, 0.04, -0.05), v(0.088, 0.04, 0.08)]),
        region(&["head", "hair"], [v(0.0, 0.6, -0.03), v(0.0, 0.8, -0.03)]),
        region(&["hair_side"], [TAIL_LINE[1], TAIL_LINE[4]]),
    ]
}

fn patches(rig: &Rig) -> Vec<Patch> {
    let patch = |name: &str, center: DVec3, radii: DVec3| {
        let joint = rig.find_all(&[name]).first().copied();
        joint.map(|joint| Patch { joint, center, radii, strength: 1.0 })
    };
    [
        patch("brow", v(0.090, 0.736, 0.188), v(0.055, 0.022, 0.045)),
        patch("eye", v(0.090, 0.640, 0.193), v(0.042, 0.054, 0.040)),
    ]
    .into_iter()
    .flatten()
    .collect()
}
