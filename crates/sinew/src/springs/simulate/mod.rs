//! Springs in time, over a bound rig: a skin with mass that follows its skeleton, lags, overshoots
//! and settles.
//!
//! ```
//! use sinew::glam::Vec3;
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew::skeleton::{Palette, Pose};
//! use sinew::springs::{DynamicsSettings, SpringDynamics, SpringFrame};
//! use sinew::springs::{SpringInput, SpringRig, SpringSettings};
//!
//! let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
//! let character = build(&options)?;
//! let rig = SpringRig::bind(&SpringInput::of(&character, 0), &SpringSettings::default(), &Silent)?;
//! let dynamics = SpringDynamics::bind(&rig, &DynamicsSettings::default())?;
//!
//! let mut pose = Pose::rest(&character.skeleton);
//! let mut motion = dynamics.start(&rig, &Palette::new(&character.skeleton, &pose));
//! let mut posed = vec![Vec3::ZERO; rig.num_points()];
//! for frame in 1..=30 {
//!     pose.joints[1].twist_radians = 0.02 * f64::from(frame);
//!     let palette = Palette::new(&character.skeleton, &pose);
//!     dynamics.step(&rig, &SpringFrame::new(&palette), 1.0 / 30.0, &mut motion, &mut posed);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The integrator and its stability: `dynamics.rs`. What stands still long enough is where the
//! static model would be after enough iterations. For the paper's that is not where its fifty end:
//! nothing of its forces holds a twist, so that one unwinds in time.

#[cfg(test)]
mod tests;

use glam::Vec3;

use super::anchored::{Anchored, AnchoredScratch, handles};
use super::dynamics::{Dynamics, DynamicsFrame, DynamicsInput, DynamicsSettings, DynamicsState};
use super::dynamics::{ForceField, Row, to_row};
use super::frame::soft_pins;
use super::paper::{PaperFrame, PaperScratch, PaperSprings};
use super::rig::{Plan, PlanScratch};
use super::{Hold, SpringFrame, SpringRig, SpringScratch, Start, Within};
use crate::skeleton::Palette;

/// Frames' worth of iterations to the shape that a motion starts from, at the most.
const START_ROUNDS: u32 = 8;

/// A start is at rest once an iteration moves it less than this over the smallest side of the rest
/// bounds.
const START_RESIDUAL: f32 = 1e-6;

/// Why springs could not be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DynamicsError {
    /// Delta mush smooths; it has no forces to integrate.
    #[error(
        "delta mush has no forces, and so no motion of its own; use the anchored or the paper's springs"
    )]
    NoForces,
    /// A skin that cannot swing so.
    #[error("the dynamics' {what} is {value}; give a number from {least} to {most}")]
    BadSetting {
        /// The setting's name.
        what: &'static str,
        /// What it is.
        value: f32,
        /// The least that can be had.
        least: f32,
        /// The largest value that it may have.
        most: f32,
    },
}

/// Masses, damping and sub-steps for a rig: immutable and shareable.
#[derive(Clone, Debug)]
pub struct SpringDynamics {
    dynamics: Dynamics,
    num_points: usize,
}

/// A skin in motion; one a character.
#[derive(Clone, Debug)]
pub struct SpringMotion {
    scratch: SpringScratch,
    state: DynamicsState,
    /// The first stage of the frame before and, for models without one of their own, of this one.
    before: Vec<Row>,
    now: Vec<Row>,
    /// How far bent skin is moved so that the body keeps its volume. Not in the state, which the
    /// springs alone move.
    swell: f32,
}

struct AnchoredField<'a> {
    anchored: &'a Anchored,
    scratch: &'a AnchoredScratch,
}

impl ForceField for AnchoredField<'_> {
    fn force(&mut self, positions: &[Row], out: &mut [Row]) {
        self.anchored.forces(self.scratch, positions, out);
    }
}

struct PaperField<'a> {
    paper: &'a PaperSprings,
    scratch: &'a mut PaperScratch,
}

impl ForceField for PaperField<'_> {
    fn force(&mut self, positions: &[Row], out: &mut [Row]) {
        self.paper.forces(positions, self.scratch, out);
    }
}

