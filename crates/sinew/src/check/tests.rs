//! Every code is found where it is due, and on a sound character none is.

use glam::{DAffine3, DQuat, DVec3, Vec3};

use super::*;
use crate::character::Part;
use crate::mesh::RawMesh;
use crate::motion::{Channel, Clip, Curve, Track};
use crate::shape::BlendShape;
use crate::skeleton::{Joint, JointTransform, Skeleton};
use crate::weights::SkinWeights;

const CORNERS: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn joints() -> Vec<Joint> {
    let joint = |name: &str, parent, translation| Joint {
        name: name.into(),
        parent,
        rest: JointTransform { translation, ..JointTransform::IDENTITY },
        tail_in_joint: DVec3::Y,
    };
    vec![joint("root", None, DVec3::ZERO), joint("tip", Some(0), DVec3::Y)]
}

fn raw(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> RawMesh {
    let rows = positions.iter().map(|_| [(0, 0.5), (1, 0.5)]);
    RawMesh {
        name: "Body".into(),
        positions: positions.iter().copied().map(Vec3::from).collect(),
        triangles: triangles.to_vec(),
        weights: Some(SkinWeights::from_rows(rows, 2).0),
        ..RawMesh::default()
    }
}

fn with_mesh(raw: RawMesh) -> Character {
    let skeleton = Skeleton::new(joints()).unwrap();
    let parts = vec![raw.weld().unwrap().part];
    Character { name: "test".into(), parts, skeleton, ..Character::default() }
}

fn with_rows(rows: Vec<Vec<(u32, f32)>>, num_joints: usize) -> Character {
    let mut mesh = raw(&CORNERS, &TETRAHEDRON);
    mesh.weights = Some(SkinWeights::from_rows(rows, num_joints).0);
    with_mesh(mesh)
}

fn with_joints(change: impl FnOnce(&mut Vec<Joint>)) -> Character {
    let mut joints = joints();
    change(&mut joints);
    Character { skeleton: Skeleton::new(joints).unwrap(), ..with_mesh(raw(&CORNERS, &TETRAHEDRON)) }
}

fn find(character: &Character, code: &str) -> Finding {
    let findings = check(character);
    let found = findings.iter().find(|finding| finding.code == code);
    found.cloned().unwrap_or_else(|| panic!("no '{code}' in {findings:?}"))
}

#[test]
fn a_sound_character_has_no_finding() {
    assert_eq!(check(&with_mesh(raw(&CORNERS, &TETRAHEDRON))), []);
}

#[test]
fn a_character_with_nothing_has_neither_mesh_nor_skeleton() {
    let nothing = Character::default();
    assert_eq!(find(&nothing, "no-mesh").severity, Severity::Error);
    assert_eq!(find(&nothing, "no-skeleton").severity, Severity::Info);
}

#[test]
fn a_motion_without_a_mesh_is_no_error_and_its_joints_are_of_use() {
    let mut motion = with_joints(|_| {});
    motion.parts.clear();
    motion.clips = vec![crate::motion::Clip::new("walk", Vec::new())];
    assert_eq!(find(&motion, "no-mesh").severity, Severity::Info);
    assert!(!check(&motion).iter().any(|finding| finding.code == "unused-joints"));
}

#[test]
fn a_mesh_without_triangles_is_empty_and_its_points_are_isolated() {
    let character = with_mesh(raw(&CORNERS, &[]));
    assert_eq!(find(&character, "empty-mesh").severity, Severity::Error);
    assert_eq!(find(&character, "isolated-points").count, 4);
}

#[test]
fn the_worst_comes_first() {
    let mut character = with_mesh(raw(&CORNERS, &[]));
    character.skeleton = Skeleton::default();
    let severities: Vec<Severity> = check(&character).iter().map(|f| f.severity).collect();
    assert!(severities.is_sorted_by(|a, b| a >= b));
    assert!(severities.len() > 2);
}

#[test]
fn a_mesh_that_no_joint_moves_is_a_warning_where_there_is_a_skeleton() {
    let mut mesh = raw(&CORNERS, &TETRAHEDRON);
    mesh.weights = None;
    assert_eq!(find(&with_mesh(mesh), "unweighted-mesh").count, 4);
}

#[test]
fn weights_of_another_mesh_are_an_error() {
    let mut character = with_mesh(raw(&CORNERS, &TETRAHEDRON));
    character.parts[0].weights = Some(SkinWeights::rigid(&[0, 1]));
    assert_eq!(find(&character, "weights-length").severity, Severity::Error);
}

#[test]
fn a_joint_that_the_skeleton_lacks_is_an_error_with_its_points() {
    let rows = vec![vec![(0, 1.0)], vec![(1, 1.0)], vec![(7, 1.0)], vec![(0, 1.0)]];
    let finding = find(&with_rows(rows, 8), "joint-out-of-range");
    assert_eq!(finding.count, 1);
    assert!(
        finding.place.starts_with("point 2 of mesh 'Body' (the first at "),
        "{}",
        finding.place
    );
}

#[test]
fn five_influences_are_too_many_and_four_are_not() {
    let five: Vec<(u32, f32)> = (0..5).map(|joint| (joint, 0.2)).collect();
    let four: Vec<(u32, f32)> = (0..4).map(|joint| (joint, 0.25)).collect();
    let character = with_rows(vec![five.clone(), four.clone(), five, four], 5);
    let finding = find(&character, "too-many-influences");
    assert_eq!(finding.count, 2);
    assert!(
        finding.place.starts_with("points 0, 2 of mesh 'Body' (the first at "),
        "{}",
        finding.place
    );
}

#[test]
fn a_weight_below_half_a_step_of_eight_bits_is_tiny() {
    let rows = vec![
        vec![(0, 0.999), (1, 0.001)],
        vec![(0, 0.99), (1, 0.01)],
        vec![(0, 1.0)],
        vec![(1, 1.0)],
    ];
    assert_eq!(find(&with_rows(rows, 2), "tiny-weights").count, 1);
}

#[test]
fn a_seam_with_differing_weights_tears_and_one_with_equal_weights_is_welded() {
    let mut positions = CORNERS.to_vec();
    positions.extend([CORNERS[3], CORNERS[3]]);
    let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 4], [2, 0, 5]];
    let mut mesh = raw(&positions, &triangles);
    let mut rows = vec![vec![(0, 0.5), (1, 0.5)]; 6];
    rows[4] = vec![(0, 1.0)];
    mesh.weights = Some(SkinWeights::from_rows(rows, 2).0);
    let finding = find(&with_mesh(mesh), "seam-weights-differ");
    assert_eq!(finding.count, 1);
    assert!(
        finding.place.starts_with("point 4 of mesh 'Body' (the first at "),
        "{}",
        finding.place
    );
}

