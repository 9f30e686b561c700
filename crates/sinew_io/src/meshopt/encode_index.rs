//! The encoder of mode `TRIANGLES`, version 1: triangles by the edges and vertices that came
//! shortly before (EXT_meshopt_compression, Appendix A, "Mode 1"; after meshoptimizer's
//! `encodeIndexBuffer`).
//!
//! The order of the triangles is kept; the corners of one may be rotated, which leaves its side and
//! its vertices as they were.

const HEADER: u8 = 0xe1;
/// Pairs of codes that are common, named by four bits. Any table can be written; this is
/// meshoptimizer's.
const COMMON: [u8; 16] =
    [0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0, 0];
/// As many of them are ever named.
const NUM_COMMON: usize = 14;
/// From here on a vertex of an edge's triangle is not found among the last, but relative to the
/// last free one.
const MAX_RECENT: u8 = 13;
const FREE: u8 = 15;
const NONE: u32 = u32::MAX;

/// Encodes the corners of triangles; `None` unless they are whole ones.
pub(crate) fn encode_triangles(corners: &[u32]) -> Option<Vec<u8>> {
    if corners.is_empty() || !corners.len().is_multiple_of(3) || corners.contains(&NONE) {
        return None;
    }
    let mut encoder = Encoder::new(corners.len() / 3);
    for triangle in corners.as_chunks::<3>().0 {
        match encoder.edges.find(*triangle) {
            Some((age, rotation)) if age < FREE => {
                encoder.beside_edge(age, rotated(*triangle, rotation));
            }
            _ => encoder.alone(*triangle),
        }
    }
    let mut out = vec![HEADER];
    out.append(&mut encoder.codes);
    out.append(&mut encoder.data);
    out.extend_from_slice(&COMMON);
    Some(out)
}

fn rotated([a, b, c]: [u32; 3], by: usize) -> [u32; 3] {
    [[a, b, c], [b, c, a], [c, a, b]][by]
}

/// The last sixteen edges.
struct Edges {
    ring: [[u32; 2]; 16],
    next: usize,
}

impl Edges {
    /// How long ago an edge of the triangle came, and the rotation that puts it first.
    fn find(&self, [a, b, c]: [u32; 3]) -> Option<(u8, usize)> {
        (0..16).find_map(|age| {
            let edge = self.ring[(self.next + 15 - age) % 16];
            let rotation = [[a, b], [b, c], [c, a]].iter().position(|e| *e == edge)?;
            Some((age as u8, rotation))
        })
    }

    fn push(&mut self, a: u32, b: u32) {
        self.ring[self.next] = [a, b];
        self.next = (self.next + 1) % 16;
    }
}

/// The last sixteen vertices.
struct Vertices {
    ring: [u32; 16],
    next: usize,
}

impl Vertices {
    fn find(&self, vertex: u32) -> Option<u8> {
        (0..16).find(|age| self.ring[(self.next + 15 - age) % 16] == vertex).map(|age| age as u8)
    }

    fn push(&mut self, vertex: u32) {
        self.ring[self.next] = vertex;
        self.next = (self.next + 1) % 16;
    }
}

struct Encoder {
    codes: Vec<u8>,
    data: Vec<u8>,
    edges: Edges,
    vertices: Vertices,
    /// The vertex that comes next if they come in order.
    next: u32,
    /// The last that was written out.
    last: u32,
}

impl Encoder {
    fn new(num_triangles: usize) -> Self {
        Self {
            codes: Vec::with_capacity(num_triangles),
            data: Vec::new(),
            edges: Edges { ring: [[NONE; 2]; 16], next: 0 },
            vertices: Vertices { ring: [NONE; 16], next: 0 },
            next: 0,
            last: 0,
        }
    }

    /// A triangle whose first edge is known.
    fn beside_edge(&mut self, age: u8, [a, b, c]: [u32; 3]) {
        let code = match self.vertices.find(c) {
            Some(recent) if (1..MAX_RECENT).contains(&recent) => recent,
            _ if c == self.next => {
                self.next += 1;
                0
            }
            _ if c.wrapping_add(1) == self.last => {
                self.last = c;
                13
            }
            _ if c == self.last.wrapping_add(1) => {
                self.last = c;
                14
            }
            _ => FREE,
        };
        self.codes.push((age << 4) | code);
        if code == FREE {
            self.write_index(c);
        }
        if code == 0 || code >= MAX_RECENT {
            self.vertices.push(c);
        }
        self.edges.push(c, b);
        self.edges.push(a, c);
    }

