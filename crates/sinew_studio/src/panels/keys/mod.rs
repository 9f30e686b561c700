//! Keys of the motion that is shown: a sheet by joint, or the curves of a channel.

mod bar;
mod curves;
mod sheet;
pub(crate) mod sight;

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui;
use sinew::motion::{Address, KeyShape, Layer, Motion, SAME_TIME_SECONDS, is_chosen};
use sinew::skeleton::Pose;
use sinew_editor::{
    ChannelRef, ChannelText, Edit, KeysRef, MotionEdit, MotionRef, NumbersToKey, ShownNumbers,
};

use crate::studio::Studio;

/// What the panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shows {
    #[default]
    Nothing,
    Sheet,
    Curves,
}

/// Keys that were copied, and when the first of them was.
#[derive(Clone, Debug)]
struct Copied {
    channels: Vec<ChannelText>,
    first_seconds: f64,
}

/// What the pointer is in the middle of.
#[derive(Clone, Debug)]
enum Drag {
    /// The chosen keys, by a key that was here.
    Keys { grabbed_seconds: f64, by_seconds: f64 },
    /// A box, from here.
    Box(egui::Pos2),
    /// A key or a handle of a curve.
    Curve(curves::Grabbed),
    /// The playhead.
    Time,
}

/// What the panel remembers.
#[derive(Debug)]
pub(crate) struct KeysPanel {
    pub(crate) shows: Shows,
    /// Which keys are chosen, by their times.
    pub(crate) chosen: BTreeMap<Address, Vec<f64>>,
    pub(crate) snaps: bool,
    only_chosen_joints: bool,
    /// The channel whose curves are shown.
    channel: Option<Address>,
    /// What the curves' panel shows of values, while they are dragged.
    held_values: Option<(f64, f64)>,
    copied: Option<Copied>,
    drag: Option<Drag>,
    /// The part of the motion that is in sight; all if `None`.
    sight: Option<(f64, f64)>,
    /// Of which motion.
    sight_of: Option<usize>,
}

impl Default for KeysPanel {
    fn default() -> Self {
        Self {
            shows: Shows::Nothing,
            chosen: BTreeMap::new(),
            snaps: true,
            only_chosen_joints: false,
            channel: None,
            held_values: None,
            copied: None,
            drag: None,
            sight: None,
            sight_of: None,
        }
    }
}

impl KeysPanel {
    pub(crate) fn toggle(&mut self, shows: Shows) {
        self.shows = if self.shows == shows { Shows::Nothing } else { shows };
    }

    pub(crate) fn has_copied(&self) -> bool {
        self.copied.is_some()
    }

    /// True if keys were copied last, and the panel is in sight.
    pub(crate) fn pastes_keys(&self) -> bool {
        self.shows != Shows::Nothing && self.copied.is_some()
    }

    pub(crate) fn is_in_hand(&self) -> bool {
        self.shows != Shows::Nothing && !self.chosen.is_empty()
    }

    fn choose(&mut self, address: Address, seconds: f64) {
        let times = self.chosen.entry(address).or_default();
        // In their order: thousands may be chosen, and every mark asks.
        let at = times.partition_point(|time| *time < seconds - SAME_TIME_SECONDS);
        if times.get(at).is_none_or(|time| *time > seconds + SAME_TIME_SECONDS) {
            times.insert(at, seconds);
        }
    }

    fn is_chosen(&self, address: Address, seconds: f64) -> bool {
        self.chosen.get(&address).is_some_and(|times| {
            let at = times.partition_point(|time| *time < seconds - SAME_TIME_SECONDS);
            times.get(at).is_some_and(|time| *time <= seconds + SAME_TIME_SECONDS)
        })
    }
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    // As high as it was drawn, however few keys there are: an empty layer must not move the view.
    ui.set_min_height(ui.available_height());
    bar::show(studio, ui);
    let Some((motion, layer)) = studio.motion_and_layer() else {
        ui.weak("Choose a clip at the left of the timeline, or add a motion: Play, New Motion");
        return;
    };
    studio.panels.keys.forget_gone(&motion, layer);
    let shown = studio.session.playback.clip();
    studio.panels.keys.keep_sight(shown, motion.length_seconds);
    match studio.panels.keys.shows {
        Shows::Nothing => {}
        Shows::Sheet => sheet::show(studio, ui, &motion, layer),
        Shows::Curves => curves::show(studio, ui, &motion, layer),
    }
}

