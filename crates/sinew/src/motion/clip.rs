//! Clips: keyed curves of joint transforms, absolute in the parent as files have them, and of shape
//! weights.

use glam::{DQuat, DVec3};

use super::curve::{Curve, Interpolation};
use crate::character::Part;
use crate::skeleton::{
    Joint, JointPose, JointTransform, Pose, Skeleton, nearest_turn, swing_twist,
};

/// A spline may turn further between two keys than the shorter arc does: looked at so often in
/// between, it would have to make a whole turn in a quarter of the span to be miscounted.
const CUBIC_LOOKS_PER_SPAN: usize = 8;

/// What a curve moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// In the parent's frame.
    Translation(Curve<DVec3>),
    /// Unit quaternions, in the parent's frame.
    Rotation(Curve<DQuat>),
    /// Along the joint's own axes.
    Scale(Curve<DVec3>),
}

impl Channel {
    /// When its keys are.
    pub fn times_seconds(&self) -> &[f64] {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => &curve.times_seconds,
            Self::Rotation(curve) => &curve.times_seconds,
        }
    }

    /// Number of keys.
    pub fn num_keys(&self) -> usize {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => curve.num_keys(),
            Self::Rotation(curve) => curve.num_keys(),
        }
    }
}

/// One curve of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Index into the skeleton.
    pub joint: u32,
    /// What moves, and how.
    pub channel: Channel,
}

/// The weights of all shapes of one part.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeTrack {
    /// Index into the character's parts.
    pub part: u32,
    /// Weights a key.
    pub num_shapes: usize,
    /// `num_shapes` values a key, key after key.
    pub weights: Curve<f32>,
}

/// A named motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// As the file has it.
    pub name: String,
    /// At most one of each kind a joint; a later one wins.
    pub tracks: Vec<Track>,
    /// At most one a part; a later one wins.
    pub shape_tracks: Vec<ShapeTrack>,
}

impl Clip {
    /// A motion of joints.
    pub fn new(name: impl Into<String>, tracks: Vec<Track>) -> Self {
        Self { name: name.into(), tracks, shape_tracks: Vec::new() }
    }

    /// The time of the last key.
    pub fn duration_seconds(&self) -> f64 {
        let of_joints = self.tracks.iter().map(|track| track.channel.times_seconds());
        let of_shapes = self.shape_tracks.iter().map(|track| &track.weights.times_seconds[..]);
        of_joints.chain(of_shapes).filter_map(<[f64]>::last).copied().fold(0.0, f64::max)
    }

    /// The pose at a time; before the first key and after the last the curve holds. Joints without
    /// a curve rest. Twists are unwrapped from key to key, so that turns in a clip add up.
    ///
    /// Tracks of joints that the skeleton does not have are passed over.
    pub fn pose_at(&self, skeleton: &Skeleton, time_seconds: f64) -> Pose {
        let mut locals: Vec<JointTransform> = skeleton.joints().iter().map(|j| j.rest).collect();
        let mut twists = vec![0.0; skeleton.len()];
        for track in &self.tracks {
            let index = track.joint as usize;
            let Some(local) = locals.get_mut(index) else { continue };
            match &track.channel {
                Channel::Translation(curve) => {
                    local.translation = curve.value_at(time_seconds).unwrap_or(local.translation);
                }
                Channel::Scale(curve) => {
                    local.scale = curve.value_at(time_seconds).unwrap_or(local.scale);
                }
                Channel::Rotation(curve) => {
                    let Some(spot) = curve.locate(1, time_seconds) else { continue };
                    local.rotation = curve.value(spot, 1, 0);
                    let joint = &skeleton.joints()[index];
                    twists[index] = unwrapped_twist(curve, joint, spot.key, time_seconds);
                }
            }
        }
        let joints = skeleton
            .joints()
            .iter()
            .zip(&locals)
            .zip(&twists)
            .map(|((joint, local), &near)| JointPose::from_local(joint, local, near))
            .collect();
        Pose { joints }
    }

