//! The frame loop: eight points at a time against their neighbours, row by row.
//!
//! A point's state is 32 bytes, position and attachment, so that a neighbour is one cache line.
//! With `c = s_i × s_j`, `|s_i|² s_j − (s_i·s_j) s_i` is `c × s_i`: the sum over neighbours is one
//! of `c`, and the product with `s_i` is taken once. Angles and lengths at rest are measured by
//! these very functions, so that they cancel to the last bit.

use std::ops::Range;

use fearless_simd::{Simd, f32x4, f32x8, f64x2, prelude::*};
use glam::Vec3;

/// Points in a block.
pub(super) const LANES: usize = 8;

/// Squares below this (lengths are in units of the model) have no direction.
pub(super) const NO_DIRECTION: f32 = 1e-30;

/// In place of an angle at rest: there is none, and no torque.
pub(super) const NO_ANGLE: f32 = -1.0;

type V<S> = f32x8<S>;

/// Eight points' rows of neighbours.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub pairs: Range<u32>,
}

/// One neighbour each of eight points. Padding names the point itself, with stiffness 0.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairRow {
    /// The neighbour's row of the state.
    pub row: [u32; LANES],
    /// `k` of `F_a`, with its scales but the global one.
    pub torque_stiffness: [f32; LANES],
    /// `k` of `F_s`, likewise.
    pub edge_stiffness: [f32; LANES],
    /// [`NO_ANGLE`] where one of the two is on its bone.
    pub rest_angle: [f32; LANES],
    pub rest_length: [f32; LANES],
}

/// What eight points have to themselves.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointRow {
    /// κ, scaled.
    pub bone_stiffness: [f32; LANES],
    pub rest_bend: [f32; LANES],
    pub length_stiffness: [f32; LANES],
    pub rest_length: [f32; LANES],
}

/// What a frame says about eight points.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameRow {
    /// Where `s` is turned about: the bone, or a direction that it is to have. Unit vectors by
    /// component, or zero.
    pub axis: [[f32; LANES]; 3],
    /// As bound, but for handles and kinematic points.
    pub own: PointRow,
    /// 1, or 0 for what is held.
    pub mobility: [f32; LANES],
    /// 1, or less for handles: what they take of their neighbours' `F_s`.
    pub edge_share: [f32; LANES],
}

/// A point's position and attachment, each with a fourth float that is 0.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StateRow([f32; 8]);

impl StateRow {
    pub(super) fn set_position(&mut self, p: Vec3) {
        self.0[..3].copy_from_slice(&p.to_array());
    }

    pub(super) fn set_attachment(&mut self, p: Vec3) {
        self.0[4..7].copy_from_slice(&p.to_array());
    }

    pub(super) fn position(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }

    pub(super) fn attachment(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }
}

/// The same for all points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalars {
    pub torque: f32,
    pub edge: f32,
    pub compressed: f32,
    pub step_seconds: f32,
    /// In units.
    pub max_step: f32,
}

/// A task's part of what is bound.
pub(super) struct Bound<'a> {
    pub blocks: &'a [Block],
    pub pairs: &'a [PairRow],
    pub frame: &'a [FrameRow],
    pub scalars: &'a Scalars,
}

