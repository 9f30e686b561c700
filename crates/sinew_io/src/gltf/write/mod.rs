//! Writing glTF: a document under construction, and the way from a character to one.
//!
//! A character that came from a glTF is written into the document that it came from
//! (`write_carried`); any other, or one whose skeleton is no longer the file's, anew: joints as the
//! first nodes, one skin for all parts, one mesh a part, one animation a clip.
//!
//! What glTF has no field for goes to `extras`: bone tails (`sinew_tail`), group names
//! (`sinew_group`), the character's name (`sinew_name`), its drivers (`sinew_drivers`). A static
//! mesh names its welded points in the attribute `_POINT`, since without weights nothing else tells
//! a seam from a gap.

mod animation;
mod array;
mod cage;
mod carried;
mod compressed;
mod copy;
mod drivers;
mod influences;
mod material;
mod mesh;
mod quantized;
mod skin;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sinew::material::EncodedImage;
use sinew::weights::SkinWeights;
use sinew::{Character, Part};

use super::json::{Node, Root, Scene};
use super::source::FORMAT;
use crate::posed::PosedPart;
use crate::{Report, WriteError, WriteOptions};
use animation::add_clips;
use influences::InfluenceLimit;
pub use material::PartMaterials;
use mesh::{Surface, add_mesh};
use quantized::{hang_mesh, make_small};
use skin::{Skins, add_joints};

/// A document under construction.
#[derive(Debug)]
pub(super) struct Writer {
    /// Accessors, their views and animations; all else is in `document`.
    pub(super) root: Root,
    /// The document's JSON.
    pub(super) document: Map<String, Value>,
    /// The node of each joint of the character.
    pub(super) node_of_joint: Vec<usize>,
    /// The node of each part of the character that was written.
    pub(super) node_of_part: Vec<Option<usize>>,
    /// Textures that were made for images of the character.
    pub(super) textures: Vec<(Arc<EncodedImage>, usize)>,
    /// Materials by their text, and how many of the document's are among them.
    pub(super) known_materials: HashMap<String, usize>,
    pub(super) num_known_materials: usize,
    influences: InfluenceLimit,
    pub(super) report: Report,
    pub(super) binary: Vec<u8>,
    /// Views that hold corners of triangles.
    pub(super) triangle_views: BTreeSet<usize>,
    /// Accessors by the hash of what they are and hold: nothing is written twice.
    pub(super) known: HashMap<u64, Vec<usize>>,
}

/// A finished document and its one buffer.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) document: Map<String, Value>,
    pub(crate) binary: Vec<u8>,
    /// What could not be kept.
    pub(crate) report: Report,
}

impl Writer {
    /// Starts from a document, or from none.
    pub(super) fn new(document: Map<String, Value>, max_influences: Option<usize>) -> Self {
        Self {
            root: Root::default(),
            document,
            node_of_joint: Vec::new(),
            node_of_part: Vec::new(),
            textures: Vec::new(),
            known_materials: HashMap::new(),
            num_known_materials: 0,
            influences: InfluenceLimit::new(max_influences),
            report: Report::default(),
            binary: Vec::new(),
            triangle_views: BTreeSet::new(),
            known: HashMap::new(),
        }
    }

