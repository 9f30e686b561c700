//! A chain's present pose while its bones are aimed, one after the other.
//!
//! A joint `j` on a parent `M` (linear) has its bone's end at `M · R_rest · R · S · e`, with the
//! pose's rotation `R = swing · twist`. To bring it in line with `d`, `R` becomes the shortest arc
//! from `twist · S·e` to `(M · R_rest)⁻¹ · d`, after the twist: the twist stays what it was, with
//! all its turns, and what came of it does not depend on the way that the stroke was drawn.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::limits::Limits;
use crate::skeleton::{JointPose, Pose, Skeleton};
use crate::sketch::chain::Chain;

/// A bone is not stretched to nothing, nor out of sight.
const STRETCHES: std::ops::RangeInclusive<f64> = 0.05..=20.0;
/// Directions nearer to opposite than this (one plus the cosine) have no shortest arc between them.
const OPPOSITE: f64 = 1e-9;

pub(super) struct Limb<'a> {
    skeleton: &'a Skeleton,
    pose: Pose,
    /// The chain's path, below the bone that rolls for its first joint, if one does.
    path: Vec<u32>,
    /// Where the chain begins in it: 0 or 1. Numbers of bones and points count from there.
    start: usize,
    /// How many of the chain's joints turn.
    num_bones: usize,
    /// Of the first joint's parent, if it has one.
    model_from_parent: Option<DAffine3>,
    /// Of the joints of the path.
    model_from_joint: Vec<DAffine3>,
}

