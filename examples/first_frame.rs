//! Load a character, pose it, skin it, relax it, export it.
//!
//! `cargo run -p sinew_examples --bin first_frame [FILE JOINT]`; without a file, a built-in human.
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::sync::Arc;

use sinew::frame::{Controls, Plan, Rig};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Axis, Pose};
use sinew::springs::SpringModel;
use sinew_io::WriteOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (file, joint) = match (arguments.next(), arguments.next()) {
        (Some(file), Some(joint)) => (file, joint),
        (Some(_), None) => return Err("name a joint too: first_frame FILE JOINT".into()),
        (None, _) => (write_human("human.glb")?, "forearm_l".to_owned()),
    };

    // Load: a character is meshes around a skeleton, with weights, shapes and clips.
    let character = Arc::new(sinew_io::read_character(&file)?.character);

    // Bind once: springs, with the method that they start from.
    let plan = Plan::bind(&character, &Rig::of_model(SpringModel::Anchored), &Silent)?;

    // Pose by name; angles add up, so that a twist may be any number of turns.
    let mut pose = Pose::rest(&character.skeleton);
    pose.rotate(&character.skeleton, &joint, Axis::X, 120.0)?;

    // Skin and relax: the frame has points and normals, one list a mesh.
    let frame = plan.frame_of(&Controls::posed(&character, pose));
    let (points, normals) = (frame.parts()[0].points(), frame.parts()[0].normals());
    println!("{} points, {} normals", points.len(), normals.len());

    // Export: materials and textures come along.
    sinew_io::write_frame("posed.glb", &character, &frame, &WriteOptions::default())?;
    println!("wrote posed.glb");
    Ok(())
}

fn write_human(path: &str) -> Result<String, Box<dyn Error>> {
    let human =
        build(&SampleOptions { points: Some(4_000), ..SampleOptions::new(SampleKind::Human) })?;
    sinew_io::write_character(path, &human, &WriteOptions::default())?;
    Ok(path.to_owned())
}
