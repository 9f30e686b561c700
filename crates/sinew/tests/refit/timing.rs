//! What a refit costs; `RAYON_NUM_THREADS=1 cargo nextest run --release -p sinew --test refit
//! --run-ignored only --no-capture` prints it.
#![allow(clippy::print_stdout, reason = "figures are for people")]

use sinew::glam::Vec3;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Palette;
use sinew::skin::{Skin, SkinInput, SkinMethod, SkinRest};
use sinew::springs::{SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings};

use crate::body::poses;

/// Runs that a mean is taken of.
const RUNS: usize = 40;

/// What this thread has computed for, nanoseconds: unlike a clock it stands still while others have
/// the core. Linux only.
fn on_core_ns() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

fn mean_ns(mut run: impl FnMut()) -> f64 {
    run();
    let start = on_core_ns();
    (0..RUNS).for_each(|_| run());
    (on_core_ns() - start) / RUNS as f64
}

#[test]
#[ignore = "prints times, which say nothing while other tests run"]
fn times() {
    let options = SampleOptions { points: Some(16_000), ..SampleOptions::new(SampleKind::Human) };
    let character = build(&options).unwrap();
    let part = &character.parts[0];
    let positions = part.mesh.points();
    let input = SkinInput {
        positions,
        normals: &[],
        weights: part.weights.as_ref().unwrap(),
        triangles: part.mesh.point_triangles(),
        skeleton: &character.skeleton,
    };
    let palette = Palette::new(&character.skeleton, &poses(&character.skeleton)[0].1);
    let num_points = positions.len() as f64;
    let mut posed = vec![Vec3::ZERO; positions.len()];
    let grown: Vec<Vec3> = positions.iter().map(|p| 1.01 * *p).collect();
    let rests = [positions, &grown];
    let top = 0.92 * character.bounds().max.y;
    let lifted = |p: &Vec3| if p.y > top { 1.01 * *p } else { *p };
    let face: Vec<Vec3> = positions.iter().map(lifted).collect();
    println!("{num_points} points, ns a point: refit, frame");
    for method in SkinMethod::ALL {
        let mut skin = Skin::bind(method, &input, &Silent).unwrap();
        let centers = skin.centers().to_vec();
        let skeleton = &character.skeleton;
        let mut turn = 0;
        // To and fro: what has not moved is not measured again.
        let refit = mean_ns(|| {
            turn += 1;
            let positions = rests[turn % 2];
            skin.refit(&SkinRest { positions, normals: &[], centers: &centers, skeleton });
        }) / num_points;
        let frame = mean_ns(|| skin.deform_on_one_thread(&palette, &mut posed, &mut []));
        println!("{}: {refit:.2}, {:.2}", method.name(), frame / num_points);
    }
    for model in SpringModel::ALL {
        let settings = SpringSettings::new(model);
        let springs = SpringInput::of(&character, 0);
        let mut rig = SpringRig::bind(&springs, &settings, &Silent).unwrap();
        let mut scratch = rig.scratch();
        let mut turn = 0;
        let refit = mean_ns(|| {
            turn += 1;
            rig.refit(rests[turn % 2], &character.skeleton);
        });
        let face = mean_ns(|| {
            turn += 1;
            rig.refit([positions, &face][turn % 2], &character.skeleton);
        });
        let frame = mean_ns(|| {
            rig.deform(&SpringFrame::new(&palette), &mut scratch, &mut posed);
        });
        let mut other = settings.clone();
        let adjust = mean_ns(|| {
            other.coefficients.edge = 3.0 - other.coefficients.edge;
            rig.adjust(&other).unwrap();
        });
        let [refit, face, frame, adjust] = [refit, face, frame, adjust].map(|ns| ns / num_points);
        println!("{}: {refit:.1}, {frame:.1}; face {face:.1}, adjust {adjust:.1}", model.name());
    }
}
