//! The published springs: four forces on each point and an explicit step, for study and comparison.
//!
//! N. Toothman and M. Neff, *Spring Rigs for Skinning*, MIG 2019, sections 3.2 and 4. With `s = x − a'` from the
//! posed attachment to the point, `θ` between neighbours' `s`, `φ` between `s` and the posed bone `b`, `ℓ` the length
//! of an edge, and `⁰` for rest:
//!
//! ```text
//! F_a = Σ_j k (θ−θ⁰)/|s_i×s_j| · (|s_i|² s_j − (s_i·s_j) s_i)      k = (A₁+A₂)/ℓ⁰²
//! F_b = κ (φ−φ⁰)/|s×b| · (|s|² b − (s·b) s)                       κ = min(φ⁰, π−φ⁰)/(π/2)
//! F_s = Σ_j k (1 − ℓ⁰/ℓ)(x_j − x_i)
//! F_l = (|s⁰|/|s| − 1) s
//! x  += dt · (F_a + F_b + F_s + F_l)                              dt = 1/30
//! ```
//!
//! until the largest step is below the threshold, or the iterations are used up. Torque, bone, edge and length scale
//! the four; an edge's `k` is scaled further by [`Coefficients`], while it is shorter than at rest by `compressed`.
//! Painted stiffness scales the two forces of a point alone by its own value, so that one paint everywhere is one
//! scale of everything.
//!
//! Limits, which are the model's own (`docs/methods/springs.md`): it does not converge in 50 iterations, knows no
//! roll, buckles at inner bends and depends on resolution. On slivers `k` has no bound, and the explicit step
//! diverges as soon as the `k` around a point sum up to about `1/dt`. It is left to diverge, but not to leave the
//! numbers: `k` ends at [`MAX_STIFFNESS`], no step is longer than the diagonal of the rest bounds, no start further
//! out than [`MAX_REACH`] diagonals; and what has no direction has no force: a point on its bone at rest has no
//! torque, nor have neighbours with it; parallel vectors, an edge or a bone without length. None of these is ever met
//! by a frame that does not diverge.

mod bind;
mod kernel;
#[cfg(test)]
pub(crate) mod reference;
mod refit;
pub(super) mod tables;

#[cfg(test)]
mod tests;

use fearless_simd::{Level, dispatch};
use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use crate::mesh::Adjacency;
use crate::springs::dynamics::{Row, from_row, to_row};
use crate::springs::region::HANDLE_EDGE_SHARE;
use crate::springs::{Coefficients, Pin, ScaleEdit, SpringStats, Within};
use bind::Extent;
use kernel::{Block, FrameRow, LANES, PairRow, PointRow, Scalars, StateRow};
pub(crate) use refit::PaperSource;

/// The published step, seconds.
pub(crate) const STEP_SECONDS: f64 = 1.0 / 30.0;

/// The stiffest edge. Far past where the explicit step diverges (about 30), near enough for f32.
pub(crate) const MAX_STIFFNESS: f64 = 1e6;

/// Diagonals of the rest bounds to the furthest coordinate: further out f32 has no digit left for a step.
pub(crate) const MAX_REACH: f64 = (1 << 20) as f64;

/// Blocks that a thread takes at a time: half a thousand points.
const BLOCKS_A_TASK: usize = 64;

/// From this many points on a second thread pays: an iteration then takes more than twice what waking it costs.
const PARALLEL_POINTS: usize = 12_000;

/// What springs are bound to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperInput<'a> {
    /// Welded points at rest, model space.
    pub positions: &'a [Vec3],
    /// Over the points.
    pub triangles: &'a [[u32; 3]],
    /// Of those triangles.
    pub adjacency: &'a Adjacency,
    /// The joint whose bone each point holds on to.
    pub joint_of_point: &'a [u32],
    /// Where on it, at rest, model space.
    pub attachments: &'a [DVec3],
    /// Each joint's bone at rest, model space; of any length, zero for none.
    pub bone_directions: &'a [DVec3],
    /// How stiff.
    pub coefficients: &'a Coefficients,
    /// An order of the points that keeps neighbours together; empty for the order they come in.
    pub order: &'a [u32],
}

/// What changes from frame to frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperFrame<'a> {
    /// The first stage's result.
    pub start: &'a [Vec3],
    /// What each joint does to the attachments on its bone.
    pub model_from_rest: &'a [DAffine3],
    /// Each joint's bone, posed, model space; of any length, zero for none.
    pub bone_directions: &'a [DVec3],
    /// At the most.
    pub iterations: u32,
    /// Ends once no point moves further than this over the smallest side of the rest bounds; 0 runs all.
    pub threshold: f32,
    /// Points that are held.
    pub pins: &'a [Pin],
    /// What may move, with where the rest is; `None` is everything.
    pub within: Option<Within<'a>>,
    /// Handles with another length.
    pub edits: &'a [ScaleEdit],
}

