//! Which way joints bend: words that need no trial, and limits for reaching.
//!
//! Each joint has three axes across one another: its bone, which it *twists* about, and two that
//! take the bone to where a body would take it:
//!
//! | joint | *bend* takes it | *side* takes it |
//! |---|---|---|
//! | spine, neck, head | forward | to its own left |
//! | arm, forearm, thigh | forward | outward |
//! | shin | back | outward |
//! | hand, finger | towards the palm | forward |
//! | foot, toes | up | outward |
//! | any other | as it is bent at rest, or else forward | to its own left, or outward |
//!
//! An elbow or a knee that is bent at rest bends further that way. Roles are found by names and by
//! structure ([`Roles`]), forward by [`facing`].

use glam::{DQuat, DVec3};

use crate::Character;
use crate::facing::facing;
use crate::retarget::{Role, Roles};
use crate::skeleton::{Side, Skeleton};

/// A limb is bent at rest if its bones are further apart than this (sine, 5°): less is drawing.
const BENT: f64 = 0.09;

/// Two directions that are nearer to one line than this (sine, 6°) say no plane.
const PARALLEL: f64 = 0.1;

/// How far knees, elbows and fingers bend by themselves, degrees: from straight to closed.
const HINGE_RANGE_DEGREES: [f64; 2] = [0.0, 155.0];

/// The axes that a joint bends about, unit, in its own frame, across its bone and one another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// A positive turn about it is a bend.
    pub bend: DVec3,
    /// A positive turn about it goes to the side.
    pub side: DVec3,
    /// How far it bends from straight, in degrees, if it is one that bends one way alone: a knee,
    /// an elbow.
    pub range_degrees: Option<[f64; 2]>,
}

impl Default for Hinge {
    fn default() -> Self {
        Self { bend: DVec3::X, side: DVec3::Z, range_degrees: None }
    }
}

/// The hinges of all joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinges {
    of_joint: Vec<Hinge>,
}

impl Hinges {
    /// Of a character as it rests.
    pub fn of(character: &Character) -> Self {
        let skeleton = &character.skeleton;
        let roles = Roles::of(skeleton);
        let body = Body {
            skeleton,
            forward: facing(character).forward.as_dvec3(),
            roles: &roles,
            rotations: rest_rotations(skeleton),
        };
        Self { of_joint: (0..skeleton.len() as u32).map(|joint| body.hinge(joint)).collect() }
    }

    /// Of a skeleton alone: its joints say where the front is.
    pub fn of_skeleton(skeleton: &Skeleton) -> Self {
        Self::of(&Character { skeleton: skeleton.clone(), ..Character::default() })
    }

    /// Of one joint; `None` if it is not there.
    pub fn joint(&self, joint: u32) -> Option<&Hinge> {
        self.of_joint.get(joint as usize)
    }
}

struct Body<'a> {
    skeleton: &'a Skeleton,
    forward: DVec3,
    roles: &'a Roles,
    rotations: Vec<DQuat>,
}

impl Body<'_> {
    fn place(&self, joint: u32) -> DVec3 {
        self.skeleton.rest_model_from_joint()[joint as usize].translation
    }

    /// Of a joint's bone in the model.
    fn along(&self, joint: u32) -> DVec3 {
        let [head, tail] = self.skeleton.rest_bone(joint);
        (tail - head).try_normalize().unwrap_or(DVec3::Y)
    }

    fn hinge(&self, joint: u32) -> Hinge {
        let along = self.along(joint);
        let role = self.roles.role(joint);
        let (towards, outward) = self.ways(joint, along);
        let as_it_rests = match role {
            Some(Role::LowerArm(_) | Role::LowerLeg(_) | Role::Finger(..)) | None => {
                self.rest_bend(joint, along)
            }
            Some(_) => None,
        };
        let bend = as_it_rests.unwrap_or_else(|| axis_towards(along, towards));
        let side = bend.cross(along);
        // A turn about `a` takes the bone along `a × bone`.
        let side = if side.cross(along).dot(outward) < 0.0 { -side } else { side };
        let joint_from_model = self.rotations[joint as usize].inverse();
        let is_hinge = matches!(role, Some(Role::LowerArm(_) | Role::LowerLeg(_)));
        Hinge {
            bend: (joint_from_model * bend).normalize_or(DVec3::X),
            side: (joint_from_model * side).normalize_or(DVec3::Z),
            range_degrees: is_hinge.then_some(HINGE_RANGE_DEGREES),
        }
    }

    /// Where a bend takes the bone, and where a turn to the side does.
    fn ways(&self, joint: u32, along: DVec3) -> (DVec3, DVec3) {
        let left = DVec3::Y.cross(self.forward);
        let of_side = |side: Side| match side {
            Side::Left => left,
            Side::Right => -left,
        };
        // In the plane that faces forward, to the hand's own palm: down for an arm that is held
        // out, inward for one that hangs.
        let palm = |side: Side| {
            let about = if side == Side::Left { -self.forward } else { self.forward };
            about.cross(along)
        };
        match self.roles.role(joint) {
            Some(Role::LowerLeg(side)) => (-self.forward, of_side(side)),
            Some(Role::Foot(side) | Role::Toes(side)) => (DVec3::Y, of_side(side)),
            Some(Role::Hand(side) | Role::Finger(side, ..)) => (palm(side), self.forward),
            Some(Role::UpperArm(side) | Role::LowerArm(side) | Role::UpperLeg(side)) => {
                (self.forward, of_side(side))
            }
            Some(Role::Shoulder(side)) => (self.forward, of_side(side) + DVec3::Y),
            Some(Role::Hips | Role::Neck | Role::Head) => (self.forward, left),
            None => {
                let name = &self.skeleton.joints()[joint as usize].name;
                let side = Side::of_name(name).map_or(left, |(side, _)| of_side(side));
                (self.forward, side)
            }
        }
    }

    /// The axis about which a joint closes further, if it is bent at rest.
    fn rest_bend(&self, joint: u32, along: DVec3) -> Option<DVec3> {
        let parent = self.skeleton.joints()[joint as usize].parent?;
        let arriving = (self.place(joint) - self.place(parent)).try_normalize()?;
        let axis = arriving.cross(along);
        // A hip is no bend: the pelvis goes to the side and the thigh down.
        let is_limb = arriving.dot(along) > 0.5;
        (is_limb && axis.length() > BENT).then(|| axis.normalize())
    }
}

