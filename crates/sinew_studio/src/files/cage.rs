//! Cages of files: chosen, or dropped while the cage tool is in hand.

use std::path::{Path, PathBuf};

use eframe::egui;
use sinew::cage::{Cage, CageReport};
use sinew_editor::CageEdit;

use super::Finished;
use crate::command::Command;
use crate::studio::Studio;
use crate::studio::cage::RefusedCage;

/// Endings of files that a mesh can be read from.
pub(super) const CAGE_EXTENSIONS: [&str; 4] = ["obj", "glb", "gltf", "ply"];

/// Whether a cage comes beside the one that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adds {
    Yes,
    /// In its place.
    No,
}

impl Adds {
    /// Of the dialog.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Yes => "Take the mesh of a file as a further cage",
            Self::No => "Take the mesh of a file as the cage",
        }
    }
}

/// Why a file's mesh is not the cage.
pub(super) enum CageRefusal {
    /// It cannot be read, or bound.
    Failed(String),
    /// It encloses nothing.
    Bad(Cage, CageReport),
}

impl Studio {
    /// True for a file that is dropped as a cage: its tool is in hand, and there is a body.
    pub(super) fn is_cage(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_mesh = CAGE_EXTENSIONS.iter().any(|known| ending.eq_ignore_ascii_case(known));
        is_mesh && self.has_cage_tool() && !self.document().character().parts.is_empty()
    }

    /// Puts the mesh of a file around the character, while the window goes on.
    pub(super) fn import_cage(&mut self, path: PathBuf, adds: Adds, ctx: &egui::Context) {
        let document = self.document().clone();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let words = format!("Importing {name}");
        self.files.start(ctx, words, move |_| {
            let read = || {
                let failed = |error: String| CageRefusal::Failed(error);
                let cage = sinew_io::read_cage(&path).map_err(|error| failed(error.to_string()))?;
                let report = cage.check_topology();
                if report.has_errors() {
                    return Err(CageRefusal::Bad(cage, report));
                }
                let cage = Some(cage);
                let edit = match adds {
                    Adds::Yes => CageEdit::AddToCage { cage, points: Vec::new() },
                    Adds::No => CageEdit::SetCage { cage, coordinates: Default::default() },
                };
                // Copies share what is bound: the window need not bind it again.
                let bound = document.clone().apply(&edit.clone().into());
                bound.map_err(|error| failed(error.to_string()))?;
                Ok(edit)
            };
            Finished::Cage { outcome: read(), name }
        });
    }

    /// Takes it as one step, with the tool in hand, and looks for what is odd about it; or shows
    /// what is wrong.
    pub(super) fn take_cage(&mut self, name: &str, outcome: Result<CageEdit, CageRefusal>) {
        match outcome {
            Ok(edit) => {
                self.commit();
                self.apply_all(&format!("Cage from {name}"), vec![edit.into()]);
                self.forget_check();
                self.take_cage_tool();
                self.queue(Command::CheckCage);
                self.toasts.done(format!("The cage is that of {name}"));
            }
            Err(CageRefusal::Failed(words)) => {
                let way_out = match self.has_cage_tool() {
                    true => "; lay the cage tool down to open it as a character",
                    false => "",
                };
                self.toasts.failed(format!("'{name}' is no cage: {words}{way_out}"));
            }
            Err(CageRefusal::Bad(cage, report)) => {
                self.toasts.failed(format!("'{name}' cannot be the cage: {report}"));
                self.take_cage_tool();
                let name = name.to_owned();
                self.panels.cage.refused = Some(RefusedCage { name, cage, report });
            }
        }
    }
}
