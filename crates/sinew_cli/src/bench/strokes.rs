//! A stroke to a pose: what happens at each move of the pen.

use std::time::Duration;

use glam::DVec3;
use sinew::skeleton::{Joint, JointTransform, Pose, Skeleton};
use sinew::sketch::chain::Chain;
use sinew::sketch::pose::{Freedom, Limits, PoseStroke, StrokePlane};
use sinew::sketch::stroke::{Curve, FitSettings};

use super::items::{Row, show};
use super::timing::{Timing, time};
use crate::console::Console;
use crate::exit::Failure;

const NUM_JOINTS: u32 = 100;
/// Samples of a pen that draws for five seconds at 120 a second.
const NUM_SAMPLES: usize = 600;

pub(super) fn run((is_json, budget): (bool, Duration), console: &Console) -> Result<(), Failure> {
    let failed = |what: &str| Failure::Input(format!("the bench's stroke: {what}"));
    let skeleton = chain_of_bones().map_err(|error| failed(&error.to_string()))?;
    let chain = Chain::between(&skeleton, 0, NUM_JOINTS - 1, true).ok_or_else(|| failed("none"))?;
    let pose = Pose::rest(&skeleton);
    let samples: Vec<DVec3> = (0..NUM_SAMPLES)
        .map(|index| index as f64 / (NUM_SAMPLES - 1) as f64)
        .map(|u| DVec3::new(0.12 * (9.0 * u).sin(), 0.9 * u, 0.0))
        .collect();
    let settings = FitSettings::SCREEN.scaled(1e-3);
    let plane = StrokePlane { through: DVec3::ZERO, normal: DVec3::Z, eye: Some(DVec3::Z * 4.0) };
    let stroke = |target: Curve, stretches: bool| PoseStroke {
        chain: chain.clone(),
        plane,
        baseline: None,
        target,
        freedom: Freedom { stretches, ..Freedom::default() },
        limits: Limits::default(),
    };
    let fitted = Curve::fit(&samples, &settings).map_err(|error| failed(&error.to_string()))?;
    let whole = |stretches: bool| {
        let (samples, stroke, skeleton, pose) = (&samples, &stroke, &skeleton, &pose);
        move || {
            if let Ok(target) = Curve::fit(samples, &settings) {
                std::hint::black_box(stroke(target, stretches).posed(skeleton, pose));
            }
        }
    };
    let joints = NUM_JOINTS as usize;
    let row = |name: String, items: usize, timing: Timing| Row { name, items, timing };
    let fit = time(budget, || _ = std::hint::black_box(Curve::fit(&samples, &settings)));
    let drawn = stroke(fitted, false);
    let posed = time(budget, || _ = std::hint::black_box(drawn.posed(&skeleton, &pose)));
    let rows = [
        row(format!("{NUM_SAMPLES} samples to a curve"), NUM_SAMPLES, fit),
        row(format!("curve to a pose of {joints} joints"), joints, posed),
        row(format!("stroke to a pose of {joints} joints"), joints, time(budget, whole(false))),
        row(format!("the same, stretched, {joints} joints"), joints, time(budget, whole(true))),
    ];
    show("strokes", &rows, is_json, console)
}

fn chain_of_bones() -> Result<Skeleton, sinew::skeleton::SkeletonError> {
    let bone = DVec3::Y * (1.0 / f64::from(NUM_JOINTS));
    let joint = |index: u32| Joint {
        name: format!("bone_{index}"),
        parent: index.checked_sub(1),
        rest: JointTransform {
            translation: if index == 0 { DVec3::ZERO } else { bone },
            ..JointTransform::IDENTITY
        },
        tail_in_joint: bone,
    };
    Skeleton::new((0..NUM_JOINTS).map(joint).collect())
}
