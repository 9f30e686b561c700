//! Thousands of broken projects, journals, pose files and scripts: no panic, and what is taken can
//! be used. Half are changed as bytes, half within their own grammar, so that most get past the
//! door; the counts say how far.
//!
//! `SINEW_MUTANTS` makes so many of each kind instead.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

#[path = "../../../sinew_io/tests/common/random.rs"]
mod random;
mod structure;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::Value;
use sinew::sample::{SampleKind, SampleOptions};
use sinew_editor::journal::{Fingerprint, Fit, Recovery};
use sinew_editor::pose_file::PoseFile;
use sinew_editor::project::{self, ProjectError};
use sinew_editor::{Document, Editor, Source, read_edits};
use zip::write::SimpleFileOptions;

use random::Random;
use structure::Words;

/// Of each kind, where nobody says.
const COUNT: u64 = 1500;

const SCRIPT: &str = include_str!("../fixtures/script.json");
const POSE: &str = include_str!("../fixtures/pose.json");

fn count() -> u64 {
    std::env::var("SINEW_MUTANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(COUNT)
}

fn document() -> Document {
    let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
    Document::open(Source::Sample(options), None).unwrap()
}

/// After everything that the script does.
fn worked() -> Editor {
    let mut editor = Editor::new(document());
    for edit in read_edits(SCRIPT).unwrap() {
        editor.apply(edit).unwrap();
    }
    editor
}

/// The text of a project.
fn text_of(project: &[u8]) -> Value {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(project)).unwrap();
    serde_json::from_reader(archive.by_name("project.json").unwrap()).unwrap()
}

fn packed(text: &Value, method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    archive.start_file("project.json", options).unwrap();
    archive.write_all(text.to_string().as_bytes()).unwrap();
    archive.finish().unwrap().into_inner()
}

fn break_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at.max(1)),
            _ => _ = bytes.remove(at),
        }
        if bytes.is_empty() {
            bytes.push(b'x');
        }
    }
}

/// Makes mutants of two kinds and says how far each got: `of` names the stage.
fn survive(
    name: &str,
    make: impl Fn(bool, &mut Random) -> Vec<u8>,
    of: impl Fn(&[u8]) -> String,
) -> f64 {
    let mut share = 0.0;
    for is_structured in [false, true] {
        let mut stages: BTreeMap<String, u64> = BTreeMap::new();
        for number in 0..count() {
            let mut random = Random(number.wrapping_mul(0x1234_5678_9abc_def1));
            let mutant = make(is_structured, &mut random);
            let stage = catch_unwind(AssertUnwindSafe(|| of(&mutant))).unwrap_or_else(|_| {
                panic!("{name} {number}: panicked on {}", String::from_utf8_lossy(&mutant))
            });
            *stages.entry(stage).or_default() += 1;
        }
        let kind = if is_structured { "structure" } else { "bytes" };
        eprintln!("{name}, {kind}: {stages:?}");
        share = *stages.get("accepted").unwrap_or(&0) as f64 / count() as f64;
    }
    share
}

