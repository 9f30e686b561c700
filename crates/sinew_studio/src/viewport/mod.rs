//! The views in the middle of the window: layout, pictures, and what is drawn over them.

pub(crate) mod canvas;
mod draughtsman;
pub(crate) mod input;
pub(crate) mod navigate;
pub(crate) mod paint;
pub(crate) mod pane;

use eframe::egui::{self, Rect, Sense};
use sinew::glam::Vec3;
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::{Deformation, View};
use sinew_view::camera::{Camera, Size};
use sinew_view::overlay::{self, BoneStyle};
use sinew_view::scene::{Marks, Overlay, Scene};

use crate::panels::{compare, introduced};
use crate::studio::Studio;
use crate::theme;
use input::Capture;
use paint::Coloring;
use pane::Layout;

const HEADER: f32 = 28.0;
const FOOTER: f32 = 20.0;
const GAP: f32 = 3.0;
/// Bones are seen through a little, so that the skin before them is still there.
const FRONT_OPACITY: f32 = 0.9;
/// The side of a picture over the view's while something moves, where drawing is slow.
const MOVING_SCALE: f32 = 0.6;
/// Neither nothing nor more than any card takes.
const SIDES_PX: std::ops::RangeInclusive<f32> = 16.0..=8192.0;

/// What is shown, apart from the character.
pub(crate) struct ViewState {
    pub(crate) shows_bones: bool,
    pub(crate) shows_wireframe: bool,
    pub(crate) coloring: Coloring,
    pub(crate) painter: paint::Painter,
    /// Who has the mouse.
    pub(crate) capture: Option<Capture>,
    /// Where the first view is, in points: scripts aim at it.
    pub(crate) first_rect: Rect,
    /// The pointer, in pixels of the view that it is over.
    pub(crate) pointer: Option<sinew::glam::Vec2>,
}

impl Default for ViewState {
    fn default() -> Self {
        Self {
            shows_bones: true,
            shows_wireframe: false,
            coloring: Coloring::default(),
            painter: paint::Painter::default(),
            capture: None,
            first_rect: Rect::ZERO,
            pointer: None,
        }
    }
}

/// What a picture was drawn from; the same again need not be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnKey {
    num_answers: [u64; 2],
    camera: Camera,
    size: Size,
    coloring: (Coloring, Option<u32>),
    shows: [bool; 3],
    marks: Marks,
}

/// What a comparison begins with, the first that is not shown yet.
pub(crate) fn compared() -> Vec<Deformation> {
    let skin = |method| Deformation { method, springs: None };
    let springs = |model| Deformation {
        method: SkinMethod::Linear,
        springs: Some(SpringSettings::new(model)),
    };
    vec![
        skin(SkinMethod::Linear),
        springs(SpringModel::Anchored),
        skin(SkinMethod::DualQuat),
        springs(SpringModel::DeltaMush),
        skin(SkinMethod::CenterOfRotation),
    ]
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let all = ui.available_rect_before_wrap();
    ui.allocate_rect(all, Sense::hover());
    studio.legends_shown = 0;
    match studio.panes.layout {
        Layout::Grid(_) => {
            let num = studio.panes.len();
            for pane in 0..num {
                let cell = cell(all, pane, num);
                if num == 1 {
                    view(studio, ui, pane, cell);
                } else {
                    framed(studio, ui, pane, cell);
                }
            }
        }
        Layout::Wipe => wipe(studio, ui, all),
    }
}

/// A view's place among so many.
fn cell(all: Rect, pane: usize, num: usize) -> Rect {
    let (columns, rows) = if num == 4 { (2, 2) } else { (num, 1) };
    let size = egui::vec2(all.width() / columns as f32, all.height() / rows as f32);
    let corner =
        all.min + egui::vec2((pane % columns) as f32 * size.x, (pane / columns) as f32 * size.y);
    let inset = if num == 1 { 0.0 } else { 0.5 * GAP };
    Rect::from_min_size(corner, size).shrink(inset)
}

/// A view with its method above and its figures below.
fn framed(studio: &mut Studio, ui: &mut egui::Ui, pane: usize, cell: Rect) {
    let (header, below) = cell.split_top_bottom_at_y(cell.top() + HEADER);
    let (middle, footer) = below.split_top_bottom_at_y(below.bottom() - FOOTER);
    view(studio, ui, pane, middle);
    let mut above =
        ui.new_child(egui::UiBuilder::new().max_rect(header.shrink2(egui::vec2(6.0, 2.0))));
    compare::header(studio, &mut above, pane);
    let mut under =
        ui.new_child(egui::UiBuilder::new().max_rect(footer.shrink2(egui::vec2(6.0, 1.0))));
    compare::footer(studio, &mut under, pane);
}

