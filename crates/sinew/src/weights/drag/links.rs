//! Points of a drag that are neighbours on the mesh: what they draw one another to, and in which
//! order they are solved. Points of one colour are no neighbours of one another, so that all of
//! them are solved at once, and what comes out is the same with any number of threads.

use std::ops::Range;

use super::problem::{NOT_THERE, Problem};
use crate::mesh::Adjacency;

/// The links of all points.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// By problem as they are stored: first by colour, then those without a neighbour.
    linked: Vec<Vec<u32>>,
    colours: Vec<Range<usize>>,
    /// Where each problem's changes begin.
    offsets: Vec<usize>,
    changes: Vec<f64>,
}

impl Links {
    /// Sorts problems by colour; gives where each of them went to.
    pub(super) fn of(problems: &mut Vec<Problem>, adjacency: &Adjacency) -> (Self, Vec<u32>) {
        let neighbours = neighbours(problems, adjacency);
        let colour = colours(&neighbours);
        let mut order: Vec<u32> = (0..problems.len() as u32).collect();
        order.sort_by_key(|&at| colour[at as usize]);
        let mut stored_of = vec![0u32; problems.len()];
        for (stored, &taken) in (0u32..).zip(&order) {
            stored_of[taken as usize] = stored;
        }
        let mut taken: Vec<Option<Problem>> =
            std::mem::take(problems).into_iter().map(Some).collect();
        problems.extend(order.iter().filter_map(|&at| taken[at as usize].take()));
        let mut links = Self::default();
        for (stored, problem) in problems.iter().enumerate() {
            links.offsets.push(links.changes.len());
            links.changes.resize(links.changes.len() + problem.joints().len(), 0.0);
            let own = colour[order[stored] as usize];
            if own == ALONE {
                continue;
            }
            if links.colours.len() <= own as usize {
                links.colours.push(stored..stored);
            }
            links.colours[own as usize].end = stored + 1;
        }
        for &taken in &order {
            let own = &problems[stored_of[taken as usize] as usize];
            let mut linked = Vec::new();
            for &other in &neighbours[taken as usize] {
                let other = stored_of[other as usize] as usize;
                let of_other = problems[other].joints();
                linked.extend(own.joints().iter().map(|joint| {
                    let at = of_other.iter().position(|other| other == joint);
                    at.map_or(NOT_THERE, |at| (links.offsets[other] + at) as u32)
                }));
            }
            links.linked.push(linked);
        }
        (links, stored_of)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// Problems that are no neighbours of one another, a range each.
    pub(super) fn colours(&self) -> &[Range<usize>] {
        &self.colours
    }

    /// Of problems of a range, and all changes.
    pub(super) fn of_range(&self, range: Range<usize>) -> (&[Vec<u32>], &[f64]) {
        (&self.linked[range], &self.changes)
    }

    pub(super) fn has(&self, stored: usize) -> bool {
        self.linked.get(stored).is_some_and(|linked| !linked.is_empty())
    }

    /// Takes down what became of problems of a range.
    pub(super) fn note(&mut self, problems: &[Problem], range: Range<usize>) {
        for at in range {
            let problem = &problems[at];
            let changes = self.changes[self.offsets[at]..].iter_mut();
            let pairs = problem.weights.iter().zip(&problem.start);
            changes.zip(pairs).for_each(|(change, (now, start))| *change = now - start);
        }
    }
}

/// Of problems that can move, those beside them.
fn neighbours(problems: &[Problem], adjacency: &Adjacency) -> Vec<Vec<u32>> {
    let mut index_of = vec![u32::MAX; adjacency.num_points()];
    for (index, problem) in (0u32..).zip(problems) {
        index_of[problem.point as usize] = index;
    }
    let of = |problem: &Problem| -> Vec<u32> {
        if !problem.moves() {
            return Vec::new();
        }
        let ring = adjacency.ring(problem.point as usize).iter();
        let others = ring.map(|&next| index_of[next as usize]).filter(|&at| at != u32::MAX);
        others.filter(|&other| problems[other as usize].moves()).collect()
    };
    problems.iter().map(of).collect()
}

/// Of a problem without a neighbour: after all others.
const ALONE: u32 = u32::MAX;

/// The lowest colour that no neighbour has yet, in order.
fn colours(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut colour = vec![ALONE; neighbours.len()];
    for (at, own) in neighbours.iter().enumerate() {
        if own.is_empty() {
            continue;
        }
        let is_free =
            |candidate: &u32| own.iter().all(|&other| colour[other as usize] != *candidate);
        colour[at] = (0..ALONE).find(is_free).unwrap_or(0);
    }
    colour
}
