//! Weights of other meshes, here or of a file's.

use eframe::egui::{self, Slider};
use sinew::Character;
use sinew_editor::{Edit, JointRef, MeshRef, Taking, WeightEdit};

use super::{elided, named};
use crate::command::Command;
use crate::studio::Studio;

/// A list of meshes with something before them that names none.
fn meshes(
    ui: &mut egui::Ui,
    (label, tip): (&str, &str),
    none: &str,
    character: &Character,
    chosen: &mut Option<usize>,
) {
    // Of another document, a number says nothing.
    *chosen = chosen.filter(|&part| part < character.parts.len());
    let name = |part: usize| elided(character.parts[part].mesh.name());
    let text = chosen.map_or_else(|| none.to_owned(), name);
    ui.label(label.rsplit(' ').next().unwrap_or(label));
    let list = egui::ComboBox::from_id_salt(label).selected_text(text).width(170.0);
    let shown = list.show_ui(ui, |ui| {
        ui.selectable_value(chosen, None, none);
        for part in 0..character.parts.len() {
            ui.selectable_value(chosen, Some(part), name(part));
        }
    });
    named(&shown.response, label);
    shown.response.on_hover_text(tip);
    ui.end_row();
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    super::section(ui, "Transfer", false, |ui| contents(studio, ui));
}

fn contents(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let joint = studio.session.selection.active.map(|joint| studio.document().joint_ref(joint).0);
    let tools = &mut studio.session.weights.transfer;
    egui::Grid::new("transfer").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        let from = ("Transfer From", "The mesh whose weights are taken");
        meshes(ui, from, "all others", &character, &mut tools.from);
        let to = ("Transfer To", "The mesh that takes them");
        meshes(ui, to, "chosen points, or all", &character, &mut tools.to);
        ui.label("Mix");
        let field = ui.add(Slider::new(&mut tools.mix, 0.0..=1.0));
        named(&field, "Transfer mix");
        field.on_hover_text("From nothing, as it is, to one, as the others have it");
        ui.end_row();
    });
    ui.add_enabled_ui(joint.is_some(), |ui| {
        let words = joint
            .as_deref()
            .map_or("Only one joint".into(), |joint| format!("Only {}", elided(joint)));
        let only = ui.checkbox(&mut tools.only_chosen, words);
        named(&only, "Transfer only the joint");
        let only = only.on_hover_text("Only the weights of the chosen joint are taken");
        only.on_disabled_hover_text("Choose a joint first");
    });
    ui.horizontal(|ui| {
        let can = character.parts.len() > 1;
        let between = ui.add_enabled(can, egui::Button::new("Between meshes"));
        named(&between, "Weights: Transfer");
        let between = between.on_disabled_hover_text("This character has one mesh");
        let tip = "Take the weights of what lies nearest on the other meshes";
        if between.on_hover_text(tip).clicked() {
            let edits = studio.transfers();
            studio.apply_all("Transfer weights", edits);
        }
        let command = Command::TransferWeights;
        let of_file = ui.add_enabled(studio.can(command), egui::Button::new("From a file…"));
        named(&of_file, "Weights: Transfer from a File");
        let of_file = of_file.on_disabled_hover_text(studio.why_not(command));
        if of_file.on_hover_text(command.tip()).clicked() {
            studio.queue(command);
        }
    });
}

impl Studio {
    /// What of others' weights is taken, as the panel says.
    pub(crate) fn taking(&self) -> Taking {
        let tools = &self.session.weights.transfer;
        let active = self.session.selection.active.filter(|_| tools.only_chosen);
        let joints: Vec<JointRef> =
            active.iter().map(|&joint| self.document().joint_ref(joint)).collect();
        Taking { mix: tools.mix, joints, keep: self.keeping() }
    }

    /// The meshes that take weights of a file; all if none is chosen.
    pub(crate) fn transfer_targets(&self) -> Vec<MeshRef> {
        let character = self.document().character();
        let to = self.session.weights.transfer.to.filter(|&part| part < character.parts.len());
        to.map(|part| MeshRef::of(character, part)).into_iter().collect()
    }

    /// Edits that give a mesh, the chosen points, or every mesh what lies nearest of others.
    fn transfers(&self) -> Vec<Edit> {
        let character = self.document().character();
        let tools = &self.session.weights.transfer;
        let chosen = &self.session.selection.points;
        let takers: Vec<(usize, Vec<u32>)> = match tools.to {
            Some(part) if part < character.parts.len() => vec![(part, Vec::new())],
            _ if !chosen.is_empty() => chosen
                .iter()
                .map(|(&part, points)| (part, points.iter().copied().collect()))
                .collect(),
            _ => (0..character.parts.len()).map(|part| (part, Vec::new())).collect(),
        };
        let from: Vec<MeshRef> =
            tools.from.iter().map(|&part| MeshRef::of(character, part)).collect();
        let Taking { mix, joints, keep } = self.taking();
        let takers = takers.into_iter().filter(|(part, _)| tools.from != Some(*part));
        let edit = |(part, points): (usize, Vec<u32>)| -> Edit {
            WeightEdit::TransferWeights {
                from: from.clone(),
                to: MeshRef::of(character, part),
                points,
                joints: joints.clone(),
                mix,
                distance: 0.05,
                degrees: 60.0,
                keep: keep.clone(),
            }
            .into()
        };
        takers.map(edit).collect()
    }
}
