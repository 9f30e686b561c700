//! A frame from its first stage to positions: the coarse start, `prepare`, `iterate`, and the way
//! back to points.
//!
//! Iterations run around a centre that goes with the body: an f32 is finer the nearer it is to
//! zero, and springs make more of what is lost in a position. A body a hundred metres from the
//! origin, where f32 steps by 7.6 µm, had .3 mm of noise.

use glam::Vec3;

use super::{Anchored, AnchoredFrame, AnchoredScratch, iterate, prepare};
use crate::mesh::Aabb;
use crate::springs::frame::soft_pins;
use crate::springs::rows::POSITION_FLOATS;
use crate::springs::stage::Stage;
use crate::springs::{SpringStats, Start};

/// Slots from one to the next that the middle is found by.
const CENTRE_STRIDE: usize = 32;

impl Anchored {
    /// Relaxes a frame into `out`, one position a point; `stage` is the first stage's result, in
    /// which edits move their handles. Large meshes use as many of rayon's threads as there were
    /// when the scratch was made; the bits are the same with any number of them.
    ///
    /// # Panics
    /// If the stage, the start, a pin, the scratch or `out` is not of the bound mesh.
    pub fn solve(
        &self,
        frame: &AnchoredFrame<'_>,
        stage: &mut Stage,
        scratch: &mut AnchoredScratch,
        out: &mut [Vec3],
    ) -> SpringStats {
        assert_eq!(out.len(), self.order.num_points(), "one output a point");
        let mut run = |scratch: &mut AnchoredScratch| {
            let is_from_scratch = matches!(frame.start, Start::FirstStage) && frame.iterations > 0;
            if let (Some(coarse), Some(memory), true) =
                (&self.coarse, &mut scratch.coarse, is_from_scratch)
            {
                coarse.run(stage, memory);
            }
            self.raise(frame.edits, soft_pins(frame.pins, frame.within), stage);
            let handles = (frame.edits, frame.pins);
            self.prepare_around(self.centre(stage), stage, handles, scratch);
            prepare::start(self, frame, stage, scratch);
            let stats = iterate::iterate(self, frame, scratch);
            let swell = match frame.iterations {
                0 => 0.0,
                _ => frame
                    .swell
                    .unwrap_or_else(|| self.swell(frame, stage, stats.iterations, scratch)),
            };
            SpringStats { swell, ..stats }
        };
        // The pool is entered once a frame, not once a wave.
        let stats = match scratch.domains.len() {
            1 => run(scratch),
            _ => rayon::scope(|_| run(scratch)),
        };
        self.place(frame, stage, (scratch, stats), out);
        stats
    }

    /// What the body's volume after so many iterations asks for.
    fn swell(
        &self,
        frame: &AnchoredFrame<'_>,
        stage: &Stage,
        iterations: u32,
        scratch: &mut AnchoredScratch,
    ) -> f32 {
        let Some(body) = &self.body else { return 0.0 };
        let AnchoredScratch { domains, relaxed, sums, .. } = scratch;
        let rows = match &domains[..] {
            [domain] => domain.rows_after(iterations),
            domains => {
                relaxed.clear();
                for domain in domains {
                    let slots = domain.own_slots(self);
                    let floats = slots.start * POSITION_FLOATS..slots.end * POSITION_FLOATS;
                    relaxed.extend_from_slice(&domain.rows_after(iterations)[floats]);
                }
                relaxed
            }
        };
        body.swell(self.level, (rows, stage, frame.growth), domains.len() > 1, sums)
    }

    /// [`Self::swell`] of positions by slot.
    pub(crate) fn swell_of(
        &self,
        rows: &[f32],
        stage: &Stage,
        growth: f64,
        scratch: &mut AnchoredScratch,
    ) -> f32 {
        let is_parallel = scratch.domains.len() > 1;
        self.body.as_ref().map_or(0.0, |body| {
            body.swell(self.level, (rows, stage, growth), is_parallel, &mut scratch.sums)
        })
    }

    /// The middle of the body's bounds, by some of its points.
    fn centre(&self, stage: &Stage) -> [f32; 3] {
        let places = stage.target[..self.order.num_points().min(stage.target.len())].iter();
        let places = places.step_by(CENTRE_STRIDE).map(|&[x, y, z, _]| Vec3::new(x, y, z));
        let middle = Aabb::around(places.filter(|place| place.is_finite())).center();
        if middle.is_finite() { middle.to_array() } else { [0.0; 3] }
    }

    /// Writes where the points are. What has not moved is at its target to the last bit, and what
    /// is held where it was told.
    fn place(
        &self,
        frame: &AnchoredFrame<'_>,
        stage: &Stage,
        (scratch, stats): (&AnchoredScratch, SpringStats),
        out: &mut [Vec3],
    ) {
        let centre = Vec3::from_array(scratch.centre);
        for domain in &scratch.domains {
            let (rows, _) = domain.rows_after(stats.iterations).as_chunks::<POSITION_FLOATS>();
            // Padding repeats the last point, and comes after it: what it holds is the point's
            // target.
            let slots = domain.own_slots(self).filter(|&slot| slot < self.order.num_points());
            for slot in slots {
                let [x, y, z, held] = rows[slot];
                let target = stage.position(slot);
                let mut way = Vec3::new(x, y, z) - (target - centre);
                if held != f32::INFINITY {
                    way += stats.swell * stage.give(slot);
                }
                out[self.order.point_of_slot()[slot] as usize] = target + way;
            }
        }
        if let Some(within) = &frame.within {
            for (point, out) in out.iter_mut().enumerate() {
                if !within.region.is_free(point as u32) {
                    let slot = self.order.slot_of_point()[point] as usize;
                    *out = within.base.map_or(stage.position(slot), |base| base[point]);
                }
            }
        }
        for pin in frame.pins.iter().filter(|pin| pin.is_exact()) {
            out[pin.point as usize] = pin.position;
        }
    }
}
