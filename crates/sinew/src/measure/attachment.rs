//! How far the skin keeps from its bones: the figure of collapse.
//!
//! Each point `v` has an attachment `a`, the closest point at rest of the bone of the joint with the largest weight on it (without
//! weights: of the closest bone). In a pose the attachment moves with its joint, and `|v′ − a′| / |v − a|` says what is left of the
//! distance: a limb that linear blending pinches goes towards 0, and rigid skinning stays at 1 exactly.

use glam::{DVec3, Vec3};

use crate::skeleton::{Palette, Skeleton};
use crate::weights::SkinWeights;

/// Points nearer to their bone than this over the skin's diagonal (the middle of a cap) have no distance to keep.
const ON_BONE_OVER_DIAGONAL: f64 = 1e-4;

/// Where each point holds on to the skeleton; found once.
#[derive(Clone, Debug)]
pub struct Attachments {
    /// Joint, place at rest and distance of each point; `None` for points on their bone.
    of_point: Vec<Option<(u32, DVec3, f64)>>,
}

impl Attachments {
    /// Finds the attachments of points at rest. Without weights every bone is looked at.
    ///
    /// # Panics
    /// If the weights are of another number of points, or name a joint that the skeleton does not have.
    pub fn bind(rest: &[Vec3], skeleton: &Skeleton, weights: Option<&SkinWeights>) -> Self {
        if let Some(weights) = weights {
            assert_eq!(weights.num_points(), rest.len(), "one row of weights a point");
        }
        let finite = rest.iter().copied().filter(|p| p.is_finite());
        let diagonal = f64::from(crate::mesh::Aabb::around(finite).diagonal());
        let bones: Vec<[DVec3; 2]> =
            (0..skeleton.len() as u32).map(|joint| skeleton.bind_bone(joint)).collect();
        let attach = |(index, p): (usize, &Vec3)| {
            let p = p.as_dvec3();
            let nearest_of = |joints: &mut dyn Iterator<Item = u32>| {
                let mut nearest: Option<(u32, DVec3, f64)> = None;
                for joint in joints {
                    let place = closest_on_segment(p, bones[joint as usize]);
                    let distance = place.distance(p);
                    if nearest.is_none_or(|(_, _, least)| distance < least) {
                        nearest = Some((joint, place, distance));
                    }
                }
                nearest
            };
            let nearest = match weights {
                // Not the closest of all that have some weight: a bone that hardly moves a point would count its own motion as the
                // point's collapse.
                Some(weights) => nearest_of(&mut std::iter::once(weights.dominant_joint(index))),
                None => nearest_of(&mut (0..bones.len() as u32)),
            };
            nearest.filter(|&(_, _, distance)| distance > ON_BONE_OVER_DIAGONAL * diagonal)
        };
        Self { of_point: rest.iter().enumerate().map(attach).collect() }
    }

    /// The smallest `|v′ − a′| / |v − a|` over points that are finite; `None` where there is none.
    ///
    /// # Panics
    /// If `posed` has another number of points, or the palette fewer joints than the skeleton.
    pub fn min_ratio(&self, posed: &[Vec3], palette: &Palette) -> Option<f64> {
        assert_eq!(posed.len(), self.of_point.len(), "one posed point a rest point");
        self.of_point
            .iter()
            .zip(posed)
            .filter(|(_, p)| p.is_finite())
            .filter_map(|(attachment, p)| {
                let (joint, place, distance) = (*attachment)?;
                let moved = palette.model_from_rest()[joint as usize].transform_point3(place);
                Some(moved.distance(p.as_dvec3()) / distance)
            })
            .min_by(f64::total_cmp)
    }
}

fn closest_on_segment(p: DVec3, [start, end]: [DVec3; 2]) -> DVec3 {
    let along = end - start;
    let length_squared = along.length_squared();
    if length_squared == 0.0 {
        return start;
    }
    start + along * ((p - start).dot(along) / length_squared).clamp(0.0, 1.0)
}
