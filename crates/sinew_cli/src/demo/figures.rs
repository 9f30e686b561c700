//! Figures 4, 7 and 10 of the spring rigs paper with the paper's own model, Sinew's beside it. Its
//! Figures 5 and 6 are in `papers`, 1 and 8 in `strokes`.

use std::sync::Arc;

use sinew::Character;
use sinew::frame::{Controls, Rig};
use sinew::sample::SampleKind;
use sinew::skin::SkinMethod;
use sinew::springs::{Coefficients, SpringModel, SpringSettings};
use sinew_view::camera::Size;
use sinew_view::scene::Marks;

use super::Tour;
use super::papers::{Shown, posed, striped};
use super::section::sample;
use super::subject::SUBJECTS;
use super::{drawn, strokes};
use crate::contestant::Contestant;
use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::pose;
use crate::render::view::View;
use crate::render::{Ground, Shots};

/// A figure of the paper.
pub(super) struct Figure {
    pub(super) number: u32,
    pub(super) title: &'static str,
    pub(super) words: &'static str,
    /// Pictures a row.
    pub(super) columns: &'static str,
    pub(super) rows: Vec<Vec<Shown>>,
}

/// What is seen, and from where.
pub(super) struct Scene<'a> {
    pub(super) character: &'a Arc<Character>,
    pub(super) controls: &'a Controls,
    pub(super) view: View,
    pub(super) size: Size,
}

pub(super) const OURS: Contestant = Contestant::of_model(SpringModel::Anchored);
const PAPERS: Contestant = Contestant::of_model(SpringModel::Paper);

/// Scales of `F_a` in Figure 7. With 4 the explicit step diverges at the middle of the cylinder's
/// caps.
const TORQUES: [f32; 3] = [0.2, 1.0, 3.0];

/// Iterations in Figure 7.
const ITERATIONS: [u32; 3] = [10, 50, 200];

/// A back that bends and an arm that is raised: spine and shoulder are what Figure 10 is about.
const REACH: &[(&str, Axis, f64)] = &[
    ("spine_1", Axis::X, 30.0),
    ("spine_2", Axis::X, 25.0),
    ("spine_2", Axis::Twist, 20.0),
    ("neck", Axis::X, -20.0),
    ("clavicle_l", Axis::X, 20.0),
    ("upper_arm_l", Axis::Z, 85.0),
    ("upper_arm_r", Axis::X, 60.0),
    ("forearm_r", Axis::X, 80.0),
];

pub(super) fn build(tour: &mut Tour<'_>) -> Result<Vec<Figure>, Failure> {
    tour.step("the paper's figures")?;
    let mut all = strokes::build(tour)?;
    all.extend([drawn::build(tour)?, features(tour)?, stiffness(tour)?, spine(tour)?]);
    all.sort_by_key(|figure| figure.number);
    Ok(all)
}

pub(super) fn subject(kind: SampleKind) -> &'static super::subject::Subject {
    SUBJECTS.iter().find(|subject| subject.kind == kind).unwrap_or(&SUBJECTS[0])
}

pub(super) fn draw(
    tour: &mut Tour<'_>,
    scene: &Scene<'_>,
    named: (&str, String),
    by: (Contestant, Rig),
) -> Result<Shown, Failure> {
    draw_with(tour, scene, named, by, Marks::default())
}

/// The same with marks on it.
pub(super) fn draw_with(
    tour: &mut Tour<'_>,
    scene: &Scene<'_>,
    (name, words): (&str, String),
    (contestant, rig): (Contestant, Rig),
    marks: Marks,
) -> Result<Shown, Failure> {
    tour.console.check_interrupted()?;
    let base = Controls::rest(scene.character);
    let rigs = [(contestant.label(), rig)];
    let mut shots = Shots::bind(scene.character, &rigs, &base, tour.console, &tour.bar)?;
    shots.ground = Ground::UnderPose;
    let moments = [shots.pose(scene.controls)?];
    let camera = shots.framing(&moments, scene.view, scene.size, false);
    let (mut seen, _) = shots.scene(&moments[0][0], camera);
    seen.overlay.among.append(marks);
    let picture = tour.artist.draw(&seen, scene.size)?;
    let picture = tour.keep(name, &picture)?;
    Ok(Shown { picture, contestant, words })
}

fn relaxed(model: SpringModel, change: impl FnOnce(&mut SpringSettings)) -> Rig {
    let mut settings = SpringSettings::new(model);
    change(&mut settings);
    Rig::relaxed(settings)
}

