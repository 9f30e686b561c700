//! Meshes: the source's primitives with the character's vertices and what else they had, and copies
//! of what no part is.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{Vec2, Vec3};
use serde_json::{Map, Value, json};
use sinew::Part;

use super::super::super::json::Primitive;
use super::super::super::mesh::{Binding, Instance};
use super::super::Writer;
use super::super::array::VERTICES;
use super::super::copy::lost;
use super::super::material::PartMaterials;
use super::super::mesh::{
    Piece, Surface, VertexCache, add_piece, finish_mesh, group_extras, no_weights, own_pieces, runs,
};
use super::Carrier;

impl Carrier<'_> {
    /// The source's primitives with the character's vertices, and what else they have.
    pub(super) fn write_kept_mesh(
        &mut self,
        part: &Part,
        surface: &mut Surface<'_>,
        instance: &Instance<'_>,
    ) -> usize {
        let source_mesh = &self.source.root.meshes[instance.mesh];
        let raw = &instance.gathered.raw;
        let has_labels = |p: &Primitive| p.attributes.contains_key("_POINT");
        let has_same_points = surface.positions == raw.positions;
        surface.has_labels = surface.rows.is_none()
            && !surface.copies_weights
            && (source_mesh.primitives.iter().any(has_labels) || !has_same_points);
        let has_same_groups = raw.groups == part.mesh.groups();
        let groups = runs(part.mesh.groups(), part.mesh.triangles().len() as u32);
        let mut cache = VertexCache::new();
        let mut primitives = Vec::new();
        for (index, primitive) in source_mesh.primitives.iter().enumerate() {
            let gathering = instance.gathered.primitives.iter().find(|g| g.primitive == index);
            let Some(gathering) = gathering else {
                let has_same_targets = primitive.targets.len() == surface.shapes.len();
                let is_static = matches!(instance.binding, Binding::Static);
                let is_kept = has_same_targets && (is_static || !surface.is_posed);
                let copy =
                    is_kept.then(|| self.copier.primitive(&mut self.writer, instance.mesh, index));
                match copy.flatten() {
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
            let cuts = if has_same_groups {
                vec![(None, 0, gathering.triangles.clone())]
            } else {
                cut_by_groups(&groups, &gathering.triangles)
            };
            let materials =
                PartMaterials { runs: &part.materials, materials: &self.character.materials };
            for (group, group_start, range) in cuts {
                for (triangles, material) in materials.cut(range) {
                    let mut base =
                        self.copier.source_primitive(instance.mesh, index).unwrap_or_default();
                    if !has_same_groups {
                        set_group(&mut base, group, triangles.start == group_start);
                    }
                    self.set_material(&mut base, material, primitive);
                    let piece = Piece {
                        base,
                        attributes: attributes.clone(),
                        targets: targets.clone(),
                        ..kept_piece(
                            part,
                            surface,
                            primitive,
                            gathering.vertices.clone(),
                            triangles,
                        )
                    };
                    let Self { writer, copier, .. } = &mut *self;
                    let copy_weights = |writer: &mut Writer| match surface.copies_weights {
                        true => copier.weights(writer, &primitive.attributes),
                        false => BTreeMap::new(),
                    };
                    primitives.push(add_piece(writer, surface, piece, &mut cache, copy_weights));
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
        primitive: &Primitive,
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
            let is_known = matches!(name, "POSITION" | "NORMAL" | "TEXCOORD_0" | "_POINT");
            let is_influence = name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
            let is_stale = surface.is_posed && name == "TANGENT";
            !(is_known || is_influence || is_stale)
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
    pub(super) fn write_new_mesh(
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
            let writer = &mut self.writer;
            primitives.push(add_piece(writer, surface, piece, &mut cache, no_weights));
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

    /// The source's mesh with these primitives: at its place, unless another instance has been put
    /// there that differs.
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

    /// Meshes that no part came from: of points and lines, or outside the scene.
    pub(super) fn copy_other_meshes(&mut self) {
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
                let point = self.writer.add_floats("VEC3", VERTICES, &[[0.0; 3]]);
                self.writer.set_bounds(point, &[[0.0; 3]]);
                primitives.push(json!({ "attributes": { "POSITION": point }, "mode": 0 }));
            }
            if let Some(written) = self.writer.object("meshes", mesh) {
                written.insert("primitives".into(), Value::Array(primitives));
            }
        }
    }
}

/// A primitive's triangles where groups begin and end: the group's name, its first triangle, and
/// those of both.
fn cut_by_groups<'a>(
    groups: &[(Option<&'a str>, Range<u32>)],
    triangles: &Range<u32>,
) -> Vec<(Option<&'a str>, u32, Range<u32>)> {
    let in_group =
        |range: &Range<u32>| triangles.start.max(range.start)..triangles.end.min(range.end);
    let cut = groups.iter().map(|(name, range)| (*name, range.start, in_group(range)));
    cut.filter(|(_, _, range)| !range.is_empty()).collect()
}

/// Says in a primitive's extras which group it is of.
fn set_group(base: &mut Map<String, Value>, group: Option<&str>, is_first: bool) {
    let extras = base.entry("extras").or_insert_with(|| json!({}));
    if let Some(extras) = extras.as_object_mut() {
        extras.remove("sinew_group");
        extras.remove("sinew_continued");
        extras.extend(group_extras(group, is_first));
    }
}

/// What of a primitive the character has: attributes that the source had there, or that say
/// something now.
fn kept_piece(
    part: &Part,
    surface: &Surface<'_>,
    primitive: &Primitive,
    vertices: Range<usize>,
    triangles: Range<u32>,
) -> Piece {
    let had = |name: &str| primitive.attributes.contains_key(name);
    let has_normal = |normals: &[Vec3]| normals.iter().any(|n| *n != Vec3::ZERO);
    let has_uv = |uvs: &[Vec2]| uvs.iter().any(|uv| *uv != Vec2::ZERO);
    let uvs = part.mesh.vertex_uvs();
    let is_still = primitive.targets.iter().map(|target| !target.contains_key("POSITION"));
    Piece {
        has_normals: !surface.normals.is_empty()
            && (had("NORMAL") || has_normal(&surface.normals[vertices.clone()])),
        has_uvs: !uvs.is_empty() && (had("TEXCOORD_0") || has_uv(&uvs[vertices.clone()])),
        has_indices: primitive.indices.is_some(),
        vertices,
        triangles,
        base: Map::new(),
        attributes: BTreeMap::new(),
        targets: Vec::new(),
        is_still: is_still.collect(),
    }
}