#[test]
fn coincident_points_of_a_mesh_without_weights_are_named() {
    let positions = [CORNERS[0], CORNERS[1], CORNERS[2], CORNERS[0]];
    let mut mesh = raw(&positions, &[[0, 1, 2], [3, 2, 1]]);
    mesh.weights = None;
    let part = mesh.weld_by(&[0, 1, 2, 3]).unwrap().part;
    let character = Character { parts: vec![part], ..Character::default() };
    assert_eq!(find(&character, "coincident-points").count, 1);
}

#[test]
fn three_triangles_on_an_edge_are_not_manifold() {
    let mut triangles = TETRAHEDRON.to_vec();
    triangles.push([0, 1, 2]);
    assert_eq!(find(&with_mesh(raw(&CORNERS, &triangles)), "non-manifold-edges").count, 3);
}

#[test]
fn a_flipped_triangle_has_three_misoriented_edges() {
    let mut triangles = TETRAHEDRON;
    triangles[0].swap(1, 2);
    assert_eq!(find(&with_mesh(raw(&CORNERS, &triangles)), "misoriented-edges").count, 3);
}

#[test]
fn a_hole_is_an_open_boundary() {
    let finding = find(&with_mesh(raw(&CORNERS, &TETRAHEDRON[1..])), "open-boundary");
    assert_eq!((finding.count, finding.severity), (3, Severity::Info));
}

