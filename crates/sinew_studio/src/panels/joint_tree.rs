//! Joints in the order of a tree: every child below its parent, branches that can be folded.

use std::collections::BTreeSet;

use sinew::skeleton::Skeleton;

/// A line of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) joint: u32,
    pub(super) depth: u32,
    pub(super) has_children: bool,
}

/// The lines that are seen, with the branches below some joints folded.
pub(super) fn rows(skeleton: &Skeleton, folded: &BTreeSet<u32>) -> Vec<Row> {
    let joints = skeleton.joints();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); joints.len()];
    let mut open: Vec<(u32, u32)> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        match joint.parent {
            Some(parent) => children[parent as usize].push(index as u32),
            None => open.push((index as u32, 0)),
        }
    }
    // The last in the list is the next line.
    open.reverse();
    let mut rows = Vec::with_capacity(joints.len());
    while let Some((joint, depth)) = open.pop() {
        let below = &children[joint as usize];
        rows.push(Row { joint, depth, has_children: !below.is_empty() });
        if !folded.contains(&joint) {
            open.extend(below.iter().rev().map(|&child| (child, depth + 1)));
        }
    }
    rows
}

/// Opens every branch that a joint is in.
pub(super) fn unfold_above(skeleton: &Skeleton, folded: &mut BTreeSet<u32>, joint: u32) {
    let mut at = skeleton.joints().get(joint as usize).and_then(|joint| joint.parent);
    while let Some(parent) = at {
        folded.remove(&parent);
        at = skeleton.joints()[parent as usize].parent;
    }
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};

    use super::*;

    #[test]
    fn every_joint_stands_below_its_parent_and_beside_its_siblings() {
        let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let skeleton = &character.skeleton;
        let all = rows(skeleton, &BTreeSet::new());
        assert_eq!(all.len(), skeleton.len());
        for (line, row) in all.iter().enumerate() {
            let parent = skeleton.joints()[row.joint as usize].parent;
            // The nearest line above that is not as deep is the parent's.
            let above = all[..line].iter().rev().find(|above| above.depth < row.depth);
            assert_eq!(above.map(|above| above.joint), parent);
        }
        // What README's picture once showed: an eye under the toes.
        let line = |name: &str| {
            let joint = skeleton.find(name).unwrap();
            all.iter().position(|row| row.joint == joint).unwrap()
        };
        assert!(line("head") < line("eye_r") && line("eye_r") < line("thigh_l"));
    }

    #[test]
    fn a_folded_branch_hides_all_below_it_and_opens_for_what_is_chosen() {
        let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let skeleton = &character.skeleton;
        let (hand, forearm) =
            (skeleton.find("hand_l").unwrap(), skeleton.find("forearm_l").unwrap());
        let mut folded = BTreeSet::from([forearm, 0]);
        assert_eq!(rows(skeleton, &folded).len(), 1);
        unfold_above(skeleton, &mut folded, forearm);
        let seen = rows(skeleton, &folded);
        assert!(seen.iter().any(|row| row.joint == forearm && row.has_children));
        assert!(!seen.iter().any(|row| row.joint == hand));
        unfold_above(skeleton, &mut folded, hand);
        assert_eq!(rows(skeleton, &folded).len(), skeleton.len());
    }
}
