//! Writing meshes: vertex streams, weight sets, morph targets, one primitive a group.

use std::collections::BTreeMap;

use glam::Vec3;
use serde_json::{Value, json};
use sinew::mesh::{Group, Mesh};
use sinew::shape::BlendShape;
use sinew::weights::SkinWeights;

use super::json as gltf;
use super::write::{Elements, INDICES, U8, U16, U32, VERTICES, Writer};
use super::write_material::PartMaterials;
use crate::WriteError;

/// Normals whose squared length is this near to one are left to the last bit.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Influences a vertex has in one JOINTS/WEIGHTS set.
const INFLUENCES_PER_SET: usize = 4;

/// A mesh and where its render vertices are.
#[derive(Debug)]
pub(super) struct StaticMesh<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: &'a [Vec3],
    pub(super) shapes: &'a [BlendShape],
    pub(super) materials: PartMaterials<'a>,
}

/// Adds a mesh and returns its index.
pub(super) fn add_mesh(
    writer: &mut Writer,
    source: &StaticMesh<'_>,
    weights: Option<&SkinWeights>,
    num_joints: usize,
) -> Result<usize, WriteError> {
    let mut attributes = BTreeMap::new();
    let positions: Vec<[f32; 3]> = source.positions.iter().map(|p| p.to_array()).collect();
    let position = writer.add_floats("VEC3", VERTICES, &positions);
    writer.set_bounds(position, &positions);
    attributes.insert("POSITION".to_owned(), position);
    if !source.normals.is_empty() {
        let normals: Vec<[f32; 3]> = source.normals.iter().map(|n| unit(*n)).collect();
        attributes.insert("NORMAL".into(), writer.add_floats("VEC3", VERTICES, &normals));
    }
    if !source.mesh.vertex_uvs().is_empty() {
        let uvs: Vec<[f32; 2]> = source.mesh.vertex_uvs().iter().map(|uv| uv.to_array()).collect();
        attributes.insert("TEXCOORD_0".into(), writer.add_floats("VEC2", VERTICES, &uvs));
    }
    match weights {
        Some(weights) => add_weights(writer, source.mesh, weights, num_joints, &mut attributes),
        None => {
            attributes.insert("_POINT".into(), add_points(writer, source.mesh));
        }
    }
    let targets = add_targets(writer, source)?;
    let primitives = add_primitives(writer, source, &attributes, &targets);
    let mut extras = serde_json::Map::new();
    if !source.shapes.is_empty() {
        let names: Vec<&str> = source.shapes.iter().map(|shape| shape.name.as_str()).collect();
        extras.insert("targetNames".into(), json!(names));
    }
    // Tells the reader that primitives without a group's name have none.
    if primitives.iter().any(|primitive| primitive.extras.get("sinew_group").is_some()) {
        extras.insert("sinew_groups".into(), json!(true));
    }
    writer.root.meshes.push(gltf::Mesh {
        name: Some(source.mesh.name().to_owned()),
        primitives,
        weights: source.shapes.iter().map(|shape| f64::from(shape.rest_weight)).collect(),
        extras: if extras.is_empty() { Value::Null } else { Value::Object(extras) },
    });
    Ok(writer.root.meshes.len() - 1)
}

/// glTF wants unit normals; what has no direction points up.
fn unit(normal: Vec3) -> [f32; 3] {
    if (normal.length_squared() - 1.0).abs() <= UNIT_TOLERANCE {
        return normal.to_array();
    }
    normal.try_normalize().unwrap_or(Vec3::Y).to_array()
}

/// As many sets as the longest row needs, the largest weights first: who reads one set gets the best four.
fn add_weights(
    writer: &mut Writer,
    mesh: &Mesh,
    weights: &SkinWeights,
    num_joints: usize,
    attributes: &mut BTreeMap<String, usize>,
) {
    let sorted: Vec<Vec<(u32, f32)>> = weights
        .rows()
        .map(|row| {
            let mut row: Vec<_> = row.iter().map(|i| (i.joint, i.weight)).collect();
            row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            row
        })
        .collect();
    let rows = || mesh.point_of_vertex().iter().map(|&point| &sorted[point as usize]);
    let count = mesh.num_vertices();
    for set in 0..weights.max_influences().div_ceil(INFLUENCES_PER_SET) {
        let slots = || {
            rows().flat_map(move |row| {
                let first = set * INFLUENCES_PER_SET;
                // Padding names joint 0 with no weight, as glTF wants.
                (first..first + INFLUENCES_PER_SET).map(|k| row.get(k).copied().unwrap_or((0, 0.0)))
            })
        };
        let component_type = if num_joints <= 256 { U8 } else { U16 };
        let elements = Elements { kind: "VEC4", component_type, count, target: VERTICES };
        let joints = if component_type == U8 {
            writer.add_accessor(elements, slots().map(|(joint, _)| joint as u8))
        } else {
            writer
                .add_accessor(elements, slots().flat_map(|(joint, _)| (joint as u16).to_le_bytes()))
        };
        attributes.insert(format!("JOINTS_{set}"), joints);
        let elements = Elements { component_type: super::write::F32, ..elements };
        let weights = writer.add_accessor(elements, slots().flat_map(|(_, w)| w.to_le_bytes()));
        attributes.insert(format!("WEIGHTS_{set}"), weights);
    }
}

