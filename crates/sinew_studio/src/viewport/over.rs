//! What is written and drawn over a picture: legends, turns, the compass.

use std::ops::Range;

use eframe::egui::{self, Rect};
use sinew::glam::Vec3;
use sinew_editor::tool::Hit;

use super::paint;
use crate::panels::elided;
use crate::studio::Studio;

/// Words and bars over a picture.
pub(super) fn marks_over(studio: &Studio, ui: &egui::Ui, panes: Range<usize>, rect: Rect) {
    if let Some(legend) = panes.into_iter().find_map(|pane| studio.views.panes.legend(pane)) {
        paint::show_legend(ui, rect, legend);
    }
    turns(studio, ui, rect);
    hovered(studio, ui, rect);
    compass(studio, ui, rect);
}

/// How many times a joint has been turned about its bone.
fn turns(studio: &Studio, ui: &egui::Ui, rect: Rect) {
    let Some(active) = studio.session.selection.active else { return };
    let context = studio.session.context(studio.workspace.editor());
    let Some(pose) = context.pose.joints.get(active as usize) else { return };
    let turns = pose.twist_radians / std::f64::consts::TAU;
    if turns.abs() < 1.0 {
        return;
    }
    let [head, tail] = context.bone_ends(&context.palette(), active);
    let Some(place) = studio.session.view.project(head.midpoint(tail)) else { return };
    let place = rect.min + egui::vec2(place.x, place.y) / ui.pixels_per_point();
    label(ui, rect, place + egui::vec2(14.0, -24.0), format!("{turns:+.2} turns"));
}

/// The name of what a click would take, beside the pointer.
fn hovered(studio: &Studio, ui: &egui::Ui, rect: Rect) {
    let pointer = ui.input(|i| i.pointer.hover_pos());
    let is_named = studio.session.hovered.is_some_and(|hit| hit != Hit::Handle);
    let (Some(pointer), Some(name)) = (pointer, studio.hovered_name()) else { return };
    if !is_named || !rect.contains(pointer) {
        return;
    }
    label(ui, rect, pointer + egui::vec2(16.0, 12.0), elided(&name));
}

/// Words on a plate, inside of the view.
fn label(ui: &egui::Ui, rect: Rect, at: egui::Pos2, words: String) {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let painter = ui.painter_at(rect);
    let color = ui.visuals().strong_text_color();
    let galley = painter.layout_no_wrap(words, font, color);
    let most = rect.max - galley.size() - egui::vec2(6.0, 6.0);
    let at = at.min(most).max(rect.min + egui::vec2(6.0, 6.0));
    let back = Rect::from_min_size(at, galley.size()).expand(4.0);
    painter.rect_filled(back, 4.0, ui.visuals().panel_fill.gamma_multiply(0.9));
    painter.galley(at, galley, color);
}

/// Which way is which.
fn compass(studio: &Studio, ui: &egui::Ui, rect: Rect) {
    if rect.width() < 160.0 || rect.height() < 160.0 {
        return;
    }
    let center = egui::pos2(rect.right() - 38.0, rect.top() + 38.0);
    let rotation = studio.views.navigator.camera().view_from_model_rotation();
    let painter = ui.painter_at(rect);
    let font = egui::TextStyle::Small.resolve(ui.style());
    let axes = [
        (Vec3::X, "X", egui::Color32::from_rgb(214, 72, 78)),
        (Vec3::Y, "Y", egui::Color32::from_rgb(98, 168, 60)),
        (Vec3::Z, "Z", egui::Color32::from_rgb(64, 124, 226)),
    ];
    for (axis, name, color) in axes {
        let seen = rotation * axis;
        let tip = center + 24.0 * egui::vec2(seen.x, -seen.y);
        painter.line_segment([center, tip], egui::Stroke::new(2.0, color));
        let at = center + 31.0 * egui::vec2(seen.x, -seen.y);
        painter.text(at, egui::Align2::CENTER_CENTER, name, font.clone(), color);
    }
}