/// Two views over each other, with a slider between them.
fn wipe(studio: &mut Studio, ui: &mut egui::Ui, all: Rect) {
    let (header, below) = all.split_top_bottom_at_y(all.top() + HEADER);
    let (middle, footer) = below.split_top_bottom_at_y(below.bottom() - FOOTER);
    let x = middle.left() + studio.panes.wipe * middle.width();
    let handle = Rect::from_x_y_ranges(x - 6.0..=x + 6.0, middle.y_range());
    let textures = [0, 1].map(|pane| {
        let texture = picture(studio, ui, pane, middle);
        let (left, right) = middle.split_left_right_at_x(x);
        if let Some(texture) = texture {
            image(ui, texture, middle, if pane == 0 { left } else { right });
        }
        texture
    });
    _ = textures;
    interact(studio, ui, 0, middle);
    let slider = ui.interact(handle, ui.scope_id().with("wipe"), Sense::drag());
    introduced(&slider, egui::Role::Slider, "Wipe slider");
    let slider = slider
        .on_hover_text("Drag to see more of one or of the other")
        .on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    if slider.dragged() {
        let share = (x + slider.drag_delta().x - middle.left()) / middle.width().max(1.0);
        studio.panes.wipe = share.clamp(0.02, 0.98);
    }
    let color = ui.visuals().selection.stroke.color;
    ui.painter().vline(x, middle.y_range(), egui::Stroke::new(2.0, color));
    ui.painter().circle_filled(egui::pos2(x, middle.center().y), 7.0, color);
    marks_over(studio, ui, middle);
    let halves = |rect: Rect| {
        let (left, right) = rect.split_left_right_at_fraction(0.5);
        [left, right].map(|rect| rect.shrink2(egui::vec2(6.0, 2.0)))
    };
    for (pane, rect) in halves(header).into_iter().enumerate() {
        compare::header(studio, &mut ui.new_child(egui::UiBuilder::new().max_rect(rect)), pane);
    }
    for (pane, rect) in halves(footer).into_iter().enumerate() {
        compare::footer(studio, &mut ui.new_child(egui::UiBuilder::new().max_rect(rect)), pane);
    }
}

fn view(studio: &mut Studio, ui: &mut egui::Ui, pane: usize, rect: Rect) {
    interact(studio, ui, pane, rect);
    match picture(studio, ui, pane, rect) {
        Some(texture) => image(ui, texture, rect, rect),
        None => {
            let words = "Making the first picture…";
            let font = egui::TextStyle::Body.resolve(ui.style());
            let color = ui.visuals().weak_text_color();
            ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, words, font, color);
        }
    }
    marks_over(studio, ui, rect);
}

/// The part of a picture of `whole` that lies in `shown`.
fn image(ui: &egui::Ui, texture: egui::TextureId, whole: Rect, shown: Rect) {
    let share = |point: egui::Pos2| {
        let from = point - whole.min;
        egui::pos2(from.x / whole.width(), from.y / whole.height())
    };
    let uv = Rect::from_min_max(share(shown.min), share(shown.max));
    ui.painter_at(shown).image(texture, shown, uv, egui::Color32::WHITE);
}

fn pixels(rect: Rect, scale: f32) -> Size {
    let side =
        |length: f32| (length * scale).round().clamp(*SIDES_PX.start(), *SIDES_PX.end()) as u32;
    Size { width: side(rect.width()), height: side(rect.height()) }
}

/// Mouse and keys over a view.
fn interact(studio: &mut Studio, ui: &mut egui::Ui, pane: usize, rect: Rect) {
    let response = ui.interact(rect, ui.scope_id().with(("view", pane)), Sense::click_and_drag());
    introduced(&response, egui::Role::Canvas, &format!("View {}", pane + 1));
    if pane == 0 {
        studio.view.first_rect = rect;
    }
    let size = pixels(rect, ui.pixels_per_point());
    let here = View { camera: studio.navigator.camera(), size };
    input::handle(studio, ui, (pane, rect, here), &response);
    studio.session.view = View { camera: studio.navigator.camera(), size };
}

