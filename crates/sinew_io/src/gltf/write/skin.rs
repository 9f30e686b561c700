//! Writing joints and skins.
//!
//! A skin under construction knows which joint each of its entries is. A joint that weights name
//! and the skin does not have yet is added at its end, so that the entries of the source stay what
//! they were.

use glam::{DAffine3, DMat4, DQuat, DVec3};
use serde_json::{Map, Value, json};
use sinew::skeleton::{Joint, JointTransform, Skeleton};

use super::super::json::Node;
use super::Writer;
use super::quantized::Quantization;
use crate::WriteError;

/// The skins of a document.
#[derive(Debug, Default)]
pub(super) struct Skins {
    pub(super) skins: Vec<Skin>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Skin {
    pub(super) nodes: Vec<usize>,
    /// `None` for a joint that the character no longer has.
    pub(super) joints: Vec<Option<u32>>,
    pub(super) inverse_bind: Vec<DAffine3>,
    /// Where the vertices of its meshes are written.
    pub(super) model_from_mesh: DAffine3,
    /// What else the source says of it.
    pub(super) base: Map<String, Value>,
    /// The skin that it is in all but where its meshes' vertices are: at these codes.
    copy_of: Option<(usize, Quantization)>,
}

impl Skin {
    pub(super) fn new(model_from_mesh: DAffine3, base: Map<String, Value>) -> Self {
        Self {
            nodes: Vec::new(),
            joints: Vec::new(),
            inverse_bind: Vec::new(),
            model_from_mesh,
            base,
            copy_of: None,
        }
    }

    /// Adds an entry. A node can be in a skin but once: a second time a node that moves with it
    /// stands for it.
    pub(super) fn add(
        &mut self,
        writer: &mut Writer,
        node: usize,
        joint: Option<u32>,
        inverse_bind: DAffine3,
    ) {
        let node = if self.nodes.contains(&node) { add_child(writer, node) } else { node };
        self.nodes.push(node);
        self.joints.push(joint);
        self.inverse_bind.push(inverse_bind);
    }

    /// The entry of a joint, added if the skin has none.
    pub(super) fn entry(&mut self, writer: &mut Writer, joint: u32, skeleton: &Skeleton) -> u32 {
        if let Some(known) = self.joints.iter().position(|&j| j == Some(joint)) {
            return known as u32;
        }
        let node = writer.node_of_joint[joint as usize];
        let bind = skeleton.joint_from_model()[joint as usize] * self.model_from_mesh;
        self.add(writer, node, Some(joint), bind);
        self.nodes.len() as u32 - 1
    }
}

impl Skins {
    /// The skin for meshes that are written as codes.
    pub(super) fn quantized(&mut self, skin: usize, codes: Quantization) -> usize {
        let wanted = Some((skin, codes));
        self.skins.iter().position(|s| s.copy_of == wanted).unwrap_or_else(|| {
            let mut copy = Skin::new(self.skins[skin].model_from_mesh, Map::new());
            copy.copy_of = wanted;
            self.skins.push(copy);
            self.skins.len() - 1
        })
    }

