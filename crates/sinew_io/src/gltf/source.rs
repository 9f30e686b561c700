//! The document that a character came from: kept by the reader, opened again by the writer.
//!
//! Kept are the JSON as it is, the bytes of every buffer, and those of images in files of their own
//! (data URIs stay in the JSON). The writer reads them with the reader's own code, so that whatever
//! the reader can decode can be carried.

use std::borrow::Cow;

use serde_json::{Map, Value};
use sinew::carried::{Blob, Carried};

use super::buffer::Buffers;
use super::json::{self, Root};
use super::material::{MAX_IMAGE_BYTES, MISSING};
use crate::neighbours::Neighbours;

pub(super) const FORMAT: &str = "gltf";

/// What the writer is to start from; `None` for a text that is not UTF-8, which the parser has
/// refused by then.
pub(super) fn keep(
    root: &Root,
    json_bytes: &[u8],
    binary_chunk: Option<&Blob>,
    buffers: &Buffers<'_>,
    neighbours: &Neighbours<'_>,
) -> Option<Carried> {
    let text = std::str::from_utf8(json_bytes).ok()?.to_owned();
    let nothing = || Blob::from(Vec::new());
    let buffer = |(index, buffer): (usize, &json::Buffer)| match binary_chunk {
        // Shared, not copied: this is where the megabytes are.
        Some(chunk) if index == 0 && buffer.uri.is_none() => chunk.clone(),
        _ => buffers.shared(index).unwrap_or_else(nothing),
    };
    let mut blobs: Vec<Blob> = root.buffers.iter().enumerate().map(buffer).collect();
    for image in &root.images {
        let uri = image.uri.as_deref().filter(|uri| !uri.starts_with("data:"));
        blobs.push(uri.map_or_else(nothing, |uri| {
            let blob = neighbours.load(uri, MAX_IMAGE_BYTES).unwrap_or_else(|_| nothing());
            // Cut off, most likely.
            if blob.bytes().len() == MAX_IMAGE_BYTES { nothing() } else { blob }
        }));
    }
    Some(Carried { format: FORMAT, text, blobs })
}

/// A kept document, opened.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) json: Map<String, Value>,
    pub(super) root: Root,
    pub(super) buffers: Buffers<'a>,
    images: &'a [Blob],
}

impl<'a> Source<'a> {
    /// `None` if it is of another format, or nested deeper than values can be.
    pub(super) fn open(carried: &'a Carried) -> Option<Self> {
        if carried.format != FORMAT {
            return None;
        }
        let text = carried.text.strip_prefix('\u{feff}').unwrap_or(&carried.text);
        let Ok(Value::Object(json)) = serde_json::from_str(text) else { return None };
        let root = json::parse(text.as_bytes()).ok()?;
        let (buffers, images) = carried.blobs.split_at_checked(root.buffers.len())?;
        let buffers = Buffers::of_bytes(&root, buffers.iter().map(Blob::bytes));
        Some(Self { json, root, buffers, images })
    }

    /// The document to write into: all but what is written anew. What else the writer looks up in
    /// the source stays there, and nothing is in memory twice that need not be.
    pub(super) fn take_document(&mut self) -> Map<String, Value> {
        let mut document = Map::new();
        let mut kept = Map::new();
        for (key, value) in std::mem::take(&mut self.json) {
            match key.as_str() {
                "accessors" | "bufferViews" | "buffers" => {}
                "animations" => {
                    kept.insert(key, value);
                }
                "meshes" => {
                    kept.insert(key.clone(), value.clone());
                    document.insert(key, value);
                }
                _ => {
                    document.insert(key, value);
                }
            }
        }
        self.json = kept;
        document
    }

    /// An image's file.
    pub(super) fn image(&self, index: usize) -> Option<Cow<'_, [u8]>> {
        let image = self.root.images.get(index)?;
        if image.extras.get(MISSING).is_some() {
            return None;
        }
        if let Some(uri) = &image.uri {
            if uri.starts_with("data:") {
                let loaded = Neighbours::of(None).load(uri, MAX_IMAGE_BYTES).ok()?;
                return Some(Cow::Owned(loaded.bytes().to_vec()));
            }
            let bytes = self.images.get(index)?.bytes();
            return (!bytes.is_empty()).then_some(Cow::Borrowed(bytes));
        }
        self.view(image.buffer_view?).map(Cow::Borrowed)
    }

    /// The bytes of a buffer view.
    pub(super) fn view(&self, index: usize) -> Option<&[u8]> {
        let view = self.root.buffer_views.get(index)?;
        let bytes = self.buffers.get(view.buffer).ok()?;
        bytes.get(view.byte_offset..view.byte_offset.checked_add(view.byte_length)?)
    }
}
