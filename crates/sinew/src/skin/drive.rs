//! From a bound skin to kernels: which kernel, and where its results go.

use std::ops::Range;

use glam::Vec3;

use super::blocks::{LaneMap, Task, VectorBlock};
use super::center_of_rotation::CenterOfRotation;
use super::dual_quat::DualQuat;
use super::kernel::{BlockSink, Kernel, UserSink, run_task};
use super::linear::Linear;
use super::tasks::{Results, Threading, share_out};
use super::{BlendMethod, Blended};
use crate::skeleton::Palette;

/// From this many points on a second thread pays: waking a sleeping pool costs 25–85 µs, which is
/// what one thread needs for about 100k points.
const PARALLEL_POINTS: usize = 200_000;

/// Positions and normals; the latter empty where they are not wanted.
type Both<'a, T> = (&'a mut [T], &'a mut [T]);

impl<T: Send> Results for Both<'_, T> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (positions, normals) = self;
        let at_normals = if normals.is_empty() { 0 } else { at };
        let (positions, later_positions) = positions.split_at_mut(at);
        let (normals, later_normals) = normals.split_at_mut(at_normals);
        ((positions, normals), (later_positions, later_normals))
    }
}

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
        let point_of_lane = &bound.layout.map.point_of_lane[blocks];
        let mut sink = UserSink::new(point_of_lane, positions, normals);
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
    let pays = *num_points >= PARALLEL_POINTS;
    let tasks = (&tasks[..], threading.tasks_a_piece(tasks.len(), pays));
    let span = |task: &Task| T::span(task).start as usize..T::span(task).end as usize;
    if out.1.is_empty() {
        share_out(tasks, out, &span, &|task, own| T::run::<K, false>(bound, palette, task, own));
    } else {
        share_out(tasks, out, &span, &|task, own| T::run::<K, true>(bound, palette, task, own));
    }
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
