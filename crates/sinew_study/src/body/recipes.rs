//! How a body takes each pose. Directions are `(out, up, front)` of its own frame.

use super::Body;
use super::Side::{Left, Right};

pub(super) fn squat(body: &mut Body<'_>) {
    crouch(body);
    for side in [Left, Right] {
        if body.rig.is_stubby {
            body.arm(side, (0.60, 0.25, 0.75), (0.20, 0.40, 0.90));
        } else {
            body.shrug(side, 12.0);
            body.arm(side, (0.80, 0.90, 0.20), (0.05, 0.97, 0.22));
        }
    }
}

pub(super) fn deepest_squat(body: &mut Body<'_>) {
    body.spine(35.0, 0.0, 0.0);
    for side in [Left, Right] {
        body.leg(side, (0.42, 0.12, 0.90), (0.02, -0.86, -0.51));
        body.flat_foot(side);
        body.shrug(side, 20.0);
        body.arm(side, (0.30, 0.90, 0.30), (0.05, 0.97, 0.22));
    }
}

pub(super) fn squat_arms_forward(body: &mut Body<'_>) {
    crouch(body);
    for side in [Left, Right] {
        body.arm(side, (0.30, 0.10, 0.95), (-0.10, 0.35, 0.93));
    }
}

fn crouch(body: &mut Body<'_>) {
    body.spine(35.0, 0.0, 0.0);
    for side in [Left, Right] {
        if body.rig.is_stubby {
            body.leg(side, (0.40, -0.35, 0.85), (0.05, -0.93, -0.35));
        } else {
            body.leg(side, (0.42, 0.12, 0.90), (0.02, -0.86, -0.51));
        }
        body.flat_foot(side);
    }
}

pub(super) fn arms_crossed(body: &mut Body<'_>) {
    body.spine(8.0, 0.0, 10.0);
    for (side, raise) in [(Left, 0.05), (Right, 0.30)] {
        body.arm(side, (0.10, -0.55 + raise, 0.80), (-0.92, 0.15 + raise, 0.30));
        body.twist_hand(side, 80.0);
    }
    body.leg(Left, (0.10, -1.0, 0.05), (0.0, -1.0, -0.05));
}

pub(super) fn high_kick(body: &mut Body<'_>) {
    if body.rig.is_stubby {
        kick(body, (0.12, 0.10, 0.95), (0.10, 0.30, 0.90));
    } else {
        kick(body, (0.12, 0.40, 0.68), (0.10, 0.80, 0.58));
    }
}

pub(super) fn highest_kick(body: &mut Body<'_>) {
    kick(body, (0.12, 0.72, 0.68), (0.10, 0.80, 0.58));
}

fn kick(body: &mut Body<'_>, thigh: (f64, f64, f64), shin: (f64, f64, f64)) {
    body.spine(-12.0, -12.0, 25.0);
    body.leg(Left, thigh, shin);
    body.leg(Right, (0.10, -0.98, 0.05), (0.05, -0.97, -0.22));
    body.arm(Left, (0.85, -0.10, -0.50), (0.70, 0.55, 0.30));
    body.arm(Right, (0.25, -0.25, 0.93), (-0.35, 0.75, 0.55));
    body.twist_hand(Right, -60.0);
}

pub(super) fn arms_up(body: &mut Body<'_>) {
    body.spine(-10.0, 0.0, 0.0);
    for (side, fore) in [(Left, (-0.10, 0.99, 0.0)), (Right, (-0.75, 0.15, -0.65))] {
        if body.rig.is_stubby {
            body.arm(side, (0.90, 0.45, 0.10), (0.85, 0.55, 0.0));
        } else {
            body.shrug(side, 20.0);
            body.arm(side, (0.85, 0.98, 0.10), fore);
        }
        body.twist_hand(side, 90.0);
    }
}

pub(super) fn arms_overhead(body: &mut Body<'_>) {
    body.spine(-10.0, 0.0, 0.0);
    for (side, fore) in [(Left, (-0.10, 0.99, 0.0)), (Right, (-0.75, 0.15, -0.65))] {
        body.shrug(side, 28.0);
        body.arm(side, (0.15, 0.98, -0.05), fore);
        body.twist_hand(side, 90.0);
    }
}

