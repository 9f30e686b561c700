//! Animations: channels on nodes become tracks on joints and, for morph weights, on parts.
//!
//! Step, linear and cubic curves on every path are kept as they are. Keys that are out of order or
//! not finite are dropped and reported; channels of paths that are none of glTF's four are left out
//! and noted.

use glam::{DQuat, DVec3};
use sinew::motion::{Channel, Clip, Curve, Interpolation, ShapeTrack, Tangents, Track};

use super::accessor::Accessors;
use super::json::{Animation, AnimationSampler, Root};
use super::skin::Rig;
use crate::{ReadError, Report};

/// What channels may move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Targets<'a> {
    pub(super) rig: &'a Rig,
    /// How many each part has.
    pub(super) num_shapes: &'a [usize],
    /// The part of each node's mesh.
    pub(super) part_of_node: &'a [Option<u32>],
}

/// What a channel is.
#[derive(Debug, PartialEq)]
pub(super) enum Moved {
    Joint(Track),
    Shapes(ShapeTrack),
}

pub(super) fn read_clips(
    root: &Root,
    targets: Targets<'_>,
    accessors: &Accessors<'_>,
    report: &mut Report,
) -> Result<Vec<Clip>, ReadError> {
    let read_one = |(index, animation): (usize, &Animation)| {
        let name = animation.name.clone().unwrap_or_else(|| format!("clip{index}"));
        let mut clip = Clip { name, ..Clip::default() };
        let mut reader =
            Reader { index, animation, targets, accessors, report, num_directionless: 0 };
        for channel in 0..animation.channels.len() {
            match reader.channel(channel)? {
                Some(Moved::Joint(track)) => clip.tracks.push(track),
                Some(Moved::Shapes(track)) => clip.shape_tracks.push(track),
                None => {}
            }
        }
        let num_directionless = reader.num_directionless;
        if num_directionless > 0 {
            let place = format!("animations[{index}].samplers");
            let what = format!(
                "{num_directionless} rotation keys without a direction were taken as no rotation"
            );
            report.warn("rotation-not-unit", place, what, "write unit quaternions");
        }
        Ok(clip)
    };
    root.animations.iter().enumerate().map(read_one).collect()
}

/// One channel again; `None` if it is broken in any way.
pub(super) fn read_whole_channel(
    root: &Root,
    (index, channel): (usize, usize),
    targets: Targets<'_>,
    accessors: &Accessors<'_>,
) -> Option<Moved> {
    let animation = root.animations.get(index)?;
    let mut report = Report::default();
    let report = &mut report;
    let mut reader = Reader { index, animation, targets, accessors, report, num_directionless: 0 };
    let read = reader.channel(channel).ok()?;
    read.filter(|_| reader.num_directionless == 0 && reader.report.is_clean())
}

struct Reader<'a> {
    index: usize,
    animation: &'a Animation,
    targets: Targets<'a>,
    accessors: &'a Accessors<'a>,
    report: &'a mut Report,
    num_directionless: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Step,
    Linear,
    Cubic,
}

impl Kind {
    /// A cubic key has a tangent in, a value and a tangent out.
    fn values_per_key(self) -> usize {
        if self == Self::Cubic { 3 } else { 1 }
    }
}

/// A sampler's arrays, before anything is made of them.
struct Samples<'a, const N: usize> {
    times: Vec<[f32; 1]>,
    outputs: Vec<[f32; N]>,
    kind: Kind,
    place: &'a str,
}

