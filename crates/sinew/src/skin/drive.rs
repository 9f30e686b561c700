//! From a bound skin to kernels: which kernel, which tasks on which thread.
//!
//! Threads only share out tasks; a task's arithmetic never depends on who runs it, so the bits are
//! the same with any number of threads.

use std::ops::Range;

use glam::Vec3;

use super::blocks::{LaneMap, Task, VectorBlock};
use super::center_of_rotation::CenterOfRotation;
use super::dual_quat::DualQuat;
use super::kernel::{BlockSink, Kernel, UserSink, run_task};
use super::linear::Linear;
use super::{BlendMethod, Blended};
use crate::skeleton::Palette;

/// From this many points on a second thread pays: waking a sleeping pool costs 25–85 µs, which is
/// what one thread needs for about 100k points.
const PARALLEL_POINTS: usize = 200_000;

/// Pieces a thread gets, so that a late one is made up for.
const PIECES_A_THREAD: usize = 4;

/// Who works on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threading {
    /// The calling thread.
    One,
    /// Rayon's pool, where that pays.
    Pool,
}

/// Positions and normals; the latter empty where they are not wanted.
type Both<'a, T> = (&'a mut [T], &'a mut [T]);

/// What results are made of: points in the user's order, or blocks.
pub(super) trait Item: Send + Sized {
    /// The results of a task.
    fn span(task: &Task) -> &Range<u32>;
    /// Runs a task into its own results.
    fn run<K: Kernel, const NORMALS: bool>(
        bound: &Blended,
        palette: &Palette,
        task: &Task,
        out: Both<'_, Self>,
    );
}

impl Item for Vec3 {
    fn span(task: &Task) -> &Range<u32> {
        &task.points
    }

    fn run<K: Kernel, const NORMALS: bool>(
        bound: &Blended,
        palette: &Palette,
        task: &Task,
        (positions, normals): Both<'_, Self>,
    ) {
        let blocks = task.blocks.start as usize..task.blocks.end as usize;
        let mut sink = UserSink {
            point_of_lane: &bound.layout.map.point_of_lane[blocks],
            positions,
            normals,
            columns: [VectorBlock::default(); 2],
        };
        run_task::<K, NORMALS>(bound.level, &bound.layout, task, palette, &mut sink);
    }
}

impl Item for VectorBlock {
    fn span(task: &Task) -> &Range<u32> {
        &task.blocks
    }

    fn run<K: Kernel, const NORMALS: bool>(
        bound: &Blended,
        palette: &Palette,
        task: &Task,
        (positions, normals): Both<'_, Self>,
    ) {
        let mut sink = BlockSink { positions, normals };
        run_task::<K, NORMALS>(bound.level, &bound.layout, task, palette, &mut sink);
    }
}

/// Positions at an index, and normals at the same if there are any.
fn split_both<'a, T>((positions, normals): Both<'a, T>, at: usize) -> (Both<'a, T>, Both<'a, T>) {
    let at_normals = if normals.is_empty() { 0 } else { at };
    let (positions, later_positions) = positions.split_at_mut(at);
    let (normals, later_normals) = normals.split_at_mut(at_normals);
    ((positions, normals), (later_positions, later_normals))
}

/// Runs a frame.
pub(super) fn deform<T: Item>(
    bound: &Blended,
    palette: &Palette,
    threading: Threading,
    out: Both<'_, T>,
) {
    match (bound.method, palette.is_rigid()) {
        (BlendMethod::Linear, true) => with::<Linear<false>, T>(bound, palette, threading, out),
        (BlendMethod::Linear, false) => with::<Linear<true>, T>(bound, palette, threading, out),
        (BlendMethod::DualQuat, true) => with::<DualQuat<false>, T>(bound, palette, threading, out),
        (BlendMethod::DualQuat, false) => with::<DualQuat<true>, T>(bound, palette, threading, out),
        (BlendMethod::CenterOfRotation, true) => {
            with::<CenterOfRotation<false>, T>(bound, palette, threading, out);
        }
        (BlendMethod::CenterOfRotation, false) => {
            with::<CenterOfRotation<true>, T>(bound, palette, threading, out);
        }
    }
}

fn with<K: Kernel, T: Item>(
    bound: &Blended,
    palette: &Palette,
    threading: Threading,
    out: Both<'_, T>,
) {
    let LaneMap { tasks, num_points, .. } = &*bound.layout.map;
    let threads = rayon::current_num_threads();
    let piece = match threading {
        Threading::Pool if *num_points >= PARALLEL_POINTS && threads > 1 => {
            tasks.len().div_ceil(threads * PIECES_A_THREAD)
        }
        Threading::Pool | Threading::One => tasks.len(),
    };
    if out.1.is_empty() {
        run_tasks::<K, T, false>(bound, palette, (tasks, piece.max(1)), out);
    } else {
        run_tasks::<K, T, true>(bound, palette, (tasks, piece.max(1)), out);
    }
}

fn run_tasks<K: Kernel, T: Item, const NORMALS: bool>(
    bound: &Blended,
    palette: &Palette,
    (tasks, piece): (&[Task], usize),
    mut out: Both<'_, T>,
) {
    if tasks.len() <= piece {
        for task in tasks {
            let (own, later) = split_both(out, T::span(task).len());
            T::run::<K, NORMALS>(bound, palette, task, own);
            out = later;
        }
        return;
    }
    let (early, late) = tasks.split_at(tasks.len() / 2);
    let (early_out, late_out) =
        split_both(out, (T::span(&late[0]).start - T::span(&early[0]).start) as usize);
    rayon::join(
        || run_tasks::<K, T, NORMALS>(bound, palette, (early, piece), early_out),
        || run_tasks::<K, T, NORMALS>(bound, palette, (late, piece), late_out),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{CPU_TOLERANCE, FixturePose, largest_difference, of_character};
    use crate::progress::Silent;
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skin::{Form, Skin, SkinMethod};

    #[test]
    fn every_instruction_set_gives_the_same_shape() {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        for fixture in FixturePose::ALL.iter().flat_map(|&pose| of_character(&character, pose)) {
            for method in SkinMethod::ALL {
                let mut skin = Skin::bind(method, &fixture.input(), &Silent).unwrap();
                // The compile target's own set: SSE2 on x86-64, which has no fused multiply-add.
                match &mut skin.bound.form {
                    Form::Blended(blended) => blended.level = fearless_simd::Level::baseline(),
                    Form::BoneSmooth(layout) => layout.level = fearless_simd::Level::baseline(),
                }
                let mut positions = vec![Vec3::ZERO; fixture.positions.len()];
                let mut normals = positions.clone();
                skin.deform_on_one_thread(&fixture.palette, &mut positions, &mut normals);
                let expected = fixture.reference_positions(method);
                let error = largest_difference(&positions, &expected) / fixture.diagonal();
                assert!(error <= CPU_TOLERANCE, "{} of {}: {error:e}", method.name(), fixture.name);
            }
        }
    }
}
