//! The product of shares as a list of steps that sixteen points go through together.

use std::collections::BTreeSet;

/// A step of a block's program: what a block's points multiply up to their rotation `q`, which
/// starts from the block's base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `q ← q · D_joint(shares)`; the next two lanes are the shares of swing and twist.
    Turn(u32),
    /// Siblings follow: set `q` aside.
    Fork,
    /// The next sibling begins.
    Branch,
    /// The sibling's product is done.
    Join,
    /// All siblings are: `q ← q set aside · mean of both orders`.
    Merge,
}

/// Forks inside forks that the kernel keeps apart. A point with shares of siblings at more levels
/// than this at once (its bones would have to fork six times within a limb's thickness) has the
/// deepest multiplied in order.
pub(super) const MAX_FORKS: usize = 6;

/// The joint whose whole rotation every point of the block has, and the steps below it.
pub(super) fn program(
    joints: &BTreeSet<u32>,
    is_whole: &dyn Fn(u32) -> bool,
    parents: &[Option<u32>],
) -> (Option<u32>, Vec<Step>) {
    let children = |parent: Option<u32>| -> Vec<u32> {
        joints.iter().copied().filter(|&j| parents[j as usize] == parent).collect()
    };
    let mut base = None;
    loop {
        match children(base).as_slice() {
            [only] if is_whole(*only) => base = Some(*only),
            _ => break,
        }
    }
    let mut steps = Vec::new();
    push_below(&children(base), &children, 0, &mut steps);
    (base, steps)
}

fn push_below(
    siblings: &[u32],
    children: &dyn Fn(Option<u32>) -> Vec<u32>,
    forks: usize,
    steps: &mut Vec<Step>,
) {
    let forks_here = siblings.len() > 1 && forks < MAX_FORKS;
    if forks_here {
        steps.push(Step::Fork);
    }
    for &joint in siblings {
        if forks_here {
            steps.push(Step::Branch);
        }
        steps.push(Step::Turn(joint));
        push_below(&children(Some(joint)), children, forks + usize::from(forks_here), steps);
        if forks_here {
            steps.push(Step::Join);
        }
    }
    if forks_here {
        steps.push(Step::Merge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_starts_from_the_joint_that_all_have_and_siblings_fork() {
        // 0 ─ 1 ─ 2 and 1 ─ 3 ─ 4.
        let parents = [None, Some(0), Some(1), Some(1), Some(3)];
        let joints: BTreeSet<u32> = (0..5).collect();
        let (base, steps) = program(&joints, &|joint| joint <= 1, &parents);
        assert_eq!(base, Some(1));
        use Step::{Branch, Fork, Join, Merge, Turn};
        assert_eq!(steps, [Fork, Branch, Turn(2), Join, Branch, Turn(3), Turn(4), Join, Merge]);
    }

    #[test]
    fn two_roots_are_siblings() {
        let (base, steps) = program(&[0, 1].into(), &|_| true, &[None, None]);
        assert_eq!((base, steps.len()), (None, 8));
    }
}
