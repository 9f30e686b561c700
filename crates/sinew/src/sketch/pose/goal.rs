//! A chain with both ends held: where its points are if the last one is to be at a goal.
//!
//! FABRIK (Aristidou and Lasenby 2011): from the goal back and from the root forth, every point is
//! pulled to its bone's length from the one before, until the last one is there.

use glam::DVec3;

/// Rounds; a chain that is nearly straight at its goal takes the most.
const ROUNDS: usize = 200;
/// The last point is at its goal within this share of the chain's length: less than a pixel.
const THERE: f64 = 1e-5;
/// A straight chain may bend any way: it is bent this much, over its length, to the side given.
const NUDGE: f64 = 0.02;

/// The points of a chain whose first stays and whose last comes to `goal`, or as near as it
/// reaches. They bend the way that they are bent in `points`, and to `side` if they are not.
pub(super) fn reach(points: &[DVec3], goal: DVec3, side: DVec3) -> Vec<DVec3> {
    let lengths: Vec<f64> = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let total: f64 = lengths.iter().sum();
    let (root, last) = (points[0], points.len() - 1);
    let turn = glam::DQuat::from_rotation_arc(
        (points[last] - root).normalize_or(DVec3::Y),
        (goal - root).normalize_or((points[last] - root).normalize_or(DVec3::Y)),
    );
    let mut placed: Vec<DVec3> = points.iter().map(|&at| root + turn * (at - root)).collect();
    for (index, at) in placed.iter_mut().enumerate() {
        let along = std::f64::consts::PI * index as f64 / last as f64;
        *at += NUDGE * total * along.sin() * side;
    }
    for _ in 0..ROUNDS {
        placed[last] = goal;
        for index in (0..last).rev() {
            placed[index] = pulled(placed[index], placed[index + 1], lengths[index]);
        }
        placed[0] = root;
        for index in 0..last {
            placed[index + 1] = pulled(placed[index + 1], placed[index], lengths[index]);
        }
        if placed[last].distance(goal) <= THERE * total {
            break;
        }
    }
    placed
}

/// A point brought to a distance from another.
fn pulled(at: DVec3, to: DVec3, length: f64) -> DVec3 {
    to + length * (at - to).normalize_or(DVec3::Y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_point_reaches_its_goal_and_bones_keep_their_lengths() {
        let points: Vec<DVec3> = (0..4).map(|index| DVec3::Y * f64::from(index)).collect();
        for goal in [DVec3::X, DVec3::new(1.0, 2.0, 0.3), DVec3::NEG_Y * 2.9, DVec3::X * 9.0] {
            let placed = reach(&points, goal, DVec3::X);
            let wanted = goal.clamp_length_max(3.0);
            // A goal out of reach is neared, and never quite.
            let near = if goal == wanted { 1e-4 } else { 1e-2 };
            assert!(placed[3].distance(wanted) < near, "{} {goal}", placed[3]);
            for pair in placed.windows(2) {
                assert!((pair[0].distance(pair[1]) - 1.0).abs() < 1e-9);
            }
        }
    }
}
