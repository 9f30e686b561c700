//! Pieces: shells with weights and texture coordinates, sewn into meshes with a colour.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3, Vec2, Vec3};

use super::form::Row;
use crate::character::Part;
use crate::material::{Material, MaterialRun};
use crate::mesh::{MeshError, RawMesh};
use crate::weights::SkinWeights;

/// The cosine of the angle from which an edge is sharp.
const CREASE_COSINE: f64 = 0.35;

/// One shell.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub(super) points: Vec<DVec3>,
    pub(super) uvs: Vec<DVec2>,
    pub(super) rows: Vec<Row>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Piece {
    /// The same with weights of their places.
    pub(super) fn with_rows(mut self, row_at: impl Fn(DVec3) -> Row) -> Self {
        self.rows = self.points.iter().map(|&point| row_at(point)).collect();
        self
    }

    /// The same with one row for all.
    pub(super) fn rigid(self, row: &Row) -> Self {
        self.with_rows(|_| row.clone())
    }

    /// Mirrored to the other side; `mirror_of` names the joints there.
    pub(super) fn mirrored(&self, mirror_of: impl Fn(u32) -> u32) -> Self {
        let mut other = self.clone();
        other.points.iter_mut().for_each(|point| point.x = -point.x);
        other.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        for (joint, _) in other.rows.iter_mut().flatten() {
            *joint = mirror_of(*joint);
        }
        other
    }

    /// Area-weighted normals of the points.
    pub(super) fn normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.points.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|p| self.points[p as usize]);
            for &corner in triangle {
                normals[corner as usize] += (b - a).cross(c - a);
            }
        }
        normals.into_iter().map(|normal| normal.normalize_or(DVec3::Y)).collect()
    }

    /// Its texture coordinates fill the unit square.
    fn fill_square(&mut self) {
        let low = self.uvs.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = self.uvs.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let size = (high - low).max(DVec2::splat(1e-9));
        self.uvs.iter_mut().for_each(|uv| *uv = (*uv - low) / size);
    }

    /// Its points with normals, split where edges are sharp; each split has all that the point has.
    fn shaded(&self) -> (Self, Vec<DVec3>) {
        let areas: Vec<DVec3> = self
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|p| self.points[p as usize]);
                (b - a).cross(c - a)
            })
            .collect();
        // Across seams of the texture, too.
        let mut at_place: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
        let key = |point: u32| self.points[point as usize].to_array().map(|x| (x + 0.0).to_bits());
        for (index, triangle) in self.triangles.iter().enumerate() {
            triangle.iter().for_each(|&p| at_place.entry(key(p)).or_default().push(index));
        }
        let mut split = Self::default();
        let mut normals: Vec<DVec3> = Vec::new();
        let mut made: BTreeMap<(u32, [i32; 3]), u32> = BTreeMap::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            let face = areas[index].normalize_or_zero();
            // Where a rounded corner has shrunk to a point there is nothing to see.
            if face == DVec3::ZERO {
                continue;
            }
            let corners = triangle.map(|point| {
                let around = at_place[&key(point)].iter().map(|&other| areas[other]);
                let smooth = around.filter(|area| area.dot(face) >= CREASE_COSINE * area.length());
                let normal = smooth.sum::<DVec3>().normalize_or(face);
                let rounded = (normal * 1e3).round().as_ivec3().to_array();
                *made.entry((point, rounded)).or_insert_with(|| {
                    split.points.push(self.points[point as usize]);
                    split.uvs.push(self.uvs[point as usize]);
                    split.rows.push(self.rows[point as usize].clone());
                    normals.push(normal);
                    normals.len() as u32 - 1
                })
            });
            split.triangles.push(corners);
        }
        (split, normals)
    }

    fn append(&mut self, other: Self) {
        let first = self.points.len() as u32;
        self.points.extend(other.points);
        self.uvs.extend(other.uvs);
        self.rows.extend(other.rows);
        self.triangles.extend(other.triangles.into_iter().map(|t| t.map(|p| first + p)));
    }
}

/// Meshes with a colour each.
#[derive(Default)]
pub(super) struct Wardrobe {
    pub(super) materials: Vec<Material>,
    pub(super) meshes: Vec<(&'static str, Vec<(usize, Piece)>)>,
}

impl Wardrobe {
    /// A colour, sRGB, and its place.
    pub(super) fn color(&mut self, name: &str, hex: u32) -> usize {
        let channel = |shift: u32| {
            let value = f64::from((hex >> shift) & 0xff) / 255.0;
            let linear =
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
            linear as f32
        };
        let base_color = [channel(16), channel(8), channel(0), 1.0];
        // Cloth that was cut from the skin is open, and may be seen from within.
        let name = name.to_owned();
        let material = Material { name, base_color, is_two_sided: true, ..Material::default() };
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Adds a shell to a mesh.
    pub(super) fn add(&mut self, mesh: &'static str, color: usize, piece: Piece) {
        match self.meshes.iter_mut().find(|(name, _)| *name == mesh) {
            Some((_, pieces)) => pieces.push((color, piece)),
            None => self.meshes.push((mesh, vec![(color, piece)])),
        }
    }

    /// The meshes, welded, with their colours in runs.
    pub(super) fn into_parts(
        self,
        num_joints: usize,
    ) -> Result<(Vec<Part>, Vec<Material>), MeshError> {
        let mut parts = Vec::with_capacity(self.meshes.len());
        for (name, mut pieces) in self.meshes {
            pieces.sort_by_key(|(color, _)| *color);
            let mut all = Piece::default();
            let mut runs: Vec<MaterialRun> = Vec::new();
            let mut normals = Vec::new();
            for (color, mut piece) in pieces {
                let first = all.triangles.len() as u32;
                piece.fill_square();
                let (piece, of_piece) = piece.shaded();
                normals.extend(of_piece.iter().map(|normal| normal.as_vec3()));
                all.append(piece);
                let end = all.triangles.len() as u32;
                match runs.last_mut() {
                    Some(last) if last.material == color as u32 => last.triangles.end = end,
                    _ => runs.push(MaterialRun { triangles: first..end, material: color as u32 }),
                }
            }
            let rows = all.rows.iter().map(|row| row.iter().map(|&(j, w)| (j, w as f32)));
            let (weights, _) = SkinWeights::from_rows(rows, num_joints);
            let raw = RawMesh {
                name: name.to_owned(),
                positions: all.points.iter().map(|p| p.as_vec3()).collect::<Vec<Vec3>>(),
                normals,
                uvs: all.uvs.iter().map(|uv| uv.as_vec2()).collect::<Vec<Vec2>>(),
                triangles: all.triangles,
                weights: Some(weights),
                ..RawMesh::default()
            };
            let mut part = raw.weld()?.part;
            part.materials = runs;
            parts.push(part);
        }
        Ok((parts, self.materials))
    }
}
