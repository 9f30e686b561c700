//! Normals of the deformed surface.

use std::sync::Arc;

use sinew::Character;
use sinew::conformance::{FixturePose, GPU_NORMAL_TOLERANCE, largest_difference};
use sinew::frame::{Controls, Normals, Plan, Rig};
use sinew::glam::{DVec3, Vec3};
use sinew::mesh::{Creases, SurfaceNormals};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_gpu::{Gpu, GpuCharacter};

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("recomputed_normals_agree_with_the_cpus_at_every_threshold", recomputed),
    ("a_surface_moved_after_its_normals_is_caught", stale),
];

/// The card's normals, and the CPU's of the same points.
fn both(
    gpu: &Gpu,
    character: &Arc<Character>,
    pose: FixturePose,
    crease_degrees: f32,
) -> [Vec<Vec3>; 2] {
    let normals = Normals::Recomputed { crease_degrees: Some(crease_degrees) };
    let rig = Rig::default().with_normals(normals);
    let plan = Plan::bind(character, &rig, &Silent).expect("samples bind");
    let mut on_card = GpuCharacter::new(gpu, &plan).expect("it fits");
    on_card.submit(&plan, &Controls::posed(character, pose.of(character))).expect("it fits");
    let mut frame = plan.frame();
    on_card.read(&mut frame).expect("the card answers");
    let creases = Creases::Angle(crease_degrees.to_radians());
    let surface = SurfaceNormals::bind(&character.parts[0].mesh, creases);
    let mut wedges = vec![Vec3::NAN; surface.num_wedges()];
    surface.compute(frame.parts()[0].points(), &mut wedges);
    let of_vertex = surface.wedge_of_vertex().iter().map(|&wedge| wedges[wedge as usize]);
    [frame.parts()[0].normals().to_vec(), of_vertex.collect()]
}

fn recomputed(gpu: &Gpu) {
    for kind in SampleKind::SKINS {
        let points = kind.default_points().min(4_000).max(*kind.point_bounds().start());
        let options = SampleOptions { points: Some(points), ..SampleOptions::new(kind) };
        let character = Arc::new(build(&options).expect("samples build"));
        for pose in [FixturePose::Bent, FixturePose::Scaled] {
            for crease_degrees in [0.0f32, 30.0, 180.0] {
                let [found, expected] = both(gpu, &character, pose, crease_degrees);
                let expected: Vec<DVec3> = expected.iter().map(|n| n.as_dvec3()).collect();
                let error = largest_difference(&found, &expected);
                let case = format!("{} {pose:?} {crease_degrees}°", character.name);
                assert!(error <= GPU_NORMAL_TOLERANCE, "{case}: {error:e}");
            }
        }
    }
}

fn stale(gpu: &Gpu) {
    let character = Arc::new(build(&SampleOptions::new(SampleKind::Arm)).expect("samples build"));
    let [rest, _] = both(gpu, &character, FixturePose::Rest, 57.0);
    let [_, bent] = both(gpu, &character, FixturePose::Bent, 57.0);
    let bent: Vec<DVec3> = bent.iter().map(|n| n.as_dvec3()).collect();
    assert!(largest_difference(&rest, &bent) > GPU_NORMAL_TOLERANCE);
}
