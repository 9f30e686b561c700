//! A motion of one skeleton on another: the human's wave on the chibi, whose proportions and joints
//! are others.
//!
//! `cargo run -p sinew_examples --bin motion`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;

use sinew::retarget::{RetargetOptions, retarget};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_io::WriteOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let human =
        build(&SampleOptions { points: Some(4_000), ..SampleOptions::new(SampleKind::Human) })?;
    let mut chibi = build(&SampleOptions::new(SampleKind::Chibi))?;
    let wave = human.clips.first().ok_or("the human has a clip")?;

    // Joints are matched by their names and their places; feet stay where they stand.
    let done = retarget(&human.skeleton, wave, &chibi.skeleton, &RetargetOptions::default())?;
    println!("{}: {} pairs of joints", done.clip.name, done.pairs.len());
    println!("the chibi's legs are {:.2} times as long", done.scale);
    println!("its limbs are {:.1}° off", done.figures.limb_degrees);

    // A clip is curves over time; look at any moment.
    let middle = done.clip.pose_at(&chibi.skeleton, 0.5);
    let moved = middle.joints.iter().filter(|joint| joint.swing.w.abs() < 1.0).count();
    println!("after half a second {moved} joints are turned");

    chibi.clips.push(done.clip);
    sinew_io::write_character("waving.glb", &chibi, &WriteOptions::default())?;
    println!("wrote waving.glb");
    Ok(())
}
