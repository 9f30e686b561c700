//! What the cases of the frame run.

use std::sync::Arc;

use glam::Vec3;
use sinew::frame::{Controls, Mover, Normals, Plan, Rig};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::shape::BlendShape;
use sinew::skin::{SkinMethod, SkinRest};
use sinew::springs::{SpringFrame, SpringModel, SpringSettings};
use sinew::{Character, Part};

use super::{Beside, SIZE};
use crate::bench::cases::Fixtures;
use crate::bench::springs::Bound;
use crate::exit::Failure;

/// Shapes of a face, and how many of them a clip moves at once.
const NUM_SHAPES: usize = 64;
const NUM_MOVING: usize = 4;

/// Points of the body whose shapes are timed alone.
const SHAPED_POINTS: usize = 20_000;

/// Above this share of the height is the face.
const FACE_FROM: f32 = 0.88;

/// How far a shape takes a point, metres.
const SHAPE_METRES: f32 = 0.004;

/// The iterations that a refit of springs is held against.
const ITERATIONS: u32 = 50;

pub(super) type Work = Box<dyn FnMut() + Send>;

/// What is run again and again.
pub(super) struct Prepared {
    pub(super) num_points: usize,
    pub(super) run: Work,
    /// What it stands beside, if anything.
    pub(super) beside: Option<(&'static str, Work)>,
}

/// Frames of a plan in poses that are never the one before; what `change` does to the controls
/// comes on top.
fn frames(
    plan: Plan,
    mut controls: Controls,
    mut change: impl FnMut(&mut Controls, f32) + Send + 'static,
) -> Work {
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    let mut number = 0u32;
    Box::new(move || {
        number += 1;
        // Back and forth by a hair: the same work in each.
        let step = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
        if let Some(joint) = controls.pose.joints.first_mut() {
            joint.translation.x += f64::from(step) * 1e-4;
        }
        change(&mut controls, step);
        plan.run(&controls, &mut scratch, &mut frame);
        std::hint::black_box(&frame);
    })
}

pub(super) fn run(method: SkinMethod, fixtures: &mut Fixtures) -> Result<Prepared, Failure> {
    let character = fixtures.whole(SIZE);
    let plan = Plan::bind(&character, &Rig::of(method).with_normals(Normals::Off), &Silent)?;
    let pose = fixtures.character(SIZE).pose();
    let palette = fixtures.character(SIZE).palette();
    let num_points = character.num_points();
    let kernel: Work = match plan.part(0).mover() {
        Mover::Skin(skin) => {
            let (skin, mut out) = (skin.clone(), vec![Vec3::ZERO; num_points]);
            Box::new(move || {
                skin.deform(&palette, &mut out, &mut []);
                std::hint::black_box(&out);
            })
        }
        Mover::AtRest | Mover::Springs(_) => unreachable!("the tube has weights, and no springs"),
    };
    let run = frames(plan, Controls::posed(&character, pose), |_, _| {});
    Ok(Prepared { num_points, run, beside: Some(("its kernel", kernel)) })
}

/// A rest and one near to it, in turns.
fn two_rests(rest: &[Vec3]) -> [Vec<Vec3>; 2] {
    [rest.to_vec(), rest.iter().map(|&p| 1.001 * p).collect()]
}

pub(super) fn refit(method: SkinMethod, fixtures: &mut Fixtures) -> Prepared {
    let character = fixtures.character(SIZE);
    // Without normals: they are found anew, and that is not the refit's.
    let mut skin = fixtures.bare_skin(method, SIZE);
    let rests = two_rests(&character.positions);
    let centers = two_rests(skin.centers());
    let mut number = 0;
    let num_points = skin.num_points();
    let run = Box::new(move || {
        number = 1 - number;
        skin.refit(&SkinRest {
            positions: &rests[number],
            normals: &[],
            centers: &centers[number],
            skeleton: &character.skeleton,
        });
        std::hint::black_box(&skin);
    });
    Prepared { num_points, run, beside: None }
}

pub(super) fn refit_springs(bound: &Bound) -> Prepared {
    let skeleton = bound.character.skeleton.clone();
    let rests = two_rests(bound.character.parts[0].mesh.points());
    let mut rig = bound.rig.clone();
    let num_points = rig.num_points();
    let mut number = 0;
    let run = Box::new(move || {
        number = 1 - number;
        rig.refit(&rests[number], &skeleton);
        std::hint::black_box(&rig);
    });
    // Delta mush is bound with its iterations: its own frame, then.
    let rig = bound.rig.clone().with_iterations(ITERATIONS).unwrap_or_else(|| bound.rig.clone());
    let palette = bound.palette.clone();
    let (mut scratch, mut out) = (rig.scratch(), vec![Vec3::ZERO; num_points]);
    let frame: Work = Box::new(move || {
        rig.deform(&SpringFrame::new(&palette), &mut scratch, &mut out);
        std::hint::black_box(&out);
    });
    Prepared { num_points, run, beside: Some(("50 iterations", frame)) }
}

/// Shapes that move the face: each in a way of its own.
fn face_shapes(part: &Part) -> Vec<BlendShape> {
    let points = part.mesh.points();
    let heights = points.iter().map(|p| p.y);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(l, h), y| (l.min(y), h.max(y)));
    let from = low + FACE_FROM * (high - low);
    let shape = |number: usize| {
        let phase = number as f32;
        let delta = |p: &Vec3| match p.y > from {
            true => {
                SHAPE_METRES
                    * Vec3::new((90.0 * p.y + phase).sin(), (70.0 * p.x).cos(), phase.cos())
            }
            false => Vec3::ZERO,
        };
        let deltas = points.iter().map(delta).collect();
        BlendShape { name: format!("face_{number}"), deltas, rest_weight: 0.0 }
    };
    (0..NUM_SHAPES).map(shape).collect()
}

