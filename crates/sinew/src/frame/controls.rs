//! What changes from frame to frame.

use glam::{DVec3, Vec3};

use crate::Character;
use crate::skeleton::Pose;
use crate::springs::{Pin, Region, ScaleEdit};

/// What a frame is made from, beside what was bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Controls {
    /// How far each joint has left its rest.
    pub pose: Pose,
    /// How far joints were moved at rest, in the space of the rest points; none if empty.
    pub joint_offsets: Vec<DVec3>,
    /// One a mesh; those past the end have nothing.
    pub parts: Vec<PartControls>,
    /// Where the springs' iterations begin.
    pub start: FrameStart,
    /// Seconds since the frame before: springs have mass, and swing. `None` is a frame by itself.
    pub step_seconds: Option<f32>,
}

/// What a mesh's frame is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartControls {
    /// Weights of its shapes; those past the end are zero.
    pub shape_weights: Vec<f32>,
    /// How far points were moved at rest, after the shapes; none if empty.
    pub rest_offsets: Vec<Vec3>,
    /// Points that springs hold.
    pub pins: Vec<Pin>,
    /// Handles whose scale vectors have another length.
    pub edits: Vec<ScaleEdit>,
    /// What springs may move; `None` is everything.
    pub region: Option<Region>,
    /// Springs: how much bent skin swells; `None` finds it.
    pub swell: Option<f32>,
}

/// What the iterations of springs begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameStart {
    /// The first stage: every frame by itself, so that frames can be made in any order.
    #[default]
    FirstStage,
    /// The frame before, if there is one: smoother and sooner at rest while something is dragged,
    /// but the result depends on what came before.
    Previous,
}

impl Controls {
    /// A character at rest, its shapes as the file has them.
    pub fn rest(character: &Character) -> Self {
        Self::posed(character, Pose::rest(&character.skeleton))
    }

    /// A character in a pose, its shapes as the file has them.
    pub fn posed(character: &Character, pose: Pose) -> Self {
        let weights = character.parts.iter().map(crate::Part::rest_shape_weights);
        let parts = weights
            .map(|shape_weights| PartControls { shape_weights, ..PartControls::default() })
            .collect();
        Self { pose, parts, ..Self::default() }
    }

    /// The same with other shapes: one list a mesh.
    #[must_use]
    pub fn with_shapes(mut self, weights: &[Vec<f32>]) -> Self {
        if self.parts.len() < weights.len() {
            self.parts.resize(weights.len(), PartControls::default());
        }
        for (part, weights) in self.parts.iter_mut().zip(weights) {
            part.shape_weights.clone_from(weights);
        }
        self
    }

    /// Becomes the same as `other`, in the memory that is there: a derived `clone_from` would
    /// allocate.
    pub(super) fn copy(&mut self, other: &Self) {
        self.pose.joints.clone_from(&other.pose.joints);
        self.joint_offsets.clone_from(&other.joint_offsets);
        self.parts.resize_with(other.parts.len(), PartControls::default);
        for (part, of_other) in self.parts.iter_mut().zip(&other.parts) {
            part.copy(of_other);
        }
        self.start = other.start;
        self.step_seconds = other.step_seconds;
    }

    /// What a mesh has.
    pub fn part(&self, part: usize) -> &PartControls {
        const NONE: &PartControls = &PartControls {
            shape_weights: Vec::new(),
            rest_offsets: Vec::new(),
            pins: Vec::new(),
            edits: Vec::new(),
            region: None,
            swell: None,
        };
        self.parts.get(part).unwrap_or(NONE)
    }
}

impl PartControls {
    fn copy(&mut self, other: &Self) {
        self.copy_rest(other);
        self.pins.clone_from(&other.pins);
        self.edits.clone_from(&other.edits);
        if self.region != other.region {
            self.region.clone_from(&other.region);
        }
        self.swell = other.swell;
    }

    /// Puts the points at rest where `other` has them.
    pub(super) fn copy_rest(&mut self, other: &Self) {
        self.shape_weights.clone_from(&other.shape_weights);
        self.rest_offsets.clone_from(&other.rest_offsets);
    }

    /// True if both put the points at rest in the same place.
    pub(super) fn rests_as(&self, other: &Self) -> bool {
        self.shape_weights == other.shape_weights && self.rest_offsets == other.rest_offsets
    }
}
