//! A whole frame, its times and its read-back.

use sinew::conformance::{FixturePose, GPU_NORMAL_TOLERANCE, GPU_TOLERANCE, largest_difference};
use sinew::glam::{DVec3, Vec3};
use sinew::mesh::SurfaceNormals;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Palette;
use sinew::skin::SkinMethod;
use sinew_gpu::{Gpu, GpuFrame};

use crate::Test;
use crate::normals::bind;

pub(crate) const TESTS: &[Test] = &[
    ("frames_by_palette_and_by_pose_give_the_cpus_points_and_normals", frames),
    ("a_frame_without_normals_reads_only_positions", without_normals),
    ("a_mesh_without_points_is_a_frame_too", no_points),
];

fn widened(vectors: &[Vec3]) -> Vec<DVec3> {
    vectors.iter().map(|v| v.as_dvec3()).collect()
}

fn frames(gpu: &Gpu) {
    let character = build(&SampleOptions::new(SampleKind::Arm)).expect("samples build");
    let mesh = &character.parts[0].mesh;
    let surface = SurfaceNormals::bind(mesh, 1.0);
    let skin = bind(&character, SkinMethod::BoneSmooth);
    let frame = GpuFrame::new(gpu, &character.skeleton, &skin, Some(&surface)).expect("it fits");
    let diagonal = f64::from(mesh.bounds().diagonal());
    let mut points = vec![Vec3::NAN; frame.num_points()];
    let mut normals = vec![Vec3::NAN; frame.num_normals()];
    for pose in [FixturePose::Bent, FixturePose::Rest, FixturePose::Scaled] {
        let pose = pose.of(&character);
        let palette = Palette::new(&character.skeleton, &pose);
        let mut expected = vec![Vec3::NAN; frame.num_points()];
        skin.deform(&palette, &mut expected, &mut []);
        let mut expected_normals = vec![Vec3::NAN; frame.num_normals()];
        surface.compute(&expected, &mut expected_normals);
        for by_pose in [false, true] {
            let times = if by_pose { frame.run_pose(&pose) } else { frame.run(&palette) };
            let times = times.expect("the card answers");
            assert!(times.dispatch_ms > 0.0);
            assert_eq!(times.compute_ms.is_some(), gpu.has_timestamps());
            assert!(times.compute_ms.is_none_or(|ms| ms > 0.0 && ms < 60_000.0), "{times:?}");
            points.fill(Vec3::NAN);
            let read_ms = frame.read(&mut points, &mut normals).expect("the card answers");
            assert!(read_ms > 0.0);
            let error = largest_difference(&points, &widened(&expected)) / diagonal;
            assert!(error <= GPU_TOLERANCE, "{error:e}");
            // Of surfaces that differ by as much: a triangle's normal turns by the difference over its height.
            let error = largest_difference(&normals, &widened(&expected_normals));
            assert!(error <= 10.0 * GPU_NORMAL_TOLERANCE, "{error:e}");
        }
    }
}

fn without_normals(gpu: &Gpu) {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).expect("samples build");
    let skin = bind(&character, SkinMethod::Linear);
    let frame = GpuFrame::new(gpu, &character.skeleton, &skin, None).expect("it fits");
    assert_eq!(frame.num_normals(), 0);
    let pose = FixturePose::Rest.of(&character);
    frame.submit_pose(&pose);
    let mut points = vec![Vec3::NAN; frame.num_points()];
    frame.read(&mut points, &mut []).expect("the card answers");
    let mesh = &character.parts[0].mesh;
    let error = largest_difference(&points, &widened(mesh.points()));
    assert!(error <= GPU_TOLERANCE * f64::from(mesh.bounds().diagonal()), "{error:e}");
}

fn no_points(gpu: &Gpu) {
    use sinew::progress::Silent;
    use sinew::skin::{Skin, SkinInput};
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).expect("samples build");
    let weights = sinew::weights::SkinWeights::rigid(&[]);
    let input = SkinInput {
        positions: &[],
        normals: &[],
        weights: &weights,
        triangles: &[],
        skeleton: &character.skeleton,
    };
    for method in SkinMethod::ALL {
        let skin = Skin::bind(method, &input, &Silent).expect("nothing binds");
        let frame = GpuFrame::new(gpu, &character.skeleton, &skin, None).expect("it fits");
        frame.submit_pose(&FixturePose::Bent.of(&character));
        frame.read(&mut [], &mut []).expect("the card answers");
    }
}
