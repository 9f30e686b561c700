//! Strokes on a surface: where they run, what they take hold of, and where they bring it
//! (Toothman and Neff 2019, sections 4.1, 5.2 and 6).
//!
//! A stroke is drawn on the posed skin and kept as triangles and barycentrics, so that it
//! moves with the skin. Its handles are the points nearest to it; a [`Region`] is around them. An
//! [`OffsetStroke`] says in the frames of the stroke (across, normal, along) where the handles go,
//! so that what was drawn in a pose means the same at rest. A [`SurfaceSolver`] brings the handles
//! there and finds the rest of the region by springs, by a Laplacian or as rigidly as possible.
//! What comes out are displacements at rest: other scale vectors, which any skin then moves.
//!
//! [`Region`]: crate::springs::Region

mod arap;
mod handles;
mod laplacian;
mod offset;
mod patch;
mod smooth;
mod solve;
mod spot;
mod springs;
mod stars;
mod stroke;

pub use handles::{Extent, Handle, handles_of, region_of};
pub use offset::{OffsetKnot, OffsetStroke};
pub use patch::Patch;
pub use solve::{Bones, RigidRounds, SolveError, SurfaceMethod, SurfaceSolver};
pub use spot::SurfaceSpot;
pub use springs::ReachBy;
pub use stroke::{StrokeFrame, SurfaceStroke};

use glam::Vec3;

use crate::mesh::{Adjacency, Mesh};

/// A surface: points as they stand, the triangles between them, and who touches whom.
#[derive(Clone, Copy, Debug)]
pub struct Sheet<'a> {
    /// Model space.
    pub points: &'a [Vec3],
    /// Of points.
    pub triangles: &'a [[u32; 3]],
    /// Of the same triangles.
    pub adjacency: &'a Adjacency,
}

impl<'a> Sheet<'a> {
    /// A mesh at rest.
    pub fn of(mesh: &'a Mesh, adjacency: &'a Adjacency) -> Self {
        Self { points: mesh.points(), triangles: mesh.point_triangles(), adjacency }
    }

    /// The same surface with its points elsewhere.
    #[must_use]
    pub fn posed(self, points: &'a [Vec3]) -> Self {
        Self { points, ..self }
    }

    /// The normal at a point: the mean of the triangles around it by their areas; zero where they
    /// have none.
    pub fn normal(&self, point: u32) -> Vec3 {
        let around = self.adjacency.fan(point as usize).iter();
        let sum: Vec3 = around
            .map(|&triangle| {
                let [a, b, c] = self.triangles[triangle as usize].map(|p| self.points[p as usize]);
                (b - a).cross(c - a)
            })
            .sum();
        sum.try_normalize().unwrap_or(Vec3::ZERO)
    }
}
