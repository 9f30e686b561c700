//! A surface edit as a blend shape: what other programs read, and what drivers can drive.

use std::sync::Arc;

use sinew::glam::Vec3;
use sinew::motion::{Address, MotionChannel};
use sinew::rigging::{self, NewShape};

use crate::document::Document;
use crate::edit::EditError;
use crate::motions::Entry;
use crate::shapes::Shapes;
use crate::surface::SurfaceEntry;

/// Adds a shape that does what an entry does, with its weight, and gives it the entry's keys. The
/// entry itself is left to the caller.
pub(super) fn bake(document: &mut Document, entry: &SurfaceEntry) -> Result<(), EditError> {
    let moved: Vec<(u32, Vec3)> = entry.moved.moved().filter(|(_, by)| *by != Vec3::ZERO).collect();
    let new = NewShape { part: entry.part, name: &entry.name, moved: &moved };
    let (character, index) = rigging::add_shape(&document.character, &new)
        .map_err(|error| EditError::value(&entry.name, error.to_string()))?;
    document.put_character(character);
    let mut shapes = Shapes::clone(&document.shapes);
    let weight = if entry.is_muted { 0.0 } else { entry.weight };
    shapes.weights[index.part as usize][index.shape as usize] = weight;
    document.shapes = Arc::new(shapes);
    let skeleton = &document.character.skeleton;
    let (from, to) =
        (Address::Surface(entry.number), Address::Shape { part: index.part, shape: index.shape });
    let mut motions = document.motions.entries.clone();
    let mut has_keys = false;
    for motion in &mut motions {
        let Entry::Own(motion) = motion else { continue };
        if motion.layers.iter().all(|layer| layer.channel(from).is_none()) {
            continue;
        }
        has_keys = true;
        for layer in &mut Arc::make_mut(motion).layers {
            if let Some(channel) = layer.channel(from).cloned() {
                layer.remove(from);
                layer.put(MotionChannel::new(to, channel.keys().clone(), skeleton));
            }
        }
    }
    if has_keys {
        document.motions = Arc::new(crate::motions::Motions { entries: motions });
    }
    Ok(())
}
