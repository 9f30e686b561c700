//! The clay: an implicit surface made of smoothly joined brushes.
//!
//! A body is `f(p) = smin(group_1, group_2, …)`, each group a sequence of brushes that add or carve
//! with a blend width of their own. `smin` is the quadratic one, `min(a,b) − k/4 · h²`,
//! `h = max(0, 1 − |a−b|/k)`: it ends at `|a−b| = k`, so that fingers a blend width apart do not
//! grow together. Distances are first order (exact near the surface up to curvature): what reads
//! them divides by the gradient.
//!
//! The body is symmetric in x: only `x ≥ 0` (left) is described, and `p.x` is folded. A brush
//! marked `across` also meets its own mirror image smoothly, which a fold alone would crease.

use glam::DVec3;

use super::loft::Loft;

/// What the brush leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Clay.
    Add,
    /// A hollow.
    Carve,
}

/// The form of a brush.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// A limb: sections along an axis.
    Loft(Loft),
    /// Semi-axes along an orthonormal frame.
    Ellipsoid { center: DVec3, axes: [DVec3; 3], radii: DVec3 },
    /// A capsule whose radius runs from one end to the other, flattened along `flat` by `flatness`
    /// (1 = round).
    Cone { a: DVec3, b: DVec3, radius_a: f64, radius_b: f64, flat: DVec3, flatness: f64 },
}

impl Shape {
    /// First-order signed distance, metres.
    pub(super) fn distance(&self, p: DVec3) -> f64 {
        match self {
            Self::Loft(loft) => loft.distance(p),
            Self::Ellipsoid { center, axes, radii } => {
                let q = p - *center;
                let q = DVec3::new(q.dot(axes[0]), q.dot(axes[1]), q.dot(axes[2]));
                let k0 = (q / *radii).length();
                let k1 = (q / (*radii * *radii)).length();
                let deepest = -radii.min_element();
                // Inside a flat form the estimate is too deep: nothing is further in than its least
                // radius.
                if k1 < 1e-9 { deepest } else { (k0 * (k0 - 1.0) / k1).max(deepest) }
            }
            Self::Cone { a, b, radius_a, radius_b, flat, flatness } => {
                let squash = |v: DVec3| v + *flat * (v.dot(*flat) * (1.0 / flatness - 1.0));
                let ab = squash(*b - *a);
                let ap = squash(p - *a);
                let t = (ap.dot(ab) / ab.length_squared()).clamp(0.0, 1.0);
                let v = ap - ab * t;
                let length = v.length();
                let d = length - (radius_a + (radius_b - radius_a) * t);
                if length < 1e-9 {
                    return d * flatness;
                }
                // The gradient in the unsquashed space: squash(v) / |v|.
                d / (squash(v).length() / length).max(1e-6)
            }
        }
    }
}

/// One stroke of clay.
#[derive(Clone, Debug)]
pub(super) struct Brush {
    pub(super) shape: Shape,
    pub(super) op: Op,
    /// Width over which it joins what is there, metres.
    pub(super) blend: f64,
    /// Meets its mirror image smoothly.
    pub(super) across: bool,
    /// Whose skin it is; an index into the rig's regions.
    pub(super) region: u16,
}

/// Brushes that become one before they join the rest.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) brushes: Vec<Brush>,
    /// Width over which the group joins the groups before it, metres.
    pub(super) blend: f64,
}

/// The whole clay.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    groups: Vec<Group>,
    /// `(group, brush)` of each brush in order of application.
    order: Vec<(u16, u16)>,
}

pub(super) fn smin(a: f64, b: f64, k: f64) -> f64 {
    let h = (1.0 - (a - b).abs() / k.max(1e-9)).max(0.0);
    a.min(b) - 0.25 * k * h * h
}

fn smax(a: f64, b: f64, k: f64) -> f64 {
    -smin(-a, -b, k)
}

