//! Animations: the source's own samplers where a clip still has their curves, and what the source
//! says besides the curves that clips have.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use sinew::motion::{Channel, Curve};

use super::super::super::accessor::{Accessors, Component};
use super::super::super::animation::{Moved, Targets, read_whole_channel};
use super::super::super::json::{AnimationSampler, Root};
use super::super::animation::{Asked, MovedRef, add_clips};
use super::super::copy::{Use, lost};
use super::Carrier;
use crate::WriteError;

/// Rotations whose squared length is this near to one are left to the last bit.
const UNIT_TOLERANCE: f64 = 1e-3;

/// The source's channel of a clip's channel.
type Origins = BTreeMap<(usize, usize), usize>;

impl Carrier<'_> {
    /// Clips as animations. A track that is the source's keeps the source's arrays.
    pub(super) fn write_clips(&mut self) -> Result<(), WriteError> {
        let animation_of_clip = self.match_clips();
        let root = &self.source.root;
        let mut part_of_node = vec![None; root.nodes.len()];
        for (part, instance) in self.instances.iter().enumerate() {
            part_of_node[instance.node] = Some(part as u32);
        }
        let num_shapes: Vec<usize> =
            self.instances.iter().map(|instance| instance.gathered.raw.shapes.len()).collect();
        let targets =
            Targets { rig: self.rig, num_shapes: &num_shapes, part_of_node: &part_of_node };
        let mut channels = HashMap::new();
        for (index, animation) in root.animations.iter().enumerate() {
            for (channel, found) in animation.channels.iter().enumerate() {
                if let Some(node) = found.target.node {
                    // The last one of a target is the one that counts.
                    channels.insert((index, node, found.target.path.as_str()), channel);
                }
            }
        }
        let mut origins = Origins::new();
        let (writer, copier) = (&mut self.writer, &mut self.copier);
        add_clips(writer, self.character, |writer, asked| {
            let animation = animation_of_clip[asked.clip]?;
            let channel = *channels.get(&(animation, asked.node, asked.path))?;
            let read = read_whole_channel(root, (animation, channel), targets, copier.accessors)?;
            let named = root.animations[animation].channels[channel].sampler;
            let sampler = root.animations[animation].samplers.get(named)?;
            if !is_same(&asked, &read) || !is_plain(root, copier.accessors, sampler, &read) {
                return None;
            }
            let input = copier.accessor(writer, sampler.input, Use::Times)?;
            let output = copier.accessor(writer, sampler.output, Use::Other)?;
            let is_linear = |words: &String| words == "LINEAR";
            let interpolation = sampler.interpolation.clone().filter(|words| !is_linear(words));
            origins.insert((asked.clip, asked.channel), channel);
            Some(AnimationSampler { input, output, interpolation })
        })?;
        self.carry_animations(&animation_of_clip, &origins);
        Ok(())
    }

    /// Which of the source's animations each clip was: by place and name, else by name.
    fn match_clips(&self) -> Vec<Option<usize>> {
        let animations = &self.source.root.animations;
        let name_of =
            |at: usize| animations[at].name.clone().unwrap_or_else(|| format!("clip{at}"));
        let mut at_name: HashMap<String, Vec<usize>> = HashMap::new();
        for at in (0..animations.len()).rev() {
            at_name.entry(name_of(at)).or_default().push(at);
        }
        let mut is_taken = vec![false; animations.len()];
        let mut matched = Vec::with_capacity(self.character.clips.len());
        for (index, clip) in self.character.clips.iter().enumerate() {
            let at_place = Some(index)
                .filter(|&at| at < animations.len() && !is_taken[at] && name_of(at) == clip.name);
            let found = at_place.or_else(|| {
                let places = at_name.get_mut(&clip.name)?;
                while let Some(at) = places.pop() {
                    if !is_taken[at] {
                        return Some(at);
                    }
                }
                None
            });
            if let Some(found) = found {
                is_taken[found] = true;
            }
            matched.push(found);
        }
        matched
    }

    /// What the source's animations say besides the clips' tracks.
    fn carry_animations(&mut self, animation_of_clip: &[Option<usize>], origins: &Origins) {
        let sources = self.source.json.get("animations").and_then(Value::as_array);
        let made = std::mem::take(&mut self.writer.root.animations);
        for (clip, animation) in made.into_iter().enumerate() {
            let mut value = serde_json::to_value(&animation).unwrap_or(Value::Null);
            let source = animation_of_clip.get(clip).copied().flatten();
            if let Some(found) = source
                && let Some(source) = sources.and_then(|sources| sources.get(found))
            {
                carry_fields(&mut value, source, clip, origins);
                self.carry_animation(source, found, &mut value);
            }
            let wanted = animation.name.unwrap_or_default();
            let is_empty =
                value.get("channels").and_then(Value::as_array).is_none_or(Vec::is_empty);
            if is_empty {
                // A clip without keys, which glTF does not have; one of the source's is missed.
                if source.is_some() {
                    let place = format!("animations '{wanted}'");
                    lost(&mut self.writer, place, "an animation without any channel that is known");
                }
                continue;
            }
            // One that the reader calls so by its place needs no name.
            let place = self.writer.array("animations").len();
            let had_none = source.is_some_and(|at| self.source.root.animations[at].name.is_none());
            if had_none
                && wanted == format!("clip{place}")
                && let Some(value) = value.as_object_mut()
            {
                value.remove("name");
            }
            self.writer.push("animations", value);
        }
    }

    /// Adds extras, extensions, and channels that no clip has.
    fn carry_animation(&mut self, source: &Value, index: usize, into: &mut Value) {
        let Some(into) = into.as_object_mut() else { return };
        for (key, value) in source.as_object().into_iter().flatten() {
            if !matches!(key.as_str(), "channels" | "samplers" | "name") {
                into.insert(key.clone(), value.clone());
            }
        }
        let channels = source.get("channels").and_then(Value::as_array);
        for (at, channel) in channels.into_iter().flatten().enumerate() {
            let target = &self.source.root.animations[index].channels[at].target;
            // What moves joints and shapes is in the clip, or was taken out of it.
            let is_of_part =
                self.instances.iter().any(|instance| Some(instance.node) == target.node);
            if matches!(target.path.as_str(), "translation" | "rotation" | "scale")
                || target.path == "weights" && is_of_part
            {
                continue;
            }
            let written = into.get("channels").and_then(Value::as_array);
            let is_written = written.into_iter().flatten().any(|known| {
                known.pointer("/target/path").and_then(Value::as_str) == Some(&target.path)
                    && known.pointer("/target/node").and_then(Value::as_u64)
                        == target.node.map(|node| node as u64)
                    && target.path != "pointer"
            });
            if is_written {
                continue;
            }
            let place = format!("animations[{index}].channels[{at}]");
            if !self.copy_channel(channel, source, into) {
                lost(&mut self.writer, place, "the channel");
            }
        }
    }

    fn copy_channel(
        &mut self,
        channel: &Value,
        source: &Value,
        into: &mut Map<String, Value>,
    ) -> bool {
        let sampler = channel.get("sampler").and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
        let sampler = source.get("samplers").and_then(|samplers| samplers.get(sampler));
        let Some(mut sampler) = sampler.cloned() else { return false };
        for (field, of) in [("input", Use::Times), ("output", Use::Other)] {
            let accessor = sampler.get(field).and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
            let copy = self.copier.accessor(&mut self.writer, accessor, of);
            let Some(copy) = copy else { return false };
            sampler[field] = json!(copy);
        }
        let mut list = |name: &str, value: Value| {
            let array = into.entry(name).or_insert_with(|| json!([]));
            let array = array.as_array_mut()?;
            array.push(value);
            Some(array.len() - 1)
        };
        let Some(at) = list("samplers", sampler) else { return false };
        let mut channel = channel.clone();
        channel["sampler"] = json!(at);
        let node = channel.pointer("/target/node").and_then(Value::as_u64);
        if let Some(&moved) = node.and_then(|node| self.mesh_moved_to.get(&(node as usize)))
            && channel["target"]["path"] == "weights"
        {
            channel["target"]["node"] = json!(moved);
        }
        list("channels", channel).is_some()
    }
}

