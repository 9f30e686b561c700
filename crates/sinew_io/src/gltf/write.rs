//! Writing glTF: a document under construction, and the way from a character to one.
//!
//! A character that came from a glTF is written into the document that it came from (`write_carried`); any other, or one
//! whose skeleton is no longer the file's, anew: joints as the first nodes, one skin for all parts, one mesh a part, one
//! animation a clip.
//!
//! What glTF has no field for goes to `extras`: bone tails (`sinew_tail`), group names (`sinew_group`), the
//! character's name (`sinew_name`). A static mesh names its welded points in the attribute `_POINT`, since without
//! weights nothing else tells a seam from a gap.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sinew::material::EncodedImage;
use sinew::weights::SkinWeights;
use sinew::{Character, Part};

use super::json::{Accessor, BufferView, Node, Root, Scene, Sparse, SparseIndices, SparseValues};
use super::write_animation::add_clips;
use super::write_material::PartMaterials;
use super::write_mesh::{Surface, add_mesh};
use super::write_skin::{Skins, add_joints};
use super::{write_carried, write_mesh};
use crate::posed::PosedPart;
use crate::{Report, WriteError, WriteOptions};

/// A document under construction.
#[derive(Debug)]
pub(super) struct Writer {
    /// Accessors, their views and animations; all else is in `document`.
    pub(super) root: Root,
    /// The document's JSON.
    pub(super) document: Map<String, Value>,
    /// The node of each joint of the character.
    pub(super) node_of_joint: Vec<usize>,
    /// The node of each part of the character that was written.
    pub(super) node_of_part: Vec<Option<usize>>,
    /// Textures that were made for images of the character.
    pub(super) textures: Vec<(Arc<EncodedImage>, usize)>,
    pub(super) report: Report,
    binary: Vec<u8>,
    /// Accessors by the hash of what they are and hold: nothing is written twice.
    known: HashMap<u64, Vec<usize>>,
}

/// The shape of an accessor's elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Elements {
    pub(super) kind: &'static str,
    pub(super) component_type: u32,
    pub(super) normalized: bool,
    pub(super) count: usize,
    /// What the view is bound to: vertices (34962), indices (34963) or neither.
    pub(super) target: Option<u32>,
}

pub(super) const I8: u32 = 5120;
pub(super) const U8: u32 = 5121;
pub(super) const I16: u32 = 5122;
pub(super) const U16: u32 = 5123;
pub(super) const U32: u32 = 5125;
pub(super) const F32: u32 = 5126;
pub(super) const VERTICES: Option<u32> = Some(34962);
pub(super) const INDICES: Option<u32> = Some(34963);

/// Bytes of a component.
pub(super) fn component_size(component_type: u32) -> usize {
    match component_type {
        I8 | U8 => 1,
        I16 | U16 => 2,
        _ => 4,
    }
}

fn num_components(kind: &str) -> usize {
    match kind {
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => 1,
    }
}

/// What the JSON of a sparse accessor costs more than that of a dense one.
const SPARSE_JSON_BYTES: usize = 256;

/// A finished document and its one buffer.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) document: Map<String, Value>,
    pub(crate) binary: Vec<u8>,
    /// What could not be kept.
    pub(crate) report: Report,
}

