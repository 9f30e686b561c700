//! A gentleman: a tailcoat over vest and shirt, trousers, shoes, collar and bow tie, buttons,
//! glasses, hair in locks, and a cane in the hand.

use std::f64::consts::{PI, TAU};

use glam::{DAffine3, DVec2, DVec3};

use super::cloth::{Cut, cut};
use super::drape::{Drape, smoothstep};
use super::form::{Form, Place, mixed};
use super::piece::{Piece, Wardrobe};
use super::soldier::{basis, grip};
use super::solids::{disc, ring, rod, rounded_box, sheet, tube};
use super::{FIST, SUIT_POINTS, dressed, face, human_for, mirror_of};
use crate::character::Character;
use crate::sample::{SampleError, body};

/// Off the skin.
const VEST_LIFT: f64 = 0.017;
const COAT_LIFT: f64 = 0.026;

pub(in crate::sample) fn suit(num_points: usize) -> Result<Character, SampleError> {
    let form = Form::new(&human_for(num_points, SUIT_POINTS), &FIST);
    let mut wardrobe = Wardrobe::default();
    let skin = wardrobe.color("skin", 0xdc_ae_90);
    let bare = |place: &Place| (place.point.y - 1.46).max(place.along_arm - 1.85);
    wardrobe.add(
        "body",
        skin,
        cut(&form, &Cut { keep: &bare, lift: &|_| 0.0, smooth: 0, hem: 0.0 }),
    );
    face(&form, &mut wardrobe);
    linen(&form, &mut wardrobe);
    legs(&form, &mut wardrobe);
    coat(&form, &mut wardrobe);
    buttons(&form, &mut wardrobe);
    glasses(&form, &mut wardrobe);
    hair(&form, &mut wardrobe);
    cane(&form, &mut wardrobe);
    dressed("suit", form, wardrobe, body::human_clips)
}

/// Clear of the neck.
fn off_neck(place: &Place, radius: f64) -> f64 {
    (place.point.distance(DVec3::new(0.0, 1.515, -0.025)) - radius).min(0.6 - place.head)
}

/// How far the coat is open, each way, at a height.
fn opening(y: f64) -> f64 {
    0.022 + 0.058 * smoothstep(1.10, 1.42, y) + 0.55 * (1.06 - y).max(0.0)
}

fn linen(form: &Form, wardrobe: &mut Wardrobe) {
    let white = wardrobe.color("shirt", 0xee_ea_df);
    let burgundy = wardrobe.color("vest", 0x86_30_40);
    let black = wardrobe.color("tie", 0x20_1f_24);
    let shirt = |place: &Place| {
        let chest = off_neck(place, 0.072).min(place.point.y - 1.12).min(0.3 - place.along_arm);
        let cuff = if place.arm > 0.5 {
            (place.along_arm - 1.60).min(1.99 - place.along_arm)
        } else {
            -1.0
        };
        chest.max(cuff)
    };
    let lift = |place: &Place| if place.arm > 0.5 { 0.011 } else { 0.008 };
    wardrobe.add(
        "shirt",
        white,
        cut(form, &Cut { keep: &shirt, lift: &lift, smooth: 10, hem: 0.006 }),
    );
    let vest = |place: &Place| {
        let v_neck = if place.point.z > 0.0 {
            place.point.x.abs() - 0.52 * (place.point.y - 1.235).max(0.0)
        } else {
            1.0
        };
        let hem = place.point.y - (0.965 - 0.03 * smoothstep(0.06, 0.0, place.point.x.abs()));
        off_neck(place, 0.095).min(v_neck).min(hem).min(0.5 - place.arm)
    };
    let lift = |_: &Place| VEST_LIFT;
    wardrobe.add(
        "vest",
        burgundy,
        cut(form, &Cut { keep: &vest, lift: &lift, smooth: 16, hem: 0.007 }),
    );
    // A collar, open in front and turned down a little.
    let collar = sheet([30, 3], false, 0.003, |u, v| {
        let degrees = 14.0 + 332.0 * u;
        let out = Drape::out(degrees);
        let y = 1.472 + 0.044 * (1.0 - v) - 0.012 * out.z;
        let radius = 0.066 + 0.006 * (1.0 - v) + 0.004 * out.x.abs();
        DVec3::new(0.0, y, -0.022) + out * radius
    });
    wardrobe.add("collar", white, collar.with_rows(|p| form.copied(p)));
    let knot = DVec3::new(0.0, 1.464, 0.062);
    let row = form.copied(knot);
    let wing = |sign: f64| {
        let section = |t: f64, h: f64, d: f64| {
            (knot + DVec3::new(sign * t, 0.0, 0.004 - 0.10 * t), DVec3::Y * h, DVec3::Z * d)
        };
        tube(
            &[
                section(0.004, 0.008, 0.006),
                section(0.02, 0.015, 0.008),
                section(0.046, 0.022, 0.008),
                section(0.052, 0.018, 0.004),
            ],
            12,
        )
    };
    for sign in [1.0, -1.0] {
        wardrobe.add("tie", black, wing(sign).rigid(&row));
    }
    let frame = DAffine3::from_translation(knot + DVec3::Z * 0.006);
    wardrobe.add(
        "tie",
        black,
        rounded_box(&frame, DVec3::new(0.009, 0.011, 0.008), 0.004).rigid(&row),
    );
}