    /// Fills the copies, now that all entries are known, and puts one of them where nobody uses the
    /// original.
    fn settle_copies(&mut self, writer: &mut Writer) {
        let mut is_used = vec![false; self.skins.len()];
        let skin_of = |node: &Value| Some(node.get("skin")?.as_u64()? as usize);
        for skin in writer.array("nodes").iter().filter_map(skin_of) {
            if let Some(is_used) = is_used.get_mut(skin) {
                *is_used = true;
            }
        }
        let mut new_place: Vec<usize> = (0..self.skins.len()).collect();
        let mut settled: Vec<Skin> = Vec::new();
        let mut replaced: Vec<(usize, Skin)> = Vec::new();
        for (index, mut skin) in std::mem::take(&mut self.skins).into_iter().enumerate() {
            let Some((original, codes)) = skin.copy_of else {
                new_place[index] = settled.len();
                settled.push(skin);
                continue;
            };
            // Originals come before their copies.
            let from = &settled[new_place[original]];
            let mesh_from_codes = codes.mesh_from_codes();
            skin.nodes.clone_from(&from.nodes);
            skin.base.clone_from(&from.base);
            skin.inverse_bind = from.inverse_bind.iter().map(|m| *m * mesh_from_codes).collect();
            if is_used[original] {
                new_place[index] = settled.len();
                settled.push(skin);
            } else {
                new_place[index] = new_place[original];
                replaced.push((new_place[original], skin));
                is_used[original] = true;
            }
        }
        for (place, skin) in replaced {
            settled[place] = skin;
        }
        self.skins = settled;
        for node in writer.array("nodes") {
            if let Some(place) = skin_of(node).and_then(|skin| new_place.get(skin)) {
                node["skin"] = json!(place);
            }
        }
    }

    /// Writes them all, unless one of their matrices is larger than a float can be.
    pub(super) fn finish(mut self, writer: &mut Writer) -> Result<(), WriteError> {
        self.settle_copies(writer);
        writer.array("skins").clear();
        let parent = parents(writer.array("nodes"));
        for (index, mut skin) in self.skins.into_iter().enumerate() {
            let stated = skin.base.get("skeleton").map(|node| node.as_u64().map(|n| n as usize));
            let is_root =
                |node: Option<usize>| node.is_some_and(|n| is_common_root(&parent, n, &skin.nodes));
            if let Some(node) = stated.filter(|&node| !is_root(node)) {
                skin.base.remove("skeleton");
                let node = node.map_or_else(String::new, |node| format!(" {node}"));
                let what =
                    format!("node{node} is not above all joints; left out, since it means nothing");
                let mend = "nothing: the field is only a hint";
                writer.report.note(
                    "skeleton-not-a-root",
                    format!("skins[{index}].skeleton"),
                    what,
                    mend,
                );
            }
            // A skin without matrices binds where its mesh lies, and stays without.
            let had_none =
                skin.base.contains_key("joints") && !skin.base.contains_key("inverseBindMatrices");
            if had_none && skin.inverse_bind.iter().all(|m| *m == DAffine3::IDENTITY) {
                skin.base.insert("joints".into(), json!(skin.nodes));
                writer.push("skins", skin.base);
                continue;
            }
            let matrices: Vec<[f32; 16]> = skin
                .inverse_bind
                .iter()
                .map(|m| DMat4::from(*m).as_mat4().to_cols_array())
                .collect();
            if let Some(entry) = matrices.iter().position(|m| !m.iter().all(|x| x.is_finite())) {
                let what =
                    "its inverse bind matrix is larger than a float can be; scale the character";
                return Err(WriteError::unwritable(format!("joint {entry} of a skin"), what));
            }
            let accessor = writer.add_floats("MAT4", None, &matrices);
            let mut value = skin.base;
            value.insert("joints".into(), json!(skin.nodes));
            value.insert("inverseBindMatrices".into(), json!(accessor));
            writer.push("skins", value);
        }
        Ok(())
    }
}

/// A node below another that moves with it.
fn add_child(writer: &mut Writer, parent: usize) -> usize {
    let name = writer.object("nodes", parent).and_then(|node| node.get("name")?.as_str());
    let name = name.map(|name| format!("{name}.again"));
    let child = writer.push("nodes", Node { name, ..Node::default() });
    hang_below(writer, parent, child);
    child
}

pub(super) fn hang_below(writer: &mut Writer, parent: usize, child: usize) {
    if let Some(node) = writer.object("nodes", parent) {
        let children = node.entry("children").or_insert_with(|| json!([]));
        if let Some(children) = children.as_array_mut() {
            children.push(json!(child));
        }
    }
}

/// The nodes above each node of a document.
fn parents(nodes: &[Value]) -> Vec<Option<usize>> {
    let mut parent = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let children = node.get("children").and_then(Value::as_array);
        for child in children.into_iter().flatten().filter_map(Value::as_u64) {
            if let Some(slot) = parent.get_mut(child as usize) {
                *slot = Some(index);
            }
        }
    }
    parent
}

