//! Turns of joints from turns of others: shares, copies, aims.

use glam::{DAffine3, DQuat, DVec3};

use super::TurnLimits;
use super::property::rotation_vector;
use crate::skeleton::{JointPose, Skeleton, swing_twist};

/// The cosine of 45°: a twist about a bone that lies further off is no twist of the own bone.
const ALONG: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// One source of a share, bound.
#[derive(Clone, Debug)]
pub(super) struct BoundShare {
    pub(super) source: usize,
    /// Of swing and twist; zero takes nothing.
    swing: f64,
    twist: f64,
    /// From the source's frame into the joint's, both at rest; `None` where they are alike.
    joint_from_source: Option<DQuat>,
    /// The source's bone in its own frame.
    bone_axis: DVec3,
    /// 1 or −1 where the bones lie along each other, 0 where they cross.
    along: f64,
}

/// A joint that takes shares, bound.
#[derive(Clone, Debug)]
pub(super) struct BoundShares {
    pub(super) joint: usize,
    of: Vec<BoundShare>,
    pub(super) writes_swing: bool,
    pub(super) writes_twist: bool,
    limits: TurnLimits,
    bone_axis: DVec3,
}

impl BoundShares {
    pub(super) fn new(
        skeleton: &Skeleton,
        joint: u32,
        of: &[super::Share],
        limits: TurnLimits,
    ) -> Self {
        let rotation = |joint: u32| {
            let (_, rotation, _) =
                skeleton.rest_model_from_joint()[joint as usize].to_scale_rotation_translation();
            rotation
        };
        let bone_axis = skeleton.joints()[joint as usize].bone_axis();
        let bind = |share: &super::Share| {
            let turn = (rotation(joint).conjugate() * rotation(share.joint)).normalize();
            let is_same = turn.xyz().length() < 1e-9;
            let source_axis = skeleton.joints()[share.joint as usize].bone_axis();
            let facing = (turn * source_axis).dot(bone_axis);
            BoundShare {
                source: share.joint as usize,
                swing: share.swing.unwrap_or(0.0),
                twist: share.twist.unwrap_or(0.0),
                joint_from_source: (!is_same).then_some(turn),
                bone_axis: source_axis,
                along: if facing.abs() > ALONG { facing.signum() } else { 0.0 },
            }
        };
        let bound: Vec<BoundShare> = of.iter().map(bind).collect();
        // A twist that is taken alone goes over to the own bone, turn for turn, where the two lie
        // along each other; across, it is a swing as well.
        let has_crossed_twist = bound.iter().any(|share| share.twist != 0.0 && share.along == 0.0);
        Self {
            joint: joint as usize,
            writes_swing: has_crossed_twist || of.iter().any(|share| share.swing.is_some()),
            writes_twist: has_crossed_twist || of.iter().any(|share| share.twist.is_some()),
            of: bound,
            limits,
            bone_axis,
        }
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &BoundShare> {
        self.of.iter()
    }

    pub(super) fn run(&self, joints: &mut [JointPose]) {
        let mut turned = DQuat::IDENTITY;
        let mut near_twist = 0.0;
        for share in &self.of {
            let pose = &joints[share.source];
            if let Some(copied) = share.copies(pose)
                && self.of.len() == 1
            {
                turned = copied.rotation(self.bone_axis);
                near_twist = copied.twist_radians;
                continue;
            }
            turned *= share.rotation(pose);
            near_twist += share.along * share.twist * pose.twist_radians;
        }
        let own = &mut joints[self.joint];
        if !self.writes_swing {
            // About the own bone: turns are kept, whatever else the joint does.
            own.twist_radians = self.limits.twist(near_twist);
            return;
        }
        let found = JointPose { twist_radians: near_twist, ..JointPose::REST }
            .with_rotation(turned, self.bone_axis);
        own.swing = self.limits.swing(found.swing);
        if self.writes_twist {
            own.twist_radians = self.limits.twist(found.twist_radians);
        }
    }
}

impl BoundShare {
    pub(super) fn takes_swing(&self) -> bool {
        self.swing != 0.0
    }

    pub(super) fn takes_twist(&self) -> bool {
        self.twist != 0.0
    }

    /// The source's own pose, where the share is all of it in a frame that is the same.
    fn copies(&self, pose: &JointPose) -> Option<JointPose> {
        let is_whole = self.swing == 1.0 && self.twist == 1.0;
        (is_whole && self.joint_from_source.is_none()).then_some(*pose)
    }

    /// The share as a rotation in the joint's rest frame.
    fn rotation(&self, pose: &JointPose) -> DQuat {
        let into = |v: DVec3| self.joint_from_source.map_or(v, |turn| turn * v);
        let swing = DQuat::from_scaled_axis(into(rotation_vector(pose.swing)) * self.swing);
        let angle = self.twist * pose.twist_radians;
        let twist = DQuat::from_axis_angle(into(self.bone_axis), angle);
        // What takes back undoes the last first.
        if self.swing < 0.0 || self.twist < 0.0 { twist * swing } else { swing * twist }
    }
}

impl TurnLimits {
    fn swing(&self, swing: DQuat) -> DQuat {
        let Some(most) = self.swing_degrees else { return swing };
        let vector = rotation_vector(swing);
        let clamped = vector.clamp_length_max(most.to_radians().max(0.0));
        if clamped == vector { swing } else { DQuat::from_scaled_axis(clamped) }
    }