impl<'a> Limb<'a> {
    pub(super) fn new(
        chain: &Chain,
        limits: &Limits,
        (skeleton, pose): (&'a Skeleton, &Pose),
    ) -> Self {
        let first = chain.path()[0];
        // An elbow alone: the arm above it rolls.
        let rolls = limits.joint(first).and(skeleton.joints()[first as usize].parent);
        let path: Vec<u32> = rolls.into_iter().chain(chain.path().iter().copied()).collect();
        let mut above = Vec::new();
        let mut at = skeleton.joints()[path[0] as usize].parent;
        while let Some(joint) = at {
            above.push(joint);
            at = skeleton.joints()[joint as usize].parent;
        }
        let model_from_parent =
            above.iter().rev().fold(None, |parent: Option<DAffine3>, &joint| {
                Some(pose.model_from_one(skeleton, joint, parent.as_ref()))
            });
        let mut limb = Self {
            skeleton,
            pose: pose.clone(),
            start: path.len() - chain.path().len(),
            num_bones: chain.turning().len(),
            path,
            model_from_parent,
            model_from_joint: Vec::new(),
        };
        limb.stand_from(0);
        limb
    }

    /// Finds where the joints from one of the path on are.
    fn stand_from(&mut self, place: usize) {
        self.model_from_joint.truncate(place);
        for &joint in &self.path[place..] {
            let parent = self.model_from_joint.last().or(self.model_from_parent.as_ref());
            let placed = self.pose.model_from_one(self.skeleton, joint, parent);
            self.model_from_joint.push(placed);
        }
    }

    /// How many of its joints turn.
    pub(super) fn num_bones(&self) -> usize {
        self.num_bones
    }

    /// Where the chain begins and where each of its bones ends.
    pub(super) fn points(&self) -> Vec<DVec3> {
        (0..=self.num_bones()).map(|index| self.point(index)).collect()
    }

    /// The start of a bone; behind the last one, its end.
    pub(super) fn point(&self, index: usize) -> DVec3 {
        let place = self.start + index;
        match self.model_from_joint.get(place) {
            Some(placed) => placed.translation,
            None => {
                let stretch = self.stretch_of(self.path[place - 1]);
                self.model_from_joint[place - 1].transform_point3(stretch * self.end(place - 1))
            }
        }
    }

    fn stretch_of(&self, joint: u32) -> DMat3 {
        self.pose.joints[joint as usize].stretch_along(self.skeleton.pose_axis(joint))
    }

    /// Where a bone ends, in its joint's frame and as if it were not stretched.
    fn end(&self, place: usize) -> DVec3 {
        let joints = self.skeleton.joints();
        match self.path.get(place + 1) {
            Some(&next) => {
                let next = next as usize;
                joints[next].rest.translation + self.pose.joints[next].translation
            }
            None => joints[self.path[place] as usize].tail_in_joint,
        }
    }

    /// Moves the whole chain.
    pub(super) fn shift(&mut self, offset: DVec3) {
        let joint = self.path[self.start];
        let mut model_from_translation = self.linear_of_parent(self.start);
        if let Some(parent) = self.skeleton.joints()[joint as usize].parent {
            model_from_translation *= self.stretch_of(parent);
        }
        let moved = model_from_translation.inverse() * offset;
        if moved.is_finite() {
            self.pose.joints[joint as usize].translation += moved;
            self.stand_from(self.start);
        }
    }

    fn linear_of_parent(&self, place: usize) -> DMat3 {
        let parent = match place.checked_sub(1) {
            Some(above) => Some(&self.model_from_joint[above]),
            None => self.model_from_parent.as_ref(),
        };
        parent.map_or(DMat3::IDENTITY, |parent| parent.matrix3)
    }

    /// From the model to where a joint's own rotation begins.
    fn parent_from_model(&self, place: usize) -> DMat3 {
        let rest = self.skeleton.joints()[self.path[place] as usize].rest.rotation;
        (self.linear_of_parent(place) * DMat3::from_quat(rest)).inverse()
    }

    /// Where a bone goes that is to go to a place, if its joint is a hinge; the bone above rolls
    /// for it.
    pub(super) fn bend(&mut self, index: usize, at: DVec3, limits: &Limits) -> DVec3 {
        let place = self.start + index;
        let limit = limits.joint(self.path[place]);
        let (Some(limit), Some(upper)) = (limit, place.checked_sub(1)) else { return at };
        let from = self.point(index);
        let ways = [from - self.model_from_joint[upper].translation, at - from];
        let [Some(above), Some(along)] = ways.map(DVec3::try_normalize) else { return at };
        let Some(axis) =
            self.parent_from_model(place).inverse().mul_vec3(limit.axis).try_normalize()
        else {
            return at;
        };
        let joint = self.path[upper];
        let pose = self.pose.joints[joint as usize];
        let Some(bent) = limit.bent([above, along], axis, pose.twist_radians) else { return at };
        if let Some(about) = (self.parent_from_model(upper) * above).try_normalize() {
            let own_axis = self.skeleton.joints()[joint as usize].bone_axis();
            let roll = DQuat::from_axis_angle(about, bent.roll_radians);
            let rolled = (roll * pose.rotation(own_axis)).normalize();
            self.take(upper, pose.with_rotation(rolled, own_axis));
        }
        from + at.distance(from) * bent.along
    }

    /// A joint of the path stands so from now on.
    fn take(&mut self, place: usize, pose: JointPose) {
        if pose.swing.is_finite() && pose.twist_radians.is_finite() {
            self.pose.joints[self.path[place] as usize] = pose;
            self.stand_from(place);
        }
    }

    /// Turns a bone towards a place; stretches it to it, if it may.
    pub(super) fn aim(&mut self, index: usize, at: DVec3, stretches: bool) {
        let place = self.start + index;
        let joint = self.path[place];
        let wanted = at - self.point(index);
        let of_joint = &self.skeleton.joints()[joint as usize];
        let in_parent = self.parent_from_model(place) * wanted;
        let Some(direction) = in_parent.try_normalize() else { return };
        let mut pose = self.pose.joints[joint as usize];
        let axis = self.skeleton.pose_axis(joint);
        let scale = DMat3::from_diagonal(of_joint.rest.scale * pose.scale);
        let end = self.end(place);
        if stretches {
            pose.stretch = stretch_to(scale, end, axis, in_parent.length(), pose.stretch);
        }
        let along = scale * (pose.stretch_along(axis) * end);
        let Some(along) = along.try_normalize() else { return };
        let own_axis = of_joint.bone_axis();
        let twist = DQuat::from_axis_angle(own_axis, pose.twist_radians);
        let rotation = if (twist * along).dot(direction) > OPPOSITE - 1.0 {
            DQuat::from_rotation_arc(twist * along, direction) * twist
        } else {
            let rotation = pose.rotation(own_axis);
            DQuat::from_rotation_arc(rotation * along, direction) * rotation
        };
        self.take(place, pose.with_rotation(rotation.normalize(), own_axis));
    }

    /// The joints that differ from a pose, as they are now.
    pub(super) fn changed_from(&self, before: &Pose) -> Vec<(u32, JointPose)> {
        let of = |&joint: &u32| (joint, self.pose.joints[joint as usize]);
        let is_new = |(joint, pose): &(u32, JointPose)| before.joints[*joint as usize] != *pose;
        self.path[..self.start + self.num_bones].iter().map(of).filter(is_new).collect()
    }
}

/// The stretch `s` with `|S · (e_across + s · e_along)| = length`, as near as the bounds let it.
fn stretch_to(scale: DMat3, end: DVec3, axis: DVec3, length: f64, now: f64) -> f64 {
    let in_axis = end.dot(axis) * axis;
    let (along, across) = (scale * in_axis, scale * (end - in_axis));
    let (a, b) = (along.length_squared(), along.dot(across));
    let c = across.length_squared() - length * length;
    let root = (b * b - a * c).max(0.0).sqrt();
    let stretch = (root - b) / a;
    // A bone across its own axis gets no longer by stretching.
    if stretch.is_finite() { stretch.clamp(*STRETCHES.start(), *STRETCHES.end()) } else { now }
}
