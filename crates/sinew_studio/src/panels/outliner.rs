//! What the character is made of: joints as a tree that folds, meshes that can be hidden, clips,
//! with a search.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{self, RichText};
use sinew::Character;
use sinew_editor::Selection;

use super::joint_tree::{self, Row};
use crate::command::Command;
use crate::studio::Studio;

const INDENT: f32 = 13.0;
/// Of the arrow that folds a branch.
const ARROW: f32 = 15.0;

/// What the outliner remembers.
#[derive(Debug, Default)]
pub(crate) struct Outliner {
    pub(crate) search: String,
    /// The joint that was last scrolled to.
    shown: Option<u32>,
    /// Joints whose branch is folded, of the character that they belong to.
    folded: BTreeSet<u32>,
    of: Option<Arc<Character>>,
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        let search = egui::TextEdit::singleline(&mut studio.panels.outliner.search)
            .hint_text("Search joints, meshes, clips")
            .desired_width(ui.available_width() - 30.0);
        let response = ui.add(search).on_hover_text("Show only what has this in its name");
        super::named(&response, "Search");
        let clear =
            ui.add_enabled(!studio.panels.outliner.search.is_empty(), egui::Button::new("×"));
        super::named(&clear, "Clear search");
        let clear = clear.on_hover_text("Show everything again");
        if clear.on_disabled_hover_text("Nothing is searched for").clicked() {
            studio.panels.outliner.search.clear();
        }
    });
    ui.separator();
    egui::ScrollArea::vertical().id_salt("outliner").auto_shrink(false).show(ui, |ui| {
        joints(studio, ui);
        meshes(studio, ui);
        clips(studio, ui);
    });
}

fn matches(search: &str, name: &str) -> bool {
    search.is_empty() || name.to_lowercase().contains(&search.to_lowercase())
}

fn joints(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let all = character.skeleton.joints();
    let search = studio.panels.outliner.search.clone();
    let found = all.iter().filter(|joint| matches(&search, &joint.name)).count();
    let title = match search.is_empty() {
        true => format!("Joints ({})", all.len()),
        false => format!("Joints ({found} of {})", all.len()),
    };
    let outliner = &mut studio.panels.outliner;
    if outliner.of.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &character)) {
        outliner.folded.clear();
        outliner.of = Some(Arc::clone(&character));
    }
    super::section(ui, &title, true, |ui| {
        let active = studio.session.selection.active;
        let scrolls = active != studio.panels.outliner.shown;
        studio.panels.outliner.shown = active;
        if let (true, Some(active)) = (scrolls, active) {
            let folded = &mut studio.panels.outliner.folded;
            joint_tree::unfold_above(&character.skeleton, folded, active);
        }
        let rows: Vec<Row> = match search.is_empty() {
            true => joint_tree::rows(&character.skeleton, &studio.panels.outliner.folded),
            // What is found stands alone.
            false => (0..all.len() as u32)
                .filter(|&joint| matches(&search, &all[joint as usize].name))
                .map(|joint| Row { joint, depth: 0, has_children: false })
                .collect(),
        };
        for row in rows {
            let response = joint_row(studio, ui, row, &all[row.joint as usize].name);
            if scrolls && active == Some(row.joint) {
                response.scroll_to_me(None);
            }
        }
        if all.is_empty() {
            ui.weak("No skeleton: this file has only meshes");
        }
    });
}

