//! First steps, keys, and who made this.

use eframe::egui;

use crate::command::{Command, Menu};
use crate::studio::Studio;

/// Which of the windows are open.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Help {
    /// The start page.
    pub(crate) start: bool,
    pub(crate) first_steps: bool,
    pub(crate) shortcuts: bool,
    pub(crate) about: bool,
}

pub(crate) fn show(studio: &mut Studio, ctx: &egui::Context) {
    let mut help = studio.panels.help;
    let keymap = studio.settings.keymap;
    egui::Window::new("Keys and buttons")
        .default_pos(ctx.content_rect().center() - egui::vec2(215.0, 250.0))
        .open(&mut help.shortcuts)
        .default_width(430.0)
        .default_height(460.0)
        .show(ctx, |ui| {
        ui.strong(keymap.name());
        ui.label("Wheel: nearer and farther. Middle or right drag: orbit; with Shift: pan. Drag beside the character: orbit.");
        ui.label("Industry keys also have Alt + left: orbit, Alt + middle: pan, Alt + right: nearer and farther.");
        ui.separator();
        egui::ScrollArea::vertical().show(ui, |ui| {
            for menu in Menu::ALL {
                let of_menu = Command::ALL.into_iter().filter(|c| c.menu() == menu);
                let keys: Vec<_> = of_menu.filter_map(|c| Some((c, keymap.shortcut(c)?))).collect();
                if keys.is_empty() {
                    continue;
                }
                ui.strong(menu.label());
                egui::Grid::new(menu.label()).num_columns(2).striped(true).show(ui, |ui| {
                    for (command, keys) in keys {
                        ui.label(command.label()).on_hover_text(command.tip());
                        ui.monospace(super::keys_text(ui.ctx(), &keys));
                        ui.end_row();
                    }
                });
            }
        });
    });
    egui::Window::new("About Sinew")
        .default_pos(ctx.content_rect().center() - egui::vec2(180.0, 90.0))
        .open(&mut help.about)
        .resizable(false)
        .show(ctx, |ui| {
            ui.heading("Sinew");
            ui.label(concat!("Version ", env!("CARGO_PKG_VERSION")));
            ui.label("Skinning and deformation of characters. Free software: MIT or Apache-2.0.");
            ui.label(format!("Pictures by {}", studio.canvas_name()));
        });
    studio.panels.help = help;
}

/// What a newcomer tries, at the head of the inspector until it is closed.
pub(crate) fn first_steps(studio: &mut Studio, ui: &mut egui::Ui) {
    if !studio.panels.help.first_steps {
        return;
    }
    let frame = egui::Frame::group(ui.style()).fill(ui.visuals().faint_bg_color);
    let is_closed = frame
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            let close = ui.horizontal(|ui| {
                ui.strong("First steps");
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    ui.small_button("×").on_hover_text("Close; Help, First Steps brings it back")
                })
                .inner
            });
            super::named(&close.inner, "Close first steps");
            for (number, (what, how)) in STEPS.iter().enumerate() {
                let mut words = egui::text::LayoutJob::default();
                let strong = egui::RichText::new(format!("{} {what}  ", number + 1)).strong();
                let body = egui::FontSelection::Default;
                strong.append_to(&mut words, ui.style(), body.clone(), egui::Align::Center);
                let how = egui::RichText::new(*how);
                how.append_to(&mut words, ui.style(), body, egui::Align::Center);
                ui.add(egui::Label::new(words).wrap());
            }
            close.inner.clicked()
        })
        .inner;
    if is_closed {
        studio.panels.help.first_steps = false;
        studio.settings.knows_first_steps = true;
        studio.remember();
    }
}

const STEPS: [(&str, &str); 6] = [
    ("Open", "Drop a .glb on the window, or stay with this character. Drop a .bvh to move it."),
    ("Pose", "Click a bone, then drag a ring. The yellow one twists."),
    ("Switch", "At the right, under Method, choose Springs: folds go, volume stays."),
    ("Compare", "Press 2 at the upper right: two methods in the same pose."),
    ("Save", "Ctrl+S keeps everything in one .sinew file."),
    ("Export", "File, Export Posed Mesh: a .glb or .obj for other programs."),
];
