//! The cage: making and checking one, how its tool works, and its handles in numbers.

use eframe::egui::{self, DragValue, Slider};
use sinew::cage::{CageSettings, CoordinateKind};
use sinew::glam::DVec3;
use sinew_editor::tool::{CageGesture, CageMove, CageWork, cage_center, cage_moved};

use super::named;
use crate::command::Command;
use crate::studio::Studio;

/// Of a lattice along an axis: 8 along each are 386 handles.
const MOST_QUADS: u32 = 16;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let Some(rig) = studio.document().rig().cage.clone() else {
        ui.weak("A coarse mesh around the character, whose points are handles");
        refused(studio, ui);
        settings(studio, ui);
        make(studio, ui, "Make a Cage");
        return;
    };
    let (handles, faces) = (rig.cage.points().len(), rig.cage.faces().len());
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("{handles} handles, {faces} faces"));
        command(studio, ui, Command::CageTool, "Take hold");
        command(studio, ui, Command::CheckCage, "Check");
    });
    ui.horizontal(|ui| {
        ui.label("Coordinates");
        let is_free = !studio.has_job();
        let next = ui.add_enabled_ui(is_free, |ui| {
            coordinates(ui, "Coordinates of the cage", rig.coordinates)
        });
        if let Some(next) = next.inner {
            studio.use_coordinates(next, &ui.ctx().clone());
        }
    });
    refused(studio, ui);
    checked(studio, ui);
    if let Some(words) = studio.cage_warning() {
        let words = egui::RichText::new(words).color(ui.visuals().warn_fg_color);
        ui.add(egui::Label::new(words).wrap());
    }
    how(studio, ui);
    structures(studio, ui);
    chosen(studio, ui);
    ui.horizontal_wrapped(|ui| {
        if studio.has_cage_tool() {
            command(studio, ui, Command::SetKeys, "Set key");
        }
        command(studio, ui, Command::ResetCage, "Reset");
        command(studio, ui, Command::RemoveCage, "Remove");
    });
    let another = egui::CollapsingHeader::new("Another one").show(ui, |ui| {
        settings(studio, ui);
        make(studio, ui, "Make Another");
        ui.horizontal_wrapped(|ui| {
            command(studio, ui, Command::AddCage, "Add from a File…");
            command(studio, ui, Command::AddPointHandles, "Add point handles");
        });
    });
    another.header_response.on_hover_text("Make a cage of other faces, in place of this one");
}

fn command(studio: &mut Studio, ui: &mut egui::Ui, command: Command, words: &str) {
    let is_on = studio.is_on(command).unwrap_or(false);
    let button = egui::Button::new(words).small().selected(is_on);
    let button = ui.add_enabled(studio.can(command), button);
    named(&button, &format!("Cage: {words}"));
    let button = button.on_hover_text(command.tip());
    if button.on_disabled_hover_text(studio.why_not(command)).clicked() {
        studio.queue(command);
    }
}

fn settings(studio: &mut Studio, ui: &mut egui::Ui) {
    let settings = &mut studio.panels.cage.settings;
    ui.horizontal_wrapped(|ui| {
        ui.label("Faces");
        let range = CageSettings::MIN_FACES..=CageSettings::MAX_FACES;
        let field = ui.add(DragValue::new(&mut settings.faces).range(range).speed(2.0));
        named(&field, "Faces of the cage");
        field.on_hover_text(
            "About how many triangles. A cage of fewer is easier to handle, one of more follows the skin better",
        );
        ui.label("Offset");
        let mut percent = 100.0 * settings.offset;
        let field = DragValue::new(&mut percent).range(0.5..=30.0).speed(0.05).suffix(" %");
        let field = ui.add(field.max_decimals(2));
        named(&field, "Offset of the cage");
        if field.on_hover_text("Distance from the skin, as a share of the character's diagonal").changed() {
            settings.offset = percent / 100.0;
        }
        ui.checkbox(&mut settings.symmetric, "Symmetric")
            .on_hover_text("A symmetric character gets a symmetric cage");
    });
    ui.horizontal(|ui| {
        ui.label("Coordinates");
        let kind = studio.panels.cage.coordinates;
        if let Some(next) = coordinates(ui, "Coordinates of a new cage", kind) {
            studio.panels.cage.coordinates = next;
        }
    });
    ui.horizontal(|ui| {
        ui.label("Box");
        for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            if axis > 0 {
                ui.label("×");
            }
            let field = DragValue::new(&mut studio.panels.cage.lattice[axis]).range(1..=MOST_QUADS);
            let field = ui.add(field.speed(0.05));
            named(&field, &format!("Quads of the lattice along {name}"));
            field.on_hover_text("How many quads of a box lattice along this axis");
        }
    });
}

