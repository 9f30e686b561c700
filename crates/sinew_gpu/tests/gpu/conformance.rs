//! Every method on every sample in every pose: f64 reference, CPU and card.

use std::sync::OnceLock;

use sinew::conformance::{
    CPU_TOLERANCE, Fixture, FixturePose, GPU_NORMAL_TOLERANCE, GPU_TOLERANCE, blends_weights,
    fixtures, largest_difference, of_character,
};
use sinew::glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Joint, JointTransform, Palette, Skeleton};
use sinew::skin::{Skin, SkinMethod};
use sinew::weights::SkinWeights;
use sinew_gpu::{Gpu, GpuPalette, GpuSkeleton, GpuSkin};

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("every_method_agrees_with_the_reference_by_either_palette", every_method),
    ("a_perturbed_weight_is_caught", perturbed_weight),
    ("a_turn_of_a_tenth_of_a_degree_is_caught", a_turn_of_a_tenth_of_a_degree),
    ("a_mesh_past_65535_points_is_whole", many_points),
    ("a_dispatch_past_one_row_of_workgroups_reaches_every_point", many_invocations),
    ("a_point_with_forty_influences_is_blended_of_all_of_them", many_influences),
    ("a_mesh_without_points_is_a_skin_too", no_points),
    ("frames_follow_their_palettes_without_binding_again", two_frames),
];

/// Points that a sample has in these tests, where it can be had smaller.
const MAX_POINTS: usize = 1_500;

/// Positions and normals.
pub(crate) type Deformed = (Vec<Vec3>, Vec<Vec3>);

pub(crate) fn bound(method: SkinMethod, fixture: &Fixture) -> Skin {
    Skin::bind(method, &fixture.input(), &Silent).expect("fixtures bind")
}

fn on_cpu(skin: &Skin, palette: &Palette) -> Deformed {
    let mut positions = vec![Vec3::NAN; skin.num_points()];
    let mut normals = positions.clone();
    skin.deform(palette, &mut positions, &mut normals);
    (positions, normals)
}

fn read(skin: &GpuSkin) -> Deformed {
    (
        skin.read_positions().expect("the card answers"),
        skin.read_normals().expect("the card answers"),
    )
}

/// By the CPU's palette, uploaded.
pub(crate) fn by_upload(gpu: &Gpu, skin: &Skin, palette: &Palette) -> Deformed {
    let on_card = GpuPalette::new(gpu, palette.len()).expect("a palette fits");
    let skin = GpuSkin::new(gpu, skin, &on_card).expect("a skin fits");
    on_card.upload(palette);
    skin.deform();
    read(&skin)
}

/// By a palette that the card makes from the pose.
pub(crate) fn by_pose(gpu: &Gpu, skin: &Skin, fixture: &Fixture) -> Deformed {
    let skeleton = GpuSkeleton::new(gpu, &fixture.skeleton).expect("a skeleton fits");
    let skin = GpuSkin::new(gpu, skin, skeleton.palette()).expect("a skin fits");
    skeleton.upload(&fixture.pose);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        skeleton.encode(&mut pass);
        skin.encode(&mut pass);
    }
    gpu.queue().submit([encoder.finish()]);
    read(&skin)
}

/// The fixtures of every sample: one bind serves all poses of one mesh. Made once: samples take a
/// second.
pub(crate) fn fixtures_by_mesh() -> &'static [Vec<Fixture>] {
    static MESHES: OnceLock<Vec<Vec<Fixture>>> = OnceLock::new();
    MESHES.get_or_init(make_fixtures)
}

fn make_fixtures() -> Vec<Vec<Fixture>> {
    let mut meshes: Vec<Vec<Fixture>> = Vec::new();
    for fixture in fixtures(MAX_POINTS).expect("samples build") {
        match meshes.iter_mut().find(|mesh| mesh[0].positions == fixture.positions) {
            Some(mesh) => mesh.push(fixture),
            None => meshes.push(vec![fixture]),
        }
    }
    assert!(meshes.len() >= SampleKind::SKINS.len(), "a mesh of every sample");
    meshes
}

