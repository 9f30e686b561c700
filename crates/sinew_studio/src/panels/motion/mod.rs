//! The motion that is shown as a whole: its name, length and frames a second, what it does outside
//! its keys, and what is done to all of its keys. Its layers are below.

mod layers;
mod retime;

use eframe::egui::{self, ComboBox, DragValue, TextEdit};
use sinew::motion::{Motion, Outside};
use sinew_editor::{ChannelRef, MotionEdit, MotionRef};

use super::named;
use crate::studio::Studio;

/// What the panel remembers.
#[derive(Debug, Default)]
pub(crate) struct MotionPanel {
    /// A name that is being typed, and what of.
    typed: Option<(Typed, String)>,
    retime: retime::Fields,
}

/// Whose name.
#[derive(Clone, Debug, PartialEq)]
enum Typed {
    Motion(String),
    Layer(String),
}

/// Longer than anything that is edited by hand; scripts may have more.
const MOST_SECONDS: f64 = 3600.0;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let Some((motion, layer)) = studio.motion_and_layer() else {
        ui.weak("Choose a clip at the left of the timeline, or add a motion: Play, New Motion");
        return;
    };
    let Some(of) = studio.motion_ref() else { return };
    ui.horizontal(|ui| whole(studio, ui, &motion, &of));
    egui::Grid::new("motion").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("Name");
        let tip = "What the motion is called, here and in files; Enter takes it";
        let typed = Typed::Motion(motion.name.clone());
        if let Some(name) = name_field(studio, ui, typed, "Motion name", tip) {
            studio.apply(MotionEdit::RenameMotion { motion: of.clone(), name });
        }
        ui.end_row();
        length(studio, ui, &motion, &of);
        rate(studio, ui, &motion, &of);
        outside(studio, ui, &motion, layer);
        retime::show(studio, ui, &motion, &of);
    });
    ui.separator();
    layers::show(studio, ui, &motion, layer, &of);
}

/// A name that is taken when its field is left; `None` while it is not, or is as it was.
fn name_field(
    studio: &mut Studio,
    ui: &mut egui::Ui,
    of: Typed,
    control: &str,
    tip: &str,
) -> Option<String> {
    let (Typed::Motion(now) | Typed::Layer(now)) = of.clone();
    let typed = &mut studio.panels.motion.typed;
    let mut text = match typed.take_if(|(known, _)| *known == of) {
        Some((_, text)) => text,
        None => now.clone(),
    };
    let field = ui.add(TextEdit::singleline(&mut text).desired_width(150.0)).on_hover_text(tip);
    named(&field, control);
    if field.lost_focus() {
        let name = text.trim().to_owned();
        return (name != now && !name.is_empty()).then_some(name);
    }
    if field.has_focus() {
        *typed = Some((of, text));
    }
    None
}

fn whole(studio: &mut Studio, ui: &mut egui::Ui, motion: &Motion, of: &MotionRef) {
    let button = ui.button("Duplicate").on_hover_text("Add a motion with the same keys");
    named(&button, "Duplicate motion");
    if button.clicked() {
        let name = studio.free_motion_name(&motion.name);
        let copy_of = Some(of.clone());
        studio.apply(MotionEdit::AddMotion { name, seconds: motion.length_seconds, copy_of });
        studio.choose_clip(studio.document().motions().len().checked_sub(1));
    }
    let button = ui.button("Delete").on_hover_text("Take the motion out; undo brings it back");
    named(&button, "Delete motion");
    if button.clicked() {
        studio.choose_clip(None);
        studio.apply(MotionEdit::DeleteMotion { motion: of.clone() });
    }
}

fn length(studio: &mut Studio, ui: &mut egui::Ui, motion: &Motion, of: &MotionRef) {
    ui.label("Length");
    ui.horizontal(|ui| {
        let set = |seconds| MotionEdit::SetMotionLength { motion: of.clone(), seconds };
        let mut seconds = motion.length_seconds;
        let field = DragValue::new(&mut seconds).speed(0.02).range(0.0..=MOST_SECONDS).suffix(" s");
        let tip = "How long the motion is; keys past its end stay, and are not played";
        let field = ui.add(field.max_decimals(3)).on_hover_text(tip);
        named(&field, "Motion length");
        if field.changed() || field.drag_stopped() {
            studio.scrub(&field, "Motion length", vec![set(seconds).into()]);
        }
        let last = motion.last_key_seconds().filter(|last| *last > 0.0);
        let is_other = last.is_some_and(|last| last != motion.length_seconds);
        let button = ui.add_enabled(is_other, egui::Button::new("To last key").small());
        named(&button, "Length to last key");
        let button = button.on_hover_text("The motion ends with its last key");
        let button = button.on_disabled_hover_text("It does already, or has no keys");
        if let Some(last) = last.filter(|_| button.clicked()) {
            studio.apply(set(last));
        }
    });
    ui.end_row();
}

