//! What must hold of cages, on cages and characters made from nothing.

mod bad;
mod coordinates;
mod coupling;
mod generate;
mod large;

use glam::{DVec3, UVec3};

use super::{Cage, CageFace};

/// A small generator: the same numbers each time.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In −1..1.
    pub(super) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }
}

/// A box of quads, out of square.
pub(super) fn crooked_box() -> Cage {
    let cage =
        Cage::lattice(DVec3::new(-1.0, -2.0, -1.5), DVec3::new(1.0, 2.0, 1.5), UVec3::new(2, 3, 2))
            .unwrap();
    let mut random = Random::new(3);
    let points = cage.points().iter().map(|&p| p + 0.15 * random.vector()).collect();
    cage.with_points(points).unwrap()
}

/// The same faces as triangles.
pub(super) fn as_triangles(cage: &Cage) -> Cage {
    let faces = cage.triangles().map(CageFace::Triangle).collect();
    Cage::new(cage.points().to_vec(), faces).unwrap()
}
