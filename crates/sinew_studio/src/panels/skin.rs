//! Which method moves the skin, and which springs relax it.

use eframe::egui;
use sinew::frame::Rig;
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};

use super::named;
use crate::studio::Studio;

/// What a choice is called, in the words of who animates.
pub(crate) fn method_name(method: SkinMethod) -> &'static str {
    match method {
        SkinMethod::Rigid => "Rigid",
        SkinMethod::Linear => "Linear blend",
        SkinMethod::DualQuat => "Dual quaternion",
        SkinMethod::CenterOfRotation => "Centres of rotation",
        SkinMethod::BoneSmooth => "Bone-smooth",
    }
}

/// What a choice is good for.
pub(crate) fn method_tip(method: SkinMethod) -> &'static str {
    match method {
        SkinMethod::Rigid => "Every point follows one bone",
        SkinMethod::Linear => "What every engine plays; collapses in twists",
        SkinMethod::DualQuat => "Keeps twisted limbs full; bulges at bends",
        SkinMethod::CenterOfRotation => "As dual quaternions without the bulges; binds longer",
        SkinMethod::BoneSmooth => "From the bones alone: keeps volume through any number of turns",
    }
}

fn model_name(model: SpringModel) -> &'static str {
    match model {
        SpringModel::Anchored => "Springs",
        SpringModel::Paper => "Paper's springs (for study)",
        SpringModel::DeltaMush => "Delta mush",
    }
}

fn model_tip(model: SpringModel) -> &'static str {
    match model {
        SpringModel::Anchored => "The best shape: keeps volume, lengths and twists",
        SpringModel::Paper => "For study: the springs as their paper prints them",
        SpringModel::DeltaMush => "As in Maya and Blender: smooths, then puts detail back",
    }
}

/// A rig's name in menus and captions.
pub(crate) fn rig_name(rig: &Rig) -> &'static str {
    match &rig.springs {
        Some(springs) => model_name(springs.model),
        None => method_name(rig.method),
    }
}

/// From the most used to the least; a new one does not compile until it has its place.
pub(crate) const METHODS: [SkinMethod; SkinMethod::ALL.len()] = [
    SkinMethod::Linear,
    SkinMethod::DualQuat,
    SkinMethod::CenterOfRotation,
    SkinMethod::BoneSmooth,
    SkinMethod::Rigid,
];

/// Room for a list of them all, without scrolling.
pub(crate) const METHODS_HEIGHT: f32 = 400.0;

const MODELS: [SpringModel; SpringModel::ALL.len()] =
    [SpringModel::Anchored, SpringModel::DeltaMush, SpringModel::Paper];

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let rig = studio.document().rig().clone();
    let chosen = rig_name(&rig);
    ui.horizontal(|ui| {
        ui.label("Method");
        let list = egui::ComboBox::from_id_salt("method")
            .selected_text(chosen)
            .width(180.0)
            .height(METHODS_HEIGHT);
        let shown = list.show_ui(ui, |ui| choices(ui, &rig));
        if let Some(Some(next)) = &shown.inner {
            studio.use_method(next);
        }
        named(&shown.response, "Method");
        shown.response.on_hover_text("What moves the skin with the bones");
    });
    let tip = match &rig.springs {
        Some(springs) => model_tip(springs.model),
        None => method_tip(rig.method),
    };
    ui.weak(tip);
    notes(studio, ui);
    if let Some(springs) = &rig.springs {
        super::springs::show(studio, ui, springs);
        super::holding::show(studio, ui, &rig);
    }
    // Last: it comes and goes while a clip plays, and nothing in hand is to move for it.
    if let Some(words) = studio.why_not_on_card() {
        warn(ui, words);
    }
}

fn warn(ui: &mut egui::Ui, words: &str) {
    let words = egui::RichText::new(words).color(ui.visuals().warn_fg_color);
    ui.add(egui::Label::new(words).wrap());
}

/// What meshes do not have, though it was asked for.
fn notes(studio: &Studio, ui: &mut egui::Ui) {
    let Some(answer) = studio.views.panes.first().answer() else { return };
    for note in answer.notes.iter() {
        warn(ui, &note.words);
    }
}

/// Every method and every model of springs, to choose from; what was clicked.
pub(crate) fn choices(ui: &mut egui::Ui, now: &Rig) -> Option<Rig> {
    let mut chosen = None;
    for method in METHODS {
        let is_chosen = now.springs.is_none() && now.method == method;
        let row = ui.selectable_label(is_chosen, method_name(method));
        if row.on_hover_text(method_tip(method)).clicked() {
            chosen = Some(Rig::of(method));
        }
    }
    ui.separator();
    for model in MODELS {
        let is_chosen = now.springs.as_ref().is_some_and(|springs| springs.model == model);
        let row = ui.selectable_label(is_chosen, model_name(model));
        if row.on_hover_text(model_tip(model)).clicked() {
            let springs = Some(SpringSettings::new(model));
            chosen = Some(Rig { springs, ..Rig::of(now.method) });
        }
    }
    chosen
}
