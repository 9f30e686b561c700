//! Weight layers: their order, what counts of them, and which one tools work on.

use eframe::egui::{self, Slider};
use sinew_editor::LayerEdit;

use super::{elided, named};
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let layers = studio.document().weight_layers().clone();
    let chosen = studio.session.weights.layer_of(studio.document());
    let mut wanted: Option<LayerEdit> = None;
    ui.horizontal(|ui| {
        ui.label("Layers")
            .on_hover_text("Layers of weights, one over the other; tools work on the chosen one");
        let add = ui.small_button("Add").on_hover_text("Add a layer above all others");
        named(&add, "Add weight layer");
        if add.clicked() {
            let name = (1..).map(|n| format!("Layer {n}")).find(|name| layers.find(name).is_none());
            let name = name.unwrap_or_default();
            studio.session.weights.layer = Some(name.clone());
            let influences = studio.session.weights.influences;
            wanted = Some(LayerEdit::AddWeightLayer { name, influences });
        }
    });
    if layers.layers.is_empty() {
        if let Some(edit) = wanted {
            studio.apply(edit);
        }
        return;
    }
    let top = layers.layers.len() - 1;
    for (place, layer) in layers.layers.iter().enumerate().rev() {
        let name = &layer.name;
        let set = |opacity: Option<f32>, muted: Option<bool>, place: Option<usize>| {
            LayerEdit::SetWeightLayer { layer: name.clone(), opacity, muted, place, rename: None }
        };
        ui.horizontal(|ui| {
            let mut is_heard = !layer.is_muted;
            let heard = ui.checkbox(&mut is_heard, "");
            named(&heard, &format!("Hear layer {name}"));
            if heard.on_hover_text("Whether the layer counts for now").changed() {
                wanted = Some(set(None, Some(!is_heard), None));
            }
            let is_chosen = chosen.as_deref() == Some(name);
            let row = ui.selectable_label(is_chosen, elided(name));
            named(&row, &format!("Weight layer {name}"));
            if row.on_hover_text("Let tools work on this layer").clicked() {
                studio.session.weights.layer = Some(name.clone());
            }
            let mut opacity = layer.opacity;
            let field = Slider::new(&mut opacity, 0.0..=1.0).show_value(false);
            let field = ui.add(field).on_hover_text(format!("Opacity {:.0} %", 100.0 * opacity));
            named(&field, &format!("Opacity of {name}"));
            if field.changed() || field.drag_stopped() {
                let edit = set(Some(opacity), None, None);
                studio.scrub(&field, &format!("Opacity of {name}"), vec![edit.into()]);
            }
            let more = ui.menu_button("…", |ui| {
                let id = ui.scope_id().with("rename");
                let typed = ui.data(|data| data.get_temp::<String>(id));
                let mut typed = typed.unwrap_or_else(|| name.clone());
                let field = egui::TextEdit::singleline(&mut typed).desired_width(120.0);
                let field = ui.add(field).on_hover_text("Another name; Enter takes it");
                named(&field, &format!("Name of layer {name}"));
                let is_entered = ui.input(|input| input.key_pressed(egui::Key::Enter));
                let new = typed.trim().to_owned();
                ui.data_mut(|data| data.insert_temp(id, typed));
                if field.lost_focus() && is_entered && !new.is_empty() && new != *name {
                    if is_chosen {
                        studio.session.weights.layer = Some(new.clone());
                    }
                    wanted = Some(LayerEdit::SetWeightLayer {
                        layer: name.clone(),
                        opacity: None,
                        muted: None,
                        place: None,
                        rename: Some(new),
                    });
                    ui.data_mut(|data| data.remove::<String>(id));
                    ui.close();
                }
                let mut entry = |ui: &mut egui::Ui, words: &str, can: bool, edit: LayerEdit| {
                    if ui.add_enabled(can, egui::Button::new(words)).clicked() {
                        wanted = Some(edit);
                        ui.close();
                    }
                };
                let own = || name.clone();
                entry(ui, "Up", place < top, set(None, None, Some(place + 1)));
                entry(ui, "Down", place > 0, set(None, None, Some(place.saturating_sub(1))));
                entry(ui, "Merge down", true, LayerEdit::MergeWeightLayer { layer: own() });
                entry(ui, "Remove", true, LayerEdit::RemoveWeightLayer { layer: own() });
            });
            named(&more.response, &format!("More of layer {name}"));
            more.response.on_hover_text("Name, order, merge, remove");
        });
    }
    let base = ui.selectable_label(chosen.is_none(), "Base");
    named(&base, "Weight layer Base");
    if base.on_hover_text("Let tools work on what is below all layers").clicked() {
        studio.session.weights.layer = None;
    }
    if let Some(edit) = wanted {
        studio.apply(edit);
    }
}
