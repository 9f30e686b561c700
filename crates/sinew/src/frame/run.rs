//! A frame: drivers → rest → joints → skin → relax → follow → normals.
//!
//! A stage whose inputs are those of the frame before is not run again. Nothing is allocated, but
//! for what is used for the first time (a rest that moves, springs that swing, a buffer that
//! somebody kept).

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::normals::NormalPlan;
use super::part::{Mover, PartPlan};
use super::plan::Plan;
use super::relax::{GroupRun, GroupScratch};
use super::rest::{FitInput, Fitted, rest_stage};
use super::{CageScratch, Controls, Frame, FrameStart, PartControls, PartFrame, writable};
use crate::Part;
use crate::skeleton::{Palette, Skeleton};
use crate::skin::Skin;

/// Memory for the frames of a plan; one a thread that makes frames.
#[derive(Debug)]
pub struct Scratch {
    parts: Vec<PartScratch>,
    groups: Vec<GroupScratch>,
    cage: CageScratch,
    /// The controls after the drivers.
    driven: Controls,
}

#[derive(Debug, Default)]
pub(super) struct PartScratch {
    fitted: Option<Box<Fitted>>,
    /// The rest is not the one that was bound.
    is_fitted: bool,
    /// The mesh is part of the frame that is being made.
    is_run: bool,
    /// Normals of wedges, or positions of render vertices that nobody wants.
    wide: Vec<Vec3>,
}

impl PartScratch {
    /// What was fitted to the rest, if it is not the one that was bound.
    pub(super) fn fitted(&self) -> Option<&Fitted> {
        self.fitted.as_deref().filter(|_| self.is_fitted)
    }
}

impl Scratch {
    /// Forgets how springs swing: the next frame in time begins at rest.
    pub fn stop(&mut self) {
        for group in &mut self.groups {
            group.stop();
        }
    }
}

impl Plan {
    /// Memory for frames.
    pub fn scratch(&self) -> Scratch {
        let of_part = |(plan, part): (&PartPlan, &Part)| PartScratch {
            wide: match &plan.normals {
                NormalPlan::Surface(surface) => vec![Vec3::ZERO; surface.num_wedges()],
                NormalPlan::Vertices(_) => vec![Vec3::ZERO; part.mesh.num_vertices()],
                NormalPlan::Off | NormalPlan::WithPoints | NormalPlan::File => Vec::new(),
            },
            ..PartScratch::default()
        };
        Scratch {
            parts: self.parts().zip(&self.character().parts).map(of_part).collect(),
            groups: self.groups().map(GroupScratch::new).collect(),
            cage: CageScratch::default(),
            driven: Controls::default(),
        }
    }

    /// Makes a frame.
    ///
    /// # Panics
    /// If scratch, frame or controls are of another character.
    pub fn run(&self, controls: &Controls, scratch: &mut Scratch, frame: &mut Frame) {
        let Scratch { parts, groups, cage, driven } = scratch;
        self.run_at_rest_of(self.expand(controls, cage), (parts, groups, driven), frame);
        if let Some(bound) = self.cage() {
            bound.follow(self.character(), controls, cage, frame);
        }
    }

    /// Makes a single frame, in memory of its own. Who makes many keeps [`Self::scratch`] and
    /// [`Self::frame`], and calls [`Self::run`], which allocates nothing.
    ///
    /// # Panics
    /// If the controls are of another character.
    #[must_use]
    pub fn frame_of(&self, controls: &Controls) -> Frame {
        let mut frame = self.frame();
        self.run(controls, &mut self.scratch(), &mut frame);
        frame
    }

    /// The same of controls whose cage has become offsets of the rest.
    fn run_at_rest_of(
        &self,
        controls: &Controls,
        (memory, groups, driven): (&mut [PartScratch], &mut [GroupScratch], &mut Controls),
        frame: &mut Frame,
    ) {
        let num_parts = self.parts().len();
        assert!(memory.len() == num_parts, "scratch of this plan");
        assert!(groups.len() == self.groups().len(), "scratch of this plan");
        assert!(frame.parts.len() == num_parts, "a frame of this plan");
        let is_first = frame.made_by != self.id;
        let joints_moved = is_first || frame.made_from.joint_offsets != controls.joint_offsets;
        if joints_moved {
            rest_joints(self, &controls.joint_offsets, &mut frame.skeleton);
        }
        let controls = self.drive(&frame.skeleton, controls, driven);
        let is_posed = joints_moved || frame.made_from.pose != controls.pose;
        if is_posed {
            match self.parts().any(|part| part.mover.needs_turns()) {
                true => frame.palette.update(&frame.skeleton, &controls.pose),
                false => frame.palette.update_blended(&frame.skeleton, &controls.pose),
            }
        }
        // With time passing, or from where the last frame ended, even the same controls give
        // another frame.
        let goes_on = controls.step_seconds.is_some() || controls.start == FrameStart::Previous;
        let was_going_on =
            frame.made_from.step_seconds.is_some() || frame.made_from.start == FrameStart::Previous;
        let is_new = is_posed || goes_on || was_going_on;
        for (index, memory) in memory.iter_mut().enumerate() {
            memory.is_run = is_new || frame.made_from.part(index) != controls.part(index);
        }
        for group in self.groups() {
            // Who is tied to what has moved may move.
            if group.members().iter().any(|member| memory[member.part].is_run) {
                group.members().iter().for_each(|member| memory[member.part].is_run = true);
            }
        }
        let of_part = |index: usize| PartRun {
            plan: self.part(index),
            part: &self.character().parts[index],
            controls: controls.part(index),
            joint_offsets: &controls.joint_offsets,
            joints_rest: controls.joint_offsets == self.joint_offsets(),
        };
        for (index, memory) in memory.iter_mut().enumerate().filter(|(_, memory)| memory.is_run) {
            of_part(index).rest(&frame.skeleton, memory, &mut frame.parts[index]);
        }
        for (group, of_group) in self.groups().zip(groups) {
            if group.members().iter().any(|member| memory[member.part].is_run) {
                let Frame { skeleton, palette, parts, .. } = frame;
                let run = GroupRun {
                    plan: self,
                    group,
                    controls,
                    palette,
                    skeleton,
                    has_previous: !is_first,
                };
                run.run(of_group, memory, parts);
            }
        }
        for (index, memory) in memory.iter_mut().enumerate().filter(|(_, memory)| memory.is_run) {
            of_part(index).run(&frame.palette, memory, &mut frame.parts[index]);
        }
        frame.made_by = self.id;
        frame.made_from.copy(controls);
    }
}

