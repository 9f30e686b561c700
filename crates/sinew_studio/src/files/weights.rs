//! Weights of files: of other characters, of weights alone; and weights alone as a file.

use std::path::{Path, PathBuf};

use eframe::egui;
use sinew::progress::Progress as _;
use sinew_editor::{Document, Edit, Taking, WeightEdit};
use sinew_io::{WeightsForm, read_character, read_weights, weights_to_text};

use super::{Files, Finished, Purpose, Watch, with_ending};
use crate::studio::Studio;

/// Endings of files that are weights and nothing else.
const WEIGHT_EXTENSIONS: [&str; 2] = ["json", "tsv"];
/// Endings of files that a character with weights is in.
const CHARACTER_EXTENSIONS: [&str; 4] = ["glb", "gltf", "vrm", "fbx"];

/// What a file's weights are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightsUse {
    /// The meshes that it names.
    AsTheyAre,
    /// Whatever lies where they do.
    Transfer,
}

impl WeightsUse {
    /// Of the dialog.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::AsTheyAre => "Take the weights of a file",
            Self::Transfer => "Take the weights of another character",
        }
    }
}

/// Weights, ready to enter the document as one step.
pub(super) struct TakenWeights {
    label: String,
    edits: Vec<Edit>,
    /// How well they fit.
    words: String,
}

impl Files {
    pub(crate) fn ask_weights(&mut self, used: WeightsUse, ctx: &egui::Context) {
        let mut endings = WEIGHT_EXTENSIONS.to_vec();
        if used == WeightsUse::Transfer {
            endings.splice(0..0, CHARACTER_EXTENSIONS);
        }
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(used.title())
            .add_filter("Weights", &endings)
            .add_filter("All files", &["*"]);
        self.ask(ctx, Purpose::Weights(used), async move { dialog.pick_file().await });
    }

    pub(crate) fn ask_export_weights(&mut self, ctx: &egui::Context, name: &str) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Export the weights")
            .set_file_name(with_ending(name, "json"))
            .add_filter("JSON, or ngSkinTools as .ngskin.json", &["json"])
            .add_filter("Table", &["tsv"]);
        self.ask(ctx, Purpose::ExportWeights, async move { dialog.save_file().await });
    }
}

/// Rows for the meshes that a file of weights names.
fn named(document: &Document, path: &Path, taking: &Taking) -> Result<TakenWeights, String> {
    let found = read_weights(path, document.character()).map_err(|error| error.to_string())?;
    let edits = WeightEdit::read_from(document, &found, taking.keep.layer.as_ref());
    let num_points: usize = found.of_part.iter().flatten().map(|w| w.num_points()).sum();
    let mut words = format!("Weights of {num_points} points");
    if found.report.rescaled > 0 {
        words.push_str(&format!("; {} scaled to one", found.report.rescaled));
    }
    if !found.report.unweighted.is_empty() {
        words.push_str(&format!("; {} without any", found.report.unweighted.len()));
    }
    if !found.unknown_meshes.is_empty() {
        let names = found.unknown_meshes.join(", ");
        words.push_str(&format!("; not here: {}", crate::panels::elided(&names)));
    }
    let edits = edits.into_iter().map(Edit::from).collect();
    Ok(TakenWeights { label: "Import weights".into(), edits, words })
}

/// Rows of another character, wherever it lies.
fn carried_over(
    document: &Document,
    path: &Path,
    taking: &Taking,
    to: &[sinew_editor::MeshRef],
    watch: &Watch,
) -> Result<TakenWeights, String> {
    let loaded = read_character(path).map_err(|error| error.to_string())?;
    let found = WeightEdit::transferred(document, &loaded.character, to, taking, watch);
    let (edits, found) = found.map_err(|error| error.to_string())?;
    let words = format!(
        "{} points matched, {} filled from around; {} joints alike",
        found.num_matched,
        found.num_filled,
        found.map.num_alike()
    );
    let edits = edits.into_iter().map(Edit::from).collect();
    Ok(TakenWeights { label: "Transfer weights".into(), edits, words })
}

impl Studio {
    /// True if any mesh has weights.
    pub(crate) fn has_weights(&self) -> bool {
        self.document().character().parts.iter().any(|part| part.weights.is_some())
    }

    /// Takes weights of a file, while the window goes on.
    pub(super) fn import_weights(&mut self, path: PathBuf, used: WeightsUse, ctx: &egui::Context) {
        let document = self.document().clone();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let (taking, to) = (self.taking(), self.transfer_targets());
        self.files.start(ctx, format!("Reading weights of {name}"), move |watch| {
            let is_of_weights = WeightsForm::of_path(&path).is_some();
            let taken = match used {
                WeightsUse::Transfer if !is_of_weights => {
                    carried_over(&document, &path, &taking, &to, watch)
                }
                WeightsUse::Transfer | WeightsUse::AsTheyAre => named(&document, &path, &taking),
            };
            if watch.is_cancelled() {
                return Finished::GivenUp;
            }
            Finished::Weights { outcome: taken.map_err(|error| format!("'{name}': {error}")) }
        });
    }

    /// Takes them in as one step, and says how well they fit.
    pub(super) fn take_weights(&mut self, outcome: Result<TakenWeights, String>) {
        match outcome {
            Err(words) => self.toasts.failed(format!("no weights taken: {words}")),
            Ok(TakenWeights { edits, .. }) if edits.is_empty() => {
                self.toasts.done("These are the weights that are there");
            }
            Ok(TakenWeights { label, edits, words }) => {
                self.commit();
                self.apply_all(&label, edits);
                self.toasts.done(words);
            }
        }
    }

    /// Writes the weights alone, while the window goes on.
    pub(super) fn export_weights(&mut self, path: &Path, ctx: &egui::Context) {
        let (document, path) = (self.document().clone(), path.to_owned());
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.files.start(ctx, format!("Exporting {name}"), move |_| {
            let write = || {
                let form = WeightsForm::of_path(&path).ok_or_else(|| {
                    format!("'{name}': weights are written as .json, .ngskin.json or .tsv")
                })?;
                let text = weights_to_text(document.character(), form)?;
                sinew_io::write_atomically(&path, |file| {
                    std::io::Write::write_all(file, text.as_bytes())
                })
                .map_err(|error| error.to_string())
            };
            let outcome = write();
            Finished::Exported { path, outcome }
        });
    }
}
