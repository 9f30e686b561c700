//! What of a resting character tells its front.

use glam::{DAffine3, Vec3};

use super::{ToldBy, symmetry};
use crate::skeleton::Side;
use crate::{Character, Part};

/// Points that are looked at, of all meshes together: feet are a hundred of them.
const MOST_POINTS: usize = 6_000;

/// Heights over the whole: soles lie below the first, ankles between the others.
const SOLE: f32 = 0.04;
const ANKLE: [f32; 2] = [0.07, 0.14];

/// A joint below this may be a foot's, with a parent below the other.
const TOE: f32 = 0.12;
const HEEL: f32 = 0.22;

/// Soles that lie so far before the ankles are a foot's for sure, over the height.
const SURE_FOOT: f32 = 0.04;

/// A head that is so far from the middle of the body is at an end of it, over its length.
const SURE_HEAD: f32 = 0.25;

/// An eye that is so far before the head's joint, over the height.
const SURE_FACE: f32 = 0.04;

/// Pairs that point this much together are the two sides of one body.
const AGREED_PAIRS: f32 = 0.6;

/// The file's word is worth more than what is found out, and so are names: boots may have spurs.
const FILES_WORD: f32 = 3.0;
const WORD_OF_NAMES: f32 = 2.0;

/// No other vote is worth more than that, however far a foot reaches.
const MOST_VOTE: f32 = 1.2;

const FACE_WORDS: [&str; 9] =
    ["eye", "jaw", "nose", "mouth", "snout", "muzzle", "beak", "tongue", "teeth"];

/// Points and joints as they rest.
pub(super) struct Evidence {
    points: Vec<Vec3>,
    joints: Vec<Vec3>,
    parents: Vec<Option<usize>>,
    moves_skin: Vec<bool>,
    least: Vec3,
    size: Vec3,
    middle: Vec3,
    /// From the right to the left.
    left: Option<Vec3>,
    lateral: Option<Vec3>,
}

impl Evidence {
    pub(super) fn of(character: &Character) -> Self {
        let skeleton = &character.skeleton;
        let model_from_joint = skeleton.rest_model_from_joint();
        let moved: Vec<DAffine3> = model_from_joint
            .iter()
            .zip(skeleton.joint_from_model())
            .map(|(a, b)| *a * *b)
            .collect();
        let step = character.num_points().div_ceil(MOST_POINTS).max(1);
        let points: Vec<Vec3> =
            character.parts.iter().flat_map(|part| at_rest(part, &moved, step)).collect();
        let bounds = crate::mesh::Aabb::around(points.iter().copied());
        let joints: Vec<Vec3> =
            model_from_joint.iter().map(|joint| joint.translation.as_vec3()).collect();
        let left = left_of(character, &joints);
        let parent = |joint: &crate::skeleton::Joint| joint.parent.map(|parent| parent as usize);
        let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f32;
        let lateral = left.or_else(|| symmetry::lateral(&points, middle));
        Self {
            joints,
            parents: skeleton.joints().iter().map(parent).collect(),
            moves_skin: character.joints_that_move_skin(),
            least: if bounds.is_empty() { Vec3::ZERO } else { bounds.min },
            size: if bounds.is_empty() { Vec3::ZERO } else { bounds.size() },
            middle,
            points,
            left,
            lateral,
        }
    }

    /// Square to the plane that the body is the mirror image of itself across; its sign means
    /// nothing.
    pub(super) fn lateral(&self) -> Option<Vec3> {
        self.lateral
    }

    /// True if it is its own mirror image from the front to the back, too.
    pub(super) fn is_same_from_behind(&self, ahead: Vec3) -> bool {
        symmetry::is_mirrored(&self.points, self.middle, ahead)
    }

    /// What speaks for a direction, along the ground.
    pub(super) fn votes(&self, character: &Character) -> Vec<(ToldBy, Vec3)> {
        let file = character.forward.map_or(Vec3::ZERO, |ahead| FILES_WORD * ahead);
        let sides = self.left.map_or(Vec3::ZERO, |left| WORD_OF_NAMES * left.cross(Vec3::Y));
        // What has no mirror plane has no feet: a hand stands on its wrist.
        let (soles, toes) = match self.lateral {
            Some(_) => (self.soles(), self.toes()),
            None => (Vec3::ZERO, Vec3::ZERO),
        };
        let (ends, face) = (self.ends(character), self.face(character));
        let all = [
            (ToldBy::File, file),
            (ToldBy::Sides, sides),
            (ToldBy::Feet, soles),
            (ToldBy::Feet, toes),
            (ToldBy::Head, ends),
            (ToldBy::Head, face),
        ];
        all.into_iter().filter(|(_, vote)| vote.is_finite() && *vote != Vec3::ZERO).collect()
    }

    fn height(&self, point: Vec3) -> f32 {
        (point.y - self.least.y) / self.size.y.max(f32::MIN_POSITIVE)
    }

