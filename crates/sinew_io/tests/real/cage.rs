//! The coupled paper's own arm: its cage, its weights, and the coordinates that its program wrote.

use std::path::Path;

use glam::{DVec3, Vec3};
use sinew::cage::coordinates::MeanValue;
use sinew::cage::{Cage, CoordinateRows, Coordinates as _, CoupledPart, Coupling, Selection};
use sinew::progress::Silent;
use sinew::skeleton::{Joint, JointTransform, Palette, Pose, Skeleton};
use sinew::skin::SkinMethod;
use sinew::weights::SkinWeights;
use sinew_io::{read_cage, read_cage_weights, read_character};

use super::Test;

pub(crate) const TESTS: &[Test] = &[
    ("the_arms_coordinates_are_those_of_the_papers_program", coordinates),
    ("the_arms_selection_is_well_conditioned_and_the_loop_exact", coupling),
    ("every_cage_of_the_data_is_read_and_reported_on", cages),
];

fn arm(folder: &Path) -> (Vec<DVec3>, Vec<[u32; 3]>, Cage) {
    let folder = folder.join("supercages_arm");
    let arm = read_character(&folder.join("arm.obj")).unwrap().character;
    let mesh = &arm.parts[0].mesh;
    let points = mesh.points().iter().map(|p| p.as_dvec3()).collect();
    (points, mesh.point_triangles().to_vec(), read_cage(&folder.join("arm_cage.obj")).unwrap())
}

fn coordinates(folder: &Path) {
    let (points, _, cage) = arm(folder);
    assert_eq!((points.len(), cage.points().len(), cage.faces().len()), (2089, 58, 112));
    assert!(!cage.check().has_errors(), "{}", cage.check());
    let rows = CoordinateRows::bind(&cage, &MeanValue::new(&cage), &points, &Silent).unwrap();
    assert!(rows.raw_error() <= 1e-12, "{}", rows.raw_error());
    let file = folder.join("supercages_arm/arm_cage_cageWeights.txt");
    let loaded = read_cage_weights(&file, 58, points.len()).unwrap();
    assert!(CoordinateRows::bind(&cage, &loaded, &points, &Silent).is_ok());
    // As they were written, with six digits.
    let mut theirs = vec![0.0; rows.values().len()];
    loaded.rows(0, &points, &mut theirs);
    let mut worst = 0.0f64;
    for (own, other) in rows.values().iter().zip(&theirs) {
        assert!(own.is_finite());
        worst = worst.max((own - other).abs());
    }
    assert!(worst <= 3e-6, "{worst}");
}

fn coupling(folder: &Path) {
    let (points, triangles, cage) = arm(folder);
    let rows = CoordinateRows::bind(&cage, &MeanValue::new(&cage), &points, &Silent).unwrap();
    let selection = Selection::of(&rows, |_| true);
    assert!(selection.largest_ratio <= 1.05, "{}", selection.largest_ratio);
    let skeleton = skeleton(&folder.join("supercages_arm/arm.skt"));
    let weights = weights(&folder.join("supercages_arm/arm.skw"), points.len(), skeleton.len());
    for method in [SkinMethod::Linear, SkinMethod::DualQuat] {
        let part = CoupledPart {
            first_point: 0,
            points: &points,
            triangles: &triangles,
            weights: Some(&weights),
            method,
            centers: &[] as &[Vec3],
            center_rows: &[],
        };
        let coupling = Coupling::bind(&cage, &rows, &[part], &skeleton, None).unwrap();
        assert!(coupling.condition() <= 15.0, "{}", coupling.condition());
        let diagonal = cage.diagonal();
        for joint in 0..skeleton.len() {
            let row = coupling.joint_row(joint).iter();
            let found: DVec3 = row.zip(cage.points()).map(|(&psi, &c)| psi * c).sum();
            let error = found.distance(skeleton.bind_bone(joint as u32)[0]) / diagonal;
            assert!(error <= 1e-11, "joint {joint}: {error}");
        }
        let mut pose = Pose::rest(&skeleton);
        for (index, joint) in pose.joints.iter_mut().enumerate() {
            let axis = DVec3::new((index as f64).sin(), (2.0 * index as f64).cos(), 0.5);
            let turn = glam::DQuat::from_axis_angle(axis.normalize(), 1.5 * (index as f64).cos());
            *joint = joint.with_rotation(turn, skeleton.pose_axis(index as u32));
        }
        let palette = Palette::new(&skeleton, &pose);
        let mut scratch = coupling.scratch();
        let mut before = vec![DVec3::ZERO; 58];
        coupling.follow(cage.points(), &palette, &[], &mut scratch, &mut before);
        let by: Vec<DVec3> =
            (0..58).map(|k| DVec3::new((k as f64).sin(), (k as f64).cos(), 0.3)).collect();
        let reverse = coupling.reverse(&skeleton, &pose, &palette);
        let reversed = reverse.solve(&by).unwrap();
        let rest: Vec<DVec3> =
            cage.points().iter().zip(&reversed.offsets).map(|(&c, &d)| c + d).collect();
        let mut offsets = vec![DVec3::ZERO; skeleton.len()];
        coupling.joint_offsets(&rest, &mut offsets);
        let mut moved = skeleton.clone();
        moved.move_joints(&skeleton, &offsets);
        let palette = Palette::new(&moved, &pose);
        let mut after = before.clone();
        coupling.follow(&rest, &palette, &[], &mut scratch, &mut after);
        for ((after, before), by) in after.iter().zip(&before).zip(&by) {
            let error = after.distance(*before + *by) / by.length();
            assert!(error <= 1e-11, "{method:?}: {error:e}");
        }
    }
}

fn cages(folder: &Path) {
    for name in [
        "derived/koala_cage.obj",
        "derived/makehuman_base_cage.obj",
        "derived/spot_cage.obj",
        "derived/trex_bindpose_cage.obj",
        "mvc_spot/spot_control_mesh.obj",
        "oded_fish/fish_control_mesh.obj",
        "supercages_arm/arm_cage.obj",
    ] {
        let cage = read_cage(&folder.join(name)).unwrap();
        eprintln!("{name}: {} handles, {}", cage.points().len(), cage.check());
    }
}

/// `j index name father x y z`.
fn skeleton(path: &Path) -> Skeleton {
    let text = std::fs::read_to_string(path).unwrap();
    let mut places: Vec<DVec3> = Vec::new();
    let mut joints = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("j ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |i: usize| words[i].parse::<f64>().unwrap();
        let place = DVec3::new(number(4), number(5), number(6));
        let parent = u32::try_from(words[3].parse::<i64>().unwrap()).ok();
        let from = parent.map_or(DVec3::ZERO, |parent| places[parent as usize]);
        let rest = JointTransform { translation: place - from, ..JointTransform::IDENTITY };
        let name = words[2].to_owned();
        joints.push(Joint { name, parent, rest, tail_in_joint: DVec3::Y });
        places.push(place);
    }
    Skeleton::new(joints).unwrap()
}

/// `joint point weight`.
fn weights(path: &Path, num_points: usize, num_joints: usize) -> SkinWeights {
    let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); num_points];
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [joint, point, weight] = words[..] {
            let point: usize = point.parse().unwrap();
            rows[point].push((joint.parse().unwrap(), weight.parse().unwrap()));
        }
    }
    SkinWeights::from_rows(rows, num_joints).0
}
