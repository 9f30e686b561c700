//! Writing a character into the document that it came from.
//!
//! Nodes, meshes, skins, materials, textures, images, samplers, cameras and scenes keep their places, so that whatever
//! points at them by index (VRM, lights, variants, extensions nobody here has heard of) stays right. Vertices are written
//! from the character in the space of the source's mesh, with the source's own bits where they give the character's
//! positions. What the character has and the document has not is added at the end; what the document has and Sinew does
//! not look at is copied.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DAffine3, Vec3};
use serde_json::{Map, Value, json};
use sinew::carried::Carried;
use sinew::skeleton::{JointTransform, Skeleton};
use sinew::weights::SkinWeights;
use sinew::{Character, Part};

use super::accessor::Accessors;
use super::json::Node;
use super::material;
use super::mesh::{Binding, Instance, MeshReader, read_instances, transform};
use super::scene::Nodes;
use super::skin::Rig;
use super::source::Source;
use super::write::{Finished, GENERATOR, Writer, asset, limited_weights};
use super::write_animation::add_clips;
use super::write_copy::{Copier, Use, lost};
use super::write_material::PartMaterials;
use super::write_mesh::{
    Piece, Row, Surface, VertexCache, add_piece, finish_mesh, group_extras, own_pieces, runs,
    sorted_rows,
};
use super::write_skin::{Skin, Skins, hang_below, joint_node};
use crate::{Report, WriteError, WriteOptions};

/// Extensions of how bytes are stored: what is written is plain.
const STORAGE_EXTENSIONS: [&str; 4] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_mesh_quantization",
];

/// Displacements this near, over the part's diagonal, are the source's: welding makes one of those of a seam.
const SAME_DELTA_OVER_DIAGONAL: f32 = 2e-6;

/// `None` if the document is not one that the character fits any more.
pub(super) fn write(
    character: &Character,
    carried: &Carried,
    options: &WriteOptions,
) -> Option<Result<Finished, WriteError>> {
    let source = Source::open(carried)?;
    let accessors = Accessors::new(&source.root, &source.buffers, carried.text.len());
    let mut known = Report::default();
    let nodes = Nodes::read(&source.root, &mut known).ok()?;
    let rig = Rig::read(&source.root, &nodes, &accessors, &mut known).ok()?;
    if !fits(&rig.skeleton, &character.skeleton) {
        return None;
    }
    let reader = MeshReader::new(&source.root, &nodes, &rig, &accessors);
    let instances = read_instances(&reader).ok()?;

    let mut document = source.json.clone();
    for rewritten in ["accessors", "bufferViews", "buffers", "animations"] {
        document.remove(rewritten);
    }
    let carrier = Carrier {
        character,
        options,
        source: &source,
        nodes: &nodes,
        rig: &rig,
        instances: &instances,
        writer: Writer::new(document),
        copier: Copier::new(&source, &accessors),
        skins: Skins::default(),
        own_skin: None,
        used_materials: Vec::new(),
        written_meshes: BTreeSet::new(),
    };
    Some(carrier.run())
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
}