    /// A triangle none of whose edges is known.
    fn alone(&mut self, triangle: [u32; 3]) {
        let by = match triangle {
            [_, b, _] if b == self.next => 1,
            [_, _, c] if c == self.next => 2,
            _ => 0,
        };
        let [a, b, c] = rotated(triangle, by);
        // Vertices that begin again: several meshes in one stream.
        let is_reset = [a, b, c] == [0, 1, 2] && self.next > 0;
        if is_reset {
            self.next = 0;
            self.vertices.ring = [NONE; 16];
        }
        let (recent_b, recent_c) = (self.vertices.find(b), self.vertices.find(c));
        let mut in_order = |vertex: u32| {
            let is_next = vertex == self.next;
            self.next += u32::from(is_next);
            if is_next { 0 } else { FREE }
        };
        let code_a = in_order(a);
        let mut code = |recent: Option<u8>, vertex: u32| match recent {
            Some(recent) if recent < 14 => recent + 1,
            _ => in_order(vertex),
        };
        let code_b = code(recent_b, b);
        let code_c = code(recent_c, c);
        let pair = (code_b << 4) | code_c;
        let common = COMMON[..NUM_COMMON].iter().position(|&known| known == pair);
        match common {
            Some(common) if code_a == 0 && !is_reset => self.codes.push(0xf0 | common as u8),
            _ => {
                self.codes.push(0xf0 | 14 | code_a);
                self.data.push(pair);
            }
        }
        let all = [(code_a, a), (code_b, b), (code_c, c)];
        for (code, vertex) in all {
            if code == FREE {
                self.write_index(vertex);
            }
        }
        for (code, vertex) in all {
            if code == 0 || code == FREE {
                self.vertices.push(vertex);
            }
        }
        self.edges.push(b, a);
        self.edges.push(c, b);
        self.edges.push(a, c);
    }

    /// The difference to the last, small ones of either sign in one byte.
    fn write_index(&mut self, index: u32) {
        let delta = index.wrapping_sub(self.last) as i32;
        self.last = index;
        let mut value = ((delta << 1) ^ (delta >> 31)) as u32;
        loop {
            let byte = (value & 0x7f) as u8;
            value >>= 7;
            self.data.push(byte | if value > 0 { 0x80 } else { 0 });
            if value == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::meshopt::Mode;

    fn assert_comes_back(corners: &[u32]) {
        let encoded = encode_triangles(corners).unwrap();
        let decoded = Mode::Triangles.decode(&encoded, corners.len(), 4).unwrap();
        let decoded: Vec<u32> =
            decoded.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        assert_eq!(decoded.len(), corners.len());
        for (a, b) in corners.as_chunks::<3>().0.iter().zip(decoded.as_chunks::<3>().0) {
            assert!((0..3).any(|by| rotated(*b, by) == *a), "{a:?} became {b:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes_to_the_same_triangles(
            near in prop::collection::vec((0u32..40, 0u32..40, 0u32..40), 1..200),
            far in prop::collection::vec(any::<[u16; 3]>(), 0..50),
        ) {
            let mut corners: Vec<u32> = Vec::new();
            for (at, (a, b, c)) in near.iter().enumerate() {
                let first = at as u32 / 2;
                corners.extend([first + a % 3, first + 1 + b % 5, first + 2 + c]);
            }
            corners.extend(far.iter().flatten().map(|&v| 60_000 * u32::from(v)));
            // Begins again.
            corners.extend([0, 1, 2, 2, 1, 3]);
            assert_comes_back(&corners);
        }
    }

    #[test]
    fn a_grid_of_squares_comes_back() {
        let at = |x: u32, y: u32| y * 30 + x;
        let square = |x, y| {
            [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]
        };
        let corners: Vec<u32> =
            (0..20).flat_map(|y| (0..29).flat_map(move |x| square(x, y))).collect();
        assert_comes_back(&corners);
        assert!(encode_triangles(&corners).unwrap().len() < corners.len());
    }

    #[test]
    fn a_strip_in_order_costs_a_byte_a_triangle() {
        let corners: Vec<u32> = (0..100).flat_map(|k| [k, k + 1, k + 2]).collect();
        let turned: Vec<u32> = corners
            .as_chunks::<3>()
            .0
            .iter()
            .enumerate()
            .flat_map(|(k, &[a, b, c])| if k % 2 == 0 { [a, b, c] } else { [b, a, c] })
            .collect();
        let out = encode_triangles(&turned).unwrap();
        assert_eq!(out.len(), 1 + 100 + COMMON.len());
    }

    #[test]
    fn what_is_no_whole_triangle_is_refused() {
        assert!(encode_triangles(&[0, 1]).is_none());
        assert!(encode_triangles(&[]).is_none());
    }
}
