//! Animations: what the source says of them besides the curves that clips have.

use serde_json::{Map, Value, json};

use super::super::copy::{Use, lost};
use super::Carrier;

impl Carrier<'_> {
    /// What the source's animations say besides the clips' tracks.
    pub(super) fn carry_animations(&mut self) {
        let sources = self.source.json.get("animations").and_then(Value::as_array);
        let Some(sources) = sources else { return };
        let mut made = std::mem::take(&mut self.writer.root.animations);
        let mut is_taken = vec![false; sources.len()];
        for (index, animation) in made.drain(..).enumerate() {
            let name_of = |at: usize| {
                let name = self.source.root.animations[at].name.clone();
                name.unwrap_or_else(|| format!("clip{at}"))
            };
            let wanted = animation.name.clone().unwrap_or_default();
            let is_it = |at: &usize| !is_taken[*at] && name_of(*at) == wanted;
            let found = Some(index)
                .filter(|at| *at < sources.len() && is_it(at))
                .or_else(|| (0..sources.len()).find(is_it));
            let mut value = serde_json::to_value(&animation).unwrap_or(Value::Null);
            if let Some(found) = found {
                is_taken[found] = true;
                self.carry_animation(&sources[found], found, &mut value);
            }
            let is_empty =
                value.get("channels").and_then(Value::as_array).is_none_or(Vec::is_empty);
            if is_empty {
                let place = format!("animations '{wanted}'");
                lost(&mut self.writer, place, "an animation without any channel that is known");
                continue;
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
        for field in ["input", "output"] {
            let accessor = sampler.get(field).and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
            let copy = self.copier.accessor(&mut self.writer, accessor, Use::Other);
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
