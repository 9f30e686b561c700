//! Writing meshes: vertex streams, weight sets, morph targets, primitives.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use glam::Vec3;
use serde_json::{Map, Value, json};
use sinew::Part;
use sinew::mesh::{Group, Mesh};
use sinew::weights::SkinWeights;

use super::Writer;
use super::array::{Elements, INDICES, U8, U16, U32, VERTICES};
use super::material::PartMaterials;
use super::quantized::{Quantization, weight_codes};
use crate::WriteError;
use crate::posed::PosedPart;

/// Normals whose squared length is this near to one are left to the last bit.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Influences a vertex has in one JOINTS/WEIGHTS set.
const INFLUENCES_PER_SET: usize = 4;

/// The entries of a skin that move a point, the largest weight first.
pub(super) type Row = Vec<(u32, f32)>;

/// The vertices of a part in the space of the mesh that is written.
#[derive(Debug)]
pub(super) struct Surface<'a> {
    /// Triangles, texture coordinates, points.
    pub(super) mesh: &'a Mesh,
    pub(super) positions: Vec<Vec3>,
    /// One a vertex or none.
    pub(super) normals: Vec<Vec3>,
    /// Names, and one displacement a vertex.
    pub(super) shapes: Vec<(&'a str, Vec<Vec3>)>,
    /// What the shapes weigh at rest.
    pub(super) rest_weights: Vec<f32>,
    /// One a welded point.
    pub(super) rows: Option<Vec<Row>>,
    /// Joints and weights are the source's, and copied with what else its vertices have.
    pub(super) copies_weights: bool,
    /// Posed: what else the source says of the vertices' directions is wrong for them.
    pub(super) is_posed: bool,
    /// How many the skin has.
    pub(super) num_entries: usize,
    /// The mesh's space is mirrored: triangles turn the other way round in it.
    pub(super) is_mirrored: bool,
    /// Names the welded point of each vertex.
    pub(super) has_labels: bool,
    /// Normals, texture coordinates and weights of 16 bits.
    pub(super) is_quantized: bool,
    /// Positions and displacements as codes.
    pub(super) quantization: Option<Quantization>,
}

/// Triangles that become a primitive.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) vertices: Range<usize>,
    pub(super) triangles: Range<u32>,
    /// What the primitive says besides what is written here.
    pub(super) base: Map<String, Value>,
    pub(super) has_normals: bool,
    pub(super) has_uvs: bool,
    /// Even if the corners are the vertices in their order.
    pub(super) has_indices: bool,
    /// Further attributes, as accessors.
    pub(super) attributes: BTreeMap<String, usize>,
    /// Further attributes of the targets, one map each, as accessors; may be shorter than the
    /// shapes.
    pub(super) targets: Vec<BTreeMap<String, usize>>,
    /// Targets that have no displacements, only further attributes.
    pub(super) is_still: Vec<bool>,
}

/// The accessors of vertices that several primitives may share.
pub(super) type VertexCache = HashMap<(Range<usize>, bool, bool), BTreeMap<String, usize>>;

impl<'a> Surface<'a> {
    /// In model space.
    pub(super) fn of_part(part: &'a Part, rows: Option<Vec<Row>>, num_entries: usize) -> Self {
        let point_of_vertex = part.mesh.point_of_vertex();
        let spread =
            |deltas: &[Vec3]| point_of_vertex.iter().map(|&p| deltas[p as usize]).collect();
        let shapes =
            part.shapes.iter().map(|s| (s.name.as_str(), spread(&s.deltas.dense()))).collect();
        Self {
            mesh: &part.mesh,
            positions: part.mesh.vertex_positions().to_vec(),
            normals: part.mesh.vertex_normals().to_vec(),
            shapes,
            rest_weights: part.shapes.iter().map(|shape| shape.rest_weight).collect(),
            rows,
            copies_weights: false,
            is_posed: false,
            num_entries,
            is_mirrored: false,
            has_labels: false,
            is_quantized: false,
            quantization: None,
        }
    }
}

impl<'a> Surface<'a> {
    /// A part as it is posed, in model space, with nothing that could pose it again.
    pub(super) fn posed(part: &PosedPart<'a>) -> Self {
        Self {
            mesh: part.mesh,
            positions: part.vertex_positions(),
            normals: part.vertex_normals.to_vec(),
            shapes: Vec::new(),
            rest_weights: Vec::new(),
            rows: None,
            copies_weights: false,
            is_posed: true,
            num_entries: 0,
            is_mirrored: false,
            has_labels: true,
            is_quantized: false,
            quantization: None,
        }
    }
}

