//! FBX in: the one seam to `ufbx`, which is C. An FBX becomes a glTF document in memory, which the
//! reader of glTF takes from there, with all that it knows of skins, shapes, clips and materials.
//!
//! What ufbx settles: versions 5000 to 7700, ASCII and binary; units (metres) and axes (Y up);
//! pivots, pre- and post-rotations and orders of rotation, in transforms; geometric transforms and
//! odd inheritance of scale, as helper nodes; layers of animation and curves of any kind, baked to
//! keys. What is settled here: welded points, skins with any number of influences, in-betweens with
//! what drives them, materials and images.
//!
//! Memory is bounded by the file's size on both sides of the seam.

mod animation;
mod binary;
mod error;
mod material;
mod mesh;
mod nodes;
mod shapes;
mod skin;

pub use error::FbxError;

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use ufbx::{
    AllocatorOpts, GeometryTransformHandling, InheritModeHandling, LoadOpts, Scene,
    SpaceConversion, axes_right_handed_y_up, load_memory,
};

use binary::Binary;
use shapes::{Shaped, in_betweens};

/// What ufbx may take for files however small, and for each of their bytes.
const FREE_BYTES: usize = 16 << 20;
const BYTES_PER_BYTE: usize = 48;

/// Something that was repaired, left out or found odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// True if something of the file is lost or was guessed.
    pub is_warning: bool,
    /// Kebab-case, stable.
    pub code: &'static str,
    /// `mesh 'Body'`.
    pub place: String,
    /// What it is, and what was done.
    pub what: String,
    /// How to mend the file.
    pub mend: &'static str,
}

/// An FBX as glTF.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The document.
    pub document: Map<String, Value>,
    /// Its one buffer.
    pub binary: Vec<u8>,
    /// What the document does not say.
    pub notes: Vec<Note>,
}

/// True if bytes begin as an FBX does.
pub fn is_fbx(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    bytes.starts_with(b"Kaydara FBX Binary") || text.starts_with(b"; FBX")
}

/// Converts a file. `image` finds the file of a texture by its relative path.
pub fn convert(
    bytes: &[u8],
    image: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Converted, FbxError> {
    let budget = FREE_BYTES.saturating_add(BYTES_PER_BYTE.saturating_mul(bytes.len()));
    let scene = load_memory(bytes, options(budget)).map_err(|error| FbxError::of(&error))?;
    let mut converter = Converter {
        scene: &scene,
        budget,
        binary: Binary::new(budget),
        document: Map::new(),
        notes: Vec::new(),
    };
    converter.warnings();
    converter.materials(image)?;
    converter.nodes();
    let shapes = converter.meshes()?;
    converter.animations(&shapes)?;
    let drivers = drivers(&shapes);
    converter.finish(drivers)
}

/// In-betweens, as the reader of glTF finds them: JSON as one string, by nodes and targets.
fn drivers(shapes: &[Shaped<'_>]) -> Option<Value> {
    let mut list: Vec<Value> = Vec::new();
    let mut names: HashSet<String> = HashSet::new();
    for shaped in shapes {
        for between in in_betweens(&shaped.channels) {
            let numbered = (2..).map(|number| format!("{} {number}", between.name));
            let mut all = std::iter::once(between.name.clone()).chain(numbered);
            let name = all.find(|name| !names.contains(name))?;
            names.insert(name.clone());
            let target = |target: usize| json!({ "node": shaped.node, "target": target });
            let drive = json!({
                "kind": "in-between", "shape": target(between.target), "of": target(between.of),
                "weight": between.weight,
            });
            list.push(json!({ "name": name, "drive": drive }));
        }
    }
    (!list.is_empty()).then(|| json!({ "list": list }))
}

fn options<'a>(budget: usize) -> LoadOpts<'a> {
    let allocator = || AllocatorOpts { memory_limit: budget, ..AllocatorOpts::default() };
    LoadOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        target_axes: axes_right_handed_y_up(),
        target_unit_meters: 1.0,
        space_conversion: SpaceConversion::ModifyGeometry,
        geometry_transform_handling: GeometryTransformHandling::HelperNodes,
        inherit_mode_handling: InheritModeHandling::HelperNodes,
        load_external_files: false,
        ignore_missing_external_files: true,
        normalize_normals: true,
        use_blender_pbr_material: true,
        ..LoadOpts::default()
    }
}

/// A document under construction.
struct Converter<'a> {
    scene: &'a Scene,
    budget: usize,
    binary: Binary,
    document: Map<String, Value>,
    notes: Vec<Note>,
}

impl Converter<'_> {
    fn warn(&mut self, code: &'static str, place: String, what: String, mend: &'static str) {
        self.notes.push(Note { is_warning: true, code, place, what, mend });
    }

    fn note(&mut self, code: &'static str, place: String, what: String, mend: &'static str) {
        self.notes.push(Note { is_warning: false, code, place, what, mend });
    }

    /// Adds to one of the document's arrays, and returns the place.
    fn push(&mut self, array: &str, value: Value) -> usize {
        let slot = self.document.entry(array).or_insert_with(|| json!([]));
        match slot.as_array_mut() {
            Some(array) => {
                array.push(value);
                array.len() - 1
            }
            None => 0,
        }
    }

    /// What ufbx had to repair.
    fn warnings(&mut self) {
        for warning in &self.scene.metadata.warnings {
            // Files that textures name are looked for elsewhere.
            if warning.type_ == ufbx::WarningType::MissingExternalFile {
                continue;
            }
            let what = warning.description.to_string();
            let place = match self.scene.elements.get(warning.element_id as usize) {
                Some(element) if !element.name.is_empty() => format!("'{}'", &*element.name),
                _ => "file".to_owned(),
            };
            self.warn("fbx-repaired", place, what, "export the file again");
        }
    }

    fn finish(mut self, drivers: Option<Value>) -> Result<Converted, FbxError> {
        let version = self.scene.metadata.version;
        let kind = if self.scene.metadata.ascii { "ASCII" } else { "binary" };
        let creator = self.scene.metadata.creator.to_string();
        let generator = format!("{creator} (FBX {version} {kind})");
        let mut asset = json!({ "version": "2.0", "generator": generator });
        if let Some(drivers) = drivers {
            asset["extras"] = json!({ "sinew_drivers": drivers.to_string() });
        }
        self.document.insert("asset".into(), asset);
        let Binary { bytes, views, accessors, .. } = self.binary;
        if !bytes.is_empty() {
            self.document.insert("buffers".into(), json!([{ "byteLength": bytes.len() }]));
            self.document.insert("bufferViews".into(), Value::Array(views));
        }
        if !accessors.is_empty() {
            self.document.insert("accessors".into(), Value::Array(accessors));
        }
        Ok(Converted { document: self.document, binary: bytes, notes: self.notes })
    }
}
