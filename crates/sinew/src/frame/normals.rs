//! The normals stage: where the normals of a mesh's render vertices come from, as bound.

use std::sync::Arc;

use glam::Vec3;

use super::part::{Mover, PartInput, PartPlan, cancelled_only, skin_input};
use super::plan::PlanError;
use super::rig::Normals;
use crate::Part;
use crate::mesh::{Mesh, SurfaceNormals};
use crate::progress::Progress;
use crate::skin::{Skin, SkinInput, SkinMethod};
use crate::weights::SkinWeights;

/// Where a mesh's normals come from, as bound.
#[derive(Clone, Debug)]
pub enum NormalPlan {
    /// Nobody wants any.
    Off,
    /// The skin moves them with the points: every point has one render vertex.
    WithPoints,
    /// A point at a seam has several: a skin of the render vertices moves them.
    Vertices(Box<Skin>),
    /// The file's, for a mesh that nothing moves.
    File,
    /// Of the posed surface.
    Surface(SurfaceNormals),
}

impl NormalPlan {
    pub(super) fn bind(
        input: &PartInput<'_>,
        mover: &Mover,
        weights: Option<&SkinWeights>,
        rest: &[Vec3],
        progress: &dyn Progress,
    ) -> Result<Self, PlanError> {
        let mesh = &input.part().mesh;
        let normals = input.rig.normals;
        let is_moved = match mover {
            Mover::AtRest => true,
            Mover::Springs(_) => false,
            Mover::Skin(skin) => skin.method() != SkinMethod::BoneSmooth,
        };
        let is_transformed = matches!(normals, Normals::Auto | Normals::Transformed)
            && is_moved
            && !mesh.vertex_normals().is_empty();
        Ok(match (mover, weights) {
            _ if normals == Normals::Off => Self::Off,
            _ if !is_transformed => Self::Surface(SurfaceNormals::bind(mesh, normals.creases())),
            (Mover::Skin(_), Some(_)) if has_one_vertex_a_point(mesh) => Self::WithPoints,
            (Mover::Skin(skin), Some(weights)) => {
                let weights = weights.select_rows(mesh.point_of_vertex());
                let mut positions = vec![Vec3::ZERO; mesh.num_vertices()];
                mesh.spread_to_vertices(rest, &mut positions);
                let normals = RestNormals::at(input.part(), rest);
                let input = SkinInput {
                    positions: &positions,
                    normals: &normals,
                    weights: &weights,
                    triangles: mesh.triangles(),
                    skeleton: input.skeleton,
                };
                let skin = Skin::bind(skin.method(), &input, progress).map_err(cancelled_only)?;
                Self::Vertices(Box::new(skin))
            }
            _ => Self::File,
        })
    }

    /// The mover, with normals bound to it where it moves them.
    pub(super) fn with_normals(
        &self,
        input: &PartInput<'_>,
        mover: Mover,
        weights: Option<&SkinWeights>,
        rest: &[Vec3],
        progress: &dyn Progress,
    ) -> Result<Mover, PlanError> {
        let (Self::WithPoints, Mover::Skin(skin), Some(weights)) = (self, &mover, weights) else {
            return Ok(mover);
        };
        let normals = RestNormals::at(input.part(), rest);
        let bound = skin_input(input, rest, &normals, weights);
        let skin = Skin::bind(skin.method(), &bound, progress).map_err(cancelled_only)?;
        Ok(Mover::Skin(Box::new(skin)))
    }

    /// The same with other weights of some points, and the normals that are bound to the mover.
    pub(super) fn with_rows(
        &self,
        input: &PartInput<'_>,
        weights: &SkinWeights,
        rest: &[Vec3],
        changed: &[u32],
    ) -> Option<(Self, Vec<Vec3>)> {
        let mesh = &input.part().mesh;
        Some(match self {
            Self::WithPoints => (Self::WithPoints, RestNormals::at(input.part(), rest)),
            Self::Vertices(skin) => {
                let mut is_changed = vec![false; rest.len()];
                changed.iter().for_each(|&point| is_changed[point as usize] = true);
                let of_vertex = (0u32..).zip(mesh.point_of_vertex());
                let changed: Vec<u32> = of_vertex
                    .filter(|(_, point)| is_changed[**point as usize])
                    .map(|(vertex, _)| vertex)
                    .collect();
                let weights = weights.select_rows(mesh.point_of_vertex());
                let mut positions = vec![Vec3::ZERO; mesh.num_vertices()];
                mesh.spread_to_vertices(rest, &mut positions);
                let normals = RestNormals::at(input.part(), rest);
                let input = SkinInput {
                    positions: &positions,
                    normals: &normals,
                    weights: &weights,
                    triangles: mesh.triangles(),
                    skeleton: input.skeleton,
                };
                let skin = skin.with_rows(&input, &changed)?;
                (Self::Vertices(Box::new(skin)), Vec::new())
            }
            Self::Off | Self::File | Self::Surface(_) => (self.clone(), Vec::new()),
        })
    }

