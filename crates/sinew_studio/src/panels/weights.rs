//! Weights: what the brush and the hand do, why a point does not reach its goal, and clean-up.

use eframe::egui::{self, DragValue, Slider};
use sinew::skeleton::Side;
use sinew::weights::drag::DragRule;
use sinew::weights::mirror::MirrorBy;
use sinew::weights::paint::{Brush, Falloff};
use sinew_editor::tool::WhyShown;
use sinew_editor::{JointRef, Keeping, MeshRef, WeightEdit};

use super::{elided, named};
use crate::studio::Studio;

/// Joints that are offered for a point out of reach.
const MOST_OFFERED: usize = 4;
/// Influences that a point's row shows.
const MOST_SHOWN: usize = 8;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    match studio.session.tool().name() {
        "Paint" => brush(studio, ui),
        "Drag" => hand(studio, ui),
        _ => {
            ui.weak("Take the Paint or the Drag tool to work on weights");
        }
    }
    budget(studio, ui);
    rows(studio, ui);
    ui.separator();
    clean_up(studio, ui);
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
        let field = ui.add(Slider::new(&mut settings.value, 0.0..=1.0));
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
    let poses: Vec<String> =
        studio.document().stored_poses().iter().map(|pose| pose.name.clone()).collect();
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
    ui.label("Stay in").on_hover_text("Poses in which dragged points are to stay where they are");
    ui.horizontal_wrapped(|ui| {
        for name in &poses {
            let mut is_held = settings.held.contains(name);
            let field = ui.checkbox(&mut is_held, elided(name));
            named(&field, &format!("Hold pose {name}"));
            if field.changed() && !settings.held.remove(name) {
                settings.held.insert(name.clone());
            }
        }
        if poses.is_empty() {
            ui.weak("stored poses (there are none yet)");
        }
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

/// The rows of a chosen point, in numbers.
fn rows(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let chosen = studio.session.selection.points.iter().next();
    let chosen = chosen.and_then(|(&part, points)| Some((part, *points.first()?)));
    let Some((part, point)) = chosen else { return };
    let Some(weights) = character.parts.get(part).and_then(|part| part.weights.as_ref()) else {
        return;
    };
    let mut row = weights.row(point as usize).to_vec();
    row.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    ui.weak(format!("Point {point} of {}", elided(character.parts[part].mesh.name())));
    egui::Grid::new("row").num_columns(2).striped(true).show(ui, |ui| {
        for influence in row.iter().take(MOST_SHOWN) {
            ui.label(elided(&studio.document().joint_ref(influence.joint).0));
            ui.monospace(format!("{:.4}", influence.weight));
            ui.end_row();
        }
    });
}

fn keeping(studio: &Studio) -> Keeping {
    let settings = &studio.session.weights;
    let name = |&joint: &u32| studio.document().joint_ref(joint);
    let locked: Vec<JointRef> = settings.locked.iter().map(name).collect();
    Keeping { influences: settings.influences, locked }
}

/// What is done to whole meshes, or to the chosen points.
fn clean_up(studio: &mut Studio, ui: &mut egui::Ui) {
    let chosen = studio.session.selection.points.iter().next();
    let chosen: Option<(usize, Vec<u32>)> =
        chosen.map(|(&part, points)| (part, points.iter().copied().collect()));
    let keep = keeping(studio);
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
        let bind = WeightEdit::BindWeights { method: "auto".into(), keep: keep.clone() };
        button(ui, "Bind", "Find all weights anew from skeleton and skin", bind);
        let reset = WeightEdit::ResetWeights { meshes: Vec::new() };
        button(ui, "Reset", "Bring back the weights of the file", reset);
    });
    if let Some(edit) = wanted {
        studio.apply(edit);
    }
}
