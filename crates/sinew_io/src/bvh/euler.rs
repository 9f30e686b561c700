//! Rotations as three angles about the axes, in any order.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use sinew::skeleton::nearest_turn;

/// Nearer to a lock than this, only the sum of first and last angle is known.
const LOCK: f64 = 1e-10;

pub(super) fn about(axis: usize, radians: f64) -> DQuat {
    let mut direction = DVec3::ZERO;
    direction[axis] = 1.0;
    DQuat::from_axis_angle(direction, radians)
}

/// The angles of `R_i · R_j · R_k`, radians, for the order `[i, j, k]` of three different axes: of
/// all that give this rotation the ones nearest to `near`, so that turns of a motion go on.
pub(super) fn angles(rotation: DQuat, [i, j, k]: [usize; 3], near: [f64; 3]) -> [f64; 3] {
    let matrix = DMat3::from_quat(rotation);
    let m = |row: usize, column: usize| matrix.col(column)[row];
    let sign = if (j + 3 - i) % 3 == 1 { 1.0 } else { -1.0 };
    let cosine = m(i, i).hypot(m(i, j));
    let second = (sign * m(i, k)).atan2(cosine);
    let found = if cosine > LOCK {
        [(-sign * m(j, k)).atan2(m(k, k)), second, (-sign * m(i, j)).atan2(m(i, i))]
    } else {
        // With the last angle as it was, the first has the rest.
        let without_last = DMat3::from_quat(rotation * about(k, -near[2]));
        let m = |row: usize, column: usize| without_last.col(column)[row];
        [(sign * m(k, j)).atan2(m(j, j)), second, near[2]]
    };
    let other = [found[0] + PI, PI - found[1], found[2] + PI];
    let wind = |angles: [f64; 3]| [0, 1, 2].map(|n| nearest_turn(angles[n], near[n]));
    let distance = |angles: &[f64; 3]| -> f64 { (0..3).map(|n| (angles[n] - near[n]).abs()).sum() };
    let (found, other) = (wind(found), wind(other));
    if distance(&other) < distance(&found) { other } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

    fn rotation([i, j, k]: [usize; 3], [a, b, c]: [f64; 3]) -> DQuat {
        about(i, a) * about(j, b) * about(k, c)
    }

    #[test]
    fn every_order_gives_back_the_rotation_at_locks_too() {
        let some = [-3.0, -PI / 2.0, -1.0, 0.0, 0.3, PI / 2.0, 2.0, PI];
        for order in ORDERS {
            for number in 0..some.len().pow(3) {
                let pick = |place: u32| some[number / some.len().pow(place) % some.len()];
                let wanted = rotation(order, [pick(0), pick(1), pick(2)]);
                let again = rotation(order, angles(wanted, order, [0.4, -0.2, 0.1]));
                assert!(wanted.dot(again).abs() > 1.0 - 1e-12, "{order:?} {number}");
            }
        }
    }

    #[test]
    fn angles_near_to_the_last_ones_are_found_through_turns() {
        for order in ORDERS {
            let mut near = [0.0; 3];
            for step in 0..400 {
                let t = f64::from(step) * 0.05;
                let wanted = [t, 1.2 * (0.3 * t).sin(), -0.7 * t];
                near = angles(rotation(order, wanted), order, near);
                let off = (0..3).map(|n| (near[n] - wanted[n]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-9, "{order:?} {step}: {near:?} {wanted:?}");
            }
        }
    }
}
