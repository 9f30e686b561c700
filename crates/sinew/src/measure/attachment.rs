//! How far the skin keeps from its bones: the figure of collapse.
//!
//! Each point `v` has an attachment `a`: where the springs' default binding holds it
//! ([`crate::attach`]), which looks at the bones that have weight on it. In a pose the attachment
//! moves with its joint, and `|v′ − a′| / |v − a|` says what is left of the distance: a limb that
//! linear blending pinches goes towards 0.

use glam::{DVec3, Vec3};

use crate::attach;
use crate::mesh::{Aabb, Adjacency};
use crate::progress::Silent;
use crate::skeleton::{Palette, Skeleton};
use crate::weights::SkinWeights;

/// Points nearer to their bone than this over the skin's diagonal (the middle of a cap) have no
/// distance to keep.
const ON_BONE_OVER_DIAGONAL: f64 = 1e-4;

/// Where each point holds on to the skeleton; found once.
#[derive(Clone, Debug)]
pub struct Attachments {
    /// Joint, place at rest and distance of each point; `None` for points on their bone.
    of_point: Vec<Option<(u32, DVec3, f64)>>,
}

impl Attachments {
    /// Finds the attachments of welded points at rest. Without weights every bone is looked at;
    /// without a joint there are none.
    ///
    /// # Panics
    /// If a triangle names a point that is not there, or the weights are of another number of
    /// points.
    pub fn bind(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        skeleton: &Skeleton,
        weights: Option<&SkinWeights>,
    ) -> Self {
        if skeleton.is_empty() {
            return Self { of_point: vec![None; rest.len()] };
        }
        let finite = rest.iter().copied().filter(|p| p.is_finite());
        let least = ON_BONE_OVER_DIAGONAL * f64::from(Aabb::around(finite).diagonal());
        let points: Vec<DVec3> =
            rest.iter().map(|p| if p.is_finite() { p.as_dvec3() } else { DVec3::ZERO }).collect();
        let adjacency = Adjacency::of_triangles(points.len(), triangles);
        let input = attach::AttachInput {
            points: &points,
            adjacency: &adjacency,
            triangles,
            weights,
            skeleton,
        };
        let bound = attach::Attachments::bind(&input, &attach::AttachSettings::default(), &Silent)
            .expect("plain projection solves nothing, and nobody cancels it");
        let kept = |(p, a): (&Vec3, &attach::Attachment)| {
            let distance = p.as_dvec3().distance(a.place);
            (distance > least).then_some((a.joint, a.place, distance))
        };
        Self { of_point: rest.iter().zip(bound.of_point()).map(kept).collect() }
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
