//! From a character to a scene: what is found once, and what each frame needs.
//!
//! ```
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew_view::{camera::Size, raster, stage::Stage};
//!
//! let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
//! let stage = Stage::bind(&character);
//! let rest: Vec<_> = character.parts.iter().map(|part| part.mesh.points().to_vec()).collect();
//! let size = Size { width: 64, height: 64 };
//! let picture = raster::draw(&stage.scene(&rest, size.aspect()), size);
//! assert_eq!(picture.size(), size);
//! ```

use std::sync::Arc;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use sinew::Character;
use sinew::mesh::{Aabb, SurfaceNormals};

use crate::camera::Camera;
use crate::look::Look;
use crate::scene::{Ground, Overlay, Paint, Scene, Surface, SurfaceShape};

/// Edges whose triangles at rest differ by more than this stay sharp, where nobody says otherwise.
pub const CREASE_RADIANS: f32 = 40.0 * std::f32::consts::PI / 180.0;

/// A view from between the front and the side shows depth.
pub const THREE_QUARTER_YAW_RADIANS: f32 = 0.5;

/// A little from above, so that the ground is seen.
pub const SLIGHTLY_ABOVE_RADIANS: f32 = 0.15;

/// From well above, for what lies on the ground.
pub const WELL_ABOVE_RADIANS: f32 = 0.6;

/// Where the shadow on the ground has faded, over half the diagonal of what casts it.
const GROUND_RADIUS_OVER_HALF_DIAGONAL: f32 = 1.7;

/// A character made ready to be looked at: shapes that frames share, and what finds their normals.
#[derive(Clone, Debug)]
pub struct Stage {
    shapes: Vec<Arc<SurfaceShape>>,
    normals: Vec<SurfaceNormals>,
    rest_bounds: Aabb,
}

impl Stage {
    /// Without materials: all parts are clay.
    pub fn bind(character: &Character) -> Self {
        Self::with_shapes(
            character,
            character.parts.iter().map(|part| SurfaceShape::of(&part.mesh)).collect(),
            CREASE_RADIANS,
        )
    }

    /// With shapes of one's own, one a part ([`crate::materials::shapes`]), smooth across edges up to an angle at rest.
    ///
    /// # Panics
    /// If there is not one shape a part.
    pub fn with_shapes(
        character: &Character,
        shapes: Vec<SurfaceShape>,
        crease_radians: f32,
    ) -> Self {
        assert_eq!(shapes.len(), character.parts.len(), "one shape a part");
        let bind = |part: &sinew::Part| SurfaceNormals::bind(&part.mesh, crease_radians);
        Self {
            shapes: shapes.into_iter().map(Arc::new).collect(),
            normals: character.parts.par_iter().map(bind).collect(),
            rest_bounds: character.bounds(),
        }
    }

    /// The box around the character at rest.
    pub fn rest_bounds(&self) -> Aabb {
        self.rest_bounds
    }

    /// The parts, deformed, painted with their materials.
    ///
    /// # Panics
    /// If `posed` has not the parts' points.
    pub fn surfaces(&self, posed: &[Vec<Vec3>]) -> Vec<Surface> {
        assert_eq!(posed.len(), self.shapes.len(), "points of every part");
        let surface =
            |((shape, normals), points): ((&Arc<SurfaceShape>, &SurfaceNormals), &Vec<Vec3>)| {
                Surface {
                    shape: Arc::clone(shape),
                    positions: points.clone(),
                    normals: normals.of_vertices(points),
                    paint: Paint::Material,
                    wireframe: None,
                }
            };
        self.shapes.iter().zip(&self.normals).zip(posed).map(surface).collect()
    }

    /// The ground at the soles of the character at rest, around the middle of `bounds`.
    pub fn ground(&self, bounds: &Aabb) -> Ground {
        let y = if self.rest_bounds.is_empty() { 0.0 } else { self.rest_bounds.min.y };
        let center = bounds.center();
        Ground {
            y,
            center: Vec2::new(center.x, center.z),
            radius: GROUND_RADIUS_OVER_HALF_DIAGONAL * 0.5 * bounds.diagonal(),
        }
    }

    /// The character on its ground in studio light, seen from between front and side, filling a picture of that aspect.
    ///
    /// # Panics
    /// If `posed` has not the parts' points.
    pub fn scene(&self, posed: &[Vec<Vec3>], aspect: f32) -> Scene {
        let points = || posed.iter().flatten().copied().filter(|p| p.is_finite());
        let bounds = Aabb::around(points());
        let pitch = pitch_radians(&bounds);
        let camera = Camera::fitting(points(), THREE_QUARTER_YAW_RADIANS, pitch, aspect);
        self.seen_by(camera, posed)
    }

    /// The same, seen by a camera that is there already: every frame of a clip has the first one's.
    ///
    /// # Panics
    /// If `posed` has not the parts' points.
    pub fn seen_by(&self, camera: Camera, posed: &[Vec<Vec3>]) -> Scene {
        let points = posed.iter().flatten().copied().filter(|p| p.is_finite());
        let bounds = Aabb::around(points);
        Scene {
            camera,
            look: Look::default(),
            surfaces: self.surfaces(posed),
            overlay: Overlay::default(),
            ground: Some(self.ground(&bounds)),
        }
    }
}

/// The lower something lies, the further from above it is looked at.
fn pitch_radians(bounds: &Aabb) -> f32 {
    let size = bounds.size();
    let width = size.x.max(size.z);
    let upright = if width > 0.0 { (size.y / (0.5 * width)).min(1.0) } else { 1.0 };
    WELL_ABOVE_RADIANS + (SLIGHTLY_ABOVE_RADIANS - WELL_ABOVE_RADIANS) * upright
}
