//! Popping: the largest second difference of a point over a motion from rest in steps of a degree,
//! each frame from scratch.
//!
//! `max |x(t+1) − 2x(t) + x(t−1)|` over points and steps, over the rest diagonal. The motion
//! is [`scaled`]: every angle grows evenly, and the largest by a degree a step.

use glam::Vec3;
use rayon::prelude::*;
use sinew::mesh::Aabb;

use crate::poser::{largest_angle_degrees, scaled};
use crate::study::{Bench, Filter, Skipped};
use crate::subject::{NamedPose, Subject};

/// What a sweep to one pose came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Popping {
    /// The subject's name.
    pub subject: String,
    /// The pose's name.
    pub pose: String,
    /// The method's name.
    pub method: String,
    /// The largest second difference over the diagonal.
    pub largest: f64,
    /// The step in which it was, from 0.
    pub step: usize,
}

/// Sweeps to every pose that the filter takes, with every method.
pub fn run(subjects: &[Subject], filter: &Filter) -> (Vec<Popping>, Vec<Skipped>) {
    let mut poppings = Vec::new();
    let mut skipped = Vec::new();
    for subject in subjects.iter().filter(|s| Filter::takes(&filter.subjects, &s.name)) {
        let poses = filter.poses_of(subject);
        if poses.is_empty() {
            continue;
        }
        let bench = Bench::new(subject);
        let methods = filter.methods();
        let results: Vec<_> = methods
            .par_iter()
            .map(|method| -> Result<Vec<Popping>, String> {
                let plan = bench.bind(method)?;
                let one = |pose: &&NamedPose| {
                    let deform = |share: f64| bench.deform(&plan, &scaled(&pose.pose, share));
                    let steps = largest_angle_degrees(&pose.pose).round().max(2.0) as usize;
                    let (largest, step) = largest_second_difference(steps, &deform);
                    Popping {
                        subject: subject.name.clone(),
                        pose: pose.name.clone(),
                        method: method.name.clone(),
                        largest: largest / diagonal(bench.rest()),
                        step,
                    }
                };
                Ok(poses.par_iter().map(one).collect())
            })
            .collect();
        for (method, result) in methods.iter().zip(results) {
            match result {
                Ok(found) => poppings.extend(found),
                Err(why) => skipped
                    .push(Skipped { what: format!("{} with {}", subject.name, method.name), why }),
            }
        }
    }
    (poppings, skipped)
}

fn diagonal(points: &[Vec3]) -> f64 {
    f64::from(Aabb::around(points.iter().copied()).diagonal())
}

/// The largest second difference of `deform(t / steps)` over `t = 0..=steps`, and its step. Points
/// that are not finite count as infinitely far.
fn largest_second_difference(steps: usize, deform: &dyn Fn(f64) -> Vec<Vec3>) -> (f64, usize) {
    let at = |step: usize| deform(step as f64 / steps as f64);
    let (mut before, mut now) = (at(0), at(1));
    let mut largest = (0.0, 0);
    for step in 2..=steps {
        let after = at(step);
        for ((a, b), c) in before.iter().zip(&now).zip(&after) {
            let difference = (a.as_dvec3() - 2.0 * b.as_dvec3() + c.as_dvec3()).length();
            let difference = if difference.is_finite() { difference } else { f64::INFINITY };
            if difference > largest.0 {
                largest = (difference, step - 1);
            }
        }
        before = now;
        now = after;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_motion_has_no_second_difference_and_a_jump_has_its_own_size_and_step() {
        let even = |t: f64| vec![Vec3::X * (t * 8.0) as f32];
        assert_eq!(largest_second_difference(8, &even), (0.0, 0));
        let jump = |t: f64| vec![Vec3::X * if t > 0.6 { 0.5 } else { 0.0 }];
        assert_eq!(largest_second_difference(10, &jump), (0.5, 6));
    }

    #[test]
    fn what_is_not_finite_is_the_largest_jump() {
        let bad = |t: f64| vec![if t > 0.5 { Vec3::NAN } else { Vec3::ZERO }];
        assert_eq!(largest_second_difference(4, &bad).0, f64::INFINITY);
    }
}