/// A list of the kinds of coordinates; the one that was chosen.
fn coordinates(ui: &mut egui::Ui, name: &str, kind: CoordinateKind) -> Option<CoordinateKind> {
    let list = egui::ComboBox::from_id_salt(name).selected_text(words_of(kind)[0]).width(150.0);
    let shown = list.show_ui(ui, |ui| {
        let mut next = None;
        for of in CoordinateKind::ALL {
            let [words, tip] = words_of(of);
            if ui.selectable_label(of == kind, words).on_hover_text(tip).clicked() {
                next = Some(of).filter(|next| *next != kind);
            }
        }
        next
    });
    named(&shown.response, name);
    shown.response.on_hover_text(format!("How points hang on the cage. {}", words_of(kind)[1]));
    shown.inner.flatten()
}

/// What a kind is called here, and what it is good for.
fn words_of(kind: CoordinateKind) -> [&'static str; 2] {
    match kind {
        CoordinateKind::QuadMeanValue => {
            ["Quad mean value", "Smooth everywhere; a mirrored cage moves the skin mirrored"]
        }
        CoordinateKind::MeanValue => {
            ["Mean value", "The same with quads split along one diagonal, as SuperCages has it"]
        }
        CoordinateKind::Harmonic => {
            ["Harmonic", "Hardly ever negative: a leg keeps still while the other one is moved"]
        }
        CoordinateKind::Parts => [
            "Parts",
            "Each closed piece holds what is in it, point handles the skin around them; the rest stays",
        ],
    }
}

fn make(studio: &mut Studio, ui: &mut egui::Ui, words: &str) {
    if let Some((what, fraction)) = studio.job_progress() {
        ui.add(egui::ProgressBar::new(fraction).text(what));
        return;
    }
    ui.horizontal_wrapped(|ui| {
        command(studio, ui, Command::MakeCage, words);
        command(studio, ui, Command::MakeLattice, "Box Lattice");
        command(studio, ui, Command::ImportCage, "From a File…");
    });
}

/// A cage of a file that could not be taken; the views show where.
fn refused(studio: &mut Studio, ui: &mut egui::Ui) {
    let Some(refused) = studio.panels.cage.refused.clone() else { return };
    let bad = ui.visuals().error_fg_color;
    ui.label(format!("'{}' cannot be the cage:", refused.name));
    for fault in &refused.report.faults {
        ui.add(egui::Label::new(egui::RichText::new(fault.to_string()).color(bad)).wrap());
    }
    let button = ui.small_button("Never mind").on_hover_text("Hide it again");
    named(&button, "Cage: Never mind");
    if button.clicked() {
        studio.panels.cage.refused = None;
    }
}

/// What of rest and pose is shown in the views.
fn structures(studio: &mut Studio, ui: &mut egui::Ui) {
    for (name, shown) in [
        (
            "Rest",
            [
                (Command::ShowRestSkin, "skin"),
                (Command::ShowRestBones, "bones"),
                (Command::ShowRestCage, "cage"),
            ],
        ),
        (
            "Pose",
            [
                (Command::ShowSkin, "skin"),
                (Command::ShowBones, "bones"),
                (Command::ShowPosedCage, "cage"),
            ],
        ),
    ] {
        ui.horizontal(|ui| {
            ui.label(name);
            for (of, words) in shown {
                let mut is_on = studio.is_on(of).unwrap_or(false);
                let field = ui.add_enabled(studio.can(of), egui::Checkbox::new(&mut is_on, words));
                named(&field, &format!("Cage: show {name} {words}"));
                if field.on_hover_text(of.tip()).changed() {
                    studio.queue(of);
                }
            }
            if name == "Rest" {
                command(studio, ui, Command::RestAndPose, "Side by side");
            }
        });
    }
}

