//! Arrays of a document under construction: accessors, the views that they lie in, and the one
//! buffer of all.
//!
//! Vertices and indices that are the same are written once, so that instances of a mesh come out as
//! one again.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::super::json::{Accessor, BufferView, Sparse, SparseIndices, SparseValues};
use super::Writer;
use super::compressed::{self, compress};
use super::quantized::Quantization;

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

/// Components of an element.
pub(super) fn num_components(kind: &str) -> usize {
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

impl Writer {
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
        // Only of vertices: the times of one animation may not be the values of another.
        if elements.target.is_some()
            && let Some(known) = self.known(hash, elements, &bytes)
        {
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

    /// Takes back every array and view after the first so many.
    pub(super) fn take_back(&mut self, num_accessors: usize, num_views: usize) {
        self.root.accessors.truncate(num_accessors);
        if let Some(first) = self.root.buffer_views.get(num_views) {
            self.binary.truncate(first.byte_offset);
        }
        self.root.buffer_views.truncate(num_views);
        for known in self.known.values_mut() {
            known.retain(|&accessor| accessor < num_accessors);
        }
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
    pub(super) fn add_deltas(
        &mut self,
        deltas: &[[f32; 3]],
        codes: Option<&Quantization>,
    ) -> usize {
        let component_type = if codes.is_some() { I16 } else { F32 };
        let value_size = 3 * component_size(component_type);
        let value = |delta: &[f32; 3]| -> Vec<u8> {
            match codes {
                Some(codes) => {
                    let codes = codes.delta(glam::Vec3::from_array(*delta));
                    codes.iter().flat_map(|x| x.to_le_bytes()).collect()
                }
                None => delta.iter().flat_map(|x| x.to_le_bytes()).collect(),
            }
        };
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
        let index_size = component_size(index_type);
        let sparse_bytes = moved.len() * (index_size + value_size) + SPARSE_JSON_BYTES;
        let count = deltas.len();
        let normalized = codes.is_some();
        let elements = Elements { kind: "VEC3", component_type, normalized, count, target: None };
        if sparse_bytes >= count * value_size.next_multiple_of(4) {
            let elements = Elements { target: VERTICES, ..elements };
            let accessor = self.add_accessor(elements, deltas.iter().flat_map(value));
            self.set_delta_bounds(accessor, deltas, codes);
            return accessor;
        }
        let indices: Vec<u8> = match index_type {
            U8 => moved.iter().map(|&v| v as u8).collect(),
            U16 => moved.iter().flat_map(|&v| (v as u16).to_le_bytes()).collect(),
            _ => moved.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        let values: Vec<u8> = moved.iter().flat_map(|&v| value(&deltas[v as usize])).collect();
        let mut hasher = DefaultHasher::new();
        (count, component_type, &indices, &values).hash(&mut hasher);
        let hash = hasher.finish();
        let is_same = |view: usize, bytes: &[u8]| {
            let view = &self.root.buffer_views[view];
            self.binary[view.byte_offset..view.byte_offset + view.byte_length] == *bytes
        };
        let known = self.known.get(&hash).into_iter().flatten().copied().find(|&index| {
            let accessor = &self.root.accessors[index];
            accessor.count == count
                && accessor.component_type == component_type
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
        let accessor = self.push_accessor(elements, None, Some(Box::new(sparse)), hash);
        self.set_delta_bounds(accessor, deltas, codes);
        accessor
    }

    fn set_delta_bounds(
        &mut self,
        accessor: usize,
        deltas: &[[f32; 3]],
        codes: Option<&Quantization>,
    ) {
        match codes {
            Some(codes) => {
                let code = |d: &[f32; 3]| codes.delta(glam::Vec3::from_array(*d)).map(f32::from);
                let codes: Vec<[f32; 3]> = deltas.iter().map(code).collect();
                self.set_bounds(accessor, &codes);
            }
            None => self.set_bounds(accessor, deltas),
        }
    }

    /// States the smallest and largest value of each component, as positions and times must.
    pub(super) fn set_bounds<const N: usize>(&mut self, accessor: usize, values: &[[f32; N]]) {
        let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f64> {
            let extreme =
                values.iter().fold([start; N], |m, v| std::array::from_fn(|k| pick(m[k], v[k])));
            // One zero: whether it has a sign may be lost where a sparse array leaves it out.
            extreme.map(|x| f64::from(x) + 0.0).to_vec()
        };
        self.root.accessors[accessor].min = fold(f32::INFINITY, f32::min);
        self.root.accessors[accessor].max = fold(f32::NEG_INFINITY, f32::max);
    }

    /// Compresses what gets smaller by it.
    pub(super) fn compress(&mut self) {
        let compressed = compress(&self.root, &self.binary, &self.triangle_views);
        if compressed.fallback_bytes == 0 {
            return;
        }
        self.require_extension(compressed::EXTENSION);
        self.document.insert("bufferViews".into(), Value::Array(compressed.views));
        self.binary = compressed.binary;
        let fallback = json!({
            "byteLength": compressed.fallback_bytes,
            "extensions": { compressed::EXTENSION: { "fallback": true } },
        });
        self.push("buffers", fallback);
    }
}
