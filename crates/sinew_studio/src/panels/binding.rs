//! All weights anew: how, and which joints get any.

use std::collections::BTreeMap;

use eframe::egui;
use sinew::weights::auto::{AutoMethod, left_out};

use super::{elided, named};
use crate::command::Command;
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        let tools = &mut studio.session.weights;
        let methods = egui::ComboBox::from_id_salt("method").selected_text(tools.method.name());
        let methods = methods.show_ui(ui, |ui| {
            for method in AutoMethod::ALL {
                ui.selectable_value(&mut tools.method, method, method.name());
            }
        });
        named(&methods.response, "Method of binding");
        let command = Command::BindWeights;
        let bind = ui.add_enabled(studio.can(command), egui::Button::new("Bind"));
        named(&bind, "Weights: Bind");
        let bind = bind.on_disabled_hover_text(studio.why_not(command));
        if bind.on_hover_text(command.tip()).clicked() {
            studio.queue(command);
        }
    });
    if !studio.document().character().skeleton.is_empty() {
        super::section(ui, "Joints that get weights", false, |ui| joints(studio, ui));
    }
}

/// All joints with a tick where they get weights, those left out first, with the reason.
fn joints(studio: &mut Studio, ui: &mut egui::Ui) {
    let document = studio.document();
    let skeleton = &document.character().skeleton;
    let decided: Vec<(u32, bool)> = studio.decided().into_iter().collect();
    let reasons: BTreeMap<u32, &'static str> =
        left_out(skeleton, &decided).into_iter().map(|left| (left.joint, left.reason)).collect();
    let mut rows: Vec<(u32, String, Option<&'static str>)> = (0..skeleton.len() as u32)
        .map(|joint| (joint, document.joint_ref(joint).0, reasons.get(&joint).copied()))
        .collect();
    let is_decided = |joint: u32| decided.iter().any(|(known, _)| *known == joint);
    // What was decided stays where it was found.
    rows.sort_by_key(|(joint, _, reason)| reason.is_none() && !is_decided(*joint));
    let words = format!("{} of {} left out", reasons.len(), skeleton.len());
    let plain = AutoMethod::Heat == studio.session.weights.method
        || AutoMethod::Distance == studio.session.weights.method;
    ui.horizontal(|ui| {
        ui.weak(words).on_hover_text("By their names, by where they hang, or as you decided");
        let has_any = !decided.is_empty();
        let forget = ui.add_enabled(has_any, egui::Button::new("By their names").small());
        named(&forget, "Joints that get weights: by their names");
        let forget = forget.on_disabled_hover_text("Nothing was decided otherwise");
        if forget.on_hover_text("Forget what was decided otherwise").clicked() {
            studio.session.weights.decided.clear();
        }
    });
    if plain {
        ui.weak("This method gives weights to all joints");
    }
    let mut wanted: Option<(u32, bool)> = None;
    egui::ScrollArea::vertical().id_salt("left out").max_height(160.0).show(ui, |ui| {
        for (joint, name, reason) in &rows {
            ui.horizontal(|ui| {
                let mut gets = reason.is_none();
                let tick = ui.checkbox(&mut gets, elided(name));
                named(&tick, &format!("Weights for {name}"));
                if tick.on_hover_text("Whether binding gives it weights").changed() {
                    wanted = Some((*joint, gets));
                }
                if let Some(reason) = reason {
                    super::one_line(ui, egui::RichText::new(*reason).weak());
                } else if is_decided(*joint) {
                    super::one_line(ui, egui::RichText::new("decided").weak());
                }
            });
        }
    });
    if let Some((joint, gets)) = wanted {
        studio.session.weights.decided.insert(joint, gets);
    }
}

impl Studio {
    /// Joints of this character that were decided to get weights, or not to.
    pub(crate) fn decided(&self) -> BTreeMap<u32, bool> {
        let mut decided = self.session.weights.decided.clone();
        decided.retain(|&joint, _| (joint as usize) < self.document().character().skeleton.len());
        decided
    }
}
