//! The sketch tool: what strokes may do, how near is near, and the plane that they lie on.

use eframe::egui::{self, DragValue};
use sinew_editor::StrokeEdit;
use sinew_editor::tool::Facing;

use super::named;
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let work = &mut studio.session.sketch;
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut work.freedom.stretches, "Stretch bones").on_hover_text(
            "Bones get longer and shorter, so that the limb covers the whole stroke; else they only turn",
        );
        ui.checkbox(&mut work.freedom.moves_start, "Move the limb").on_hover_text(
            "The limb's first joint goes to where the stroke begins; else it stays where it is",
        );
        ui.checkbox(&mut work.freedom.ends_there, "End on the line").on_hover_text(
            "On a line shorter than the limb it bends, so that the hand is where the line ends; else it goes on straight",
        );
    });
    ui.checkbox(&mut work.keeps_limits, "Keep limits").on_hover_text(
        "Elbows and knees bend the way that they do in a body, and no further than they close: the bone above turns about itself for it",
    );
    ui.horizontal_wrapped(|ui| {
        ui.label("Reach");
        let reach = DragValue::new(&mut work.reach_px).range(4.0..=120.0).speed(0.5).suffix(" px");
        let reach = ui.add(reach.max_decimals(0));
        named(&reach, "Reach of strokes");
        reach.on_hover_text("A joint this near to a stroke is meant by it");
        ui.label("Steady");
        let steady = DragValue::new(&mut work.steady_px).range(0.0..=60.0).speed(0.25);
        let steady = ui.add(steady.suffix(" px").max_decimals(0));
        named(&steady, "Steadiness of strokes");
        steady.on_hover_text(
            "The pen pulls the line on a string of this length; 0 draws as the hand moves",
        );
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("Plane");
        let plane = egui::ComboBox::from_id_salt("sketch plane").selected_text(work.facing.name());
        let plane = plane.show_ui(ui, |ui| {
            for facing in Facing::ALL {
                ui.selectable_value(&mut work.facing, facing, facing.name());
            }
        });
        named(&plane.response, "Plane of strokes");
        plane.response.on_hover_text(
            "Strokes lie on a plane that faces the view, on one of the model's, or on one with a gizmo that you move and turn: what is before or behind it stays so",
        );
        if work.facing == Facing::Own {
            let reset = ui.button("Face the view").on_hover_text("Put the plane where it was at first");
            if reset.clicked() {
                work.own = None;
            }
            return;
        }
        ui.checkbox(&mut work.through_look_at, "Through the look-at point")
            .on_hover_text("The plane goes through what the camera looks at, not through the limb");
    });
    strokes(studio, ui);
}

/// The strokes in hand.
fn strokes(studio: &mut Studio, ui: &mut egui::Ui) {
    let document = studio.document();
    let strokes = studio.session.strokes_in_hand(studio.workspace.editor());
    let names: Vec<String> = strokes
        .iter()
        .map(|stroke| {
            let path = stroke.chain.path();
            let [from, to] = [path[0], path[path.len() - 1]].map(|j| document.joint_ref(j).0);
            if from == to { from } else { format!("{from} to {to}") }
        })
        .collect();
    if names.is_empty() {
        ui.weak("Strokes stay in hand until the pose is changed in another way");
        return;
    }
    let chosen = studio.session.sketch.chosen;
    for (number, name) in names.iter().enumerate() {
        ui.horizontal(|ui| {
            let erase =
                ui.small_button("×").on_hover_text("Take this stroke back; the others stay");
            named(&erase, &format!("Erase stroke {}", number + 1));
            if erase.clicked() {
                studio.session.sketch.chosen = None;
                studio.apply(StrokeEdit::EraseStroke { number });
            }
            let is_chosen = chosen == Some(number);
            let row = super::list_row(ui, is_chosen, format!("{}. {name}", number + 1));
            named(&row, &format!("Stroke {}", number + 1));
            if row.on_hover_text("Show its knots, and draw for its limb").clicked() {
                studio.session.choose_stroke(number, studio.workspace.editor());
            }
        });
    }
}