/// What a check has found.
fn checked(studio: &mut Studio, ui: &mut egui::Ui) {
    if studio.panels.cage.check.is_some() {
        ui.weak("Checking…");
        return;
    }
    let Some(found) = studio.panels.cage.checked.clone() else { return };
    let bad = ui.visuals().error_fg_color;
    for fault in &found.report.faults {
        let words = egui::RichText::new(fault.to_string());
        ui.label(if fault.is_error() { words.color(bad) } else { words });
    }
    if found.report.is_clean() {
        ui.label("Closed, and it does not pass through itself");
    }
    let [outside, all] = [found.num_outside, found.num_points];
    match outside {
        0 => _ = ui.label(format!("All {all} points are inside")),
        _ => _ = ui.colored_label(bad, format!("{outside} of {all} points are outside")),
    }
    match &found.bound {
        Ok([condition, largest]) => {
            let words = format!("Condition {condition:.0}, largest coordinate {largest:.2}");
            let tip = "The condition says how well the skin determines the posed cage: below 200 is good. A coordinate past 3 makes the skin jump";
            let label = match *condition > 200.0 || *largest > 3.0 {
                true => ui.colored_label(ui.visuals().warn_fg_color, words),
                false => ui.label(words),
            };
            label.on_hover_text(tip);
        }
        Err(words) => _ = ui.colored_label(bad, words),
    }
}

/// How the tool works.
fn how(studio: &mut Studio, ui: &mut egui::Ui) {
    let work = &mut studio.session.cage;
    ui.horizontal_wrapped(|ui| {
        for (at_rest, words, tip) in [
            (
                false,
                "In the pose",
                "Move handles in the pose; Sinew finds the cage at rest that leads there",
            ),
            (true, "At rest", "The character is shown at rest, and handles are moved there"),
        ] {
            let button = ui.selectable_label(work.at_rest == at_rest, words).on_hover_text(tip);
            named(&button, &format!("Cage: {words}"));
            if button.clicked() {
                work.at_rest = at_rest;
            }
        }
        ui.separator();
        for (gesture, words, tip) in [
            (
                CageGesture::Move,
                "Move",
                "Arrows move the chosen handles; the yellow one along their normals",
            ),
            (CageGesture::Turn, "Turn", "Rings turn the chosen handles about their middle"),
            (
                CageGesture::Scale,
                "Scale",
                "Ends of arrows scale the chosen handles about their middle",
            ),
        ] {
            let button = ui.selectable_label(work.gesture == gesture, words).on_hover_text(tip);
            named(&button, &format!("Cage: {words}"));
            if button.clicked() {
                work.gesture = gesture;
            }
        }
    });
    ui.horizontal(|ui| {
        let tip = "How far a drag reaches beyond the chosen handles, along the cage";
        ui.label("Reach").on_hover_text(tip);
        let mut percent = 100.0 * work.reach;
        let most = 100.0 * CageWork::MAX_REACH;
        let field = Slider::new(&mut percent, 0.0..=most).suffix(" %").max_decimals(1);
        let field = ui.add(field).on_hover_text(tip);
        named(&field, "Reach of the cage tool");
        if field.changed() {
            work.reach = percent / 100.0;
        }
        let tip = "What happens on one side of a symmetric cage happens on the other";
        ui.checkbox(&mut work.mirrors, "Both sides").on_hover_text(tip);
    });
}

