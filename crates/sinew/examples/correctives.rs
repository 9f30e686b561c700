//! The table of docs/methods/drivers.md: linear blending with correctives of three poses against
//! the springs whose skin they were taken from, over a sweep of an elbow and of a knee.
//!
//! `cargo run -p sinew --example correctives`
#![allow(clippy::print_stdout, reason = "a table is what it is for")]

use std::error::Error;
use std::sync::Arc;

use sinew::Character;
use sinew::frame::{Controls, Plan, Rig};
use sinew::glam::{DQuat, DVec3, Vec3};
use sinew::progress::Silent;
use sinew::rigging::{Corrective, NewShape, add_corrective, moved_by_springs};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;

const EXAMPLES: [f64; 3] = [40.0, 80.0, 120.0];
const SWEEP: [f64; 13] =
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0, 120.0, 130.0];

fn bent(character: &Character, joint: u32, degrees: f64) -> Controls {
    let mut controls = Controls::rest(character);
    controls.pose.joints[joint as usize].swing = DQuat::from_rotation_x(degrees.to_radians());
    controls
}

fn skin(
    character: &Arc<Character>,
    rig: &Rig,
    controls: &Controls,
) -> Result<Vec<Vec3>, Box<dyn Error>> {
    let plan = Plan::bind(character, rig, &Silent)?;
    Ok(plan.frame_of(controls).all_points())
}

/// Twice the distance of each point to the nearest of the bones that move it, at rest.
fn thicknesses(character: &Character) -> Vec<f64> {
    let part = &character.parts[0];
    let Some(weights) = &part.weights else { return Vec::new() };
    let to_bone = |point: DVec3, joint: u32| {
        let [head, tail] = character.skeleton.bind_bone(joint);
        let along = tail - head;
        let share = ((point - head).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        point.distance(head + share * along)
    };
    let of_point = |(point, row): (&Vec3, &[sinew::weights::Influence])| {
        let each = row.iter().map(|influence| to_bone(point.as_dvec3(), influence.joint));
        2.0 * each.fold(f64::MAX, f64::min)
    };
    part.mesh.points().iter().zip(weights.rows()).map(of_point).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = SampleOptions { points: Some(10_000), ..SampleOptions::new(SampleKind::Human) };
    let plain = Arc::new(build(&options)?);
    let springs = Rig::of_model(SpringModel::Anchored);
    let linear = Rig::of(SkinMethod::Linear);
    let thickness = thicknesses(&plain);
    for name in ["forearm_l", "shin_l"] {
        let joint = plain.skeleton.find(name).ok_or("no such joint")?;
        let mut character = Character::clone(&plain);
        for degrees in EXAMPLES {
            let controls = bent(&character, joint, degrees);
            let shared = Arc::new(character.clone());
            let moved = moved_by_springs(&shared, &springs, &controls, &Silent)?;
            let shape = NewShape { part: 0, name: "springs", moved: &moved[0] };
            let joints = [joint];
            let new = Corrective { shape, joints: &joints };
            character = add_corrective(&character, &controls, &new)?;
        }
        let character = Arc::new(character);
        println!("{name}: rms of the distance to the springs' skin over the local thickness");
        println!("(over the points that they move further than a thousandth of it)");
        println!("degrees  linear  with correctives");
        for degrees in SWEEP {
            let target = skin(&plain, &springs, &bent(&plain, joint, degrees))?;
            let without = skin(&plain, &linear, &bent(&plain, joint, degrees))?;
            let with = skin(&character, &linear, &bent(&character, joint, degrees))?;
            let over = |of: &[Vec3], index: usize| {
                f64::from(of[index].distance(target[index])) / thickness[index].max(1e-3)
            };
            let near: Vec<usize> =
                (0..target.len()).filter(|&index| over(&without, index) > 1e-3).collect();
            let rms = |of: &[Vec3]| {
                let squares = near.iter().map(|&index| over(of, index).powi(2)).sum::<f64>();
                100.0 * (squares / near.len().max(1) as f64).sqrt()
            };
            println!("{degrees:7}  {:5.2} %  {:5.2} %", rms(&without), rms(&with));
        }
    }
    Ok(())
}
