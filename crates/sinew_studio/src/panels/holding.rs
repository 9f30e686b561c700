//! What single meshes and joints have of their own under springs, and how springs go on in time.

use eframe::egui::{self, DragValue, Slider};
use sinew::attach::AttachSettings;
use sinew::frame::Rig;
use sinew_editor::{JointRef, MeshRef, RigEdit};

use super::{elided, named, rigid};
use crate::studio::Studio;

/// Which meshes relax, which joints nothing holds on to, and time.
pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui, rig: &Rig) {
    let meshes = egui::CollapsingHeader::new("Meshes").show(ui, |ui| meshes(studio, ui, rig));
    meshes.header_response.on_hover_text("Which meshes springs relax, and which keep their shapes");
    excluded(studio, ui, rig);
    let time = egui::CollapsingHeader::new("In time").show(ui, |ui| in_time(studio, ui, rig));
    time.header_response.on_hover_text("How springs move from frame to frame");
}

fn meshes(studio: &mut Studio, ui: &mut egui::Ui, rig: &Rig) {
    let character = studio.document().character().clone();
    for (index, part) in character.parts.iter().enumerate() {
        let mesh = MeshRef::of(&character, index);
        let mut relaxes = rig.relaxes(&character, index);
        ui.horizontal(|ui| {
            let field = ui.checkbox(&mut relaxes, elided(part.mesh.name()));
            named(&field, &format!("Relax {}", mesh.0));
            if field.on_hover_text("Springs relax this mesh").changed() {
                studio.apply(RigEdit::SetRelaxing { mesh: mesh.clone(), relaxes: Some(relaxes) });
            }
            let own = rig.part(index);
            if rigid::matters(rig) {
                rigid::mesh(studio, ui, &mesh, own);
            }
            if own.is_some_and(|own| own.relaxes.is_some()) {
                let rule = ui.small_button("By the rule");
                named(&rule, &format!("By the rule {}", mesh.0));
                if rule.on_hover_text("Springs relax every mesh that has weights").clicked() {
                    studio.apply(RigEdit::SetRelaxing { mesh: mesh.clone(), relaxes: None });
                }
            }
            if own.is_some_and(|own| !own.stiffness.is_empty()) {
                let clear =
                    ui.small_button("Painted").on_hover_text("Forget its painted stiffness");
                named(&clear, &format!("Forget painted stiffness of {}", mesh.0));
                if clear.clicked() {
                    studio.apply(RigEdit::PaintStiffness { mesh, stiffness: Vec::new() });
                }
            }
        });
    }
    if rigid::matters(rig) {
        rigid::chosen_pieces(studio, ui, rig);
    }
}

/// The joints that nothing holds on to; choosing them is the joint panel's.
fn excluded(studio: &mut Studio, ui: &mut egui::Ui, rig: &Rig) {
    let Some(springs) = &rig.springs else { return };
    let excluded = &springs.attach.excluded_joints;
    if excluded.is_empty() {
        return;
    }
    let names: Vec<String> =
        excluded.iter().map(|&joint| elided(&studio.document().joint_ref(joint).0)).collect();
    ui.horizontal_wrapped(|ui| {
        ui.weak(format!("Nothing holds on to {}", names.join(", ")));
        let none = ui.small_button("To all again").on_hover_text("Exclude no joint");
        named(&none, "Exclude no joint");
        if none.clicked() {
            studio.apply(RigEdit::ExcludeJoints { joints: Vec::new() });
        }
    });
}

