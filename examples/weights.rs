//! Automatic weights for a character that has none, and a point dragged to where it should be:
//! the drag becomes weights.
//!
//! `cargo run -p sinew_examples --bin weights`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;

use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::weights::auto::{AutoSettings, auto_weights};
use sinew_io::WriteOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let mut character =
        build(&SampleOptions { points: Some(4_000), ..SampleOptions::new(SampleKind::Human) })?;
    for part in &mut character.parts {
        part.weights = None;
    }

    // All meshes as one body: buttons and eyes follow what they sit on.
    let found = auto_weights(&character, &AutoSettings::default(), &Silent)?;
    for (part, weights) in character.parts.iter_mut().zip(found.of_part) {
        println!(
            "{}: {} points, {} joints move it, at most {} a point",
            part.mesh.name(),
            weights.num_points(),
            weights.num_joints_used(),
            weights.max_influences(),
        );
        part.weights = Some(weights);
    }
    for left in &found.left_out {
        let name = &character.skeleton.joints()[left.joint as usize].name;
        println!("{name} got none: {}", left.reason);
    }

    sinew_io::write_character("bound.glb", &character, &WriteOptions::default())?;
    println!("wrote bound.glb");
    Ok(())
}
