//! What a right click offers: what is most often done with what is under the pointer.

use eframe::egui;

use super::menu::entry;
use crate::command::Command;
use crate::studio::Studio;

/// Of a joint.
const OF_JOINT: [Command; 8] = [
    Command::FrameSelected,
    Command::SelectParent,
    Command::SelectChild,
    Command::ResetJoints,
    Command::SetKeys,
    Command::AddTwistJoints,
    Command::AddHalfWay,
    Command::AddCorrective,
];

/// Of the whole character.
const OF_ALL: [Command; 7] = [
    Command::CopyPose,
    Command::PastePose,
    Command::MirrorPose,
    Command::StorePose,
    Command::ResetPose,
    Command::FrameAll,
    Command::ShowBones,
];

/// Over a view: the chosen joint, then the pose.
pub(crate) fn of_view(studio: &mut Studio, ui: &mut egui::Ui) {
    let has_joint = studio.session.selection.active.is_some();
    if has_joint {
        of_joint(studio, ui);
        ui.separator();
    }
    for command in [Command::Undo, Command::Redo] {
        entry(studio, ui, command);
    }
    ui.separator();
    for command in OF_ALL {
        entry(studio, ui, command);
    }
}

/// Of the chosen joint.
pub(crate) fn of_joint(studio: &mut Studio, ui: &mut egui::Ui) {
    let joints = studio.document().character().skeleton.joints();
    let active = studio.session.selection.active;
    if let Some(joint) = active.and_then(|active| joints.get(active as usize)) {
        ui.strong(super::elided(&joint.name));
    }
    for command in OF_JOINT {
        entry(studio, ui, command);
    }
}