/// What is chosen, and numbers for it.
fn chosen(studio: &mut Studio, ui: &mut egui::Ui) {
    let num = studio.session.selection.handles.len();
    ui.horizontal_wrapped(|ui| {
        match num {
            0 => ui.weak("No handle is chosen"),
            1 => ui.label("1 handle"),
            _ => ui.label(format!("{num} handles")),
        };
        command(studio, ui, Command::AllHandles, "All");
        for (chosen, words) in [
            (Command::GrowPoints, "Grow"),
            (Command::ShrinkPoints, "Shrink"),
            (Command::LoopHandles, "Loop"),
        ] {
            if studio.has_cage_tool() {
                command(studio, ui, chosen, words);
            }
        }
    });
    if num == 0 {
        return;
    }
    let context = studio.session.context(studio.workspace.editor());
    let Some(center) = cage_center(&context) else { return };
    egui::Grid::new("handles").num_columns(4).spacing([6.0, 4.0]).show(ui, |ui| {
        middle(studio, ui, center);
        ui.end_row();
        amounts(studio, ui);
    });
}

fn middle(studio: &mut Studio, ui: &mut egui::Ui, center: DVec3) {
    let tip = "Where the middle of the chosen handles is. Drag, or click to type";
    ui.label("Middle").on_hover_text(tip);
    for axis in 0..3 {
        let mut next = center;
        let field = DragValue::new(&mut next[axis]).speed(0.002).suffix(" m").max_decimals(4);
        let field = ui.add(field).on_hover_text(tip);
        named(&field, &format!("Handles {}", ["X", "Y", "Z"][axis]));
        if field.changed() || field.drag_stopped() {
            apply(studio, &field, "Move the cage", CageMove::By(next - center));
        }
    }
}

/// Numbers that begin at nothing with each drag.
fn amounts(studio: &mut Studio, ui: &mut egui::Ui) {
    let tip = "Along each handle's own normal, outwards";
    ui.label("Slide").on_hover_text(tip);
    let before = studio.panels.cage.slid;
    let mut now = before;
    let field = DragValue::new(&mut now).speed(0.001).suffix(" m").max_decimals(4);
    let field = ui.add(field).on_hover_text(tip);
    named(&field, "Slide handles");
    studio.panels.cage.slid = if field.dragged() { now } else { 0.0 };
    if field.changed() || field.drag_stopped() {
        apply(studio, &field, "Slide the cage", CageMove::Slide(now - before));
    }
    ui.end_row();

    let tip = "Times their distance from their middle";
    ui.label("Scale").on_hover_text(tip);
    let before = studio.panels.cage.scaled;
    let mut now = before;
    let field = DragValue::new(&mut now).speed(0.005).range(0.01..=100.0).suffix(" ×");
    let field = ui.add(field.max_decimals(3)).on_hover_text(tip);
    named(&field, "Scale handles");
    studio.panels.cage.scaled = if field.dragged() { now } else { 1.0 };
    if field.changed() || field.drag_stopped() {
        apply(studio, &field, "Scale the cage", CageMove::Scale(DVec3::splat(now / before)));
    }
    ui.end_row();

    let tip = "About the upward axis through their middle";
    ui.label("Turn").on_hover_text(tip);
    let before = studio.panels.cage.turned_degrees;
    let mut now = before;
    let field = DragValue::new(&mut now).speed(1.0).suffix("°").max_decimals(1);
    let field = ui.add(field).on_hover_text(tip);
    named(&field, "Turn handles");
    studio.panels.cage.turned_degrees = if field.dragged() { now } else { 0.0 };
    if field.changed() || field.drag_stopped() {
        let radians = (now - before).to_radians();
        apply(studio, &field, "Turn the cage", CageMove::Turn { axis: DVec3::Y, radians });
    }
    ui.end_row();
}

fn apply(studio: &mut Studio, field: &egui::Response, label: &str, by: CageMove) {
    let context = studio.session.context(studio.workspace.editor());
    let edits = cage_moved(&context, by);
    if !edits.is_empty() {
        studio.scrub(field, label, edits);
    }
}
