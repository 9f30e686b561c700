//! What can be seen from inside the surface: a bone behind it belongs to another limb (poster,
//! 'Attachment Binding').
//!
//! Sight starts a little inside of the point, against its normal, and ends at the bone's closest
//! place: if a triangle is in between, the bone is out of sight. Starting inside makes a bone that
//! lies outside, beyond the point's own triangles, out of sight too. Limits: a point without a
//! normal (isolated, between degenerate triangles) sees everything; a surface is taken to be turned
//! outwards as a whole by the sign of its volume, so that single parts turned inside out see
//! nothing, and then choose as if nobody had looked.

use glam::DVec3;
use rayon::prelude::*;

use super::{AttachInput, Bones};
use crate::mesh::SegmentTree;

/// How far inside sight starts, over the mean edge around the point: far past rounding, far less
/// than a limb is thick.
const INSET_OVER_EDGE: f64 = 1e-2;
/// Where on the way to the place looking ends: a bone that ends exactly on the surface is in sight.
const LOOK_TO: f64 = 1.0 - 1e-6;

/// Sight from the points of a surface.
pub(super) struct Sight {
    tree: SegmentTree,
    /// A little inside of each point; `None` where inside is nowhere.
    starts: Vec<Option<DVec3>>,
}

impl Sight {
    pub(super) fn new(input: &AttachInput<'_>) -> Self {
        let points = input.points;
        let corners = |triangle: &[u32; 3]| triangle.map(|p| points[p as usize]);
        // Volumes from the middle: of an open surface, the one its outline closes towards there.
        let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let volume: f64 = input
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = corners(triangle).map(|p| p - middle);
                a.dot(b.cross(c))
            })
            .sum();
        let inwards = if volume < 0.0 { 1.0 } else { -1.0 };
        let starts = (0..points.len())
            .into_par_iter()
            .map(|point| {
                let ring = input.adjacency.ring(point);
                let at = points[point];
                let edges: f64 = ring.iter().map(|&q| points[q as usize].distance(at)).sum();
                let inset = INSET_OVER_EDGE * edges / ring.len().max(1) as f64;
                let fan = input.adjacency.fan(point);
                let normal = angle_weighted_normal(fan.iter().map(|&t| {
                    let triangle = input.triangles[t as usize];
                    let corner = triangle.iter().position(|&p| p as usize == point).unwrap_or(0);
                    [0, 1, 2].map(|k| points[triangle[(corner + k) % 3] as usize])
                }))?;
                Some(at + normal * (inwards * inset))
            })
            .collect();
        Self { tree: SegmentTree::new(input.triangles.iter().map(corners)), starts }
    }

    /// Which of `joints`, in their order, have the place on their bone that is closest to `near` in
    /// sight of the point. All of them if none has.
    pub(super) fn seen(
        &self,
        point: usize,
        near: DVec3,
        joints: &[u32],
        bones: &Bones,
    ) -> Vec<u32> {
        let Some(start) = self.starts[point] else {
            return joints.to_vec();
        };
        let is_seen = |joint: &u32| {
            let place = bones.project(*joint, near).place;
            !self.tree.is_crossed(start, start.lerp(place, LOOK_TO))
        };
        let mut by_distance: Vec<(f64, u32)> = joints
            .iter()
            .map(|&joint| (bones.project(joint, near).place.distance_squared(near), joint))
            .collect();
        by_distance.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut found: Vec<u32> = Vec::new();
        let mut reach = f64::INFINITY;
        for (distance_squared, joint) in by_distance {
            if distance_squared > reach {
                break;
            }
            if is_seen(&joint) {
                if found.is_empty() {
                    reach = distance_squared * (REACH * REACH);
                }
                found.push(joint);
            }
        }
        if found.is_empty() {
            return joints.to_vec();
        }
        found.sort_unstable();
        found
    }
}

/// Bones in sight farther than this over the closest one in sight are not asked for, to save looks:
/// a guess, not yet measured.
const REACH: f64 = 3.0;

/// The normal of the triangles on a point, each with the point first, weighted by their angle
/// there: it points outwards however the fan is cut (Bærentzen and Aanæs 2005).
fn angle_weighted_normal(fan: impl Iterator<Item = [DVec3; 3]>) -> Option<DVec3> {
    fan.filter_map(|[at, next, last]| {
        let (u, v) = (next - at, last - at);
        Some(u.cross(v).try_normalize()? * u.angle_between(v))
    })
    .sum::<DVec3>()
    .try_normalize()
}
