//! The frame loop that every classic method shares: blend a few floats a joint, lane by lane, and
//! apply them.
//!
//! A method is a [`Kernel`]: which floats of a joint it blends, and what it does with the blend.
//! The loop goes over runs, prepares `base + Σ w_i (joint_i − base)` once a run, and hands every
//! block of sixteen points to the method.

use fearless_simd::{Level, Simd, dispatch, f32x4, f32x16, prelude::*};
use glam::Vec3;

use super::blocks::{LANES, Lanes, Layout, Run, Task, VectorBlock};
use crate::skeleton::Palette;

/// Floats that a method may blend a joint.
pub(super) const MAX_FLOATS: usize = 24;

/// Joints a run whose blend is prepared on the stack; a mesh with more a point prepares on the
/// heap.
const STACK_JOINTS: usize = 16;

pub(super) type V<S> = f32x16<S>;

/// Floats in a row of a joint.
pub(super) const ROW: usize = 4;

/// A classic method, as the frame loop sees it.
pub(super) trait Kernel {
    /// Floats blended a joint: whole rows.
    const FLOATS: usize;
    /// The rows that hold quaternions: their sign is that of the hemisphere of the point's first
    /// joint.
    const SIGNED_ROWS: std::ops::Range<usize>;
    /// Rest lanes a point.
    const NUM_REST: usize;

    /// One row of a joint's floats.
    fn row(palette: &Palette, joint: usize, row: usize) -> [f32; ROW];

    /// The deformed positions of sixteen points, and their normals if `normals` is there.
    fn apply<S: Simd, B: Blend<S>>(
        simd: S,
        blend: &B,
        rest: &[Lanes],
        position: &mut VectorBlock,
        normals: Option<(&VectorBlock, &mut VectorBlock)>,
    );
}

/// Blended floats of sixteen points.
pub(super) trait Blend<S: Simd> {
    /// `N` blended floats from `offset` on.
    fn get<const N: usize>(&self, offset: usize) -> [V<S>; N];
}

/// The blend of a block in a run: broadcasts of what the run prepared.
struct RunBlend<'a, S, const BLENDED: bool> {
    simd: S,
    floats: usize,
    base: &'a [f32],
    /// `floats` a further joint, less the base.
    differences: &'a [f32],
    /// Lanes a further joint.
    weights: &'a [Lanes],
}

impl<S: Simd, const BLENDED: bool> Blend<S> for RunBlend<'_, S, BLENDED> {
    #[inline(always)]
    fn get<const N: usize>(&self, offset: usize) -> [V<S>; N] {
        let mut sum = [V::splat(self.simd, 0.0); N];
        for (sum, &base) in sum.iter_mut().zip(&self.base[offset..offset + N]) {
            *sum = V::splat(self.simd, base);
        }
        if !BLENDED {
            return sum;
        }
        // The number of joints stays a run-time one: unrolled, the compiler hoists every broadcast
        // out of the loop over blocks and spills them, which measured 30 % slower.
        for (joint, weight) in self.differences.chunks_exact(self.floats).zip(self.weights) {
            let joint = &joint[offset..offset + N];
            let weight = load(self.simd, weight);
            for i in 0..N {
                sum[i] = weight.mul_add(V::splat(self.simd, joint[i]), sum[i]);
            }
        }
        sum
    }
}

/// The blend of a loose block: already summed point by point.
struct LooseBlend<'a, S> {
    simd: S,
    sums: &'a [Lanes; MAX_FLOATS],
}

impl<S: Simd> Blend<S> for LooseBlend<'_, S> {
    #[inline(always)]
    fn get<const N: usize>(&self, offset: usize) -> [V<S>; N] {
        let mut sum = [V::splat(self.simd, 0.0); N];
        for (sum, lanes) in sum.iter_mut().zip(&self.sums[offset..offset + N]) {
            *sum = load(self.simd, lanes);
        }
        sum
    }
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &Lanes) -> V<S> {
    V::load_array_ref(simd, &lanes.0)
}

/// Blended floats set down in memory, for [`native`] loops over them.
#[inline(always)]
pub(super) fn tile<S: Simd, const N: usize>(blend: &impl Blend<S>, offset: usize) -> [Lanes; N] {
    let mut tile = [Lanes([0.0; LANES]); N];
    let values = blend.get::<N>(offset);
    for i in 0..N {
        values[i].store_array(&mut tile[i].0);
    }
    tile
}

