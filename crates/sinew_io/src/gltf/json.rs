//! The part of glTF's JSON that touches skinning, as typed structs for reading and writing.
//!
//! Own structs rather than gltf-json: its enums refuse whole files for one unknown value, it has no
//! room for `extras` as values, and its accessors want validation that rejects what quantized files
//! require. Unknown fields are passed over; `serde_path_to_error` names the field that does not
//! fit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drivers::NodeExtensions;
use super::shallow;
use crate::ReadError;

/// Parses a document and checks its version.
pub(super) fn parse(json: &[u8]) -> Result<Root, ReadError> {
    // Some exporters put a byte-order mark before the JSON.
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    refuse_crowds(json)?;
    let root = match parse_root(json) {
        Ok(root) => root,
        // `2.0` is an integer in JSON, and so in glTF; serde wants it as `2`.
        Err(error) => with_whole_numbers(json).ok_or(error)?,
    };
    let needed = root.asset.min_version.as_deref().unwrap_or(&root.asset.version);
    if !needed.starts_with("2.") {
        let what = format!("glTF version '{needed}'; only 2.x is read, export as glTF 2.0");
        return Err(ReadError::malformed("asset.version", what));
    }
    Ok(root)
}

/// What an object takes while it is understood, with what is made of it: a node's is the most,
/// whose list grows by doubling. And an array, and any other value in either.
const BYTES_PER_OBJECT: usize = 850;
const BYTES_PER_ARRAY: usize = 130;
/// As a `serde_json::Value`, which is largest in programs that keep the order of fields: what a
/// writer needs that carries it.
const BYTES_PER_VALUE: usize = 80;
/// What a document may take: twenty bytes a byte, and fifty megabytes.
const BYTES_PER_BYTE: usize = 20;
const FREE_BYTES: usize = 50_000_000;

/// Refuses a document of nothing but brackets and short numbers: `{},` takes three bytes, and
/// hundreds in memory.
fn refuse_crowds(json: &[u8]) -> Result<(), ReadError> {
    let (num_objects, num_arrays, num_values) = count(json);
    let cost = num_objects * BYTES_PER_OBJECT
        + num_arrays * BYTES_PER_ARRAY
        + num_values * BYTES_PER_VALUE;
    if cost > json.len().saturating_mul(BYTES_PER_BYTE).saturating_add(FREE_BYTES) {
        let what = format!(
            "{num_objects} objects, {num_arrays} arrays and {num_values} numbers and words in {} bytes are more than a \
             character can mean, and than memory is there for; put data into buffers",
            json.len()
        );
        return Err(ReadError::malformed("JSON", what));
    }
    Ok(())
}

/// Objects, arrays, and other values of lists and objects.
fn count(json: &[u8]) -> (usize, usize, usize) {
    let (mut num_objects, mut num_arrays, mut num_commas) = (0_usize, 0_usize, 0_usize);
    let mut rest = json;
    // From one byte that means something to the next; what strings say means nothing.
    while let Some(at) = rest.iter().position(|b| matches!(b, b'{' | b'[' | b',' | b'"')) {
        let byte = rest[at];
        rest = &rest[at + 1..];
        match byte {
            b'{' => num_objects += 1,
            b'[' => num_arrays += 1,
            b',' => num_commas += 1,
            _ => {
                while let Some(end) = rest.iter().position(|b| matches!(b, b'"' | b'\\')) {
                    let is_end = rest[end] == b'"';
                    rest = rest.get(end + if is_end { 1 } else { 2 }..).unwrap_or(&[]);
                    if is_end {
                        break;
                    }
                }
            }
        }
    }
    // A list has one more than its commas, and objects and arrays are counted by themselves.
    (num_objects, num_arrays, num_commas.saturating_sub(num_objects + num_arrays))
}