impl Reader<'_> {
    /// `None` for what moves nothing of the character.
    fn channel(&mut self, channel: usize) -> Result<Option<Moved>, ReadError> {
        let place = format!("animations[{}].channels[{channel}]", self.index);
        let found = &self.animation.channels[channel];
        let path = found.target.path.as_str();
        if !matches!(path, "translation" | "rotation" | "scale" | "weights") {
            let what = format!("animates '{path}', which was left out");
            let mend = "nothing, if only the motion of joints and shapes is wanted";
            self.report.note("channel-left-out", format!("{place}.target.path"), what, mend);
            return Ok(None);
        }
        // A channel without node is for extensions.
        let Some(node) = found.target.node else { return Ok(None) };
        let joint = *self.targets.rig.joint_of_node.get(node).ok_or_else(|| {
            ReadError::malformed(format!("{place}.target.node"), format!("there is no node {node}"))
        })?;
        let sampler = self.animation.samplers.get(found.sampler).ok_or_else(|| {
            let what = format!("there is no sampler {}", found.sampler);
            ReadError::malformed(format!("{place}.sampler"), what)
        })?;
        let sampler_place = format!("animations[{}].samplers[{}]", self.index, found.sampler);
        if path == "weights" {
            let Some(part) = self.targets.part_of_node.get(node).copied().flatten() else {
                return Ok(None);
            };
            let num_shapes = self.targets.num_shapes[part as usize];
            if num_shapes == 0 {
                let what = "animates the shapes of a mesh that has none; left out";
                let mend = "remove the channel";
                self.report.note("channel-left-out", format!("{place}.target.path"), what, mend);
                return Ok(None);
            }
            let weights = self.weights(sampler, num_shapes, &sampler_place)?;
            return Ok(Some(Moved::Shapes(ShapeTrack { part, num_shapes, weights })));
        }
        let Some(joint) = joint else { return Ok(None) };
        let channel = match path {
            "rotation" => Channel::Rotation(self.rotations(sampler, &sampler_place)?),
            "scale" => Channel::Scale(self.vectors(sampler, &sampler_place)?),
            _ => Channel::Translation(self.vectors(sampler, &sampler_place)?),
        };
        Ok(Some(Moved::Joint(Track { joint, channel })))
    }

    fn samples<'p, const N: usize>(
        &self,
        sampler: &AnimationSampler,
        place: &'p str,
    ) -> Result<Samples<'p, N>, ReadError> {
        let kind = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Kind::Linear,
            Some("STEP") => Kind::Step,
            Some("CUBICSPLINE") => Kind::Cubic,
            Some(other) => {
                let what = format!("'{other}' is none of LINEAR, STEP and CUBICSPLINE");
                return Err(ReadError::malformed(format!("{place}.interpolation"), what));
            }
        };
        let times = self.accessors.floats::<1>(sampler.input, &format!("{place}.input"))?;
        let outputs = self.accessors.floats::<N>(sampler.output, &format!("{place}.output"))?;
        Ok(Samples { times, outputs, kind, place })
    }

    fn vectors(
        &mut self,
        sampler: &AnimationSampler,
        place: &str,
    ) -> Result<Curve<DVec3>, ReadError> {
        let samples = self.samples::<3>(sampler, place)?;
        let to_vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
        Ok(assemble(&samples, 1, |key| key.map(to_vector), self.report))
    }

    fn rotations(
        &mut self,
        sampler: &AnimationSampler,
        place: &str,
    ) -> Result<Curve<DQuat>, ReadError> {
        let samples = self.samples::<4>(sampler, place)?;
        let num_directionless = &mut self.num_directionless;
        let to_unit = |key: [[f32; 4]; 3]| {
            let [incoming, value, outgoing] = key.map(|q| DQuat::from_array(q.map(f64::from)));
            let length = value.length();
            if length > 0.0 && length.is_finite() {
                // Tangents too: what is made unit is the whole curve.
                return [incoming / length, value / length, outgoing / length];
            }
            *num_directionless += 1;
            [incoming, DQuat::IDENTITY, outgoing]
        };
        Ok(assemble(&samples, 1, to_unit, self.report))
    }

    fn weights(
        &mut self,
        sampler: &AnimationSampler,
        num_shapes: usize,
        place: &str,
    ) -> Result<Curve<f32>, ReadError> {
        let samples = self.samples::<1>(sampler, place)?;
        Ok(assemble(&samples, num_shapes, |key| key.map(|[w]| w), self.report))
    }
}

/// A curve with `width` values a key, of keys in ascending order with finite values; others are
/// dropped and reported. `make` turns a tangent in, a value and a tangent out (zeros where the
/// curve has none) into the curve's.
fn assemble<T: Copy, const N: usize>(
    samples: &Samples<'_, N>,
    width: usize,
    mut make: impl FnMut([[f32; N]; 3]) -> [T; 3],
    report: &mut Report,
) -> Curve<T> {
    let Samples { times, outputs, kind, place } = samples;
    let outputs_per_key = width * kind.values_per_key();
    let num_outputs = outputs.len() / outputs_per_key;
    let num_keys = times.len().min(num_outputs);
    let mut curve = Curve {
        times_seconds: Vec::with_capacity(num_keys),
        values: Vec::with_capacity(num_keys * width),
        interpolation: Interpolation::Linear,
    };
    let mut tangents = Vec::new();
    let mut latest = f32::NEG_INFINITY;
    for (&[time], key) in times.iter().zip(outputs.chunks_exact(outputs_per_key)) {
        let is_finite = key.as_flattened().iter().all(|x| x.is_finite());
        if !(time.is_finite() && time > latest && is_finite) {
            continue;
        }
        latest = time;
        curve.times_seconds.push(f64::from(time));
        for which in 0..width {
            let [incoming, value, outgoing] = match kind {
                Kind::Cubic => make([key[which], key[width + which], key[2 * width + which]]),
                Kind::Step | Kind::Linear => make([[0.0; N], key[which], [0.0; N]]),
            };
            curve.values.push(value);
            if *kind == Kind::Cubic {
                tangents.push(Tangents { incoming, outgoing });
            }
        }
    }
    curve.interpolation = match kind {
        Kind::Step => Interpolation::Step,
        Kind::Linear => Interpolation::Linear,
        Kind::Cubic => Interpolation::Cubic(tangents),
    };
    let num_given = times.len().max(outputs.len().div_ceil(outputs_per_key));
    let num_dropped = num_given - curve.times_seconds.len();
    if num_dropped > 0 {
        let what = format!(
            "{num_dropped} of {num_given} keys are out of order, not finite or without partner; they were dropped"
        );
        report.warn("broken-keys", format!("{place}.output"), what, "export the animation again");
    }
    curve
}
