//! The stages before the skin (rest, joints), for frames that are made elsewhere: on a graphics
//! card.
//!
//! [`Prepared::follow`] is what [`Plan::run`] does first; what is then to be moved, by what and
//! from where is told part by part, with what changed since the controls before, so that nothing is
//! uploaded twice.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::part::Mover;
use super::plan::Plan;
use super::rest::{FitInput, Fitted, FittedGroup, GroupFit, fit_group, rest_stage};
use super::run::rest_joints;
use super::{BoundCage, CageScratch, Controls, Frame, FrameStart, writable};
use crate::Character;
use crate::cage::SampleShift;
use crate::skeleton::{Palette, Skeleton};
use crate::skin::Skin;
use crate::springs::SpringRig;

/// Rest and joints of a plan under the controls that were followed last.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Skeleton, palette and rests; its points are nobody's.
    frame: Frame,
    parts: Vec<PartState>,
    groups: Vec<GroupState>,
    cage: CageScratch,
    left: LeftToDevice,
    /// The controls after the drivers.
    driven: Controls,
    is_posed: bool,
    has_followed: bool,
    has_previous: bool,
}

/// What the cage does to the points of some meshes: nothing of it is found here.
#[derive(Clone, Debug, Default)]
struct LeftToDevice {
    /// Of each mesh; none if empty.
    is_left: Vec<bool>,
    /// For who reads a frame back.
    of: Option<(Arc<BoundCage>, Arc<Character>)>,
}

impl LeftToDevice {
    fn has(&self, part: usize) -> bool {
        self.is_left.get(part).copied().unwrap_or(false)
    }
}

#[derive(Clone, Debug, Default)]
struct PartState {
    fitted: Option<Box<Fitted>>,
    /// The rest is not the one that was bound.
    is_fitted: bool,
    rest_changed: bool,
    is_new: bool,
}

#[derive(Clone, Debug, Default)]
struct GroupState {
    fitted: Option<Box<FittedGroup>>,
    is_fitted: bool,
    rest_changed: bool,
    is_new: bool,
}

/// The springs of some meshes under the controls that were followed last.
#[derive(Clone, Copy, Debug)]
pub struct PreparedGroup<'a> {
    /// The springs, fitted to the rest.
    pub rig: &'a SpringRig,
    /// True if they, or the plan's live settings, are others than before.
    pub rest_changed: bool,
    /// True if a frame may be another than the one before.
    pub is_new: bool,
}

/// A mesh under the controls that were followed last.
#[derive(Clone, Copy, Debug)]
pub struct PreparedPart<'a> {
    /// What moves it, fitted to the rest.
    pub mover: &'a Mover,
    /// What moves the normals of its render vertices, where the points' own mover does not.
    pub vertex_skin: Option<&'a Skin>,
    /// Its points at rest; without what the cage does to them where that is left to a device
    /// ([`Prepared::leave_cage`]).
    pub rest: &'a [Vec3],
    /// The file's normals of its render vertices at that rest; empty where nobody wants them.
    pub rest_normals: &'a [Vec3],
    /// True if any of these, or the plan's live settings, are others than before.
    pub rest_changed: bool,
    /// True if a frame may be another than the one before.
    pub is_new: bool,
}

impl Plan {
    /// For frames that are made elsewhere: everything as it was bound, and no pose yet.
    pub fn prepared(&self) -> Prepared {
        let mut frame = self.frame();
        frame.made_by = self.id;
        frame.made_from.joint_offsets.extend_from_slice(self.joint_offsets());
        frame.made_from.parts.extend(self.parts().map(|part| part.base.clone()));
        for (out, part) in frame.parts.iter_mut().zip(self.parts()) {
            out.rest = Arc::clone(&part.rest);
        }
        let parts = vec![PartState::default(); self.parts().len()];
        let groups = vec![GroupState::default(); self.groups().len()];
        let cage = CageScratch::default();
        Prepared {
            frame,
            parts,
            groups,
            cage,
            left: LeftToDevice::default(),
            driven: Controls::default(),
            is_posed: false,
            has_followed: false,
            has_previous: false,
        }
    }
}

impl Prepared {
    /// From now on somebody else finds what the cage does to the points of these meshes, from
    /// [`Self::cage_moves`] and [`BoundCage::part_tables`]: of those that nothing moves, or a skin
    /// that blends transforms, whose rest is linear in the cage. Others are as before. Joints are
    /// always found here.
    pub fn leave_cage(&mut self, plan: &Plan, is_left: impl Fn(usize) -> bool) {
        let Some(cage) = plan.cage() else { return };
        let of_part = |(part, of_part): (usize, &super::PartPlan)| {
            of_part.mover().is_linear_in_rest() && is_left(part)
        };
        self.left = LeftToDevice {
            is_left: plan.parts().enumerate().map(of_part).collect(),
            of: Some((Arc::clone(cage), Arc::clone(plan.character()))),
        };
    }

