//! No work is lost without a word, and nothing is written that is not ours.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod conflicts;
mod full_disk;
mod not_ours;
mod projects;

use std::path::{Path, PathBuf};

use sinew_editor::journal::journal_path;
use sinew_editor::{Axis, Document, Edit, Guard, JointRef, Opened, PoseEdit, Workspace};

pub(crate) fn twist(degrees: f64) -> Edit {
    PoseEdit::RotateJoint { joint: JointRef::from("#1"), axis: Axis::Twist, degrees }.into()
}

pub(crate) fn store(name: &str) -> Edit {
    PoseEdit::StorePose { name: name.into() }.into()
}

pub(crate) fn apply(workspace: &mut Workspace, edit: Edit) {
    workspace.editor_mut().apply(edit).unwrap();
    workspace.tick();
}

/// A project that was saved and closed.
pub(crate) fn saved(folder: &Path) -> PathBuf {
    let path = folder.join("hero.sinew");
    let mut workspace = Workspace::unguarded(common::document());
    workspace.save_as(&path).unwrap();
    workspace.close();
    path
}

pub(crate) fn open(path: &Path) -> Opened {
    Workspace::open(path, &Guard::default()).unwrap()
}

/// A project with so many edits that only its journal has; what they led to.
pub(crate) fn crashed(path: &Path, count: usize) -> Document {
    let mut workspace = open(path).workspace;
    for n in 0..count {
        apply(&mut workspace, store(&format!("pose {n}")));
    }
    workspace.editor().document().clone()
}

pub(crate) fn put(path: &Path, bytes: &[u8]) {
    sinew_io::write_atomically(path, |file| std::io::Write::write_all(file, bytes)).unwrap();
}

/// Names in the folder that begin like the project's journal with a date.
pub(crate) fn asides(project: &Path) -> Vec<PathBuf> {
    let journal = journal_path(project).file_name().unwrap().to_string_lossy().into_owned();
    let entries = std::fs::read_dir(project.parent().unwrap()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(&format!("{journal}-20"))
    };
    paths.filter(is_aside).collect()
}

pub(crate) fn num_poses(document: &Document) -> usize {
    document.stored_poses().len()
}
