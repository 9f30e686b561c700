//! Dual quaternion skinning (Kavan, Collins, Žára, O'Sullivan 2008): the blend of rigid motions is
//! a rigid motion.
//!
//! `b̂ = Σ w_j s_j q̂_j`, `p' = rot(b̂)(S p) + trans(b̂)` with `S = Σ w_j S_j`, where
//! `model_from_rest[j] = T · R · S_j` (polar): scale and shear are blended linearly and applied
//! first, since dual quaternions cannot carry them. `s_j` puts every rotation into the hemisphere
//! of the point's first joint, the one nearest to the root (antipodality).
//!
//! Keeps the volume that linear blending loses, and bulges outward at bends since points turn about
//! the skeleton's joint: `docs/methods/dual-quaternion.md`. Beyond 180° the blend takes the shorter
//! way round: it flips.

use std::ops::Range;

use fearless_simd::{Simd, prelude::*};

use super::blocks::{Lanes, VectorBlock};
use super::kernel::{
    Blend, Kernel, ROW, load_vector, native3, native4, register_starts, store_vector, tile,
};
use super::linear::{normalized, padded_row};
use crate::skeleton::Palette;

/// `SCALED` where some joint scales or shears; elsewhere the stretch is left out.
pub(super) struct DualQuat<const SCALED: bool>;

impl<const SCALED: bool> Kernel for DualQuat<SCALED> {
    /// Eight of the dual quaternion; six of the stretch and two of padding.
    const FLOATS: usize = if SCALED { 16 } else { 8 };
    const SIGNED_ROWS: Range<usize> = 0..2;
    const NUM_REST: usize = 3;

    #[inline(always)]
    fn row(palette: &Palette, joint: usize, row: usize) -> [f32; ROW] {
        match row {
            0 => palette.rotations()[joint],
            1 => palette.duals()[joint],
            _ => padded_row(&palette.stretches()[joint], row - 2),
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
        let (q, d) = (tile::<S, 4>(blend, 0), tile::<S, 4>(blend, 4));
        let stretch = if SCALED { Some(tile::<S, 6>(blend, 8)) } else { None };
        for start in register_starts::<S>() {
            let (q, d) = (native4(simd, &q, start), native4(simd, &d, start));
            let mut p = native3(simd, rest, start);
            if let Some(stretch) = &stretch {
                p = stretched::<S>(native6(simd, stretch, start), p);
            }
            store_vector::<S>(transform(simd, q, d, p), position, start);
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

/// A symmetric stretch's six registers.
#[inline(always)]
pub(super) fn native6<S: Simd>(simd: S, lanes: &[Lanes; 6], start: usize) -> [S::f32s; 6] {
    let [xx, yy, zz] = native3(simd, &lanes[..3], start);
    let [xy, xz, yz] = native3(simd, &lanes[3..], start);
    [xx, yy, zz, xy, xz, yz]
}

#[inline(always)]
fn cross<S: Simd>(a: [S::f32s; 3], b: [S::f32s; 3]) -> [S::f32s; 3] {
    [
        a[1].mul_sub(b[2], a[2] * b[1]),
        a[2].mul_sub(b[0], a[0] * b[2]),
        a[0].mul_sub(b[1], a[1] * b[0]),
    ]
}

/// `2/|q|²`: with it a blend need not be normalised, which saves a square root.
#[inline(always)]
fn twice_over_norm<S: Simd>(simd: S, q: [S::f32s; 4]) -> S::f32s {
    let norm = q[0].mul_add(q[0], q[1].mul_add(q[1], q[2].mul_add(q[2], q[3] * q[3])));
    // Zero only where rotations at right angles to the pivot's cancel; then no rotation is right.
    S::f32s::splat(simd, 2.0) / norm.max(S::f32s::splat(simd, 1e-12))
}

/// `a·s + b`, component by component. (Closures handed to `array::from_fn` or `map` are not
/// compiled for the kernel's instruction set unless inlined, which costs a factor of ten: kernels
/// write arrays out.)
#[inline(always)]
fn scaled_add<S: Simd>(a: [S::f32s; 3], s: S::f32s, b: [S::f32s; 3]) -> [S::f32s; 3] {
    [a[0].mul_add(s, b[0]), a[1].mul_add(s, b[1]), a[2].mul_add(s, b[2])]
}

/// `v` turned by a quaternion of any length: `v + 2/|q|² · q⃗ × (q⃗ × v + w v)`.
#[inline(always)]
pub(super) fn rotate<S: Simd>(simd: S, q: [S::f32s; 4], v: [S::f32s; 3]) -> [S::f32s; 3] {
    let axis = [q[0], q[1], q[2]];
    let t = scaled_add::<S>(v, q[3], cross::<S>(axis, v));
    scaled_add::<S>(cross::<S>(axis, t), twice_over_norm(simd, q), v)
}

/// `p` moved by the blended dual quaternion.
#[inline(always)]
fn transform<S: Simd>(simd: S, q: [S::f32s; 4], d: [S::f32s; 4], p: [S::f32s; 3]) -> [S::f32s; 3] {
    let axis = [q[0], q[1], q[2]];
    let dual = [d[0], d[1], d[2]];
    // q⃗ × (q⃗ × p + w p + d⃗) + w d⃗ − d_w q⃗: rotation and translation in one.
    let t = scaled_add::<S>(p, q[3], cross::<S>(axis, p));
    let u = cross::<S>(axis, [t[0] + d[0], t[1] + d[1], t[2] + d[2]]);
    let u = scaled_add::<S>(axis, -d[3], scaled_add::<S>(dual, q[3], u));
    scaled_add::<S>(u, twice_over_norm(simd, q), p)
}

/// `S v` of a symmetric `xx, yy, zz, xy, xz, yz`.
#[inline(always)]
pub(super) fn stretched<S: Simd>(s: [S::f32s; 6], v: [S::f32s; 3]) -> [S::f32s; 3] {
    let [xx, yy, zz, xy, xz, yz] = s;
    [
        xx.mul_add(v[0], xy.mul_add(v[1], xz * v[2])),
        xy.mul_add(v[0], yy.mul_add(v[1], yz * v[2])),
        xz.mul_add(v[0], yz.mul_add(v[1], zz * v[2])),
    ]
}

/// A unit normal after `S`: by its cofactors.
#[inline(always)]
pub(super) fn stretched_normal<S: Simd>(simd: S, s: [S::f32s; 6], n: [S::f32s; 3]) -> [S::f32s; 3] {
    let [xx, yy, zz, xy, xz, yz] = s;
    let cofactors = [
        yy.mul_sub(zz, yz * yz),
        xx.mul_sub(zz, xz * xz),
        xx.mul_sub(yy, xy * xy),
        xz.mul_sub(yz, xy * zz),
        xy.mul_sub(yz, xz * yy),
        xy.mul_sub(xz, yz * xx),
    ];
    normalized(simd, stretched::<S>(cofactors, n))
}
