//! A whole character, bound and posed: every mesh by one method, with springs on those that have them.
//!
//! ```
//! use sinew::deform::{BoundCharacter, Deformation};
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew::skeleton::{Palette, Pose};
//! use sinew::skin::SkinMethod;
//!
//! let character = build(&SampleOptions::new(SampleKind::Cylinder))?;
//! let bound = BoundCharacter::bind(&character, &Deformation::of(SkinMethod::DualQuat), &Silent)?;
//! let palette = Palette::new(&character.skeleton, &Pose::rest(&character.skeleton));
//! let (mut scratch, mut points) = (bound.scratch(), bound.rest_points());
//! bound.deform(&palette, &mut scratch, &mut points);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use glam::Vec3;

use crate::progress::Progress;
use crate::skeleton::Palette;
use crate::skin::{BindError, Skin, SkinInput, SkinMethod};
use crate::springs::{
    SpringBindError, SpringFrame, SpringInput, SpringRig, SpringScratch, SpringSettings,
    SpringStats,
};
use crate::{Character, Part};

/// How the meshes of a character are deformed.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformation {
    /// The whole of it, or what the springs start from.
    pub method: SkinMethod,
    /// Springs after it.
    pub relaxation: Option<Relaxation>,
}

/// Springs on some of the meshes.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxation {
    /// The springs.
    pub settings: SpringSettings,
    /// One a mesh; the others are deformed by the method alone.
    pub is_relaxed: Vec<bool>,
}

impl Deformation {
    /// A method without springs.
    pub fn of(method: SkinMethod) -> Self {
        Self { method, relaxation: None }
    }

    /// Springs, on every mesh of a character that joints can move, after their own first stage.
    pub fn relaxed(settings: SpringSettings, character: &Character) -> Self {
        let is_relaxed = vec![!character.skeleton.is_empty(); character.parts.len()];
        let method = settings.first_stage;
        Self { method, relaxation: Some(Relaxation { settings, is_relaxed }) }
    }

    /// The model's name, or `off`.
    pub fn springs_name(&self) -> &'static str {
        self.relaxation.as_ref().map_or("off", |relaxation| relaxation.settings.model.name())
    }

    /// For people: `linear`, or `bone-smooth + anchored springs`.
    pub fn label(&self) -> String {
        let method = self.method.name();
        match self.relaxation {
            None => method.to_owned(),
            Some(_) => format!("{method} + {} springs", self.springs_name()),
        }
    }
}

/// Why a character could not be bound.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeformBindError {
    /// By its method.
    #[error(transparent)]
    Skin(#[from] BindError),
    /// By its springs.
    #[error("mesh '{mesh}': {error}")]
    Springs {
        /// The mesh's name.
        mesh: String,
        /// What is wrong.
        error: SpringBindError,
    },
}

impl DeformBindError {
    /// True if the result was no longer wanted.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Skin(error) => matches!(error, BindError::Cancelled),
            Self::Springs { error, .. } => {
                matches!(
                    error,
                    SpringBindError::Cancelled | SpringBindError::Skin(BindError::Cancelled)
                )
            }
        }
    }
}

/// The welded points of every mesh, bound. A mesh that neither weights nor springs move stays where it rests.
#[derive(Debug)]
pub struct BoundCharacter {
    deformation: Deformation,
    parts: Vec<BoundPart>,
}

/// A mesh of a [`BoundCharacter`].
#[derive(Debug)]
pub struct BoundPart {
    /// The points that were bound: the mesh's, or those of its shapes.
    pub rest: Vec<Vec3>,
    /// What moves them.
    pub mover: Mover,
}

/// What moves a mesh.
#[derive(Debug)]
pub enum Mover {
    /// Nothing.
    AtRest,
    /// A method.
    Skin(Box<Skin>),
    /// Springs.
    Springs(Box<SpringRig>),
}

/// Memory for the frames of a [`BoundCharacter`].
#[derive(Debug)]
pub struct DeformScratch {
    of_part: Vec<Option<SpringScratch>>,
}

impl Mover {
    /// For a part of a character with its points at `rest`.
    fn bind(
        (character, index): (&Character, usize),
        deformation: &Deformation,
        rest: &[Vec3],
        progress: &dyn Progress,
    ) -> Result<Self, DeformBindError> {
        let part = &character.parts[index];
        let springs = deformation.relaxation.as_ref().filter(|r| r.is_relaxed[index]);
        Ok(match (springs, &part.weights) {
            (Some(relaxation), _) => {
                let input = SpringInput { positions: rest, ..SpringInput::of(character, index) };
                let mesh = || part.mesh.name().to_owned();
                let rig = SpringRig::bind(&input, &relaxation.settings, progress)
                    .map_err(|error| DeformBindError::Springs { mesh: mesh(), error })?;
                Self::Springs(Box::new(rig))
            }
            (None, None) => Self::AtRest,
            (None, Some(weights)) => {
                let input = SkinInput {
                    positions: rest,
                    normals: &[],
                    weights,
                    triangles: part.mesh.point_triangles(),
                    skeleton: &character.skeleton,
                };
                Self::Skin(Box::new(Skin::bind(deformation.method, &input, progress)?))
            }
        })
    }
}

