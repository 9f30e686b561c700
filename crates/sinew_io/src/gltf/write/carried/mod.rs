//! Writing a character into the document that it came from.
//!
//! Nodes, meshes, skins, materials, textures, images, samplers, cameras and scenes keep their
//! places, so that whatever points at them by index (VRM, lights, variants, extensions nobody here
//! has heard of) stays right. Vertices are written from the character in the space of the source's
//! mesh, with the source's own bits where they give the character's positions. What the character
//! has and the document has not is added at the end; what the document has and Sinew does not look
//! at is copied.

mod animation;
mod mesh;
mod part;
mod posed;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sinew::Character;
use sinew::carried::Carried;
use sinew::driver::Drivers;
use sinew::motion::Clip;
use sinew::skeleton::{JointTransform, Skeleton};

use super::super::accessor::Accessors;
use super::super::drivers;
use super::super::material;
use super::super::mesh::{Instance, MeshReader, read_instances};
use super::super::scene::Nodes;
use super::super::skin::{Rig, inverse_bind_matrices};
use super::super::source::Source;
use super::cage::add_cage;
use super::copy::Copier;
use super::drivers::add_drivers;
use super::skin::{Skin, Skins, give_common_root, hang_below, joint_node};
use super::{Finished, GENERATOR, Writer, asset};
use crate::posed::PosedPart;
use crate::{Report, WriteError, WriteOptions};

/// Extensions of how bytes are stored: what is written is plain.
const STORAGE_EXTENSIONS: [&str; 4] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_mesh_quantization",
];

/// `None` if the document is not one that the character fits any more.
pub(super) fn write(
    character: &Character,
    carried: &Carried,
    options: &WriteOptions,
) -> Option<Result<Finished, WriteError>> {
    carry(character, carried, options, |carrier| carrier.run())
}

/// The same of a character that is posed: its meshes stand still.
pub(super) fn write_posed(
    character: &Character,
    carried: &Carried,
    parts: &[PosedPart<'_>],
    options: &WriteOptions,
) -> Option<Result<Finished, WriteError>> {
    carry(character, carried, options, |carrier| carrier.run_posed(parts))
}

fn carry(
    character: &Character,
    carried: &Carried,
    options: &WriteOptions,
    run: impl FnOnce(Carrier<'_>) -> Result<Finished, WriteError>,
) -> Option<Result<Finished, WriteError>> {
    let mut source = Source::open(carried)?;
    let document = source.take_document();
    let source = source;
    let accessors = Accessors::new(&source.root, &source.buffers, carried.text.len());
    let mut known = Report::default();
    let nodes = Nodes::read(&source.root, &mut known).ok()?;
    let rig = Rig::read(&source.root, &nodes, &accessors, &mut known).ok()?;
    if !fits(&rig.skeleton, &character.skeleton) {
        return None;
    }
    let reader = MeshReader::new(&source.root, &nodes, &rig, &accessors);
    let instances = read_instances(&reader).ok()?;

    Some(run(Carrier {
        character,
        options,
        source: &source,
        nodes: &nodes,
        rig: &rig,
        instances: &instances,
        writer: Writer::new(document, options.max_influences),
        copier: Copier::new(&source, &accessors),
        skins: Skins::default(),
        own_skin: None,
        used_materials: Vec::new(),
        written_meshes: BTreeSet::new(),
        mesh_moved_to: BTreeMap::new(),
    }))
}

/// True if the first joints are those of the file.
fn fits(source: &Skeleton, now: &Skeleton) -> bool {
    source.len() <= now.len()
        && source
            .joints()
            .iter()
            .zip(now.joints())
            .all(|(source, now)| source.name == now.name && source.parent == now.parent)
}

struct Carrier<'a> {
    character: &'a Character,
    options: &'a WriteOptions,
    source: &'a Source<'a>,
    nodes: &'a Nodes,
    rig: &'a Rig,
    instances: &'a [Instance<'a>],
    writer: Writer,
    copier: Copier<'a>,
    skins: Skins,
    /// The skin of parts that the source's skins do not serve, in model space.
    own_skin: Option<usize>,
    /// The source's index of each material of the character.
    used_materials: Vec<usize>,
    /// Meshes of the source that have been written from the character.
    written_meshes: BTreeSet<usize>,
    /// Nodes whose mesh hangs at another now.
    mesh_moved_to: BTreeMap<usize, usize>,
}

