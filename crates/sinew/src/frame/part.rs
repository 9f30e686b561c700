//! One mesh of a plan: what moves it, and what it has in the place of what it cannot have.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use super::normals::{FileSurface, NormalPlan};
use super::plan::PlanError;
use super::rig::has_weights;
use super::springs::{SpringGroup, SpringSlice};
use super::{PartControls, Rig};
use crate::attach::nearest_joints;
use crate::mesh::Mesh;
use crate::progress::Progress;
use crate::skeleton::Skeleton;
use crate::skin::{BindError, Skin, SkinInput, SkinMethod, centers_of_displacements};
use crate::weights::SkinWeights;
use crate::{Character, Part};

/// A mesh, bound.
#[derive(Clone, Debug)]
pub struct PartPlan {
    /// What was bound: shapes and offsets.
    pub(super) base: PartControls,
    /// The points there.
    pub(super) rest: Arc<Vec<Vec3>>,
    /// What moves them.
    pub(super) mover: Mover,
    /// Centres of rotation, if the method has any.
    pub(super) centers: Vec<Vec3>,
    /// What each shape does to them.
    pub(super) shape_centers: Vec<Vec<Vec3>>,
    pub(super) normals: NormalPlan,
    /// Where a rest moves: the surface that normals turn with.
    file_surface: OnceLock<Arc<FileSurface>>,
    pub(super) notes: Vec<String>,
}

/// What moves a mesh.
#[derive(Clone, Debug)]
pub enum Mover {
    /// The mesh stays at rest.
    AtRest,
    /// A method.
    Skin(Box<Skin>),
    /// Springs, by themselves or with other meshes.
    Springs(SpringSlice),
}

impl Mover {
    /// True if all that it keeps of a rest is linear in the points: they are those of the rest, or
    /// of a skin that blends transforms.
    pub(super) fn is_linear_in_rest(&self) -> bool {
        match self {
            Self::AtRest => true,
            Self::Skin(skin) => skin.method() != SkinMethod::BoneSmooth,
            Self::Springs(_) => false,
        }
    }

    /// True if it needs the joints' turns, not their transforms alone.
    pub(super) fn needs_turns(&self) -> bool {
        match self {
            Self::AtRest => false,
            Self::Skin(skin) => skin.method().needs_turns(),
            Self::Springs(_) => true,
        }
    }
}

impl PartPlan {
    /// What moves it.
    pub fn mover(&self) -> &Mover {
        &self.mover
    }

    /// Where its normals come from.
    pub fn normals(&self) -> &NormalPlan {
        &self.normals
    }

    /// The points that were bound.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// The surface that normals turn with; found at binding where it is known that a rest moves.
    pub(super) fn file_surface(&self, mesh: &Mesh) -> Arc<FileSurface> {
        Arc::clone(self.file_surface.get_or_init(|| Arc::new(FileSurface::of(mesh))))
    }
}

/// A mesh that is to be bound.
pub(super) struct PartInput<'a> {
    pub(super) character: &'a Character,
    pub(super) part: usize,
    pub(super) rig: &'a Rig,
    pub(super) skeleton: &'a Skeleton,
}

impl PartInput<'_> {
    pub(super) fn part(&self) -> &Part {
        &self.character.parts[self.part]
    }
}

/// What is known of a mesh before anything is bound.
pub(super) struct PartStart<'a> {
    pub(super) rest: Vec<Vec3>,
    /// What moves it, if anything does.
    pub(super) weights: Option<std::borrow::Cow<'a, SkinWeights>>,
    pub(super) notes: Vec<String>,
}

impl<'a> PartStart<'a> {
    pub(super) fn of(input: &PartInput<'a>, base: &PartControls) -> Self {
        let part = input.part();
        let mut rest = vec![Vec3::ZERO; part.mesh.points().len()];
        super::rest::points_at(part, base, &mut rest);
        let mut notes = Vec::new();
        let weights = moving_weights(input, &rest, &mut notes);
        Self { rest, weights, notes }
    }
}

