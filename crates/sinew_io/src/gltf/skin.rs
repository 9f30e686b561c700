//! Skins: the nodes that become joints, and one inverse bind matrix for each of them.
//!
//! glTF has `p' = world_from_joint · inverse_bind · v` for each skin, with vertices `v` in a space
//! of the mesh's own. A [`Skeleton`] has one model space. A skin's vertices are therefore brought
//! to model space by `model_from_mesh`, chosen so that its first joint (or one that it shares with
//! an earlier skin) rests where it was bound, and
//! `joint_from_model = inverse_bind · model_from_mesh⁻¹`: the product, and so the result, is the
//! file's. A joint that two skins bind in ways that no one `model_from_mesh` reconciles gets a
//! helper joint below it.

use glam::{DAffine3, DMat4, DVec3};
use sinew::skeleton::{Joint, JointTransform, Skeleton};

use super::accessor::Accessors;
use super::json::{Root, Skin};
use super::scene::Nodes;
use crate::{ReadError, Report};

/// Transforms this near are one: what f32 matrices of a long chain are off by. Over their own size.
const SAME_TRANSFORM_TOLERANCE: f64 = 1e-4;

/// The joints of a document, and how its meshes hang on them.
#[derive(Debug)]
pub(super) struct Rig {
    pub(super) skeleton: Skeleton,
    pub(super) joint_of_node: Vec<Option<u32>>,
    /// Of the joints that are nodes; helpers come after them.
    pub(super) node_of_joint: Vec<usize>,
    pub(super) skins: Vec<SkinBinding>,
}

/// How the vertices of one skin's meshes are bound.
#[derive(Debug)]
pub(super) struct SkinBinding {
    /// The joint of each entry of the skin's `joints`.
    pub(super) joint_of_entry: Vec<u32>,
    pub(super) model_from_mesh: DAffine3,
}

impl Rig {
    pub(super) fn read(
        root: &Root,
        nodes: &Nodes,
        accessors: &Accessors<'_>,
        report: &mut Report,
    ) -> Result<Self, ReadError> {
        let node_of_joint = joint_nodes(root, nodes)?;
        let mut joint_of_node = vec![None; root.nodes.len()];
        for (joint, &node) in node_of_joint.iter().enumerate() {
            joint_of_node[node] = Some(joint as u32);
        }
        let joints = make_joints(root, nodes, &node_of_joint, &joint_of_node);
        let mut binder = Binder::new(nodes, &node_of_joint, joints);
        let mut skins = Vec::with_capacity(root.skins.len());
        for (index, skin) in root.skins.iter().enumerate() {
            let inverse_bind = inverse_bind_matrices(index, skin, accessors)?;
            skins.push(binder.bind(index, skin, &inverse_bind, &joint_of_node, report));
        }
        Ok(Self { skeleton: binder.finish()?, joint_of_node, node_of_joint, skins })
    }

    /// The joint that moves a node: its own or that of the nearest ancestor.
    pub(super) fn joint_above(&self, nodes: &Nodes, node: usize) -> Option<u32> {
        let mut at = Some(node);
        while let Some(node) = at {
            if let Some(joint) = self.joint_of_node[node] {
                return Some(joint);
            }
            at = nodes.parent[node];
        }
        None
    }
}

/// Joints of skins, animated nodes, and all above them, in the file's order but parents first.
fn joint_nodes(root: &Root, nodes: &Nodes) -> Result<Vec<usize>, ReadError> {
    let mut is_moved = vec![false; root.nodes.len()];
    for (index, skin) in root.skins.iter().enumerate() {
        for (k, &node) in skin.joints.iter().enumerate() {
            *is_moved.get_mut(node).ok_or_else(|| {
                let place = format!("skins[{index}].joints[{k}]");
                ReadError::malformed(place, format!("there is no node {node}"))
            })? = true;
        }
    }
    let targets = root.animations.iter().flat_map(|a| &a.channels).map(|c| &c.target);
    for target in targets.filter(|target| target.path != "weights") {
        if let Some(is_moved) = target.node.and_then(|node| is_moved.get_mut(node)) {
            *is_moved = true;
        }
    }

    let mut is_visited = vec![false; root.nodes.len()];
    let mut is_joint = vec![false; root.nodes.len()];
    let mut order = Vec::new();
    let mut chain = Vec::new();
    for start in (0..root.nodes.len()).filter(|&node| is_moved[node]) {
        let mut at = Some(start);
        while let Some(node) = at.filter(|&node| !is_visited[node]) {
            chain.push(node);
            at = nodes.parent[node];
        }
        while let Some(node) = chain.pop() {
            is_visited[node] = true;
            // What only wraps the skeleton at the top and moves nothing is no joint.
            is_joint[node] = is_moved[node]
                || nodes.local[node] != JointTransform::IDENTITY
                || nodes.parent[node].is_some_and(|parent| is_joint[parent]);
            if is_joint[node] {
                order.push(node);
            }
        }
    }
    Ok(order)
}

