//! A soldier: plates over a tunic, a leather skirt, a belt with pouches, a sword in its sheath, a
//! cape, and a spear in the hand.

use std::f64::consts::{PI, TAU};

use glam::{DAffine3, DMat3, DVec3};

use super::cloth::{Cut, cut};
use super::drape::{Drape, smoothstep};
use super::form::{Form, Place, mixed};
use super::piece::{Piece, Wardrobe};
use super::solids::{disc, ring, rod, rounded_box, sheet, tube};
use super::{FIST, SOLDIER_POINTS, dressed, face, human_for, mirror_of};
use crate::character::Character;
use crate::sample::{SampleError, body};

/// The top of the skirt and its hem.
const SKIRT: [f64; 2] = [0.995, 0.60];
const BELT_Y: f64 = 1.0;
/// Off the skin: over tunic and plates.
const BELT_LIFT: f64 = 0.036;

pub(in crate::sample) fn soldier(num_points: usize) -> Result<Character, SampleError> {
    let form = Form::new(&human_for(num_points, SOLDIER_POINTS), &FIST);
    let mut wardrobe = Wardrobe::default();
    let skin = wardrobe.color("skin", 0xd6_a0_80);
    let bare = |place: &Place| {
        let neck = place.point.y - 1.44;
        let hand = place.along_arm - 0.45;
        let leg =
            if place.leg > 0.3 { (0.93 - place.point.y).min(place.point.y - 0.17) } else { -1.0 };
        neck.max(hand).max(leg)
    };
    wardrobe.add(
        "body",
        skin,
        cut(&form, &Cut { keep: &bare, lift: &|_| 0.0, smooth: 0, hem: 0.0 }),
    );
    face(&form, &mut wardrobe);
    clothes(&form, &mut wardrobe);
    plates(&form, &mut wardrobe);
    belt(&form, &mut wardrobe);
    sword(&form, &mut wardrobe);
    cape(&form, &mut wardrobe);
    spear(&form, &mut wardrobe);
    dressed("soldier", form, wardrobe, body::human_clips)
}

fn clothes(form: &Form, wardrobe: &mut Wardrobe) {
    let cloth = wardrobe.color("tunic", 0x8e_33_2c);
    let leather = wardrobe.color("leather", 0x6e_47_2c);
    let tunic = |place: &Place| {
        let trunk =
            (place.point.y - 0.90).min(place.point.distance(DVec3::new(0.0, 1.52, -0.02)) - 0.088);
        trunk.min(0.55 - place.along_arm).min(0.5 - place.head)
    };
    let lift = |_: &Place| 0.011;
    wardrobe.add(
        "tunic",
        cloth,
        cut(form, &Cut { keep: &tunic, lift: &lift, smooth: 10, hem: 0.007 }),
    );
    let drape = Drape::new(form);
    let [top, bottom] = SKIRT;
    let skirt = sheet([72, 12], true, 0.005, |u, v| {
        let degrees = 360.0 * u;
        let y = top + (bottom - top) * v;
        let pleat = 0.013 * smoothstep(0.05, 0.5, v) * (18.0 * TAU * u).cos();
        let radius = drape.hull(top, y.max(0.84), degrees) + 0.024 + 0.075 * v + pleat;
        drape.at(y, degrees, radius)
    });
    let [hips, left, right] = ["hips", "thigh_l", "thigh_r"].map(|name| form.rigid(name));
    let skirt = skirt.with_rows(|p| {
        let thighs = mixed(&right, &left, smoothstep(-0.10, 0.10, p.x));
        mixed(&hips, &thighs, 0.6 * smoothstep(top - 0.04, bottom, p.y))
    });
    wardrobe.add("skirt", leather, skirt);
    let boots = |place: &Place| if place.leg > 0.5 { 0.30 - place.point.y } else { -1.0 };
    let lift = |place: &Place| 0.012 + 0.006 * smoothstep(0.06, 0.02, place.point.y);
    wardrobe.add(
        "boots",
        leather,
        cut(form, &Cut { keep: &boots, lift: &lift, smooth: 24, hem: 0.008 }),
    );
    let bracers = |place: &Place| {
        if place.arm > 0.5 { (place.along_arm - 1.30).min(1.90 - place.along_arm) } else { -1.0 }
    };
    let lift = |_: &Place| 0.010;
    wardrobe.add(
        "bracers",
        leather,
        cut(form, &Cut { keep: &bracers, lift: &lift, smooth: 10, hem: 0.006 }),
    );
}

