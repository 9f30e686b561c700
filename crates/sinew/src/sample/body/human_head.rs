//! The human's neck and head: skull, jaw, brow, eyes between lids, nose, lips, ears and short hair,
//! and the soft places that the joints of the face hold.

use glam::DVec3;

use super::bind::Patch;
use super::clay::{Clay, ball, bean, bone, capped, flat_bone, limb, s, v};
use super::field::Group;
use super::human::HEAD;
use super::rig::Rig;

/// Centre of the left eyeball.
pub(super) const EYE: DVec3 = v(0.0325, 1.6365, 0.0715);
const EYE_RADIUS: f64 = 0.0142;

pub(super) fn head() -> Group {
    let mut clay = Clay::new(HEAD, 0.035);
    let neck = limb(
        [v(0.0, 1.43, -0.030), v(0.0, 1.60, 0.002)],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.0, [0.0, 0.0], [0.066, 0.066, 0.058, 0.062]),
            s(0.35, [0.0, 0.0], [0.058, 0.058, 0.054, 0.056]),
            s(0.7, [0.0, 0.0], [0.055, 0.055, 0.056, 0.056]),
            s(1.0, [0.0, 0.0], [0.056, 0.056, 0.056, 0.060]),
        ],
    );
    clay.add(0.03, neck);
    clay.add_across(0.02, bone(v(0.056, 1.585, -0.018), v(0.014, 1.446, 0.036), 0.013, 0.009));
    clay.add(0.02, ball(v(0.0, 1.512, 0.036), v(0.010, 0.016, 0.010)));
    // Skull and face.
    clay.add(0.025, ball(v(0.0, 1.660, -0.008), v(0.0755, 0.090, 0.096)));
    clay.add(0.03, ball(v(0.0, 1.672, 0.035), v(0.062, 0.058, 0.055)));
    let face = limb(
        [v(0.0, 1.665, 0.030), v(0.0, 1.543, 0.046)],
        DVec3::Z,
        DVec3::X,
        &[
            s(0.0, [0.0, 0.0], [0.066, 0.066, 0.058, 0.05]),
            s(0.38, [0.0, 0.0], [0.063, 0.063, 0.052, 0.05]),
            s(0.70, [0.0, 0.0], [0.053, 0.053, 0.046, 0.045]),
            s(0.92, [0.0, 0.0], [0.038, 0.038, 0.040, 0.035]),
            s(1.0, [0.0, 0.0], [0.030, 0.030, 0.036, 0.03]),
        ],
    );
    clay.add(0.02, capped(face, 0.02, 0.013));
    clay.add_across(0.022, bone(v(0.055, 1.606, -0.006), v(0.047, 1.571, 0.010), 0.012, 0.012));
    clay.add_across(0.022, bone(v(0.047, 1.571, 0.010), v(0.014, 1.540, 0.066), 0.012, 0.012));
    clay.add_across(0.026, ball(v(0.044, 1.616, 0.056), v(0.021, 0.014, 0.019)));
    clay.add_across(0.03, ball(v(0.036, 1.588, 0.058), v(0.020, 0.024, 0.022)));
    clay.add_across(0.016, bone(v(0.012, 1.658, 0.083), v(0.046, 1.661, 0.066), 0.0085, 0.0075));
    clay.add_across(0.012, ball(v(0.0, 1.541, 0.079), v(0.019, 0.012, 0.012)));
    clay.add(0.016, ball(v(0.0, 1.595, 0.080), v(0.020, 0.016, 0.018)));
    // Eyes: a hollow, the ball, two lids.
    let socket = v(0.019, 0.0125, 0.014);
    clay.carve(0.010, bean(v(0.033, 1.6365, 0.0955), DVec3::Y, v(0.25, 0.0, 1.0), socket));
    clay.add(0.0015, ball(EYE, DVec3::splat(EYE_RADIUS)));
    for (elevation, radius) in [(35.0, 0.0028), (-31.0, 0.0022)] {
        lid(&mut clay, elevation, radius);
    }
    // Nose.
    clay.add(0.014, bone(v(0.0, 1.650, 0.086), v(0.0, 1.606, 0.1065), 0.0065, 0.0085));
    clay.add(0.008, ball(v(0.0, 1.6025, 0.1090), v(0.0100, 0.0090, 0.0092)));
    clay.add_across(
        0.007,
        bean(v(0.0115, 1.5990, 0.1010), v(0.0, 0.7, -0.5), DVec3::X, v(0.0095, 0.0080, 0.0070)),
    );
    clay.carve(0.004, ball(v(0.0062, 1.5930, 0.1080), v(0.0034, 0.0034, 0.0046)));
    // Mouth.
    clay.add(0.018, ball(v(0.0, 1.573, 0.074), v(0.030, 0.022, 0.019)));
    clay.add(0.006, bone(v(0.0, 1.5775, 0.0935), v(0.0, 1.590, 0.0930), 0.004, 0.004));
    for (y_middle, y_side, z, radius) in
        [(1.5775, 1.5765, 0.0922, 0.0050), (1.5660, 1.5670, 0.0905, 0.0058)]
    {
        clay.add_across(
            0.005,
            bone(v(0.004, y_middle, z), v(0.012, y_side, z - 0.0025), radius, radius * 0.9),
        );
        clay.add(
            0.005,
            bone(v(0.012, y_side, z - 0.0025), v(0.0245, 1.5718, 0.0795), radius * 0.9, 0.0022),
        );
    }
    clay.carve(
        0.0045,
        flat_bone(
            v(0.0, 1.5718, 0.0985),
            v(0.013, 1.5716, 0.0955),
            [0.0030, 0.0028],
            DVec3::Y,
            0.5,
        ),
    );
    clay.carve(
        0.0045,
        flat_bone(
            v(0.013, 1.5716, 0.0955),
            v(0.0265, 1.5712, 0.0840),
            [0.0028, 0.0022],
            DVec3::Y,
            0.5,
        ),
    );
    clay.carve(0.012, bone(v(0.0, 1.5565, 0.0965), v(0.012, 1.5575, 0.0930), 0.0045, 0.0035));
    // Ears.
    let ear_out = v(1.0, 0.0, 0.35);
    clay.add(
        0.008,
        bean(v(0.0775, 1.628, -0.012), v(0.04, 1.0, -0.22), ear_out, v(0.0185, 0.0315, 0.0080)),
    );
    clay.add(0.005, ball(v(0.0745, 1.603, -0.004), v(0.0060, 0.0085, 0.0070)));
    clay.carve(
        0.005,
        bean(v(0.0865, 1.630, -0.008), v(0.04, 1.0, -0.22), ear_out, v(0.0110, 0.0205, 0.0060)),
    );
    clay.add(0.004, ball(v(0.0735, 1.622, 0.004), v(0.0040, 0.0060, 0.0040)));
    clay.done()
}