/// What else the source says of channels and samplers that were kept.
fn carry_fields(value: &mut Value, source: &Value, clip: usize, origins: &Origins) {
    let add = |into: Option<&mut Value>, from: Option<&Value>| {
        let (Some(into), Some(from)) =
            (into.and_then(Value::as_object_mut), from.and_then(Value::as_object))
        else {
            return;
        };
        for (key, value) in from.iter().filter(|(key, _)| *key == "extras" || *key == "extensions")
        {
            into.insert(key.clone(), value.clone());
        }
    };
    for (&(_, channel), &origin) in origins.range((clip, 0)..(clip + 1, 0)) {
        let Some(from) = source.get("channels").and_then(|list| list.get(origin)) else { continue };
        let sampler = from.get("sampler").and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
        // Each channel that is made has a sampler of its own, at its own place.
        add(value.pointer_mut(&format!("/channels/{channel}")), Some(from));
        add(value.pointer_mut(&format!("/channels/{channel}/target")), from.get("target"));
        let from = source.get("samplers").and_then(|list| list.get(sampler));
        add(value.pointer_mut(&format!("/samplers/{channel}")), from);
    }
}

fn is_same(asked: &Asked<'_>, read: &Moved) -> bool {
    match (asked.moved, read) {
        (MovedRef::Joint(now), Moved::Joint(then)) => now == then,
        // The part's own number may have changed; it is found by its node.
        (MovedRef::Shapes(now), Moved::Shapes(then)) => {
            now.num_shapes == then.num_shapes && now.weights == then.weights
        }
        _ => false,
    }
}