/// Joints and weights of every point, the largest first: who reads one set gets the best four.
pub(super) fn sorted_rows(weights: &SkinWeights) -> Vec<Row> {
    let sorted = |row: &[sinew::weights::Influence]| {
        let mut row: Row = row.iter().map(|i| (i.joint, i.weight)).collect();
        row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        row
    };
    weights.rows().map(sorted).collect()
}

/// Adds a mesh of its own and returns its index: one primitive a group and material.
pub(super) fn add_mesh(
    writer: &mut Writer,
    surface: &Surface<'_>,
    materials: PartMaterials<'_>,
) -> Result<usize, WriteError> {
    let mut cache = VertexCache::new();
    let mut primitives = Vec::new();
    for piece in own_pieces(writer, surface, materials) {
        primitives.push(add_piece(writer, surface, piece, &mut cache, no_weights));
    }
    let mut mesh = Map::new();
    mesh.insert("name".into(), json!(surface.mesh.name()));
    finish_mesh(&mut mesh, surface, primitives, true);
    Ok(writer.push("meshes", mesh))
}

/// States the primitives, and of the shapes how many they are and their names.
pub(super) fn finish_mesh(
    mesh: &mut Map<String, Value>,
    surface: &Surface<'_>,
    primitives: Vec<Value>,
    with_names: bool,
) {
    let has_groups = primitives.iter().any(|p| p.pointer("/extras/sinew_group").is_some());
    mesh.insert("primitives".into(), Value::Array(primitives));
    let num_shapes = surface.shapes.len();
    let known = mesh.get("weights").and_then(Value::as_array).map_or(0, Vec::len);
    if known != num_shapes {
        mesh.insert("weights".into(), json!(surface.rest_weights));
    }
    if num_shapes == 0 {
        mesh.remove("weights");
    }
    let with_names = with_names && num_shapes > 0;
    if with_names || has_groups {
        let extras = mesh.entry("extras").or_insert_with(|| json!({}));
        let Some(extras) = extras.as_object_mut() else { return };
        if with_names {
            let names: Vec<&str> = surface.shapes.iter().map(|(name, _)| *name).collect();
            extras.insert("targetNames".into(), json!(names));
        }
        // Tells the reader that primitives without a group's name have none.
        if has_groups {
            extras.insert("sinew_groups".into(), json!(true));
        }
    }
}

/// All vertices, cut where group or material changes.
pub(super) fn own_pieces(
    writer: &mut Writer,
    surface: &Surface<'_>,
    materials: PartMaterials<'_>,
) -> Vec<Piece> {
    let mesh = surface.mesh;
    let mut pieces = Vec::new();
    let is_ascending = materials.is_ascending();
    for (name, group) in runs(mesh.groups(), mesh.triangles().len() as u32) {
        for (triangles, material) in materials.within(&group, is_ascending).cut(group.clone()) {
            let mut base = Map::new();
            let mut extras = group_extras(name, triangles.start == group.start);
            let material = match material.and_then(|index| materials.materials.get(index as usize))
            {
                Some(material) => writer.own_material(material),
                None => {
                    extras.insert("sinew_clay".into(), json!(true));
                    writer.clay(name.unwrap_or("clay"))
                }
            };
            base.insert("material".into(), json!(material));
            if !extras.is_empty() {
                base.insert("extras".into(), Value::Object(extras));
            }
            pieces.push(Piece {
                vertices: 0..mesh.num_vertices(),
                triangles,
                base,
                has_normals: !surface.normals.is_empty(),
                has_uvs: !mesh.vertex_uvs().is_empty(),
                has_indices: true,
                ..Piece::default()
            });
        }
    }
    pieces
}

/// How the reader is told of a group.
pub(super) fn group_extras(name: Option<&str>, is_first: bool) -> Map<String, Value> {
    let mut extras = Map::new();
    if let Some(name) = name {
        extras.insert("sinew_group".into(), json!(name));
        if !is_first {
            extras.insert("sinew_continued".into(), json!(true));
        }
    }
    extras
}

/// Of what has no weights besides the surface's own rows.
pub(super) fn no_weights(_writer: &mut Writer) -> BTreeMap<String, usize> {
    BTreeMap::new()
}

