//! Linear blend skinning: `p' = Σ_j w_j · model_from_rest[j] · p` (course notes, eq. 10).
//!
//! Normals follow the blended cofactor matrix, which is the linear part itself where no joint scales.
//!
//! Loses volume where joints twist or bend far: `docs/methods/linear.md` shows it, `sinew measure` counts it.

use fearless_simd::{Simd, prelude::*};

use super::blocks::Lanes;
use super::kernel::{Blend, Kernel, V, load3};
use crate::skeleton::Palette;

/// Where no joint scales or shears, normals move as the linear part does.
pub(super) struct Linear;

impl Kernel for Linear {
    const FLOATS: usize = 12;
    const NUM_REST: usize = 3;

    #[inline(always)]
    fn joint_floats(palette: &Palette, joint: usize, _pivot: usize, out: &mut [f32]) {
        write_matrix(palette, joint, out);
    }

    #[inline(always)]
    fn apply<S: Simd, B: Blend<S>>(
        simd: S,
        blend: &B,
        rest: &[Lanes],
        normal: Option<[V<S>; 3]>,
    ) -> ([V<S>; 3], [V<S>; 3]) {
        let [x, y, z] = load3(simd, rest);
        let n = normal.unwrap_or([x; 3]);
        let mut position = [x; 3];
        let mut out_normal = n;
        for row in 0..3 {
            let [a, b, c, d] = blend.get::<4>(row * 4);
            position[row] = a.mul_add(x, b.mul_add(y, c.mul_add(z, d)));
            if normal.is_some() {
                out_normal[row] = a.mul_add(n[0], b.mul_add(n[1], c * n[2]));
            }
        }
        (position, if normal.is_some() { normalized(simd, out_normal) } else { out_normal })
    }
}

/// Where some joint scales: normals by blended cofactors.
pub(super) struct LinearScaled;

impl Kernel for LinearScaled {
    const FLOATS: usize = 21;
    const NUM_REST: usize = 3;

    #[inline(always)]
    fn joint_floats(palette: &Palette, joint: usize, _pivot: usize, out: &mut [f32]) {
        write_matrix(palette, joint, out);
        for (row, values) in palette.normal_matrices()[joint].iter().enumerate() {
            out[12 + 3 * row..15 + 3 * row].copy_from_slice(values);
        }
    }

    #[inline(always)]
    fn apply<S: Simd, B: Blend<S>>(
        simd: S,
        blend: &B,
        rest: &[Lanes],
        normal: Option<[V<S>; 3]>,
    ) -> ([V<S>; 3], [V<S>; 3]) {
        let (position, _) = Linear::apply(simd, blend, rest, None);
        let Some(n) = normal else { return (position, position) };
        let mut out_normal = n;
        for row in 0..3 {
            let [a, b, c] = blend.get::<3>(12 + row * 3);
            out_normal[row] = a.mul_add(n[0], b.mul_add(n[1], c * n[2]));
        }
        (position, normalized(simd, out_normal))
    }
}

#[inline(always)]
pub(super) fn write_matrix(palette: &Palette, joint: usize, out: &mut [f32]) {
    for (row, values) in palette.matrices()[joint].iter().enumerate() {
        out[4 * row..4 * row + 4].copy_from_slice(values);
    }
}

/// Unit vectors; zero stays zero.
#[inline(always)]
pub(super) fn normalized<S: Simd>(simd: S, v: [V<S>; 3]) -> [V<S>; 3] {
    // Below this a squared length has lost its digits; the quotient stays finite all the same.
    let smallest = V::splat(simd, 1e-30);
    let squared = v[0].mul_add(v[0], v[1].mul_add(v[1], v[2] * v[2])).max(smallest);
    let scale = V::splat(simd, 1.0) / squared.sqrt();
    [v[0] * scale, v[1] * scale, v[2] * scale]
}
