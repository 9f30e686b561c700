//! Why a point does not come to its goal: how far it stays away, and which further joint would
//! bring it nearer.

use glam::DVec3;

use super::{Drag, DragInput, DragSettings, Hull};

/// A joint is worth naming if it takes this share of the distance away.
const WORTH_SHARE: f64 = 0.05;

/// A joint that a point has not, and how near it would come with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Further {
    /// The joint, by number.
    pub joint: u32,
    /// How far from the goal the point would be.
    pub distance: f64,
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
    let reach = |further: &[u32]| -> DVec3 {
        let settings = DragSettings { further: further.to_vec(), ..settings.clone() };
        let mut drag = Drag::begin(input, &[point], None, &settings);
        drag.solve(&[goal]);
        drag.reached()[0]
    };
    let reached = reach(&settings.further);
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
            let left = reach(&with).distance(goal);
            if left < (1.0 - WORTH_SHARE) * distance {
                further.push(Further { joint, distance: left });
            }
        }
        further.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.joint.cmp(&b.joint)));
    }
    WhyNot { hull: input.hull(point, &settings.further), reached, distance, further }
}