#[test]
fn needles_and_repeated_corners_are_degenerate() {
    let mut positions = CORNERS.to_vec();
    positions.push([0.5, 0.0, 0.0]);
    let mut triangles = TETRAHEDRON.to_vec();
    triangles.extend([[0, 1, 4], [2, 2, 3]]);
    let finding = find(&with_mesh(raw(&positions, &triangles)), "degenerate-triangles");
    assert_eq!((finding.count, finding.place.as_str()), (2, "triangles 4, 5 of mesh 'Body'"));
}

#[test]
fn a_point_without_triangle_is_isolated() {
    let mut positions = CORNERS.to_vec();
    positions.push([5.0, 0.0, 0.0]);
    assert_eq!(find(&with_mesh(raw(&positions, &TETRAHEDRON)), "isolated-points").count, 1);
}

#[test]
fn the_second_joint_of_a_name_is_a_duplicate() {
    let finding =
        find(&with_joints(|joints| joints[1].name = "root".into()), "duplicate-joint-names");
    assert_eq!((finding.count, finding.place.as_str()), (1, "joint 'root' of the skeleton"));
}

#[test]
fn a_bone_without_length_is_named() {
    let character = with_joints(|joints| joints[1].tail_in_joint = DVec3::ZERO);
    assert_eq!(find(&character, "zero-length-bones").place, "joint 'tip' of the skeleton");
}

#[test]
fn scale_is_found_where_it_is_and_shear_where_it_arises() {
    let character = with_joints(|joints| {
        joints[0].rest.scale = DVec3::new(1.0, 2.0, 1.0);
        joints[1].rest.rotation = DQuat::from_rotation_z(0.5);
    });
    assert_eq!(find(&character, "scaled-joints").place, "joint 'root' of the skeleton");
    assert_eq!(find(&character, "sheared-joints").place, "joint 'tip' of the skeleton");
    let uniform = with_joints(|joints| {
        joints[0].rest.scale = DVec3::splat(2.0);
        joints[1].rest.rotation = DQuat::from_rotation_z(0.5);
    });
    assert!(!check(&uniform).iter().any(|finding| finding.code == "sheared-joints"));
}

#[test]
fn a_joint_that_no_point_follows_is_unused() {
    let rows = vec![vec![(1, 1.0)]; 4];
    let finding = find(&with_rows(rows, 2), "unused-joints");
    assert_eq!(finding.place, "joint 'root' of the skeleton");
}

#[test]
fn a_rest_pose_that_is_not_the_bind_pose_is_named() {
    let mut character = with_mesh(raw(&CORNERS, &TETRAHEDRON));
    let bind = vec![DAffine3::IDENTITY, DAffine3::from_translation(-2.0 * DVec3::Y)];
    character.skeleton = Skeleton::with_inverse_bind(joints(), bind).unwrap();
    assert_eq!(find(&character, "rest-is-not-bind").place, "joint 'tip' of the skeleton");
}

#[test]
fn long_lists_are_cut_and_counted() {
    assert_eq!(listed("point", 0..8, "mesh 'A'"), "points 0, 1, 2, 3, 4 and 3 more of mesh 'A'");
    assert_eq!(listed("point", [3], "mesh 'A'"), "point 3 of mesh 'A'");
}

#[test]
fn a_part_is_named_by_number_where_it_has_no_name() {
    let part: Part = raw(&CORNERS, &TETRAHEDRON).weld().unwrap().part;
    assert_eq!(part_place(2, ""), "mesh 2");
    assert_eq!(part_place(2, part.mesh.name()), "mesh 'Body'");
}

