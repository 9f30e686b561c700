//! Weights: who is not moved, who is moved by too many, where a seam tears.
//!
//! A [`SkinWeights`](crate::weights::SkinWeights) has no empty row, so single points without
//! influence can only be told by who made it: the reader's report says `unweighted-points`.

use std::collections::HashMap;

use glam::DVec3;

use super::{CheckOptions, Finding, Severity, listed_points};
use crate::character::Part;
use crate::skeleton::Skeleton;

/// Below half a step of eight-bit weights an influence vanishes in most exporters.
const TINY_WEIGHT: f32 = 0.5 / 255.0;

/// Smaller shares are smoothing, and reach far by their nature.
const STRAY_WEIGHT: f32 = 0.1;
/// Nearer than this share of the mesh's diagonal nothing is far.
const FAR_OVER_DIAGONAL: f64 = 0.25;
/// And it must be an exception among what the joint moves.
const FAR_OVER_MEDIAN: f64 = 8.0;

/// Weights further apart than this tear a seam by a visible amount: a step of eight-bit weights.
const SEAM_WEIGHT_TOLERANCE: f32 = 1.0 / 255.0;

pub(super) fn check(
    part: &Part,
    place: &str,
    skeleton: &Skeleton,
    options: &CheckOptions,
    findings: &mut Vec<Finding>,
) {
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
                place: listed_points(points, &part.mesh, place),
                mend: mend.to_owned(),
                count: points.len(),
            });
        }
    };
    let where_row = |test: &dyn Fn(&[crate::weights::Influence]) -> bool| -> Vec<usize> {
        (0..num_points).filter(|&point| test(weights.row(point))).collect()
    };

    let (limit, most) = (options.max_influences, weights.max_influences());
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
        &format!(
            "points with more than {limit} influences (up to {most}), which engines with that limit cut off"
        ),
        &where_row(&|row| row.len() > limit),
        &format!("limit the weights to {limit} a point: `sinew convert --max-influences {limit}`"),
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
    push(
        Severity::Info,
        "far-weights",
        "points that follow a joint much further away than the rest of what it moves",
        &far_points(part, skeleton),
        "look at these points' weights: a stray influence tears them along when the joint turns",
    );
}

/// Points with a share of at least [`STRAY_WEIGHT`] in a joint whose bone is further off than
/// [`FAR_OVER_DIAGONAL`] and [`FAR_OVER_MEDIAN`] times as far as half of what it moves.
fn far_points(part: &Part, skeleton: &Skeleton) -> Vec<usize> {
    let Some(weights) = &part.weights else { return Vec::new() };
    let far = f64::from(part.mesh.bounds().diagonal()) * FAR_OVER_DIAGONAL;
    let mut of_joint: Vec<Vec<(f64, usize)>> = vec![Vec::new(); skeleton.len()];
    for (point, row) in weights.rows().enumerate() {
        for influence in row.iter().filter(|i| i.weight >= STRAY_WEIGHT) {
            let joint = influence.joint as usize;
            if joint < skeleton.len() {
                let bone = skeleton.bind_bone(influence.joint);
                let at = part.mesh.points()[point].as_dvec3();
                of_joint[joint].push((distance_to_segment(at, bone), point));
            }
        }
    }
    let mut found = Vec::new();
    for distances in &mut of_joint {
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(median, _)) = distances.get(distances.len() / 2) else { continue };
        let limit = far.max(FAR_OVER_MEDIAN * median);
        found.extend(distances.iter().rev().take_while(|d| d.0 > limit).map(|d| d.1));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn distance_to_segment(at: DVec3, [head, tail]: [DVec3; 2]) -> f64 {
    let along = tail - head;
    let share = (at - head).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    at.distance(head + along * share.clamp(0.0, 1.0))
}

/// Points that coincide exactly with an earlier one whose weights differ.
fn torn_seams(part: &Part) -> Vec<usize> {
    let Some(weights) = &part.weights else { return Vec::new() };
    // The first point of a place stands for it: comparing all with all is quadratic where many
    // coincide.
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