/// The welded point of each vertex as two 16-bit halves: attributes may not be 32-bit integers.
fn add_points(writer: &mut Writer, mesh: &Mesh) -> usize {
    let elements = Elements {
        kind: "VEC2",
        component_type: U16,
        count: mesh.num_vertices(),
        target: VERTICES,
    };
    writer.add_accessor(elements, mesh.point_of_vertex().iter().flat_map(|p| p.to_le_bytes()))
}

fn add_targets(
    writer: &mut Writer,
    source: &StaticMesh<'_>,
) -> Result<Vec<BTreeMap<String, usize>>, WriteError> {
    let mut targets = Vec::with_capacity(source.shapes.len());
    for shape in source.shapes {
        if shape.deltas.len() != source.mesh.points().len()
            || shape.deltas.iter().any(|delta| !delta.is_finite())
        {
            let place = format!("shape '{}' of mesh '{}'", shape.name, source.mesh.name());
            let what = "needs one finite displacement a welded point";
            return Err(WriteError::unwritable(place, what));
        }
        let deltas: Vec<[f32; 3]> = source
            .mesh
            .point_of_vertex()
            .iter()
            .map(|&point| shape.deltas[point as usize].to_array())
            .collect();
        let accessor = writer.add_floats("VEC3", VERTICES, &deltas);
        writer.set_bounds(accessor, &deltas);
        targets.push(BTreeMap::from([("POSITION".to_owned(), accessor)]));
    }
    Ok(targets)
}

fn add_primitives(
    writer: &mut Writer,
    source: &StaticMesh<'_>,
    attributes: &BTreeMap<String, usize>,
    targets: &[BTreeMap<String, usize>],
) -> Vec<gltf::Primitive> {
    let mesh = source.mesh;
    let groups = runs(mesh.groups(), mesh.triangles().len() as u32);
    let cut = |(name, range): (_, std::ops::Range<u32>)| {
        let is_first = move |cut: &std::ops::Range<u32>| cut.start == range.start;
        let cuts = source.materials.cut(range.clone()).into_iter();
        cuts.map(move |(cut, material)| (name, is_first(&cut), cut, material))
    };
    let mut primitives = Vec::new();
    for (name, is_first, range, material) in groups.into_iter().flat_map(cut) {
        let corners = mesh.triangles()[range.start as usize..range.end as usize].as_flattened();
        let mut extras = serde_json::Map::new();
        if let Some(name) = name {
            extras.insert("sinew_group".into(), json!(name));
            if !is_first {
                extras.insert("sinew_continued".into(), json!(true));
            }
        }
        let material = match material {
            Some(material) => writer.own_material(material),
            None => {
                extras.insert("sinew_clay".into(), json!(true));
                writer.clay(name.unwrap_or("clay"))
            }
        };
        primitives.push(gltf::Primitive {
            attributes: attributes.clone(),
            indices: Some(add_indices(writer, corners, mesh.num_vertices())),
            material: Some(material),
            mode: gltf::TRIANGLES,
            targets: targets.to_vec(),
            extras: if extras.is_empty() { Value::Null } else { Value::Object(extras) },
            ..gltf::Primitive::default()
        });
    }
    primitives
}

fn add_indices(writer: &mut Writer, corners: &[u32], num_vertices: usize) -> usize {
    // 65535 itself is reserved (primitive restart).
    let component_type = if num_vertices <= usize::from(u16::MAX) { U16 } else { U32 };
    let elements =
        Elements { kind: "SCALAR", component_type, count: corners.len(), target: INDICES };
    if component_type == U16 {
        writer.add_accessor(elements, corners.iter().flat_map(|&v| (v as u16).to_le_bytes()))
    } else {
        writer.add_accessor(elements, corners.iter().flat_map(|v| v.to_le_bytes()))
    }
}

/// The triangles as consecutive runs, each a group or what lies between groups. Groups that overlap or are
/// out of order cannot be primitives, and are left out.
fn runs(groups: &[Group], num_triangles: u32) -> Vec<(Option<&str>, std::ops::Range<u32>)> {
    let mut runs: Vec<(Option<&str>, std::ops::Range<u32>)> = Vec::new();
    let mut at = 0;
    for group in groups.iter().filter(|group| !group.triangles.is_empty()) {
        if group.triangles.start < at {
            continue;
        }
        if group.triangles.start > at {
            runs.push((None, at..group.triangles.start));
        }
        runs.push((Some(&group.name), group.triangles.clone()));
        at = group.triangles.end;
    }
    if at < num_triangles {
        runs.push((None, at..num_triangles));
    }
    runs
}