/// Bound springs: immutable and shareable.
#[derive(Clone, Debug)]
pub(crate) struct PaperSprings {
    num_joints: usize,
    /// Attachment of each point in the solver's order; padding has the first point's.
    attachments: Vec<(u32, DVec3)>,
    /// The point of each row of the state; padding has none.
    point_of_row: Vec<Option<u32>>,
    row_of_point: Vec<u32>,
    blocks: Vec<Block>,
    pairs: Vec<PairRow>,
    points: Vec<PointRow>,
    scalars: Scalars,
    extent: Extent,
    level: Level,
    pub(crate) source: Option<std::sync::Arc<PaperSource>>,
}

/// A frame's working memory; one a thread that deforms.
#[derive(Clone, Debug)]
pub(crate) struct PaperScratch {
    state: [Vec<StateRow>; 2],
    frame: Vec<FrameRow>,
}

impl PaperSprings {
    /// Memory for [`Self::deform`].
    pub(crate) fn scratch(&self) -> PaperScratch {
        PaperScratch {
            state: [(); 2].map(|()| vec![StateRow::default(); self.point_of_row.len()]),
            frame: vec![FrameRow::default(); self.blocks.len()],
        }
    }

    /// Relaxes a frame. Large meshes use rayon's threads; the bits are the same with any number of them.
    ///
    /// # Panics
    /// If the frame, the scratch or the output is not of what was bound.
    pub(crate) fn deform(
        &self,
        frame: &PaperFrame<'_>,
        scratch: &mut PaperScratch,
        out: &mut [Vec3],
    ) -> SpringStats {
        let parallel =
            self.row_of_point.len() >= PARALLEL_POINTS && rayon::current_num_threads() > 1;
        self.run(frame, scratch, out, parallel)
    }

    /// [`Self::deform`] on the calling thread alone.
    ///
    /// # Panics
    /// As [`Self::deform`].
    #[cfg(test)]
    pub(crate) fn deform_on_one_thread(
        &self,
        frame: &PaperFrame<'_>,
        scratch: &mut PaperScratch,
        out: &mut [Vec3],
    ) -> SpringStats {
        self.run(frame, scratch, out, false)
    }

    fn run(
        &self,
        frame: &PaperFrame<'_>,
        scratch: &mut PaperScratch,
        out: &mut [Vec3],
        parallel: bool,
    ) -> SpringStats {
        assert_eq!(out.len(), self.row_of_point.len(), "one output a bound point");
        self.prepare(frame, scratch);
        self.set_positions(|point| frame.start[point], scratch);
        self.for_each_held(frame, |point, row| {
            if let Some(base) = frame.within.and_then(|within| within.base) {
                for state in &mut scratch.state {
                    state[row].set_position(self.extent.to_unit(base[point]));
                }
            }
        });
        for pin in frame.pins {
            let row = self.row_of_point[pin.point as usize] as usize;
            for state in &mut scratch.state {
                state[row].set_position(self.extent.to_unit(pin.position));
            }
        }
        let mut stats = SpringStats::default();
        let smallest_side = self.extent.smallest_side_in_units;
        for _ in 0..frame.iterations {
            let [now, next] = &mut scratch.state;
            let step = self.advance::<true>(now, &scratch.frame, next, parallel);
            scratch.state.swap(0, 1);
            stats.iterations += 1;
            stats.residual = if smallest_side > 0.0 { step / smallest_side } else { step };
            if step < frame.threshold * smallest_side {
                break;
            }
        }
        for (out, &row) in out.iter_mut().zip(&self.row_of_point) {
            *out = self.extent.to_metres(scratch.state[0][row as usize].position());
        }
        // Said again in their own units: a scale is exact, but a position out of reach was brought in.
        self.for_each_held(frame, |point, _| {
            if let Some(base) = frame.within.and_then(|within| within.base) {
                out[point] = base[point];
            }
        });
        for pin in frame.pins {
            out[pin.point as usize] = pin.position;
        }
        stats
    }

