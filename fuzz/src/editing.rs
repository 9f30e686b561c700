//! Projects, journals, pose files and scripts: what can be read is used.

use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;

use sinew::sample::{SampleKind, SampleOptions};
use sinew_editor::journal::{Fingerprint, Recovery};
use sinew_editor::pose_file::PoseFile;
use sinew_editor::{Document, Editor, Source, project, read_edits};

/// Few points: this is about text.
fn document() -> Document {
    static MADE: OnceLock<Document> = OnceLock::new();
    let make = || {
        let kind = SampleOptions::new(SampleKind::Cylinder);
        let options = SampleOptions { points: Some(400), ..kind };
        Document::open(Source::Sample(options), None).expect("samples can be built")
    };
    MADE.get_or_init(make).clone()
}

/// A project file. What opens is saved, and opens again as the same.
///
/// # Panics
/// On a fault in Sinew.
pub fn project(bytes: &[u8]) {
    let Ok(opened) = project::open(bytes, None) else { return };
    assert_eq!(opened.document.broken_invariant(), None);
    let again = project::to_bytes(&opened.document).expect("what was opened can be saved");
    assert_eq!(project::from_bytes(&again, None).expect("and opened"), opened.document);
}

/// The text of a project, packed as it should be.
///
/// # Panics
/// On a fault in Sinew.
pub fn zip(bytes: &[u8]) {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let (name, content) = match bytes.split_first() {
        Some((0, rest)) => ("character/a.glb", rest),
        _ => ("project.json", bytes),
    };
    let options = zip::write::SimpleFileOptions::default();
    let packed = archive
        .start_file(name, options)
        .and_then(|()| archive.write_all(content).map_err(Into::into))
        .and_then(|()| archive.finish());
    if let Ok(packed) = packed {
        project(&packed.into_inner());
    }
}

/// A journal. What it has is replayed.
///
/// # Panics
/// On a fault in Sinew.
pub fn journal(bytes: &[u8]) {
    let content = Fingerprint::of(b"");
    let Some(found) = Recovery::of(Path::new("fuzz"), bytes, content) else { return };
    let mut editor = Editor::new(document());
    let outcome = editor.replay(&found.entries, &found.gaps);
    assert_eq!(outcome.num_done + outcome.num_skipped, found.entries.len());
    assert_eq!(editor.document().broken_invariant(), None);
}

/// A pose file, on a skeleton.
pub fn pose(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(file) = PoseFile::parse(text) else { return };
    let character = document().character().clone();
    if let Ok(pose) = file.pose(&character.skeleton) {
        let _ = sinew::skeleton::Palette::new(&character.skeleton, &pose);
    }
}

/// A script of edits. What can be done is undone again.
///
/// # Panics
/// On a fault in Sinew.
pub fn script(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(edits) = read_edits(text) else { return };
    let start = document();
    let mut editor = Editor::new(start.clone());
    for edit in edits {
        let _ = editor.apply(edit);
    }
    assert_eq!(editor.document().broken_invariant(), None);
    while editor.undo() {}
    assert_eq!(*editor.document(), start);
}
