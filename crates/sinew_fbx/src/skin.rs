//! Skins: which bone moves which point, and how the mesh lay in it when it was bound.
//!
//! `p' = Σ w · world_from_bone · bone_from_geometry · p`, as glTF has it. Points without weights
//! stay with the mesh's own node, as every program that writes FBX has them.

use glam::{DAffine3, DMat4};
use serde_json::json;
use ufbx::{Mesh, Node, SkinDeformer, SkinningMethod};

use crate::nodes::{affine, place_of};
use crate::{Converter, FbxError};

/// Flatter than this has no inverse.
const LEAST_DETERMINANT: f64 = 1e-18;
/// Bones this near to one another at rest may share one matrix.
const SAME_PLACE: f64 = 1e-6;

/// For each point its joints, as entries of the skin, and weights that sum to one.
pub(crate) struct SkinRows {
    pub(crate) skin: usize,
    pub(crate) rows: Vec<Vec<(u16, f32)>>,
    /// For each point how much of its place dual quaternions say, the rest being linear; empty
    /// where the file says one method for all.
    pub(crate) dual_quat_shares: Vec<f32>,
}

struct Entry {
    node: usize,
    bone_from_geometry: DAffine3,
}

impl Converter<'_> {
    /// The skin of a node's mesh; `None` if no bone moves it.
    pub(crate) fn skin(&mut self, node: &Node, mesh: &Mesh) -> Result<Option<SkinRows>, FbxError> {
        let (Some(deformer), Some(own)) = (mesh.skin_deformers.first(), place_of(node)) else {
            return Ok(None);
        };
        let place = || format!("mesh '{}'", &*node.element.name);
        if mesh.skin_deformers.len() > 1 {
            let what = format!("has {} skins; the first was read", mesh.skin_deformers.len());
            self.warn("several-skins", place(), what, "merge them before export");
        }
        self.tell_method(deformer, place());
        let (mut entries, entry_of_cluster) = self.entries(node, deformer, &place());
        let mut rows: Vec<Vec<(u16, f32)>> = Vec::with_capacity(mesh.num_vertices);
        let mut num_loose = 0;
        for vertex in 0..mesh.num_vertices {
            let mut row = Vec::new();
            if let Some(found) = deformer.vertices.get(vertex) {
                let start = found.weight_begin as usize;
                let weights = deformer.weights.get(start..start + found.num_weights as usize);
                for weight in weights.unwrap_or(&[]) {
                    let entry = entry_of_cluster.get(weight.cluster_index as usize).copied();
                    if let Some(entry) = entry.flatten()
                        && weight.weight > 0.0
                        && weight.weight.is_finite()
                    {
                        row.push((entry, weight.weight));
                    }
                }
            }
            let sum: f64 = row.iter().map(|(_, weight)| weight).sum();
            num_loose += usize::from(sum <= 0.0);
            rows.push(row.iter().map(|&(entry, weight)| (entry, (weight / sum) as f32)).collect());
        }
        if entries.is_empty() {
            return Ok(None);
        }
        if num_loose > 0 {
            let fixed = entries.len() as u16;
            entries.push(Entry { node: own, bone_from_geometry: DAffine3::IDENTITY });
            for row in rows.iter_mut().filter(|row| row.is_empty()) {
                row.push((fixed, 1.0));
            }
            let what =
                format!("{num_loose} points have no weights; they stay with the mesh's node");
            self.note("unweighted-points", place(), what, "give them weights, if they should move");
        }
        let skin = self.write_skin(&entries, &deformer.element.name)?;
        let dual_quat_shares = match deformer.skinning_method {
            SkinningMethod::BlendedDqLinear => dual_quat_shares(deformer, mesh.num_vertices),
            _ => Vec::new(),
        };
        Ok(Some(SkinRows { skin, rows, dual_quat_shares }))
    }

    fn tell_method(&mut self, deformer: &SkinDeformer, place: String) {
        let what = match deformer.skinning_method {
            SkinningMethod::Linear | SkinningMethod::Rigid => return,
            SkinningMethod::DualQuaternion => "is skinned by dual quaternions",
            SkinningMethod::BlendedDqLinear => {
                "is skinned by a blend of linear and dual quaternions, a share a point (kept as the \
                 attribute _DUAL_QUAT_SHARE; no method here blends by it)"
            }
        };
        let what = format!("{what}: choose the method when you pose it");
        self.note("skin-method", place, what, "`--method dual-quat`");
    }

    /// The skin's joints, and which of them each cluster is.
    fn entries(
        &mut self,
        node: &Node,
        deformer: &SkinDeformer,
        place: &str,
    ) -> (Vec<Entry>, Vec<Option<u16>>) {
        let is_bind_missing = is_bind_missing(deformer);
        if is_bind_missing {
            let what = "all bones were bound by one matrix: the bind pose is missing; the pose of the file was \
                        taken for it";
            self.warn("bind-repaired", place.to_owned(), what.into(), "export the bind pose");
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut entry_of_cluster = Vec::new();
        for cluster in &deformer.clusters {
            let bone = cluster.bone_node.as_ref().and_then(|bone| Some((place_of(bone)?, bone)));
            let Some((bone_place, bone)) = bone.filter(|_| entries.len() < usize::from(u16::MAX))
            else {
                let what =
                    format!("cluster '{}' has no bone; it was left out", &*cluster.element.name);
                self.warn("cluster-without-bone", place.to_owned(), what, "bind the skin again");
                entry_of_cluster.push(None);
                continue;
            };
            let mut bind = affine(&cluster.geometry_to_bone);
            let is_good =
                |m: &DAffine3| m.is_finite() && m.matrix3.determinant().abs() > LEAST_DETERMINANT;
            if is_bind_missing || !is_good(&bind) {
                let at_rest =
                    affine(&bone.node_to_world).inverse() * affine(&node.geometry_to_world);
                if !is_bind_missing {
                    let what = format!(
                        "the bind matrix of bone '{}' flattens space; the pose of the file was taken for it",
                        &*bone.element.name
                    );
                    self.warn("bind-repaired", place.to_owned(), what, "bind the skin again");
                }
                bind = if at_rest.is_finite() { at_rest } else { DAffine3::IDENTITY };
            }
            let known = entries
                .iter()
                .position(|entry| entry.node == bone_place && entry.bone_from_geometry == bind);
            let entry = known.unwrap_or_else(|| {
                entries.push(Entry { node: bone_place, bone_from_geometry: bind });
                entries.len() - 1
            });
            entry_of_cluster.push(Some(entry as u16));
        }
        (entries, entry_of_cluster)
    }

    fn write_skin(&mut self, entries: &[Entry], name: &str) -> Result<usize, FbxError> {
        let matrices: Vec<[f32; 16]> = entries
            .iter()
            .map(|entry| DMat4::from(entry.bone_from_geometry).as_mat4().to_cols_array())
            .collect();
        let matrices = self.binary.floats(&matrices, None, false)?;
        let joints: Vec<usize> = entries.iter().map(|entry| entry.node).collect();
        let mut skin = json!({ "joints": joints, "inverseBindMatrices": matrices });
        if !name.is_empty() {
            skin["name"] = json!(name);
        }
        Ok(self.push("skins", skin))
    }

    /// Bones that no skin has are joints too: a skeleton may come without a mesh.
    pub(crate) fn loose_bones(&mut self) -> Result<(), FbxError> {
        let mut is_joint = vec![false; self.scene.nodes.len()];
        let skins = self.document.get("skins").and_then(serde_json::Value::as_array);
        for joint in skins.into_iter().flatten().filter_map(|skin| skin["joints"].as_array()) {
            for place in joint.iter().filter_map(serde_json::Value::as_u64) {
                is_joint[place as usize] = true;
            }
        }
        let scene = self.scene;
        let mut entries = Vec::new();
        for node in scene.nodes.into_iter().filter(|node| node.bone.is_some()) {
            if let Some(place) = place_of(node).filter(|&place| !is_joint[place]) {
                let inverse = affine(&node.node_to_world).inverse();
                let bone_from_geometry =
                    if inverse.is_finite() { inverse } else { DAffine3::IDENTITY };
                entries.push(Entry { node: place, bone_from_geometry });
            }
        }
        if !entries.is_empty() {
            self.write_skin(&entries, "bones without a skin")?;
        }
        Ok(())
    }
}

/// Points that the file does not name are linear.
fn dual_quat_shares(deformer: &SkinDeformer, num_points: usize) -> Vec<f32> {
    let share = |point: usize| {
        let share = deformer.vertices.get(point).map_or(0.0, |vertex| vertex.dq_weight as f32);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    };
    (0..num_points).map(share).collect()
}

/// True if bones that lie apart were all bound by one matrix.
fn is_bind_missing(deformer: &SkinDeformer) -> bool {
    let with_bones = || {
        (&deformer.clusters).into_iter().filter_map(|cluster| {
            Some((affine(&cluster.geometry_to_bone), cluster.bone_node.as_ref()?))
        })
    };
    let Some((first, first_bone)) = with_bones().next() else { return false };
    let first_place = affine(&first_bone.node_to_world).translation;
    let mut lies_apart = false;
    for (bind, bone) in with_bones() {
        if bind != first {
            return false;
        }
        let place = affine(&bone.node_to_world).translation;
        lies_apart |= place.distance(first_place) > SAME_PLACE;
    }
    lies_apart
}
