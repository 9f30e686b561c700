//! The rest stage: where points and joints are before any joint turns.
//!
//! `M = M0 + Σ w_k·S_k + offsets`, and joints moved along. Everything here is linear in what moves
//! it.

use std::sync::Arc;

use glam::Vec3;

use super::part::{Mover, PartPlan};
use super::plan::Plan;
use super::springs::SpringGroup;
use super::{Controls, PartControls, writable};
use crate::Part;
use crate::skeleton::Skeleton;
use crate::skin::SkinRest;
use crate::springs::SpringRig;

/// A mesh's points at the rest that controls give it.
pub(super) fn points_at(part: &Part, controls: &PartControls, out: &mut [Vec3]) {
    part.shape_points(&controls.shape_weights, out);
    for (point, &offset) in out.iter_mut().zip(&controls.rest_offsets) {
        *point += offset;
    }
}

/// The rest stage of a mesh; what was fitted to it, if it is not the rest that was bound.
pub(super) fn rest_stage<'f>(
    of: &FitInput<'_>,
    fitted: &'f mut Option<Box<Fitted>>,
    rest: &mut Arc<Vec<Vec3>>,
) -> Option<&'f Fitted> {
    if of.joints_rest && of.plan.base.rests_as(of.controls) {
        if !Arc::ptr_eq(rest, &of.plan.rest) {
            let own = std::mem::replace(rest, Arc::clone(&of.plan.rest));
            if let Some(fitted) = fitted {
                fitted.spare = Some(own);
            }
        }
        return None;
    }
    let fitted = fitted.get_or_insert_with(|| Box::new(Fitted::new(of.plan, of.part)));
    if Arc::ptr_eq(rest, &of.plan.rest) {
        *rest = fitted.spare.take().unwrap_or_default();
    }
    let rest = writable(rest, of.part.mesh.points().len());
    points_at(of.part, of.controls, rest);
    fitted.follow(of, rest);
    Some(fitted)
}

/// What a mesh's frames keep of a rest that is not the one that was bound.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// The mover at that rest.
    pub(super) mover: Mover,
    /// Of the skin that moves normals alone, if there is one.
    pub(super) vertex_skin: Option<Box<crate::skin::Skin>>,
    /// The rest.
    controls: PartControls,
    joint_offsets: Vec<glam::DVec3>,
    has_followed: bool,
    pub(super) centers: Vec<Vec3>,
    /// A frame's own points at rest, while it has the plan's: so that coming and going allocates
    /// nothing.
    spare: Option<Arc<Vec<Vec3>>>,
    pub(super) normals: super::normals::RestNormals,
}

impl Fitted {
    pub(super) fn new(plan: &PartPlan, part: &Part) -> Self {
        Self {
            mover: plan.mover.clone(),
            vertex_skin: plan.normals.vertex_skin().cloned().map(Box::new),
            controls: PartControls::default(),
            joint_offsets: Vec::new(),
            has_followed: false,
            centers: plan.centers.clone(),
            spare: None,
            normals: super::normals::RestNormals::new(plan, part),
        }
    }

    /// Follows the rest, if it is another one.
    fn follow(&mut self, of: &FitInput<'_>, rest: &[Vec3]) {
        let FitInput { plan, part, controls, skeleton, joint_offsets, .. } = *of;
        let is_same_rest = self.has_followed
            && self.controls.rests_as(controls)
            && self.joint_offsets == joint_offsets;
        if is_same_rest {
            return;
        }
        self.has_followed = true;
        self.normals.follow(part, rest);
        move_centers(plan, controls, &mut self.centers);
        match &mut self.mover {
            // Springs are fitted with the other meshes that they move.
            Mover::AtRest | Mover::Springs(_) => {}
            Mover::Skin(skin) => {
                let normals = if skin.has_normals() { self.normals.of_vertices() } else { &[] };
                let centers = &self.centers[..];
                skin.refit(&SkinRest { positions: rest, normals, centers, skeleton });
            }
        }
        if let Some(skin) = &mut self.vertex_skin {
            let positions = self.normals.vertex_positions();
            let normals = self.normals.of_vertices();
            skin.refit(&SkinRest { positions, normals, centers: positions, skeleton });
        }
        self.controls.copy_rest(controls);
        self.joint_offsets.clear();
        self.joint_offsets.extend_from_slice(joint_offsets);
    }
}

