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
use super::rest::{FitInput, Fitted, rest_stage};
use super::{Controls, Frame, FrameStart, PartControls, PartFrame, writable};
use crate::Part;
use crate::skeleton::{Palette, Skeleton};
use crate::skin::Skin;
use crate::springs::{
    SpringDynamics, SpringFrame, SpringMotion, SpringRig, SpringScratch, SpringStats, Start, Within,
};

/// Memory for the frames of a plan; one a thread that makes frames.
#[derive(Debug)]
pub struct Scratch {
    parts: Vec<PartScratch>,
}

#[derive(Debug, Default)]
struct PartScratch {
    fitted: Option<Box<Fitted>>,
    springs: Option<SpringScratch>,
    motion: Option<Box<Motion>>,
    /// The frame before, where iterations begin there.
    previous: Vec<Vec3>,
    /// Normals of wedges, or positions of render vertices that nobody wants.
    wide: Vec<Vec3>,
}

/// A mesh that swings.
#[derive(Debug)]
struct Motion {
    made_by: [u64; 2],
    dynamics: SpringDynamics,
    motion: SpringMotion,
}

impl Scratch {
    /// Forgets how springs swing: the next frame in time begins at rest.
    pub fn stop(&mut self) {
        for part in &mut self.parts {
            part.motion = None;
        }
    }
}

impl Plan {
    /// Memory for frames.
    pub fn scratch(&self) -> Scratch {
        let of_part = |(plan, part): (&PartPlan, &Part)| PartScratch {
            springs: match &plan.mover {
                Mover::Springs(rig) => Some(rig.scratch()),
                Mover::AtRest | Mover::Skin(_) => None,
            },
            wide: match &plan.normals {
                NormalPlan::Surface(surface) => vec![Vec3::ZERO; surface.num_wedges()],
                NormalPlan::Vertices(_) => vec![Vec3::ZERO; part.mesh.num_vertices()],
                NormalPlan::Off | NormalPlan::WithPoints | NormalPlan::File => Vec::new(),
            },
            ..PartScratch::default()
        };
        Scratch { parts: self.parts().zip(&self.character().parts).map(of_part).collect() }
    }

    /// Makes a frame.
    ///
    /// # Panics
    /// If scratch, frame or controls are of another character.
    pub fn run(&self, controls: &Controls, scratch: &mut Scratch, frame: &mut Frame) {
        let num_parts = self.parts().len();
        assert!(scratch.parts.len() == num_parts, "scratch of this plan");
        assert!(frame.parts.len() == num_parts, "a frame of this plan");
        let is_first = frame.made_by != self.id;
        let joints_moved = is_first || frame.made_from.joint_offsets != controls.joint_offsets;
        if joints_moved {
            rest_joints(self, &controls.joint_offsets, &mut frame.skeleton);
        }
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
        for (index, plan) in self.parts().enumerate() {
            let of_part = controls.part(index);
            if !is_new && frame.made_from.part(index) == of_part {
                continue;
            }
            let run = PartRun {
                plan,
                part: &self.character().parts[index],
                controls: of_part,
                whole: controls,
                palette: &frame.palette,
                skeleton: &frame.skeleton,
                joints_rest: controls.joint_offsets == self.joint_offsets(),
                dynamics: &self.rig().dynamics,
                made_by: self.id,
                has_previous: !is_first,
            };
            run.run(&mut scratch.parts[index], &mut frame.parts[index]);
        }
        frame.made_by = self.id;
        frame.made_from.copy(controls);
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
    whole: &'a Controls,
    palette: &'a Palette,
    skeleton: &'a Skeleton,
    joints_rest: bool,
    dynamics: &'a crate::springs::DynamicsSettings,
    made_by: [u64; 2],
    has_previous: bool,
}

impl PartRun<'_> {
    fn run(&self, scratch: &mut PartScratch, frame: &mut PartFrame) {
        let PartScratch { fitted, springs, motion, previous, wide } = scratch;
        if self.whole.start == FrameStart::Previous && self.has_previous {
            previous.clear();
            previous.extend_from_slice(&frame.points);
        } else {
            previous.clear();
        }
        if matches!(self.plan.mover, Mover::AtRest) {
            // Its points are its rest, which is about to be written.
            frame.points = Arc::clone(&self.plan.rest);
        }
        let fitted = self.rest(fitted, frame);
        let (mover, vertex_skin) = match fitted {
            Some(fitted) => (&fitted.mover, fitted.vertex_skin.as_deref()),
            None => (&self.plan.mover, self.plan.normals.vertex_skin()),
        };
        if self.whole.step_seconds.is_none() {
            *motion = None;
        }
        frame.springs = None;
        let num_points = frame.rest.len();
        match (mover, springs) {
            (Mover::AtRest, _) => {
                if !Arc::ptr_eq(&frame.points, &frame.rest) {
                    frame.points = Arc::clone(&frame.rest);
                }
            }
            (Mover::Skin(skin), _) => {
                let points = writable(&mut frame.points, num_points);
                let normals: &mut [Vec3] = match &self.plan.normals {
                    NormalPlan::WithPoints => writable(&mut frame.normals, num_points),
                    _ => &mut [],
                };
                skin.deform(self.palette, points, normals);
            }
            (Mover::Springs(rig), Some(springs)) => {
                let points = writable(&mut frame.points, num_points);
                let stats = match self.whole.step_seconds {
                    None => self.relax(rig, springs, previous, points),
                    Some(seconds) => self.swing(rig, seconds, motion, points),
                };
                frame.springs = Some(stats);
            }
            (Mover::Springs(_), None) => unreachable!("scratch of this plan"),
        }
        let rest_normals = fitted.map(|fitted| fitted.normals.of_vertices());
        self.normals(frame, wide, vertex_skin, rest_normals);
    }

