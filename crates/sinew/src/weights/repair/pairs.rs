//! Weights of the wrong one of two joints go to the right one.

use std::collections::BTreeMap;

use super::super::SkinWeights;
use super::super::mirror::JointPairs;
use super::super::rules::{PointRow, RowRules};
use crate::character::{Character, Part};
use crate::check::pair_faults::{duplicate_joints, wrong_side};
use crate::skeleton::Skeleton;

/// Rows in which joints of the other side have changed places with their partners.
pub(super) fn other_sides(
    part: &Part,
    weights: &SkinWeights,
    skeleton: &Skeleton,
    rules: &RowRules,
) -> Vec<PointRow> {
    let Some(pairs) = JointPairs::of(skeleton) else { return Vec::new() };
    let mut of_point: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for (point, joint) in wrong_side(part, skeleton) {
        let to = of_point.entry(point).or_default();
        to.insert(joint, pairs.partner(joint));
        // What little the partner has goes the other way: the two were mixed up.
        to.insert(pairs.partner(joint), joint);
    }
    rows(weights, of_point, rules)
}

/// Rows in which joints at one place are the first of them.
pub(super) fn one_for_all(
    character: &Character,
    weights: &SkinWeights,
    rules: &RowRules,
) -> Vec<PointRow> {
    let to: BTreeMap<u32, u32> = duplicate_joints(character).into_iter().collect();
    if to.is_empty() {
        return Vec::new();
    }
    let has_any = |row: &[super::super::Influence]| row.iter().any(|i| to.contains_key(&i.joint));
    let points = (0u32..).zip(weights.rows()).filter(|(_, row)| has_any(row));
    rows(weights, points.map(|(point, _)| (point, to.clone())), rules)
}

/// Rows with other joints in the place of some.
fn rows(
    weights: &SkinWeights,
    renamed: impl IntoIterator<Item = (u32, BTreeMap<u32, u32>)>,
    rules: &RowRules,
) -> Vec<PointRow> {
    let row = |(point, to): (u32, BTreeMap<u32, u32>)| {
        let before = weights.row(point as usize);
        let joint = |joint: u32| to.get(&joint).copied().unwrap_or(joint);
        let wanted: Vec<(u32, f64)> =
            before.iter().map(|i| (joint(i.joint), f64::from(i.weight))).collect();
        (point, rules.finish(before, &wanted, None))
    };
    let rows = renamed.into_iter().map(row);
    rows.filter(|(point, row)| row != weights.row(*point as usize)).collect()
}