/// Writes the next positions, or the forces, of a task's points; returns the square of the largest
/// step.
#[inline(always)]
pub(super) fn advance<S: Simd, const STEP: bool>(
    simd: S,
    bound: &Bound<'_>,
    state: &[StateRow],
    first_block: usize,
    out: &mut [StateRow],
) -> f32 {
    let scalars = bound.scalars;
    let zero = V::splat(simd, 0.0);
    let one = V::splat(simd, 1.0);
    let seconds = if STEP { scalars.step_seconds } else { 1.0 };
    let longest = V::splat(simd, scalars.max_step * (seconds / scalars.step_seconds));
    let compressed = V::splat(simd, scalars.compressed);
    let mut largest_squared = zero;
    for (index, block) in bound.blocks.iter().enumerate() {
        let own = references(&state.as_chunks::<LANES>().0[first_block + index]);
        let x = positions(simd, own);
        let s = minus::<S>(x, attachments(simd, own));
        let mut torque = [zero; 3];
        let mut edge = [zero; 3];
        for row in &bound.pairs[block.pairs.start as usize..block.pairs.end as usize] {
            let pair = Pair::of(simd, row, state, x, s);
            let stretch = pair.length - V::load_array_ref(simd, &row.rest_length);
            let rest_angle = V::load_array_ref(simd, &row.rest_angle);
            let bend = pair.angle(simd) - rest_angle;
            let bend = simd.select_f32x8(rest_angle.simd_lt(zero), zero, bend);
            let stiffness = V::load_array_ref(simd, &row.torque_stiffness);
            let of_torque = stiffness * bend * pair.inverse_sine;
            torque[0] = of_torque.mul_add(pair.cross[0], torque[0]);
            torque[1] = of_torque.mul_add(pair.cross[1], torque[1]);
            torque[2] = of_torque.mul_add(pair.cross[2], torque[2]);
            let stiffness = V::load_array_ref(simd, &row.edge_stiffness);
            let softened = stiffness * compressed;
            let stiffness = simd.select_f32x8(stretch.simd_lt(zero), softened, stiffness);
            let of_edge = stiffness * stretch * pair.inverse_length;
            edge[0] = of_edge.mul_add(pair.along[0], edge[0]);
            edge[1] = of_edge.mul_add(pair.along[1], edge[1]);
            edge[2] = of_edge.mul_add(pair.along[2], edge[2]);
        }
        let frame = &bound.frame[index];
        let point = &frame.own;
        let axis = [
            V::load_array_ref(simd, &frame.axis[0]),
            V::load_array_ref(simd, &frame.axis[1]),
            V::load_array_ref(simd, &frame.axis[2]),
        ];
        let own = Own::of(simd, s, axis);
        let bend = own.bend(simd) - V::load_array_ref(simd, &point.rest_bend);
        let of_bone = V::load_array_ref(simd, &point.bone_stiffness) * bend * own.inverse_sine;
        let missing = V::load_array_ref(simd, &point.rest_length) - own.length;
        let of_length =
            V::load_array_ref(simd, &point.length_stiffness) * missing * own.inverse_length;
        let scale = V::splat(simd, scalars.torque);
        // Both torques are crossed with s at once.
        let axis = [
            scale.mul_add(torque[0], of_bone * own.cross[0]),
            scale.mul_add(torque[1], of_bone * own.cross[1]),
            scale.mul_add(torque[2], of_bone * own.cross[2]),
        ];
        let turn = cross::<S>(axis, s);
        let share = V::load_array_ref(simd, &frame.edge_share);
        let scale = share * V::splat(simd, scalars.edge);
        let mobility = V::load_array_ref(simd, &frame.mobility) * V::splat(simd, seconds);
        let step = [
            mobility * of_length.mul_add(s[0], scale.mul_add(edge[0], turn[0])),
            mobility * of_length.mul_add(s[1], scale.mul_add(edge[1], turn[1])),
            mobility * of_length.mul_add(s[2], scale.mul_add(edge[2], turn[2])),
        ];
        let squared = dot::<S>(step, step);
        let is_long = squared.simd_gt(longest * longest);
        let least = V::splat(simd, NO_DIRECTION);
        let shortened = longest / squared.max(least).sqrt();
        let shorten = simd.select_f32x8(is_long, shortened, one);
        let kept = simd.select_f32x8(is_long, longest * longest, squared);
        largest_squared = largest_squared.max(kept);
        let base = if STEP { x } else { [zero; 3] };
        let next = [
            step[0].mul_add(shorten, base[0]),
            step[1].mul_add(shorten, base[1]),
            step[2].mul_add(shorten, base[2]),
        ];
        store(simd, next, &mut out[index * LANES..][..LANES]);
    }
    largest_squared.reduce_max()
}

/// Eight points, and one neighbour each.
struct Pair<S: Simd> {
    /// `x_j − x_i`.
    along: [V<S>; 3],
    length: V<S>,
    inverse_length: V<S>,
    /// `s_i × s_j`.
    cross: [V<S>; 3],
    sine: V<S>,
    inverse_sine: V<S>,
    cosine: V<S>,
}

impl<S: Simd> Pair<S> {
    #[inline(always)]
    fn of(simd: S, row: &PairRow, state: &[StateRow], x: [V<S>; 3], s: [V<S>; 3]) -> Self {
        let rows = [
            &state[row.row[0] as usize],
            &state[row.row[1] as usize],
            &state[row.row[2] as usize],
            &state[row.row[3] as usize],
            &state[row.row[4] as usize],
            &state[row.row[5] as usize],
            &state[row.row[6] as usize],
            &state[row.row[7] as usize],
        ];
        let x_j = positions(simd, rows);
        let s_j = minus::<S>(x_j, attachments(simd, rows));
        let along = minus::<S>(x_j, x);
        // Of the difference: nearly parallel vectors cancel less.
        let cross = cross::<S>(s, minus::<S>(s_j, s));
        let (length, inverse_length) = length(simd, along);
        let (sine, inverse_sine) = length_or_none(simd, cross);
        Self { along, length, inverse_length, cross, sine, inverse_sine, cosine: dot::<S>(s, s_j) }
    }

