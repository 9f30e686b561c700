//! Two methods side by side as a picture, drawn with no graphics card.
//!
//! `cargo run -p sinew_examples --bin render`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use sinew::frame::{Controls, Plan, Rig};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Axis, Pose};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_view::camera::Size;
use sinew_view::compose::{Cell, GridStyle, side_by_side};
use sinew_view::stage::Stage;
use sinew_view::{encode, raster};

const SIZE: Size = Size { width: 320, height: 400 };

fn main() -> Result<(), Box<dyn Error>> {
    let character = Arc::new(build(&SampleOptions::new(SampleKind::Cylinder))?);
    let mut pose = Pose::rest(&character.skeleton);
    pose.rotate(&character.skeleton, "bone_1", Axis::Twist, 180.0)?;
    let controls = Controls::posed(&character, pose);

    // A stage is the character made ready once; a scene is one picture of it.
    let stage = Stage::bind(&character);
    let draw = |rig: &Rig| -> Result<_, Box<dyn Error>> {
        let frame = Plan::bind(&character, rig, &Silent)?.frame_of(&controls);
        Ok(raster::draw(&stage.scene(&frame, SIZE.aspect()), SIZE))
    };
    let linear = draw(&Rig::of(SkinMethod::Linear))?;
    let springs = draw(&Rig::of_model(SpringModel::Anchored))?;

    let cells = [
        Cell { picture: &linear, caption: "linear" },
        Cell { picture: &springs, caption: "springs" },
    ];
    let both = side_by_side(&cells, &GridStyle::default());
    let bytes = encode::png(&both)?;
    sinew_io::write_atomically(Path::new("twist.png"), |file| file.write_all(&bytes))?;
    println!("wrote twist.png, {} × {}", both.size().width, both.size().height);
    Ok(())
}