impl SpringDynamics {
    /// Finds masses and sub-steps for a rig.
    ///
    /// # Errors
    /// If the rig's model has no forces, or a setting is out of its range.
    pub fn bind(rig: &SpringRig, settings: &DynamicsSettings) -> Result<Self, DynamicsError> {
        settings.check()?;
        let (bounds, restoring, holding, mut lags) = match &rig.plan {
            Plan::Anchored { anchored, freedom, .. } => (
                anchored.stiffness_bounds(),
                anchored.restoring_stiffness(),
                anchored.holding_stiffness(),
                anchored.free_distances(freedom),
            ),
            Plan::Paper(paper) => (
                paper.stiffness_bounds(),
                paper.restoring_stiffness(),
                paper.holding_stiffness(),
                paper.distances(),
            ),
            Plan::DeltaMush(_) => return Err(DynamicsError::NoForces),
        };
        lags.iter_mut().for_each(|lag| *lag *= settings.most_lag);
        let input = DynamicsInput {
            stiffness_bounds: &bounds,
            restoring: &restoring,
            holding: &holding,
            most_lags: &lags,
            extent: rig.extent(),
        };
        Ok(Self { dynamics: Dynamics::bind(&input, settings), num_points: rig.num_points() })
    }

    /// Sub-steps that a frame takes.
    pub fn num_substeps(&self, seconds: f32) -> u32 {
        self.dynamics.num_substeps(seconds)
    }

    /// A skin at rest in a pose.
    ///
    /// # Panics
    /// If the rig is not what was bound, or the palette has too few joints.
    pub fn start(&self, rig: &SpringRig, palette: &Palette) -> SpringMotion {
        let mut scratch = rig.scratch();
        let num_rows = match &rig.plan {
            Plan::Anchored { anchored, .. } => anchored.order().num_slots(),
            Plan::Paper(_) | Plan::DeltaMush(_) => rig.num_points(),
        };
        let relaxed = self.relax(rig, palette, &mut scratch);
        let mut motion = SpringMotion {
            state: self.dynamics.start(rows_of(rig, &relaxed)),
            scratch,
            before: vec![[0.0; 4]; num_rows],
            now: vec![[0.0; 4]; num_rows],
            swell: 0.0,
        };
        motion.remember_first_stage(rig, palette);
        motion.find_swell(rig, &SpringFrame::new(palette));
        motion
    }

    /// Puts a skin at rest in another pose: for a cut, or after a parameter has changed.
    ///
    /// # Panics
    /// As [`Self::start`], or if the motion is not of this rig.
    pub fn restart(&self, rig: &SpringRig, palette: &Palette, motion: &mut SpringMotion) {
        let relaxed = self.relax(rig, palette, &mut motion.scratch);
        self.dynamics.restart(&mut motion.state, rows_of(rig, &relaxed));
        motion.remember_first_stage(rig, palette);
        motion.find_swell(rig, &SpringFrame::new(palette));
    }

    fn relax(&self, rig: &SpringRig, palette: &Palette, scratch: &mut SpringScratch) -> Vec<Vec3> {
        assert_eq!(rig.num_points(), self.num_points, "dynamics of this rig");
        let mut relaxed = vec![Vec3::ZERO; rig.num_points()];
        let frame = SpringFrame { swell: Some(0.0), ..SpringFrame::new(palette) };
        let mut stats = rig.deform(&frame, scratch, &mut relaxed);
        for _ in 1..START_ROUNDS {
            if stats.residual < START_RESIDUAL {
                break;
            }
            let previous = relaxed.clone();
            let frame = SpringFrame { start: Start::Previous(&previous), ..frame };
            stats = rig.deform(&frame, scratch, &mut relaxed);
        }
        relaxed
    }

    /// Goes on to a pose, `seconds` after the one before, and writes where the skin is then;
    /// returns the number of sub-steps. The skeleton's parts move in straight lines in between.
    /// Pins lead their points; outside of a region points are where its base is. The frame's start
    /// has no meaning here. Allocates nothing; large meshes use rayon's threads, and the bits are
    /// the same with any number of them.
    ///
    /// # Panics
    /// If the rig, the motion, the frame or `out` is not of what was bound.
    pub fn step(
        &self,
        rig: &SpringRig,
        frame: &SpringFrame<'_>,
        seconds: f32,
        motion: &mut SpringMotion,
        out: &mut [Vec3],
    ) -> u32 {
        assert_eq!(rig.num_points(), self.num_points, "dynamics of this rig");
        assert!(frame.palette.len() >= rig.num_joints, "the palette has every joint");
        assert_eq!(out.len(), self.num_points, "one output a point");
        if let Some(within) = &frame.within {
            within.check(self.num_points);
        }
        // The pool is entered once a frame, not twice a sub-step.
        let num_substeps = match self.dynamics.is_parallel() {
            true => rayon::scope(|_| self.advance(rig, frame, seconds, motion)),
            false => self.advance(rig, frame, seconds, motion),
        };
        motion.find_swell(rig, frame);
        motion.write(rig, frame, out);
        num_substeps
    }

