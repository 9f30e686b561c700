//! Meshes: polygons as triangles, corners as vertices, one primitive a material. `_POINT` names the
//! point that a vertex is of, so that seams stay welded.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use ufbx::{Mesh, Node};

use crate::nodes::place_of;
use crate::shapes::{Shaped, Target, channels, targets};
use crate::skin::SkinRows;
use crate::{Converter, FbxError};

/// What tells two corners of one point apart: bits of normal and texture coordinates.
type Corner = (u32, [u32; 3], [u32; 2]);

impl<'a> Converter<'a> {
    /// All meshes, at their nodes.
    pub(crate) fn meshes(&mut self) -> Result<Vec<Shaped<'a>>, FbxError> {
        let scene = self.scene;
        let mut shaped = Vec::new();
        let mut known: HashMap<(u32, Vec<u32>), Option<usize>> = HashMap::new();
        for node in &scene.nodes {
            let (Some(mesh), Some(place)) = (&node.mesh, place_of(node)) else { continue };
            let skin = self.skin(node, mesh)?;
            let materials = materials_of(node, mesh);
            let key = (mesh.element.typed_id, materials.clone());
            let written = match (known.get(&key), &skin) {
                (Some(known), None) => *known,
                _ => {
                    let written = self.mesh(mesh, &materials, skin.as_ref())?;
                    if skin.is_none() {
                        known.insert(key, written);
                    }
                    written
                }
            };
            let Some(written) = written else { continue };
            self.set_node(place, "mesh", json!(written));
            if let Some(skin) = skin {
                self.set_node(place, "skin", json!(skin.skin));
            }
            let channels = channels(mesh);
            if !channels.is_empty() {
                shaped.push(Shaped { node: place, channels });
            }
        }
        self.loose_bones()?;
        Ok(shaped)
    }

    /// `None` for a mesh without triangles.
    fn mesh(
        &mut self,
        mesh: &'a Mesh,
        materials: &[u32],
        skin: Option<&SkinRows>,
    ) -> Result<Option<usize>, FbxError> {
        let targets = targets(mesh);
        let mut primitives = Vec::new();
        for (material, corners) in triangles_by_material(mesh) {
            let mut primitive = self.primitive(mesh, &corners, skin, &targets)?;
            if let Some(material) = materials.get(material as usize) {
                primitive.insert("material".into(), json!(material));
            }
            primitives.push(Value::Object(primitive));
        }
        if primitives.is_empty() {
            return Ok(None);
        }
        let mut written = json!({ "primitives": primitives });
        // A mesh has no name of its own in most files; its node has.
        let own = &*mesh.element.name;
        let of_node = mesh.element.instances.first().map_or("", |node| &*node.element.name);
        let name = if own.is_empty() { of_node } else { own };
        if !name.is_empty() {
            written["name"] = json!(name);
        }
        if !targets.is_empty() {
            let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
            let weights: Vec<f64> = targets.iter().map(|target| target.rest_weight).collect();
            written["extras"] = json!({ "targetNames": names });
            written["weights"] = json!(weights);
        }
        Ok(Some(self.push("meshes", written)))
    }

    fn primitive(
        &mut self,
        mesh: &Mesh,
        corners: &[u32],
        skin: Option<&SkinRows>,
        targets: &[Target<'_>],
    ) -> Result<Map<String, Value>, FbxError> {
        let vertices = Vertices::of(mesh, corners);
        let mut attributes = Map::new();
        attributes
            .insert("POSITION".into(), json!(self.binary.vertices(&vertices.positions, true)?));
        if mesh.vertex_normal.exists {
            let normals = self.binary.vertices(&vertices.normals, false)?;
            attributes.insert("NORMAL".into(), json!(normals));
        }
        if mesh.vertex_uv.exists {
            attributes
                .insert("TEXCOORD_0".into(), json!(self.binary.vertices(&vertices.uvs, false)?));
        }
        let halves: Vec<[u16; 2]> =
            vertices.points.iter().map(|&point| [point as u16, (point >> 16) as u16]).collect();
        attributes.insert("_POINT".into(), json!(self.binary.shorts(&halves)?));
        if let Some(skin) = skin {
            self.weights(skin, &vertices.points, &mut attributes)?;
            if !skin.dual_quat_shares.is_empty() {
                let share = |&point: &u32| [skin.dual_quat_shares[point as usize]];
                let shares: Vec<[f32; 1]> = vertices.points.iter().map(share).collect();
                let shares = self.binary.vertices(&shares, false)?;
                attributes.insert("_DUAL_QUAT_SHARE".into(), json!(shares));
            }
        }
        let mut primitive = Map::new();
        primitive.insert("indices".into(), json!(self.binary.indices(&vertices.triangles)?));
        primitive.insert("attributes".into(), Value::Object(attributes));
        if !targets.is_empty() {
            let mut of_point: Vec<(u32, u32)> =
                vertices.points.iter().enumerate().map(|(at, &point)| (point, at as u32)).collect();
            of_point.sort_unstable();
            let written: Result<Vec<Value>, FbxError> = targets
                .iter()
                .map(|target| {
                    let moved = moved_vertices(target, &of_point);
                    let accessor = self.binary.displacements(vertices.points.len(), &moved)?;
                    Ok(json!({ "POSITION": accessor }))
                })
                .collect();
            primitive.insert("targets".into(), Value::Array(written?));
        }
        Ok(primitive)
    }

    fn weights(
        &mut self,
        skin: &SkinRows,
        points: &[u32],
        attributes: &mut Map<String, Value>,
    ) -> Result<(), FbxError> {
        let row = |point: &u32| &skin.rows[*point as usize];
        let most = points.iter().map(|point| row(point).len()).max().unwrap_or(0);
        for set in 0..most.div_ceil(4) {
            let pick = |point: &u32, k: usize| row(point).get(4 * set + k).copied();
            let joints: Vec<[u16; 4]> = points
                .iter()
                .map(|point| [0, 1, 2, 3].map(|k| pick(point, k).map_or(0, |(entry, _)| entry)))
                .collect();
            let weights: Vec<[f32; 4]> = points
                .iter()
                .map(|point| [0, 1, 2, 3].map(|k| pick(point, k).map_or(0.0, |(_, w)| w)))
                .collect();
            attributes.insert(format!("JOINTS_{set}"), json!(self.binary.shorts(&joints)?));
            let weights = self.binary.vertices(&weights, false)?;
            attributes.insert(format!("WEIGHTS_{set}"), json!(weights));
        }
        Ok(())
    }
}

