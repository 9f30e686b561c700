//! Weights: what the brush and the hand do, and the budget.

use eframe::egui::{self, DragValue, Slider};
use sinew::weights::drag::DragRule;
use sinew::weights::paint::{Brush, Falloff};
use sinew_editor::tool::{DragGesture, PaintTarget};

use super::{elided, named};
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    match studio.session.tool().name() {
        "Paint" => brush(studio, ui),
        "Drag" => hand(studio, ui),
        _ => {
            ui.weak("Take the Paint or the Drag tool to work on weights");
        }
    }
    budget(studio, ui);
    super::layers::show(studio, ui);
    super::weight_table::show(studio, ui);
    ui.separator();
    super::clean_up::show(studio, ui);
    super::repairs::show(studio, ui);
    super::transfer::show(studio, ui);
    super::binding::show(studio, ui);
}

fn tip(brush: Brush) -> &'static str {
    match brush {
        Brush::Add => "Gives the joint more",
        Brush::Subtract => "Gives the joint less",
        Brush::Replace => "Gives the joint the value",
        Brush::Smooth => "Makes weights more like their neighbours', each of which counts the same",
        Brush::Sharpen => "Makes weights less like their neighbours'",
        Brush::Relax => {
            "Makes weights vary evenly along the skin: near neighbours count for more than far ones"
        }
    }
}

fn brush(studio: &mut Studio, ui: &mut egui::Ui) {
    let joint = studio.session.selection.active.map(|joint| studio.document().joint_ref(joint).0);
    ui.horizontal(|ui| {
        ui.label("Joint");
        match &joint {
            Some(joint) => ui.strong(elided(joint)),
            None => ui.weak("choose one in the list"),
        };
    });
    let settings = &mut studio.session.weights;
    ui.horizontal(|ui| {
        ui.label("Paints");
        for target in PaintTarget::ALL {
            let response = ui.selectable_label(settings.target == target, target.name());
            named(&response, &format!("Paint target: {}", target.name()));
            let tip = match target {
                PaintTarget::Weights => "Weights of the joint",
                PaintTarget::Mask => "How much of the chosen layer counts, where it has weights",
                PaintTarget::Stiffness => "How stiff the springs of points are",
            };
            if response.on_hover_text(tip).clicked() {
                settings.target = target;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        for brush in Brush::ALL {
            let response = ui.selectable_label(settings.brush == brush, brush.name());
            named(&response, &format!("Brush: {}", brush.name()));
            if response.on_hover_text(tip(brush)).clicked() {
                settings.brush = brush;
            }
        }
    });
    egui::Grid::new("brush").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("Radius");
        let field = Slider::new(&mut settings.radius, 0.005..=0.5).logarithmic(true).suffix(" m");
        let field = ui.add(field).on_hover_text("How far the brush reaches along the skin");
        named(&field, "Brush radius");
        ui.end_row();
        ui.label("Strength");
        let field = ui.add(Slider::new(&mut settings.strength, 0.0..=1.0));
        named(&field, "Brush strength");
        field.on_hover_text("Of one dab; dabs of a stroke add up to one at most");
        ui.end_row();
        ui.label("Value");
        let field = ui.add(match settings.target {
            PaintTarget::Stiffness => Slider::new(&mut settings.stiffness, 0.05..=4.0),
            PaintTarget::Weights | PaintTarget::Mask => Slider::new(&mut settings.value, 0.0..=1.0),
        });
        named(&field, "Brush value");
        field
            .on_hover_text("What replace gives; the most that add and subtract change in a stroke");
        ui.end_row();
        ui.label("Falloff");
        ui.horizontal(|ui| {
            for falloff in Falloff::ALL {
                if ui.selectable_label(settings.falloff == falloff, falloff.name()).clicked() {
                    settings.falloff = falloff;
                }
            }
        });
        ui.end_row();
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.is_symmetric, "Both sides")
            .on_hover_text("Paint the partner of the joint on the other side, too");
        ui.checkbox(&mut settings.goes_through, "Through")
            .on_hover_text("Everything within the radius, not only along the surface");
    });
}