/// One register of a block, from lane `start` on. What a method does with a blend needs a dozen
/// values at once: sixteen lanes of them spill, one register's worth does not.
#[inline(always)]
pub(super) fn native<S: Simd>(simd: S, lanes: &Lanes, start: usize) -> S::f32s {
    S::f32s::from_slice(simd, &lanes.0[start..start + S::f32s::LEN])
}

/// Three of them.
#[inline(always)]
pub(super) fn native3<S: Simd>(simd: S, lanes: &[Lanes], start: usize) -> [S::f32s; 3] {
    [native(simd, &lanes[0], start), native(simd, &lanes[1], start), native(simd, &lanes[2], start)]
}

/// Four of them.
#[inline(always)]
pub(super) fn native4<S: Simd>(simd: S, lanes: &[Lanes], start: usize) -> [S::f32s; 4] {
    let [x, y, z] = native3(simd, lanes, start);
    [x, y, z, native(simd, &lanes[3], start)]
}

/// The registers of a block begin at these lanes.
#[inline(always)]
pub(super) fn register_starts<S: Simd>() -> std::iter::StepBy<std::ops::Range<usize>> {
    (0..LANES).step_by(S::f32s::LEN)
}

/// Three registers of a vector block.
#[inline(always)]
pub(super) fn load_vector<S: Simd>(simd: S, block: &VectorBlock, start: usize) -> [S::f32s; 3] {
    [native(simd, &block.x, start), native(simd, &block.y, start), native(simd, &block.z, start)]
}

/// Three registers into a vector block.
#[inline(always)]
pub(super) fn store_vector<S: Simd>(v: [S::f32s; 3], block: &mut VectorBlock, start: usize) {
    v[0].store_slice(&mut block.x.0[start..start + S::f32s::LEN]);
    v[1].store_slice(&mut block.y.0[start..start + S::f32s::LEN]);
    v[2].store_slice(&mut block.z.0[start..start + S::f32s::LEN]);
}

/// Where a task's results go.
pub(super) trait Sink {
    /// Lets `write` fill a block's positions and normals, and puts them where they belong.
    fn put<S: Simd>(
        &mut self,
        simd: S,
        block_in_task: usize,
        write: impl FnOnce(&mut VectorBlock, &mut VectorBlock),
    );

    /// Puts what is still on its way where it belongs: after the last block.
    fn finish<S: Simd>(&mut self, simd: S);
}

/// In the user's order: lanes are scattered within the task's window.
pub(super) struct UserSink<'a> {
    point_of_lane: &'a [[u16; LANES]],
    positions: &'a mut [Vec3],
    normals: &'a mut [Vec3],
    /// Positions and normals of this block and of the one before, in turn. With normals they are
    /// scattered one block late: the root and the quotient that they end with are then long done,
    /// and nothing waits for them. (1.54 → 1.41 ns a point for linear, 1.31 → 1.22 for dual
    /// quaternions; positions alone have nothing to wait for, and would lose .02.)
    columns: [[VectorBlock; 2]; 2],
    /// The block that is on its way.
    late_block: Option<usize>,
}

impl<'a> UserSink<'a> {
    pub(super) fn new(
        point_of_lane: &'a [[u16; LANES]],
        positions: &'a mut [Vec3],
        normals: &'a mut [Vec3],
    ) -> Self {
        let columns = [[VectorBlock::default(); 2]; 2];
        Self { point_of_lane, positions, normals, columns, late_block: None }
    }
}

impl Sink for UserSink<'_> {
    #[inline(always)]
    fn put<S: Simd>(
        &mut self,
        simd: S,
        block: usize,
        write: impl FnOnce(&mut VectorBlock, &mut VectorBlock),
    ) {
        let [positions, normals] = &mut self.columns[block % 2];
        write(positions, normals);
        if self.normals.is_empty() {
            scatter(simd, &self.point_of_lane[block], positions, self.positions);
        } else {
            self.finish(simd);
            self.late_block = Some(block);
        }
    }

    #[inline(always)]
    fn finish<S: Simd>(&mut self, simd: S) {
        if let Some(block) = self.late_block {
            let [positions, normals] = &self.columns[block % 2];
            scatter(simd, &self.point_of_lane[block], positions, self.positions);
            scatter(simd, &self.point_of_lane[block], normals, self.normals);
        }
    }
}

