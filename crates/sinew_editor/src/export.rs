//! A document's skin in its present pose, in a file that other programs read.

use std::path::Path;

use sinew::Character;
use sinew::check::Severity;
use sinew::frame::{Controls, Note, Plan, PlanError};
use sinew::progress::Progress;
use sinew_io::{Format, ReadOnly, WriteError, WriteOptions, write_character, write_frame};

use crate::document::Document;
use crate::edit::{EditError, baked};

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is only a skeleton.
    #[error("there is no mesh to pose; write a .sinew project")]
    NoMesh,
    /// The skin could not be made.
    #[error(transparent)]
    Bind(#[from] PlanError),
    /// An edit of the surface does not fit the character.
    #[error(transparent)]
    Surface(#[from] EditError),
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ExportError {
    /// True if nobody wanted the file any longer.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Bind(error) if error.is_cancelled())
    }
}

/// Writes the posed meshes (.obj, .ply, .glb, .gltf) of a document in its present pose, with its
/// shapes, by its rig. Says what meshes do not have ([`Plan::notes`]).
pub fn export_posed(
    document: &Document,
    path: &Path,
    read_only: ReadOnly,
    progress: &dyn Progress,
) -> Result<Vec<Note>, ExportError> {
    export_shown(document, &document.controls(), path, read_only, progress)
}

/// Writes the character itself (.glb, .gltf): skeleton, weights, shapes, its motions as clips, and
/// its cage where it was bound.
/// Clips that nobody edited are the source's own. Edits of the surface are written as blend shapes
/// of their names, with their weights and keys; muted ones are left out. Says what a file has no
/// words for.
pub fn export_character(
    document: &Document,
    path: &Path,
    read_only: ReadOnly,
) -> Result<Vec<Note>, ExportError> {
    // No file has a word for an edit of the surface.
    let baked = match document.surface().entries() {
        [] => None,
        _ => Some(baked(document)?),
    };
    let document = baked.as_ref().unwrap_or(document);
    let source = document.character();
    let clips = document.motions().clips(source);
    let character = Character { clips, ..Character::clone(source) };
    let cage = document.rig().cage.clone();
    let options = WriteOptions { read_only, cage, ..WriteOptions::default() };
    let report = write_character(path, &character, &options)?;
    Ok(notes_of(report))
}

fn notes_of(report: sinew_io::Report) -> Vec<Note> {
    report
        .warnings
        .into_iter()
        .filter(|w| w.severity >= Severity::Warning)
        .map(|warning| Note { part: 0, words: format!("{}: {}", warning.place, warning.what) })
        .collect()
}

/// The same as it is shown: at the playhead of a clip, say. Bound at the document's own rest, as
/// every surface does: shapes that a clip moves are refitted from there.
pub fn export_shown(
    document: &Document,
    controls: &Controls,
    path: &Path,
    read_only: ReadOnly,
    progress: &dyn Progress,
) -> Result<Vec<Note>, ExportError> {
    let character = document.character();
    if character.parts.is_empty() {
        return Err(ExportError::NoMesh);
    }
    // Before the long part.
    let unknown = || WriteError::UnknownFormat { path: path.to_owned() };
    Format::of_path(path).filter(|format| format.is_written()).ok_or_else(unknown)?;
    progress.report("binding", 0.0);
    let plan = Plan::bind_at(character, document.rig(), &document.controls(), progress)?;
    let options = WriteOptions { read_only, ..WriteOptions::default() };
    let report = write_frame(path, character, &plan.frame_of(controls), &options)?;
    let mut notes = plan.notes();
    notes.extend(notes_of(report));
    Ok(notes)
}