/// The document's materials of a mesh at a node: the node's, or else the mesh's own.
fn materials_of(node: &Node, mesh: &Mesh) -> Vec<u32> {
    let own = if node.materials.is_empty() { &mesh.materials } else { &node.materials };
    own.into_iter().map(|material| material.element.typed_id).collect()
}

/// Corners of triangles, three by three, a list for each material that is used.
fn triangles_by_material(mesh: &Mesh) -> Vec<(u32, Vec<u32>)> {
    let mut lists: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut list_of: HashMap<u32, usize> = HashMap::new();
    let mut corners = vec![0; 3 * mesh.max_face_triangles];
    for (index, face) in mesh.faces.iter().enumerate() {
        if face.num_indices < 3 {
            continue;
        }
        let material = mesh.face_material.get(index).copied().unwrap_or(0);
        let num_triangles = ufbx::triangulate_face(&mut corners, mesh, *face) as usize;
        let list = *list_of.entry(material).or_insert_with(|| {
            lists.push((material, Vec::new()));
            lists.len() - 1
        });
        lists[list].1.extend_from_slice(&corners[..3 * num_triangles]);
    }
    lists
}

/// Corners with their values, each different one once.
struct Vertices {
    points: Vec<u32>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    triangles: Vec<u32>,
}

impl Vertices {
    fn of(mesh: &Mesh, corners: &[u32]) -> Self {
        let mut known: HashMap<Corner, u32> = HashMap::new();
        let mut vertices = Self {
            points: Vec::new(),
            positions: Vec::new(),
            normals: Vec::new(),
            uvs: Vec::new(),
            triangles: Vec::with_capacity(corners.len()),
        };
        for &corner in corners {
            let corner = corner as usize;
            let point = mesh.vertex_indices[corner];
            let normal = if mesh.vertex_normal.exists {
                let n = ufbx::get_vertex_vec3(&mesh.vertex_normal, corner);
                unit([n.x as f32, n.y as f32, n.z as f32])
            } else {
                [0.0; 3]
            };
            let uv = if mesh.vertex_uv.exists {
                let uv = ufbx::get_vertex_vec2(&mesh.vertex_uv, corner);
                // Counted from below in FBX, from above in glTF.
                [finite(uv.x as f32), finite(1.0 - uv.y as f32)]
            } else {
                [0.0; 2]
            };
            let key = (point, normal.map(f32::to_bits), uv.map(f32::to_bits));
            let next = vertices.points.len() as u32;
            let at = *known.entry(key).or_insert(next);
            if at == next {
                let p = mesh.vertices[point as usize];
                vertices.points.push(point);
                vertices.positions.push([p.x as f32, p.y as f32, p.z as f32]);
                vertices.normals.push(normal);
                vertices.uvs.push(uv);
            }
            vertices.triangles.push(at);
        }
        vertices
    }
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// What has no direction points up: glTF has only unit normals.
fn unit(normal: [f32; 3]) -> [f32; 3] {
    let length = normal.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length.is_finite() && length > 1e-12 { normal.map(|x| x / length) } else { [0.0, 1.0, 0.0] }
}

/// The vertices that a shape moves, ascending. `of_point` has point and vertex, sorted.
fn moved_vertices(target: &Target<'_>, of_point: &[(u32, u32)]) -> Vec<(u32, [f32; 3])> {
    let own = moved_by(target.shape, of_point);
    let Some((full, times)) = target.less else { return own };
    let mut sums: BTreeMap<u32, [f32; 3]> = own.into_iter().collect();
    for (vertex, offset) in moved_by(full, of_point) {
        let sum = sums.entry(vertex).or_default();
        for (sum, offset) in sum.iter_mut().zip(offset) {
            *sum -= times as f32 * offset;
        }
    }
    sums.into_iter().filter(|(_, offset)| *offset != [0.0; 3]).collect()
}

fn moved_by(shape: &ufbx::BlendShape, of_point: &[(u32, u32)]) -> Vec<(u32, [f32; 3])> {
    let mut moved = Vec::new();
    for (index, (&point, offset)) in
        shape.offset_vertices.iter().zip(&shape.position_offsets).enumerate()
    {
        // Some programs weigh a shape point by point.
        let weight = shape.offset_weights.get(index).copied().unwrap_or(1.0);
        let offset = [offset.x, offset.y, offset.z].map(|x| (x * weight) as f32);
        if offset == [0.0; 3] || offset.iter().any(|x| !x.is_finite()) {
            continue;
        }
        let start = of_point.partition_point(|&(other, _)| other < point);
        let of_this = of_point[start..].iter().take_while(|&&(other, _)| other == point);
        moved.extend(of_this.map(|&(_, vertex)| (vertex, offset)));
    }
    moved.sort_by_key(|&(vertex, _)| vertex);
    moved.dedup_by_key(|&mut (vertex, _)| vertex);
    moved
}
