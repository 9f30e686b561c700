//! A line that an arm comes to lie along, as the studio's *Draw* tool has it: samples of a pen
//! become a curve, the curve a pose, and springs make the skin of it.
//!
//! `cargo run -p sinew_examples --bin sketch`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::sync::Arc;

use sinew::frame::{Controls, Plan, Rig};
use sinew::glam::DVec3;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Palette, Pose};
use sinew::sketch::chain::Chain;
use sinew::sketch::pose::{Freedom, Limits, PoseStroke, StrokePlane};
use sinew::sketch::stroke::{Curve, FitSettings};
use sinew::springs::SpringModel;
use sinew_io::WriteOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let character = Arc::new(build(&SampleOptions::new(SampleKind::Chibi))?);
    let skeleton = &character.skeleton;
    let joint = |name| skeleton.find(name).ok_or("the chibi has arms");
    let arm = Chain::between(skeleton, joint("upper_arm_l")?, joint("hand_l")?, true)
        .ok_or("a hand hangs on its arm")?;

    // What a pen did, seen from the front: from the shoulder out and up, in a bow.
    let mut pose = Pose::rest(skeleton);
    let palette = Palette::new(skeleton, &pose);
    let shoulder = palette.model_from_joint()[joint("upper_arm_l")? as usize].translation;
    let samples = (0..60).map(|k| {
        let along = f64::from(k) / 59.0;
        shoulder + 0.3 * DVec3::new(along, along * along, 0.0)
    });
    let samples: Vec<DVec3> = samples.collect();
    let target = Curve::fit(&samples, &FitSettings::SCREEN.scaled(0.001))?;
    println!("{} samples became {} knots", samples.len(), target.knots().len());

    let stroke = PoseStroke {
        chain: arm,
        plane: StrokePlane { through: shoulder, normal: DVec3::Z, eye: None },
        baseline: None,
        target,
        freedom: Freedom::default(),
        // An elbow bends one way: `Limits::of(&chain, &hinges)`; here every joint is a ball.
        limits: Limits::default(),
    };
    for (joint, posed) in stroke.posed(skeleton, &pose) {
        pose.joints[joint as usize] = posed;
    }

    let plan = Plan::bind(&character, &Rig::of_model(SpringModel::Anchored), &Silent)?;
    let frame = plan.frame_of(&Controls::posed(&character, pose));
    sinew_io::write_frame("drawn.glb", &character, &frame, &WriteOptions::default())?;
    println!("wrote drawn.glb");
    Ok(())
}