impl BoundCharacter {
    /// Binds every mesh as it is in the file, without its shapes.
    pub fn bind(
        character: &Character,
        deformation: &Deformation,
        progress: &dyn Progress,
    ) -> Result<Self, DeformBindError> {
        Self::bind_rest(character, deformation, progress, |_, part| part.mesh.points().to_vec())
    }

    /// Binds every mesh with its shapes, with the weights of each mesh's.
    pub fn bind_shaped(
        character: &Character,
        deformation: &Deformation,
        weights: &[Vec<f32>],
        progress: &dyn Progress,
    ) -> Result<Self, DeformBindError> {
        let none = Vec::new();
        let weights = |index: usize| weights.get(index).unwrap_or(&none);
        Self::bind_rest(character, deformation, progress, |index, part| {
            part.shaped_points(weights(index))
        })
    }

    fn bind_rest(
        character: &Character,
        deformation: &Deformation,
        progress: &dyn Progress,
        rest_of: impl Fn(usize, &Part) -> Vec<Vec3>,
    ) -> Result<Self, DeformBindError> {
        let bind = |(index, part): (usize, &Part)| {
            let rest = rest_of(index, part);
            let mover = Mover::bind((character, index), deformation, &rest, progress)?;
            Ok(BoundPart { rest, mover })
        };
        let parts =
            character.parts.iter().enumerate().map(bind).collect::<Result<_, DeformBindError>>()?;
        Ok(Self { deformation: deformation.clone(), parts })
    }

    /// Puts shapes into the meshes, with the weights of each mesh's, and binds those anew that they change. `character` is the one
    /// that was bound.
    pub fn reshape(
        &mut self,
        character: &Character,
        weights: &[Vec<f32>],
        progress: &dyn Progress,
    ) -> Result<(), DeformBindError> {
        let parts = character.parts.iter().zip(&mut self.parts).zip(weights);
        for (index, ((part, bound), weights)) in parts.enumerate() {
            let rest = part.shaped_points(weights);
            if rest != bound.rest {
                let mover = Mover::bind((character, index), &self.deformation, &rest, progress)?;
                *bound = BoundPart { rest, mover };
            }
        }
        Ok(())
    }

    /// What it was bound with.
    pub fn deformation(&self) -> &Deformation {
        &self.deformation
    }

    /// One a mesh.
    pub fn parts(&self) -> &[BoundPart] {
        &self.parts
    }

    /// The points that were bound, of every mesh: what [`Self::deform`] writes over.
    pub fn rest_points(&self) -> Vec<Vec<Vec3>> {
        self.parts.iter().map(|part| part.rest.clone()).collect()
    }

    /// Memory for frames.
    pub fn scratch(&self) -> DeformScratch {
        let of_part = |part: &BoundPart| match &part.mover {
            Mover::Springs(rig) => Some(rig.scratch()),
            Mover::AtRest | Mover::Skin(_) => None,
        };
        DeformScratch { of_part: self.parts.iter().map(of_part).collect() }
    }

    /// Changes the springs' iterations a frame without binding anew. False, and nothing done, where binding depends on them.
    pub fn set_iterations(&mut self, iterations: u32) -> bool {
        let Some(relaxation) = &mut self.deformation.relaxation else { return false };
        for part in &mut self.parts {
            if let Mover::Springs(rig) = &mut part.mover
                && !rig.set_iterations(iterations)
            {
                return false;
            }
        }
        relaxation.settings.iterations = iterations;
        true
    }

    /// Poses every mesh into `points`, which are of [`Self::rest_points`]' lengths. How the springs went: the worst over the meshes,
    /// `None` without springs.
    ///
    /// # Panics
    /// If scratch or points are another character's.
    pub fn deform(
        &self,
        palette: &Palette,
        scratch: &mut DeformScratch,
        points: &mut [Vec<Vec3>],
    ) -> Option<SpringStats> {
        assert_eq!(self.parts.len(), points.len(), "points of every mesh");
        let mut worst: Option<SpringStats> = None;
        for ((part, scratch), points) in self.parts.iter().zip(&mut scratch.of_part).zip(points) {
            match (&part.mover, scratch) {
                (Mover::Skin(skin), _) => skin.deform(palette, points, &mut []),
                (Mover::Springs(rig), Some(scratch)) => {
                    let stats = rig.deform(&SpringFrame::new(palette), scratch, points);
                    worst = Some(worst.map_or(stats, |worst| worst.worse(stats)));
                }
                (Mover::AtRest | Mover::Springs(_), _) => points.copy_from_slice(&part.rest),
            }
        }
        worst
    }
}
