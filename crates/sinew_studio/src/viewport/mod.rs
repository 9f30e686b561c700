//! The views in the middle of the window: layout, pictures, and what is drawn over them.

pub(crate) mod canvas;
mod card;
mod draughtsman;
mod flat;
pub(crate) mod input;
pub(crate) mod navigate;
mod onion;
mod over;
pub(crate) mod paint;
pub(crate) mod pane;
pub(crate) mod picker;
mod picture;
pub(crate) mod strip;
pub(crate) mod structures;

use eframe::egui::{self, Rect, Sense};
use sinew::frame::Rig;
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_editor::View;
use sinew_view::camera::Size;

use crate::panels::{compare, context, introduced};
use crate::studio::Studio;
use input::Capture;
use over::marks_over;
use paint::Coloring;
use pane::{Layout, MOST_PANES};
pub(crate) use picture::DrawnKey;
pub(crate) use picture::painted;
use picture::picture;

const HEADER: f32 = 28.0;
const FOOTER: f32 = 20.0;
const GAP: f32 = 3.0;
/// Neither nothing nor more than any card takes.
const SIDES_PX: std::ops::RangeInclusive<f32> = 16.0..=8192.0;

/// How the skeleton is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bones {
    /// Thin, before the skin: they hide next to nothing.
    Sticks,
    /// Solid, seen through the skin.
    XRay,
    Off,
}

impl Bones {
    /// One after the other, by one key.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Sticks => Self::XRay,
            Self::XRay => Self::Off,
            Self::Off => Self::Sticks,
        }
    }
}

/// What is shown, apart from the character.
pub(crate) struct ViewState {
    pub(crate) bones: Bones,
    /// What bones are again when they are shown again.
    pub(crate) last_bones: Bones,
    pub(crate) shows_wireframe: bool,
    /// A character was opened, and has not been brought into view yet.
    pub(crate) is_new: bool,
    pub(crate) coloring: Coloring,
    pub(crate) painter: paint::Painter,
    /// The keys around the playhead are seen.
    pub(crate) shows_onion: bool,
    /// Poses are seen beside one another below the views.
    pub(crate) shows_strip: bool,
    pub(crate) onion: onion::Onion,
    /// The right button took back what was held: its click opens no menu.
    pub(crate) refuses_menu: bool,
    /// Who has the mouse.
    pub(crate) capture: Option<Capture>,
    /// Where views are, in points: scripts aim at them.
    pub(crate) rects: [Rect; MOST_PANES],
    /// What is shown beside the skin of a view, of rest and pose.
    pub(crate) structures: structures::Structures,
    /// The view that the pointer is over.
    pub(crate) hovered_pane: Option<usize>,
    /// All is to be framed, once the points are here.
    pub(crate) frames_all: bool,
    /// The pointer, in pixels of the view that it is over.
    pub(crate) pointer: Option<sinew::glam::Vec2>,
}

impl Default for ViewState {
    fn default() -> Self {
        Self {
            bones: Bones::Sticks,
            last_bones: Bones::Sticks,
            is_new: true,
            shows_onion: false,
            shows_strip: false,
            onion: onion::Onion::default(),
            shows_wireframe: false,
            coloring: Coloring::default(),
            painter: paint::Painter::default(),
            refuses_menu: false,
            capture: None,
            rects: [Rect::ZERO; MOST_PANES],
            structures: structures::Structures::default(),
            hovered_pane: None,
            frames_all: false,
            pointer: None,
        }
    }
}

/// What a comparison begins with, the first that is not shown yet.
pub(crate) fn compared() -> Vec<Rig> {
    vec![
        Rig::of(SkinMethod::Linear),
        Rig::of_model(SpringModel::Anchored),
        Rig::of(SkinMethod::DualQuat),
        Rig::of_model(SpringModel::DeltaMush),
        Rig::of(SkinMethod::CenterOfRotation),
    ]
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let all = ui.available_rect_before_wrap();
    ui.allocate_rect(all, Sense::hover());
    match studio.views.panes.layout {
        Layout::Grid(_) | Layout::RestAndPose => {
            let num = studio.views.panes.len();
            for pane in 0..num {
                // The pose is the first view, and stands at the right.
                let place =
                    if studio.views.panes.at_rest(pane).is_some() { 1 - pane } else { pane };
                let cell = cell(all, place, num);
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
    let x = middle.left() + studio.views.panes.wipe * middle.width();
    let handle = Rect::from_x_y_ranges(x - 6.0..=x + 6.0, middle.y_range());
    let (left, right) = middle.split_left_right_at_x(x);
    for (pane, half) in [left, right].into_iter().enumerate() {
        if let Some(texture) = picture(studio, ui, pane, middle) {
            image(ui, texture, middle, half);
        }
    }
    interact(studio, ui, 0, middle);
    let slider = ui.interact(handle, ui.scope_id().with("wipe"), Sense::drag());
    introduced(&slider, egui::Role::Slider, "Wipe slider");
    let slider = slider
        .on_hover_text("Drag to see more of one or of the other")
        .on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    if slider.dragged() {
        let share = (x + slider.drag_delta().x - middle.left()) / middle.width().max(1.0);
        studio.views.panes.wipe = share.clamp(0.02, 0.98);
    }
    let color = ui.visuals().selection.stroke.color;
    ui.painter().vline(x, middle.y_range(), egui::Stroke::new(2.0, color));
    ui.painter().circle_filled(egui::pos2(x, middle.center().y), 7.0, color);
    flat::show(studio, ui, 0, middle);
    marks_over(studio, ui, 0..2, middle);
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
    flat::show(studio, ui, pane, rect);
    marks_over(studio, ui, pane..pane + 1, rect);
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
    if let Some(place) = studio.views.state.rects.get_mut(pane) {
        *place = rect;
    }
    if !studio.views.state.refuses_menu {
        response.context_menu(|ui| context::of_view(studio, ui));
    }
    let size = pixels(rect, ui.pixels_per_point());
    studio.views.navigator.fit_into(size.aspect());
    let here = View { camera: studio.views.navigator.camera(), size };
    input::handle(studio, ui, (pane, rect, here), &response);
    studio.session.view = View { camera: studio.views.navigator.camera(), size };
}
