//! What springs mend: a limb twisted by half a turn, with linear blending and relaxed, and the same
//! springs made stiffer without binding again.
//!
//! `cargo run -p sinew_examples --bin springs`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::sync::Arc;

use sinew::frame::{Controls, Frame, Plan, Rig};
use sinew::measure::measure;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Axis, Pose};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;

fn main() -> Result<(), Box<dyn Error>> {
    let character = Arc::new(build(&SampleOptions::new(SampleKind::Cylinder))?);
    let triangles = character.parts[0].mesh.point_triangles();
    let mut pose = Pose::rest(&character.skeleton);
    pose.rotate(&character.skeleton, "bone_1", Axis::Twist, 180.0)?;
    let controls = Controls::posed(&character, pose);
    let tell = |name: &str, frame: &Frame| {
        let figures = measure(frame.parts()[0].rest(), frame.parts()[0].points(), triangles);
        let volume = figures.volume_ratio.unwrap_or(f64::NAN);
        println!("{name}: {:.0} % of its volume kept", 100.0 * volume);
    };

    let linear = Plan::bind(&character, &Rig::of(SkinMethod::Linear), &Silent)?;
    tell("linear", &linear.frame_of(&controls));

    let mut rig = Rig::of_model(SpringModel::Anchored);
    let mut plan = Plan::bind(&character, &rig, &Silent)?;
    tell("springs", &plan.frame_of(&controls));

    // Stiffness, iterations and their like are live: nothing is bound again.
    if let Some(springs) = &mut rig.springs {
        springs.iterations = 200;
    }
    let is_live = plan.adjust(&rig)?;
    assert!(is_live, "the number of iterations needs no bind");

    // Frame after frame, in memory that is kept: `run` allocates nothing.
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    let mut turning = Controls::rest(&character);
    for degrees in [90.0, 360.0, 720.0] {
        let mut pose = Pose::rest(&character.skeleton);
        pose.rotate(&character.skeleton, "bone_1", Axis::Twist, degrees)?;
        turning.pose = pose;
        plan.run(&turning, &mut scratch, &mut frame);
        tell(&format!("springs, twisted by {degrees}°"), &frame);
    }
    Ok(())
}