    /// Soles reach further to the front than ankles do.
    fn soles(&self) -> Vec3 {
        let mean = |low: f32, high: f32| {
            let inside = |p: &&Vec3| (low..high).contains(&self.height(**p));
            let found: Vec<&Vec3> = self.points.iter().filter(inside).collect();
            (found.len() > 3).then(|| found.iter().copied().sum::<Vec3>() / found.len() as f32)
        };
        match (mean(-1.0, SOLE), mean(ANKLE[0], ANKLE[1])) {
            (Some(soles), Some(ankles)) => vote(soles - ankles, SURE_FOOT * self.size.y),
            _ => Vec3::ZERO,
        }
    }

    /// From joints near to the ground to their children.
    fn toes(&self) -> Vec3 {
        let mut sum = Vec3::ZERO;
        let mut length = 0.0;
        for (parent, child) in self.bones() {
            let (heel, toe) = (self.joints[parent], self.joints[child]);
            if self.moves_skin[child] && self.height(toe) < TOE && self.height(heel) < HEEL {
                let ahead = level(toe - heel);
                sum += ahead;
                length += ahead.length();
            }
        }
        // Feet that point every way say nothing.
        let is_foot = length > 0.02 * self.size.y;
        if is_foot { sum / length } else { Vec3::ZERO }
    }

    /// Head and tail of a body that lies along the ground.
    fn ends(&self, character: &Character) -> Vec3 {
        let joints = character.skeleton.joints();
        let named = |word: &str| -> Vec<Vec3> {
            let is_it = |index: &usize| {
                let name = joints[*index].name.to_lowercase();
                name.contains(word) && !name.contains("ponytail") && self.moves_skin[*index]
            };
            (0..joints.len()).filter(is_it).map(|index| self.joints[index]).collect()
        };
        let from_middle = |places: &[Vec3]| match places.len() {
            0 => Vec3::ZERO,
            num => level(places.iter().sum::<Vec3>() / num as f32 - self.middle),
        };
        let ahead = from_middle(&named("head")) - from_middle(&named("tail"));
        vote(ahead, SURE_HEAD * self.size.max_element())
    }

    /// Eyes and mouth lie before the joint that carries them.
    fn face(&self, character: &Character) -> Vec3 {
        let joints = character.skeleton.joints();
        let is_of_face = |index: usize| {
            let name = joints[index].name.to_lowercase();
            FACE_WORDS.iter().any(|word| name.contains(word)) && !name.contains("target")
        };
        let before: Vec<Vec3> = self
            .bones()
            .filter(|&(parent, child)| is_of_face(child) && !is_of_face(parent))
            .map(|(parent, child)| level(self.joints[child] - self.joints[parent]))
            .collect();
        match before.len() {
            0 => Vec3::ZERO,
            num => {
                vote(before.iter().sum::<Vec3>() / num as f32, SURE_FACE * self.size.max_element())
            }
        }
    }

    /// Parent and child, for every joint that has a parent.
    fn bones(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.parents.iter().enumerate().filter_map(|(child, parent)| Some(((*parent)?, child)))
    }
}

/// Along the ground, sure where it is as long as `sure`.
fn vote(ahead: Vec3, sure: f32) -> Vec3 {
    let vote = level(ahead) / sure;
    if vote.is_finite() { vote.clamp_length_max(MOST_VOTE) } else { Vec3::ZERO }
}

fn level(vector: Vec3) -> Vec3 {
    Vec3::new(vector.x, 0.0, vector.z)
}

/// From the right to the left, where pairs of joints agree on it.
fn left_of(character: &Character, places: &[Vec3]) -> Option<Vec3> {
    let joints = character.skeleton.joints();
    let by_name: std::collections::HashMap<&str, usize> =
        joints.iter().enumerate().rev().map(|(index, joint)| (&*joint.name, index)).collect();
    let mut sum = Vec3::ZERO;
    let mut length = 0.0;
    for (index, joint) in joints.iter().enumerate() {
        let Some((Side::Left, other)) = Side::of_name(&joint.name) else { continue };
        let Some(&other) = by_name.get(&*other) else { continue };
        let apart = level(places[index] - places[other]);
        sum += apart;
        length += apart.length();
    }
    (length > 0.0 && sum.length() > AGREED_PAIRS * length).then(|| sum.normalize())
}

/// Some points of a part in the pose that the joints rest in, which may be another than that in
/// which the skin was bound.
fn at_rest(part: &Part, moved: &[DAffine3], step: usize) -> Vec<Vec3> {
    let points = part.mesh.points();
    let place = |point: usize| {
        let bound = points[point].as_dvec3();
        let Some(weights) = &part.weights else { return points[point] };
        let posed = weights.row(point).iter().map(|influence| {
            let joint = influence.joint as usize;
            f64::from(influence.weight) * moved[joint].transform_point3(bound)
        });
        posed.sum::<glam::DVec3>().as_vec3()
    };
    (0..points.len()).step_by(step).map(place).filter(|p| p.is_finite()).collect()
}
