//! Surface edits: what strokes and grabs do, and the stack that they make.

use eframe::egui::{self, DragValue, Slider, SliderClamping, TextEdit};
use sinew::sketch::surface::{Extent, ReachBy, SurfaceMethod};
use sinew::weights::paint::Falloff;
use sinew_editor::{SurfaceDrawing, SurfaceEdit, SurfaceEntry};

use super::{elided, named};
use crate::command::Command;
use crate::studio::Studio;

/// Of the character's diagonal: the sliders' range.
const MOST_HEIGHT: f64 = 0.15;
const MOST_RADIUS: f64 = 0.4;
const MOST_EDGES: u32 = 40;
/// Points on the screen.
const NAME_WIDTH: f32 = 150.0;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    match studio.session.tool().name() {
        "Sketch" => stroke(studio, ui),
        "Grab" => grab(studio, ui),
        _ => {
            ui.horizontal_wrapped(|ui| {
                for command in [Command::SurfaceTool, Command::GrabTool] {
                    let button = ui.button(command.label()).on_hover_text(command.tip());
                    named(&button, &format!("Surface: {}", command.label()));
                    if button.clicked() {
                        studio.queue(command);
                    }
                }
            });
        }
    }
    stack(studio, ui);
}

/// What the fields show: the chosen edit's drawing, or what a new one would have.
struct Now {
    chosen: Option<(String, SurfaceDrawing)>,
    diagonal: f64,
    height: f64,
    extent: Extent,
    method: SurfaceMethod,
    reach: ReachBy,
}

impl Now {
    fn of(studio: &Studio) -> Self {
        let (document, work) = (studio.document(), &studio.session.surface);
        let character = document.character();
        let entry = work.entry(document);
        let chosen =
            entry.and_then(|entry| Some((entry.name.clone(), entry.drawing.as_deref()?.clone())));
        let drawing = chosen.as_ref().map(|(_, drawing)| drawing);
        Self {
            diagonal: f64::from(character.bounds().diagonal()),
            height: drawing.map_or_else(|| work.height_of(character), |d| d.offset.height()),
            extent: drawing.map_or(work.shown_extent(), |drawing| drawing.extent),
            method: drawing.map_or(work.method, |drawing| drawing.method),
            reach: drawing.map_or(work.reach, |drawing| drawing.reach),
            chosen,
        }
    }

    /// An edit of the chosen drawing.
    fn redraw(&self, change: impl FnOnce(&mut Redraw)) -> Option<SurfaceEdit> {
        let (name, _) = self.chosen.as_ref()?;
        let mut redraw = Redraw::default();
        change(&mut redraw);
        let Redraw { height, extent, method, reach } = redraw;
        Some(SurfaceEdit::RedrawSurface {
            surface: name.clone(),
            stroke: None,
            offset: None,
            height,
            extent,
            method,
            reach,
        })
    }
}

#[derive(Default)]
struct Redraw {
    height: Option<f64>,
    extent: Option<Extent>,
    method: Option<SurfaceMethod>,
    reach: Option<ReachBy>,
}

fn stroke(studio: &mut Studio, ui: &mut egui::Ui) {
    let now = Now::of(studio);
    match &now.chosen {
        Some((name, _)) => ui.strong(elided(name)),
        None => ui.weak("The next stroke"),
    };
    egui::Grid::new("stroke").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("Height");
        let most = MOST_HEIGHT * now.diagonal;
        let mut height = now.height;
        let slider =
            Slider::new(&mut height, -most..=most).clamping(SliderClamping::Never).suffix(" m");
        let field = ui.add(slider).on_hover_text(
            "How far the stroke rises from the skin; below zero it sinks. Or drag its blue line",
        );
        named(&field, "Stroke height");
        if field.changed() {
            studio.session.surface.height = Some(height);
        }
        if field.changed() || field.drag_stopped() {
            let edit = now.redraw(|redraw| redraw.height = Some(height));
            studio.scrub(&field, "Stroke height", edit.into_iter().map(Into::into).collect());
        }
        ui.end_row();
        extent(studio, ui, &now);
        methods(studio, ui, &now);
    });
}

