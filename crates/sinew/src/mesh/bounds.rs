//! Axis-aligned boxes: the yardstick of every relative tolerance.

use glam::Vec3;

/// The smallest axis-aligned box around some points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box around nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The box around `points`.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// True if no point is inside.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Side lengths; zero if empty.
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// Length of the diagonal; zero if empty. Errors are reported over it.
    pub fn diagonal(&self) -> f32 {
        self.size().length()
    }

    /// The middle; the origin if empty.
    pub fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { (self.min + self.max) * 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_around_nothing_is_empty_and_has_no_size() {
        let empty = Aabb::around([]);
        assert!(empty.is_empty());
        assert_eq!(empty.diagonal(), 0.0);
    }

    #[test]
    fn the_diagonal_spans_opposite_corners() {
        let b = Aabb::around([Vec3::new(1.0, 0.0, 0.0), Vec3::new(-2.0, 4.0, 0.0)]);
        assert_eq!(b.diagonal(), 5.0);
        assert_eq!(b.center(), Vec3::new(-0.5, 2.0, 0.0));
    }
}
