//! Copying what the source has and Sinew does not look at: accessors of further attributes, primitives of points and
//! lines, images, and what unknown extensions point to.
//!
//! Arrays are read with the reader's own code (so sparse, strided and compressed ones come out plain) and written with the
//! component type that they had, unless glTF without extensions does not allow it there: then as floats. What other
//! programs would refuse is mended on the way (tangents of unit length, colours within 0..1) or left out.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::super::accessor::Accessors;
use super::super::draco;
use super::super::material::MISSING;
use super::super::source::Source;
use super::Writer;
use super::array::{Elements, F32, I8, I16, INDICES, U8, U16, U32, VERTICES, component_size};

/// A PNG of one white pixel.
const WHITE_PIXEL: &[u8] = b"\
    \x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x0a\x49\x44\x41\x54\x78\xda\x63\xf8\x0f\x00\x01\
    \x01\x01\x00\x1c\xb0\x8c\x99\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

/// What an accessor is for: decides what it may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    Tangent,
    Color,
    Texcoord,
    Position,
    Normal,
    /// Of a morph target.
    Delta,
    /// Of any type: joints, weights, what a `_NAME` holds.
    Attribute,
    Indices,
    /// Times and values of an animation, what an extension has.
    Other,
}

impl Use {
    /// By the name of a vertex attribute.
    pub(super) fn of_attribute(name: &str) -> Self {
        match name {
            "POSITION" => Self::Position,
            "NORMAL" => Self::Normal,
            "TANGENT" => Self::Tangent,
            _ if name.starts_with("COLOR_") => Self::Color,
            _ if name.starts_with("TEXCOORD_") => Self::Texcoord,
            _ => Self::Attribute,
        }
    }

    fn target(self) -> Option<u32> {
        match self {
            Self::Indices => INDICES,
            Self::Other => None,
            _ => VERTICES,
        }
    }

    /// True if glTF allows the component type there without an extension.
    fn allows(self, component_type: u32, normalized: bool) -> bool {
        match self {
            Self::Tangent | Self::Position | Self::Normal | Self::Delta => component_type == F32,
            Self::Color | Self::Texcoord => match component_type {
                F32 => true,
                U8 | U16 => normalized,
                _ => false,
            },
            Self::Attribute => component_type != U32,
            Self::Indices | Self::Other => true,
        }
    }
}

/// Copies from the source into the document.
#[derive(Debug)]
pub(super) struct Copier<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) accessors: &'a Accessors<'a>,
    copied: HashMap<(usize, Use), Option<usize>>,
    views: HashMap<usize, Option<usize>>,
}

impl<'a> Copier<'a> {
    pub(super) fn new(source: &'a Source<'a>, accessors: &'a Accessors<'a>) -> Self {
        Self { source, accessors, copied: HashMap::new(), views: HashMap::new() }
    }

    /// Copies an accessor once for each kind of use; `None` if it cannot be had.
    pub(super) fn accessor(&mut self, writer: &mut Writer, index: usize, of: Use) -> Option<usize> {
        if let Some(&known) = self.copied.get(&(index, of)) {
            return known;
        }
        let kind = self.source.root.accessors.get(index).map_or("", |a| a.kind.as_str());
        let made = match kind {
            "SCALAR" => self.array::<1>(writer, index, of, "SCALAR"),
            "VEC2" => self.array::<2>(writer, index, of, "VEC2"),
            "VEC3" => self.array::<3>(writer, index, of, "VEC3"),
            "VEC4" => self.array::<4>(writer, index, of, "VEC4"),
            "MAT2" => self.array::<4>(writer, index, of, "MAT2"),
            "MAT3" => self.array::<9>(writer, index, of, "MAT3"),
            "MAT4" => self.array::<16>(writer, index, of, "MAT4"),
            _ => None,
        };
        self.copied.insert((index, of), made);
        made
    }

