//! Twist joints along a forearm, each with a driver that gives it its share of the hand's turn: a
//! rig of plain linear blending that does not wring the wrist out.
//!
//! `cargo run -p sinew_examples --bin drivers`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::sync::Arc;

use sinew::Character;
use sinew::frame::{Controls, Plan, Rig};
use sinew::measure::measure;
use sinew::progress::Silent;
use sinew::rigging::add_twist_joints;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Axis, Pose};
use sinew_io::WriteOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let human =
        build(&SampleOptions { points: Some(4_000), ..SampleOptions::new(SampleKind::Human) })?;
    let forearm = human.skeleton.find("forearm_l").ok_or("the human has a forearm")?;
    let twisting = add_twist_joints(&human, forearm, 3)?;
    println!("{} drivers were added", twisting.drivers.list.len());

    tell("without twist joints", human)?;
    tell("with three", twisting.clone())?;

    // Drivers are kept in the file, and its clips are baked for programs that have none.
    sinew_io::write_character("twisting.glb", &twisting, &WriteOptions::default())?;
    println!("wrote twisting.glb");
    Ok(())
}

/// What half a turn of the hand does to the skin.
fn tell(name: &str, character: Character) -> Result<(), Box<dyn Error>> {
    let character = Arc::new(character);
    let mut pose = Pose::rest(&character.skeleton);
    pose.rotate(&character.skeleton, "hand_l", Axis::Twist, 170.0)?;
    let plan = Plan::bind(&character, &Rig::default(), &Silent)?;
    let frame = plan.frame_of(&Controls::posed(&character, pose));
    let (part, posed) = (&character.parts[0], &frame.parts()[0]);
    let figures = measure(posed.rest(), posed.points(), part.mesh.point_triangles());
    println!("{name}: {} triangles turned inside out", figures.inverted_triangles);
    Ok(())
}
