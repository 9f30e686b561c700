//! What is edited: a character, how its skin is made, its shapes, and how it stands.
//!
//! Each layer is behind an `Arc`, so that a copy of a document costs a few pointers: undo keeps
//! copies, and a worker takes one with it. A layer's `Arc` *is* its revision: what has the same one
//! has not changed. [`Document::apply`] is the only way to change one. Camera, selection, tool and
//! time are not here: they are nobody's work.

use std::sync::Arc;

use glam::DVec3;
use sinew::frame::{Controls, Plan, Rig};
use sinew::posing::Hinges;
use sinew::skeleton::{JointPose, Pose};
use sinew::sketch::pose::PoseStroke;
use sinew::weights::layers::WeightLayers;
use sinew::{Character, Part};

use crate::cage_plan::CagePlan;
use crate::edit::{EditError, bytes_of_rig};
use crate::hinge_memory::HingeMemory;
use crate::motions::Motions;
use crate::name_ref::JointRef;
use crate::pose_strokes::PoseStrokes;
use crate::shapes::Shapes;
use crate::source::{Source, SourceError};
use crate::surface::{SurfaceEntry, SurfaceMemory, SurfaceStack};

/// A pose that was kept under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPose {
    /// Unique in the document, never empty.
    pub name: String,
    /// Of the document's skeleton.
    pub pose: Pose,
}

/// A character with everything that the user decided about it.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) source: Arc<Source>,
    /// As its file has it.
    pub(crate) base: Arc<Character>,
    /// With what edits have added.
    pub(crate) character: Arc<Character>,
    /// What its weights are seen through; empty while there are no layers.
    pub(crate) weight_layers: Arc<WeightLayers>,
    pub(crate) rig: Arc<Rig>,
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) pose: Arc<Pose>,
    /// Strokes that made the pose; settled if it is another one.
    pub(crate) pose_strokes: Arc<PoseStrokes>,
    pub(crate) stored_poses: Arc<Vec<StoredPose>>,
    pub(crate) motions: Arc<Motions>,
    /// Where the handles of the rig's cage are at rest; as in the rig if empty.
    pub(crate) rest_cage: Arc<Vec<DVec3>>,
    /// Found from the other layers.
    pub(crate) cage_plan: CagePlan,
    /// Of named controls, in the order of the character's.
    pub(crate) values: Arc<Vec<f64>>,
    pub(crate) surface: Arc<SurfaceStack>,
    /// Found from the other layers.
    pub(crate) surface_memory: SurfaceMemory,
    /// Found from the character.
    pub(crate) hinge_memory: HingeMemory,
}

impl PartialEq for Document {
    /// What two copies share is the same without a look at it: this is asked at the end of every
    /// drag.
    fn eq(&self, other: &Self) -> bool {
        fn is_same<T: PartialEq>(a: &Arc<T>, b: &Arc<T>) -> bool {
            Arc::ptr_eq(a, b) || a == b
        }
        is_same(&self.pose, &other.pose)
            && is_same(&self.shapes, &other.shapes)
            && is_same(&self.rest_cage, &other.rest_cage)
            && is_same(&self.rig, &other.rig)
            && self.has_same_strokes(other)
            && is_same(&self.stored_poses, &other.stored_poses)
            && is_same(&self.motions, &other.motions)
            && is_same(&self.values, &other.values)
            && is_same(&self.weight_layers, &other.weight_layers)
            && is_same(&self.surface, &other.surface)
            && is_same(&self.source, &other.source)
            && is_same(&self.character, &other.character)
    }
}

impl Document {
    /// A character as its source has it: at rest, with the default rig.
    pub fn open(source: Source, folder: Option<&std::path::Path>) -> Result<Self, SourceError> {
        let loaded = source.load(folder)?;
        let character = Arc::new(loaded.character);
        let rig = Rig { cage: loaded.cage, ..Rig::default() };
        let controls = character.drivers.controls.iter();
        Ok(Self {
            source: Arc::new(source),
            values: Arc::new(controls.map(|control| control.rest).collect()),
            rig: Arc::new(rig),
            shapes: Arc::new(Shapes::rest(&character)),
            pose: Arc::new(Pose::rest(&character.skeleton)),
            pose_strokes: Arc::default(),
            stored_poses: Arc::default(),
            rest_cage: Arc::default(),
            cage_plan: CagePlan::default(),
            weight_layers: Arc::default(),
            surface: Arc::default(),
            surface_memory: SurfaceMemory::default(),
            hinge_memory: HingeMemory::default(),
            motions: Arc::new(Motions::of_file(&character)),
            base: Arc::clone(&character),
            character,
        })
    }

    /// Where the character came from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// The layers of its weights over their base; empty while there are none.
    pub fn weight_layers(&self) -> &Arc<WeightLayers> {
        &self.weight_layers
    }

