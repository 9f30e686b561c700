//! Clips: keyed curves of joint transforms, absolute in the parent as files have them, and of shape
//! weights.

use glam::{DQuat, DVec3};

use super::curve::Curve;
use super::motion::Motion;
use crate::character::Part;
use crate::driver::Drivers;
use crate::skeleton::{Pose, Skeleton};

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

/// A named control of the character's drivers.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlTrack {
    /// Index into the drivers' controls.
    pub control: u32,
    /// Its value.
    pub values: Curve<f64>,
}

/// A handle of the cage that the character has.
#[derive(Clone, Debug, PartialEq)]
pub struct HandleTrack {
    /// The number of the cage's handle.
    pub handle: u32,
    /// How far it is from where it was bound, at rest.
    pub offsets: Curve<DVec3>,
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
    /// At most one a control; a later one wins.
    pub control_tracks: Vec<ControlTrack>,
    /// At most one a handle of the cage; a later one wins.
    pub handle_tracks: Vec<HandleTrack>,
}

impl Clip {
    /// A motion of joints.
    pub fn new(name: impl Into<String>, tracks: Vec<Track>) -> Self {
        Self { name: name.into(), tracks, ..Self::default() }
    }

    /// The time of the last key.
    pub fn duration_seconds(&self) -> f64 {
        let of_joints = self.tracks.iter().map(|track| track.channel.times_seconds());
        let of_shapes = self.shape_tracks.iter().map(|track| &track.weights.times_seconds[..]);
        let of_controls = self.control_tracks.iter().map(|track| &track.values.times_seconds[..]);
        let of_handles = self.handle_tracks.iter().map(|track| &track.offsets.times_seconds[..]);
        of_joints
            .chain(of_shapes)
            .chain(of_controls)
            .chain(of_handles)
            .filter_map(<[f64]>::last)
            .copied()
            .fold(0.0, f64::max)
    }

    /// The pose at a time; before the first key and after the last the curve holds. Joints without
    /// a curve rest. Twists are unwrapped from key to key, so that turns in a clip add up.
    ///
    /// For a single look. Who looks often makes a [`Motion`] once ([`Motion::of_clip`]) and
    /// evaluates that.
    pub fn pose_at(&self, skeleton: &Skeleton, time_seconds: f64) -> Pose {
        Motion::of_clip(self, skeleton).pose_at(skeleton, time_seconds)
    }

    /// The values of a character's named controls at a time; those that the clip does not move
    /// rest.
    pub fn control_values_at(&self, drivers: &Drivers, time_seconds: f64) -> Vec<f64> {
        let mut values: Vec<f64> = drivers.controls.iter().map(|control| control.rest).collect();
        for track in &self.control_tracks {
            if let Some(value) = values.get_mut(track.control as usize)
                && let Some(spot) = track.values.locate(1, time_seconds)
            {
                *value = track.values.value(spot, 1, 0);
            }
        }
        values
    }

    /// Where the handles of a cage are at rest at a time, `bound` where the clip does not move
    /// them; empty if it moves none.
    pub fn rest_cage_at(&self, bound: &[DVec3], time_seconds: f64) -> Vec<DVec3> {
        if self.handle_tracks.is_empty() {
            return Vec::new();
        }
        let mut places = bound.to_vec();
        for track in &self.handle_tracks {
            let handle = track.handle as usize;
            if let (Some(place), Some(at)) = (places.get_mut(handle), bound.get(handle))
                && let Some(spot) = track.offsets.locate(1, time_seconds)
            {
                *place = *at + track.offsets.value(spot, 1, 0);
            }
        }
        places
    }

    /// The weights of a part's shapes at a time, one a shape. Shapes that the clip does not move
    /// have their rest weight.
    pub fn shape_weights_at(&self, part: usize, of: &Part, time_seconds: f64) -> Vec<f32> {
        let mut weights = of.rest_shape_weights();
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

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use super::*;
    use crate::motion::Tangents;
    use crate::skeleton::{Joint, JointTransform};

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
