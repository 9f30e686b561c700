//! Eight points at a time: rows of four floats in, columns of eight out, and back.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, _mm256_castpd_ps, _mm256_castps_pd, _mm256_unpackhi_pd, _mm256_unpackhi_ps,
    _mm256_unpacklo_pd, _mm256_unpacklo_ps,
};

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

/// The rows that begin at eight places in `floats` as columns.
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, floats: &[f32], starts: &[u32; LANES]) -> [V<S>; 4] {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = simd.level().as_avx2() {
        let [x, y, z, w] = columns(
            avx2,
            simd.combine_f32x4(row(simd, floats, starts[0]), row(simd, floats, starts[4])).into(),
            simd.combine_f32x4(row(simd, floats, starts[1]), row(simd, floats, starts[5])).into(),
            simd.combine_f32x4(row(simd, floats, starts[2]), row(simd, floats, starts[6])).into(),
            simd.combine_f32x4(row(simd, floats, starts[3]), row(simd, floats, starts[7])).into(),
        );
        return [x.simd_into(simd), y.simd_into(simd), z.simd_into(simd), w.simd_into(simd)];
    }
    let low = transpose(
        simd,
        row(simd, floats, starts[0]),
        row(simd, floats, starts[1]),
        row(simd, floats, starts[2]),
        row(simd, floats, starts[3]),
    );
    let high = transpose(
        simd,
        row(simd, floats, starts[4]),
        row(simd, floats, starts[5]),
        row(simd, floats, starts[6]),
        row(simd, floats, starts[7]),
    );
    combine(simd, low, high)
}

/// The rows of eight slots in a line as columns.
#[inline(always)]
pub(super) fn load_rows<S: Simd>(simd: S, floats: &[f32; LANES * POSITION_FLOATS]) -> [V<S>; 4] {
    gather(simd, floats, &[0, 4, 8, 12, 16, 20, 24, 28])
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

#[cfg(target_arch = "x86_64")]
fearless_simd::kernel!(
    /// Transposes four rows in each half: 11 shuffles with the loads, where four at a time take 17.
    #[inline(always)]
    fn columns(_avx2: Avx2, a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
        let xy_ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
        let xy_cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
        let zw_ab = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
        let zw_cd = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
        [
            _mm256_castpd_ps(_mm256_unpacklo_pd(xy_ab, xy_cd)),
            _mm256_castpd_ps(_mm256_unpackhi_pd(xy_ab, xy_cd)),
            _mm256_castpd_ps(_mm256_unpacklo_pd(zw_ab, zw_cd)),
            _mm256_castpd_ps(_mm256_unpackhi_pd(zw_ab, zw_cd)),
        ]
    }
);

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

/// Four floats.
#[inline(always)]
fn row<S: Simd>(simd: S, floats: &[f32], start: u32) -> f32x4<S> {
    let start = start as usize;
    f32x4::from_slice(simd, &floats[start..start + POSITION_FLOATS])
}
