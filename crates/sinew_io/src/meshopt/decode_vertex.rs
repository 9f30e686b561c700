//! Streams of vertices (mode ATTRIBUTES), versions 0 and 1.
//!
//! Vertices come in blocks of up to 8 KB. Of each block, byte `k` of all vertices follows byte
//! `k − 1` of all, as differences to the vertex before, packed in groups of sixteen with 0, 1, 2, 4
//! or 8 bits each; a value that does not fit its bits is a whole byte behind the group. Version 1
//! takes differences of 8- or 16-bit integers or exclusive-ors of 32 rotated bits, and can have a
//! byte's column as it is or as zeros.

use super::MeshoptError;

const HEADER: u8 = 0xa0;
const BLOCK_BYTES: usize = 8192;
const MAX_BLOCK_VERTICES: usize = 256;
const GROUP: usize = 16;
/// No group takes more: four bits each and a whole byte for all.
const MAX_GROUP_BYTES: usize = 24;
const MIN_TAIL_V0: usize = 32;
const MIN_TAIL_V1: usize = 24;

const BITS_V0: [u32; 4] = [0, 2, 4, 8];
/// Of control 0 the first four, of control 1 the last.
const BITS_V1: [u32; 5] = [0, 1, 2, 4, 8];

/// Vertices of a block; part of the format.
fn block_vertices(stride: usize) -> usize {
    (BLOCK_BYTES / stride / GROUP * GROUP).min(MAX_BLOCK_VERTICES)
}

pub(super) fn decode(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptError> {
    if stride == 0 || stride > 256 || !stride.is_multiple_of(4) {
        return Err(MeshoptError::Stride("a multiple of four up to 256"));
    }
    let (&header, data) = bytes.split_first().ok_or(MeshoptError::CutOff)?;
    let version = header ^ HEADER;
    if version > 1 {
        return Err(MeshoptError::Header(header));
    }
    let (tail_bytes, min_tail) = match version {
        0 => (stride, MIN_TAIL_V0),
        _ => (stride + stride / 4, MIN_TAIL_V1),
    };
    let padded_tail = tail_bytes.max(min_tail);
    if data.len() < padded_tail {
        return Err(MeshoptError::CutOff);
    }
    let tail = &data[data.len() - tail_bytes..];
    let (first_vertex, channels) = tail.split_at(stride);
    let block = block_vertices(stride);
    // What a block takes at the very least: its headers or its controls.
    let least_per_block =
        if version == 0 { stride * (block / GROUP).div_ceil(4) } else { stride / 4 };
    // The last block may be short, so that only whole ones count.
    if (count / block).saturating_mul(least_per_block) > data.len() {
        return Err(MeshoptError::CutOff);
    }

    let total = count.checked_mul(stride).ok_or(MeshoptError::CutOff)?;
    let mut out = vec![0; total];
    let mut decoder = Decoder { data, columns: [[0; MAX_BLOCK_VERTICES]; 4] };
    let mut last_vertex = [0; 256];
    last_vertex[..stride].copy_from_slice(first_vertex);
    for vertices in out.chunks_mut(block * stride) {
        let channels = (version == 1).then_some(channels);
        decoder.block(vertices, stride, channels, &mut last_vertex)?;
    }
    if decoder.data.len() == padded_tail { Ok(out) } else { Err(MeshoptError::LeftOver) }
}

struct Decoder<'a> {
    /// What is left, the tail with it.
    data: &'a [u8],
    /// Four bytes of every vertex of a block, byte after byte.
    columns: [[u8; MAX_BLOCK_VERTICES]; 4],
}

