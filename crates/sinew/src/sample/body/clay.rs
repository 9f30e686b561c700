//! Short words for brushes, so that a sculpture reads as a list of forms.

use glam::DVec3;

use super::field::{Brush, Group, Op, Shape};
use super::loft::{Loft, Station};

/// A vector.
pub(super) const fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A section of a limb: place along the axis, offset (out, front), radii (out, in, front, back).
pub(super) const fn s(t: f64, offset: [f64; 2], radii: [f64; 4]) -> Station {
    Station(t, offset, radii)
}

/// A limb between two points, front towards `front`, out towards +X.
pub(super) fn limb(ends: [DVec3; 2], front: DVec3, out: DVec3, stations: &[Station]) -> Shape {
    Shape::Loft(Loft::new(ends, front, out, stations))
}

/// A limb with caps of given heights.
pub(super) fn capped(shape: Shape, start: f64, end: f64) -> Shape {
    match shape {
        Shape::Loft(loft) => Shape::Loft(loft.capped(start, end)),
        other => other,
    }
}

/// An ellipsoid along the axes.
pub(super) fn ball(center: DVec3, radii: DVec3) -> Shape {
    Shape::Ellipsoid { center, axes: [DVec3::X, DVec3::Y, DVec3::Z], radii }
}

/// An ellipsoid whose second axis points along `along` and whose third is nearest to `front`.
pub(super) fn bean(center: DVec3, along: DVec3, front: DVec3, radii: DVec3) -> Shape {
    let y = along.normalize();
    let z = front.reject_from_normalized(y).normalize();
    Shape::Ellipsoid { center, axes: [y.cross(z), y, z], radii }
}

/// A round capsule with two radii.
pub(super) fn bone(a: DVec3, b: DVec3, radius_a: f64, radius_b: f64) -> Shape {
    Shape::Cone { a, b, radius_a, radius_b, flat: DVec3::Z, flatness: 1.0 }
}

/// A capsule flattened along an axis.
pub(super) fn flat_bone(a: DVec3, b: DVec3, radii: [f64; 2], flat: DVec3, flatness: f64) -> Shape {
    Shape::Cone { a, b, radius_a: radii[0], radius_b: radii[1], flat: flat.normalize(), flatness }
}

/// Collects the brushes of one group.
pub(super) struct Clay {
    group: Group,
    region: u16,
}

impl Clay {
    /// A group of one region that joins what is there over `blend` metres.
    pub(super) fn new(region: u16, blend: f64) -> Self {
        Self { group: Group { brushes: Vec::new(), blend }, region }
    }

    /// Later brushes are skin of another region.
    pub(super) fn region(&mut self, region: u16) -> &mut Self {
        self.region = region;
        self
    }

    fn push(&mut self, shape: Shape, op: Op, blend: f64, across: bool) -> &mut Self {
        self.group.brushes.push(Brush { shape, op, blend, across, region: self.region });
        self
    }

    /// Adds clay.
    pub(super) fn add(&mut self, blend: f64, shape: Shape) -> &mut Self {
        self.push(shape, Op::Add, blend, false)
    }

    /// Adds clay that meets its mirror image smoothly.
    pub(super) fn add_across(&mut self, blend: f64, shape: Shape) -> &mut Self {
        self.push(shape, Op::Add, blend, true)
    }

    /// Takes clay away.
    pub(super) fn carve(&mut self, blend: f64, shape: Shape) -> &mut Self {
        self.push(shape, Op::Carve, blend, false)
    }

    /// The finished group.
    pub(super) fn done(self) -> Group {
        self.group
    }
}