impl PartPlan {
    /// Binds what springs do not move, or takes the slice of those that do.
    pub(super) fn bind(
        input: &PartInput<'_>,
        base: &PartControls,
        (start, springs): (PartStart<'_>, Option<(SpringSlice, &SpringGroup)>),
        progress: &dyn Progress,
    ) -> Result<Self, PlanError> {
        let part = input.part();
        let PartStart { rest, weights, mut notes } = start;
        let mover = match springs {
            Some((slice, _)) => Mover::Springs(slice),
            None => bind_mover(input, &rest, weights.as_deref(), &mut notes, progress)?,
        };
        let normals = NormalPlan::bind(input, &mover, weights.as_deref(), &rest, progress)?;
        let mover = normals.with_normals(input, mover, weights.as_deref(), &rest, progress)?;
        let centers = match (&mover, springs) {
            (Mover::Skin(skin), _) => skin.centers().to_vec(),
            (Mover::Springs(slice), Some((_, group))) => {
                let of_group = group.rig.centers();
                let points = slice.first_point..slice.first_point + rest.len();
                of_group.get(points).unwrap_or_default().to_vec()
            }
            (Mover::AtRest | Mover::Springs(_), _) => Vec::new(),
        };
        let shape_centers = match weights.as_deref() {
            Some(weights) if !centers.is_empty() && !part.shapes.is_empty() => {
                let dense: Vec<Vec<Vec3>> = part.shapes.iter().map(|s| s.deltas.dense()).collect();
                let fields: Vec<&[Vec3]> = dense.iter().map(|deltas| &deltas[..]).collect();
                let skin = skin_input(input, &rest, &[], weights);
                centers_of_displacements(&skin, &fields, progress).map_err(cancelled_only)?
            }
            _ => Vec::new(),
        };
        let base = PartControls {
            shape_weights: base.shape_weights.clone(),
            rest_offsets: base.rest_offsets.clone(),
            center_offsets: base.center_offsets.clone(),
            ..PartControls::default()
        };
        let file_surface = OnceLock::new();
        let bound = Self {
            base,
            rest: Arc::new(rest),
            mover,
            centers,
            shape_centers,
            normals,
            file_surface,
            notes,
        };
        if bound.normals.are_files() && (input.rig.cage.is_some() || !part.shapes.is_empty()) {
            bound.file_surface(&part.mesh);
        }
        Ok(bound)
    }
}

impl PartPlan {
    /// The same with other weights, where nothing else is another; `changed` are the points whose
    /// rows are. `None` where that takes a bind.
    pub(super) fn with_rows(&self, input: &PartInput<'_>, changed: &[u32]) -> Option<Self> {
        let part = input.part();
        let (Mover::Skin(skin), Some(weights)) = (&self.mover, &part.weights) else { return None };
        // What another method stands in for says so, and may be had with these weights.
        if !self.notes.is_empty() || skin.method() != input.rig.first_stage() {
            return None;
        }
        let (normals, bound_normals) =
            self.normals.with_rows(input, weights, &self.rest, changed)?;
        let of_skin = skin_input(input, &self.rest, &bound_normals, weights);
        let mover = Mover::Skin(Box::new(skin.with_rows(&of_skin, changed)?));
        Some(Self { mover, normals, ..self.clone() })
    }
}

/// Binding a skin a second time cannot fail in another way.
pub(super) fn cancelled_only(_: BindError) -> PlanError {
    PlanError::Cancelled
}

pub(super) fn skin_input<'a>(
    input: &'a PartInput<'_>,
    positions: &'a [Vec3],
    normals: &'a [Vec3],
    weights: &'a SkinWeights,
) -> SkinInput<'a> {
    SkinInput {
        positions,
        normals,
        weights,
        triangles: input.part().mesh.point_triangles(),
        skeleton: input.skeleton,
    }
}

/// The weights that move a mesh: its own, or those of its nearest bones where no mesh has any.
fn moving_weights<'a>(
    input: &PartInput<'a>,
    rest: &[Vec3],
    notes: &mut Vec<String>,
) -> Option<std::borrow::Cow<'a, SkinWeights>> {
    use std::borrow::Cow;
    let character = input.character;
    let part = &character.parts[input.part];
    let name = part.mesh.name();
    match &part.weights {
        Some(weights) => Some(Cow::Borrowed(weights)),
        None if character.skeleton.is_empty() => None,
        None if has_weights(character) => {
            let asked = input.rig.part(input.part).and_then(|own| own.relaxes) == Some(true);
            let why = if asked { ", and springs have nothing to hold it by" } else { "" };
            notes.push(format!(
                "mesh '{name}' has no weights{why}: it stays where the file puts it; give it weights to move it"
            ));
            None
        }
        None => {
            notes.push(format!(
                "mesh '{name}' has no weights: each point follows its nearest bone; give it weights for more"
            ));
            Some(Cow::Owned(SkinWeights::rigid(&nearest_joints(rest, input.skeleton))))
        }
    }
}

fn bind_mover(
    input: &PartInput<'_>,
    rest: &[Vec3],
    weights: Option<&SkinWeights>,
    notes: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<Mover, PlanError> {
    let Some(weights) = weights else { return Ok(Mover::AtRest) };
    let part = input.part();
    let name = part.mesh.name();
    let method = input.rig.first_stage();
    let skin = skin_input(input, rest, &[], weights);
    let error = match Skin::bind(method, &skin, progress) {
        Ok(skin) => return Ok(Mover::Skin(Box::new(skin))),
        Err(BindError::Cancelled) => return Err(PlanError::Cancelled),
        Err(error) => error,
    };
    match Skin::bind(SkinMethod::Linear, &skin, progress) {
        Ok(skin) => {
            notes
                .push(format!("mesh '{name}' has linear skinning, not {}: {error}", method.name()));
            Ok(Mover::Skin(Box::new(skin)))
        }
        Err(BindError::Cancelled) => Err(PlanError::Cancelled),
        Err(error) => {
            notes.push(format!("mesh '{name}' stays at rest: {error}"));
            Ok(Mover::AtRest)
        }
    }
}