impl KeysPanel {
    /// Undo, another motion or another layer may have taken chosen keys away.
    fn forget_gone(&mut self, motion: &Motion, layer: usize) {
        if self.drag.is_some() {
            return;
        }
        let layer: Option<&Layer> = motion.layers.get(layer);
        self.chosen.retain(|address, times| {
            let keys = layer.and_then(|layer| layer.channel(*address)).map(|c| c.keys());
            let is_there = |time: &f64| {
                keys.is_some_and(|keys| keys.key_at(*time, SAME_TIME_SECONDS).is_some())
            };
            times.retain(is_there);
            !times.is_empty()
        });
    }
}

impl Studio {
    /// A time as near as may be, on a frame where keys snap.
    fn snapped(&self, seconds: f64) -> f64 {
        let rate = self.frames_per_second();
        if self.panels.keys.snaps { (seconds * rate).round() / rate } else { seconds }
    }

    /// The motion that is shown and the layer that keys go into.
    pub(crate) fn motion_and_layer(&self) -> Option<(Arc<Motion>, usize)> {
        let motion = self.session.playback.motion()?;
        let layer = self.session.key_layer.min(motion.layers.len().saturating_sub(1));
        Some((Arc::clone(motion), layer))
    }

    /// How edits name the motion and the layer.
    pub(crate) fn motion_refs(&self) -> Option<(MotionRef, Option<String>)> {
        let (motion, layer) = self.motion_and_layer()?;
        let index = self.session.playback.clip()?;
        let name = motion.layers.get(layer)?.name.clone();
        Some((MotionRef::of(self.document(), index), Some(name)))
    }

    /// Keys now go into a layer, and its keys are shown.
    pub(crate) fn take_layer(&mut self, layer: usize) {
        self.session.key_layer = layer;
        self.panels.keys.chosen.clear();
    }

    fn chosen_keys(&self) -> Vec<KeysRef> {
        let character = self.document().character();
        let chosen = self.panels.keys.chosen.iter();
        chosen
            .map(|(address, times)| KeysRef {
                channel: ChannelRef::of(character, *address),
                seconds: times.clone(),
            })
            .collect()
    }

    /// Sets keys at the playhead of the chosen joints, and of shapes and controls that were changed;
    /// with no joint chosen of all that the layer moves or that was changed over it.
    pub(crate) fn set_keys(&mut self) {
        if self.has_cage_tool() {
            match self.session.set_cage_keys(self.workspace.editor_mut()) {
                Ok(()) => self.toasts.done("Key set for the cage"),
                Err(error) => self.toasts.failed(error.to_string()),
            }
            return;
        }
        let mut joints = self.chosen_joints();
        let which = match joints.is_empty() {
            true => NumbersToKey::ChangedAndKeyed,
            false => NumbersToKey::Changed,
        };
        if joints.is_empty()
            && let Some((motion, layer)) = self.motion_and_layer()
        {
            let channels = motion.layers[layer].channels().iter();
            joints = channels.filter_map(|c| c.address().joint_index()).map(|j| j as u32).collect();
            joints.extend(self.session.playback.posed_over(self.document()));
            joints.sort_unstable();
            joints.dedup();
        }
        let numbers = self.session.numbers_to_key(which, self.document());
        if joints.is_empty() && numbers.is_empty() {
            self.toasts.failed("Choose joints to set keys of, or change a shape or a control");
            return;
        }
        let counts = [
            (joints.len(), "joint"),
            (numbers.shapes.len(), "shape"),
            (numbers.controls.len(), "control"),
        ];
        let words: Vec<String> = (counts.into_iter().filter(|(count, _)| *count > 0))
            .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
            .collect();
        match self.session.set_keys(&joints, &numbers, self.workspace.editor_mut()) {
            Ok(()) => self.toasts.done(format!("Keys set for {}", words.join(", "))),
            Err(error) => self.toasts.failed(error.to_string()),
        }
    }

    /// Sets keys of shapes and named controls alone.
    pub(crate) fn set_number_keys(&mut self, numbers: &ShownNumbers) {
        if let Err(error) = self.session.set_keys(&[], numbers, self.workspace.editor_mut()) {
            self.toasts.failed(error.to_string());
        }
    }

    pub(crate) fn delete_keys(&mut self) {
        let (Some((motion, layer)), keys) = (self.motion_refs(), self.chosen_keys()) else {
            return;
        };
        self.panels.keys.chosen.clear();
        self.apply(MotionEdit::DeleteKeys { motion, layer, keys });
    }