fn legs(form: &Form, wardrobe: &mut Wardrobe) {
    let charcoal = wardrobe.color("trousers", 0x45_48_52);
    let black = wardrobe.color("shoes", 0x24_20_1f);
    let trousers = |place: &Place| {
        if place.arm < 0.3 { (1.04 - place.point.y).min(place.point.y - 0.095) } else { -1.0 }
    };
    let lift = |place: &Place| 0.010 + 0.014 * smoothstep(0.55, 0.1, place.point.y);
    wardrobe.add(
        "trousers",
        charcoal,
        cut(form, &Cut { keep: &trousers, lift: &lift, smooth: 24, hem: 0.007 }),
    );
    let shoes = |place: &Place| if place.leg > 0.5 { 0.115 - place.point.y } else { -1.0 };
    let lift = |place: &Place| 0.007 + 0.010 * smoothstep(0.07, 0.02, place.point.y);
    wardrobe.add(
        "shoes",
        black,
        cut(form, &Cut { keep: &shoes, lift: &lift, smooth: 30, hem: 0.005 }),
    );
}

fn coat(form: &Form, wardrobe: &mut Wardrobe) {
    let navy = wardrobe.color("coat", 0x2c_38_58);
    let satin = wardrobe.color("lapels", 0x1f_27_40);
    let coat = |place: &Place| {
        let p = place.point;
        let front = if p.z > 0.0 && place.arm < 0.5 { p.x.abs() - opening(p.y) } else { 1.0 };
        let hem = if place.arm < 0.5 { p.y - 0.965 } else { 1.0 };
        off_neck(place, 0.082).min(front).min(hem).min(1.86 - place.along_arm).min(0.5 - place.leg)
    };
    let lift = |place: &Place| if place.arm > 0.5 { 0.020 } else { COAT_LIFT };
    wardrobe.add(
        "coat",
        navy,
        cut(form, &Cut { keep: &coat, lift: &lift, smooth: 14, hem: 0.010 }),
    );
    let drape = Drape::new(form);
    let top = 0.995;
    let tail = sheet([14, 20], false, 0.006, |u, v| {
        let outer = 96.0 + 44.0 * smoothstep(0.0, 0.9, v);
        let degrees = outer + (177.0 - 3.0 * v - outer) * u;
        let y = top - (0.50 + 0.06 * u) * v;
        let hull = drape.hull(top, y.max(0.86), degrees);
        let wave = 0.006 * v * (3.0 * PI * u).cos();
        drape.at(y, degrees, hull + COAT_LIFT + 0.004 + 0.045 * v + wave)
    });
    let hanging = form.shared(&[("hips", 0.5), ("thigh_l", 0.5)]);
    let tail = tail.with_rows(|p| mixed(&form.copied(p), &hanging, smoothstep(0.97, 0.80, p.y)));
    wardrobe.add("tails", navy, tail.mirrored(|joint| mirror_of(form, joint)));
    wardrobe.add("tails", navy, tail);
    let lapel = lapel(&drape).with_rows(|p| form.copied(p));
    wardrobe.add("lapels", satin, lapel.mirrored(|joint| mirror_of(form, joint)));
    wardrobe.add("lapels", satin, lapel);
}

/// Along the left edge of the coat, wide at the chest.
fn lapel(drape: &Drape<'_>) -> Piece {
    sheet([4, 16], false, 0.004, |u, v| {
        let y = 1.470 - 0.335 * v;
        let width = 0.060 * (PI * (0.12 + 0.86 * v)).sin().powf(0.7);
        let x = opening(y) + 0.002 + width * u;
        let skin = drape.front(x, y).unwrap_or(DVec3::new(x, y, 0.05));
        skin + DVec3::new(0.12, 0.0, 1.0).normalize() * (COAT_LIFT + 0.007)
    })
}

fn buttons(form: &Form, wardrobe: &mut Wardrobe) {
    let brass = wardrobe.color("brass", 0xcf_a8_54);
    let drape = Drape::new(form);
    let mut button = |x: f64, y: f64, lift: f64, radius: f64| {
        let Some(skin) = drape.front(x, y) else { return };
        let place = form.nearest(skin);
        let frame = DAffine3::from_mat3_translation(
            basis(place.normal, DVec3::Y),
            place.point + place.normal * lift,
        );
        wardrobe.add("buttons", brass, disc(&frame, radius, 0.005, 12).rigid(&place.row));
    };
    for y in [1.215, 1.165, 1.115, 1.065, 1.015] {
        button(0.0, y, VEST_LIFT + 0.001, 0.0075);
    }
    for sign in [1.0, -1.0] {
        for y in [1.16, 1.10] {
            button(sign * (opening(y) + 0.030), y, COAT_LIFT + 0.001, 0.0095);
        }
    }
}

