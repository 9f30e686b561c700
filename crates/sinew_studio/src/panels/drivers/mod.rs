//! What drives joints and shapes, with live values, and the named controls.

mod add;
mod shapes;

use eframe::egui::{self, Slider, TextEdit};
use sinew::Character;
use sinew::driver::{Control, Drive, Driver, Property, ShapeIndex, Value};
use sinew::frame::Controls;
use sinew_editor::{RiggingEdit, ShownNumbers, driver_text};

use super::{elided, named, one_line, section};
use crate::command::Command;
use crate::studio::Studio;

/// What the panel remembers.
#[derive(Debug, Default)]
pub(crate) struct DriversPanel {
    new_control: String,
    /// The formula that is being typed, and whose it is.
    typed: Option<(String, String)>,
    draft: add::Draft,
    new_shape: shapes::Draft,
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal_wrapped(|ui| {
        let all = [
            (Command::AddTwistJoints, "Twist joints"),
            (Command::AddHalfWay, "Half-way"),
            (Command::AddCorrective, "Corrective"),
            (Command::SculptTool, "Sculpt"),
        ];
        for (command, words) in all {
            let button = ui.add_enabled(studio.can(command), egui::Button::new(words).small());
            named(&button, words);
            let button = button.on_hover_text(command.tip());
            if button.on_disabled_hover_text(studio.why_not(command)).clicked() {
                studio.queue(command);
            }
        }
    });
    if studio.is_on(Command::SculptTool) == Some(true) {
        let tip =
            "Points within this distance of the dragged one follow, less the further away they are";
        let slider = Slider::new(&mut studio.session.sculpt.radius, 0.0..=0.5).suffix(" m");
        let field = ui.add(slider.max_decimals(3).text("Reach")).on_hover_text(tip);
        named(&field, "Sculpt reach");
    }
    if let Some((what, fraction)) = studio.job_progress() {
        ui.add(egui::ProgressBar::new(fraction).text(what));
    }
    let character = studio.document().character().clone();
    controls(studio, ui, &character);
    let driven = studio.session.frame.as_ref().map(|frame| frame.controls().clone());
    for driver in &character.drivers.list {
        row(studio, ui, &character, driver, driven.as_ref());
    }
    if character.drivers.list.is_empty() {
        ui.weak("Nothing is driven yet");
    }
    section(ui, "Add driver…", false, |ui| add::show(studio, ui, &character));
    if !character.parts.is_empty() {
        section(ui, "Add shape…", false, |ui| shapes::show(studio, ui, &character));
    }
}

fn controls(studio: &mut Studio, ui: &mut egui::Ui, character: &Character) {
    let values = studio.session.playback.values(studio.document());
    let has_clip = studio.session.playback.clip().is_some();
    for (index, (control, value)) in (0..).zip(character.drivers.controls.iter().zip(values)) {
        ui.horizontal(|ui| {
            let name = &control.name;
            let [least, most] = control.range;
            let mut value = value;
            let slider = Slider::new(&mut value, least..=most).max_decimals(3).text(elided(name));
            let field =
                ui.add(slider).on_hover_text("The number that formulas read under this name");
            named(&field, &format!("Control {name}"));
            if field.changed() || field.drag_stopped() {
                let edit = RiggingEdit::set_control(name, value.clamp(least, most));
                studio.scrub(&field, &format!("Set {name}"), vec![edit.into()]);
            }
            let key = ui.add_enabled(has_clip, egui::Button::new("Key").small());
            named(&key, &format!("Key control {name}"));
            let key = key.on_hover_text("Set a key of it at the playhead");
            if key.on_disabled_hover_text("Choose a clip first").clicked() {
                let controls = vec![(index, value)];
                studio.set_number_keys(&ShownNumbers { controls, ..Default::default() });
            }
            let gone = ui.small_button("×").on_hover_text("Take this control away");
            named(&gone, &format!("Remove control {name}"));
            if gone.clicked() {
                studio.apply(RiggingEdit::RemoveControl { name: name.clone() });
            }
        });
    }
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut studio.panels.drivers.new_control)
            .hint_text("New control")
            .desired_width(ui.available_width() - 60.0);
        let field = ui.add(field).on_hover_text("A name for a number that formulas can read");
        named(&field, "New control name");
        let name = studio.panels.drivers.new_control.trim().to_owned();
        let add = ui.add_enabled(!name.is_empty(), egui::Button::new("Add").small());
        named(&add, "Add control");
        let add = add.on_hover_text("Add a control from 0 to 1");
        if add.on_disabled_hover_text("Type its name first").clicked() {
            let control = Control { name, rest: 0.0, range: [0.0, 1.0] };
            studio.apply(RiggingEdit::AddControl { control });
            studio.panels.drivers.new_control.clear();
        }
    });
}

