//! The panels around the viewport. Each shows a part of the studio and asks for what the user
//! wants; none changes a document by itself.

mod binding;
pub(crate) mod cage;
mod clean_up;
pub(crate) mod compare;
pub(crate) mod context;
pub(crate) mod drivers;
pub(crate) mod figures;
pub(crate) mod help;
pub(crate) mod history;
pub(crate) mod holding;
pub(crate) mod inspector;
mod joint_tree;
pub(crate) mod keys;
mod layers;
pub(crate) mod menu;
pub(crate) mod motion;
pub(crate) mod outliner;
pub(crate) mod poses;
pub(crate) mod questions;
pub(crate) mod repairs;
mod rigid;
pub(crate) mod shapes;
pub(crate) mod sketch;
pub(crate) mod skin;
pub(crate) mod springs;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod strip;
pub(crate) mod surface;
pub(crate) mod timeline;
pub(crate) mod toolbar;
mod transfer;
mod weight_table;
pub(crate) mod weights;
pub(crate) mod why;

use eframe::egui;

/// Gives a widget the name that a screen reader says and the tests click; its role and its value
/// stay.
pub(crate) fn named(response: &egui::Response, name: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(name));
}

/// Gives something that we draw ourselves a role and a name.
pub(crate) fn introduced(response: &egui::Response, role: egui::Role, name: &str) {
    let is_enabled = response.enabled();
    response.widget_info(|| egui::WidgetInfo::labeled(role, is_enabled, name));
}

/// Letters of a name that are shown where nothing else bounds it.
const MAX_LETTERS: usize = 40;

/// A name as it is shown: one that is too long for any panel is cut in its middle, since files may
/// have names of thousands of letters, and their ends often tell them apart.
pub(crate) fn elided(name: &str) -> String {
    let num_letters = name.chars().count();
    if num_letters <= MAX_LETTERS {
        return name.to_owned();
    }
    let (first, last) = (MAX_LETTERS * 2 / 3, MAX_LETTERS / 3 - 1);
    let start = name.chars().take(first);
    let end = name.chars().skip(num_letters - last);
    start.chain(['…']).chain(end).collect()
}

/// Words in one line, cut where the panel ends; the mouse shows all of them.
pub(crate) fn one_line(ui: &mut egui::Ui, words: impl Into<egui::RichText>) -> egui::Response {
    ui.add(egui::Label::new(words.into()).truncate())
}

/// A row of a list, cut where the panel ends.
pub(crate) fn list_row(
    ui: &mut egui::Ui,
    is_chosen: bool,
    words: impl Into<egui::RichText>,
) -> egui::Response {
    ui.add(egui::Button::selectable(is_chosen, words.into()).truncate())
}

/// Keys as people write them.
pub(crate) fn keys_text(ctx: &egui::Context, keys: &egui::KeyboardShortcut) -> String {
    let text = ctx.format_shortcut(keys);
    text.replace("OpenBracket", "[")
        .replace("CloseBracket", "]")
        .replace("Comma", ",")
        .replace("Period", ".")
}

/// A section that can be folded.
pub(crate) fn section(
    ui: &mut egui::Ui,
    title: &str,
    is_open: bool,
    contents: impl FnOnce(&mut egui::Ui),
) {
    section_named(ui, title, title, is_open, contents);
}

/// The same with a title that changes.
pub(crate) fn section_named(
    ui: &mut egui::Ui,
    name: &str,
    title: &str,
    is_open: bool,
    contents: impl FnOnce(&mut egui::Ui),
) {
    let heading = egui::CollapsingHeader::new(egui::RichText::new(title).strong()).id_salt(name);
    let shown = heading.default_open(is_open).show(ui, contents);
    shown.header_response.on_hover_text(format!("Show or hide: {title}"));
}
