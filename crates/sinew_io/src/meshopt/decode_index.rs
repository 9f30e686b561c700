//! Streams of triangles (mode TRIANGLES) and of any indices (mode INDICES), versions 0 and 1.
//!
//! A triangle is a byte: which of the last sixteen edges it shares and which of the last vertices
//! it reaches, the next unseen one most often; what fits neither is a difference in a variable
//! number of bytes.

use super::MeshoptError;

const TRIANGLES_HEADER: u8 = 0xe0;
const SEQUENCE_HEADER: u8 = 0xd0;
/// Pairs of codes that single bytes stand for, at the end of the stream.
const TABLE_BYTES: usize = 16;
/// Zeros behind a sequence.
const SEQUENCE_TAIL: usize = 4;

pub(super) fn decode_triangles(
    bytes: &[u8],
    count: usize,
    stride: usize,
) -> Result<Vec<u8>, MeshoptError> {
    if !count.is_multiple_of(3) {
        return Err(MeshoptError::Count);
    }
    let mut out = Indices::new(stride)?;
    let (&header, rest) = bytes.split_first().ok_or(MeshoptError::CutOff)?;
    let version = header ^ TRIANGLES_HEADER;
    if version > 1 {
        return Err(MeshoptError::Header(header));
    }
    let (codes, rest) = rest.split_at_checked(count / 3).ok_or(MeshoptError::CutOff)?;
    let data_bytes = rest.len().checked_sub(TABLE_BYTES).ok_or(MeshoptError::CutOff)?;
    // A triangle may read into the table; what it must not is begin there.
    let mut triangles = Triangles {
        data: rest,
        at: 0,
        end: data_bytes,
        table: &rest[data_bytes..],
        // Version 1 has codes for the neighbours of the last index.
        first_explicit: if version == 0 { 15 } else { 13 },
        edges: [[u32::MAX; 2]; 16],
        vertices: [u32::MAX; 16],
        edge_offset: 0,
        vertex_offset: 0,
        next: 0,
        last: 0,
    };
    out.reserve(count);
    for &code in codes {
        for index in triangles.triangle(code)? {
            out.push(index);
        }
    }
    if triangles.at == data_bytes { Ok(out.bytes) } else { Err(MeshoptError::LeftOver) }
}

pub(super) fn decode_sequence(
    bytes: &[u8],
    count: usize,
    stride: usize,
) -> Result<Vec<u8>, MeshoptError> {
    let mut out = Indices::new(stride)?;
    let (&header, data) = bytes.split_first().ok_or(MeshoptError::CutOff)?;
    if header ^ SEQUENCE_HEADER > 1 {
        return Err(MeshoptError::Header(header));
    }
    let end = data.len().checked_sub(SEQUENCE_TAIL).ok_or(MeshoptError::CutOff)?;
    if count > end {
        return Err(MeshoptError::CutOff);
    }
    out.reserve(count);
    let mut at = 0;
    let mut last = [0u32; 2];
    for _ in 0..count {
        if at >= end {
            return Err(MeshoptError::CutOff);
        }
        let value = variable_bytes(data, &mut at);
        // Two lines of indices, and which of them this one continues.
        let line = (value & 1) as usize;
        last[line] = last[line].wrapping_add(unzigzag(value >> 1));
        out.push(last[line]);
    }
    if at == end { Ok(out.bytes) } else { Err(MeshoptError::LeftOver) }
}

/// Indices of two or four bytes.
struct Indices {
    bytes: Vec<u8>,
    stride: usize,
}

impl Indices {
    fn new(stride: usize) -> Result<Self, MeshoptError> {
        match stride {
            2 | 4 => Ok(Self { bytes: Vec::new(), stride }),
            _ => Err(MeshoptError::Stride("2 or 4")),
        }
    }

    fn reserve(&mut self, count: usize) {
        self.bytes.reserve_exact(count * self.stride);
    }

    fn push(&mut self, index: u32) {
        self.bytes.extend_from_slice(&index.to_le_bytes()[..self.stride]);
    }
}

fn unzigzag(value: u32) -> u32 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

