//! Which meshes, and which of their pieces, keep their shapes under springs.

use std::collections::BTreeSet;

use eframe::egui;
use sinew::frame::{PartRig, Rig};
use sinew::mesh::Components;
use sinew::springs::SpringModel;
use sinew_editor::{Edit, MeshRef, RigEdit};

use super::named;
use crate::studio::Studio;

/// What can be said of a piece, in the list's order.
const CHOICES: [Option<bool>; 3] = [None, Some(false), Some(true)];

const fn name(choice: Option<bool>) -> &'static str {
    match choice {
        None => "By its weights",
        Some(false) => "Bends",
        Some(true) => "Rigid",
    }
}

const fn tip(choice: Option<bool>) -> &'static str {
    match choice {
        None => "Rigid where its weights are the same everywhere; a piece follows its mesh",
        Some(false) => "Springs bend it",
        Some(true) => "It keeps its shape: plates, buckles, props",
    }
}

/// Whether there is anything to choose: only anchored springs tell rigid pieces from others.
pub(super) fn matters(rig: &Rig) -> bool {
    rig.springs.as_ref().is_some_and(|springs| springs.model == SpringModel::Anchored)
}

/// Whether a mesh keeps its shape.
pub(super) fn mesh(studio: &mut Studio, ui: &mut egui::Ui, mesh: &MeshRef, own: Option<&PartRig>) {
    let now = own.and_then(|own| own.rigid);
    if let Some(rigid) = choose(ui, &format!("Shape of {}", mesh.0), Some(now)) {
        studio.apply(RigEdit::SetRigid { mesh: mesh.clone(), piece: None, rigid });
    }
}

/// Whether the pieces of the chosen points keep theirs. They are found when the list is open, which
/// is seldom.
pub(super) fn chosen_pieces(studio: &mut Studio, ui: &mut egui::Ui, rig: &Rig) {
    let character = studio.document().character().clone();
    let mut pieces: Vec<(usize, u32)> = Vec::new();
    for (&part, points) in &studio.session.selection.points {
        let mesh = &character.parts[part].mesh;
        let all = Components::of_triangles(mesh.points().len(), mesh.point_triangles());
        let numbers: BTreeSet<u32> =
            points.iter().map(|&point| all.of_point()[point as usize]).collect();
        pieces.extend(numbers.into_iter().map(|piece| (part, piece)));
    }
    let Some(&(first_part, first_piece)) = pieces.first() else {
        ui.weak("Choose points to decide about single pieces");
        return;
    };
    let of = |part: usize, piece: u32| {
        let own = rig.part(part)?.rigid_pieces.iter().find(|known| known.piece == piece)?;
        Some(own.is_rigid)
    };
    let first = of(first_part, first_piece);
    let is_same = pieces.iter().all(|&(part, piece)| of(part, piece) == first);
    ui.horizontal(|ui| {
        match &pieces[..] {
            [(part, piece)] => ui.label(format!("{}#{piece}", character.parts[*part].mesh.name())),
            _ => ui.label(format!("{} pieces", pieces.len())),
        };
        if let Some(rigid) = choose(ui, "Shape of the chosen pieces", is_same.then_some(first)) {
            let edit = |&(part, piece): &(usize, u32)| -> Edit {
                let mesh = MeshRef::of(&character, part);
                RigEdit::SetRigid { mesh, piece: Some(piece), rigid }.into()
            };
            studio.apply_all("Shape of the chosen pieces", pieces.iter().map(edit).collect());
        }
    });
}

/// A list that says what is chosen, several things for `None`; what was picked, if it is another.
fn choose(ui: &mut egui::Ui, label: &str, now: Option<Option<bool>>) -> Option<Option<bool>> {
    let mut next = now;
    let text = now.map_or("Several", name);
    let list = egui::ComboBox::from_id_salt(label).selected_text(text).width(110.0);
    let shown = list.show_ui(ui, |ui| {
        for choice in CHOICES {
            ui.selectable_value(&mut next, Some(choice), name(choice)).on_hover_text(tip(choice));
        }
    });
    named(&shown.response, label);
    shown.response.on_hover_text("Whether it keeps its shape under springs");
    if next == now { None } else { next }
}