    pub(crate) fn copy_keys(&mut self) {
        let Some((motion, layer)) = self.motion_and_layer() else { return };
        let character = self.document().character().clone();
        let (mut channels, mut first_seconds, mut count) = (Vec::new(), f64::INFINITY, 0);
        for (address, times) in &self.panels.keys.chosen {
            let Some(channel) = motion.layers[layer].channel(*address) else { continue };
            let mut text = ChannelText::of(&character, *address, channel.keys());
            text.keys.retain(|key| is_chosen(times, key.seconds));
            for key in &text.keys {
                first_seconds = first_seconds.min(key.seconds);
                count += 1;
            }
            channels.push(text);
        }
        self.panels.keys.copied = Some(Copied { channels, first_seconds });
        self.toasts.done(format!("Copied {count} keys"));
    }

    /// The copied keys, the first of them at the playhead.
    pub(crate) fn paste_keys(&mut self) {
        let (Some((motion, layer)), Some(copied)) =
            (self.motion_refs(), self.panels.keys.copied.clone())
        else {
            return;
        };
        let at = self.snapped(self.session.playback.seconds());
        let mut channels = copied.channels;
        for key in channels.iter_mut().flat_map(|channel| &mut channel.keys) {
            key.seconds += at - copied.first_seconds;
        }
        self.apply(MotionEdit::SetKeys { motion, layer, channels });
    }

    pub(crate) fn shape_keys(&mut self, shape: KeyShape) {
        let (Some((motion, layer)), keys) = (self.motion_refs(), self.chosen_keys()) else {
            return;
        };
        let KeyShape { span, tangents } = shape;
        self.apply(MotionEdit::ShapeKeys { motion, layer, keys, span, tangents });
    }

    /// Scales the chosen keys about the playhead.
    fn scale_keys_edit(&self, factor: f64) -> Option<Edit> {
        let (motion, layer) = self.motion_refs()?;
        let about_seconds = self.session.playback.seconds();
        let keys = self.chosen_keys();
        Some(MotionEdit::ScaleKeys { motion, layer, keys, about_seconds, factor }.into())
    }

    pub(crate) fn new_motion(&mut self) {
        let motions = self.document().motions().clone();
        let character = self.document().character().clone();
        let is_taken =
            |name: &str| (0..motions.len()).any(|at| motions.name(&character, at) == name);
        let name = (1..).map(|n| format!("Motion {n}")).find(|name| !is_taken(name));
        let name = name.unwrap_or_default();
        self.apply(MotionEdit::AddMotion { name, seconds: 2.0, copy_of: None });
        let last = self.document().motions().len().checked_sub(1);
        // The pose that one has made is what the first key is for.
        let document = self.document();
        let is_own = !self.session.playback.shows_clip(document)
            && **document.pose() != Pose::rest(&document.character().skeleton);
        self.choose_clip(last);
        if is_own {
            self.session.playback.lay_pose_over();
        }
        if self.panels.keys.shows == Shows::Nothing {
            self.panels.keys.shows = Shows::Sheet;
        }
    }

    /// Drags by edits: the first opens the step.
    fn drag_keys(&mut self, label: &str, edits: Vec<Edit>) {
        if let Err(error) = self.session.drag(label, edits, self.workspace.editor_mut()) {
            self.toasts.failed(error.to_string());
        }
        self.session.playback.sync(self.workspace.editor().document());
    }

    /// Moves the chosen keys, which are where they were when the drag began.
    fn move_chosen(&mut self, by_seconds: f64) {
        let (Some((motion, layer)), keys) = (self.motion_refs(), self.chosen_keys()) else {
            return;
        };
        let edit = MotionEdit::MoveKeys { motion, layer, keys, by_seconds };
        self.drag_keys("Move keys", vec![edit.into()]);
    }

    /// Escape while keys or handles are dragged: they are where they were. False if none are.
    pub(crate) fn give_up_keys(&mut self) -> bool {
        let holds_keys = matches!(
            self.panels.keys.drag,
            Some(Drag::Keys { .. } | Drag::Box(_) | Drag::Curve(_))
        );
        if holds_keys {
            self.panels.keys.drag = None;
            self.workspace.editor_mut().cancel();
        }
        holds_keys
    }

    /// The drag is over: chosen are the keys where they are now.
    fn end_move(&mut self, by_seconds: f64) {
        self.commit();
        for times in self.panels.keys.chosen.values_mut() {
            for time in times {
                *time += by_seconds;
            }
        }
    }
}
