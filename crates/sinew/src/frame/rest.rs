//! The rest stage: where points and joints are before any joint turns.
//!
//! `M = M0 + Σ w_k·S_k + offsets`, and joints moved along. Everything here is linear in what moves
//! it.

use std::sync::Arc;

use glam::Vec3;

use super::part::{Mover, PartPlan};
use super::{PartControls, writable};
use crate::Part;
use crate::skeleton::Skeleton;
use crate::skin::SkinRest;

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
    /// The joints' offsets, and the plan's revision: live settings are the plan's.
    joint_offsets: Vec<glam::DVec3>,
    revision: [u64; 2],
    centers: Vec<Vec3>,
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
            revision: [0; 2],
            centers: plan.centers.clone(),
            spare: None,
            normals: super::normals::RestNormals::new(plan, part),
        }
    }

    /// Follows the rest, and the plan's live settings, if either is another one.
    fn follow(&mut self, of: &FitInput<'_>, rest: &[Vec3]) {
        let FitInput { plan, part, controls, skeleton, joint_offsets, revision, .. } = *of;
        let is_same_rest = self.revision != [0; 2]
            && self.controls.rests_as(controls)
            && self.joint_offsets == joint_offsets;
        let is_same_plan = self.revision == revision;
        if is_same_rest && is_same_plan {
            return;
        }
        if !is_same_plan
            && let (Mover::Springs(fitted), Mover::Springs(bound)) = (&mut self.mover, &plan.mover)
            // What the plan could be adjusted to, its copy can.
            && !matches!(fitted.adjust(bound.settings()), Ok(true))
        {
            fitted.clone_from(bound);
        }
        self.revision = revision;
        if is_same_rest && !matches!(self.mover, Mover::Springs(_)) {
            return;
        }
        self.normals.follow(part, rest);
        move_centers(plan, controls, &mut self.centers);
        match &mut self.mover {
            Mover::AtRest => {}
            Mover::Springs(springs) => springs.refit_with_centers(rest, &self.centers, skeleton),
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
    pub(super) revision: [u64; 2],
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
    for (center, &offset) in out.iter_mut().zip(&controls.rest_offsets) {
        *center += offset;
    }
    for (center, &offset) in out.iter_mut().zip(&plan.base.rest_offsets) {
        *center -= offset;
    }
}
