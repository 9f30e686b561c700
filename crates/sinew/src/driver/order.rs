//! In which order drivers run: each after those that drive what it reads.

use std::collections::HashMap;

use super::ShapeIndex;
use crate::skeleton::Skeleton;

/// One thing that a driver reads or drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// A joint's swing.
    Swing(u32),
    /// A joint's twist.
    Twist(u32),
    /// A joint's translation.
    Translation(u32),
    /// A joint's scale.
    Scale(u32),
    /// A joint's stretch.
    Stretch(u32),
    /// A shape's weight.
    Shape(ShapeIndex),
}

impl Slot {
    /// Everything of a joint.
    pub(super) fn all_of(joint: u32) -> [Self; 5] {
        [
            Self::Swing(joint),
            Self::Twist(joint),
            Self::Translation(joint),
            Self::Scale(joint),
            Self::Stretch(joint),
        ]
    }
}

/// What a driver reads and drives.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties {
    pub(super) reads: Vec<Slot>,
    pub(super) drives: Vec<Slot>,
    /// Joints of which it reads the place: everything of them and of all above them. What it drives
    /// itself is not among it, unless it hangs on that.
    pub(super) places: Vec<u32>,
    pub(super) hangs_on_itself: bool,
}

/// The order in which drivers run; else those of a cycle, each reading what the one before drives,
/// and the first what the last does.
pub(super) fn order(skeleton: &Skeleton, ties: &[Ties]) -> Result<Vec<usize>, Vec<usize>> {
    let mut drivers_of: HashMap<Slot, Vec<usize>> = HashMap::new();
    for (driver, tie) in ties.iter().enumerate() {
        for &slot in &tie.drives {
            drivers_of.entry(slot).or_default().push(driver);
        }
    }
    // Who must be done before a driver: who drives what it reads, and who drives the same but
    // stands before it.
    let before = |driver: usize| {
        let tie = &ties[driver];
        let empty: &[usize] = &[];
        let of = |slot: &Slot| drivers_of.get(slot).map_or(empty, |list| &list[..]).iter().copied();
        let mut all: Vec<usize> = tie.reads.iter().flat_map(of).collect();
        for &place in &tie.places {
            let mut at = Some(place);
            while let Some(joint) = at {
                let slots = Slot::all_of(joint);
                let is_read = |slot: &&Slot| tie.hangs_on_itself || !tie.drives.contains(slot);
                all.extend(slots.iter().filter(is_read).flat_map(of));
                at = skeleton.joints()[joint as usize].parent;
            }
        }
        all.extend(tie.drives.iter().flat_map(of).filter(|&other| other < driver));
        all.sort_unstable();
        all.dedup();
        all
    };
    let before: Vec<Vec<usize>> = (0..ties.len()).map(before).collect();
    let mut done = vec![Visit::Not; ties.len()];
    let mut order = Vec::with_capacity(ties.len());
    // Who is being visited, and which of those before it is next: no recursion, a file may have a
    // chain of any length.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..ties.len() {
        if done[start] != Visit::Not {
            continue;
        }
        done[start] = Visit::OnPath;
        path.push((start, 0));
        while let Some((driver, next)) = path.last_mut() {
            let driver = *driver;
            match before[driver].get(*next) {
                None => {
                    done[driver] = Visit::Done;
                    order.push(driver);
                    path.pop();
                }
                Some(&other) => {
                    *next += 1;
                    match done[other] {
                        Visit::Done => {}
                        Visit::Not => {
                            done[other] = Visit::OnPath;
                            path.push((other, 0));
                        }
                        Visit::OnPath => {
                            let from = path.iter().position(|(on, _)| *on == other).unwrap_or(0);
                            let cycle = path[from..].iter().rev().map(|(on, _)| *on);
                            return Err(cycle.collect());
                        }
                    }
                }
            }
        }
    }
    Ok(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    OnPath,
    Done,
}
