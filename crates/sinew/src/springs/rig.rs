//! A mesh bound to a skeleton by springs: the one type that all surfaces use, whatever the model.

use glam::Vec3;

use super::anchored::{
    Anchored, AnchoredBindError, AnchoredFrame, AnchoredInput, AnchoredScratch, Gains,
};
use super::stage::Stage;
use super::{SpringFrame, SpringModel, SpringSettings, SpringStats, Start};
use crate::attach::ShareError;
use crate::character::Character;
use crate::mesh::Adjacency;
use crate::progress::Progress;
use crate::skeleton::Skeleton;
use crate::skin::bone_smooth::{Layout, Order};
use crate::skin::{BindError, BoneSmoothRig, Skin, SkinInput, SkinMethod};
use crate::weights::SkinWeights;

/// What springs are bound to.
#[derive(Clone, Copy, Debug)]
pub struct SpringInput<'a> {
    /// Welded rest points in model space.
    pub positions: &'a [Vec3],
    /// The surface between them.
    pub triangles: &'a [[u32; 3]],
    /// Which joints move a point. Without them distance alone says what a point attaches to, and only rigs whose first
    /// stage is bone-smooth can be bound.
    pub weights: Option<&'a SkinWeights>,
    /// The bones.
    pub skeleton: &'a Skeleton,
}

impl<'a> SpringInput<'a> {
    /// A part of a character.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn of(character: &'a Character, part: usize) -> Self {
        let part = &character.parts[part];
        Self {
            positions: part.mesh.points(),
            triangles: part.mesh.point_triangles(),
            weights: part.weights.as_ref(),
            skeleton: &character.skeleton,
        }
    }
}

/// Why springs could not be bound.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpringBindError {
    /// No bone to hold on to.
    #[error(
        "there is no joint, and so no bone for the skin to hold on to; springs need a skeleton"
    )]
    NoJoints,
    /// The first stage blends weights, and there are none.
    #[error("the mesh has no weights, which {} skinning needs; start from bone-smooth, or add weights", first_stage.name())]
    NoWeights {
        /// The first stage asked for.
        first_stage: SkinMethod,
    },
    /// The first stage could not be bound, or the arrays are not of one mesh.
    #[error(transparent)]
    Skin(BindError),
    /// Coefficients that are not of this mesh.
    #[error(transparent)]
    Coefficients(AnchoredBindError),
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<BindError> for SpringBindError {
    fn from(error: BindError) -> Self {
        match error {
            BindError::Cancelled => Self::Cancelled,
            error => Self::Skin(error),
        }
    }
}

impl From<ShareError> for SpringBindError {
    fn from(error: ShareError) -> Self {
        BindError::from(error).into()
    }
}

/// Springs, bound: immutable and shareable.
#[derive(Clone, Debug)]
pub struct SpringRig {
    settings: SpringSettings,
    num_points: usize,
    num_joints: usize,
    /// What the iterations start from, where that is not the model's own first stage.
    start: Option<Skin>,
    layout: Layout,
    anchored: Anchored,
}

/// Memory that frames use; one a thread that deforms.
#[derive(Clone, Debug)]
pub struct SpringScratch {
    stage: Stage,
    anchored: AnchoredScratch,
    start: Vec<Vec3>,
}

