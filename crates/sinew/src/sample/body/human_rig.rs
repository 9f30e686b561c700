//! The human's 85 joints, and which of them each region of skin may follow.

use glam::DVec3;

use super::bind::Region;
use super::clay::v;
use super::human::{ANKLE, ELBOW, HIP, KNEE, SHOULDER, WRIST};
use super::human_hand::{DIGITS, Hand};
use super::human_head::EYE;
use super::rig::Rig;

pub(super) fn rig(hand: &Hand) -> Rig {
    let mut rig = Rig::default();
    let (front, back, up) = (DVec3::Z, -DVec3::Z, DVec3::Y);
    // hips, spine_1, spine_2, spine_3, neck, head: each bone ends where the next begins.
    let spine = [
        v(0.0, 0.925, -0.010),
        v(0.0, 1.030, -0.006),
        v(0.0, 1.155, -0.008),
        v(0.0, 1.295, -0.020),
        v(0.0, 1.475, -0.036),
        v(0.0, 1.578, -0.008),
        v(0.0, 1.735, 0.006),
    ];
    let mut parent = "";
    for (index, name) in
        ["hips", "spine_1", "spine_2", "spine_3", "neck", "head"].into_iter().enumerate()
    {
        rig.center(name, parent, [spine[index], spine[index + 1]], front);
        parent = name;
    }
    face(&mut rig);

    rig.left("clavicle", "spine_3", [v(0.022, 1.425, 0.020), SHOULDER + v(-0.004, 0.004, 0.0)], up);
    // Half-way joints share the twist of what follows, so that the skin does not wring at one end.
    let (arm_middle, forearm_middle) = (SHOULDER.lerp(ELBOW, 0.5), ELBOW.lerp(WRIST, 0.5));
    rig.left("upper_arm", "clavicle", [SHOULDER, arm_middle], front);
    rig.left("upper_arm_twist", "upper_arm", [arm_middle, ELBOW], front);
    rig.left("forearm", "upper_arm", [ELBOW, forearm_middle], front);
    rig.left("forearm_twist", "forearm", [forearm_middle, WRIST], front);
    rig.left("hand", "forearm", [WRIST, hand.at(0.085, 0.0, 0.0)], hand.palmwards());
    for (digit, name) in DIGITS.iter().enumerate() {
        let [a, b, c, d] = hand.knuckles[digit];
        let fold = if digit == 0 { hand.thumb_fold() } else { hand.palmwards() };
        let mut parent = "hand".to_owned();
        if digit > 0 {
            let palm = format!("{name}_palm");
            let side = [0.012, 0.004, -0.005, -0.013][digit - 1];
            rig.left(&palm, &parent, [hand.at(0.022, side, 0.0), a], fold);
            parent = palm;
        }
        for (phalanx, ends) in [[a, b], [b, c], [c, d]].into_iter().enumerate() {
            let name = format!("{name}_{}", phalanx + 1);
            rig.left(&name, &parent, ends, fold);
            parent = name;
        }
    }

    let thigh_middle = HIP.lerp(KNEE, 0.5);
    rig.left("thigh", "hips", [HIP, thigh_middle], front);
    rig.left("thigh_twist", "thigh", [thigh_middle, KNEE], front);
    rig.left("shin", "thigh", [KNEE, ANKLE], back);
    let ball_of_foot = v(0.139, 0.022, 0.118);
    rig.left("foot", "shin", [ANKLE, ball_of_foot], up);
    rig.left("toes", "foot", [ball_of_foot, v(0.146, 0.014, 0.172)], up);

    rig
}

fn face(rig: &mut Rig) {
    let (up, down, front) = (DVec3::Y, -DVec3::Y, DVec3::Z);
    // Hinges in front of the ears: opening drops the chin.
    rig.center("jaw", "head", [v(0.0, 1.606, 0.004), v(0.0, 1.545, 0.078)], down);
    rig.center("chin", "jaw", [v(0.0, 1.548, 0.064), v(0.0, 1.542, 0.084)], down);
    rig.center("lip_lower", "jaw", [v(0.0, 1.566, 0.072), v(0.0, 1.566, 0.092)], down);
    rig.center("lip_upper", "head", [v(0.0, 1.578, 0.072), v(0.0, 1.578, 0.092)], up);
    rig.center("nose", "head", [v(0.0, 1.615, 0.085), v(0.0, 1.603, 0.110)], up);
    rig.left("eye", "head", [EYE, EYE + front * 0.011], up);
    // Lids turn about the eye: a positive turn closes both.
    rig.left("eyelid_upper", "head", [EYE, EYE + v(0.0, 0.006, 0.010)], down);
    rig.left("eyelid_lower", "head", [EYE, EYE + v(0.0, -0.006, 0.010)], up);
    rig.left("brow_inner", "head", [v(0.016, 1.656, 0.064), v(0.016, 1.658, 0.086)], up);
    rig.left("brow_outer", "head", [v(0.042, 1.656, 0.050), v(0.045, 1.658, 0.070)], up);
    rig.left("cheek", "head", [v(0.038, 1.606, 0.044), v(0.044, 1.606, 0.064)], up);
    rig.left("lip_corner", "head", [v(0.020, 1.572, 0.062), v(0.023, 1.572, 0.078)], up);
}

pub(super) fn regions(rig: &Rig) -> Vec<Region> {
    let region =
        |names: &[&str], chart_axis: [DVec3; 2]| Region { joints: rig.find_all(names), chart_axis };
    let vertical = [v(0.0, 0.8, -0.01), v(0.0, 1.5, -0.01)];
    let mut regions = vec![
        region(&["hips", "spine_1", "spine_2", "spine_3", "clavicle"], vertical),
        region(&["neck", "head"], [v(0.0, 1.5, 0.0), v(0.0, 1.7, 0.0)]),
        region(&["upper_arm", "upper_arm_twist", "forearm", "forearm_twist"], [SHOULDER, WRIST]),
        region(&["hand", "index_palm", "middle_palm", "ring_palm", "pinky_palm"], [ELBOW, WRIST]),
    ];
    for name in DIGITS {
        let names = ["_1", "_2", "_3"].map(|suffix| format!("{name}{suffix}"));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let joints = rig.find_all(&names);
        let axis = joints.first().zip(joints.last());
        let chart_axis = axis.map_or(vertical, |(&a, &b)| [rig.joints[a].head, rig.joints[b].tail]);

        regions.push(Region { joints, chart_axis });
    }
    regions.push(region(&["thigh", "thigh_twist", "shin"], [HIP, ANKLE]));
    regions.push(region(&["foot", "toes"], [v(0.118, 0.035, -0.07), v(0.14, 0.03, 0.13)]));
    regions
}