/// Where and how a part is written.
struct Place {
    node: usize,
    skin: Option<usize>,
    model_from_mesh: DAffine3,
    /// The source's own space: what lies in it beside the part's vertices stays right.
    is_own_space: bool,
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
        std::mem::take(&mut self.skins).finish(&mut self.writer);
        add_clips(&mut self.writer, self.character)?;
        self.carry_animations();
        self.copier.extensions(&mut self.writer);
        self.tell_extensions();
        Ok(self.writer.finish())
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
        let skins = self.source.root.skins.iter().zip(&self.rig.skins);
        for ((skin, binding), base) in skins.zip(bases) {
            let base = base.as_object().cloned().unwrap_or_default();
            let mut opened = Skin::new(binding.model_from_mesh, base);
            for (&node, &joint) in skin.joints.iter().zip(&binding.joint_of_entry) {
                let is_helper = joint as usize >= self.rig.node_of_joint.len();
                // A helper that has become a joint of its own has a node of its own.
                let node = if is_helper { self.writer.node_of_joint[joint as usize] } else { node };
                let bind = joint_from_model[joint as usize] * binding.model_from_mesh;
                opened.add(&mut self.writer, node, Some(joint), bind);
            }
            self.skins.skins.push(opened);
        }
    }

    /// Materials as the reader numbers them: in the order in which parts use them.
    fn match_materials(&mut self) {
        let mut used = Vec::new();
        for run in self.instances.iter().flat_map(|instance| &instance.gathered.materials) {
            material::place_of(&mut used, run.material);
        }
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

    /// Which of the source's meshes a part was: the one at its place with its name, else one of that name, else the one
    /// at its place if none was added or taken away.
    fn match_parts(&self) -> Vec<Option<usize>> {
        let name = |instance: usize| self.instances[instance].gathered.raw.name.as_str();
        let mut is_taken = vec![false; self.instances.len()];
        let mut matched = vec![None; self.character.parts.len()];
        for (part, slot) in matched.iter_mut().enumerate().take(self.instances.len()) {
            if self.character.parts[part].mesh.name() == name(part) {
                *slot = Some(part);
                is_taken[part] = true;
            }
        }
        let is_complete = self.character.parts.len() == self.instances.len();
        for (part, slot) in matched.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
            let wanted = self.character.parts[part].mesh.name();
            let free = (0..self.instances.len()).filter(|&i| !is_taken[i]);
            let found = free.clone().find(|&i| name(i) == wanted);
            *slot = found.or_else(|| free.clone().find(|&i| i == part && is_complete));
            if let Some(found) = *slot {
                is_taken[found] = true;
            }
        }
        matched
    }

    fn take_mesh_off(&mut self, node: usize) {
        if let Some(node) = self.writer.object("nodes", node) {
            for field in ["mesh", "skin", "weights"] {
                node.remove(field);
            }
        }
    }

    /// Writes a part and returns its node; `None` for one without triangles.
    fn write_part(&mut self, part: &Part, instance: Option<usize>) -> Option<usize> {
        let instance = instance.map(|index| &self.instances[index]);
        if part.mesh.triangles().is_empty() {
            if let Some(instance) = instance {
                self.take_mesh_off(instance.node);
            }
            return None;
        }
        let weights = limited_weights(self.character, part, self.options);
        let weights = weights.as_deref();
        let place = self.place(part, weights, instance);
        let rows = weights.filter(|_| place.skin.is_some()).map(|weights| {
            let mut rows = sorted_rows(weights);
            self.name_entries(&mut rows, place.skin.unwrap_or(0));
            rows
        });
        let num_entries = place.skin.map_or(0, |skin| self.skins.skins[skin].nodes.len());
        let mut surface = Surface::of_part(part, rows, num_entries);
        let kept = instance.filter(|instance| has_same_vertices(part, instance));
        bring_to_mesh(&mut surface, part, kept, &place.model_from_mesh);
        let mesh = match (instance, kept.filter(|_| place.is_own_space)) {
            (Some(_), Some(kept)) => self.write_kept_mesh(part, &mut surface, kept),
            (instance, _) => self.write_new_mesh(part, &mut surface, instance),
        };
        let rest: Vec<f64> = part.shapes.iter().map(|s| f64::from(s.rest_weight)).collect();
        let of_mesh = weights_of(self.writer.object("meshes", mesh));
        if let Some(node) = self.writer.object("nodes", place.node) {
            node.insert("mesh".into(), json!(mesh));
            match place.skin {
                Some(skin) => node.insert("skin".into(), json!(skin)),
                None => node.remove("skin"),
            };
            // A node's own come before its mesh's, which others may show too.
            if weights_of(Some(&mut *node)).unwrap_or(of_mesh.unwrap_or_default()) != rest {
                node.insert("weights".into(), json!(rest));
            }
            if rest.is_empty() {
                node.remove("weights");
            }
        }
        if let Some(instance) = instance {
            self.rename(part, instance, place.node, mesh);
        }
        Some(place.node)
    }

    /// Entries of the skin instead of joints.
    fn name_entries(&mut self, rows: &mut [Row], skin: usize) {
        let skeleton = &self.character.skeleton;
        let mut entry_of_joint = vec![None; skeleton.len()];
        for (joint, _) in rows.iter_mut().flatten() {
            let slot = &mut entry_of_joint[*joint as usize];
            *joint = *slot.get_or_insert_with(|| {
                self.skins.skins[skin].entry(&mut self.writer, *joint, skeleton)
            });
        }
    }

    fn place(
        &mut self,
        part: &Part,
        weights: Option<&SkinWeights>,
        instance: Option<&Instance<'_>>,
    ) -> Place {
        let model_space = DAffine3::IDENTITY;
        let Some(instance) = instance else {
            let node = self.add_part_node(part);
            let skin = weights.map(|_| self.own_skin());
            return Place { node, skin, model_from_mesh: model_space, is_own_space: false };
        };
        let node = instance.node;
        let own = |skin, model_from_mesh| Place { node, skin, model_from_mesh, is_own_space: true };
        let is_usable = |m: &DAffine3| m.is_finite() && m.inverse().is_finite();
        match (instance.binding, weights) {
            (Binding::Skin(skin, _), Some(_)) if is_usable(&instance.model_from_mesh) => {
                own(Some(skin), instance.model_from_mesh)
            }
            (Binding::Joint(joint), Some(weights)) if is_rigid_on(weights, joint) => {
                let model_from_mesh = self.below_joint(joint, instance);
                if is_usable(&model_from_mesh) {
                    return own(None, model_from_mesh);
                }
                self.in_model_space(part, instance, true)
            }
            (Binding::Static, None) if is_usable(&instance.model_from_mesh) => {
                own(None, instance.model_from_mesh)
            }
            (_, weights) => self.in_model_space(part, instance, weights.is_some()),
        }
    }

    /// At its node if a skin takes it from there, else at one of its own.
    fn in_model_space(&mut self, part: &Part, instance: &Instance<'_>, has_skin: bool) -> Place {
        let model_from_mesh = DAffine3::IDENTITY;
        if has_skin {
            let (node, skin) = (instance.node, Some(self.own_skin()));
            return Place { node, skin, model_from_mesh, is_own_space: false };
        }
        self.take_mesh_off(instance.node);
        let node = self.add_part_node(part);
        Place { node, skin: None, model_from_mesh, is_own_space: false }
    }

    /// How a mesh that its node moves comes to model space: where it would be with the joint as it was bound.
    fn below_joint(&self, joint: u32, instance: &Instance<'_>) -> DAffine3 {
        let joint = joint as usize;
        let (now, then) = (&self.character.skeleton, &self.rig.skeleton);
        if now.joint_from_model()[joint] == then.joint_from_model()[joint] {
            return instance.model_from_mesh;
        }
        let joint_from_node = then.rest_model_from_joint()[joint].inverse()
            * self.nodes.world_from_node[instance.node];
        now.joint_from_model()[joint].inverse() * joint_from_node
    }

    fn add_part_node(&mut self, part: &Part) -> usize {
        let name = Some(part.mesh.name().to_owned());
        let node = self.writer.push("nodes", Node { name, ..Node::default() });
        self.show(node);
        node
    }

    fn own_skin(&mut self) -> usize {
        *self.own_skin.get_or_insert_with(|| {
            self.skins.skins.push(Skin::new(DAffine3::IDENTITY, Map::new()));
            self.skins.skins.len() - 1
        })
    }

    /// The source's primitives with the character's vertices, and what else they have.
    fn write_kept_mesh(
        &mut self,
        part: &Part,
        surface: &mut Surface<'_>,
        instance: &Instance<'_>,
    ) -> usize {
        let source_mesh = &self.source.root.meshes[instance.mesh];
        let raw = &instance.gathered.raw;
        let has_labels = |p: &super::json::Primitive| p.attributes.contains_key("_POINT");
        let has_same_points = surface.positions == raw.positions;
        surface.has_labels = surface.rows.is_none()
            && (source_mesh.primitives.iter().any(has_labels) || !has_same_points);
        let has_same_groups = raw.groups == part.mesh.groups();
        let groups = runs(part.mesh.groups(), part.mesh.triangles().len() as u32);
        let mut cache = VertexCache::new();
        let mut primitives = Vec::new();
        for (index, primitive) in source_mesh.primitives.iter().enumerate() {
            let gathering = instance.gathered.primitives.iter().find(|g| g.primitive == index);
            let Some(gathering) = gathering else {
                let has_same_targets = primitive.targets.len() == surface.shapes.len();
                let copy = self.copier.primitive(&mut self.writer, instance.mesh, index);
                match copy.filter(|_| has_same_targets) {
                    Some(copy) => primitives.push(copy),
                    None => lost(
                        &mut self.writer,
                        format!("meshes[{}].primitives[{index}]", instance.mesh),
                        "the primitive",
                    ),
                }
                continue;
            };
            let (attributes, targets) = self.further_attributes(instance.mesh, index, surface);
            let in_group = |range: &std::ops::Range<u32>| {
                let start = gathering.triangles.start.max(range.start);
                start..gathering.triangles.end.min(range.end)
            };
            let cuts: Vec<_> = if has_same_groups {
                vec![(None, 0, gathering.triangles.clone())]
            } else {
                let cut = groups.iter().map(|(name, range)| (*name, range.start, in_group(range)));
                cut.filter(|(_, _, range)| !range.is_empty()).collect()
            };
            let materials =
                PartMaterials { runs: &part.materials, materials: &self.character.materials };
            for (group, group_start, range) in cuts {
                for (triangles, material) in materials.cut(range) {
                    let mut base =
                        self.copier.source_primitive(instance.mesh, index).unwrap_or_default();
                    if !has_same_groups {
                        let extras = base.entry("extras").or_insert_with(|| json!({}));
                        if let Some(extras) = extras.as_object_mut() {
                            extras.remove("sinew_group");
                            extras.remove("sinew_continued");
                            extras.extend(group_extras(group, triangles.start == group_start));
                        }
                    }
                    self.set_material(&mut base, material, primitive);
                    let range = gathering.vertices.clone();
                    let has_some = |v: &[Vec3]| v.iter().any(|n| *n != Vec3::ZERO);
                    let uvs = part.mesh.vertex_uvs();
                    let piece = Piece {
                        has_normals: !surface.normals.is_empty()
                            && (primitive.attributes.contains_key("NORMAL")
                                || has_some(&surface.normals[range.clone()])),
                        has_uvs: !uvs.is_empty()
                            && (primitive.attributes.contains_key("TEXCOORD_0")
                                || uvs[range.clone()].iter().any(|uv| *uv != glam::Vec2::ZERO)),
                        has_indices: primitive.indices.is_some(),
                        vertices: range,
                        triangles,
                        base,
                        attributes: attributes.clone(),
                        targets: targets.clone(),
                        is_still: primitive
                            .targets
                            .iter()
                            .map(|target| !target.contains_key("POSITION"))
                            .collect(),
                    };
                    primitives.push(add_piece(&mut self.writer, surface, piece, &mut cache));
                }
            }
        }
        let names_now = surface.shapes.iter().map(|(name, _)| *name);
        let has_new_names = !names_now.eq(raw.shapes.iter().map(|s| s.name.as_str()));
        self.put_mesh(instance.mesh, surface, primitives, has_new_names)
    }

    fn set_material(
        &mut self,
        base: &mut Map<String, Value>,
        material: Option<u32>,
        primitive: &super::json::Primitive,
    ) {
        let is_clay = primitive.extras.get("sinew_clay").is_some();
        match material {
            Some(material) => {
                let index = self.material(material);
                base.insert("material".into(), json!(index));
                if is_clay
                    && let Some(extras) = base.get_mut("extras").and_then(Value::as_object_mut)
                {
                    extras.remove("sinew_clay");
                }
            }
            None if !is_clay => {
                base.remove("material");
            }
            None => {}
        }
    }

    /// Attributes that the character does not have: of the vertices, and of each morph target.
    fn further_attributes(
        &mut self,
        mesh: usize,
        primitive: usize,
        surface: &Surface<'_>,
    ) -> (BTreeMap<String, usize>, Vec<BTreeMap<String, usize>>) {
        let found = &self.source.root.meshes[mesh].primitives[primitive];
        let place = format!("meshes[{mesh}].primitives[{primitive}]");
        let is_further = |name: &str| {
            !matches!(name, "POSITION" | "NORMAL" | "TEXCOORD_0" | "_POINT")
                && !name.starts_with("JOINTS_")
                && !name.starts_with("WEIGHTS_")
        };
        let attributes =
            self.copier.attributes(&mut self.writer, &found.attributes, &place, is_further);
        let mut targets = Vec::new();
        if found.targets.len() == surface.shapes.len() {
            for (index, target) in found.targets.iter().enumerate() {
                let place = format!("{place}.targets[{index}]");
                targets.push(self.copier.target(&mut self.writer, target, &place, "POSITION"));
            }
        }
        (attributes, targets)
    }

    /// A part that is no longer the source's mesh, or never was one.
    fn write_new_mesh(
        &mut self,
        part: &Part,
        surface: &mut Surface<'_>,
        instance: Option<&Instance<'_>>,
    ) -> usize {
        surface.has_labels = surface.rows.is_none();
        let materials =
            PartMaterials { runs: &part.materials, materials: &self.character.materials };
        let mut pieces = own_pieces(&mut self.writer, surface, materials);
        for piece in &mut pieces {
            let start = piece.triangles.start..piece.triangles.start + 1;
            if let Some((_, Some(material))) = materials.cut(start).first() {
                let index = self.material(*material);
                piece.base.insert("material".into(), json!(index));
            }
        }
        let mut cache = VertexCache::new();
        let mut primitives = Vec::new();
        for piece in pieces {
            primitives.push(add_piece(&mut self.writer, surface, piece, &mut cache));
        }
        let Some(instance) = instance else {
            let mut mesh = Map::new();
            mesh.insert("name".into(), json!(part.mesh.name()));
            finish_mesh(&mut mesh, surface, primitives, true);
            return self.writer.push("meshes", mesh);
        };
        let place = format!("meshes[{}]", instance.mesh);
        let found = &self.source.root.meshes[instance.mesh];
        let is_further = |name: &String| {
            !matches!(name.as_str(), "POSITION" | "NORMAL" | "TEXCOORD_0" | "_POINT")
                && !name.starts_with("JOINTS_")
                && !name.starts_with("WEIGHTS_")
        };
        if found.primitives.iter().any(|p| p.attributes.keys().any(is_further)) {
            let what = "what the vertices had besides positions, normals and texture coordinates";
            lost(&mut self.writer, place, what);
        }
        self.put_mesh(instance.mesh, surface, primitives, true)
    }

    /// The source's mesh with these primitives: at its place, unless another instance has been put there that differs.
    fn put_mesh(
        &mut self,
        index: usize,
        surface: &Surface<'_>,
        primitives: Vec<Value>,
        with_names: bool,
    ) -> usize {
        let base = self.source.json.get("meshes").and_then(|meshes| meshes.get(index));
        let mut mesh = base.and_then(Value::as_object).cloned().unwrap_or_default();
        finish_mesh(&mut mesh, surface, primitives, with_names);
        let mesh = Value::Object(mesh);
        if self.written_meshes.insert(index) {
            if let Some(slot) = self.writer.array("meshes").get_mut(index) {
                *slot = mesh;
            }
            return index;
        }
        let known = self.writer.array("meshes").iter().enumerate().position(|(at, known)| {
            (at == index || at >= self.source.root.meshes.len()) && *known == mesh
        });
        known.unwrap_or_else(|| self.writer.push("meshes", mesh))
    }

    fn rename(&mut self, part: &Part, instance: &Instance<'_>, node: usize, mesh: usize) {
        let wanted = part.mesh.name();
        if instance.gathered.raw.name == wanted {
            return;
        }
        // As the reader names them: by the mesh, or by the node if several share it.
        let num_uses =
            self.source.root.nodes.iter().filter(|n| n.mesh == Some(instance.mesh)).count();
        let has_node_name = self.source.root.nodes[instance.node].name.is_some();
        let (array, index) =
            if num_uses > 1 && has_node_name { ("nodes", node) } else { ("meshes", mesh) };
        if let Some(object) = self.writer.object(array, index) {
            object.insert("name".into(), json!(wanted));
        }
    }

    /// Meshes that no part came from: of points and lines, or outside the scene.
    fn copy_other_meshes(&mut self) {
        for mesh in 0..self.source.root.meshes.len() {
            if self.written_meshes.contains(&mesh) {
                continue;
            }
            let mut primitives = Vec::new();
            for primitive in 0..self.source.root.meshes[mesh].primitives.len() {
                match self.copier.primitive(&mut self.writer, mesh, primitive) {
                    Some(copy) => primitives.push(copy),
                    None => {
                        let place = format!("meshes[{mesh}].primitives[{primitive}]");
                        lost(&mut self.writer, place, "the primitive");
                    }
                }
            }
            if primitives.is_empty() {
                // A mesh must have something, and taking it away would rename all that follow.
                let point = self.writer.add_floats("VEC3", super::write::VERTICES, &[[0.0; 3]]);
                self.writer.set_bounds(point, &[[0.0; 3]]);
                primitives.push(json!({ "attributes": { "POSITION": point }, "mode": 0 }));
            }
            if let Some(written) = self.writer.object("meshes", mesh) {
                written.insert("primitives".into(), Value::Array(primitives));
            }
        }
    }

    /// What the source's animations say besides the clips' tracks.
    fn carry_animations(&mut self) {
        let sources = self.source.json.get("animations").and_then(Value::as_array);
        let Some(sources) = sources else { return };
        let mut made = std::mem::take(&mut self.writer.root.animations);
        let mut is_taken = vec![false; sources.len()];
        for (index, animation) in made.drain(..).enumerate() {
            let name_of = |at: usize| {
                let name = self.source.root.animations[at].name.clone();
                name.unwrap_or_else(|| format!("clip{at}"))
            };
            let wanted = animation.name.clone().unwrap_or_default();
            let is_it = |at: &usize| !is_taken[*at] && name_of(*at) == wanted;
            let found = Some(index)
                .filter(|at| *at < sources.len() && is_it(at))
                .or_else(|| (0..sources.len()).find(is_it));
            let mut value = serde_json::to_value(&animation).unwrap_or(Value::Null);
            if let Some(found) = found {
                is_taken[found] = true;
                self.carry_animation(&sources[found], found, &mut value);
            }
            let is_empty =
                value.get("channels").and_then(Value::as_array).is_none_or(Vec::is_empty);
            if is_empty {
                let place = format!("animations '{wanted}'");
                lost(&mut self.writer, place, "an animation without any channel that is known");
                continue;
            }
            self.writer.push("animations", value);
        }
    }

    /// Adds extras, extensions, and channels that no clip has.
    fn carry_animation(&mut self, source: &Value, index: usize, into: &mut Value) {
        let Some(into) = into.as_object_mut() else { return };
        for (key, value) in source.as_object().into_iter().flatten() {
            if !matches!(key.as_str(), "channels" | "samplers" | "name") {
                into.insert(key.clone(), value.clone());
            }
        }
        let channels = source.get("channels").and_then(Value::as_array);
        for (at, channel) in channels.into_iter().flatten().enumerate() {
            let target = &self.source.root.animations[index].channels[at].target;
            // What moves joints and shapes is in the clip, or was taken out of it.
            let is_of_part =
                target.node.is_some() && self.writer.node_of_part.contains(&target.node);
            if matches!(target.path.as_str(), "translation" | "rotation" | "scale")
                || target.path == "weights" && is_of_part
            {
                continue;
            }
            let written = into.get("channels").and_then(Value::as_array);
            let is_written = written.into_iter().flatten().any(|known| {
                known.pointer("/target/path").and_then(Value::as_str) == Some(&target.path)
                    && known.pointer("/target/node").and_then(Value::as_u64)
                        == target.node.map(|node| node as u64)
                    && target.path != "pointer"
            });
            if is_written {
                continue;
            }
            let place = format!("animations[{index}].channels[{at}]");
            if !self.copy_channel(channel, source, into) {
                lost(&mut self.writer, place, "the channel");
            }
        }
    }

    fn copy_channel(
        &mut self,
        channel: &Value,
        source: &Value,
        into: &mut Map<String, Value>,
    ) -> bool {
        let sampler = channel.get("sampler").and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
        let sampler = source.get("samplers").and_then(|samplers| samplers.get(sampler));
        let Some(mut sampler) = sampler.cloned() else { return false };
        for field in ["input", "output"] {
            let accessor = sampler.get(field).and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
            let copy = self.copier.accessor(&mut self.writer, accessor, Use::Other);
            let Some(copy) = copy else { return false };
            sampler[field] = json!(copy);
        }
        let mut list = |name: &str, value: Value| {
            let array = into.entry(name).or_insert_with(|| json!([]));
            let array = array.as_array_mut()?;
            array.push(value);
            Some(array.len() - 1)
        };
        let Some(at) = list("samplers", sampler) else { return false };
        let mut channel = channel.clone();
        channel["sampler"] = json!(at);
        list("channels", channel).is_some()
    }

    fn tell_extensions(&mut self) {
        for list in ["extensionsUsed", "extensionsRequired"] {
            let is_gone =
                |name: &Value| name.as_str().is_some_and(|name| STORAGE_EXTENSIONS.contains(&name));
            if let Some(names) = self.writer.document.get_mut(list).and_then(Value::as_array_mut) {
                names.retain(|name| !is_gone(name));
            }
        }
    }
}