/// Left half-space copy of a point.
pub(super) fn folded(p: DVec3) -> DVec3 {
    DVec3::new(p.x.abs(), p.y, p.z)
}

impl Brush {
    fn distance(&self, p: DVec3) -> f64 {
        let d = self.shape.distance(p);
        if !self.across {
            return d;
        }
        smin(d, self.shape.distance(DVec3::new(-p.x, p.y, p.z)), self.blend)
    }
}

impl Field {
    pub(super) fn new(groups: Vec<Group>) -> Self {
        let order = groups
            .iter()
            .enumerate()
            .flat_map(|(g, group)| (0..group.brushes.len()).map(move |b| (g as u16, b as u16)))
            .collect();
        Self { groups, order }
    }

    /// All brushes, as [`Self::value`] takes them.
    pub(super) fn all(&self) -> Vec<u16> {
        (0..self.order.len() as u16).collect()
    }

    fn brush(&self, index: u16) -> (&Group, &Brush, u16) {
        let (g, b) = self.order[index as usize];
        let group = &self.groups[g as usize];
        (group, &group.brushes[b as usize], g)
    }

    /// Those of `brushes` that can move the surface within `radius` of `center`.
    pub(super) fn near(&self, center: DVec3, radius: f64, brushes: &[u16]) -> Vec<u16> {
        // First-order distances of flat brushes overshoot: a wide margin keeps every brush that
        // matters.
        const REACH: f64 = 1.6;
        const SLACK_METRES: f64 = 0.005;
        let center = folded(center);
        let reaches = |&&index: &&u16| {
            let (group, brush, _) = self.brush(index);
            let reach = REACH * radius + brush.blend + group.blend + SLACK_METRES;
            brush.distance(center) < reach
        };
        brushes.iter().filter(reaches).copied().collect()
    }

    /// The field from a subset of brushes, ascending.
    pub(super) fn value(&self, p: DVec3, brushes: &[u16]) -> f64 {
        let p = folded(p);
        let mut total = f64::INFINITY;
        let mut part = f64::INFINITY;
        let mut current = u16::MAX;
        let mut part_blend = 0.0;
        for &index in brushes {
            let (group, brush, g) = self.brush(index);
            if g != current {
                total = smin_finite(total, part, part_blend);
                part = f64::INFINITY;
                part_blend = group.blend;
                current = g;
            }
            let d = brush.distance(p);
            part = match brush.op {
                Op::Add => smin_finite(part, d, brush.blend),
                Op::Carve if part.is_finite() => smax(part, -d, brush.blend),
                Op::Carve => part,
            };
        }
        smin_finite(total, part, part_blend)
    }

    /// Value and gradient, by a tetrahedron of four samples.
    pub(super) fn value_and_gradient(&self, p: DVec3, brushes: &[u16]) -> (f64, DVec3) {
        const STEP: f64 = 2e-4;
        let corners = [
            DVec3::new(1.0, -1.0, -1.0),
            DVec3::new(-1.0, -1.0, 1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(1.0, 1.0, 1.0),
        ];
        let mut gradient = DVec3::ZERO;
        let mut mean = 0.0;
        for corner in corners {
            let value = self.value(p + corner * STEP, brushes);
            gradient += corner * value;
            mean += 0.25 * value;
        }
        (mean, gradient / (4.0 * STEP))
    }

    /// The region of the brush of clay that the surface is nearest to.
    pub(super) fn region_at(&self, p: DVec3, brushes: &[u16]) -> u16 {
        let p = folded(p);
        let mut best = (f64::INFINITY, 0);
        for &index in brushes {
            let (_, brush, _) = self.brush(index);
            if brush.op == Op::Add {
                let d = brush.distance(p);
                if d < best.0 {
                    best = (d, brush.region);
                }
            }
        }
        best.1
    }
}

fn smin_finite(a: f64, b: f64, k: f64) -> f64 {
    if a.is_infinite() {
        b
    } else if b.is_infinite() {
        a
    } else {
        smin(a, b, k)
    }
}
