//! The strip below the views: poses beside one another while weights change, each of which may be
//! pinned: dragged points are then to stay where they are in it.

use std::sync::Arc;

use eframe::egui::{self, DragValue, Vec2};
use sinew::skeleton::Pose;
use sinew_editor::PoseEdit;
use sinew_view::camera::Size;

use super::{elided, introduced, named};
use crate::command::Command;
use crate::studio::Studio;
use crate::viewport::strip::{MOST_POSES, Wanted};

/// Below a picture: its name, and the pin.
const CAPTION: f32 = 44.0;
/// The side of a picture, in points.
const SIDES: std::ops::RangeInclusive<f32> = 60.0..=400.0;
/// The most that a pinned pose counts against the one in hand.
const MOST_WORTH: f64 = 100.0;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let side = (ui.available_height() - CAPTION).clamp(*SIDES.start(), *SIDES.end());
    let document = studio.document().clone();
    let rest = Arc::new(Pose::rest(&document.character().skeleton));
    let stored = document.stored_poses().iter();
    let stored = stored.map(|stored| (stored.name.clone(), Arc::new(stored.pose.clone())));
    let poses: Vec<(String, Arc<Pose>)> =
        std::iter::once((String::new(), rest)).chain(stored).take(MOST_POSES).collect();
    let names: Vec<String> = poses.iter().map(|(name, _)| name.clone()).collect();
    let camera = studio.views.navigator.camera();
    let pixels = (side * ui.pixels_per_point()).round().max(16.0) as u32;
    let wanted = Wanted {
        document,
        poses,
        looks: [camera.yaw_radians, camera.pitch_radians],
        coloring: studio.views.state.coloring,
        joint: studio.session.selection.active,
        size: Size { width: pixels, height: pixels },
        is_dark: ui.visuals().dark_mode,
    };
    studio.views.strip.keep_up(wanted, ui.ctx());
    egui::ScrollArea::horizontal().id_salt("pose strip").auto_shrink(false).show(ui, |ui| {
        ui.horizontal_top(|ui| {
            for name in &names {
                ui.vertical(|ui| pose(studio, ui, name, side));
            }
            ui.vertical(|ui| {
                ui.set_width(170.0);
                for command in [Command::StorePose, Command::RangeOfMotion] {
                    let button =
                        ui.add_enabled(studio.can(command), egui::Button::new(command.label()));
                    named(&button, &format!("Strip: {}", command.label()));
                    let button = button.on_disabled_hover_text(studio.why_not(command));
                    if button.on_hover_text(command.tip()).clicked() {
                        studio.queue(command);
                    }
                }
                ui.weak("Pinned poses hold dragged points where they are in them");
            });
        });
    });
}

fn pose(studio: &mut Studio, ui: &mut egui::Ui, name: &str, side: f32) {
    ui.set_width(side);
    let words = if name.is_empty() { "Rest" } else { name };
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), egui::Sense::click());
    introduced(&response, egui::Role::Button, &format!("Strip: take pose {words}"));
    match studio.views.strip.picture(name) {
        Some(texture) => {
            let all = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
            ui.painter_at(rect).image(texture.id(), rect, all, egui::Color32::WHITE);
        }
        None => _ = ui.painter_at(rect).rect_filled(rect, 4.0, ui.visuals().extreme_bg_color),
    }
    if response.on_hover_text(format!("Take this pose: {words}")).clicked() {
        studio.apply(match name.is_empty() {
            true => PoseEdit::ResetPose { joints: Vec::new() },
            false => PoseEdit::RecallPose { name: name.to_owned() },
        });
    }
    super::one_line(ui, elided(words));
    ui.horizontal(|ui| {
        let held = &mut studio.session.weights.held;
        let mut is_pinned = held.contains_key(name);
        let pin = ui.checkbox(&mut is_pinned, "Pin");
        named(&pin, &format!("Pin pose {words}"));
        let tip = "Dragged points are to stay where they are in this pose";
        if pin.on_hover_text(tip).changed() {
            match is_pinned {
                true => _ = held.insert(name.to_owned(), 1.0),
                false => _ = held.remove(name),
            }
        }
        if let Some(worth) = held.get_mut(name) {
            let field = DragValue::new(worth).range(0.01..=MOST_WORTH).speed(0.02).prefix("× ");
            let field = ui.add(field.max_decimals(2));
            named(&field, &format!("Worth of pose {words}"));
            field.on_hover_text("What it counts against the pose in hand");
        }
    });
}
