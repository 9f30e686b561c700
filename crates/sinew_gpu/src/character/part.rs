//! A mesh of a character on the card: what moves it, and where its normals come from.

use std::sync::Arc;

use sinew::frame::{Mover, NormalPlan, Plan, PreparedPart};
use sinew::glam::Vec3;

use super::read::Reading;
use crate::cage::{CageMoves, CageRest, RestRows, TurningNormals};
use crate::mesh::GpuNormals;
use crate::skeleton::GpuPalette;
use crate::skin::{GpuSkin, rows_of};
use crate::{Gpu, GpuError};

#[derive(Debug)]
pub(super) struct Part {
    mover: PartMover,
    normals: PartNormals,
    /// What its cage does to it, where that is found here.
    cage: Option<PartCage>,
    num_points: usize,
    num_vertices: usize,
}

/// The rest of a mesh in a cage.
#[derive(Debug)]
struct PartCage {
    rest: CageRest,
    /// Of the file, which turn with it.
    normals: Option<TurningNormals>,
}

/// What a group has of a mesh ([`super::group::Group::of_part`]).
pub(super) type SpringBuffers<'a> = Option<(&'a wgpu::Buffer, Option<&'a wgpu::Buffer>)>;

/// The twin of [`Mover`].
#[derive(Debug)]
enum PartMover {
    AtRest(wgpu::Buffer),
    Skin(Box<GpuSkin>),
    /// A group moves it: its points are there, and how it went unless it is held.
    Springs {
        points: wgpu::Buffer,
        stats: Option<wgpu::Buffer>,
    },
}

/// The twin of [`NormalPlan`].
#[derive(Debug)]
enum PartNormals {
    /// One row that is no number, in whose stead pictures have the triangles' own; all vertices
    /// have it.
    Off {
        row: wgpu::Buffer,
        of_vertex: wgpu::Buffer,
    },
    WithPoints,
    Vertices(GpuSkin),
    File(wgpu::Buffer),
    Surface {
        normals: GpuNormals,
        of_vertex: wgpu::Buffer,
        wedge_of_vertex: Arc<[u32]>,
    },
}

impl Part {
    /// Uploads what was bound, fitted to a rest.
    pub(super) fn new(
        gpu: &Gpu,
        palette: &GpuPalette,
        plan: &Plan,
        part: usize,
        (prepared, springs): (&PreparedPart<'_>, SpringBuffers<'_>),
    ) -> Result<Self, GpuError> {
        let mesh = &plan.character().parts[part].mesh;
        let mover = match prepared.mover {
            Mover::AtRest => PartMover::AtRest(gpu.storage("points at rest", &points(prepared))?),
            Mover::Skin(skin) => PartMover::Skin(Box::new(GpuSkin::new(gpu, skin, palette)?)),
            Mover::Springs(_) => {
                let Some((points, stats)) = springs else { unreachable!("a group moves it") };
                PartMover::Springs { points: points.clone(), stats: stats.cloned() }
            }
        };
        let normals = match (plan.part(part).normals(), prepared.vertex_skin) {
            (NormalPlan::WithPoints, _) => PartNormals::WithPoints,
            (NormalPlan::Vertices(_), Some(skin)) => {
                PartNormals::Vertices(GpuSkin::new(gpu, skin, palette)?)
            }
            (NormalPlan::File, _) => {
                PartNormals::File(gpu.storage("normals of the file", &normals(prepared))?)
            }
            (NormalPlan::Surface(surface), _) => PartNormals::Surface {
                normals: GpuNormals::new(gpu, surface, mover.positions())?,
                of_vertex: gpu.storage("normals of vertices", surface.wedge_of_vertex())?,
                wedge_of_vertex: surface.wedge_of_vertex().into(),
            },
            (NormalPlan::Off | NormalPlan::Vertices(_), _) => PartNormals::Off {
                row: gpu.storage("no normals", &[[f32::NAN; 4]])?,
                of_vertex: gpu
                    .storage_of_size("normals of vertices", 4 * mesh.num_vertices() as u64)?,
            },
        };
        let (num_points, num_vertices) = (prepared.rest.len(), mesh.num_vertices());
        Ok(Self { mover, normals, cage: None, num_points, num_vertices })
    }

