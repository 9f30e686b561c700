//! Coordinates in blocks of sixteen points, a handle's sixteen together: handles that have not
//! moved are not read.

use fearless_simd::{Level, Simd, dispatch};
use glam::Vec3;
use rayon::prelude::*;

/// Points in a block.
pub const LANES: usize = 16;
/// Fewer points take less time than it takes to wake a second thread.
const MIN_PARALLEL_POINTS: usize = 1 << 14;

/// Rows of sixteen points at a time, handle after handle.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    values: Vec<[f32; LANES]>,
}

impl Blocks {
    pub(super) fn new(
        num_points: usize,
        num_handles: usize,
        at: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let num_blocks = num_points.div_ceil(LANES);
        let mut values = vec![[0.0; LANES]; num_blocks * num_handles];
        for point in 0..num_points {
            let (block, lane) = (point / LANES, point % LANES);
            for handle in 0..num_handles {
                values[block * num_handles + handle][lane] = at(point, handle);
            }
        }
        Self { values }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn values(&self) -> &[[f32; LANES]] {
        &self.values
    }

    /// `Σ φ_k · move_k` of one point.
    pub(super) fn offset(&self, moves: &[(u32, Vec3)], num_handles: usize, point: usize) -> Vec3 {
        let rows = &self.values[point / LANES * num_handles..][..num_handles];
        let lane = point % LANES;
        moves.iter().fold(Vec3::ZERO, |sum, &(k, by)| sum + rows[k as usize][lane] * by)
    }

    /// Of each handle the point that it moves most.
    pub(super) fn most_moved(&self, num_handles: usize, num_points: usize) -> Vec<u32> {
        let mut most = vec![(0.0f32, 0u32); num_handles];
        for (block, rows) in self.values.chunks_exact(num_handles.max(1)).enumerate() {
            for (most, row) in most.iter_mut().zip(rows) {
                for (lane, &phi) in row.iter().enumerate() {
                    let point = block * LANES + lane;
                    if phi.abs() > most.0 && point < num_points {
                        *most = (phi.abs(), point as u32);
                    }
                }
            }
        }
        most.into_iter().map(|(_, point)| point).collect()
    }

    /// `Σ φ_k · move_k` of every point.
    pub(super) fn offsets(
        &self,
        moves: &[(u32, Vec3)],
        num_handles: usize,
        num_points: usize,
        out: &mut Vec<Vec3>,
    ) {
        out.resize(num_points, Vec3::ZERO);
        let level = Level::new();
        let of_blocks = |first: usize, out: &mut [Vec3]| {
            let values = &self.values[first * num_handles..];
            dispatch!(level, simd => sum_blocks(simd, values, num_handles, moves, out));
        };
        if num_points < MIN_PARALLEL_POINTS {
            of_blocks(0, out);
            return;
        }
        const BLOCKS: usize = 256;
        out.par_chunks_mut(BLOCKS * LANES)
            .enumerate()
            .for_each(|(chunk, out)| of_blocks(chunk * BLOCKS, out));
    }
}

#[inline(always)]
fn sum_blocks<S: Simd>(
    simd: S,
    values: &[[f32; LANES]],
    num_handles: usize,
    moves: &[(u32, Vec3)],
    out: &mut [Vec3],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (rows, out) in values.chunks_exact(num_handles).zip(out.chunks_mut(LANES)) {
                let mut sums = [[0.0f32; LANES]; 3];
                for &(handle, by) in moves {
                    let row = &rows[handle as usize];
                    for lane in 0..LANES {
                        sums[0][lane] += row[lane] * by.x;
                        sums[1][lane] += row[lane] * by.y;
                        sums[2][lane] += row[lane] * by.z;
                    }
                }
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = Vec3::new(sums[0][lane], sums[1][lane], sums[2][lane]);
                }
            }
        },
    );
}