/// Four points at a time are turned from columns into rows, so that each is written with two stores
/// instead of three. (Neighbours written with overlapping stores were measured: 1.95 ns a point in
/// the place of 1.35.)
#[inline(always)]
fn scatter<S: Simd>(simd: S, points: &[u16; LANES], v: &VectorBlock, out: &mut [Vec3]) {
    const ROWS: usize = 4;
    for start in (0..LANES).step_by(ROWS) {
        let x = f32x4::from_slice(simd, &v.x.0[start..start + ROWS]);
        let y = f32x4::from_slice(simd, &v.y.0[start..start + ROWS]);
        let z = f32x4::from_slice(simd, &v.z.0[start..start + ROWS]);
        let mut rows = [0.0; ROWS * ROWS];
        simd.store_four_interleaved_f32x4([x, y, z, z], &mut rows);
        for (row, &point) in rows.chunks_exact(ROWS).zip(&points[start..start + ROWS]) {
            out[point as usize] = Vec3::new(row[0], row[1], row[2]);
        }
    }
}

/// In bucketed order: whole blocks, one after the other.
pub(super) struct BlockSink<'a> {
    pub positions: &'a mut [VectorBlock],
    pub normals: &'a mut [VectorBlock],
}

impl Sink for BlockSink<'_> {
    #[inline(always)]
    fn put<S: Simd>(
        &mut self,
        _simd: S,
        block: usize,
        write: impl FnOnce(&mut VectorBlock, &mut VectorBlock),
    ) {
        let mut unused = VectorBlock::default();
        let normals = self.normals.get_mut(block).unwrap_or(&mut unused);
        write(&mut self.positions[block], normals);
    }

    #[inline(always)]
    fn finish<S: Simd>(&mut self, _simd: S) {}
}

/// Runs one task of a layout on this thread.
pub(super) fn run_task<K: Kernel, const NORMALS: bool>(
    level: Level,
    layout: &Layout,
    task: &Task,
    palette: &Palette,
    sink: &mut impl Sink,
) {
    let needed = layout.map.max_joints * K::FLOATS;
    let mut stack = [0.0; STACK_JOINTS * MAX_FLOATS];
    let mut heap = Vec::new();
    let prepared = if needed <= stack.len() {
        &mut stack[..]
    } else {
        heap.resize(needed, 0.0);
        &mut heap[..]
    };
    dispatch!(level, simd => {
        run_task_simd::<_, K, NORMALS>(simd, layout, task, palette, (prepared, sink));
    });
}

#[inline(always)]
fn run_task_simd<S: Simd, K: Kernel, const NORMALS: bool>(
    simd: S,
    layout: &Layout,
    task: &Task,
    palette: &Palette,
    (prepared, sink): (&mut [f32], &mut impl Sink),
) {
    let first_block = task.blocks.start as usize;
    for run in &layout.map.runs[task.runs.start as usize..task.runs.end as usize] {
        let joints = &layout.map.joints[run.joints.start as usize..run.joints.end as usize];
        prepare::<K>(palette, joints, prepared);
        let block_args = (&*prepared, &mut *sink);
        if joints.len() == 1 {
            run_blocks::<S, K, NORMALS, false>(simd, layout, run, first_block, block_args);
        } else {
            run_blocks::<S, K, NORMALS, true>(simd, layout, run, first_block, block_args);
        }
    }
    for loose in task.loose_blocks.clone() {
        let num_loose = (task.loose_blocks.end - loose) as usize;
        let block = task.blocks.end as usize - num_loose;
        let sums = loose_sums::<S, K>(simd, layout, loose as usize, palette);
        let start = layout.map.loose_rest_start[loose as usize] as usize;
        let rest = &layout.rest[start..start + K::NUM_REST];
        let blend = LooseBlend { simd, sums: &sums };
        sink.put(
            simd,
            block - first_block,
            #[inline(always)]
            |position, normal| {
                let normals = if NORMALS { Some((&layout.normals[block], normal)) } else { None };
                K::apply(simd, &blend, rest, position, normals);
            },
        );
    }
    sink.finish(simd);
}