impl SpringRig {
    /// Binds a mesh to its skeleton.
    pub fn bind(
        input: &SpringInput<'_>,
        settings: &SpringSettings,
        progress: &dyn Progress,
    ) -> Result<Self, SpringBindError> {
        if input.skeleton.is_empty() {
            return Err(SpringBindError::NoJoints);
        }
        let start = match (settings.first_stage, input.weights) {
            (SkinMethod::BoneSmooth, _) => None,
            (first_stage, None) => return Err(SpringBindError::NoWeights { first_stage }),
            (first_stage, Some(weights)) => {
                let input = SkinInput {
                    positions: input.positions,
                    normals: &[],
                    weights,
                    triangles: input.triangles,
                    skeleton: input.skeleton,
                };
                Some(Skin::bind(first_stage, &input, progress)?)
            }
        };
        let bones = BoneSmoothRig::bind(
            input.positions,
            input.triangles,
            input.weights,
            input.skeleton,
            (&settings.attach, progress),
        )?;
        let adjacency = Adjacency::of_triangles(input.positions.len(), input.triangles);
        let anchored = bind_anchored(input, settings, &bones, &adjacency)?;
        let layout = Layout::new(&bones, Order::Of(anchored.order().point_of_slot()), &[]);
        Ok(Self {
            settings: settings.clone(),
            num_points: input.positions.len(),
            num_joints: input.skeleton.len(),
            start,
            layout,
            anchored,
        })
    }

    /// What it was bound with.
    pub fn settings(&self) -> &SpringSettings {
        &self.settings
    }

    /// The same rig with another number of iterations a frame.
    #[must_use]
    pub fn with_iterations(mut self, iterations: u32) -> Self {
        match self.settings.model {
            // Nothing that was bound depends on it.
            SpringModel::Anchored => self.settings.iterations = iterations,
        }
        self
    }

    /// Number of points.
    pub fn num_points(&self) -> usize {
        self.num_points
    }

    /// Memory for frames.
    pub fn scratch(&self) -> SpringScratch {
        SpringScratch {
            stage: Stage::new(self.anchored.order().num_slots()),
            anchored: self.anchored.scratch(),
            start: vec![Vec3::ZERO; if self.start.is_some() { self.num_points } else { 0 }],
        }
    }

    /// Relaxes a pose into `out`. Allocates nothing; large meshes use rayon's threads, and the bits are the same with any
    /// number of them.
    ///
    /// # Panics
    /// If the palette has too few joints, or the scratch, the start, a pin or `out` is not of this mesh.
    pub fn deform(
        &self,
        frame: &SpringFrame<'_>,
        scratch: &mut SpringScratch,
        out: &mut [Vec3],
    ) -> SpringStats {
        assert!(frame.palette.len() >= self.num_joints, "the palette has every joint");
        assert_eq!(out.len(), self.num_points, "one output a point");
        scratch.stage.update(&self.layout, frame.palette);
        let start = match (frame.start, &self.start) {
            (Start::FirstStage, Some(skin)) => {
                skin.deform(frame.palette, &mut scratch.start, &mut []);
                Start::Previous(&scratch.start)
            }
            (start, _) => start,
        };
        let frame = AnchoredFrame {
            stage: &scratch.stage,
            start,
            pins: frame.pins,
            iterations: self.settings.iterations,
            threshold: self.settings.threshold,
        };
        self.anchored.solve(&frame, &mut scratch.anchored, out)
    }
}

fn bind_anchored(
    input: &SpringInput<'_>,
    settings: &SpringSettings,
    bones: &BoneSmoothRig,
    adjacency: &Adjacency,
) -> Result<Anchored, SpringBindError> {
    match settings.model {
        SpringModel::Anchored => {}
    }
    let attachments = bones.attachments().of_point();
    let joint_of_point: Vec<u32> = attachments.iter().map(|a| a.joint).collect();
    let points = bones.points();
    let attachment_distance: Vec<f64> =
        points.iter().zip(attachments).map(|(p, a)| p.distance(a.place)).collect();
    let arm_length: Vec<f64> = points
        .iter()
        .enumerate()
        .map(|(point, p)| {
            let shares = bones.shares().bones(point).iter();
            p.distance(shares.map(|bone| bone.weight * bone.place).sum())
        })
        .collect();
    Anchored::bind(&AnchoredInput {
        positions: input.positions,
        triangles: input.triangles,
        adjacency,
        joint_of_point: &joint_of_point,
        attachment_distance: &attachment_distance,
        arm_length: &arm_length,
        coefficients: &settings.coefficients,
        gains: &Gains::default(),
    })
    .map_err(SpringBindError::Coefficients)
}
