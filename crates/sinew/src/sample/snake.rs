//! `snake`: four metres of it on the ground, tail first, heading +X, in a gentle serpentine.
//!
//! The spine is the serpenoid curve, whose heading swings as `A·sin(2πks/L)` along it (Hirose
//! 1993); it lies flat, so that turning its frames with the heading alone is parallel transport.
//! Sections with a flat belly are swept along it, their rings evenly spaced over the outline, and
//! close in a point at either end: s segments and r rings make sr + 2 points, 120 × 1,000 at the
//! default. A wish for points is met to within a ring, r ≈ 8⅓s.
//!
//! Joints: `spine_0` (the root, at the tail), `spine_1` …, `head`, equally long. Weights are the
//! uniform cubic B-spline over the bones, so that four joints share a point. Joints' z points up:
//! `z` bends sideways. Clip: `slither`.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::SampleError;
use super::chain::{cleaned, joint};
use super::surface::{Corner, Surface, WeightRow};
use crate::character::Character;
use crate::motion::{Channel, Clip, Curve, Track};
use crate::skeleton::Skeleton;

const LENGTH: f64 = 4.0;
/// How far the heading swings to either side.
const SWING_RADIANS: f64 = 0.75;
/// Waves on the whole body.
const NUM_WAVES: f64 = 1.75;
/// Of the spine above the ground.
const SPINE_Y: f64 = 0.06;
const SLITHER_SECONDS: f64 = 2.0;
const SLITHER_SPANS: usize = 32;

/// Half width and half height at a distance from the tail's tip, metres. Between them a monotone
/// cubic runs.
const PROFILE: [(f64, [f64; 2]); 14] = [
    (0.000, [0.0050, 0.0050]),
    (0.300, [0.0180, 0.0170]),
    (0.800, [0.0420, 0.0400]),
    (1.400, [0.0650, 0.0600]),
    (2.200, [0.0760, 0.0690]),
    (2.900, [0.0680, 0.0620]),
    (3.400, [0.0490, 0.0460]),
    (3.640, [0.0400, 0.0380]),
    (3.740, [0.0460, 0.0390]),
    (3.810, [0.0600, 0.0430]),
    (3.860, [0.0600, 0.0430]),
    (3.920, [0.0470, 0.0370]),
    (3.970, [0.0360, 0.0290]),
    (4.000, [0.0310, 0.0250]),
];
/// How long the rounding of either end is.
const TAIL_ROUNDING: f64 = 0.02;
const SNOUT_ROUNDING: f64 = 0.035;
/// The eyes: how far along, how high around (from the side up), how wide, how far out.
const EYE: (f64, f64, f64, f64) = (3.912, 0.6, 0.017, 0.007);

pub(super) fn build(num_points: usize, num_bones: usize) -> Result<Character, SampleError> {
    let spine = Spine::at_phase(0.0);
    let skeleton = skeleton(&spine, num_bones)?;
    let mut surface = Surface::default();
    // Square quads: the outline is about 8⅓ times as long as the belly is round.
    let segments = (((num_points - 2) as f64 * 0.12).sqrt().round() as usize).max(8);
    let rings = ((num_points - 2) as f64 / segments as f64).round() as usize;
    fill(&mut surface, &spine, (segments, rings), num_bones);
    let clips = vec![slither(&skeleton)];
    surface.into_character("snake", skeleton, clips)
}

/// The spine at one phase of the slither, its mean at rest.
struct Spine {
    phase: f64,
    points: Vec<DVec3>,
}

impl Spine {
    /// Enough that Simpson's rule is exact to rounding.
    const STEPS: usize = 2_000;

    fn at_phase(phase: f64) -> Self {
        let step = LENGTH / Self::STEPS as f64;
        let mut points = vec![DVec3::ZERO];
        for k in 0..Self::STEPS {
            let s = k as f64 * step;
            let mean = (direction(heading(s, phase))
                + direction(heading(s + step / 2.0, phase)) * 4.0
                + direction(heading(s + step, phase)))
                / 6.0;
            points.push(points[k] + mean * step);
        }
        let mean = points.iter().sum::<DVec3>() / points.len() as f64;
        for point in &mut points {
            *point += DVec3::Y * SPINE_Y - mean;
        }
        Self { phase, points }
    }

    fn point(&self, s: f64) -> DVec3 {
        let k = ((s / LENGTH * Self::STEPS as f64) as usize).min(Self::STEPS - 1);
        let start = k as f64 * LENGTH / Self::STEPS as f64;
        // A second-order step from the nearest known point.
        let middle = heading((start + s) / 2.0, self.phase);
        self.points[k] + direction(middle) * (s - start)
    }

    /// Heads of the bones, and the tail of the last.
    fn bone_ends(&self, num_bones: usize) -> Vec<DVec3> {
        (0..=num_bones).map(|k| self.point(LENGTH * k as f64 / num_bones as f64)).collect()
    }
}

