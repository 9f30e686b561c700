//! How the window changes the document: edits, drags of fields, tools, undo.

use eframe::egui;
use sinew::frame::Rig;
use sinew_editor::tool::Event;
use sinew_editor::{Edit, RigEdit};

use crate::studio::Studio;

impl Studio {
    pub(crate) fn apply(&mut self, edit: impl Into<Edit>) {
        self.apply_labelled(None, vec![edit.into()]);
    }

    /// Several edits as one step.
    pub(crate) fn apply_all(&mut self, label: &str, edits: Vec<Edit>) {
        self.apply_labelled(Some(label), edits);
    }

    fn apply_labelled(&mut self, label: Option<&str>, edits: Vec<Edit>) {
        if let Err(error) = self.session.apply(label, edits, self.workspace.editor_mut()) {
            self.toasts.failed(error.to_string());
        }
    }

    /// A field that was dragged (one step, however long) or typed into.
    pub(crate) fn scrub(&mut self, response: &egui::Response, label: &str, edits: Vec<Edit>) {
        if response.dragged() {
            if let Err(error) = self.session.drag(label, edits, self.workspace.editor_mut()) {
                self.toasts.failed(error.to_string());
            }
        } else if response.drag_stopped() {
            self.commit();
        } else {
            self.apply_all(label, edits);
        }
    }

    /// Lets the point that was dragged last have a further joint.
    pub(crate) fn accept_further(&mut self, joint: u32) {
        if let Err(error) = self.session.accept_further(joint, self.workspace.editor_mut()) {
            self.toasts.failed(error.to_string());
        }
    }

    /// Sets a key of how much of a surface edit is there at the playhead.
    pub(crate) fn set_surface_key(&mut self, number: u32, weight: f32) {
        let editor = self.workspace.editor_mut();
        if let Err(error) = self.session.set_surface_key(number, weight, editor) {
            self.toasts.failed(error.to_string());
        }
    }

    /// Ends a drag.
    pub(crate) fn commit(&mut self) {
        if let Err(error) = self.session.commit(self.workspace.editor_mut()) {
            self.toasts.failed(error.to_string());
        }
    }

    pub(crate) fn undo(&mut self) {
        self.session.playback.pause();
        self.workspace.editor_mut().undo();
    }

    pub(crate) fn redo(&mut self) {
        self.session.playback.pause();
        self.workspace.editor_mut().redo();
    }

    /// Hands an event to the tool. True if it had use for it.
    pub(crate) fn dispatch(&mut self, event: &Event) -> bool {
        match self.session.dispatch(event, self.workspace.editor_mut()) {
            Ok(is_used) => is_used,
            Err(error) => {
                self.toasts.failed(error.to_string());
                true
            }
        }
    }

    /// Takes method and springs of a rig; what meshes have of their own stays.
    pub(crate) fn use_method(&mut self, rig: &Rig) {
        let method = RigEdit::SetMethod { method: rig.method };
        let springs = RigEdit::SetSprings { springs: rig.springs.clone() };
        let name = crate::panels::skin::rig_name(rig);
        let edits = vec![method.into(), springs.into()];
        self.apply_all(&format!("Skin with {}", name.to_lowercase()), edits);
    }
}