#[inline(always)]
fn run_blocks<S: Simd, K: Kernel, const NORMALS: bool, const BLENDED: bool>(
    simd: S,
    layout: &Layout,
    run: &Run,
    first_block: usize,
    (prepared, sink): (&[f32], &mut impl Sink),
) {
    let num_further = run.joints.len() - 1;
    let stride = K::NUM_REST + num_further;
    let start = run.rest_start as usize;
    let rest = &layout.rest[start..start + run.blocks.len() * stride];
    let (base, differences) = prepared.split_at(K::FLOATS);
    let differences = &differences[..num_further * K::FLOATS];
    for (block, lanes) in run.blocks.clone().zip(rest.chunks_exact(stride)) {
        let block = block as usize;
        let (rest, weights) = lanes.split_at(K::NUM_REST);
        let mut blend =
            RunBlend::<S, BLENDED> { simd, floats: K::FLOATS, base, differences, weights };
        // Embedded broadcasts are free on AVX-512, spilled ones are not: hide that the floats stay
        // the same.
        if S::f32s::LEN == LANES {
            blend.base = std::hint::black_box(base);
            blend.differences = std::hint::black_box(differences);
        }
        sink.put(
            simd,
            block - first_block,
            #[inline(always)]
            |position, normal| {
                let normals = if NORMALS { Some((&layout.normals[block], normal)) } else { None };
                K::apply(simd, &blend, rest, position, normals);
            },
        );
    }
}

/// The first joint's floats, then each further joint's less those.
#[inline(always)]
fn prepare<K: Kernel>(palette: &Palette, joints: &[u32], prepared: &mut [f32]) {
    let pivot = joints[0] as usize;
    let (base, differences) = prepared.split_at_mut(K::FLOATS);
    for (row, out) in base.chunks_exact_mut(ROW).enumerate() {
        out.copy_from_slice(&K::row(palette, pivot, row));
    }
    for (&joint, out) in joints[1..].iter().zip(differences.chunks_exact_mut(K::FLOATS)) {
        let joint = joint as usize;
        let sign = hemisphere::<K>(palette, joint, pivot);
        for (row, out) in out.chunks_exact_mut(ROW).enumerate() {
            let sign = if K::SIGNED_ROWS.contains(&row) { sign } else { 1.0 };
            let values = K::row(palette, joint, row);
            for i in 0..ROW {
                out[i] = sign * values[i] - base[row * ROW + i];
            }
        }
    }
}

/// −1 if the joint's quaternion lies in the other hemisphere than the pivot's.
#[inline(always)]
fn hemisphere<K: Kernel>(palette: &Palette, joint: usize, pivot: usize) -> f32 {
    if K::SIGNED_ROWS.is_empty() {
        return 1.0;
    }
    let (a, b) = (palette.rotations()[joint], palette.rotations()[pivot]);
    if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 { -1.0 } else { 1.0 }
}

/// Sums point by point, where too few points share their joints: a row of a joint is one register,
/// and four points' rows are turned into columns.
#[inline(always)]
fn loose_sums<S: Simd, K: Kernel>(
    simd: S,
    layout: &Layout,
    loose: usize,
    palette: &Palette,
) -> [Lanes; MAX_FLOATS] {
    let num_rows = K::FLOATS / ROW;
    let mut sums = [Lanes([0.0; LANES]); MAX_FLOATS];
    for (group, spans) in layout.map.loose_rows[loose].chunks_exact(ROW).enumerate() {
        let mut rows = [[f32x4::splat(simd, 0.0); ROW]; MAX_FLOATS / ROW];
        for (lane, span) in spans.iter().enumerate() {
            let influences = &layout.map.loose_influences[span.start as usize..span.end as usize];
            let pivot = influences[0].joint as usize;
            for influence in influences {
                let joint = influence.joint as usize;
                let sign = hemisphere::<K>(palette, joint, pivot);
                let weight = f32x4::splat(simd, influence.weight);
                let signed_weight = f32x4::splat(simd, influence.weight * sign);
                for (row, sums) in rows.iter_mut().take(num_rows).enumerate() {
                    let weight = if K::SIGNED_ROWS.contains(&row) { signed_weight } else { weight };
                    let values = f32x4::load_array(simd, K::row(palette, joint, row));
                    sums[lane] = weight.mul_add(values, sums[lane]);
                }
            }
        }
        for (row, four) in rows.iter().take(num_rows).enumerate() {
            let mut flat = [0.0; ROW * ROW];
            simd.store_four_interleaved_f32x4(*four, &mut flat);
            // Interleaving four rows is transposing them: sixteen floats, column by column.
            for (column, values) in flat.chunks_exact(ROW).enumerate() {
                sums[row * ROW + column].0[group * ROW..][..ROW].copy_from_slice(values);
            }
        }
    }
    sums
}