fn heading(s: f64, phase: f64) -> f64 {
    SWING_RADIANS * (TAU * (NUM_WAVES * s / LENGTH - phase)).sin()
}

fn direction(heading: f64) -> DVec3 {
    DVec3::new(heading.cos(), 0.0, -heading.sin())
}

/// The frame whose y runs along `direction` on the ground and whose z points up.
fn frame(direction: DVec3) -> DQuat {
    let y = direction.normalize();
    DQuat::from_mat3(&DMat3::from_cols(y.cross(DVec3::Y), y, DVec3::Y))
}

fn skeleton(spine: &Spine, num_bones: usize) -> Result<Skeleton, SampleError> {
    let ends = spine.bone_ends(num_bones);
    let mut joints = Vec::with_capacity(num_bones);
    let mut parent_frame = DQuat::IDENTITY;
    let mut parent_head = DVec3::ZERO;
    for (k, pair) in ends.windows(2).enumerate() {
        let frame = frame(pair[1] - pair[0]);
        let name = if k + 1 == num_bones { "head".into() } else { format!("spine_{k}") };
        let into_parent = parent_frame.inverse();
        let rest = (into_parent * (pair[0] - parent_head), (into_parent * frame).normalize());
        joints.push(joint(name, (k as u32).checked_sub(1), rest, pair[1].distance(pair[0])));
        (parent_frame, parent_head) = (frame, pair[0]);
    }
    Ok(Skeleton::new(joints)?)
}

/// The wave runs from head to tail once, the middle of the body in its place.
fn slither(skeleton: &Skeleton) -> Clip {
    let num_bones = skeleton.len();
    let mut rotations = vec![Vec::new(); num_bones];
    let mut root_translations = Vec::new();
    for key in 0..=SLITHER_SPANS {
        // The last key has the bits of the first, so that the loop closes.
        let phase = (key % SLITHER_SPANS) as f64 / SLITHER_SPANS as f64;
        let ends = Spine::at_phase(phase).bone_ends(num_bones);
        root_translations.push(ends[0]);
        let mut parent_frame = DQuat::IDENTITY;
        for (pair, rotations) in ends.windows(2).zip(&mut rotations) {
            let frame = frame(pair[1] - pair[0]);
            rotations.push((parent_frame.inverse() * frame).normalize());
            parent_frame = frame;
        }
    }
    let times_seconds: Vec<f64> = (0..=SLITHER_SPANS)
        .map(|key| key as f64 * SLITHER_SECONDS / SLITHER_SPANS as f64)
        .collect();
    let translation = Curve::linear(times_seconds.clone(), root_translations);
    let mut tracks = vec![Track { joint: 0, channel: Channel::Translation(translation) }];
    tracks.extend((0..).zip(rotations).map(|(joint, keys)| Track {
        joint,
        channel: Channel::Rotation(Curve::linear(times_seconds.clone(), keys)),
    }));
    Clip::new("slither", tracks)
}

fn weights_at(s: f64, num_bones: usize) -> WeightRow {
    // Bones count from their middles; beyond the ends the last bone stands in for those that are
    // not there.
    let x = s / LENGTH * num_bones as f64 - 0.5;
    let first = x.floor();
    let t = x - first;
    let basis = [
        (1.0 - t).powi(3) / 6.0,
        (3.0 * t.powi(3) - 6.0 * t * t + 4.0) / 6.0,
        (-3.0 * t.powi(3) + 3.0 * t * t + 3.0 * t + 1.0) / 6.0,
        t.powi(3) / 6.0,
    ];
    let mut row: WeightRow = Vec::new();
    for (k, weight) in (-1..3).zip(basis) {
        let bone = (first as i64 + k).clamp(0, num_bones as i64 - 1) as u32;
        match row.last_mut() {
            Some((last, sum)) if *last == bone => *sum += weight,
            _ => row.push((bone, weight)),
        }
    }
    cleaned(row)
}

/// Half width and half height, rounded off at both ends.
fn half_sizes(s: f64) -> [f64; 2] {
    let rounding = |from_end: f64, length: f64| {
        let t = 1.0 - (from_end / length).clamp(0.0, 1.0);
        (1.0 - t * t).max(0.0).sqrt()
    };
    let round = rounding(s, TAIL_ROUNDING) * rounding(LENGTH - s, SNOUT_ROUNDING);
    profile_at(s).map(|half| half * round)
}

