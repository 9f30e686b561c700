//! From a character to a scene: what is found once, and what each frame needs.
//!
//! ```
//! use std::sync::Arc;
//! use sinew::frame::{Controls, Plan, Rig};
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew_view::{camera::Size, raster, stage::Stage};
//!
//! let character = Arc::new(build(&SampleOptions::new(SampleKind::Box))?);
//! let plan = Plan::bind(&character, &Rig::default(), &Silent)?;
//! let frame = plan.frame_of(&Controls::rest(&character));
//! let size = Size { width: 64, height: 64 };
//! let picture = raster::draw(&Stage::bind(&character).scene(&frame, size.aspect()), size);
//! assert_eq!(picture.size(), size);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use glam::Vec2;
use sinew::Character;
use sinew::frame::{Frame, PartFrame};
use sinew::mesh::Aabb;

use crate::camera::{Camera, front_yaw_radians};
use crate::look::Look;
use crate::scene::{Ground, Overlay, Paint, Scene, Surface, SurfaceShape};

/// A view from between the front and the side shows depth.
pub const THREE_QUARTER_YAW_RADIANS: f32 = 0.5;

/// A little from above, so that the ground is seen.
pub const SLIGHTLY_ABOVE_RADIANS: f32 = 0.15;

/// From well above, for what lies on the ground.
pub const WELL_ABOVE_RADIANS: f32 = 0.6;

/// Where the shadow on the ground has faded, over half the diagonal of what casts it.
const GROUND_RADIUS_OVER_HALF_DIAGONAL: f32 = 1.7;

/// A character made ready to be looked at: shapes that frames share.
#[derive(Clone, Debug)]
pub struct Stage {
    shapes: Vec<Arc<SurfaceShape>>,
    rest_bounds: Aabb,
    front_yaw_radians: f32,
}

impl Stage {
    /// Without materials: all parts are clay.
    pub fn bind(character: &Character) -> Self {
        let shapes = character.parts.iter().map(|part| SurfaceShape::of(&part.mesh)).collect();
        Self::with_shapes(character, shapes)
    }

    /// With shapes of one's own, one a part ([`crate::materials::shapes`]).
    ///
    /// # Panics
    /// If there is not one shape a part.
    pub fn with_shapes(character: &Character, shapes: Vec<SurfaceShape>) -> Self {
        assert_eq!(shapes.len(), character.parts.len(), "one shape a part");
        Self {
            shapes: shapes.into_iter().map(Arc::new).collect(),
            rest_bounds: character.bounds(),
            front_yaw_radians: front_yaw_radians(character),
        }
    }

    /// The yaw that looks at its face.
    pub fn front_yaw_radians(&self) -> f32 {
        self.front_yaw_radians
    }

    /// The box around the character at rest.
    pub fn rest_bounds(&self) -> Aabb {
        self.rest_bounds
    }

    /// The parts of a frame with normals, painted with their materials. No point is copied.
    ///
    /// # Panics
    /// If the frame is of another character.
    pub fn surfaces(&self, frame: &Frame) -> Vec<Surface> {
        assert_eq!(frame.parts().len(), self.shapes.len(), "a frame of this character");
        let surface = |(shape, part): (&Arc<SurfaceShape>, &PartFrame)| Surface {
            shape: Arc::clone(shape),
            positions: part.shared_points(),
            normals: part.shared_normals(),
            paint: Paint::Material,
            wireframe: None,
            is_shown: true,
        };
        self.shapes.iter().zip(frame.parts()).map(surface).collect()
    }

    /// The parts of a frame that is not here but on a graphics card: shapes, and no positions or
    /// normals.
    pub fn bare_surfaces(&self) -> Vec<Surface> {
        let surface = |shape: &Arc<SurfaceShape>| Surface {
            shape: Arc::clone(shape),
            positions: Arc::default(),
            normals: Arc::default(),
            paint: Paint::Material,
            wireframe: None,
            is_shown: true,
        };
        self.shapes.iter().map(surface).collect()
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

    /// The character on its ground in studio light, seen from between front and side, filling a
    /// picture of that aspect.
    ///
    /// # Panics
    /// If the frame is of another character.
    pub fn scene(&self, frame: &Frame, aspect: f32) -> Scene {
        let points = frame.parts().iter().flat_map(|part| part.points().iter().copied());
        let pitch = pitch_radians(&frame.bounds());
        let finite = points.filter(|p| p.is_finite());
        let yaw = self.front_yaw_radians + THREE_QUARTER_YAW_RADIANS;
        let camera = Camera::fitting(finite, yaw, pitch, aspect);
        self.seen_by(camera, frame)
    }

    /// The same, seen by a camera that is there already: every frame of a clip has the first one's.
    ///
    /// # Panics
    /// If the frame is of another character.
    pub fn seen_by(&self, camera: Camera, frame: &Frame) -> Scene {
        let empty = self.seen_elsewhere(camera, &frame.bounds());
        Scene { surfaces: self.surfaces(frame), ..empty }
    }

    /// The same of a frame that is not here but on a graphics card, in a box: its surfaces have
    /// shapes, and no positions or normals.
    pub fn seen_elsewhere(&self, camera: Camera, bounds: &Aabb) -> Scene {
        Scene {
            camera,
            look: Look::default(),
            surfaces: self.bare_surfaces(),
            overlay: Overlay::default(),
            ground: Some(self.ground(bounds)),
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