    /// The weights of a part as they are to be written.
    pub(super) fn limited_weights<'a>(
        &mut self,
        character: &Character,
        part: &'a Part,
    ) -> Option<Cow<'a, SkinWeights>> {
        self.influences.apply(character, part, &mut self.report)
    }

    /// One of the document's arrays, made if it has none.
    pub(super) fn array(&mut self, name: &str) -> &mut Vec<Value> {
        let slot = self.document.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        if !slot.is_array() {
            *slot = Value::Array(Vec::new());
        }
        match slot {
            Value::Array(array) => array,
            _ => unreachable!("it was just made one"),
        }
    }

    /// Adds to one of the document's arrays, and returns the place.
    pub(super) fn push(&mut self, array: &str, value: impl Serialize) -> usize {
        // Only maps whose keys are no strings fail to become a value, and there are none.
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        let array = self.array(array);
        array.push(value);
        array.len() - 1
    }

    /// An object of one of the document's arrays.
    pub(super) fn object(&mut self, array: &str, index: usize) -> Option<&mut Map<String, Value>> {
        self.array(array).get_mut(index)?.as_object_mut()
    }

    /// Says that a reader must know an extension.
    pub(super) fn require_extension(&mut self, name: &str) {
        for list in ["extensionsUsed", "extensionsRequired"] {
            if !self.array(list).iter().any(|known| known == name) {
                self.push(list, name);
            }
        }
    }

    /// Puts the document together. `animations` are taken as they are by then.
    ///
    /// # Errors
    /// If a number has outgrown its type on the way back into the space of its mesh: JSON would say
    /// `null`.
    pub(super) fn finish(mut self, options: &WriteOptions) -> Result<Finished, WriteError> {
        let mut accessors = self.root.accessors.iter();
        let endless = accessors.position(|a| a.min.iter().chain(&a.max).any(|x| !x.is_finite()));
        if let Some(index) = endless {
            let what = "a position, displacement or time is too large for 32 bits";
            return Err(WriteError::unwritable(format!("accessors[{index}]"), what));
        }
        if options.meshopt {
            self.compress();
        }
        let root = std::mem::take(&mut self.root);
        // glTF has no animations without channels.
        let animations = root.animations.into_iter().filter(|a| !a.channels.is_empty());
        for animation in animations {
            self.push("animations", animation);
        }
        for accessor in root.accessors {
            self.push("accessors", accessor);
        }
        if !self.document.contains_key("bufferViews") {
            for view in root.buffer_views {
                self.push("bufferViews", view);
            }
        }
        if !self.binary.is_empty() {
            let byte_length = self.binary.len();
            self.array("buffers").insert(0, json!({ "byteLength": byte_length }));
        }
        // Nor has it empty arrays.
        self.document.retain(|_, value| !value.as_array().is_some_and(Vec::is_empty));
        // One order of fields, so that writing again is writing the same.
        sort_fields(&mut self.document);
        Ok(Finished { document: self.document, binary: self.binary, report: self.report })
    }
}

/// Sorts an object's fields by name, and those of all objects in it. (Maps do so themselves, unless
/// some crate of the program asks serde_json for another order.)
fn sort_fields(object: &mut Map<String, Value>) {
    let mut whole = Value::Object(std::mem::take(object));
    whole.sort_all_objects();
    if let Value::Object(sorted) = whole {
        *object = sorted;
    }
}

/// The asset of a file that Sinew made.
pub(super) fn asset(name: &str) -> Value {
    json!({ "version": "2.0", "generator": GENERATOR, "extras": { "sinew_name": name } })
}

pub(super) const GENERATOR: &str = concat!("Sinew ", env!("CARGO_PKG_VERSION"));

