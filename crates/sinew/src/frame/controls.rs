//! What changes from frame to frame.

use glam::{DVec3, Vec3};

use crate::Character;
use crate::mesh::Mesh;
use crate::skeleton::Pose;
use crate::springs::{Hold, Pin, Region, ScaleEdit};

/// What a frame is made from, beside what was bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Controls {
    /// How far each joint has left its rest.
    pub pose: Pose,
    /// How far joints were moved at rest, in the space of the rest points; none if empty.
    pub joint_offsets: Vec<DVec3>,
    /// Where the handles of the rest cage are ([`super::CageRig`]); as it was bound if empty.
    pub cage: Vec<DVec3>,
    /// One a mesh; those past the end have nothing.
    pub parts: Vec<PartControls>,
    /// Of the character's named controls ([`crate::driver::Control`]), in their order; those past
    /// the end rest.
    pub values: Vec<f64>,
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
    /// How far centres of rotation were moved along; as the points if empty.
    pub center_offsets: Vec<Vec3>,
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

/// Why controls are not of a mesh, or mean nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlsError {
    /// A point that is not there.
    #[error(
        "mesh '{mesh}': {what} {index} is of point {point}, but there are only {num_points} points"
    )]
    NoPoint {
        /// The mesh's name.
        mesh: String,
        /// `pin` or `handle`.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The point that it names.
        point: u32,
        /// How many there are.
        num_points: usize,
    },
    /// A number that cannot be.
    #[error("mesh '{mesh}': the {field} of {what} {index} must be {must}")]
    BadValue {
        /// The mesh's name.
        mesh: String,
        /// `pin` or `handle`.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The property that has the bad value.
        field: &'static str,
        /// What it may be.
        must: &'static str,
    },
    /// A region, or offsets, of another mesh.
    #[error("mesh '{mesh}' has {expected} points, but its {what} {found}")]
    Count {
        /// The mesh's name.
        mesh: String,
        /// `region is of` or `rest offsets are`.
        what: &'static str,
        /// Its points.
        expected: usize,
        /// What was given.
        found: usize,
    },
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
        self.copy_but_rest(other);
        self.joint_offsets.clone_from(&other.joint_offsets);
        for (part, of_other) in self.parts.iter_mut().zip(&other.parts) {
            part.copy_rest(of_other);
        }
    }

    /// The same, but for offsets of the rest.
    pub(super) fn copy_but_rest(&mut self, other: &Self) {
        self.pose.joints.clone_from(&other.pose.joints);
        self.cage.clone_from(&other.cage);
        self.parts.resize_with(other.parts.len(), PartControls::default);
        for (part, of_other) in self.parts.iter_mut().zip(&other.parts) {
            part.copy_but_rest(of_other);
        }
        self.values.clone_from(&other.values);
        self.start = other.start;
        self.step_seconds = other.step_seconds;
    }

    /// What a mesh has.
    pub fn part(&self, part: usize) -> &PartControls {
        const NONE: &PartControls = &PartControls {
            shape_weights: Vec::new(),
            rest_offsets: Vec::new(),
            center_offsets: Vec::new(),
            pins: Vec::new(),
            edits: Vec::new(),
            region: None,
            swell: None,
        };
        self.parts.get(part).unwrap_or(NONE)
    }
}

impl PartControls {
    /// Refuses what is not of a mesh, and what means nothing: for who takes them from a file or a
    /// script. (A frame takes no harm of the latter, and leaves it out.)
    ///
    /// # Errors
    /// Says which pin or handle, and what it may be.
    pub fn check(&self, mesh: &Mesh) -> Result<(), ControlsError> {
        let num_points = mesh.points().len();
        let name = || mesh.name().to_owned();
        let offsets = (!self.rest_offsets.is_empty()).then_some(self.rest_offsets.len());
        let region = self.region.as_ref().map(Region::num_mesh_points);
        for (what, found) in [("rest offsets are", offsets), ("region is of", region)] {
            if let Some(found) = found.filter(|&found| found != num_points) {
                return Err(ControlsError::Count {
                    mesh: name(),
                    what,
                    expected: num_points,
                    found,
                });
            }
        }
        let is_scale = |value: f32| value.is_finite() && value >= 0.0;
        const SCALE: &str = "a number that is not negative";
        let of_pin = |pin: &Pin| {
            let is_soft_enough = match pin.hold {
                Hold::Exact => true,
                Hold::Soft { length, direction } => is_scale(length) && is_scale(direction),
            };
            let faults = [
                (!pin.position.is_finite(), "position", "three numbers"),
                (!is_soft_enough, "stiffness", SCALE),
            ];
            (pin.point, faults)
        };
        let of_handle = |edit: &ScaleEdit| {
            let has_direction = edit.direction.is_none() || edit.unit_direction().is_some();
            let faults = [
                (!is_scale(edit.length_factor), "length", SCALE),
                (!has_direction, "direction", "a vector that has one"),
            ];
            (edit.point, faults)
        };
        let pins = self.pins.iter().map(of_pin).enumerate().map(|pin| ("pin", pin));
        let handles = self.edits.iter().map(of_handle).enumerate().map(|edit| ("handle", edit));
        for (what, (index, (point, faults))) in pins.chain(handles) {
            if point as usize >= num_points {
                let mesh = name();
                return Err(ControlsError::NoPoint { mesh, what, index, point, num_points });
            }
            if let Some(&(_, field, must)) = faults.iter().find(|(is_fault, ..)| *is_fault) {
                return Err(ControlsError::BadValue { mesh: name(), what, index, field, must });
            }
        }
        Ok(())
    }

    fn copy_but_rest(&mut self, other: &Self) {
        self.shape_weights.clone_from(&other.shape_weights);
        self.pins.clone_from(&other.pins);
        self.edits.clone_from(&other.edits);
        if self.region != other.region {
            self.region.clone_from(&other.region);
        }
        self.swell = other.swell;
    }

    /// How far centres of rotation were moved.
    pub(super) fn offsets_of_centers(&self) -> &[Vec3] {
        match self.center_offsets.is_empty() {
            true => &self.rest_offsets,
            false => &self.center_offsets,
        }
    }

    /// Puts the points at rest where `other` has them.
    pub(super) fn copy_rest(&mut self, other: &Self) {
        self.shape_weights.clone_from(&other.shape_weights);
        self.copy_offsets(other);
    }

    /// The same offsets of the rest.
    pub(super) fn copy_offsets(&mut self, other: &Self) {
        self.rest_offsets.clone_from(&other.rest_offsets);
        self.center_offsets.clone_from(&other.center_offsets);
    }

    /// True if both put the points at rest in the same place.
    pub(super) fn rests_as(&self, other: &Self) -> bool {
        self.shape_weights == other.shape_weights
            && self.rest_offsets == other.rest_offsets
            && self.center_offsets == other.center_offsets
    }
}
