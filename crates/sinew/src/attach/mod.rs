//! Attachments: for each point the place on a bone that it holds on to (spring rigs paper, section
//! 3.1).
//!
//! A point projects onto the closest bone it may choose, then rounds of Laplacian smoothing, each
//! re-projected, close the gaps between neighbours' places. By choice the mesh is contracted first,
//! and only bones in sight are chosen (poster). From the attachments come the *shares* of every
//! joint's swing and twist ([`Shares`]), which replace painted weights in bone-smooth skinning and
//! in the springs.

mod candidates;
mod contraction;
mod influence;
mod settings;
mod shares;
pub mod shells;
mod spread;
mod visibility;

pub use settings::{AttachSettings, Candidates};
pub(crate) use shares::Slope;
pub use shares::{BoneShare, ShareError, Shares, TurnShare};

use glam::DVec3;
use rayon::prelude::*;

use crate::mesh::Adjacency;
use crate::progress::Progress;
use crate::skeleton::Skeleton;
use crate::weights::{Influence, SkinWeights};
use candidates::CandidateBones;
use shells::Shells;
use visibility::Sight;

/// Where shells are tied, a point keeps its bone if that carries at least this much of what the one
/// does that carries most.
const KEPT_SHARE: f64 = 0.7;

/// What attachments are found for.
#[derive(Clone, Copy, Debug)]
pub struct AttachInput<'a> {
    /// Rest points in model space, welded.
    pub points: &'a [DVec3],
    /// Who touches whom.
    pub adjacency: &'a Adjacency,
    /// The triangles between the points.
    pub triangles: &'a [[u32; 3]],
    /// Which joints move a point; where there are none, distance alone decides.
    pub weights: Option<&'a SkinWeights>,
    /// The bones.
    pub skeleton: &'a Skeleton,
}

/// Where each point holds on to the skeleton at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachments {
    of_point: Vec<Attachment>,
    /// The joint that takes each joint's part, where weights are looked at at all.
    stand_ins: Option<Vec<Option<u32>>>,
}

/// A place on a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The joint whose bone it is on.
    pub joint: u32,
    /// From 0 at the bone's head to 1 at its tail.
    pub along: f64,
    /// In model space, at rest.
    pub place: DVec3,
}

impl Attachments {
    /// Finds them. Fails only if `progress` says to stop, or if the surface cannot be contracted.
    ///
    /// # Panics
    /// If the skeleton has no joint, or the adjacency or the weights are of another number of
    /// points.
    pub fn bind(
        input: &AttachInput<'_>,
        settings: &AttachSettings,
        progress: &dyn Progress,
    ) -> Result<Self, ShareError> {
        let num_points = input.points.len();
        assert!(!input.skeleton.is_empty(), "there is a bone to hold on to");
        assert_eq!(input.adjacency.num_points(), num_points, "neighbours of these points");
        let bones = Bones::of(input.skeleton);
        let mut candidates = CandidateBones::choose(input, settings, &bones);
        let project_all = |from: &[DVec3], candidates: &CandidateBones| -> Vec<Attachment> {
            (0..num_points)
                .into_par_iter()
                .map(|point| bones.nearest(candidates.of_point(point), from[point]))
                .collect()
        };

        let mut of_point = project_all(input.points, &candidates);
        if settings.contractions > 0 || settings.visibility {
            let mut thin = std::borrow::Cow::Borrowed(input.points);
            if settings.contractions > 0 {
                let distance = |(p, a): (&DVec3, &Attachment)| p.distance(a.place);
                let distances: Vec<f64> =
                    input.points.iter().zip(&of_point).map(distance).collect();
                thin = contraction::contract(input, &distances, settings.contractions, progress)?
                    .into();
            }
            if settings.visibility {
                let sight = Sight::new(input);
                candidates = candidates.only(num_points, progress, |point, joints| {
                    sight.seen(point, thin[point], joints, &bones)
                })?;
            }
            of_point = project_all(&thin, &candidates);
        }
        let nearest = |point: usize, to: DVec3| bones.nearest(candidates.of_point(point), to);
        for _ in 0..settings.smoothings {
            of_point = (0..num_points)
                .into_par_iter()
                .map(|point| {
                    let ring = input.adjacency.ring(point);
                    if ring.is_empty() {
                        return of_point[point];
                    }
                    let sum: DVec3 = ring.iter().map(|&q| of_point[q as usize].place).sum();
                    nearest(point, sum / ring.len() as f64)
                })
                .collect();
        }
        let stand_ins = candidates.into_stand_ins();
        Ok(Self { of_point, stand_ins })
    }