    fn advance(
        &self,
        rig: &SpringRig,
        frame: &SpringFrame<'_>,
        seconds: f32,
        motion: &mut SpringMotion,
    ) -> u32 {
        let SpringMotion { scratch, state, before, now, .. } = motion;
        let SpringScratch { skinned, of_plan } = scratch;
        if let Some(skin) = &rig.skin {
            skin.deform(frame.palette, skinned, &mut []);
        }
        self.dynamics.free_all(state);
        match (&rig.plan, of_plan) {
            (
                Plan::Anchored { layout, contacts, anchored, .. },
                PlanScratch::Anchored { stage, anchored: memory, .. },
            ) => {
                stage.update(layout, contacts, frame.palette);
                anchored.raise(frame.edits, soft_pins(frame.pins, frame.within), stage);
                anchored.prepare(stage, (frame.edits, frame.pins), memory);
                let row_of_point = anchored.order().slot_of_point();
                for handle in handles(frame.edits, frame.pins) {
                    let slot = row_of_point[handle as usize] as usize;
                    let times = anchored.handle_bound(slot) / anchored.slot_bound(slot);
                    self.dynamics.burden(state, slot, times);
                }
                // From here on the stage serves as the carrier alone.
                if let Some(within) = &frame.within {
                    let skinned = rig.skin.as_ref().map(|_| &skinned[..]);
                    self.hold_outside(within, skinned, row_of_point, (state, &mut stage.target));
                }
                let carrier = [&before[..], &stage.target[..]];
                let frame = DynamicsFrame { seconds, carrier, pins: frame.pins, row_of_point };
                let mut field = AnchoredField { anchored, scratch: memory };
                let num_substeps = self.dynamics.step(&frame, &mut field, state);
                before.copy_from_slice(&stage.target);
                num_substeps
            }
            (Plan::Paper(paper), PlanScratch::Paper { bones, paper: memory }) => {
                paper.pose_bones(frame.palette, bones);
                if rig.skin.is_none() {
                    // Without the handles: the carrier is the body's motion, and the springs lead
                    // them to their lengths.
                    paper.first_stage(bones, &[], skinned);
                }
                for pin in frame.pins {
                    if let Hold::Soft { length, direction } = pin.hold {
                        let more = length.max(0.0) + direction.max(0.0);
                        let times = 1.0 + more / paper.stiffness_bound(pin.point);
                        self.dynamics.burden(state, pin.point as usize, times);
                    }
                }
                let of_paper = PaperFrame {
                    start: skinned,
                    bones,
                    iterations: 0,
                    threshold: 0.0,
                    pins: frame.pins,
                    within: frame.within,
                    edits: frame.edits,
                };
                paper.prepare(&of_paper, memory);
                copy_rows(skinned, now);
                if let Some(within) = &frame.within {
                    self.hold_outside(within, Some(skinned), &[], (state, now));
                }
                let carrier = [&before[..], &now[..]];
                let frame = DynamicsFrame { seconds, carrier, pins: frame.pins, row_of_point: &[] };
                let mut field = PaperField { paper, scratch: memory };
                let num_substeps = self.dynamics.step(&frame, &mut field, state);
                before.copy_from_slice(now);
                num_substeps
            }
            _ => panic!("the motion is of this rig"),
        }
    }

    /// Has everything outside of a region carried to its base.
    fn hold_outside(
        &self,
        within: &Within<'_>,
        skinned: Option<&[Vec3]>,
        row_of_point: &[u32],
        (state, carrier): (&mut DynamicsState, &mut [Row]),
    ) {
        for point in (0..self.num_points as u32).filter(|&p| !within.region.is_free(p)) {
            let row = row_of_point.get(point as usize).map_or(point, |&row| row) as usize;
            self.dynamics.hold(state, row);
            if let Some(base) = within.base.or(skinned) {
                carrier[row] = to_row(base[point as usize].into());
            }
        }
    }
}

