//! Tools, and what is reached for most.

use eframe::egui::{self, Align, Layout};

use crate::command::Command;
use crate::studio::Studio;

/// Tools, at the left.
const TOOLS: [(Command, &str); 12] = [
    (Command::SelectTool, "Select"),
    (Command::MoveTool, "Move"),
    (Command::RotateTool, "Rotate"),
    (Command::StretchTool, "Stretch"),
    (Command::ReachTool, "Reach"),
    (Command::DrawTool, "Draw"),
    (Command::PaintTool, "Paint"),
    (Command::DragTool, "Drag"),
    (Command::SculptTool, "Sculpt"),
    (Command::CageTool, "Cage"),
    (Command::SurfaceTool, "Sketch"),
    (Command::GrabTool, "Grab"),
];

/// Views, at the right, from there to the left.
const VIEWS: [(Command, &str); 6] = [
    (Command::RestAndPose, "Rest | Pose"),
    (Command::CompareWipe, "Wipe"),
    (Command::CompareFour, "4"),
    (Command::CompareThree, "3"),
    (Command::CompareTwo, "2"),
    (Command::CompareOne, "1"),
];

/// A window that is less wide, in points, has tools and the rest below one another.
const ONE_ROW_WIDTH: f32 = 1290.0;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    if ui.available_width() >= ONE_ROW_WIDTH {
        row(ui, |ui| {
            tools(studio, ui);
            ui.separator();
            rest(studio, ui);
        });
    } else {
        row(ui, |ui| tools(studio, ui));
        row(ui, |ui| rest(studio, ui));
    }
}

fn row(ui: &mut egui::Ui, add: impl FnOnce(&mut egui::Ui)) {
    ui.horizontal(|ui| {
        // So that all of them fit.
        ui.spacing_mut().item_spacing.x = 4.0;
        add(ui);
    });
}

fn tools(studio: &mut Studio, ui: &mut egui::Ui) {
    for (command, text) in TOOLS {
        button(studio, ui, command, text);
    }
}

fn rest(studio: &mut Studio, ui: &mut egui::Ui) {
    for (command, text) in [
        (Command::Undo, "Undo"),
        (Command::Redo, "Redo"),
        (Command::MirrorPose, "Mirror"),
        (Command::ResetPose, "Reset"),
    ] {
        button(studio, ui, command, text);
    }
    ui.separator();
    for (command, text) in [(Command::FrameAll, "Frame"), (Command::ShowBones, "Bones")] {
        button(studio, ui, command, text);
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        for (command, text) in VIEWS {
            button(studio, ui, command, text);
        }
        ui.weak("Compare");
    });
}

fn button(studio: &mut Studio, ui: &mut egui::Ui, command: Command, text: &str) {
    let is_on = studio.is_on(command).unwrap_or(false);
    let response = ui.add_enabled(studio.can(command), egui::Button::new(text).selected(is_on));
    super::named(&response, &format!("Toolbar: {}", command.label()));
    let keys = studio.settings.keymap.shortcut(command);
    let keys = keys.map(|keys| format!(" ({})", super::keys_text(ui.ctx(), &keys)));
    let tip = format!("{}{}", command.tip(), keys.unwrap_or_default());
    let response = response.on_hover_text(tip).on_disabled_hover_text(studio.why_not(command));
    if response.clicked() {
        studio.queue(command);
    }
}
