//! Parts: which mesh of the source each was, at which node and by which skin it is written, and its
//! vertices in that mesh's own space.

use std::borrow::Cow;

use glam::{DAffine3, Vec3};
use serde_json::{Map, Value, json};
use sinew::Part;
use sinew::mesh::RawMesh;
use sinew::weights::SkinWeights;

use super::super::super::json::Node;
use super::super::super::mesh::{Binding, Instance, transform};
use super::super::super::weights::{are_kept, has_plain_sets};
use super::super::mesh::{Row, Surface, sorted_rows};
use super::super::quantized::{hang_mesh, has_only_a_mesh, make_small};
use super::super::skin::Skin;
use super::Carrier;

/// Displacements this near, over the part's diagonal, are the source's: welding makes one of those
/// of a seam.
const SAME_DELTA_OVER_DIAGONAL: f32 = 2e-6;

/// Where and how a part is written.
struct Place {
    node: usize,
    skin: Option<usize>,
    model_from_mesh: DAffine3,
    /// The source's own space: what lies in it beside the part's vertices stays right.
    is_own_space: bool,
}

impl Carrier<'_> {
    /// Which of the source's meshes a part was: the one at its place with its name, else one of
    /// that name, else the one at its place if none was added or taken away.
    pub(super) fn match_parts(&self) -> Vec<Option<usize>> {
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

    pub(super) fn take_mesh_off(&mut self, node: usize) {
        if let Some(node) = self.writer.object("nodes", node) {
            for field in ["mesh", "skin", "weights"] {
                node.remove(field);
            }
        }
    }

    /// Writes a part and returns its node; `None` for one without triangles.
    pub(super) fn write_part(&mut self, part: &Part, instance: Option<usize>) -> Option<usize> {
        let instance = instance.map(|index| &self.instances[index]);
        if part.mesh.triangles().is_empty() {
            if let Some(instance) = instance {
                self.take_mesh_off(instance.node);
            }
            return None;
        }
        let limited = self.writer.limited_weights(self.character, part);
        let weights = limited.as_deref();
        let place = self.place(part, weights, instance);
        let kept = instance.filter(|instance| has_same_vertices(part, instance));
        let copies_weights = matches!(limited, Some(Cow::Borrowed(_)))
            && kept.is_some_and(|kept| self.keeps_weights(part, kept, &place));
        let rows = weights.filter(|_| place.skin.is_some() && !copies_weights).map(|weights| {
            let mut rows = sorted_rows(weights);
            self.name_entries(&mut rows, place.skin.unwrap_or(0));
            rows
        });
        let num_entries = place.skin.map_or(0, |skin| self.skins.skins[skin].nodes.len());
        let mut surface = Surface::of_part(part, rows, num_entries);
        surface.copies_weights = copies_weights;
        bring_to_mesh(&mut surface, part, kept, &place.model_from_mesh);
        let (node, mut skin) = (place.node, place.skin);
        if self.options.quantize && !kept.is_some_and(|kept| self.is_shared_with_copies(kept)) {
            let own_node = Some(node).filter(|&node| self.moves_only_its_mesh(node));
            skin = make_small(&mut self.writer, &mut self.skins, &mut surface, skin, own_node);
        }
        let mesh = match (instance, kept.filter(|_| place.is_own_space)) {
            (Some(_), Some(kept)) => self.write_kept_mesh(part, &mut surface, kept),
            (instance, _) => self.write_new_mesh(part, &mut surface, instance),
        };
        hang_mesh(&mut self.writer, node, mesh, skin);
        if let Some(instance) = instance.filter(|instance| instance.node != node) {
            self.mesh_moved_to.insert(instance.node, node);
        }
        let rest: Vec<f64> = part.shapes.iter().map(|s| f64::from(s.rest_weight)).collect();
        let of_mesh = weights_of(self.writer.object("meshes", mesh));
        if let Some(node) = self.writer.object("nodes", node) {
            // A node's own come before its mesh's, which others may show too.
            if weights_of(Some(&mut *node)).unwrap_or(of_mesh.unwrap_or_default()) != rest {
                node.insert("weights".into(), json!(rest));
            }
            if rest.is_empty() {
                node.remove("weights");
            }
        }
        Some(node)
    }

    /// True if a transform of the node's own would move the node's mesh and nothing else.
    fn moves_only_its_mesh(&mut self, node: usize) -> bool {
        let is_joint = self.rig.joint_of_node.get(node).copied().flatten().is_some();
        !is_joint && self.writer.object("nodes", node).is_some_and(|node| has_only_a_mesh(node))
    }

    /// True if the mesh has points and lines too, which are copied as they are, or if a node
    /// outside the scene shows it.
    fn is_shared_with_copies(&self, instance: &Instance<'_>) -> bool {
        let all = self.source.root.meshes[instance.mesh].primitives.len();
        let mut nodes = self.source.root.nodes.iter().zip(&self.nodes.is_in_scene);
        all > instance.gathered.primitives.len()
            || nodes.any(|(node, is_shown)| node.mesh == Some(instance.mesh) && !is_shown)
    }

    /// True if the weights are the source's, in a form that can be copied.
    fn keeps_weights(&self, part: &Part, kept: &Instance<'_>, place: &Place) -> bool {
        let Binding::Skin(skin, joint_of_entry) = kept.binding else { return false };
        let root = &self.source.root;
        let most_sets = self.options.max_influences.map(|most| most.div_ceil(4));
        let primitives = &root.meshes[kept.mesh].primitives;
        place.is_own_space
            && place.skin == Some(skin)
            && !self.options.quantize
            && kept
                .gathered
                .primitives
                .iter()
                .all(|gathering| has_plain_sets(root, &primitives[gathering.primitive], most_sets))
            && are_kept(&kept.gathered.weights, joint_of_entry, part, self.rig.skeleton.len())
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

    /// How a mesh that its node moves comes to model space: where it would be with the joint as it
    /// was bound.
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

    pub(super) fn add_part_node(&mut self, part: &Part) -> usize {
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

    /// Names meshes and nodes so that the reader calls the parts what they are called now: by the
    /// mesh, or by the node if several share it.
    pub(super) fn name_parts(&mut self) {
        let mesh_of = |node: &Value| Some(node.get("mesh")?.as_u64()? as usize);
        let name_of = |value: &Value| value.get("name").and_then(Value::as_str).map(str::to_owned);
        let mut num_uses = vec![0; self.writer.array("meshes").len()];
        for mesh in self.writer.array("nodes").iter().filter_map(mesh_of) {
            if let Some(uses) = num_uses.get_mut(mesh) {
                *uses += 1;
            }
        }
        for (part, node) in self.character.parts.iter().zip(self.writer.node_of_part.clone()) {
            let Some(node) = node else { continue };
            let wanted = part.mesh.name();
            let (mesh, node_name) = {
                let value = &self.writer.array("nodes")[node];
                (mesh_of(value).unwrap_or(0), name_of(value))
            };
            let by_node = num_uses[mesh] > 1;
            let mesh_name = name_of(&self.writer.array("meshes")[mesh])
                .filter(|_| !by_node || node_name.is_none());
            let read = mesh_name.or(node_name).unwrap_or_else(|| format!("mesh{mesh}"));
            if read == wanted {
                continue;
            }
            let (array, index) = if by_node { ("nodes", node) } else { ("meshes", mesh) };
            if let Some(object) = self.writer.object(array, index) {
                object.insert("name".into(), json!(wanted));
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
pub(super) fn has_same_vertices(part: &Part, instance: &Instance<'_>) -> bool {
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

/// Brings a part's vertices from model space to the mesh's own: the source's bits where they give
/// the same.
pub(super) fn bring_to_mesh(
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
    let original = |of: fn(&RawMesh) -> &[Vec3], vertex: usize| {
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
        let of_shape = |raw: Option<&RawMesh>, vertex: usize| {
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
