//! A cage around a character: the handles change the body at rest, and the pose takes it along.
//!
//! `cargo run -p sinew_examples --bin cages`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::sync::Arc;

use sinew::cage::{Cage, CageSettings};
use sinew::frame::{CageRig, Controls, Plan, Rig};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Axis, Pose};
use sinew_io::WriteOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let character = Arc::new(build(&SampleOptions::new(SampleKind::Arm))?);

    // A cage is closed and encloses every point.
    let settings = CageSettings { faces: 120, ..CageSettings::default() };
    let cage = Cage::generate(&character, &settings, &Silent)?;
    println!("{} handles, {} faces", cage.points().len(), cage.faces().len());

    let rig = Rig { cage: Some(CageRig::new(cage.clone())), ..Rig::default() };
    let plan = Plan::bind(&character, &rig, &Silent)?;

    // Push every handle a fifth further from the middle, and bend the elbow.
    let middle = character.bounds().center().as_dvec3();
    let fatter = cage.points().iter().map(|&handle| middle + 1.2 * (handle - middle)).collect();
    let mut pose = Pose::rest(&character.skeleton);
    let elbow = character.skeleton.joints()[1].name.clone();
    pose.rotate(&character.skeleton, &elbow, Axis::X, 60.0)?;
    let frame = plan.frame_of(&Controls { cage: fatter, ..Controls::posed(&character, pose) });

    // The frame says where the cage went: handles in the pose, to take hold of.
    println!("the first handle is at {:.3}", frame.posed_cage()[0]);
    sinew_io::write_frame("fat.glb", &character, &frame, &WriteOptions::default())?;
    println!("wrote fat.glb");
    Ok(())
}
