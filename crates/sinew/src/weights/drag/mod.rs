//! Drag a point of the posed skin, get the weights that put it there (Mohr, Tokheim, Gleicher,
//! *Direct Manipulation of Interactive Character Skins*).
//!
//! In a pose a point is `Σ w_j P_j`, `P_j` where joint `j` alone would take it: it can come to any
//! place of their hull ([`Hull`]) and nowhere else. [`Drag`] finds the weights that come nearest
//! to a goal, `min |P w − t|² + λ|w − w_start|²` on the simplex, exactly (`simplex`); where many
//! weights reach the same place, those nearest to where the drag began: a path that comes back
//! gives the weights back. Further poses are rows of the same problem. Locked joints keep their
//! weights, and no point gets more influences than the budget: that is part of the solution, not
//! cut off afterwards.

mod fewest;
mod goals;
mod hull;
mod links;
mod problem;
mod simplex;
#[cfg(test)]
mod tests;
mod why;

pub use goals::{DragMotion, soft_selection};
pub use hull::Hull;
pub use why::{Further, WhyNot, why_not};

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use self::links::Links;
use self::problem::{Drawn, Problem, Scratch};
use super::rules::{PointRow, RowRules};
use super::{Influence, SkinWeights};
use crate::mesh::Adjacency;

/// Of the size of the mesh: a smaller hull is a point, and its weights stay.
const LEAST_HULL_SHARE: f64 = 1e-6;
/// Sweeps over the dragged points that smooth what changes.
const NUM_SWEEPS: usize = 4;
/// Fewer points are dragged sooner by one thread.
const MIN_PARALLEL_POINTS: usize = 512;
/// A task of fewer costs more to hand over than to do.
const MIN_POINTS_A_TASK: usize = 128;

/// Which weights are taken where several reach the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum DragRule {
    /// The least sum of squared changes: all weights change a little.
    #[default]
    Least,
    /// The least sum of changes: few weights change. The paper's own.
    Fewest,
}

/// How a drag goes.
#[derive(Clone, Debug, PartialEq)]
pub struct DragSettings {
    /// Which weights, where several reach the goal.
    pub rule: DragRule,
    /// How many influences a point may have, and which joints' weights stay as they are.
    pub rules: RowRules,
    /// λ: what the weights' staying as they are is worth, against a hull of size one.
    pub keep: f64,
    /// What it is worth that neighbours' weights change alike, against their staying.
    pub smoothness: f64,
    /// Joints that every point may also get.
    pub further: Vec<u32>,
}

impl Default for DragSettings {
    fn default() -> Self {
        Self {
            rule: DragRule::default(),
            rules: RowRules::default(),
            keep: 1e-9,
            smoothness: 1.0,
            further: Vec::new(),
        }
    }
}

/// A pose that counts beside the one in which points are dragged: there they are to stay.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldPose {
    /// One a joint.
    pub model_from_rest: Vec<DAffine3>,
    /// What it is worth against the dragged one.
    pub weight: f64,
}

/// What is dragged, and in which poses.
#[derive(Clone, Copy, Debug)]
pub struct DragInput<'a> {
    /// The mesh's points at rest, as shapes have them.
    pub rest: &'a [Vec3],
    /// Where the drag begins.
    pub weights: &'a SkinWeights,
    /// The pose that is seen, one a joint.
    pub model_from_rest: &'a [DAffine3],
    /// Further poses.
    pub held: &'a [HeldPose],
}

impl DragInput<'_> {
    /// Hulls of less are points.
    pub(super) fn least_hull(&self) -> f64 {
        let bounds = crate::mesh::Aabb::around(self.rest.iter().copied());
        LEAST_HULL_SHARE * f64::from(bounds.diagonal())
    }

    /// The joints that a point can be shared among: its own, then further ones.
    pub(super) fn joints(&self, point: u32, further: &[u32]) -> Vec<u32> {
        let row = self.weights.row(point as usize);
        let mut joints: Vec<u32> = row.iter().map(|influence| influence.joint).collect();
        for &joint in further {
            let is_known = (joint as usize) < self.model_from_rest.len();
            if is_known && !joints.contains(&joint) {
                joints.push(joint);
            }
        }
        joints.truncate(simplex::MAX_JOINTS);
        joints
    }

    /// Where each joint alone would take a point.
    pub fn places(&self, point: u32, joints: &[u32]) -> Vec<DVec3> {
        let rest = self.rest[point as usize].as_dvec3();
        let place = |&joint: &u32| self.model_from_rest[joint as usize].transform_point3(rest);
        joints.iter().map(place).collect()
    }

    /// Where a point can come to, with the joints that it has and further ones.
    pub fn hull(&self, point: u32, further: &[u32]) -> Hull {
        Hull::of(&self.places(point, &self.joints(point, further)), self.least_hull())
    }
}