impl<'a> Decoder<'a> {
    fn take(&mut self, num: usize) -> Result<&'a [u8], MeshoptError> {
        let (taken, rest) = self.data.split_at_checked(num).ok_or(MeshoptError::CutOff)?;
        self.data = rest;
        Ok(taken)
    }

    /// A block of vertices; `channels` of version 1.
    fn block(
        &mut self,
        vertices: &mut [u8],
        stride: usize,
        channels: Option<&[u8]>,
        last_vertex: &mut [u8; 256],
    ) -> Result<(), MeshoptError> {
        let count = vertices.len() / stride;
        let controls = self.take(if channels.is_some() { stride / 4 } else { 0 })?;
        for word in 0..stride / 4 {
            let control = controls.get(word).copied().unwrap_or(0);
            for byte in 0..4 {
                let bits = match (channels, control >> (2 * byte) & 3) {
                    (None, _) => BITS_V0,
                    (Some(_), 0) => [BITS_V1[0], BITS_V1[1], BITS_V1[2], BITS_V1[3]],
                    (Some(_), 1) => [BITS_V1[1], BITS_V1[2], BITS_V1[3], BITS_V1[4]],
                    (Some(_), 2) => {
                        self.columns[byte][..count].fill(0);
                        continue;
                    }
                    (Some(_), _) => {
                        let literal = self.take(count)?;
                        self.columns[byte][..count].copy_from_slice(literal);
                        continue;
                    }
                };
                self.column(byte, count, bits)?;
            }
            let at = 4 * word;
            let last = [0, 1, 2, 3].map(|byte| last_vertex[at + byte]);
            let channel = channels.map_or(0, |channels| channels[word]);
            undo_deltas(&self.columns, channel, last, &mut vertices[at..], stride)?;
        }
        last_vertex[..stride].copy_from_slice(&vertices[(count - 1) * stride..]);
        Ok(())
    }

    /// One byte of every vertex, in groups.
    fn column(&mut self, byte: usize, count: usize, bits: [u32; 4]) -> Result<(), MeshoptError> {
        let num_groups = count.div_ceil(GROUP);
        let header = self.take(num_groups.div_ceil(4))?;
        for group in 0..num_groups {
            // The tail is at least so long, so that no valid stream fails.
            if self.data.len() < MAX_GROUP_BYTES {
                return Err(MeshoptError::CutOff);
            }
            let bits = bits[usize::from(header[group / 4] >> (2 * (group % 4)) & 3)];
            let (out, _) = self.columns[byte][GROUP * group..].as_chunks_mut::<GROUP>();
            let used = unpack_group(self.data, bits, &mut out[0]);
            self.data = &self.data[used..];
        }
        Ok(())
    }
}

/// Sixteen values of `bits` each from at least [`MAX_GROUP_BYTES`]; returns how many bytes they
/// took.
fn unpack_group(data: &[u8], bits: u32, out: &mut [u8; GROUP]) -> usize {
    match bits {
        0 => {
            *out = [0; GROUP];
            0
        }
        8 => {
            out.copy_from_slice(&data[..GROUP]);
            GROUP
        }
        _ => {
            let mut next = GROUP * bits as usize / 8;
            let sentinel = (1 << bits) - 1;
            let per_byte = 8 / bits as usize;
            for (k, value) in out.iter_mut().enumerate() {
                let packed = data[k / per_byte];
                let place = (k % per_byte) as u32;
                // Single bits run from the lowest up, all others from the highest down.
                let shift = if bits == 1 { place } else { 8 - bits * (place + 1) };
                let short = packed >> shift & sentinel;
                *value = if short == sentinel { data[next] } else { short };
                next += usize::from(short == sentinel);
            }
            next
        }
    }
}

/// Adds up the differences of four bytes of every vertex, and writes them where `vertices` begins
/// and every `stride`.
fn undo_deltas(
    columns: &[[u8; MAX_BLOCK_VERTICES]; 4],
    channel: u8,
    last: [u8; 4],
    vertices: &mut [u8],
    stride: usize,
) -> Result<(), MeshoptError> {
    let words = vertices.chunks_mut(stride).enumerate();
    match channel & 3 {
        0 => {
            let mut last = last;
            for (i, vertex) in words {
                for (last, column) in last.iter_mut().zip(columns) {
                    let delta = column[i];
                    *last = last.wrapping_add((delta & 1).wrapping_neg() ^ delta >> 1);
                }
                vertex[..4].copy_from_slice(&last);
            }
        }
        1 => {
            let mut last = [0, 2].map(|k| u16::from_le_bytes([last[k], last[k + 1]]));
            for (i, vertex) in words {
                for (half, last) in last.iter_mut().enumerate() {
                    let pair = [columns[2 * half][i], columns[2 * half + 1][i]];
                    let delta = u16::from_le_bytes(pair);
                    *last = last.wrapping_add((delta & 1).wrapping_neg() ^ delta >> 1);
                    vertex[2 * half..2 * half + 2].copy_from_slice(&last.to_le_bytes());
                }
            }
        }
        2 => {
            let mut last = u32::from_le_bytes(last);
            let rotation = u32::from(channel >> 4);
            for (i, vertex) in words {
                let bytes = [columns[0][i], columns[1][i], columns[2][i], columns[3][i]];
                last ^= u32::from_le_bytes(bytes).rotate_right(rotation);
                vertex[..4].copy_from_slice(&last.to_le_bytes());
            }
        }
        _ => return Err(MeshoptError::Channel),
    }
    Ok(())
}
