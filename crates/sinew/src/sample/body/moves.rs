//! Small looping clips, keyed from curves in the phase of a cycle.
//!
//! A move is a list of `(joint, axis, turn in degrees at a phase)`; keys are absolute local
//! rotations, `rest · turn`, sixteen a cycle and one more that closes the loop.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use crate::motion::{Channel, Clip, Curve, Track};
use crate::skeleton::Skeleton;

const KEYS: usize = 16;

/// Turns of one joint about its own x, y, z, in degrees, at a phase of 0 to 1.
type Turn<'a> = (String, Box<dyn Fn(f64) -> [f64; 3] + 'a>);

/// Gathers the turns of a clip.
struct Moves<'a> {
    turns: Vec<Turn<'a>>,
    /// Offset of the first joint, metres in model space, at a phase.
    root: Box<dyn Fn(f64) -> DVec3 + 'a>,
}

impl<'a> Moves<'a> {
    fn new(root: impl Fn(f64) -> DVec3 + 'a) -> Self {
        Self { turns: Vec::new(), root: Box::new(root) }
    }

    fn turn(&mut self, joint: &str, turn: impl Fn(f64) -> [f64; 3] + 'a) {
        self.turns.push((joint.to_owned(), Box::new(turn)));
    }

    /// The same on both sides, the right half a cycle later. Turns about y and z are mirrored.
    fn alternate(&mut self, joint: &str, turn: impl Fn(f64) -> [f64; 3] + Clone + 'a) {
        self.turn(&format!("{joint}_l"), turn.clone());
        self.turn(&format!("{joint}_r"), move |phase| {
            let [x, y, z] = turn((phase + 0.5).fract());
            [x, -y, -z]
        });
    }

    /// The same on both sides at once.
    fn both(&mut self, joint: &str, turn: impl Fn(f64) -> [f64; 3] + Clone + 'a) {
        self.turn(&format!("{joint}_l"), turn.clone());
        self.turn(&format!("{joint}_r"), move |phase| {
            let [x, y, z] = turn(phase);
            [x, -y, -z]
        });
    }

    fn clip(&self, name: &str, seconds: f64, skeleton: &Skeleton) -> Clip {
        let times_seconds: Vec<f64> =
            (0..=KEYS).map(|key| seconds * key as f64 / KEYS as f64).collect();
        let phases = (0..=KEYS).map(|key| (key % KEYS) as f64 / KEYS as f64);
        let mut tracks = Vec::new();
        if let Some(first) = skeleton.joints().first() {
            let values =
                phases.clone().map(|phase| first.rest.translation + (self.root)(phase)).collect();
            tracks.push(Track {
                joint: 0,
                channel: Channel::Translation(Curve::linear(times_seconds.clone(), values)),
            });
        }
        for (joint, turn) in &self.turns {
            let Some(joint) = skeleton.find(joint) else { continue };
            let rest = skeleton.joints()[joint as usize].rest.rotation;
            let values = phases
                .clone()
                .map(|phase| {
                    let [x, y, z] = turn(phase).map(f64::to_radians);
                    rest * DQuat::from_rotation_z(z)
                        * DQuat::from_rotation_x(x)
                        * DQuat::from_rotation_y(y)
                })
                .collect();
            tracks.push(Track {
                joint,
                channel: Channel::Rotation(Curve::linear(times_seconds.clone(), values)),
            });
        }
        Clip::new(name, tracks)
    }
}

fn wave(phase: f64, shift: f64) -> f64 {
    (TAU * (phase + shift)).sin()
}

/// A smooth bump of height one around `at`, `width` of a cycle wide on each side.
fn bump(phase: f64, at: f64, width: f64) -> f64 {
    let d = ((phase - at + 0.5).rem_euclid(1.0) - 0.5).abs() / width;
    if d >= 1.0 { 0.0 } else { (1.0 - d * d).powi(2) }
}

/// Legs of a walk; phase 0 is the left heel's strike, 0.5 the right one's.
fn stride(moves: &mut Moves<'_>, reach: f64, lift: f64) {
    moves.alternate("thigh", move |p| {
        [reach * (0.15 + wave(p, 0.25)) + 0.35 * lift * bump(p, 0.82, 0.22), 0.0, 0.0]
    });
    moves.alternate("shin", move |p| {
        [4.0 + lift * bump(p, 0.74, 0.26) + 0.28 * lift * bump(p, 0.14, 0.16), 0.0, 0.0]
    });
    moves.alternate("foot", move |p| {
        // Toes up at the strike, flat while it bears, pushing off at the end.
        [0.45 * reach * bump(p, 0.0, 0.14) - 0.8 * reach * bump(p, 0.60, 0.16), 0.0, 0.0]
    });
    moves.alternate("toes", move |p| [reach * bump(p, 0.54, 0.12), 0.0, 0.0]);
}

