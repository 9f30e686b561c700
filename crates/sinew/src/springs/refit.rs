//! Springs that are bound follow a rest that moves, and settings that only scale, without being
//! bound again.
//!
//! Which bone a point holds on to and how far along it, its shares of bones and turns, the order of
//! points and the coarse level's cells stay as they were bound; all lengths, areas, stiffnesses,
//! planes and volumes are found again. `docs/methods/refit.md` has how far that is from a bind.

use glam::{DVec3, Vec3};

use super::rig::Plan;
use super::{CoefficientError, SpringModel, SpringRig, SpringSettings};
use crate::mesh::Aabb;
use crate::skeleton::Skeleton;
use crate::skin::SkinRest;

impl SpringRig {
    /// Follows points at another rest, and bones that have moved with them
    /// ([`Skeleton::move_joints`]). Refitting to the rest that was bound gives what was bound, to
    /// the last bit. A scratch made before is still good; [`SpringDynamics`](super::SpringDynamics)
    /// are to be bound again. A first stage with centres of rotation keeps them where they are:
    /// [`Self::refit_with_centers`] moves them.
    ///
    /// # Panics
    /// If there is not one position a bound point, or the skeleton has another number of joints.
    pub fn refit(&mut self, positions: &[Vec3], skeleton: &Skeleton) {
        self.refit_with_centers(positions, &[], skeleton);
    }

    /// [`Self::refit`] where the first stage has centres of rotation, as [`SkinRest::centers`].
    ///
    /// # Panics
    /// As [`Self::refit`].
    pub fn refit_with_centers(
        &mut self,
        positions: &[Vec3],
        centers: &[Vec3],
        skeleton: &Skeleton,
    ) {
        assert_eq!(positions.len(), self.num_points, "one position a bound point");
        assert_eq!(skeleton.len(), self.num_joints, "the bound joints");
        if let Some(skin) = &mut self.skin {
            skin.refit(&SkinRest { positions, normals: &[], centers, skeleton });
        }
        match &mut self.plan {
            Plan::Anchored { layout, contacts, anchored, layers, riders, .. } => {
                let (distances, arms) = anchored.lengths_mut();
                let has_moved_bones = layout.refit(positions, skeleton, |point, fit| {
                    distances[point] = fit.attachment_distance;
                    arms[point] = fit.arm_length;
                });
                let point_of_slot = anchored.order().point_of_slot();
                contacts.refit(skeleton, |slot| {
                    let p = positions[point_of_slot[slot] as usize];
                    if p.is_finite() { p.as_dvec3() } else { DVec3::ZERO }
                });
                anchored.refit(positions, has_moved_bones);
                layers.refit(positions);
                riders.refit(positions);
            }
            Plan::Paper(paper) => paper.refit(positions, skeleton),
            Plan::DeltaMush(mush) => mush.refit(positions),
        }
        self.rest_bounds = Aabb::around(positions.iter().copied().filter(|p| p.is_finite()));
    }

    /// The centres of rotation of its first stage, one a point; empty where it has none.
    pub fn centers(&self) -> &[Vec3] {
        self.skin.as_ref().map_or(&[], |skin| skin.centers())
    }

    /// Takes other settings without binding, where it can: all coefficients with painted points and
    /// pairs, iterations, time step, threshold and `keep_volume`. True if the rig now is what
    /// binding with them would have given; false, and nothing done, if it takes a bind: another
    /// model, first stage, attachment or coarse start. Delta mush smooths its rest as often as
    /// there are iterations, which takes about three frames' time. Allocates nothing unless lists
    /// are longer than they were. [`SpringDynamics`](super::SpringDynamics) are to be bound again.
    ///
    /// # Errors
    /// If coefficients are not of this mesh; nothing is done then.
    pub fn adjust(&mut self, settings: &SpringSettings) -> Result<bool, CoefficientError> {
        let bound = &self.settings;
        let needs_bind = settings.model != bound.model
            || settings.first_stage != bound.first_stage
            || settings.attach != bound.attach
            || (settings.shells != bound.shells && settings.model == SpringModel::Anchored)
            || settings.coarse_start != bound.coarse_start;
        if needs_bind {
            return Ok(false);
        }
        let has_other_coefficients = settings.coefficients != bound.coefficients;
        match &mut self.plan {
            Plan::Anchored { layout, anchored, .. } => {
                if has_other_coefficients {
                    anchored.adjust(&settings.coefficients)?;
                }
                layout.keep_volume = f64::from(settings.keep_volume);
            }
            Plan::Paper(paper) => {
                if has_other_coefficients || settings.step_seconds != bound.step_seconds {
                    paper.adjust(&settings.coefficients, settings.step_seconds)?;
                }
            }
            // It has no coefficients.
            Plan::DeltaMush(mush) => {
                if settings.iterations != bound.iterations {
                    mush.set_iterations(settings.iterations);
                }
            }
        }
        let own = &mut self.settings.coefficients;
        let (mut of_point, mut of_pair) =
            (std::mem::take(&mut own.of_point), std::mem::take(&mut own.of_pair));
        of_point.clone_from(&settings.coefficients.of_point);
        of_pair.clone_from(&settings.coefficients.of_pair);
        *own = super::Coefficients { of_point, of_pair, ..settings.coefficients };
        self.settings.iterations = settings.iterations;
        self.settings.step_seconds = settings.step_seconds;
        self.settings.threshold = settings.threshold;
        self.settings.keep_volume = settings.keep_volume;
        self.settings.shells = settings.shells;
        Ok(true)
    }
}