impl Plan {
    /// The stage of the drivers.
    pub(super) fn drive<'c>(
        &self,
        skeleton: &Skeleton,
        controls: &'c Controls,
        driven: &'c mut Controls,
    ) -> &'c Controls {
        if self.drivers().is_empty() {
            return controls;
        }
        driven.copy(controls);
        self.drivers().run(skeleton, driven);
        driven
    }
}

/// The joints at rest.
pub(super) fn rest_joints(plan: &Plan, offsets: &[DVec3], out: &mut Skeleton) {
    match offsets == plan.joint_offsets() {
        true => out.rest_as(plan.skeleton()),
        false if offsets.is_empty() => out.rest_as(&plan.character().skeleton),
        false => out.move_joints(&plan.character().skeleton, offsets),
    }
}

/// A mesh's frame.
struct PartRun<'a> {
    plan: &'a PartPlan,
    part: &'a Part,
    controls: &'a PartControls,
    joint_offsets: &'a [DVec3],
    joints_rest: bool,
}

impl PartRun<'_> {
    /// The rest stage.
    fn rest(&self, skeleton: &Skeleton, scratch: &mut PartScratch, frame: &mut PartFrame) {
        if matches!(self.plan.mover, Mover::AtRest) {
            // Its points are its rest, which is about to be written.
            frame.points = Arc::clone(&self.plan.rest);
        }
        let of = FitInput {
            plan: self.plan,
            part: self.part,
            controls: self.controls,
            skeleton,
            joint_offsets: self.joint_offsets,
            joints_rest: self.joints_rest,
        };
        scratch.is_fitted = rest_stage(&of, &mut scratch.fitted, &mut frame.rest).is_some();
    }

    /// The skin, where springs have not moved it, and its normals.
    fn run(&self, palette: &Palette, scratch: &mut PartScratch, frame: &mut PartFrame) {
        let PartScratch { fitted, is_fitted, wide, .. } = scratch;
        let fitted = fitted.as_deref().filter(|_| *is_fitted);
        let (mover, vertex_skin) = match fitted {
            Some(fitted) => (&fitted.mover, fitted.vertex_skin.as_deref()),
            None => (&self.plan.mover, self.plan.normals.vertex_skin()),
        };
        match mover {
            Mover::AtRest => {
                frame.springs = None;
                if !Arc::ptr_eq(&frame.points, &frame.rest) {
                    frame.points = Arc::clone(&frame.rest);
                }
            }
            Mover::Skin(skin) => {
                frame.springs = None;
                let num_points = frame.rest.len();
                let points = writable(&mut frame.points, num_points);
                let normals: &mut [Vec3] = match &self.plan.normals {
                    NormalPlan::WithPoints => writable(&mut frame.normals, num_points),
                    _ => &mut [],
                };
                skin.deform(palette, points, normals);
            }
            Mover::Springs(_) => {}
        }
        let rest_normals = fitted.map(|fitted| fitted.normals.of_vertices());
        self.normals(palette, frame, wide, (vertex_skin, rest_normals));
    }

    fn normals(
        &self,
        palette: &Palette,
        frame: &mut PartFrame,
        wide: &mut [Vec3],
        (vertex_skin, rest_normals): (Option<&Skin>, Option<&[Vec3]>),
    ) {
        let mesh = &self.part.mesh;
        match &self.plan.normals {
            // The skin has moved them.
            NormalPlan::Off | NormalPlan::WithPoints => {}
            NormalPlan::Vertices(_) => {
                if let Some(skin) = vertex_skin {
                    let out = writable(&mut frame.normals, mesh.num_vertices());
                    skin.deform(palette, wide, out);
                }
            }
            NormalPlan::File => {
                let normals = rest_normals.unwrap_or_else(|| mesh.vertex_normals());
                writable(&mut frame.normals, normals.len()).copy_from_slice(normals);
            }
            NormalPlan::Surface(surface) => {
                surface.compute(&frame.points, wide);
                let out = writable(&mut frame.normals, mesh.num_vertices());
                for (out, &wedge) in out.iter_mut().zip(surface.wedge_of_vertex()) {
                    *out = wide[wedge as usize];
                }
            }
        }
    }
}