    /// The weights of a part's shapes at a time, one a shape. Shapes that the clip does not move
    /// have their rest weight.
    pub fn shape_weights_at(&self, part: usize, of: &Part, time_seconds: f64) -> Vec<f32> {
        let mut weights: Vec<f32> = of.shapes.iter().map(|shape| shape.rest_weight).collect();
        let track = self.shape_tracks.iter().rev().find(|track| track.part as usize == part);
        if let Some(track) = track
            && let Some(spot) = track.weights.locate(track.num_shapes, time_seconds)
        {
            for (shape, weight) in weights.iter_mut().enumerate().take(track.num_shapes) {
                *weight = track.weights.value(spot, track.num_shapes, shape);
            }
        }
        weights
    }
}

/// The twist that turns have added up to at a key and a time after it.
fn unwrapped_twist(curve: &Curve<DQuat>, joint: &Joint, key: usize, time_seconds: f64) -> f64 {
    let rest_inverse = joint.rest.rotation.inverse();
    let axis = joint.bone_axis();
    let follow = |near: f64, q: DQuat| nearest_turn(swing_twist(rest_inverse * q, axis).1, near);
    if !matches!(curve.interpolation, Interpolation::Cubic(_)) {
        return curve.values[..=key].iter().fold(0.0, |near, &q| follow(near, q));
    }
    let mut twist = follow(0.0, curve.values[0]);
    for span in 0..=key {
        for look in 1..=CUBIC_LOOKS_PER_SPAN {
            let fraction = look as f64 / CUBIC_LOOKS_PER_SPAN as f64;
            if span == key {
                let Some(next) = curve.times_seconds.get(key + 1) else { return twist };
                let start = curve.times_seconds[key];
                if start + fraction * (next - start) > time_seconds {
                    return twist;
                }
            }
            twist = follow(twist, curve.between(span, fraction));
        }
    }
    twist
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use super::*;
    use crate::motion::Tangents;

    fn one_joint() -> Skeleton {
        Skeleton::new(vec![Joint {
            name: "root".into(),
            parent: None,
            rest: JointTransform::IDENTITY,
            tail_in_joint: DVec3::Y,
        }])
        .unwrap()
    }

    fn clip(channel: Channel) -> Clip {
        Clip::new("clip", vec![Track { joint: 0, channel }])
    }

    fn seconds(num_keys: usize) -> Vec<f64> {
        (0..num_keys).map(|key| key as f64).collect()
    }

    #[test]
    fn a_turn_keyed_in_quarters_is_kept_as_a_turn() {
        let quarters = (0..=4).map(|k| DQuat::from_rotation_y(f64::from(k) * FRAC_PI_2)).collect();
        let clip = clip(Channel::Rotation(Curve::linear(seconds(5), quarters)));
        let twist = |t| clip.pose_at(&one_joint(), t).joints[0].twist_radians;
        assert!((twist(4.0) - TAU).abs() < 1e-9);
        assert!((twist(3.5) - 3.5 * FRAC_PI_2).abs() < 1e-9);
    }

    #[test]
    fn a_spline_that_turns_further_than_the_shorter_arc_keeps_its_turns() {
        // Three thirds of a turn forward in each span: keys alone would say a third back.
        let step = TAU * 2.0 / 3.0;
        let values: Vec<DQuat> =
            (0..4).map(|k| DQuat::from_axis_angle(DVec3::Y, f64::from(k) * step)).collect();
        // d/dt (0, sin φ/2, 0, cos φ/2) with φ = step·t.
        let tangents = (0..4)
            .map(|k| {
                let half = 0.5 * f64::from(k) * step;
                let slope = DQuat::from_xyzw(0.0, half.cos(), 0.0, -half.sin()) * (0.5 * step);
                Tangents { incoming: slope, outgoing: slope }
            })
            .collect();
        let clip = clip(Channel::Rotation(Curve::cubic(seconds(4), values, tangents)));
        let twist = |t| clip.pose_at(&one_joint(), t).joints[0].twist_radians;
        assert!((twist(3.0) - 3.0 * step).abs() < 1e-9, "{}", twist(3.0));
        for tenth in 0..30 {
            let t = f64::from(tenth) * 0.1;
            assert!((twist(t) - step * t).abs() < 0.1, "{t}: {}", twist(t));
        }
    }

    #[test]
    fn a_curve_without_keys_leaves_the_joint_at_rest() {
        let clip = clip(Channel::Scale(Curve::linear(seconds(1), vec![])));
        assert_eq!(clip.pose_at(&one_joint(), 0.5), Pose::rest(&one_joint()));
    }
}
