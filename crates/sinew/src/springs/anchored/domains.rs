//! Who computes what, and in which order, so that little memory is moved: domains for threads,
//! waves for the cache.
//!
//! Slots come in chunks, and a chunk's neighbours lie within its [`Reach`] of chunks. A step of a
//! chunk may be done once all chunks in its reach have done the step before, so a wave of several
//! steps can run through the chunks close behind one another: what a step has read is still in the
//! cache when the next one needs it, and memory is read once for all of them. (Time skewing;
//! Wonnacott 2000.) Nobody misses what was overwritten: who reads a chunk is in its reach.
//!
//! Each thread has a domain: a run of chunks of its own, in buffers of its own, and around it as
//! much of the others' as a wave needs, which it computes as well. After a wave the others' part is
//! copied from its owners. Every value is thus the same arithmetic on the same numbers, whoever
//! computes it: the bits depend neither on threads nor on waves.

use std::ops::Range;

use super::Anchored;
use crate::springs::rows::{LANES, POSITION_FLOATS, Rows};

/// Slices in a chunk: 128 slots, some 30 kB with their edges.
pub(super) const CHUNK_SLICES: usize = 16;

/// Floats of positions in a chunk.
const CHUNK_FLOATS: usize = CHUNK_SLICES * LANES * POSITION_FLOATS;

/// Steps in a wave, at the most: each further one saves less and makes a domain's margin wider.
pub(super) const MAX_WAVE: usize = 6;

/// Bytes between the first and the last use of the same data in a wave. Twice a core's second
/// cache: what falls out of it is still warm in the last one, and measured 10–15 % faster at 90k
/// points than waves that fit.
const CACHE_BYTES: usize = 1 << 20;

/// Bytes that an iteration reads for a slot and for a row of half-edges.
const SLOT_BYTES: usize = 104;
const ROW_BYTES: usize = 192;

/// The share of a domain that its neighbours may compute as well. Without long waves two threads
/// wait for memory: at .04 the giant ran 1.3 times as fast on two as on one, at .15 twice.
const MAX_MARGIN_OVER_DOMAIN: f64 = 0.15;

/// The chunks that each chunk's neighbours lie in: first and last, both never falling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    of_chunk: Vec<[u32; 2]>,
    /// Steps in a wave, if margins allow.
    pub(super) wave: usize,
}

impl Reach {
    pub(super) fn new(rows: &Rows) -> Self {
        let chunk_of = |slot: u32| slot / (CHUNK_SLICES * LANES) as u32;
        let num_chunks = rows.num_slices().div_ceil(CHUNK_SLICES);
        let mut of_chunk: Vec<[u32; 2]> = (0..num_chunks as u32).map(|c| [c, c]).collect();
        for (slice, span) in rows.starts().windows(2).enumerate() {
            let [first, last] = &mut of_chunk[slice / CHUNK_SLICES];
            for &slot in rows.neighbours()[span[0] as usize..span[1] as usize].as_flattened() {
                *first = (*first).min(chunk_of(slot));
                *last = (*last).max(chunk_of(slot));
            }
        }
        for chunk in 1..num_chunks {
            of_chunk[chunk][1] = of_chunk[chunk][1].max(of_chunk[chunk - 1][1]);
        }
        for chunk in (1..num_chunks).rev() {
            of_chunk[chunk - 1][0] = of_chunk[chunk - 1][0].min(of_chunk[chunk][0]);
        }
        let lag =
            (0..).zip(&of_chunk).map(|(c, reach): (u32, _)| reach[1] - c + 1).max().unwrap_or(1);
        let bytes = rows.num_slices() * LANES * SLOT_BYTES + rows.num_rows() * ROW_BYTES;
        let lag_bytes = lag as usize * bytes / num_chunks.max(1);
        let wave = if bytes <= CACHE_BYTES { 1 } else { 1 + CACHE_BYTES / lag_bytes.max(1) };
        Self { of_chunk, wave: wave.min(MAX_WAVE) }
    }

    fn around(&self, chunks: &Range<usize>) -> Range<usize> {
        if chunks.is_empty() {
            return chunks.clone();
        }
        let [first, _] = self.of_chunk[chunks.start];
        let [_, last] = self.of_chunk[chunks.end - 1];
        first as usize..last as usize + 1
    }

    /// Cuts the chunks into `count` domains, with waves short enough that their margins are narrow.
    pub(super) fn domains(&self, count: usize, num_slots: usize) -> Vec<Domain> {
        let num_chunks = self.of_chunk.len();
        let count = count.clamp(1, num_chunks.max(1));
        let cut = |part: usize| part * num_chunks / count;
        let with_wave = |wave: usize| -> Vec<Domain> {
            (0..count).map(|part| self.domain(cut(part)..cut(part + 1), wave, num_slots)).collect()
        };
        let is_narrow = |wave: usize| {
            let margin = |part: usize| {
                let levels = self.levels(cut(part)..cut(part + 1), wave);
                levels.iter().map(Range::len).sum::<usize>() - wave * (cut(part + 1) - cut(part))
            };
            let margins: usize = (0..count).map(margin).sum();
            margins as f64 <= MAX_MARGIN_OVER_DOMAIN * (wave * num_chunks) as f64
        };
        with_wave((2..=self.wave).rev().find(|&wave| is_narrow(wave)).unwrap_or(1))
    }

