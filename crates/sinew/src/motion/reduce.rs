//! Fewer keys for nearly the same skin.
//!
//! A bound on a curve says nothing about what is seen: a degree at the hip moves the foot by
//! centimetres, a degree at the finger nothing. Here the bound is on the *skin*: keys are taken out
//! of every channel as far as a tolerance allows that is made of how far the skin reaches from its
//! joint; then the skin of the result is compared with the original's, frame by frame, by linear
//! blending, and the tolerance is made smaller until every point is within the bound.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::address::{Address, JointProperty};
use super::channel::Keys;
use super::evaluate::{Cursor, MotionSample};
use super::keys::{Key, KeyCurve, Span};
use super::motion::Motion;
use super::value::KeyValue;
use crate::Character;
use crate::frame::{Controls, Normals, Plan, PlanError, Rig};
use crate::progress::Progress;
use crate::skin::SkinMethod;

/// How often the tolerance is made smaller before the motion is left as it was.
const MAX_ROUNDS: usize = 12;

/// Joints add their errors up along a limb: each begins with so much of the bound.
const FIRST_SHARE: f64 = 0.5;

/// Looks between two keys of the original, beside the keys themselves.
const LOOKS_PER_SECOND: f64 = 60.0;

/// A motion with fewer keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// With straight spans where keys were taken out.
    pub motion: Motion,
    /// The furthest that any point of the skin is from where it was, in metres, at any time that
    /// was looked at.
    pub error: f64,
    /// Keys before and after.
    pub num_keys: (usize, usize),
}

impl Motion {
    /// How many keys it has.
    pub fn num_keys(&self) -> usize {
        let channels = self.layers.iter().flat_map(|layer| layer.channels());
        channels.map(|channel| channel.keys().len()).sum()
    }

    /// Takes out keys as long as no point of the skin moves by more than `bound` metres.
    ///
    /// # Errors
    /// If the character cannot be bound, or someone asked to stop.
    pub fn reduced(
        &self,
        character: &Arc<Character>,
        bound: f64,
        progress: &dyn Progress,
    ) -> Result<Reduced, PlanError> {
        let rig = Rig { normals: Normals::Off, ..Rig::of(SkinMethod::Linear) };
        let mut skin = Skins {
            plan: Plan::bind(character, &rig, progress)?,
            character,
            times: self.times_to_look(),
        };
        let reach = reach_of_joints(character);
        let num_before = self.num_keys();
        let mut share = FIRST_SHARE;
        for round in 0..MAX_ROUNDS {
            progress.report("reducing keys", round as f32 / MAX_ROUNDS as f32);
            if progress.is_cancelled() {
                return Err(PlanError::Cancelled);
            }
            let motion = self.with_keys(&character.skeleton, |address, keys| {
                thinned(keys, tolerance(address, bound * share, &reach))
            });
            let error = skin.distance(self, &motion);
            if error <= bound {
                let num_keys = (num_before, motion.num_keys());
                return Ok(Reduced { motion, error, num_keys });
            }
            // Errors are about in proportion; a little below what would just do.
            share *= (0.8 * bound / error).clamp(0.1, 0.7);
        }
        Ok(Reduced { motion: self.clone(), error: 0.0, num_keys: (num_before, num_before) })
    }

    /// Every key, and often in between.
    fn times_to_look(&self) -> Vec<f64> {
        let num_steps = (self.length_seconds * LOOKS_PER_SECOND).ceil() as usize;
        let mut times: Vec<f64> = (0..=num_steps)
            .map(|step| self.length_seconds * step as f64 / num_steps.max(1) as f64)
            .collect();
        for channel in self.layers.iter().flat_map(|layer| layer.channels()) {
            times.extend(channel.keys().times_seconds());
        }
        times.retain(|t| (0.0..=self.length_seconds).contains(t));
        times.sort_by(f64::total_cmp);
        times.dedup_by(|a, b| *a - *b < 1e-6);
        times
    }
}

/// What a channel may be off by so that the skin is off by about `bound`.
fn tolerance(address: Address, bound: f64, reach: &[f64]) -> f64 {
    match address {
        Address::Joint { joint, property } => {
            let arm = reach.get(joint as usize).copied().unwrap_or(0.0).max(bound);
            match property {
                JointProperty::Translation => bound,
                JointProperty::Rotation
                | JointProperty::Swing
                | JointProperty::Twist
                | JointProperty::Scale
                | JointProperty::Stretch => bound / arm,
            }
        }
        // A weight of one moves points by as much as the shape does: a hundredth of it is little
        // beside the check on the skin that follows.
        Address::Shape { .. } | Address::Surface(_) => 0.01_f64.min(bound),
        // A point follows its handles, none by more than all of it.
        Address::Handle(_) => bound,
        Address::Setting(_) | Address::Control(_) => 0.0,
    }
}

