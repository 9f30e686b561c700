//! Copying what the source has and Sinew does not look at: accessors of further attributes,
//! primitives of points and lines, images, and what unknown extensions point to.
//!
//! Arrays are read with the reader's own code (so sparse, strided and compressed ones come out
//! plain) and written with the component type that they had, unless glTF without extensions does
//! not allow it there: then as floats. What other programs would refuse is mended on the way
//! (tangents of unit length, colours within 0..1) or left out.

mod extensions;
mod images;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::super::accessor::Accessors;
use super::super::draco;
use super::super::source::Source;
use super::Writer;
use super::array::{Elements, F32, I8, I16, INDICES, U8, U16, U32, VERTICES, component_size};

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
    /// Of an animation's keys.
    Times,
    /// Values of an animation, what an extension has.
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
            Self::Times | Self::Other => None,
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
            Self::Indices | Self::Times | Self::Other => true,
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
            let is_bounded = !accessor.min.is_empty() || !accessor.max.is_empty();
            if matches!(of, Use::Position | Use::Times) || of == Use::Other && is_bounded {
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

    /// Copies the joints and weights of a primitive, set by set.
    pub(super) fn weights(
        &mut self,
        writer: &mut Writer,
        attributes: &BTreeMap<String, usize>,
    ) -> BTreeMap<String, usize> {
        let mut copies = BTreeMap::new();
        for set in 0.. {
            for name in [format!("JOINTS_{set}"), format!("WEIGHTS_{set}")] {
                let Some(&accessor) = attributes.get(&name) else { return copies };
                if let Some(copy) = self.accessor(writer, accessor, Use::Attribute) {
                    copies.insert(name, copy);
                }
            }
        }
        copies
    }

    /// Copies a primitive as it is; `None` if its positions or indices cannot be had, and then
    /// nothing of it is left in the document.
    pub(super) fn primitive(
        &mut self,
        writer: &mut Writer,
        mesh: usize,
        primitive: usize,
    ) -> Option<Value> {
        let before = (writer.root.accessors.len(), writer.root.buffer_views.len());
        let made = self.whole_primitive(writer, mesh, primitive);
        if made.is_none() {
            writer.take_back(before.0, before.1);
            self.copied.retain(|_, copy| copy.is_none_or(|copy| copy < before.0));
            self.views.retain(|_, copy| copy.is_none_or(|copy| copy < before.1));
        }
        made
    }

    fn whole_primitive(
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
