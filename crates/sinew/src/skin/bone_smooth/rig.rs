//! What bone-smooth skinning and the springs find out about a mesh before its first frame.

use std::collections::HashMap;

use glam::{DVec3, Vec3};

use super::refit::place_or_origin;
use crate::attach::shells::{Pieces, ShellInput, Shells};
use crate::attach::{AttachInput, AttachSettings, Attachments, Candidates, ShareError, Shares};
use crate::mesh::Adjacency;
use crate::progress::Progress;
use crate::skeleton::Skeleton;
use crate::weights::SkinWeights;

/// Attachments and shares of welded points.
#[derive(Clone, Debug)]
pub struct BoneSmoothRig {
    points: Vec<DVec3>,
    attachments: Attachments,
    shares: Shares,
    parents: Vec<Option<u32>>,
    /// The joints' bones.
    bones: Vec<[DVec3; 2]>,
    /// How far each point is from its bones, in the mean by weight.
    mean_distances: Vec<f64>,
    shells: Option<Shells>,
}

/// How the shells of a skin hold together.
#[derive(Clone, Copy, Debug)]
pub struct ShellChoice<'a> {
    /// How strongly, 0 to 1.
    pub strength: f64,
    /// What was decided about single ones.
    pub pieces: Pieces<'a>,
}

impl Default for ShellChoice<'_> {
    fn default() -> Self {
        Self { strength: 1.0, pieces: Pieces::default() }
    }
}

impl BoneSmoothRig {
    /// Attaches welded points to a skeleton and spreads the joints' shares over them.
    ///
    /// # Panics
    /// If the skeleton has no joint, or the arrays are not of one mesh.
    pub fn bind(
        points: &[Vec3],
        triangles: &[[u32; 3]],
        weights: Option<&SkinWeights>,
        skeleton: &Skeleton,
        (settings, choice, progress): (&AttachSettings, ShellChoice<'_>, &dyn Progress),
    ) -> Result<Self, ShareError> {
        let points: Vec<DVec3> = points.iter().map(|&p| place_or_origin(p)).collect();
        progress.report("attaching to bones", 0.0);
        let adjacency = Adjacency::of_triangles(points.len(), triangles);
        let input =
            AttachInput { points: &points, adjacency: &adjacency, triangles, weights, skeleton };
        let mut attachments = Attachments::bind(&input, settings, progress)?;
        let parents: Vec<_> = skeleton.joints().iter().map(|joint| joint.parent).collect();
        // Distance alone says nothing about what an artist meant to stay together.
        let weights = weights.filter(|_| settings.candidates != Candidates::All);
        let shells = weights.filter(|_| choice.strength > 0.0).and_then(|weights| {
            let ShellChoice { strength, pieces } = choice;
            let parents = &parents[..];
            let points = &points[..];
            Shells::find(&ShellInput { points, triangles, weights, parents, strength, pieces })
        });
        let shares = Shares::bind(&input, &attachments, shells.as_ref(), (settings, progress))?;
        if let Some(shells) = &shells {
            attachments.follow_shares(&points, &shares, shells, skeleton);
        }
        let bones = (0..skeleton.len() as u32).map(|joint| skeleton.bind_bone(joint)).collect();
        let mean_distance = |(point, p): (usize, &DVec3)| -> f64 {
            let bones = shares.bones(point).iter();
            bones.map(|bone| bone.weight * bone.place.distance(*p)).sum()
        };
        let mean_distances = points.iter().enumerate().map(mean_distance).collect();
        Ok(Self { points, attachments, shares, parents, bones, mean_distances, shells })
    }

    /// The welded rest points.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Where the points hold on to bones.
    pub fn attachments(&self) -> &Attachments {
        &self.attachments
    }

    /// What they have of each joint's rotation.
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// What holds its shells together, if there are several.
    pub fn shells(&self) -> Option<&Shells> {
        self.shells.as_ref()
    }

    /// The joints' bones where the points were bound.
    pub(super) fn bones(&self) -> &[[DVec3; 2]] {
        &self.bones
    }

    /// How far each point is from its bones, in the mean by weight.
    pub(super) fn mean_distances(&self) -> &[f64] {
        &self.mean_distances
    }

    pub(super) fn parents(&self) -> &[Option<u32>] {
        &self.parents
    }
}

/// Positions that coincide, made one: shares must not tear at a seam. Points in order of their
/// first position, and the point of each position.
pub(crate) fn welded(positions: &[Vec3]) -> (Vec<u32>, Vec<u32>) {
    let mut point_at: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
    let mut first_of_point = Vec::new();
    let point_of_position = positions
        .iter()
        .enumerate()
        .map(|(index, p)| {
            // −0 and 0 are one place.
            *point_at.entry((*p + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert_with(|| {
                first_of_point.push(index as u32);
                first_of_point.len() as u32 - 1
            })
        })
        .collect();
    (first_of_point, point_of_position)
}