/// The weights of a mesh or a node, as the reader takes them.
fn weights_of(object: Option<&mut Map<String, Value>>) -> Option<Vec<f64>> {
    let weights = object?.get("weights")?.as_array()?.iter();
    Some(weights.map(|weight| f64::from(weight.as_f64().unwrap_or(0.0) as f32)).collect())
}

fn is_rigid_on(weights: &SkinWeights, joint: u32) -> bool {
    weights.rows().all(|row| row.len() == 1 && row[0].joint == joint)
}

/// True if vertices and triangles are still those of the source, wherever they lie.
fn has_same_vertices(part: &Part, instance: &Instance<'_>) -> bool {
    let raw = &instance.gathered.raw;
    let mesh = &part.mesh;
    raw.positions.len() == mesh.num_vertices()
        && raw.triangles.len() == mesh.triangles().len()
        && instance.gathered.primitives.iter().all(|gathering| {
            let range = gathering.triangles.start as usize..gathering.triangles.end as usize;
            let corners = mesh.triangles()[range].as_flattened();
            corners.iter().all(|&v| gathering.vertices.contains(&(v as usize)))
        })
}

/// Brings a part's vertices from model space to the mesh's own: the source's bits where they give the same.
fn bring_to_mesh(
    surface: &mut Surface<'_>,
    part: &Part,
    kept: Option<&Instance<'_>>,
    model_from_mesh: &DAffine3,
) {
    if *model_from_mesh == DAffine3::IDENTITY && kept.is_none() {
        return;
    }
    let raw = kept.map(|instance| &instance.gathered.raw);
    let moved = raw.map(|raw| {
        let mut moved = raw.clone();
        transform(&mut moved, model_from_mesh);
        moved
    });
    let linear = model_from_mesh.matrix3;
    let mesh_from_model = model_from_mesh.inverse();
    surface.is_mirrored = linear.determinant() < 0.0;
    let original = |of: fn(&sinew::mesh::RawMesh) -> &[Vec3], vertex: usize| {
        Some((*of(moved.as_ref()?).get(vertex)?, *of(raw?).get(vertex)?))
    };
    for (vertex, position) in surface.positions.iter_mut().enumerate() {
        *position = match original(|raw| &raw.positions, vertex) {
            Some((moved, raw)) if moved == *position => raw,
            _ => mesh_from_model.transform_point3(position.as_dvec3()).as_vec3(),
        };
    }
    for (vertex, normal) in surface.normals.iter_mut().enumerate() {
        *normal = match original(|raw| &raw.normals, vertex) {
            Some((moved, raw)) if moved == *normal => raw,
            // The inverse of the cofactors, up to length.
            _ => (linear.transpose() * normal.as_dvec3()).normalize_or_zero().as_vec3(),
        };
    }
    let near = SAME_DELTA_OVER_DIAGONAL * part.mesh.bounds().diagonal();
    for (index, (_, deltas)) in surface.shapes.iter_mut().enumerate() {
        let of_shape = |raw: Option<&sinew::mesh::RawMesh>, vertex: usize| {
            raw?.shapes.get(index)?.deltas.get(vertex).copied()
        };
        for (vertex, delta) in deltas.iter_mut().enumerate() {
            *delta = match (of_shape(moved.as_ref(), vertex), of_shape(raw, vertex)) {
                (Some(moved), Some(raw)) if moved.distance(*delta) <= near => raw,
                _ => (mesh_from_model.matrix3 * delta.as_dvec3()).as_vec3(),
            };
        }
    }
}
