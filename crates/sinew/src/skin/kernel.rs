//! The frame loop that every classic method shares: blend a few floats a joint, lane by lane, and apply them.
//!
//! A method is a [`Kernel`]: which floats of a joint it blends, and what it does with the blend. The loop goes over runs,
//! prepares `base + Σ w_i (joint_i − base)` once a run, and hands every block of sixteen points to the method.

use fearless_simd::{Level, Simd, dispatch, f32x16, prelude::*};
use glam::Vec3;

use super::blocks::{LANES, Lanes, Layout, Run, Task, VectorBlock};
use crate::skeleton::Palette;

/// Floats that a method may blend a joint.
pub(super) const MAX_FLOATS: usize = 24;

/// Joints a run whose blend is prepared on the stack; a mesh with more a point prepares on the heap.
const STACK_JOINTS: usize = 16;

pub(super) type V<S> = f32x16<S>;

/// A classic method, as the frame loop sees it.
pub(super) trait Kernel {
    /// Floats blended a joint.
    const FLOATS: usize;
    /// Rest lanes a point.
    const NUM_REST: usize;

    /// The floats of a joint. `pivot` is the first joint of the point: methods that blend quaternions take the sign
    /// that lies in its hemisphere.
    fn joint_floats(palette: &Palette, joint: usize, pivot: usize, out: &mut [f32]);

    /// The deformed positions of sixteen points, and their normals if `normal` is there.
    fn apply<S: Simd, B: Blend<S>>(
        simd: S,
        blend: &B,
        rest: &[Lanes],
        normal: Option<[V<S>; 3]>,
    ) -> ([V<S>; 3], [V<S>; 3]);
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
        for i in 0..N {
            sum[i] = V::splat(self.simd, self.base[offset + i]);
        }
        if !BLENDED {
            return sum;
        }
        // The number of joints stays a run-time one: unrolled, the compiler hoists every broadcast out of the loop
        // over blocks and spills them, which measured 30 % slower.
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
        for i in 0..N {
            sum[i] = load(self.simd, &self.sums[offset + i]);
        }
        sum
    }
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &Lanes) -> V<S> {
    V::load_array_ref(simd, &lanes.0)
}

#[inline(always)]
pub(super) fn load3<S: Simd>(simd: S, lanes: &[Lanes]) -> [V<S>; 3] {
    [load(simd, &lanes[0]), load(simd, &lanes[1]), load(simd, &lanes[2])]
}

/// Where a task's results go.
pub(super) trait Sink {
    fn put<S: Simd>(
        &mut self,
        block_in_task: usize,
        positions: [V<S>; 3],
        normals: Option<[V<S>; 3]>,
    );
}

/// In the user's order: lanes are scattered within the task's window.
pub(super) struct UserSink<'a> {
    pub point_of_lane: &'a [[u16; LANES]],
    pub positions: &'a mut [Vec3],
    pub normals: &'a mut [Vec3],
}

impl Sink for UserSink<'_> {
    #[inline(always)]
    fn put<S: Simd>(&mut self, block: usize, positions: [V<S>; 3], normals: Option<[V<S>; 3]>) {
        let points = &self.point_of_lane[block];
        scatter(points, positions, self.positions);
        if let Some(normals) = normals {
            scatter(points, normals, self.normals);
        }
    }
}

#[inline(always)]
fn scatter<S: Simd>(points: &[u16; LANES], v: [V<S>; 3], out: &mut [Vec3]) {
    let (x, y, z) = (v[0].to_array(), v[1].to_array(), v[2].to_array());
    for lane in 0..LANES {
        out[points[lane] as usize] = Vec3::new(x[lane], y[lane], z[lane]);
    }
}

/// In bucketed order: whole blocks, one after the other.
pub(super) struct BlockSink<'a> {
    pub positions: &'a mut [VectorBlock],
    pub normals: &'a mut [VectorBlock],
}

impl Sink for BlockSink<'_> {
    #[inline(always)]
    fn put<S: Simd>(&mut self, block: usize, positions: [V<S>; 3], normals: Option<[V<S>; 3]>) {
        store(positions, &mut self.positions[block]);
        if let Some(normals) = normals {
            store(normals, &mut self.normals[block]);
        }
    }
}