pub(super) fn run(body: &mut Body<'_>) {
    body.spine(18.0, 0.0, 25.0);
    body.leg(Left, (0.05, -0.10, 0.99), (0.0, -0.80, -0.60));
    body.leg(Right, (0.05, -0.82, -0.57), (0.0, -0.10, -0.99));
    body.arm(Left, (0.25, -0.55, -0.80), (0.10, -0.55, 0.83));
    body.arm(Right, (0.15, -0.75, 0.65), (-0.20, 0.70, 0.69));
}

pub(super) fn reach(body: &mut Body<'_>) {
    body.spine(15.0, 18.0, 40.0);
    body.shrug(Right, 25.0);
    body.arm(Right, (0.30, 0.40, 0.87), (0.05, 0.60, 0.80));
    body.twist_hand(Right, 70.0);
    body.arm(Left, (-0.15, -0.75, 0.65), (-0.75, -0.20, 0.63));
    body.twist_hand(Left, -60.0);
    body.leg(Left, (0.20, -0.80, 0.55), (0.05, -0.96, -0.25));
    body.flat_foot(Left);
}

/// Upper arms straight out, forearms folded back to the front by 140°.
pub(super) fn elbow_140(body: &mut Body<'_>) {
    let (sine, cosine) = 140f64.to_radians().sin_cos();
    for side in [Left, Right] {
        body.arm(side, (1.0, 0.0, 0.0), (cosine, 0.0, sine));
    }
}

/// The spine and both hands turned, arms half out.
pub(super) fn twist(body: &mut Body<'_>) {
    body.spine(0.0, 0.0, 60.0);
    for side in [Left, Right] {
        body.twist_hand(side, 120.0);
    }
}

pub(super) fn rear(body: &mut Body<'_>) {
    body.spine(-30.0, 0.0, 0.0);
    for (side, lift) in [(Left, 0.1), (Right, -0.15)] {
        body.arm(side, (0.05, -0.2 + lift, 0.97), (0.0, -0.85, 0.45));
    }
}

pub(super) fn animal_crouch(body: &mut Body<'_>) {
    for side in [Left, Right] {
        body.arm(side, (0.05, -0.55, -0.80), (0.0, -0.45, 0.90));
        body.leg(side, (0.05, -0.55, -0.80), (0.0, -0.45, 0.90));
    }
}

pub(super) fn lift_foot(body: &mut Body<'_>) {
    let (sine, cosine) = 140f64.to_radians().sin_cos();
    // From straight ahead, folded back below.
    body.arm(Left, (0.0, 0.0, 1.0), (0.0, -sine, cosine));
}

pub(super) fn gallop(body: &mut Body<'_>) {
    body.spine(8.0, 0.0, 0.0);
    body.arm(Left, (0.0, -0.35, 0.93), (0.0, -0.60, 0.80));
    body.arm(Right, (0.0, -0.75, 0.65), (0.0, -0.80, -0.60));
    body.leg(Left, (0.0, -0.60, -0.80), (0.0, -0.40, -0.90));
    body.leg(Right, (0.0, -0.90, -0.40), (0.0, -0.50, -0.85));
}

pub(super) fn animal_twist(body: &mut Body<'_>) {
    body.spine(0.0, 0.0, 50.0);
    for side in [Left, Right] {
        body.carry_ends(side);
    }
}

pub(super) fn walker_crouch(body: &mut Body<'_>) {
    for side in [Left, Right] {
        body.leg(side, (0.10, -0.30, 0.95), (0.0, -0.75, -0.65));
    }
}

pub(super) fn walker_run(body: &mut Body<'_>) {
    body.leg(Left, (0.0, -0.45, 0.90), (0.0, -0.90, -0.40));
    body.leg(Right, (0.0, -0.85, -0.50), (0.0, -0.40, -0.90));
}

pub(super) fn walker_twist(body: &mut Body<'_>) {
    body.spine(0.0, 0.0, 60.0);
}
