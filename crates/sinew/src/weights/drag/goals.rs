//! Goals of many points at once: moved, turned or scaled together, the more the nearer they are to
//! what is held.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DQuat, DVec3, Vec3};

use crate::mesh::Adjacency;

/// What a hand does to points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DragMotion {
    /// Moves the points.
    Translate(DVec3),
    /// Brings them nearer to a place, or further from it.
    Scale {
        /// The place that stays.
        about: DVec3,
        /// Times, along each axis.
        factors: DVec3,
    },
    /// Turns the points.
    Rotate {
        /// A place on the axis.
        about: DVec3,
        /// Of unit length.
        axis: DVec3,
        /// The angle.
        radians: f64,
    },
}

impl DragMotion {
    /// Where a share of the motion takes a place.
    pub fn goal(&self, start: DVec3, share: f64) -> DVec3 {
        match *self {
            Self::Translate(by) => start + share * by,
            Self::Scale { about, factors } => {
                about + (start - about) * (DVec3::ONE + share * (factors - DVec3::ONE))
            }
            Self::Rotate { about, axis, radians } => {
                about + DQuat::from_axis_angle(axis, share * radians) * (start - about)
            }
        }
    }
}

/// Points within a distance of others, along the edges, with how much of a motion they follow:
/// one at the others, nothing at the distance, smooth between. The others alone where the distance
/// is nothing. In the order of their numbers.
///
/// # Panics
/// If a point is not there.
pub fn soft_selection(
    points: &[Vec3],
    adjacency: &Adjacency,
    held: &[u32],
    radius: f64,
) -> Vec<(u32, f64)> {
    let mut distance = vec![f64::INFINITY; points.len()];
    // Distances are not negative, so that their bits are in order.
    let mut queue = BinaryHeap::new();
    for &point in held {
        distance[point as usize] = 0.0;
        queue.push(Reverse((0u64, point)));
    }
    while let Some(Reverse((bits, point))) = queue.pop() {
        let so_far = f64::from_bits(bits);
        if so_far > distance[point as usize] {
            continue;
        }
        for &next in adjacency.ring(point as usize) {
            let step = f64::from(points[point as usize].distance(points[next as usize]));
            let length = so_far + step;
            if length < radius && length < distance[next as usize] {
                distance[next as usize] = length;
                queue.push(Reverse((length.to_bits(), next)));
            }
        }
    }
    let share = |distance: f64| {
        let t = if radius > 0.0 { 1.0 - distance / radius } else { 1.0 };
        t * t * (3.0 - 2.0 * t)
    };
    (0u32..)
        .zip(&distance)
        .filter(|(_, distance)| distance.is_finite())
        .map(|(point, &distance)| (point, share(distance)))
        .collect()
}