/// As the table's: no threshold, and no normals.
fn rig_of(settings: SpringSettings) -> Rig {
    Rig::relaxed(SpringSettings { threshold: 0.0, ..settings }).with_normals(Normals::Off)
}

/// Shapes of a face on a body of 20,000 points, a few of which move: the rest that the skin is then
/// made of.
pub(super) fn shapes() -> Result<Prepared, Failure> {
    let options =
        SampleOptions { points: Some(SHAPED_POINTS), ..SampleOptions::new(SampleKind::Human) };
    let mut character = build(&options).map_err(|error| Failure::Input(error.to_string()))?;
    let mut part = character.parts.swap_remove(0);
    part.shapes = face_shapes(&part);
    let num_points = part.mesh.points().len();
    let (mut weights, mut out) = (vec![0.0; NUM_SHAPES], vec![Vec3::ZERO; num_points]);
    let mut number = 0u32;
    let run = Box::new(move || {
        number += 1;
        for (shape, weight) in weights.iter_mut().take(NUM_MOVING).enumerate() {
            *weight = (0.1 * number as f32 + shape as f32).sin();
        }
        part.shape_points(&weights, &mut out);
        std::hint::black_box(&out);
    });
    Ok(Prepared { num_points, run, beside: None })
}

pub(super) fn face_clip(model: SpringModel, bound: &Bound) -> Result<Prepared, Failure> {
    let mut character = bound.character.clone();
    character.parts[0].shapes = face_shapes(&character.parts[0]);
    let character = Arc::new(character);
    let plan = Plan::bind(&character, &rig_of(SpringSettings::new(model)), &Silent)?;
    let controls = Controls::posed(&character, bound.pose.clone());
    let still = frames(plan.clone(), controls.clone(), |_, _| {});
    let run = frames(plan, controls, |controls, step| {
        for weight in &mut controls.parts[0].shape_weights[..NUM_MOVING] {
            *weight = 0.5 + 0.01 * step;
        }
    });
    let num_points = character.num_points();
    Ok(Prepared { num_points, run, beside: Some(("its springs", still)) })
}

pub(super) fn stiffness(beside: Beside, bound: &Bound) -> Result<Prepared, Failure> {
    let character = Arc::new(Character::clone(&bound.character));
    let rig = rig_of(SpringSettings::new(SpringModel::Anchored));
    let mut plan = Plan::bind(&character, &rig, &Silent)?;
    let controls = Controls::posed(&character, bound.pose.clone());
    let num_points = character.num_points();
    let other = match beside {
        Beside::Frame => ("a frame", frames(plan.clone(), controls.clone(), |_, _| {})),
        Beside::Bind => {
            let rig = rig.clone();
            let bind: Work = Box::new(move || {
                std::hint::black_box(Plan::bind(&character, &rig, &Silent).ok());
            });
            ("a bind", bind)
        }
    };
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    let rigs = [1.0, 1.5].map(|length| {
        let mut other = rig.clone();
        if let Some(springs) = &mut other.springs {
            springs.coefficients.length = length;
        }
        other
    });
    let mut number = 0;
    let run = Box::new(move || {
        number = 1 - number;
        // Stiffness is live: it is taken.
        let is_taken = plan.adjust(&rigs[number]).is_ok_and(|is_taken| is_taken);
        assert!(is_taken, "another stiffness needs no bind");
        plan.run(&controls, &mut scratch, &mut frame);
        std::hint::black_box(&frame);
    });
    Ok(Prepared { num_points, run, beside: Some(other) })
}
