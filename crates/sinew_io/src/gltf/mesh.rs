//! Meshes: each node that shows one becomes a part; its primitives become groups over one set of
//! points, so that a material seam holds together when it is posed.

use std::collections::HashMap;
use std::ops::Range;

use glam::{DAffine3, DMat3, Vec3};
use sinew::Part;
use sinew::material::MaterialRun;
use sinew::mesh::{Group, RawMesh, RawShape};
use sinew::weights::{SkinWeights, WeightReport};

use super::accessor::Accessors;
use super::draco;
use super::json::{Mesh, Primitive, Root};
use super::primitive::{Streams, triangles};
use super::scene::Nodes;
use super::skin::Rig;
use super::weights::{WeightBlock, read_rows};
use crate::{ReadError, Report};

/// The parts, and which of them is each node's.
pub(super) fn read_parts(
    root: &Root,
    nodes: &Nodes,
    rig: &Rig,
    accessors: &Accessors<'_>,
    report: &mut Report,
) -> Result<(Vec<Part>, Vec<Option<u32>>), ReadError> {
    let reader = MeshReader::new(root, nodes, rig, accessors);
    let mut parts = Vec::new();
    let mut part_of_node = vec![None; root.nodes.len()];
    for (node, mesh) in reader.shown_meshes() {
        if let Some(instance) = reader.instance(node, mesh, report)? {
            part_of_node[node] = Some(parts.len() as u32);
            parts.push(reader.part(instance, report)?);
        }
    }
    let num_shown = reader.shown_meshes().count();
    let num_hidden = root.nodes.iter().filter(|node| node.mesh.is_some()).count() - num_shown;
    if num_hidden > 0 {
        let what = format!("{num_hidden} nodes with a mesh are not in the scene; left out");
        report.note("meshes-outside-scene", "nodes", what, "put them into the scene to have them");
    }
    Ok((parts, part_of_node))
}

/// What the parts were made of, one a part, in their order and in the meshes' own spaces. Nothing
/// is reported again.
pub(super) fn read_instances<'a>(
    reader: &'a MeshReader<'a>,
) -> Result<Vec<Instance<'a>>, ReadError> {
    let mut report = Report::default();
    let mut instances = Vec::new();
    for (node, mesh) in reader.shown_meshes() {
        instances.extend(reader.instance(node, mesh, &mut report)?);
    }
    Ok(instances)
}

/// Reads the meshes of a document.
pub(super) struct MeshReader<'a> {
    root: &'a Root,
    nodes: &'a Nodes,
    rig: &'a Rig,
    accessors: &'a Accessors<'a>,
    num_uses: Vec<usize>,
}

/// A node that shows a mesh, in the mesh's own space.
pub(super) struct Instance<'a> {
    pub(super) node: usize,
    pub(super) mesh: usize,
    pub(super) binding: Binding<'a>,
    pub(super) model_from_mesh: DAffine3,
    pub(super) gathered: Gathered,
}

/// How a part hangs on the skeleton.
#[derive(Clone, Copy)]
pub(super) enum Binding<'a> {
    /// By the skin of that index, whose entries are these joints.
    Skin(usize, &'a [u32]),
    Joint(u32),
    Static,
}

/// A primitive's share of what was gathered.
#[derive(Clone, Debug)]
pub(super) struct Gathering {
    /// Place in the mesh's `primitives`.
    pub(super) primitive: usize,
    pub(super) vertices: Range<usize>,
    pub(super) triangles: Range<u32>,
}

/// What the primitives of a mesh add up to.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) raw: RawMesh,
    pub(super) weights: Vec<WeightBlock>,
    points: Vec<u32>,
    has_points: bool,
    pub(super) materials: Vec<MaterialRun>,
    pub(super) primitives: Vec<Gathering>,
}

impl<'a> MeshReader<'a> {
    pub(super) fn new(
        root: &'a Root,
        nodes: &'a Nodes,
        rig: &'a Rig,
        accessors: &'a Accessors<'a>,
    ) -> Self {
        let mut num_uses = vec![0; root.meshes.len()];
        for mesh in root.nodes.iter().filter_map(|node| node.mesh) {
            if let Some(uses) = num_uses.get_mut(mesh) {
                *uses += 1;
            }
        }
        Self { root, nodes, rig, accessors, num_uses }
    }