#[inline(always)]
fn store<S: Simd>(v: [V<S>; 3], out: &mut VectorBlock) {
    v[0].store_array(&mut out.x.0);
    v[1].store_array(&mut out.y.0);
    v[2].store_array(&mut out.z.0);
}

/// Runs one task of a layout on this thread.
pub(super) fn run_task<K: Kernel, const NORMALS: bool>(
    level: Level,
    layout: &Layout,
    task: &Task,
    palette: &Palette,
    sink: &mut impl Sink,
) {
    let needed = layout.max_joints * K::FLOATS;
    let mut stack = [0.0; STACK_JOINTS * MAX_FLOATS];
    let mut heap = Vec::new();
    let prepared = if needed <= stack.len() {
        &mut stack[..]
    } else {
        heap.resize(needed, 0.0);
        &mut heap[..]
    };
    dispatch!(level, simd => run_task_simd::<_, K, NORMALS>(simd, layout, task, palette, (prepared, sink)));
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
    for run in &layout.runs[task.runs.start as usize..task.runs.end as usize] {
        let joints = &layout.joints[run.joints.start as usize..run.joints.end as usize];
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
        let sums = loose_sums::<K>(layout, loose as usize, palette);
        let start = layout.loose_rest_start[loose as usize] as usize;
        let rest = &layout.rest[start..start + K::NUM_REST];
        let blend = LooseBlend { simd, sums: &sums };
        let normal = if NORMALS { Some(load_normal(simd, &layout.normals[block])) } else { None };
        let (positions, normals) = K::apply(simd, &blend, rest, normal);
        sink.put(block - first_block, positions, NORMALS.then_some(normals));
    }
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
        // Embedded broadcasts are free on AVX-512, spilled ones are not: hide that the floats stay the same.
        if S::f32s::LEN == LANES {
            blend.base = std::hint::black_box(base);
            blend.differences = std::hint::black_box(differences);
        }
        let normal = if NORMALS { Some(load_normal(simd, &layout.normals[block])) } else { None };
        let (positions, normals) = K::apply(simd, &blend, rest, normal);
        sink.put(block - first_block, positions, NORMALS.then_some(normals));
    }
}

#[inline(always)]
fn load_normal<S: Simd>(simd: S, block: &VectorBlock) -> [V<S>; 3] {
    [load(simd, &block.x), load(simd, &block.y), load(simd, &block.z)]
}

/// The first joint's floats, then each further joint's less those.
#[inline(always)]
fn prepare<K: Kernel>(palette: &Palette, joints: &[u32], prepared: &mut [f32]) {
    let pivot = joints[0] as usize;
    let (base, differences) = prepared.split_at_mut(K::FLOATS);
    K::joint_floats(palette, pivot, pivot, base);
    for (&joint, out) in joints[1..].iter().zip(differences.chunks_exact_mut(K::FLOATS)) {
        K::joint_floats(palette, joint as usize, pivot, out);
        for (value, base) in out.iter_mut().zip(&*base) {
            *value -= base;
        }
    }
}

/// Sums point by point, where too few points share their joints.
#[inline(always)]
fn loose_sums<K: Kernel>(layout: &Layout, loose: usize, palette: &Palette) -> [Lanes; MAX_FLOATS] {
    let mut sums = [Lanes::default(); MAX_FLOATS];
    for (lane, span) in layout.loose_rows[loose].iter().enumerate() {
        let row = &layout.loose_influences[span.start as usize..span.end as usize];
        let pivot = row[0].joint as usize;
        let mut sum = [0.0; MAX_FLOATS];
        let mut floats = [0.0; MAX_FLOATS];
        for influence in row {
            K::joint_floats(palette, influence.joint as usize, pivot, &mut floats[..K::FLOATS]);
            for i in 0..K::FLOATS {
                sum[i] += influence.weight * floats[i];
            }
        }
        for i in 0..K::FLOATS {
            sums[i].0[lane] = sum[i];
        }
    }
    sums
}