    #[inline(always)]
    fn angle(&self, simd: S) -> V<S> {
        angle(simd, self.sine, self.cosine)
    }
}

/// Eight points and their bones.
struct Own<S: Simd> {
    length: V<S>,
    inverse_length: V<S>,
    /// `s × b`.
    cross: [V<S>; 3],
    sine: V<S>,
    inverse_sine: V<S>,
    cosine: V<S>,
}

impl<S: Simd> Own<S> {
    #[inline(always)]
    fn of(simd: S, s: [V<S>; 3], bone: [V<S>; 3]) -> Self {
        let cross = cross::<S>(s, bone);
        let (sine, inverse_sine) = length_or_none(simd, cross);
        let (length, inverse_length) = length(simd, s);
        Self { length, inverse_length, cross, sine, inverse_sine, cosine: dot::<S>(s, bone) }
    }

    #[inline(always)]
    fn bend(&self, simd: S) -> V<S> {
        angle(simd, self.sine, self.cosine)
    }
}

/// Angles and lengths of a block at rest, into its rows; an angle that is [`NO_ANGLE`] stays so.
#[inline(always)]
pub(super) fn measure_rest<S: Simd>(
    simd: S,
    state: &[StateRow],
    block: usize,
    bone: &[[f32; LANES]; 3],
    (pairs, point): (&mut [PairRow], &mut PointRow),
) {
    let own = references(&state.as_chunks::<LANES>().0[block]);
    let x = positions(simd, own);
    let s = minus::<S>(x, attachments(simd, own));
    for row in pairs {
        let pair = Pair::of(simd, row, state, x, s);
        let none = V::splat(simd, NO_ANGLE);
        let is_none = V::load_array_ref(simd, &row.rest_angle).simd_lt(V::splat(simd, 0.0));
        let angle = simd.select_f32x8(is_none, none, pair.angle(simd));
        angle.store_array(&mut row.rest_angle);
        pair.length.store_array(&mut row.rest_length);
    }
    let bone = [
        V::load_array_ref(simd, &bone[0]),
        V::load_array_ref(simd, &bone[1]),
        V::load_array_ref(simd, &bone[2]),
    ];
    let own = Own::of(simd, s, bone);
    own.bend(simd).store_array(&mut point.rest_bend);
    own.length.store_array(&mut point.rest_length);
}

/// `atan2(sine, cosine)` for sines that are not negative: Cephes' `atanf`, good to 2e-7.
#[inline(always)]
fn angle<S: Simd>(simd: S, sine: V<S>, cosine: V<S>) -> V<S> {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    const TAN_EIGHTH_TURN_HALVED: f32 = 0.414_213_57;
    let flat = cosine.abs();
    let small = sine.min(flat);
    let large = sine.max(flat);
    let is_far = small.simd_gt(large * V::splat(simd, TAN_EIGHTH_TURN_HALVED));
    let over = simd.select_f32x8(is_far, small - large, small);
    let under = simd.select_f32x8(is_far, small + large, large);
    let t = over / under.max(V::splat(simd, f32::MIN_POSITIVE));
    let z = t * t;
    // In pairs, not in a row: half the wait.
    let high = V::splat(simd, 8.053_744_5e-2).mul_add(z, V::splat(simd, -1.387_768_6e-1));
    let low = V::splat(simd, 1.997_771_1e-1).mul_add(z, V::splat(simd, -3.333_295e-1));
    let series = high.mul_add(z * z, low);
    let small_angle = series.mul_add(z * t, t);
    let first = simd.select_f32x8(is_far, small_angle + V::splat(simd, FRAC_PI_4), small_angle);
    let is_steep = sine.simd_gt(flat);
    let quarter = simd.select_f32x8(is_steep, V::splat(simd, FRAC_PI_2) - first, first);
    let is_back = cosine.simd_lt(V::splat(simd, 0.0));
    simd.select_f32x8(is_back, V::splat(simd, PI) - quarter, quarter)
}

/// Length and its inverse, both at least those of [`NO_DIRECTION`]. The root stands alone: whoever
/// waits for the length need not wait for the division, and the loop is as fast as its longest
/// wait.
#[inline(always)]
fn length<S: Simd>(simd: S, v: [V<S>; 3]) -> (V<S>, V<S>) {
    let length = dot::<S>(v, v).max(V::splat(simd, NO_DIRECTION)).sqrt();
    (length, V::splat(simd, 1.0) / length)
}