/// Writes a piece and returns its primitive. `copy_weights` has the attributes that stand for the
/// surface's rows where it has none.
pub(super) fn add_piece(
    writer: &mut Writer,
    surface: &Surface<'_>,
    piece: Piece,
    cache: &mut VertexCache,
    copy_weights: impl FnOnce(&mut Writer) -> BTreeMap<String, usize>,
) -> Value {
    let Piece { vertices, triangles, mut base, has_normals, has_uvs, .. } = piece;
    let key = (vertices.clone(), has_normals, has_uvs);
    let attributes = match cache.get(&key) {
        Some(known) => known.clone(),
        None => {
            let mut attributes = add_vertices(writer, surface, &key);
            attributes.extend(copy_weights(writer));
            cache.insert(key, attributes.clone());
            attributes
        }
    };
    let attributes: BTreeMap<String, usize> =
        piece.attributes.into_iter().chain(attributes).collect();
    let first = vertices.start as u32;
    let mut corners: Vec<[u32; 3]> = surface.mesh.triangles()
        [triangles.start as usize..triangles.end as usize]
        .iter()
        .map(|t| t.map(|vertex| vertex - first))
        .collect();
    if surface.is_mirrored {
        for triangle in &mut corners {
            triangle.swap(1, 2);
        }
    }
    let in_order = corners.as_flattened().iter().copied().eq(0..vertices.len() as u32);
    base.remove("indices");
    if piece.has_indices || !in_order {
        let indices = add_indices(writer, corners.as_flattened(), vertices.len());
        base.insert("indices".into(), json!(indices));
    }
    base.remove("mode");
    base.remove("targets");
    let targets: Vec<BTreeMap<String, usize>> = surface
        .shapes
        .iter()
        .enumerate()
        .map(|(index, (_, deltas))| {
            let mut target = piece.targets.get(index).cloned().unwrap_or_default();
            let is_still = piece.is_still.get(index).copied().unwrap_or(false);
            let deltas: Vec<[f32; 3]> =
                deltas[vertices.clone()].iter().map(|d| d.to_array()).collect();
            if !is_still || target.is_empty() || deltas.iter().any(|d| *d != [0.0; 3]) {
                let accessor = writer.add_deltas(&deltas, surface.quantization.as_ref());
                target.insert("POSITION".to_owned(), accessor);
            }
            target
        })
        .collect();
    if !targets.is_empty() {
        base.insert("targets".into(), json!(targets));
    }
    base.insert("attributes".into(), json!(attributes));
    Value::Object(base)
}

fn add_vertices(
    writer: &mut Writer,
    surface: &Surface<'_>,
    (vertices, has_normals, has_uvs): &(Range<usize>, bool, bool),
) -> BTreeMap<String, usize> {
    let mut attributes = BTreeMap::new();
    let codes = surface.quantization.as_ref();
    let positions = &surface.positions[vertices.clone()];
    let position = match codes {
        Some(codes) => writer.add_positions(positions, codes),
        None => {
            let positions: Vec<[f32; 3]> = positions.iter().map(|p| p.to_array()).collect();
            let position = writer.add_floats("VEC3", VERTICES, &positions);
            writer.set_bounds(position, &positions);
            position
        }
    };
    attributes.insert("POSITION".to_owned(), position);
    if *has_normals {
        let normals: Vec<[f32; 3]> =
            surface.normals[vertices.clone()].iter().map(|n| unit(*n)).collect();
        let normal = if surface.is_quantized {
            writer.add_directions(&normals)
        } else {
            writer.add_floats("VEC3", VERTICES, &normals)
        };
        attributes.insert("NORMAL".into(), normal);
    }
    if *has_uvs {
        let uvs = &surface.mesh.vertex_uvs()[vertices.clone()];
        let uvs: Vec<[f32; 2]> = uvs.iter().map(|uv| uv.to_array()).collect();
        let uv = if surface.is_quantized { writer.add_coordinates(&uvs) } else { None };
        let uv = uv.unwrap_or_else(|| writer.add_floats("VEC2", VERTICES, &uvs));
        attributes.insert("TEXCOORD_0".into(), uv);
    }
    let points = &surface.mesh.point_of_vertex()[vertices.clone()];
    if let Some(rows) = &surface.rows {
        add_weights(writer, points, rows, surface, &mut attributes);
    }
    if surface.has_labels {
        attributes.insert("_POINT".into(), add_points(writer, points));
    }
    attributes
}

