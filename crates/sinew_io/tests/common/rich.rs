//! A document with what Sinew does not look at: cameras, lights, variants, several scenes, further
//! attributes, lines, morphed normals, instances, a hidden mesh, an unknown extension with a view
//! of its own.
#![allow(dead_code, reason = "not every test file uses all of it")]

use base64::Engine;
use serde_json::{Value, json};

use crate::common::PNG;

/// Bytes, and the views and accessors over them.
#[derive(Default)]
struct Data {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Data {
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn floats(&mut self, kind: &str, components: usize, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let target = matches!(kind, "VEC2" | "VEC3" | "VEC4").then_some(34962);
        let bufferview = self.view(&bytes, target);
        let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let of = |k: usize| values.iter().skip(k).step_by(components).copied();
            (0..components).map(|k| of(k).fold(start, pick)).collect()
        };
        self.accessors.push(json!({
            "bufferView": bufferview, "componentType": 5126, "count": values.len() / components,
            "type": kind, "min": fold(f32::INFINITY, f32::min), "max": fold(f32::NEG_INFINITY, f32::max),
        }));
        self.accessors.len() - 1
    }

    /// Without a target: for animations and extensions.
    fn plain(&mut self, kind: &str, components: usize, values: &[f32]) -> usize {
        let index = self.floats(kind, components, values);
        let view = self.accessors[index]["bufferView"].as_u64().unwrap() as usize;
        self.views[view].as_object_mut().unwrap().remove("target");
        index
    }

