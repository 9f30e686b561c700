//! Cross-sections of a straight limb: how much of their area and of a twist a pose has kept.
//!
//! The area of a ring is the length of its vector area `½ Σ p_k × p_{k+1}`, which is its area
//! projected on the plane where that is largest. The twist of a ring is the angle that turns its
//! rest points best (least squares) into the posed ones about the limb's axis, each about the mean
//! of its ring; from ring to ring it is unwrapped, so that turns count.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3, Vec3};

/// Points this near to the surface of a tube, over its radius, are on it.
const ON_SURFACE_OVER_RADIUS: f64 = 1e-3;
/// Points this near along the axis, over the radius, are one ring.
const ONE_RING_OVER_RADIUS: f64 = 1e-4;
/// A ring whose points agree less on an angle than this (1: a rigid turn, 0: a point) has collapsed
/// and has none.
const LEAST_AGREEMENT: f64 = 1e-3;

/// Rings of point indices from the base to the end of a tube along +Y, each once around.
#[derive(Clone, Debug, PartialEq)]
pub struct Rings {
    rings: Vec<Vec<u32>>,
    rest: Vec<Vec<DVec3>>,
}

impl Rings {
    /// The rings on the surface of a tube of that radius about the Y axis.
    pub fn of_tube(points: &[Vec3], radius: f64) -> Self {
        let mut on_surface: Vec<(f64, f64, u32)> = points
            .iter()
            .enumerate()
            .map(|(index, p)| (p.as_dvec3(), index as u32))
            .filter(|(p, _)| (p.x.hypot(p.z) - radius).abs() < ON_SURFACE_OVER_RADIUS * radius)
            .map(|(p, index)| (p.y, p.x.atan2(p.z), index))
            .collect();
        on_surface.sort_by(|a, b| a.0.total_cmp(&b.0));
        let rings: Vec<Vec<u32>> = on_surface
            .chunk_by(|a, b| b.0 - a.0 < ONE_RING_OVER_RADIUS * radius)
            .map(|ring| {
                let mut ring = ring.to_vec();
                ring.sort_by(|a, b| a.1.total_cmp(&b.1));
                ring.into_iter().map(|(_, _, index)| index).collect()
            })
            .collect();
        let rest = rings.iter().map(|ring| gather(points, ring)).collect();
        Self { rings, rest }
    }

    /// Number of rings.
    pub fn len(&self) -> usize {
        self.rings.len()
    }

    /// True for a surface without rings.
    pub fn is_empty(&self) -> bool {
        self.rings.is_empty()
    }

    /// The smallest posed over rest area of a ring; `None` without rings.
    pub fn min_area_ratio(&self, posed: &[Vec3]) -> Option<f64> {
        self.rings
            .iter()
            .zip(&self.rest)
            .map(|(ring, rest)| area(&gather(posed, ring)) / area(rest))
            .min_by(f64::total_cmp)
    }

    /// What the surface winds from the base ring to the end ring about +Y, degrees, unwrapped ring
    /// by ring and without sign. Rings that have collapsed to a point are passed over.
    pub fn kept_twist_degrees(&self, posed: &[Vec3]) -> f64 {
        let mut total = 0.0;
        let mut previous = None;
        for (ring, rest) in self.rings.iter().zip(&self.rest) {
            let Some(angle) = turn_about_y(rest, &gather(posed, ring)) else { continue };
            if let Some(previous) = previous {
                let step: f64 = angle - previous;
                total += step - ((step + PI) / TAU).floor() * TAU;
            }
            previous = Some(angle);
        }
        total.to_degrees().abs()
    }
}

fn gather(points: &[Vec3], ring: &[u32]) -> Vec<DVec3> {
    ring.iter().map(|&index| points[index as usize].as_dvec3()).collect()
}

fn mean(ring: &[DVec3]) -> DVec3 {
    ring.iter().sum::<DVec3>() / ring.len() as f64
}

fn area(ring: &[DVec3]) -> f64 {
    let center = mean(ring);
    let next = ring.iter().cycle().skip(1);
    let doubled: DVec3 = ring.iter().zip(next).map(|(&a, &b)| (a - center).cross(b - center)).sum();
    doubled.length() / 2.0
}