fn rate(studio: &mut Studio, ui: &mut egui::Ui, motion: &Motion, of: &MotionRef) {
    ui.label("Frames");
    ui.horizontal(|ui| {
        let set = |rate| {
            let (motion, frames_per_second) = (of.clone(), rate);
            MotionEdit::SetMotionRate { motion, frames_per_second }
        };
        let mut rate = studio.frames_per_second();
        let field = DragValue::new(&mut rate).speed(0.1).range(1.0..=1000.0).suffix(" a second");
        let tip = "What rulers, steps and snapping count in; keys stay where they are";
        let field = ui.add(field.max_decimals(3)).on_hover_text(tip);
        named(&field, "Frames a second");
        if field.changed() || field.drag_stopped() {
            studio.scrub(&field, "Frames a second", vec![set(Some(rate)).into()]);
        }
        let is_said = motion.frames_per_second.is_some();
        let button = ui.add_enabled(is_said, egui::Button::new("Of keys").small());
        named(&button, "Frames a second of keys");
        let button = button.on_hover_text("Count in what the motion's keys are on");
        if button.on_disabled_hover_text("It is what the keys are on").clicked() {
            studio.apply(set(None));
        }
    });
    ui.end_row();
}

const OUTSIDE: [(Outside, &str, &str); 3] = [
    (Outside::Hold, "Hold", "Stay as the key is"),
    (Outside::Cycle, "Cycle", "Begin again"),
    (Outside::CycleWithOffset, "Cycle on", "Begin again where it ended: a walk that goes on"),
];

/// What the channels with chosen keys do outside them; those of the layer if none is chosen.
fn outside(studio: &mut Studio, ui: &mut egui::Ui, motion: &Motion, layer: usize) {
    let chosen = &studio.panels.keys.chosen;
    let channels: Vec<_> = (motion.layers[layer].channels().iter())
        .filter(|channel| chosen.is_empty() || chosen.contains_key(&channel.address()))
        .collect();
    let all: Vec<(Outside, Outside)> = channels.iter().map(|c| c.keys().outside()).collect();
    let addresses: Vec<_> = channels.iter().map(|channel| channel.address()).collect();
    let whose = if chosen.is_empty() { "all channels of the layer" } else { "the chosen channels" };
    let mut wanted = None;
    for (is_after, label, control) in
        [(false, "Before", "Before the first key"), (true, "After", "After the last key")]
    {
        let of = |pair: &(Outside, Outside)| if is_after { pair.1 } else { pair.0 };
        let common = all.first().map(of).filter(|first| all.iter().all(|pair| of(pair) == *first));
        let words =
            common.and_then(|common| OUTSIDE.iter().find(|(outside, ..)| *outside == common));
        let words = words.map_or(if all.is_empty() { "No keys" } else { "Various" }, |row| row.1);
        ui.label(label);
        ui.add_enabled_ui(!all.is_empty(), |ui| {
            let list = ComboBox::from_id_salt(control).selected_text(words).width(120.0);
            let shown = list.show_ui(ui, |ui| {
                for (outside, words, tip) in OUTSIDE {
                    let row = ui.selectable_label(common == Some(outside), words);
                    if row.on_hover_text(tip).clicked() {
                        wanted = Some((is_after, outside));
                    }
                }
            });
            named(&shown.response, control);
            shown.response.on_hover_text(format!("{control}, of {whose}"));
        });
        ui.end_row();
    }
    let Some((is_after, outside)) = wanted else { return };
    let Some((motion, layer)) = studio.motion_refs() else { return };
    let character = studio.document().character().clone();
    let edits = addresses.iter().zip(&all).map(|(address, (before, after))| {
        let (before, after) = if is_after { (*before, outside) } else { (outside, *after) };
        let channels = vec![ChannelRef::of(&character, *address)];
        let (motion, layer) = (motion.clone(), layer.clone());
        MotionEdit::SetOutside { motion, layer, channels, before, after }.into()
    });
    studio.apply_all("Set what is outside keys", edits.collect());
}

impl Studio {
    /// How edits name the motion that is shown.
    pub(crate) fn motion_ref(&self) -> Option<MotionRef> {
        Some(MotionRef::of(self.document(), self.session.playback.clip()?))
    }

    /// A name that no motion has, with a number after it.
    pub(crate) fn free_motion_name(&self, like: &str) -> String {
        let (motions, character) = (self.document().motions(), self.document().character());
        let is_taken =
            |name: &str| (0..motions.len()).any(|at| motions.name(character, at) == name);
        let base = like.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
        let numbered = (2..).map(|number| format!("{base} {number}"));
        numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
    }
}