    /// How its skin is made.
    pub fn rig(&self) -> &Arc<Rig> {
        &self.rig
    }

    /// The weights of its shapes.
    pub fn shapes(&self) -> &Arc<Shapes> {
        &self.shapes
    }

    /// The character's pose.
    pub fn pose(&self) -> &Arc<Pose> {
        &self.pose
    }

    /// The strokes that are still in hand: the pose is what they made. None once it was changed in
    /// another way.
    pub fn live_strokes(&self) -> &[PoseStroke] {
        self.strokes_of(&self.pose)
    }

    /// The strokes in hand that made a pose: the document's own, or one of a motion's keys.
    pub fn strokes_of(&self, pose: &Arc<Pose>) -> &[PoseStroke] {
        match self.pose_strokes.are_live(pose) {
            true => self.pose_strokes.list(),
            false => &[],
        }
    }

    /// Which way its joints bend.
    pub(crate) fn hinges(&self) -> Arc<Hinges> {
        self.hinge_memory.of(&self.character)
    }

    /// Strokes that are settled are nothing any more.
    fn has_same_strokes(&self, other: &Self) -> bool {
        let (own, others) = (self.live_strokes(), other.live_strokes());
        Arc::ptr_eq(&self.pose_strokes, &other.pose_strokes)
            || own.is_empty() && others.is_empty()
            || self.pose_strokes.from == other.pose_strokes.from && own == others
    }

    /// Poses to come back to, in the order in which they were stored.
    pub fn stored_poses(&self) -> &[StoredPose] {
        &self.stored_poses
    }

    /// How it can move.
    pub fn motions(&self) -> &Arc<Motions> {
        &self.motions
    }

    /// Where the handles of the rig's cage are at rest; as in the rig if empty.
    pub fn rest_cage(&self) -> &Arc<Vec<DVec3>> {
        &self.rest_cage
    }

    /// The values of its named controls, in the order of the character's.
    pub fn values(&self) -> &Arc<Vec<f64>> {
        &self.values
    }

    /// The edits of its surface.
    pub fn surface(&self) -> &Arc<SurfaceStack> {
        &self.surface
    }

    /// What its frame is made from.
    pub fn controls(&self) -> Controls {
        let pose = Pose::clone(&self.pose);
        let controls = Controls::posed(&self.character, pose).with_shapes(self.shapes.weights());
        let controls = self.with_surface(controls, |entry| entry.weight);
        let cage = self.rest_cage.to_vec();
        Controls { values: Vec::clone(&self.values), cage, ..controls }
    }

    /// Controls with what the surface edits do; `weight` says how much of each is there.
    pub(crate) fn with_surface(
        &self,
        mut controls: Controls,
        weight: impl Fn(&SurfaceEntry) -> f32,
    ) -> Controls {
        if self.surface.entries.is_empty() {
            return controls;
        }
        let offsets = self.surface.rest_offsets(&self.character, weight);
        for (part, offsets) in controls.parts.iter_mut().zip(offsets) {
            part.rest_offsets = offsets;
        }
        controls
    }

    /// Its cage, bound to the character with the first stage of its skin alone; `None` without one.
    ///
    /// # Errors
    /// If it cannot be bound.
    pub fn bound_cage(&self) -> Result<Option<Arc<Plan>>, EditError> {
        self.cage_plan.of(self)
    }

    /// Where the handles of the cage are in a pose, as edits of the posed cage have it; `None`
    /// without a cage. An empty rest cage is the bound one.
    pub fn posed_cage(&self, pose: &Pose, rest_cage: &[DVec3]) -> Option<Vec<DVec3>> {
        let (pose, cage) = (pose.clone(), rest_cage.to_vec());
        let controls = Controls { pose, cage, ..self.controls() };
        self.cage_plan.posed_cage(self, &controls).ok().flatten()
    }

    /// How far the rest cage went for the last drag of the posed one, over that drag; `None` where
    /// a rest cage is not as it left it. Past [`sinew::cage::LARGE_GAIN`] the pose hardly allows
    /// the drag.
    pub fn cage_gain(&self, rest_cage: &[DVec3]) -> Option<f64> {
        self.cage_plan.gain(self, rest_cage)
    }

    /// Where the handles of the rest cage are with those that a motion moves where it has them
    /// ([`sinew::motion::MotionSample::cage_offsets`]); empty where that is as it was bound.
    pub fn cage_under(&self, offsets: &[Option<DVec3>]) -> Vec<DVec3> {
        let moved = crate::edit::with_offsets(self, &self.rest_cage, offsets);
        moved.unwrap_or_else(|| self.rest_cage.to_vec())
    }

