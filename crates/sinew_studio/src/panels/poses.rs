//! The pose library.

use eframe::egui;
use sinew_editor::PoseEdit;

use super::{elided, named};
use crate::command::Command;
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        let hint = egui::TextEdit::singleline(&mut studio.panels.new_pose_name)
            .hint_text("Name")
            .desired_width(ui.available_width() - 70.0);
        let name = ui.add(hint).on_hover_text("A name for the pose; without one it gets a number");
        named(&name, "Pose name");
        let store = ui.button("Store").on_hover_text(Command::StorePose.tip());
        named(&store, "Store pose in library");
        let is_entered = name.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        if store.clicked() || is_entered {
            studio.queue(Command::StorePose);
        }
    });
    let names: Vec<String> =
        studio.document().stored_poses().iter().map(|pose| pose.name.clone()).collect();
    if names.is_empty() {
        ui.weak("Stored poses are kept in the project");
    }
    for name in names {
        ui.horizontal(|ui| row(studio, ui, &name));
    }
}

/// From the right, so that a long name leaves room for the menu.
fn row(studio: &mut Studio, ui: &mut egui::Ui, name: &str) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let more = ui.menu_button("…", |ui| menu(studio, ui, name));
        named(&more.response, &format!("More about pose {name}"));
        more.response.on_hover_text("Store over it, rename it, delete it");
        blend(studio, ui, name);
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            let take = ui.add(egui::Button::new(name).truncate());
            named(&take, &format!("Take pose {name}"));
            if take.on_hover_text(format!("Take this pose: {name}")).clicked() {
                studio.apply(PoseEdit::RecallPose { name: name.to_owned() });
            }
        });
    });
}

/// A number to drag: a part of the way from what is shown to the stored pose, one step of the
/// history. It begins at nothing again for the next drag.
fn blend(studio: &mut Studio, ui: &mut egui::Ui, name: &str) {
    let mut percent = match &studio.panels.blending {
        Some((of, percent)) if of == name => *percent,
        _ => 0.0,
    };
    let field = egui::DragValue::new(&mut percent).speed(1.0).range(-100.0..=200.0).suffix(" %");
    let field = ui.add(field.max_decimals(0).update_while_editing(false));
    let tip =
        "Drag to blend the pose shown with this one: the chosen joints, or all if none is chosen";
    let field = field.on_hover_text(tip);
    named(&field, &format!("Blend with pose {name}"));
    if field.drag_stopped() {
        studio.commit();
    } else if field.changed() {
        let chosen = studio.session.selection.joints.iter();
        let joints = chosen.map(|&joint| studio.document().joint_ref(joint)).collect();
        studio.panels.blending = Some((name.to_owned(), percent));
        let (name, amount) = (name.to_owned(), percent / 100.0);
        let edit = PoseEdit::BlendPose { name, amount, joints };
        studio.scrub(&field, "Blend poses", vec![edit.into()]);
    }
    let is_own = studio.panels.blending.as_ref().is_some_and(|(of, _)| of == name);
    if is_own && !field.dragged() {
        studio.panels.blending = None;
    }
}

fn menu(studio: &mut Studio, ui: &mut egui::Ui, name: &str) {
    let mut entry = |ui: &mut egui::Ui, label: &str, tip: &str, edit: PoseEdit| {
        if ui.button(label).on_hover_text(tip).clicked() {
            studio.apply(edit);
            ui.close();
        }
    };
    let name = name.to_owned();
    entry(
        ui,
        "Store over it",
        "Put the present pose in its place",
        PoseEdit::StorePose { name: name.clone() },
    );
    entry(
        ui,
        "Delete",
        "Forget it; undo brings it back",
        PoseEdit::DeletePose { name: name.clone() },
    );
    let to = studio.panels.new_pose_name.trim().to_owned();
    let rename =
        ui.add_enabled(!to.is_empty(), egui::Button::new(format!("Rename to '{}'", elided(&to))));
    let rename = rename.on_hover_text("Give it the name in the field above");
    if rename.on_disabled_hover_text("Type the new name into the field above first").clicked() {
        studio.apply(PoseEdit::RenamePose { from: name, to });
        studio.panels.new_pose_name.clear();
        ui.close();
    }
}
