//! Weights while a hand is on them: one point's solve for each number of influences, five thousand
//! points dragged at once, a brush of two thousand points on the giant; and all that one move of
//! the hand takes on a dense human, from the edit to the frame.

use std::sync::Arc;
use std::time::Duration;

use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::frame::{Controls, Plan, Rig};
use sinew::mesh::Adjacency;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Palette;
use sinew::weights::drag::{Drag, DragInput, DragRule, DragSettings};
use sinew::weights::paint::{Brush, Falloff, Paint, Stroke, dab_on_surface, paint};
use sinew::weights::{RowRules, SkinWeights};
use sinew_editor::{Document, Editor, Source, WeightEdit};

use super::items::{Row, show};
use super::timing::{Timing, time};
use crate::console::Console;
use crate::exit::Failure;

/// Points of a case of single solves: enough that no goal is met twice in the cache of branches.
const NUM_POINTS: usize = 1_000;
const NUM_DRAGGED: usize = 5_000;
const NUM_BRUSHED: usize = 2_000;
/// Of the human, which has 85 joints.
const NUM_DENSE: usize = 90_000;

pub(super) fn run(
    words: &[&str],
    (is_json, budget): (bool, Duration),
    pool: &rayon::ThreadPool,
    console: &Console,
) -> Result<(), Failure> {
    let takes = |name: &str| words.iter().all(|word| name.contains(word));
    let mut rows = Vec::new();
    pool.install(|| -> Result<(), Failure> {
        for rule in [DragRule::Least, DragRule::Fewest] {
            for influences in [2, 3, 4, 6, 8, 12] {
                let rule_name = if rule == DragRule::Least { "least" } else { "fewest" };
                let name = format!("weights drag {rule_name} {influences} influences");
                if takes(&name) {
                    let timing = single(influences, rule, budget);
                    rows.push(Row { name, items: NUM_POINTS, timing });
                }
            }
        }
        let name = format!("weights drag {NUM_DRAGGED} points of the giant, smoothed");
        if takes(&name) {
            rows.push(Row { name, items: NUM_DRAGGED, timing: many(budget)? });
        }
        let name = format!("weights brush of {NUM_BRUSHED} points on the giant");
        if takes(&name) {
            rows.push(Row { name, items: NUM_BRUSHED, timing: brush(budget)? });
        }
        for (name, number, is_brush, binds_whole) in [
            (format!("weights brush of {NUM_BRUSHED}, edit to frame"), NUM_BRUSHED, true, false),
            (format!("weights brush of {NUM_BRUSHED}, bound whole"), NUM_BRUSHED, true, true),
            (format!("weights drag of {NUM_DRAGGED}, edit to frame"), NUM_DRAGGED, false, false),
            (format!("weights drag of {NUM_DRAGGED}, bound whole"), NUM_DRAGGED, false, true),
        ] {
            if takes(&name) {
                let timing = hand(number, is_brush, binds_whole, budget)?;
                rows.push(Row { name, items: number, timing });
            }
        }
        Ok(())
    })?;
    show("weights", &rows, is_json, console)
}