/// glTF wants unit normals; what has no direction points up.
fn unit(normal: Vec3) -> [f32; 3] {
    if (normal.length_squared() - 1.0).abs() <= UNIT_TOLERANCE {
        return normal.to_array();
    }
    normal.try_normalize().unwrap_or(Vec3::Y).to_array()
}

/// As many sets as the longest row of the part needs.
fn add_weights(
    writer: &mut Writer,
    points: &[u32],
    rows: &[Row],
    surface: &Surface<'_>,
    attributes: &mut BTreeMap<String, usize>,
) {
    let coded: Option<Vec<Vec<(u32, u16)>>> =
        surface.is_quantized.then(|| rows.iter().map(weight_codes).collect());
    // A joint whose weight rounds to nothing is padding.
    let joint_of = |point: usize, slot: usize| match &coded {
        Some(coded) => {
            coded[point].get(slot).filter(|(_, code)| *code > 0).map(|(joint, _)| *joint)
        }
        None => rows[point].get(slot).map(|(joint, _)| *joint),
    };
    let count = points.len();
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    for set in 0..most.div_ceil(INFLUENCES_PER_SET).max(1) {
        let slots = set * INFLUENCES_PER_SET..(set + 1) * INFLUENCES_PER_SET;
        // Padding names joint 0 with no weight, as glTF wants.
        let joints =
            points.iter().flat_map(|&point| slots.clone().map(move |slot| (point as usize, slot)));
        let joints = joints.map(|(point, slot)| joint_of(point, slot).unwrap_or(0));
        let component_type = if surface.num_entries <= 256 { U8 } else { U16 };
        let elements =
            Elements { kind: "VEC4", component_type, count, target: VERTICES, normalized: false };
        let joints = if component_type == U8 {
            writer.add_accessor(elements, joints.map(|joint| joint as u8))
        } else {
            writer.add_accessor(elements, joints.flat_map(|joint| (joint as u16).to_le_bytes()))
        };
        attributes.insert(format!("JOINTS_{set}"), joints);
        let entries =
            points.iter().flat_map(|&point| slots.clone().map(move |slot| (point as usize, slot)));
        let weights = match &coded {
            Some(coded) => {
                let codes = entries.map(|(point, slot)| coded[point].get(slot).map_or(0, |c| c.1));
                let bytes = codes.flat_map(u16::to_le_bytes);
                writer.add_accessor(super::quantized::elements("VEC4", U16, count), bytes)
            }
            None => {
                let elements = Elements { component_type: super::array::F32, ..elements };
                let weights =
                    entries.map(|(point, slot)| rows[point].get(slot).map_or(0.0, |i| i.1));
                writer.add_accessor(elements, weights.flat_map(f32::to_le_bytes))
            }
        };
        attributes.insert(format!("WEIGHTS_{set}"), weights);
    }
}

/// The welded point of each vertex as two 16-bit halves: attributes may not be 32-bit integers.
fn add_points(writer: &mut Writer, points: &[u32]) -> usize {
    let elements = Elements {
        kind: "VEC2",
        component_type: U16,
        count: points.len(),
        target: VERTICES,
        normalized: false,
    };
    writer.add_accessor(elements, points.iter().flat_map(|p| p.to_le_bytes()))
}

pub(super) fn add_indices(writer: &mut Writer, corners: &[u32], num_vertices: usize) -> usize {
    // 65535 itself is reserved (primitive restart).
    let component_type = if num_vertices <= usize::from(u16::MAX) { U16 } else { U32 };
    let count = corners.len();
    let elements =
        Elements { kind: "SCALAR", component_type, count, target: INDICES, normalized: false };
    let accessor = if component_type == U16 {
        writer.add_accessor(elements, corners.iter().flat_map(|&v| (v as u16).to_le_bytes()))
    } else {
        writer.add_accessor(elements, corners.iter().flat_map(|v| v.to_le_bytes()))
    };
    writer.triangle_views.extend(writer.root.accessors[accessor].buffer_view);
    accessor
}

/// The triangles as consecutive runs, each a group or what lies between groups. Groups that overlap
/// or are out of order cannot be primitives, and are left out.
pub(super) fn runs(groups: &[Group], num_triangles: u32) -> Vec<(Option<&str>, Range<u32>)> {
    let mut runs: Vec<(Option<&str>, Range<u32>)> = Vec::new();
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
