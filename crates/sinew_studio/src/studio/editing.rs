//! How the window changes the document: edits, drags of fields, tools, undo.

use eframe::egui;
use sinew_editor::tool::Event;
use sinew_editor::{Deformation, Edit};

use crate::studio::Studio;

impl Studio {
    /// Ends what the timeline has open: the next edit is a step of its own.
    pub(crate) fn settle(&mut self) {
        if std::mem::take(&mut self.scrubs_time) {
            self.timeline.is_playing = false;
            self.workspace.editor_mut().commit();
        }
    }

    pub(crate) fn is_scrubbing_time(&self) -> bool {
        self.scrubs_time
    }

    pub(crate) fn apply(&mut self, edit: Edit) {
        self.settle();
        if let Err(error) = self.workspace.editor_mut().apply(edit) {
            self.toasts.failed(error.to_string());
        }
    }

    /// Several edits as one step.
    pub(crate) fn apply_all(&mut self, label: &str, edits: Vec<Edit>) {
        self.settle();
        let editor = self.workspace.editor_mut();
        editor.begin(Some(label));
        match editor.replace(edits) {
            Ok(()) => editor.commit(),
            Err(error) => {
                editor.cancel();
                self.toasts.failed(error.to_string());
            }
        }
    }

    /// A field that was dragged (one step, however long) or typed into.
    pub(crate) fn scrub(&mut self, response: &egui::Response, label: &str, edits: Vec<Edit>) {
        if response.dragged() {
            if !self.workspace.editor().is_open() || self.scrubs_time {
                self.settle();
                self.workspace.editor_mut().begin(Some(label));
            }
            if let Err(error) = self.workspace.editor_mut().replace(edits) {
                self.toasts.failed(error.to_string());
            }
        } else if response.drag_stopped() {
            self.workspace.editor_mut().commit();
        } else {
            self.apply_all(label, edits);
        }
    }

    pub(crate) fn undo(&mut self) {
        self.timeline.is_playing = false;
        self.scrubs_time = false;
        self.workspace.editor_mut().undo();
    }

    pub(crate) fn redo(&mut self) {
        self.settle();
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

    pub(crate) fn use_deformation(&mut self, deformation: &Deformation) {
        let method = Edit::SetMethod { method: deformation.method };
        let springs = Edit::SetSprings { springs: deformation.springs.clone() };
        let name = crate::panels::deformation::deformation_name(deformation);
        self.apply_all(&format!("Skin with {}", name.to_lowercase()), vec![method, springs]);
    }
}
