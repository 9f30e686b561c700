//! How a fine point follows coarse ones: the cells' indicators, smoothed along the surface.
//!
//! `w ← .4 w + .6 mean of the neighbours' w`, four times, then the largest four, made to sum to 1.
//! Without smoothing the start has steps at the cells' rims, which costs a fifth; from two rounds
//! on it makes no difference that shows.

use super::mesh::{CoarseMesh, NO_CELL};
use crate::mesh::Adjacency;
use crate::springs::order::SlotOrder;

/// Coarse slots that a fine one follows.
pub(in super::super) const BLEND: usize = 4;

/// Cells that are kept while smoothing.
const KEPT: usize = 8;

const ROUNDS: usize = 4;

/// What a point keeps of its own in a round.
const OWN_SHARE: f64 = 0.4;

/// Coarse slots and their weights, which sum to 1, or are all 0 where nothing is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(in super::super) struct Blend {
    pub(in super::super) slots: [u32; BLEND],
    pub(in super::super) weights: [f32; BLEND],
}

/// Cells with weights, the largest first.
type Shares = Vec<(u32, f64)>;

/// One a point of the fine mesh.
pub(in super::super) fn blends(
    mesh: &CoarseMesh,
    fine: &Adjacency,
    coarse: &Adjacency,
    coarse_order: &SlotOrder,
) -> Vec<Blend> {
    // A seed that nothing is joined to stays at its target, and would only hold others back.
    let follows = |cell: u32| cell != NO_CELL && !coarse.ring(cell as usize).is_empty();
    let own = |&cell: &u32| if follows(cell) { vec![(cell, 1.0)] } else { Vec::new() };
    let mut now: Vec<Shares> = mesh.cell_of_point.iter().map(own).collect();
    let mut next = now.clone();
    for _ in 0..ROUNDS {
        for (point, shares) in next.iter_mut().enumerate() {
            let ring = fine.ring(point);
            shares.clear();
            add(shares, &now[point], OWN_SHARE);
            for &other in ring {
                add(shares, &now[other as usize], (1.0 - OWN_SHARE) / ring.len() as f64);
            }
            // Of equal ones the smaller number, so that the order is always the same.
            shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            shares.truncate(KEPT);
        }
        std::mem::swap(&mut now, &mut next);
    }
    let slots = coarse_order.slot_of_point();
    let blend = |shares: &Shares| {
        let largest = &shares[..shares.len().min(BLEND)];
        let total: f64 = largest.iter().map(|share| share.1).sum();
        let mut blend = Blend::default();
        for (at, &(cell, weight)) in largest.iter().enumerate() {
            blend.slots[at] = slots[cell as usize];
            blend.weights[at] = (weight / total) as f32;
        }
        blend
    };
    now.iter().map(blend).collect()
}

fn add(sum: &mut Shares, shares: &[(u32, f64)], factor: f64) {
    for &(cell, weight) in shares {
        match sum.iter_mut().find(|(known, _)| *known == cell) {
            Some((_, known)) => *known += factor * weight,
            None => sum.push((cell, factor * weight)),
        }
    }
}
