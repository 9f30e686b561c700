//! Projects, journals and scripts of older versions still open. The fixtures are what version 0.1.0
//! wrote.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::Write as _;

use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_editor::journal::{Fingerprint, journal_path};
use sinew_editor::{Edit, Guard, Opened, Workspace, project};

const PROJECT: &str = include_str!("fixtures/project-1.json");
const JOURNAL: &str = include_str!("fixtures/journal-1.jsonl");

/// A project file with that text, as the ZIP that it is.
fn packed(text: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("project.json", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(text.as_bytes()).unwrap();
    archive.finish().unwrap().into_inner()
}

/// With a painted list of that many points.
fn painted(count: usize) -> String {
    let list = "\"of_point\": [\n            1.0,\n            0.5,\n            0.25\n          ]";
    assert!(PROJECT.contains(list));
    let values = vec!["0.5"; count].join(",");
    PROJECT.replace(list, &format!("\"of_point\": [{values}]"))
}

#[test]
fn a_project_of_version_1_opens_and_says_what_was_left_out() {
    let project::Opened { document, warnings } = project::open(&packed(PROJECT), None).unwrap();
    assert_eq!(document.rig().method, SkinMethod::DualQuat);
    let springs = document.rig().springs.as_ref().unwrap();
    assert_eq!((springs.model, springs.iterations), (SpringModel::Paper, 33));
    assert_eq!(springs.coefficients.edge, 2.0);
    assert_eq!(document.pose().joints[1].twist_radians, 6.990_043_654_237_29);
    assert_eq!(document.pose().joints[0].stretch, 1.2);
    assert_eq!(document.stored_poses()[0].name, "bent");
    let mesh = document.character().parts[0].mesh.name();
    assert!(warnings[0].contains("3 painted") && warnings[0].contains(mesh), "{warnings:?}");
    assert_eq!(document.broken_invariant(), None);
    // Saved, it is of today's form, and opens as the same with nothing to say.
    let again = project::open(&project::to_bytes(&document).unwrap(), None).unwrap();
    assert_eq!((again.document, again.warnings), (document, Vec::new()));
}

#[test]
fn a_painted_list_of_version_1_goes_to_the_mesh_that_it_fits() {
    let num_points = common::document().character().num_points();
    let opened = project::open(&packed(&painted(num_points)), None).unwrap();
    assert!(opened.warnings.is_empty(), "{:?}", opened.warnings);
    assert_eq!(opened.document.rig().part(0).unwrap().stiffness, vec![0.5; num_points]);
    assert!(opened.document.rig().springs.as_ref().unwrap().coefficients.of_point.is_empty());
}

#[test]
fn a_journal_of_version_1_is_replayed_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.sinew");
    let project = packed(PROJECT);
    sinew_io::write_atomically(&path, |file| file.write_all(&project)).unwrap();
    let base = serde_json::to_string(&Fingerprint::of(&project)).unwrap();
    let lines = std::iter::once(format!("{{\"journal\":1,\"base\":{base}}}"))
        .chain(JOURNAL.lines().map(str::to_owned))
        .map(|json| format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())));
    let journal: String = lines.collect();
    sinew_io::write_atomically(&journal_path(&path), |file| file.write_all(journal.as_bytes()))
        .unwrap();
    let Opened { mut workspace, recovery, .. } = Workspace::open(&path, &Guard::default()).unwrap();
    let recovery = recovery.unwrap();
    assert_eq!((recovery.entries.len(), recovery.num_damaged), (JOURNAL.lines().count(), 0));
    assert_eq!(workspace.recover(&recovery).num_left, 0);
    let document = workspace.editor().document();
    assert_eq!(document.pose().joints[1].twist_radians, 0.5 + 90_f64.to_radians());
    assert_eq!(document.pose().joints[0].stretch, 1.2 * 1.5);
    assert_eq!(document.stored_poses().last().unwrap().name, "b");
    assert_eq!(document.rig().springs.as_ref().unwrap().iterations, 21);
}

#[test]
fn every_edit_is_written_as_it_was() {
    // The words of a script are a promise: what was read is written back the same, but for what was
    // left out.
    for line in JOURNAL.lines().filter(|line| line.contains("edits")) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        for edit in value["edits"].as_array().unwrap() {
            let read: Edit = serde_json::from_value(edit.clone()).unwrap();
            let written = serde_json::to_string(&read).unwrap();
            assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), *edit);
        }
    }
}
