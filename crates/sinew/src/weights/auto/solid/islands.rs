//! Islands of a solid, and the shortest ways over the gaps between them.
//!
//! All islands grow at once through the empty cells; where two fronts meet, the way from cell to
//! cell is known. Of these ways as few and as short ones are kept as join everything (Kruskal): an
//! island is tied to what it lies nearest to, and an arm beside a hip stays as far as it was.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::Solid;
use crate::mesh::Joined;

/// A way over a gap counts as so much longer.
const OVER_A_GAP: f32 = 2.0;
const NONE: u32 = u32::MAX;

/// What an empty cell was reached from.
#[derive(Clone, Copy)]
struct Reached {
    far: f32,
    from: u32,
}

/// By cell: the cells across gaps, with what the way counts.
pub(super) fn gaps(solid: &Solid) -> HashMap<u32, Vec<(u32, f32)>> {
    let (island, num_islands) = label(solid);
    let mut gaps: HashMap<u32, Vec<(u32, f32)>> = HashMap::new();
    if num_islands < 2 {
        return gaps;
    }
    let mut joined = Joined::new(num_islands as usize);
    for (length, a, b) in meetings(solid, &island) {
        let [of_a, of_b] = [a, b].map(|cell| joined.root(island[cell as usize]));
        if of_a == of_b {
            continue;
        }
        joined.join(of_a, of_b);
        for (from, to) in [(a, b), (b, a)] {
            gaps.entry(from).or_default().push((to, OVER_A_GAP * length));
        }
    }
    gaps
}

/// The island of each cell, and how many there are.
fn label(solid: &Solid) -> (Vec<u32>, u32) {
    let steps = solid.steps();
    let mut island = vec![NONE; solid.is_solid.len()];
    let mut number = 0;
    let mut open = Vec::new();
    for start in 0..island.len() {
        if !solid.is_solid[start] || island[start] != NONE {
            continue;
        }
        island[start] = number;
        open.push(start);
        while let Some(cell) = open.pop() {
            let at = solid.place(cell);
            for &(step, _) in &steps {
                if let Some(next) = solid.index(at + step)
                    && solid.is_solid[next]
                    && island[next] == NONE
                {
                    island[next] = number;
                    open.push(next);
                }
            }
        }
        number += 1;
    }
    (island, number)
}

/// Ways between cells of two islands, the shortest first.
fn meetings(solid: &Solid, island: &[u32]) -> Vec<(f32, u32, u32)> {
    let steps = solid.steps();
    let nowhere = Reached { far: f32::INFINITY, from: NONE };
    let mut reached = vec![nowhere; island.len()];
    let mut open = BinaryHeap::new();
    for cell in (0..island.len() as u32).filter(|&cell| island[cell as usize] != NONE) {
        reached[cell as usize] = Reached { far: 0.0, from: cell };
        open.push(Reverse((0u32, cell)));
    }
    let mut found: HashMap<[u32; 2], (f32, u32, u32)> = HashMap::new();
    while let Some(Reverse((bits, cell))) = open.pop() {
        let own = reached[cell as usize];
        if f32::from_bits(bits) > own.far {
            continue;
        }
        let at = solid.place(cell as usize);
        for &(step, length) in &steps {
            let Some(next) = solid.index(at + step) else { continue };
            let other = reached[next];
            if own.far + length < other.far {
                reached[next] = Reached { far: own.far + length, from: own.from };
                open.push(Reverse(((own.far + length).to_bits(), next as u32)));
            } else if other.from != NONE {
                let mut pair = [own.from, other.from].map(|cell| island[cell as usize]);
                pair.sort_unstable();
                let way = (own.far + length + other.far, own.from, other.from);
                let known = found.entry(pair).or_insert(way);
                if pair[0] != pair[1] && way.0 < known.0 {
                    *known = way;
                }
            }
        }
    }
    let mut ways: Vec<_> = found.into_iter().filter(|(pair, _)| pair[0] != pair[1]).collect();
    ways.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then(a.0.cmp(&b.0)));
    ways.into_iter().map(|(_, way)| way).collect()
}
