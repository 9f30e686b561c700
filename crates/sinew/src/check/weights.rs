//! Weights: who is not moved, who is moved by too many, where a seam tears.
//!
//! A [`SkinWeights`](crate::weights::SkinWeights) has no empty row, so single points without
//! influence can only be told by who made it: the reader's report says `unweighted-points`.

use super::pair_faults::wrong_side;
use super::weight_faults::{TINY_WEIGHT, far_influences, stray_points, torn_seams};
use super::{CheckOptions, Finding, Severity, listed_points};
use crate::character::Part;
use crate::mesh::Adjacency;
use crate::skeleton::Skeleton;

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
    let mut far_points: Vec<usize> =
        far_influences(part, skeleton).into_iter().map(|(point, _)| point).collect();
    far_points.sort_unstable();
    far_points.dedup();
    let stray = stray_points(weights, &Adjacency::of(&part.mesh));
    let stray: Vec<usize> = stray.into_iter().map(|point| point as usize).collect();
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
        &format!(
            "`sinew convert --influences {limit}` finds the weights that come nearest, `sinew prune --influences {limit}` keeps the largest"
        ),
    );
    push(
        Severity::Info,
        "tiny-weights",
        "points with an influence below half a step of eight-bit weights",
        &where_row(&|row| row.iter().any(|i| i.weight < TINY_WEIGHT)),
        "`sinew prune` removes them: they cost time and move nothing that can be seen",
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
        &far_points,
        "look at these points' weights: a stray influence tears them along when the joint turns; `sinew repair` takes it",
    );
    let mut wrong: Vec<usize> =
        wrong_side(part, skeleton).into_iter().map(|(point, _)| point as usize).collect();
    wrong.dedup();
    push(
        Severity::Warning,
        "wrong-side-weights",
        "points that follow a joint of the other side, where its partner is near",
        &wrong,
        "`sinew repair` gives the weights to the partner; `sinew mirror` gives one side the other's",
    );
    push(
        Severity::Info,
        "stray-points",
        "a handful of points that follow another joint than everything around them",
        &stray,
        "`sinew repair` gives them the weights of what is around, unless they are meant so (a rivet, an eye)",
    );
}
