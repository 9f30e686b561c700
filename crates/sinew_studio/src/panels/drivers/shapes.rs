//! A new shape from what was pulled on the skin: a plain one, an in-between of another, or a
//! combination of several.

use eframe::egui::{self, ComboBox, DragValue, TextEdit};
use sinew::Character;
use sinew::driver::ShapeIndex;
use sinew::glam::Vec3;
use sinew::rigging::Combine;
use sinew_editor::{Edit, MeshRef, MovedPoint, RiggingEdit, ShapeRef, SurfaceEdit, SurfaceEntry};

use super::add::{all_shapes, shape_list};
use super::shape_name;
use crate::panels::{elided, named};
use crate::studio::Studio;

/// What the fields say.
#[derive(Debug)]
pub(super) struct Draft {
    kind: Kind,
    name: String,
    /// The surface edit that becomes the shape; the last one while nobody says.
    from: Option<String>,
    /// Of which an in-between is.
    of: Option<ShapeIndex>,
    /// Where it is; what the slider of that shape shows while nobody says.
    weight: Option<f64>,
    combined: Vec<ShapeIndex>,
    by: Combine,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            kind: Kind::Plain,
            name: String::new(),
            from: None,
            of: None,
            weight: None,
            combined: Vec::new(),
            by: Combine::Product,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    InBetween,
    Combination,
}

const KINDS: [(Kind, &str, &str); 3] = [
    (Kind::Plain, "Shape", "With a slider of its own"),
    (Kind::InBetween, "In-between", "How the mesh is at some weight of another shape"),
    (Kind::Combination, "Combination", "There as far as several other shapes are"),
];

pub(super) fn show(studio: &mut Studio, ui: &mut egui::Ui, character: &Character) {
    let stack = studio.document().surface().clone();
    if stack.entries().is_empty() {
        ui.weak("Grab the skin or sketch on it: what you pull becomes the shape");
        return;
    }
    let mut draft = std::mem::take(&mut studio.panels.drivers.new_shape);
    let known = draft.from.as_ref().and_then(|name| stack.find(name));
    let entry = stack.entries()[known.unwrap_or(stack.entries().len() - 1)].clone();
    draft.forget_gone(character, entry.part);
    egui::Grid::new("new shape").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("From");
        let list = ComboBox::from_id_salt("new shape from").selected_text(elided(&entry.name));
        let shown = list.width(150.0).show_ui(ui, |ui| {
            for other in stack.entries() {
                let is_chosen = other.name == entry.name;
                let row = ui.selectable_label(is_chosen, elided(&other.name));
                if row.on_hover_text(&other.name).clicked() {
                    draft.from = Some(other.name.clone());
                }
            }
        });
        named(&shown.response, "New shape from");
        shown.response.on_hover_text("The surface edit that becomes the shape");
        ui.end_row();
        ui.label("As");
        draft.kinds(ui);
        ui.end_row();
        match draft.kind {
            Kind::Plain => {}
            Kind::InBetween => draft.in_between(studio, ui, character),
            Kind::Combination => draft.combination(ui, character, entry.part),
        }
        ui.label("Name");
        let field = TextEdit::singleline(&mut draft.name).hint_text(&entry.name);
        let field = ui.add(field.desired_width(150.0));
        named(&field.on_hover_text("Left empty it has the surface edit's"), "New shape name");
        ui.end_row();
    });
    let weight = draft.weight(studio);
    let missing = draft.missing(weight);
    let button = ui.add_enabled(missing.is_empty(), egui::Button::new("Add"));
    named(&button, "Add shape");
    let button = button.on_hover_text("The surface edit becomes this shape");
    if button.on_disabled_hover_text(missing).clicked() {
        let (label, edits) = draft.edits(character, &entry, weight);
        studio.apply_all(&label, edits);
        draft = Draft { kind: draft.kind, ..Draft::default() };
    }
    studio.panels.drivers.new_shape = draft;
}

impl Draft {
    fn forget_gone(&mut self, character: &Character, part: usize) {
        let is_there = |of: &ShapeIndex| {
            of.part as usize == part && (of.shape as usize) < character.parts[part].shapes.len()
        };
        self.of = self.of.filter(is_there);
        self.combined.retain(is_there);
    }

    fn kinds(&mut self, ui: &mut egui::Ui) {
        let words = KINDS.iter().find(|(kind, ..)| *kind == self.kind).map_or("", |row| row.1);
        let list = ComboBox::from_id_salt("kind of shape").selected_text(words).width(150.0);
        let shown = list.show_ui(ui, |ui| {
            for (kind, words, tip) in KINDS {
                ui.selectable_value(&mut self.kind, kind, words).on_hover_text(tip);
            }
        });
        named(&shown.response, "Kind of shape");
        shown.response.on_hover_text("What the new shape is");
    }