fn plates(form: &Form, wardrobe: &mut Wardrobe) {
    let steel = wardrobe.color("steel", 0x9c_a6_b0);
    let brass = wardrobe.color("brass", 0xbd_93_44);
    let shoulders = ["upper_arm_l", "upper_arm_r"].map(|name| form.head(name));
    let clear = |place: &Place| {
        shoulders.iter().map(|s| place.point.distance(*s) - 0.098).fold(f64::INFINITY, f64::min)
    };
    let trunk = |place: &Place| if place.arm < 0.6 { 1.0 } else { -1.0 };
    let chest = |place: &Place| {
        let neck = place.point.distance(DVec3::new(0.0, 1.515, -0.025)) - 0.105;
        let bottom = place.point.y - 1.135;
        clear(place).min(neck).min(bottom).min(trunk(place)).min(0.4 - place.head)
    };
    let lift = |_: &Place| 0.027;
    let chest = cut(form, &Cut { keep: &chest, lift: &lift, smooth: 30, hem: 0.012 });
    wardrobe.add("cuirass", steel, chest.rigid(&form.rigid("spine_3")));
    let bands = [
        (1.115, 1.185, 0.0225, "spine_2"),
        (1.065, 1.135, 0.0245, "spine_1"),
        (1.015, 1.085, 0.0265, "hips"),
    ];
    for (low, high, lift, joint) in bands {
        let band = |place: &Place| {
            let slope = 0.02 * (place.point.z / 0.1);
            let y = place.point.y + slope;
            if place.arm < 0.35 { (y - low).min(high - y) } else { -1.0 }
        };
        let lift = move |_: &Place| lift;
        let band = cut(form, &Cut { keep: &band, lift: &lift, smooth: 16, hem: 0.008 });
        wardrobe.add("faulds", steel, band.rigid(&form.rigid(joint)));
    }
    for (index, row) in [
        form.shared(&[("clavicle_l", 0.5), ("upper_arm_l", 0.5)]),
        form.shared(&[("clavicle_l", 0.25), ("upper_arm_l", 0.75)]),
        form.rigid("upper_arm_l"),
    ]
    .iter()
    .enumerate()
    {
        let lame = pauldron(form, index).rigid(row);
        wardrobe.add("pauldrons", steel, lame.mirrored(|joint| mirror_of(form, joint)));
        wardrobe.add("pauldrons", steel, lame);
    }
    for side in ["l", "r"] {
        let sign = if side == "l" { 1.0 } else { -1.0 };
        let is_side = |place: &Place| place.point.x * sign > 0.0 && place.leg > 0.5;
        let greave = |place: &Place| {
            let y = place.point.y;
            if is_side(place) { (y - 0.20).min(0.445 + 0.12 * place.point.z - y) } else { -1.0 }
        };
        let lift = |_: &Place| 0.018;
        let shin = form.rigid(&format!("shin_{side}"));
        let greave = cut(form, &Cut { keep: &greave, lift: &lift, smooth: 20, hem: 0.008 });
        wardrobe.add("greaves", steel, greave.rigid(&shin));
        let knee = form.nearest(DVec3::new(sign * 0.108, 0.497, 0.20));
        let axes = basis(knee.normal, DVec3::Y);
        let frame = DAffine3::from_mat3_translation(axes, knee.point + knee.normal * 0.004);
        let shared = [(format!("shin_{side}"), 0.5), (format!("thigh_twist_{side}"), 0.5)];
        let shared: Vec<(&str, f64)> = shared.iter().map(|(n, w)| (n.as_str(), *w)).collect();
        wardrobe.add("greaves", brass, disc(&frame, 0.040, 0.022, 16).rigid(&form.shared(&shared)));
    }
    let head = form.rigid("head");
    let helmet = |place: &Place| {
        let brim = place.point.y - (1.6385 + 0.43 * place.point.z);
        if place.head > 0.6 { brim } else { -1.0 }
    };
    let lift = |_: &Place| 0.016;
    let dome = cut(form, &Cut { keep: &helmet, lift: &lift, smooth: 30, hem: 0.010 });
    let top = dome.points.iter().map(|p| p.y).fold(0.0, f64::max);
    wardrobe.add("helmet", steel, dome.rigid(&head));
    let plume = wardrobe.color("plume", 0xb0_30_2c);
    // From the forehead over the crown to the nape.
    let middle = DVec3::new(0.0, top - 0.105, -0.012);
    let crest = sheet([22, 3], false, 0.016, |u, v| {
        let angle = (38.0 - 150.0 * u).to_radians();
        let out = DVec3::new(0.0, angle.cos(), angle.sin());
        let radius = 0.100 + (0.055 + 0.02 * (PI * u).sin()) * v * (0.35 + 0.65 * (PI * u).sin());
        middle + out * radius + DVec3::X * 0.008
    });
    wardrobe.add("helmet", plume, crest.rigid(&head));
}

