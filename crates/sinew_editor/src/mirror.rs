//! Poses seen in a mirror: what the left does, the right does, across the plane x = 0 of model
//! space.
//!
//! A joint's turn, seen along model axes with its parents at rest, is `d = W q W⁻¹`, W the joint's
//! rest rotation in the model. Its mirror image is `(x, -y, -z, w)` of d, and the partner's own
//! turn that image in the partner's frame. Exact where the rest is symmetric.

use glam::{DQuat, DVec3};
use sinew::skeleton::{JointPose, Pose, Side, Skeleton};

use crate::edit::EditError;

/// The other side's name.
fn partner_name(name: &str) -> Option<String> {
    Side::of_name(name).map(|(_, other)| other)
}

/// The joint of the other side; itself where there is none.
pub(crate) fn partner(skeleton: &Skeleton, joint: usize) -> usize {
    let joints = skeleton.joints();
    let name = joints.get(joint).and_then(|joint| partner_name(&joint.name));
    let found = name.and_then(|name| joints.iter().position(|joint| joint.name == name));
    found.unwrap_or(joint)
}

/// The pose of the mirror image.
pub(crate) fn mirrored(skeleton: &Skeleton, pose: &Pose) -> Result<Pose, EditError> {
    let joints = skeleton.joints();
    let partner: Vec<usize> = (0..joints.len()).map(|index| partner(skeleton, index)).collect();
    if partner.iter().enumerate().all(|(index, &other)| index == other) {
        let fault = "no joint has a partner on the other side; names must differ by left and right, \
                     or by l and r between marks, as in 'arm_l' and 'arm_r'";
        return Err(EditError::value("skeleton", fault));
    }
    // Rest rotations along the chain; a scale has no say in which way a joint turns.
    let mut model_rotation: Vec<DQuat> = Vec::with_capacity(joints.len());
    for joint in joints {
        let of_parent = joint.parent.map_or(DQuat::IDENTITY, |p| model_rotation[p as usize]);
        model_rotation.push((of_parent * joint.rest.rotation).normalize());
    }
    let parent_rotation = |index: usize| {
        joints[index].parent.map_or(DQuat::IDENTITY, |parent| model_rotation[parent as usize])
    };
    let image = |index: usize| {
        let from = partner[index];
        let source = &pose.joints[from];
        let turned = source.rotation(joints[from].bone_axis());
        let d = model_rotation[from] * turned * model_rotation[from].inverse();
        let d = DQuat::from_xyzw(d.x, -d.y, -d.z, d.w);
        let rotation = model_rotation[index].inverse() * d * model_rotation[index];
        let moved = parent_rotation(from) * source.translation;
        let moved = DVec3::new(-moved.x, moved.y, moved.z);
        // A mirror turns screws around.
        let translation = parent_rotation(index).inverse() * moved;
        JointPose { twist_radians: -source.twist_radians, translation, ..*source }
            .with_rotation(rotation.normalize(), joints[index].bone_axis())
    };
    Ok(Pose { joints: (0..joints.len()).map(image).collect() })
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};
    use sinew::skeleton::Palette;

    use super::*;

    #[test]
    fn every_joint_of_a_mirrored_pose_stands_where_the_mirror_shows_its_partner() {
        let character = build(&SampleOptions::new(SampleKind::Chibi)).unwrap();
        let skeleton = &character.skeleton;
        let mut pose = Pose::rest(skeleton);
        for (index, joint) in pose.joints.iter_mut().enumerate() {
            let bone_axis = skeleton.joints()[index].bone_axis();
            let angle = 0.3 * (index as f64 * 1.7).sin();
            *joint = joint.rotated(DVec3::X, angle, bone_axis).rotated(
                bone_axis,
                2.0 * angle,
                bone_axis,
            );
            joint.translation = DVec3::new(0.01, -0.02, 0.03) * angle;
        }
        let image = mirrored(skeleton, &pose).unwrap();
        let places = |pose| -> Vec<DVec3> {
            let palette = Palette::new(skeleton, pose);
            palette.model_from_joint().iter().map(|m| m.translation).collect()
        };
        let (here, there) = (places(&pose), places(&image));
        let mut num_pairs = 0;
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let other = partner_name(&joint.name)
                .and_then(|name| skeleton.joints().iter().position(|j| j.name == name));
            num_pairs += usize::from(other.is_some());
            let at = there[other.unwrap_or(index)];
            let expected = DVec3::new(-here[index].x, here[index].y, here[index].z);
            assert!(at.distance(expected) < 1e-6, "{}: {at} {expected}", joint.name);
        }
        assert!(num_pairs >= 10);
    }

    #[test]
    fn the_mirror_image_of_a_mirror_image_is_the_pose() {
        let character = build(&SampleOptions::new(SampleKind::Chibi)).unwrap();
        let mut pose = Pose::rest(&character.skeleton);
        pose.joints[5].twist_radians = 9.0;
        let twice =
            mirrored(&character.skeleton, &mirrored(&character.skeleton, &pose).unwrap()).unwrap();
        for (a, b) in pose.joints.iter().zip(&twice.joints) {
            assert!((a.twist_radians - b.twist_radians).abs() < 1e-9);
            assert!(a.swing.angle_between(b.swing) < 1e-6);
        }
    }
}
