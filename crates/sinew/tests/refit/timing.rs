//! What a refit costs; `cargo nextest run --release -p sinew --test refit --run-ignored only --no-capture` prints it.
#![allow(clippy::print_stdout, reason = "figures are for people")]

use std::time::Instant;

use sinew::glam::Vec3;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Palette;
use sinew::skin::{Skin, SkinInput, SkinMethod, SkinRest};
use sinew::springs::{SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings};

use crate::body::poses;

/// The least of a few runs, nanoseconds: on a machine that others use too the rest is theirs.
fn least_ns(mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64
    };
    (0..15).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
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
    println!("{num_points} points, ns a point: refit, frame");
    for method in SkinMethod::ALL {
        let mut skin = Skin::bind(method, &input, &Silent).unwrap();
        let centers = skin.centers().to_vec();
        let skeleton = &character.skeleton;
        let rest = SkinRest { positions, normals: &[], centers: &centers, skeleton };
        let refit = least_ns(|| skin.refit(&rest)) / num_points;
        let frame = least_ns(|| skin.deform_on_one_thread(&palette, &mut posed, &mut []));
        println!("{}: {refit:.2}, {:.2}", method.name(), frame / num_points);
    }
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for model in SpringModel::ALL {
        let settings = SpringSettings::new(model);
        let springs = SpringInput::of(&character, 0);
        let mut rig = SpringRig::bind(&springs, &settings, &Silent).unwrap();
        let mut scratch = one_thread.install(|| rig.scratch());
        let refit = least_ns(|| rig.refit(positions, &character.skeleton));
        let frame = least_ns(|| {
            one_thread.install(|| {
                rig.deform(&SpringFrame::new(&palette), &mut scratch, &mut posed);
            });
        });
        let mut other = settings.clone();
        let adjust = least_ns(|| {
            other.coefficients.edge = 3.0 - other.coefficients.edge;
            rig.adjust(&other).unwrap();
        });
        let [refit, frame, adjust] = [refit, frame, adjust].map(|ns| ns / num_points);
        println!("{}: {refit:.1}, {frame:.1}; adjust {adjust:.1}", model.name());
    }
}
