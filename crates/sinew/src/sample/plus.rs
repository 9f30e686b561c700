//! `plus`: a flat cross of four square arms in the XY plane, with sharp edges, centred at the
//! origin.
//!
//! A section of n × n quads and arms of l = 41n/8 quads, so 6n² + 16nl + 2 points: 5,634 at n = 8.
//! A wish for points picks the nearest n. Joints: `center`, and on each arm four of one length,
//! from the middle outwards: `up_0` … `up_3`, `left_…` (−X), `down_…`, `right_…` (+X). Clip:
//! `curl`.
//!
//! With `a` and `b` the blends into the horizontal and the vertical arm, `center` has
//! `(1 − a)(1 − b)`, and the arms share the rest as `a(1 − b) : b(1 − a)`. So each arm is wholly
//! its own past the middle, the notch between two arms belongs to both, and no weight has a kink at
//! the planes of symmetry.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DQuat, DVec2, DVec3, IVec2, IVec3};

use super::SampleError;
use super::chain::{
    chain_weights, cleaned, joint, smooth_step, straight_chain, there_and_back, turning_clip,
};
use super::lattice::{Lattice, Side};
use super::surface::{Surface, WeightRow};
use crate::character::Character;
use crate::skeleton::Skeleton;

const WIDTH: f64 = 0.4;
const ARM_LENGTH: f64 = WIDTH * 41.0 / 8.0;
const BONES_PER_ARM: usize = 4;
const BONE_LENGTH: f64 = ARM_LENGTH / BONES_PER_ARM as f64;
/// The arms counter-clockwise from +Y, and how each is turned about +Z.
const ARMS: [(&str, f64); 4] =
    [("up", 0.0), ("left", FRAC_PI_2), ("down", PI), ("right", -FRAC_PI_2)];
/// Of each joint of an arm.
const CURL_RADIANS: f64 = 0.5;

pub(super) fn build(num_points: usize) -> Result<Character, SampleError> {
    let n = section_for(num_points);
    let l = arm_steps(n);
    let skeleton = skeleton()?;
    let mut surface = Surface::default();
    fill(&mut surface, n, l);
    let arm_joints = 1..(1 + 4 * BONES_PER_ARM as u32);
    let curl = turning_clip("curl", &skeleton, (3.0, 24), arm_joints, |_, phase| {
        DQuat::from_rotation_x(CURL_RADIANS * there_and_back(phase))
    });
    surface.into_character("plus", skeleton, vec![curl])
}

fn arm_steps(n: i32) -> i32 {
    (41 * n + 4) / 8
}

fn section_for(num_points: usize) -> i32 {
    let points = |n: i32| i64::from(6 * n * n + 16 * n * arm_steps(n) + 2);
    let estimate = (num_points as f64 / 88.0).sqrt() as i32;
    let wanted = num_points as i64;
    (estimate - 2..=estimate + 2)
        .filter(|&n| n >= 1)
        .min_by_key(|&n| (points(n) - wanted).abs())
        .unwrap_or(1)
}

fn skeleton() -> Result<Skeleton, SampleError> {
    let mut joints = vec![joint("center", None, (DVec3::ZERO, DQuat::IDENTITY), WIDTH / 2.0)];
    for (name, turn_radians) in ARMS {
        let turn = DQuat::from_rotation_z(turn_radians);
        let first = joints.len() as u32;
        for (k, mut bone) in straight_chain(BONES_PER_ARM, ARM_LENGTH).into_iter().enumerate() {
            bone.name = format!("{name}_{k}");
            bone.parent = Some(bone.parent.map_or(0, |parent| first + parent));
            if k == 0 {
                bone.rest.rotation = turn;
                bone.rest.translation = turn * (DVec3::Y * (WIDTH / 2.0));
            }
            joints.push(bone);
        }
    }
    Ok(Skeleton::new(joints)?)
}

fn weights_at(p: DVec3) -> WeightRow {
    let blend = |distance: f64| smooth_step(distance - WIDTH / 2.0, WIDTH);
    let (a, b) = (blend(p.x.abs()), blend(p.y.abs()));
    let apart = a + b - 2.0 * a * b;
    let of_arms = if apart > 0.0 { (a + b - a * b) / apart } else { 0.0 };
    let horizontal = if p.x < 0.0 { 1 } else { 3 };
    let vertical = if p.y < 0.0 { 2 } else { 0 };
    let mut row = vec![(0, (1.0 - a) * (1.0 - b))];
    for (arm, distance, share) in [
        (horizontal, p.x.abs(), a * (1.0 - b) * of_arms),
        (vertical, p.y.abs(), b * (1.0 - a) * of_arms),
    ] {
        let along = distance - WIDTH / 2.0;
        let first = 1 + arm * BONES_PER_ARM as u32;
        for (bone, weight) in chain_weights(along, BONE_LENGTH, BONES_PER_ARM, WIDTH) {
            row.push((first + bone, share * weight));
        }
    }
    cleaned(row)
}

/// The sides, on a lattice that is counted from the lower left of the cross.
fn fill(surface: &mut Surface, n: i32, l: i32) {
    let span = 2 * l + n;
    let position_of = |at: IVec3| {
        // Steps from the middle, so that both halves of the cross are the same to the last bit.
        let along = |steps: i32| {
            let from_middle = f64::from(2 * steps - span) / 2.0;
            let half = f64::from(n) / 2.0;
            if from_middle.abs() <= half {
                from_middle / f64::from(n) * WIDTH
            } else {
                let out = (from_middle.abs() - half) / f64::from(l) * ARM_LENGTH + WIDTH / 2.0;
                out.copysign(from_middle)
            }
        };
        DVec3::new(along(at.x), along(at.y), (f64::from(at.z) / f64::from(n) - 0.5) * WIDTH)
    };
    // Front and back side by side; the narrow sides of each arm in a free corner of the front.
    let uv_per_step = DVec2::splat(0.5 / f64::from(span));
    let mut lattice = Lattice::new(surface, &position_of, &weights_at, uv_per_step);

    let (x, y, z) = (IVec3::X, IVec3::Y, IVec3::Z);
    let is_arm = |k: i32| k >= l && k < l + n;
    let cells = IVec2::splat(span);
    let front = Side { origin: z * n, right: x, up: y, cells, uv_origin: IVec2::ZERO };
    lattice.side_where(&front, |cell| is_arm(cell.x) || is_arm(cell.y));
    let back = Side { origin: x * span, right: -x, up: y, cells, uv_origin: IVec2::new(span, 0) };
    lattice.side_where(&back, |cell| is_arm(cell.x) || is_arm(cell.y));

    // Each arm as the upward one, turned: its frame's origin is the corner at its lower left.
    let far = l + n;
    let frames = [
        (IVec3::new(l, far, 0), x, y, IVec2::new(0, far)),
        (IVec3::new(l, l, 0), y, -x, IVec2::ZERO),
        (IVec3::new(far, l, 0), -x, -y, IVec2::new(far, 0)),
        (IVec3::new(far, far, 0), -y, x, IVec2::new(far, far)),
    ];
    for (corner, right, up, uv_corner) in frames {
        let mut side = |origin: IVec3, right: IVec3, up: IVec3, rows: i32, uv: IVec2| {
            let cells = IVec2::new(n, rows);
            lattice.side(&Side { origin, right, up, cells, uv_origin: uv_corner + uv });
        };
        side(corner, z, up, l, IVec2::ZERO);
        side(corner + right * n + z * n, -z, up, l, IVec2::new(n + 1, 0));
        side(corner + up * l + z * n, right, -z, n, IVec2::new(2 * (n + 1), 0));
    }
}
