//! The picking buffer: what of the deformed surface is under each pixel (the paper's deferred rendering).

use glam::{UVec2, Vec3};

/// A rectangle of pixels, from the top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRect {
    /// The first pixel's column and row.
    pub origin: UVec2,
    /// Columns and rows.
    pub size: UVec2,
}

/// The visible surface at a pixel's middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// Place in [`Scene::surfaces`](crate::scene::Scene::surfaces).
    pub surface: u32,
    /// Triangle of that surface.
    pub triangle: u32,
    /// Shares of its three corners.
    pub barycentrics: Vec3,
    /// In model space.
    pub position: Vec3,
    /// Interpolated, unit, not turned to the viewer.
    pub normal: Vec3,
    /// 0 near, 1 far.
    pub depth: f32,
}

/// What is under the pixels of a rectangle.
#[derive(Clone, Debug, PartialEq)]
pub struct PickBuffer {
    rect: PixelRect,
    picks: Vec<Option<Pick>>,
}

impl PickBuffer {
    /// Row by row from the rectangle's top left corner.
    ///
    /// # Panics
    /// If there is not one entry a pixel.
    pub fn new(rect: PixelRect, picks: Vec<Option<Pick>>) -> Self {
        assert_eq!(picks.len(), (rect.size.x * rect.size.y) as usize, "one entry a pixel");
        Self { rect, picks }
    }

    /// The pixels that it knows.
    pub fn rect(&self) -> PixelRect {
        self.rect
    }

    /// All entries, row by row.
    pub fn picks(&self) -> &[Option<Pick>] {
        &self.picks
    }

    /// What is at a pixel of the picture; `None` outside of the rectangle, and where there is no surface.
    pub fn at(&self, pixel: UVec2) -> Option<Pick> {
        let PixelRect { origin, size } = self.rect;
        let (x, y) = (pixel.x.checked_sub(origin.x)?, pixel.y.checked_sub(origin.y)?);
        if x >= size.x || y >= size.y {
            return None;
        }
        self.picks[(y * size.x + x) as usize]
    }
}
