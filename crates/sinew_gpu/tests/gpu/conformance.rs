//! Every method on every sample in every pose: f64 reference, CPU and card.

use sinew::conformance::{
    CPU_TOLERANCE, Fixture, FixturePose, GPU_NORMAL_TOLERANCE, GPU_TOLERANCE, fixtures,
    largest_difference, of_character,
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
    ("a_palette_of_a_pose_agrees_with_the_cpus", palette_of_pose),
    ("a_chain_of_two_hundred_joints_stays_within_tolerance", long_chain),
    ("turns_of_twist_are_kept_on_the_card", turns_of_twist),
    ("a_mesh_past_65535_points_is_whole", many_points),
    ("a_point_with_forty_influences_is_blended_of_all_of_them", many_influences),
    ("frames_follow_their_palettes_without_binding_again", two_frames),
];

/// Points that a sample has in these tests, where it can be had smaller.
const MAX_POINTS: usize = 4_000;

/// Positions and normals.
type Deformed = (Vec<Vec3>, Vec<Vec3>);

fn bound(method: SkinMethod, fixture: &Fixture) -> Skin {
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
fn by_upload(gpu: &Gpu, skin: &Skin, palette: &Palette) -> Deformed {
    let on_card = GpuPalette::new(gpu, palette.len()).expect("a palette fits");
    let skin = GpuSkin::new(gpu, skin, &on_card).expect("a skin fits");
    on_card.upload(palette);
    skin.deform();
    read(&skin)
}

/// By a palette that the card makes from the pose.
fn by_pose(gpu: &Gpu, skin: &Skin, fixture: &Fixture) -> Deformed {
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

fn every_method(gpu: &Gpu) {
    let mut worst = [[0.0f64; 5]; 5];
    for fixture in fixtures(MAX_POINTS).expect("samples build") {
        for (method, worst) in SkinMethod::ALL.into_iter().zip(&mut worst) {
            let reference = fixture.reference(method);
            let expected = reference.positions(&fixture.palette);
            let expected_normals = reference.normals(&fixture.palette);
            let skin = bound(method, &fixture);
            let error = |(positions, normals): &Deformed| {
                let of_positions = largest_difference(positions, &expected) / fixture.diagonal();
                (of_positions, largest_difference(normals, &expected_normals))
            };
            let cpu = error(&on_cpu(&skin, &fixture.palette));
            let uploaded = error(&by_upload(gpu, &skin, &fixture.palette));
            let posed = error(&by_pose(gpu, &skin, &fixture));
            for (worst, error) in
                worst.iter_mut().zip([cpu.0, uploaded.0, uploaded.1, posed.0, posed.1])
            {
                *worst = worst.max(error);
            }
            let case = format!("{} of {}", method.name(), fixture.name);
            assert!(cpu.0 <= CPU_TOLERANCE, "{case} on the CPU: {:e}", cpu.0);
            for (name, (positions, normals)) in [("uploaded palette", uploaded), ("pose", posed)] {
                assert!(positions <= GPU_TOLERANCE, "{case} by {name}: {positions:e}");
                assert!(normals <= GPU_NORMAL_TOLERANCE, "{case} by {name}: normals {normals:e}");
            }
        }
    }
    if std::env::var_os("SINEW_SHOW_ERRORS").is_some() {
        for (method, w) in SkinMethod::ALL.iter().zip(&worst) {
            eprintln!(
                "{:20} cpu {:.1e}  uploaded {:.1e} normals {:.1e}  posed {:.1e} normals {:.1e}",
                method.name(),
                w[0],
                w[1],
                w[2],
                w[3],
                w[4]
            );
        }
    }
}

fn perturbed_weight(gpu: &Gpu) {
    // Rigid skinning sees only which weight is largest; every blend must notice a hundredth on one point.
    let fixtures = fixtures(MAX_POINTS).expect("samples build").into_iter();
    let bent: Vec<Fixture> =
        fixtures.filter(|f| f.name.ends_with(&format!("{:?}", FixturePose::Bent))).collect();
    assert!(bent.len() >= SampleKind::ALL.len(), "a fixture of every sample");
    for fixture in bent {
        for method in [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation] {
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

fn palette_of_pose(gpu: &Gpu) {
    // Translations are of the size of a sample, some metres; all else is of size one. Axes of swings by a few thousandths of
    // a degree are as little known as those.
    const TOLERANCE: f32 = 4e-5;
    for fixture in fixtures(500).expect("samples build") {
        let skeleton = GpuSkeleton::new(gpu, &fixture.skeleton).expect("a skeleton fits");
        skeleton.upload(&fixture.pose);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        skeleton.encode(&mut encoder.begin_compute_pass(&Default::default()));
        gpu.queue().submit([encoder.finish()]);
        let found = skeleton.palette().read().expect("the card answers");
        let uploaded = GpuPalette::new(gpu, fixture.palette.len()).expect("a palette fits");
        uploaded.upload(&fixture.palette);
        gpu.queue().submit([]);
        let expected = uploaded.read().expect("the card answers");
        for (table, name) in ["blend", "bones"].into_iter().enumerate() {
            let rows = found[table].iter().zip(&expected[table]);
            let signs = found[0].iter().zip(&expected[0]);
            let signs: Vec<f32> = signs.map(|(a, b)| dot(*a, *b).signum()).collect();
            for (index, (found, expected)) in rows.enumerate() {
                let (joint, row) = (index / 7, index % 7);
                let case = format!("{} joint {joint} {name} row {row}", fixture.name);
                // A quaternion and its dual are of either sign, the rotation from the root of one.
                let sign =
                    if table == 0 && (3..5).contains(&row) { signs[joint * 7 + 3] } else { 1.0 };
                let swing = expected_swing(&fixture, joint);
                for lane in 0..4 {
                    let is_flag = row == 5 && lane == 3 || table == 0 && row == 6 && lane == 3;
                    let is_axis = table == 1 && row == 0 && lane < 3;
                    if is_flag || (is_axis && swing < 1e-2) {
                        continue;
                    }
                    let error = (sign * found[lane] - expected[lane]).abs();
                    assert!(error <= TOLERANCE, "{case}: {found:?} {expected:?}");
                }
            }
        }
    }
}

fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn expected_swing(fixture: &Fixture, joint: usize) -> f64 {
    fixture.palette.turns()[joint].swing_radians
}

/// A snake-like chain whose joints all turn.
fn long_chain(gpu: &Gpu) {
    let joint = |index: usize| Joint {
        name: format!("joint_{index}"),
        parent: index.checked_sub(1).map(|parent| parent as u32),
        rest: JointTransform {
            translation: if index == 0 { DVec3::ZERO } else { DVec3::Y * 0.01 },
            rotation: DQuat::from_rotation_x(0.02),
            ..JointTransform::IDENTITY
        },
        tail_in_joint: DVec3::Y * 0.01,
    };
    let skeleton = Skeleton::new((0..200).map(joint).collect()).expect("a chain is a skeleton");
    let mut fixture = fixtures(500).expect("samples build").remove(1);
    let rows: Vec<_> = (0..fixture.positions.len() as u32)
        .map(|p| [(p % 200, 0.5), ((p + 1) % 200, 0.5)])
        .collect();
    fixture.weights = SkinWeights::from_rows(rows, 200).0;
    let mut pose = sinew::skeleton::Pose::rest(&skeleton);
    for (index, joint) in pose.joints.iter_mut().enumerate() {
        *joint = joint.rotated(DVec3::X, 0.01 * (index % 7) as f64, DVec3::Y);
        joint.twist_radians += 0.1;
    }
    fixture.palette = Palette::new(&skeleton, &pose);
    (fixture.skeleton, fixture.pose) = (skeleton, pose);
    for method in [SkinMethod::Linear, SkinMethod::DualQuat] {
        let expected = fixture.reference_positions(method);
        let (positions, _) = by_pose(gpu, &bound(method, &fixture), &fixture);
        let error = largest_difference(&positions, &expected) / fixture.diagonal();
        assert!(error <= GPU_TOLERANCE, "{}: {error:e}", method.name());
    }
}

fn turns_of_twist(gpu: &Gpu) {
    let cylinder = build(&SampleOptions::new(SampleKind::Cylinder)).expect("samples build");
    let mut fixture = of_character(&cylinder, FixturePose::Bent).remove(0);
    let mut flat = fixture.pose.clone();
    for degrees in [179.0f64, 180.0, 181.0, 360.0, 540.0, 900.0, -720.0] {
        let mut pose = flat.clone();
        let last = pose.joints.len() - 1;
        pose.joints[last].twist_radians = degrees.to_radians();
        fixture.palette = Palette::new(&fixture.skeleton, &pose);
        fixture.pose = pose;
        let method = SkinMethod::BoneSmooth;
        let expected = fixture.reference_positions(method);
        let skin = bound(method, &fixture);
        let (uploaded, _) = by_upload(gpu, &skin, &fixture.palette);
        let (posed, _) = by_pose(gpu, &skin, &fixture);
        for (name, positions) in [("uploaded", uploaded), ("posed", posed)] {
            let error = largest_difference(&positions, &expected) / fixture.diagonal();
            assert!(error <= GPU_TOLERANCE, "{degrees}° {name}: {error:e}");
        }
    }
    flat.joints.clear();
}

fn many_points(gpu: &Gpu) {
    let options = SampleOptions { points: Some(240_000), ..SampleOptions::new(SampleKind::Snake) };
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
