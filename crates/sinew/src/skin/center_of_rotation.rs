//! Skinning about optimised centres of rotation (Le and Hodgins 2016; coupled-cages paper, eq. 6).
//!
//! `p' = R(q) S (p − c) + Σ w_j model_from_rest[j] c`, `q = normalise(Σ w_j s_j q_j)`: every point
//! turns by the blended rotation about its own centre `c`, and the centre moves by linear blending.
//! Points that are weighted alike share a centre, so a section turns as one piece. `super::centers`
//! finds the centres; a point without one has `c = p`, which is linear blending.
//!
//! No collapse, and no bulge; folds more at the inner side of a bend than dual quaternions do:
//! `docs/methods/center-of-rotation.md`.

use std::ops::Range;

use fearless_simd::{Simd, prelude::*};

use super::blocks::{LANES, Lanes, VectorBlock};
use super::dual_quat::{native6, rotate, stretched, stretched_normal};
use super::kernel::{
    Blend, Kernel, ROW, load_vector, native3, native4, register_starts, store_vector, tile,
};
use super::linear::{load3, padded_row};
use crate::skeleton::Palette;

/// `SCALED` where some joint scales or shears; elsewhere the stretch is left out. Rest lanes:
/// `p − c`, then `c`.
pub(super) struct CenterOfRotation<const SCALED: bool>;

impl<const SCALED: bool> Kernel for CenterOfRotation<SCALED> {
    /// Twelve of the matrix, four of the rotation; six of the stretch and two of padding.
    const FLOATS: usize = if SCALED { 24 } else { 16 };
    const SIGNED_ROWS: Range<usize> = 3..4;
    const NUM_REST: usize = 6;

    #[inline(always)]
    fn row(palette: &Palette, joint: usize, row: usize) -> [f32; ROW] {
        match row {
            0..3 => palette.matrices()[joint][row],
            3 => palette.rotations()[joint],
            _ => padded_row(&palette.stretches()[joint], row - 4),
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
        let stretch = if SCALED { Some(tile::<S, 6>(blend, 16)) } else { None };
        for start in register_starts::<S>() {
            let q = native4(simd, &q, start);
            let mut offset = native3(simd, rest, start);
            if let Some(stretch) = &stretch {
                offset = stretched::<S>(native6(simd, stretch, start), offset);
            }
            let turned = rotate(simd, q, offset);
            store_vector::<S>(sum::<S>(turned, native3(simd, &center, start)), position, start);
            if let Some((normal, out)) = &mut normals {
                let mut n = load_vector(simd, normal, start);
                if let Some(stretch) = &stretch {
                    n = stretched_normal(simd, native6(simd, stretch, start), n);
                }
                store_vector::<S>(rotate(simd, q, n), out, start);
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