/// Figure 4: `F_s` alone, and with `F_l`.
fn features(tour: &mut Tour<'_>) -> Result<Figure, Failure> {
    let arm = subject(SampleKind::Arm);
    let character = &Arc::new(sample(arm)?);
    let controls = &Controls::posed(character, arm.pose(character)?);
    let size = Size { width: 460, height: 400 };
    let scene = Scene { character, controls, view: arm.view, size };
    let only = |edge: f32, length: f32| {
        move |settings: &mut SpringSettings| {
            let scales =
                Coefficients { torque: 0.0, bone: 0.0, edge, length, ..Coefficients::default() };
            settings.coefficients = scales;
        }
    };
    let rows = vec![vec![
        draw(
            tour,
            &scene,
            ("figure-4-edges", "F_s alone".into()),
            (PAPERS, relaxed(SpringModel::Paper, only(1.0, 0.0))),
        )?,
        draw(
            tour,
            &scene,
            ("figure-4-lengths", "F_s and F_l".into()),
            (PAPERS, relaxed(SpringModel::Paper, only(1.0, 1.0))),
        )?,
        draw(
            tour,
            &scene,
            ("figure-4-ours", "Springs".into()),
            (OURS, relaxed(SpringModel::Anchored, |_| {})),
        )?,
    ]];
    Ok(Figure {
        number: 4,
        title: "what keeps a muscle",
        words: "Springs along the surface alone draw it together, and what stood out of it is gone; with the length to the bone it stays.",
        columns: "of3",
        rows,
    })
}

/// Figure 7: scales of `F_a` and numbers of iterations.
fn stiffness(tour: &mut Tour<'_>) -> Result<Figure, Failure> {
    let character = sample(subject(SampleKind::Cylinder))?;
    let view = View { yaw_degrees: 72.0, pitch_degrees: 10.0 };
    let size = Size { width: 460, height: 400 };
    let mut rows = Vec::new();
    let mut shown = |tour: &mut Tour<'_>, contestant: Contestant, model, iterations: u32| {
        let character = &Arc::new(striped(&character, contestant)?);
        let controls = &posed(character, Axis::X, 90.0)?;
        let scene = Scene { character, controls, view, size };
        let mut row = Vec::with_capacity(TORQUES.len());
        for torque in TORQUES {
            let rig = relaxed(model, |settings| {
                settings.iterations = iterations;
                // As many as the figure says.
                settings.threshold = 0.0;
                settings.coefficients.torque = torque;
            });
            let name = format!("figure-7-{}-{torque}-{iterations}", contestant.name());
            let words = format!("{}: k × {torque}, i = {iterations}", contestant.label());
            row.push(draw(tour, &scene, (&name, words), (contestant, rig))?);
        }
        rows.push(row);
        Ok::<(), Failure>(())
    };
    for iterations in ITERATIONS {
        shown(tour, PAPERS, SpringModel::Paper, iterations)?;
    }
    shown(tour, OURS, SpringModel::Anchored, 50)?;
    Ok(Figure {
        number: 7,
        title: "stiffness of F_a, and iterations",
        words: "The paper's springs have not come to rest when they stop, so that their number is part of the shape. Sinew's have one shape for a stiffness.",
        columns: "of3",
        rows,
    })
}

/// Figure 10: linear blend skinning, and springs on it.
fn spine(tour: &mut Tour<'_>) -> Result<Figure, Failure> {
    let character = &Arc::new(sample(subject(SampleKind::Human))?);
    let mut reach = sinew::skeleton::Pose::rest(&character.skeleton);
    for &(joint, axis, degrees) in REACH {
        pose::turn(character, &mut reach, joint, axis, degrees)?;
    }
    let controls = &Controls::posed(character, reach);
    let view = View { yaw_degrees: 150.0, pitch_degrees: 8.0 };
    let size = Size { width: 460, height: 575 };
    let scene = Scene { character, controls, view, size };
    let linear = Contestant::of_method(SkinMethod::Linear);
    let on_linear = |settings: &mut SpringSettings| settings.first_stage = SkinMethod::Linear;
    let rows = vec![vec![
        draw(
            tour,
            &scene,
            ("figure-10-linear", linear.label()),
            (linear, Rig::of(SkinMethod::Linear)),
        )?,
        draw(
            tour,
            &scene,
            ("figure-10-paper", "The paper's springs on it".into()),
            (PAPERS, relaxed(SpringModel::Paper, on_linear)),
        )?,
        draw(
            tour,
            &scene,
            ("figure-10-ours", "Springs on it".into()),
            (OURS, relaxed(SpringModel::Anchored, on_linear)),
        )?,
    ]];
    Ok(Figure {
        number: 10,
        title: "spine and shoulder",
        words: "The same weights and the same pose: linear blend skinning, and springs after it.",
        columns: "of3",
        rows,
    })
}