/// How far from each joint the skin is that hangs on it or on what it carries, at rest.
fn reach_of_joints(character: &Character) -> Vec<f64> {
    let skeleton = &character.skeleton;
    let places: Vec<DVec3> =
        skeleton.rest_model_from_joint().iter().map(|placed| placed.translation).collect();
    let mut reach = vec![0.0_f64; skeleton.len()];
    for part in &character.parts {
        let Some(weights) = &part.weights else { continue };
        for (point, row) in part.mesh.points().iter().zip(weights.rows()) {
            for influence in row {
                let mut joint = Some(influence.joint);
                while let Some(index) = joint {
                    let index = index as usize;
                    reach[index] = reach[index].max(point.as_dvec3().distance(places[index]));
                    joint = skeleton.joints()[index].parent;
                }
            }
        }
    }
    reach
}

/// Takes out keys between which straight lines are near enough.
fn thinned(keys: &Keys, tolerance: f64) -> Keys {
    match keys {
        Keys::Scalar(curve) => Keys::Scalar(thin(curve, tolerance)),
        Keys::Vector(curve) => Keys::Vector(thin(curve, tolerance)),
        Keys::Rotation(curve) => Keys::Rotation(thin(curve, tolerance)),
    }
}

/// After Douglas and Peucker, over runs of straight spans: held and curved ones stay as they are.
fn thin<T: KeyValue>(curve: &KeyCurve<T>, tolerance: f64) -> KeyCurve<T> {
    let keys = curve.keys();
    let mut is_kept = vec![false; keys.len()];
    let mut start = 0;
    while start < keys.len() {
        let straight = keys[start..].iter().take_while(|key| key.span == Span::Linear).count();
        // The key after a run ends it.
        let end = (start + straight).min(keys.len() - 1);
        is_kept[start] = true;
        is_kept[end] = true;
        keep_far(keys, start, end, tolerance, &mut is_kept);
        start = end.max(start + 1);
    }
    let kept = keys.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(key, _)| *key);
    let (before, after) = curve.outside();
    KeyCurve::new(kept.collect()).with_outside(before, after)
}

fn keep_far<T: KeyValue>(
    keys: &[Key<T>],
    start: usize,
    end: usize,
    tolerance: f64,
    is_kept: &mut [bool],
) {
    let mut runs = vec![(start, end)];
    while let Some((start, end)) = runs.pop() {
        let (from, to) = (&keys[start], &keys[end]);
        let far = (start + 1..end)
            .map(|at| {
                let share = (keys[at].seconds - from.seconds) / (to.seconds - from.seconds);
                (at, T::mix(from.value, to.value, share).distance(keys[at].value))
            })
            .reduce(|a, b| if b.1 > a.1 { b } else { a });
        if let Some((at, distance)) = far
            && distance > tolerance
        {
            is_kept[at] = true;
            runs.extend([(start, at), (at, end)]);
        }
    }
}

/// Two motions on the same skin.
struct Skins<'a> {
    plan: Plan,
    character: &'a Arc<Character>,
    times: Vec<f64>,
}

impl Skins<'_> {
    /// The furthest that a point of one is from the same of the other.
    fn distance(&mut self, a: &Motion, b: &Motion) -> f64 {
        let mut scratch = self.plan.scratch();
        let mut frames = [self.plan.frame(), self.plan.frame()];
        let mut cursors = [Cursor::default(), Cursor::default()];
        let mut sample = MotionSample::rest(self.character);
        let mut controls = Controls::rest(self.character);
        let mut worst = 0.0_f32;
        for &seconds in &self.times {
            for ((motion, cursor), frame) in [a, b].iter().zip(&mut cursors).zip(&mut frames) {
                motion.evaluate(&self.character.skeleton, seconds, cursor, &mut sample);
                controls.pose.joints.copy_from_slice(&sample.pose.joints);
                for (part, weights) in controls.parts.iter_mut().zip(&sample.shape_weights) {
                    part.shape_weights.clone_from(weights);
                }
                self.plan.run(&controls, &mut scratch, frame);
            }
            let parts = frames[0].parts().iter().zip(frames[1].parts());
            for (a, b) in parts.flat_map(|(a, b)| a.points().iter().zip(b.points())) {
                worst = worst.max(Vec3::distance_squared(*a, *b));
            }
        }
        f64::from(worst).sqrt()
    }
}
