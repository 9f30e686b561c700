//! Fewer influences a point, re-fitted: the joints and shares that come nearest to what all of them
//! did.
//!
//! Cutting off the smallest weights and scaling the rest moves a point towards the joints that
//! stay. Here linear blending with few joints is fitted to linear blending with all, by least
//! squares over sampled poses (as Le and Deng do for whole sets of example meshes in *Smooth
//! Skinning Decomposition with Rigid Bones*, SIGGRAPH Asia 2012). Each point is fitted alone, on
//! the joints it has: rows that are short enough stay as they are, to the last bit.

mod choice;
mod poses;

pub(super) use choice::{Gram, choose};
pub use poses::SampledPoses;
pub(super) use poses::{clip_poses, range_poses};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::{Influence, SkinWeights};

/// Points a task: a fit takes microseconds, waking a thread tens of them.
const MIN_POINTS_PER_TASK: usize = 64;

/// How far points are from where all influences put them, over all points and poses that were
/// fitted. In the points' own unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RefitError {
    /// Root of the mean square.
    pub rms: f64,
    /// The farthest.
    pub max: f64,
}

/// Weights with fewer influences, and what that costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Refit {
    /// At most as many influences a point as was asked for.
    pub weights: SkinWeights,
    /// Points that had more.
    pub num_points: usize,
    /// Of the new weights.
    pub error: RefitError,
    /// Of [`SkinWeights::truncated`], for comparison.
    pub truncation_error: RefitError,
}

/// Fits weights of at most `max_influences` (at least one) a point.
///
/// # Panics
/// If there is not one row a point, or a joint is not in the poses' skeleton.
pub fn refit(
    weights: &SkinWeights,
    points: &[Vec3],
    poses: &SampledPoses,
    max_influences: usize,
) -> Refit {
    assert_eq!(weights.num_points(), points.len(), "one row a point");
    let limit = max_influences.max(1);
    let over: Vec<u32> =
        (0..points.len() as u32).filter(|&p| weights.row(p as usize).len() > limit).collect();
    let truncated = weights.truncated(limit);
    let fitted: Vec<Fitted> = over
        .par_iter()
        .with_min_len(MIN_POINTS_PER_TASK)
        .map(|&point| {
            let point = point as usize;
            let cut_off = truncated.row(point);
            Fitted::of(points[point].as_dvec3(), weights.row(point), cut_off, poses, limit)
        })
        .collect();
    let num_samples = (fitted.len() * poses.len()).max(1) as f64;
    // In the points' order, so that the sums do not depend on the threads.
    let total = |of: fn(&Fitted) -> Miss| {
        fitted.iter().map(of).fold(RefitError::default(), |all, miss| RefitError {
            rms: all.rms + miss.sum_of_squares,
            max: all.max.max(miss.max_squared),
        })
    };
    let finish = |sums: RefitError| RefitError {
        rms: (sums.rms / num_samples).sqrt(),
        max: sums.max.sqrt(),
    };
    let error = finish(total(|fitted| fitted.miss));
    let truncation_error = finish(total(|fitted| fitted.truncation_miss));
    let num_points = fitted.len();
    let mut new_rows = over.into_iter().zip(fitted).peekable();
    let mut result = SkinWeights { row_starts: vec![0], influences: Vec::new() };
    for (point, row) in weights.rows().enumerate() {
        match new_rows.next_if(|(over, _)| *over as usize == point) {
            Some((_, fitted)) => result.influences.extend(fitted.row),
            None => result.influences.extend_from_slice(row),
        }
        result.row_starts.push(result.influences.len() as u32);
    }
    Refit { weights: result, num_points, error, truncation_error }
}

#[derive(Clone, Copy, Debug, Default)]
struct Miss {
    sum_of_squares: f64,
    max_squared: f64,
}

struct Fitted {
    row: Vec<Influence>,
    miss: Miss,
    truncation_miss: Miss,
}