    /// The rest stage; what was fitted to it, if it is not the one that was bound.
    fn rest<'f>(
        &self,
        fitted: &'f mut Option<Box<Fitted>>,
        frame: &mut PartFrame,
    ) -> Option<&'f Fitted> {
        let of = FitInput {
            plan: self.plan,
            part: self.part,
            controls: self.controls,
            skeleton: self.skeleton,
            joint_offsets: &self.whole.joint_offsets,
            joints_rest: self.joints_rest,
            revision: self.made_by,
        };
        rest_stage(&of, fitted, &mut frame.rest)
    }

    fn spring_frame<'f>(&'f self, previous: &'f [Vec3]) -> SpringFrame<'f> {
        let PartControls { pins, edits, region, swell, .. } = self.controls;
        SpringFrame {
            palette: self.palette,
            start: if previous.is_empty() { Start::FirstStage } else { Start::Previous(previous) },
            pins,
            within: region.as_ref().map(|region| Within { region, base: None }),
            edits,
            swell: *swell,
        }
    }

    fn relax(
        &self,
        rig: &SpringRig,
        scratch: &mut SpringScratch,
        previous: &[Vec3],
        points: &mut [Vec3],
    ) -> SpringStats {
        rig.deform(&self.spring_frame(previous), scratch, points)
    }

    /// Goes on by a time; a skin that has not moved yet begins at rest.
    fn swing(
        &self,
        rig: &SpringRig,
        seconds: f32,
        motion: &mut Option<Box<Motion>>,
        points: &mut [Vec3],
    ) -> SpringStats {
        let stats = |iterations| SpringStats { iterations, ..SpringStats::default() };
        if let Some(motion) = motion.as_mut().filter(|motion| motion.made_by == self.made_by) {
            let frame = self.spring_frame(&[]);
            let Motion { dynamics, motion, .. } = &mut **motion;
            return stats(dynamics.step(rig, &frame, seconds, motion, points));
        }
        let Ok(dynamics) = SpringDynamics::bind(rig, self.dynamics) else {
            // Delta mush has no forces, and so no motion of its own.
            return rig.deform(&self.spring_frame(&[]), &mut rig.scratch(), points);
        };
        let started = dynamics.start(rig, self.palette);
        for (out, position) in points.iter_mut().zip(started.positions(rig)) {
            *out = position;
        }
        *motion = Some(Box::new(Motion { made_by: self.made_by, dynamics, motion: started }));
        stats(0)
    }

    fn normals(
        &self,
        frame: &mut PartFrame,
        wide: &mut [Vec3],
        vertex_skin: Option<&Skin>,
        rest_normals: Option<&[Vec3]>,
    ) {
        let mesh = &self.part.mesh;
        match &self.plan.normals {
            // The skin has moved them.
            NormalPlan::Off | NormalPlan::WithPoints => {}
            NormalPlan::Vertices(_) => {
                if let Some(skin) = vertex_skin {
                    let out = writable(&mut frame.normals, mesh.num_vertices());
                    skin.deform(self.palette, wide, out);
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
