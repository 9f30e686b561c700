//! One frame of a character: the one way from controls to skin that every surface takes.
//!
//! A [`Rig`] says what was decided, a [`Plan`] is what can be found out beforehand, [`Controls`]
//! are what changes from frame to frame, and [`Plan::run`] makes a [`Frame`] of them: drivers →
//! rest → joints → skin → relax → follow → normals.
//!
//! ```
//! use std::sync::Arc;
//! use sinew::frame::{Controls, Plan, Rig};
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew::springs::SpringModel;
//!
//! let character = Arc::new(build(&SampleOptions::new(SampleKind::Cylinder))?);
//! let plan = Plan::bind(&character, &Rig::of_model(SpringModel::Anchored), &Silent)?;
//! let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
//!
//! let mut controls = Controls::rest(&character);
//! controls.pose.joints[1].twist_radians = 2.0;
//! plan.run(&controls, &mut scratch, &mut frame);
//! assert_eq!(frame.parts()[0].points().len(), character.num_points());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The rules, said once
//!
//! - **A mesh without weights** stays where the file puts it, as in every engine. Where no mesh has
//!   any, all follow the skeleton by distance: springs and bone-smooth attach each point to its
//!   nearest bone, and the other methods take that bone for its weight.
//! - **A mesh that cannot have what was asked gets less**, and [`Plan::notes`] says so: the others
//!   are none the worse for it.
//! - **Normals** are those of [`Normals`].
//! - **Springs** of the anchored model are one rig for all meshes ([`SpringGroup`]), since the
//!   shells of a character touch across meshes; a mesh that does not relax is held in it.
//! - **Figures** are against the rest under the same controls ([`PartFrame::rest`]).
//! - **Shapes**: a plan is bound at the rest of its base controls ([`Plan::bind_at`]). A frame at
//!   another rest is *refitted* from it: exactly for rigid, linear and dual quaternion skinning,
//!   nearly for the others (`docs/methods/refit.md` has the figures).

mod blend;
mod cage;
#[cfg(test)]
mod cage_bad_tests;
#[cfg(test)]
mod cage_bar_tests;
#[cfg(test)]
mod cage_parts_tests;
#[cfg(test)]
mod cage_tests;
mod controls;
mod normals;
mod part;
mod plan;
mod prepare;
mod relax;
mod rest;
mod rig;
mod run;
mod springs;
#[cfg(test)]
mod tests;

pub use blend::Apart;
pub use cage::{BoundCage, CAGE_LANES, CageRig, CageScratch, CageTables};
pub use controls::{Controls, ControlsError, FrameStart, PartControls};
pub use normals::NormalPlan;
pub use part::{Mover, PartPlan};
pub use plan::{Note, Plan, PlanError};
pub use prepare::{Prepared, PreparedGroup, PreparedPart};
pub use relax::Wishes;
pub use rig::{CREASE_DEGREES, Normals, PartRig, Rig, RigError, RigidPiece};
pub use run::Scratch;
pub use springs::{Member, SpringGroup, SpringSlice};

use std::sync::Arc;

use glam::{DVec3, Vec3};

use crate::mesh::Aabb;
use crate::skeleton::{Palette, Pose, Skeleton};
use crate::springs::SpringStats;

/// What [`Plan::run`] makes. Its buffers are used again for the next frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Which plan, and which of its revisions; 0 for none yet.
    made_by: [u64; 2],
    /// From which controls.
    made_from: Controls,
    skeleton: Skeleton,
    palette: Palette,
    parts: Vec<PartFrame>,
    /// Empty without a cage.
    rest_cage: Vec<DVec3>,
    posed_cage: Vec<DVec3>,
}

/// A mesh in a frame.
#[derive(Clone, Debug, Default)]
pub struct PartFrame {
    rest: Arc<Vec<Vec3>>,
    points: Arc<Vec<Vec3>>,
    normals: Arc<Vec<Vec3>>,
    springs: Option<SpringStats>,
}

impl Frame {
    /// The joints at rest under the frame's controls.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The controls that it was made from, after the drivers.
    pub fn controls(&self) -> &Controls {
        &self.made_from
    }

    /// How the joints stand, drivers included.
    pub fn pose(&self) -> &Pose {
        &self.made_from.pose
    }

    /// What each joint does to the skin.
    pub fn palette(&self) -> &Palette {
        &self.palette
    }

    /// Where the handles of the cage are at rest; empty without a cage.
    pub fn rest_cage(&self) -> &[DVec3] {
        &self.rest_cage
    }

    /// Where the cage follows the skin to, before springs; empty without a cage.
    pub fn posed_cage(&self) -> &[DVec3] {
        &self.posed_cage
    }

    /// One a mesh.
    pub fn parts(&self) -> &[PartFrame] {
        &self.parts
    }

    /// Fills in a mesh of a frame that was made elsewhere ([`Prepared::begin`]).
    ///
    /// # Panics
    /// If there is no such mesh.
    pub fn fill_part(
        &mut self,
        part: usize,
        [num_points, num_normals]: [usize; 2],
        springs: Option<SpringStats>,
        fill: impl FnOnce(&mut [Vec3], &mut [Vec3]),
    ) {
        let part = &mut self.parts[part];
        part.springs = springs;
        fill(writable(&mut part.points, num_points), writable(&mut part.normals, num_normals));
    }

    /// How the springs went: the worst over the meshes, `None` without springs.
    pub fn springs(&self) -> Option<SpringStats> {
        self.parts.iter().filter_map(|part| part.springs).reduce(SpringStats::worse)
    }

    /// The box around all points that are numbers.
    pub fn bounds(&self) -> Aabb {
        let points = self.parts.iter().flat_map(|part| part.points.iter().copied());
        Aabb::around(points.filter(|p| p.is_finite()))
    }

    /// The points of all meshes, one after the other.
    pub fn all_points(&self) -> Vec<Vec3> {
        self.parts.iter().flat_map(|part| part.points.iter().copied()).collect()
    }

    /// The points at rest of all meshes, one after the other.
    pub fn all_rest(&self) -> Vec<Vec3> {
        self.parts.iter().flat_map(|part| part.rest.iter().copied()).collect()
    }
}

impl PartFrame {
    /// Welded points at rest, under shapes and what else moves the rest.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Welded points, deformed.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Normals of the render vertices; empty if none were wanted.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// The points, to keep without a copy: the next frame then writes elsewhere.
    pub fn shared_points(&self) -> Arc<Vec<Vec3>> {
        Arc::clone(&self.points)
    }

    /// The normals, likewise.
    pub fn shared_normals(&self) -> Arc<Vec<Vec3>> {
        Arc::clone(&self.normals)
    }

    /// How its springs went.
    pub fn springs(&self) -> Option<SpringStats> {
        self.springs
    }
}

/// The buffer to write to: the same as before, or another of `len` entries where somebody kept it.
fn writable(buffer: &mut Arc<Vec<Vec3>>, len: usize) -> &mut Vec<Vec3> {
    if Arc::get_mut(buffer).is_none_or(|own| own.len() != len) {
        *buffer = Arc::new(vec![Vec3::ZERO; len]);
    }
    // Made just now, or found to be nobody else's: never a copy.
    Arc::make_mut(buffer)
}
