//! The published springs: four forces on each point and an explicit step, for study and comparison.
//!
//! N. Toothman and M. Neff, *Spring Rigs for Skinning*, MIG 2019, sections 3.2 and 4. With
//! `s = x − a'` from the posed attachment to the point, `θ` between neighbours' `s`, `φ` between
//! `s` and the posed bone `b`, `ℓ` the length of an edge, and `⁰` for rest:
//!
//! ```text
//! F_a = Σ_j k (θ−θ⁰)/|s_i×s_j| · (|s_i|² s_j − (s_i·s_j) s_i)      k = (A₁+A₂)/ℓ⁰²
//! F_b = κ (φ−φ⁰)/|s×b| · (|s|² b − (s·b) s)                       κ = min(φ⁰, π−φ⁰)/(π/2)
//! F_s = Σ_j k (1 − ℓ⁰/ℓ)(x_j − x_i)
//! F_l = (|s⁰|/|s| − 1) s
//! x  += dt · (F_a + F_b + F_s + F_l)                              dt = 1/30, or as set
//! ```
//!
//! until the largest step is below the threshold, or the iterations are used up. Torque, bone, edge
//! and length scale the four; `k` of `F_a` and of `F_s` are scaled further by [`Coefficients`],
//! each by its own, and that of `F_s` by `compressed` while the edge is shorter than at rest.
//! Painted stiffness scales the two forces of a point alone by its own value, so that one paint
//! everywhere is one scale of everything.
//!
//! The first stage is by the attached bone (`bone`): `F_b` and `F_l` are then zero, and alone move
//! nothing. A handle has `F_l` to its new length, all of `F_a` and a tenth of `F_s`; a kinematic
//! point has a stiffer `F_l`, and in place of `F_b` a torque of the same form towards its own
//! direction (`prepare`).
//!
//! Limits, which are the model's own (`docs/methods/springs-model.md`): it does not converge in 50
//! iterations, knows no roll, buckles at inner bends and depends on resolution. On slivers `k` has
//! no bound, and the explicit step diverges as soon as the `k` around a point sum up to about
//! `1/dt`. It is left to diverge, but not to leave the numbers: `k` ends at [`MAX_STIFFNESS`], no
//! step is longer than the diagonal of the rest bounds, no start further out than [`MAX_REACH`]
//! diagonals; and what has no direction has no force: a point on its bone at rest has no torque,
//! nor have neighbours with it; parallel vectors, an edge or a bone without length. None of these
//! is ever met by a frame that does not diverge.

mod bind;
mod bone;
mod kernel;
mod prepare;
#[cfg(test)]
pub(crate) mod reference;
mod refit;
pub(super) mod tables;

#[cfg(test)]
mod tests;

use fearless_simd::{Level, dispatch};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::attach::Attachment;
use crate::mesh::{Adjacency, Edge};
use crate::springs::coefficients::Scales;
use crate::springs::dynamics::{Row, from_row, to_row};
use crate::springs::{Coefficients, Pin, ScaleEdit, SpringStats, Within};
use bind::Extent;
use bone::Held;
pub(crate) use bone::PosedBone;
use kernel::{Block, FrameRow, LANES, PairRow, PointRow, Scalars, StateRow};

/// The stiffest edge. Far past where the explicit step diverges (about 30), near enough for f32.
pub(crate) const MAX_STIFFNESS: f64 = 1e6;

/// Diagonals of the rest bounds to the furthest coordinate: further out f32 has no digit left for a
/// step.
pub(crate) const MAX_REACH: f64 = (1 << 20) as f64;

/// Blocks that a thread takes at a time: half a thousand points.
const BLOCKS_A_TASK: usize = 64;

/// From this many points on a second thread pays: an iteration then takes more than twice what
/// waking it costs.
const PARALLEL_POINTS: usize = 12_000;

/// In place of an edge: padding.
const NO_EDGE: u32 = u32::MAX;

/// What springs are bound to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperInput<'a> {
    /// Welded points at rest, model space.
    pub positions: &'a [Vec3],
    /// Over the points.
    pub triangles: &'a [[u32; 3]],
    /// Of those triangles.
    pub adjacency: &'a Adjacency,
    /// The bone that each point holds on to, and where.
    pub attachments: &'a [Attachment],
    /// Head and tail of each joint's bone where the skin was bound.
    pub bones: &'a [[DVec3; 2]],
    /// How stiff.
    pub coefficients: &'a Coefficients,
    /// `dt`.
    pub step_seconds: f32,
    /// An order of the points that keeps neighbours together; empty for the order they come in.
    pub order: &'a [u32],
}

/// What changes from frame to frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperFrame<'a> {
    /// The first stage's result, or the frame before.
    pub start: &'a [Vec3],
    /// What the pose does to each joint's bone.
    pub bones: &'a [PosedBone],
    /// At the most.
    pub iterations: u32,
    /// Ends once no point moves further than this over the smallest side of the rest bounds; 0 runs
    /// all.
    pub threshold: f32,
    /// Kinematic points.
    pub pins: &'a [Pin],
    /// What may move, with where the rest is; `None` is everything.
    pub within: Option<Within<'a>>,
    /// Handles with another scale vector.
    pub edits: &'a [ScaleEdit],
}

/// Bound springs: shareable, and changed only by `refit` and `adjust`. Rows are the solver's order
/// of the points; padding has the first point's.
#[derive(Clone, Debug)]
pub(crate) struct PaperSprings {
    /// One a joint.
    bone_lengths: Vec<f64>,
    attachments: Vec<Held>,
    /// Positions of the rows.
    rest: Vec<Vec3>,
    /// The point of each row of the state; padding has none.
    point_of_row: Vec<Option<u32>>,
    row_of_point: Vec<u32>,
    edges: Vec<Edge>,
    triangles: Vec<[u32; 3]>,
    joint_of_point: Vec<u32>,
    /// `k`, before any scale.
    edge_stiffness: Vec<f32>,
    edge_of_pair: Vec<[u32; LANES]>,
    /// κ of each row, before any scale.
    kappas: Vec<f32>,
    is_on_bone: Vec<bool>,
    /// Memory for measuring the rest.
    state: Vec<StateRow>,
    scales: Scales,
    /// Of `F_b` and `F_l`.
    bone_scale: f32,
    length_scale: f32,
    blocks: Vec<Block>,
    pairs: Vec<PairRow>,
    points: Vec<PointRow>,
    scalars: Scalars,
    extent: Extent,
    level: Level,
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

    /// Relaxes a frame. Large meshes use rayon's threads; the bits are the same with any number of
    /// them.
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
        for (pin, row) in self.held_pins(frame) {
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
        // Said again in their own units: a scale is exact, but a position out of reach was brought
        // in.
        self.for_each_held(frame, |point, _| {
            if let Some(base) = frame.within.and_then(|within| within.base) {
                out[point] = base[point];
            }
        });
        for pin in frame.pins.iter().filter(|pin| pin.is_exact()) {
            out[pin.point as usize] = pin.position;
        }
        stats
    }

    fn set_positions(&self, position: impl Fn(usize) -> Vec3, scratch: &mut PaperScratch) {
        let rows = self.point_of_row.iter().zip(&mut scratch.state[0]);
        for (point, row) in rows {
            row.set_position(self.extent.to_unit(position(point.unwrap_or(0) as usize)));
        }
    }

    /// The net force on each point, model space, as [`Self::prepare`] left the frame; zero on
    /// pinned points.
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
