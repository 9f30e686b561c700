//! The weights of the chosen points as a table of numbers that can be changed, and what is done
//! to them by numbers: flood, copy, paste.

use eframe::egui::{self, DragValue};
use sinew::weights::{Influence, PointRow, RowRules, SkinWeights};
use sinew_editor::{Edit, Selection, WeightEdit};

use super::{elided, named};
use crate::studio::Studio;

/// More lines nobody reads; the first of a larger selection are shown.
const MOST_LINES: usize = 60;
/// Joints that have a column: those with the most weight.
const MOST_COLUMNS: usize = 6;

/// Joints with a column: those of the chosen points by their sum, and the chosen one.
fn columns(weights: &SkinWeights, points: &[u32], active: Option<u32>) -> Vec<u32> {
    let mut sums: Vec<(u32, f64)> = Vec::new();
    for influence in points.iter().flat_map(|&point| weights.row(point as usize)) {
        match sums.iter_mut().find(|(joint, _)| *joint == influence.joint) {
            Some((_, sum)) => *sum += f64::from(influence.weight),
            None => sums.push((influence.joint, f64::from(influence.weight))),
        }
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut joints: Vec<u32> = sums.into_iter().map(|(joint, _)| joint).collect();
    joints.truncate(MOST_COLUMNS);
    joints.extend(active.filter(|active| !joints.contains(active)));
    joints
}

fn weight(row: &[Influence], joint: u32) -> f32 {
    row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
}

/// Rows in which a joint has another weight, as an edit of the layer that is worked on.
fn set(
    studio: &Studio,
    part: usize,
    points: &[u32],
    change: impl Fn(&RowRules, &[Influence]) -> Vec<Influence>,
) -> Option<WeightEdit> {
    let (document, tools) = (studio.document(), &studio.session.weights);
    let weights = document.character().parts.get(part)?.weights.as_ref()?;
    let rules = tools.rules();
    let row = |&point: &u32| (point, change(&rules, weights.row(point as usize)));
    let rows: Vec<PointRow> = points.iter().map(row).collect();
    let is_other = rows.iter().any(|(point, row)| weights.row(*point as usize) != row);
    is_other.then(|| WeightEdit::set(document, part, &rows, tools.layer_of(document)))
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let chosen: Vec<(usize, Vec<u32>)> = (studio.session.selection.points.iter())
        .map(|(&part, points)| (part, points.iter().copied().collect()))
        .collect();
    let has_points = chosen.iter().any(|(_, points)| !points.is_empty());
    if has_points {
        copying(studio, ui, &chosen);
    }
    for (part, points) in chosen {
        of_mesh(studio, ui, part, points);
    }
}

/// The chosen points of one mesh.
fn of_mesh(studio: &mut Studio, ui: &mut egui::Ui, part: usize, points: Vec<u32>) {
    let character = studio.document().character().clone();
    let Some(of_part) = character.parts.get(part) else { return };
    let Some(weights) = &of_part.weights else { return };
    let num_points = weights.num_points() as u32;
    let points: Vec<u32> = points.into_iter().filter(|&point| point < num_points).collect();
    ui.weak(format!("{} chosen of {}", points.len(), elided(of_part.mesh.name())));
    let joints = columns(weights, &points, studio.session.selection.active);
    let id = ("weight table", part);
    egui::ScrollArea::both().id_salt(id).max_height(220.0).show(ui, |ui| {
        let grid = egui::Grid::new(id).num_columns(joints.len() + 1).striped(true);
        grid.show(ui, |ui| {
            ui.weak("point");
            for &joint in &joints {
                let name = studio.document().joint_ref(joint).0;
                let is_active = studio.session.selection.active == Some(joint);
                let head = ui.selectable_label(is_active, short(&name)).on_hover_text(&name);
                named(&head, &format!("Column {name}"));
                if head.clicked() {
                    let points = studio.session.selection.points.clone();
                    studio.session.selection = Selection { points, ..Selection::of(joint) };
                }
            }
            ui.end_row();
            if points.len() > 1 {
                ui.strong("all").on_hover_text("Every chosen point gets the number");
                line(studio, ui, (part, &points, &joints), weights);
            }
            for point in points.iter().take(MOST_LINES) {
                ui.monospace(point.to_string());
                line(studio, ui, (part, &[*point], &joints), weights);
            }
        });
        if points.len() > MOST_LINES {
            ui.weak(format!("and {} more", points.len() - MOST_LINES));
        }
    });
}

fn short(name: &str) -> String {
    let num_letters = name.chars().count();
    match num_letters > 9 {
        true => format!("…{}", name.chars().skip(num_letters - 8).collect::<String>()),
        false => name.to_owned(),
    }
}

/// A number a joint; of several points their mean.
fn line(
    studio: &mut Studio,
    ui: &mut egui::Ui,
    (part, points, joints): (usize, &[u32], &[u32]),
    weights: &SkinWeights,
) {
    for &joint in joints {
        let all = points.iter().map(|&point| weight(weights.row(point as usize), joint));
        let mut mean = all.sum::<f32>() / points.len().max(1) as f32;
        let field = DragValue::new(&mut mean).range(0.0..=1.0).speed(0.005);
        let field = ui.add(field.fixed_decimals(3));
        let name = studio.document().joint_ref(joint).0;
        let of = if points.len() > 1 { "all".to_owned() } else { format!("{}", points[0]) };
        named(&field, &format!("Weight of {name} at {of}"));
        if field.changed() || field.drag_stopped() {
            let wanted = f64::from(mean);
            let edit =
                set(studio, part, points, |rules, row| rules.with_weight(row, joint, wanted));
            let edits = edit.map(Into::into).into_iter().collect();
            studio.scrub(&field, &format!("Weights of {name}"), edits);
        }
    }
    ui.end_row();
}

/// The mean row of points of several meshes, and how many they are.
fn mean_row(studio: &Studio, chosen: &[(usize, Vec<u32>)]) -> Vec<(u32, f64)> {
    let parts = &studio.document().character().parts;
    let weights_of = |part: usize| parts.get(part)?.weights.as_ref();
    let rows: Vec<&[Influence]> = (chosen.iter())
        .filter_map(|(part, points)| Some((weights_of(*part)?, points)))
        .flat_map(|(weights, points)| {
            let is_there = |point: &&u32| (**point as usize) < weights.num_points();
            points.iter().filter(is_there).map(|&point| weights.row(point as usize))
        })
        .collect();
    let mut row: Vec<(u32, f64)> = Vec::new();
    for influence in rows.iter().copied().flatten() {
        let more = f64::from(influence.weight) / rows.len() as f64;
        match row.iter_mut().find(|entry| entry.0 == influence.joint) {
            Some(entry) => entry.1 += more,
            None => row.push((influence.joint, more)),
        }
    }
    row
}

/// Copy the mean row of the chosen points; give it to others.
fn copying(studio: &mut Studio, ui: &mut egui::Ui, chosen: &[(usize, Vec<u32>)]) {
    ui.horizontal(|ui| {
        let copy = ui.button("Copy").on_hover_text("Copy the chosen points' weights: their mean");
        named(&copy, "Copy weights");
        if copy.clicked() {
            let name = |(joint, weight): (u32, f64)| (studio.document().joint_ref(joint), weight);
            let row = mean_row(studio, chosen).into_iter().map(name).collect();
            studio.session.weights.copied = Some(row);
        }
        let copied = studio.session.weights.copied.clone();
        let paste = ui.add_enabled(copied.is_some(), egui::Button::new("Paste"));
        named(&paste, "Paste weights");
        let paste = paste.on_disabled_hover_text("No weights were copied yet");
        let tip = "Give the chosen points the weights that were copied";
        if let (true, Some(copied)) = (paste.on_hover_text(tip).clicked(), copied) {
            let skeleton = &studio.document().character().skeleton;
            let known = |(joint, weight): &(sinew_editor::JointRef, f64)| {
                Some((joint.resolve(skeleton).ok()?, *weight))
            };
            let wanted: Vec<(u32, f64)> = copied.iter().filter_map(known).collect();
            let edit = |(part, points): &(usize, Vec<u32>)| {
                set(studio, *part, points, |rules, row| rules.finish(row, &wanted, None))
            };
            let edits: Vec<Edit> = chosen.iter().filter_map(edit).map(Edit::from).collect();
            if !edits.is_empty() {
                studio.apply_all("Paste weights", edits);
            }
        }
    });
}
