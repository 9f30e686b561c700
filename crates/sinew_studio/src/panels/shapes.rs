//! The weights of shapes: sliders, mesh by mesh, for any value.

use std::collections::BTreeMap;

use eframe::egui::{self, Slider, SliderClamping};
use sinew::Part;
use sinew::driver::ShapeIndex;
use sinew_editor::{Edit, MeshRef, ShapeEdit, ShapeRef, ShownNumbers};

use super::{elided, named};
use crate::studio::Studio;

/// What the panel remembers.
#[derive(Debug, Default)]
pub(crate) struct ShapesPanel {
    search: String,
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    ui.horizontal(|ui| {
        let search = egui::TextEdit::singleline(&mut studio.panels.shapes.search)
            .hint_text("Search shapes")
            .desired_width(ui.available_width() - 90.0);
        let field = ui.add(search).on_hover_text("Show only what has this in its name");
        named(&field, "Search shapes");
        let all = ui.button("Reset all").on_hover_text("Give every shape the weight in the file");
        named(&all, "Reset all shapes");
        if all.clicked() {
            studio.apply(ShapeEdit::ResetShapes { meshes: Vec::new() });
        }
    });
    for (index, part) in character.parts.iter().enumerate() {
        if !part.shapes.is_empty() {
            Mesh { studio, index, part }.show(ui);
        }
    }
}

/// The shapes of a mesh.
struct Mesh<'a> {
    studio: &'a mut Studio,
    index: usize,
    part: &'a Part,
}

impl Mesh<'_> {
    fn name(&self) -> String {
        MeshRef::of(self.studio.document().character(), self.index).0
    }

    fn show(&mut self, ui: &mut egui::Ui) {
        let search = self.studio.panels.shapes.search.to_lowercase();
        let found: Vec<usize> = (0..self.part.shapes.len())
            .filter(|&shape| self.part.shapes[shape].name.to_lowercase().contains(&search))
            .collect();
        let document = self.studio.document();
        let (weights, is_of_clip) =
            self.studio.session.playback.shape_weights(self.index, document);
        let weights = weights.to_vec();
        ui.horizontal(|ui| {
            ui.strong(elided(self.part.mesh.name()));
            ui.weak(format!("{} of {}", found.len(), weights.len()));
            if is_of_clip {
                ui.weak("by the clip")
                    .on_hover_text("Moving a slider takes them into the document");
            }
            let reset = ui
                .small_button("Reset")
                .on_hover_text("Give the shapes of this mesh the weights in the file");
            named(&reset, &format!("Reset shapes of {}", self.name()));
            if reset.clicked() {
                let meshes = vec![MeshRef::of(self.studio.document().character(), self.index)];
                self.studio.apply(ShapeEdit::ResetShapes { meshes });
            }
        });
        egui::Grid::new(("shapes", self.index)).num_columns(5).spacing([6.0, 3.0]).show(ui, |ui| {
            for shape in found {
                self.row(ui, shape, &weights);
                ui.end_row();
            }
        });
    }

    fn row(&mut self, ui: &mut egui::Ui, shape: usize, weights: &[f32]) {
        let name = &self.part.shapes[shape].name;
        let full = format!("{}: {}", self.name(), ShapeRef::of(self.part, shape).0);
        ui.add(egui::Label::new(elided(name)).truncate()).on_hover_text(name);
        if let Some((driver, weight)) = self.driven(shape) {
            let mut weight = weight;
            let slider = Slider::new(&mut weight, 0.0..=1.0).clamping(SliderClamping::Never);
            let field = ui.add_enabled(false, slider.max_decimals(3));
            named(&field, &format!("Driven shape {full}"));
            field.on_disabled_hover_text(format!("The driver '{driver}' sets it"));
            return;
        }
        let mut weight = weights[shape];
        // The slider goes from none to all; any other number can be typed.
        let slider =
            Slider::new(&mut weight, 0.0..=1.0).clamping(SliderClamping::Never).max_decimals(3);
        let field = ui.add(slider).on_hover_text("Drag, or click the number to type any other");
        named(&field, &format!("Shape {full}"));
        if field.changed() || field.drag_stopped() {
            let edit = ShapeEdit::set(self.studio.document(), self.index, shape, weight);
            self.studio.scrub(&field, &format!("Shape {name}"), vec![edit.into()]);
        }
        let solo = ui.small_button("Solo").on_hover_text("This one alone: the mesh's others at 0");
        named(&solo, &format!("Solo {full}"));
        if solo.clicked() {
            let edit = self.alone(shape, weights);
            self.studio.apply_all(&format!("Only shape {name}"), vec![edit]);
        }
        self.key(ui, shape, weights[shape], &full);
        let rest = self.part.shapes[shape].rest_weight;
        let reset = ui.add_enabled(weights[shape] != rest, egui::Button::new("×").small());
        named(&reset, &format!("Reset {full}"));
        let reset = reset.on_hover_text("Back to the weight in the file");
        if reset.on_disabled_hover_text("It has the weight in the file").clicked() {
            let edit = ShapeEdit::set(self.studio.document(), self.index, shape, rest);
            self.studio.apply_all(&format!("Reset shape {name}"), vec![edit.into()]);
        }
    }

    /// A key of a shape at the playhead, while a clip is shown.
    fn key(&mut self, ui: &mut egui::Ui, shape: usize, weight: f32, full: &str) {
        let has_clip = self.studio.session.playback.clip().is_some();
        let button = ui.add_enabled(has_clip, egui::Button::new("Key").small());
        named(&button, &format!("Key {full}"));
        let button = button.on_hover_text("Set a key of it at the playhead");
        if button.on_disabled_hover_text("Choose a clip first").clicked() {
            let shapes = vec![(self.index as u32, shape as u32, weight)];
            self.studio.set_number_keys(&ShownNumbers { shapes, ..Default::default() });
        }
    }

    /// Who drives a shape, and to what.
    fn driven(&self, shape: usize) -> Option<(String, f32)> {
        let index = ShapeIndex { part: self.index as u32, shape: shape as u32 };
        let drivers = &self.studio.document().character().drivers.list;
        let driver = drivers.iter().find(|driver| !driver.muted && driver.drives_shape(&index))?;
        let frame = self.studio.session.frame.as_ref()?;
        let weights = &frame.controls().part(self.index).shape_weights;
        Some((driver.name.clone(), weights.get(shape).copied()?))
    }

    /// A shape alone; one that is at nothing goes to all of it, so that there is something to see.
    fn alone(&self, shape: usize, weights: &[f32]) -> Edit {
        let weight = |index: usize| match (index == shape, weights[index]) {
            (false, _) => 0.0,
            (true, 0.0) => 1.0,
            (true, weight) => weight,
        };
        let of_mesh: BTreeMap<ShapeRef, f32> = (0..weights.len())
            .map(|index| (ShapeRef::of(self.part, index), weight(index)))
            .collect();
        let mesh = MeshRef::of(self.studio.document().character(), self.index);
        ShapeEdit::SetShapes { weights: [(mesh, of_mesh)].into() }.into()
    }
}
