//! The relax stage: springs over the meshes that they move together.
//!
//! What a group of one mesh is asked for and gives is that mesh's own, without a copy.

use glam::Vec3;

use super::part::Mover;
use super::plan::Plan;
use super::rest::{FittedGroup, GroupFit, fit_group};
use super::run::PartScratch;
use super::springs::{Member, SpringGroup};
use super::{Controls, FrameStart, PartControls, PartFrame, writable};
use crate::skeleton::{Palette, Skeleton};
use crate::springs::{
    Pin, Region, ScaleEdit, SpringDynamics, SpringFrame, SpringMotion, SpringRig, SpringScratch,
    SpringStats, Start, Within,
};

/// Memory for the frames of a group.
#[derive(Debug)]
pub(super) struct GroupScratch {
    springs: SpringScratch,
    fitted: Option<Box<FittedGroup>>,
    motion: Option<Box<Motion>>,
    /// The frame before, where iterations begin there.
    previous: Vec<Vec3>,
    /// Of all members, where there are several.
    points: Vec<Vec3>,
    wishes: Wishes,
}

/// Springs that swing.
#[derive(Debug)]
struct Motion {
    made_by: [u64; 2],
    dynamics: SpringDynamics,
    motion: SpringMotion,
}

impl GroupScratch {
    pub(super) fn new(group: &SpringGroup) -> Self {
        let num_joined = if group.members.len() > 1 { group.num_points() } else { 0 };
        Self {
            springs: group.rig.scratch(),
            fitted: None,
            motion: None,
            previous: Vec::new(),
            points: vec![Vec3::ZERO; num_joined],
            wishes: Wishes::default(),
        }
    }

    pub(super) fn stop(&mut self) {
        self.motion = None;
    }
}

/// What several meshes are asked for, by the group's points.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Points that are held.
    pub pins: Vec<Pin>,
    /// Handles.
    pub edits: Vec<ScaleEdit>,
    /// What may move, if that is not everything.
    pub region: Option<Region>,
    /// How much bent skin swells, if somebody says.
    pub swell: Option<f32>,
    spare_region: Option<Region>,
}

impl Wishes {
    /// Gathers the members' wishes in the memory that is there.
    pub fn gather(&mut self, members: &[Member], controls: &Controls) {
        self.pins.clear();
        self.edits.clear();
        self.swell = None;
        for member in members {
            let PartControls { pins, edits, swell, .. } = controls.part(member.part);
            let first = member.first_point as u32;
            self.pins.extend(pins.iter().map(|pin| Pin { point: first + pin.point, ..*pin }));
            let moved = |edit: &ScaleEdit| ScaleEdit { point: first + edit.point, ..*edit };
            self.edits.extend(edits.iter().map(moved));
            self.swell = self.swell.or(*swell);
        }
        if self.spare_region.is_none() {
            self.spare_region = self.region.take();
        }
        let region = |member: &Member| controls.part(member.part).region.as_ref();
        if members.iter().all(|member| region(member).is_none()) {
            return;
        }
        let mut joined = self.spare_region.take().unwrap_or_default();
        joined.fill(members.iter().flat_map(|member| {
            let of_member = region(member);
            let is_free = move |point| of_member.is_none_or(|region| region.is_free(point));
            (0..member.num_points as u32).map(is_free)
        }));
        self.region = Some(joined);
    }
}

/// A group's frame.
pub(super) struct GroupRun<'a> {
    pub(super) plan: &'a Plan,
    pub(super) group: &'a SpringGroup,
    pub(super) controls: &'a Controls,
    pub(super) palette: &'a Palette,
    pub(super) skeleton: &'a Skeleton,
    pub(super) has_previous: bool,
}