    /// Places attachments, bones and pins of a frame, for [`Self::forces`]; [`Self::deform`] does it itself.
    ///
    /// # Panics
    /// As [`Self::deform`].
    pub(crate) fn prepare(&self, frame: &PaperFrame<'_>, scratch: &mut PaperScratch) {
        let num_points = self.row_of_point.len();
        assert_eq!(frame.start.len(), num_points, "a start for each bound point");
        assert!(frame.model_from_rest.len() >= self.num_joints, "a transform for each joint");
        assert!(frame.bone_directions.len() >= self.num_joints, "a direction for each joint");
        assert_eq!(scratch.frame.len(), self.blocks.len(), "scratch of these springs");
        let [first, second] = &mut scratch.state;
        let rows = self.attachments.chunks_exact(LANES).zip(&mut scratch.frame);
        for (block, (attachments, frame_row)) in rows.enumerate() {
            for (lane, &(joint, at_rest)) in attachments.iter().enumerate() {
                let posed = frame.model_from_rest[joint as usize].transform_point3(at_rest);
                let posed = self.extent.to_unit_f64(posed);
                first[block * LANES + lane].set_attachment(posed);
                second[block * LANES + lane].set_attachment(posed);
                let bone = frame.bone_directions[joint as usize].normalize_or_zero().as_vec3();
                frame_row.bone[0][lane] = bone.x;
                frame_row.bone[1][lane] = bone.y;
                frame_row.bone[2][lane] = bone.z;
                frame_row.mobility[lane] = 1.0;
                frame_row.length_factor[lane] = 1.0;
                frame_row.edge_share[lane] = 1.0;
            }
        }
        for edit in frame.edits {
            let row = self.row_of_point[edit.point as usize] as usize;
            let frame_row = &mut scratch.frame[row / LANES];
            frame_row.length_factor[row % LANES] *= edit.factor();
            frame_row.edge_share[row % LANES] = HANDLE_EDGE_SHARE;
        }
        self.for_each_held(frame, |_, row| {
            scratch.frame[row / LANES].mobility[row % LANES] = 0.0;
        });
        for pin in frame.pins {
            let row = self.row_of_point[pin.point as usize] as usize;
            scratch.frame[row / LANES].mobility[row % LANES] = 0.0;
        }
    }

    /// Points, and their rows, that are not in the region.
    fn for_each_held(&self, frame: &PaperFrame<'_>, mut run: impl FnMut(usize, usize)) {
        let Some(Within { region, .. }) = frame.within else { return };
        for (point, &row) in (0..).zip(&self.row_of_point) {
            if !region.is_free(point) {
                run(point as usize, row as usize);
            }
        }
    }

    fn set_positions(&self, position: impl Fn(usize) -> Vec3, scratch: &mut PaperScratch) {
        let rows = self.point_of_row.iter().zip(&mut scratch.state[0]);
        for (point, row) in rows {
            row.set_position(self.extent.to_unit(position(point.unwrap_or(0) as usize)));
        }
    }

    /// The net force on each point, model space, as [`Self::prepare`] left the frame; zero on pinned points.
    ///
    /// # Panics
    /// If the lists are not of what was bound.
    pub(crate) fn forces(&self, positions: &[Row], scratch: &mut PaperScratch, out: &mut [Row]) {
        assert_eq!(positions.len(), self.row_of_point.len(), "one position a bound point");
        assert_eq!(out.len(), self.row_of_point.len(), "one output a bound point");
        self.set_positions(|point| from_row(positions[point]).into(), scratch);
        let parallel =
            self.row_of_point.len() >= PARALLEL_POINTS && rayon::current_num_threads() > 1;
        let [now, forces] = &mut scratch.state;
        self.advance::<false>(now, &scratch.frame, forces, parallel);
        for (out, &row) in out.iter_mut().zip(&self.row_of_point) {
            *out = to_row(self.extent.to_metres(forces[row as usize].position()).into());
        }
    }

    /// One iteration from `now` to `next`, or the forces at `now`; the largest step, in units.
    fn advance<const STEP: bool>(
        &self,
        now: &[StateRow],
        frame: &[FrameRow],
        next: &mut [StateRow],
        parallel: bool,
    ) -> f32 {
        let rows_a_task = BLOCKS_A_TASK * LANES;
        let task = |(task, out): (usize, &mut [StateRow])| {
            let first = task * BLOCKS_A_TASK;
            let blocks = first..first + out.len() / LANES;
            let bound = kernel::Bound {
                blocks: &self.blocks[blocks.clone()],
                pairs: &self.pairs,
                points: &self.points[blocks.clone()],
                frame: &frame[blocks],
                scalars: &self.scalars,
            };
            dispatch!(self.level, simd => kernel::advance::<_, STEP>(simd, &bound, now, first, out))
        };
        let largest_squared = if parallel {
            next.par_chunks_mut(rows_a_task).enumerate().map(task).reduce(|| 0.0, f32::max)
        } else {
            next.chunks_mut(rows_a_task).enumerate().map(task).fold(0.0, f32::max)
        };
        largest_squared.sqrt()
    }
}