    /// From now on its cage moves its rest here.
    pub(super) fn put_in_cage(
        &mut self,
        gpu: &Gpu,
        plan: &Plan,
        part: usize,
        (prepared, moves): (&PreparedPart<'_>, &CageMoves),
    ) -> Result<(), GpuError> {
        let (Some(bound), Some(rows)) = (plan.cage(), self.mover.rest()) else { return Ok(()) };
        let Some(base) = base_rows(prepared) else { return Ok(()) };
        let mesh = &plan.character().parts[part].mesh;
        let turning = plan.part(part).turning_normals(mesh);
        let tables = bound.part_tables(part);
        let rest = CageRest::new(gpu, moves, &tables, (rows, &base), turning.is_some())?;
        let goes_to = match &self.normals {
            PartNormals::WithPoints => Some((rows.buffer, rows.stride, rows.stride - 1)),
            PartNormals::Vertices(skin) => {
                skin.rest().map(|rows| (rows.buffer, rows.stride, rows.stride - 1))
            }
            PartNormals::File(file) => Some((file, 1, 0)),
            PartNormals::Off { .. } | PartNormals::Surface { .. } => None,
        };
        let normals = match (&turning, goes_to) {
            (Some(turning), Some(out)) => {
                Some(TurningNormals::new(gpu, mesh, turning, rest.points(), out)?)
            }
            _ => None,
        };
        self.cage = Some(PartCage { rest, normals });
        Ok(())
    }

    /// The rest of its cage, before whatever reads it.
    pub(super) fn encode_rest(&self, pass: &mut wgpu::ComputePass<'_>) {
        let Some(cage) = &self.cage else { return };
        cage.rest.encode(pass);
        if let Some(normals) = &cage.normals {
            normals.encode(pass);
        }
    }

    /// Writes over what another rest, or another setting, has changed. False if that cannot be.
    pub(super) fn follow(&mut self, gpu: &Gpu, prepared: &PreparedPart<'_>) -> bool {
        // A cage's kernel writes the rest from its own copy.
        let in_cage =
            |cage: &PartCage| base_rows(prepared).is_some_and(|base| cage.rest.refill(gpu, &base));
        let is_moved = match (&mut self.mover, prepared.mover) {
            (PartMover::AtRest(rest), Mover::AtRest) => match &self.cage {
                Some(cage) => in_cage(cage),
                None => gpu.refill(rest, &points(prepared)),
            },
            (PartMover::Skin(on_card), Mover::Skin(skin)) => match &self.cage {
                Some(cage) => on_card.is_of(skin) && in_cage(cage),
                None => on_card.refit(skin),
            },
            // Its group follows.
            (PartMover::Springs { .. }, Mover::Springs(_)) => true,
            (PartMover::AtRest(_) | PartMover::Skin(_) | PartMover::Springs { .. }, _) => false,
        };
        is_moved
            && match (&self.normals, prepared.vertex_skin) {
                (PartNormals::Vertices(on_card), Some(skin)) => on_card.refit(skin),
                (PartNormals::Vertices(_), None) => false,
                (PartNormals::File(file), _) => gpu.refill(file, &normals(prepared)),
                // Of the posed surface, or of the points' own skin.
                (
                    PartNormals::Off { .. } | PartNormals::WithPoints | PartNormals::Surface { .. },
                    _,
                ) => true,
            }
    }

    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        match &self.mover {
            PartMover::AtRest(_) | PartMover::Springs { .. } => {}
            PartMover::Skin(skin) => skin.encode(pass),
        }
        match &self.normals {
            PartNormals::Off { .. } | PartNormals::WithPoints | PartNormals::File(_) => {}
            PartNormals::Vertices(skin) => skin.encode(pass),
            PartNormals::Surface { normals, .. } => normals.encode(pass),
        }
    }

    pub(super) fn positions(&self) -> &wgpu::Buffer {
        self.mover.positions()
    }

    pub(super) fn normals(&self) -> &wgpu::Buffer {
        match (&self.normals, &self.mover) {
            (PartNormals::Off { row, .. }, _) => row,
            (PartNormals::WithPoints, PartMover::Skin(skin)) => skin.normals(),
            (PartNormals::WithPoints, _) => unreachable!("only a skin moves normals with points"),
            (PartNormals::Vertices(skin), _) => skin.normals(),
            (PartNormals::File(file), _) => file,
            (PartNormals::Surface { normals, .. }, _) => normals.normals(),
        }
    }

    pub(super) fn normal_of_vertex(&self) -> Option<&wgpu::Buffer> {
        match &self.normals {
            PartNormals::Off { of_vertex, .. } | PartNormals::Surface { of_vertex, .. } => {
                Some(of_vertex)
            }
            PartNormals::WithPoints | PartNormals::Vertices(_) | PartNormals::File(_) => None,
        }
    }

    /// What is read back of it.
    pub(super) fn reading(&self) -> Reading<'_> {
        let (num_rows, num_normals, wedge_of_vertex) = match &self.normals {
            PartNormals::Off { .. } => (0, 0, None),
            PartNormals::WithPoints | PartNormals::Vertices(_) | PartNormals::File(_) => {
                (self.num_vertices, self.num_vertices, None)
            }
            PartNormals::Surface { normals, wedge_of_vertex, .. } => {
                (normals.num_wedges(), self.num_vertices, Some(Arc::clone(wedge_of_vertex)))
            }
        };
        Reading {
            positions: (self.positions(), self.num_points),
            normals: (self.normals(), num_rows),
            stats: match &self.mover {
                PartMover::Springs { stats, .. } => stats.as_ref(),
                PartMover::AtRest(_) | PartMover::Skin(_) => None,
            },
            num_normals,
            wedge_of_vertex,
        }
    }
}

impl PartMover {
    /// Where its rest is, if that is no more than points, centres and normals.
    fn rest(&self) -> Option<RestRows<'_>> {
        match self {
            Self::AtRest(buffer) => Some(RestRows { buffer, stride: 1, has_centers: false }),
            Self::Skin(skin) => skin.rest(),
            Self::Springs { .. } => None,
        }
    }

    fn positions(&self) -> &wgpu::Buffer {
        match self {
            Self::AtRest(rest) => rest,
            Self::Skin(skin) => skin.positions(),
            Self::Springs { points, .. } => points,
        }
    }
}

/// What the rest of a mover is while its cage is as it was bound.
fn base_rows(prepared: &PreparedPart<'_>) -> Option<Vec<[f32; 4]>> {
    match prepared.mover {
        Mover::AtRest => Some(points(prepared)),
        Mover::Skin(skin) => Some(rows_of(skin)),
        Mover::Springs(_) => None,
    }
}

fn points(prepared: &PreparedPart<'_>) -> Vec<[f32; 4]> {
    rows(prepared.rest, 1.0)
}

fn normals(prepared: &PreparedPart<'_>) -> Vec<[f32; 4]> {
    rows(prepared.rest_normals, 0.0)
}

fn rows(vectors: &[Vec3], last: f32) -> Vec<[f32; 4]> {
    vectors.iter().map(|v| v.extend(last).to_array()).collect()
}
