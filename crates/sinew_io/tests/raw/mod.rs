//! A glTF file as its JSON says, evaluated in f64 without a thought for speed.
#![allow(dead_code, reason = "not every test file uses all of it")]

use std::collections::HashMap;
use std::path::Path;

use base64::Engine as _;
use glam::{DMat4, DQuat, DVec3, DVec4};
use serde_json::Value;

/// A file, opened.
pub(crate) struct Document {
    json: Value,
    buffers: Vec<Vec<u8>>,
}

pub(crate) fn to_base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Of the box around everything that is somewhere.
pub(crate) fn diagonal(meshes: &[Vec<Option<DVec3>>]) -> f64 {
    let all = || meshes.iter().flatten().flatten();
    let low = all().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = all().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    let diagonal = (high - low).length();
    if diagonal.is_finite() && diagonal > 0.0 { diagonal } else { 1.0 }
}

fn number(value: &Value, key: &str) -> Option<usize> {
    Some(value.get(key)?.as_u64()? as usize)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().map_or_else(Vec::new, |a| a.iter().map(|x| x.as_f64().unwrap()).collect())
}

impl Document {
    pub(crate) fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let (json, chunk) = if bytes.starts_with(b"glTF") {
            let length =
                |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
            let json_end = 20 + length(12);
            let chunk = (bytes.len() > json_end + 8)
                .then(|| bytes[json_end + 8..json_end + 8 + length(json_end)].to_vec());
            (bytes[20..json_end].to_vec(), chunk)
        } else {
            (bytes, None)
        };
        let json: Value = serde_json::from_slice(&json).unwrap();
        let load =
            |(index, buffer): (usize, &Value)| match buffer.get("uri").and_then(Value::as_str) {
                Some(uri) if uri.starts_with("data:") => base64::engine::general_purpose::STANDARD
                    .decode(uri.split_once(',').unwrap().1)
                    .unwrap(),
                Some(uri) => {
                    let name = uri.replace("%20", " ");
                    std::fs::read(path.parent().unwrap().join(name)).unwrap_or_default()
                }
                None if index == 0 => chunk.clone().unwrap_or_default(),
                None => Vec::new(),
            };
        let buffers = list(&json, "buffers").iter().enumerate().map(load).collect();
        Self { json, buffers }
    }

    fn view(&self, view: usize) -> &[u8] {
        let view = &list(&self.json, "bufferViews")[view];
        let start = number(view, "byteOffset").unwrap_or(0);
        let buffer = &self.buffers[number(view, "buffer").unwrap()];
        &buffer[start..start + number(view, "byteLength").unwrap()]
    }

    /// Elements as the file stores them, in f64.
    fn accessor(&self, index: usize) -> Vec<Vec<f64>> {
        let accessor = &list(&self.json, "accessors")[index];
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let component = number(accessor, "componentType").unwrap();
        let is_normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        let count = number(accessor, "count").unwrap();
        let read = |view: usize,
                    offset: usize,
                    count: usize,
                    width: usize,
                    component: usize,
                    is_normalized: bool| {
            let size = match component {
                5120 | 5121 => 1,
                5122 | 5123 => 2,
                _ => 4,
            };
            let bytes = self.view(view);
            let stride = number(&list(&self.json, "bufferViews")[view], "byteStride");
            let stride = stride.unwrap_or(size * width);
            let value = |at: usize| match component {
                5120 => f64::from(bytes[at] as i8),
                5121 => f64::from(bytes[at]),
                5122 => f64::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
                5123 => f64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
                5125 => f64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())),
                _ => f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())),
            };
            let scale = match component {
                5120 => 127.0,
                5121 => 255.0,
                5122 => 32767.0,
                5123 => 65535.0,
                _ => 1.0,
            };
            let scale = if is_normalized { scale } else { 1.0 };
            let floor = if is_normalized { -1.0 } else { f64::NEG_INFINITY };
            (0..count)
                .map(|e| {
                    let component = |k| (value(offset + e * stride + k * size) / scale).max(floor);
                    (0..width).map(component).collect::<Vec<f64>>()
                })
                .collect::<Vec<_>>()
        };
        let mut elements = match number(accessor, "bufferView") {
            Some(view) => {
                let offset = number(accessor, "byteOffset").unwrap_or(0);
                read(view, offset, count, width, component, is_normalized)
            }
            None => vec![vec![0.0; width]; count],
        };
        if let Some(sparse) = accessor.get("sparse") {
            let num = number(sparse, "count").unwrap();
            let part = |key: &str, width, component, is_normalized| {
                let of = &sparse[key];
                let offset = number(of, "byteOffset").unwrap_or(0);
                let view = number(of, "bufferView").unwrap();
                read(view, offset, num, width, component, is_normalized)
            };
            let type_of_index = number(&sparse["indices"], "componentType").unwrap();
            let indices = part("indices", 1, type_of_index, false);
            for (index, value) in
                indices.iter().zip(part("values", width, component, is_normalized))
            {
                elements[index[0] as usize] = value;
            }
        }
        elements
    }

    /// The attributes of a primitive, whether it is compressed with Draco or not.
    fn attributes(&self, primitive: &Value) -> HashMap<String, Vec<Vec<f64>>> {
        let mut streams = HashMap::new();
        let draco = primitive.get("extensions").and_then(|e| e.get("KHR_draco_mesh_compression"));
        let mesh = draco.map(|draco| {
            let mut mesh = draco_core::Mesh::new();
            let bytes = self.view(number(draco, "bufferView").unwrap());
            draco_core::MeshDecoder::new()
                .decode(&mut draco_core::DecoderBuffer::new(bytes), &mut mesh)
                .unwrap();
            mesh
        });
        for (name, accessor) in primitive["attributes"].as_object().unwrap() {
            let known = ["POSITION", "JOINTS_", "WEIGHTS_"];
            if !known.iter().any(|prefix| name.starts_with(prefix)) {
                continue;
            }
            let id = draco.and_then(|draco| draco["attributes"].get(name)?.as_u64());
            let stream = match (&mesh, id) {
                (Some(mesh), Some(id)) => {
                    let attribute = mesh.attribute_by_unique_id(id as u32).unwrap();
                    let width = usize::from(attribute.num_components());
                    let values = attribute.read_f32s(mesh.num_points(), width);
                    let accessor =
                        &list(&self.json, "accessors")[accessor.as_u64().unwrap() as usize];
                    assert_ne!(accessor.get("normalized"), Some(&Value::Bool(true)));
                    values
                        .chunks(width)
                        .map(|e| e.iter().map(|x| f64::from(*x)).collect())
                        .collect()
                }
                _ => self.accessor(accessor.as_u64().unwrap() as usize),
            };
            streams.insert(name.clone(), stream);
        }
        streams
    }

    /// Every mesh of the scene, in the order of nodes, with every vertex of its primitives. `None`
    /// for vertices that no joint of the file moves, though it should: there the file says nothing.
    pub(crate) fn posed(&self, clip: Option<usize>, seconds: f64) -> Vec<Vec<Option<DVec3>>> {
        let nodes = list(&self.json, "nodes");
        let (global, shape_weights) = self.globals(clip, seconds);
        let shown = self.shown();
        let mut meshes = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let Some(mesh) = number(node, "mesh").filter(|_| shown[index]) else { continue };
            let mesh = &list(&self.json, "meshes")[mesh];
            let has_joints =
                list(mesh, "primitives").iter().any(|p| p["attributes"].get("JOINTS_0").is_some());
            let skin = number(node, "skin").filter(|_| has_joints);
            let matrices = skin.map(|skin| self.skin_matrices(skin, &global));
            let weights = shape_weights[index].clone().unwrap_or_else(|| {
                floats(node.get("weights").or_else(|| mesh.get("weights")).unwrap_or(&Value::Null))
            });
            let mut vertices = Vec::new();
            let mut seen = Vec::new();
            for primitive in list(mesh, "primitives") {
                let is_surface =
                    number(primitive, "mode").is_none_or(|mode| (4..=6).contains(&mode));
                let key = (&primitive["attributes"], primitive.get("targets"));
                // Primitives over the same arrays share their vertices.
                if !is_surface || seen.contains(&key) {
                    continue;
                }
                seen.push(key);
                vertices.extend(self.vertices(
                    primitive,
                    &weights,
                    matrices.as_deref(),
                    global[index],
                ));
            }
            if !vertices.is_empty() {
                meshes.push(vertices);
            }
        }
        meshes
    }

    fn vertices(
        &self,
        primitive: &Value,
        weights: &[f64],
        matrices: Option<&[DMat4]>,
        global: DMat4,
    ) -> Vec<Option<DVec3>> {
        let streams = self.attributes(primitive);
        let vector = |v: &[f64]| DVec3::new(v[0], v[1], v[2]);
        let mut positions: Vec<DVec3> = streams["POSITION"].iter().map(|p| vector(p)).collect();
        for (target, weight) in list(primitive, "targets").iter().zip(weights) {
            if let Some(accessor) = number(target, "POSITION") {
                for (position, delta) in positions.iter_mut().zip(self.accessor(accessor)) {
                    *position += *weight * vector(&delta);
                }
            }
        }
        let Some(matrices) = matrices else {
            return positions.iter().map(|p| Some(global.transform_point3(*p))).collect();
        };
        let sets = (0..).map_while(|set| {
            Some((streams.get(&format!("JOINTS_{set}"))?, streams.get(&format!("WEIGHTS_{set}"))?))
        });
        let sets: Vec<_> = sets.collect();
        let blend = |(vertex, position): (usize, &DVec3)| {
            let (mut sum, mut total) = (DVec4::ZERO, 0.0);
            for (joints, weights) in &sets {
                for (joint, weight) in joints[vertex].iter().zip(&weights[vertex]) {
                    if *weight > 0.0 {
                        sum += *weight * (matrices[*joint as usize] * position.extend(1.0));
                        total += weight;
                    }
                }
            }
            (total > 0.0).then(|| (sum / total).truncate())
        };
        positions.iter().enumerate().map(blend).collect()
    }

    fn skin_matrices(&self, skin: usize, global: &[DMat4]) -> Vec<DMat4> {
        let skin = &list(&self.json, "skins")[skin];
        let inverse_bind = number(skin, "inverseBindMatrices").map(|a| self.accessor(a));
        let of_joint = |(k, joint): (usize, &Value)| {
            let inverse = inverse_bind.as_ref().map_or(DMat4::IDENTITY, |all| {
                DMat4::from_cols_array(&all[k].clone().try_into().unwrap())
            });
            global[joint.as_u64().unwrap() as usize] * inverse
        };
        list(skin, "joints").iter().enumerate().map(of_joint).collect()
    }

    fn shown(&self) -> Vec<bool> {
        let nodes = list(&self.json, "nodes");
        let scenes = list(&self.json, "scenes");
        if scenes.is_empty() {
            return vec![true; nodes.len()];
        }
        let mut shown = vec![false; nodes.len()];
        let mut open: Vec<usize> = list(&scenes[number(&self.json, "scene").unwrap_or(0)], "nodes")
            .iter()
            .map(|n| n.as_u64().unwrap() as usize)
            .collect();
        while let Some(node) = open.pop() {
            shown[node] = true;
            open.extend(
                list(&nodes[node], "children").iter().map(|n| n.as_u64().unwrap() as usize),
            );
        }
        shown
    }

    /// World matrices of all nodes, and the weights of shapes that a clip moves.
    fn globals(&self, clip: Option<usize>, seconds: f64) -> (Vec<DMat4>, Vec<Option<Vec<f64>>>) {
        let nodes = list(&self.json, "nodes");
        let mut translation: Vec<Option<DVec3>> = vec![None; nodes.len()];
        let mut rotation: Vec<Option<DQuat>> = vec![None; nodes.len()];
        let mut scale: Vec<Option<DVec3>> = vec![None; nodes.len()];
        let mut weights: Vec<Option<Vec<f64>>> = vec![None; nodes.len()];
        if let Some(clip) = clip {
            let animation = &list(&self.json, "animations")[clip];
            for channel in list(animation, "channels") {
                let Some(node) = number(&channel["target"], "node") else { continue };
                let sampler = &list(animation, "samplers")[number(channel, "sampler").unwrap()];
                let path = channel["target"]["path"].as_str().unwrap();
                if !["translation", "rotation", "scale", "weights"].contains(&path) {
                    continue;
                }
                let value = self.sample(sampler, path == "rotation", seconds);
                let vector = || DVec3::new(value[0], value[1], value[2]);
                match path {
                    "translation" => translation[node] = Some(vector()),
                    "scale" => scale[node] = Some(vector()),
                    "weights" => weights[node] = Some(value),
                    _ => {
                        let q = DQuat::from_xyzw(value[0], value[1], value[2], value[3]);
                        rotation[node] = Some(q.normalize());
                    }
                }
            }
        }
        let local = |index: usize| {
            let node = &nodes[index];
            if let Some(matrix) = node.get("matrix") {
                return DMat4::from_cols_array(&floats(matrix).try_into().unwrap());
            }
            let of = |key: &str| node.get(key).map(floats);
            let vector = |v: Vec<f64>| DVec3::new(v[0], v[1], v[2]);
            let t = translation[index].or_else(|| of("translation").map(vector));
            let s = scale[index].or_else(|| of("scale").map(vector));
            let r = rotation[index].or_else(|| {
                of("rotation").map(|q| DQuat::from_xyzw(q[0], q[1], q[2], q[3]).normalize())
            });
            DMat4::from_scale_rotation_translation(
                s.unwrap_or(DVec3::ONE),
                r.unwrap_or(DQuat::IDENTITY),
                t.unwrap_or(DVec3::ZERO),
            )
        };
        let mut parent = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for child in list(node, "children") {
                parent[child.as_u64().unwrap() as usize] = Some(index);
            }
        }
        let global = |index: usize| {
            let mut matrix = local(index);
            let mut above = parent[index];
            while let Some(node) = above {
                matrix = local(node) * matrix;
                above = parent[node];
            }
            matrix
        };
        ((0..nodes.len()).map(global).collect(), weights)
    }

    /// A sampler at a time; rotations are not made unit yet.
    fn sample(&self, sampler: &Value, is_rotation: bool, seconds: f64) -> Vec<f64> {
        let times: Vec<f64> =
            self.accessor(number(sampler, "input").unwrap()).iter().map(|t| t[0]).collect();
        let outputs = self.accessor(number(sampler, "output").unwrap());
        let kind = sampler.get("interpolation").and_then(Value::as_str).unwrap_or("LINEAR");
        let flat: Vec<f64> = outputs.concat();
        let values_per_key = if kind == "CUBICSPLINE" { 3 } else { 1 };
        let width = flat.len() / (times.len() * values_per_key);
        let part = |key: usize, which: usize| {
            let start = (key * values_per_key + which) * width;
            &flat[start..start + width]
        };
        let middle = values_per_key / 2;
        let after = times.partition_point(|t| *t <= seconds);
        if after == 0 {
            return part(0, middle).to_vec();
        }
        let key = after - 1;
        if after == times.len() || kind == "STEP" {
            return part(key, middle).to_vec();
        }
        let span = times[after] - times[key];
        let t = (seconds - times[key]) / span;
        let (from, to) = (part(key, middle), part(after, middle));
        if kind == "CUBICSPLINE" {
            let (out, into) = (part(key, 2), part(after, 0));
            let (t2, t3) = (t * t, t * t * t);
            return (0..width)
                .map(|k| {
                    (2.0 * t3 - 3.0 * t2 + 1.0) * from[k]
                        + span * (t3 - 2.0 * t2 + t) * out[k]
                        + (-2.0 * t3 + 3.0 * t2) * to[k]
                        + span * (t3 - t2) * into[k]
                })
                .collect();
        }
        if is_rotation {
            // The shorter arc between the directions that the keys stand for, by the sine formula.
            let unit = |q: &[f64]| {
                let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                q.iter().map(|x| x / length).collect::<Vec<f64>>()
            };
            let (from, to) = (&unit(from)[..], &unit(to)[..]);
            let dot: f64 = from.iter().zip(to).map(|(a, b)| a * b).sum();
            let sign = if dot < 0.0 { -1.0 } else { 1.0 };
            let angle = (dot * sign).min(1.0).acos();
            if angle.sin() > 1e-9 {
                let (a, b) = (((1.0 - t) * angle).sin(), (t * angle).sin());
                let mix = |(x, y): (&f64, &f64)| (a * x + sign * b * y) / angle.sin();
                return from.iter().zip(to).map(mix).collect();
            }
            return from.to_vec();
        }
        from.iter().zip(to).map(|(a, b)| a + t * (b - a)).collect()
    }
}
