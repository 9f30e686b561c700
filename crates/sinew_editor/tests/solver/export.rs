//! What is exported is what is on the screen.

use std::path::Path;

use sinew::Character;
use sinew::glam::Vec3;
use sinew::progress::{Progress, Silent};
use sinew::sample::SampleKind;
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::solver::Job;
use sinew_editor::{Axis, Document, ExportError, PoseEdit, RigEdit, Source, export_posed};
use sinew_io::{Format, ReadOnly, WriteOptions, character_to_glb, read_character};

use crate::{Watched, sample};

/// Of the diagonal: text keeps nine digits, and readers weld within f32.
const SAME: f32 = 1e-6;

/// A bent arm, from a file, so that it has more than one joint and a name.
fn document(character: &Character) -> Document {
    let everything = WriteOptions { max_influences: None, ..WriteOptions::default() };
    let bytes = character_to_glb(character, &everything).unwrap().into();
    let source = Source::Embedded { file_name: "arm.glb".into(), format: Format::Glb, bytes };
    let mut document = Document::open(source, None).unwrap();
    let joints = document.character().skeleton.len() as u32;
    for joint in 0..joints.min(3) {
        let joint = document.joint_ref(joint);
        let edit = PoseEdit::RotateJoint { joint, axis: Axis::X, degrees: 35.0 };
        document.apply(&edit.into()).unwrap();
    }
    document
}

fn corners(triangles: &[[u32; 3]], points: &[Vec3]) -> Vec<Vec3> {
    triangles.iter().flatten().map(|&point| points[point as usize]).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_format_has_the_points_of_the_solver() {
    let folder = tempfile::tempdir().unwrap();
    let watched = Watched::new();
    let mut document = document(&sample(SampleKind::Arm, 900));
    let springs = SpringSettings { iterations: 8, ..SpringSettings::new(SpringModel::Anchored) };
    for edit in [
        RigEdit::SetMethod { method: SkinMethod::DualQuat },
        RigEdit::SetSprings { springs: Some(springs) },
    ] {
        document.apply(&edit.into()).unwrap();
        watched.solver.ask(Job::of(&document));
        let (answer, _) = watched.answer();
        let diagonal = document.character().bounds().diagonal();
        for extension in ["obj", "ply", "glb", "gltf"] {
            let path = folder.path().join(format!("posed.{extension}"));
            export_posed(&document, &path, ReadOnly::Keep, &Silent).unwrap();
            let read = read_character(&path).unwrap().character;
            assert_eq!(read.parts.len(), answer.points().len(), "{extension}");
            let parts = read.parts.iter().zip(&document.character().parts).zip(answer.points());
            for ((read, part), points) in parts {
                let expected = corners(part.mesh.point_triangles(), points);
                let found = corners(read.mesh.point_triangles(), read.mesh.points());
                assert_eq!(found.len(), expected.len(), "{extension}");
                let apart = found.iter().zip(&expected).map(|(a, b)| a.distance(*b));
                let worst = apart.fold(0.0, f32::max);
                assert!(worst <= SAME * diagonal, "{extension}: {}", worst / diagonal);
            }
        }
    }
}

struct Stop;

impl Progress for Stop {
    fn report(&self, _: &str, _: f32) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn nothing_is_written_where_something_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let obj = folder.path().join("posed.obj");
    let mut document = document(&sample(SampleKind::Arm, 900));
    let error = export_posed(&document, &folder.path().join("posed.fbx"), ReadOnly::Keep, &Silent)
        .unwrap_err();
    assert!(error.to_string().contains(".glb"), "{error}");
    let nowhere = folder.path().join("none/posed.ply");
    let error = export_posed(&document, &nowhere, ReadOnly::Keep, &Silent).unwrap_err();
    assert!(error.to_string().contains("posed.ply"), "{error}");
    let springs = Some(SpringSettings::new(SpringModel::Anchored));
    document.apply(&RigEdit::SetSprings { springs }.into()).unwrap();
    let error = export_posed(&document, &obj, ReadOnly::Keep, &Stop).unwrap_err();
    assert!(matches!(&error, ExportError::Bind(error) if error.is_cancelled()), "{error}");

    assert_eq!(names_in(folder.path()), Vec::<String>::new());

    // A file that is there stays as it was.
    sinew_io::write_atomically(&obj, |file| std::io::Write::write_all(file, b"mine")).unwrap();
    export_posed(&document, &obj, ReadOnly::Keep, &Stop).unwrap_err();
    assert_eq!(std::fs::read(&obj).unwrap(), b"mine");
    assert_eq!(names_in(folder.path()), ["posed.obj"]);
}