fn project_stage(bytes: &[u8]) -> String {
    let opened = match project::open(bytes, None) {
        Ok(opened) => opened,
        Err(ProjectError::NotAProject { .. }) => return "refused as a ZIP".into(),
        Err(ProjectError::Text { .. }) => return "refused as text".into(),
        Err(ProjectError::TooNew { .. }) => return "refused by version".into(),
        Err(ProjectError::Character(_)) => return "refused by its character".into(),
        Err(ProjectError::State(_)) => return "refused by its state".into(),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(opened.document.broken_invariant(), None);
    let again = project::to_bytes(&opened.document).unwrap();
    assert_eq!(project::from_bytes(&again, None).unwrap(), opened.document);
    "accepted".into()
}

#[test]
fn projects() {
    let seeds = [document(), worked().document().clone()];
    let seeds = seeds.map(|document| text_of(&project::to_bytes(&document).unwrap()));
    let words = Words::of(&seeds);
    let make = |is_structured: bool, random: &mut Random| {
        let mut text = seeds[random.below(2)].clone();
        let method = match random.one_in(2) {
            true => zip::CompressionMethod::Stored,
            false => zip::CompressionMethod::Deflated,
        };
        if is_structured {
            words.change(&mut text, random);
            return packed(&text, method);
        }
        let mut bytes = packed(&text, method);
        break_bytes(&mut bytes, random);
        bytes
    };
    let share = survive("projects", make, project_stage);
    assert!(share > 0.25, "only {share} got through");
}

#[test]
fn pose_files() {
    let seed: Value = serde_json::from_str(POSE).unwrap();
    let words = Words::of(std::slice::from_ref(&seed));
    let character = document().character().clone();
    let make = |is_structured: bool, random: &mut Random| {
        let mut text = seed.clone();
        if is_structured {
            words.change(&mut text, random);
            return text.to_string().into_bytes();
        }
        let mut bytes = POSE.as_bytes().to_vec();
        break_bytes(&mut bytes, random);
        bytes
    };
    let stage = |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return "refused as text".into() };
        match PoseFile::parse(text).map(|file| file.pose(&character)) {
            Err(_) => "refused as text".into(),
            Ok(Err(_)) => "refused by the skeleton".into(),
            Ok(Ok(pose)) => {
                _ = sinew::skeleton::Palette::new(&character.skeleton, &pose);
                "accepted".into()
            }
        }
    };
    let share = survive("pose files", make, stage);
    assert!(share > 0.25, "only {share} got through");
}

#[test]
fn scripts() {
    let seed: Value = serde_json::from_str(SCRIPT).unwrap();
    let words = Words::of(std::slice::from_ref(&seed));
    let start = document();
    let make = |is_structured: bool, random: &mut Random| {
        let mut text = seed.clone();
        if is_structured {
            words.change(&mut text, random);
            return text.to_string().into_bytes();
        }
        let mut bytes = SCRIPT.as_bytes().to_vec();
        break_bytes(&mut bytes, random);
        bytes
    };
    let stage = |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return "refused as text".into() };
        let Ok(edits) = read_edits(text) else { return "refused as edits".into() };
        let mut editor = Editor::new(start.clone());
        for edit in edits {
            if editor.apply(edit).is_err() {
                return "refused by the document".into();
            }
        }
        while editor.undo() {}
        assert_eq!(*editor.document(), start);
        "accepted".into()
    };
    let share = survive("scripts", make, stage);
    assert!(share > 0.25, "only {share} got through");
}

#[test]
fn journals() {
    let content = Fingerprint::of(b"as it was saved");
    let base = serde_json::json!({ "journal": 1, "base": content });
    let entries: Vec<Value> = (worked().take_entries().iter())
        .chain(&[sinew_editor::journal::Entry::Undo, sinew_editor::journal::Entry::Redo])
        .map(|entry| serde_json::to_value(entry).unwrap())
        .collect();
    let words = Words::of(&entries);
    let start = document();
    let write = |lines: &[Value]| {
        let encode = |line: &Value| {
            let json = line.to_string();
            format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes()
        };
        lines.iter().flat_map(encode).collect::<Vec<u8>>()
    };
    let make = |is_structured: bool, random: &mut Random| {
        let mut lines: Vec<Value> = std::iter::once(base.clone()).chain(entries.clone()).collect();
        if is_structured {
            let place = random.below(lines.len());
            words.change(&mut lines[place], random);
            return write(&lines);
        }
        let mut bytes = write(&lines);
        break_bytes(&mut bytes, random);
        bytes
    };
    let stage = |bytes: &[u8]| {
        let Some(found) = Recovery::of(Path::new("j"), bytes, content) else {
            return "nothing in it".into();
        };
        let mut editor = Editor::new(start.clone());
        let outcome = editor.replay(&found.entries, &found.gaps);
        assert_eq!(editor.document().broken_invariant(), None);
        assert_eq!(outcome.num_done + outcome.num_skipped, found.entries.len());
        match (found.fit, found.num_damaged, outcome.num_skipped) {
            (Fit::Exact, 0, 0) => "accepted".into(),
            (Fit::Exact, ..) => "in part".into(),
            _ => "of another content".into(),
        }
    };
    let share = survive("journals", make, stage);
    assert!(share > 0.25, "only {share} got through");
}