/// Short hair: a cap over the skull, fuller above the forehead, open at the face and around the
/// ears.
pub(super) fn hair() -> Group {
    let mut clay = Clay::new(HEAD, 0.003);
    clay.add(0.020, ball(v(0.0, 1.664, -0.015), v(0.0860, 0.0890, 0.1030)));
    clay.add(0.020, ball(v(0.0, 1.690, 0.019), v(0.0800, 0.0630, 0.0740)));
    // Temples lie further back than the middle of the forehead: the hairline arches.
    let temple = v(0.066, 1.676, 0.082);
    clay.carve(0.004, ball(v(0.0, 1.612, 0.084), v(0.14, 0.093, 0.062)));
    clay.carve(0.012, ball(temple, v(0.030, 0.040, 0.044)));
    let ear = v(0.085, 1.612, -0.004);
    clay.carve(0.004, bean(ear, v(0.0, 1.0, -0.25), DVec3::X, v(0.030, 0.045, 0.030)));
    clay.carve(0.008, ball(v(0.0, 1.545, -0.040), v(0.14, 0.055, 0.14)));
    clay.done()
}

/// A lid: an arc on the eyeball from its inner to its outer corner, `elevation` degrees high in the
/// middle.
fn lid(clay: &mut Clay, elevation: f64, radius: f64) {
    const SEGMENTS: usize = 8;
    let at = |step: usize| {
        let across = 2.0 * step as f64 / SEGMENTS as f64 - 1.0;
        let arch = (1.0 - across * across).sqrt();
        let (up, level) = (elevation * arch).to_radians().sin_cos();
        // The eye looks a little outwards, and its outer corner lies further back.
        let (side, front) = (70.0 * across + 8.0).to_radians().sin_cos();
        let place = EYE + v(level * side, up, level * front) * EYE_RADIUS;
        (place, radius * (0.45 + 0.55 * arch))
    };
    for step in 0..SEGMENTS {
        let ((a, radius_a), (b, radius_b)) = (at(step), at(step + 1));
        clay.add(0.0015, bone(a, b, radius_a, radius_b));
    }
}

/// The soft places of the face, larger ones first: later ones take from earlier.
pub(super) fn patches(rig: &Rig) -> Vec<Patch> {
    let patch = |name: &str, center: DVec3, radii: DVec3, strength: f64| {
        rig.find_all(&[name]).first().map(|&joint| Patch { joint, center, radii, strength })
    };
    [
        patch("jaw", v(0.0, 1.553, 0.045), v(0.075, 0.036, 0.085), 1.0),
        patch("cheek", v(0.045, 1.605, 0.070), v(0.034, 0.034, 0.040), 0.75),
        patch("brow_outer", v(0.045, 1.660, 0.074), v(0.024, 0.020, 0.030), 0.9),
        patch("brow_inner", v(0.016, 1.660, 0.090), v(0.020, 0.022, 0.026), 0.9),
        patch("nose", v(0.0, 1.602, 0.112), v(0.024, 0.024, 0.028), 0.9),
        patch("chin", v(0.0, 1.541, 0.090), v(0.026, 0.020, 0.026), 0.8),
        patch("lip_corner", v(0.0245, 1.5718, 0.082), v(0.018, 0.018, 0.022), 0.9),
        patch("lip_upper", v(0.0, 1.5790, 0.097), v(0.022, 0.0080, 0.024), 0.95),
        patch("lip_lower", v(0.0, 1.5655, 0.095), v(0.021, 0.0080, 0.024), 0.95),
        patch("eyelid_upper", v(0.033, 1.6445, 0.082), v(0.019, 0.0085, 0.018), 1.0),
        patch("eyelid_lower", v(0.033, 1.6290, 0.081), v(0.018, 0.0075, 0.018), 1.0),
        patch("eye", v(0.0325, 1.6365, 0.0830), v(0.0130, 0.0075, 0.012), 1.0),
    ]
    .into_iter()
    .flatten()
    .collect()
}
