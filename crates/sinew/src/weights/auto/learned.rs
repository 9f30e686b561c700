//! Weights learned from springs: the recipe's weights say where points hold on to the bones,
//! springs pose the skin, and linear weights are fitted to what they did.
//!
//! Poses are a range of motion that every skeleton has, or those of the character's own clips. A
//! point's weights are the best few of its joints' by least squares over all poses, within the
//! budget from the start (`refit/choice`), with a pull to where they began.

use std::sync::Arc;

use glam::{DAffine3, DVec3};
use rayon::prelude::*;

use super::pieces::Pieces;
use super::{AutoError, AutoMethod, AutoSettings, AutoWeights, Row, auto_weights, check};
use crate::Character;
use crate::frame::{Controls, Normals, Plan, Rig};
use crate::progress::Progress;
use crate::skeleton::Pose;
use crate::springs::SpringModel;
use crate::weights::SkinWeights;
use crate::weights::refit::{Gram, choose, clip_poses, range_poses};

/// Poses that are sprung: a second more teaches little.
const NUM_POSES: usize = 24;
/// The influences that a point may begin with; the budget chooses among them.
const NUM_CANDIDATES: usize = 8;
/// The pull to where weights began, over the largest entry of a point's products: poses leave some
/// directions open, and neighbours must not differ there.
const PULL: f64 = 5e-3;

/// What springs did in one pose.
struct Lesson {
    model_from_rest: Vec<DAffine3>,
    /// Of all pieces' points.
    points: Vec<DVec3>,
}

/// Weights that come nearest to springs in poses.
pub(super) fn learn(
    character: &Character,
    settings: &AutoSettings,
    progress: &dyn Progress,
) -> Result<AutoWeights, AutoError> {
    let skeleton = &character.skeleton;
    let poses = match settings.method {
        AutoMethod::Motion => clip_poses(skeleton, &character.clips),
        _ => range_poses(skeleton, NUM_POSES),
    };
    if poses.is_empty() {
        return Err(AutoError::NoClip);
    }
    let begin = AutoSettings {
        method: AutoMethod::Auto,
        max_influences: settings.max_influences.max(NUM_CANDIDATES),
        decided: settings.decided.clone(),
    };
    let mut found = auto_weights(character, &begin, progress)?;
    let mut bound = character.clone();
    for (part, weights) in bound.parts.iter_mut().zip(&found.of_part) {
        part.weights = Some(weights.clone());
    }
    let pieces = Pieces::of(character);
    let lessons = lessons(&Arc::new(bound), &poses, &pieces, progress)?;
    let mut rows: Vec<Row> = vec![Row::new(); pieces.points.len()];
    for (weights, points) in found.of_part.iter().zip(&pieces.point_of_part_point) {
        for (row, &point) in weights.rows().zip(points) {
            rows[point as usize] = row.iter().map(|i| (i.joint, f64::from(i.weight))).collect();
        }
    }
    let budget = settings.max_influences.max(1);
    let fitted: Vec<Row> = rows
        .par_iter()
        .zip(&pieces.points)
        .enumerate()
        .map(|(point, (row, &rest))| fit(row, rest, point, &lessons, budget))
        .collect();
    for (weights, points) in found.of_part.iter_mut().zip(&pieces.point_of_part_point) {
        let row = |&point: &u32| {
            fitted[point as usize].iter().map(|&(joint, weight)| (joint, weight as f32))
        };
        *weights = SkinWeights::from_rows(points.iter().map(row), skeleton.len()).0;
    }
    Ok(found)
}

fn lessons(
    bound: &Arc<Character>,
    poses: &[Pose],
    pieces: &Pieces,
    progress: &dyn Progress,
) -> Result<Vec<Lesson>, AutoError> {
    let rig = Rig::of_model(SpringModel::Anchored).with_normals(Normals::Off);
    let plan = Plan::bind(bound, &rig, progress)
        .map_err(|error| AutoError::Springs { why: error.to_string() })?;
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    let mut lessons = Vec::with_capacity(poses.len());
    for (index, pose) in poses.iter().enumerate() {
        check(progress)?;
        progress.report("springs pose the skin", index as f32 / poses.len() as f32);
        plan.run(&Controls::posed(bound, pose.clone()), &mut scratch, &mut frame);
        let mut sums = vec![(DVec3::ZERO, 0.0); pieces.points.len()];
        for (part, points) in frame.parts().iter().zip(&pieces.point_of_part_point) {
            for (place, &point) in part.points().iter().zip(points) {
                let (sum, number) = &mut sums[point as usize];
                (*sum, *number) = (*sum + place.as_dvec3(), *number + 1.0);
            }
        }
        // Points on one place get one row, whatever their meshes' springs did.
        let points = sums.into_iter().map(|(sum, number)| sum / number).collect();
        let model_from_rest = frame.palette().model_from_rest().to_vec();
        let lesson = Lesson { model_from_rest, points };
        let is_finite = lesson.points.iter().all(|point| point.is_finite());
        lessons.extend(is_finite.then_some(lesson));
    }
    Ok(lessons)
}

fn fit(row: &Row, rest: DVec3, point: usize, lessons: &[Lesson], budget: usize) -> Row {
    if row.len() < 2 {
        return row.clone();
    }
    let old: Vec<f64> = row.iter().map(|&(_, weight)| weight).collect();
    let mut gram = Gram::new(row.len());
    let mut ways = vec![DVec3::ZERO; row.len()];
    for lesson in lessons {
        for (way, &(joint, _)) in ways.iter_mut().zip(row) {
            let moved = lesson.model_from_rest[joint as usize].transform_point3(rest);
            *way = moved - lesson.points[point];
        }
        for (i, a) in ways.iter().enumerate() {
            for (j, b) in ways.iter().enumerate() {
                *gram.at_mut(i, j) += a.dot(*b);
            }
        }
    }
    // What a way to the old weights themselves would add: `λ|w − old|²` of weights that sum to one.
    let most = (0..row.len()).map(|i| gram.at(i, i)).fold(0.0, f64::max);
    let own: f64 = old.iter().map(|weight| weight * weight).sum();
    for i in 0..row.len() {
        for j in 0..row.len() {
            let same = f64::from(u8::from(i == j));
            *gram.at_mut(i, j) += PULL * most * (same - old[i] - old[j] + own);
        }
    }
    choose(&gram, &old, budget).into_iter().map(|(place, share)| (row[place].0, share)).collect()
}
