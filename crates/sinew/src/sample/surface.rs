//! What every generator fills: points with weights, and triangles over them with UVs and smoothing
//! groups.
//!
//! A point splits into one render vertex for each UV and smoothing group that meets there, with the
//! very same bits of position and weight, so that welding puts it together again. Normals are the
//! corner-angle weighted mean of the triangles of one group around a point: exact on flat sides,
//! and on a cylinder up to its rim.

use std::collections::HashMap;

use glam::{DVec2, DVec3};

use super::SampleError;
use crate::character::Character;
use crate::mesh::RawMesh;
use crate::motion::Clip;
use crate::skeleton::Skeleton;
use crate::weights::SkinWeights;

/// Joints and shares of one point.
pub(super) type WeightRow = Vec<(u32, f64)>;

/// A corner of a face: the point, and where it lies in the texture.
pub(super) type Corner = (u32, DVec2);

/// A surface in the making.
#[derive(Default)]
pub(super) struct Surface {
    points: Vec<DVec3>,
    rows: Vec<WeightRow>,
    triangles: Vec<([Corner; 3], u32)>,
}

impl Surface {
    /// Adds a point.
    pub(super) fn point(&mut self, position: DVec3, row: WeightRow) -> u32 {
        self.points.push(position);
        self.rows.push(row);
        self.points.len() as u32 - 1
    }

    /// Adds a triangle, counter-clockwise from outside. Normals are smooth within a `group`.
    pub(super) fn triangle(&mut self, corners: [Corner; 3], group: u32) {
        self.triangles.push((corners, group));
    }

    /// Adds a quad, counter-clockwise from outside, split along the shorter diagonal.
    pub(super) fn quad(&mut self, corners: [Corner; 4], group: u32) {
        let [a, b, c, d] = corners;
        let length =
            |p: Corner, q: Corner| self.points[p.0 as usize].distance(self.points[q.0 as usize]);
        // Prefer one diagonal on squares, where rounding would choose at random.
        if length(a, c) <= length(b, d) * (1.0 + 1e-6) {
            self.triangle([a, b, c], group);
            self.triangle([a, c, d], group);
        } else {
            self.triangle([a, b, d], group);
            self.triangle([b, c, d], group);
        }
    }

    /// The character of this one surface.
    pub(super) fn into_character(
        self,
        name: &str,
        skeleton: Skeleton,
        clips: Vec<Clip>,
    ) -> Result<Character, SampleError> {
        let part = self.into_raw_mesh(name, skeleton.len()).weld()?.part;
        Ok(Character {
            name: name.to_owned(),
            parts: vec![part],
            skeleton,
            clips,
            ..Character::default()
        })
    }

    pub(super) fn into_raw_mesh(self, name: &str, num_joints: usize) -> RawMesh {
        let mut normals: HashMap<(u32, u32), DVec3> = HashMap::with_capacity(self.points.len());
        for (corners, group) in &self.triangles {
            let p = corners.map(|(point, _)| self.points[point as usize]);
            let normal = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
            for k in 0..3 {
                let angle = (p[(k + 1) % 3] - p[k]).angle_between(p[(k + 2) % 3] - p[k]);
                *normals.entry((corners[k].0, *group)).or_default() += normal * angle;
            }
        }

        let mut mesh = RawMesh { name: name.to_owned(), ..RawMesh::default() };
        let mut point_of_vertex: Vec<u32> = Vec::new();
        let mut vertex_of: HashMap<(u32, u32, [u32; 2]), u32> =
            HashMap::with_capacity(self.points.len());
        for (corners, group) in &self.triangles {
            mesh.triangles.push(corners.map(|(point, uv)| {
                let uv = uv.as_vec2();
                let key = (point, *group, uv.to_array().map(f32::to_bits));
                *vertex_of.entry(key).or_insert_with(|| {
                    mesh.positions.push(self.points[point as usize].as_vec3());
                    mesh.normals.push(normals[&(point, *group)].normalize_or_zero().as_vec3());
                    mesh.uvs.push(uv);
                    point_of_vertex.push(point);
                    point_of_vertex.len() as u32 - 1
                })
            }));
        }
        let rows = point_of_vertex
            .iter()
            .map(|&point| self.rows[point as usize].iter().map(|&(joint, w)| (joint, w as f32)));
        mesh.weights = Some(SkinWeights::from_rows(rows, num_joints).0);
        mesh
    }
}
