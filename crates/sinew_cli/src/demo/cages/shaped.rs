//! What is done to rest cages here: places and factors, in metres of the samples.

use glam::DVec3;
use sinew::cage::Cage;

/// Handles within a radius of a place go away from it, most of all those nearest to it.
#[derive(Clone, Copy)]
pub(super) struct Swell {
    pub(super) center: DVec3,
    pub(super) radius: f64,
    /// Along each axis, times the distance from the centre.
    pub(super) factors: DVec3,
}

/// The cage with some places swollen, one after the other.
pub(super) fn swollen(cage: &Cage, swells: &[Swell]) -> Vec<DVec3> {
    let mut points = cage.points().to_vec();
    for Swell { center, radius, factors } in swells {
        for point in &mut points {
            let arm = *point - *center;
            let left = 1.0 - (arm.length() / radius).powi(2);
            if left > 0.0 {
                // All of it in the inner half, none at the rim.
                let share = (2.0 * left).min(1.0);
                *point += share * (*factors - DVec3::ONE) * arm;
            }
        }
    }
    points
}

/// The cage with handles past a coordinate drawn out along its axis: both ways if it is `x`, which
/// is the mirror plane's.
pub(super) fn drawn_out(cage: &Cage, axis: usize, from: f64, factor: f64) -> Vec<DVec3> {
    let mut points = cage.points().to_vec();
    for point in &mut points {
        let along = point[axis];
        let side = if axis == 0 { along.signum() } else { from.signum() };
        let past = (along * side - from.abs()).max(0.0);
        point[axis] = along + side * (factor - 1.0) * past;
    }
    points
}
