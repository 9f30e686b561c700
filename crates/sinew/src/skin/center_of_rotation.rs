//! Skinning about optimised centres of rotation (Le and Hodgins 2016; coupled-cages paper, eq. 6).
//!
//! `p' = R(q) S (p − c) + Σ w_j model_from_rest[j] c`, `q = normalise(Σ w_j s_j q_j)`: every point turns by the blended rotation about its own
//! centre `c`, and the centre moves by linear blending. Points that are weighted alike share a centre, so a section
//! turns as one piece. `super::centers` finds the centres; a point without one has `c = p`, which is linear blending.
//!
//! No collapse, and no bulge; folds more at the inner side of a bend than dual quaternions do: `docs/methods/center-of-rotation.md`.

use fearless_simd::{Simd, prelude::*};

use super::blocks::Lanes;
use super::dual_quat::{hemisphere, rotate, stretched, stretched_normal};
use super::kernel::{Blend, Kernel, V, load3};
use super::linear::{normalized, write_matrix};
use crate::skeleton::Palette;

/// Where no joint scales or shears. Rest lanes: `p − c`, then `c`.
pub(super) struct CenterOfRotation;

impl Kernel for CenterOfRotation {
    const FLOATS: usize = 16;
    const NUM_REST: usize = 6;

    #[inline(always)]
    fn joint_floats(palette: &Palette, joint: usize, pivot: usize, out: &mut [f32]) {
        write_matrix(palette, joint, out);
        let sign = hemisphere(palette, joint, pivot);
        for i in 0..4 {
            out[12 + i] = sign * palette.rotations()[joint][i];
        }
    }

    #[inline(always)]
    fn apply<S: Simd, B: Blend<S>>(
        simd: S,
        blend: &B,
        rest: &[Lanes],
        normal: Option<[V<S>; 3]>,
    ) -> ([V<S>; 3], [V<S>; 3]) {
        let q = blend.get::<4>(12);
        let turned = rotate(simd, q, load3(simd, rest));
        let position = moved_center(simd, blend, &rest[3..], turned);
        let Some(n) = normal else { return (position, position) };
        (position, rotate(simd, q, n))
    }
}

/// Where some joint scales or shears.
pub(super) struct CenterOfRotationScaled;

impl Kernel for CenterOfRotationScaled {
    const FLOATS: usize = 22;
    const NUM_REST: usize = 6;

    #[inline(always)]
    fn joint_floats(palette: &Palette, joint: usize, pivot: usize, out: &mut [f32]) {
        CenterOfRotation::joint_floats(palette, joint, pivot, &mut out[..16]);
        out[16..22].copy_from_slice(&palette.stretches()[joint]);
    }

    #[inline(always)]
    fn apply<S: Simd, B: Blend<S>>(
        simd: S,
        blend: &B,
        rest: &[Lanes],
        normal: Option<[V<S>; 3]>,
    ) -> ([V<S>; 3], [V<S>; 3]) {
        let stretch = blend.get::<6>(16);
        let q = blend.get::<4>(12);
        let turned = rotate(simd, q, stretched(stretch, load3(simd, rest)));
        let position = moved_center(simd, blend, &rest[3..], turned);
        let Some(n) = normal else { return (position, position) };
        let n = normalized(simd, stretched_normal(stretch, n));
        (position, rotate(simd, q, n))
    }
}

/// The linearly blended centre, plus `offset`.
#[inline(always)]
fn moved_center<S: Simd>(
    simd: S,
    blend: &impl Blend<S>,
    center: &[Lanes],
    offset: [V<S>; 3],
) -> [V<S>; 3] {
    let [x, y, z] = load3(simd, center);
    let mut out = offset;
    for row in 0..3 {
        let [a, b, c, d] = blend.get::<4>(row * 4);
        out[row] += a.mul_add(x, b.mul_add(y, c.mul_add(z, d)));
    }
    out
}
