//! A character on its stage: what stays the same from picture to picture, and the scene of a pose.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use sinew::Character;
use sinew::mesh::{Aabb, SurfaceNormals};

use crate::camera::Camera;
use crate::look::Look;
use crate::materials::{self, ImageError};
use crate::scene::{Ground, Overlay, Paint, Scene, Surface, SurfaceShape, Wireframe};

/// Edges sharper than this at rest stay sharp.
pub const DEFAULT_CREASE_RADIANS: f32 = 40.0 * std::f32::consts::PI / 180.0;

/// Where the shadow on the ground has faded, over the diagonal of what stands on it.
const GROUND_RADII: f32 = 1.6;

/// The unchanging part of a character's pictures.
#[derive(Clone, Debug)]
pub struct CharacterView {
    shapes: Vec<Arc<SurfaceShape>>,
    normals: Vec<SurfaceNormals>,
}

impl CharacterView {
    /// Prepares the meshes of a character. Images that cannot be decoded are told; their materials have one colour.
    pub fn bind(character: &Character, crease_radians: f32) -> (Self, Vec<ImageError>) {
        let (runs, errors) = materials::of_character(character);
        let shape = |(part, materials): (&sinew::Part, materials::Runs)| {
            Arc::new(SurfaceShape { materials, ..SurfaceShape::of(&part.mesh) })
        };
        let shapes = character.parts.iter().zip(runs).map(shape).collect();
        let normals = character.parts.iter().map(|p| SurfaceNormals::bind(&p.mesh, crease_radians));
        (Self { shapes, normals: normals.collect() }, errors)
    }

    /// The surfaces with points posed, one list a mesh, in their materials.
    ///
    /// # Panics
    /// If there is not one list a mesh, with one entry a welded point.
    pub fn surfaces(&self, posed: &[Vec<Vec3>]) -> Vec<Surface> {
        assert_eq!(posed.len(), self.shapes.len(), "one list a mesh");
        let surface =
            |((shape, normals), points): ((&Arc<SurfaceShape>, &SurfaceNormals), &Vec<Vec3>)| {
                let mut of_wedge = vec![Vec3::ZERO; normals.num_wedges()];
                normals.compute(points, &mut of_wedge);
                let of_vertex =
                    normals.wedge_of_vertex().iter().map(|&wedge| of_wedge[wedge as usize]);
                Surface {
                    shape: Arc::clone(shape),
                    positions: points.clone(),
                    normals: of_vertex.collect(),
                    paint: Paint::Material,
                    wireframe: None,
                }
            };
        self.shapes.iter().zip(&self.normals).zip(posed).map(surface).collect()
    }

    /// A scene of a pose without overlays.
    ///
    /// # Panics
    /// As [`Self::surfaces`].
    pub fn scene(&self, posed: &[Vec<Vec3>], camera: Camera, ground: Option<Ground>) -> Scene {
        Scene {
            camera,
            look: Look::default(),
            surfaces: self.surfaces(posed),
            overlay: Overlay { front_opacity: 1.0, ..Overlay::default() },
            ground,
        }
    }
}

impl Scene {
    /// Gives all surfaces lines along their edges.
    pub fn set_wireframe(&mut self, wireframe: Option<Wireframe>) {
        for surface in &mut self.surfaces {
            surface.wireframe = wireframe;
        }
    }
}

impl Ground {
    /// The ground under what is in a box.
    pub fn under(bounds: &Aabb) -> Self {
        let (center, size) = (bounds.center(), bounds.size());
        Self {
            y: center.y - 0.5 * size.y,
            center: Vec2::new(center.x, center.z),
            radius: GROUND_RADII * bounds.diagonal(),
        }
    }
}
