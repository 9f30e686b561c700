//! The energy's negative gradient at any positions: what dynamics integrates.

use rayon::prelude::*;

use super::{AnchorSlice, Anchored, AnchoredScratch, Forces, iterate, prepare};
use crate::springs::dynamics::Row;
use crate::springs::frame::Pin;
use crate::springs::region::ScaleEdit;
use crate::springs::rows::LANES;
use crate::springs::stage::Stage;

/// Slots that a thread takes at a time.
const SLOTS_A_TASK: usize = 128 * LANES;

impl Anchored {
    /// Turns a stage, with its edits, into what [`Self::forces`] needs at positions in model space;
    /// [`Self::solve`] does it itself.
    ///
    /// # Panics
    /// If the stage, an edit or the scratch is not of the bound mesh.
    pub(crate) fn prepare(
        &self,
        stage: &Stage,
        (edits, pins): (&[ScaleEdit], &[Pin]),
        scratch: &mut AnchoredScratch,
    ) {
        self.prepare_around([0.0; 3], stage, (edits, pins), scratch);
    }

    /// The same for positions from `centre`.
    pub(super) fn prepare_around(
        &self,
        centre: [f32; 3],
        stage: &Stage,
        (edits, pins): (&[ScaleEdit], &[Pin]),
        scratch: &mut AnchoredScratch,
    ) {
        scratch.centre = centre;
        prepare::prepare(self, stage, scratch);
        self.stiffen(edits, pins, &mut scratch.points);
    }

    /// The force on each slot, as [`Self::prepare`] left the frame. The bits are the same with any
    /// number of threads.
    ///
    /// # Panics
    /// If the lists are not of the bound mesh's slots.
    pub(crate) fn forces(&self, scratch: &AnchoredScratch, positions: &[Row], out: &mut [Row]) {
        assert_eq!(positions.len(), self.order.num_slots(), "one position a slot");
        assert_eq!(out.len(), self.order.num_slots(), "one output a slot");
        let floats = positions.as_flattened();
        let task = |(task, out): (usize, &mut [Row])| {
            let first_slice = task * SLOTS_A_TASK / LANES;
            iterate::forces(self, scratch, first_slice, floats, out.as_flattened_mut());
        };
        match scratch.domains.len() {
            1 => out.chunks_mut(SLOTS_A_TASK).enumerate().for_each(task),
            _ => out.par_chunks_mut(SLOTS_A_TASK).enumerate().for_each(task),
        }
    }

    /// A bound on all springs of each slot; 0 for those that stay at their targets.
    pub(crate) fn stiffness_bounds(&self) -> Vec<f32> {
        let mut bounds: Vec<f32> =
            (0..self.order.num_slots()).map(|slot| self.slot_bound(slot)).collect();
        for &slot in &*self.loose_slots {
            bounds[slot as usize] = 0.0;
        }
        bounds
    }

    /// How stiff the springs are that bring each slot back to its bone, where they do so most; 0
    /// for those that stay at their targets.
    pub(crate) fn restoring_stiffness(&self) -> Vec<f32> {
        self.anchor_stiffness(self.forces.bone + self.forces.along_arm)
    }

    /// The same across its arm, where it is held least.
    pub(crate) fn holding_stiffness(&self) -> Vec<f32> {
        let Forces { bone, along_arm, .. } = self.forces;
        self.anchor_stiffness(if bone > 0.0 { bone } else { along_arm })
    }

    fn anchor_stiffness(&self, scale: f32) -> Vec<f32> {
        let of_slice = |anchor: &AnchorSlice| anchor.stiffness.map(|stiffness| stiffness * scale);
        let mut of_slot: Vec<f32> = self.anchors.iter().flat_map(of_slice).collect();
        for &slot in &*self.loose_slots {
            of_slot[slot as usize] = 0.0;
        }
        of_slot
    }

    /// Each slot's distance to its bone, times how free its point is; no freedoms are all of it.
    pub(crate) fn free_distances(&self, freedom: &[f32]) -> Vec<f32> {
        let of_slot = self.order.point_of_slot().iter().map(|&point| {
            let distance = self.lengths.attachment_distance[point as usize] as f32;
            distance * freedom.get(point as usize).copied().unwrap_or(1.0)
        });
        of_slot.collect()
    }
}