    fn array<const N: usize>(
        &self,
        writer: &mut Writer,
        index: usize,
        of: Use,
        kind: &'static str,
    ) -> Option<usize> {
        let accessor = &self.source.root.accessors[index];
        let (component_type, normalized) = (accessor.component_type, accessor.normalized);
        if accessor.count == 0 {
            return None;
        }
        let place = "a copy";
        let is_matrix = kind.starts_with("MAT");
        let is_kept = component_type != F32 && of.allows(component_type, normalized) && !is_matrix;
        if !is_kept {
            let mut values = self.accessors.floats::<N>(index, place).ok()?;
            if values.as_flattened().iter().any(|x| !x.is_finite()) {
                return None;
            }
            mend(of, &mut values);
            if of == Use::Delta
                && let Some(deltas) = as_triples(&values)
            {
                return Some(writer.add_deltas(&deltas, None));
            }
            let copy = writer.add_floats(kind, of.target(), &values);
            if matches!(of, Use::Position | Use::Other) {
                writer.set_bounds(copy, &values);
            }
            return Some(copy);
        }
        let bytes: Vec<u8> = match component_type {
            U8 | U16 | U32 => {
                let values = self.accessors.integers::<N>(index, place).ok()?;
                let values = values.as_flattened().iter();
                match component_type {
                    U8 => values.map(|&x| x as u8).collect(),
                    U16 => values.flat_map(|&x| (x as u16).to_le_bytes()).collect(),
                    _ => values.flat_map(|x| x.to_le_bytes()).collect(),
                }
            }
            I8 | I16 => {
                let values = self.accessors.floats::<N>(index, place).ok()?;
                let unit = match (normalized, component_type) {
                    (false, _) => 1.0,
                    (true, I8) => 127.0,
                    (true, _) => 32767.0,
                };
                let values = values.as_flattened().iter().map(|x| (x * unit).round());
                match component_type {
                    I8 => values.map(|x| (x as i8) as u8).collect(),
                    _ => values.flat_map(|x| (x as i16).to_le_bytes()).collect(),
                }
            }
            _ => return None,
        };
        // Draco has its own mind on how many there are.
        let count = bytes.len() / (N * component_size(component_type));
        let elements = Elements { kind, component_type, normalized, count, target: of.target() };
        Some(writer.add_accessor(elements, bytes))
    }

