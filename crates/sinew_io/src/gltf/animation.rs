//! Animations: channels on nodes become tracks on joints.
//!
//! Cubic splines are kept by their key values with straight lines between, and reported; morph weights are not
//! part of a clip yet and are reported.

use glam::{DQuat, DVec3};
use sinew::motion::{Channel, Clip, Interpolation, Track};

use super::accessor::Accessors;
use super::json::{Animation, AnimationSampler, Root};
use super::skin::Rig;
use crate::{ReadError, Report};

pub(super) fn read_clips(
    root: &Root,
    rig: &Rig,
    accessors: &Accessors<'_>,
    report: &mut Report,
) -> Result<Vec<Clip>, ReadError> {
    let read_one = |(index, animation): (usize, &Animation)| {
        let name = animation.name.clone().unwrap_or_else(|| format!("clip{index}"));
        let mut reader =
            Reader { index, animation, accessors, report, num_cubic: 0, num_directionless: 0 };
        let mut tracks = Vec::new();
        for channel in 0..animation.channels.len() {
            tracks.extend(reader.track(channel, rig)?);
        }
        let (num_cubic, num_directionless) = (reader.num_cubic, reader.num_directionless);
        let place = format!("animations[{index}].samplers");
        if num_directionless > 0 {
            let what = format!(
                "{num_directionless} rotation keys without a direction were taken as no rotation"
            );
            report.warn("rotation-not-unit", place.clone(), what, "write unit quaternions");
        }
        if num_cubic > 0 {
            let what = format!("{num_cubic} cubic curves were read as straight lines");
            report.warn(
                "cubic-curves",
                place,
                what,
                "bake the animation to linear keys before export",
            );
        }
        Ok(Clip { name, tracks })
    };
    root.animations.iter().enumerate().map(read_one).collect()
}

struct Reader<'a> {
    index: usize,
    animation: &'a Animation,
    accessors: &'a Accessors<'a>,
    report: &'a mut Report,
    num_cubic: usize,
    num_directionless: usize,
}

impl Reader<'_> {
    fn track(&mut self, channel: usize, rig: &Rig) -> Result<Option<Track>, ReadError> {
        let place = format!("animations[{}].channels[{channel}]", self.index);
        let found = &self.animation.channels[channel];
        let path = found.target.path.as_str();
        if !matches!(path, "translation" | "rotation" | "scale") {
            let what = format!("animates '{path}', which was left out");
            let mend = "nothing, if only the joints' motion is wanted";
            self.report.note("channel-left-out", format!("{place}.target.path"), what, mend);
            return Ok(None);
        }
        // A channel without node is for extensions.
        let Some(node) = found.target.node else { return Ok(None) };
        let joint = *rig.joint_of_node.get(node).ok_or_else(|| {
            ReadError::malformed(format!("{place}.target.node"), format!("there is no node {node}"))
        })?;
        let Some(joint) = joint else { return Ok(None) };
        let sampler = self.animation.samplers.get(found.sampler).ok_or_else(|| {
            let what = format!("there is no sampler {}", found.sampler);
            ReadError::malformed(format!("{place}.sampler"), what)
        })?;
        let place = format!("animations[{}].samplers[{}]", self.index, found.sampler);
        let (interpolation, values_per_key) = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => (Interpolation::Linear, 1),
            Some("STEP") => (Interpolation::Step, 1),
            Some("CUBICSPLINE") => {
                self.num_cubic += 1;
                (Interpolation::Linear, 3)
            }
            Some(other) => {
                let what = format!("'{other}' is none of LINEAR, STEP and CUBICSPLINE");
                return Err(ReadError::malformed(format!("{place}.interpolation"), what));
            }
        };
        let times = self.accessors.floats::<1>(sampler.input, &format!("{place}.input"))?;
        let times: Vec<f64> = times.into_iter().map(|[t]| f64::from(t)).collect();
        let place = format!("{place}.output");
        let values = self.values(sampler, path, values_per_key, &place)?;
        Ok(Some(self.assemble(joint, times, values, interpolation, &place)))
    }

    /// One value a key: of a cubic curve's in-tangent, value and out-tangent the middle one.
    fn values(
        &mut self,
        sampler: &AnimationSampler,
        path: &str,
        values_per_key: usize,
        place: &str,
    ) -> Result<Channel, ReadError> {
        let middle = values_per_key / 2;
        if path == "rotation" {
            let values = self.accessors.floats::<4>(sampler.output, place)?;
            let keys = values.into_iter().skip(middle).step_by(values_per_key);
            return Ok(Channel::Rotation(keys.map(|q| self.unit_quaternion(q)).collect()));
        }
        let values = self.accessors.floats::<3>(sampler.output, place)?;
        let keys = values
            .into_iter()
            .skip(middle)
            .step_by(values_per_key)
            .map(|v| DVec3::from_array(v.map(f64::from)))
            .collect();
        Ok(if path == "scale" { Channel::Scale(keys) } else { Channel::Translation(keys) })
    }

    fn unit_quaternion(&mut self, [x, y, z, w]: [f32; 4]) -> DQuat {
        let q = DQuat::from_xyzw(x.into(), y.into(), z.into(), w.into());
        let length = q.length();
        if length > 0.0 && length.is_finite() {
            return q / length;
        }
        self.num_directionless += 1;
        DQuat::IDENTITY
    }

    /// Keys in ascending order with finite values; others are dropped and reported.
    fn assemble(
        &mut self,
        joint: u32,
        times: Vec<f64>,
        mut channel: Channel,
        interpolation: Interpolation,
        place: &str,
    ) -> Track {
        let num_keys = times.len().min(channel.len());
        let is_finite = |key: usize| match &channel {
            Channel::Translation(v) | Channel::Scale(v) => v[key].is_finite(),
            Channel::Rotation(v) => v[key].is_finite(),
        };
        let mut latest = f64::NEG_INFINITY;
        let keep: Vec<bool> = (0..num_keys)
            .map(|key| {
                let good = times[key].is_finite() && times[key] > latest && is_finite(key);
                if good {
                    latest = times[key];
                }
                good
            })
            .collect();
        let num_kept = keep.iter().filter(|&&kept| kept).count();
        let num_given = times.len().max(channel.len());
        if num_kept < num_given {
            let what = format!(
                "{} of {num_given} keys are out of order, not finite or without partner; they were dropped",
                num_given - num_kept
            );
            self.report.warn("broken-keys", place, what, "export the animation again");
        }
        fn filter<T>(values: &mut Vec<T>, keep: &[bool]) {
            values.truncate(keep.len());
            let mut kept = keep.iter();
            values.retain(|_| kept.next().copied().unwrap_or(false));
        }
        let mut times_seconds = times;
        filter(&mut times_seconds, &keep);
        match &mut channel {
            Channel::Translation(v) | Channel::Scale(v) => filter(v, &keep),
            Channel::Rotation(v) => filter(v, &keep),
        }
        Track { joint, times_seconds, channel, interpolation }
    }
}