    /// Nodes of the scene that have a mesh, with it.
    fn shown_meshes(&self) -> impl Iterator<Item = (usize, usize)> {
        let nodes = self.root.nodes.iter().enumerate();
        let meshes = nodes.filter_map(|(index, node)| Some((index, node.mesh?)));
        meshes.filter(|&(node, _)| self.nodes.is_in_scene[node])
    }

    fn instance(
        &self,
        node: usize,
        mesh_index: usize,
        report: &mut Report,
    ) -> Result<Option<Instance<'_>>, ReadError> {
        let mesh = self.root.meshes.get(mesh_index).ok_or_else(|| {
            let what = format!("there is no mesh {mesh_index}");
            ReadError::malformed(format!("nodes[{node}].mesh"), what)
        })?;
        let place = format!("meshes[{mesh_index}]");
        let (binding, model_from_mesh) = self.binding(node, mesh)?;
        let is_skinned = matches!(binding, Binding::Skin(..));
        let Some(mut gathered) = self.gather(mesh, &place, is_skinned, report)? else {
            return Ok(None);
        };
        gathered.raw.name = self.part_name(node, mesh_index, mesh);
        Ok(Some(Instance { node, mesh: mesh_index, binding, model_from_mesh, gathered }))
    }

    fn part(&self, instance: Instance<'_>, report: &mut Report) -> Result<Part, ReadError> {
        let Instance { node, mesh, binding, model_from_mesh, mut gathered } = instance;
        let place = format!("meshes[{mesh}]");
        transform(&mut gathered.raw, &model_from_mesh);
        let mut found = WeightReport::default();
        let num_vertices = gathered.raw.positions.len();
        let (raw, blocks) = (std::mem::take(&mut gathered.raw), &gathered.weights);
        let mut weights = || match binding {
            Binding::Skin(_, joint_of_entry) => {
                let num_joints = self.rig.skeleton.len();
                let made = read_rows(blocks, joint_of_entry, num_vertices, num_joints);
                found = made.1;
                Some(made.0)
            }
            Binding::Joint(joint) => Some(SkinWeights::rigid(&vec![joint; num_vertices])),
            Binding::Static => None,
        };
        let has_points = gathered.has_points && points_agree(&gathered.points, &raw.positions);
        let welded = if has_points {
            RawMesh { weights: weights(), ..raw }.weld_by(&gathered.points)
        } else {
            raw.weld_with(weights)
        };
        let welded = welded.map_err(|source| ReadError::Mesh { place: place.clone(), source })?;
        report.weights(&format!("{place}.primitives[*].attributes.WEIGHTS_0"), &found);
        report.welding(&place, &welded.report);
        let mut part = Part { materials: gathered.materials, ..welded.part };
        // The node's weights come before the mesh's.
        let of_node = &self.root.nodes[node].weights;
        let weights = if of_node.is_empty() { &self.root.meshes[mesh].weights } else { of_node };
        for (shape, weight) in part.shapes.iter_mut().zip(weights) {
            // As an f32: a number that is only an f64's would be written as none.
            let weight = *weight as f32;
            shape.rest_weight = if weight.is_finite() { weight } else { 0.0 };
        }
        Ok(part)
    }

    fn part_name(&self, node: usize, mesh_index: usize, mesh: &Mesh) -> String {
        let node_name = self.root.nodes[node].name.clone();
        // Instances of one mesh are told apart by their nodes.
        let by_node = self.num_uses[mesh_index] > 1 && node_name.is_some();
        let mesh_name = mesh.name.clone().filter(|_| !by_node);
        mesh_name.or(node_name).unwrap_or_else(|| format!("mesh{mesh_index}"))
    }

    /// Who moves a node's mesh, and how its vertices come to model space.
    fn binding(&self, node: usize, mesh: &Mesh) -> Result<(Binding<'_>, DAffine3), ReadError> {
        if let Some(skin) = self.root.nodes[node].skin {
            let binding = self.rig.skins.get(skin).ok_or_else(|| {
                let what = format!("there is no skin {skin}");
                ReadError::malformed(format!("nodes[{node}].skin"), what)
            })?;
            // A skin on a mesh without weights is a common slip; such a mesh stays where its node
            // is.
            if mesh.primitives.iter().any(|p| p.attributes.contains_key("JOINTS_0")) {
                let entries = &binding.joint_of_entry;
                return Ok((Binding::Skin(skin, entries), binding.model_from_mesh));
            }
        }
        let world_from_mesh = self.nodes.world_from_node[node];
        let Some(joint) = self.rig.joint_above(self.nodes, node) else {
            return Ok((Binding::Static, world_from_mesh));
        };
        // Where the joint rests and where it was bound may differ: the mesh goes where it would
        // have been then.
        let skeleton = &self.rig.skeleton;
        let posed_from_bound = skeleton.rest_model_from_joint()[joint as usize]
            * skeleton.joint_from_model()[joint as usize];
        let bound_from_posed = posed_from_bound.inverse();
        let is_at_bind = posed_from_bound.abs_diff_eq(DAffine3::IDENTITY, 1e-9);
        let model_from_mesh = if is_at_bind || !bound_from_posed.is_finite() {
            world_from_mesh
        } else {
            bound_from_posed * world_from_mesh
        };
        Ok((Binding::Joint(joint), model_from_mesh))
    }

    /// All primitives with triangles as one mesh; `None` if there are none.
    fn gather(
        &self,
        mesh: &Mesh,
        place: &str,
        is_skinned: bool,
        report: &mut Report,
    ) -> Result<Option<Gathered>, ReadError> {
        let mut gathered = Gathered::default();
        // Primitives that differ only in their indices share their vertices.
        let mut vertices_of_attributes = HashMap::new();
        for (index, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("{place}.primitives[{index}]");
            draco::decode_primitive(primitive, &place, self.accessors)?;
            let key = (&primitive.attributes, &primitive.targets);
            let known: Option<&(usize, usize)> = vertices_of_attributes.get(&key);
            let (first, count, streams) = match known {
                Some(&(first, count)) => (first, count, None),
                None => {
                    let streams =
                        Streams::read(primitive, &place, is_skinned, self.accessors, report)?;
                    (gathered.raw.positions.len(), streams.positions.len(), Some(streams))
                }
            };
            let found = triangles(primitive, count, &place, self.accessors, report)?;
            let Some(found) = found else { continue };
            if let Some(streams) = streams {
                gathered.append(streams);
                vertices_of_attributes.insert(key, (first, count));
            }
            let first_triangle = gathered.raw.triangles.len() as u32;
            if first_triangle == 0 && first == 0 {
                gathered.raw.triangles = found;
            } else {
                let shifted = found.iter().map(|t| t.map(|vertex| vertex + first as u32));
                gathered.raw.triangles.extend(shifted);
            }
            let triangles = first_triangle..gathered.raw.triangles.len() as u32;
            gathered.primitives.push(Gathering {
                primitive: index,
                vertices: first..first + count,
                triangles: triangles.clone(),
            });
            if let Some(material) = self.material(primitive) {
                gathered.materials.push(MaterialRun { triangles: triangles.clone(), material });
            }
            let continued = primitive.extras.get("sinew_continued").is_some();
            if let (true, Some(group)) = (continued, gathered.raw.groups.last_mut()) {
                group.triangles.end = triangles.end;
            } else if let Some(name) = self.group_name(mesh, index) {
                gathered.raw.groups.push(Group { name, triangles });
            }
        }
        if gathered.raw.positions.is_empty() {
            return Ok(None);
        }
        gathered.name_shapes(mesh);
        Ok(Some(gathered))
    }

    /// The material, unless it is the clay that our own writer gave to what had none.
    fn material(&self, primitive: &Primitive) -> Option<u32> {
        let is_clay = primitive.extras.get("sinew_clay").is_some();
        let known = primitive.material.filter(|&m| m < self.root.materials.len() && !is_clay)?;
        u32::try_from(known).ok()
    }

    /// Our own writer's name; else, of several primitives, the material's.
    fn group_name(&self, mesh: &Mesh, index: usize) -> Option<String> {
        let written = |p: &Primitive| Some(p.extras.get("sinew_group")?.as_str()?.to_owned());
        let primitive = &mesh.primitives[index];
        if let Some(name) = written(primitive) {
            return Some(name);
        }
        if mesh.primitives.len() == 1 || mesh.extras.get("sinew_groups").is_some() {
            return None;
        }
        let material = primitive.material.and_then(|m| self.root.materials.get(m));
        Some(material.and_then(|m| m.name.clone()).unwrap_or_else(|| format!("primitive{index}")))
    }
}

