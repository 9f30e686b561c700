//! Every method, on every sample, in every pose: the fast paths against the f64 reference.

use sinew::conformance::{
    CPU_NORMAL_TOLERANCE, CPU_TOLERANCE, Fixture, FixturePose, blends_weights, fixtures,
    largest_difference,
};
use sinew::glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::progress::Silent;
use sinew::sample::SampleKind;
use sinew::skeleton::{Joint, JointTransform, Palette, Skeleton};
use sinew::skin::{BucketedSkin, Skin, SkinMethod, VectorBlock};
use sinew::weights::SkinWeights;

/// Points that a sample has in these tests, where it can be had smaller.
const MAX_POINTS: usize = 8_000;

/// Positions and normals.
type Deformed = (Vec<Vec3>, Vec<Vec3>);

/// A fast path that the suite judges.
struct Backend {
    name: &'static str,
    deform: fn(SkinMethod, &Fixture) -> Deformed,
}

const BACKENDS: [Backend; 2] = [
    Backend { name: "user order", deform: in_user_order },
    Backend { name: "bucketed order", deform: in_bucketed_order },
];

fn in_user_order(method: SkinMethod, fixture: &Fixture) -> Deformed {
    let skin = Skin::bind(method, &fixture.input(), &Silent).expect("fixtures bind");
    let mut positions = vec![Vec3::NAN; fixture.positions.len()];
    let mut normals = vec![Vec3::NAN; fixture.normals.len()];
    skin.deform(&fixture.palette, &mut positions, &mut normals);
    (positions, normals)
}

fn in_bucketed_order(method: SkinMethod, fixture: &Fixture) -> Deformed {
    let skin = BucketedSkin::bind(method, &fixture.input(), &Silent).expect("fixtures bind");
    let mut positions = vec![VectorBlock::default(); skin.num_blocks()];
    let mut normals = positions.clone();
    skin.deform(&fixture.palette, &mut positions, &mut normals);
    let in_user_order = |blocks: &[VectorBlock]| {
        let mut out = vec![Vec3::NAN; fixture.positions.len()];
        for (block, points) in blocks.iter().zip(skin.point_of_lane()) {
            for (lane, &point) in points.iter().enumerate() {
                out[point as usize] = Vec3::new(block.x.0[lane], block.y.0[lane], block.z.0[lane]);
            }
        }
        out
    };
    (in_user_order(&positions), in_user_order(&normals))
}

/// The fixtures in one pose; never none, so that a test over them cannot pass by looking at
/// nothing.
fn fixtures_in(pose: FixturePose, max_points: usize) -> Vec<Fixture> {
    let all = fixtures(max_points).expect("samples build").into_iter();
    let found: Vec<_> = all.filter(|f| f.name.ends_with(&format!("{pose:?}"))).collect();
    assert!(found.len() >= SampleKind::SKINS.len(), "a fixture of every sample in {pose:?}");
    found
}

#[test]
fn every_fast_path_agrees_with_the_reference() {
    for fixture in fixtures(MAX_POINTS).unwrap() {
        for method in SkinMethod::ALL {
            let reference = fixture.reference(method);
            let expected = reference.positions(&fixture.palette);
            let expected_normals = reference.normals(&fixture.palette);
            for backend in &BACKENDS {
                let (positions, normals) = (backend.deform)(method, &fixture);
                let case = format!("{} of {} in {}", method.name(), fixture.name, backend.name);
                let error = largest_difference(&positions, &expected) / fixture.diagonal();
                assert!(error <= CPU_TOLERANCE, "{case}: {error:e} of the diagonal");
                let error = largest_difference(&normals, &expected_normals);
                assert!(error <= CPU_NORMAL_TOLERANCE, "{case}: normals off by {error:e}");
            }
        }
    }
}

#[test]
fn a_perturbed_weight_is_caught() {
    // Every blend must notice a hundredth on one point.
    for fixture in fixtures_in(FixturePose::Bent, MAX_POINTS) {
        for method in SkinMethod::ALL.into_iter().filter(|&method| blends_weights(method)) {
            let expected = fixture.reference_positions(method);
            for backend in &BACKENDS {
                let (positions, _) = (backend.deform)(method, &fixture.with_perturbed_weight(0.01));
                let error = largest_difference(&positions, &expected) / fixture.diagonal();
                assert!(error > CPU_TOLERANCE, "{} of {} slept", method.name(), fixture.name);
            }
        }
    }
}

#[test]
fn the_rest_pose_gives_the_rest_positions() {
    /// Inverse bind matrices and their products, rounded to f32 once.
    const TOLERANCE: f64 = 1e-6;
    for fixture in fixtures_in(FixturePose::Rest, MAX_POINTS) {
        let rest: Vec<DVec3> = fixture.positions.iter().map(|p| p.as_dvec3()).collect();
        for method in SkinMethod::ALL {
            let (positions, _) = in_user_order(method, &fixture);
            let error = largest_difference(&positions, &rest) / fixture.diagonal();
            assert!(error <= TOLERANCE, "{} of {}: {error:e}", method.name(), fixture.name);
        }
    }
}

