//! Skinning about optimised centres of rotation (Le and Hodgins 2016; coupled-cages paper, eq. 6).
//!
//! `p' = R(q) S (p − c) + Σ w_j model_from_rest[j] c`, `q = normalise(Σ w_j s_j q_j)`: every point turns by the blended rotation about its own
//! centre `c`, and the centre moves by linear blending. Points that are weighted alike share a centre, so a section
//! turns as one piece. `super::centers` finds the centres; a point without one has `c = p`, which is linear blending.
//!
//! No collapse, and no bulge; folds more at the inner side of a bend than dual quaternions do: `docs/methods/center-of-rotation.md`.

use fearless_simd::{Simd, prelude::*};

use super::blocks::{LANES, Lanes, VectorBlock};
use super::dual_quat::{hemisphere, native6, rotate, stretched, stretched_normal};
use super::kernel::{
    Blend, Kernel, load_vector, native3, native4, register_starts, store_vector, tile,
};
use super::linear::{load3, normalized, write_matrix};
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
        position: &mut VectorBlock,
        mut normals: Option<(&VectorBlock, &mut VectorBlock)>,
    ) {
        let center = moved_center(simd, blend, &rest[3..]);
        let q = tile::<S, 4>(blend, 12);
        for start in register_starts::<S>() {
            let q = native4(simd, &q, start);
            let turned = rotate(simd, q, native3(simd, rest, start));
            store_vector::<S>(sum::<S>(turned, native3(simd, &center, start)), position, start);
            if let Some((normal, out)) = &mut normals {
                store_vector::<S>(rotate(simd, q, load_vector(simd, normal, start)), out, start);
            }
        }
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
        position: &mut VectorBlock,
        mut normals: Option<(&VectorBlock, &mut VectorBlock)>,
    ) {
        let center = moved_center(simd, blend, &rest[3..]);
        let (q, stretch) = (tile::<S, 4>(blend, 12), tile::<S, 6>(blend, 16));
        for start in register_starts::<S>() {
            let q = native4(simd, &q, start);
            let stretch = native6(simd, &stretch, start);
            let turned = rotate(simd, q, stretched::<S>(stretch, native3(simd, rest, start)));
            store_vector::<S>(sum::<S>(turned, native3(simd, &center, start)), position, start);
            if let Some((normal, out)) = &mut normals {
                let n = stretched_normal::<S>(stretch, load_vector(simd, normal, start));
                store_vector::<S>(rotate(simd, q, normalized(simd, n)), out, start);
            }
        }
    }
}

#[inline(always)]
fn sum<S: Simd>(a: [S::f32s; 3], b: [S::f32s; 3]) -> [S::f32s; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The linearly blended centres.
#[inline(always)]
fn moved_center<S: Simd>(simd: S, blend: &impl Blend<S>, center: &[Lanes]) -> [Lanes; 3] {
    let [x, y, z] = load3(simd, center);
    let mut out = [Lanes([0.0; LANES]); 3];
    for (row, out) in out.iter_mut().enumerate() {
        let [a, b, c, d] = blend.get::<4>(row * 4);
        a.mul_add(x, b.mul_add(y, c.mul_add(z, d))).store_array(&mut out.0);
    }
    out
}
