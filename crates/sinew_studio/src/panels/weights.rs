//! Weights: what the brush and the hand do, why a point does not reach its goal, and clean-up.

use eframe::egui::{self, DragValue, Slider};
use sinew::skeleton::Side;
use sinew::weights::auto::AutoMethod;
use sinew::weights::drag::DragRule;
use sinew::weights::mirror::MirrorBy;
use sinew::weights::paint::{Brush, Falloff};
use sinew_editor::tool::{PaintTarget, WhyShown};
use sinew_editor::{MeshRef, WeightEdit};

use super::{elided, named};
use crate::command::Command;
use crate::studio::Studio;

/// Joints that are offered for a point out of reach.
const MOST_OFFERED: usize = 4;

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
    clean_up(studio, ui);
    super::repairs::show(studio, ui);
    binding(studio, ui);
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
            if response.clicked() {
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
        Some(why) => readout(studio, ui, why),
        None => {
            ui.weak("Bend a joint, then drag a point of the skin");
        }
    }
    let settings = &mut studio.session.weights;
    egui::Grid::new("hand").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("Soft radius");
        let field = DragValue::new(&mut settings.soft_radius)
            .range(0.0..=1.0)
            .speed(0.002)
            .suffix(" m")
            .max_decimals(3);
        let field = ui.add(field).on_hover_text("Points within it follow in part");
        named(&field, "Soft radius");
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

/// Why a point is not at its goal, and what would bring it there.
fn readout(studio: &mut Studio, ui: &mut egui::Ui, shown: &WhyShown) {
    let budget = studio.session.weights.influences;
    let why = &shown.why;
    let millimetres = 1e3 * why.distance;
    ui.label(format!(
        "Point {}: reaches a {}, {} of {budget} influences",
        shown.point,
        why.hull.kind(),
        shown.num_influences
    ));
    if millimetres <= 0.1 {
        ui.label("The goal is reached");
        return;
    }
    ui.colored_label(ui.visuals().warn_fg_color, format!("{millimetres:.1} mm outside of reach"));
    for further in why.further.iter().take(MOST_OFFERED) {
        let name = studio.document().joint_ref(further.joint).0;
        let left = 1e3 * further.distance;
        let words = format!("With {}: {left:.1} mm left", elided(&name));
        let button = ui.button(words).on_hover_text(
            "Let the point have this joint, within the budget, and bring it to its goal",
        );
        named(&button, &format!("Accept {name}"));
        if button.clicked() {
            let joint = further.joint;
            studio.accept_further(joint);
        }
    }
    if why.further.is_empty() {
        ui.weak("No joint would bring it nearer: Rig, Add Corrective from Springs does");
    }
}

fn budget(studio: &mut Studio, ui: &mut egui::Ui) {
    let active = studio.session.selection.active;
    let settings = &mut studio.session.weights;
    ui.horizontal(|ui| {
        ui.label("Influences").on_hover_text("The most that a point may have; tools keep to it");
        let field = ui.add(DragValue::new(&mut settings.influences).range(1..=32));
        named(&field, "Influence budget");
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

/// What is done to whole meshes, or to the chosen points.
fn clean_up(studio: &mut Studio, ui: &mut egui::Ui) {
    let chosen = studio.session.selection.points.iter().next();
    let chosen: Option<(usize, Vec<u32>)> =
        chosen.map(|(&part, points)| (part, points.iter().copied().collect()));
    let keep = studio.keeping();
    let mut wanted: Option<WeightEdit> = None;
    let mut button = |ui: &mut egui::Ui, words: &str, tip: &str, edit: WeightEdit| {
        let response = ui.button(words);
        named(&response, &format!("Weights: {words}"));
        if response.on_hover_text(tip).clicked() {
            wanted = Some(edit);
        }
    };
    let mesh = |part: usize| MeshRef::of(studio.document().character(), part);
    ui.horizontal_wrapped(|ui| {
        if let Some((part, points)) = &chosen {
            let (mesh, points) = (mesh(*part), points.clone());
            let own = (mesh.clone(), points.clone(), keep.clone());
            let smooth = WeightEdit::SmoothWeights {
                mesh: own.0,
                points: own.1,
                times: 3,
                share: 0.5,
                keep: own.2,
            };
            button(
                ui,
                "Smooth",
                "Make the chosen points' weights more like their neighbours'",
                smooth,
            );
            let fill = WeightEdit::FillWeights {
                mesh: mesh.clone(),
                points: points.clone(),
                keep: keep.clone(),
            };
            button(ui, "Hammer", "Give the chosen points the weights of what is around them", fill);
            let average = WeightEdit::AverageWeights { mesh, points, keep: keep.clone() };
            button(ui, "Average", "Give the chosen points one row, the mean of theirs", average);
        }
        if let (Some((part, points)), Some(active)) = (&chosen, studio.session.selection.active) {
            let tools = &studio.session.weights;
            let flood = WeightEdit::FloodWeights {
                mesh: mesh(*part),
                points: points.clone(),
                joint: studio.document().joint_ref(active),
                brush: tools.brush,
                value: tools.value,
                share: tools.strength,
                keep: keep.clone(),
            };
            button(ui, "Flood", "Do to all chosen points at once what the brush does", flood);
        }
        for (words, from) in [("Mirror left", Side::Left), ("Mirror right", Side::Right)] {
            let edit =
                WeightEdit::MirrorWeights { from, by: MirrorBy::Position, keep: keep.clone() };
            button(ui, words, "Give the other side this side's weights", edit);
        }
        let prune =
            WeightEdit::PruneWeights { meshes: Vec::new(), least: 0.002, keep: keep.clone() };
        button(ui, "Prune", "Take away influences below 0.002 and beyond the budget", prune);
        let repair = WeightEdit::RepairWeights { mends: Vec::new(), keep: keep.clone() };
        button(ui, "Repair", "Mend what a check finds in the weights", repair);
        let reset = WeightEdit::ResetWeights { meshes: Vec::new() };
        button(ui, "Reset", "Bring back the weights of the file", reset);
    });
    if let Some(edit) = wanted {
        studio.apply(edit);
    }
}

/// All weights anew: how, and how far it is.
fn binding(studio: &mut Studio, ui: &mut egui::Ui) {
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
}