fn make_joints(
    root: &Root,
    nodes: &Nodes,
    node_of_joint: &[usize],
    joint_of_node: &[Option<u32>],
) -> Vec<Joint> {
    let mut joints: Vec<Joint> = node_of_joint
        .iter()
        .map(|&node| Joint {
            name: root.nodes[node].name.clone().unwrap_or_else(|| format!("node{node}")),
            parent: nodes.parent[node].and_then(|parent| joint_of_node[parent]),
            rest: nodes.local[node],
            tail_in_joint: DVec3::ZERO,
        })
        .collect();
    Skeleton::infer_tails(&mut joints);
    for (joint, &node) in joints.iter_mut().zip(node_of_joint) {
        if let Some(tail) = written_tail(&root.nodes[node].extras) {
            joint.tail_in_joint = tail;
        }
    }
    joints
}

/// Where our own writer says that the bone ends.
fn written_tail(extras: &serde_json::Value) -> Option<DVec3> {
    let tail = extras.get("sinew_tail")?.as_array()?;
    let [x, y, z] = tail.as_slice() else { return None };
    Some(DVec3::new(x.as_f64()?, y.as_f64()?, z.as_f64()?))
}

/// One a joint of the skin; the identity where the file has none, as glTF says.
pub(super) fn inverse_bind_matrices(
    index: usize,
    skin: &Skin,
    accessors: &Accessors<'_>,
) -> Result<Vec<DAffine3>, ReadError> {
    let Some(accessor) = skin.inverse_bind_matrices else {
        return Ok(vec![DAffine3::IDENTITY; skin.joints.len()]);
    };
    let place = format!("skins[{index}].inverseBindMatrices");
    let matrices = accessors.floats::<16>(accessor, &place)?;
    if matrices.len() < skin.joints.len() {
        let what = format!("{} matrices for {} joints", matrices.len(), skin.joints.len());
        return Err(ReadError::malformed(place, what));
    }
    if let Some(k) = matrices.iter().position(|m| m.iter().any(|x| !x.is_finite())) {
        return Err(ReadError::malformed(place, format!("matrix {k} is not finite")));
    }
    let to_affine = |m: &[f32; 16]| DAffine3::from_mat4(DMat4::from_cols_array(&m.map(f64::from)));
    Ok(matrices[..skin.joints.len()].iter().map(to_affine).collect())
}

/// Gives every joint its inverse bind matrix, skin by skin.
struct Binder {
    joints: Vec<Joint>,
    rest: Vec<DAffine3>,
    joint_from_model: Vec<Option<DAffine3>>,
    /// How far the joints are from each other and from the origin.
    size: f64,
}

impl Binder {
    fn new(nodes: &Nodes, node_of_joint: &[usize], joints: Vec<Joint>) -> Self {
        let rest: Vec<DAffine3> =
            node_of_joint.iter().map(|&node| nodes.world_from_node[node]).collect();
        let size = rest.iter().fold(0.0_f64, |size, m| size.max(m.translation.length()));
        Self { joint_from_model: vec![None; joints.len()], joints, rest, size }
    }