    /// A point's authored weights above `least`, on joints that may hold it; none if distance alone
    /// was to decide.
    fn authored<'a>(
        &'a self,
        input: &AttachInput<'a>,
        point: usize,
        least: f64,
    ) -> impl Iterator<Item = (u32, f64)> + 'a {
        let rows = self.stand_ins.as_ref().zip(input.weights);
        rows.into_iter().flat_map(move |(stand_ins, weights)| {
            weights.row(point).iter().filter_map(move |influence| {
                let joint = stand_ins[influence.joint as usize]?;
                let weight = f64::from(influence.weight);
                (weight > least).then_some((joint, weight))
            })
        })
    }

    /// A row of authored weights, on joints that may hold points, 1 in sum; empty if there are
    /// none.
    fn standing_in(&self, row: &[Influence]) -> Vec<(u32, f64)> {
        let mut found: Vec<(u32, f64)> = Vec::new();
        for influence in row {
            let joint = match &self.stand_ins {
                Some(stand_ins) => stand_ins[influence.joint as usize],
                None => Some(influence.joint),
            };
            let Some(joint) = joint else { continue };
            match found.iter_mut().find(|(known, _)| *known == joint) {
                Some((_, weight)) => *weight += f64::from(influence.weight),
                None => found.push((joint, f64::from(influence.weight))),
            }
        }
        found.sort_unstable_by_key(|&(joint, _)| joint);
        let sum: f64 = found.iter().map(|(_, weight)| weight).sum();
        found.iter_mut().for_each(|(_, weight)| *weight /= sum);
        found.retain(|(_, weight)| *weight > 0.0);
        found
    }

    /// Where shells are tied, a point holds on to the bone that carries most of it: what flows over
    /// from another shell, or the artist, may have taken it from the bone that was nearest.
    pub(crate) fn follow_shares(
        &mut self,
        points: &[DVec3],
        shares: &Shares,
        shells: &Shells,
        skeleton: &Skeleton,
    ) {
        let bones = Bones::of(skeleton);
        for (point, held) in self.of_point.iter_mut().enumerate() {
            let row = shares.bones(point);
            let own = row.iter().find(|bone| bone.joint == held.joint).map_or(0.0, |b| b.weight);
            let Some(most) = row.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)) else {
                continue;
            };
            if own < KEPT_SHARE * most.weight || (shells.is_rigid(point) && own < most.weight) {
                *held = bones.project(most.joint, points[point]);
            }
        }
    }

    /// One a point.
    pub fn of_point(&self) -> &[Attachment] {
        &self.of_point
    }
}

/// The bones of a skeleton where the skin is bound to it.
#[derive(Clone, Debug)]
pub(crate) struct Bones {
    segments: Vec<[DVec3; 2]>,
}

impl Bones {
    pub(crate) fn of(skeleton: &Skeleton) -> Self {
        Self {
            segments: (0..skeleton.len() as u32).map(|joint| skeleton.bind_bone(joint)).collect(),
        }
    }

    /// The closest place on a joint's bone.
    pub(crate) fn project(&self, joint: u32, point: DVec3) -> Attachment {
        let segment = self.segments[joint as usize];
        let along = along_bone(segment, point);
        Attachment { joint, along, place: place_on_bone(segment, along) }
    }

    /// The closest place over some joints' bones; the first joint of equals.
    fn nearest(&self, joints: &[u32], point: DVec3) -> Attachment {
        let mut best = self.project(joints[0], point);
        let mut least = best.place.distance_squared(point);
        for &joint in &joints[1..] {
            let found = self.project(joint, point);
            let distance = found.place.distance_squared(point);
            if distance < least {
                (best, least) = (found, distance);
            }
        }
        best
    }

    pub(crate) fn length(&self, joint: u32) -> f64 {
        let [head, tail] = self.segments[joint as usize];
        head.distance(tail)
    }

    pub(crate) fn num_joints(&self) -> usize {
        self.segments.len()
    }
}

/// Where on a bone, from 0 at its head to 1 at its tail, is closest to a point.
pub(crate) fn along_bone([head, tail]: [DVec3; 2], point: DVec3) -> f64 {
    let bone = tail - head;
    let length_squared = bone.length_squared();
    match length_squared > 0.0 {
        true => ((point - head).dot(bone) / length_squared).clamp(0.0, 1.0),
        false => 0.0,
    }
}

/// The place at a share of a bone.
pub(crate) fn place_on_bone([head, tail]: [DVec3; 2], along: f64) -> DVec3 {
    head + (tail - head) * along
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod limb_tests;

/// The joint of each point's nearest bone.
pub fn nearest_joints(points: &[glam::Vec3], skeleton: &Skeleton) -> Vec<u32> {
    let bones = Bones::of(skeleton);
    let joints: Vec<u32> = (0..skeleton.len() as u32).collect();
    points.par_iter().map(|point| bones.nearest(&joints, point.as_dvec3()).joint).collect()
}
