//! A cage: its edges, its corners, and a hint of its faces.

use glam::Vec3;
use sinew::mesh::Adjacency;

use crate::color::linear_from_hex;
use crate::scene::{Disc, Facet, Line, Marks};

/// How a cage looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CageStyle {
    /// Linear.
    pub color: Vec3,
    /// Of the faces, 0..1.
    pub face_opacity: f32,
    /// Of the edges, 0..1.
    pub edge_opacity: f32,
    /// Of the edges.
    pub width_px: f32,
    /// Of the corners.
    pub radius_px: f32,
}

impl Default for CageStyle {
    fn default() -> Self {
        Self {
            color: linear_from_hex(0x2f_7d_8c),
            face_opacity: 0.10,
            edge_opacity: 0.85,
            width_px: 1.2,
            radius_px: 3.0,
        }
    }
}

/// A cage of triangles. Best among the surfaces: what is behind the character stays behind it.
///
/// # Panics
/// If a triangle names a point that is not there.
pub fn cage(points: &[Vec3], triangles: &[[u32; 3]], style: &CageStyle) -> Marks {
    let with = |opacity: f32| [style.color.x, style.color.y, style.color.z, opacity];
    let at = |point: u32| points[point as usize];
    let facet =
        |corners: &[u32; 3]| Facet { corners: corners.map(at), color: with(style.face_opacity) };
    let adjacency = Adjacency::of_triangles(points.len(), triangles);
    let line = |ends: [u32; 2]| Line {
        ends: ends.map(at),
        color: with(style.edge_opacity),
        width_px: style.width_px,
    };
    let disc = |&center: &Vec3| Disc { center, color: with(1.0), radius_px: style.radius_px };
    Marks {
        lines: adjacency.edges().iter().map(|edge| line(edge.points)).collect(),
        discs: points.iter().map(disc).collect(),
        facets: triangles.iter().map(facet).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_is_drawn_once() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let marks = cage(&points, &triangles, &CageStyle::default());
        assert_eq!((marks.lines.len(), marks.discs.len(), marks.facets.len()), (6, 4, 4));
    }
}