    /// Takes a character that has more than the one before: new joints are at rest, new shapes and
    /// controls have their rest weights.
    pub(crate) fn put_character(&mut self, character: Character) {
        let num_joints = character.skeleton.len();
        if self.pose.joints.len() < num_joints {
            let grown = |pose: &Pose| {
                let mut pose = pose.clone();
                pose.joints.resize(num_joints, JointPose::REST);
                pose
            };
            self.pose = Arc::new(grown(&self.pose));
            if !self.stored_poses.is_empty() {
                let stored = self.stored_poses.iter();
                let stored = stored
                    .map(|s| StoredPose { name: s.name.clone(), pose: grown(&s.pose) })
                    .collect();
                self.stored_poses = Arc::new(stored);
            }
        }
        let rest = Shapes::rest(&character);
        let more = |(own, rest): (&Vec<f32>, &Vec<f32>)| own.len() < rest.len();
        if self.shapes.weights.iter().zip(&rest.weights).any(more) {
            let mut shapes = Shapes::clone(&self.shapes);
            for (own, rest) in shapes.weights.iter_mut().zip(&rest.weights) {
                own.extend_from_slice(rest.get(own.len()..).unwrap_or_default());
            }
            self.shapes = Arc::new(shapes);
        }
        let controls = &character.drivers.controls;
        let kept = |(index, control): (usize, &sinew::driver::Control)| {
            let [least, most] = control.range;
            let value = self.values.get(index).copied().unwrap_or(control.rest);
            value.max(least).min(most)
        };
        let values: Vec<f64> = controls.iter().enumerate().map(kept).collect();
        if values != *self.values {
            self.values = Arc::new(values);
        }
        self.character = Arc::new(character);
    }

    /// How edits and files name a joint.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn joint_ref(&self, joint: u32) -> JointRef {
        JointRef::of(&self.character.skeleton, joint)
    }

    /// Bytes that this copy holds and `other` does not.
    pub(crate) fn bytes_not_shared_with(&self, other: &Self) -> usize {
        fn of_layer<T>(own: &Arc<T>, other: &Arc<T>, bytes: impl FnOnce(&T) -> usize) -> usize {
            if Arc::ptr_eq(own, other) { 0 } else { bytes(own) }
        }
        let pose_bytes = |pose: &Pose| pose.joints.len() * size_of::<JointPose>();
        let of_stored = |stored: &StoredPose| stored.name.len() + pose_bytes(&stored.pose);
        size_of::<Self>()
            + of_layer(&self.source, &other.source, bytes_of_source)
            + of_layer(&self.character, &other.character, |own| {
                bytes_of_character(own, &other.character)
            })
            + of_layer(&self.weight_layers, &other.weight_layers, WeightLayers::bytes)
            + of_layer(&self.rig, &other.rig, bytes_of_rig)
            + of_layer(&self.shapes, &other.shapes, Shapes::bytes)
            + of_layer(&self.values, &other.values, |values| size_of_val(&values[..]))
            + of_layer(&self.pose, &other.pose, pose_bytes)
            + of_layer(&self.pose_strokes, &other.pose_strokes, PoseStrokes::bytes)
            + of_layer(&self.rest_cage, &other.rest_cage, |cage| size_of_val(&**cage))
            + of_layer(&self.stored_poses, &other.stored_poses, |all| {
                all.iter().map(of_stored).sum()
            })
            + of_layer(&self.surface, &other.surface, |own| {
                own.bytes_not_shared_with(&other.surface)
            })
            + of_layer(&self.motions, &other.motions, |own| {
                own.bytes_not_shared_with(&other.motions)
            })
    }
}

fn bytes_of_source(source: &Source) -> usize {
    match source {
        Source::Embedded { bytes, .. } => bytes.len(),
        Source::Sample(_) | Source::Linked { .. } => 0,
    }
}

/// What grows with its points and is not the other's too; the rest is little beside it.
fn bytes_of_character(character: &Character, other: &Character) -> usize {
    let of_part = |(index, part): (usize, &Part)| {
        let of_shapes: usize = part.shapes.iter().map(|shape| shape.deltas.bytes()).sum();
        let of_points = size_of_val(part.mesh.points());
        // A position, a normal, a place in a texture, and the point that it stands for.
        let of_vertices = part.mesh.num_vertices() * 9 * size_of::<f32>();
        let of_triangles = part.mesh.point_triangles().len() * 2 * size_of::<[u32; 3]>();
        let is_shared =
            other.parts.get(index).is_some_and(|other| part.mesh.is_shared_with(&other.mesh));
        let of_mesh = if is_shared { 0 } else { of_points + of_vertices + of_triangles };
        let of_weights =
            part.weights.as_ref().map_or(0, |weights| weights.rows().map(size_of_val).sum());
        of_mesh + of_shapes + of_weights
    };
    character.parts.iter().enumerate().map(of_part).sum()
}
