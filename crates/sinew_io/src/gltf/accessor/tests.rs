//! Accessors of small documents written out.

use super::*;
use crate::neighbours::Neighbours;

/// A document with one buffer and the views and accessors of `json`.
fn document(json: &str, data: &[u8]) -> Root {
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{}}}],{json}}}"#,
        data.len()
    );
    json::parse(json.as_bytes()).unwrap()
}

fn floats<const N: usize>(json: &str, data: &[u8]) -> Result<Vec<[f32; N]>, String> {
    let root = document(json, data);
    let buffers = Buffers::load(&root, Some(data), &Neighbours::of(None));
    let accessors = Accessors::new(&root, &buffers, json.len());
    accessors.floats(0, "here").map_err(|error| error.to_string())
}

const VIEW: &str = r#""bufferViews":[{"buffer":0,"byteLength":8}]"#;

fn accessor(component: u32, normalized: bool, count: u64, kind: &str) -> String {
    format!(
        r#"{VIEW},"accessors":[{{"bufferView":0,"componentType":{component},"normalized":{normalized},"count":{count},"type":"{kind}"}}]"#
    )
}

#[test]
fn normalised_integers_become_what_they_stand_for() {
    let data = [0x81, 0x80, 0x7f, 0xff, 0xff, 0xff, 0, 0x80];
    assert_eq!(
        floats(&accessor(5120, true, 1, "VEC4"), &data).unwrap(),
        [[-1.0, -1.0, 1.0, -1.0 / 127.0]]
    );
    assert_eq!(
        floats::<4>(&accessor(5121, true, 1, "VEC4"), &data).unwrap()[0][3].to_bits(),
        1.0f32.to_bits()
    );
    assert_eq!(floats(&accessor(5121, false, 1, "SCALAR"), &data).unwrap(), [[129.0]]);
    assert_eq!(floats::<3>(&accessor(5123, true, 1, "VEC3"), &data).unwrap()[0][2], 1.0);
    assert_eq!(floats::<4>(&accessor(5122, true, 1, "VEC4"), &data).unwrap()[0][3], -1.0);
}

#[test]
fn columns_of_small_matrices_begin_at_multiples_of_four_bytes() {
    let one = |component: u32, kind: &str, length: usize| {
        format!(
            r#""bufferViews":[{{"buffer":0,"byteLength":{length}}}],"accessors":[{{"bufferView":0,"componentType":{component},"count":2,"type":"{kind}"}}]"#
        )
    };
    let bytes: Vec<u8> = (0..64).collect();
    // Two columns of two bytes and two of padding.
    assert_eq!(
        floats::<4>(&one(5121, "MAT2", 16), &bytes[..16]).unwrap(),
        [[0.0, 1.0, 4.0, 5.0], [8.0, 9.0, 12.0, 13.0]]
    );
    let three = floats::<9>(&one(5121, "MAT3", 24), &bytes[..24]).unwrap();
    assert_eq!(three[1], [12.0, 13.0, 14.0, 16.0, 17.0, 18.0, 20.0, 21.0, 22.0]);
    let words: Vec<u8> = (0..24u16).flat_map(u16::to_le_bytes).collect();
    let wide = floats::<9>(&one(5123, "MAT3", 48), &words).unwrap();
    assert_eq!(wide[0], [0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 8.0, 9.0, 10.0]);
    assert_eq!(wide[1][0], 12.0);
    // What fills its columns has no padding.
    let four = floats::<16>(&one(5121, "MAT4", 32), &bytes[..32]).unwrap();
    assert_eq!((four[0][15], four[1][0]), (15.0, 16.0));
    let two = floats::<4>(&one(5123, "MAT2", 16), &words[..16]).unwrap();
    assert_eq!(two, [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]);
    assert!(
        floats::<4>(&one(5121, "MAT2", 15), &bytes[..15]).unwrap_err().contains("past the end")
    );
}

#[test]
fn every_type_of_component_is_read_packed_and_with_a_stride() {
    let numbers = [1.0f32, 2.0, 100.0, 127.0, 3.0, 0.0];
    type Encode = fn(f32) -> Vec<u8>;
    let types: [(u32, Encode); 6] = [
        (5120, |x| vec![x as i8 as u8]),
        (5121, |x| vec![x as u8]),
        (5122, |x| (x as i16).to_le_bytes().to_vec()),
        (5123, |x| (x as u16).to_le_bytes().to_vec()),
        (5125, |x| (x as u32).to_le_bytes().to_vec()),
        (5126, |x| x.to_le_bytes().to_vec()),
    ];
    for (component, bytes_of) in types {
        let size = bytes_of(0.0).len();
        for stride in [3 * size, 16, 20] {
            let mut data = Vec::new();
            for element in numbers.as_chunks::<3>().0 {
                let start = data.len();
                data.extend(element.iter().flat_map(|&x| bytes_of(x)));
                data.resize(start + stride, 0xee);
            }
            let json = format!(
                r#""bufferViews":[{{"buffer":0,"byteLength":{},"byteStride":{stride}}}],"accessors":[{{"bufferView":0,"componentType":{component},"count":2,"type":"VEC3"}}]"#,
                data.len()
            );
            let read = floats::<3>(&json, &data).unwrap();
            assert_eq!(read.as_flattened(), numbers, "{component}, {stride}");
        }
    }
}

