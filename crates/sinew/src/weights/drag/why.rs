//! Why a point does not come to its goal: how far it stays away, and which further joint would
//! bring it nearer.

use glam::DVec3;

use super::{Drag, DragInput, DragSettings, Hull};
use crate::weights::Influence;

/// A joint is worth naming if it takes this share of the distance away.
const WORTH_SHARE: f64 = 0.05;

/// A joint that a point has not, and how near it would come with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Further {
    /// The joint, by number.
    pub joint: u32,
    /// How far from the goal the point would be.
    pub distance: f64,
    /// How many influences it would have.
    pub num_influences: usize,
    /// A joint that would leave its row for it, by number, if one must.
    pub leaves: Option<u32>,
    /// How far it would be with one influence more than the budget, where that is nearer.
    pub over_budget: Option<f64>,
}

/// Why a point is not at its goal.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyNot {
    /// Where it can come to.
    pub hull: Hull,
    /// The nearest that it comes, within the budget.
    pub reached: DVec3,
    /// How far that is from the goal.
    pub distance: f64,
    /// Joints that would bring it nearer, within the budget, the best first.
    pub further: Vec<Further>,
}

/// Looks at all joints of the pose for one that would bring a point nearer to its goal.
///
/// # Panics
/// If the point is not there.
pub fn why_not(input: &DragInput<'_>, point: u32, goal: DVec3, settings: &DragSettings) -> WhyNot {
    let before = input.weights.row(point as usize);
    let reach = |further: &[u32], budget: usize| -> (DVec3, Vec<Influence>) {
        let mut settings = DragSettings { further: further.to_vec(), ..settings.clone() };
        settings.rules.max_influences = budget;
        let mut drag = Drag::begin(input, &[point], None, &settings);
        drag.solve(&[goal]);
        let row = drag.rows(input.weights).pop().map_or_else(|| before.to_vec(), |(_, row)| row);
        (drag.reached()[0], row)
    };
    let budget = settings.rules.max_influences;
    let (reached, own_row) = reach(&settings.further, budget);
    let distance = reached.distance(goal);
    let mut further = Vec::new();
    if distance > input.least_hull() {
        let own = input.joints(point, &settings.further);
        for joint in 0..input.model_from_rest.len() as u32 {
            if own.contains(&joint) || settings.rules.is_locked(joint) {
                continue;
            }
            let mut with = settings.further.clone();
            with.push(joint);
            let (place, row) = reach(&with, budget);
            let left = place.distance(goal);
            if left >= (1.0 - WORTH_SHARE) * distance {
                continue;
            }
            let is_gone = |i: &&Influence| row.iter().all(|other| other.joint != i.joint);
            let leaves = own_row.iter().find(is_gone).map(|i| i.joint);
            let over = reach(&with, budget + 1).0.distance(goal);
            let is_nearer = over < (1.0 - WORTH_SHARE) * left;
            let over_budget = is_nearer.then_some(over);
            let num_influences = row.len();
            further.push(Further { joint, distance: left, num_influences, leaves, over_budget });
        }
        further.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.joint.cmp(&b.joint)));
    }
    WhyNot { hull: input.hull(point, &settings.further), reached, distance, further }
}
