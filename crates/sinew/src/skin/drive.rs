//! From a bound skin to kernels: which kernel, which tasks on which thread.
//!
//! Threads only share out tasks; a task's arithmetic never depends on who runs it, so the bits are the same with any
//! number of threads.

use glam::Vec3;

use super::blocks::{Layout, Task, VectorBlock};
use super::center_of_rotation::CenterOfRotation;
use super::dual_quat::DualQuat;
use super::kernel::{BlockSink, Kernel, UserSink, run_task};
use super::linear::Linear;
use super::{Bound, SkinMethod};
use crate::skeleton::Palette;

/// From this many points on a second thread pays: waking a sleeping pool costs 25–85 µs, which is what one thread
/// needs for about 100k points.
const PARALLEL_POINTS: usize = 200_000;

/// Pieces a thread gets, so that a late one is made up for.
const PIECES_A_THREAD: usize = 4;

/// Who works on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threading {
    /// The calling thread.
    One,
    /// Rayon's pool.
    Pool,
}

impl Threading {
    pub(super) fn for_points(num_points: usize) -> Self {
        if num_points >= PARALLEL_POINTS && rayon::current_num_threads() > 1 {
            Self::Pool
        } else {
            Self::One
        }
    }
}

/// Slices of results that can be cut between tasks.
pub(super) trait Output: Send + Sized {
    /// Cuts before `task`; `first` is the task that the slices begin with.
    fn split_before(self, first: &Task, task: &Task) -> (Self, Self);
    /// Runs one task, whose results begin `self`.
    fn run<K: Kernel, const NORMALS: bool>(
        &mut self,
        bound: &Bound,
        palette: &Palette,
        first: &Task,
        task: &Task,
    );
    fn has_normals(&self) -> bool;
}

impl<'a> Output for (&'a mut [Vec3], &'a mut [Vec3]) {
    fn split_before(self, first: &Task, task: &Task) -> (Self, Self) {
        split_both(self, (task.points.start - first.points.start) as usize)
    }

    fn run<K: Kernel, const NORMALS: bool>(
        &mut self,
        bound: &Bound,
        palette: &Palette,
        first: &Task,
        task: &Task,
    ) {
        let start = (task.points.start - first.points.start) as usize;
        let span = start..start + task.points.len();
        let mut sink = UserSink {
            point_of_lane: &bound.layout.point_of_lane
                [task.blocks.start as usize..task.blocks.end as usize],
            positions: &mut self.0[span.clone()],
            normals: if NORMALS { &mut self.1[span] } else { &mut [] },
            columns: [VectorBlock::default(); 2],
        };
        run_task::<K, NORMALS>(bound.level, &bound.layout, task, palette, &mut sink);
    }

    fn has_normals(&self) -> bool {
        !self.1.is_empty()
    }
}

impl<'a> Output for (&'a mut [VectorBlock], &'a mut [VectorBlock]) {
    fn split_before(self, first: &Task, task: &Task) -> (Self, Self) {
        split_both(self, (task.blocks.start - first.blocks.start) as usize)
    }

    fn run<K: Kernel, const NORMALS: bool>(
        &mut self,
        bound: &Bound,
        palette: &Palette,
        first: &Task,
        task: &Task,
    ) {
        let start = (task.blocks.start - first.blocks.start) as usize;
        let span = start..start + task.blocks.len();
        let mut sink = BlockSink {
            positions: &mut self.0[span.clone()],
            normals: if NORMALS { &mut self.1[span] } else { &mut [] },
        };
        run_task::<K, NORMALS>(bound.level, &bound.layout, task, palette, &mut sink);
    }

    fn has_normals(&self) -> bool {
        !self.1.is_empty()
    }
}

/// Positions and normals.
type Both<'a, T> = (&'a mut [T], &'a mut [T]);

/// Positions at an index, and normals at the same if there are any.
fn split_both<'a, T>((positions, normals): Both<'a, T>, at: usize) -> (Both<'a, T>, Both<'a, T>) {
    let at_normals = if normals.is_empty() { 0 } else { at };
    let (positions, later_positions) = positions.split_at_mut(at);
    let (normals, later_normals) = normals.split_at_mut(at_normals);
    ((positions, normals), (later_positions, later_normals))
}

/// Runs a frame.
pub(super) fn deform<O: Output>(bound: &Bound, palette: &Palette, threading: Threading, out: O) {
    match (bound.method, palette.is_rigid()) {
        (SkinMethod::Rigid | SkinMethod::Linear, true) => {
            with::<Linear<false>, O>(bound, palette, threading, out);
        }
        (SkinMethod::Rigid | SkinMethod::Linear, false) => {
            with::<Linear<true>, O>(bound, palette, threading, out);
        }
        (SkinMethod::DualQuat, true) => with::<DualQuat<false>, O>(bound, palette, threading, out),
        (SkinMethod::DualQuat, false) => with::<DualQuat<true>, O>(bound, palette, threading, out),
        (SkinMethod::CenterOfRotation, true) => {
            with::<CenterOfRotation<false>, O>(bound, palette, threading, out);
        }
        (SkinMethod::CenterOfRotation, false) => {
            with::<CenterOfRotation<true>, O>(bound, palette, threading, out);
        }
    }
}

fn with<K: Kernel, O: Output>(bound: &Bound, palette: &Palette, threading: Threading, out: O) {
    let Layout { tasks, .. } = &bound.layout;
    let piece = match threading {
        Threading::One => tasks.len(),
        Threading::Pool => tasks.len().div_ceil(rayon::current_num_threads() * PIECES_A_THREAD),
    };
    if out.has_normals() {
        run_tasks::<K, O, true>(bound, palette, (tasks, piece.max(1)), out);
    } else {
        run_tasks::<K, O, false>(bound, palette, (tasks, piece.max(1)), out);
    }
}

fn run_tasks<K: Kernel, O: Output, const NORMALS: bool>(
    bound: &Bound,
    palette: &Palette,
    (tasks, piece): (&[Task], usize),
    mut out: O,
) {
    if tasks.len() <= piece {
        for task in tasks {
            out.run::<K, NORMALS>(bound, palette, &tasks[0], task);
        }
        return;
    }
    let (early, late) = tasks.split_at(tasks.len() / 2);
    let (early_out, late_out) = out.split_before(&early[0], &late[0]);
    rayon::join(
        || run_tasks::<K, O, NORMALS>(bound, palette, (early, piece), early_out),
        || run_tasks::<K, O, NORMALS>(bound, palette, (late, piece), late_out),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{CPU_TOLERANCE, FixturePose, largest_difference, of_character};
    use crate::progress::Silent;
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skin::{PointOrder, SkinMethod};

    #[test]
    fn every_instruction_set_gives_the_same_shape() {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        for fixture in FixturePose::ALL.iter().flat_map(|&pose| of_character(&character, pose)) {
            for method in SkinMethod::ALL {
                let mut bound =
                    Bound::new(method, &fixture.input(), PointOrder::User, &Silent).unwrap();
                // The compile target's own set: SSE2 on x86-64, which has no fused multiply-add.
                bound.level = fearless_simd::Level::baseline();
                let mut positions = vec![Vec3::ZERO; fixture.positions.len()];
                let mut normals = positions.clone();
                let out = (&mut positions[..], &mut normals[..]);
                deform(&bound, &fixture.palette, Threading::One, out);
                let expected = fixture.reference_positions(method);
                let error = largest_difference(&positions, &expected) / fixture.diagonal();
                assert!(error <= CPU_TOLERANCE, "{} of {}: {error:e}", method.name(), fixture.name);
            }
        }
    }
}