fn every_method(gpu: &Gpu) {
    for fixtures in fixtures_by_mesh() {
        assert_eq!(fixtures.len(), FixturePose::ALL.len(), "{}", fixtures[0].name);
        for method in SkinMethod::ALL {
            let skin = bound(method, &fixtures[0]);
            let reference = fixtures[0].reference(method);
            for fixture in fixtures {
                let expected = reference.positions(&fixture.palette);
                let expected_normals = reference.normals(&fixture.palette);
                let error = |(positions, normals): &Deformed| {
                    let of_positions =
                        largest_difference(positions, &expected) / fixture.diagonal();
                    (of_positions, largest_difference(normals, &expected_normals))
                };
                let case = format!("{} of {}", method.name(), fixture.name);
                let (cpu, _) = error(&on_cpu(&skin, &fixture.palette));
                assert!(cpu <= CPU_TOLERANCE, "{case} on the CPU: {cpu:e}");
                let uploaded = by_upload(gpu, &skin, &fixture.palette);
                let posed = by_pose(gpu, &skin, fixture);
                for (name, deformed) in [("uploaded palette", uploaded), ("pose", posed)] {
                    let (positions, normals) = error(&deformed);
                    assert!(positions <= GPU_TOLERANCE, "{case} by {name}: {positions:e}");
                    assert!(normals <= GPU_NORMAL_TOLERANCE, "{case} by {name}: {normals:e}");
                }
            }
        }
    }
}

fn a_turn_of_a_tenth_of_a_degree(gpu: &Gpu) {
    // Of every joint, so that each sample's points see some of it.
    let arm = build(&SampleOptions::new(SampleKind::Arm)).expect("samples build");
    let fixture = of_character(&arm, FixturePose::Bent).remove(0);
    let mut pose = fixture.pose.clone();
    for (posed, joint) in pose.joints.iter_mut().zip(fixture.skeleton.joints()) {
        *posed = posed.rotated(DVec3::X, 0.1f64.to_radians(), joint.bone_axis());
    }
    let turned = Palette::new(&fixture.skeleton, &pose);
    for method in SkinMethod::ALL {
        let expected = fixture.reference_positions(method);
        let (positions, _) = by_upload(gpu, &bound(method, &fixture), &turned);
        let error = largest_difference(&positions, &expected) / fixture.diagonal();
        assert!(error > GPU_TOLERANCE, "{} slept: {error:e}", method.name());
    }
}

fn perturbed_weight(gpu: &Gpu) {
    // Every blend must notice a hundredth on one point.
    for fixtures in fixtures_by_mesh() {
        let fixture = &fixtures[1];
        assert!(fixture.name.ends_with(&format!("{:?}", FixturePose::Bent)));
        for method in SkinMethod::ALL.into_iter().filter(|&method| blends_weights(method)) {
            let expected = fixture.reference_positions(method);
            let skin = bound(method, &fixture.with_perturbed_weight(0.01));
            let (positions, _) = by_upload(gpu, &skin, &fixture.palette);
            let error = largest_difference(&positions, &expected) / fixture.diagonal();
            assert!(
                error > GPU_TOLERANCE,
                "{} of {} slept: {error:e}",
                method.name(),
                fixture.name
            );
        }
    }
}

fn many_points(gpu: &Gpu) {
    let options = SampleOptions { points: Some(70_000), ..SampleOptions::new(SampleKind::Snake) };
    let snake = build(&options).expect("samples build");
    let fixture = &of_character(&snake, FixturePose::Bent)[0];
    assert!(fixture.positions.len() > 65_535);
    for method in [SkinMethod::Linear, SkinMethod::BoneSmooth] {
        let skin = bound(method, fixture);
        let (expected, _) = on_cpu(&skin, &fixture.palette);
        let expected: Vec<DVec3> = expected.iter().map(|p| p.as_dvec3()).collect();
        let (positions, _) = by_upload(gpu, &skin, &fixture.palette);
        let error = largest_difference(&positions, &expected) / fixture.diagonal();
        assert!(error <= GPU_TOLERANCE, "{}: {error:e}", method.name());
    }
}

