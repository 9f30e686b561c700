//! One point of a drag: what does not change while it is dragged, and where it stands.

use glam::DVec3;

use super::simplex::{minimise, refine};
use super::{DragInput, DragSettings};
use crate::weights::Influence;
use crate::weights::rules::RowRules;

/// So many sets of joints are tried for the best within the budget; beyond it, one after another
/// is left out.
const MAX_SETS: usize = 500;

/// Memory of a solve, used again for the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    gram: Vec<f64>,
    linear: Vec<f64>,
}

/// What neighbours in the same drag add to a point's problem.
pub(super) struct Drawn<'a> {
    /// Of each neighbour, for each of the point's free joints, where its change is.
    pub(super) linked: &'a [u32],
    /// Of all points' weights since the start.
    pub(super) changes: &'a [f64],
}

/// Where a neighbour does not have a joint.
pub(super) const NOT_THERE: u32 = u32::MAX;

/// `min |S(P u − t)|² + λ|u − u_start|²` over the free joints of one point. Weights are shares of
/// what locked joints leave.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) point: u32,
    /// Free ones.
    joints: Vec<u32>,
    /// As shares of what is free.
    pub(super) start: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// Of each free joint in the pose that is seen, times what is free.
    places: Vec<DVec3>,
    /// What locked joints add.
    locked: DVec3,
    /// All poses' columns, centred and scaled: for each joint three numbers a pose.
    columns: Vec<f64>,
    num_rows: usize,
    center: DVec3,
    /// One over the size of the hull; nothing where nothing can move.
    scale: f64,
    gram: Vec<f64>,
    /// Of held poses, whose goals stay.
    linear_held: Vec<f64>,
    /// Of all poses, by the goal.
    linear: Vec<f64>,
    num_slots: usize,
}