fn parse_root(json: &[u8]) -> Result<Root, ReadError> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let root: Root = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "JSON".to_owned() } else { path };
        ReadError::malformed(place, error.into_inner().to_string())
    })?;
    deserializer
        .end()
        .map_err(|error| ReadError::malformed("JSON", format!("{error} after the document")))?;
    Ok(root)
}

/// Larger documents are not read a second time: they come from programs, which write integers as
/// such.
const MAX_WHOLE_NUMBERS_BYTES: usize = 1 << 20;

/// The document with every number that is whole written as an integer; `None` if that does not
/// help.
fn with_whole_numbers(json: &[u8]) -> Option<Root> {
    fn settle(value: &mut Value) {
        match value {
            Value::Number(number) => {
                let whole = number.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15);
                if let (true, Some(whole)) = (number.is_f64(), whole) {
                    *number = (whole as i64).into();
                }
            }
            // serde_json refuses to nest deeper than 128, so that recursion ends.
            Value::Array(items) => items.iter_mut().for_each(settle),
            Value::Object(entries) => entries.values_mut().for_each(settle),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    if json.len() > MAX_WHOLE_NUMBERS_BYTES {
        return None;
    }
    let mut value: Value = serde_json::from_slice(json).ok()?;
    settle(&mut value);
    serde_json::from_value(value).ok()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The document.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root {
    pub(super) asset: Asset,
    #[serde(default, deserialize_with = "shallow::names", skip_serializing_if = "Vec::is_empty")]
    pub(super) extensions_used: Vec<String>,
    #[serde(default, deserialize_with = "shallow::names", skip_serializing_if = "Vec::is_empty")]
    pub(super) extensions_required: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scene: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) scenes: Vec<Scene>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) nodes: Vec<Node>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) skins: Vec<Skin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) animations: Vec<Animation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) materials: Vec<Material>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) buffers: Vec<Buffer>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) textures: Vec<Texture>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) images: Vec<Image>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) min_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) generator: Option<String>,
    #[serde(default, deserialize_with = "shallow::extras", skip_serializing_if = "Value::is_null")]
    pub(super) extras: Value,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Scene {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Node {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) skin: Option<usize>,
    // Boxed: most nodes have none, and `{}` must not cost hundreds of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) matrix: Option<Box<[f64; 16]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[f64; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<[f64; 3]>,
    /// Of the mesh's shapes, before the mesh's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) weights: Vec<f64>,
    #[serde(default, skip_serializing)]
    pub(super) extensions: NodeExtensions,
    #[serde(default, deserialize_with = "shallow::extras", skip_serializing_if = "Value::is_null")]
    pub(super) extras: Value,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Mesh {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) weights: Vec<f64>,
    #[serde(default, deserialize_with = "shallow::extras", skip_serializing_if = "Value::is_null")]
    pub(super) extras: Value,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) indices: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) material: Option<usize>,
    #[serde(default = "triangles", skip_serializing_if = "is_triangles")]
    pub(super) mode: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) targets: Vec<BTreeMap<String, usize>>,
    #[serde(default, skip_serializing)]
    pub(super) extensions: PrimitiveExtensions,
    #[serde(default, deserialize_with = "shallow::extras", skip_serializing_if = "Value::is_null")]
    pub(super) extras: Value,
}

/// What is read of a primitive's extensions.
#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(default, rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<Draco>,
}

/// Where a primitive's Draco stream is, and the ids of attributes in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Draco {
    pub(super) buffer_view: usize,
    pub(super) attributes: BTreeMap<String, u32>,
}

/// `mode` of separate triangles, and the default.
pub(super) const TRIANGLES: u32 = 4;