/// Draws a view if it changed; `None` before the first answer.
fn picture(studio: &mut Studio, ui: &egui::Ui, pane: usize, rect: Rect) -> Option<egui::TextureId> {
    let is_dark = ui.visuals().dark_mode;
    let is_moving = studio.view.capture.is_some()
        || studio.timeline.is_playing
        || studio.workspace.editor().is_open();
    let scale = if is_moving && studio.canvas.is_slow() { MOVING_SCALE } else { 1.0 };
    let size = pixels(rect, scale * ui.pixels_per_point());
    let camera = studio.navigator.camera();
    let first_answers = studio.panes.pane_mut(0).num_answers;
    let num_answers = studio.panes.pane_mut(pane).num_answers;
    if num_answers == 0 {
        return None;
    }
    let mut marks = Marks::default();
    if let Some(answer) = studio.panes.answer(pane) {
        let skeleton = &answer.job.character.skeleton;
        if studio.view.shows_bones && !skeleton.is_empty() {
            let accent = studio.session.selection.active.filter(|&j| (j as usize) < skeleton.len());
            let style = BoneStyle {
                accent: accent.map(|joint| (joint, Vec3::new(0.95, 0.45, 0.05))),
                ..BoneStyle::default()
            };
            marks.append(overlay::skeleton(skeleton, &answer.palette, &style));
        }
        let context = studio.session.context(studio.workspace.editor());
        marks.append(studio.session.tool().marks(&context));
    }
    for width in marks.lines.iter_mut().map(|line| &mut line.width_px) {
        *width *= scale * ui.pixels_per_point();
    }
    for radius in marks.discs.iter_mut().map(|disc| &mut disc.radius_px) {
        *radius *= scale * ui.pixels_per_point();
    }
    let coloring = studio.view.coloring;
    let joint = studio.session.selection.active.filter(|_| coloring == Coloring::Weights);
    let key = DrawnKey {
        num_answers: [num_answers, first_answers],
        camera,
        size,
        coloring: (coloring, joint),
        shows: [studio.view.shows_bones, studio.view.shows_wireframe, is_dark],
        marks,
    };
    if studio.panes.pane_mut(pane).drawn.as_ref() != Some(&key) {
        draw(studio, ui, pane, key);
    }
    let drawn = studio.panes.pane_mut(pane);
    if let Some(ms) = drawn.target.poll(ui.ctx()) {
        studio.panes.note_drawing(ms);
    }
    // One is enough where all views have the same colours.
    if let Some(legend) = studio.panes.pane_mut(pane).legend.clone()
        && studio.legends_shown == 0
    {
        studio.legends_shown += 1;
        studio.legends.push((rect, legend));
    }
    studio.panes.pane_mut(pane).target.texture()
}

fn draw(studio: &mut Studio, ui: &egui::Ui, pane: usize, key: DrawnKey) {
    let is_dark = ui.visuals().dark_mode;
    let (coloring, joint) = key.coloring;
    let Some(answer) = studio.panes.answer(pane) else { return };
    let first = studio.panes.answer(0).filter(|_| pane > 0);
    let (mut surfaces, legend) = studio.view.painter.paint(answer, coloring, joint, first);
    if studio.view.shows_wireframe {
        for surface in &mut surfaces {
            surface.wireframe = Some(paint::wireframe(is_dark));
        }
    }
    let scene = Scene {
        camera: key.camera,
        look: theme::look(is_dark),
        surfaces,
        overlay: Overlay {
            in_front: key.marks.clone(),
            front_opacity: FRONT_OPACITY,
            ..Overlay::default()
        },
        ground: Some(answer.ground),
    };
    let size = key.size;
    let drawn = studio.panes.pane_mut(pane);
    drawn.drawn = Some(key);
    drawn.legend = legend;
    match studio.canvas.draw(ui.ctx(), &mut drawn.target, scene, size) {
        Ok(Some(ms)) => studio.panes.note_drawing(ms),
        Ok(None) => {}
        Err(error) => studio.toasts.failed(error.to_string()),
    }
}

/// Words and bars over a picture.
fn marks_over(studio: &mut Studio, ui: &egui::Ui, rect: Rect) {
    for (of, legend) in std::mem::take(&mut studio.legends) {
        paint::show_legend(ui, of.intersect(rect), &legend);
    }
    turns(studio, ui, rect);
    compass(studio, ui, rect);
}

/// How many times a joint has been turned about its bone.
fn turns(studio: &Studio, ui: &egui::Ui, rect: Rect) {
    let Some(active) = studio.session.selection.active else { return };
    let context = studio.session.context(studio.workspace.editor());
    let Some(pose) = context.document.pose().joints.get(active as usize) else { return };
    let turns = pose.twist_radians / std::f64::consts::TAU;
    if turns.abs() < 1.0 {
        return;
    }
    let [head, tail] = context.bone_ends(&context.palette(), active);
    let Some(place) = studio.session.view.project(head.midpoint(tail)) else { return };
    let place = rect.min + egui::vec2(place.x, place.y) / ui.pixels_per_point();
    let font = egui::TextStyle::Body.resolve(ui.style());
    let words = format!("{turns:+.2} turns");
    let painter = ui.painter_at(rect);
    let galley = painter.layout_no_wrap(words, font, ui.visuals().strong_text_color());
    let at = place + egui::vec2(14.0, -24.0);
    let back = Rect::from_min_size(at, galley.size()).expand(4.0);
    painter.rect_filled(back, 4.0, ui.visuals().panel_fill.gamma_multiply(0.9));
    painter.galley(at, galley, ui.visuals().strong_text_color());
}

/// Which way is which.
fn compass(studio: &Studio, ui: &egui::Ui, rect: Rect) {
    if rect.width() < 160.0 || rect.height() < 160.0 {
        return;
    }
    let center = egui::pos2(rect.right() - 38.0, rect.top() + 38.0);
    let rotation = studio.navigator.camera().view_from_model_rotation();
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