#[test]
fn sparse_elements_replace_those_of_a_view() {
    let json = r#""bufferViews":[{"buffer":0,"byteLength":6},{"buffer":0,"byteOffset":6,"byteLength":2},{"buffer":0,"byteOffset":8,"byteLength":4}],
        "accessors":[{"bufferView":0,"componentType":5121,"count":3,"type":"VEC2","sparse":{"count":2,
        "indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":2}}}]"#;
    let data = [1, 2, 3, 4, 5, 6, 0, 2, 70, 71, 90, 91];
    assert_eq!(floats(json, &data).unwrap(), [[70.0, 71.0], [3.0, 4.0], [90.0, 91.0]]);
}

#[test]
fn interleaved_elements_are_found_by_stride_and_offset() {
    let json = r#""bufferViews":[{"buffer":0,"byteOffset":1,"byteLength":7,"byteStride":4}],
        "accessors":[{"bufferView":0,"byteOffset":1,"componentType":5121,"count":2,"type":"VEC2"}]"#;
    let data = [0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(floats(json, &data).unwrap(), [[2.0, 3.0], [6.0, 7.0]]);
}

#[test]
fn sparse_elements_replace_zeros_of_an_accessor_without_view() {
    let json = r#""bufferViews":[{"buffer":0,"byteLength":2},{"buffer":0,"byteOffset":2,"byteLength":2}],
        "accessors":[{"componentType":5121,"count":3,"type":"SCALAR","sparse":{"count":2,
        "indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":1}}}]"#;
    assert_eq!(floats(json, &[0, 2, 7, 9]).unwrap(), [[7.0], [0.0], [9.0]]);
    assert!(floats::<1>(json, &[0, 3, 7, 9]).unwrap_err().contains("sparse index 3"));
}

#[test]
fn what_is_not_there_is_refused_before_anything_is_allocated() {
    let data = [0; 8];
    for (json, words) in [
        (accessor(5121, false, 9, "SCALAR"), "past the end"),
        (accessor(5126, false, u64::MAX, "SCALAR"), "more than a file"),
        (accessor(5126, false, 1, "MAT4"), "needs 1 components"),
        (accessor(5124, false, 1, "SCALAR"), "componentType 5124"),
        (
            r#""accessors":[{"componentType":5126,"count":4000000000,"type":"SCALAR"}]"#.into(),
            "more than a file",
        ),
        (
            r#""bufferViews":[{"buffer":0,"byteOffset":18446744073709551615,"byteLength":8}],"accessors":[{"bufferView":0,"componentType":5121,"count":1,"type":"SCALAR"}]"#.into(),
            "reaches past",
        ),
        (
            r#""bufferViews":[{"buffer":0,"byteLength":8,"byteStride":0}],"accessors":[{"bufferView":0,"componentType":5121,"count":8,"type":"SCALAR"}]"#.into(),
            "byteStride",
        ),
    ] {
        let error = floats::<1>(&json, &data).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn signed_and_float_indices_are_refused() {
    let json = accessor(5126, false, 1, "SCALAR");
    let root = document(&json, &[0; 8]);
    let buffers = Buffers::load(&root, Some(&[0; 8]), &Neighbours::of(None));
    let error = Accessors::new(&root, &buffers, 0).integers::<1>(0, "here").unwrap_err();
    assert!(error.to_string().contains("unsigned integer"));
}

#[test]
fn sharing_bytes_does_not_get_around_the_budget() {
    let root = document(&accessor(5121, false, 8, "SCALAR"), &[0; 8]);
    let buffers = Buffers::load(&root, Some(&[0; 8]), &Neighbours::of(None));
    let accessors = Accessors::new(&root, &buffers, 0);
    let most = FREE_COMPONENTS / 8 + COMPONENTS_PER_BYTE;
    let reads = (0..=most).take_while(|_| accessors.floats::<1>(0, "here").is_ok()).count();
    assert_eq!(reads, most);
}
