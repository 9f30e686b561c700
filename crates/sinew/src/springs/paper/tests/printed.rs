//! What an audit of the model against the print found otherwise, each as the paper has it.

use super::*;
use crate::progress::Silent;
use crate::sample::{SampleOptions, build};
use crate::skeleton::{Palette, Pose};
use crate::springs::tables::SpringTables;
use crate::springs::{SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings};

fn relax(rig: &SpringRig, palette: &Palette) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; rig.num_points()];
    rig.deform(&SpringFrame::new(palette), &mut rig.scratch(), &mut out);
    out
}

#[test]
fn bone_torque_and_length_alone_move_nothing() {
    // "If the mesh has been rigidly skinned and F_b is the only acting force, |F_b| = 0." With a
    // first stage by the dominant weight a human's forearm at 90° moved 4.3 cm.
    let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let skeleton = &character.skeleton;
    let mut settings = SpringSettings::new(SpringModel::Paper);
    settings.coefficients.torque = 0.0;
    settings.coefficients.edge = 0.0;
    let rig = SpringRig::bind(&SpringInput::of(&character, 0), &settings, &Silent).unwrap();
    let none = rig.clone().with_iterations(0).unwrap();
    let forearm = (0..skeleton.len())
        .find(|&joint| skeleton.joints()[joint].name.to_lowercase().contains("forearm"))
        .unwrap();
    let mut pose = Pose::rest(skeleton);
    let axis = skeleton.joints()[forearm].bone_axis();
    pose.joints[forearm] =
        pose.joints[forearm].rotated(axis.any_orthonormal_vector(), FRAC_PI_2, axis);
    let palette = Palette::new(skeleton, &pose);
    let moved = largest_distance(&relax(&rig, &palette), &relax(&none, &palette));
    assert!(moved < 1e-6, "{} cm", 100.0 * moved);
    // And the pose does move the forearm.
    assert!(largest_distance(&relax(&none, &palette), character.parts[0].mesh.points()) > 0.1);
}

#[test]
fn every_point_is_moved_rigidly_by_the_bone_that_it_is_attached_to() {
    let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let settings = SpringSettings { iterations: 0, ..SpringSettings::new(SpringModel::Paper) };
    let input = SpringInput::of(&character, 0);
    let rig = SpringRig::bind(&input, &settings, &Silent).unwrap();
    let pose = crate::conformance::FixturePose::Bent.of(&character);
    let palette = Palette::new(&character.skeleton, &pose);
    let found = relax(&rig, &palette);
    let SpringTables::Paper(tables) = rig.tables() else {
        panic!("the paper's springs have its tables")
    };
    for (row, point) in tables.point_of_row.iter().enumerate() {
        let Some(point) = point.map(|point| point as usize) else { continue };
        let m = palette.model_from_rest()[tables.joint_of_row[row] as usize];
        let expected = m.transform_point3(input.positions[point].as_dvec3());
        assert!(found[point].as_dvec3().distance(expected) < 1e-6, "{point}");
    }
}

#[test]
fn attachments_are_spread_along_a_bone_whose_child_was_moved() {
    // "Computing the skinned attachment point a' = p' + t(c' − p') permits changes in bone position
    // and length." The cylinder's child joint a metre further: the largest stretch was 7.9.
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    pose.joints[1].translation = character.skeleton.joints()[0].bone_axis();
    let palette = Palette::new(&character.skeleton, &pose);
    let settings = SpringSettings::new(SpringModel::Paper);
    let input = SpringInput::of(&character, 0);
    let rig = SpringRig::bind(&input, &settings, &Silent).unwrap();
    let out = relax(&rig, &palette);
    let figures = measure(input.positions, &out, input.triangles);
    // The bone is 1.5 times as long.
    let stretch = figures.max_stretch.unwrap();
    assert!((1.3..2.0).contains(&stretch), "{stretch}");
    // Each ring of the first stage is where its share of the bone is.
    let none = rig.with_iterations(0).unwrap();
    for (rest, posed) in input.positions.iter().zip(relax(&none, &palette)) {
        let expected = if rest.y < 2.0 { rest.y * 1.5 } else { rest.y + 1.0 };
        assert!((posed.y - expected).abs() < 0.05, "{rest} {posed}");
    }
}

#[test]
fn a_mesh_without_weights_holds_on_to_the_nearest_bones() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    pose.joints[1].swing = DQuat::from_rotation_x(1.0);
    let palette = Palette::new(&character.skeleton, &pose);
    let settings = SpringSettings::new(SpringModel::Paper);
    let input = SpringInput::of(&character, 0);
    let bare = SpringInput { weights: None, ..input };
    let found = relax(&SpringRig::bind(&bare, &settings, &Silent).unwrap(), &palette);
    let expected = relax(&SpringRig::bind(&input, &settings, &Silent).unwrap(), &palette);
    // Two bones, and weights that say no more than distance does.
    assert!(largest_distance(&found, &expected) < 0.05);
    assert!(largest_distance(&found, input.positions) > 0.5);
    let linear = SpringSettings { first_stage: SkinMethod::Linear, ..settings };
    assert!(SpringRig::bind(&bare, &linear, &Silent).is_err(), "a blend needs weights");
}
