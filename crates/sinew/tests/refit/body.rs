//! Bodies of other proportions, and two poses of them, made from nothing but a skeleton's names and
//! bones.

use sinew::Character;
use sinew::glam::{DQuat, DVec3, Vec3};
use sinew::skeleton::{Pose, Skeleton};

/// How much thicker, longer or shorter limbs become.
pub(crate) const CHANGE: f64 = 0.3;

/// What is done to a body at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Arms and legs.
    Thicker,
    /// Arms and legs, joints with them.
    Longer,
    /// Arms and legs, joints with them.
    Shorter,
    /// A bump on the face, in place of a shape: samples have none.
    Face,
}

impl Change {
    pub(crate) const ALL: [Self; 4] = [Self::Thicker, Self::Longer, Self::Shorter, Self::Face];
}

/// A rest that has moved.
pub(crate) struct Moved {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) skeleton: Skeleton,
}

fn is_limb(skeleton: &Skeleton, joint: u32) -> bool {
    let name = &skeleton.joints()[joint as usize].name;
    ["thigh", "shin", "upper_arm", "forearm"].iter().any(|limb| name.starts_with(limb))
}

fn on_bone([head, tail]: [DVec3; 2], p: DVec3) -> (f64, DVec3) {
    let bone = tail - head;
    let along = ((p - head).dot(bone) / bone.length_squared().max(1e-30)).clamp(0.0, 1.0);
    (along, head + bone * along)
}

/// How far a point is from the nearest bone that moves it.
pub(crate) fn thickness(character: &Character, skeleton: &Skeleton, point: usize, p: Vec3) -> f64 {
    let weights = character.parts[0].weights.as_ref().unwrap();
    let row = weights.row(point).iter();
    let distance =
        |joint| on_bone(skeleton.bind_bone(joint), p.as_dvec3()).1.distance(p.as_dvec3());
    row.map(|influence| distance(influence.joint)).fold(f64::INFINITY, f64::min)
}

pub(crate) fn moved(character: &Character, change: Change) -> Moved {
    let skeleton = &character.skeleton;
    let part = &character.parts[0];
    let (points, weights) = (part.mesh.points(), part.weights.as_ref().unwrap());
    let longer = match change {
        Change::Longer => CHANGE,
        Change::Shorter => -CHANGE,
        Change::Thicker | Change::Face => 0.0,
    };
    let mut offsets = vec![DVec3::ZERO; skeleton.len()];
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let Some(parent) = joint.parent else { continue };
        let grown = if is_limb(skeleton, parent) { longer } else { 0.0 };
        let [head, _] = skeleton.bind_bone(index as u32);
        let [from, _] = skeleton.bind_bone(parent);
        offsets[index] = offsets[parent as usize] + grown * (head - from);
    }
    let mut skeleton_now = skeleton.clone();
    skeleton_now.move_joints(skeleton, &offsets);

    let nose = points.iter().copied().filter(|p| p.y > 0.9 * character.bounds().max.y);
    let nose = nose.max_by(|a, b| a.z.total_cmp(&b.z)).unwrap().as_dvec3();
    let reach = 0.05 * f64::from(character.bounds().size().y);
    let displaced = |(point, p): (usize, &Vec3)| {
        let p = p.as_dvec3();
        let mut by = DVec3::ZERO;
        for influence in weights.row(point) {
            let (joint, weight) = (influence.joint, f64::from(influence.weight));
            let [head, tail] = skeleton.bind_bone(joint);
            let (along, place) = on_bone([head, tail], p);
            let of_limb = f64::from(u8::from(is_limb(skeleton, joint)));
            by += weight
                * match change {
                    Change::Thicker => CHANGE * of_limb * (p - place),
                    Change::Longer | Change::Shorter => {
                        offsets[joint as usize] + longer * of_limb * along * (tail - head)
                    }
                    Change::Face => {
                        let far = p.distance(nose) / reach;
                        CHANGE * (-far * far).exp() * (p - place)
                    }
                };
        }
        (p + by).as_vec3()
    };
    Moved { positions: points.iter().enumerate().map(displaced).collect(), skeleton: skeleton_now }
}

/// Turns a joint the shortest way until its bone points along `direction`.
fn aim(skeleton: &Skeleton, pose: &mut Pose, name: &str, direction: [f64; 3]) {
    let joint = skeleton.find(name).unwrap() as usize;
    let mut placed = Vec::new();
    pose.model_from_joint(skeleton, &mut placed);
    let bone_axis = skeleton.joints()[joint].bone_axis();
    let now = placed[joint].transform_vector3(bone_axis).normalize();
    let turn = DQuat::from_rotation_arc(now, DVec3::from_array(direction).normalize());
    let (axis, radians) = turn.to_axis_angle();
    let axis_in_joint = placed[joint].matrix3.inverse() * axis;
    pose.joints[joint] = pose.joints[joint].rotated(axis_in_joint.normalize(), radians, bone_axis);
}

/// Where the bones of thighs, shins, upper arms and forearms point: left, then right.
type Limbs = [[[f64; 3]; 2]; 4];

const SQUAT: Limbs = [
    [[0.42, 0.12, 0.90], [-0.42, 0.12, 0.90]],
    [[0.02, -0.86, -0.51], [-0.02, -0.86, -0.51]],
    [[0.30, 0.10, 0.95], [-0.30, 0.10, 0.95]],
    [[-0.10, 0.35, 0.93], [0.10, 0.35, 0.93]],
];

const RUN: Limbs = [
    [[0.05, -0.10, 0.99], [-0.05, -0.82, -0.57]],
    [[0.0, -0.80, -0.60], [0.0, -0.10, -0.99]],
    [[0.25, -0.55, -0.80], [-0.15, -0.75, 0.65]],
    [[0.10, -0.55, 0.83], [0.20, 0.70, 0.69]],
];

/// Squat and run, as the study has them but for shoulders and hands, of the body that was bound:
/// joint by joint the same of every other.
pub(crate) fn poses(skeleton: &Skeleton) -> [(&'static str, Pose); 2] {
    [("squat", SQUAT), ("run", RUN)].map(|(name, limbs)| {
        let mut pose = Pose::rest(skeleton);
        for (limb, sides) in ["thigh", "shin", "upper_arm", "forearm"].iter().zip(limbs) {
            for (side, direction) in ["l", "r"].iter().zip(sides) {
                aim(skeleton, &mut pose, &format!("{limb}_{side}"), direction);
            }
        }
        (name, pose)
    })
}
