//! What follows a rest shape or settings that changed, without binding: all that is linear in the
//! number of points.
//!
//! Topology, the order of the rows and which bone each point holds on to stay; so does the share of
//! the bone's length (`along`). Binding itself ends here, so that a refit to the rest that was
//! bound gives the same bits. Nothing is allocated.

use fearless_simd::dispatch;
use glam::{DVec3, Vec3};

use super::bind::{Extent, angle_between, bone_stiffness, stiffness_of};
use super::kernel::{LANES, NO_ANGLE, measure_rest};
use super::{MAX_STIFFNESS, NO_EDGE, PaperSprings};
use crate::skeleton::Skeleton;
use crate::springs::coefficients::{CoefficientError, Coefficients};

impl PaperSprings {
    /// Follows a rest that moved, with the same points and joints: places on bones, lengths,
    /// angles, `k` and scale vectors are the new rest's.
    ///
    /// # Panics
    /// If the points or the joints are not as many as were bound.
    pub(crate) fn refit(&mut self, positions: &[Vec3], skeleton: &Skeleton) {
        assert_eq!(skeleton.len(), self.bone_lengths.len(), "the bound skeleton's joints");
        self.fit(positions, |joint| skeleton.bind_bone(joint));
    }

    /// Follows other coefficients and another time step. What does not fit changes nothing.
    ///
    /// # Errors
    /// If a scale is no scale, a list is not of this mesh, or there is no such step.
    pub(crate) fn adjust(
        &mut self,
        coefficients: &Coefficients,
        step_seconds: f32,
    ) -> Result<(), CoefficientError> {
        if !(step_seconds > 0.0 && step_seconds <= 1.0) {
            return Err(CoefficientError::BadStep { seconds: step_seconds });
        }
        self.scales.update(coefficients, &self.edges, &self.joint_of_point)?;
        self.bone_scale = coefficients.bone;
        self.length_scale = coefficients.length;
        self.scalars.torque = coefficients.torque;
        self.scalars.edge = coefficients.edge;
        self.scalars.compressed = coefficients.compressed;
        self.scalars.step_seconds = step_seconds;
        self.stiffen();
        Ok(())
    }

    pub(super) fn fit(&mut self, positions: &[Vec3], bone: impl Fn(u32) -> [DVec3; 2]) {
        assert_eq!(positions.len(), self.row_of_point.len(), "the bound mesh's points");
        for (joint, length) in (0..).zip(&mut self.bone_lengths) {
            let [head, tail] = bone(joint);
            *length = head.distance(tail);
        }
        for held in &mut self.attachments {
            let [head, tail] = bone(held.joint);
            held.place = head + (tail - head) * held.along;
        }
        for (rest, point) in self.rest.iter_mut().zip(&self.point_of_row) {
            *rest = positions[point.unwrap_or(0) as usize];
        }
        self.extent = Extent::of(positions, self.attachments.iter().map(|held| held.place));
        self.scalars.max_step = self.extent.diagonal_in_units;
        for (k, edge) in self.edge_stiffness.iter_mut().zip(&self.edges) {
            *k = stiffness_of(edge, positions, &self.triangles) as f32;
        }
        for (row, held) in self.attachments.iter().enumerate() {
            let s = self.rest[row].as_dvec3() - held.place;
            let is_on_bone = self.extent.is_on_bone(s);
            let is_padding = self.point_of_row[row].is_none();
            self.is_on_bone[row] = is_on_bone;
            self.kappas[row] = match is_on_bone || is_padding {
                true => 0.0,
                false => bone_stiffness(angle_between(s, axis_of(bone(held.joint)))) as f32,
            };
        }
        self.stiffen();
        self.measure(bone);
    }

    /// Writes the stiffness of all springs.
    fn stiffen(&mut self) {
        let limited = |k: f32| k.min(MAX_STIFFNESS as f32);
        for (pair, edges) in self.pairs.iter_mut().zip(&self.edge_of_pair) {
            for (lane, edge) in edges.iter().enumerate() {
                if *edge == NO_EDGE {
                    continue;
                }
                let edge = *edge as usize;
                let k = self.edge_stiffness[edge];
                pair.torque_stiffness[lane] = limited(k * self.scales.torque_of_edge[edge]);
                pair.edge_stiffness[lane] = limited(k * self.scales.edge_of_edge[edge]);
            }
        }
        let (blocks, _) = self.point_of_row.as_chunks::<LANES>();
        for ((own, points), kappas) in
            self.points.iter_mut().zip(blocks).zip(self.kappas.chunks_exact(LANES))
        {
            for (lane, point) in points.iter().enumerate() {
                let Some(point) = point else { continue };
                let painted = self.scales.of_point[*point as usize];
                own.bone_stiffness[lane] = limited(kappas[lane] * painted * self.bone_scale);
                own.length_stiffness[lane] = limited(painted * self.length_scale);
            }
        }
    }

    /// Angles and lengths at rest, by the frame loop's own functions.
    fn measure(&mut self, bone: impl Fn(u32) -> [DVec3; 2]) {
        for ((state, rest), held) in self.state.iter_mut().zip(&self.rest).zip(&self.attachments) {
            state.set_position(self.extent.to_unit(*rest));
            state.set_attachment(self.extent.to_unit_f64(held.place));
        }
        for (index, (block, point)) in self.blocks.iter().zip(&mut self.points).enumerate() {
            let mut axes = [[0.0; LANES]; 3];
            let first_row = index * LANES;
            for (lane, held) in self.attachments[first_row..][..LANES].iter().enumerate() {
                let direction = axis_of(bone(held.joint)).as_vec3();
                for axis in 0..3 {
                    axes[axis][lane] = direction[axis];
                }
            }
            let pairs = &mut self.pairs[block.pairs.start as usize..block.pairs.end as usize];
            for pair in &mut *pairs {
                for lane in 0..LANES {
                    let is_none = self.is_on_bone[first_row + lane]
                        || self.is_on_bone[pair.row[lane] as usize];
                    pair.rest_angle[lane] = if is_none { NO_ANGLE } else { 0.0 };
                }
            }
            let state = &self.state;
            dispatch!(self.level, simd => measure_rest(simd, state, index, &axes, (pairs, point)));
        }
    }
}

/// The direction of a bone, +Y for one without length: as [`Skeleton::bind_axis`].
pub(super) fn axis_of([head, tail]: [DVec3; 2]) -> DVec3 {
    (tail - head).try_normalize().unwrap_or(DVec3::Y)
}