/// `walk` and `wave`.
pub(super) fn human(skeleton: &Skeleton) -> Vec<Clip> {
    let mut walk = Moves::new(|p| {
        DVec3::new(0.014 * wave(p, 0.0), -0.020 + 0.014 * -(2.0 * TAU * p).cos(), 0.0)
    });
    stride(&mut walk, 24.0, 58.0);
    walk.turn("hips", |p| [3.0, 6.0 * wave(p, 0.25), 2.5 * wave(p, 0.0)]);
    walk.turn("spine_1", |p| [1.0, -4.0 * wave(p, 0.25), -1.5 * wave(p, 0.0)]);
    walk.turn("spine_2", |p| [0.0, -5.0 * wave(p, 0.25), -wave(p, 0.0)]);
    walk.turn("spine_3", |p| [0.0, -5.0 * wave(p, 0.25), 0.0]);
    walk.turn("head", |p| [-3.0, 5.0 * wave(p, 0.25), 0.0]);
    // Arms hang at the sides and swing against the legs.
    walk.alternate("upper_arm", |p| [-20.0 * wave(p, 0.22), 0.0, -34.0]);
    walk.alternate("forearm", |p| [22.0 - 12.0 * wave(p, 0.18), 0.0, 0.0]);
    walk.both("hand", |_| [4.0, 0.0, 0.0]);
    for finger in ["index", "middle", "ring", "pinky"] {
        for (phalanx, turn) in [(1, 14.0), (2, 20.0), (3, 12.0)] {
            walk.both(&format!("{finger}_{phalanx}"), move |_| [turn, 0.0, 0.0]);
        }
    }

    let mut greet = Moves::new(|p| DVec3::new(0.004 * wave(p, 0.0), 0.0, 0.0));
    greet.turn("upper_arm_l", |p| [14.0, 0.0, 62.0 + 4.0 * wave(2.0 * p, 0.0)]);
    greet.turn("forearm_l", |p| [10.0, -60.0, 42.0 + 22.0 * wave(2.0 * p, 0.0)]);
    greet.turn("forearm_twist_l", |_| [0.0, -25.0, 0.0]);
    greet.turn("hand_l", |p| [0.0, -20.0, 10.0 * wave(2.0 * p, -0.1)]);
    greet.turn("clavicle_l", |_| [10.0, 0.0, 0.0]);
    greet.turn("upper_arm_r", |p| [2.0 * wave(p, 0.0), 0.0, 32.0]);
    greet.turn("forearm_r", |_| [16.0, 0.0, 0.0]);
    greet.turn("spine_2", |p| [0.0, 0.0, 2.0 + 1.5 * wave(p, 0.1)]);
    greet.turn("head", |p| [2.0, 6.0, 4.0 * wave(p, 0.0)]);
    greet.both("lip_corner", |_| [10.0, 0.0, 0.0]);
    greet.both("cheek", |_| [8.0, 0.0, 0.0]);
    vec![walk.clip("walk", 1.1, skeleton), greet.clip("wave", 1.6, skeleton)]
}

