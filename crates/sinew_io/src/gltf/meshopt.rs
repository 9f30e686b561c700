//! Buffer views, with those that EXT_meshopt_compression or KHR_meshopt_compression (the same with
//! one more filter and a newer stream) compresses decoded when they are first asked for.
//!
//! A compressed view names a buffer that is empty or a fallback; the extension's own fields say
//! where its stream is.

use std::cell::{Cell, OnceCell};

use super::buffer::Buffers;
use super::json::{BufferView, CompressedView, Root};
use crate::meshopt::{Filter, Mode};

/// Bytes that any file may decompress to.
const FREE_BYTES: usize = 16 << 20;
/// And for each byte of it so many more. Vertices take a quarter of their size, triangles a
/// twentieth.
const DECOMPRESSED_PER_BYTE: usize = 20;

/// The bytes of every view.
#[derive(Debug)]
pub(super) struct CompressedViews<'a> {
    root: &'a Root,
    buffers: &'a Buffers<'a>,
    decoded: Vec<OnceCell<Result<Vec<u8>, String>>>,
    bytes_left: Cell<usize>,
}

impl<'a> CompressedViews<'a> {
    pub(super) fn new(root: &'a Root, buffers: &'a Buffers<'a>, file_bytes: usize) -> Self {
        let budget = file_bytes.saturating_mul(DECOMPRESSED_PER_BYTE).saturating_add(FREE_BYTES);
        let decoded = root.buffer_views.iter().map(|_| OnceCell::new()).collect();
        Self { root, buffers, decoded, bytes_left: Cell::new(budget) }
    }

    /// The bytes of a view, or why there are none.
    pub(super) fn bytes(&self, view: usize) -> Result<&[u8], String> {
        let found = self
            .root
            .buffer_views
            .get(view)
            .ok_or_else(|| format!("there is no buffer view {view}"))?;
        let Some((name, compressed)) = found.compressed() else {
            let place = format!("bufferViews[{view}]");
            return self.slice(found.buffer, found.byte_offset, found.byte_length, &place);
        };
        let decoded = self.decoded[view].get_or_init(|| {
            let place = format!("bufferViews[{view}].extensions.{name}");
            self.decode(found, compressed, &place)
        });
        decoded.as_deref().map_err(Clone::clone)
    }

    fn decode(
        &self,
        view: &BufferView,
        compressed: &CompressedView,
        place: &str,
    ) -> Result<Vec<u8>, String> {
        let CompressedView { count, byte_stride: stride, .. } = *compressed;
        let stream =
            self.slice(compressed.buffer, compressed.byte_offset, compressed.byte_length, place)?;
        let mode = Mode::of_name(&compressed.mode)
            .ok_or_else(|| format!("{place}.mode '{}' is unknown", compressed.mode))?;
        let filter = compressed.filter.as_deref().unwrap_or("NONE");
        let filter = Filter::of_name(filter)
            .ok_or_else(|| format!("{place}.filter '{filter}' is unknown"))?;
        if filter != Filter::None && mode != Mode::Attributes {
            return Err(format!("{place}.filter is for mode ATTRIBUTES only"));
        }
        let bytes = count.checked_mul(stride);
        if bytes != Some(view.byte_length) {
            return Err(format!(
                "{place} has {count} elements of {stride} bytes for a view of {}",
                view.byte_length
            ));
        }
        let left = self.bytes_left.get().checked_sub(view.byte_length).ok_or_else(|| {
            format!("{place}: {count} elements are more than a file of this size can mean")
        })?;
        self.bytes_left.set(left);
        let failed = |error| format!("{place}: {error}; export the file again");
        let mut bytes = mode.decode(stream, count, stride).map_err(failed)?;
        filter.undo(&mut bytes, stride).map_err(failed)?;
        Ok(bytes)
    }

    fn slice(
        &self,
        buffer: usize,
        byte_offset: usize,
        byte_length: usize,
        place: &str,
    ) -> Result<&[u8], String> {
        let bytes = self.buffers.get(buffer).map_err(|error| error.to_string())?;
        let end = byte_offset.checked_add(byte_length);
        end.and_then(|end| bytes.get(byte_offset..end))
            .ok_or_else(|| format!("{place} reaches past the {} bytes of its buffer", bytes.len()))
    }
}