fn glasses(form: &Form, wardrobe: &mut Wardrobe) {
    let black = wardrobe.color("glasses", 0x17_19_1e);
    let head = form.rigid("head");
    let (x, y, z) = (0.0345, 1.633, 0.1065);
    for sign in [1.0, -1.0] {
        let rim = ring(28, 8, DVec2::new(0.0021, 0.0026), |k| {
            let (sine, cosine) = (TAU * k).sin_cos();
            let out = DVec3::new(cosine, sine, 0.0);
            let bend = -0.25 * 0.025 * cosine * sign;
            let middle = DVec3::new(sign * x + 0.0255 * cosine, y + 0.0205 * sine, z + bend);
            [middle, out, DVec3::Z]
        });
        wardrobe.add("glasses", black, rim.rigid(&head));
        let temple = [
            (DVec3::new(sign * 0.0600, y + 0.006, z - 0.006), 0.0021),
            (DVec3::new(sign * 0.0720, y + 0.007, z - 0.030), 0.0021),
            (DVec3::new(sign * 0.0810, y + 0.008, 0.030), 0.0021),
            (DVec3::new(sign * 0.0840, y + 0.008, -0.008), 0.0021),
            (DVec3::new(sign * 0.0840, y - 0.012, -0.026), 0.0018),
        ];
        wardrobe.add("glasses", black, rod(&temple, 8).rigid(&head));
    }
    let bridge = [-1.0, -0.4, 0.4, 1.0]
        .map(|t: f64| (DVec3::new(0.0098 * t, y + 0.007 - 0.002 * t * t, z + 0.008), 0.0021));
    wardrobe.add("glasses", black, rod(&bridge, 8).rigid(&head));
}

fn hair(form: &Form, wardrobe: &mut Wardrobe) {
    let brown = wardrobe.color("hair", 0x4c_32_22);
    let light = wardrobe.color("locks", 0x5a_3c_28);
    let cap = |place: &Place| {
        let line = place.point.y - (1.652 + 0.50 * place.point.z);
        if place.head > 0.6 { line } else { -1.0 }
    };
    let lift = |_: &Place| 0.005;
    wardrobe.add("hair", brown, cut(form, &Cut { keep: &cap, lift: &lift, smooth: 6, hem: 0.004 }));
    let middle = DVec3::new(0.0, 1.655, -0.005);
    let mut lock = |azimuth: f64, [start, end]: [f64; 2], width: f64, color: usize| {
        let steps = 9;
        let turn = 0.35 * azimuth.to_radians().sin();
        let path: Vec<(DVec3, DVec3, DVec3)> = (0..=steps)
            .map(|step| {
                let t = f64::from(step) / f64::from(steps);
                let angle = (start + (end - start) * t).to_radians();
                let around = azimuth.to_radians() + turn * t * t;
                let out = DVec3::new(around.sin(), 0.0, around.cos());
                let towards = out * angle.sin() + DVec3::Y * angle.cos();
                let place = form.nearest(middle + towards * 0.16);
                let taper = (PI * (0.12 + 0.86 * t)).sin().powf(0.7);
                let side = DVec3::Y.cross(out).normalize_or(DVec3::X);
                let normal = place.normal;
                let side = side.reject_from_normalized(normal).normalize_or(side);
                (place.point + normal * 0.007, side * (width * taper), normal * (0.0075 * taper))
            })
            .collect();
        let piece = tube(&path, 8).with_rows(|p| form.copied(p));
        wardrobe.add("hair", color, piece);
    };
    for k in 0..9 {
        // Over the forehead, to one side.
        lock(-56.0 + 14.0 * f64::from(k), [4.0, 59.0 + f64::from(k % 3) * 4.0], 0.014, light);
    }
    for k in 0..18 {
        let azimuth = 62.0 + 236.0 * f64::from(k) / 17.0;
        let end =
            82.0 + 34.0 * (azimuth - 180.0).to_radians().cos().max(0.0) + f64::from(k % 3) * 3.0;
        lock(azimuth, [8.0, end], 0.017, if k % 2 == 0 { brown } else { light });
    }
}

fn cane(form: &Form, wardrobe: &mut Wardrobe) {
    let wood = wardrobe.color("wood", 0x3a_24_1c);
    let brass = wardrobe.color("knob", 0xcf_a8_54);
    let hand = form.rigid("hand_r");
    let (middle, axis) = grip(form);
    let path: Vec<(DVec3, f64)> = (0..=12)
        .map(|k| {
            let t = f64::from(k) / 12.0;
            (middle + axis * (0.10 - 0.92 * t), 0.0105 - 0.003 * t)
        })
        .collect();
    wardrobe.add("cane", wood, rod(&path, 12).rigid(&hand));
    let knob: Vec<(DVec3, f64)> =
        [(0.095, 0.011), (0.105, 0.020), (0.122, 0.024), (0.138, 0.018), (0.146, 0.006)]
            .iter()
            .map(|&(t, r)| (middle + axis * t, r))
            .collect();
    wardrobe.add("cane", brass, rod(&knob, 14).rigid(&hand));
}