/// A character with skeleton, weights, shapes and clips, and all that its file said besides. Parts
/// without triangles are left out: glTF has no empty meshes.
pub(crate) fn character_document(
    character: &Character,
    options: &WriteOptions,
) -> Result<Finished, WriteError> {
    validate(character)?;
    let baked;
    let character = match character.drivers.list.is_empty() {
        true => character,
        false => {
            let clips = character.clips.iter().map(|clip| clip.driven(character)).collect();
            baked = Character { clips, ..character.clone() };
            &baked
        }
    };
    let mut dropped = false;
    if let Some(carried) = character.carried.as_ref().filter(|carried| carried.format == FORMAT) {
        if let Some(written) = carried::write(character, carried, options) {
            return written;
        }
        dropped = true;
    }
    let mut writer = Writer::new(Map::new(), options.max_influences);
    if dropped {
        let what = "the skeleton is no longer the file's; cameras, lights, nodes, extensions and all of the materials but \
                    their base colours were left out";
        let mend = "keep the source file beside the written one";
        writer.report.warn("carried-left-out", "document", what, mend);
    }
    writer.document.insert("asset".into(), asset(&character.name));
    let mut skins = Skins::default();
    let mut scene_nodes = add_joints(&mut writer, &mut skins, &character.skeleton)?;
    for part in &character.parts {
        if part.mesh.triangles().is_empty() {
            writer.node_of_part.push(None);
            continue;
        }
        let weights = writer.limited_weights(character, part);
        let rows = weights.as_deref().map(mesh::sorted_rows);
        let mut surface = Surface::of_part(part, rows, character.skeleton.len());
        let materials = PartMaterials { runs: &part.materials, materials: &character.materials };
        surface.has_labels = weights.is_none();
        let name = Some(part.mesh.name().to_owned());
        let node = writer.push("nodes", Node { name, ..Node::default() });
        scene_nodes.push(node);
        let mut skin = weights.is_some().then_some(0);
        if options.quantize {
            skin = make_small(&mut writer, &mut skins, &mut surface, skin, Some(node));
        }
        let mesh = add_mesh(&mut writer, &surface, materials)?;
        hang_mesh(&mut writer, node, mesh, skin);
        writer.node_of_part.push(Some(node));
    }
    skins.finish(&mut writer)?;
    add_clips(&mut writer, character, |_, _| None)?;
    drivers::add_drivers(&mut writer, character);
    if let Some(rig) = &options.cage {
        cage::add_cage(&mut writer, rig, &character.clips);
    }
    writer.push("scenes", Scene { name: None, nodes: scene_nodes });
    writer.document.insert("scene".into(), json!(0));
    writer.finish(options)
}

/// What would make another program's reader fail is not written.
fn validate(character: &Character) -> Result<(), WriteError> {
    if character.skeleton.len() > usize::from(u16::MAX) + 1 {
        let what = format!("{} joints; glTF can index 65,536", character.skeleton.len());
        return Err(WriteError::unwritable("skeleton", what));
    }
    for part in &character.parts {
        let place = || format!("mesh '{}'", part.mesh.name());
        let num_points = part.mesh.points().len();
        if let Some(weights) = part.weights.as_ref().filter(|_| !character.skeleton.is_empty()) {
            if weights.num_joints_used() > character.skeleton.len() {
                let what = "the weights name joints that the skeleton does not have";
                return Err(WriteError::unwritable(place(), what));
            }
            if weights.num_points() != num_points {
                return Err(WriteError::unwritable(place(), "the weights are of another mesh"));
            }
        }
        for shape in &part.shapes {
            let is_finite = shape.deltas.moved().all(|(_, delta)| delta.is_finite());
            if shape.deltas.num_points() != num_points || !is_finite {
                let place = format!("shape '{}' of {}", shape.name, place());
                let what = "needs one finite displacement a welded point";
                return Err(WriteError::unwritable(place, what));
            }
        }
    }
    Ok(())
}

/// A posed character in the document that it came from, or as static meshes alone.
pub(crate) fn posed_character_document(
    character: &Character,
    parts: &[PosedPart<'_>],
) -> Result<Finished, WriteError> {
    let options = WriteOptions::default();
    let carried = character.carried.as_ref();
    let written = carried.and_then(|c| carried::write_posed(character, c, parts, &options));
    written.unwrap_or_else(|| posed_document(&character.name, parts))
}

/// Deformed parts as static meshes.
pub(crate) fn posed_document(name: &str, parts: &[PosedPart<'_>]) -> Result<Finished, WriteError> {
    let mut writer = Writer::new(Map::new(), None);
    writer.document.insert("asset".into(), asset(name));
    let mut nodes = Vec::new();
    for part in parts.iter().filter(|part| !part.mesh.triangles().is_empty()) {
        let surface = Surface::posed(part);
        let mesh = add_mesh(&mut writer, &surface, part.materials)?;
        let name = Some(part.mesh.name().to_owned());
        nodes.push(writer.push("nodes", Node { name, mesh: Some(mesh), ..Node::default() }));
    }
    // A scene without nodes must not have the field, and an empty list is not written.
    writer.push("scenes", Scene { name: None, nodes });
    writer.document.insert("scene".into(), json!(0));
    writer.finish(&WriteOptions::default())
}
