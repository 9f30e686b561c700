//! What is in a picture, as plain data in model space.

use std::ops::Range;
use std::sync::Arc;

use glam::{Vec2, Vec3};
pub use sinew::material::AlphaMode;
use sinew::mesh::{Aabb, Mesh};

use crate::camera::Camera;
use crate::look::Look;

/// Everything that a picture shows.
#[derive(Clone, Debug)]
pub struct Scene {
    /// From where the picture is taken.
    pub camera: Camera,
    /// In which light.
    pub look: Look,
    /// Meshes; their place in the list is the surface's id in a picking buffer.
    pub surfaces: Vec<Surface>,
    /// Lines, discs and facets on top.
    pub overlay: Overlay,
    /// Height of the ground that catches the shadow, and what is around it; `None` for no ground.
    pub ground: Option<Ground>,
}

/// The plane that a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its height.
    pub y: f32,
    /// Where its shadow is strongest.
    pub center: Vec2,
    /// Where it has faded to nothing.
    pub radius: f32,
}

/// A mesh as it is in this frame.
#[derive(Clone, Debug)]
pub struct Surface {
    /// What does not change from frame to frame.
    pub shape: Arc<SurfaceShape>,
    /// One a welded point, deformed.
    pub positions: Arc<Vec<Vec3>>,
    /// One a render vertex, of unit length.
    pub normals: Arc<Vec<Vec3>>,
    /// What colours it.
    pub paint: Paint,
    /// Lines along its edges; `None` for none.
    pub wireframe: Option<Wireframe>,
    /// False for one that is not drawn, casts no shadow and is not picked, and keeps its id.
    pub is_shown: bool,
}

/// The unchanging part of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceShape {
    /// Number of welded points.
    pub num_points: usize,
    /// The welded point under each render vertex.
    pub point_of_vertex: Vec<u32>,
    /// Over render vertices, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// One a render vertex, or empty.
    pub uvs: Vec<Vec2>,
    /// Runs of triangles and their material; what none covers is clay.
    pub materials: Vec<(Range<u32>, Arc<Material>)>,
}

/// The file's own colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Linear.
    pub base_color: Vec3,
    /// Multiplied with the texture's.
    pub opacity: f32,
    /// sRGB pixels, multiplied with the colour; `None` for one colour.
    pub texture: Option<Arc<Texture>>,
    /// What the opacity means; of painted surfaces ([`Paint::Flat`], [`Paint::Heat`]) nothing.
    pub alpha: AlphaMode,
    /// Directions in place of the surface's own, and what their x and y are multiplied with.
    pub normal_map: Option<(Arc<Texture>, f32)>,
    /// Seen from behind it is as bright as from the front.
    pub is_two_sided: bool,
}

/// Where a blended material is at least as opaque as this it is solid: it hides what is behind it.
pub const SOLID_OPACITY: f32 = 0.9;

/// Where it is less it is not there.
pub const LEAST_OPACITY: f32 = 0.02;

/// From this opacity on a blended material casts a shadow.
pub const SHADOW_OPACITY: f32 = 0.5;

impl Default for Material {
    /// White, opaque and smooth.
    fn default() -> Self {
        Self {
            base_color: Vec3::ONE,
            opacity: 1.0,
            texture: None,
            alpha: AlphaMode::Opaque,
            normal_map: None,
            is_two_sided: false,
        }
    }
}

impl Material {
    /// The opacity from which on it hides what is behind it; `None` where it does everywhere.
    pub fn solid_from(&self) -> Option<f32> {
        match self.alpha {
            AlphaMode::Opaque => None,
            AlphaMode::Mask { cutoff } => Some(cutoff),
            AlphaMode::Blend => Some(SOLID_OPACITY),
        }
    }

    /// True if places that are not solid are seen through: of several such layers before one
    /// another the nearest shows, blended over what is solid behind it. That needs no order, and
    /// hair, lashes and glasses have no more.
    pub fn is_veil(&self) -> bool {
        self.alpha == AlphaMode::Blend
    }

    /// The opacity from which on it casts a shadow; `None` where it does everywhere.
    pub fn shadow_from(&self) -> Option<f32> {
        match self.alpha {
            AlphaMode::Blend => Some(SHADOW_OPACITY),
            AlphaMode::Opaque | AlphaMode::Mask { .. } => self.solid_from(),
        }
    }
}

