//! Where limbs end: wrists, ankles, a head. What one means who points at a thumb or at a shin.
//!
//! Names tell first: hands, feet and a head as they are called. Where they do not, lengths do. A
//! joint's *reach* is the length of the two bones above it. It ends a limb if its own is longer
//! than that of the joint above it and of those below it, and what hangs on it is short against it:
//! fingers on a wrist, toes on an ankle. A finger is no limb of its own.

use sinew::retarget::{Role, Roles};
use sinew::skeleton::{Side, Skeleton};

/// Names of more joints than any body has are not read: this is asked at every move of the hand.
const MOST_NAMED: usize = 4096;

/// What hangs on the end of a limb is shorter than this share of its reach: a fan of fingers, and
/// one thing alone, which might be the limb going on.
const MOST_FAN: f64 = 0.75;
const MOST_ALONE: f64 = 0.3;

/// So far above a joint the ends of limbs are looked for.
const MOST_LEVELS: usize = 64;

/// For each joint: true if a limb ends there, as the skeleton rests.
pub(super) fn limb_ends(skeleton: &Skeleton) -> Vec<bool> {
    named_ends(skeleton).unwrap_or_else(|| ends_by_length(skeleton))
}

/// Hands, feet and head by their names; `None` unless both hands or both feet have one.
fn named_ends(skeleton: &Skeleton) -> Option<Vec<bool>> {
    if skeleton.len() > MOST_NAMED {
        return None;
    }
    let roles = Roles::of_names(skeleton);
    let has_both =
        |role: fn(Side) -> Role| [Side::Left, Side::Right].map(role).map(|role| roles.joint(role));
    let is_body = [Role::Hand, Role::Foot].into_iter().any(|role| !has_both(role).contains(&None));
    is_body.then(|| {
        let mut is_end = vec![false; skeleton.len()];
        for (role, joint) in roles.iter() {
            is_end[joint as usize] = matches!(role, Role::Hand(_) | Role::Foot(_) | Role::Head);
        }
        is_end
    })
}

fn ends_by_length(skeleton: &Skeleton) -> Vec<bool> {
    let joints = skeleton.joints();
    let place = |joint: usize| skeleton.rest_model_from_joint()[joint].translation;
    let parent = |joint: usize| joints[joint].parent.map(|parent| parent as usize);
    let reach = |joint: usize| {
        let middle = parent(joint)?;
        let first = parent(middle)?;
        let (upper, lower) =
            (place(first).distance(place(middle)), place(middle).distance(place(joint)));
        (upper > 0.0 && lower > 0.0).then_some(upper + lower)
    };
    let reaches: Vec<Option<f64>> = (0..joints.len()).map(reach).collect();
    let mut is_end: Vec<bool> = (0..joints.len())
        .map(|joint| {
            let above = parent(joint).and_then(|parent| reaches[parent]).unwrap_or(0.0);
            reaches[joint].is_some_and(|reach| reach > above)
        })
        .collect();
    let mut num_children = vec![0; joints.len()];
    for above in (0..joints.len()).filter_map(parent) {
        num_children[above] += 1;
    }
    for joint in 0..joints.len() {
        let mut at = joint;
        let mut is_child = true;
        // No hand has as many joints below each other, and a million of them must not take long.
        for _ in 0..MOST_LEVELS {
            let Some(above) = parent(at) else { break };
            let reach = reaches[above].unwrap_or(0.0);
            let hangs = place(joint).distance(place(above));
            let reaches_farther = is_child && reaches[joint].is_some_and(|own| own >= reach);
            let most = if num_children[above] > 1 { MOST_FAN } else { MOST_ALONE };
            if hangs > most * reach || reaches_farther {
                is_end[above] = false;
            }
            is_child = false;
            at = above;
        }
    }
    // Parents come before their children: what is below an end is none.
    let mut is_below = vec![false; joints.len()];
    for joint in 0..joints.len() {
        is_below[joint] = parent(joint).is_some_and(|above| is_below[above] || is_end[above]);
        is_end[joint] &= !is_below[joint];
    }
    is_end
}

/// The end of the limb that a joint is at or below; `None` above every end.
pub(super) fn limb_end_above(skeleton: &Skeleton, ends: &[bool], joint: u32) -> Option<u32> {
    let mut at = Some(joint);
    while let Some(joint) = at {
        if ends[joint as usize] {
            return Some(joint);
        }
        at = skeleton.joints()[joint as usize].parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};

    use super::*;

    /// The name of the end that a joint belongs to.
    fn end_of<'a>(skeleton: &'a Skeleton, ends: &[bool], name: &str) -> Option<&'a str> {
        let end = limb_end_above(skeleton, ends, skeleton.find(name).unwrap())?;
        Some(skeleton.joints()[end as usize].name.as_str())
    }

    fn assert_hands_and_feet(skeleton: &Skeleton, ends: &[bool]) {
        let of = |name: &str| end_of(skeleton, ends, name);
        for side in ["l", "r"] {
            let (hand, foot) = (format!("hand_{side}"), format!("foot_{side}"));
            assert_eq!(of(&hand), Some(&*hand));
            assert_eq!(of(&foot), Some(&*foot));
            assert_eq!(of(&format!("toes_{side}")), Some(&*foot));
            assert_eq!(of(&format!("forearm_{side}")), None);
            assert_eq!(of(&format!("shin_{side}")), None);
        }
        for finger in skeleton.joints().iter().filter(|joint| joint.name.contains("thumb")) {
            assert!(of(&finger.name).is_some_and(|end| end.starts_with("hand_")), "{finger:?}");
        }
    }

    #[test]
    fn limbs_end_at_wrists_and_ankles_and_fingers_belong_to_the_hand() {
        let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let skeleton = &character.skeleton;
        assert_hands_and_feet(skeleton, &limb_ends(skeleton));
        assert_hands_and_feet(skeleton, &ends_by_length(skeleton));
    }

    #[test]
    fn eyes_and_hair_of_the_chibi_are_no_limbs() {
        let character = build(&SampleOptions::new(SampleKind::Chibi)).unwrap();
        let skeleton = &character.skeleton;
        let ends = limb_ends(skeleton);
        assert_hands_and_feet(skeleton, &ends);
        let names = skeleton.joints().iter().map(|joint| joint.name.as_str());
        let mut handles: Vec<&str> =
            names.zip(&ends).filter(|(_, is_end)| **is_end).map(|(name, _)| name).collect();
        handles.sort_unstable();
        assert_eq!(handles, ["foot_l", "foot_r", "hand_l", "hand_r", "head"]);
    }
}
