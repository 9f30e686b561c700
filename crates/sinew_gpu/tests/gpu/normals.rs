//! Normals of the deformed surface.

use sinew::Character;
use sinew::conformance::{FixturePose, GPU_NORMAL_TOLERANCE, largest_difference};
use sinew::glam::{DVec3, Vec3};
use sinew::mesh::SurfaceNormals;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Palette;
use sinew::skin::{Skin, SkinInput, SkinMethod};
use sinew_gpu::{Gpu, GpuFrame};

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("recomputed_normals_agree_with_the_cpus_at_every_threshold", recomputed),
    ("a_surface_moved_after_its_normals_is_caught", stale),
];

/// The first part's welded points.
pub(crate) fn bind(character: &Character, method: SkinMethod) -> Skin {
    let part = &character.parts[0];
    let input = SkinInput {
        positions: part.mesh.points(),
        normals: &[],
        weights: part.weights.as_ref().expect("samples have weights"),
        triangles: part.mesh.point_triangles(),
        skeleton: &character.skeleton,
    };
    Skin::bind(method, &input, &Silent).expect("samples bind")
}

/// The card's positions, its normals, and the CPU's normals of the same positions.
fn both(
    gpu: &Gpu,
    character: &Character,
    pose: FixturePose,
    crease_radians: f32,
) -> [Vec<Vec3>; 2] {
    let surface = SurfaceNormals::bind(&character.parts[0].mesh, crease_radians);
    let skin = bind(character, SkinMethod::Linear);
    let frame = GpuFrame::new(gpu, &character.skeleton, &skin, Some(&surface)).expect("it fits");
    frame.submit(&Palette::new(&character.skeleton, &pose.of(character)));
    let mut positions = vec![Vec3::NAN; frame.num_points()];
    let mut normals = vec![Vec3::NAN; frame.num_normals()];
    frame.read(&mut positions, &mut normals).expect("the card answers");
    let mut expected = vec![Vec3::NAN; surface.num_wedges()];
    surface.compute(&positions, &mut expected);
    [normals, expected]
}

fn recomputed(gpu: &Gpu) {
    for kind in SampleKind::ALL {
        let points = kind.default_points().min(4_000).max(*kind.point_bounds().start());
        let options = SampleOptions { points: Some(points), ..SampleOptions::new(kind) };
        let character = build(&options).expect("samples build");
        for pose in [FixturePose::Bent, FixturePose::Scaled] {
            for crease_degrees in [0.0f32, 30.0, 180.0] {
                let [found, expected] = both(gpu, &character, pose, crease_degrees.to_radians());
                let expected: Vec<DVec3> = expected.iter().map(|n| n.as_dvec3()).collect();
                let error = largest_difference(&found, &expected);
                let case = format!("{} {pose:?} {crease_degrees}°", character.name);
                assert!(error <= GPU_NORMAL_TOLERANCE, "{case}: {error:e}");
            }
        }
    }
}

fn stale(gpu: &Gpu) {
    let character = build(&SampleOptions::new(SampleKind::Arm)).expect("samples build");
    let [rest, _] = both(gpu, &character, FixturePose::Rest, 1.0);
    let [_, bent] = both(gpu, &character, FixturePose::Bent, 1.0);
    let bent: Vec<DVec3> = bent.iter().map(|n| n.as_dvec3()).collect();
    assert!(largest_difference(&rest, &bent) > GPU_NORMAL_TOLERANCE);
}
