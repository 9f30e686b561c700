//! Keys at the playhead: of what is posed, by itself or by hand, and of the cage.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Session;
use crate::edit::{Edit, EditError, StrokeEdit};
use crate::editor::Editor;
use crate::keying::{KeyPlace, KeyedNumbers, keys_of_cage, keys_of_pose, keys_of_surface};

impl Session {
    /// True if posing sets keys.
    pub(super) fn keys_poses(&self) -> bool {
        self.auto_key && self.playback.clip().is_some()
    }

    /// The keys that say what the open transaction did to pose, shapes and named controls.
    pub(super) fn keys_of_open(&self, editor: &Editor) -> Result<Vec<Edit>, EditError> {
        let document = editor.document();
        let (Some(before), Some(pose)) = (editor.before(), self.playback.pose_of_motion()) else {
            return Ok(Vec::new());
        };
        let mut joints = Vec::new();
        // Joints that were added have made another pose, and posed nothing.
        let old_and_new = before.pose().joints.iter().zip(&document.pose().joints);
        if old_and_new.into_iter().any(|(old, new)| old != new) {
            let differs = |&joint: &u32| {
                document.pose().joints[joint as usize] != pose.joints[joint as usize]
            };
            joints.extend((0..pose.joints.len() as u32).filter(differs));
        }
        let mut shapes = Vec::new();
        for (part, weights) in document.shapes().weights().iter().enumerate() {
            let (shown, _) = self.playback.shape_weights(part, before);
            let differs = weights.iter().zip(shown).enumerate().filter(|(_, (a, b))| a != b);
            if before.shapes().weights()[part] != *weights {
                shapes.extend(
                    differs.map(|(shape, (weight, _))| (part as u32, shape as u32, *weight)),
                );
            }
        }
        // Controls that were added or taken away have set nothing.
        let has_same_controls =
            before.character().drivers.controls == document.character().drivers.controls;
        let mut controls: Vec<(u32, f64)> = Vec::new();
        if has_same_controls {
            let values = document.values().iter().zip(before.values().iter());
            let all = (0u32..).zip(values).filter(|(_, (now, old))| now != old);
            controls.extend(all.map(|(control, (now, _))| (control, *now)));
        }
        let mut keys = Vec::new();
        if !joints.is_empty() || !shapes.is_empty() || !controls.is_empty() {
            let numbers = KeyedNumbers { shapes: &shapes, controls: &controls };
            keys = keys_of_pose(before, self.key_place(), document.pose(), &joints, &numbers)?;
        }
        let is_same_cage = before.rig().cage == document.rig().cage;
        if is_same_cage && !Arc::ptr_eq(before.rest_cage(), document.rest_cage()) {
            let cages = [&document.rest_cage()[..], &before.rest_cage()[..]];
            keys.extend(keys_of_cage(before, self.key_place(), cages, &BTreeSet::new())?);
        }
        Ok(keys)
    }

    /// What keeps the strokes of the open transaction in hand once their pose is keys.
    pub(super) fn strokes_of_open(&self, editor: &Editor) -> Option<Edit> {
        let (before, document) = (editor.before()?, editor.document());
        let is_drawn = !Arc::ptr_eq(&before.pose_strokes, &document.pose_strokes);
        is_drawn.then(|| StrokeEdit::take(document)).flatten().map(Edit::from)
    }

    /// Where keys are set now.
    pub fn key_place(&self) -> KeyPlace {
        let motion = self.playback.clip().unwrap_or(0);
        KeyPlace { motion, layer: self.key_layer, seconds: self.playback.seconds() }
    }

    /// Sets keys of joints at the playhead, as they are shown; what was posed over the motion is in
    /// it from then on. Others that are posed over it, and get no keys, stay so.
    pub fn set_keys(&mut self, joints: &[u32], editor: &mut Editor) -> Result<(), EditError> {
        if self.playback.clip().is_none() {
            return Err(EditError::value("motion", "choose one to set keys in, or add one"));
        }
        let document = editor.document();
        let pose = Arc::clone(self.playback.pose(document));
        let edits =
            keys_of_pose(document, self.key_place(), &pose, joints, &KeyedNumbers::default())?;
        let is_whole = self.playback.posed_over(document).iter().all(|j| joints.contains(j));
        self.apply(Some("Set keys"), edits, editor)?;
        if is_whole {
            let seconds = self.playback.seconds();
            self.playback.go_to(seconds, editor.document());
        } else {
            self.playback.sync(editor.document());
        }
        Ok(())
    }

    /// Sets a key of how much of a surface edit is there at the playhead.
    pub fn set_surface_key(
        &mut self,
        number: u32,
        weight: f32,
        editor: &mut Editor,
    ) -> Result<(), EditError> {
        if self.playback.clip().is_none() {
            return Err(EditError::value("motion", "choose one to set keys in, or add one"));
        }
        let edits = keys_of_surface(editor.document(), self.key_place(), number, weight)?;
        self.apply(Some("Key of a surface edit"), edits, editor)
    }

    /// Sets a key of the cage at the playhead, as it is shown: of the handles that are chosen, that
    /// are moved, and that have keys.
    pub fn set_cage_keys(&mut self, editor: &mut Editor) -> Result<(), EditError> {
        if self.playback.clip().is_none() {
            return Err(EditError::value("motion", "choose one to set keys in, or add one"));
        }
        let document = editor.document();
        let cages = [self.playback.rest_cage(document), &[]];
        let edits = keys_of_cage(document, self.key_place(), cages, &self.selection.handles)?;
        if edits.is_empty() {
            return Err(EditError::value("cage", "choose handles to set keys of, or move some"));
        }
        self.apply(Some("Set keys of the cage"), edits, editor)?;
        let seconds = self.playback.seconds();
        self.playback.go_to(seconds, editor.document());
        Ok(())
    }
}