    /// What each step of a wave computes so that the last one has all that it reads.
    fn levels(&self, own: Range<usize>, wave: usize) -> Vec<Range<usize>> {
        let mut levels = vec![own; wave];
        for level in (1..wave).rev() {
            levels[level - 1] = self.around(&levels[level]);
        }
        levels
    }

    fn domain(&self, own: Range<usize>, wave: usize, num_slots: usize) -> Domain {
        let levels = self.levels(own.clone(), wave);
        let known = self.around(&levels[0]);
        let floats = num_slots * POSITION_FLOATS;
        Domain {
            own,
            levels,
            known,
            rows: [vec![0.0; floats], vec![0.0; floats]],
            step_squared: 0.0,
        }
    }
}

/// A thread's part of the slots.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    /// The chunks whose result is taken from here.
    own: Range<usize>,
    /// The chunks that each step of a wave computes: the last one's are the domain's own.
    levels: Vec<Range<usize>>,
    /// The chunks whose positions a wave reads.
    known: Range<usize>,
    /// `x` and `D` a slot, of the last two iterations. As long as all slots, so that a slot is
    /// found at its own index; only `known` ones are ever touched.
    rows: [Vec<f32>; 2],
    /// Of the last step.
    pub(super) step_squared: f32,
}

/// A chunk's step: its slices and the iteration's factor.
pub(super) struct ChunkStep<'a> {
    pub(super) first_slice: usize,
    pub(super) omega: f32,
    /// `x_n` of all slots in reach.
    pub(super) now: &'a [f32],
    /// `x_{n−1}` of the chunk, to become `x_{n+1}`.
    pub(super) next: &'a mut [f32],
}

impl Domain {
    /// Steps in a wave.
    pub(super) fn max_wave(&self) -> usize {
        self.levels.len()
    }

    /// The slots whose positions a wave reads.
    pub(super) fn known_slots(&self, plan: &Anchored) -> Range<usize> {
        slots(&self.known, plan)
    }

    /// The slots whose result is taken from here.
    pub(super) fn own_slots(&self, plan: &Anchored) -> Range<usize> {
        slots(&self.own, plan)
    }

    /// Both buffers.
    pub(super) fn rows_mut(&mut self) -> &mut [Vec<f32>; 2] {
        &mut self.rows
    }

    /// The positions after so many iterations.
    pub(super) fn rows_after(&self, iterations: u32) -> &[f32] {
        &self.rows[iterations as usize % 2]
    }

    /// Runs the steps whose factors are `omegas`, after `done` others, one close behind the other.
    #[inline(always)]
    pub(super) fn wave(
        &mut self,
        reach: &Reach,
        done: u32,
        omegas: &[f32],
        mut step: impl FnMut(&mut ChunkStep<'_>) -> f32,
    ) {
        let levels = &self.levels[self.levels.len() - omegas.len()..];
        let mut at = [0; MAX_WAVE];
        for (at, level) in at.iter_mut().zip(levels) {
            *at = level.start;
        }
        self.step_squared = 0.0;
        for _ in levels[0].clone() {
            for (level, &omega) in omegas.iter().enumerate() {
                let may_go = |chunk: usize| {
                    level == 0 || (reach.of_chunk[chunk][1] as usize) < at[level - 1]
                };
                let mut chunk = at[level];
                while chunk < levels[level].end && may_go(chunk) {
                    let [even, odd] = &mut self.rows;
                    let (now, next) = match (done as usize + level) % 2 {
                        0 => (even, odd),
                        _ => (odd, even),
                    };
                    let floats = chunk * CHUNK_FLOATS..((chunk + 1) * CHUNK_FLOATS).min(next.len());
                    let first_slice = chunk * CHUNK_SLICES;
                    let next = &mut next[floats];
                    let step_squared = step(&mut ChunkStep { first_slice, omega, now, next });
                    if level + 1 == omegas.len() {
                        self.step_squared = self.step_squared.max(step_squared);
                    }
                    chunk += 1;
                    if level == 0 {
                        break;
                    }
                }
                at[level] = chunk;
            }
        }
    }
}

/// Copies what each domain knows of others from its owners, in both buffers.
pub(super) fn exchange(domains: &mut [Domain]) {
    for reader in 0..domains.len() {
        for owner in 0..domains.len() {
            let from = domains[reader].known.start.max(domains[owner].own.start);
            let to = domains[reader].known.end.min(domains[owner].own.end);
            let Ok([reader, owner]) = domains.get_disjoint_mut([reader, owner]) else { continue };
            for (reader, owner) in reader.rows.iter_mut().zip(&owner.rows) {
                let floats = from * CHUNK_FLOATS..(to * CHUNK_FLOATS).min(owner.len());
                if from < to {
                    reader[floats.clone()].copy_from_slice(&owner[floats]);
                }
            }
        }
    }
}

fn slots(chunks: &Range<usize>, plan: &Anchored) -> Range<usize> {
    let slots_a_chunk = CHUNK_SLICES * LANES;
    let end = (chunks.end * slots_a_chunk).min(plan.order.num_slots());
    (chunks.start * slots_a_chunk).min(end)..end
}
