//! Keys at the playhead: of what is posed, by itself or by hand, and of the cage.

use std::collections::BTreeSet;
use std::sync::Arc;

use sinew::driver::ShapeIndex;
use sinew::motion::{Address, Cursor, MotionSample};

use super::Session;
use crate::document::Document;
use crate::edit::{Edit, EditError};
use crate::editor::Editor;
use crate::keying::{KeyPlace, KeyedNumbers, keys_of_cage, keys_of_pose, keys_of_surface};

/// Which shapes and named controls get keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumbersToKey {
    /// Those that are shown otherwise than the motion has them.
    Changed,
    /// These, and those that have keys in the layer.
    ChangedAndKeyed,
}

/// Weights of shapes (mesh, shape, weight) and values of named controls, by their places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShownNumbers {
    /// Of shapes.
    pub shapes: Vec<(u32, u32, f32)>,
    /// Of controls.
    pub controls: Vec<(u32, f64)>,
}

impl ShownNumbers {
    /// How many.
    pub fn len(&self) -> usize {
        self.shapes.len() + self.controls.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn keyed(&self) -> KeyedNumbers<'_> {
        KeyedNumbers { shapes: &self.shapes, controls: &self.controls }
    }
}

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
        // A stroke that is taken back may leave the document's own pose, and not the motion's.
        let is_redrawn = !Arc::ptr_eq(&before.pose_strokes, &document.pose_strokes)
            && document.pose_strokes.made == *document.pose();
        if is_redrawn || old_and_new.into_iter().any(|(old, new)| old != new) {
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

    /// Where keys are set now.
    pub fn key_place(&self) -> KeyPlace {
        let motion = self.playback.clip().unwrap_or(0);
        KeyPlace { motion, layer: self.key_layer, seconds: self.playback.seconds() }
    }

    /// The weights of shapes and values of controls at the playhead that are to have keys. A shape
    /// that a driver moves is the driver's.
    pub fn numbers_to_key(&self, which: NumbersToKey, document: &Document) -> ShownNumbers {
        let mut numbers = ShownNumbers::default();
        let Some(motion) = self.playback.motion() else { return numbers };
        let character = document.character();
        let mut own = MotionSample::rest(character);
        let seconds = self.playback.seconds();
        motion.evaluate(&character.skeleton, seconds, &mut Cursor::default(), &mut own);
        let layer = motion.layers.get(self.key_layer);
        let has_keys = |address: Address| {
            which == NumbersToKey::ChangedAndKeyed
                && layer.is_some_and(|layer| layer.channel(address).is_some())
        };
        for (part, own) in own.shape_weights.iter().enumerate() {
            let (shown, _) = self.playback.shape_weights(part, document);
            for (shape, (weight, own)) in shown.iter().zip(own).enumerate() {
                let (part, shape) = (part as u32, shape as u32);
                let is_driven = || {
                    let index = ShapeIndex { part, shape };
                    let mut drivers = character.drivers.list.iter();
                    drivers.any(|driver| !driver.muted && driver.drives_shape(&index))
                };
                let is_meant = weight != own || has_keys(Address::Shape { part, shape });
                if is_meant && !is_driven() {
                    numbers.shapes.push((part, shape, *weight));
                }
            }
        }
        let shown = self.playback.values(document);
        for (control, (value, own)) in (0..).zip(shown.iter().zip(&own.values)) {
            if value != own || has_keys(Address::Control(control)) {
                numbers.controls.push((control, *value));
            }
        }
        numbers
    }

    /// Sets keys of joints at the playhead, as they are shown, and of shapes and named controls;
    /// what was posed over the motion is in it from then on. Others that are posed over it, and get
    /// no keys, stay so.
    pub fn set_keys(
        &mut self,
        joints: &[u32],
        numbers: &ShownNumbers,
        editor: &mut Editor,
    ) -> Result<(), EditError> {
        if self.playback.clip().is_none() {
            return Err(EditError::value("motion", "choose one to set keys in, or add one"));
        }
        let document = editor.document();
        let pose = Arc::clone(self.playback.pose(document));
        let edits = keys_of_pose(document, self.key_place(), &pose, joints, &numbers.keyed())?;
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
