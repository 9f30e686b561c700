//! A half-way helper at a joint: where linear blending folds a bend of 120°, two of 60° hardly do.

use super::RiggingError;
use super::limb::{Limb, check_joint};
use super::twist::chain_of;
use crate::Character;
use crate::driver::{Drive, Driver, Share, TurnLimits};
use crate::skeleton::Joint;
use crate::weights::SkinWeights;

/// Of a helper's bone, over the joint's.
const HELPER_LENGTH: f64 = 0.05;

/// Adds a helper at a joint that turns half as far, and moves to it the weights of the points that
/// the limbs on both sides share: those half-way between the two are the helper's alone.
///
/// # Errors
/// If there is no such joint, it has no parent, it has a helper already, or no point is moved by
/// both sides.
pub fn add_half_way(character: &Character, joint: u32) -> Result<Character, RiggingError> {
    check_joint(character, joint)?;
    let skeleton = &character.skeleton;
    let of = &skeleton.joints()[joint as usize];
    let fault = |fault| RiggingError::Joint { joint: of.name.clone(), fault };
    let Some(parent) = of.parent else {
        return Err(fault("it has no parent to be half-way from; choose a joint further out"));
    };
    if has_half_way(character, joint) {
        return Err(fault("it has a half-way helper already; undo that first"));
    }
    let has_chain = chain_of(character, joint).next().is_some();
    let mut out = character.clone();
    let helper = skeleton.len() as u32;
    let name = character.free_joint_name(&format!("{}_half", of.name));
    let added = Joint {
        name: name.clone(),
        parent: Some(parent),
        rest: of.rest,
        // Short: half-way through a bend it points out of the flesh, and skin that looks for a bone
        // to hold on to must not find it there.
        tail_in_joint: of.tail_in_joint * HELPER_LENGTH,
    };
    let from_model = skeleton.joint_from_model()[joint as usize];
    out.skeleton = skeleton.with_more([(added, from_model)])?;
    let mut above = Limb::of(skeleton, parent).movers(skeleton);
    above.retain(|&mover| mover != joint);
    let below = Limb::of(skeleton, joint).movers(skeleton);
    if !move_weights(&mut out, (&above, &below), helper) {
        return Err(fault("no point is moved by it and by its parent; give them weights first"));
    }
    // A chain begins without a twist.
    let twist = (!has_chain).then_some(0.5);
    let of = vec![Share { joint, swing: Some(0.5), twist }];
    let drive = Drive::Share { joint: helper, of, limits: TurnLimits::default() };
    let name = out.drivers.free_name(&name);
    out.drivers.list.push(Driver::new(name, drive));
    crate::driver::DriverPlan::new(&out)?;
    Ok(out)
}

fn has_half_way(character: &Character, joint: u32) -> bool {
    let joints = character.skeleton.joints();
    character.drivers.list.iter().any(|driver| match &driver.drive {
        Drive::Share { joint: helper, of, .. } => {
            let (helper, of_joint) = (&joints[*helper as usize], &joints[joint as usize]);
            helper.parent == of_joint.parent
                && helper.rest == of_joint.rest
                && of.iter().any(|share| share.joint == joint && share.swing == Some(0.5))
        }
        _ => false,
    })
}

/// Of a point that both sides move, twice the smaller share goes to the helper; false if there is
/// none.
fn move_weights(character: &mut Character, (above, below): (&[u32], &[u32]), helper: u32) -> bool {
    let num_joints = character.skeleton.len();
    let mut is_any = false;
    for part in &mut character.parts {
        let Some(weights) = &part.weights else { continue };
        let sum_of = |point: usize, side: &[u32]| -> f32 {
            let row = weights.row(point).iter();
            row.filter(|i| side.contains(&i.joint)).map(|i| i.weight).sum()
        };
        let row_at = |point: usize| {
            let sums = [above, below].map(|side| sum_of(point, side));
            let moved = sums[0].min(sums[1]);
            let row = weights.row(point).iter().map(|influence| {
                let side = [above, below].iter().position(|s| s.contains(&influence.joint));
                let kept = side.map_or(1.0, |side| 1.0 - moved / sums[side].max(f32::MIN_POSITIVE));
                (influence.joint, influence.weight * kept.max(0.0))
            });
            let mut new: Vec<(u32, f32)> = row.filter(|(_, weight)| *weight > 0.0).collect();
            if moved > 0.0 {
                new.push((helper, 2.0 * moved));
            }
            new
        };
        let num_points = weights.num_points();
        let is_shared = |point: usize| sum_of(point, above) > 0.0 && sum_of(point, below) > 0.0;
        if (0..num_points).any(is_shared) {
            is_any = true;
            let (moved, _) = SkinWeights::from_rows_at(num_points, row_at, num_joints);
            part.weights = Some(moved);
        }
    }
    is_any
}