fn extent(studio: &mut Studio, ui: &mut egui::Ui, now: &Now) {
    ui.label("Region");
    ui.vertical(|ui| {
        let mut extent = now.extent;
        let field = match &mut extent {
            Extent::Edges(edges) => ui.add(Slider::new(edges, 0..=MOST_EDGES).suffix(" edges")),
            Extent::Metres(metres) => {
                let most = (MOST_RADIUS * now.diagonal) as f32;
                ui.add(Slider::new(metres, 0.0..=most).suffix(" m"))
            }
        };
        let field = field.on_hover_text("How far around the stroke the skin follows");
        named(&field, "Stroke region");
        let mut set = (field.changed() || field.drag_stopped()).then_some(field);
        ui.horizontal(|ui| {
            let by_edges = matches!(extent, Extent::Edges(_));
            for (words, is_on, other) in [
                ("edges", by_edges, Extent::Edges(8)),
                ("distance", !by_edges, Extent::Metres((0.08 * now.diagonal) as f32)),
            ] {
                let button = ui.selectable_label(is_on, words);
                named(&button, &format!("Region by {words}"));
                let button = button.on_hover_text(
                    "Count the region in edges of the mesh, or in metres along the skin",
                );
                if button.clicked() && !is_on {
                    extent = other;
                    set = Some(button);
                }
            }
        });
        if let Some(field) = set {
            studio.session.surface.extent = Some(extent);
            let edit = now.redraw(|redraw| redraw.extent = Some(extent));
            studio.scrub(&field, "Stroke region", edit.into_iter().map(Into::into).collect());
        }
    });
    ui.end_row();
}

fn methods(studio: &mut Studio, ui: &mut egui::Ui, now: &Now) {
    ui.label("Follows");
    ui.horizontal(|ui| {
        for method in SurfaceMethod::ALL {
            let tip = match method {
                SurfaceMethod::Springs => "By springs on the bones: a ridge, as in the paper",
                SurfaceMethod::Laplacian => "By its Laplacian: smooth up to the region's rim",
                SurfaceMethod::AsRigidAsPossible => {
                    "As rigidly as possible: detail turns and is not stretched"
                }
            };
            let button = ui.selectable_label(now.method == method, method.label());
            named(&button, &format!("Follow: {}", method.label()));
            if button.on_hover_text(tip).clicked() {
                studio.session.surface.method = method;
                if let Some(edit) = now.redraw(|redraw| redraw.method = Some(method)) {
                    studio.apply(edit);
                }
            }
        }
    });
    ui.end_row();
    if now.method == SurfaceMethod::Springs {
        ui.label("Scale vectors");
        ui.horizontal(|ui| {
            for (reach, words) in [(ReachBy::Length, "grow"), (ReachBy::Turn, "grow and turn")] {
                let button = ui.selectable_label(now.reach == reach, words);
                named(&button, &format!("Scale vectors: {words}"));
                let tip = "What the arm from bone to skin may do to meet the blue line";
                if button.on_hover_text(tip).clicked() {
                    studio.session.surface.reach = reach;
                    if let Some(edit) = now.redraw(|redraw| redraw.reach = Some(reach)) {
                        studio.apply(edit);
                    }
                }
            }
        });
        ui.end_row();
    }
}

fn grab(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let most = MOST_RADIUS * f64::from(character.bounds().diagonal());
    let work = &mut studio.session.surface;
    egui::Grid::new("grab").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("Radius");
        let mut radius = work.radius_of(&character);
        let slider = Slider::new(&mut radius, most * 0.01..=most).logarithmic(true).suffix(" m");
        let field = ui.add(slider).on_hover_text("How far the brush reaches along the skin");
        named(&field, "Grab radius");
        if field.changed() {
            work.radius = Some(radius);
        }
        ui.end_row();
        ui.label("Falloff");
        ui.horizontal(|ui| {
            for falloff in Falloff::ALL {
                if ui.selectable_label(work.falloff == falloff, falloff.name()).clicked() {
                    work.falloff = falloff;
                }
            }
        });
        ui.end_row();
    });
}

/// All edits, the first at the top.
fn stack(studio: &mut Studio, ui: &mut egui::Ui) {
    let stack = studio.document().surface().clone();
    if stack.entries().is_empty() {
        ui.weak("No surface edits yet");
        return;
    }
    let chosen = studio.session.surface.entry(studio.document()).map(|entry| entry.name.clone());
    egui::Grid::new("surface stack").num_columns(3).spacing([6.0, 3.0]).show(ui, |ui| {
        for entry in stack.entries() {
            let name = &entry.name;
            let mut acts = !entry.is_muted;
            let check = ui.checkbox(&mut acts, "").on_hover_text("Whether it does anything");
            named(&check, &format!("Let {name} act"));
            if check.changed() {
                let (surface, muted) = (name.clone(), Some(!acts));
                studio.apply(SurfaceEdit::SetSurface { surface, name: None, weight: None, muted });
            }
            let is_chosen = chosen.as_ref() == Some(name);
            let row = egui::Button::selectable(is_chosen, elided(name)).truncate();
            let row = ui.add_sized([NAME_WIDTH, ui.spacing().interact_size.y], row);
            named(&row, &format!("Surface edit {name}"));
            if row.on_hover_text("Work on this one").clicked() {
                studio.session.surface.chosen = (!is_chosen).then(|| name.clone());
                studio.session.surface.redraws = false;
            }
            let mut weight = entry.weight;
            let field = DragValue::new(&mut weight).speed(0.01).max_decimals(3);
            let field =
                ui.add(field).on_hover_text("How much of it: 1 is all, below 0 the other way");
            named(&field, &format!("Weight of {name}"));
            if field.changed() || field.drag_stopped() {
                let edit = SurfaceEdit::weigh(name, weight);
                studio.scrub(&field, "Weight of a surface edit", vec![edit.into()]);
            }
            ui.end_row();
        }
    });
    if let Some(at) = chosen.and_then(|name| stack.find(&name)) {
        buttons(studio, ui, &stack.entries()[at], at);
    }
}

