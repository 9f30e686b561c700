//! Clips: one a stack, its layers and curves baked to keys by ufbx, at the file's own frames.

use serde_json::{Value, json};
use ufbx::{AllocatorOpts, BakeOpts, BakedAnim, BakedVec3, bake_anim, evaluate_baked_vec3};

use crate::nodes::parts;
use crate::shapes::{Shaped, shared_out, turns};
use crate::{Converter, FbxError};

/// Frames a second that are not believed.
const LEAST_RATE: f64 = 1.0;
const MOST_RATE: f64 = 240.0;
const USUAL_RATE: f64 = 30.0;
/// Curves of the file's own frames are left as they are.
const SAME: f64 = 1e-9;

/// An animation under construction.
#[derive(Default)]
struct Clip {
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Clip {
    fn push(&mut self, node: usize, path: &str, times: usize, values: usize) {
        self.samplers.push(json!({ "input": times, "output": values }));
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": target }));
    }
}

impl Converter<'_> {
    pub(crate) fn animations(&mut self, shaped: &[Shaped<'_>]) -> Result<(), FbxError> {
        let scene = self.scene;
        for stack in &scene.anim_stacks {
            let place = || format!("clip '{}'", &*stack.element.name);
            let baked = match bake_anim(scene, &stack.anim, self.bake_options()) {
                Ok(baked) => baked,
                Err(error) => {
                    let what =
                        format!("cannot be baked ({}); it was left out", FbxError::of(&error));
                    self.warn("clip-left-out", place(), what, "bake it to keys before export");
                    continue;
                }
            };
            // glTF begins at zero.
            let start = baked.key_time_min.min(0.0);
            if start < 0.0 {
                let what = format!("begins at {start:.3} s; it was moved to begin at 0");
                self.note("clip-moved", place(), what, "begin at frame 0");
            }
            let mut clip = Clip::default();
            self.joints(&baked, start, &mut clip)?;
            for shaped in shaped {
                self.shapes(&baked, shaped, start, &mut clip)?;
            }
            if !clip.channels.is_empty() {
                let name = &*stack.element.name;
                let animation = json!({
                    "name": name, "samplers": clip.samplers, "channels": clip.channels,
                });
                self.push("animations", animation);
            }
        }
        Ok(())
    }

    fn bake_options(&self) -> BakeOpts {
        let allocator = || AllocatorOpts { memory_limit: self.budget, ..AllocatorOpts::default() };
        let rate = self.scene.settings.frames_per_second;
        let is_good = (LEAST_RATE..=MOST_RATE).contains(&rate);
        let rate = if is_good { rate } else { USUAL_RATE };
        BakeOpts {
            temp_allocator: allocator(),
            result_allocator: allocator(),
            resample_rate: rate,
            minimum_sample_rate: rate - 1e-3,
            max_keyframe_segments: 4096,
            ..BakeOpts::default()
        }
    }

    fn joints(&mut self, baked: &BakedAnim, start: f64, clip: &mut Clip) -> Result<(), FbxError> {
        let scene = self.scene;
        for node in &baked.nodes {
            let Some(of) = scene.nodes.get(node.typed_id as usize) else { continue };
            let Some(place) = crate::nodes::place_of(of) else { continue };
            let (translation, rotation, scale) = parts(&of.local_transform);
            let vectors = |keys: &[BakedVec3]| -> Vec<(f64, [f32; 3])> {
                let value = |v: &ufbx::Vec3| [v.x as f32, v.y as f32, v.z as f32];
                keys.iter().map(|key| (key.time - start, value(&key.value))).collect()
            };
            let keys = vectors(&node.translation_keys);
            self.track(clip, (place, "translation"), &keys, translation.map(|x| x as f32))?;
            let quaternion = |q: &ufbx::Quat| [q.x as f32, q.y as f32, q.z as f32, q.w as f32];
            let keys: Vec<(f64, [f32; 4])> = node
                .rotation_keys
                .iter()
                .map(|key| (key.time - start, quaternion(&key.value)))
                .collect();
            self.track(clip, (place, "rotation"), &keys, rotation.map(|x| x as f32))?;
            let keys = vectors(&node.scale_keys);
            self.track(clip, (place, "scale"), &keys, scale.map(|x| x as f32))?;
        }
        Ok(())
    }

    /// A curve, unless it only holds what is there at rest.
    fn track<const N: usize>(
        &mut self,
        clip: &mut Clip,
        (node, path): (usize, &str),
        keys: &[(f64, [f32; N])],
        rest: [f32; N],
    ) -> Result<(), FbxError> {
        let is_good = |(time, value): &&(f64, [f32; N])| {
            time.is_finite() && value.iter().all(|x| x.is_finite())
        };
        let mut times: Vec<[f32; 1]> = Vec::with_capacity(keys.len());
        let mut values: Vec<[f32; N]> = Vec::with_capacity(keys.len());
        for (time, value) in keys.iter().filter(is_good) {
            let time = *time as f32;
            // Steps are two keys as near as doubles can be.
            if times.last().is_some_and(|&[last]| time <= last) {
                if let Some(last) = values.last_mut() {
                    *last = *value;
                }
                continue;
            }
            times.push([time.max(0.0)]);
            values.push(*value);
        }
        let Some(first) = values.first().copied() else { return Ok(()) };
        if values.iter().all(|value| *value == first) {
            if first.iter().zip(rest).all(|(a, b)| (a - b).abs() as f64 <= SAME) {
                return Ok(());
            }
            times.truncate(1);
            values.truncate(1);
        }
        let times = self.binary.floats(&times, None, true)?;
        let values = self.binary.floats(&values, None, false)?;
        clip.push(node, path, times, values);
        Ok(())
    }

    fn shapes(
        &mut self,
        baked: &BakedAnim,
        shaped: &Shaped<'_>,
        start: f64,
        clip: &mut Clip,
    ) -> Result<(), FbxError> {
        // The baked keys of each channel; none for one that does not move.
        let keys_of: Vec<Option<&[BakedVec3]>> = shaped
            .channels
            .iter()
            .map(|channel| {
                let id = channel.element.element_id;
                let element = baked.elements.iter().find(|element| element.element_id == id)?;
                let prop = element.props.iter().find(|prop| &*prop.name == "DeformPercent")?;
                (!prop.keys.is_empty()).then(|| prop.keys.as_ref())
            })
            .collect();
        if keys_of.iter().all(Option::is_none) {
            return Ok(());
        }
        let mut times: Vec<f64> = Vec::new();
        for (channel, keys) in shaped.channels.iter().zip(&keys_of) {
            let Some(keys) = keys else { continue };
            times.extend(keys.iter().map(|key| key.time));
            // Where a weight passes an in-between, its shapes' weights turn.
            for pair in keys.windows(2) {
                let (from, to) = (0.01 * pair[0].value.x, 0.01 * pair[1].value.x);
                for turn in turns(channel) {
                    let share = (turn - from) / (to - from);
                    if share > 0.0 && share < 1.0 {
                        times.push(pair[0].time + share * (pair[1].time - pair[0].time));
                    }
                }
            }
        }
        times.retain(|time| time.is_finite());
        times.sort_by(f64::total_cmp);
        times.dedup_by_key(|time| (*time - start) as f32);
        let mut values: Vec<[f32; 1]> = Vec::new();
        for &time in &times {
            for (channel, keys) in shaped.channels.iter().zip(&keys_of) {
                let weight = match keys {
                    Some(keys) => 0.01 * evaluate_baked_vec3(keys, time).x,
                    None => channel.weight,
                };
                let weight = if weight.is_finite() { weight } else { 0.0 };
                values.extend(shared_out(channel, weight).iter().map(|&share| [share as f32]));
            }
        }
        let times: Vec<[f32; 1]> =
            times.iter().map(|&time| [((time - start) as f32).max(0.0)]).collect();
        if times.is_empty() || values.is_empty() {
            return Ok(());
        }
        let times = self.binary.floats(&times, None, true)?;
        let values = self.binary.floats(&values, None, false)?;
        clip.push(shaped.node, "weights", times, values);
        Ok(())
    }
}
