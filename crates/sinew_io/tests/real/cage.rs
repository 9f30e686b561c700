//! The coupled paper's own arm: its cage, its weights, and the coordinates that its program wrote.

use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use sinew::cage::coordinates::MeanValue;
use sinew::cage::{Cage, CoordinateKind, CoordinateRows, Coordinates as _, Selection};
use sinew::frame::{CageRig, Controls, Plan, Rig};
use sinew::progress::Silent;
use sinew::skeleton::{Joint, JointTransform, Skeleton};
use sinew::skin::SkinMethod;
use sinew::weights::SkinWeights;
use sinew_io::{read_cage, read_cage_weights, read_character};

use super::Test;

pub(crate) const TESTS: &[Test] = &[
    ("the_arms_coordinates_are_those_of_the_papers_program", coordinates),
    ("the_arms_selection_is_well_conditioned_and_the_loop_exact", coupling),
    ("every_cage_of_the_data_is_what_it_is_known_to_be", cages),
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
    let (points, _, cage) = arm(folder);
    let rows = CoordinateRows::bind(&cage, &MeanValue::new(&cage), &points, &Silent).unwrap();
    let selection = Selection::of(&rows, |_| true);
    assert!(selection.largest_ratio <= 1.05, "{}", selection.largest_ratio);
    let mut character = read_character(&folder.join("supercages_arm/arm.obj")).unwrap().character;
    character.skeleton = skeleton(&folder.join("supercages_arm/arm.skt"));
    let num_joints = character.skeleton.len();
    let weights = weights(&folder.join("supercages_arm/arm.skw"), points.len(), num_joints);
    character.parts[0].weights = Some(weights);
    let character = Arc::new(character);
    let skeleton = &character.skeleton;
    let mut controls = Controls::rest(&character);
    for (index, joint) in controls.pose.joints.iter_mut().enumerate() {
        let axis = DVec3::new((index as f64).sin(), (2.0 * index as f64).cos(), 0.5);
        let turn = glam::DQuat::from_axis_angle(axis.normalize(), 1.5 * (index as f64).cos());
        *joint = joint.with_rotation(turn, skeleton.pose_axis(index as u32));
    }
    for method in [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation] {
        let rig = CageRig::of(cage.clone(), CoordinateKind::MeanValue);
        let rig = Rig { cage: Some(rig), ..Rig::of(method) };
        let plan = Plan::bind(&character, &rig, &Silent).unwrap();
        let coupling = plan.cage().unwrap().coupling();
        assert!(coupling.condition() <= 15.0, "{}", coupling.condition());
        assert_eq!(coupling.selection().points, selection.points);
        let diagonal = cage.diagonal();
        for joint in 0..skeleton.len() {
            let row = coupling.joint_row(joint).iter();
            let found: DVec3 = row.zip(cage.points()).map(|(&psi, &c)| psi * c).sum();
            let error = found.distance(skeleton.bind_bone(joint as u32)[0]) / diagonal;
            assert!(error <= 1e-11, "joint {joint}: {error}");
        }
        controls.cage.clear();
        let before = plan.frame_of(&controls);
        let by: Vec<DVec3> =
            (0..58).map(|k| DVec3::new((k as f64).sin(), (k as f64).cos(), 0.3)).collect();
        let reverse = coupling.reverse(before.skeleton(), before.pose(), before.palette());
        let offsets = reverse.solve(&by).unwrap().offsets;
        controls.cage = cage.points().iter().zip(&offsets).map(|(&c, &d)| c + d).collect();
        let after = plan.frame_of(&controls);
        let cages = after.posed_cage().iter().zip(before.posed_cage());
        for ((after, before), by) in cages.zip(&by) {
            let error = after.distance(*before + *by) / by.length();
            assert!(error <= 1e-11, "{method:?}: {error:e}");
        }
    }
}

/// A cage of the data: its file, handles and faces, and what is wrong with it that does not stand
/// in the way.
struct Known {
    file: &'static str,
    handles: usize,
    faces: usize,
    faults: &'static [&'static str],
}

const CAGES: [Known; 7] = [
    Known { file: "derived/koala_cage.obj", handles: 263, faces: 526, faults: &[] },
    Known { file: "derived/makehuman_base_cage.obj", handles: 303, faces: 606, faults: &[] },
    Known { file: "derived/spot_cage.obj", handles: 1447, faces: 2890, faults: &[] },
    Known { file: "derived/trex_bindpose_cage.obj", handles: 836, faces: 1672, faults: &[] },
    Known { file: "mvc_spot/spot_control_mesh.obj", handles: 188, faces: 372, faults: &[] },
    // Four faces of five corners are three triangles each.
    Known { file: "oded_fish/fish_control_mesh.obj", handles: 112, faces: 120, faults: &[] },
    Known { file: "supercages_arm/arm_cage.obj", handles: 58, faces: 112, faults: &[] },
];

fn cages(folder: &Path) {
    let mut wrong = Vec::new();
    for Known { file, handles, faces, faults } in CAGES {
        let cage = read_cage(folder.join(file)).unwrap();
        let report = cage.check();
        eprintln!("{file}: {} handles, {report}", cage.points().len());
        assert_eq!((cage.points().len(), cage.faces().len()), (handles, faces), "{file}");
        assert!(!report.has_errors(), "{file}: {report}");
        let found: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
        let is_known = found.len() == faults.len()
            && found.iter().zip(faults).all(|(found, known)| found.contains(known));
        if !is_known {
            wrong.push(format!("{file}: {report}"));
        }
        assert!(cage.volume() > 0.0 || found.iter().any(|fault| fault.contains("inwards")));
        // Without one face it is open, beside that face's neighbours.
        let open = Cage::new(cage.points().to_vec(), cage.faces()[1..].to_vec()).unwrap().check();
        assert!(open.has_errors() && open.to_string().contains("open at edges"), "{file}: {open}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
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