/// The same, the inverse zero where there is no direction.
#[inline(always)]
fn length_or_none<S: Simd>(simd: S, v: [V<S>; 3]) -> (V<S>, V<S>) {
    let squared = dot::<S>(v, v);
    let least = V::splat(simd, NO_DIRECTION);
    let length = squared.max(least).sqrt();
    let inverse = V::splat(simd, 1.0) / length;
    (length, simd.select_f32x8(squared.simd_lt(least), V::splat(simd, 0.0), inverse))
}

#[inline(always)]
fn minus<S: Simd>(a: [V<S>; 3], b: [V<S>; 3]) -> [V<S>; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Simd>(a: [V<S>; 3], b: [V<S>; 3]) -> V<S> {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
fn cross<S: Simd>(a: [V<S>; 3], b: [V<S>; 3]) -> [V<S>; 3] {
    [
        a[1].mul_add(b[2], -(a[2] * b[1])),
        a[2].mul_add(b[0], -(a[0] * b[2])),
        a[0].mul_add(b[1], -(a[1] * b[0])),
    ]
}

#[inline(always)]
fn references(rows: &[StateRow; LANES]) -> [&StateRow; LANES] {
    let [a, b, c, d, e, f, g, h] = rows;
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn positions<S: Simd>(simd: S, rows: [&StateRow; LANES]) -> [V<S>; 3] {
    columns::<S, 0>(simd, rows)
}

#[inline(always)]
fn attachments<S: Simd>(simd: S, rows: [&StateRow; LANES]) -> [V<S>; 3] {
    columns::<S, 4>(simd, rows)
}

/// Three columns of eight rows, from float `START` on.
#[inline(always)]
fn columns<S: Simd, const START: usize>(simd: S, rows: [&StateRow; LANES]) -> [V<S>; 3] {
    let low = four_columns(
        simd,
        four::<S, START>(simd, rows[0]),
        four::<S, START>(simd, rows[1]),
        four::<S, START>(simd, rows[2]),
        four::<S, START>(simd, rows[3]),
    );
    let high = four_columns(
        simd,
        four::<S, START>(simd, rows[4]),
        four::<S, START>(simd, rows[5]),
        four::<S, START>(simd, rows[6]),
        four::<S, START>(simd, rows[7]),
    );
    [
        simd.combine_f32x4(low[0], high[0]),
        simd.combine_f32x4(low[1], high[1]),
        simd.combine_f32x4(low[2], high[2]),
    ]
}

#[inline(always)]
fn four<S: Simd, const START: usize>(simd: S, row: &StateRow) -> f32x4<S> {
    f32x4::from_slice(simd, &row.0[START..START + 4])
}

/// The first three columns of four rows.
#[inline(always)]
fn four_columns<S: Simd>(
    simd: S,
    a: f32x4<S>,
    b: f32x4<S>,
    c: f32x4<S>,
    d: f32x4<S>,
) -> [f32x4<S>; 3] {
    let xy_low: f64x2<S> = simd.zip_low_f32x4(a, b).bitcast();
    let xy_high: f64x2<S> = simd.zip_low_f32x4(c, d).bitcast();
    let z_low: f64x2<S> = simd.zip_high_f32x4(a, b).bitcast();
    let z_high: f64x2<S> = simd.zip_high_f32x4(c, d).bitcast();
    [
        simd.zip_low_f64x2(xy_low, xy_high).bitcast(),
        simd.zip_high_f64x2(xy_low, xy_high).bitcast(),
        simd.zip_low_f64x2(z_low, z_high).bitcast(),
    ]
}

/// Columns into the positions of eight rows.
#[inline(always)]
fn store<S: Simd>(simd: S, v: [V<S>; 3], out: &mut [StateRow]) {
    let (x_low, x_high) = simd.split_f32x8(v[0]);
    let (y_low, y_high) = simd.split_f32x8(v[1]);
    let (z_low, z_high) = simd.split_f32x8(v[2]);
    let zero = f32x4::splat(simd, 0.0);
    let mut rows = [0.0; 16];
    simd.store_four_interleaved_f32x4([x_low, y_low, z_low, zero], &mut rows);
    for lane in 0..4 {
        out[lane].0[..4].copy_from_slice(&rows[lane * 4..lane * 4 + 4]);
    }
    simd.store_four_interleaved_f32x4([x_high, y_high, z_high, zero], &mut rows);
    for lane in 0..4 {
        out[lane + 4].0[..4].copy_from_slice(&rows[lane * 4..lane * 4 + 4]);
    }
}
