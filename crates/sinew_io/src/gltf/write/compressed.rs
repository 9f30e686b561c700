//! Compressed views (`EXT_meshopt_compression`), by choice: the arrays of accessors as streams of
//! the codec, in the document's one buffer; the views themselves lie in a second buffer that is
//! nowhere (a fallback without bytes), as the extension has it.
//!
//! What does not get smaller, and what is no array (images, sparse values), stays as it is.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use super::super::json::Root;
use super::array::{U16, component_size, num_components};
use crate::meshopt::{encode_triangles, encode_vertices};

/// The name of the extension.
pub(super) const EXTENSION: &str = "EXT_meshopt_compression";

/// Views and buffers after compression.
#[derive(Debug)]
pub(super) struct Compressed {
    pub(super) views: Vec<Value>,
    pub(super) binary: Vec<u8>,
    /// Bytes of the buffer that is nowhere; zero if nothing was compressed.
    pub(super) fallback_bytes: usize,
}

/// Compresses the views of accessors. `triangle_views` hold corners of triangles.
pub(super) fn compress(root: &Root, binary: &[u8], triangle_views: &BTreeSet<usize>) -> Compressed {
    let mut array_of_view = HashMap::new();
    for accessor in &root.accessors {
        if let Some(view) = accessor.buffer_view {
            let size = num_components(&accessor.kind) * component_size(accessor.component_type);
            let stride = root.buffer_views[view].byte_stride.unwrap_or(size);
            array_of_view.insert(view, (accessor.component_type, stride, accessor.count));
        }
    }
    let mut out = Compressed { views: Vec::new(), binary: Vec::new(), fallback_bytes: 0 };
    for (index, view) in root.buffer_views.iter().enumerate() {
        let bytes = &binary[view.byte_offset..view.byte_offset + view.byte_length];
        let mut value = serde_json::to_value(view).unwrap_or(Value::Null);
        let array = array_of_view.get(&index);
        let stream = array.and_then(|&(component_type, stride, _)| {
            if triangle_views.contains(&index) {
                return encode_triangles(&corners(bytes, component_type));
            }
            // Indices of lines and points are in no order that pays.
            (view.target != super::array::INDICES).then(|| encode_vertices(bytes, stride))?
        });
        out.binary.resize(out.binary.len().next_multiple_of(4), 0);
        let offset = out.binary.len();
        match (array, stream.filter(|stream| stream.len() < bytes.len())) {
            (Some(&(_, stride, count)), Some(stream)) => {
                let is_triangles = triangle_views.contains(&index);
                let mode = if is_triangles { "TRIANGLES" } else { "ATTRIBUTES" };
                value["buffer"] = json!(1);
                value["byteOffset"] = json!(out.fallback_bytes);
                value["extensions"] = json!({ EXTENSION: {
                    "buffer": 0, "byteOffset": offset, "byteLength": stream.len(),
                    "byteStride": stride, "count": count, "mode": mode,
                }});
                out.fallback_bytes = (out.fallback_bytes + bytes.len()).next_multiple_of(4);
                out.binary.extend(stream);
            }
            _ => {
                value["byteOffset"] = json!(offset);
                out.binary.extend_from_slice(bytes);
            }
        }
        out.views.push(value);
    }
    out
}

fn corners(bytes: &[u8], component_type: u32) -> Vec<u32> {
    if component_type == U16 {
        let codes = bytes.as_chunks::<2>().0;
        codes.iter().map(|code| u32::from(u16::from_le_bytes(*code))).collect()
    } else {
        bytes.as_chunks::<4>().0.iter().map(|code| u32::from_le_bytes(*code)).collect()
    }
}
