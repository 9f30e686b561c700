//! Strokes in hand: which there are, which one is worked on, and that keys do not settle them.

use std::sync::Arc;

use sinew::sketch::pose::PoseStroke;

use super::Session;
use crate::edit::{Edit, StrokeEdit};
use crate::editor::Editor;
use crate::tool::joints_of;

impl Session {
    /// The strokes in hand: those that made what is shown.
    pub fn strokes_in_hand<'a>(&'a self, editor: &'a Editor) -> &'a [PoseStroke] {
        let document = editor.document();
        document.strokes_of(self.playback.pose(document))
    }

    /// Works on a stroke in hand: its knots are shown, its limb is chosen.
    pub fn choose_stroke(&mut self, number: usize, editor: &Editor) {
        let stroke = self.strokes_in_hand(editor).get(number);
        if let Some(joints) = stroke.map(|stroke| joints_of(&stroke.chain)) {
            self.selection = joints;
            self.sketch.chosen = Some(number);
        }
    }

    /// What keeps the strokes of the open transaction in hand once their pose is keys.
    pub(super) fn strokes_of_open(&self, editor: &Editor) -> Option<Edit> {
        let (before, document) = (editor.before()?, editor.document());
        let is_drawn = !Arc::ptr_eq(&before.pose_strokes, &document.pose_strokes);
        is_drawn.then(|| StrokeEdit::take(document)).flatten().map(Edit::from)
    }
}