    fn twist(&self, radians: f64) -> f64 {
        let Some([least, most]) = self.twist_degrees else { return radians };
        radians.max(least.to_radians()).min(most.to_radians())
    }
}

/// A joint that copies another's rotation, bound (`VRMC_node_constraint`: rotation and roll).
#[derive(Clone, Debug)]
pub(super) struct BoundCopy {
    pub(super) joint: usize,
    pub(super) source: usize,
    /// What turns about this axis alone.
    axis: Option<DVec3>,
    weight: f64,
    joint_from_source: DQuat,
    axes: [DVec3; 2],
}

impl BoundCopy {
    pub(super) fn new(
        skeleton: &Skeleton,
        (joint, source): (u32, u32),
        axis: Option<DVec3>,
        weight: f64,
    ) -> Self {
        let of = |joint: u32| &skeleton.joints()[joint as usize];
        Self {
            joint: joint as usize,
            source: source as usize,
            axis: axis.map(|axis| axis.normalize_or(DVec3::Y)),
            weight,
            joint_from_source: of(joint).rest.rotation.conjugate() * of(source).rest.rotation,
            axes: [of(joint).bone_axis(), of(source).bone_axis()],
        }
    }

    pub(super) fn run(&self, joints: &mut [JointPose]) {
        let pose = joints[self.source];
        let [own_axis, source_axis] = self.axes;
        let own = &mut joints[self.joint];
        if is_at_rest(&pose) {
            (own.swing, own.twist_radians) = (DQuat::IDENTITY, 0.0);
            return;
        }
        if self.axis.is_none() && self.weight == 1.0 && own_axis == source_axis {
            (own.swing, own.twist_radians) = (pose.swing, pose.twist_radians);
            return;
        }
        let turned = pose.rotation(source_axis);
        let wanted = match self.axis {
            None => turned,
            Some(axis) => {
                let into = self.joint_from_source;
                let (_, roll) = swing_twist(into * turned * into.conjugate(), axis);
                DQuat::from_axis_angle(axis, roll)
            }
        };
        // The shorter way, as the extension has it.
        let share = DQuat::from_scaled_axis(rotation_vector(wanted) * self.weight);
        let found = JointPose::REST.with_rotation(share, own_axis);
        (own.swing, own.twist_radians) = (found.swing, found.twist_radians);
    }
}

fn is_at_rest(pose: &JointPose) -> bool {
    pose.swing == DQuat::IDENTITY && pose.twist_radians == 0.0
}

/// A joint that turns an axis of its own towards another joint, bound.
#[derive(Clone, Debug)]
pub(super) struct BoundAim {
    pub(super) joint: usize,
    pub(super) target: usize,
    axis: DVec3,
    weight: f64,
}

impl BoundAim {
    pub(super) fn new(joint: u32, target: u32, axis: DVec3, weight: f64) -> Self {
        let axis = axis.normalize_or(DVec3::Y);
        Self { joint: joint as usize, target: target as usize, axis, weight }
    }

    pub(super) fn run(&self, skeleton: &Skeleton, joints: &mut [JointPose]) {
        let of = &skeleton.joints()[self.joint];
        let parent = match of.parent {
            Some(parent) => model_from_joint(skeleton, joints, parent as usize),
            None => DAffine3::IDENTITY,
        };
        let place = model_from_joint(skeleton, joints, self.joint).translation;
        let target = model_from_joint(skeleton, joints, self.target).translation;
        let (_, parent_rotation, _) = parent.to_scale_rotation_translation();
        let rest = parent_rotation * of.rest.rotation;
        let Some(wanted) = (target - place).try_normalize() else { return };
        // In the joint's own rest frame.
        let to = rest.conjugate() * wanted;
        if !to.is_finite() {
            return;
        }
        let arc = DQuat::from_rotation_arc(self.axis, to.normalize());
        let share = DQuat::from_scaled_axis(rotation_vector(arc) * self.weight);
        let found = JointPose::REST.with_rotation(share, skeleton.pose_axis(self.joint as u32));
        let own = &mut joints[self.joint];
        (own.swing, own.twist_radians) = (found.swing, found.twist_radians);
    }
}

/// Where a joint is in a pose.
fn model_from_joint(skeleton: &Skeleton, joints: &[JointPose], joint: usize) -> DAffine3 {
    let all = skeleton.joints();
    let axis = |joint: usize| skeleton.pose_axis(joint as u32);
    let mut placed = joints[joint].parent_from_joint(&all[joint], axis(joint));
    let mut at = joint;
    while let Some(parent) = all[at].parent {
        let parent = parent as usize;
        let pose = &joints[parent];
        if pose.stretch != 1.0 {
            // Moves its children along; only the child itself is meant, not what hangs on it.
            let local = joints[at].parent_from_joint(&all[at], axis(at)).translation;
            placed.translation += pose.stretch_along(axis(parent)) * local - local;
        }
        placed = pose.parent_from_joint(&all[parent], axis(parent)) * placed;
        at = parent;
    }
    placed
}