/// A name is taken when the field is left.
fn name_field(studio: &mut Studio, ui: &mut egui::Ui, entry: &SurfaceEntry) {
    let typed = studio.panels.surface_name.take();
    let mut text = match typed {
        Some((of, text)) if of == entry.number => text,
        _ => entry.name.clone(),
    };
    ui.horizontal(|ui| {
        ui.label("Name");
        let field = ui.add(TextEdit::singleline(&mut text).desired_width(NAME_WIDTH));
        let field = field.on_hover_text("What it is called; Enter takes it");
        named(&field, "Name of the surface edit");
        if field.lost_focus() && text != entry.name {
            let (surface, name) = (entry.name.clone(), Some(text.clone()));
            let edit = SurfaceEdit::SetSurface { surface, name, weight: None, muted: None };
            studio.apply(edit);
            if studio.document().surface().find(&text).is_some() {
                studio.session.surface.chosen = Some(text);
            }
        } else if field.has_focus() {
            studio.panels.surface_name = Some((entry.number, text));
        }
    });
}

/// What can be done with the chosen edit.
fn buttons(studio: &mut Studio, ui: &mut egui::Ui, entry: &SurfaceEntry, at: usize) {
    let surface = || entry.name.clone();
    name_field(studio, ui, entry);
    if entry.drawing.is_some() && studio.session.tool().name() == "Sketch" {
        let redraws = &mut studio.session.surface.redraws;
        let button = ui.selectable_label(*redraws, "Redraw");
        named(&button, "Surface edit: Redraw");
        let tip = "The next stroke on the skin takes the place of this one; or draw it with Shift";
        if button.on_hover_text(tip).clicked() {
            *redraws = !*redraws;
        }
    }
    if studio.session.playback.clip().is_some() {
        key(studio, ui, entry);
    }
    let mut wanted: Option<SurfaceEdit> = None;
    ui.horizontal_wrapped(|ui| {
        let mut button = |words: &str, tip: &str, edit: SurfaceEdit| {
            let button = ui.button(words).on_hover_text(tip);
            named(&button, &format!("Surface edit: {words}"));
            if button.clicked() {
                wanted = Some(edit);
            }
        };
        let place = |place| SurfaceEdit::PlaceSurface { surface: surface(), place };
        button("Up", "One higher in the list", place(at.saturating_sub(1)));
        button("Down", "One lower in the list", place(at + 1));
        let mirror = SurfaceEdit::MirrorSurface { surface: surface(), name: None };
        button("Mirror", "Add the same on the other side", mirror);
        let bake = SurfaceEdit::BakeSurface { surface: surface() };
        button("Bake", "Make it a blend shape, which other programs can read", bake);
        let remove = SurfaceEdit::RemoveSurface { surface: surface() };
        button("Remove", "Take it away", remove);
    });
    if let Some(edit) = wanted {
        studio.apply(edit);
    }
}

/// A key of how much of an edit is there, at the playhead.
fn key(studio: &mut Studio, ui: &mut egui::Ui, entry: &SurfaceEntry) {
    let (shown, is_keyed) = studio.session.playback.surface_weight(entry);
    ui.horizontal(|ui| {
        for (words, weight, tip) in [
            ("Key", entry.weight, "Set a key of its weight at the playhead"),
            ("Key none", 0.0, "Set a key at the playhead where nothing of it is there"),
        ] {
            let button = ui.button(words).on_hover_text(tip);
            named(&button, &format!("Surface edit: {words}"));
            if button.clicked() {
                studio.set_surface_key(entry.number, weight);
            }
        }
        if is_keyed {
            ui.weak(format!("by the clip: {shown:.2}"));
        }
    });
}