    /// True if what the cage does to a mesh's points is not found here.
    pub fn leaves_cage(&self, part: usize) -> bool {
        self.left.has(part)
    }

    /// How far each handle of the rest cage that has moved is from where it was bound.
    pub fn cage_moves(&self) -> Vec<(u32, Vec3)> {
        let of = self.left.of.as_ref();
        of.map_or_else(Vec::new, |(cage, _)| cage.moves_of(&self.frame.made_from))
    }

    /// What shapes and offsets do to the points that stand for all in the fit of the posed cage
    /// ([`crate::cage::Coupling::follow`]).
    pub fn sample_shifts(&self) -> &[SampleShift] {
        self.cage.shifts()
    }

    /// Follows controls: drivers, rest, then joints.
    ///
    /// # Panics
    /// If this was made from another plan, or the controls are of another character.
    pub fn follow(&mut self, plan: &Plan, controls: &Controls) {
        let given = controls;
        let left = &self.left;
        let controls = plan.expand_but(given, |part| left.has(part), &mut self.cage);
        let Frame { made_by, made_from, skeleton, palette, parts, .. } = &mut self.frame;
        assert_eq!(made_by[0], plan.id[0], "the plan that this was made from");
        let is_adjusted = *made_by != plan.id;
        let joints_moved = made_from.joint_offsets != controls.joint_offsets;
        if joints_moved {
            rest_joints(plan, &controls.joint_offsets, skeleton);
        }
        let controls = plan.drive(skeleton, controls, &mut self.driven);
        self.is_posed = !self.has_followed || joints_moved || made_from.pose != controls.pose;
        if self.is_posed {
            palette.update(skeleton, &controls.pose);
        }
        self.has_previous = self.has_followed && !is_adjusted;
        self.has_followed = true;
        let goes_on = controls.step_seconds.is_some() || controls.start == FrameStart::Previous;
        let is_new = self.is_posed || goes_on || made_from.start == FrameStart::Previous;
        let cage_moved = made_from.cage != controls.cage;
        for (index, (plan_of_part, state)) in plan.parts().zip(&mut self.parts).enumerate() {
            let (of_part, before) = (controls.part(index), made_from.part(index));
            let is_left = left.has(index);
            // Transforms that are blended know nothing of where joints rest.
            state.rest_changed = (joints_moved && !is_left) || !before.rests_as(of_part);
            state.is_new = is_new || state.rest_changed || before != of_part;
            state.is_new |= is_left && cage_moved;
            if !state.rest_changed {
                continue;
            }
            let of = FitInput {
                plan: plan_of_part,
                part: &plan.character().parts[index],
                controls: of_part,
                skeleton,
                joint_offsets: &controls.joint_offsets,
                joints_rest: is_left || controls.joint_offsets == plan.joint_offsets(),
            };
            let fitted = rest_stage(&of, &mut state.fitted, &mut parts[index].rest);
            state.is_fitted = fitted.is_some();
        }
        for (group, state) in plan.groups().zip(&mut self.groups) {
            let mut members = group.members().iter().map(|member| &self.parts[member.part]);
            state.rest_changed = is_adjusted || members.clone().any(|part| part.rest_changed);
            state.is_new = state.rest_changed || members.any(|part| part.is_new);
            for member in group.members() {
                self.parts[member.part].is_new |= state.is_new;
            }
            if !state.rest_changed {
                continue;
            }
            let of = GroupFit { plan, group, controls, skeleton };
            let rest = |part: usize| &parts[part].rest[..];
            let centers = |part: usize| {
                let state = &self.parts[part];
                match state.fitted.as_ref().filter(|_| state.is_fitted) {
                    Some(fitted) => &fitted.centers[..],
                    None => &plan.part(part).centers[..],
                }
            };
            state.is_fitted = fit_group(&of, &mut state.fitted, rest, centers).is_some();
        }
        *made_by = plan.id;
        made_from.clone_from(controls);
        if let Some(bound) = plan.cage() {
            bound.follow(plan.character(), given, &mut self.cage, &mut self.frame);
        }
    }

    /// True if the joints are not where they were under the controls before.
    pub fn is_posed(&self) -> bool {
        self.is_posed
    }