/// Distances along the spine whose rings are evenly spaced over the outline, the two ends not among
/// them.
fn ring_places(rings: usize) -> Vec<f64> {
    const STEPS: usize = 40_000;
    // Dense at both ends, where the outline is steep.
    let place = |k: usize| LENGTH * (FRAC_PI_2 * k as f64 / STEPS as f64 * 2.0).sin().powi(2);
    let place = |k: usize| {
        if 2 * k <= STEPS { place(k) / 2.0 } else { LENGTH - place(STEPS - k) / 2.0 }
    };
    let mut lengths = vec![0.0];
    for k in 0..STEPS {
        let (from, to) = (place(k), place(k + 1));
        let rise = half_sizes(to)[0] - half_sizes(from)[0];
        lengths.push(lengths[k] + (to - from).hypot(rise));
    }
    let total = lengths[STEPS];
    (1..=rings)
        .map(|ring| {
            let wanted = total * ring as f64 / (rings + 1) as f64;
            let k = lengths.partition_point(|&length| length <= wanted).clamp(1, STEPS) - 1;
            let t = (wanted - lengths[k]) / (lengths[k + 1] - lengths[k]).max(1e-12);
            place(k) + (place(k + 1) - place(k)) * t
        })
        .collect()
}

/// A point of the section: `angle` from the snake's left (0) over its back (π/2).
fn skin_point(spine: &Spine, s: f64, angle: f64) -> DVec3 {
    let [width, height] = half_sizes(s);
    let (sine, cosine) = angle.sin_cos();
    // The belly: the lower half flattened.
    let up = if sine < 0.0 { sine * (1.0 - 0.25 * sine * sine) } else { sine };
    // The body lies on the ground while the spine stays level.
    let lift = profile_at(s)[1] * 0.75 - SPINE_Y;
    let along = direction(heading(s, spine.phase));
    let left = DVec3::Y.cross(along);
    let on_section = left * (width * cosine) + DVec3::Y * (height * up);
    let mut point = spine.point(s) + DVec3::Y * lift + on_section;

    let (eye_s, eye_angle, eye_size, eye_out) = EYE;
    let across = (angle.sin() - eye_angle.sin()) * height;
    let distance = (s - eye_s).hypot(across) / eye_size;
    if distance < 1.0 {
        point += on_section.normalize_or_zero() * eye_out * (1.0 - distance * distance).powi(2);
    }
    point
}

fn fill(surface: &mut Surface, spine: &Spine, counts: (usize, usize), num_bones: usize) {
    let (segments, num_rings) = counts;
    let places = ring_places(num_rings);
    let pole = |surface: &mut Surface, s: f64| {
        surface.point(skin_point(spine, s, 0.0), weights_at(s, num_bones))
    };
    let tail = pole(surface, 0.0);
    let rings: Vec<Vec<u32>> = places
        .iter()
        .map(|&s| {
            let row = weights_at(s, num_bones);
            (0..segments)
                .map(|k| {
                    // The seam of the texture runs along the belly.
                    let angle = TAU * k as f64 / segments as f64 - FRAC_PI_2;
                    surface.point(skin_point(spine, s, angle), row.clone())
                })
                .collect()
        })
        .collect();
    let snout = pole(surface, LENGTH);

    let uv = |k: f64, s: f64| DVec2::new(k / segments as f64, s / LENGTH);
    let corner = |ring: usize, k: usize| -> Corner {
        (rings[ring][k % segments], uv(k as f64, places[ring]))
    };
    let last = num_rings - 1;
    for k in 0..segments {
        let between = k as f64 + 0.5;
        surface.triangle([(tail, uv(between, 0.0)), corner(0, k + 1), corner(0, k)], 0);
    }
    for ring in 0..last {
        for k in 0..segments {
            let quad = [
                corner(ring, k),
                corner(ring, k + 1),
                corner(ring + 1, k + 1),
                corner(ring + 1, k),
            ];
            surface.quad(quad, 0);
        }
    }
    for k in 0..segments {
        let between = k as f64 + 0.5;
        surface.triangle([(snout, uv(between, LENGTH)), corner(last, k), corner(last, k + 1)], 0);
    }
}

/// The profile at a distance: a monotone cubic through its rows (Fritsch and Carlson 1980), so that
/// nothing bulges between them.
fn profile_at(s: f64) -> [f64; 2] {
    let last = PROFILE.len() - 1;
    let k = PROFILE.partition_point(|row| row.0 <= s).clamp(1, last) - 1;
    let width = PROFILE[k + 1].0 - PROFILE[k].0;
    let t = ((s - PROFILE[k].0) / width).clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        let secant =
            |k: usize| (PROFILE[k + 1].1[i] - PROFILE[k].1[i]) / (PROFILE[k + 1].0 - PROFILE[k].0);
        let slope = |k: usize| {
            if k == 0 {
                return secant(0);
            }
            if k == last {
                return secant(last - 1);
            }
            let (before, after) = (secant(k - 1), secant(k));
            if before * after <= 0.0 { 0.0 } else { 2.0 * before * after / (before + after) }
        };
        let (from, to) = (PROFILE[k].1[i], PROFILE[k + 1].1[i]);
        let (t2, t3) = (t * t, t * t * t);
        from * (2.0 * t3 - 3.0 * t2 + 1.0)
            + slope(k) * width * (t3 - 2.0 * t2 + t)
            + to * (3.0 * t2 - 2.0 * t3)
            + slope(k + 1) * width * (t3 - t2)
    })
}