#[test]
fn the_limit_of_influences_can_be_chosen() {
    let character = with_rows(vec![vec![(0, 0.5), (1, 0.5)]; 4], 2);
    let codes = |max_influences| -> Vec<&str> {
        check_with(&character, &CheckOptions { max_influences }).iter().map(|f| f.code).collect()
    };
    assert!(codes(1).contains(&"too-many-influences"));
    assert!(!codes(2).contains(&"too-many-influences"));
}

#[test]
fn points_are_named_with_where_the_first_of_them_is() {
    let mut positions = CORNERS.to_vec();
    positions.push([0.5, 0.25, 0.125]);
    let found = find(&with_mesh(raw(&positions, &TETRAHEDRON)), "isolated-points");
    assert_eq!(found.place, "point 4 of mesh 'Body' (the first at 0.5000, 0.2500, 0.1250)");
}

#[test]
fn a_triangle_over_the_same_points_is_a_duplicate() {
    let mut triangles = TETRAHEDRON.to_vec();
    triangles.push([1, 2, 0]);
    assert_eq!(find(&with_mesh(raw(&CORNERS, &triangles)), "duplicate-triangles").count, 1);
}

#[test]
fn two_sheets_that_meet_in_a_point_are_a_bow_tie_and_a_rim_is_none() {
    let positions = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [-1., 0., 0.], [0., -1., 0.]];
    let tie = with_mesh(raw(&positions, &[[0, 1, 2], [0, 3, 4]]));
    assert!(find(&tie, "bow-tie-points").place.starts_with("point 0 "));
    let rim = with_mesh(raw(&positions, &[[0, 1, 2], [0, 2, 3]]));
    assert!(!check(&rim).iter().any(|finding| finding.code == "bow-tie-points"));
}

#[test]
fn a_mirrored_joint_a_second_root_and_a_joint_far_away_are_named() {
    let mirrored = with_joints(|joints| joints[1].rest.scale.x = -1.0);
    assert_eq!(find(&mirrored, "mirrored-joints").count, 1);
    let rootless = with_joints(|joints| joints[1].parent = None);
    assert_eq!(find(&rootless, "several-roots").count, 2);
    let away = with_joints(|joints| joints[1].rest.translation = DVec3::X * 9.0);
    assert_eq!(find(&away, "joints-outside-mesh").count, 1);
}

#[test]
fn a_left_joint_without_its_right_one_is_named() {
    let one_sided = with_joints(|joints| joints[1].name = "arm.L".into());
    assert_eq!(find(&one_sided, "one-sided-joints").place, "joint 'arm.L' of the skeleton");
    let both = with_joints(|joints| {
        joints[0].name = "arm.R".into();
        joints[1].name = "arm.L".into();
    });
    assert!(!check(&both).iter().any(|finding| finding.code == "one-sided-joints"));
}

#[test]
fn a_stray_point_is_far_from_its_joint_and_one_of_many_is_not() {
    // A strip along X with a joint at each end; its last point follows the first joint.
    let positions: Vec<[f32; 3]> =
        (0..40).map(|k| [k as f32 * 0.1, (k % 2) as f32 * 0.1, 0.0]).collect();
    let triangles: Vec<[u32; 3]> = (0..38).map(|k| [k, k + 1, k + 2]).collect();
    let strip = |stray: bool| {
        let mut joint_of: Vec<u32> = (0..40).map(|k| u32::from(k >= 20)).collect();
        joint_of[39] = u32::from(!stray);
        let mut mesh = raw(&positions, &triangles);
        mesh.weights = Some(SkinWeights::rigid(&joint_of));
        let mut joints = joints();
        for joint in &mut joints {
            joint.tail_in_joint = DVec3::X * 2.0;
        }
        joints[1].rest.translation = DVec3::X * 2.0;
        Character { skeleton: Skeleton::new(joints).unwrap(), ..with_mesh(mesh) }
    };
    assert!(find(&strip(true), "far-weights").place.starts_with("point 39 "));
    assert!(!check(&strip(false)).iter().any(|finding| finding.code == "far-weights"));
}