    /// True if a frame may go on from the one before ([`FrameStart::Previous`]): it was by the same
    /// plan with the same settings.
    pub fn has_previous(&self) -> bool {
        self.has_previous
    }

    /// The joints at rest.
    pub fn skeleton(&self) -> &Skeleton {
        &self.frame.skeleton
    }

    /// What each joint does to the skin.
    pub fn palette(&self) -> &Palette {
        &self.frame.palette
    }

    /// Where the cage follows the skin to; empty without a cage.
    pub fn posed_cage(&self) -> &[DVec3] {
        &self.frame.posed_cage
    }

    /// The controls that were followed last, after the drivers.
    pub fn controls(&self) -> &Controls {
        &self.frame.made_from
    }

    /// The springs of some meshes ([`Plan::groups`]).
    ///
    /// # Panics
    /// If there are no such springs, or the plan is another one.
    pub fn group<'a>(&'a self, plan: &'a Plan, group: usize) -> PreparedGroup<'a> {
        assert_eq!(plan.id, self.frame.made_by, "the plan that was followed last");
        let state = &self.groups[group];
        let fitted = state.fitted.as_ref().filter(|_| state.is_fitted);
        PreparedGroup {
            rig: fitted.map_or(plan.group(group).rig(), |fitted| &fitted.rig),
            rest_changed: state.rest_changed,
            is_new: state.is_new,
        }
    }

    /// A mesh.
    ///
    /// # Panics
    /// If there is no such mesh, or the plan is another one.
    pub fn part<'a>(&'a self, plan: &'a Plan, part: usize) -> PreparedPart<'a> {
        assert_eq!(plan.id, self.frame.made_by, "the plan that was followed last");
        let (of_plan, state) = (plan.part(part), &self.parts[part]);
        let fitted = state.fitted.as_ref().filter(|_| state.is_fitted);
        let (mover, vertex_skin, rest_normals) = match fitted {
            Some(fitted) => {
                (&fitted.mover, fitted.vertex_skin.as_deref(), fitted.normals.of_vertices())
            }
            None => {
                let mesh = &plan.character().parts[part].mesh;
                let normals = if of_plan.normals.are_files() { mesh.vertex_normals() } else { &[] };
                (&of_plan.mover, of_plan.normals.vertex_skin(), normals)
            }
        };
        PreparedPart {
            mover,
            vertex_skin,
            rest: &self.frame.parts[part].rest,
            rest_normals,
            rest_changed: state.rest_changed,
            is_new: state.is_new,
        }
    }

    /// The frame of the last controls, but for points and normals: [`Frame::fill_part`] brings
    /// those, and [`Self::fill_rests`] the rest of meshes whose cage is left to a device, which is
    /// empty until then. [`Plan::run`] takes none of it for its own.
    pub fn frame(&self) -> Frame {
        let mut frame = Frame { parts: Vec::new(), ..self.frame.clone() };
        self.begin(&mut frame);
        frame
    }

    /// [`Self::frame`] in memory that is there already.
    pub fn begin(&self, frame: &mut Frame) {
        let Frame { made_from, skeleton, palette, parts, rest_cage, posed_cage, .. } = &self.frame;
        frame.rest_cage.clone_from(rest_cage);
        frame.posed_cage.clone_from(posed_cage);
        frame.made_by = [0; 2];
        frame.made_from.clone_from(made_from);
        frame.skeleton.clone_from(skeleton);
        frame.palette.clone_from(palette);
        frame.parts.resize_with(parts.len(), Default::default);
        for (out, part) in frame.parts.iter_mut().zip(parts) {
            out.rest = Arc::clone(&part.rest);
            out.springs = None;
        }
        if let Some((cage, _)) = &self.left.of
            && cage.has_moved(made_from)
        {
            for (index, out) in frame.parts.iter_mut().enumerate() {
                if self.left.has(index) {
                    out.rest = Arc::default();
                }
            }
        }
    }

    /// The rest that the cage gives to meshes where that is left to a device: as [`Plan::run`] has
    /// it, for who reads a frame back. A pass over all points.
    pub fn fill_rests(&self, frame: &mut Frame) {
        let Some((cage, character)) = &self.left.of else { return };
        if !cage.has_moved(&self.frame.made_from) {
            return;
        }
        for (index, out) in frame.parts.iter_mut().enumerate() {
            if self.left.has(index) {
                let of_part = &character.parts[index];
                let rest = writable(&mut out.rest, of_part.mesh.points().len());
                cage.rest_of(index, of_part, &self.frame.made_from, rest);
            }
        }
    }
}
