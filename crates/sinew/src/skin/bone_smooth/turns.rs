//! How far a register of points has turned: the product of their shares of joints' turns.

use fearless_simd::{Simd, prelude::*};

use super::layout::Output;
use super::program::{MAX_FORKS, Step};
use crate::skeleton::Palette;
use crate::skin::blocks::Lanes;
use crate::skin::kernel::native;

/// One value in every lane. (A closure would not be compiled for the kernel's instruction set.)
#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, x: f32) -> S::f32s {
    S::f32s::splat(simd, x)
}

/// The product of a block's shares, a unit quaternion, and the twist that its points have in all.
#[inline(always)]
pub(super) fn product<S: Simd, O: Output>(
    simd: S,
    palette: &Palette,
    base: Option<u32>,
    steps: &[Step],
    mut lanes: &[Lanes],
    start: usize,
) -> ([S::f32s; 4], S::f32s) {
    let zero = splat::<S>(simd, 0.0);
    let one = [zero, zero, zero, splat::<S>(simd, 1.0)];
    let mut q = one;
    let mut twist = zero;
    if let Some(base) = base {
        let turn = &palette.turns()[base as usize];
        let [x, y, z, w] = turn.rotation_from_root.to_array();
        q = [
            splat::<S>(simd, x as f32),
            splat::<S>(simd, y as f32),
            splat::<S>(simd, z as f32),
            splat::<S>(simd, w as f32),
        ];
        let radians = turn.twist_from_root_radians;
        twist = splat::<S>(simd, radians as f32);
    }
    // Set aside at a fork: q, then the siblings' product in both orders.
    let mut forks = [[one; 3]; MAX_FORKS];
    let mut num_forks = 0;
    for step in steps {
        match *step {
            Step::Turn(joint) => {
                let turn = &palette.turns()[joint as usize];
                let of_swing = native(simd, &lanes[0], start);
                let of_twist = native(simd, &lanes[1], start);
                lanes = &lanes[2..];
                // Half angles, in turns.
                let half = |radians: f64| (radians / (2.0 * std::f64::consts::TAU)) as f32;
                let (swing_sin, swing_cos) =
                    sin_cos::<S>(simd, of_swing * splat::<S>(simd, half(turn.swing_radians)));
                let (twist_sin, twist_cos) =
                    sin_cos::<S>(simd, of_twist * splat::<S>(simd, half(turn.twist_radians)));
                let (a, t) = (turn.swing_axis, turn.twist_axis);
                let c = a.cross(t);
                let along_a = swing_sin * twist_cos;
                let along_t = swing_cos * twist_sin;
                let along_c = swing_sin * twist_sin;
                let along = [along_a, along_t, along_c];
                let d = [
                    combined::<S>(simd, along, [a.x, t.x, c.x]),
                    combined::<S>(simd, along, [a.y, t.y, c.y]),
                    combined::<S>(simd, along, [a.z, t.z, c.z]),
                    swing_cos * twist_cos,
                ];
                q = multiply::<S>(q, d);
                if O::STAGE {
                    let radians = splat::<S>(simd, turn.twist_radians as f32);
                    twist = of_twist.mul_add(radians, twist);
                }
            }
            Step::Fork => {
                forks[num_forks] = [q, one, one];
                num_forks += 1;
            }
            Step::Branch => q = one,
            Step::Join => {
                let fork = &mut forks[num_forks - 1];
                fork[1] = multiply::<S>(fork[1], q);
                fork[2] = multiply::<S>(q, fork[2]);
            }
            Step::Merge => {
                num_forks -= 1;
                let [before, forward, backward] = forks[num_forks];
                q = multiply::<S>(before, mean::<S>(simd, forward, backward));
            }
        }
    }
    (q, twist)
}

/// `Σ lanes_i · factor_i`.
#[inline(always)]
fn combined<S: Simd>(simd: S, lanes: [S::f32s; 3], factors: [f64; 3]) -> S::f32s {
    lanes[0].mul_add(
        splat::<S>(simd, factors[0] as f32),
        lanes[1].mul_add(
            splat::<S>(simd, factors[1] as f32),
            lanes[2] * splat::<S>(simd, factors[2] as f32),
        ),
    )
}

/// The unit quaternion half-way between two, the second in the first's hemisphere.
#[inline(always)]
fn mean<S: Simd>(simd: S, a: [S::f32s; 4], b: [S::f32s; 4]) -> [S::f32s; 4] {
    let one = splat::<S>(simd, 1.0);
    let dot = a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul_add(b[2], a[3] * b[3])));
    let sign = one.copysign(dot);
    let sum = [
        sign.mul_add(b[0], a[0]),
        sign.mul_add(b[1], a[1]),
        sign.mul_add(b[2], a[2]),
        sign.mul_add(b[3], a[3]),
    ];
    let norm =
        sum[0].mul_add(sum[0], sum[1].mul_add(sum[1], sum[2].mul_add(sum[2], sum[3] * sum[3])));
    let inverse = one / norm.sqrt();
    [sum[0] * inverse, sum[1] * inverse, sum[2] * inverse, sum[3] * inverse]
}

/// Hamilton's product, `xyzw`.
#[inline(always)]
fn multiply<S: Simd>(a: [S::f32s; 4], b: [S::f32s; 4]) -> [S::f32s; 4] {
    [
        a[3].mul_add(b[0], a[0].mul_add(b[3], a[1].mul_sub(b[2], a[2] * b[1]))),
        a[3].mul_add(b[1], a[1].mul_add(b[3], a[2].mul_sub(b[0], a[0] * b[2]))),
        a[3].mul_add(b[2], a[2].mul_add(b[3], a[0].mul_sub(b[1], a[1] * b[0]))),
        a[3].mul_sub(b[3], a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))),
    ]
}

/// Sine and cosine of an angle given in turns.
#[inline(always)]
fn sin_cos<S: Simd>(simd: S, turns: S::f32s) -> (S::f32s, S::f32s) {
    let quarter = splat::<S>(simd, 0.25);
    let half = splat::<S>(simd, 0.5);
    // In −½..½; the subtraction is exact.
    let y = turns - turns.round_ties_even();
    // Beyond a quarter turn the sine runs back: sin(y) = sin(±½ − y).
    let folded = half.copysign(y) - y;
    let y_sine = y.abs().simd_gt(quarter).select(folded, y);
    (sine_of_quarter::<S>(simd, y_sine), sine_of_quarter::<S>(simd, quarter - y.abs()))
}

/// `sin 2πy` for `|y| ≤ ¼`: the Taylor series to the eleventh power, within 6e-8.
#[inline(always)]
fn sine_of_quarter<S: Simd>(simd: S, y: S::f32s) -> S::f32s {
    let z = y * y;
    let p = z
        .mul_add(splat::<S>(simd, -15.094_643), splat::<S>(simd, 42.058_693))
        .mul_add(z, splat::<S>(simd, -76.705_86))
        .mul_add(z, splat::<S>(simd, 81.605_25))
        .mul_add(z, splat::<S>(simd, -41.341_7))
        .mul_add(z, splat::<S>(simd, std::f32::consts::TAU));
    p * y
}
