//! The chosen joint in numbers, and everything that can be set about the skin.

use eframe::egui::{self, DragValue};
use sinew::glam::{DQuat, DVec3, EulerRot};
use sinew::skeleton::JointPose;
use sinew_editor::PoseEdit;

use super::keys::Shows;
use super::named;
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    egui::ScrollArea::vertical().id_salt("inspector").auto_shrink(false).show(ui, |ui| {
        super::help::first_steps(studio, ui);
        super::section(ui, "Skin", true, |ui| super::skin::show(studio, ui));
        // What is drawn chooses joints: their numbers below must not push it out of sight.
        if studio.session.tool().name() == "Draw" {
            super::section(ui, "Draw", true, |ui| super::sketch::show(studio, ui));
        }
        let shapes_skin = ["Sketch", "Grab"].contains(&studio.session.tool().name());
        if shapes_skin {
            super::section_named(ui, "Surface in hand", "Surface", true, |ui| {
                super::surface::show(studio, ui);
            });
        }
        super::section(ui, "Joint", true, |ui| joint(studio, ui));
        if studio.session.playback.clip().is_some() {
            let has_keys = studio.panels.keys.shows != Shows::Nothing;
            let id = if has_keys { "Motion in hand" } else { "Motion" };
            super::section_named(ui, id, "Motion", has_keys, |ui| super::motion::show(studio, ui));
        }
        // With a tool of theirs in hand near the top; else below what is reached for more often.
        let weighs = ["Paint", "Drag"].contains(&studio.session.tool().name());
        if weighs {
            super::section_named(ui, "Weights in hand", "Weight tools", true, |ui| {
                super::weights::show(studio, ui);
            });
        }
        if studio.document().character().parts.iter().any(|part| !part.shapes.is_empty()) {
            super::section(ui, "Shapes", true, |ui| super::shapes::show(studio, ui));
        }
        if !studio.document().character().skeleton.is_empty() {
            let sculpts = studio.session.tool().name() == "Sculpt";
            let id = if sculpts { "Drivers in hand" } else { "Drivers" };
            super::section_named(ui, id, "Drivers", sculpts, |ui| {
                super::drivers::show(studio, ui);
            });
        }
        let has_tool = studio.has_cage_tool();
        let name = if has_tool { "Cage in hand" } else { "Cage" };
        super::section_named(ui, name, "Cage", has_tool, |ui| super::cage::show(studio, ui));
        super::section(ui, "Poses", true, |ui| super::poses::show(studio, ui));
        if !weighs && !studio.document().character().skeleton.is_empty() {
            super::section(ui, "Weight tools", false, |ui| super::weights::show(studio, ui));
        }
        if !shapes_skin {
            super::section(ui, "Surface", false, |ui| super::surface::show(studio, ui));
        }
        super::section(ui, "Figures", false, |ui| super::figures::show(studio, ui));
        super::section(ui, "History", false, |ui| super::history::show(studio, ui));
    });
}

fn joint(studio: &mut Studio, ui: &mut egui::Ui) {
    let Some(active) = studio.session.selection.active else {
        ui.weak("Choose a joint in the view or in the list");
        return;
    };
    let character = studio.document().character().clone();
    let Some(joint) = character.skeleton.joints().get(active as usize) else { return };
    let others = studio.session.selection.joints.len().saturating_sub(1);
    super::one_line(ui, egui::RichText::new(&joint.name).strong()).on_hover_text(&joint.name);
    if others > 0 {
        ui.weak(format!("and {others} more"));
    }
    let pose = studio.session.playback.pose(studio.document()).joints[active as usize];
    let mut row = Row { studio, active, pose };
    egui::Grid::new("joint").num_columns(4).spacing([6.0, 4.0]).show(ui, |ui| {
        row.twist(ui);
        row.swing(ui);
        row.vector(ui, ("Move", 0.002, " m"), pose.translation, |pose, v| JointPose {
            translation: v,
            ..pose
        });
        row.vector(ui, ("Scale", 0.005, ""), pose.scale, |pose, v| JointPose { scale: v, ..pose });
        row.stretch(ui);
    });
    super::holding::joint(studio, ui, active);
}

/// A line of the inspector that changes the active joint's pose.
struct Row<'a> {
    studio: &'a mut Studio,
    active: u32,
    pose: JointPose,
}

