//! The pose library.

use eframe::egui;
use sinew_editor::Edit;

use super::named;
use crate::command::Command;
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        let hint = egui::TextEdit::singleline(&mut studio.new_pose_name)
            .hint_text("Name")
            .desired_width(ui.available_width() - 70.0);
        let name = ui.add(hint).on_hover_text("What to call the pose; left empty it gets a number");
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
        ui.horizontal(|ui| {
            let take = ui.button(&name).on_hover_text("Take this pose");
            named(&take, &format!("Take pose {name}"));
            if take.clicked() {
                studio.apply(Edit::RecallPose { name: name.clone() });
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let delete =
                    ui.small_button("×").on_hover_text("Forget this pose; undo brings it back");
                named(&delete, &format!("Delete pose {name}"));
                if delete.clicked() {
                    studio.apply(Edit::DeletePose { name: name.clone() });
                }
            });
        });
    }
}
