//! Reading by streaming.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use glam::Vec3;

use super::{read, read_stream};
use crate::ReadError;

/// Gives a few bytes at a time, and fails where it is told to.
struct Dribble<'a> {
    whole: Cursor<&'a [u8]>,
    fails_at: u64,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let at = self.whole.position();
        if at >= self.fails_at {
            return Err(std::io::Error::other("the disk is gone"));
        }
        let most = buffer.len().min(1 + (at % 7) as usize);
        self.whole.read(&mut buffer[..most])
    }
}

impl Seek for Dribble<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.whole.seek(to)
    }
}

/// Vertices and triangles of a strip of quads, past several blocks.
fn strip(encoding: &str, faces_first: bool) -> Vec<u8> {
    const NUM: u32 = 30_000;
    let vertex =
        format!("element vertex {NUM}\nproperty float x\nproperty float y\nproperty double z\n");
    let face = format!("element face {}\nproperty list uchar uint vertex_indices\n", NUM - 2);
    let elements = if faces_first { face + &vertex } else { vertex + &face };
    let mut bytes = format!("ply\nformat {encoding} 1.0\n{elements}end_header\n").into_bytes();
    let is_ascii = encoding == "ascii";
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for k in 0..NUM {
        let (x, y, z) = (k as f32 * 0.5, (k % 2) as f32, f64::from(k) * 0.125);
        if is_ascii {
            vertices.extend(format!("{x} {y}   {z}\n").into_bytes());
        } else {
            vertices.extend([x.to_be_bytes(), y.to_be_bytes()].concat());
            vertices.extend(z.to_be_bytes());
        }
    }
    for k in 0..NUM - 2 {
        let corners = [k, k + 1, k + 2];
        if is_ascii {
            faces.extend(format!("3 {} {} {}\n", corners[0], corners[1], corners[2]).into_bytes());
        } else {
            faces.push(3);
            faces.extend(corners.map(u32::to_be_bytes).concat());
        }
    }
    bytes.extend(if faces_first { [faces, vertices].concat() } else { [vertices, faces].concat() });
    bytes
}

#[test]
fn a_file_in_drops_is_the_same_as_whole_in_every_encoding_and_order() {
    for (encoding, faces_first) in [
        ("ascii", false),
        ("ascii", true),
        ("binary_big_endian", false),
        ("binary_big_endian", true),
    ] {
        let bytes = strip(encoding, faces_first);
        let whole = read("strip", &bytes).unwrap();
        let mut drops = Dribble { whole: Cursor::new(&bytes), fails_at: u64::MAX };
        let dribbled = read_stream("strip", &mut drops, Path::new("strip.ply")).unwrap();
        assert_eq!(dribbled.character, whole.character, "{encoding}, {faces_first}");
        let mesh = &whole.character.parts[0].mesh;
        assert_eq!((mesh.points().len(), mesh.triangles().len()), (30_000, 29_998));
        assert_eq!(mesh.points()[29_999], Vec3::new(14_999.5, 1.0, 3_749.875));
    }
}

#[test]
fn a_disk_that_fails_in_the_middle_is_said_to_have_failed() {
    let bytes = strip("binary_big_endian", false);
    for fails_at in [10, 400_000] {
        let mut drops = Dribble { whole: Cursor::new(&bytes), fails_at };
        let error = read_stream("strip", &mut drops, Path::new("strip.ply")).unwrap_err();
        assert!(matches!(error, ReadError::Io { .. }), "{error}");
        assert!(error.to_string().contains("strip.ply"), "{error}");
    }
}
