//! Motions of other files: dropped on the character, or chosen.

use std::path::{Path, PathBuf};

use eframe::egui;
use sinew::progress::{Progress as _, Silent};
use sinew_editor::{ImportError, Imported, Opened, import_motions, motions_of};

use super::Finished;
use crate::studio::Studio;

/// Endings of files that are motion and nothing else.
const MOTION_EXTENSIONS: [&str; 2] = ["bvh", "vrma"];

/// So many joints without a partner are named; the others are counted.
const MOST_NAMED: usize = 4;

impl Studio {
    /// True for a file that is dropped for its motion: there is a body that can have it.
    pub(super) fn is_motion(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_motion = MOTION_EXTENSIONS.iter().any(|known| ending.eq_ignore_ascii_case(known));
        is_motion && !self.document().character().parts.is_empty()
    }

    /// Puts the motions of a file on the character, while the window goes on.
    pub(super) fn import_motion(&mut self, path: PathBuf, ctx: &egui::Context) {
        let document = self.document().clone();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.files.start(ctx, format!("Importing {name}"), move |watch| {
            let outcome = import_motions(&document, &path, watch);
            if watch.is_cancelled() || matches!(outcome, Err(ImportError::Cancelled)) {
                return Finished::GivenUp;
            }
            Finished::Imported { outcome: outcome.map_err(|error| error.to_string()) }
        });
    }

    /// True for a file without a mesh that came for its motion: an FBX "without skin".
    pub(super) fn is_dropped_motion(&self, path: &Path, opened: &Opened) -> bool {
        let new = opened.workspace.editor().document().character();
        let has_only_motion = new.parts.is_empty() && !new.clips.is_empty();
        self.files.dropped.as_deref() == Some(path)
            && has_only_motion
            && opened.workspace.path().is_none()
            && !self.document().character().parts.is_empty()
    }

    /// Takes the motions of what was opened, and leaves it.
    pub(super) fn import_opened(&mut self, mut opened: Opened) {
        let new = opened.workspace.editor().document();
        let name = new.source().name();
        let outcome = motions_of(self.document(), new.character(), &name, &Silent);
        opened.workspace.close();
        self.take_motions(outcome.map_err(|error| error.to_string()));
    }

    /// Takes them in as one step, and shows the first.
    pub(super) fn take_motions(&mut self, outcome: Result<Imported, String>) {
        let Imported { label, edits, names, lost } = match outcome {
            Ok(imported) => imported,
            Err(words) => {
                self.toasts.failed(format!("no motion taken: {words}"));
                return;
            }
        };
        let first = self.document().motions().len();
        self.commit();
        self.apply_all(&label, edits);
        if self.document().motions().len() <= first {
            return;
        }
        self.choose_clip(Some(first));
        let mut words = format!("Added {}", names.join(", "));
        if !lost.is_empty() {
            let named = lost[..lost.len().min(MOST_NAMED)].join(", ");
            let more = lost.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            words.push_str(&format!("; without a partner here: {named}{more}"));
        }
        self.toasts.done(words);
    }
}