/// Points in the hand.
#[derive(Clone, Debug)]
pub struct Drag {
    /// By colour.
    problems: Vec<Problem>,
    links: Links,
    /// Where the problem of each point is, in the order in which points were taken.
    stored_of: Vec<u32>,
    settings: DragSettings,
}

impl Drag {
    /// Takes hold of points. Neighbours smooth what changes; none do where no adjacency is given.
    ///
    /// # Panics
    /// If a point or a joint is not there.
    pub fn begin(
        input: &DragInput<'_>,
        points: &[u32],
        adjacency: Option<&Adjacency>,
        settings: &DragSettings,
    ) -> Self {
        let least_hull = input.least_hull();
        let make = |&point: &u32| Problem::new(input, point, least_hull, settings);
        let mut problems: Vec<Problem> = if points.len() < MIN_PARALLEL_POINTS {
            points.iter().map(make).collect()
        } else {
            points.par_iter().map(make).collect()
        };
        let smoothing = adjacency.filter(|_| settings.smoothness > 0.0);
        let (links, stored_of) = match smoothing {
            Some(adjacency) => Links::of(&mut problems, adjacency),
            None => (Links::default(), (0..problems.len() as u32).collect()),
        };
        Self { problems, links, stored_of, settings: settings.clone() }
    }

    fn in_order(&self) -> impl ExactSizeIterator<Item = &Problem> {
        self.stored_of.iter().map(|&at| &self.problems[at as usize])
    }

    /// The points, in the order in which they were taken.
    pub fn points(&self) -> impl ExactSizeIterator<Item = u32> {
        self.in_order().map(|problem| problem.point)
    }

    /// Where they were, in the pose that is seen.
    pub fn starts(&self) -> Vec<DVec3> {
        self.in_order().map(|problem| problem.place_of(&problem.start)).collect()
    }

    /// Where they are now.
    pub fn reached(&self) -> Vec<DVec3> {
        self.in_order().map(|problem| problem.place_of(&problem.weights)).collect()
    }

    /// Brings every point as near to its goal as it can come.
    ///
    /// # Panics
    /// If there is not one goal a point.
    pub fn solve(&mut self, goals: &[DVec3]) {
        assert_eq!(goals.len(), self.problems.len(), "one goal a point");
        let Self { problems, links, stored_of, settings } = self;
        for (&at, &goal) in stored_of.iter().zip(goals) {
            problems[at as usize].aim(goal);
        }
        each(problems, &|at, problem, scratch| {
            problem.solve(settings, None, !links.has(at), scratch);
        });
        if !links.is_empty() {
            links.note(problems, 0..problems.len());
            for sweep in 1..=NUM_SWEEPS {
                for colour in 0..links.colours().len() {
                    let range = links.colours()[colour].clone();
                    let (linked, changes) = links.of_range(range.clone());
                    each(&mut problems[range.clone()], &|at, problem, scratch| {
                        let drawn = Drawn { linked: &linked[at], changes };
                        problem.solve(settings, Some(&drawn), sweep == NUM_SWEEPS, scratch);
                    });
                    links.note(problems, range);
                }
            }
        }
        if settings.rule == DragRule::Fewest {
            problems.par_iter_mut().for_each(Problem::change_fewest);
        }
    }

    /// The rows as they are now, of every point whose row is another than at the start.
    pub fn rows(&self, weights: &SkinWeights) -> Vec<PointRow> {
        let row = |problem: &Problem| -> Option<PointRow> {
            let before = weights.row(problem.point as usize);
            let row: Vec<Influence> = problem.row(before, &self.settings.rules);
            (row != before).then_some((problem.point, row))
        };
        self.in_order().filter_map(row).collect()
    }
}

/// Does something with every problem, on all threads where they are many.
fn each(problems: &mut [Problem], run: &(dyn Fn(usize, &mut Problem, &mut Scratch) + Sync)) {
    if problems.len() < MIN_PARALLEL_POINTS {
        let mut scratch = Scratch::default();
        problems.iter_mut().enumerate().for_each(|(at, problem)| run(at, problem, &mut scratch));
        return;
    }
    problems
        .par_iter_mut()
        .with_min_len(MIN_POINTS_A_TASK)
        .enumerate()
        .for_each_init(Scratch::default, |scratch, (at, problem)| run(at, problem, scratch));
}
