//! Influence sizes (poster): how far along its bones a joint's bend reaches, as a scale of what the
//! model gives it.
//!
//! A point takes the scale of the joint at its end of the bone, and in between evenly:
//! `lerp(f_head, f_tail, 3t² − 2t³)` with `t` its place along the bone, `f_head` the scale of the
//! bone's own joint and `f_tail` the mean of the joints that hang from it.

use super::{AttachInput, AttachSettings, Attachments};

/// The scale of each point.
pub(super) fn of_points(
    input: &AttachInput<'_>,
    attachments: &Attachments,
    settings: &AttachSettings,
) -> Vec<f64> {
    let joints = input.skeleton.joints();
    let [least, most] = [AttachSettings::INFLUENCES.start(), AttachSettings::INFLUENCES.end()]
        .map(|&x| f64::from(x));
    let mut at_head = vec![1.0; joints.len()];
    for &(joint, scale) in &settings.influence_of_joint {
        if let Some(at_head) = at_head.get_mut(joint as usize) {
            *at_head = f64::from(scale);
        }
    }
    let mut below = vec![(0.0, 0u32); joints.len()];
    for (joint, scale) in joints.iter().zip(&at_head) {
        if let Some(parent) = joint.parent {
            let (sum, count) = &mut below[parent as usize];
            *sum += scale;
            *count += 1;
        }
    }
    let at_tail = |joint: usize| match below[joint] {
        (_, 0) => 1.0,
        (sum, count) => sum / f64::from(count),
    };
    let scale = |joint: usize, along: f64| {
        let (head, tail) = (at_head[joint], at_tail(joint));
        let of_joints = head + (tail - head) * along * along * (3.0 - 2.0 * along);
        let scale = f64::from(settings.influence) * of_joints;
        // A number that is none is nobody's wish.
        if scale.is_nan() { 1.0 } else { scale.clamp(least, most) }
    };
    attachments.of_point().iter().map(|a| scale(a.joint as usize, a.along)).collect()
}
