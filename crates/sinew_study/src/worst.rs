//! Where a shape is worst: which joint's skin is drawn out most, and which falls in most.
//!
//! The definitions are those of `sinew::measure`, which gives the values and not the places:
//! stretch is posed over rest length of an edge; `|s|` the posed over rest distance of a point to
//! the closest bone among the joints that weigh on it.

use glam::{DVec3, Vec3};
use sinew::attach::{AttachInput, AttachSettings, Attachments};
use sinew::mesh::{Aabb, Adjacency};
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Skeleton};
use sinew::weights::SkinWeights;

/// As in `sinew::measure`: points nearer to their bone than this over the diagonal have no distance
/// to keep.
const ON_BONE_OVER_DIAGONAL: f64 = 1e-4;

/// A point and what is worst there.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Index among the points of all parts with weights.
    pub point: u32,
    /// In model space.
    pub at_rest: Vec3,
    /// The joint with the largest weight, or the one whose bone is closest.
    pub joint: String,
    /// The stretch or the share of the distance.
    pub value: f64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Vec3 { x, y, z } = self.at_rest;
        let Self { value, joint, .. } = self;
        f.pad(&format!("{value:.2} {joint} ({x:.3} {y:.3} {z:.3})"))
    }
}

/// The worst places of a posed shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worst {
    /// The end of the edge that is drawn out most.
    pub stretched: Option<Place>,
    /// The point that has kept least of its distance.
    pub fallen_in: Option<Place>,
}

/// What finding them needs, bound once.
pub struct Finder {
    edges: Vec<[u32; 2]>,
    dominant: Vec<u32>,
    /// Joint, place at rest and distance.
    attachments: Vec<Option<(u32, DVec3, f64)>>,
}

impl Finder {
    /// Takes the rest shape.
    pub fn bind(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        weights: &SkinWeights,
        skeleton: &Skeleton,
    ) -> Self {
        let adjacency = Adjacency::of_triangles(rest.len(), triangles);
        let diagonal = f64::from(Aabb::around(rest.iter().copied()).diagonal());
        let points: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3()).collect();
        let input = AttachInput {
            points: &points,
            adjacency: &adjacency,
            triangles,
            weights: Some(weights),
            skeleton,
        };
        // Nobody cancels it; a subject too degenerate to attach has no places.
        let bound = Attachments::bind(&input, &AttachSettings::default(), &Silent);
        let attach = |(index, p): (usize, &DVec3)| {
            let held = bound.as_ref().ok()?.of_point()[index];
            let distance = held.place.distance(*p);
            (distance > ON_BONE_OVER_DIAGONAL * diagonal)
                .then_some((held.joint, held.place, distance))
        };
        Self {
            edges: adjacency.edges().iter().map(|edge| edge.points).collect(),
            dominant: (0..rest.len()).map(|point| weights.dominant_joint(point)).collect(),
            attachments: points.iter().enumerate().map(attach).collect(),
        }
    }

    /// The worst places of posed points.
    pub fn find(
        &self,
        rest: &[Vec3],
        posed: &[Vec3],
        skeleton: &Skeleton,
        palette: &Palette,
    ) -> Worst {
        let place = |point: u32, joint: u32, value: f64| Place {
            point,
            at_rest: rest[point as usize],
            joint: skeleton.joints()[joint as usize].name.clone(),
            value,
        };
        let length = |points: &[Vec3], [a, b]: [u32; 2]| {
            points[a as usize].as_dvec3().distance(points[b as usize].as_dvec3())
        };
        let stretched = self
            .edges
            .iter()
            .map(|&edge| (edge[0], length(posed, edge) / length(rest, edge)))
            .filter(|(_, stretch)| stretch.is_finite())
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(point, stretch)| place(point, self.dominant[point as usize], stretch));
        let fallen_in = self
            .attachments
            .iter()
            .zip(posed)
            .enumerate()
            .filter_map(|(point, (attachment, p))| {
                let &(joint, at_rest, distance) = attachment.as_ref()?;
                let moved = palette.model_from_rest()[joint as usize].transform_point3(at_rest);
                Some((point as u32, joint, moved.distance(p.as_dvec3()) / distance))
            })
            .filter(|(_, _, share)| share.is_finite())
            .min_by(|a, b| a.2.total_cmp(&b.2))
            .map(|(point, joint, share)| place(point, joint, share));
        Worst { stretched, fallen_in }
    }
}