fn triangles() -> u32 {
    TRIANGLES
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_triangles(mode: &u32) -> bool {
    *mode == TRIANGLES
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) inverse_bind_matrices: Option<usize>,
    pub(super) joints: Vec<usize>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Animation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) channels: Vec<AnimationChannel>,
    pub(super) samplers: Vec<AnimationSampler>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct AnimationChannel {
    pub(super) sampler: usize,
    pub(super) target: AnimationTarget,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct AnimationTarget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct AnimationSampler {
    pub(super) input: usize,
    pub(super) output: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) interpolation: Option<String>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Texture {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<usize>,
    #[serde(default, skip_serializing)]
    pub(super) extensions: TextureExtensions,
}

/// What is read of a texture's extensions.
#[derive(Debug, Default, Deserialize)]
pub(super) struct TextureExtensions {
    #[serde(default, rename = "EXT_texture_webp")]
    pub(super) webp: Option<TextureSource>,
}

/// Where a texture's image is.
#[derive(Debug, Default, Deserialize)]
pub(super) struct TextureSource {
    #[serde(default)]
    pub(super) source: Option<usize>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "mimeType")]
    pub(super) media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) buffer_view: Option<usize>,
    #[serde(default, deserialize_with = "shallow::extras", skip_serializing_if = "Value::is_null")]
    pub(super) extras: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(
        default,
        deserialize_with = "shallow::base_color",
        skip_serializing_if = "Value::is_null"
    )]
    pub(super) pbr_metallic_roughness: Value,
    #[serde(
        default,
        deserialize_with = "shallow::normal_map",
        skip_serializing_if = "Value::is_null"
    )]
    pub(super) normal_texture: Value,
    #[serde(default, deserialize_with = "shallow::scalar", skip_serializing_if = "Value::is_null")]
    pub(super) alpha_mode: Value,
    #[serde(default, deserialize_with = "shallow::scalar", skip_serializing_if = "Value::is_null")]
    pub(super) alpha_cutoff: Value,
    #[serde(default, deserialize_with = "shallow::scalar", skip_serializing_if = "Value::is_null")]
    pub(super) double_sided: Value,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) buffer_view: Option<usize>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) min: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) max: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sparse: Option<Box<Sparse>>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) byte_stride: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<u32>,
    // Boxed: most views have none.
    #[serde(default, skip_serializing)]
    pub(super) extensions: Option<Box<ViewExtensions>>,
}

impl BufferView {
    /// The extension that compresses the view, and its name.
    pub(super) fn compressed(&self) -> Option<(&'static str, &CompressedView)> {
        let extensions = self.extensions.as_ref()?;
        let ext = extensions.ext_meshopt.as_ref().map(|view| ("EXT_meshopt_compression", view));
        let khr = extensions.khr_meshopt.as_ref().map(|view| ("KHR_meshopt_compression", view));
        ext.or(khr)
    }
}

/// What is read of a view's extensions.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(default, rename = "EXT_meshopt_compression")]
    pub(super) ext_meshopt: Option<CompressedView>,
    #[serde(default, rename = "KHR_meshopt_compression")]
    pub(super) khr_meshopt: Option<CompressedView>,
}

/// Where a view's meshopt stream is, and what it holds.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompressedView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: usize,
    pub(super) count: usize,
    pub(super) mode: String,
    #[serde(default)]
    pub(super) filter: Option<String>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) uri: Option<String>,
    pub(super) byte_length: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_what_strings_say_is_not() {
        let json = br#"{"a":[1,2,3,4,5],"b":"[{,\",,{","c":{"d":[]}}"#;
        assert_eq!(count(json), (2, 2, 2));
        assert_eq!(count(b"\"\\"), (0, 0, 0));
    }

    #[test]
    fn megabytes_of_short_numbers_are_refused_and_of_long_ones_are_not() {
        let of = |number: &str, count: usize| {
            let numbers = vec![number; count].join(",");
            format!(r#"{{"asset":{{"version":"2.0","extras":[{numbers}]}}}}"#)
        };
        let error = parse(of("0", 2_500_000).as_bytes()).unwrap_err().to_string();
        assert!(error.contains("numbers and words"), "{error}");
        assert!(parse(of("0.123456", 500_000).as_bytes()).is_ok());
    }
}
