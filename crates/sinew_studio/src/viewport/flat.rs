//! What a tool draws over the finished picture, by the window's own painter: it changes with every
//! move of the pointer, and no picture is drawn again for it.

use eframe::egui::{self, Color32, Rect, Rgba};
use sinew::glam::Vec3;
use sinew_editor::View;
use sinew_view::camera::Size;
use sinew_view::scene::Marks;

use super::pixels;
use crate::studio::Studio;

/// The marks of the tool in hand over a view, around the cage as that view shows it.
pub(super) fn show(studio: &Studio, ui: &egui::Ui, pane: usize, rect: Rect) {
    let size: Size = pixels(rect, ui.pixels_per_point());
    let view = View { camera: studio.views.navigator.camera(), size };
    let side = studio.side(pane, view);
    let marks = studio.session.overlay(&side, studio.workspace.editor());
    paint(ui, rect, &view, &marks);
}

fn paint(ui: &egui::Ui, rect: Rect, view: &View, marks: &Marks) {
    let (painter, scale) = (ui.painter_at(rect), ui.pixels_per_point());
    let place =
        |point: Vec3| view.project(point).map(|at| rect.min + egui::vec2(at.x, at.y) / scale);
    for line in &marks.lines {
        let [Some(a), Some(b)] = line.ends.map(place) else { continue };
        let stroke = egui::Stroke::new(line.width_px / scale, color(line.color));
        painter.line_segment([a, b], stroke);
    }
    for disc in &marks.discs {
        let Some(center) = place(disc.center) else { continue };
        painter.circle_filled(center, disc.radius_px / scale, color(disc.color));
    }
}

fn color([r, g, b, a]: [f32; 4]) -> Color32 {
    // The window mixes colours as they are on the screen: only their shade is linear here.
    Color32::from(Rgba::from_rgb(r, g, b)).gamma_multiply(a)
}