fn many_invocations(gpu: &Gpu) {
    // One row of workgroups is 65,535 × 64 invocations.
    let num_points = 65_535 * 64 + 100_001;
    let positions: Vec<Vec3> =
        (0..num_points).map(|p| Vec3::new(p as f32, (p % 1_000) as f32, 0.0)).collect();
    let joint_of_point: Vec<u32> = (0..num_points).map(|p| (p / 1_000 % 2) as u32).collect();
    let arm = build(&SampleOptions::new(SampleKind::Arm)).expect("samples build");
    let input = sinew::skin::SkinInput {
        positions: &positions,
        normals: &[],
        weights: &SkinWeights::rigid(&joint_of_point),
        triangles: &[],
        skeleton: &arm.skeleton,
    };
    let skin = Skin::bind(SkinMethod::Rigid, &input, &Silent).expect("points bind");
    let moves = |j: usize| DAffine3::from_translation(DVec3::Z * (1.0 + j as f64));
    let palette =
        Palette::from_transforms(&arm.skeleton, (0..arm.skeleton.len()).map(moves).collect());
    let (found, _) = by_upload(gpu, &skin, &palette);
    for (point, found) in found.iter().enumerate() {
        let expected = positions[point] + Vec3::Z * (1.0 + joint_of_point[point] as f32);
        assert_eq!(*found, expected, "point {point}");
    }
}

fn many_influences(gpu: &Gpu) {
    let mut fixture = fixtures(2_000).expect("samples build").remove(1);
    let num_joints = 40;
    let joint = |index: usize| Joint {
        name: format!("joint_{index}"),
        parent: None,
        rest: JointTransform {
            translation: DVec3::X * index as f64 * 0.01,
            ..JointTransform::IDENTITY
        },
        tail_in_joint: DVec3::Y,
    };
    let moved = |j: usize| {
        DAffine3::from_rotation_translation(
            DQuat::from_rotation_x(j as f64 * 0.02),
            DVec3::new(0.0, j as f64 * 0.01, 0.0),
        )
    };
    fixture.skeleton = Skeleton::new((0..num_joints).map(joint).collect()).expect("roots");
    fixture.palette =
        Palette::from_transforms(&fixture.skeleton, (0..num_joints).map(moved).collect());
    let rows = (0..fixture.positions.len())
        .map(|p| (0..num_joints as u32).map(move |j| (j, 1.0 + ((p as u32 + j) % 5) as f32)));
    fixture.weights = SkinWeights::from_rows(rows, num_joints).0;
    for method in SkinMethod::ALL {
        let expected = fixture.reference_positions(method);
        let (positions, _) = by_upload(gpu, &bound(method, &fixture), &fixture.palette);
        let error = largest_difference(&positions, &expected) / fixture.diagonal();
        assert!(error <= GPU_TOLERANCE, "{}: {error:e}", method.name());
    }
}

fn two_frames(gpu: &Gpu) {
    let arm = build(&SampleOptions::new(SampleKind::Arm)).expect("samples build");
    let [bent, scaled] =
        [FixturePose::Bent, FixturePose::Scaled].map(|pose| of_character(&arm, pose).remove(0));
    for method in SkinMethod::ALL {
        let skin = bound(method, &bent);
        let palette = GpuPalette::new(gpu, bent.palette.len()).expect("a palette fits");
        let on_card = GpuSkin::new(gpu, &skin, &palette).expect("a skin fits");
        for fixture in [&bent, &scaled, &bent] {
            palette.upload(&fixture.palette);
            on_card.deform();
            let found = on_card.read_positions().expect("the card answers");
            let expected = fixture.reference_positions(method);
            let error = largest_difference(&found, &expected) / fixture.diagonal();
            assert!(error <= GPU_TOLERANCE, "{} of {}: {error:e}", method.name(), fixture.name);
        }
    }
}

fn no_points(gpu: &Gpu) {
    let arm = build(&SampleOptions::new(SampleKind::Arm)).expect("samples build");
    let input = sinew::skin::SkinInput {
        positions: &[],
        normals: &[],
        weights: &SkinWeights::rigid(&[]),
        triangles: &[],
        skeleton: &arm.skeleton,
    };
    let palette = Palette::new(&arm.skeleton, &FixturePose::Bent.of(&arm));
    for method in [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation] {
        let skin = Skin::bind(method, &input, &Silent).expect("nothing binds");
        assert_eq!(by_upload(gpu, &skin, &palette), (Vec::new(), Vec::new()));
    }
}
