//! A motion at a time: layers from the bottom up, into buffers that are there.

use glam::{DQuat, DVec3};

use super::address::{Address, JointProperty, RigSetting};
use super::channel::{Keys, MotionChannel};
use super::curve::CurveValue as _;
use super::layer::LayerMode;
use super::motion::Motion;
use crate::Character;
use crate::cage::MAX_HANDLES;
use crate::skeleton::{JointPose, Pose, Skeleton};

/// Where each channel was last: times that go on cost no search.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    keys: Vec<u32>,
}

/// What a motion says at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionSample {
    /// Joints without a channel rest.
    pub pose: Pose,
    /// One list a part. Shapes without a channel have their rest weight.
    pub shape_weights: Vec<Vec<f32>>,
    /// Settings of the rig that the motion changes.
    pub settings: Vec<(RigSetting, f64)>,
    /// Of named controls; those without a channel rest.
    pub values: Vec<f64>,
    /// By handle of the cage: how far it is from where it was bound; `None`, and for those past the
    /// end, where no channel says so.
    pub cage_offsets: Vec<Option<DVec3>>,
    /// Of edits of the surface, by their numbers: those that a channel weighs.
    pub surface_weights: Vec<(u32, f64)>,
    rest_weights: Vec<Vec<f32>>,
    rest_values: Vec<f64>,
}

impl MotionSample {
    /// Room for a character's.
    pub fn rest(character: &Character) -> Self {
        let weights: Vec<Vec<f32>> =
            character.parts.iter().map(crate::Part::rest_shape_weights).collect();
        let controls = &character.drivers.controls;
        let values: Vec<f64> = controls.iter().map(|control| control.rest).collect();
        Self {
            pose: Pose::rest(&character.skeleton),
            shape_weights: weights.clone(),
            settings: Vec::with_capacity(RigSetting::ALL.len()),
            rest_weights: weights,
            values: values.clone(),
            cage_offsets: Vec::new(),
            surface_weights: Vec::new(),
            rest_values: values,
        }
    }

    /// Room for a pose alone.
    pub fn of_pose(skeleton: &Skeleton) -> Self {
        Self {
            pose: Pose::rest(skeleton),
            shape_weights: Vec::new(),
            settings: Vec::with_capacity(RigSetting::ALL.len()),
            rest_weights: Vec::new(),
            values: Vec::new(),
            cage_offsets: Vec::new(),
            surface_weights: Vec::new(),
            rest_values: Vec::new(),
        }
    }

    fn reset(&mut self) {
        self.pose.joints.fill(JointPose::REST);
        for (weights, rest) in self.shape_weights.iter_mut().zip(&self.rest_weights) {
            weights.copy_from_slice(rest);
        }
        self.settings.clear();
        self.values.copy_from_slice(&self.rest_values);
        self.cage_offsets.fill(None);
        self.surface_weights.clear();
    }
}

impl Motion {
    /// What it says at a time. Allocates nothing once the cursor has grown to the motion; channels
    /// of joints, parts and shapes that `out` has no room for are passed over.
    pub fn evaluate(
        &self,
        skeleton: &Skeleton,
        seconds: f64,
        cursor: &mut Cursor,
        out: &mut MotionSample,
    ) {
        out.reset();
        let num_channels = self.layers.iter().map(|layer| layer.channels().len()).sum();
        cursor.keys.resize(num_channels, 0);
        let mut keys = cursor.keys.iter_mut();
        for layer in &self.layers {
            for (channel, key) in layer.channels().iter().zip(&mut keys) {
                if layer.acts() && layer.reaches(channel.address()) {
                    let weight = layer.weight.min(1.0);
                    apply(channel, skeleton, seconds, key, Mix { mode: layer.mode, weight }, out);
                }
            }
        }
    }

    /// The pose at a time; for one look, where nothing need be kept from one to the next.
    pub fn pose_at(&self, skeleton: &Skeleton, seconds: f64) -> Pose {
        let mut out = MotionSample::of_pose(skeleton);
        self.evaluate(skeleton, seconds, &mut Cursor::default(), &mut out);
        out.pose
    }
}

/// How a layer's value meets what is below it.
#[derive(Clone, Copy)]
struct Mix {
    mode: LayerMode,
    weight: f64,
}

impl Mix {
    /// What adds up.
    fn sum(self, below: f64, value: f64) -> f64 {
        match self.mode {
            LayerMode::Replace if self.weight == 1.0 => value,
            LayerMode::Replace => below + (value - below) * self.weight,
            LayerMode::Add => below + value * self.weight,
        }
    }

    /// What is multiplied, 1 being nothing.
    fn product(self, below: f64, value: f64) -> f64 {
        match self.mode {
            LayerMode::Replace if self.weight == 1.0 => value,
            LayerMode::Replace => below + (value - below) * self.weight,
            LayerMode::Add => below * (1.0 + (value - 1.0) * self.weight),
        }
    }

    fn each(self, below: DVec3, value: DVec3, of: fn(Self, f64, f64) -> f64) -> DVec3 {
        DVec3::new(
            of(self, below.x, value.x),
            of(self, below.y, value.y),
            of(self, below.z, value.z),
        )
    }
}

