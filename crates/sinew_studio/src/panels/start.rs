//! What one sees first where no file was named: what was open last, what is built in, what to try.

use eframe::egui;
use sinew::sample::SampleKind;

use super::{menu, named};
use crate::command::Command;
use crate::studio::Studio;

/// What shows within a minute what this is about.
const TRIES: [(&str, Try, &str); 3] = [
    (
        "See springs beside linear blending",
        Try::Compare,
        "Two views of one clip: the left one as every engine does it, the right one with springs",
    ),
    (
        "Pose a man in a tailcoat",
        Try::Clothes,
        "Coat, waistcoat, shirt and buttons are pieces of their own; with springs they stay together",
    ),
    (
        "Open your own character",
        Try::Open,
        "A .glb, .gltf, .vrm, .fbx or .obj; or drop it on the window",
    ),
];

/// Between the columns.
const GAP: f32 = 16.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Try {
    Compare,
    Clothes,
    Open,
}

/// Built-in characters in the order in which they are worth a look.
const SAMPLES: [SampleKind; 6] = [
    SampleKind::Chibi,
    SampleKind::Human,
    SampleKind::Soldier,
    SampleKind::Suit,
    SampleKind::Arm,
    SampleKind::Cylinder,
];

pub(crate) fn show(studio: &mut Studio, ctx: &egui::Context) {
    if !studio.panels.help.start || !studio.questions.is_empty() {
        return;
    }
    let mut is_open = true;
    let mut is_done = false;
    egui::Window::new("Start")
        .anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .collapsible(false)
        .resizable(false)
        .open(&mut is_open)
        .show(ctx, |ui| {
            ui.set_max_width(560.0);
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| {
                    ui.set_width(160.0);
                    ui.strong("Recent");
                    is_done |= menu::recent_files(studio, ui);
                });
                // A separator would be as high as the window may be.
                ui.add_space(GAP);
                ui.vertical(|ui| {
                    ui.set_width(130.0);
                    ui.strong("Built in");
                    for kind in SAMPLES {
                        let button = ui.button(kind.name());
                        named(&button, &format!("Start with {}", kind.name()));
                        let tip = format!("Start on the built-in character '{}'", kind.name());
                        if button.on_hover_text(tip).clicked() {
                            studio.open_sample_later(kind);
                            is_done = true;
                        }
                    }
                });
                ui.add_space(GAP);
                ui.vertical(|ui| {
                    ui.strong("Three things to try");
                    for (words, what, tip) in TRIES {
                        if ui.button(words).on_hover_text(tip).clicked() {
                            attempt(studio, what);
                            is_done = true;
                        }
                    }
                });
            });
        });
    if !is_open || is_done || ctx.input(|input| input.key_pressed(egui::Key::Escape)) {
        studio.panels.help.start = false;
    }
}

fn attempt(studio: &mut Studio, what: Try) {
    match what {
        Try::Compare => {
            let has_clip = !studio.document().motions().is_empty();
            studio.queue(Command::CompareTwo);
            if has_clip {
                studio.choose_clip(Some(0));
                studio.queue(Command::PlayPause);
            }
        }
        Try::Clothes => studio.open_sample_later(SampleKind::Suit),
        Try::Open => studio.queue(Command::Open),
    }
}
