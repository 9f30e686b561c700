//! A rotation as swing × twist: `R = swing · twist(axis, angle)`, the swing's axis at a right angle
//! to the bone.
//!
//! Matrices and quaternions lose turns: 360° of twist is the rest pose, and 179.9° → 180.1° flips.
//! So a pose keeps the twist as an angle, unwrapped, from file or gizmo to solver.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

/// Splits a rotation into the swing and the twist in (−π, π] about `axis` (a unit vector).
///
/// At a swing of exactly 180° every twist is equally right; it is then given as zero. A rotation of
/// any length will do; one of no length is no rotation.
pub fn swing_twist(rotation: DQuat, axis: DVec3) -> (DQuat, f64) {
    let along = rotation.xyz().dot(axis);
    let length = along.hypot(rotation.w);
    if length < 1e-12 {
        let is_zero = rotation.length_squared() < 1e-24;
        return (if is_zero { DQuat::IDENTITY } else { rotation.normalize() }, 0.0);
    }
    // q and −q are one rotation: take the half-angle from the hemisphere where w is positive.
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    let half = (sign * along).atan2(sign * rotation.w);
    let mut twist_radians = 2.0 * half;
    if twist_radians <= -PI {
        twist_radians += TAU;
    }
    let swing = rotation * DQuat::from_axis_angle(axis, -twist_radians);
    (swing.normalize(), twist_radians)
}

/// The angle that equals `radians` up to whole turns and lies nearest to `near`.
pub fn nearest_turn(radians: f64, near: f64) -> f64 {
    radians + ((near - radians) / TAU).round() * TAU
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit_vector() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64)
            .prop_filter_map("too short", |(x, y, z)| DVec3::new(x, y, z).try_normalize())
    }

    #[test]
    fn half_a_turn_of_swing_has_no_twist_and_no_rotation_has_neither() {
        let over = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        assert_eq!(swing_twist(over, DVec3::Y), (over, 0.0));
        let nothing = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert_eq!(swing_twist(nothing, DVec3::Y), (DQuat::IDENTITY, 0.0));
    }

    proptest! {
        #[test]
        fn swing_times_twist_is_the_rotation(
            axis in unit_vector(),
            bone in unit_vector(),
            angle in -3.1..3.1f64,
        ) {
            let rotation = DQuat::from_axis_angle(axis, angle);
            let (swing, twist) = swing_twist(rotation, bone);
            let back = swing * DQuat::from_axis_angle(bone, twist);
            prop_assert!(back.dot(rotation).abs() > 1.0 - 1e-12);
            prop_assert!(swing.xyz().dot(bone).abs() < 1e-9, "swing turns about the bone: {swing}");
        }

        #[test]
        fn the_nearest_turn_is_within_half_a_turn(angle in -20.0..20.0f64, near in -50.0..50.0f64) {
            let found = nearest_turn(angle, near);
            prop_assert!((found - near).abs() <= PI + 1e-12);
            let off = ((found - angle) / TAU).fract().abs();
            prop_assert!(!(1e-9..=1.0 - 1e-9).contains(&off));
        }
    }
}