fn apply(
    channel: &MotionChannel,
    skeleton: &Skeleton,
    seconds: f64,
    key: &mut u32,
    mix: Mix,
    out: &mut MotionSample,
) {
    match (channel.address(), channel.keys()) {
        (Address::Joint { joint, property }, keys) => {
            let index = joint as usize;
            let Some(pose) = out.pose.joints.get_mut(index) else { return };
            let Some(joint) = skeleton.joints().get(index) else { return };
            match (property, keys) {
                (JointProperty::Rotation, Keys::Rotation(curve)) => {
                    let Some(place) = curve.locate(seconds, key) else { return };
                    let axis = joint.bone_axis();
                    let (swing, twist) = channel.swing_and_twist(curve, place, axis);
                    turn(pose, Some(swing), Some(twist), axis, mix);
                }
                (JointProperty::Swing, Keys::Rotation(curve)) => {
                    let swing = curve.value_at(seconds, key);
                    turn(pose, swing, None, joint.bone_axis(), mix);
                }
                (JointProperty::Twist, Keys::Scalar(curve)) => {
                    let twist = curve.value_at(seconds, key);
                    turn(pose, None, twist, joint.bone_axis(), mix);
                }
                (JointProperty::Stretch, Keys::Scalar(curve)) => {
                    let Some(value) = curve.value_at(seconds, key) else { return };
                    pose.stretch = mix.product(pose.stretch, value);
                }
                (JointProperty::Translation, Keys::Vector(curve)) => {
                    let Some(value) = curve.value_at(seconds, key) else { return };
                    pose.translation = mix.each(pose.translation, value, Mix::sum);
                }
                (JointProperty::Scale, Keys::Vector(curve)) => {
                    let Some(value) = curve.value_at(seconds, key) else { return };
                    pose.scale = mix.each(pose.scale, value, Mix::product);
                }
                // MotionChannel::new lets nothing else through.
                _ => {}
            }
        }
        (Address::Shape { part, shape }, Keys::Scalar(curve)) => {
            let of_part = out.shape_weights.get_mut(part as usize);
            let Some(weight) = of_part.and_then(|list| list.get_mut(shape as usize)) else {
                return;
            };
            let Some(value) = curve.value_at(seconds, key) else { return };
            *weight = mix.sum(f64::from(*weight), value) as f32;
        }
        (Address::Control(control), Keys::Scalar(curve)) => {
            let Some(below) = out.values.get_mut(control as usize) else { return };
            let Some(value) = curve.value_at(seconds, key) else { return };
            *below = mix.sum(*below, value);
        }
        (Address::Handle(handle), Keys::Vector(curve)) => {
            let Some(value) = curve.value_at(seconds, key) else { return };
            let handle = handle as usize;
            if handle >= MAX_HANDLES {
                return;
            }
            if handle >= out.cage_offsets.len() {
                out.cage_offsets.resize(handle + 1, None);
            }
            let offset = &mut out.cage_offsets[handle];
            *offset = Some(mix.each(offset.unwrap_or(DVec3::ZERO), value, Mix::sum));
        }
        (Address::Setting(setting), Keys::Scalar(curve)) => {
            let Some(value) = curve.value_at(seconds, key) else { return };
            match out.settings.iter_mut().find(|(known, _)| *known == setting) {
                Some((_, below)) => *below = mix.sum(*below, value),
                // There is nothing below to mix with: the rig's own value is not known here.
                None => out.settings.push((setting, value)),
            }
        }
        (Address::Surface(number), Keys::Scalar(curve)) => {
            let Some(value) = curve.value_at(seconds, key) else { return };
            let weights = &mut out.surface_weights;
            match weights.iter_mut().find(|(known, _)| *known == number) {
                Some((_, below)) => *below = mix.sum(*below, value),
                // An edit that a motion weighs is not there without it.
                None => weights.push((number, mix.sum(0.0, value))),
            }
        }
        _ => {}
    }
}

/// Turns a joint. The swing and the twist of a replacing layer meet those below one by one, so that
/// turns are kept; an adding layer turns the joint further in its own, posed, frame.
fn turn(pose: &mut JointPose, swing: Option<DQuat>, twist: Option<f64>, axis: DVec3, mix: Mix) {
    match (mix.mode, mix.weight) {
        (LayerMode::Replace, 1.0) => {
            pose.swing = swing.unwrap_or(pose.swing);
            pose.twist_radians = twist.unwrap_or(pose.twist_radians);
        }
        (LayerMode::Replace, weight) => {
            if let Some(swing) = swing {
                pose.swing = DQuat::mix(pose.swing, swing, weight);
            }
            if let Some(twist) = twist {
                pose.twist_radians = mix.sum(pose.twist_radians, twist);
            }
        }
        (LayerMode::Add, weight) => {
            if let Some(swing) = swing {
                let part = DQuat::mix(DQuat::IDENTITY, swing, weight);
                *pose = pose.with_rotation(pose.rotation(axis) * part, axis);
            }
            if let Some(twist) = twist {
                pose.twist_radians += twist * weight;
            }
        }
    }
}