impl Fitted {
    fn of(
        point: DVec3,
        row: &[Influence],
        cut_off: &[Influence],
        poses: &SampledPoses,
        limit: usize,
    ) -> Self {
        let old: Vec<f64> = row.iter().map(|influence| f64::from(influence.weight)).collect();
        // Pose after pose, the way from the full blend to each joint's own place.
        let mut ways = Vec::with_capacity(poses.len() * row.len());
        let mut gram = Gram::new(row.len());
        for transforms in poses.iter() {
            let start = ways.len();
            ways.extend(row.iter().map(|i| transforms[i.joint as usize].transform_point3(point)));
            let of_pose = &mut ways[start..];
            let blend: DVec3 = of_pose.iter().zip(&old).map(|(at, weight)| *at * *weight).sum();
            of_pose.iter_mut().for_each(|way| *way -= blend);
            for (i, a) in of_pose.iter().enumerate() {
                for (j, b) in of_pose.iter().enumerate() {
                    gram.entries[i * row.len() + j] += a.dot(*b);
                }
            }
        }
        let chosen = choose(&gram, &old, limit);
        let mut new_row: Vec<Influence> = chosen
            .iter()
            .map(|&(place, share)| Influence { joint: row[place].joint, weight: share as f32 })
            // A share too small for an f32 is none.
            .filter(|influence| influence.weight > 0.0)
            .collect();
        new_row.sort_by_key(|influence| influence.joint);
        let of_old = |influence: &Influence| {
            row.iter().position(|old| old.joint == influence.joint).unwrap_or(0)
        };
        let miss = |row: &[Influence]| -> Miss {
            let places: Vec<(usize, f64)> =
                row.iter().map(|i| (of_old(i), f64::from(i.weight))).collect();
            ways.chunks_exact(old.len()).fold(Miss::default(), |all, of_pose| {
                let off: DVec3 = places.iter().map(|&(place, share)| of_pose[place] * share).sum();
                let squared = off.length_squared();
                Miss {
                    sum_of_squares: all.sum_of_squares + squared,
                    max_squared: all.max_squared.max(squared),
                }
            })
        };
        Self { miss: miss(&new_row), truncation_miss: miss(cut_off), row: new_row }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::skeleton::{Joint, JointTransform, Skeleton};

    /// A finger of seven short bones along +Y.
    fn chain() -> Skeleton {
        let joint = |index: u32| Joint {
            name: format!("bone{index}"),
            parent: index.checked_sub(1),
            rest: JointTransform {
                translation: if index == 0 { DVec3::ZERO } else { DVec3::Y },
                rotation: DQuat::IDENTITY,
                scale: DVec3::ONE,
            },
            tail_in_joint: DVec3::Y,
        };
        Skeleton::new((0..7).map(joint).collect()).unwrap()
    }

    /// Points beside the chain whose weights fall off with the distance to each bone's middle.
    fn smooth_weights(points: &[Vec3]) -> SkinWeights {
        let row = |point: &Vec3| -> Vec<(u32, f32)> {
            let weight = |joint: u32| (-(point.y - joint as f32 - 0.5).powi(2) / 3.0).exp();
            (0..7).map(|joint| (joint, weight(joint))).collect()
        };
        SkinWeights::from_rows(points.iter().map(row), 7).0
    }

    fn points() -> Vec<Vec3> {
        (0..200)
            .map(|k| Vec3::new(0.4 * (k as f32).cos(), 0.035 * k as f32, 0.4 * (k as f32).sin()))
            .collect()
    }

    #[test]
    fn a_refit_is_nearer_than_a_truncation() {
        let (points, skeleton) = (points(), chain());
        let refit = refit(&smooth_weights(&points), &points, &SampledPoses::of(&skeleton, &[]), 4);
        assert_eq!(refit.weights.max_influences(), 4);
        assert_eq!(refit.num_points, points.len());
        let (rms, cut_off) = (refit.error.rms, refit.truncation_error.rms);
        assert!(rms < 0.97 * cut_off, "{rms} of {cut_off}");
        for row in refit.weights.rows() {
            assert!((row.iter().map(|i| i.weight).sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(row.windows(2).all(|pair| pair[0].joint < pair[1].joint));
        }
    }

    #[test]
    fn short_rows_stay_to_the_last_bit_and_cost_nothing() {
        let points = points();
        let weights = smooth_weights(&points);
        let refit = refit(&weights, &points, &SampledPoses::of(&chain(), &[]), 7);
        assert_eq!((refit.weights, refit.num_points), (weights, 0));
        assert_eq!(refit.error, RefitError::default());
    }

    #[test]
    fn poses_that_were_not_sampled_are_nearer_too() {
        let (points, skeleton) = (points(), chain());
        let weights = smooth_weights(&points);
        let refit = refit(&weights, &points, &SampledPoses::of(&skeleton, &[]), 3);
        let mut pose = crate::skeleton::Pose::rest(&skeleton);
        for joint in &mut pose.joints[1..] {
            *joint = joint.rotated(DVec3::X, 0.5, DVec3::Y);
        }
        let palette = crate::skeleton::Palette::new(&skeleton, &pose);
        let blend = |weights: &SkinWeights, point: usize| -> DVec3 {
            let at = points[point].as_dvec3();
            let of = |i: &Influence| {
                palette.model_from_rest()[i.joint as usize].transform_point3(at)
                    * f64::from(i.weight)
            };
            weights.row(point).iter().map(of).sum()
        };
        let off = |fewer: &SkinWeights| -> f64 {
            (0..points.len()).map(|p| blend(fewer, p).distance_squared(blend(&weights, p))).sum()
        };
        // Squares: the distance is at most 0.7 of it.
        assert!(off(&refit.weights) < 0.49 * off(&weights.truncated(3)));
    }

    #[test]
    fn without_joints_that_differ_the_largest_weights_stay() {
        let weights = smooth_weights(&[Vec3::Y]);
        let nothing_moves = SampledPoses::of(&Skeleton::new(Vec::new()).unwrap(), &[]);
        // No joints, no transforms: only rows that are short enough may be asked for.
        let refit = refit(&weights, &[Vec3::Y], &nothing_moves, 7);
        assert_eq!(refit.weights, weights);
    }
}
