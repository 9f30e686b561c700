//! The picking buffer: what of the deformed surface is under each pixel (the paper's deferred
//! rendering).

use glam::{UVec2, Vec2, Vec3};

use crate::camera::Size;

/// A rectangle of pixels, from the top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRect {
    /// The first pixel's column and row.
    pub origin: UVec2,
    /// Columns and rows.
    pub size: UVec2,
}

impl PixelRect {
    /// All pixels of a picture.
    pub fn whole(size: Size) -> Self {
        Self { origin: UVec2::ZERO, size: UVec2::new(size.width, size.height) }
    }

    /// The smallest rectangle of a picture with every place of a stroke that is in the picture; of
    /// no size if none is.
    pub fn around(stroke: &[Vec2], size: Size) -> Self {
        let mut ends: Option<(UVec2, UVec2)> = None;
        for pixel in stroke.iter().filter_map(|&place| pixel_at(place)) {
            if pixel.x < size.width && pixel.y < size.height {
                let (least, most) = ends.unwrap_or((pixel, pixel));
                ends = Some((least.min(pixel), most.max(pixel)));
            }
        }
        match ends {
            Some((least, most)) => Self { origin: least, size: most - least + UVec2::ONE },
            None => Self { origin: UVec2::ZERO, size: UVec2::ZERO },
        }
    }
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

    /// What is at a pixel of the picture; `None` outside of the rectangle, and where there is no
    /// surface.
    pub fn at(&self, pixel: UVec2) -> Option<Pick> {
        let PixelRect { origin, size } = self.rect;
        let (x, y) = (pixel.x.checked_sub(origin.x)?, pixel.y.checked_sub(origin.y)?);
        if x >= size.x || y >= size.y {
            return None;
        }
        self.picks[(y * size.x + x) as usize]
    }
}

/// What is under each place of a stroke (pixels from the picture's top left corner, the first
/// pixel's middle at (.5, .5)).
///
/// Read the buffer for [`PixelRect::around`] the stroke once; this is then a look-up a place.
/// [`refined`] makes a stroke of few places one that leaves no pixel out.
pub fn along(buffer: &PickBuffer, stroke: &[Vec2]) -> Vec<Option<Pick>> {
    stroke.iter().map(|&place| pixel_at(place).and_then(|pixel| buffer.at(pixel))).collect()
}

/// The same stroke with places at most `step_px` apart: its own, and evenly between them. Places
/// that are no numbers are left out.
///
/// # Panics
/// If the step is not positive.
pub fn refined(stroke: &[Vec2], step_px: f32) -> Vec<Vec2> {
    assert!(step_px > 0.0, "a step of some length");
    let mut places: Vec<Vec2> = Vec::with_capacity(stroke.len());
    for &to in stroke.iter().filter(|place| place.is_finite()) {
        if let Some(&from) = places.last() {
            let steps = (from.distance(to) / step_px).ceil().max(1.0) as u32;
            places.extend((1..steps).map(|step| from.lerp(to, step as f32 / steps as f32)));
        }
        places.push(to);
    }
    places
}

/// The pixel that a place is in; `None` left of or above the picture.
fn pixel_at(place: Vec2) -> Option<UVec2> {
    let pixel = place.floor();
    (pixel.is_finite() && pixel.min_element() >= 0.0).then(|| pixel.as_uvec2())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 40, height: 30 };

    #[test]
    fn a_stroke_is_answered_place_by_place() {
        let rect = PixelRect { origin: UVec2::new(10, 5), size: UVec2::new(3, 2) };
        let pick = |triangle: u32| Pick {
            surface: 0,
            triangle,
            barycentrics: Vec3::X,
            position: Vec3::ZERO,
            normal: Vec3::Z,
            depth: 0.5,
        };
        let picks = (0..6).map(|triangle| (triangle != 4).then(|| pick(triangle))).collect();
        let buffer = PickBuffer::new(rect, picks);
        let stroke = [
            Vec2::new(10.0, 5.0),
            Vec2::new(12.99, 6.5),
            Vec2::new(11.5, 6.5),
            Vec2::new(9.9, 5.0),
            Vec2::new(-3.0, 5.0),
            Vec2::NAN,
            Vec2::splat(1e30),
        ];
        let found: Vec<Option<u32>> =
            along(&buffer, &stroke).iter().map(|pick| pick.map(|p| p.triangle)).collect();
        assert_eq!(found, [Some(0), Some(5), None, None, None, None, None]);
    }

    #[test]
    fn the_rectangle_around_a_stroke_has_all_of_it_that_is_in_the_picture() {
        let stroke = [Vec2::new(3.5, 7.2), Vec2::new(39.9, 2.0), Vec2::new(500.0, 1.0), Vec2::NAN];
        let rect = PixelRect::around(&stroke, SIZE);
        assert_eq!(rect, PixelRect { origin: UVec2::new(3, 2), size: UVec2::new(37, 6) });
        assert_eq!(PixelRect::around(&[], SIZE).size, UVec2::ZERO);
    }

    #[test]
    fn a_refined_stroke_keeps_its_places_and_has_no_longer_step() {
        let stroke = [Vec2::ZERO, Vec2::new(10.0, 0.0), Vec2::new(10.0, 0.0), Vec2::new(10.0, 7.3)];
        let refined = refined(&stroke, 1.0);
        assert!(stroke.iter().all(|place| refined.contains(place)));
        assert!(refined.windows(2).all(|pair| pair[0].distance(pair[1]) <= 1.0 + 1e-5));
    }
}