impl Gathered {
    fn append(&mut self, streams: Streams) {
        let raw = &mut self.raw;
        let before = raw.positions.len();
        let has_points = streams.points.len() == streams.positions.len();
        // Most meshes have one set of vertices: it is taken, not copied.
        let vertices = before..before + streams.positions.len();
        self.weights.push(WeightBlock { vertices, sets: streams.weight_sets });
        if before == 0 && streams.targets.is_empty() && raw.shapes.is_empty() {
            raw.positions = streams.positions;
            raw.normals = streams.normals;
            raw.uvs = streams.uvs;
            self.has_points = has_points;
            self.points = streams.points;
            return;
        }
        raw.positions.extend_from_slice(&streams.positions);
        let total = raw.positions.len();
        extend_stream(&mut raw.normals, &streams.normals, before, total);
        extend_stream(&mut raw.uvs, &streams.uvs, before, total);
        if raw.shapes.len() < streams.targets.len() {
            let empty = RawShape { name: String::new(), deltas: vec![Vec3::ZERO; before] };
            raw.shapes.resize(streams.targets.len(), empty);
        }
        for (index, shape) in raw.shapes.iter_mut().enumerate() {
            let deltas = streams.targets.get(index).map_or(&[][..], Vec::as_slice);
            shape.deltas.extend_from_slice(deltas);
            shape.deltas.resize(total, Vec3::ZERO);
        }
        self.has_points = has_points && (before == 0 || self.has_points);
        self.points.extend_from_slice(&streams.points);
    }

