//! Twist joints along a limb.

use glam::{DAffine3, DVec3};

use super::RiggingError;
use super::limb::{Limb, check_joint};
use crate::Character;
use crate::driver::{Drive, Driver, Share, TurnLimits};
use crate::skeleton::{Joint, JointTransform, Skeleton};
use crate::weights::SkinWeights;

/// More joints on one limb than anyone can use.
pub const MAX_TWIST_JOINTS: usize = 16;

/// The joint at a limb's end twists the limb if its bone lies this nearly along it (a hand, not a
/// foot): the cosine.
const TWISTS_LIMB: f64 = 0.8;

/// Adds twist joints along the limb of a joint, from its head to where the next joint begins, and
/// splits the limb's weights among them. Each takes a share of the joint's own twist and of the
/// next one's, so that the skin turns evenly from one end to the other.
///
/// # Errors
/// If there is no such joint, its limb has no length, or no point is moved by it.
pub fn add_twist_joints(
    character: &Character,
    joint: u32,
    count: usize,
) -> Result<Character, RiggingError> {
    check_joint(character, joint)?;
    let skeleton = &character.skeleton;
    let name = skeleton.joints()[joint as usize].name.clone();
    let fault = |fault| RiggingError::Joint { joint: name.clone(), fault };
    if !(2..=MAX_TWIST_JOINTS).contains(&count) {
        return Err(fault("twist joints come in numbers from 2 to 16"));
    }
    let limb = Limb::of(skeleton, joint);
    if limb.end_in_joint.length() <= 0.0 {
        return Err(fault(
            "its bone has no length, so that there is nothing to spread a twist over",
        ));
    }
    if chain_of(character, joint).next().is_some() {
        return Err(fault("it has twist joints already; undo those first"));
    }
    let twister = limb.next.filter(|&next| {
        let of = &skeleton.joints()[next as usize];
        let axis = of.rest.rotation * of.bone_axis();
        axis.dot(limb.end_in_joint.normalize_or_zero()) > TWISTS_LIMB
    });
    // Where nothing twists the far end, the joint itself is the last of the chain.
    let last = if twister.is_some() { count - 1 } else { count };
    let shares: Vec<f64> = (0..count).map(|index| index as f64 / last as f64).collect();

    let mut out = character.clone();
    let first = skeleton.len() as u32;
    let added = shares.iter().enumerate().map(|(index, &share)| {
        let name = out.free_joint_name(&format!("{name}_twist_{}", index + 1));
        twist_joint(skeleton, &limb, name, share, count)
    });
    out.skeleton = skeleton.with_more(added.collect::<Vec<_>>())?;
    let movers = limb.movers(skeleton);
    let mut knots: Vec<(f64, u32)> = (first..).zip(&shares).map(|(j, &share)| (share, j)).collect();
    if twister.is_none() {
        knots.push((1.0, joint));
    }
    if !split_weights(&mut out, &limb, &movers, &knots) {
        return Err(fault("no point of any mesh is moved by it; give it weights first"));
    }
    for (joint_of_chain, &share) in (first..).zip(&shares) {
        let of_own = Share { joint, swing: None, twist: Some(share - 1.0) };
        let of_next = twister.map(|next| Share { joint: next, swing: None, twist: Some(share) });
        let of: Vec<Share> = [Some(of_own), of_next]
            .into_iter()
            .flatten()
            .filter(|s| s.twist != Some(0.0))
            .collect();
        let wanted = out.skeleton.joints()[joint_of_chain as usize].name.clone();
        let name = out.drivers.free_name(&wanted);
        let limits = TurnLimits::default();
        let drive = Drive::Share { joint: joint_of_chain, of, limits };
        out.drivers.list.push(Driver::new(name, drive));
    }
    // The chain begins without a twist: a half-way helper must not have half of it.
    for driver in &mut out.drivers.list {
        if let Drive::Share { joint: helper, of, .. } = &mut driver.drive
            && out.skeleton.joints()[*helper as usize].parent != Some(joint)
        {
            let halves = of.iter_mut().filter(|share| share.joint == joint);
            halves.filter(|share| share.swing.is_some()).for_each(|share| share.twist = None);
        }
    }
    crate::driver::DriverPlan::new(&out)?;
    Ok(out)
}

/// The twist joints of a joint's limb: those on it that take back a part of its twist.
pub(super) fn chain_of(character: &Character, joint: u32) -> impl Iterator<Item = u32> + '_ {
    character.drivers.list.iter().filter_map(move |driver| match &driver.drive {
        Drive::Share { joint: helper, of, .. } => {
            let is_child = character.skeleton.joints().get(*helper as usize)?.parent == Some(joint);
            let takes_back =
                of.iter().any(|share| share.joint == joint && share.twist.is_some_and(|t| t < 0.0));
            (is_child && takes_back).then_some(*helper)
        }
        _ => None,
    })
}

fn twist_joint(
    skeleton: &Skeleton,
    limb: &Limb,
    name: String,
    share: f64,
    count: usize,
) -> (Joint, DAffine3) {
    let place = limb.end_in_joint * share;
    let joint = Joint {
        name,
        parent: Some(limb.joint),
        rest: JointTransform { translation: place, ..JointTransform::IDENTITY },
        tail_in_joint: limb.end_in_joint / count as f64,
    };
    let joint_from_parent = DAffine3::from_translation(-place);
    (joint, joint_from_parent * skeleton.joint_from_model()[limb.joint as usize])
}

/// Gives the weights of the limb's movers to the knots next to each point; false if there are none.
fn split_weights(
    character: &mut Character,
    limb: &Limb,
    movers: &[u32],
    knots: &[(f64, u32)],
) -> bool {
    let num_joints = character.skeleton.len();
    let mut is_any = false;
    for part in &mut character.parts {
        let Some(weights) = &part.weights else { continue };
        let points = part.mesh.points();
        let row_at = |point: usize| {
            let row = weights.row(point);
            let moved: f32 =
                row.iter().filter(|i| movers.contains(&i.joint)).map(|i| i.weight).sum();
            let kept = row.iter().filter(|i| !movers.contains(&i.joint));
            let mut new: Vec<(u32, f32)> = kept.map(|i| (i.joint, i.weight)).collect();
            if moved > 0.0 {
                let share = limb.share_at(DVec3::from(points[point]));
                new.extend(between(knots, share).map(|(joint, part)| (joint, moved * part)));
            }
            new
        };
        let is_moved = |row: &[crate::weights::Influence]| {
            row.iter().any(|influence| movers.contains(&influence.joint))
        };
        if weights.rows().any(is_moved) {
            is_any = true;
            let (split, _) = SkinWeights::from_rows_at(points.len(), row_at, num_joints);
            part.weights = Some(split);
        }
    }
    is_any
}

/// The two knots around a place, and how much of each; one where it is at a knot or past the ends.
fn between(knots: &[(f64, u32)], share: f64) -> impl Iterator<Item = (u32, f32)> + use<> {
    let after = knots.partition_point(|(knot, _)| *knot <= share).min(knots.len() - 1);
    let before = after.saturating_sub(1);
    let ((from, first), (to, second)) = (knots[before], knots[after]);
    let part = if to > from { ((share - from) / (to - from)).clamp(0.0, 1.0) as f32 } else { 1.0 };
    [(first, 1.0 - part), (second, part)].into_iter().filter(|(_, part)| *part > 0.0)
}
