//! What the character is made of: joints as a tree, meshes and clips, with a search.

use eframe::egui::{self, RichText};
use sinew_editor::Selection;

use crate::command::Command;
use crate::studio::Studio;

const INDENT: f32 = 13.0;

/// What the outliner remembers.
#[derive(Debug, Default)]
pub(crate) struct Outliner {
    pub(crate) search: String,
    /// The joint that was last scrolled to.
    shown: Option<u32>,
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
    super::section(ui, &title, true, |ui| {
        let mut depths: Vec<u32> = Vec::with_capacity(all.len());
        let active = studio.session.selection.active;
        let scrolls = active != studio.panels.outliner.shown;
        studio.panels.outliner.shown = active;
        for (index, joint) in all.iter().enumerate() {
            depths.push(joint.parent.map_or(0, |parent| depths[parent as usize] + 1));
            if !matches(&search, &joint.name) {
                continue;
            }
            let index = index as u32;
            let is_chosen = studio.session.selection.joints.contains(&index);
            let row = ui.horizontal(|ui| {
                let depth = if search.is_empty() { depths[index as usize] } else { 0 };
                ui.add_space(INDENT * depth.min(12) as f32);
                let name = if joint.name.is_empty() { "(unnamed)" } else { &joint.name };
                ui.selectable_label(is_chosen, name)
            });
            let response = row.inner.on_hover_text("Click to choose, Ctrl+click to choose several");
            super::named(&response, &format!("Joint {}", joint.name));
            if scrolls && active == Some(index) {
                response.scroll_to_me(None);
            }
            if response.clicked() {
                let adds = ui.input(|i| i.modifiers.command || i.modifiers.shift);
                if adds {
                    studio.session.selection.toggle(index);
                } else {
                    studio.session.selection = Selection::of(index);
                }
                studio.panels.outliner.shown = studio.session.selection.active;
            }
            if response.double_clicked() {
                studio.queue(Command::FrameSelected);
            }
        }
        if all.is_empty() {
            ui.weak("No skeleton: this file has only meshes");
        }
    });
}

fn meshes(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let search = &studio.panels.outliner.search;
    super::section(ui, &format!("Meshes ({})", character.parts.len()), false, |ui| {
        for part in character.parts.iter().filter(|part| matches(search, part.mesh.name())) {
            ui.horizontal(|ui| {
                let name = part.mesh.name();
                ui.label(if name.is_empty() { "(unnamed)" } else { name });
                let (points, shapes) = (part.mesh.points().len(), part.shapes.len());
                let words = match (shapes, part.weights.is_some()) {
                    (0, true) => format!("{points} points"),
                    (0, false) => format!("{points} points, no weights"),
                    (n, _) => format!("{points} points, {n} shapes"),
                };
                ui.label(RichText::new(words).weak().small());
            });
        }
    });
}

fn clips(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    if character.clips.is_empty() {
        return;
    }
    let search = studio.panels.outliner.search.clone();
    super::section(ui, &format!("Clips ({})", character.clips.len()), true, |ui| {
        for (index, clip) in character.clips.iter().enumerate() {
            if !matches(&search, &clip.name) {
                continue;
            }
            let is_chosen = studio.session.playback.clip() == Some(index);
            let words = format!("{}  ({:.2} s)", clip.name, clip.duration_seconds());
            let response = ui
                .selectable_label(is_chosen, words)
                .on_hover_text("Show this clip in the timeline");
            super::named(&response, &format!("Clip {}", clip.name));
            if response.clicked() {
                studio.choose_clip(Some(index));
            }
        }
    });
}