impl Problem {
    pub(super) fn new(
        input: &DragInput<'_>,
        point: u32,
        least_hull: f64,
        settings: &DragSettings,
    ) -> Self {
        let rules = &settings.rules;
        let before = input.weights.row(point as usize);
        let share = rules.free_share(before);
        let is_locked = |i: &&Influence| rules.is_locked(i.joint);
        let num_locked = before.iter().filter(is_locked).count();
        let mut joints = input.joints(point, &settings.further);
        joints.retain(|&joint| !rules.is_locked(joint));
        let weight_of = |joint: &u32| {
            let own = before.iter().find(|influence| influence.joint == *joint);
            own.map_or(0.0, |influence| f64::from(influence.weight))
        };
        let mut start: Vec<f64> = joints.iter().map(weight_of).collect();
        let sum: f64 = start.iter().sum();
        if sum > 0.0 {
            start.iter_mut().for_each(|weight| *weight /= sum);
        } else {
            joints.clear();
            start.clear();
        }
        let rest = input.rest[point as usize].as_dvec3();
        let locked_in = |transforms: &[glam::DAffine3]| -> DVec3 {
            before
                .iter()
                .filter(is_locked)
                .map(|i| transforms[i.joint as usize].transform_point3(rest) * f64::from(i.weight))
                .sum()
        };
        let places_in = |transforms: &[glam::DAffine3]| -> Vec<DVec3> {
            let place = |&joint: &u32| transforms[joint as usize].transform_point3(rest) * share;
            joints.iter().map(place).collect()
        };
        let places = places_in(input.model_from_rest);
        let center = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
        let size = places.iter().map(|place| place.distance(center)).fold(0.0, f64::max);
        let scale = if size > least_hull && size.is_finite() { 1.0 / size } else { 0.0 };
        let held = input.held.iter().filter(|held| held.weight > 0.0);
        let mut poses = vec![(places.clone(), 1.0)];
        poses.extend(held.map(|held| (places_in(&held.model_from_rest), held.weight.sqrt())));
        let (n, num_rows) = (joints.len(), 3 * poses.len());
        let mut columns = vec![0.0; n * num_rows];
        for (pose, (places, factor)) in poses.iter().enumerate() {
            let center = places.iter().sum::<DVec3>() / n.max(1) as f64;
            for (at, place) in places.iter().enumerate() {
                let column = (*place - center) * (scale * factor);
                columns[at * num_rows + 3 * pose..][..3].copy_from_slice(&column.to_array());
            }
        }
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let column = |at: usize| &columns[at * num_rows..(at + 1) * num_rows];
        let mut gram = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                gram[i * n + j] = dot(column(i), column(j));
            }
        }
        // Where a held pose has the point at the start is what it is to keep.
        let mut kept = vec![0.0; num_rows];
        for (at, &weight) in start.iter().enumerate() {
            kept.iter_mut().zip(column(at)).skip(3).for_each(|(sum, x)| *sum += weight * x);
        }
        let linear_held: Vec<f64> = (0..n).map(|at| dot(&column(at)[3..], &kept[3..])).collect();
        let most = rules.max_influences.saturating_sub(num_locked).max(1);
        Self {
            point,
            weights: start.clone(),
            linear: linear_held.clone(),
            locked: locked_in(input.model_from_rest),
            num_slots: most,
            joints,
            start,
            places,
            columns,
            num_rows,
            center,
            scale,
            gram,
            linear_held,
        }
    }

    /// Where weights put the point in the pose that is seen.
    pub(super) fn place_of(&self, weights: &[f64]) -> DVec3 {
        let free = self.places.iter().zip(weights).map(|(&place, &weight)| place * weight);
        self.locked + free.sum::<DVec3>()
    }

    pub(super) fn aim(&mut self, goal: DVec3) {
        let goal = (goal - self.locked - self.center) * self.scale;
        let columns = self.columns.chunks_exact(self.num_rows.max(1));
        for ((linear, held), column) in self.linear.iter_mut().zip(&self.linear_held).zip(columns) {
            *linear = held + goal.dot(DVec3::from_slice(column));
        }
    }

    /// True if it can move at all.
    pub(super) fn moves(&self) -> bool {
        self.scale > 0.0
    }

    /// Finds the weights, with what neighbours add.
    pub(super) fn solve(
        &mut self,
        settings: &DragSettings,
        drawn: Option<&Drawn<'_>>,
        refines: bool,
        scratch: &mut Scratch,
    ) {
        let n = self.joints.len();
        if self.scale == 0.0 || n < 2 {
            return;
        }
        let (keep, smoothness) = (settings.keep, settings.smoothness);
        let num_links = drawn.map_or(0, |drawn| drawn.linked.len() / n);
        let factor = keep * smoothness;
        let pull = factor * num_links as f64;
        let Scratch { gram, linear } = scratch;
        gram.clone_from(&self.gram);
        linear.clone_from(&self.linear);
        for at in 0..n {
            gram[at * n + at] += keep + pull;
            linear[at] += (keep + pull) * self.start[at];
        }
        if let Some(Drawn { linked, changes }) = drawn {
            for neighbour in linked.chunks_exact(n) {
                for (linear, &at) in linear.iter_mut().zip(neighbour) {
                    if at != NOT_THERE {
                        *linear += factor * changes[at as usize];
                    }
                }
            }
        }
        // A sweep begins where the last one ended: there is one minimum, and it is near.
        if drawn.is_none() {
            self.weights.copy_from_slice(&self.start);
        }
        minimise(gram, linear, &mut self.weights);
        if refines {
            refine(gram, &self.linear, keep + pull, &mut self.weights);
        }
        if self.weights.iter().filter(|&&weight| weight > 0.0).count() > self.num_slots {
            within_budget(gram, linear, &mut self.weights, self.num_slots);
        }
    }

    /// Of the weights that reach the same place in all poses, those that change least by sum.
    pub(super) fn change_fewest(&mut self) {
        let n = self.joints.len();
        if self.scale == 0.0 || n < 2 {
            return;
        }
        let is_full = self.weights.iter().filter(|&&weight| weight > 0.0).count() >= self.num_slots;
        // With the budget spent, the joints that were chosen for it are those to choose among.
        let among: Vec<usize> = (0..n)
            .filter(|&at| !is_full || n <= self.num_slots || self.weights[at] > 0.0)
            .collect();
        let rows: Vec<Vec<f64>> = (0..self.num_rows)
            .map(|row| among.iter().map(|&at| self.columns[at * self.num_rows + row]).collect())
            .collect();
        let start: Vec<f64> = among.iter().map(|&at| self.start[at]).collect();
        let mut weights: Vec<f64> = among.iter().map(|&at| self.weights[at]).collect();
        super::fewest::fewest(&rows, &start, &mut weights);
        if weights.iter().filter(|&&weight| weight > 0.0).count() <= self.num_slots {
            among.iter().zip(&weights).for_each(|(&at, &weight)| self.weights[at] = weight);
        }
    }

    pub(super) fn row(&self, before: &[Influence], rules: &RowRules) -> Vec<Influence> {
        if self.scale == 0.0 || self.weights == self.start {
            return before.to_vec();
        }
        let wanted: Vec<(u32, f64)> =
            self.joints.iter().copied().zip(self.weights.iter().copied()).collect();
        rules.finish(before, &wanted, None)
    }

    pub(super) fn joints(&self) -> &[u32] {
        &self.joints
    }
}

