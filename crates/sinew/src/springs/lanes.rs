//! Eight points at a time: rows of four floats in, columns of eight out, and back.

use fearless_simd::{Simd, f32x4, f32x8, f64x2, prelude::*};

use super::rows::{LANES, Lanes, POSITION_FLOATS};

/// A register of eight.
pub(super) type V<S> = f32x8<S>;

/// Eight lanes of memory.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &Lanes) -> V<S> {
    V::load_array_ref(simd, lanes)
}

/// Three times eight lanes of memory.
#[inline(always)]
pub(super) fn load3<S: Simd>(simd: S, lanes: &[Lanes; 3]) -> [V<S>; 3] {
    [load(simd, &lanes[0]), load(simd, &lanes[1]), load(simd, &lanes[2])]
}

/// `a · b`.
#[inline(always)]
pub(super) fn dot<S: Simd>(a: [V<S>; 3], b: [V<S>; 3]) -> V<S> {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// `a − b`.
#[inline(always)]
pub(super) fn difference<S: Simd>(a: [V<S>; 3], b: [V<S>; 3]) -> [V<S>; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `sum + scale · a`.
#[inline(always)]
pub(super) fn add_scaled<S: Simd>(sum: [V<S>; 3], scale: V<S>, a: [V<S>; 3]) -> [V<S>; 3] {
    [scale.mul_add(a[0], sum[0]), scale.mul_add(a[1], sum[1]), scale.mul_add(a[2], sum[2])]
}

/// The rows of eight slots, anywhere in `floats`, as columns.
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, floats: &[f32], slots: &[u32; LANES]) -> [V<S>; 4] {
    let low = transpose(
        simd,
        row(simd, floats, slots[0]),
        row(simd, floats, slots[1]),
        row(simd, floats, slots[2]),
        row(simd, floats, slots[3]),
    );
    let high = transpose(
        simd,
        row(simd, floats, slots[4]),
        row(simd, floats, slots[5]),
        row(simd, floats, slots[6]),
        row(simd, floats, slots[7]),
    );
    combine(simd, low, high)
}

/// The rows of eight slots in a line as columns.
#[inline(always)]
pub(super) fn load_rows<S: Simd>(simd: S, floats: &[f32; LANES * POSITION_FLOATS]) -> [V<S>; 4] {
    let (rows, _) = floats.as_chunks::<POSITION_FLOATS>();
    let low = transpose(
        simd,
        f32x4::load_array_ref(simd, &rows[0]),
        f32x4::load_array_ref(simd, &rows[1]),
        f32x4::load_array_ref(simd, &rows[2]),
        f32x4::load_array_ref(simd, &rows[3]),
    );
    let high = transpose(
        simd,
        f32x4::load_array_ref(simd, &rows[4]),
        f32x4::load_array_ref(simd, &rows[5]),
        f32x4::load_array_ref(simd, &rows[6]),
        f32x4::load_array_ref(simd, &rows[7]),
    );
    combine(simd, low, high)
}

/// Columns of eight slots in a line as rows.
#[inline(always)]
pub(super) fn store_rows<S: Simd>(
    simd: S,
    columns: [V<S>; 4],
    floats: &mut [f32; LANES * POSITION_FLOATS],
) {
    let (x_low, x_high) = simd.split_f32x8(columns[0]);
    let (y_low, y_high) = simd.split_f32x8(columns[1]);
    let (z_low, z_high) = simd.split_f32x8(columns[2]);
    let (w_low, w_high) = simd.split_f32x8(columns[3]);
    let low = transpose(simd, x_low, y_low, z_low, w_low);
    let high = transpose(simd, x_high, y_high, z_high, w_high);
    let (rows, _) = floats.as_chunks_mut::<POSITION_FLOATS>();
    for i in 0..4 {
        low[i].store_array(&mut rows[i]);
        high[i].store_array(&mut rows[i + 4]);
    }
}

#[inline(always)]
fn combine<S: Simd>(simd: S, low: [f32x4<S>; 4], high: [f32x4<S>; 4]) -> [V<S>; 4] {
    [
        simd.combine_f32x4(low[0], high[0]),
        simd.combine_f32x4(low[1], high[1]),
        simd.combine_f32x4(low[2], high[2]),
        simd.combine_f32x4(low[3], high[3]),
    ]
}

#[inline(always)]
fn transpose<S: Simd>(
    simd: S,
    a: f32x4<S>,
    b: f32x4<S>,
    c: f32x4<S>,
    d: f32x4<S>,
) -> [f32x4<S>; 4] {
    let xy_low: f64x2<S> = simd.zip_low_f32x4(a, b).bitcast();
    let xy_high: f64x2<S> = simd.zip_low_f32x4(c, d).bitcast();
    let zw_low: f64x2<S> = simd.zip_high_f32x4(a, b).bitcast();
    let zw_high: f64x2<S> = simd.zip_high_f32x4(c, d).bitcast();
    [
        simd.zip_low_f64x2(xy_low, xy_high).bitcast(),
        simd.zip_high_f64x2(xy_low, xy_high).bitcast(),
        simd.zip_low_f64x2(zw_low, zw_high).bitcast(),
        simd.zip_high_f64x2(zw_low, zw_high).bitcast(),
    ]
}

/// The row of a slot.
#[inline(always)]
fn row<S: Simd>(simd: S, floats: &[f32], slot: u32) -> f32x4<S> {
    let start = slot as usize * POSITION_FLOATS;
    f32x4::from_slice(simd, &floats[start..start + POSITION_FLOATS])
}