fn in_time(studio: &mut Studio, ui: &mut egui::Ui, rig: &Rig) {
    ui.checkbox(&mut studio.session.playback.swings, "Swing while playing")
        .on_hover_text("Skin has mass: it lags behind the bones and swings after them");
    let dynamics = &rig.dynamics;
    egui::Grid::new("dynamics").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        let tip = "How often a second a point swings about its place";
        ui.label("Frequency").on_hover_text(tip);
        let mut next = *dynamics;
        let field = Slider::new(&mut next.frequency_hz, 0.5..=12.0).suffix(" Hz").max_decimals(2);
        let field = field.clamping(egui::SliderClamping::Never);
        let field = ui.add(field).on_hover_text(tip);
        named(&field, "Frequency");
        ui.end_row();
        if next != *dynamics || field.drag_stopped() {
            let edit = RigEdit::SetDynamics { dynamics: next };
            studio.scrub(&field, "Frequency", vec![edit.into()]);
        }
        let tip = "0 swings for ever, 1 comes back without overshooting";
        ui.label("Damping").on_hover_text(tip);
        let mut next = *dynamics;
        let field = Slider::new(&mut next.damping_ratio, 0.0..=1.0).max_decimals(3);
        let field = field.clamping(egui::SliderClamping::Never);
        let field = ui.add(field).on_hover_text(tip);
        named(&field, "Damping");
        ui.end_row();
        if next != *dynamics || field.drag_stopped() {
            let edit = RigEdit::SetDynamics { dynamics: next };
            studio.scrub(&field, "Damping", vec![edit.into()]);
        }
        let tip = "How far a point may lag, as a multiple of its distance to its bone: 0 goes with the bone, 4 looks like a cartoon";
        ui.label("Most lag").on_hover_text(tip);
        let mut next = *dynamics;
        let field = Slider::new(&mut next.most_lag, 0.0..=4.0).max_decimals(3);
        let field = field.clamping(egui::SliderClamping::Never);
        let field = ui.add(field).on_hover_text(tip);
        named(&field, "Most lag");
        ui.end_row();
        if next != *dynamics || field.drag_stopped() {
            let edit = RigEdit::SetDynamics { dynamics: next };
            studio.scrub(&field, "Most lag", vec![edit.into()]);
        }
    });
    ui.checkbox(&mut studio.session.starts_from_previous, "Drag from the last frame").on_hover_text(
        "While something is dragged, springs begin where the last frame ended: smoother, and nearer to rest",
    );
}

/// What a joint has of its own: whether points hold on to it, and how far its bends reach.
pub(crate) fn joint(studio: &mut Studio, ui: &mut egui::Ui, active: u32) {
    let rig = studio.document().rig().clone();
    let Some(springs) = &rig.springs else { return };
    let AttachSettings { excluded_joints, influence_of_joint, .. } = &springs.attach;
    ui.horizontal(|ui| {
        let mut holds = !excluded_joints.contains(&active);
        let tip = "Skin holds on to this joint; if off, its points hold on to other joints";
        if ui.checkbox(&mut holds, "Holds skin").on_hover_text(tip).changed() {
            let others = excluded_joints.iter().copied().filter(|&joint| joint != active);
            let all: Vec<JointRef> = others
                .chain((!holds).then_some(active))
                .map(|joint| studio.document().joint_ref(joint))
                .collect();
            studio.apply(RigEdit::ExcludeJoints { joints: all });
        }
        let own = influence_of_joint.iter().find(|(joint, _)| *joint == active);
        let mut influence = own.map_or(1.0, |(_, influence)| *influence);
        let tip = "How far this joint's bends reach: below 1 tighter, above 1 rounder";
        ui.label("Influence").on_hover_text(tip);
        let field = DragValue::new(&mut influence)
            .range(AttachSettings::INFLUENCES)
            .speed(0.01)
            .max_decimals(2);
        let field = ui.add(field).on_hover_text(tip);
        named(&field, "Influence of the joint");
        if field.changed() || field.drag_stopped() {
            let joint = studio.document().joint_ref(active);
            let influence = (influence != 1.0).then_some(influence);
            let edit = RigEdit::SetInfluence { joint, influence };
            studio.scrub(&field, "Influence of the joint", vec![edit.into()]);
        }
    });
}
