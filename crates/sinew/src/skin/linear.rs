//! Linear blend skinning: `p' = Σ_j w_j · model_from_rest[j] · p` (course notes, eq. 10).
//!
//! Normals follow the blended cofactor matrix, which is the linear part itself where no joint
//! scales.
//!
//! Loses volume where joints twist or bend far: `docs/methods/linear.md` shows it, `sinew measure`
//! counts it.

use std::ops::Range;

use fearless_simd::{Simd, prelude::*};

use super::blocks::{Lanes, VectorBlock};
use super::kernel::{Blend, Kernel, ROW, V, load};
use crate::skeleton::Palette;

/// `SCALED` where some joint scales or shears: normals then go by blended cofactors of their own.
pub(super) struct Linear<const SCALED: bool>;

impl<const SCALED: bool> Kernel for Linear<SCALED> {
    /// Twelve of the matrix; nine of its cofactors and three of padding.
    const FLOATS: usize = if SCALED { 24 } else { 12 };
    const SIGNED_ROWS: Range<usize> = 0..0;
    const NUM_REST: usize = 3;

    #[inline(always)]
    fn row(palette: &Palette, joint: usize, row: usize) -> [f32; ROW] {
        match row {
            0..3 => palette.matrices()[joint][row],
            _ => padded_row(palette.normal_matrices()[joint].as_flattened(), row - 3),
        }
    }

    #[inline(always)]
    fn apply<S: Simd, B: Blend<S>>(
        simd: S,
        blend: &B,
        rest: &[Lanes],
        position: &mut VectorBlock,
        normals: Option<(&VectorBlock, &mut VectorBlock)>,
    ) {
        let [x, y, z] = load3(simd, rest);
        let out = [&mut position.x, &mut position.y, &mut position.z];
        let Some((normal, out_normal)) = normals else {
            for (row, out) in out.into_iter().enumerate() {
                let [a, b, c, d] = blend.get::<4>(row * 4);
                a.mul_add(x, b.mul_add(y, c.mul_add(z, d))).store_array(&mut out.0);
            }
            return;
        };
        let n = [load(simd, &normal.x), load(simd, &normal.y), load(simd, &normal.z)];
        let mut turned = n;
        for (row, out) in out.into_iter().enumerate() {
            let [a, b, c, d] = blend.get::<4>(row * 4);
            a.mul_add(x, b.mul_add(y, c.mul_add(z, d))).store_array(&mut out.0);
            let [a, b, c] = if SCALED { blend.get::<3>(12 + row * 3) } else { [a, b, c] };
            turned[row] = a.mul_add(n[0], b.mul_add(n[1], c * n[2]));
        }
        let [x, y, z] = normalized(simd, turned);
        x.store_array(&mut out_normal.x.0);
        y.store_array(&mut out_normal.y.0);
        z.store_array(&mut out_normal.z.0);
    }
}

/// Four values from the `row`-th four on; zeros past the end.
#[inline(always)]
pub(super) fn padded_row(values: &[f32], row: usize) -> [f32; ROW] {
    let mut padded = [0.0; ROW];
    for (out, value) in padded.iter_mut().zip(&values[row * ROW..]) {
        *out = *value;
    }
    padded
}

#[inline(always)]
pub(super) fn load3<S: Simd>(simd: S, lanes: &[Lanes]) -> [V<S>; 3] {
    [load(simd, &lanes[0]), load(simd, &lanes[1]), load(simd, &lanes[2])]
}

/// Unit vectors; zero stays zero.
#[inline(always)]
pub(super) fn normalized<S: Simd, F: SimdFloat<S, Element = f32>>(simd: S, v: [F; 3]) -> [F; 3] {
    // Below this a squared length has lost its digits; the quotient stays finite all the same.
    let smallest = F::splat(simd, f32::MIN_POSITIVE);
    let squared = v[0].mul_add(v[0], v[1].mul_add(v[1], v[2] * v[2])).max(smallest);
    let scale = F::splat(simd, 1.0) / squared.sqrt();
    [v[0] * scale, v[1] * scale, v[2] * scale]
}