/// Lames over the left shoulder, from the neck down the arm.
fn pauldron(form: &Form, index: usize) -> Piece {
    let [shoulder, elbow] = ["upper_arm_l", "forearm_l"].map(|name| form.head(name));
    let along = (elbow - shoulder).normalize();
    let out = DVec3::new(0.72, 0.70, 0.0).reject_from_normalized(along).normalize();
    let side = along.cross(out);
    let index = index as f64;
    let start = -0.052 + 0.046 * index;
    sheet([20, 5], false, 0.0045, |u, v| {
        let angle = (u - 0.5) * (205.0 - 22.0 * index).to_radians();
        let bulge = 0.090 - 0.007 * index - 0.020 * (1.0 - v).powi(2);
        let t = start + 0.070 * v;
        shoulder + along * t + (out * angle.cos() + side * angle.sin()) * bulge
    })
}

fn belt(form: &Form, wardrobe: &mut Wardrobe) {
    let leather = wardrobe.color("belt", 0x3c_2a_1e);
    let pouch = wardrobe.color("pouch", 0x80_58_38);
    let brass = wardrobe.color("buckle", 0xc8_a0_4c);
    let drape = Drape::new(form);
    let band = sheet([64, 3], true, 0.008, |u, v| {
        let (y, degrees) = (BELT_Y + 0.024 - 0.048 * v, 360.0 * u);
        drape.at(y, degrees, drape.reach(BELT_Y, degrees) + BELT_LIFT)
    });
    wardrobe.add("belt", leather, band.with_rows(|p| form.copied(p)));
    let below = |y: f64, degrees: f64| form.copied(drape.at(y, degrees, drape.reach(y, degrees)));
    let buckle = drape.frame(BELT_Y, 0.0, BELT_LIFT + 0.003);
    let half = DVec3::new(0.030, 0.005, 0.026);
    wardrobe.add("belt", brass, rounded_box(&buckle, half, 0.004).rigid(&below(BELT_Y, 0.0)));
    for degrees in [38.0, -38.0, -76.0, -112.0] {
        let row = below(BELT_Y, degrees);
        let y = BELT_Y - 0.022;
        let frame = drape.frame(y, degrees, BELT_LIFT + 0.018);
        let half = DVec3::new(0.034, 0.020, 0.040);
        wardrobe.add("pouches", pouch, rounded_box(&frame, half, 0.009).rigid(&row));
        let flap = frame * DAffine3::from_translation(DVec3::new(0.0, 0.006, 0.020));
        let half = DVec3::new(0.036, 0.018, 0.022);
        wardrobe.add("pouches", leather, rounded_box(&flap, half, 0.008).rigid(&row));
        let stud = frame * DAffine3::from_translation(DVec3::new(0.0, 0.022, 0.008));
        wardrobe.add("pouches", brass, disc(&stud, 0.006, 0.006, 8).rigid(&row));
    }
}

fn sword(form: &Form, wardrobe: &mut Wardrobe) {
    let leather = wardrobe.color("sheath", 0x4a_2c_22);
    let brass = wardrobe.color("guard", 0xc2_98_48);
    let hips = form.rigid("hips");
    let drape = Drape::new(form);
    let top = drape.at(1.03, 96.0, drape.reach(1.0, 96.0) + BELT_LIFT + 0.028);
    let down = DVec3::new(0.12, -0.90, -0.40).normalize();
    let across = DVec3::X.reject_from_normalized(down).normalize();
    let wide = down.cross(across);
    let station = |t: f64, half: f64, thick: f64| (top + down * t, wide * half, across * thick);
    let sheath = [
        station(0.0, 0.026, 0.012),
        station(0.03, 0.026, 0.012),
        station(0.22, 0.024, 0.011),
        station(0.42, 0.022, 0.010),
        station(0.56, 0.017, 0.009),
        station(0.62, 0.008, 0.006),
    ];
    wardrobe.add("sheath", leather, tube(&sheath, 14).rigid(&hips));
    for t in [0.008, 0.20, 0.585] {
        let size = if t > 0.5 { 0.6 } else { 1.0 };
        let band = [
            station(t, 0.029 * size, 0.0155 * size.max(0.8)),
            station(t + 0.02, 0.029 * size, 0.0155 * size.max(0.8)),
        ];
        wardrobe.add("sheath", brass, tube(&band, 14).rigid(&hips));
    }
    let guard =
        DAffine3::from_mat3_translation(DMat3::from_cols(wide, down, across), top - down * 0.014);
    wardrobe.add(
        "sword",
        brass,
        rounded_box(&guard, DVec3::new(0.072, 0.010, 0.014), 0.006).rigid(&hips),
    );
    let grip = [(0.020, 0.011), (0.05, 0.0135), (0.09, 0.012), (0.125, 0.011)];
    let grip: Vec<(DVec3, f64)> = grip.iter().map(|&(t, r)| (top - down * t, r)).collect();
    wardrobe.add("sword", leather, rod(&grip, 12).rigid(&hips));
    let pommel = [(0.124, 0.008), (0.132, 0.018), (0.146, 0.020), (0.158, 0.010)];
    let pommel: Vec<(DVec3, f64)> = pommel.iter().map(|&(t, r)| (top - down * t, r)).collect();
    wardrobe.add("sword", brass, rod(&pommel, 12).rigid(&hips));
}