/// True if a sampler's arrays are such as glTF wants them.
fn is_plain(
    root: &Root,
    accessors: &Accessors<'_>,
    sampler: &AnimationSampler,
    read: &Moved,
) -> bool {
    fn starts_well<T>(curve: &Curve<T>) -> bool {
        let is_cubic = matches!(curve.interpolation, sinew::motion::Interpolation::Cubic(_));
        curve.times_seconds.len() > usize::from(is_cubic)
            && curve.times_seconds.first().is_some_and(|first| *first >= 0.0)
    }
    let is_float = |index: usize| {
        accessors.kind(index).is_some_and(|(component, _)| component == Component::F32)
    };
    let is_normalized = root.accessors.get(sampler.output).is_some_and(|a| a.normalized);
    let has_good_values = match read {
        Moved::Joint(track) => match &track.channel {
            Channel::Translation(curve) | Channel::Scale(curve) => {
                starts_well(curve) && is_float(sampler.output)
            }
            Channel::Rotation(curve) => {
                let is_cubic = sampler.interpolation.as_deref() == Some("CUBICSPLINE");
                let Ok(values) = accessors.floats::<4>(sampler.output, "a copy") else {
                    return false;
                };
                let (first, step) = if is_cubic { (1, 3) } else { (0, 1) };
                let is_unit = |q: &[f32; 4]| {
                    let squared: f64 = q.iter().map(|x| f64::from(*x).powi(2)).sum();
                    (squared - 1.0).abs() <= UNIT_TOLERANCE
                };
                starts_well(curve)
                    && (is_float(sampler.output) || is_normalized)
                    && values.iter().skip(first).step_by(step).all(is_unit)
            }
        },
        Moved::Shapes(track) => {
            starts_well(&track.weights) && (is_float(sampler.output) || is_normalized)
        }
    };
    is_float(sampler.input) && sampler.input != sampler.output && has_good_values
}