    fn bind(
        &mut self,
        index: usize,
        skin: &Skin,
        inverse_bind: &[DAffine3],
        joint_of_node: &[Option<u32>],
        report: &mut Report,
    ) -> SkinBinding {
        // Every joint of a skin is a joint of the skeleton.
        let mut joint_of_entry: Vec<u32> =
            skin.joints.iter().map(|&node| joint_of_node[node].unwrap_or(0)).collect();
        let model_from_mesh = self.model_from_mesh(&joint_of_entry, inverse_bind);
        let mesh_from_model = model_from_mesh.inverse();
        let mut num_helpers = 0;
        for (entry, inverse_bind) in joint_of_entry.iter_mut().zip(inverse_bind) {
            let needed = if model_from_mesh == DAffine3::IDENTITY {
                *inverse_bind
            } else {
                *inverse_bind * mesh_from_model
            };
            match self.joint_from_model[*entry as usize] {
                None => self.joint_from_model[*entry as usize] = Some(needed),
                Some(known) if self.is_same(&known, &needed) => {}
                Some(_) => {
                    *entry = self.add_helper(*entry, index, needed);
                    num_helpers += 1;
                }
            }
        }
        if num_helpers > 0 {
            let what = format!(
                "{num_helpers} joints are bound otherwise than in an earlier skin; each got a helper joint below it"
            );
            let mend = "bind all meshes of the character in one pose";
            report.note("joints-bound-twice", format!("skins[{index}]"), what, mend);
        }
        SkinBinding { joint_of_entry, model_from_mesh }
    }

    fn model_from_mesh(&self, joint_of_entry: &[u32], inverse_bind: &[DAffine3]) -> DAffine3 {
        let entries = || joint_of_entry.iter().zip(inverse_bind);
        let shared = entries().find_map(|(&joint, inverse_bind)| {
            self.joint_from_model[joint as usize].map(|known| known.inverse() * *inverse_bind)
        });
        let from_rest = || {
            let (&joint, inverse_bind) = entries().min_by_key(|(joint, _)| **joint)?;
            Some(self.rest[joint as usize] * *inverse_bind)
        };
        let found = shared.or_else(from_rest).unwrap_or(DAffine3::IDENTITY);
        let is_usable = found.is_finite() && found.inverse().is_finite();
        // Any choice gives the file's result, so the near-identity may as well leave every bit as
        // it is.
        if !is_usable || self.is_same(&found, &DAffine3::IDENTITY) {
            return DAffine3::IDENTITY;
        }
        found
    }

    fn is_same(&self, a: &DAffine3, b: &DAffine3) -> bool {
        let linear_size = a.matrix3.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let translation_size = a.translation.length().max(self.size);
        a.matrix3.abs_diff_eq(b.matrix3, SAME_TRANSFORM_TOLERANCE * linear_size)
            && a.translation.distance(b.translation) <= SAME_TRANSFORM_TOLERANCE * translation_size
    }

    fn add_helper(&mut self, joint: u32, skin: usize, joint_from_model: DAffine3) -> u32 {
        let of = &self.joints[joint as usize];
        let helper = Joint {
            name: format!("{}.skin{skin}", of.name),
            parent: Some(joint),
            rest: JointTransform::IDENTITY,
            tail_in_joint: of.tail_in_joint,
        };
        self.joints.push(helper);
        self.rest.push(self.rest[joint as usize]);
        self.joint_from_model.push(Some(joint_from_model));
        self.joints.len() as u32 - 1
    }

    fn finish(self) -> Result<Skeleton, ReadError> {
        // Bound where it rests, to the last bit: no file says otherwise.
        if self.joint_from_model.iter().all(Option::is_none)
            && let Ok(skeleton) = Skeleton::new(self.joints.clone())
        {
            return Ok(skeleton);
        }
        let joint_from_model = self
            .joint_from_model
            .iter()
            .zip(&self.rest)
            .map(|(known, rest)| {
                known.unwrap_or_else(|| {
                    // A joint scaled to nothing that no skin binds cannot be inverted, and need not
                    // be.
                    let inverse = rest.inverse();
                    if inverse.is_finite() { inverse } else { DAffine3::IDENTITY }
                })
            })
            .collect();
        // A million joints are gigabytes: what is not needed any more goes first.
        let joints = self.joints;
        drop((self.rest, self.joint_from_model));
        Ok(Skeleton::with_inverse_bind(joints, joint_from_model)?)
    }
}