fn hand(studio: &mut Studio, ui: &mut egui::Ui) {
    let why = studio.session.tool().why_not().cloned();
    match &why {
        Some(why) => super::why::readout(studio, ui, why),
        None => {
            ui.weak("Bend a joint, then drag a point of the skin");
        }
    }
    let settings = &mut studio.session.weights;
    ui.horizontal_wrapped(|ui| {
        for gesture in DragGesture::ALL {
            let response = ui.selectable_label(settings.gesture == gesture, gesture.name());
            named(&response, &format!("Drag: {}", gesture.name()));
            let tip = match gesture {
                DragGesture::Move => "A drag moves the point, or all that are chosen",
                DragGesture::Turn => "A drag turns the chosen points about their middle",
                DragGesture::Scale => "A drag brings the chosen points nearer together, or apart",
                DragGesture::Pull => "A drag moves all under the brush, less towards its rim",
            };
            if response.on_hover_text(tip).clicked() {
                settings.gesture = gesture;
            }
        }
    });
    egui::Grid::new("hand").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        let (label, name, radius, tip) = match settings.gesture {
            DragGesture::Pull => {
                ("Radius", "Pull radius", &mut settings.radius, "How far the brush reaches")
            }
            DragGesture::Move | DragGesture::Turn | DragGesture::Scale => {
                let tip = "Points within it follow in part";
                ("Soft radius", "Soft radius", &mut settings.soft_radius, tip)
            }
        };
        ui.label(label);
        let field =
            DragValue::new(radius).range(0.0..=1.0).speed(0.002).suffix(" m").max_decimals(3);
        let field = ui.add(field).on_hover_text(tip);
        named(&field, name);
        ui.end_row();
        ui.label("Smoothness");
        let field = DragValue::new(&mut settings.smoothness).range(0.0..=100.0).speed(0.02);
        let field = ui.add(field.max_decimals(2));
        named(&field, "Drag smoothness");
        field.on_hover_text("What it is worth that neighbours change alike; 0 for not at all");
        ui.end_row();
        ui.label("Change");
        ui.horizontal(|ui| {
            for (rule, words, tip) in [
                (DragRule::Least, "all a little", "The least sum of squared changes"),
                (DragRule::Fewest, "few weights", "The least sum of changes: the paper's own"),
            ] {
                let response = ui.selectable_label(settings.rule == rule, words);
                if response.on_hover_text(tip).clicked() {
                    settings.rule = rule;
                }
            }
        });
        ui.end_row();
    });
    ui.checkbox(&mut settings.takes_chosen, "May take the chosen joint")
        .on_hover_text("Dragged points may get the chosen joint as an influence: a larger hull");
    ui.weak(match settings.held.len() {
        0 => "Pin poses in the pose strip to hold points there".to_owned(),
        1 => "1 pose is pinned".to_owned(),
        n => format!("{n} poses are pinned"),
    });
}

fn budget(studio: &mut Studio, ui: &mut egui::Ui) {
    let active = studio.session.selection.active;
    let settings = &mut studio.session.weights;
    ui.horizontal(|ui| {
        ui.label("Influences").on_hover_text("The most that a point may have; tools keep to it");
        let field = ui.add(DragValue::new(&mut settings.influences).range(1..=32));
        named(&field, "Influence budget");
        field.on_hover_text("The most that a point may have; tools keep to it");
        if let Some(active) = active {
            let mut is_locked = settings.locked.contains(&active);
            let lock = ui.checkbox(&mut is_locked, "Lock joint");
            named(&lock, "Lock weights of the joint");
            lock.clone().on_hover_text("No tool changes the weights of this joint");
            if lock.changed() && !settings.locked.remove(&active) {
                settings.locked.insert(active);
            }
        }
        if !settings.locked.is_empty() {
            let words = format!("{} locked", settings.locked.len());
            if ui.small_button(words).on_hover_text("Unlock all joints").clicked() {
                settings.locked.clear();
            }
        }
    });
}