    pub(super) fn vertex_skin(&self) -> Option<&Skin> {
        match self {
            Self::Vertices(skin) => Some(skin),
            Self::Off | Self::WithPoints | Self::File | Self::Surface(_) => None,
        }
    }

    /// True if they follow the file's own at rest.
    pub(super) fn are_files(&self) -> bool {
        match self {
            Self::WithPoints | Self::Vertices(_) | Self::File => true,
            Self::Off | Self::Surface(_) => false,
        }
    }
}

fn has_one_vertex_a_point(mesh: &Mesh) -> bool {
    let is_same = |(vertex, &point): (usize, &u32)| vertex == point as usize;
    mesh.num_vertices() == mesh.points().len()
        && mesh.point_of_vertex().iter().enumerate().all(is_same)
}

/// Of the file's surface, for normals that turn as it does: found once, where a rest moves.
#[derive(Clone, Debug)]
pub(super) struct FileSurface {
    /// One wedge a point.
    pub(super) points: SurfaceNormals,
    /// Their normals in the file's rest.
    pub(super) before: Vec<Vec3>,
}

impl FileSurface {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let points = SurfaceNormals::of_points(mesh);
        let mut before = vec![Vec3::ZERO; mesh.points().len()];
        points.compute(mesh.points(), &mut before);
        Self { points, before }
    }
}

/// The file's normals at a rest that moved: each turns as the surface at its point does.
#[derive(Clone, Debug, Default)]
pub(super) struct RestNormals {
    /// `None` where nobody needs normals at rest.
    surface: Option<Arc<FileSurface>>,
    after: Vec<Vec3>,
    of_vertices: Vec<Vec3>,
    vertex_positions: Vec<Vec3>,
}

impl RestNormals {
    pub(super) fn new(plan: &PartPlan, part: &Part) -> Self {
        if !plan.normals.are_files() {
            return Self::default();
        }
        let mesh = &part.mesh;
        let surface = plan.file_surface(mesh);
        let has_skin = plan.normals.vertex_skin().is_some();
        Self {
            after: surface.before.clone(),
            surface: Some(surface),
            of_vertices: mesh.vertex_normals().to_vec(),
            vertex_positions: vec![Vec3::ZERO; if has_skin { mesh.num_vertices() } else { 0 }],
        }
    }

    /// Once, at binding.
    fn at(part: &Part, rest: &[Vec3]) -> Vec<Vec3> {
        let mesh = &part.mesh;
        let mut of_vertices = mesh.vertex_normals().to_vec();
        if rest != mesh.points() {
            let surface = FileSurface::of(mesh);
            let mut after = surface.before.clone();
            surface.points.compute(rest, &mut after);
            mesh.turn_normals(&surface.before, &after, &mut of_vertices);
        }
        of_vertices
    }

    /// Follows a rest. Allocates nothing.
    pub(super) fn follow(&mut self, part: &Part, rest: &[Vec3]) {
        let Some(surface) = &self.surface else { return };
        surface.points.compute(rest, &mut self.after);
        self.of_vertices.copy_from_slice(part.mesh.vertex_normals());
        part.mesh.turn_normals(&surface.before, &self.after, &mut self.of_vertices);
        if !self.vertex_positions.is_empty() {
            part.mesh.spread_to_vertices(rest, &mut self.vertex_positions);
        }
    }

    /// One a render vertex; empty where nobody needs them.
    pub(super) fn of_vertices(&self) -> &[Vec3] {
        &self.of_vertices
    }

    /// One a render vertex; empty where no skin moves them.
    pub(super) fn vertex_positions(&self) -> &[Vec3] {
        &self.vertex_positions
    }
}