impl GroupRun<'_> {
    /// Moves the members' points; their rests are those of the controls.
    pub(super) fn run(
        &self,
        scratch: &mut GroupScratch,
        parts: &[PartScratch],
        frames: &mut [PartFrame],
    ) {
        let Self { plan, group, controls, skeleton, .. } = *self;
        let GroupScratch { springs, fitted, motion, previous, points, wishes } = scratch;
        let members = &group.members;
        previous.clear();
        if controls.start == FrameStart::Previous && self.has_previous {
            for member in members {
                previous.extend_from_slice(&frames[member.part].points);
            }
        }
        if controls.step_seconds.is_none() {
            *motion = None;
        }
        let of = GroupFit { plan, group, controls, skeleton };
        let rest = |part: usize| &frames[part].rest[..];
        let centers = |part: usize| match parts[part].fitted() {
            Some(fitted) => &fitted.centers[..],
            None => &plan.part(part).centers[..],
        };
        let rig = fit_group(&of, fitted, rest, centers).map_or(&group.rig, |fitted| &fitted.rig);
        let stats = match &members[..] {
            [only] => {
                let PartControls { pins, edits, region, swell, .. } = controls.part(only.part);
                let within = region.as_ref().map(|region| Within { region, base: None });
                let frame = self.spring_frame(previous, (pins, edits), within, *swell);
                let out = writable(&mut frames[only.part].points, only.num_points);
                self.deform(rig, &frame, (springs, motion), out)
            }
            members => {
                wishes.gather(members, controls);
                let Wishes { pins, edits, region, swell, .. } = &*wishes;
                let within = region.as_ref().map(|region| Within { region, base: None });
                let frame = self.spring_frame(previous, (pins, edits), within, *swell);
                let stats = self.deform(rig, &frame, (springs, motion), points);
                for member in members {
                    let out = writable(&mut frames[member.part].points, member.num_points);
                    out.copy_from_slice(&points[member.points()]);
                }
                stats
            }
        };
        for member in members {
            debug_assert!(matches!(plan.part(member.part).mover, Mover::Springs(_)));
            frames[member.part].springs = (!member.is_held).then_some(stats);
        }
    }

    fn spring_frame<'f>(
        &'f self,
        previous: &'f [Vec3],
        (pins, edits): (&'f [Pin], &'f [ScaleEdit]),
        within: Option<Within<'f>>,
        swell: Option<f32>,
    ) -> SpringFrame<'f> {
        SpringFrame {
            palette: self.palette,
            start: if previous.is_empty() { Start::FirstStage } else { Start::Previous(previous) },
            pins,
            within,
            edits,
            swell,
        }
    }

    fn deform(
        &self,
        rig: &SpringRig,
        frame: &SpringFrame<'_>,
        (springs, motion): (&mut SpringScratch, &mut Option<Box<Motion>>),
        points: &mut [Vec3],
    ) -> SpringStats {
        match self.controls.step_seconds {
            None => rig.deform(frame, springs, points),
            Some(seconds) => self.swing(rig, (frame, seconds), motion, points),
        }
    }

    /// Goes on by a time; a skin that has not moved yet begins at rest.
    fn swing(
        &self,
        rig: &SpringRig,
        (frame, seconds): (&SpringFrame<'_>, f32),
        motion: &mut Option<Box<Motion>>,
        points: &mut [Vec3],
    ) -> SpringStats {
        let made_by = self.plan.revision();
        let stats = |iterations| SpringStats { iterations, ..SpringStats::default() };
        let frame = SpringFrame { start: Start::FirstStage, ..*frame };
        if let Some(motion) = motion.as_mut().filter(|motion| motion.made_by == made_by) {
            let Motion { dynamics, motion, .. } = &mut **motion;
            return stats(dynamics.step(rig, &frame, seconds, motion, points));
        }
        let Ok(dynamics) = SpringDynamics::bind(rig, &self.plan.rig().dynamics) else {
            // Delta mush has no forces, and so no motion of its own.
            return rig.deform(&frame, &mut rig.scratch(), points);
        };
        let mut started = dynamics.start(rig, self.palette);
        started.write(rig, &frame, points);
        *motion = Some(Box::new(Motion { made_by, dynamics, motion: started }));
        stats(0)
    }
}