    /// As the slider of the other shape has it.
    fn weight(&self, studio: &Studio) -> f64 {
        let shown = || {
            let of = self.of?;
            let playback = &studio.session.playback;
            let (weights, _) = playback.shape_weights(of.part as usize, studio.document());
            weights.get(of.shape as usize).map(|&weight| f64::from(weight))
        };
        self.weight.or_else(shown).unwrap_or(0.5)
    }

    fn in_between(&mut self, studio: &Studio, ui: &mut egui::Ui, character: &Character) {
        ui.label("Of");
        shape_list(ui, character, "In-between of", &mut self.of);
        ui.end_row();
        ui.label("At");
        let mut weight = self.weight(studio);
        let field = DragValue::new(&mut weight).speed(0.01).max_decimals(3);
        let field = ui.add(field);
        let tip =
            "The weight of the other shape at which the mesh is as it is shown; neither 0 nor 1";
        named(&field, "In-between at");
        if field.on_hover_text(tip).changed() {
            self.weight = Some(weight);
        }
        ui.end_row();
    }

    fn combination(&mut self, ui: &mut egui::Ui, character: &Character, part: usize) {
        ui.label("Of");
        ui.vertical(|ui| {
            for shape in all_shapes(character).filter(|shape| shape.part as usize == part) {
                let name = shape_name(character, &shape);
                let mut is_in = self.combined.contains(&shape);
                let field = ui.checkbox(&mut is_in, elided(&name));
                named(&field, &format!("Combine {name}"));
                if field.on_hover_text("One of the shapes that must be there").changed() {
                    match is_in {
                        true => self.combined.push(shape),
                        false => self.combined.retain(|known| *known != shape),
                    }
                }
            }
        });
        ui.end_row();
        ui.label("By");
        ui.horizontal(|ui| {
            for (by, words, tip) in [
                (Combine::Product, "product", "Their weights multiplied"),
                (Combine::Min, "smallest", "The smallest of their weights"),
            ] {
                let row = ui.selectable_label(self.by == by, words).on_hover_text(tip);
                named(&row, &format!("Combine by {words}"));
                if row.clicked() {
                    self.by = by;
                }
            }
        });
        ui.end_row();
    }

    /// What has to be said first; empty if nothing.
    fn missing(&self, weight: f64) -> &'static str {
        match self.kind {
            Kind::InBetween if self.of.is_none() => "Choose the shape that it is an in-between of",
            Kind::InBetween if weight == 0.0 || weight == 1.0 => {
                "At 0 and at 1 the shape itself decides; choose another weight"
            }
            Kind::Combination if self.combined.len() < 2 => "Choose two shapes or more",
            Kind::Plain | Kind::InBetween | Kind::Combination => "",
        }
    }

    /// What adding does, with what the history calls it.
    fn edits(
        &self,
        character: &Character,
        entry: &SurfaceEntry,
        weight: f64,
    ) -> (String, Vec<Edit>) {
        let mesh = MeshRef::of(character, entry.part);
        let part = &character.parts[entry.part];
        let name = match self.name.trim() {
            "" => entry.name.clone(),
            name => name.to_owned(),
        };
        let shape_ref = |of: &ShapeIndex| ShapeRef::of(part, of.shape as usize);
        let surface = entry.name.clone();
        let label = format!("Add shape {name}");
        let add: Edit = match (self.kind, self.of) {
            (Kind::Plain, _) | (Kind::InBetween, None) => {
                let mut edits: Vec<Edit> = Vec::new();
                if name != surface {
                    let (name, surface) = (Some(name.clone()), surface.clone());
                    let weight = None;
                    edits.push(
                        SurfaceEdit::SetSurface { surface, name, weight, muted: None }.into(),
                    );
                }
                edits.push(SurfaceEdit::BakeSurface { surface: name }.into());
                return (label, edits);
            }
            (Kind::InBetween, Some(of)) => {
                // From rest: what the shape does there, and what was pulled on top.
                let deltas = &part.shapes[of.shape as usize].deltas;
                let mut all = deltas.dense();
                all.iter_mut().for_each(|delta| *delta *= weight as f32);
                entry.moved.add_to(entry.weight, &mut all);
                let (shape, moved) = (shape_ref(&of), points(&all));
                RiggingEdit::AddInBetween { mesh, shape, weight, name, moved }.into()
            }
            (Kind::Combination, _) => {
                let of = self.combined.iter().map(shape_ref).collect();
                let mut all = vec![Vec3::ZERO; part.mesh.points().len()];
                entry.moved.add_to(entry.weight, &mut all);
                let moved = points(&all);
                RiggingEdit::AddCombination { mesh, name, of, by: self.by, moved }.into()
            }
        };
        (label, vec![add, SurfaceEdit::RemoveSurface { surface }.into()])
    }
}

fn points(moved: &[Vec3]) -> Vec<MovedPoint> {
    let all = (0..).zip(moved).filter(|(_, by)| **by != Vec3::ZERO);
    all.map(|(point, by)| (point, by.x, by.y, by.z)).collect()
}
