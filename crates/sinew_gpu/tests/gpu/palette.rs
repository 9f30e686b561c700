//! The palette that the card makes of a pose.

use sinew::conformance::{
    Fixture, FixturePose, GPU_TOLERANCE, blends_weights, largest_difference, of_character,
};
use sinew::glam::{DQuat, DVec3};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Joint, JointTransform, Palette, Pose, Skeleton};
use sinew::skin::SkinMethod;
use sinew::weights::SkinWeights;
use sinew_gpu::{Gpu, GpuPalette, GpuSkeleton};

use crate::Test;
use crate::conformance::{bound, by_pose, by_upload, fixtures_by_mesh};

pub(crate) const TESTS: &[Test] = &[
    ("a_palette_of_a_pose_agrees_with_the_cpus", palette_of_pose),
    ("a_chain_of_two_hundred_joints_stays_within_tolerance", long_chain),
    ("turns_of_twist_are_kept_on_the_card", turns_of_twist),
    ("a_joint_that_mirrors_or_flattens_agrees_with_the_cpu", flattened),
];

fn palette_of_pose(gpu: &Gpu) {
    // Translations are of the size of a sample, some metres; all else is of size one. Axes of
    // swings by a few thousandths of a degree are as little known as those.
    const TOLERANCE: f32 = 4e-5;
    for fixture in fixtures_by_mesh().iter().flatten() {
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
                let swing = expected_swing(fixture, joint);
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
    let cylinder = build(&SampleOptions::new(SampleKind::Cylinder)).expect("samples build");
    let mut fixture = of_character(&cylinder, FixturePose::Rest).remove(0);
    let rows: Vec<_> = (0..fixture.positions.len() as u32)
        .map(|p| [(p % 200, 0.5), ((p + 1) % 200, 0.5)])
        .collect();
    fixture.weights = SkinWeights::from_rows(rows, 200).0;
    let mut pose = Pose::rest(&skeleton);
    for (index, joint) in pose.joints.iter_mut().enumerate() {
        *joint = joint.rotated(DVec3::X, 0.01 * (index % 7) as f64, DVec3::Y);
        joint.twist_radians += 0.1;
    }
    fixture.palette = Palette::new(&skeleton, &pose);
    (fixture.skeleton, fixture.pose) = (skeleton, pose);
    for method in SkinMethod::ALL.into_iter().filter(|&method| blends_weights(method)) {
        let expected = fixture.reference_positions(method);
        let (positions, _) = by_pose(gpu, &bound(method, &fixture), &fixture);
        let error = largest_difference(&positions, &expected) / fixture.diagonal();
        assert!(error <= GPU_TOLERANCE, "{}: {error:e}", method.name());
    }
}

fn turns_of_twist(gpu: &Gpu) {
    let cylinder = build(&SampleOptions::new(SampleKind::Cylinder)).expect("samples build");
    let mut fixture = of_character(&cylinder, FixturePose::Bent).remove(0);
    let bent = fixture.pose.clone();
    for degrees in [179.0f64, 180.0, 181.0, 360.0, 540.0, 900.0, -720.0] {
        let mut pose = bent.clone();
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
}

fn flattened(gpu: &Gpu) {
    let arm = build(&SampleOptions::new(SampleKind::Arm)).expect("samples build");
    let mut fixture = of_character(&arm, FixturePose::Bent).remove(0);
    let bent = fixture.pose.clone();
    let leaf = bent.joints.len() - 1;
    let scales = [
        DVec3::new(-1.0, 1.0, 1.0),
        DVec3::new(-2.0, 0.5, -1.0),
        DVec3::new(0.0, 1.0, 1.0),
        DVec3::new(1.0, 0.0, 0.0),
        DVec3::new(1e-2, 1.0, 10.0),
        DVec3::splat(1e-4),
    ];
    for scale in scales {
        fixture.pose = bent.clone();
        fixture.pose.joints[leaf].scale = scale;
        fixture.palette = Palette::new(&fixture.skeleton, &fixture.pose);
        for method in SkinMethod::ALL.into_iter().filter(|&method| blends_weights(method)) {
            let expected = fixture.reference_positions(method);
            let (positions, _) = by_pose(gpu, &bound(method, &fixture), &fixture);
            let error = largest_difference(&positions, &expected) / fixture.diagonal();
            assert!(error <= GPU_TOLERANCE, "{} scaled by {scale}: {error:e}", method.name());
        }
    }
}