/// `walk` and `dance`.
pub(super) fn chibi(skeleton: &Skeleton) -> Vec<Clip> {
    let mut walk = Moves::new(|p| {
        DVec3::new(0.010 * wave(p, 0.0), 0.006 - 0.010 * (2.0 * TAU * p).cos(), 0.0)
    });
    stride(&mut walk, 30.0, 46.0);
    walk.turn("hips", |p| [2.0, 8.0 * wave(p, 0.25), 5.0 * wave(p, 0.0)]);
    walk.turn("chest", |p| [0.0, -12.0 * wave(p, 0.25), -3.0 * wave(p, 0.0)]);
    walk.turn("head", |p| [2.0 * wave(2.0 * p, 0.1), 5.0 * wave(p, 0.25), 3.0 * wave(p, -0.1)]);
    walk.alternate("upper_arm", |p| [-30.0 * wave(p, 0.22), 0.0, -12.0]);
    walk.both("forearm", |_| [24.0, 0.0, 0.0]);
    walk.both("hair_side", |p| [6.0 + 7.0 * wave(2.0 * p, -0.15), 0.0, 0.0]);
    walk.turn("hair", |p| [5.0 + 5.0 * wave(2.0 * p, -0.15), 0.0, 0.0]);

    let mut dance = Moves::new(|p| {
        DVec3::new(0.028 * wave(p, 0.0), -0.012 + 0.012 * (2.0 * TAU * p).cos(), 0.0)
    });
    dance.turn("hips", |p| [0.0, 10.0 * wave(p, 0.0), -7.0 * wave(p, 0.0)]);
    dance.turn("spine", |p| [0.0, 0.0, 6.0 * wave(p, 0.0)]);
    dance.turn("chest", |p| [0.0, -14.0 * wave(p, 0.0), 6.0 * wave(p, 0.0)]);
    dance.turn("head", |p| [4.0 * wave(2.0 * p, 0.0), 0.0, -9.0 * wave(p, 0.05)]);
    dance.alternate("upper_arm", |p| [20.0, 0.0, 22.0 + 38.0 * wave(p, 0.0)]);
    dance.alternate("forearm", |p| [60.0 + 24.0 * wave(p, 0.1), 0.0, 0.0]);
    dance.alternate("thigh", |p| [14.0 * bump(p, 0.75, 0.22), 0.0, 6.0 * wave(p, 0.0)]);
    dance.alternate("shin", |p| [40.0 * bump(p, 0.75, 0.22), 0.0, 0.0]);
    dance.alternate("hair_side", |p| [8.0 + 14.0 * wave(p, -0.12), 0.0, 0.0]);
    dance.turn("hair", |p| [4.0 * wave(2.0 * p, -0.1), 0.0, 8.0 * wave(p, -0.1)]);
    vec![walk.clip("walk", 0.8, skeleton), dance.clip("dance", 1.2, skeleton)]
}

/// `stomp`.
pub(super) fn giant(skeleton: &Skeleton) -> Vec<Clip> {
    let mut stomp = Moves::new(|p| {
        DVec3::new(-0.09 * wave(p, 0.25), -0.05 - 0.03 * (2.0 * TAU * p).cos(), 0.0)
    });
    // Each foot rises, hangs and comes down hard.
    stomp
        .alternate("thigh", |p| [8.0 + 52.0 * bump(p, 0.26, 0.22), 0.0, 4.0 * bump(p, 0.26, 0.22)]);
    stomp.alternate("shin", |p| [12.0 + 62.0 * bump(p, 0.24, 0.22), 0.0, 0.0]);
    stomp.alternate("foot", |p| [4.0 - 14.0 * bump(p, 0.20, 0.18), 0.0, 0.0]);
    stomp.turn("hips", |p| [0.0, 0.0, 5.0 * wave(p, 0.0)]);
    stomp.turn("spine", |p| [6.0, 6.0 * wave(p, 0.0), -6.0 * wave(p, 0.0)]);
    stomp.turn("chest", |p| {
        [6.0 + 4.0 * wave(2.0 * p, 0.0), 8.0 * wave(p, 0.0), -4.0 * wave(p, 0.0)]
    });
    stomp.turn("head", |p| [-6.0, -10.0 * wave(p, 0.0), 3.0 * wave(p, 0.0)]);
    stomp.alternate("upper_arm", |p| [22.0 * wave(p, 0.5), 0.0, -10.0 + 8.0 * wave(p, 0.0)]);
    stomp.alternate("forearm", |p| [30.0 + 14.0 * wave(p, 0.4), 0.0, 0.0]);
    vec![stomp.clip("stomp", 1.8, skeleton)]
}

/// `fly`.
pub(super) fn bird(skeleton: &Skeleton) -> Vec<Clip> {
    let mut fly = Moves::new(|p| DVec3::new(0.0, -0.035 * wave(p, 0.0), 0.0));
    // The tips lag behind, so that a wing bends on its way up.
    fly.both("wing_1", |p| [8.0 + 34.0 * wave(p, 0.0), 0.0, 0.0]);
    fly.both("wing_2", |p| [-4.0 + 22.0 * wave(p, -0.12), 0.0, 0.0]);
    fly.both("wing_3", |p| [22.0 * wave(p, -0.22), 0.0, 0.0]);
    fly.turn("chest", |p| [-3.0 * wave(p, 0.1), 0.0, 0.0]);
    fly.turn("head", |p| [3.0 * wave(p, 0.1), 0.0, 0.0]);
    fly.turn("tail", |p| [6.0 * wave(p, 0.2), 0.0, 0.0]);
    vec![fly.clip("fly", 0.8, skeleton)]
}
