//! The encoder of mode `ATTRIBUTES`, version 0: elements of a multiple of four bytes, byte by byte
//! as differences to the element before (EXT_meshopt_compression, Appendix A, "Mode 0"; after
//! meshoptimizer's `encodeVertexBuffer`).
//!
//! Streams of one byte of the elements are cut into groups of sixteen, each written with none, two,
//! four or eight bits a difference, whichever is shortest. The order of the elements is kept.

const HEADER: u8 = 0xa0;
const MAX_BLOCK_BYTES: usize = 8192;
const MAX_BLOCK_ELEMENTS: usize = 256;
const GROUP: usize = 16;
/// The first element ends the stream, padded in front to this: decoders may read so far past a
/// group.
const TAIL: usize = 32;

/// Encodes elements of `stride` bytes; `None` for a stride that the codec does not have.
pub(crate) fn encode_vertices(bytes: &[u8], stride: usize) -> Option<Vec<u8>> {
    let is_possible = stride > 0 && stride.is_multiple_of(4) && stride <= 256;
    if !is_possible || bytes.is_empty() || !bytes.len().is_multiple_of(stride) {
        return None;
    }
    let block_elements = ((MAX_BLOCK_BYTES / stride) & !(GROUP - 1)).min(MAX_BLOCK_ELEMENTS);
    let first = &bytes[..stride];
    let mut last = first;
    let mut out = vec![HEADER];
    for block in bytes.chunks(block_elements * stride) {
        for channel in 0..stride {
            let mut before = last[channel];
            let mut deltas: Vec<u8> = block
                .chunks_exact(stride)
                .map(|element| {
                    let delta = element[channel].wrapping_sub(before) as i8;
                    before = element[channel];
                    // Zigzag: small differences of either sign are small numbers.
                    ((delta << 1) ^ (delta >> 7)) as u8
                })
                .collect();
            deltas.resize(deltas.len().next_multiple_of(GROUP), 0);
            encode_channel(&deltas, &mut out);
        }
        last = &block[block.len() - stride..];
    }
    out.resize(out.len() + TAIL.saturating_sub(stride), 0);
    out.extend_from_slice(first);
    Some(out)
}

fn encode_channel(deltas: &[u8], out: &mut Vec<u8>) {
    let header = out.len();
    let num_groups = deltas.len() / GROUP;
    out.resize(header + num_groups.div_ceil(4), 0);
    for (index, group) in deltas.chunks_exact(GROUP).enumerate() {
        let cost = |bits: usize, sentinel: u8| {
            bits * GROUP / 8 + group.iter().filter(|&&delta| delta >= sentinel).count()
        };
        let (two, four) = (cost(2, 3), cost(4, 15));
        let mode = if group.iter().all(|&delta| delta == 0) {
            0
        } else if two <= four && two < GROUP {
            1
        } else if four < GROUP {
            2
        } else {
            3
        };
        out[header + index / 4] |= mode << (2 * (index % 4));
        match mode {
            0 => {}
            1 => encode_group(group, 2, out),
            2 => encode_group(group, 4, out),
            _ => out.extend_from_slice(group),
        }
    }
}

/// Sixteen numbers of so many bits, the first highest; those that do not fit follow as bytes.
fn encode_group(group: &[u8], bits: usize, out: &mut Vec<u8>) {
    let sentinel = (1u8 << bits) - 1;
    for values in group.chunks_exact(8 / bits) {
        out.push(values.iter().fold(0, |byte, &value| (byte << bits) | value.min(sentinel)));
    }
    out.extend(group.iter().filter(|&&value| value >= sentinel));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::meshopt::Mode;

    proptest! {
        #[test]
        fn what_is_encoded_decodes_to_the_same_bytes(
            stride in 1usize..9,
            seeds in prop::collection::vec((any::<u8>(), 0u8..4), 1..700),
        ) {
            let stride = 4 * stride;
            // Smooth in some channels, noise in others.
            let bytes: Vec<u8> = seeds.iter().enumerate().flat_map(|(at, &(noise, little))| {
                (0..stride).map(move |k| match k % 4 {
                    0 => 7,
                    1 => (at as u8).wrapping_add(little),
                    2 => little.wrapping_mul(30),
                    _ => noise,
                })
            }).collect();
            let encoded = encode_vertices(&bytes, stride).unwrap();
            let decoded = Mode::Attributes.decode(&encoded, seeds.len(), stride).unwrap();
            prop_assert_eq!(&decoded, &bytes);
        }
    }

    #[test]
    fn elements_that_are_all_alike_cost_a_header_a_channel() {
        let bytes = [1u8, 2, 3, 4].repeat(16);
        let out = encode_vertices(&bytes, 4).unwrap();
        assert_eq!(out.len(), 1 + 4 + TAIL);
        assert_eq!(out[out.len() - 4..], [1, 2, 3, 4]);
    }

    #[test]
    fn a_stride_that_the_codec_does_not_have_is_refused() {
        for stride in [0, 3, 6, 260] {
            assert!(encode_vertices(&[0; 3120], stride).is_none(), "{stride}");
        }
    }
}