fn row(
    studio: &mut Studio,
    ui: &mut egui::Ui,
    character: &Character,
    driver: &Driver,
    driven: Option<&Controls>,
) {
    let name = &driver.name;
    ui.horizontal(|ui| {
        let mut acts = !driver.muted;
        let acting = ui.checkbox(&mut acts, "");
        named(&acting, &format!("Driver {name} acts"));
        if acting.on_hover_text("Whether this driver works").clicked() {
            studio.apply(RiggingEdit::MuteDriver { name: name.clone(), muted: !acts });
        }
        let gone = ui.small_button("×").on_hover_text("Take this driver away");
        named(&gone, &format!("Remove driver {name}"));
        if gone.clicked() {
            studio.apply(RiggingEdit::RemoveDriver { name: name.clone() });
        }
        let now = driven.map(|driven| live(character, &driver.drive, driven)).unwrap_or_default();
        let line = one_line(ui, format!("{}  {now}", elided(name)));
        named(&line, &format!("Driver {name}"));
        line.on_hover_text(words(character, &driver.drive));
    });
    if let Drive::Formula { formula, .. } = &driver.drive {
        formula_field(studio, ui, character, driver, formula);
    }
}

/// A formula is taken when the field is left, if it can be read.
fn formula_field(
    studio: &mut Studio,
    ui: &mut egui::Ui,
    character: &Character,
    driver: &Driver,
    formula: &str,
) {
    let typed = studio.panels.drivers.typed.take();
    let mut text = match typed {
        Some((of, text)) if of == driver.name => text,
        other => {
            studio.panels.drivers.typed = other;
            formula.to_owned()
        }
    };
    let field = TextEdit::singleline(&mut text).desired_width(f32::INFINITY);
    let field = ui.add(field).on_hover_text("Angles are in degrees; Enter keeps the formula");
    named(&field, &format!("Formula of {}", driver.name));
    if field.lost_focus() && text != formula {
        let mut changed = driver_text(driver, character);
        if let Drive::Formula { formula, .. } = &mut changed.drive {
            *formula = text;
        }
        studio.apply(RiggingEdit::SetDriver { driver: Box::new(changed) });
    } else if field.has_focus() {
        studio.panels.drivers.typed = Some((driver.name.clone(), text));
    }
}

fn shape_name(character: &Character, of: &ShapeIndex) -> String {
    let part = character.parts.get(of.part as usize);
    let shape = part.and_then(|part| part.shapes.get(of.shape as usize));
    shape.map_or_else(String::new, |shape| shape.name.clone())
}

/// What is driven, now.
fn live(character: &Character, drive: &Drive, driven: &Controls) -> String {
    let pose = |joint: u32| driven.pose.joints.get(joint as usize).copied().unwrap_or_default();
    let weight = |shape: &ShapeIndex| {
        let weights = &driven.part(shape.part as usize).shape_weights;
        weights.get(shape.shape as usize).copied().unwrap_or(0.0)
    };
    match drive {
        Drive::Share { joint, .. } | Drive::Aim { joint, .. } | Drive::Copy { joint, .. } => {
            let pose = pose(*joint);
            let [swing, twist] = [Property::Swing, Property::Twist].map(|p| p.of(&pose));
            format!("swing {swing:.1}°, twist {twist:.1}°")
        }
        Drive::Formula { value: Value::Joint { joint, property }, .. } => {
            format!("{} {:.3}", property.name(), property.of(&pose(*joint)))
        }
        Drive::Formula { value: Value::Shape { shape }, .. } | Drive::InBetween { shape, .. } => {
            format!("{:.3}", weight(shape))
        }
        Drive::Examples { shapes, .. } => {
            let each = |shape: &ShapeIndex| {
                format!("{} {:.2}", elided(&shape_name(character, shape)), weight(shape))
            };
            shapes.iter().map(each).collect::<Vec<_>>().join(", ")
        }
    }
}

/// What it does, in words.
fn words(character: &Character, drive: &Drive) -> String {
    let joint = |joint: &u32| {
        let found = character.skeleton.joints().get(*joint as usize);
        found.map_or_else(String::new, |joint| joint.name.clone())
    };
    match drive {
        Drive::Share { joint: to, of, .. } => {
            let share = |share: &sinew::driver::Share| {
                let of = |what: &str, share: Option<f64>| {
                    share.map(|share| format!("{share:.2} of the {what}"))
                };
                let all = [of("swing", share.swing), of("twist", share.twist)];
                let all: Vec<String> = all.into_iter().flatten().collect();
                format!("{} of {}", all.join(" and "), joint(&share.joint))
            };
            let all: Vec<String> = of.iter().map(share).collect();
            format!("{} takes {}", joint(to), all.join(", "))
        }
        Drive::Aim { joint: to, target, .. } => {
            format!("{} looks at {}", joint(to), joint(target))
        }
        Drive::Copy { joint: to, source, axis, weight } => {
            let what = if axis.is_some() { "roll" } else { "rotation" };
            format!("{} copies {weight:.2} of the {what} of {}", joint(to), joint(source))
        }
        Drive::Formula { value: Value::Joint { joint: to, property }, formula, .. } => {
            format!("{} of {} is {formula}", property.name(), joint(to))
        }
        Drive::Formula { value: Value::Shape { shape }, formula, .. } => {
            format!("{} is {formula}", shape_name(character, shape))
        }
        Drive::InBetween { shape, of, weight } => {
            let (shape, of) = (shape_name(character, shape), shape_name(character, of));
            format!("{shape} is what {of} is at {weight}")
        }
        Drive::Examples { joints, examples, .. } => {
            let joints: Vec<String> = joints.iter().map(|of| joint(&of.joint)).collect();
            format!("{} poses of {}", examples.len(), joints.join(", "))
        }
    }
}
