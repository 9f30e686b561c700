//! glTF 2.0: the JSON document, what it points to, and a character of both. One topic a file.
//!
//! Scene space is the character's model space. Joints of skins, animated nodes and all nodes above
//! them are its joints; a mesh below a joint without a skin of its own is bound to that joint
//! wholly.
//!
//! What is not understood (cameras, lights, all of a material but its colour, opacity and normal
//! map, unknown extensions) is kept as it is in [`sinew::carried::Carried`], and the writer starts
//! from there.

mod accessor;
mod animation;
mod buffer;
mod cage;
mod curve_text;
mod draco;
mod drivers;
mod json;
mod material;
mod mesh;
mod meshopt;
mod primitive;
mod scene;
mod shallow;
mod skin;
mod source;
mod validate;
mod weights;
mod write;

pub(crate) use validate::validate_container;
pub use write::PartMaterials;
pub(crate) use write::{Finished, character_document, posed_character_document, posed_document};

use std::path::Path;
use std::sync::Arc;

use sinew::carried::Blob;
use sinew::driver::Drivers;
use sinew::glam::Vec3;
use sinew::motion::Clip;
use sinew::{Character, Part};

use crate::neighbours::Neighbours;
use crate::{Loaded, ReadError, Report};

/// Extensions that may be required since skinning does not need what they say, or since they are
/// read (quantization: every component type is).
const HARMLESS_EXTENSIONS: [&str; 7] = [
    "KHR_mesh_quantization",
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_lights_punctual",
    "KHR_xmp_json_ld",
    "VRM",
];
/// And all that start so.
const HARMLESS_PREFIXES: [&str; 4] = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "VRMC_"];

/// Reads a document.
pub(crate) fn read(
    name: &str,
    json_bytes: &[u8],
    binary_chunk: Option<&Blob>,
    folder: Option<&Path>,
) -> Result<Loaded, ReadError> {
    let root = json::parse(json_bytes)?;
    let is_harmless = |extension: &str| {
        HARMLESS_EXTENSIONS.contains(&extension)
            || HARMLESS_PREFIXES.iter().any(|prefix| extension.starts_with(prefix))
    };
    if let Some(needed) = root.extensions_required.iter().find(|e| !is_harmless(e)) {
        return Err(ReadError::UnsupportedExtension { name: needed.clone() });
    }
    let neighbours = Neighbours::of(folder);
    let buffers = buffer::Buffers::load(&root, binary_chunk.map(Blob::bytes), &neighbours);
    let validated = || {
        let mut report = Report::default();
        validate::validate(json_bytes, &buffers, &mut report);
        report
    };
    let understood = || Understood::read(&root, &buffers, json_bytes.len());
    // Of much data each takes milliseconds, and neither waits for the other. Of much JSON each
    // takes memory, and both would at once.
    let (mut report, understood) = if buffers.total_bytes() > json_bytes.len() {
        rayon::join(validated, understood)
    } else {
        (validated(), understood())
    };
    let Understood { rig, mut parts, part_of_node, clips, report: found } = understood?;
    report.warnings.extend(found.warnings);
    let materials = material::read_materials(&root, &buffers, &neighbours, &mut parts, &mut report);
    let carried =
        source::keep(&root, json_bytes, binary_chunk, &buffers, &neighbours).map(Arc::new);

    let written_name = root.asset.extras.get("sinew_name").and_then(|value| value.as_str());
    let name = written_name.unwrap_or(name).to_owned();
    let forward = forward(&root.extensions_used);
    let mut character = Character {
        name,
        parts,
        skeleton: rig.skeleton.clone(),
        clips,
        materials,
        forward,
        carried,
        drivers: Drivers::default(),
    };
    drivers::read(&root, &rig, &part_of_node, &mut character, &mut report);
    let cage = cage::read(&root, &mut character.clips, &mut report);
    Ok(Loaded { character, report, extensions: root.extensions_used, cage })
}

/// Avatars of the first VRM look along −Z, those of later ones along +Z.
fn forward(extensions: &[String]) -> Option<Vec3> {
    let uses = |name: &str| extensions.iter().any(|extension| extension == name);
    match (uses("VRMC_vrm"), uses("VRM")) {
        (true, _) => Some(Vec3::Z),
        (false, true) => Some(Vec3::NEG_Z),
        (false, false) => None,
    }
}

/// What a character is made of.
struct Understood {
    rig: skin::Rig,
    parts: Vec<Part>,
    part_of_node: Vec<Option<u32>>,
    clips: Vec<Clip>,
    report: Report,
}

impl Understood {
    fn read(
        root: &json::Root,
        buffers: &buffer::Buffers<'_>,
        num_json_bytes: usize,
    ) -> Result<Self, ReadError> {
        let mut report = Report::default();
        let accessors = accessor::Accessors::new(root, buffers, num_json_bytes);
        let nodes = scene::Nodes::read(root, &mut report)?;
        let rig = skin::Rig::read(root, &nodes, &accessors, &mut report)?;
        validate::refuse_huge_joints(&rig.skeleton)?;
        let (parts, part_of_node) = mesh::read_parts(root, &nodes, &rig, &accessors, &mut report)?;
        let num_shapes: Vec<usize> = parts.iter().map(|part| part.shapes.len()).collect();
        let targets =
            animation::Targets { rig: &rig, num_shapes: &num_shapes, part_of_node: &part_of_node };
        let clips = animation::read_clips(root, targets, &accessors, &mut report)?;
        Ok(Self { rig, parts, part_of_node, clips, report })
    }
}
