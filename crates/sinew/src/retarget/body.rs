//! What a body measures at rest: its own directions, and its legs.

use glam::{DMat3, DQuat, DVec3};

use super::role::Role;
use crate::motion::Placed;
use crate::skeleton::Side;

/// A body at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Body {
    /// An axis of the file: bodies stand.
    pub(super) up: DVec3,
    /// To its own left, at a right angle to `up`.
    pub(super) left: DVec3,
    /// From the hip over the knee to the ankle; where there are no legs, the hips' height over the
    /// lowest joint.
    pub(super) leg_length: f64,
}

impl Body {
    pub(super) fn of(joint: impl Fn(Role) -> Option<u32>, rest: &Placed) -> Self {
        let place = |role| joint(role).map(|joint| rest.positions[joint as usize]);
        let sides = [Side::Left, Side::Right];
        let middle = |of: fn(Side) -> Role| {
            let found: Vec<DVec3> = sides.iter().filter_map(|&side| place(of(side))).collect();
            (found.len() == 2).then(|| 0.5 * (found[0] + found[1]))
        };
        let low = middle(Role::Foot).or_else(|| middle(Role::LowerLeg)).or(place(Role::Hips));
        let high = place(Role::Head).or(place(Role::Neck)).or_else(|| middle(Role::UpperArm));
        let upwards = match (low, high) {
            (Some(low), Some(high)) => high - low,
            _ => DVec3::Y,
        };
        let up = nearest_axis(upwards);
        let across = |of: fn(Side) -> Role| Some(place(of(Side::Left))? - place(of(Side::Right))?);
        let towards_left = across(Role::UpperLeg).or_else(|| across(Role::UpperArm));
        let flat = |v: DVec3| (v - up * v.dot(up)).try_normalize();
        let left = towards_left.and_then(flat).unwrap_or_else(|| up.any_orthonormal_vector());
        let leg = |side| {
            let hip = place(Role::UpperLeg(side))?;
            let knee = place(Role::LowerLeg(side))?;
            let ankle = place(Role::Foot(side))?;
            Some(hip.distance(knee) + knee.distance(ankle))
        };
        let legs: Vec<f64> = sides.iter().filter_map(|&side| leg(side)).collect();
        let lowest = rest.positions.iter().map(|p| p.dot(up)).fold(f64::INFINITY, f64::min);
        let height = place(Role::Hips).map_or(0.0, |hips| hips.dot(up) - lowest);
        let mean = legs.iter().sum::<f64>() / legs.len().max(1) as f64;
        let leg_length = if mean > 0.0 { mean } else { height };
        Self { up, left, leg_length: if leg_length > 0.0 { leg_length } else { 1.0 } }
    }

    /// From this body's directions to those of another.
    pub(super) fn turn_to(&self, other: &Self) -> DQuat {
        let frame = |body: &Self| {
            DMat3::from_cols(body.left, body.up, body.left.cross(body.up).normalize_or_zero())
        };
        DQuat::from_mat3(&(frame(other) * frame(self).transpose())).normalize()
    }
}

fn nearest_axis(v: DVec3) -> DVec3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    axes.into_iter().max_by(|a, b| a.dot(v).total_cmp(&b.dot(v))).unwrap_or(DVec3::Y)
}
