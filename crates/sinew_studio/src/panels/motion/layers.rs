//! The layers of a motion: their order, names, and the joints that they move.

use eframe::egui;
use sinew::motion::{Layer, Motion};
use sinew_editor::{JointRef, MotionEdit, MotionRef};

use super::{Typed, name_field};
use crate::panels::{elided, list_row, named};
use crate::studio::Studio;

pub(super) fn show(
    studio: &mut Studio,
    ui: &mut egui::Ui,
    motion: &Motion,
    chosen: usize,
    of: &MotionRef,
) {
    ui.label("Layers").on_hover_text("Done from the bottom up; keys go into the chosen one");
    for (place, layer) in motion.layers.iter().enumerate().rev() {
        let row = list_row(ui, place == chosen, words(layer));
        named(&row, &format!("Motion layer {}", layer.name));
        if row.on_hover_text("Set keys in this one, and show its keys").clicked() {
            studio.take_layer(place);
        }
    }
    let layer = &motion.layers[chosen];
    let set = |change: Change| MotionEdit::SetLayer {
        motion: of.clone(),
        layer: layer.name.clone(),
        name: change.name,
        mode: None,
        weight: None,
        muted: None,
        mask: change.mask,
        place: change.place,
    };
    ui.horizontal(|ui| {
        let typed = Typed::Layer(layer.name.clone());
        let tip = "What the layer is called; Enter takes it";
        if let Some(name) = name_field(studio, ui, typed, "Layer name", tip) {
            studio.apply(set(Change { name: Some(name), ..Change::default() }));
        }
        let top = motion.layers.len() - 1;
        for (words, tip, can, place) in [
            ("Up", "Done later: over the next one", chosen < top, chosen + 1),
            ("Down", "Done sooner: under the next one", chosen > 0, chosen.saturating_sub(1)),
        ] {
            let button = ui.add_enabled(can, egui::Button::new(words).small());
            named(&button, &format!("Layer {}", words.to_lowercase()));
            let button = button.on_hover_text(tip);
            if button.on_disabled_hover_text("There is no other layer there").clicked() {
                studio.apply(set(Change { place: Some(place), ..Change::default() }));
                studio.session.key_layer = place;
            }
        }
    });
    ui.horizontal(|ui| {
        let joints: Vec<JointRef> = (studio.chosen_joints().into_iter())
            .map(|joint| studio.document().joint_ref(joint))
            .collect();
        let can = !joints.is_empty();
        let button = ui.add_enabled(can, egui::Button::new("Only chosen joints").small());
        named(&button, "Layer mask: chosen joints");
        let tip = "The layer moves the chosen joints alone, whatever it has keys of";
        let button = button.on_hover_text(tip);
        if button.on_disabled_hover_text("Choose joints first").clicked() {
            studio.apply(set(Change { mask: Some(joints), ..Change::default() }));
        }
        let button = ui.add_enabled(layer.mask.is_some(), egui::Button::new("All joints").small());
        named(&button, "Layer mask: all joints");
        let button = button.on_hover_text("The layer moves all that it has keys of");
        if button.on_disabled_hover_text("It does already").clicked() {
            studio.apply(set(Change { mask: Some(Vec::new()), ..Change::default() }));
        }
    });
}

#[derive(Default)]
struct Change {
    name: Option<String>,
    mask: Option<Vec<JointRef>>,
    place: Option<usize>,
}

fn words(layer: &Layer) -> String {
    let mask = layer.mask.as_ref().map(|mask| match mask.len() {
        1 => ", 1 joint".to_owned(),
        number => format!(", {number} joints"),
    });
    let muted = if layer.is_muted { ", muted" } else { "" };
    format!("{}{}{muted}", elided(&layer.name), mask.unwrap_or_default())
}