fn cape(form: &Form, wardrobe: &mut Wardrobe) {
    let cloth = wardrobe.color("cape", 0x5e_1c_26);
    let brass = wardrobe.color("clasp", 0xc8_a0_4c);
    let drape = Drape::new(form);
    let cape = sheet([34, 26], false, 0.006, |u, v| {
        // From the right shoulder to the left: around the neck, then down behind everything.
        let side = 2.0 * u - 1.0;
        let top = DVec3::new(
            0.128 * side,
            1.512 - 0.022 * side * side,
            -0.118 + 0.135 * side.abs().powi(3),
        );
        let y = top.y - 1.08 * v;
        let half = 0.15 + 0.18 * v.powf(0.8);
        let fold = 0.024 * smoothstep(0.08, 0.6, v) * (5.0 * PI * side).cos();
        let behind = [155.0, 180.0].map(|degrees| drape.hull(1.42, y.clamp(0.88, 1.42), degrees));
        let behind = behind[0].max(behind[1]) + 0.058 + 0.10 * smoothstep(1.0, 0.6, y);
        let back = fold - behind + 0.03 * side.powi(4) * v;
        top.lerp(DVec3::new(half * side, y, back), smoothstep(0.0, 0.11, v)).with_y(y)
    });
    let hanging = form.shared(&[("hips", 0.6), ("thigh_l", 0.2), ("thigh_r", 0.2)]);
    let middle = form.shared(&[("spine_3", 0.5), ("spine_2", 0.3), ("spine_1", 0.2)]);
    let cape = cape.with_rows(|p| {
        let upper = mixed(&form.copied(p), &middle, smoothstep(1.44, 1.25, p.y));
        mixed(&upper, &hanging, smoothstep(1.20, 0.60, p.y))
    });
    wardrobe.add("cape", cloth, cape);
    for sign in [1.0, -1.0] {
        let place = form.nearest(DVec3::new(0.118 * sign, 1.475, 0.05));
        let frame = DAffine3::from_mat3_translation(
            basis(place.normal, DVec3::Y),
            place.point + place.normal * 0.028,
        );
        wardrobe.add("cape", brass, disc(&frame, 0.024, 0.010, 14).rigid(&place.row));
    }
}

fn spear(form: &Form, wardrobe: &mut Wardrobe) {
    let wood = wardrobe.color("wood", 0x7a_5b_3a);
    let steel = wardrobe.color("spearhead", 0xaa_b4_bc);
    let hand = form.rigid("hand_r");
    let (middle, axis) = grip(form);
    let path: Vec<(DVec3, f64)> =
        (0..=20).map(|k| (middle + axis * (-0.75 + 0.095 * f64::from(k)), 0.0125)).collect();
    wardrobe.add("spear", wood, rod(&path, 12).rigid(&hand));
    let end = middle + axis * 1.15;
    let wide = axis.any_orthonormal_vector();
    let thin = axis.cross(wide);
    let head = [
        (-0.06, 0.016, 0.016),
        (0.0, 0.018, 0.016),
        (0.03, 0.034, 0.012),
        (0.10, 0.026, 0.009),
        (0.21, 0.002, 0.002),
    ];
    let head: Vec<_> = head.iter().map(|&(t, w, h)| (end + axis * t, wide * w, thin * h)).collect();
    wardrobe.add("spear", steel, tube(&head, 12).rigid(&hand));
    let collar = |k: f64| {
        let (sine, cosine) = (TAU * k).sin_cos();
        let out = wide * cosine + thin * sine;
        [end - axis * 0.06 + out * 0.017, out, axis]
    };
    wardrobe.add("spear", steel, ring(16, 8, glam::DVec2::splat(0.004), collar).rigid(&hand));
}

/// Where the right fist holds something, and along what.
pub(super) fn grip(form: &Form) -> (DVec3, DVec3) {
    let hand = form.frame("hand_r");
    let middle = hand.transform_point3(DVec3::new(0.0, 0.092, 0.028));
    let axis = hand.transform_vector3(DVec3::X).normalize();
    // Towards the thumb.
    let thumb = form.head("thumb_2_r") - middle;
    (middle, if axis.dot(thumb) < 0.0 { -axis } else { axis })
}

/// Axes with +Y along a normal and +Z near `up`.
pub(super) fn basis(normal: DVec3, up: DVec3) -> DMat3 {
    let normal = normal.normalize();
    let z = up.reject_from_normalized(normal).normalize_or(normal.any_orthonormal_vector());
    DMat3::from_cols(normal.cross(z), normal, z)
}