impl Row<'_> {
    fn set(&mut self, response: &egui::Response, what: &str, pose: JointPose) {
        let joint = self.studio.document().joint_ref(self.active);
        let edit = PoseEdit::PoseJoints { joints: [(joint, pose)].into() };
        self.studio.scrub(response, what, vec![edit.into()]);
    }

    fn twist(&mut self, ui: &mut egui::Ui) {
        ui.label("Twist");
        let mut degrees = self.pose.twist_radians.to_degrees();
        let field = DragValue::new(&mut degrees).speed(1.0).suffix("°").max_decimals(1);
        let field = field.custom_formatter(|value, _| plain(value, 1));
        let response =
            number(ui, "Twist degrees", "Turn about the bone, any number of turns", field);
        let turns = self.pose.twist_radians / std::f64::consts::TAU;
        if turns.abs() >= 1.0 {
            ui.weak(format!("{turns:.2} turns"));
        }
        ui.end_row();
        if response.changed() || response.drag_stopped() {
            let pose = JointPose { twist_radians: degrees.to_radians(), ..self.pose };
            self.set(&response, "Twist", pose);
        }
    }

    fn swing(&mut self, ui: &mut egui::Ui) {
        ui.label("Swing");
        let skeleton = &self.studio.document().character().skeleton;
        let bone_axis = skeleton.joints()[self.active as usize].bone_axis();
        let (x, y, z) = self.pose.swing.to_euler(EulerRot::XYZ);
        let before = [x, y, z];
        let mut degrees = before.map(f64::to_degrees);
        let mut responses = Vec::new();
        for (value, axis) in degrees.iter_mut().zip(["X", "Y", "Z"]) {
            let field = DragValue::new(value).speed(1.0).prefix(format!("{axis} ")).suffix("°");
            let field = field.max_decimals(1).custom_formatter(|value, _| plain(value, 1));
            let name = format!("Swing {axis} degrees");
            responses.push(number(ui, &name, &format!("Swing about the joint's {axis}"), field));
        }
        ui.end_row();
        for response in responses {
            if response.changed() || response.drag_stopped() {
                let [x, y, z] = degrees.map(f64::to_radians);
                let rotation = DQuat::from_euler(EulerRot::XYZ, x, y, z)
                    * DQuat::from_axis_angle(bone_axis, self.pose.twist_radians);
                self.set(&response, "Swing", self.pose.with_rotation(rotation, bone_axis));
            }
        }
    }

    fn vector(
        &mut self,
        ui: &mut egui::Ui,
        (what, speed, suffix): (&str, f64, &str),
        mut vector: DVec3,
        with: impl Fn(JointPose, DVec3) -> JointPose,
    ) {
        ui.label(what);
        let mut responses = Vec::new();
        for (value, axis) in vector.as_mut().iter_mut().zip(["X", "Y", "Z"]) {
            let field = DragValue::new(value).speed(speed).prefix(format!("{axis} "));
            let field = field.suffix(suffix).max_decimals(4);
            let field = field.custom_formatter(|value, _| plain(value, 4));
            let name = format!("{what} {axis}");
            responses.push(number(ui, &name, &format!("{what} along {axis}"), field));
        }
        ui.end_row();
        for response in responses {
            if response.changed() || response.drag_stopped() {
                self.set(&response, what, with(self.pose, vector));
            }
        }
    }

    fn stretch(&mut self, ui: &mut egui::Ui) {
        ui.label("Stretch");
        let mut stretch = self.pose.stretch;
        let field = DragValue::new(&mut stretch)
            .speed(0.005)
            .suffix(" ×")
            .max_decimals(3)
            .range(0.01..=100.0);
        let response =
            number(ui, "Stretch factor", "The bone's length over its length at rest", field);
        ui.end_row();
        if response.changed() || response.drag_stopped() {
            self.set(&response, "Stretch", JointPose { stretch, ..self.pose });
        }
    }
}

/// A number without zeros at its end and without the sign of a zero: what is left of a rotation's
/// arithmetic would be shown as -0.0°.
fn plain(value: f64, max_decimals: usize) -> String {
    let text = format!("{value:.max_decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" { "0".into() } else { text.into() }
}

fn number(ui: &mut egui::Ui, name: &str, tip: &str, field: DragValue<'_>) -> egui::Response {
    let response = ui.add(field).on_hover_text(format!("{tip}. Drag, or click to type"));
    named(&response, name);
    response
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn zero_has_no_sign_and_no_zeros_behind_it() {
        let texts = [-1e-12, -0.04, 0.0, 12.0, -12.34, 100.0, 0.05].map(|value| plain(value, 1));
        assert_eq!(texts, ["0", "0", "0", "12", "-12.3", "100", "0.1"]);
        assert_eq!(plain(-0.00004, 4), "0");
        assert_eq!(plain(30.0, 0), "30");
    }
}
