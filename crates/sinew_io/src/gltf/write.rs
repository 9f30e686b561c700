//! Writing GLB: joints as nodes, one skin for all parts, one mesh a part, one animation a clip.
//!
//! What glTF has no field for goes to `extras`: bone tails (`sinew_tail`), group names (`sinew_group`), the
//! character's name (`sinew_name`). A static mesh names its welded points in the attribute `_POINT`, since without
//! weights nothing else tells a seam from a gap.

use std::sync::Arc;

use serde_json::{Value, json};
use sinew::Character;
use sinew::material::EncodedImage;
use sinew::skeleton::Skeleton;

use super::json::{Accessor, Asset, Buffer, BufferView, Node, Root, Scene, Skin};
use super::write_animation::add_clips;
use super::write_material::PartMaterials;
use super::write_mesh::{StaticMesh, add_mesh};
use crate::posed::PosedPart;
use crate::{WriteError, WriteOptions, glb};

/// A document under construction.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) root: Root,
    /// The image of each of the root's.
    pub(super) images: Vec<Arc<EncodedImage>>,
    binary: Vec<u8>,
}

/// The shape of an accessor's elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    pub(super) kind: &'static str,
    pub(super) component_type: u32,
    pub(super) count: usize,
    /// What the view is bound to: vertices (34962), indices (34963) or neither.
    pub(super) target: Option<u32>,
}

pub(super) const U8: u32 = 5121;
pub(super) const U16: u32 = 5123;
pub(super) const U32: u32 = 5125;
pub(super) const F32: u32 = 5126;
pub(super) const VERTICES: Option<u32> = Some(34962);
pub(super) const INDICES: Option<u32> = Some(34963);

impl Writer {
    fn new(name: &str) -> Self {
        let asset = Asset {
            version: "2.0".into(),
            min_version: None,
            generator: Some(concat!("Sinew ", env!("CARGO_PKG_VERSION")).into()),
            extras: json!({ "sinew_name": name }),
        };
        let root = Root { asset, ..Root::default() };
        Self { root, images: Vec::new(), binary: Vec::new() }
    }

    /// Adds an array with a view of its own, and returns its accessor.
    pub(super) fn add_accessor(
        &mut self,
        elements: Elements,
        bytes: impl IntoIterator<Item = u8>,
    ) -> usize {
        let buffer_view = Some(self.add_view(elements.target, bytes));
        self.root.accessors.push(Accessor {
            buffer_view,
            component_type: elements.component_type,
            count: elements.count,
            kind: elements.kind.into(),
            ..Accessor::default()
        });
        self.root.accessors.len() - 1
    }

    /// Adds bytes with a view of their own.
    pub(super) fn add_view(
        &mut self,
        target: Option<u32>,
        bytes: impl IntoIterator<Item = u8>,
    ) -> usize {
        // Every component type is at most four bytes, and must lie on a multiple of its size.
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let byte_offset = self.binary.len();
        self.binary.extend(bytes);
        self.root.buffer_views.push(BufferView {
            buffer: 0,
            byte_offset,
            byte_length: self.binary.len() - byte_offset,
            target,
            ..BufferView::default()
        });
        self.root.buffer_views.len() - 1
    }

    /// Adds arrays of `N` floats.
    pub(super) fn add_floats<const N: usize>(
        &mut self,
        kind: &'static str,
        target: Option<u32>,
        values: &[[f32; N]],
    ) -> usize {
        let elements = Elements { kind, component_type: F32, count: values.len(), target };
        self.add_accessor(elements, values.as_flattened().iter().flat_map(|x| x.to_le_bytes()))
    }

    /// States the smallest and largest value of each component, as positions and times must.
    pub(super) fn set_bounds<const N: usize>(&mut self, accessor: usize, values: &[[f32; N]]) {
        let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f64> {
            let extreme =
                values.iter().fold([start; N], |m, v| std::array::from_fn(|k| pick(m[k], v[k])));
            extreme.map(f64::from).to_vec()
        };
        self.root.accessors[accessor].min = fold(f32::INFINITY, f32::min);
        self.root.accessors[accessor].max = fold(f32::NEG_INFINITY, f32::max);
    }

    fn finish(mut self, scene_nodes: Vec<usize>) -> Result<Vec<u8>, WriteError> {
        if !self.binary.is_empty() {
            self.root.buffers.push(Buffer { uri: None, byte_length: self.binary.len() });
        }
        // A scene without nodes must not have the field, and an empty list is not written.
        self.root.scenes.push(Scene { name: None, nodes: scene_nodes });
        self.root.scene = Some(0);
        let json = serde_json::to_vec(&self.root)
            .map_err(|error| WriteError::unwritable("character", error.to_string()))?;
        glb::join(json, self.binary).ok_or_else(|| {
            WriteError::unwritable("character", "more than 4 GB do not fit into one GLB; split it")
        })
    }
}