/// The axis, across a bone, about which a turn takes it towards a direction; where the bone points
/// there already, towards what is above or before it.
fn axis_towards(along: DVec3, towards: DVec3) -> DVec3 {
    let ways = [towards, DVec3::Y, DVec3::Z, DVec3::X];
    let axes = ways.map(|way| along.cross(way));
    let found = axes.into_iter().find(|axis| axis.length() > PARALLEL);
    found.unwrap_or(DVec3::X).normalize_or(DVec3::X)
}

/// Rest rotations along the chain; a scale has no say in which way a joint turns.
fn rest_rotations(skeleton: &Skeleton) -> Vec<DQuat> {
    let mut rotations: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let of_parent = joint.parent.map_or(DQuat::IDENTITY, |p| rotations[p as usize]);
        rotations.push((of_parent * joint.rest.rotation).normalize());
    }
    rotations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skeleton::{Axis, Palette, Pose};

    /// Where the end of a joint's bone goes when it turns by 40° about one of its hinge's axes.
    fn way(character: &Character, name: &str, axis: fn(&Hinge) -> DVec3) -> DVec3 {
        let skeleton = &character.skeleton;
        let joint = skeleton.find(name).unwrap();
        let hinges = Hinges::of(character);
        let own = axis(hinges.joint(joint).unwrap());
        let bone_axis = skeleton.joints()[joint as usize].bone_axis();
        let mut pose = Pose::rest(skeleton);
        let posed = &mut pose.joints[joint as usize];
        *posed = posed.rotated(own, 40f64.to_radians(), bone_axis);
        let palette = Palette::new(skeleton, &pose);
        let tail = skeleton.joints()[joint as usize].tail_in_joint;
        let now = palette.model_from_joint()[joint as usize].transform_point3(tail);
        (now - skeleton.rest_bone(joint)[1]).normalize()
    }

    #[test]
    fn joints_bend_the_way_that_bodies_do() {
        for kind in [SampleKind::Human, SampleKind::Chibi, SampleKind::Giant] {
            let character = build(&SampleOptions::new(kind)).unwrap();
            let forward = facing(&character).forward.as_dvec3();
            let left = DVec3::Y.cross(forward);
            let bends = |name: &str| way(&character, name, |hinge| hinge.bend);
            let goes = |name: &str| way(&character, name, |hinge| hinge.side);
            for side in ["l", "r"] {
                let of = |name: &str| format!("{name}_{side}");
                let outward = if side == "l" { left } else { -left };
                assert!(bends(&of("shin")).dot(forward) < -0.5, "{kind:?} shin");
                assert!(bends(&of("thigh")).dot(forward) > 0.5, "{kind:?} thigh");
                assert!(bends(&of("forearm")).dot(forward) > 0.3, "{kind:?} forearm");
                assert!(bends(&of("upper_arm")).dot(forward) > 0.5, "{kind:?} arm");
                assert!(bends(&of("foot")).y > 0.3, "{kind:?} foot");
                assert!(goes(&of("thigh")).dot(outward) > 0.5, "{kind:?} thigh to the side");
            }
            assert!(bends("head").dot(forward) > 0.5, "{kind:?} head");
            assert!(goes("head").dot(left) > 0.5, "{kind:?} head to the side");
        }
    }

    #[test]
    fn a_forearm_that_is_twisted_bends_at_the_same_elbow() {
        let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let skeleton = &character.skeleton;
        let forearm = skeleton.find("forearm_l").unwrap() as usize;
        let hand = |twist_degrees: f64| {
            let mut pose = Pose::rest(skeleton);
            pose.rotate(skeleton, "forearm_l", Axis::Twist, twist_degrees).unwrap();
            pose.rotate(skeleton, "forearm_l", Axis::Bend, 70.0).unwrap();
            let tail = skeleton.joints()[forearm].tail_in_joint;
            Palette::new(skeleton, &pose).model_from_joint()[forearm].transform_point3(tail)
        };
        let off = hand(0.0).distance(hand(130.0));
        assert!(off < 1e-6, "{off}");
    }

    #[test]
    fn axes_are_across_the_bone_and_one_another_and_what_is_bent_bends_further() {
        let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let hinges = Hinges::of(&character);
        for (joint, of_joint) in character.skeleton.joints().iter().enumerate() {
            let hinge = hinges.joint(joint as u32).unwrap();
            let bone = of_joint.bone_axis();
            for (a, b) in [(hinge.bend, hinge.side), (hinge.bend, bone), (hinge.side, bone)] {
                assert!(a.dot(b).abs() < 1e-6, "{}: {a} {b}", of_joint.name);
            }
        }
        assert!(hinges.joint(character.skeleton.len() as u32).is_none());
        // The snake's chain is straight, and nobody knows its joints: forward, whatever that is.
        let arm = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
        assert!(Hinges::of(&arm).of_joint.iter().all(|hinge| hinge.bend.is_normalized()));
    }
}