/// The angle of `Σ z' z̄`, the rings as complex numbers `z + ix` about their means; +Y turns Z to
/// X.
fn turn_about_y(rest: &[DVec3], posed: &[DVec3]) -> Option<f64> {
    let (rest_mean, posed_mean) = (mean(rest), mean(posed));
    let mut sum = DVec2::ZERO;
    let mut scale = 0.0;
    for (&from, &to) in rest.iter().zip(posed) {
        let from = DVec2::new(from.z - rest_mean.z, from.x - rest_mean.x);
        let to = DVec2::new(to.z - posed_mean.z, to.x - posed_mean.x);
        sum += DVec2::new(from.dot(to), from.perp_dot(to));
        scale += from.length_squared();
    }
    (sum.length() > LEAST_AGREEMENT * scale).then(|| sum.y.atan2(sum.x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f32 points of a tube of size one.
    const TOLERANCE: f64 = 1e-4;
    const RADIUS: f64 = 0.5;
    const ROWS: usize = 41;
    const SEGMENTS: usize = 24;

    /// A tube of length 4 whose section at height `y` is turned by `turn(y)` and widened by
    /// `widen(y)`.
    fn tube(turn: impl Fn(f64) -> f64, widen: impl Fn(f64) -> f64) -> Vec<Vec3> {
        let mut points = Vec::new();
        for row in 0..ROWS {
            let y = 4.0 * row as f64 / (ROWS - 1) as f64;
            for k in 0..SEGMENTS {
                let angle = TAU * k as f64 / SEGMENTS as f64 + turn(y);
                let radius = RADIUS * widen(y);
                points.push(DVec3::new(angle.sin() * radius, y, angle.cos() * radius).as_vec3());
            }
        }
        points
    }

    #[test]
    fn a_tube_has_its_rows_for_rings() {
        let rest = tube(|_| 0.0, |_| 1.0);
        let rings = Rings::of_tube(&rest, RADIUS);
        assert_eq!(rings.len(), ROWS);
        assert!(rings.rings.iter().all(|ring| ring.len() == SEGMENTS));
    }

    #[test]
    fn all_of_an_analytic_twist_is_kept_even_two_turns() {
        let rings = Rings::of_tube(&tube(|_| 0.0, |_| 1.0), RADIUS);
        for degrees in [0.0, 90.0, 180.0, 360.0, 720.0, -450.0] {
            let posed = tube(|y| f64::to_radians(degrees) * y / 4.0, |_| 1.0);
            let kept = rings.kept_twist_degrees(&posed);
            assert!((kept - degrees.abs()).abs() < TOLERANCE * 100.0, "{degrees}: {kept}");
            let area = rings.min_area_ratio(&posed).unwrap();
            assert!((area - 1.0).abs() < TOLERANCE, "{degrees}: {area}");
        }
    }

    #[test]
    fn a_rigid_turn_of_all_is_no_twist() {
        let rings = Rings::of_tube(&tube(|_| 0.0, |_| 1.0), RADIUS);
        assert!(rings.kept_twist_degrees(&tube(|_| 3.0, |_| 1.0)) < TOLERANCE * 100.0);
    }

    #[test]
    fn a_pinched_section_shows_in_the_area_and_a_tilted_one_does_not() {
        let rest = tube(|_| 0.0, |_| 1.0);
        let rings = Rings::of_tube(&rest, RADIUS);
        let pinched = tube(|_| 0.0, |y| 1.0 - 0.4 * (-(y - 2.0).powi(2)).exp());
        let area = rings.min_area_ratio(&pinched).unwrap();
        assert!((area - 0.36).abs() < TOLERANCE, "{area}");
        let tilt = glam::Quat::from_rotation_x(1.0);
        let tilted: Vec<Vec3> = rest.iter().map(|&p| tilt * p).collect();
        assert!((rings.min_area_ratio(&tilted).unwrap() - 1.0).abs() < TOLERANCE);
    }

    #[test]
    fn a_ring_wrung_to_a_point_has_no_angle_and_no_area() {
        let rings = Rings::of_tube(&tube(|_| 0.0, |_| 1.0), RADIUS);
        let wrung = tube(|_| 0.0, |y| (y - 2.0).abs());
        assert_eq!(rings.min_area_ratio(&wrung), Some(0.0));
        assert!(rings.kept_twist_degrees(&wrung).is_finite());
    }
}