impl SpringMotion {
    /// Writes where each point is.
    ///
    /// # Panics
    /// If the rig is not the motion's, or there is not one output a point.
    pub fn write(&mut self, rig: &SpringRig, frame: &SpringFrame<'_>, out: &mut [Vec3]) {
        assert_eq!(out.len(), rig.num_points(), "one output a point");
        for (out, position) in out.iter_mut().zip(self.positions(rig)) {
            *out = position;
        }
        if let (
            Plan::Anchored { anchored, layers, riders, .. },
            PlanScratch::Anchored { stage, pushes, .. },
        ) = (&rig.plan, &mut self.scratch.of_plan)
        {
            layers.part(frame, pushes, out);
            riders.place((stage, anchored.order()), frame, out);
        }
    }

    /// Where each point is, but for those of shells that ride on others.
    fn positions<'a>(&'a self, rig: &'a SpringRig) -> impl Iterator<Item = Vec3> + 'a {
        let slots = match &rig.plan {
            Plan::Anchored { anchored, .. } => anchored.order().slot_of_point(),
            Plan::Paper(_) | Plan::DeltaMush(_) => &[],
        };
        let stage = match &self.scratch.of_plan {
            PlanScratch::Anchored { stage, .. } => Some(stage),
            PlanScratch::Paper { .. } | PlanScratch::DeltaMush(_) => None,
        };
        (0..rig.num_points()).map(move |point| {
            let row = slots.get(point).map_or(point, |&slot| slot as usize);
            let give = stage.filter(|_| !self.state.is_held(row)).map(|stage| stage.give(row));
            Vec3::from(self.state.positions[row]) + self.swell * give.unwrap_or_default()
        })
    }

    /// Follows the body's volume.
    fn find_swell(&mut self, rig: &SpringRig, frame: &SpringFrame<'_>) {
        let (
            Plan::Anchored { anchored, .. },
            PlanScratch::Anchored { stage, anchored: memory, .. },
        ) = (&rig.plan, &mut self.scratch.of_plan)
        else {
            return;
        };
        // Around one of them: an f32 is finer the nearer it is to zero.
        let centre = self.state.positions.first().copied().unwrap_or_default();
        for (row, &position) in self.now.iter_mut().zip(&self.state.positions) {
            *row = to_row(position - centre);
        }
        let growth = anchored.growth(frame.palette, f64::from(rig.settings().keep_volume));
        let find = || anchored.swell_of(self.now.as_flattened(), stage, growth, memory);
        self.swell = frame.swell.unwrap_or_else(find);
    }

    /// The first stage of a pose, as that of the frame before.
    fn remember_first_stage(&mut self, rig: &SpringRig, palette: &Palette) {
        let SpringScratch { skinned, of_plan } = &mut self.scratch;
        match (&rig.plan, of_plan) {
            (Plan::Anchored { layout, contacts, .. }, PlanScratch::Anchored { stage, .. }) => {
                stage.update(layout, contacts, palette);
                self.before.copy_from_slice(&stage.target);
            }
            (Plan::Paper(paper), PlanScratch::Paper { bones, .. }) if rig.skin.is_none() => {
                paper.pose_bones(palette, bones);
                paper.first_stage(bones, &[], skinned);
                copy_rows(skinned, &mut self.before);
            }
            _ => {
                if let Some(skin) = &rig.skin {
                    skin.deform(palette, skinned, &mut []);
                }
                copy_rows(skinned, &mut self.before);
            }
        }
    }
}

/// Positions in the order of the integrator's rows.
fn rows_of<'a>(
    rig: &'a SpringRig,
    positions: &'a [Vec3],
) -> impl ExactSizeIterator<Item = Vec3> + 'a {
    let (order, num_rows) = match &rig.plan {
        Plan::Anchored { anchored, .. } => {
            (anchored.order().point_of_slot(), anchored.order().num_slots())
        }
        Plan::Paper(_) | Plan::DeltaMush(_) => (&[][..], positions.len()),
    };
    (0..num_rows).map(move |row| positions[order.get(row).map_or(row, |&point| point as usize)])
}

fn copy_rows(points: &[Vec3], rows: &mut [Row]) {
    for (row, &point) in rows.iter_mut().zip(points) {
        *row = to_row(point.into());
    }
}

impl SpringRig {
    /// The diagonal of the rest bounds, metres.
    fn extent(&self) -> f32 {
        self.rest_bounds.diagonal()
    }
}
