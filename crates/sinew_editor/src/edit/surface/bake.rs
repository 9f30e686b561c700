//! A surface edit as a blend shape: what other programs read, and what drivers can drive.

use std::sync::Arc;

use sinew::Character;
use sinew::driver::ShapeIndex;
use sinew::glam::Vec3;
use sinew::motion::{Address, Key, KeyCurve, Keys, Layer, LayerMode, Motion, MotionChannel, Span};
use sinew::rigging::{self, NewShape};

use crate::document::Document;
use crate::edit::EditError;
use crate::motions::{Entry, Motions};
use crate::shapes::Shapes;
use crate::surface::{SurfaceEntry, SurfaceStack};

/// A document as files can hold it: surface edits that act are blend shapes, which are there at
/// rest as far as the edits are. Those that are muted are not seen, and stay edits.
pub(crate) fn baked(document: &Document) -> Result<Document, EditError> {
    let mut out = document.clone();
    let (muted, acting): (Vec<_>, Vec<_>) =
        document.surface.entries().iter().cloned().partition(|entry| entry.is_muted);
    for entry in &acting {
        begin_at_nothing(&mut out, Address::Surface(entry.number));
        let shape = bake(&mut out, entry)?;
        rest_at(Arc::make_mut(&mut out.character), shape, entry.weight);
    }
    out.surface = Arc::new(SurfaceStack { entries: muted });
    Ok(out)
}

/// Makes a shape, the last of its part, be there at rest; also in the clips of the file, which
/// have a weight of every shape of a part and know nothing of this one.
fn rest_at(character: &mut Character, at: ShapeIndex, weight: f32) {
    let part = &mut character.parts[at.part as usize];
    part.shapes[at.shape as usize].rest_weight = weight;
    for track in character.clips.iter_mut().flat_map(|clip| &mut clip.shape_tracks) {
        if track.part == at.part {
            let keys = track.weights.values.chunks_mut(track.num_shapes.max(1));
            keys.filter_map(|key| key.get_mut(at.shape as usize)).for_each(|own| *own = weight);
        }
    }
}

/// An edit that a motion weighs is not there without it, a shape has its rest weight: where no
/// layer says all by itself, one below says that there is nothing.
fn begin_at_nothing(document: &mut Document, address: Address) {
    let skeleton = &document.character.skeleton;
    let mixes = |motion: &Motion| {
        let acting = motion.layers.iter().filter(|layer| layer.acts());
        let mut with_keys = acting.filter(|layer| layer.channel(address).is_some());
        with_keys
            .next()
            .is_some_and(|lowest| lowest.mode != LayerMode::Replace || lowest.weight < 1.0)
    };
    let mut motions = Motions::clone(&document.motions);
    for entry in &mut motions.entries {
        if let Entry::Own(motion) = entry
            && mixes(motion)
        {
            let keys = Keys::Scalar(KeyCurve::new(vec![Key::new(0.0, 0.0, Span::Step)]));
            let mut layer = Layer::new("Nothing", LayerMode::Replace);
            layer.put(MotionChannel::new(address, keys, skeleton));
            Arc::make_mut(motion).layers.insert(0, layer);
        }
    }
    document.motions = Arc::new(motions);
}

/// Adds a shape that does what an entry does, with its weight, and gives it the entry's keys. The
/// entry itself is left to the caller.
pub(super) fn bake(document: &mut Document, entry: &SurfaceEntry) -> Result<ShapeIndex, EditError> {
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
        document.motions = Arc::new(Motions { entries: motions });
    }
    Ok(index)
}
