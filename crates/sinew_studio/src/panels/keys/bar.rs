//! What can be done with keys and layers, above them.

use eframe::egui::{self, ComboBox, DragValue};
use sinew::motion::{KeyShape, LayerMode, Span, TangentMode};
use sinew_editor::MotionEdit;

use super::Shows;
use crate::command::Command;
use crate::panels::named;
use crate::studio::Studio;

pub(super) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal_wrapped(|ui| {
        for (shows, words) in [(Shows::Sheet, "Sheet"), (Shows::Curves, "Curves")] {
            let row = ui.selectable_label(studio.panels.keys.shows == shows, words);
            named(&row, &format!("Keys: {words}"));
            if row.on_hover_text("Keys by joint, or the curves of one channel").clicked() {
                studio.panels.keys.shows = shows;
            }
        }
        ui.separator();
        for (command, text) in [
            (Command::SetKeys, "Set"),
            (Command::DeleteKeys, "Delete"),
            (Command::CopyKeys, "Copy"),
            (Command::PasteKeys, "Paste"),
        ] {
            let button = ui.add_enabled(studio.can(command), egui::Button::new(text));
            named(&button, &format!("Keys: {}", command.label()));
            let button =
                button.on_hover_text(command.tip()).on_disabled_hover_text(studio.why_not(command));
            if button.clicked() {
                studio.queue(command);
            }
        }
        let mut auto_key = studio.session.auto_key;
        let field = ui.checkbox(&mut auto_key, "Auto-key").on_hover_text(Command::AutoKey.tip());
        if field.changed() {
            studio.session.auto_key = auto_key;
        }
        let snaps = &mut studio.panels.keys.snaps;
        ui.checkbox(snaps, "Snap").on_hover_text("Keys that are moved come to lie on frames");
        let has_part = studio.panels.keys.sight.is_some();
        let all = ui.add_enabled(has_part, egui::Button::new("All").small());
        named(&all, "Keys: All in sight");
        let tip = "Show the whole motion. The wheel zooms, the middle button or Shift and the wheel \
                   go along";
        if all.on_hover_text(tip).on_disabled_hover_text(tip).clicked() {
            studio.panels.keys.sight = None;
        }
        let only = &mut studio.panels.keys.only_chosen_joints;
        ui.checkbox(only, "Chosen joints").on_hover_text("Show keys of the chosen joints alone");
        ui.separator();
        shapes(studio, ui);
        ui.separator();
        layers(studio, ui);
    });
}

/// How chosen keys go on, and their times.
fn shapes(studio: &mut Studio, ui: &mut egui::Ui) {
    let has_keys = !studio.panels.keys.chosen.is_empty();
    ui.add_enabled_ui(has_keys, |ui| {
        for (span, words) in [
            (Span::Step, "Step"),
            (Span::Linear, "Linear"),
            (Span::Cubic, "Cubic"),
            (Span::Bezier, "Bézier"),
        ] {
            let button = ui.small_button(words).on_hover_text("From the chosen keys to the next");
            named(&button, &format!("Span: {words}"));
            if button.clicked() {
                studio.shape_keys(KeyShape { span: Some(span), tangents: None });
            }
        }
        ui.separator();
        for (tangents, words) in [
            (TangentMode::Auto, "Auto"),
            (TangentMode::Flat, "Flat"),
            (TangentMode::Free, "Free"),
            (TangentMode::Broken, "Broken"),
        ] {
            let button = ui.small_button(words).on_hover_text("Tangents of the chosen keys");
            named(&button, &format!("Tangents: {words}"));
            if button.clicked() {
                studio.shape_keys(KeyShape { span: None, tangents: Some(tangents) });
            }
        }
        let mut factor = 1.0;
        let field = DragValue::new(&mut factor).speed(0.005).range(0.05..=20.0).prefix("× ");
        let field = ui.add(field).on_hover_text("Scale the chosen keys' times about the playhead");
        named(&field, "Scale keys");
        if field.changed() || field.drag_stopped() {
            scale(studio, &field, factor);
        }
    });
}

/// The field shows 1 again in every frame: what it is dragged to adds up here.
fn scale(studio: &mut Studio, field: &egui::Response, factor: f64) {
    let id = field.id.with("factor");
    let so_far: f64 = field.ctx.data(|data| data.get_temp(id)).unwrap_or(1.0);
    let total = (so_far * factor).clamp(0.05, 20.0);
    let Some(edit) = studio.scale_keys_edit(total) else { return };
    if field.dragged() {
        field.ctx.data_mut(|data| data.insert_temp(id, total));
        studio.drag_keys("Scale keys", vec![edit]);
        return;
    }
    field.ctx.data_mut(|data| data.remove::<f64>(id));
    if field.drag_stopped() {
        studio.commit();
    } else {
        studio.apply(edit);
    }
    studio.panels.keys.chosen.clear();
}

fn layers(studio: &mut Studio, ui: &mut egui::Ui) {
    let Some((motion, at)) = studio.motion_and_layer() else { return };
    let layer = &motion.layers[at];
    let list = ComboBox::from_id_salt("layers").selected_text(&layer.name).width(90.0);
    let shown = list.show_ui(ui, |ui| {
        for (index, layer) in motion.layers.iter().enumerate() {
            if ui.selectable_label(index == at, &layer.name).clicked() {
                studio.take_layer(index);
            }
        }
    });
    named(&shown.response, "Layer");
    let Some((motion_ref, Some(name))) = studio.motion_refs() else { return };
    let set = |weight, muted, mode| MotionEdit::SetLayer {
        motion: motion_ref.clone(),
        layer: name.clone(),
        name: None,
        mode,
        weight,
        muted,
        mask: None,
        place: None,
    };
    let mut weight = layer.weight;
    let field = DragValue::new(&mut weight).speed(0.01).range(0.0..=1.0).max_decimals(2);
    let field = ui.add(field).on_hover_text("The layer's weight");
    named(&field, "Layer weight");
    if field.changed() || field.drag_stopped() {
        studio.scrub(&field, "Layer weight", vec![set(Some(weight), None, None).into()]);
    }
    let mut muted = layer.is_muted;
    if ui.checkbox(&mut muted, "Mute").on_hover_text("The layer does nothing").changed() {
        studio.apply(set(None, Some(muted), None));
    }
    let mut adds = layer.mode == LayerMode::Add;
    if ui
        .checkbox(&mut adds, "Add")
        .on_hover_text("On top of the layers below, not in their place")
        .changed()
    {
        let mode = if adds { LayerMode::Add } else { LayerMode::Replace };
        studio.apply(set(None, None, Some(mode)));
    }
    let button = ui.small_button("+").on_hover_text("A new layer on top, which adds");
    named(&button, "New layer");
    if button.clicked() {
        let is_taken = |name: &str| motion.layers.iter().any(|layer| layer.name == name);
        let new = (1..).map(|n| format!("Layer {n}")).find(|name| !is_taken(name));
        let (motion_ref, mode) = (motion_ref.clone(), LayerMode::Add);
        let name = new.unwrap_or_default();
        studio.apply(MotionEdit::AddLayer { motion: motion_ref, name, mode });
        studio.take_layer(motion.layers.len());
    }
    let button = ui.add_enabled(motion.layers.len() > 1, egui::Button::new("−").small());
    named(&button, "Delete layer");
    if button.on_hover_text("Take the layer out").clicked() {
        studio.apply(MotionEdit::DeleteLayer { motion: motion_ref.clone(), layer: name.clone() });
        studio.take_layer(0);
    }
}
