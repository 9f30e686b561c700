//! What keys do.

use eframe::egui;
use sinew_editor::tool::Event;

use super::Studio;
use crate::command::Command;
use crate::viewport;

impl Studio {
    /// Copies, pastes, and what [`Self::key`] does.
    pub(super) fn keys(&mut self, ctx: &egui::Context) {
        if ctx.egui_wants_keyboard_input() || !self.questions.is_empty() {
            return;
        }
        for event in ctx.input(|i| i.events.clone()) {
            match event {
                egui::Event::Key { key, pressed: true, modifiers, .. } => self.key(key, modifiers),
                egui::Event::Copy if self.panels.keys.is_in_hand() => {
                    self.queue(Command::CopyKeys);
                }
                egui::Event::Copy => self.queue(Command::CopyPose),
                egui::Event::Paste(_) if self.panels.keys.pastes_keys() => {
                    self.queue(Command::PasteKeys);
                }
                egui::Event::Paste(text) => {
                    self.panels.copied_pose = Some(text);
                    self.queue(Command::PastePose);
                }
                _ => {}
            }
        }
    }

    fn key(&mut self, key: egui::Key, modifiers: egui::Modifiers) {
        let is_dragging = self.workspace.editor().is_open();
        let is_escape = modifiers.is_none() && key == egui::Key::Escape;
        if is_escape && self.give_up_keys() {
            return;
        }
        if is_escape && !is_dragging && self.session.playback.escape() {
            return;
        }
        if modifiers.is_none()
            && let Some(key) = viewport::input::tool_key(key)
            && self.dispatch(&Event::Key(key))
        {
            return;
        }
        // In the middle of a drag only undo makes sense, and it takes the drag back.
        let keymap = self.settings.keymap;
        let by_keymap = || {
            Command::ALL.into_iter().find(|&command| {
                let all = [keymap.shortcut(command), keymap.also(command)];
                all.into_iter()
                    .flatten()
                    .any(|keys| keys.logical_key == key && modifiers.matches_exact(keys.modifiers))
            })
        };
        let meant = self.brush_key(key, modifiers).or_else(by_keymap);
        if let Some(command) = meant.filter(|&command| !is_dragging || command == Command::Undo)
            && self.can(command)
        {
            self.queue(command);
        }
    }
}