#[test]
fn a_rigid_motion_of_all_joints_moves_the_skin_rigidly() {
    /// f32 positions a few diagonals from the origin.
    const TOLERANCE: f64 = 1e-5;
    let motion = DAffine3::from_rotation_translation(
        DQuat::from_euler(sinew::glam::EulerRot::XYZ, 0.7, -2.0, 1.1),
        DVec3::new(1.0, -2.0, 0.5),
    );
    for mut fixture in fixtures_in(FixturePose::Rest, MAX_POINTS) {
        let motions = vec![motion; fixture.palette.len()];
        fixture.palette = Palette::from_transforms(&fixture.skeleton, motions);
        let moved: Vec<DVec3> =
            fixture.positions.iter().map(|p| motion.transform_point3(p.as_dvec3())).collect();
        for method in SkinMethod::ALL {
            let (positions, _) = in_user_order(method, &fixture);
            let error = largest_difference(&positions, &moved) / fixture.diagonal();
            assert!(error <= TOLERANCE, "{} of {}: {error:e}", method.name(), fixture.name);
        }
    }
}

#[test]
fn weights_permuted_or_split_change_nothing() {
    for mut fixture in fixtures_in(FixturePose::Bent, 2_000) {
        let before: Vec<_> = SkinMethod::ALL.map(|m| in_user_order(m, &fixture)).to_vec();
        let rows: Vec<Vec<(u32, f32)>> = fixture
            .weights
            .rows()
            .map(|row| {
                // Last joint first, and each in two halves, which add up to the same f32.
                row.iter().rev().flat_map(|i| [(i.joint, i.weight * 0.5); 2]).collect()
            })
            .collect();
        fixture.weights = SkinWeights::from_rows(rows, fixture.palette.len()).0;
        let after: Vec<_> = SkinMethod::ALL.map(|m| in_user_order(m, &fixture)).to_vec();
        for (method, ((before, _), (after, _))) in
            SkinMethod::ALL.iter().zip(before.iter().zip(&after))
        {
            let before: Vec<DVec3> = before.iter().map(|p| p.as_dvec3()).collect();
            // Normalising an already normalised row may move its last bit.
            let error = largest_difference(after, &before) / fixture.diagonal();
            assert!(error <= 1e-6, "{} of {}: {error:e}", method.name(), fixture.name);
        }
    }
}

#[test]
fn the_bits_are_the_same_with_any_number_of_threads() {
    // Large enough that the pool is used.
    let options = sinew::sample::SampleOptions {
        points: Some(240_000),
        ..sinew::sample::SampleOptions::new(SampleKind::Snake)
    };
    let snake = sinew::sample::build(&options).unwrap();
    let fixture = &sinew::conformance::of_character(&snake, FixturePose::Bent)[0];
    for method in SkinMethod::ALL {
        let skin = Skin::bind(method, &fixture.input(), &Silent).unwrap();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut positions = vec![Vec3::ZERO; fixture.positions.len()];
            let mut normals = positions.clone();
            pool.install(|| skin.deform(&fixture.palette, &mut positions, &mut normals));
            (positions, normals)
        };
        let alone = run(1);
        for threads in [2, 3, 7] {
            assert!(run(threads) == alone, "{} with {threads} threads", method.name());
        }
    }
}

/// Joints without a parent, their bones side by side.
fn fan_of_joints(num_joints: usize) -> Skeleton {
    let joint = |index: usize| Joint {
        name: format!("joint_{index}"),
        parent: None,
        rest: JointTransform {
            translation: DVec3::X * index as f64 * 0.01,
            ..JointTransform::IDENTITY
        },
        tail_in_joint: DVec3::Y,
    };
    Skeleton::new((0..num_joints).map(joint).collect()).expect("joints without parents")
}

#[test]
fn a_point_with_many_influences_is_blended_of_all_of_them() {
    let mut fixture = fixtures(2_000).unwrap().remove(1);
    let num_joints = 40;
    let joint = |j: usize| {
        DAffine3::from_rotation_translation(
            DQuat::from_rotation_x(j as f64 * 0.02),
            DVec3::new(0.0, j as f64 * 0.01, 0.0),
        )
    };
    fixture.skeleton = fan_of_joints(num_joints);
    fixture.palette =
        Palette::from_transforms(&fixture.skeleton, (0..num_joints).map(joint).collect());
    let rows = (0..fixture.positions.len())
        .map(|p| (0..num_joints as u32).map(move |j| (j, 1.0 + ((p as u32 + j) % 5) as f32)));
    fixture.weights = SkinWeights::from_rows(rows, num_joints).0;
    for method in SkinMethod::ALL {
        let expected = fixture.reference_positions(method);
        for backend in &BACKENDS {
            let (positions, _) = (backend.deform)(method, &fixture);
            let error = largest_difference(&positions, &expected) / fixture.diagonal();
            // Ten times the influences, ten times the roundings.
            assert!(error <= 10.0 * CPU_TOLERANCE, "{} {error:e}", method.name());
        }
    }
}

#[test]
fn points_that_share_their_joints_with_nobody_are_right_too() {
    let mut fixture = fixtures(2_000).unwrap().remove(1);
    let num_joints = 50;
    let joint = |j: usize| DAffine3::from_rotation_y(j as f64 * 0.03);
    fixture.skeleton = fan_of_joints(num_joints);
    fixture.palette =
        Palette::from_transforms(&fixture.skeleton, (0..num_joints).map(joint).collect());
    let rows = (0..fixture.positions.len() as u32)
        .map(|p| [(p % 50, 0.5), ((p * 7 + 3) % 50, 0.3), ((p / 50 * 11 + 7) % 50, 0.2)]);
    fixture.weights = SkinWeights::from_rows(rows, num_joints).0;
    for method in SkinMethod::ALL {
        let expected = fixture.reference_positions(method);
        for backend in &BACKENDS {
            let (positions, _) = (backend.deform)(method, &fixture);
            let error = largest_difference(&positions, &expected) / fixture.diagonal();
            assert!(error <= CPU_TOLERANCE, "{} in {}: {error:e}", method.name(), backend.name);
        }
    }
}