#[test]
fn clips_that_stand_still_or_jump_are_named() {
    let clip = |name: &str, turns: [f64; 3], step_seconds: f64| {
        let times = (0..3).map(|key| f64::from(key) * step_seconds).collect();
        let values = turns.map(DQuat::from_rotation_z).to_vec();
        let channel = Channel::Rotation(Curve::linear(times, values));
        Clip::new(name, vec![Track { joint: 1, channel }])
    };
    let mut character = with_mesh(raw(&CORNERS, &TETRAHEDRON));
    character.clips = vec![
        clip("still", [0.0; 3], 1.0),
        clip("walk", [0.0, 1.0, 0.0], 0.5),
        clip("glitch", [0.0, 3.0, 0.0], 0.02),
        clip("walk", [0.0, 1.0, 0.0], 0.5),
    ];
    assert_eq!(find(&character, "still-clips").place, "clip 'still' of the character");
    assert_eq!(find(&character, "jumping-clips").place, "clip 'glitch' of the character");
    assert_eq!(find(&character, "duplicate-clip-names").place, "clip 'walk' of the character");
}

#[test]
fn shapes_that_do_nothing_or_the_same_are_named() {
    let mut character = with_mesh(raw(&CORNERS, &TETRAHEDRON));
    let shape = |name: &str, deltas: Vec<Vec3>| BlendShape {
        name: name.into(),
        deltas: deltas.into(),
        rest_weight: 0.0,
    };
    let up: Vec<Vec3> = vec![Vec3::Y; 4];
    character.parts[0].shapes = vec![
        shape("a", up.clone()),
        shape("b", up),
        shape("nothing", vec![Vec3::ZERO; 4]),
        shape("a", vec![Vec3::X; 4]),
    ];
    assert!(find(&character, "empty-shapes").place.contains("'nothing'"));
    assert!(find(&character, "duplicate-shapes").place.contains("'b'"));
    assert!(find(&character, "duplicate-shape-names").place.contains("'a'"));
}

/// Two tetrahedra, the second moved by that much.
fn two_shells(by: [f32; 3]) -> Character {
    let moved = CORNERS.map(|corner| std::array::from_fn(|k| corner[k] + by[k]));
    let corners: Vec<[f32; 3]> = CORNERS.into_iter().chain(moved).collect();
    let triangles: Vec<[u32; 3]> =
        TETRAHEDRON.into_iter().chain(TETRAHEDRON.map(|t| t.map(|p| p + 4))).collect();
    with_mesh(raw(&corners, &triangles))
}

#[test]
fn shells_that_pass_through_one_another_are_named() {
    let found = find(&two_shells([0.2, 0.2, 0.2]), "crossing-shells");
    assert_eq!(found.severity, Severity::Info);
    assert!(found.place.contains("mesh 'Body'") && found.place.contains("4 points on 'root'"));
    assert!(found.count >= 3, "{found:?}");
    let is_crossing = |finding: &Finding| finding.code == "crossing-shells";
    // Apart, and touching with a corner.
    for by in [[2.0, 0.0, 0.0], [1.0, 0.0, 0.0]] {
        assert!(!check(&two_shells(by)).iter().any(is_crossing), "{by:?}");
    }
}

#[test]
fn shells_of_two_meshes_cross_too_and_one_that_no_joint_moves_does_not() {
    let mut character = two_shells([2.0, 0.0, 0.0]);
    let mut other = raw(&CORNERS.map(|c| c.map(|x| x + 0.2)), &TETRAHEDRON);
    other.name = "Hat".into();
    let mut part = other.weld().unwrap().part;
    character.parts.push(part.clone());
    let found = find(&character, "crossing-shells");
    assert!(found.place.starts_with("mesh 'Body' and mesh 'Hat': "), "{}", found.place);
    part.weights = None;
    character.parts[1] = part;
    assert!(!check(&character).iter().any(|finding| finding.code == "crossing-shells"));
}