    fn bytes(
        &mut self,
        kind: &str,
        component: u32,
        normalized: bool,
        count: usize,
        bytes: &[u8],
    ) -> usize {
        let view = self.view(bytes, Some(if kind == "SCALAR" { 34963 } else { 34962 }));
        let mut accessor = json!({
            "bufferView": view, "componentType": component, "count": count, "type": kind,
        });
        if normalized {
            accessor["normalized"] = json!(true);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// Where the square of the skinned mesh lies.
pub(crate) const SQUARE: [f32; 12] = [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];

/// The JSON, with its buffer in it.
pub(crate) fn document() -> String {
    let mut data = Data::default();
    let position = data.floats("VEC3", 3, &SQUARE);
    let normal = data.floats("VEC3", 3, &[0., 0., 1.].repeat(4));
    let tangent = data.floats("VEC4", 4, &[1., 0., 0., -1.].repeat(4));
    let uv = data.floats("VEC2", 2, &[0., 0., 1., 0., 1., 1., 0., 1.]);
    let uv1 =
        data.bytes("VEC2", 5123, true, 4, &[0, 0, 255, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9]);
    let color = data.bytes("VEC4", 5121, true, 4, &(0..16).collect::<Vec<u8>>());
    let custom = data.floats("VEC2", 2, &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]);
    let joints =
        data.bytes("VEC4", 5121, false, 4, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    let weights = data.floats(
        "VEC4",
        4,
        &[0.25, 0.75, 0., 0., 0.5, 0.5, 0., 0., 1., 0., 0., 0., 0.5, 0.5, 0., 0.],
    );
    let delta = data.floats("VEC3", 3, &[0., 0., 0., 0., 0., 0.5, 0., 0., 0., 0., 0., 0.]);
    let normal_delta = data.floats("VEC3", 3, &[0., 0., 0., 0.1, 0., 0., 0., 0., 0., 0., 0., 0.]);
    let indices: Vec<u8> = [0u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect();
    let indices = data.bytes("SCALAR", 5123, false, 6, &indices);
    let line = data.floats("VEC3", 3, &[0., 0., 0., 3., 4., 5.]);
    let hidden = data.floats("VEC3", 3, &[7., 0., 0., 8., 0., 0., 7., 1., 0.]);
    let times = data.plain("SCALAR", 1, &[0., 1.]);
    let lift = data.plain("VEC3", 3, &[0., 2., 0., 0., 3., 0.]);
    let turn = data.plain("VEC4", 4, &[0., 0., 0., 1., 0., 0., 0.70710677, 0.70710677]);
    let alpha = data.plain("SCALAR", 1, &[1., 0.5]);
    let bind: Vec<f32> = [0.0f32, -1.0]
        .iter()
        .flat_map(|y| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., *y, 0., 1.])
        .collect();
    let bind = data.plain("MAT4", 16, &bind);
    for accessor in [bind, lift, turn] {
        let accessor = data.accessors[accessor].as_object_mut().unwrap();
        accessor.remove("min");
        accessor.remove("max");
    }
    let image = data.view(PNG, None);
    let secret = data.view(b"of nobody's business", None);

    let skinned = json!({
        "attributes": {
            "POSITION": position, "NORMAL": normal, "TANGENT": tangent, "TEXCOORD_0": uv, "TEXCOORD_1": uv1,
            "COLOR_0": color, "_HEAT": custom, "JOINTS_0": joints, "WEIGHTS_0": weights,
        },
        "indices": indices, "material": 2,
        "targets": [{ "POSITION": delta, "NORMAL": normal_delta }],
        "extensions": { "KHR_materials_variants": { "mappings": [{ "material": 1, "variants": [0] }] } },
        "extras": { "slot": 7 },
    });
    let material = json!({
        "name": "hide", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.25,
        "emissiveFactor": [0.1, 0.2, 0.3], "emissiveTexture": { "index": 0 },
        "normalTexture": { "index": 1, "scale": 0.5 },
        "occlusionTexture": { "index": 0, "texCoord": 1, "strength": 0.75 },
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.25, 1.0, 1.0], "metallicFactor": 0.125, "roughnessFactor": 0.625,
            "baseColorTexture": {
                "index": 1, "extensions": { "KHR_texture_transform": { "offset": [0.25, 0.5] } },
            },
        },
        "extensions": { "KHR_materials_clearcoat": { "clearcoatFactor": 0.3 } },
    });
    let base64 = base64::engine::general_purpose::STANDARD.encode(&data.bytes);
    json!({
        "asset": { "version": "2.0", "copyright": "(c) Somebody", "generator": "by hand", "extras": { "a": [1, null] } },
        "extensionsUsed": [
            "KHR_lights_punctual", "KHR_materials_variants", "KHR_materials_clearcoat", "KHR_texture_transform",
            "KHR_animation_pointer", "ACME_secret",
        ],
        "extensions": {
            "KHR_lights_punctual": { "lights": [{ "type": "point", "color": [1, 0, 0], "name": "lamp" }] },
            "KHR_materials_variants": { "variants": [{ "name": "dusk" }] },
            "ACME_secret": { "bufferView": secret, "node": 6 },
        },
        "extras": { "kept": true },
        "scene": 1,
        "scenes": [
            { "name": "empty", "nodes": [5] },
            { "name": "main", "nodes": [0, 3, 7, 8], "extras": { "mood": "grim" } },
        ],
        "nodes": [
            { "name": "root", "children": [1, 6], "extras": { "prop": 1 } },
            { "name": "tip", "translation": [0, 1, 0] },
            { "name": "hidden", "mesh": 2 },
            { "name": "body", "mesh": 0, "skin": 0 },
            { "name": "board", "mesh": 3, "scale": [2, 2, 2], "extras": { "prop": "board" } },
            { "name": "other", "children": [2] },
            { "name": "lamp", "translation": [0, 5, 0], "extensions": { "KHR_lights_punctual": { "light": 0 } } },
            { "name": "lift", "translation": [0, 2, 0], "children": [4] },
            { "name": "eye", "camera": 0, "mesh": 3, "rotation": [0, 0, 0.6, 0.8] },
        ],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.7, "znear": 0.1 } }],
        "meshes": [
            {
                "name": "square",
                "primitives": [skinned],
                "weights": [0.5],
                "extras": { "targetNames": ["bulge"], "more": "words" },
            },
            { "name": "wire", "primitives": [{ "attributes": { "POSITION": line }, "mode": 1 }] },
            { "name": "unseen", "primitives": [{ "attributes": { "POSITION": hidden } }] },
            {
                "name": "plank",
                "primitives": [
                    { "attributes": { "POSITION": position, "TEXCOORD_0": uv }, "indices": indices, "material": 1 },
                    { "attributes": { "POSITION": line }, "mode": 1, "material": 0 },
                ],
            },
        ],
        "skins": [{ "name": "bones", "joints": [0, 1], "inverseBindMatrices": bind, "skeleton": 0 }],
        "materials": [{ "name": "unused" }, { "name": "wood" }, material],
        "samplers": [{ "wrapS": 33071 }],
        "textures": [{ "source": 0, "sampler": 0, "name": "first" }, { "source": 1 }],
        "images": [
            { "bufferView": image, "mimeType": "image/png", "name": "inside" },
            { "uri": format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(PNG)) },
        ],
        "animations": [{
            "name": "go",
            "channels": [
                { "sampler": 0, "target": { "node": 7, "path": "translation" } },
                { "sampler": 1, "target": { "node": 1, "path": "rotation" } },
                { "sampler": 2, "target": { "path": "pointer", "extensions": {
                    "KHR_animation_pointer": { "pointer": "/materials/2/alphaCutoff" } } } },
            ],
            "samplers": [
                { "input": times, "output": lift }, { "input": times, "output": turn, "interpolation": "STEP" },
                { "input": times, "output": alpha },
            ],
            "extras": { "speed": 2 },
        }],
        "accessors": data.accessors,
        "bufferViews": data.views,
        "buffers": [{ "byteLength": data.bytes.len(), "uri": format!("data:application/octet-stream;base64,{base64}") }],
    })
    .to_string()
}
