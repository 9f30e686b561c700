//! Where the skin would stand without an edit: what its stroke was drawn on.

use glam::{DMat3, DQuat, Vec3};
use sinew::mesh::Adjacency;
use sinew::sketch::surface::{Sheet, StrokeFrame};

use super::super::Context;
use crate::surface::SurfaceEntry;

/// The points of a mesh as they would stand without an edit.
pub(super) struct Base<'a> {
    points: Vec<Vec3>,
    triangles: &'a [[u32; 3]],
}

impl<'a> Base<'a> {
    /// From the frame that is shown: each point that the edit moves goes back by as much, turned as
    /// the skin around it has turned since rest.
    pub(super) fn of(
        entry: &SurfaceEntry,
        adjacency: &Adjacency,
        context: &Context<'a>,
    ) -> Option<Self> {
        let mesh = &context.document.character().parts.get(entry.part)?.mesh;
        let frame = context.frame?.parts().get(entry.part)?;
        let mut points = frame.points().to_vec();
        if points.len() != mesh.points().len() {
            return None;
        }
        let weight = if entry.is_muted { 0.0 } else { entry.weight };
        let triangles = mesh.point_triangles();
        let rest = Sheet { points: frame.rest(), triangles, adjacency };
        let posed = rest.posed(frame.points());
        for (point, by) in entry.moved.moved().filter(|(_, by)| *by != Vec3::ZERO) {
            let turn = turn_of(point, &rest, &posed);
            points[point as usize] -= (turn * (weight * by).as_dvec3()).as_vec3();
        }
        Some(Self { points, triangles })
    }

    pub(super) fn into_points(self) -> Vec<Vec3> {
        self.points
    }

    pub(super) fn sheet<'s>(&'s self, adjacency: &'s Adjacency) -> Sheet<'s> {
        Sheet { points: &self.points, triangles: self.triangles, adjacency }
    }
}

/// How the skin around a point has turned since rest: its normal with the normal, its first edge
/// with the first edge.
pub(super) fn turn_of(point: u32, rest: &Sheet<'_>, posed: &Sheet<'_>) -> DQuat {
    let axes = |sheet: &Sheet<'_>| -> Option<DMat3> {
        let next = *sheet.adjacency.ring(point as usize).first()?;
        let first = (sheet.points[next as usize] - sheet.points[point as usize]).as_dvec3();
        let normal = sheet.normal(point).as_dvec3().try_normalize()?;
        let along = (first - normal * first.dot(normal)).try_normalize()?;
        Some(DMat3::from_cols(normal.cross(along), normal, along))
    };
    match (axes(rest), axes(posed)) {
        (Some(rest), Some(posed)) => DQuat::from_mat3(&(posed * rest.transpose())).normalize(),
        _ => DQuat::IDENTITY,
    }
}

/// The frame that is nearest to a share of a stroke.
pub(super) fn same_share(frames: &[StrokeFrame], share: f64) -> Option<&StrokeFrame> {
    frames.iter().min_by(|a, b| (a.share - share).abs().total_cmp(&(b.share - share).abs()))
}