fn joint_row(studio: &mut Studio, ui: &mut egui::Ui, row: Row, name: &str) -> egui::Response {
    let is_chosen = studio.session.selection.joints.contains(&row.joint);
    let is_helper = studio.session.helpers().get(row.joint as usize).copied().unwrap_or(false);
    let shown_name = if name.is_empty() { "(unnamed)" } else { name };
    let line = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.add_space(INDENT * row.depth.min(12) as f32);
        if row.has_children {
            let is_folded = studio.panels.outliner.folded.contains(&row.joint);
            let arrow = ui.allocate_response(egui::vec2(ARROW, ARROW), egui::Sense::click());
            super::introduced(&arrow, egui::Role::Button, &format!("Fold {name}"));
            let openness = if is_folded { 0.0 } else { 1.0 };
            egui::collapsing_header::paint_default_icon(ui, openness, &arrow);
            let tip = if is_folded { "Show the joints below" } else { "Hide the joints below" };
            if arrow.on_hover_text(tip).clicked() {
                let folded = &mut studio.panels.outliner.folded;
                if !folded.remove(&row.joint) {
                    folded.insert(row.joint);
                }
            }
        } else {
            ui.add_space(ARROW + 2.0);
        }
        let words = RichText::new(super::elided(shown_name));
        ui.selectable_label(is_chosen, if is_helper { words.weak().italics() } else { words })
    });
    let tip = match is_helper {
        true => "A helper: it moves no skin. Click to choose",
        false => "Click to choose, Ctrl+click to choose several",
    };
    let response = line.inner.on_hover_text(tip);
    super::named(&response, &format!("Joint {name}"));
    if response.clicked() {
        let adds = ui.input(|i| i.modifiers.command || i.modifiers.shift);
        if adds {
            studio.session.selection.toggle(row.joint);
        } else {
            studio.session.selection = Selection::of(row.joint);
        }
        studio.panels.outliner.shown = studio.session.selection.active;
    }
    if response.double_clicked() {
        studio.queue(Command::FrameSelected);
    }
    if response.secondary_clicked() && !is_chosen {
        studio.session.selection = Selection::of(row.joint);
        studio.panels.outliner.shown = studio.session.selection.active;
    }
    response.context_menu(|ui| super::context::of_joint(studio, ui));
    response
}

fn meshes(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let search = studio.panels.outliner.search.clone();
    let num_meshes = character.parts.len();
    let num_hidden = studio.session.hidden_meshes.len();
    let title = match num_hidden {
        0 => format!("Meshes ({num_meshes})"),
        hidden => format!("Meshes ({} of {num_meshes})", num_meshes.saturating_sub(hidden)),
    };
    // Named by what stays, so that hiding one does not fold the list.
    super::section_named(ui, "Meshes", &title, num_meshes > 1, |ui| {
        for (index, part) in character.parts.iter().enumerate() {
            let name = part.mesh.name();
            if !matches(&search, name) {
                continue;
            }
            ui.horizontal(|ui| {
                let shown_name = if name.is_empty() { "(unnamed)" } else { name };
                let mut is_shown = !studio.session.hidden_meshes.contains(&index);
                let eye = ui.checkbox(&mut is_shown, super::elided(shown_name));
                super::named(&eye, &format!("Show mesh {name}"));
                if eye.on_hover_text("Show or hide this mesh").changed() {
                    studio.session.show_mesh(index, is_shown);
                }
                let only = ui.small_button("only");
                super::named(&only, &format!("Only mesh {name}"));
                if only.on_hover_text("Show this mesh alone, or all again").clicked() {
                    studio.session.isolate_mesh(index, num_meshes);
                }
                let (points, shapes) = (part.mesh.points().len(), part.shapes.len());
                let words = match (shapes, part.weights.is_some()) {
                    (0, true) => format!("{points} points"),
                    (0, false) => format!("{points} points, no weights"),
                    (n, _) => format!("{points} points, {n} shapes"),
                };
                ui.add(egui::Label::new(RichText::new(words).weak().small()).truncate());
            });
        }
        if num_hidden > 0 {
            let all = ui.small_button("Show all").on_hover_text("Show every mesh again");
            super::named(&all, "Show all meshes");
            if all.clicked() {
                studio.queue(Command::ShowAllMeshes);
            }
        }
    });
}

fn clips(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let motions = studio.document().motions().clone();
    if motions.is_empty() {
        return;
    }
    let search = studio.panels.outliner.search.clone();
    super::section(ui, &format!("Clips ({})", motions.len()), true, |ui| {
        for index in 0..motions.len() {
            let name = motions.name(&character, index);
            if !matches(&search, name) {
                continue;
            }
            let is_chosen = studio.session.playback.clip() == Some(index);
            let edited = if motions.is_edited(index) { "*" } else { "" };
            let seconds = motions.seconds(&character, index);
            let words = format!("{}{edited}  ({seconds:.2} s)", super::elided(name));
            let response = ui
                .selectable_label(is_chosen, words)
                .on_hover_text("Show this clip in the timeline");
            super::named(&response, &format!("Clip {name}"));
            if response.clicked() {
                studio.choose_clip(Some(index));
            }
        }
    });
}
