//! The published springs on a rest that has moved, or with other coefficients: bound again where the points are attached already.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::{PaperInput, PaperSprings};
use crate::attach::{Attachment, place_on_bone};
use crate::mesh::Adjacency;
use crate::skeleton::Skeleton;
use crate::springs::{CoefficientError, Coefficients};

/// What was bound.
#[derive(Clone, Debug)]
pub(crate) struct PaperSource {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub adjacency: Adjacency,
    pub attachments: Vec<Attachment>,
    pub order: Vec<u32>,
    pub coefficients: Coefficients,
    pub skeleton: Skeleton,
}

impl PaperSource {
    fn bind(self) -> Result<PaperSprings, CoefficientError> {
        let place = |a: &Attachment| place_on_bone(self.skeleton.bind_bone(a.joint), a.along);
        let axis = |joint| self.skeleton.bind_axis(joint);
        let mut bound = PaperSprings::bind(&PaperInput {
            positions: &self.positions,
            triangles: &self.triangles,
            adjacency: &self.adjacency,
            joint_of_point: &self.attachments.iter().map(|a| a.joint).collect::<Vec<_>>(),
            attachments: &self.attachments.iter().map(place).collect::<Vec<DVec3>>(),
            bone_directions: &(0..self.skeleton.len() as u32).map(axis).collect::<Vec<_>>(),
            coefficients: &self.coefficients,
            order: &self.order,
        })?;
        bound.source = Some(Arc::new(self));
        Ok(bound)
    }
}

impl PaperSprings {
    /// Follows points, and bones, at another rest; each point stays as far along its bone as it was.
    pub(crate) fn refit(&mut self, positions: &[Vec3], skeleton: &Skeleton) {
        let Some(source) = &self.source else { return };
        let (positions, skeleton) = (positions.to_vec(), skeleton.clone());
        // The same coefficients were good before.
        if let Ok(bound) = (PaperSource { positions, skeleton, ..(**source).clone() }).bind() {
            *self = bound;
        }
    }

    /// Takes other coefficients, or says what is wrong with them and takes none.
    pub(crate) fn adjust(&mut self, coefficients: &Coefficients) -> Result<(), CoefficientError> {
        let Some(source) = &self.source else { return Ok(()) };
        let coefficients = coefficients.clone();
        *self = PaperSource { coefficients, ..(**source).clone() }.bind()?;
        Ok(())
    }
}
