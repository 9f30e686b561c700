//! Weights: who is not moved, who is moved by too many, where a seam tears.
//!
//! A [`SkinWeights`](crate::weights::SkinWeights) has no empty row, so single points without influence can
//! only be told by who made it: the reader's report says `unweighted-points`.

use std::collections::HashMap;

use super::{Finding, Severity, listed};
use crate::character::Part;
use crate::skeleton::Skeleton;

/// What game engines take a vertex: one JOINTS/WEIGHTS set.
const COMMON_INFLUENCE_LIMIT: usize = 4;

/// Below half a step of eight-bit weights an influence vanishes in most exporters.
const TINY_WEIGHT: f32 = 0.5 / 255.0;

/// Weights further apart than this tear a seam by a visible amount: a step of eight-bit weights.
const SEAM_WEIGHT_TOLERANCE: f32 = 1.0 / 255.0;

pub(super) fn check(part: &Part, place: &str, skeleton: &Skeleton, findings: &mut Vec<Finding>) {
    let Some(weights) = &part.weights else {
        if !skeleton.is_empty() && !part.mesh.points().is_empty() {
            findings.push(Finding {
                severity: Severity::Warning,
                code: "unweighted-mesh",
                what: "no joint moves this mesh, though there is a skeleton".into(),
                place: place.to_owned(),
                mend: "bind it to the skeleton, parent it to a joint, or leave it if it is meant to stand still".into(),
                count: part.mesh.points().len(),
            });
        }
        return;
    };
    let num_points = part.mesh.points().len();
    if weights.num_points() != num_points {
        findings.push(Finding {
            severity: Severity::Error,
            code: "weights-length",
            what: format!("{} weight rows for {num_points} points", weights.num_points()),
            place: place.to_owned(),
            mend: "bind the mesh again; its weights belong to another one".into(),
            count: 1,
        });
        return;
    }
    let mut push = |severity, code, what: &str, points: &[usize], mend: &str| {
        if !points.is_empty() {
            findings.push(Finding {
                severity,
                code,
                what: what.to_owned(),
                place: listed("point", points, place),
                mend: mend.to_owned(),
                count: points.len(),
            });
        }
    };
    let where_row = |test: &dyn Fn(&[crate::weights::Influence]) -> bool| -> Vec<usize> {
        (0..num_points).filter(|&point| test(weights.row(point))).collect()
    };

    push(
        Severity::Error,
        "joint-out-of-range",
        "points weighted to a joint that the skeleton does not have",
        &where_row(&|row| row.iter().any(|i| i.joint as usize >= skeleton.len())),
        "export mesh and skeleton together, or bind again",
    );
    push(
        Severity::Warning,
        "too-many-influences",
        "points with more than 4 influences, which most engines cut off",
        &where_row(&|row| row.len() > COMMON_INFLUENCE_LIMIT),
        "limit the weights to 4 a point before you export to such an engine",
    );
    push(
        Severity::Info,
        "tiny-weights",
        "points with an influence below half a step of eight-bit weights",
        &where_row(&|row| row.iter().any(|i| i.weight < TINY_WEIGHT)),
        "prune them: they cost time and move nothing that can be seen",
    );
    push(
        Severity::Warning,
        "seam-weights-differ",
        "points lie on one place with different weights, so that the seam opens when posed",
        &torn_seams(part),
        "copy the weights across the seam or merge the points, unless it is a real gap (lips, a hem)",
    );
}

/// Points that coincide exactly with an earlier one whose weights differ.
fn torn_seams(part: &Part) -> Vec<usize> {
    let Some(weights) = &part.weights else { return Vec::new() };
    // The first point of a place stands for it: comparing all with all is quadratic where many coincide.
    let mut first_at: HashMap<[u32; 3], usize> = HashMap::new();
    let mut torn = Vec::new();
    for (point, position) in part.mesh.points().iter().enumerate() {
        // `+ 0.0` makes one of the two zeros.
        let key = position.to_array().map(|x| (x + 0.0).to_bits());
        let first = *first_at.entry(key).or_insert(point);
        if first != point && !weights.rows_equal(first, point, SEAM_WEIGHT_TOLERANCE) {
            torn.push(point);
        }
    }
    torn
}
