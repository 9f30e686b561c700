//! What the pointer does while a tool waits for the picker to say what lies under its press: kept,
//! and done once that is known, so that a stroke that is over before the answer is drawn all the
//! same.

use super::Session;
use crate::edit::EditError;
use crate::editor::Editor;
use crate::tool::Event;

/// More moves than a hand makes while a picture is drawn; past them the last one counts.
const MOST_EVENTS: usize = 4096;

/// Moves and a release, each with how hard the pen was pressed.
#[derive(Debug, Default)]
pub(super) struct HeldBack(Vec<(Event, Option<f32>)>);

impl Session {
    /// Keeps an event for later, if the tool does not know yet what was pressed. Anything but a
    /// move and a release ends the waiting.
    pub(super) fn holds_back(&mut self, event: &Event, editor: &Editor) -> bool {
        let is_pointer = matches!(event, Event::Moved { .. } | Event::Released { .. });
        let is_pressed = self.tool.is_waiting() && self.tool.has_pointer() && !editor.is_open();
        if !is_pointer || !is_pressed {
            if !matches!(event, Event::Found) {
                self.held_back.0.clear();
            }
            return false;
        }
        if self.held_back.0.len() >= MOST_EVENTS {
            self.held_back.0.pop();
        }
        self.held_back.0.push((*event, self.pressure));
        true
    }

    /// Does what was kept, once the picker has answered: whether the tool found something or not.
    pub(super) fn do_held_back(&mut self, editor: &mut Editor) -> Result<(), EditError> {
        // A picker that is asked reads what is seen: only where somebody waits for it.
        if self.held_back.0.is_empty() {
            return Ok(());
        }
        let has_answer = self.frame.is_some()
            && self.picker.as_ref().is_none_or(|picker| picker.seen(&self.view).is_some());
        if self.tool.is_waiting() && !has_answer {
            return Ok(());
        }
        let now = self.pressure;
        for (event, pressure) in std::mem::take(&mut self.held_back.0) {
            self.pressure = pressure;
            let done = self.dispatch_now(&event, editor);
            self.pressure = now;
            done?;
        }
        Ok(())
    }
}
