//! Popping: the largest second difference of a point over a motion, each frame from scratch.
//!
//! `max |x(t+1) − 2x(t) + x(t−1)|` over points and steps, over the rest diagonal. The motion is a
//! sweep from rest to a pose in steps of a degree ([`scaled`]: every angle grows evenly, and the
//! largest by a degree a step), or a clip of the character's own, 60 frames a second. A sweep tears
//! rigs apart whose feet hang from the root (a leg turns while its foot slides on a line); a clip
//! does not.

use glam::Vec3;
use rayon::prelude::*;
use sinew::mesh::Aabb;

use crate::poser::{largest_angle_degrees, scaled};
use crate::study::{Bench, Filter, Skipped};
use crate::subject::{NamedPose, Subject};
use sinew::skeleton::{Pose, Skeleton};

/// Frames a second of a clip.
const CLIP_HERTZ: f64 = 60.0;

/// Clips of a character that are looked at, and frames of each: the first ones.
const MOST_CLIPS: usize = 8;
const MOST_FRAMES: usize = 150;

/// What moves a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// From rest to each of its poses.
    Sweeps,
    /// Its own clips.
    Clips,
}

/// One motion of a subject.
struct Path<'a> {
    name: &'a str,
    num_steps: usize,
    pose_at: Box<dyn Fn(usize) -> Pose + Sync + 'a>,
}

/// What a sweep to one pose came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Popping {
    /// The subject's name.
    pub subject: String,
    /// The pose's or the clip's name.
    pub pose: String,
    /// The method's name.
    pub method: String,
    /// The largest second difference over the diagonal.
    pub largest: f64,
    /// The step in which it was, from 0.
    pub step: usize,
}

/// Moves every subject that the filter takes, with every method.
pub fn run(subjects: &[Subject], filter: &Filter, motion: Motion) -> (Vec<Popping>, Vec<Skipped>) {
    let mut poppings = Vec::new();
    let mut skipped = Vec::new();
    for subject in subjects.iter().filter(|s| Filter::takes(&filter.subjects, &s.name)) {
        let paths = match motion {
            Motion::Sweeps => sweeps(subject, filter),
            Motion::Clips => clips(subject),
        };
        if paths.is_empty() {
            continue;
        }
        let bench = Bench::new(subject);
        let methods = filter.methods();
        let results: Vec<_> = methods
            .par_iter()
            .map(|method| -> Result<Vec<Popping>, String> {
                let plan = bench.bind(method)?;
                let one = |path: &Path<'_>| {
                    let deform = |step: usize| bench.deform(&plan, &(path.pose_at)(step));
                    let (largest, step) = largest_second_difference(path.num_steps, &deform);
                    Popping {
                        subject: subject.name.clone(),
                        pose: path.name.to_owned(),
                        method: method.name.clone(),
                        largest: largest / diagonal(bench.rest()),
                        step,
                    }
                };
                Ok(paths.par_iter().map(one).collect())
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

fn sweeps<'a>(subject: &'a Subject, filter: &Filter) -> Vec<Path<'a>> {
    let path = |pose: &'a NamedPose| {
        let num_steps = largest_angle_degrees(&pose.pose).round().max(2.0) as usize;
        let pose_at = move |step: usize| scaled(&pose.pose, step as f64 / num_steps as f64);
        Path { name: &pose.name, num_steps, pose_at: Box::new(pose_at) }
    };
    filter.poses_of(subject).into_iter().map(path).collect()
}

/// Those that are long enough to have a second difference.
fn clips(subject: &Subject) -> Vec<Path<'_>> {
    let skeleton: &Skeleton = &subject.character.skeleton;
    subject
        .character
        .clips
        .iter()
        .map(|clip| {
            let num_steps = (clip.duration_seconds() * CLIP_HERTZ).floor() as usize;
            let motion = sinew::motion::Motion::of_clip(clip, skeleton);
            let pose_at = move |step: usize| motion.pose_at(skeleton, step as f64 / CLIP_HERTZ);
            Path {
                name: &clip.name,
                num_steps: num_steps.min(MOST_FRAMES),
                pose_at: Box::new(pose_at),
            }
        })
        .filter(|path| path.num_steps >= 2)
        .take(MOST_CLIPS)
        .collect()
}

fn diagonal(points: &[Vec3]) -> f64 {
    f64::from(Aabb::around(points.iter().copied()).diagonal())
}

/// The largest second difference of `at(t)` over `t = 0..=steps`, and its step. Points that are not
/// finite count as infinitely far.
fn largest_second_difference(steps: usize, at: &dyn Fn(usize) -> Vec<Vec3>) -> (f64, usize) {
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
        let even = |t: usize| vec![Vec3::X * t as f32];
        assert_eq!(largest_second_difference(8, &even), (0.0, 0));
        let jump = |t: usize| vec![Vec3::X * if t > 6 { 0.5 } else { 0.0 }];
        assert_eq!(largest_second_difference(10, &jump), (0.5, 6));
    }

    #[test]
    fn what_is_not_finite_is_the_largest_jump() {
        let bad = |t: usize| vec![if t > 2 { Vec3::NAN } else { Vec3::ZERO }];
        assert_eq!(largest_second_difference(4, &bad).0, f64::INFINITY);
    }
}