impl Writer {
    /// Starts from a document, or from none.
    pub(super) fn new(document: Map<String, Value>) -> Self {
        Self {
            root: Root::default(),
            document,
            node_of_joint: Vec::new(),
            node_of_part: Vec::new(),
            textures: Vec::new(),
            report: Report::default(),
            binary: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// One of the document's arrays, made if it has none.
    pub(super) fn array(&mut self, name: &str) -> &mut Vec<Value> {
        let slot = self.document.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        if !slot.is_array() {
            *slot = Value::Array(Vec::new());
        }
        match slot {
            Value::Array(array) => array,
            _ => unreachable!("it was just made one"),
        }
    }

    /// Adds to one of the document's arrays, and returns the place.
    pub(super) fn push(&mut self, array: &str, value: impl Serialize) -> usize {
        // Only maps whose keys are no strings fail to become a value, and there are none.
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        let array = self.array(array);
        array.push(value);
        array.len() - 1
    }

    /// An object of one of the document's arrays.
    pub(super) fn object(&mut self, array: &str, index: usize) -> Option<&mut Map<String, Value>> {
        self.array(array).get_mut(index)?.as_object_mut()
    }

    /// Adds an array and returns its accessor: an earlier one, if it is and holds the same.
    pub(super) fn add_accessor(
        &mut self,
        elements: Elements,
        bytes: impl IntoIterator<Item = u8>,
    ) -> usize {
        let element_size = num_components(elements.kind) * component_size(elements.component_type);
        let mut bytes: Vec<u8> = bytes.into_iter().collect();
        // Every vertex begins on a multiple of four bytes.
        let stride = match elements.target {
            VERTICES => element_size.next_multiple_of(4),
            _ => element_size,
        };
        if stride != element_size {
            let padded = bytes.chunks_exact(element_size).flat_map(|element| {
                element.iter().copied().chain(std::iter::repeat_n(0, stride - element_size))
            });
            bytes = padded.collect();
        }
        let hash = self.hash(elements, &bytes);
        if let Some(known) = self.known(hash, elements, &bytes) {
            return known;
        }
        let buffer_view = self.add_view(elements.target, bytes);
        if stride != element_size {
            self.root.buffer_views[buffer_view].byte_stride = Some(stride);
        }
        self.push_accessor(elements, Some(buffer_view), None, hash)
    }

    fn push_accessor(
        &mut self,
        elements: Elements,
        buffer_view: Option<usize>,
        sparse: Option<Box<Sparse>>,
        hash: u64,
    ) -> usize {
        self.root.accessors.push(Accessor {
            buffer_view,
            component_type: elements.component_type,
            normalized: elements.normalized,
            count: elements.count,
            kind: elements.kind.into(),
            sparse,
            ..Accessor::default()
        });
        let accessor = self.root.accessors.len() - 1;
        self.known.entry(hash).or_default().push(accessor);
        accessor
    }

    fn hash(&self, elements: Elements, bytes: &[u8]) -> u64 {
        let mut hasher = DefaultHasher::new();
        let Elements { kind, component_type, normalized, count, target } = elements;
        (kind, component_type, normalized, count, target).hash(&mut hasher);
        bytes.hash(&mut hasher);
        hasher.finish()
    }

    fn known(&self, hash: u64, elements: Elements, bytes: &[u8]) -> Option<usize> {
        self.known.get(&hash)?.iter().copied().find(|&index| {
            let accessor = &self.root.accessors[index];
            let Some(view) = accessor.buffer_view.map(|view| &self.root.buffer_views[view]) else {
                return false;
            };
            let found = &self.binary[view.byte_offset..view.byte_offset + view.byte_length];
            let is_like = accessor.kind == elements.kind
                && accessor.component_type == elements.component_type
                && accessor.normalized == elements.normalized
                && accessor.count == elements.count
                && view.target == elements.target;
            is_like && found == bytes
        })
    }

    /// Adds bytes with a view of their own.
    pub(super) fn add_view(
        &mut self,
        target: Option<u32>,
        bytes: impl IntoIterator<Item = u8>,
    ) -> usize {
        // Every component type is at most four bytes, and must lie on a multiple of its size.
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let byte_offset = self.binary.len();
        self.binary.extend(bytes);
        self.root.buffer_views.push(BufferView {
            buffer: 0,
            byte_offset,
            byte_length: self.binary.len() - byte_offset,
            target,
            ..BufferView::default()
        });
        self.root.buffer_views.len() - 1
    }

    /// Adds arrays of `N` floats.
    pub(super) fn add_floats<const N: usize>(
        &mut self,
        kind: &'static str,
        target: Option<u32>,
        values: &[[f32; N]],
    ) -> usize {
        let count = values.len();
        let elements = Elements { kind, component_type: F32, count, target, ..Elements::default() };
        self.add_accessor(elements, values.as_flattened().iter().flat_map(|x| x.to_le_bytes()))
    }

    /// Adds displacements, of which most are often zero: then only the others, by their index.
    pub(super) fn add_deltas(&mut self, deltas: &[[f32; 3]]) -> usize {
        let mut moved: Vec<u32> =
            (0..deltas.len() as u32).filter(|&v| deltas[v as usize] != [0.0; 3]).collect();
        if moved.is_empty() && !deltas.is_empty() {
            // A sparse array has at least one entry.
            moved.push(0);
        }
        let index_type = match deltas.len() {
            0..=0x100 => U8,
            0x101..=0x1_0000 => U16,
            _ => U32,
        };
        let sparse_bytes = moved.len() * (component_size(index_type) + 12) + SPARSE_JSON_BYTES;
        if sparse_bytes >= deltas.len() * 12 {
            return self.add_floats("VEC3", VERTICES, deltas);
        }
        let indices: Vec<u8> = match index_type {
            U8 => moved.iter().map(|&v| v as u8).collect(),
            U16 => moved.iter().flat_map(|&v| (v as u16).to_le_bytes()).collect(),
            _ => moved.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        let values = moved.iter().flat_map(|&v| deltas[v as usize]).flat_map(f32::to_le_bytes);
        let values: Vec<u8> = values.collect();
        let count = deltas.len();
        let elements = Elements { kind: "VEC3", component_type: F32, count, ..Elements::default() };
        let mut hasher = DefaultHasher::new();
        (count, &indices, &values).hash(&mut hasher);
        let hash = hasher.finish();
        let is_same = |view: usize, bytes: &[u8]| {
            let view = &self.root.buffer_views[view];
            self.binary[view.byte_offset..view.byte_offset + view.byte_length] == *bytes
        };
        let known = self.known.get(&hash).into_iter().flatten().copied().find(|&index| {
            let accessor = &self.root.accessors[index];
            accessor.count == count
                && accessor.sparse.as_ref().is_some_and(|sparse| {
                    is_same(sparse.indices.buffer_view, &indices)
                        && is_same(sparse.values.buffer_view, &values)
                })
        });
        if let Some(known) = known {
            return known;
        }
        let sparse = Sparse {
            count: moved.len(),
            indices: SparseIndices {
                buffer_view: self.add_view(None, indices),
                byte_offset: 0,
                component_type: index_type,
            },
            values: SparseValues { buffer_view: self.add_view(None, values), byte_offset: 0 },
        };
        self.push_accessor(elements, None, Some(Box::new(sparse)), hash)
    }

    /// States the smallest and largest value of each component, as positions and times must.
    pub(super) fn set_bounds<const N: usize>(&mut self, accessor: usize, values: &[[f32; N]]) {
        let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f64> {
            let extreme =
                values.iter().fold([start; N], |m, v| std::array::from_fn(|k| pick(m[k], v[k])));
            extreme.map(f64::from).to_vec()
        };
        self.root.accessors[accessor].min = fold(f32::INFINITY, f32::min);
        self.root.accessors[accessor].max = fold(f32::NEG_INFINITY, f32::max);
    }

    /// Puts the document together. `animations` are taken as they are by then.
    pub(super) fn finish(mut self) -> Finished {
        let root = std::mem::take(&mut self.root);
        // glTF has no animations without channels.
        let animations = root.animations.into_iter().filter(|a| !a.channels.is_empty());
        for animation in animations {
            self.push("animations", animation);
        }
        for accessor in root.accessors {
            self.push("accessors", accessor);
        }
        for view in root.buffer_views {
            self.push("bufferViews", view);
        }
        if !self.binary.is_empty() {
            self.push("buffers", json!({ "byteLength": self.binary.len() }));
        }
        // Nor has it empty arrays.
        self.document.retain(|_, value| !value.as_array().is_some_and(Vec::is_empty));
        Finished { document: self.document, binary: self.binary, report: self.report }
    }
}

/// The asset of a file that Sinew made.
pub(super) fn asset(name: &str) -> Value {
    json!({ "version": "2.0", "generator": GENERATOR, "extras": { "sinew_name": name } })
}

pub(super) const GENERATOR: &str = concat!("Sinew ", env!("CARGO_PKG_VERSION"));

/// A character with skeleton, weights, shapes and clips, and all that its file said besides. Parts without triangles are
/// left out: glTF has no empty meshes.
pub(crate) fn character_document(
    character: &Character,
    options: &WriteOptions,
) -> Result<Finished, WriteError> {
    validate(character)?;
    let mut dropped = false;
    if let Some(carried) = &character.carried {
        if let Some(written) = write_carried::write(character, carried, options) {
            return written;
        }
        dropped = true;
    }
    let mut writer = Writer::new(Map::new());
    if dropped {
        let what = "the skeleton is no longer the file's; cameras, lights, nodes, extensions and all of the materials but \
                    their base colours were left out";
        let mend = "keep the source file beside the written one";
        writer.report.warn("carried-left-out", "document", what, mend);
    }
    writer.document.insert("asset".into(), asset(&character.name));
    let mut skins = Skins::default();
    let mut scene_nodes = add_joints(&mut writer, &mut skins, &character.skeleton)?;
    for part in &character.parts {
        if part.mesh.triangles().is_empty() {
            writer.node_of_part.push(None);
            continue;
        }
        let weights = limited_weights(character, part, options);
        let rows = weights.as_deref().map(write_mesh::sorted_rows);
        let mut surface = Surface::of_part(part, rows, character.skeleton.len());
        let materials = PartMaterials { runs: &part.materials, materials: &character.materials };
        surface.has_labels = weights.is_none();
        let mesh = add_mesh(&mut writer, &surface, materials)?;
        let node = writer.push(
            "nodes",
            Node {
                name: Some(part.mesh.name().to_owned()),
                mesh: Some(mesh),
                skin: weights.is_some().then_some(0),
                ..Node::default()
            },
        );
        writer.node_of_part.push(Some(node));
        scene_nodes.push(node);
    }
    skins.finish(&mut writer);
    add_clips(&mut writer, character)?;
    writer.push("scenes", Scene { name: None, nodes: scene_nodes });
    writer.document.insert("scene".into(), json!(0));
    Ok(writer.finish())
}

/// The weights of a part as they are to be written: at most as many influences a point as the options say.
pub(super) fn limited_weights<'a>(
    character: &Character,
    part: &'a Part,
    options: &WriteOptions,
) -> Option<Cow<'a, SkinWeights>> {
    let weights = part.weights.as_ref().filter(|_| !character.skeleton.is_empty())?;
    Some(match options.max_influences {
        Some(most) if weights.max_influences() > most => Cow::Owned(weights.truncated(most)),
        _ => Cow::Borrowed(weights),
    })
}

/// What would make another program's reader fail is not written.
fn validate(character: &Character) -> Result<(), WriteError> {
    if character.skeleton.len() > usize::from(u16::MAX) + 1 {
        let what = format!("{} joints; glTF can index 65,536", character.skeleton.len());
        return Err(WriteError::unwritable("skeleton", what));
    }
    for part in &character.parts {
        let place = || format!("mesh '{}'", part.mesh.name());
        let num_points = part.mesh.points().len();
        if let Some(weights) = part.weights.as_ref().filter(|_| !character.skeleton.is_empty()) {
            if weights.num_joints_used() > character.skeleton.len() {
                let what = "the weights name joints that the skeleton does not have";
                return Err(WriteError::unwritable(place(), what));
            }
            if weights.num_points() != num_points {
                return Err(WriteError::unwritable(place(), "the weights are of another mesh"));
            }
        }
        for shape in &part.shapes {
            let is_finite = shape.deltas.iter().all(|delta| delta.is_finite());
            if shape.deltas.len() != num_points || !is_finite {
                let place = format!("shape '{}' of {}", shape.name, place());
                let what = "needs one finite displacement a welded point";
                return Err(WriteError::unwritable(place, what));
            }
        }
    }
    Ok(())
}

/// Deformed parts as static meshes.
pub(crate) fn posed_document(name: &str, parts: &[PosedPart<'_>]) -> Result<Finished, WriteError> {
    let mut writer = Writer::new(Map::new());
    writer.document.insert("asset".into(), asset(name));
    let mut nodes = Vec::new();
    for part in parts.iter().filter(|part| !part.mesh.triangles().is_empty()) {
        let surface = Surface {
            mesh: part.mesh,
            positions: part.vertex_positions(),
            normals: part.vertex_normals.to_vec(),
            shapes: Vec::new(),
            rest_weights: Vec::new(),
            rows: None,
            num_entries: 0,
            is_mirrored: false,
            has_labels: true,
        };
        let mesh = add_mesh(&mut writer, &surface, part.materials)?;
        let name = Some(part.mesh.name().to_owned());
        nodes.push(writer.push("nodes", Node { name, mesh: Some(mesh), ..Node::default() }));
    }
    // A scene without nodes must not have the field, and an empty list is not written.
    writer.push("scenes", Scene { name: None, nodes });
    writer.document.insert("scene".into(), json!(0));
    Ok(writer.finish())
}