/// A character with skeleton, weights, shapes and clips. Parts without triangles are left out: glTF has no
/// empty meshes.
pub(crate) fn character_to_glb(
    character: &Character,
    options: &WriteOptions,
) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(&character.name);
    let mut scene_nodes = add_joints(&mut writer, &character.skeleton)?;
    let has_skeleton = !character.skeleton.is_empty();
    let mut node_of_part = vec![None; character.parts.len()];
    for (index, part) in character.parts.iter().enumerate() {
        if part.mesh.triangles().is_empty() {
            continue;
        }
        let weights = part.weights.as_ref().filter(|_| has_skeleton);
        if let Some(weights) = weights {
            let place = || format!("mesh '{}'", part.mesh.name());
            if weights.num_joints_used() > character.skeleton.len() {
                let what = "the weights name joints that the skeleton does not have";
                return Err(WriteError::unwritable(place(), what));
            }
            if weights.num_points() != part.mesh.points().len() {
                return Err(WriteError::unwritable(place(), "the weights are of another mesh"));
            }
        }
        let truncated = match (weights, options.max_influences) {
            (Some(weights), Some(most)) => Some(weights.truncated(most)),
            _ => None,
        };
        let mesh = StaticMesh {
            mesh: &part.mesh,
            positions: part.mesh.vertex_positions().to_vec(),
            normals: part.mesh.vertex_normals(),
            shapes: &part.shapes,
            materials: PartMaterials { runs: &part.materials, materials: &character.materials },
        };
        let weights = truncated.as_ref().or(weights);
        let mesh = add_mesh(&mut writer, &mesh, weights, character.skeleton.len())?;
        writer.root.nodes.push(Node {
            name: Some(part.mesh.name().to_owned()),
            mesh: Some(mesh),
            skin: weights.map(|_| 0),
            ..Node::default()
        });
        node_of_part[index] = Some(writer.root.nodes.len() - 1);
        scene_nodes.push(writer.root.nodes.len() - 1);
    }
    add_clips(&mut writer, character, &node_of_part)?;
    writer.finish(scene_nodes)
}

/// Deformed parts as static meshes.
pub(crate) fn posed_to_glb(name: &str, parts: &[PosedPart<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(name);
    let mut scene_nodes = Vec::new();
    for part in parts.iter().filter(|part| !part.mesh.triangles().is_empty()) {
        let mesh = StaticMesh {
            mesh: part.mesh,
            positions: part.vertex_positions(),
            normals: part.vertex_normals,
            shapes: &[],
            materials: part.materials,
        };
        let mesh = add_mesh(&mut writer, &mesh, None, 0)?;
        let name = Some(part.mesh.name().to_owned());
        writer.root.nodes.push(Node { name, mesh: Some(mesh), ..Node::default() });
        scene_nodes.push(writer.root.nodes.len() - 1);
    }
    writer.finish(scene_nodes)
}

/// Adds joints as the first nodes, in their order, and their skin; returns the scene's root of them.
fn add_joints(writer: &mut Writer, skeleton: &Skeleton) -> Result<Vec<usize>, WriteError> {
    if skeleton.is_empty() {
        return Ok(Vec::new());
    }
    if skeleton.len() > usize::from(u16::MAX) + 1 {
        let what = format!("{} joints; glTF can index 65,536", skeleton.len());
        return Err(WriteError::unwritable("skeleton", what));
    }
    let mut roots = Vec::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        match joint.parent {
            Some(parent) => writer.root.nodes[parent as usize].children.push(index),
            None => roots.push(index),
        }
        let (t, r, s) = (joint.rest.translation, joint.rest.rotation, joint.rest.scale);
        writer.root.nodes.push(Node {
            name: Some(joint.name.clone()),
            translation: (t != glam::DVec3::ZERO).then(|| t.to_array()),
            rotation: (r != glam::DQuat::IDENTITY).then(|| r.to_array()),
            scale: (s != glam::DVec3::ONE).then(|| s.to_array()),
            extras: tail_extras(joint.tail_in_joint),
            ..Node::default()
        });
    }
    let matrices: Vec<[f32; 16]> = skeleton
        .joint_from_model()
        .iter()
        .map(|m| glam::DMat4::from(*m).as_mat4().to_cols_array())
        .collect();
    let inverse_bind_matrices = Some(writer.add_floats("MAT4", None, &matrices));
    let joints = (0..skeleton.len()).collect();
    writer.root.skins.push(Skin { name: None, inverse_bind_matrices, joints });
    // The joints of a skin must have a common root: of several trees a node that moves nothing, which the
    // reader knows to pass over.
    if roots.len() > 1 {
        let name = Some("skeleton".to_owned());
        writer.root.nodes.push(Node { name, children: roots, ..Node::default() });
        roots = vec![writer.root.nodes.len() - 1];
    }
    Ok(roots)
}

fn tail_extras(tail_in_joint: glam::DVec3) -> Value {
    json!({ "sinew_tail": tail_in_joint.to_array() })
}
