//! How much two places are meant to move together, by their weights.

use super::ShellInput;

/// `Σ min(w_p, w_q)` of a point's row and the blend of a triangle's; and what the point has around
/// a joint of the triangle instead of on it.
///
/// A breastplate goes with the chest alone. The cloth below it may have the waist and both
/// collarbones for weights, and none of the chest: it moves with what lies in between, and that is
/// the chest. So the joints of the point that are not `j` are sorted by the way that leads to them
/// from `j`: up, or down through one of its children. What is not on the main way counts twice, up
/// to what the triangle has of `j` beyond the point. A thigh below a plate of the hips has one way
/// alone, and is not tied by this.
pub(super) fn overlap(
    input: &ShellInput<'_>,
    point: u32,
    corners: [u32; 3],
    shares: [f64; 3],
) -> f64 {
    let row = input.weights.row(point as usize);
    let here = |joint: u32| -> f64 {
        let found = row.iter().filter(|influence| influence.joint == joint);
        found.map(|influence| f64::from(influence.weight)).sum()
    };
    let there = |joint: u32| -> f64 {
        let of_corner = |(&corner, share): (&u32, f64)| {
            let row = input.weights.row(corner as usize).iter();
            let found = row.filter(|influence| influence.joint == joint);
            found.map(|influence| share * f64::from(influence.weight)).sum::<f64>()
        };
        corners.iter().zip(shares).map(of_corner).sum()
    };
    let mut sum: f64 = row.iter().map(|i| f64::from(i.weight).min(there(i.joint))).sum();
    for (index, &corner) in corners.iter().enumerate() {
        let before = &corners[..index];
        for influence in input.weights.row(corner as usize) {
            let joint = influence.joint;
            let is_known = |&corner: &u32| {
                input.weights.row(corner as usize).iter().any(|other| other.joint == joint)
            };
            let missing = there(joint) - here(joint);
            if missing > 0.0 && !before.iter().any(is_known) {
                sum += around(input, point, joint).min(missing);
            }
        }
    }
    sum.min(1.0)
}

/// Twice what a point has of joints that are not on the main way from this one.
fn around(input: &ShellInput<'_>, point: u32, joint: u32) -> f64 {
    let row = input.weights.row(point as usize);
    let others = || row.iter().filter(|influence| influence.joint != joint);
    let on_way = |way: Option<u32>| -> f64 {
        let found = others().filter(|influence| way_to(input, joint, influence.joint) == way);
        found.map(|influence| f64::from(influence.weight)).sum()
    };
    let all: f64 = others().map(|influence| f64::from(influence.weight)).sum();
    let main = others().map(|influence| on_way(way_to(input, joint, influence.joint)));
    2.0 * (all - main.fold(0.0, f64::max)).max(0.0)
}

/// The child through which a joint's descendant is reached; `None` for what is not below it.
fn way_to(input: &ShellInput<'_>, from: u32, to: u32) -> Option<u32> {
    let (mut child, mut at) = (to, to);
    while at != from {
        child = at;
        at = input.parents[at as usize]?;
    }
    Some(child)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attach::shells::Pieces;
    use crate::weights::SkinWeights;

    /// Hips, waist, chest, two collarbones, an arm: the overlap of a row with a plate of `joint`.
    fn with_plate(row: &[(u32, f32)], joint: u32) -> f64 {
        let rows = vec![row.to_vec(), vec![(joint, 1.0)], vec![(joint, 1.0)], vec![(joint, 1.0)]];
        let weights = SkinWeights::from_rows(rows, 6).0;
        let parents = [None, Some(0), Some(1), Some(2), Some(2), Some(3)];
        let input = ShellInput {
            points: &[],
            triangles: &[],
            weights: &weights,
            parents: &parents,
            strength: 1.0,
            pieces: Pieces::default(),
        };
        overlap(&input, 0, [1, 2, 3], [0.5, 0.25, 0.25])
    }

    #[test]
    fn what_lies_around_a_joint_moves_with_it() {
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-6;
        assert!(close(with_plate(&[(2, 1.0)], 2), 1.0));
        assert!(close(with_plate(&[(1, 0.4), (3, 0.6)], 2), 0.8), "waist and collarbone");
        assert!(close(with_plate(&[(1, 0.2), (3, 0.5), (4, 0.3)], 2), 1.0), "and both");
        assert!(close(with_plate(&[(2, 0.5), (1, 0.2), (3, 0.3)], 2), 0.9));
    }

    #[test]
    fn what_lies_to_one_side_of_a_joint_does_not() {
        assert_eq!(with_plate(&[(3, 1.0)], 2), 0.0);
        assert_eq!(with_plate(&[(3, 0.5), (5, 0.5)], 2), 0.0, "an arm beside a breastplate");
        assert_eq!(with_plate(&[(0, 0.5), (1, 0.5)], 2), 0.0);
        assert!((with_plate(&[(0, 0.3), (1, 0.7)], 0) - 0.3).abs() < 1e-6);
    }
}