/// The nodes that have none above them, over some nodes; in the order in which they are met. Each
/// node is passed once, however deep they lie.
fn roots_over(parent: &[Option<usize>], nodes: &[usize]) -> Vec<usize> {
    let mut is_passed = vec![false; parent.len()];
    let mut roots = Vec::new();
    for &node in nodes {
        let mut at = node;
        while !std::mem::replace(&mut is_passed[at], true) {
            match parent[at] {
                Some(above) => at = above,
                None => roots.push(at),
            }
        }
    }
    roots
}

/// The joints of a skin must have a common root: trees that have none get a node above them that
/// moves nothing, which the reader knows to pass over.
pub(super) fn give_common_root(writer: &mut Writer, joints: &[usize]) {
    let roots = roots_over(&parents(writer.array("nodes")), joints);
    if roots.len() < 2 {
        return;
    }
    let name = Some("skeleton".to_owned());
    let above = writer.push("nodes", Node { name, children: roots.clone(), ..Node::default() });
    for scene in writer.array("scenes") {
        let Some(shown) = scene.get_mut("nodes").and_then(Value::as_array_mut) else { continue };
        let is_root = |node: &Value| node.as_u64().is_some_and(|n| roots.contains(&(n as usize)));
        if let Some(first) = shown.iter().position(is_root) {
            shown[first] = json!(above);
            shown.retain(|node| !is_root(node));
        }
    }
}

/// True if all joints are a node or below it.
fn is_common_root(parent: &[Option<usize>], root: usize, joints: &[usize]) -> bool {
    // Cut off above: then the only root over the joints is the node itself.
    let mut parent = parent.to_vec();
    match parent.get_mut(root) {
        Some(above) => *above = None,
        None => return false,
    }
    roots_over(&parent, joints).iter().all(|&found| found == root)
}

/// Adds joints as the first nodes, in their order, and a skin of all of them; returns the scene's
/// root of them.
pub(super) fn add_joints(
    writer: &mut Writer,
    skins: &mut Skins,
    skeleton: &Skeleton,
) -> Result<Vec<usize>, WriteError> {
    if skeleton.is_empty() {
        return Ok(Vec::new());
    }
    let mut roots = Vec::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let node = writer.push("nodes", joint_node(joint));
        writer.node_of_joint.push(node);
        match joint.parent {
            Some(parent) => hang_below(writer, parent as usize, index),
            None => roots.push(index),
        }
    }
    let mut skin = Skin::new(DAffine3::IDENTITY, Map::new());
    skin.nodes.clone_from(&writer.node_of_joint);
    skin.joints = (0..skeleton.len() as u32).map(Some).collect();
    skin.inverse_bind = skeleton.joint_from_model().to_vec();
    skins.skins.push(skin);
    // The joints of a skin must have a common root: of several trees a node that moves nothing,
    // which the reader knows to pass over.
    if roots.len() > 1 {
        let name = Some("skeleton".to_owned());
        roots = vec![writer.push("nodes", Node { name, children: roots, ..Node::default() })];
    }
    Ok(roots)
}

/// A joint's node, without children.
pub(super) fn joint_node(joint: &Joint) -> Node {
    let mut node = Node {
        name: Some(joint.name.clone()),
        extras: json!({ "sinew_tail": joint.tail_in_joint.to_array() }),
        ..Node::default()
    };
    let JointTransform { translation, rotation, scale } = joint.rest;
    node.translation = (translation != DVec3::ZERO).then(|| translation.to_array());
    node.rotation = (rotation != DQuat::IDENTITY).then(|| rotation.to_array());
    node.scale = (scale != DVec3::ONE).then(|| scale.to_array());
    node
}