    fn name_shapes(&mut self, mesh: &Mesh) {
        let names = mesh.extras.get("targetNames").and_then(|names| names.as_array());
        for (index, shape) in self.raw.shapes.iter_mut().enumerate() {
            let given = names.and_then(|names| names.get(index)?.as_str());
            shape.name = given.map_or_else(|| format!("shape{index}"), str::to_owned);
        }
    }
}

/// Adds a stream that some primitives have and others do not: zeros stand where it is missing.
fn extend_stream<T: Copy + Default>(stream: &mut Vec<T>, more: &[T], before: usize, total: usize) {
    if stream.is_empty() && more.is_empty() {
        return;
    }
    stream.resize(before, T::default());
    stream.extend_from_slice(more);
    stream.resize(total, T::default());
}

pub(super) fn transform(raw: &mut RawMesh, model_from_mesh: &DAffine3) {
    if *model_from_mesh == DAffine3::IDENTITY {
        return;
    }
    let linear = model_from_mesh.matrix3;
    // Cofactors, not the inverse transpose: they exist for a flattened mesh too, and differ only in
    // length.
    let normal_matrix = DMat3::from_cols(
        linear.y_axis.cross(linear.z_axis),
        linear.z_axis.cross(linear.x_axis),
        linear.x_axis.cross(linear.y_axis),
    );
    let mirrors = linear.determinant() < 0.0;
    let sign = if mirrors { -1.0 } else { 1.0 };
    for position in &mut raw.positions {
        *position = model_from_mesh.transform_point3(position.as_dvec3()).as_vec3();
    }
    for normal in &mut raw.normals {
        let turned = normal_matrix * normal.as_dvec3() * sign;
        *normal = turned.normalize_or_zero().as_vec3();
    }
    for shape in &mut raw.shapes {
        for delta in &mut shape.deltas {
            *delta = (linear * delta.as_dvec3()).as_vec3();
        }
    }
    if mirrors {
        for triangle in &mut raw.triangles {
            triangle.swap(1, 2);
        }
    }
}

/// True if the points that the file names are such: vertices of one point lie on one place. Another
/// program may have moved or copied vertices and kept our labels.
fn points_agree(points: &[u32], positions: &[Vec3]) -> bool {
    if points.len() != positions.len() {
        return false;
    }
    let mut place_of_point = HashMap::with_capacity(points.len());
    points
        .iter()
        .zip(positions)
        .all(|(point, position)| *place_of_point.entry(*point).or_insert(*position) == *position)
}