impl Carrier<'_> {
    fn run(mut self) -> Result<Finished, WriteError> {
        self.write_asset();
        self.copier.images(&mut self.writer);
        self.write_joints();
        self.open_skins();
        self.match_materials();
        let instance_of_part = self.match_parts();
        for (index, instance) in self.instances.iter().enumerate() {
            if !instance_of_part.contains(&Some(index)) {
                self.take_mesh_off(instance.node);
            }
        }
        for (part, instance) in self.character.parts.iter().zip(instance_of_part) {
            let node = self.write_part(part, instance);
            self.writer.node_of_part.push(node);
        }
        self.copy_other_meshes();
        self.name_parts();
        let skins = std::mem::take(&mut self.skins);
        for skin in &skins.skins {
            give_common_root(&mut self.writer, &skin.nodes);
        }
        skins.finish(&mut self.writer)?;
        self.write_clips()?;
        self.copier.extensions(&mut self.writer);
        if !self.has_drivers_of_source() {
            add_drivers(&mut self.writer, self.character);
        }
        if let Some(rig) = &self.options.cage {
            add_cage(&mut self.writer, rig, &self.character.clips);
        }
        self.tell_extensions();
        self.writer.finish(self.options)
    }

    /// True if the source's own words for drivers are still right.
    fn has_drivers_of_source(&self) -> bool {
        let root = &self.source.root;
        let says_any = root.asset.extras.get(drivers::EXTRA).is_some()
            || root.nodes.iter().any(|node| node.extensions.constraint.is_some());
        if !says_any {
            return self.character.drivers.is_empty();
        }
        let mut read = self.character.clone();
        read.drivers = Drivers::default();
        read.clips.iter_mut().for_each(|clip| clip.control_tracks.clear());
        let mut part_of_node = vec![None; root.nodes.len()];
        for (part, instance) in self.instances.iter().enumerate() {
            part_of_node[instance.node] = Some(part as u32);
        }
        drivers::read(root, self.rig, &part_of_node, &mut read, &mut Report::default());
        let is_same_clip = |(a, b): (&Clip, &Clip)| a.control_tracks == b.control_tracks;
        read.drivers == self.character.drivers
            && read.clips.iter().zip(&self.character.clips).all(is_same_clip)
    }

    fn write_asset(&mut self) {
        let made = asset(&self.character.name);
        let name = &self.character.name;
        let Some(asset) = self.writer.document.get_mut("asset").and_then(Value::as_object_mut)
        else {
            self.writer.document.insert("asset".into(), made);
            return;
        };
        let generator = match asset.get("generator").and_then(Value::as_str) {
            Some(known) if known.contains("Sinew ") => known.to_owned(),
            Some(other) => format!("{other}, {GENERATOR}"),
            None => GENERATOR.to_owned(),
        };
        asset.insert("generator".into(), json!(generator));
        let extras = asset.entry("extras").or_insert_with(|| json!({}));
        if let Some(extras) = extras.as_object_mut() {
            extras.insert("sinew_name".into(), json!(name));
        }
    }

    /// Joints stay the nodes that they were; changed ones are moved, new ones added.
    fn write_joints(&mut self) {
        let joints = self.character.skeleton.joints();
        let read = self.rig.skeleton.joints();
        for (index, joint) in joints.iter().enumerate() {
            let node = match self.rig.node_of_joint.get(index) {
                Some(&node) => {
                    if joint.rest != read[index].rest {
                        self.move_node(node, joint.rest);
                    }
                    if joint.tail_in_joint != read[index].tail_in_joint {
                        self.set_extra(node, "sinew_tail", json!(joint.tail_in_joint.to_array()));
                    }
                    node
                }
                // A helper that the reader made is only another way to bind its parent.
                None if self.is_plain_helper(index) => {
                    let parent = joint.parent.unwrap_or(0) as usize;
                    self.writer.node_of_joint[parent]
                }
                None => {
                    let node = self.writer.push("nodes", joint_node(joint));
                    match joint.parent {
                        Some(parent) => {
                            let parent = self.writer.node_of_joint[parent as usize];
                            hang_below(&mut self.writer, parent, node);
                        }
                        None => self.show(node),
                    }
                    node
                }
            };
            self.writer.node_of_joint.push(node);
        }
    }

    fn is_plain_helper(&self, joint: usize) -> bool {
        let is_moved = |clip: &sinew::motion::Clip| {
            clip.tracks.iter().any(|track| track.joint as usize == joint)
        };
        joint < self.rig.skeleton.len()
            && self.character.skeleton.joints()[joint].rest == JointTransform::IDENTITY
            && !self.character.clips.iter().any(is_moved)
    }

    fn move_node(&mut self, node: usize, to: JointTransform) {
        if let Some(node) = self.writer.object("nodes", node) {
            node.remove("matrix");
            node.insert("translation".into(), json!(to.translation.to_array()));
            node.insert("rotation".into(), json!(to.rotation.to_array()));
            node.insert("scale".into(), json!(to.scale.to_array()));
        }
    }

    fn set_extra(&mut self, node: usize, name: &str, value: Value) {
        if let Some(node) = self.writer.object("nodes", node) {
            let extras = node.entry("extras").or_insert_with(|| json!({}));
            if let Some(extras) = extras.as_object_mut() {
                extras.insert(name.into(), value);
            }
        }
    }

    /// Puts a node into the scene that is shown.
    fn show(&mut self, node: usize) {
        let scene = self.source.root.scene.unwrap_or(0);
        if let Some(scene) = self.writer.object("scenes", scene) {
            let nodes = scene.entry("nodes").or_insert_with(|| json!([]));
            if let Some(nodes) = nodes.as_array_mut() {
                nodes.push(json!(node));
            }
        }
    }

    /// The source's skins with the character's inverse bind matrices.
    fn open_skins(&mut self) {
        let joint_from_model = self.character.skeleton.joint_from_model();
        let bases = self.writer.array("skins").clone();
        let read_joint_from_model = self.rig.skeleton.joint_from_model();
        let skins = self.source.root.skins.iter().zip(&self.rig.skins);
        for (index, ((skin, binding), base)) in skins.zip(bases).enumerate() {
            let base = base.as_object().cloned().unwrap_or_default();
            let mut opened = Skin::new(binding.model_from_mesh, base);
            let read = inverse_bind_matrices(index, skin, self.copier.accessors);
            let read = read.unwrap_or_default();
            let entries = skin.joints.iter().zip(&binding.joint_of_entry);
            for (entry, (&node, &joint)) in entries.enumerate() {
                let is_helper = joint as usize >= self.rig.node_of_joint.len();
                // A helper that has become a joint of its own has a node of its own.
                let node = if is_helper { self.writer.node_of_joint[joint as usize] } else { node };
                let now = joint_from_model[joint as usize];
                let bind = match read.get(entry) {
                    // The source's own bits.
                    Some(read) if now == read_joint_from_model[joint as usize] => *read,
                    _ => now * binding.model_from_mesh,
                };
                opened.add(&mut self.writer, node, Some(joint), bind);
            }
            self.skins.skins.push(opened);
        }
    }

    /// Materials as the reader numbers them: in the order in which parts use them.
    fn match_materials(&mut self) {
        let mut used = material::Used::default();
        for run in self.instances.iter().flat_map(|instance| &instance.gathered.materials) {
            used.place_of(run.material);
        }
        let used = used.materials;
        for (material, &index) in self.character.materials.iter().zip(&used) {
            let source = &self.source.root.materials[index];
            let surface = &source.pbr_metallic_roughness;
            let image = surface
                .get("baseColorTexture")
                .and_then(|texture| material::image_of(&self.source.root, texture).ok())
                .and_then(|image| self.source.image(image));
            let has_same_image = match (&material.image, &image) {
                (Some(now), Some(then)) => now.bytes == **then,
                (None, Some(then)) => sinew::material::EncodedImage::media_type_of(then).is_none(),
                (now, None) => now.is_none(),
            };
            let new_texture = match &material.image {
                Some(image) if !has_same_image => Some(self.writer.texture(image)),
                _ => None,
            };
            let is_renamed = source.name.as_deref().unwrap_or("") != material.name;
            let is_recolored = material::base_color(source) != material.base_color;
            let Some(written) = self.writer.object("materials", index) else { continue };
            if is_renamed {
                written.insert("name".into(), json!(material.name));
            }
            if !is_recolored && has_same_image {
                continue;
            }
            let surface = written.entry("pbrMetallicRoughness").or_insert_with(|| json!({}));
            let Some(surface) = surface.as_object_mut() else { continue };
            if is_recolored {
                surface.insert("baseColorFactor".into(), json!(material.base_color));
            }
            if let Some(texture) = new_texture {
                surface.insert("baseColorTexture".into(), json!({ "index": texture }));
            } else if !has_same_image {
                surface.remove("baseColorTexture");
            }
        }
        self.used_materials = used;
    }

    /// The document's index of a material of the character.
    fn material(&mut self, material: u32) -> usize {
        match self.used_materials.get(material as usize) {
            Some(&known) => known,
            None => self.writer.own_material(&self.character.materials[material as usize]),
        }
    }

    fn tell_extensions(&mut self) {
        for list in ["extensionsUsed", "extensionsRequired"] {
            let is_gone =
                |name: &Value| name.as_str().is_some_and(|name| STORAGE_EXTENSIONS.contains(&name));
            if let Some(names) = self.writer.document.get_mut(list).and_then(Value::as_array_mut) {
                names.retain(|name| !is_gone(name));
            }
        }
        if self.options.quantize {
            self.writer.require_extension("KHR_mesh_quantization");
        }
    }
}