    /// Copies the attributes of a primitive that `keep` names.
    pub(super) fn attributes(
        &mut self,
        writer: &mut Writer,
        attributes: &BTreeMap<String, usize>,
        place: &str,
        keep: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, usize> {
        let mut copies = BTreeMap::new();
        for (name, &accessor) in attributes.iter().filter(|(name, _)| keep(name)) {
            match self.accessor(writer, accessor, Use::of_attribute(name)) {
                Some(copy) => {
                    copies.insert(name.clone(), copy);
                }
                None => lost(writer, format!("{place}.attributes.{name}"), "the attribute"),
            }
        }
        copies
    }

    /// Copies a primitive as it is; `None` if its positions or indices cannot be had.
    pub(super) fn primitive(
        &mut self,
        writer: &mut Writer,
        mesh: usize,
        primitive: usize,
    ) -> Option<Value> {
        let place = format!("meshes[{mesh}].primitives[{primitive}]");
        let mut value = self.source_primitive(mesh, primitive)?;
        let found = self.source.root.meshes.get(mesh)?.primitives.get(primitive)?;
        draco::decode_primitive(found, &place, self.accessors).ok()?;
        let attributes = self.attributes(writer, &found.attributes, &place, |_| true);
        if !attributes.contains_key("POSITION") {
            return None;
        }
        value.insert("attributes".into(), json!(attributes));
        if let Some(indices) = found.indices {
            let copy = self.accessor(writer, indices, Use::Indices)?;
            value.insert("indices".into(), json!(copy));
        }
        if !found.targets.is_empty() {
            let mut targets = Vec::new();
            for (index, target) in found.targets.iter().enumerate() {
                let copy = self.target(writer, target, &format!("{place}.targets[{index}]"), "");
                (!copy.is_empty()).then_some(())?;
                targets.push(copy);
            }
            value.insert("targets".into(), json!(targets));
        }
        Some(Value::Object(value))
    }

    /// Copies a morph target's attributes but one.
    pub(super) fn target(
        &mut self,
        writer: &mut Writer,
        target: &BTreeMap<String, usize>,
        place: &str,
        but: &str,
    ) -> BTreeMap<String, usize> {
        let mut copies = BTreeMap::new();
        for (name, &accessor) in target.iter().filter(|(name, _)| name.as_str() != but) {
            let of = match name.as_str() {
                "POSITION" | "NORMAL" | "TANGENT" => Use::Delta,
                other => Use::of_attribute(other),
            };
            match self.accessor(writer, accessor, of) {
                Some(copy) => {
                    if name == "POSITION"
                        && let Ok(values) = self.accessors.floats::<3>(accessor, place)
                    {
                        writer.set_bounds(copy, &values);
                    }
                    copies.insert(name.clone(), copy);
                }
                None => lost(writer, format!("{place}.{name}"), "the attribute"),
            }
        }
        copies
    }

    /// A primitive's JSON, less what says how its vertices are compressed.
    pub(super) fn source_primitive(
        &self,
        mesh: usize,
        primitive: usize,
    ) -> Option<Map<String, Value>> {
        let meshes = self.source.json.get("meshes")?;
        let found = meshes.get(mesh)?.get("primitives")?.get(primitive)?;
        let mut value = found.as_object()?.clone();
        let extensions = value.get_mut("extensions").and_then(Value::as_object_mut);
        if let Some(extensions) = extensions {
            extensions.remove("KHR_draco_mesh_compression");
            if extensions.is_empty() {
                value.remove("extensions");
            }
        }
        Some(value)
    }

    /// Copies a view; `None` if its bytes are not there.
    fn view(&mut self, writer: &mut Writer, index: usize) -> Option<usize> {
        if let Some(&known) = self.views.get(&index) {
            return known;
        }
        let made = self.source.view(index).map(|bytes| writer.add_view(None, bytes.to_vec()));
        self.views.insert(index, made);
        made
    }

    /// Puts a white pixel where an image is missing: textures go on naming the images that they named.
    fn stand_in(&mut self, writer: &mut Writer, index: usize) {
        let image = &self.source.root.images[index];
        let known = image.extras.get(MISSING).cloned();
        let address = known.unwrap_or_else(|| json!(image.uri.clone().unwrap_or_default()));
        let place = format!("images[{index}]");
        let what = format!("the image {address} was missing; a white pixel stands for it");
        let mend = "put the image where the source names it, and convert again";
        writer.report.warn("image-missing", place, what, mend);
        let view = writer.add_view(None, WHITE_PIXEL.iter().copied());
        if let Some(image) = writer.object("images", index) {
            image.remove("uri");
            image.insert("bufferView".into(), json!(view));
            image.insert("mimeType".into(), json!("image/png"));
            let extras = image.entry("extras").or_insert_with(|| json!({}));
            if let Some(extras) = extras.as_object_mut() {
                extras.insert(MISSING.into(), address);
            }
        }
    }

    /// Takes the images into the document's own buffer.
    pub(super) fn images(&mut self, writer: &mut Writer) {
        for index in 0..self.source.root.images.len() {
            let Some(bytes) = self.source.image(index) else {
                self.stand_in(writer, index);
                continue;
            };
            let image = &self.source.root.images[index];
            let written = image.media_type.as_deref();
            let Some(media_type) = media_type(&bytes).or(written).map(str::to_owned) else {
                continue;
            };
            let view = match image.buffer_view.filter(|_| image.uri.is_none()) {
                Some(view) => self.view(writer, view),
                None => Some(writer.add_view(None, bytes.iter().copied())),
            };
            if let (Some(view), Some(image)) = (view, writer.object("images", index)) {
                image.remove("uri");
                image.insert("bufferView".into(), json!(view));
                image.insert("mimeType".into(), json!(media_type));
            }
        }
    }

    /// Makes what extensions say of accessors and views name the copies. Other indices are those of the source, and stay.
    pub(super) fn extensions(&mut self, writer: &mut Writer) {
        let mut document = std::mem::take(&mut writer.document);
        self.remap_map(writer, &mut document, None);
        writer.document = document;
    }

    // As deep as the JSON's parser lets values be.
    fn remap(&mut self, writer: &mut Writer, value: &mut Value, extension: Option<&str>) {
        match value {
            Value::Array(values) => {
                for value in values {
                    self.remap(writer, value, extension);
                }
            }
            Value::Object(map) => self.remap_map(writer, map, extension),
            _ => {}
        }
    }

    fn remap_map(
        &mut self,
        writer: &mut Writer,
        map: &mut Map<String, Value>,
        extension: Option<&str>,
    ) {
        let mut gone = Vec::new();
        for (key, value) in map.iter_mut() {
            match (key.as_str(), &mut *value) {
                // Nobody's business.
                ("extras", _) => continue,
                ("extensions", Value::Object(extensions)) => {
                    for (name, value) in extensions {
                        self.remap(writer, value, Some(name));
                    }
                    continue;
                }
                _ => {}
            }
            let Some(extension) = extension else {
                self.remap(writer, value, None);
                continue;
            };
            let named = value.as_u64().map(|index| index as usize);
            let copy = match (key.as_str(), named) {
                ("bufferView", Some(view)) => self.view(writer, view),
                ("values" | "arrayOffsets" | "stringOffsets", Some(view))
                    if extension == "EXT_structural_metadata" =>
                {
                    self.view(writer, view)
                }
                ("accessor", Some(index)) => self.accessor(writer, index, Use::Other),
                ("attributes", _) => {
                    self.remap_attributes(writer, value);
                    continue;
                }
                _ => {
                    self.remap(writer, value, Some(extension));
                    continue;
                }
            };
            match copy {
                Some(copy) => *value = json!(copy),
                None => gone.push(key.clone()),
            }
        }
        for key in gone {
            lost(writer, format!("an extension's {key}"), "what it points to");
            map.remove(&key);
        }
    }

    /// `EXT_mesh_gpu_instancing` and its like: names and accessors.
    fn remap_attributes(&mut self, writer: &mut Writer, value: &mut Value) {
        let Some(map) = value.as_object_mut() else { return };
        map.retain(|name, value| {
            let Some(index) = value.as_u64() else { return true };
            match self.accessor(writer, index as usize, Use::Other) {
                Some(copy) => *value = json!(copy),
                None => {
                    lost(writer, format!("an extension's attribute {name}"), "its accessor");
                    return false;
                }
            }
            true
        });
    }
}

/// Says that something of the source is not in the result.
pub(super) fn lost(writer: &mut Writer, place: String, what: &str) {
    let what = format!("{what} could not be carried over; left out");
    let mend = "keep the source file, or export it again without what is broken there";
    writer.report.warn("not-carried", place, what, mend);
}

fn as_triples<const N: usize>(values: &[[f32; N]]) -> Option<Vec<[f32; 3]>> {
    let triples = values.iter().map(|v| v.first_chunk::<3>().copied());
    if N == 3 { triples.collect() } else { None }
}

fn mend<const N: usize>(of: Use, values: &mut [[f32; N]]) {
    match of {
        Use::Tangent | Use::Normal => {
            for value in values {
                let Some(xyz) = value.first_chunk::<3>() else { continue };
                let direction = glam::Vec3::from_array(*xyz);
                if (direction.length_squared() - 1.0).abs() > 1e-4 {
                    let unit = direction.try_normalize().unwrap_or(glam::Vec3::X).to_array();
                    value[..3].copy_from_slice(&unit);
                }
                if let Some(sign) = value.get_mut(3) {
                    *sign = if *sign < 0.0 { -1.0 } else { 1.0 };
                }
            }
        }
        Use::Color => {
            for x in values.as_flattened_mut() {
                *x = x.clamp(0.0, 1.0);
            }
        }
        _ => {}
    }
}

/// What an image's first bytes say.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Some("image/ktx2"),
        [b'D', b'D', b'S', b' ', ..] => Some("image/vnd-ms.dds"),
        _ => None,
    }
}
