//! Files from memory to a character, by the byte: a nanosecond a byte is 1000 MB/s.

use std::fmt::Write as _;

use sinew::Character;
use sinew::mesh::RawMesh;
use sinew_io::{Format, WriteOptions};

use super::cases::{Case, Prepared, size_name};

/// A GLB with skeleton and weights.
pub(super) fn read_glb(size: usize) -> Case {
    Case {
        name: format!("read glb {}, by the byte", size_name(size)),
        bytes: None,
        prepare: Box::new(move |fixtures| {
            let character = fixtures.character(size);
            let raw = RawMesh {
                name: "bench".into(),
                positions: character.positions.clone(),
                normals: character.normals.clone(),
                triangles: character.triangles.clone(),
                weights: Some(character.weights.clone()),
                ..RawMesh::default()
            };
            let part = raw.weld().expect("the bench character is a mesh").part;
            let skeleton = character.skeleton.clone();
            let whole = Character { parts: vec![part], skeleton, ..Character::default() };
            let glb = sinew_io::character_to_glb(&whole, &WriteOptions::default())
                .expect("the bench character can be written");
            read(Format::Glb, glb)
        }),
    }
}

/// An OBJ as a modeller writes it: positions, texture coordinates, normals, quads.
pub(super) fn read_obj(size: usize) -> Case {
    Case {
        name: format!("read obj {}, by the byte", size_name(size)),
        bytes: None,
        prepare: Box::new(move |_| read(Format::Obj, grid(size.isqrt()).into_bytes())),
    }
}

fn read(format: Format, bytes: Vec<u8>) -> Prepared {
    Prepared {
        items: bytes.len(),
        run: Box::new(move || {
            let read = sinew_io::read_character_from_bytes(format, "bench", &bytes);
            std::hint::black_box(read.expect("the file is sound"));
        }),
    }
}

fn grid(side: usize) -> String {
    let mut text = String::new();
    for k in 0..side * side {
        let (u, v) = ((k % side) as f32 / side as f32, (k / side) as f32 / side as f32);
        let z = (u * 9.0).sin();
        // Writing to a string does not fail.
        let _ = writeln!(text, "v {u:.6} {v:.6} {z:.6}\nvt {u:.6} {v:.6}\nvn 0.0000 0.0000 1.0000");
    }
    for k in (0..side * (side - 1)).filter(|k| k % side + 1 < side) {
        let corners = [k, k + 1, k + side + 1, k + side].map(|corner| corner + 1);
        let [a, b, c, d] = corners.map(|k| format!("{k}/{k}/{k}"));
        let _ = writeln!(text, "f {a} {b} {c} {d}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bench_obj_is_a_grid_of_quads() {
        let bytes = grid(5);
        let read = sinew_io::read_character_from_bytes(Format::Obj, "bench", bytes.as_bytes());
        let character = read.unwrap().character;
        assert_eq!((character.num_points(), character.num_triangles()), (25, 2 * 16));
    }
}