/// Seven bits a byte, the lowest first, at most five bytes; zeros where the data ends.
fn variable_bytes(data: &[u8], at: &mut usize) -> u32 {
    let mut value = 0u32;
    for group in 0..5 {
        let byte = data.get(*at).copied().unwrap_or(0);
        *at += 1;
        value |= u32::from(byte & 127) << (7 * group);
        if byte < 128 {
            break;
        }
    }
    value
}

struct Triangles<'a> {
    data: &'a [u8],
    at: usize,
    /// Where the table begins.
    end: usize,
    table: &'a [u8],
    first_explicit: u8,
    edges: [[u32; 2]; 16],
    vertices: [u32; 16],
    edge_offset: usize,
    vertex_offset: usize,
    /// The index after the largest so far, mostly.
    next: u32,
    /// What differences are taken to.
    last: u32,
}

impl Triangles<'_> {
    fn triangle(&mut self, code: u8) -> Result<[u32; 3], MeshoptError> {
        if code < 0xf0 {
            let edge = self.edge_offset.wrapping_sub(1 + usize::from(code >> 4)) & 15;
            let [a, b] = self.edges[edge];
            let c = self.third(code & 15)?;
            self.push_edge(c, b);
            self.push_edge(a, c);
            return Ok([a, b, c]);
        }
        let is_in_table = code < 0xfe;
        let codes = if is_in_table { self.table[usize::from(code & 15)] } else { self.byte()? };
        let (code_b, code_c) = (codes >> 4, codes & 15);
        if !is_in_table && codes == 0 {
            self.next = 0;
        }
        let is_free_a = code == 0xff;
        let mut a = if is_free_a { 0 } else { self.take_next() };
        let mut b = self.new_or_recent(code_b);
        let mut c = self.new_or_recent(code_c);
        // The table has no explicit indices: there fifteen is the sixteenth last vertex.
        let is_explicit = |code: u8| code == 15 && !is_in_table;
        if is_free_a {
            a = self.difference();
        }
        if is_explicit(code_b) {
            b = self.difference();
        }
        if is_explicit(code_c) {
            c = self.difference();
        }
        self.push_vertex(a);
        if code_b == 0 || is_explicit(code_b) {
            self.push_vertex(b);
        }
        if code_c == 0 || is_explicit(code_c) {
            self.push_vertex(c);
        }
        self.push_edge(b, a);
        self.push_edge(c, b);
        self.push_edge(a, c);
        Ok([a, b, c])
    }

    /// The vertex across a shared edge.
    fn third(&mut self, code: u8) -> Result<u32, MeshoptError> {
        if code == 0 {
            let c = self.take_next();
            self.push_vertex(c);
            return Ok(c);
        }
        if code < self.first_explicit {
            return Ok(self.vertices[self.vertex_offset.wrapping_sub(1 + usize::from(code)) & 15]);
        }
        if self.at > self.end {
            return Err(MeshoptError::CutOff);
        }
        let c = match code {
            13 => self.last.wrapping_sub(1),
            14 => self.last.wrapping_add(1),
            _ => self.difference(),
        };
        self.last = c;
        self.push_vertex(c);
        Ok(c)
    }

    fn byte(&mut self) -> Result<u8, MeshoptError> {
        if self.at > self.end {
            return Err(MeshoptError::CutOff);
        }
        self.at += 1;
        Ok(self.data[self.at - 1])
    }

    fn take_next(&mut self) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.next.wrapping_sub(1)
    }

    fn new_or_recent(&mut self, code: u8) -> u32 {
        match code {
            0 => self.take_next(),
            _ => self.vertices[self.vertex_offset.wrapping_sub(usize::from(code)) & 15],
        }
    }

    fn difference(&mut self) -> u32 {
        let value = variable_bytes(self.data, &mut self.at);
        self.last = self.last.wrapping_add(unzigzag(value));
        self.last
    }

    fn push_edge(&mut self, a: u32, b: u32) {
        self.edges[self.edge_offset] = [a, b];
        self.edge_offset = (self.edge_offset + 1) & 15;
    }

    fn push_vertex(&mut self, vertex: u32) {
        self.vertices[self.vertex_offset] = vertex;
        self.vertex_offset = (self.vertex_offset + 1) & 15;
    }
}