/// What the frames of a group of springs keep of a rest that is not the one that was bound.
#[derive(Clone, Debug)]
pub(super) struct FittedGroup {
    /// The springs at that rest.
    pub(super) rig: SpringRig,
    /// The rest, one a member.
    controls: Vec<PartControls>,
    joint_offsets: Vec<glam::DVec3>,
    revision: [u64; 2],
    /// Of all members' points.
    rest: Vec<Vec3>,
    centers: Vec<Vec3>,
}

/// What a group is fitted from.
#[derive(Clone, Copy)]
pub(super) struct GroupFit<'a> {
    pub(super) plan: &'a Plan,
    pub(super) group: &'a SpringGroup,
    pub(super) controls: &'a Controls,
    pub(super) skeleton: &'a Skeleton,
}

/// The springs of a group, if they are not at the rest that was bound. `rest` and `centers` are of
/// a mesh under the controls.
pub(super) fn fit_group<'f, 'r>(
    of: &GroupFit<'_>,
    fitted: &'f mut Option<Box<FittedGroup>>,
    rest: impl Fn(usize) -> &'r [Vec3],
    centers: impl Fn(usize) -> &'r [Vec3],
) -> Option<&'f FittedGroup> {
    let GroupFit { plan, group, controls, .. } = *of;
    let joints_rest = controls.joint_offsets == plan.joint_offsets();
    if joints_rest && group.rests_as(|part| &plan.part(part).base, controls) {
        return None;
    }
    let fitted = fitted.get_or_insert_with(|| {
        Box::new(FittedGroup {
            rig: group.rig.clone(),
            controls: vec![PartControls::default(); group.members.len()],
            joint_offsets: Vec::new(),
            revision: [0; 2],
            rest: Vec::with_capacity(group.num_points()),
            centers: Vec::with_capacity(group.rig.centers().len()),
        })
    });
    fitted.follow(of, rest, centers);
    Some(fitted)
}

impl FittedGroup {
    /// Follows the rest, and the plan's live settings, if either is another one.
    fn follow<'r>(
        &mut self,
        of: &GroupFit<'_>,
        rest: impl Fn(usize) -> &'r [Vec3],
        centers: impl Fn(usize) -> &'r [Vec3],
    ) {
        let GroupFit { plan, group, controls, skeleton } = *of;
        let mut members = group.members.iter().zip(&self.controls);
        let is_same_rest = self.revision != [0; 2]
            && members.all(|(member, own)| own.rests_as(controls.part(member.part)))
            && self.joint_offsets == controls.joint_offsets;
        let is_same_plan = self.revision == plan.revision();
        if is_same_rest && is_same_plan {
            return;
        }
        // What the plan could be adjusted to, its copy can.
        if !is_same_plan && !matches!(self.rig.adjust(group.rig.settings()), Ok(true)) {
            self.rig.clone_from(&group.rig);
        }
        self.revision = plan.revision();
        self.rest.clear();
        self.centers.clear();
        for member in &group.members {
            self.rest.extend_from_slice(rest(member.part));
            self.centers.extend_from_slice(centers(member.part));
        }
        self.rig.refit_with_centers(&self.rest, &self.centers, skeleton);
        for (member, own) in group.members.iter().zip(&mut self.controls) {
            own.copy_rest(controls.part(member.part));
        }
        self.joint_offsets.clear();
        self.joint_offsets.extend_from_slice(&controls.joint_offsets);
    }
}

/// What a fit is made from.
#[derive(Clone, Copy)]
pub(super) struct FitInput<'a> {
    pub(super) plan: &'a PartPlan,
    pub(super) part: &'a Part,
    pub(super) controls: &'a PartControls,
    pub(super) skeleton: &'a Skeleton,
    pub(super) joint_offsets: &'a [glam::DVec3],
    /// The joints are where they were bound.
    pub(super) joints_rest: bool,
}

/// Centres of rotation at a rest: linear in the shapes. What moves points one by one moves their
/// centres along.
fn move_centers(plan: &PartPlan, controls: &PartControls, out: &mut [Vec3]) {
    out.copy_from_slice(&plan.centers);
    let weight = |weights: &[f32], shape: usize| weights.get(shape).copied().unwrap_or(0.0);
    for (shape, of_shape) in plan.shape_centers.iter().enumerate() {
        let bound = weight(&plan.base.shape_weights, shape);
        let further = weight(&controls.shape_weights, shape) - bound;
        if further != 0.0 {
            for (center, &delta) in out.iter_mut().zip(of_shape) {
                *center += further * delta;
            }
        }
    }
    for (center, &offset) in out.iter_mut().zip(controls.offsets_of_centers()) {
        *center += offset;
    }
    for (center, &offset) in out.iter_mut().zip(plan.base.offsets_of_centers()) {
        *center -= offset;
    }
}