/// An image on a surface; it repeats outside of 0..1, and (0, 0) is its first pixel's corner, as in
/// glTF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Row by row from the top: sRGB with opacity, or a normal map's directions.
    pub rgba: Vec<[u8; 4]>,
}

/// What colours a surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// Its materials, or clay.
    Material,
    /// One linear colour.
    Flat(Vec3),
    /// A value in 0..1 a welded point, shown by a ramp that is looked up at each pixel.
    Heat {
        /// One a welded point.
        values: Vec<f32>,
        /// Colours from 0 to 1.
        ramp: Ramp,
    },
    /// A linear colour a welded point; black where there is none.
    Colors(Vec<Vec3>),
}

/// Evenly spaced colours with straight lines between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    /// Linear; at least two.
    pub stops: Vec<Vec3>,
}

impl Ramp {
    /// The colour at a value, which is clamped to 0..1; what is no number shows as 0.
    pub fn at(&self, value: f32) -> Vec3 {
        let last = self.stops.len() - 1;
        let known = if value.is_nan() { 0.0 } else { value };
        let place = known.clamp(0.0, 1.0) * last as f32;
        let stop = (place as usize).min(last - 1);
        self.stops[stop].lerp(self.stops[stop + 1], place - stop as f32)
    }
}

/// Lines along the edges of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wireframe {
    /// Linear.
    pub color: Vec3,
    /// 0..1.
    pub opacity: f32,
    /// In pixels.
    pub width_px: f32,
}

/// What is drawn over the surfaces.
///
/// Within each of the two, marks of opacity 1 come first and hide what is behind them; the others
/// are then blended over, far to near by the mean clip depth of their corners (a line's ends, a
/// disc's middle), and hide nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Hidden where a surface is nearer, by more than [`MARK_NEARER`].
    pub among: Marks,
    /// In front of every surface, nearest first among themselves: a layer of its own, laid over the
    /// picture.
    pub in_front: Marks,
    /// Opacity of all that is in front.
    pub front_opacity: f32,
}

/// Marks among the surfaces are drawn as if they were nearer to the eye by this share of their
/// distance, so that lines on a surface show: `clip.z −= near·far/(far − near) · MARK_NEARER/(1 −
/// MARK_NEARER)`.
pub const MARK_NEARER: f32 = 1e-3;

impl Default for Overlay {
    fn default() -> Self {
        Self { among: Marks::default(), in_front: Marks::default(), front_opacity: 1.0 }
    }
}

/// Lines, discs and facets. All colours are linear, with an opacity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Straight lines.
    pub lines: Vec<Line>,
    /// Discs that face the viewer.
    pub discs: Vec<Disc>,
    /// Lit triangles (bones, a cage's faces).
    pub facets: Vec<Facet>,
}

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Its ends.
    pub ends: [Vec3; 2],
    /// With opacity.
    pub color: [f32; 4],
    /// In pixels.
    pub width_px: f32,
}

/// A disc that faces the viewer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Its middle.
    pub center: Vec3,
    /// With opacity.
    pub color: [f32; 4],
    /// In pixels.
    pub radius_px: f32,
}

/// A triangle of its own, lit from both sides by `½ + ½ |n·v|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Counter-clockwise from outside.
    pub corners: [Vec3; 3],
    /// With opacity.
    pub color: [f32; 4],
}

impl SurfaceShape {
    /// The shape of a mesh, without materials.
    pub fn of(mesh: &Mesh) -> Self {
        Self {
            num_points: mesh.points().len(),
            point_of_vertex: mesh.point_of_vertex().to_vec(),
            triangles: mesh.triangles().to_vec(),
            uvs: mesh.vertex_uvs().to_vec(),
            materials: Vec::new(),
        }
    }
}

impl Scene {
    /// The box around the surfaces that are shown, as far as they are numbers.
    pub fn bounds(&self) -> Aabb {
        let shown = self.surfaces.iter().filter(|surface| surface.is_shown);
        let positions = shown.flat_map(|surface| surface.positions.iter().copied());
        Aabb::around(positions.filter(|p| p.is_finite()))
    }
}
