//! glTF 2.0: the JSON document, what it points to, and a character of both. One topic a file.
//!
//! Scene space is the character's model space. Joints of skins, animated nodes and all nodes above them are its
//! joints; a mesh below a joint without a skin of its own is bound to that joint wholly. Not read yet: Draco and
//! meshopt compression, cubic curves (their keys are), morph weights over time, of a material more than its base colour.

mod accessor;
mod animation;
mod buffer;
mod json;
mod material;
mod mesh;
mod primitive;
mod scene;
mod skin;
mod validate;
mod write;
mod write_animation;
mod write_material;
mod write_mesh;

pub(crate) use buffer::load_uri;
pub(crate) use validate::validate_container;
pub(crate) use write::{character_to_glb, posed_to_glb};
pub use write_material::PartMaterials;

use std::path::Path;

use sinew::Character;

use crate::{Loaded, ReadError, Report};

/// Extensions that may be required since skinning does not need what they say, or since it is read anyway
/// (quantization: every component type is).
const HARMLESS_EXTENSIONS: [&str; 4] =
    ["KHR_mesh_quantization", "KHR_lights_punctual", "KHR_xmp_json_ld", "VRM"];
/// And all that start so.
const HARMLESS_PREFIXES: [&str; 4] = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "VRMC_"];

/// Reads a document.
pub(crate) fn read(
    name: &str,
    json_bytes: &[u8],
    binary_chunk: Option<&[u8]>,
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
    let mut report = Report::default();
    let buffers = buffer::Buffers::load(&root.buffers, binary_chunk, folder);
    validate::validate(json_bytes, &buffers, &mut report);
    let accessors = accessor::Accessors::new(&root, &buffers, json_bytes.len());
    let nodes = scene::Nodes::read(&root, &mut report)?;
    let rig = skin::Rig::read(&root, &nodes, &accessors, &mut report)?;
    validate::refuse_huge_joints(&rig.skeleton)?;
    let mut parts = mesh::read_parts(&root, &nodes, &rig, &accessors, &mut report)?;
    let clips = animation::read_clips(&root, &rig, &accessors, &mut report)?;
    let materials = material::read_materials(&root, &buffers, folder, &mut parts, &mut report);
    note_what_is_left_out(&root, &mut report);

    let written_name = root.asset.extras.get("sinew_name").and_then(|value| value.as_str());
    let name = written_name.unwrap_or(name).to_owned();
    let character = Character { name, parts, skeleton: rig.skeleton, clips, materials };
    Ok(Loaded { character, report, extensions: root.extensions_used })
}

fn note_what_is_left_out(root: &json::Root, report: &mut Report) {
    let mend = "keep the source file: what is written from here has base colours and no cameras";
    let kept = |material: &json::Material| {
        usize::from(material.pbr_metallic_roughness.get("baseColorTexture").is_some())
    };
    let num_kept: usize = root.materials.iter().map(kept).sum();
    if root.textures.len() > num_kept {
        let what = "textures other than base colours were left out";
        report.note("textures-left-out", "textures", what, mend);
    }
    if !root.cameras.is_empty() {
        let what = format!("{} cameras were left out", root.cameras.len());
        report.note("cameras-left-out", "cameras", what, mend);
    }
}
