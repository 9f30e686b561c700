//! The decoders against the reference codec (C++, a dependency of the tests only).

use proptest::prelude::*;

use super::{Filter, MeshoptError, Mode};

/// Enough for two blocks and a part of a third.
const MAX_VERTICES: usize = 600;

/// Vertices of 4, 12, 16 and 256 bytes that are smooth, repetitive or noise, in every version and
/// level of the reference.
fn assert_vertices_decode<const STRIDE: usize>(seeds: &[u32]) {
    let vertices: Vec<[u8; STRIDE]> = seeds
        .iter()
        .enumerate()
        .map(|(i, seed)| {
            std::array::from_fn(|k| match k % 4 {
                // A slow ramp, a constant, small noise, and all bits.
                0 => (i / 3 + k) as u8,
                1 => 7,
                2 => (seed >> (k % 29) & 3) as u8,
                _ => seed.wrapping_mul(2_654_435_761).rotate_left(k as u32) as u8,
            })
        })
        .collect();
    for (level, version) in [(0, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 1)] {
        let stream = meshopt::encode_vertex_buffer_level(&vertices, level, Some(version)).unwrap();
        assert_eq!(stream[0], 0xa0 | version as u8);
        let decoded = Mode::Attributes.decode(&stream, vertices.len(), STRIDE).unwrap();
        assert!(decoded == vertices.as_flattened(), "stride {STRIDE}, {level}, v{version}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn vertices_of_the_reference_encoder_decode(
        seeds in prop::collection::vec(any::<u32>(), 0..MAX_VERTICES)
    ) {
        assert_vertices_decode::<4>(&seeds);
        assert_vertices_decode::<12>(&seeds);
        assert_vertices_decode::<16>(&seeds);
        assert_vertices_decode::<256>(&seeds);
    }

    #[test]
    fn triangles_and_sequences_of_the_reference_encoder_decode(
        corners in prop::collection::vec((0..40u32, 0..100_000u32, any::<u8>()), 0..300),
    ) {
        // Strips that go on, jump back, and jump far.
        let mut indices: Vec<u32> = Vec::new();
        for (k, &(near, far, choice)) in corners.iter().enumerate() {
            let k = k as u32;
            indices.extend(match choice % 4 {
                0 => [k, k + 1, k + 2],
                1 => [k + 2, k + 1, near],
                2 => [far, k, k + 1],
                _ => [near, near + 1, far],
            });
        }
        let stream = meshopt::encode_index_buffer(&indices, 200_000).unwrap();
        let decoded = Mode::Triangles.decode(&stream, indices.len(), 4).unwrap();
        let words: Vec<[u32; 3]> = triples(&decoded);
        // The reference may turn a triangle, not change it.
        for (ours, given) in words.iter().zip(indices.as_chunks::<3>().0) {
            let [a, b, c] = *given;
            prop_assert!([[a, b, c], [b, c, a], [c, a, b]].contains(ours), "{ours:?} {given:?}");
        }
        let reference: Vec<u32> = meshopt::decode_index_buffer(&stream, indices.len()).unwrap();
        prop_assert_eq!(words.as_flattened(), &reference[..]);

        let stream = meshopt::encode_index_sequence(&indices, 200_000).unwrap();
        let decoded = Mode::Indices.decode(&stream, indices.len(), 4).unwrap();
        let words = triples(&decoded);
        prop_assert_eq!(words.as_flattened(), &indices[..]);
        let short = Mode::Indices.decode(&stream, indices.len(), 2).unwrap();
        let pairs = short.as_chunks::<2>().0.iter().zip(&indices);
        prop_assert!(pairs.clone().all(|(b, i)| u16::from_le_bytes(*b) == *i as u16));
    }

    #[test]
    fn filters_are_undone_as_the_reference_does(
        vectors in prop::collection::vec(
            (-1.0..1.0f32, -1.0..1.0f32, -1.0..1.0f32, -1.0..1.0f32),
            1..40,
        )
    ) {
        let unit: Vec<[f32; 4]> = vectors
            .iter()
            .filter_map(|&(x, y, z, w)| {
                Some(glam::Vec4::new(x, y, z, w).try_normalize()?.to_array())
            })
            .collect();
        // The reference rounds with other instructions: one code apart is the same.
        let mut q = meshopt::encode_filter_quat(&unit, 12);
        let ours = undone(Filter::Quaternion, &q);
        meshopt::decode_filter_quat(&mut q);
        prop_assert!(is_near(&ours, &q));

        let mut normals: Vec<[i16; 4]> = meshopt::encode_filter_oct(&unit, 12);
        let ours = undone(Filter::Octahedral, &normals);
        meshopt::decode_filter_oct(&mut normals);
        prop_assert!(is_near(&ours, &normals));

        let colors: Vec<[f32; 4]> = unit.iter().map(|c| c.map(f32::abs)).collect();
        let mut colors: Vec<[u16; 4]> = meshopt::encode_filter_color(&colors, 12);
        let encoded: Vec<[i16; 4]> = colors.iter().map(|c| c.map(|x| x as i16)).collect();
        let ours = undone(Filter::Color, &encoded);
        meshopt::decode_filter_color(&mut colors);
        let reference: Vec<[i16; 4]> = colors.iter().map(|c| c.map(|x| x as i16)).collect();
        prop_assert!(is_near(&ours, &reference));

        let mode = meshopt::EncodeExpMode::SharedVector;
        let floats = meshopt::encode_filter_exp(&unit, 15, mode);
        let mut bytes: Vec<u8> =
            floats.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        Filter::Exponential.undo(&mut bytes, 16).unwrap();
        for (b, given) in bytes.as_chunks::<4>().0.iter().zip(unit.as_flattened()) {
            prop_assert!((f32::from_le_bytes(*b) - given).abs() < 1e-4);
        }
    }
}

fn undone(filter: Filter, values: &[[i16; 4]]) -> Vec<[i16; 4]> {
    let mut bytes: Vec<u8> = values.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    filter.undo(&mut bytes, 8).unwrap();
    bytes.as_chunks::<8>().0.iter().map(super::filter::shorts).collect()
}

fn is_near(a: &[[i16; 4]], b: &[[i16; 4]]) -> bool {
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    a.len() == b.len() && pairs.into_iter().all(|(a, b)| a.wrapping_sub(*b).unsigned_abs() <= 1)
}

fn triples(bytes: &[u8]) -> Vec<[u32; 3]> {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    words.as_chunks::<3>().0.to_vec()
}

#[test]
fn octahedral_vectors_and_floats_come_back() {
    let directions = [[0.0, 0.0, 1.0], [0.6, -0.8, 0.0], [-0.48, 0.6, -0.64], [0.0, 0.0, -1.0]];
    for (one, max, stride) in [(127.0f32, 127.0, 4), (1023.0, 32767.0, 8)] {
        for d in directions {
            let [x, y, z]: [f32; 3] = d;
            let sum = x.abs() + y.abs() + z.abs();
            let (mut u, mut v) = (x / sum, y / sum);
            if z < 0.0 {
                (u, v) = ((1.0 - v.abs()) * u.signum(), (1.0 - u.abs()) * v.signum());
            }
            let values = [u * one, v * one, one, 5.0].map(|x| x.round() as i16);
            let mut bytes: Vec<u8> = match stride {
                4 => values.map(|x| x as u8).to_vec(),
                _ => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            };
            Filter::Octahedral.undo(&mut bytes, stride).unwrap();
            let decoded: Vec<f32> = match stride {
                4 => bytes.iter().map(|&b| f32::from(b as i8) / max).collect(),
                _ => bytes
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .map(|b| f32::from(i16::from_le_bytes(*b)) / max)
                    .collect(),
            };
            for (decoded, given) in decoded.iter().zip(d) {
                assert!((decoded - given).abs() < 0.02, "{d:?} came back with {decoded}");
            }
            // The fourth component is nobody's.
            assert_eq!((decoded[3] * max).round(), 5.0);
        }
    }
    let mut bytes = [0xfd_00_00_05u32, 0x02_ff_ff_ff].map(u32::to_le_bytes).concat();
    Filter::Exponential.undo(&mut bytes, 8).unwrap();
    let floats: Vec<f32> =
        bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    assert_eq!(floats, [5.0 / 8.0, -4.0]);
}

#[test]
fn colours_come_back() {
    // Eight bits of alpha: y = g + ..., white and pure red with full alpha.
    let mut white = [0x7f, 0, 0, 0x7f];
    Filter::Color.undo(&mut white, 4).unwrap();
    assert_eq!(white, [255; 4]);
    // r = y + co − cg, g = y + cg, b = y − co − cg, with one at 127.
    let mut red = [32, 63, -32i8 as u8, 0x7f];
    Filter::Color.undo(&mut red, 4).unwrap();
    assert_eq!(red, [255, 0, 2, 255]);
    // No alpha at all has no scale.
    let mut none = [9, 9, 9, 0];
    Filter::Color.undo(&mut none, 4).unwrap();
    assert_eq!(none, [0; 4]);
    let mut wide = [0x7fff, 0, 0, 0x7fffu16].map(u16::to_le_bytes).concat();
    Filter::Color.undo(&mut wide, 8).unwrap();
    assert_eq!(wide, [0xff; 8]);
}

#[test]
fn streams_of_another_kind_size_or_version_are_refused() {
    let vertices: Vec<[u8; 16]> = (0..100u8).map(|i| [i; 16]).collect();
    let stream = meshopt::encode_vertex_buffer(&vertices).unwrap();
    let decode = |stream: &[u8], count, stride| Mode::Attributes.decode(stream, count, stride);
    assert_eq!(decode(&[], 1, 4), Err(MeshoptError::CutOff));
    assert_eq!(decode(&stream[..30], 100, 16), Err(MeshoptError::CutOff));
    // By a group or more: within one the format cannot tell.
    assert!(decode(&stream, 90, 16).is_err());
    assert!(decode(&stream, 130, 16).is_err());
    assert_eq!(decode(&stream, 1 << 40, 16), Err(MeshoptError::CutOff));
    assert!(matches!(decode(&stream, 100, 6), Err(MeshoptError::Stride(_))));
    assert!(matches!(decode(&stream, 100, 0), Err(MeshoptError::Stride(_))));
    assert_eq!(decode(&[0xa2; 99], 1, 4), Err(MeshoptError::Header(0xa2)));
    assert_eq!(Mode::Triangles.decode(&stream, 3, 4), Err(MeshoptError::Header(stream[0])));
    assert_eq!(Mode::Triangles.decode(&stream, 4, 4), Err(MeshoptError::Count));
    assert_eq!(Mode::Triangles.decode(&[0xe1; 18], 1 << 40, 4), Err(MeshoptError::Count));
    assert_eq!(Mode::Triangles.decode(&[0xe1; 18], 3 << 40, 4), Err(MeshoptError::CutOff));
    assert_eq!(Mode::Indices.decode(&[0xd1; 18], usize::MAX, 4), Err(MeshoptError::CutOff));
    assert!(matches!(Filter::Octahedral.undo(&mut [0; 12], 12), Err(MeshoptError::Stride(_))));
}

#[test]
fn no_mutant_of_a_stream_panics() {
    let vertices: Vec<[u8; 16]> = (0..300u32).map(|i| [(i / 7) as u8; 16]).collect();
    let indices: Vec<u32> = (0..300).flat_map(|k| [k, k + 1, k + 2]).collect();
    let streams = [
        (
            Mode::Attributes,
            300,
            16,
            meshopt::encode_vertex_buffer_level(&vertices, 0, Some(0)).unwrap(),
        ),
        (Mode::Attributes, 300, 16, meshopt::encode_vertex_buffer(&vertices).unwrap()),
        (Mode::Triangles, 900, 4, meshopt::encode_index_buffer(&indices, 400).unwrap()),
        (Mode::Indices, 900, 4, meshopt::encode_index_sequence(&indices, 400).unwrap()),
    ];
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for (mode, count, stride, stream) in streams {
        assert!(mode.decode(&stream, count, stride).is_ok());
        for _ in 0..4000 {
            let mut mutant = stream.clone();
            for _ in 0..1 + random() % 4 {
                let at = random() % mutant.len();
                mutant[at] = random() as u8;
            }
            mutant.truncate(mutant.len() - random() % 3);
            if let Ok(bytes) = mode.decode(&mutant, count, stride) {
                assert_eq!(bytes.len(), count * stride);
            }
        }
    }
}
