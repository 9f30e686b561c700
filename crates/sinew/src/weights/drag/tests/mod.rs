//! The solvers against brute force, and drags of real rows.

mod brute;
mod drags;
mod program;
mod solvers;

use glam::DVec3;

/// SplitMix64: the same cases on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [-1, 1).
    pub(super) fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(super) fn below(&mut self, number: usize) -> usize {
        (self.next() % number as u64) as usize
    }

    pub(super) fn place(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// On the simplex, some of them nothing.
    pub(super) fn weights(&mut self, n: usize) -> Vec<f64> {
        let mut weights: Vec<f64> = (0..n).map(|_| self.signed().max(0.0)).collect();
        let kept = self.below(n);
        weights[kept] += 0.1;
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        weights
    }
}

/// Places of `n` joints: in general, in a plane, on a line, all at one spot, some twice, within a
/// unit ball about their mean.
pub(super) fn places(random: &mut Random, n: usize) -> Vec<DVec3> {
    let kind = random.below(6);
    let (u, v) = (random.place(), random.place());
    let mut places: Vec<DVec3> = (0..n)
        .map(|_| match kind {
            0 | 1 => random.place(),
            2 => u * random.signed() + v * random.signed(),
            3 => u * random.signed(),
            4 => u,
            _ => random.place().round(),
        })
        .collect();
    if kind == 1 && n > 1 {
        let (from, to) = (random.below(n), random.below(n));
        places[to] = places[from];
    }
    let center = places.iter().sum::<DVec3>() / n as f64;
    let size = places.iter().map(|place| place.distance(center)).fold(0.0, f64::max).max(1e-9);
    places.iter().map(|&place| (place - center) / size).collect()
}
