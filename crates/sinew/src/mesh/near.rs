//! Which vertices lie on earlier ones: candidates for welding, found by a sweep.
//!
//! Points within a tolerance of each other are within it along any direction too. Sorted along one
//! (a radix sort of 32-bit places), each vertex has to be compared only with the few that follow it
//! closely, and memory is read in order: a hash table of a large mesh misses the cache at every
//! look-up, which took four times as long. The direction is along no plane or lattice that a
//! modeller would choose.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Vertices after a vertex, along the sweep, that it is compared with. Real seams have a handful at
/// one place; a file with thousands there must not cost their square. What lies on one place stays
/// connected all the same, since each is compared with the next.
const MAX_CANDIDATES: usize = 256;

/// Vertices a task: placing one takes nanoseconds.
const MIN_PER_TASK: usize = 1 << 14;

/// About unit length, its parts in no simple ratio.
const DIRECTION: DVec3 = DVec3::new(0.510_827_216_3, 0.733_891_647_1, 0.447_638_905_7);

/// For each vertex, the earlier ones that lie within the tolerance of it.
#[derive(Debug)]
pub(super) struct EarlierNear {
    /// Later vertex and earlier one, sorted.
    pairs: Vec<[u32; 2]>,
}

impl EarlierNear {
    /// Of finite positions.
    pub(super) fn new(positions: &[Vec3], tolerance: f32) -> Self {
        let sweep = sorted_places(positions);
        let window = sweep.window(tolerance);
        let order = &sweep.order;
        let pairs_of = |at: usize| {
            let (place, vertex) = split(order[at]);
            let position = positions[vertex as usize];
            order[at + 1..]
                .iter()
                .take(MAX_CANDIDATES)
                .map(|&entry| split(entry))
                .take_while(move |&(other, _)| u64::from(other - place) <= window)
                .filter(move |&(_, other)| {
                    positions[other as usize].distance(position) <= tolerance
                })
                .map(move |(_, other)| [vertex.max(other), vertex.min(other)])
        };
        let mut pairs: Vec<[u32; 2]> = (0..order.len())
            .into_par_iter()
            .with_min_len(MIN_PER_TASK)
            .flat_map_iter(pairs_of)
            .collect();
        pairs.par_sort_unstable();
        Self { pairs }
    }

    /// The earlier ones of each vertex in turn: must be asked for vertices in ascending order.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor { rest: &self.pairs }
    }
}

/// A walk through the vertices in their order.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a [[u32; 2]],
}

impl<'a> Cursor<'a> {
    pub(super) fn earlier(&mut self, vertex: u32) -> impl Iterator<Item = u32> + use<'a> {
        let count = self.rest.iter().take_while(|pair| pair[0] == vertex).count();
        let (own, rest) = self.rest.split_at(count);
        self.rest = rest;
        own.iter().map(|pair| pair[1])
    }
}

struct Sweep {
    /// Place along the direction above, vertex below; ascending.
    order: Vec<u64>,
    places_per_metre: f64,
}

impl Sweep {
    /// How many places a tolerance is, and what rounding to places takes off.
    fn window(&self, tolerance: f32) -> u64 {
        let places = f64::from(tolerance) * DIRECTION.length() * self.places_per_metre;
        (places as u64).saturating_add(2)
    }
}

fn split(entry: u64) -> (u32, u32) {
    ((entry >> 32) as u32, entry as u32)
}

fn sorted_places(positions: &[Vec3]) -> Sweep {
    let along = |position: &Vec3| position.as_dvec3().dot(DIRECTION);
    let (low, high) = positions
        .par_iter()
        .with_min_len(MIN_PER_TASK)
        .map(|position| (along(position), along(position)))
        .reduce(|| (f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let places_per_metre = if high > low { f64::from(u32::MAX) / (high - low) } else { 0.0 };
    let entry = |(vertex, position): (usize, &Vec3)| {
        let place = ((along(position) - low) * places_per_metre) as u32;
        u64::from(place) << 32 | vertex as u64
    };
    let order: Vec<u64> =
        positions.par_iter().with_min_len(MIN_PER_TASK).enumerate().map(entry).collect();
    Sweep { order: sorted_by_place(order), places_per_metre }
}

/// A stable sort by the upper halves, eleven bits at a time.
fn sorted_by_place(mut entries: Vec<u64>) -> Vec<u64> {
    const BITS: u32 = 11;
    const BUCKETS: usize = 1 << BITS;
    let bucket = |entry: u64, pass: u32| (entry >> (32 + BITS * pass)) as usize & (BUCKETS - 1);
    let mut starts_of_pass = [[0_u32; BUCKETS]; 3];
    for &entry in &entries {
        for (pass, counts) in starts_of_pass.iter_mut().enumerate() {
            counts[bucket(entry, pass as u32)] += 1;
        }
    }
    let mut sorted = vec![0; entries.len()];
    for (pass, starts) in starts_of_pass.iter_mut().enumerate() {
        let mut start = 0;
        for count in starts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for &entry in &entries {
            let slot = &mut starts[bucket(entry, pass as u32)];
            sorted[*slot as usize] = entry;
            *slot += 1;
        }
        std::mem::swap(&mut entries, &mut sorted);
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(positions: &[Vec3], tolerance: f32) -> Vec<Vec<u32>> {
        let near = EarlierNear::new(positions, tolerance);
        let mut cursor = near.cursor();
        (0..positions.len() as u32).map(|vertex| cursor.earlier(vertex).collect()).collect()
    }

    fn expected(positions: &[Vec3], tolerance: f32) -> Vec<Vec<u32>> {
        let near = |v: usize| {
            (0..v as u32)
                .filter(move |&u| positions[u as usize].distance(positions[v]) <= tolerance)
        };
        (0..positions.len()).map(|vertex| near(vertex).collect()).collect()
    }

    proptest! {
        #[test]
        fn the_sweep_finds_what_comparing_all_with_all_finds(
            cells in prop::collection::vec((0..6_i32, 0..6_i32, 0..6_i32, 0..4_i32), 0..120),
            scale in prop::sample::select(vec![1e-10_f32, 1e-3, 1.0, 1e6, 1e15]),
            tolerance in prop::sample::select(vec![0.0_f32, 1e-7, 1e-3, 0.3, 9.0]),
        ) {
            let at = |(x, y, z, wobble): (i32, i32, i32, i32)| {
                let wobble = wobble as f32 * 0.4 * tolerance;
                let cell = Vec3::new(x as f32 - 3.0, y as f32, z as f32);
                (cell + Vec3::new(wobble, -wobble, 0.0)) * scale
            };
            let positions: Vec<Vec3> = cells.into_iter().map(at).collect();
            let tolerance = tolerance * scale;
            prop_assert_eq!(found(&positions, tolerance), expected(&positions, tolerance));
        }
    }

    #[test]
    fn thousands_at_one_place_are_a_chain_and_not_a_square() {
        let near = EarlierNear::new(&[Vec3::ONE; 5000], 0.0);
        assert!(near.pairs.len() <= 5000 * MAX_CANDIDATES);
        let mut cursor = near.cursor();
        assert_eq!(cursor.earlier(0).count(), 0);
        for vertex in 1..5000 {
            assert_eq!(cursor.earlier(vertex).last(), Some(vertex - 1));
        }
    }
}