/// Numbers in -1..1 that are the same in every run.
fn signed(seed: usize) -> f64 {
    let mut z = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn place(seed: usize) -> DVec3 {
    DVec3::new(signed(3 * seed), signed(3 * seed + 1), signed(3 * seed + 2))
}

fn single(influences: usize, rule: DragRule, budget: Duration) -> Timing {
    let rest: Vec<Vec3> = (0..NUM_POINTS).map(|at| place(at).as_vec3()).collect();
    let row = |at: usize| (0..influences).map(move |j| (j as u32, 1.1 + signed(at + 7 * j) as f32));
    let (weights, _) = SkinWeights::from_rows((0..NUM_POINTS).map(row), influences);
    let model_from_rest: Vec<DAffine3> = (0..influences)
        .map(|j| {
            let turn = DQuat::from_axis_angle(place(900 + j).normalize(), 1.5 * signed(50 + j));
            DAffine3::from_rotation_translation(turn, 0.3 * place(j))
        })
        .collect();
    let input =
        DragInput { rest: &rest, weights: &weights, model_from_rest: &model_from_rest, held: &[] };
    let points: Vec<u32> = (0..NUM_POINTS as u32).collect();
    let rules = RowRules { max_influences: influences, locked: Vec::new() };
    let settings = DragSettings { rule, rules, smoothness: 0.0, ..DragSettings::default() };
    let mut drag = Drag::begin(&input, &points, None, &settings);
    let starts = drag.starts();
    let mut turn = 0;
    time(budget, || {
        turn += 1;
        let goals: Vec<DVec3> =
            starts.iter().enumerate().map(|(at, &start)| start + 0.4 * place(at + turn)).collect();
        drag.solve(&goals);
    })
}

pub(super) fn giant() -> Result<sinew::Character, Failure> {
    build(&SampleOptions::new(SampleKind::Giant)).map_err(|e| Failure::Input(e.to_string()))
}

fn many(budget: Duration) -> Result<Timing, Failure> {
    let character = giant()?;
    let part = &character.parts[0];
    let Some(weights) = &part.weights else { return Err(Failure::Input("no weights".into())) };
    let mut pose = sinew::skeleton::Pose::rest(&character.skeleton);
    for (joint, own) in (0u32..).zip(&mut pose.joints) {
        *own = own.rotated(DVec3::X, 0.3, character.skeleton.pose_axis(joint));
    }
    let palette = Palette::new(&character.skeleton, &pose);
    let rest = part.mesh.points();
    let model_from_rest = palette.model_from_rest();
    let input = DragInput { rest, weights, model_from_rest, held: &[] };
    let adjacency = Adjacency::of(&part.mesh);
    let near = nearest(rest, NUM_DRAGGED);
    let mut drag = Drag::begin(&input, &near, Some(&adjacency), &DragSettings::default());
    let starts = drag.starts();
    let mut turn = 0;
    Ok(time(budget, || {
        turn += 1;
        let by = 0.02 * place(turn);
        let goals: Vec<DVec3> = starts.iter().map(|&start| start + by).collect();
        drag.solve(&goals);
        std::hint::black_box(weights.with_rows(&drag.rows(weights)));
    }))
}

/// The points nearest to the first.
fn nearest(rest: &[Vec3], number: usize) -> Vec<u32> {
    let mut points: Vec<u32> = (0..rest.len() as u32).collect();
    let distance = |point: u32| rest[point as usize].distance_squared(rest[0]);
    points.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    points.truncate(number);
    points.sort_unstable();
    points
}

fn brush(budget: Duration) -> Result<Timing, Failure> {
    let character = giant()?;
    let part = &character.parts[0];
    let Some(weights) = &part.weights else { return Err(Failure::Input("no weights".into())) };
    let rest = part.mesh.points();
    let adjacency = Adjacency::of(&part.mesh);
    let size =
        |radius: f64| dab_on_surface(rest, &adjacency, 0, rest[0], radius, Falloff::Smooth).len();
    let mut radius = 0.01;
    while size(radius) < NUM_BRUSHED && radius < 10.0 {
        radius *= 1.1;
    }
    let (brush, mesh) = (Brush::Add, &part.mesh);
    let settings = Paint { brush, mesh, joint: 3, value: 1.0, rules: RowRules::default() };
    Ok(time(budget, || {
        let mut stroke = Stroke::default();
        let dab = dab_on_surface(rest, &adjacency, 0, rest[0], radius, Falloff::Smooth);
        stroke.add(&dab, 0.4);
        let rows = paint(weights, &adjacency, &stroke.amounts(), &settings);
        std::hint::black_box(weights.with_rows(&rows));
    }))
}

/// One move of a brush or a hand on a human of 90,000 points: rows, the edit, binding, the frame
/// with its normals.
fn hand(
    number: usize,
    is_brush: bool,
    binds_whole: bool,
    budget: Duration,
) -> Result<Timing, Failure> {
    let input = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
    let options =
        SampleOptions { points: Some(NUM_DENSE), ..SampleOptions::new(SampleKind::Human) };
    let document = Document::open(Source::Sample(options), None).map_err(|e| input(&e))?;
    let mut editor = Editor::new(document);
    let start = Arc::clone(editor.document().character());
    let part = &start.parts[0];
    let Some(weights) = &part.weights else { return Err(Failure::Input("no weights".into())) };
    let rest = part.mesh.points();
    let adjacency = Adjacency::of(&part.mesh);
    let near = nearest(rest, number);
    let mut pose = sinew::skeleton::Pose::rest(&start.skeleton);
    for (joint, own) in (0u32..).zip(&mut pose.joints) {
        *own = own.rotated(DVec3::X, 0.3, start.skeleton.pose_axis(joint));
    }
    let palette = Palette::new(&start.skeleton, &pose);
    let model_from_rest = palette.model_from_rest();
    let held = DragInput { rest, weights, model_from_rest, held: &[] };
    let mut drag = Drag::begin(&held, &near, Some(&adjacency), &DragSettings::default());
    let starts = drag.starts();
    let (brush, mesh) = (Brush::Add, &part.mesh);
    let joint = start.skeleton.find("chest").unwrap_or(1);
    let settings = Paint { brush, mesh, joint, value: 1.0, rules: RowRules::default() };
    let controls = Controls::posed(&start, pose);
    let rig = Rig::default();
    let mut plan = Plan::bind(&start, &rig, &Silent).map_err(|e| input(&e))?;
    editor.begin(None);
    let mut turn = 0;
    let mut fault = None;
    let timing = time(budget, || {
        turn += 1;
        let rows = if is_brush {
            let amount = 0.2 + 0.1 * (turn % 7) as f64;
            let amounts: Vec<(u32, f64)> = near.iter().map(|&point| (point, amount)).collect();
            paint(weights, &adjacency, &amounts, &settings)
        } else {
            let by = 0.02 * place(turn);
            let goals: Vec<DVec3> = starts.iter().map(|&start| start + by).collect();
            drag.solve(&goals);
            drag.rows(weights)
        };
        let edit = WeightEdit::set(editor.document(), 0, &rows, None);
        let entered = editor.replace(vec![edit.into()]).map_err(|e| input(&e));
        let after = Arc::clone(editor.document().character());
        let before = (!binds_whole).then_some(&plan);
        match (entered, Plan::rebind(before, &after, &rig, &controls, &Silent)) {
            (Ok(()), Ok(bound)) => plan = bound,
            (Err(error), _) => fault = Some(error),
            (_, Err(error)) => fault = Some(input(&error)),
        }
        std::hint::black_box(plan.frame_of(&controls));
    });
    fault.map_or(Ok(timing), Err)
}