fn objective(gram: &[f64], linear: &[f64], weights: &[f64]) -> f64 {
    let n = weights.len();
    let mut sum = 0.0;
    for i in 0..n {
        let row: f64 = (0..n).map(|j| gram[i * n + j] * weights[j]).sum();
        sum += weights[i] * (0.5 * row - linear[i]);
    }
    sum
}

/// The minimum over some of the joints, with the others at nothing.
fn minimum_among(gram: &[f64], linear: &[f64], among: &[usize], out: &mut [f64]) -> f64 {
    let n = linear.len();
    let m = among.len();
    let mut small = vec![0.0; m * m];
    for (i, &from) in among.iter().enumerate() {
        for (j, &to) in among.iter().enumerate() {
            small[i * m + j] = gram[from * n + to];
        }
    }
    let linear: Vec<f64> = among.iter().map(|&at| linear[at]).collect();
    let mut weights = vec![1.0 / m as f64; m];
    minimise(&small, &linear, &mut weights);
    out.fill(0.0);
    among.iter().zip(&weights).for_each(|(&at, &weight)| out[at] = weight);
    objective(&small, &linear, &weights)
}

/// The best weights of at most `num_slots` joints: of all sets where they are few, else by leaving
/// out the one that is missed least, again and again.
pub(super) fn within_budget(gram: &[f64], linear: &[f64], weights: &mut [f64], num_slots: usize) {
    let n = weights.len();
    let mut found = vec![0.0; n];
    if num_sets(n, num_slots) <= MAX_SETS {
        let mut least = f64::INFINITY;
        let mut set: Vec<usize> = (0..num_slots).collect();
        loop {
            let value = minimum_among(gram, linear, &set, &mut found);
            if value < least {
                least = value;
                weights.copy_from_slice(&found);
            }
            // The next set in order.
            let Some(at) = (0..num_slots).rev().find(|&at| set[at] < n - num_slots + at) else {
                return;
            };
            set[at] += 1;
            for next in at + 1..num_slots {
                set[next] = set[next - 1] + 1;
            }
        }
    }
    let mut set: Vec<usize> = (0..n).filter(|&at| weights[at] > 0.0).collect();
    while set.len() > num_slots {
        let mut least = (f64::INFINITY, 0);
        for at in 0..set.len() {
            let mut without = set.clone();
            without.remove(at);
            let value = minimum_among(gram, linear, &without, &mut found);
            if value < least.0 {
                least = (value, at);
            }
        }
        set.remove(least.1);
    }
    minimum_among(gram, linear, &set, &mut found);
    weights.copy_from_slice(&found);
}

fn num_sets(n: usize, of: usize) -> usize {
    let of = of.min(n - of);
    (0..of).fold(1usize, |number, at| number.saturating_mul(n - at) / (at + 1))
}
