//! The machine's own limit: loops that move the same bytes as a kernel and compute next to nothing.
//!
//! Three are measured, all in safe code with the widest instructions the processor has: `copy`
//! (`memcpy`), `triad` (`a = b + s·c`, the STREAM kernel), and a *stream* that reads and writes as
//! many bytes as a case does. A case's ratio is to its stream.

use std::hint::black_box;
use std::time::Duration;

use fearless_simd::{Level, dispatch};

use super::timing::{Timing, time};

/// Words that are read before the ones that belong to them are written: small enough for the
/// first-level cache, as a kernel's own blocks are.
const BLOCK_POINTS: usize = 1024;

/// Bytes that a case moves for each point; none of it counts twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub(crate) read: usize,
    pub(crate) written: usize,
}

impl Bytes {
    /// Read and written bytes together.
    pub(crate) const fn total(self) -> usize {
        self.read + self.written
    }
}

/// The time of a loop that reads and writes `bytes` for each of `points` points.
pub(crate) fn stream(points: usize, bytes: Bytes, budget: Duration) -> Timing {
    let (read, written) = (bytes.read.div_ceil(4), bytes.written.div_ceil(4));
    let source: Vec<u32> = (0..(points * read) as u32).collect();
    let mut target = vec![1u32; points * written];
    let level = Level::new();
    time(budget, || {
        let (source, target) = (black_box(&source[..]), black_box(&mut target[..]));
        dispatch!(level, _ => move_blocks(source, target, [read, written]));
    })
}

/// Reads a block (its exclusive or, which needs every word and no carried order), then writes one.
#[inline(always)]
fn move_blocks(source: &[u32], target: &mut [u32], words_a_point: [usize; 2]) {
    let [read, written] = words_a_point.map(|words| words.max(1) * BLOCK_POINTS);
    let sources = source.chunks(read).map(Some).chain(std::iter::repeat(None));
    for (source, target) in sources.zip(target.chunks_mut(written)) {
        let word = source.map_or(0, |source| source.iter().fold(0, |word, &next| word ^ next));
        target.fill(word);
    }
}

/// Gigabytes a second of a plain copy and of a triad that touch `total_bytes` in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bandwidth {
    pub(crate) total_bytes: usize,
    pub(crate) copy_gb_per_s: f64,
    pub(crate) triad_gb_per_s: f64,
}

/// Measures both. Write-allocate traffic is not counted, as STREAM does not count it.
pub(crate) fn bandwidth(total_bytes: usize, budget: Duration) -> Bandwidth {
    let gb_per_s = |bytes: usize, timing: Timing| bytes as f64 / timing.best_ns;

    let words = total_bytes / 8;
    let source = vec![1.0f32; words];
    let mut target = vec![0.0f32; words];
    let copy = time(budget, || black_box(&mut target[..]).copy_from_slice(black_box(&source)));
    let copy_gb_per_s = gb_per_s(words * 8, copy);

    let words = total_bytes / 12;
    let (b, c) = (vec![1.0f32; words], vec![2.0f32; words]);
    let mut a = vec![0.0f32; words];
    let level = Level::new();
    let triad = time(budget, || {
        let (a, b, c) = (black_box(&mut a[..]), black_box(&b[..]), black_box(&c[..]));
        dispatch!(level, _ => triad(a, b, c));
    });
    Bandwidth { total_bytes, copy_gb_per_s, triad_gb_per_s: gb_per_s(words * 12, triad) }
}

#[inline(always)]
fn triad(a: &mut [f32], b: &[f32], c: &[f32]) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + 3.0 * c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_and_every_word_written() {
        let points = BLOCK_POINTS + 7;
        let source = vec![0b11u32; points * 3];
        let mut target = vec![9u32; points * 2];
        move_blocks(&source, &mut target, [3, 2]);
        // An even number of equal words cancels, an odd one does not: the short block has 21 of
        // them.
        assert!(target[..2 * BLOCK_POINTS].iter().all(|&word| word == 0));
        assert!(target[2 * BLOCK_POINTS..].iter().all(|&word| word == 0b11));
    }

    #[test]
    fn a_triad_is_b_plus_three_c() {
        let mut a = [0.0; 3];
        triad(&mut a, &[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]);
        assert_eq!(a, [31.0, 62.0, 93.0]);
    }
}
