//! The bar of menus.

use eframe::egui;

use crate::command::{Command, Menu};
use crate::studio::Studio;
use sinew::sample::SampleKind;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    egui::MenuBar::new().ui(ui, |ui| {
        for menu in Menu::ALL {
            let button = ui.menu_button(menu.label(), |ui| {
                ui.set_min_width(220.0);
                // The longest menu fits a window of 700 points.
                ui.spacing_mut().item_spacing.y = 1.0;
                entries(studio, ui, menu);
            });
            button.response.on_hover_text(format!("{} menu", menu.label()));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            for (command, text) in PANELS {
                panel(studio, ui, command, text);
            }
        });
    });
}

/// Panels that fold away, from the right to the left.
const PANELS: [(Command, &str); 3] = [
    (Command::ShowSettings, "Settings"),
    (Command::ShowTimeline, "Timeline"),
    (Command::ShowLists, "Lists"),
];

/// Folds a panel away, or brings it back.
fn panel(studio: &mut Studio, ui: &mut egui::Ui, command: Command, text: &str) {
    let is_on = studio.is_on(command).unwrap_or(false);
    let button = ui.add(egui::Button::new(text).selected(is_on));
    super::named(&button, &format!("Panel: {text}"));
    if button.on_hover_text(command.tip()).clicked() {
        studio.queue(command);
    }
}

fn entries(studio: &mut Studio, ui: &mut egui::Ui, menu: Menu) {
    for command in Command::ALL.into_iter().filter(|command| command.menu() == menu) {
        if is_first_of_group(command) {
            ui.separator();
        }
        entry(studio, ui, command);
        if command == Command::Open {
            recent(studio, ui);
            samples(studio, ui);
        }
    }
}

/// Lines between what belongs together.
fn is_first_of_group(command: Command) -> bool {
    use Command as C;
    matches!(
        command,
        C::Save
            | C::Export
            | C::Quit
            | C::SelectAll
            | C::SelectTool
            | C::MirrorPose
            | C::StorePose
            | C::ImportWeights
            | C::BrushAdd
            | C::BrushSmaller
            | C::ViewFront
            | C::Orthographic
            | C::ShowLists
            | C::ShowBones
            | C::ShowAllMeshes
            | C::ShowSkin
            | C::ShowMaterial
            | C::ThemeLight
            | C::KeysIndustry
            | C::StepBack
            | C::Loop
            | C::NewMotion
            | C::KeySheet
            | C::About
    )
}

pub(super) fn entry(studio: &mut Studio, ui: &mut egui::Ui, command: Command) {
    let shortcut = studio.settings.keymap.shortcut(command);
    let keys = shortcut.map(|keys| super::keys_text(ui.ctx(), &keys)).unwrap_or_default();
    let response = match studio.is_on(command) {
        Some(mut is_on) => {
            ui.add_enabled_ui(studio.can(command), |ui| {
                let spaced = if keys.is_empty() { String::new() } else { format!("    {keys}") };
                let words = format!("{}{spaced}", command.label());
                let response = ui.checkbox(&mut is_on, words);
                super::named(&response, command.label());
                response
            })
            .inner
        }
        None => {
            let words = words(studio, command);
            let button = egui::Button::new(&words).shortcut_text(keys);
            let response = ui.add_enabled(studio.can(command), button);
            super::named(&response, command.label());
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_description(words));
            response
        }
    };
    let response =
        response.on_hover_text(command.tip()).on_disabled_hover_text(studio.why_not(command));
    if response.clicked() {
        studio.queue(command);
        ui.close();
    }
}

/// What an entry says: undo and redo name the step.
fn words(studio: &Studio, command: Command) -> String {
    let history = studio.workspace.editor().history();
    let step = match command {
        Command::Undo => history.done().last(),
        Command::Redo => history.undone().next(),
        _ => None,
    };
    let label = command.label();
    step.map_or_else(|| label.to_owned(), |step| format!("{label}: {}", super::elided(step)))
}

fn recent(studio: &mut Studio, ui: &mut egui::Ui) {
    let menu = ui.menu_button("Open Recent", |ui| {
        if recent_files(studio, ui) {
            ui.close();
        }
    });
    menu.response.on_hover_text("Files that were opened or saved last");
}

/// Files that were opened last; true if one was chosen.
pub(super) fn recent_files(studio: &mut Studio, ui: &mut egui::Ui) -> bool {
    let recent = studio.settings.recent.clone();
    if recent.is_empty() {
        ui.weak("Nothing yet");
    }
    for path in &recent {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let button = ui.button(super::elided(&name)).on_hover_text(path.display().to_string());
        super::named(&button, &format!("Open {name}"));
        if button.clicked() {
            studio.open_later(path);
            return true;
        }
    }
    false
}

fn samples(studio: &mut Studio, ui: &mut egui::Ui) {
    let menu = ui.menu_button("New from Sample", |ui| {
        for kind in SampleKind::ALL {
            let tip = format!("Start on the built-in character '{}'", kind.name());
            if ui.button(kind.name()).on_hover_text(tip).clicked() {
                studio.open_sample_later(kind);
                ui.close();
            }
        }
    });
    menu.response.on_hover_text("Start on a built-in character");
}
