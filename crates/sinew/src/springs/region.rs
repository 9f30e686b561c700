//! Regions of interest: the part of a surface that an edit may move (Toothman and Neff 2019,
//! section 4.1).
//!
//! Handles, everything up to a number of edges from them, and a boundary: the last ring, which is
//! held so that the region joins the rest without a step. What is outside is held too.

use glam::Vec3;

use crate::mesh::Adjacency;

/// The ring of a point that is in none.
const OUTSIDE: u32 = u32::MAX;

/// The points up to some edges from handles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    ring_of_point: Vec<u32>,
    /// Ring by ring, in each by rising number.
    points: Vec<u32>,
    num_handles: usize,
    /// Where the boundary begins in `points`.
    boundary_start: usize,
    /// The handles' and those up to the boundary.
    num_free_rings: u32,
}

impl Region {
    /// All points up to `rings` edges from `handles`; those at just that distance are the boundary.
    /// With no rings there are handles alone, and no boundary. A handle that is named twice counts
    /// once.
    ///
    /// # Panics
    /// If a handle is no point of the mesh.
    pub fn around(adjacency: &Adjacency, handles: &[u32], rings: u32) -> Self {
        let mut ring_of_point = vec![OUTSIDE; adjacency.num_points()];
        let mut points = Vec::with_capacity(handles.len());
        for &handle in handles {
            let ring = &mut ring_of_point[handle as usize];
            if *ring == OUTSIDE {
                *ring = 0;
                points.push(handle);
            }
        }
        points.sort_unstable();
        let num_handles = points.len();
        let mut level = 0..num_handles;
        let mut boundary_start = num_handles;
        for ring in 1..=rings {
            for index in level.clone() {
                for &next in adjacency.ring(points[index] as usize) {
                    let of_next = &mut ring_of_point[next as usize];
                    if *of_next == OUTSIDE {
                        *of_next = ring;
                        points.push(next);
                    }
                }
            }
            level = level.end..points.len();
            points[level.clone()].sort_unstable();
            boundary_start = if ring == rings { level.start } else { level.end };
            if level.is_empty() {
                break;
            }
        }
        Self { ring_of_point, points, num_handles, boundary_start, num_free_rings: rings.max(1) }
    }

    /// All points within a distance along the surface from `handles`, over edges; those with a
    /// neighbour that is further are the boundary, and what lies between them and the handles is
    /// one ring.
    ///
    /// # Panics
    /// If a handle is no point of the mesh.
    pub fn within(adjacency: &Adjacency, points: &[Vec3], handles: &[u32], metres: f64) -> Self {
        let near: std::collections::BTreeSet<u32> =
            along_surface(adjacency, points, handles, metres).into_iter().map(|(p, _)| p).collect();
        let mut ring_of_point = vec![OUTSIDE; adjacency.num_points()];
        let mut handles = handles.to_vec();
        handles.sort_unstable();
        let is_handle = |point: &u32| handles.binary_search(point).is_ok();
        let is_rim =
            |point: u32| adjacency.ring(point as usize).iter().any(|next| !near.contains(next));
        let mut by_ring: [Vec<u32>; 3] = Default::default();
        for &point in &near {
            let ring = if is_handle(&point) { 0 } else { 1 + u32::from(is_rim(point)) };
            ring_of_point[point as usize] = ring;
            by_ring[ring as usize].push(point);
        }
        let [handles, passive, _] = &by_ring;
        let (num_handles, boundary_start) = (handles.len(), handles.len() + passive.len());
        Self {
            ring_of_point,
            points: by_ring.concat(),
            num_handles,
            boundary_start,
            num_free_rings: 2,
        }
    }

    /// Becomes the region of what is free, a point after the other; nothing of it is a handle or a
    /// boundary. In the memory that is there.
    pub(crate) fn fill(&mut self, is_free: impl Iterator<Item = bool>) {
        self.ring_of_point.clear();
        self.ring_of_point.extend(is_free.map(|is_free| if is_free { 0 } else { OUTSIDE }));
        self.points.clear();
        (self.num_handles, self.boundary_start, self.num_free_rings) = (0, 0, 1);
    }

    /// Number of points of the mesh, inside or not.
    pub fn num_mesh_points(&self) -> usize {
        self.ring_of_point.len()
    }

    /// The handles, by rising number.
    pub fn handles(&self) -> &[u32] {
        &self.points[..self.num_handles]
    }

    /// What is between handles and boundary: it follows.
    pub fn passive(&self) -> &[u32] {
        &self.points[self.num_handles..self.boundary_start]
    }

    /// The last ring: it is held.
    pub fn boundary(&self) -> &[u32] {
        &self.points[self.boundary_start..]
    }

    /// Edges from a point to the nearest handle, if it is inside.
    pub fn ring(&self, point: u32) -> Option<u32> {
        Some(self.ring_of_point[point as usize]).filter(|&ring| ring != OUTSIDE)
    }

    /// True for handles and what is between them and the boundary.
    pub fn is_free(&self, point: u32) -> bool {
        self.ring_of_point[point as usize] < self.num_free_rings
    }
}

/// Points within a distance along the surface from some, over edges, with how far they are; in no
/// order.
fn along_surface(
    adjacency: &Adjacency,
    points: &[Vec3],
    from: &[u32],
    metres: f64,
) -> Vec<(u32, f64)> {
    use std::cmp::Reverse;
    let mut distance: std::collections::HashMap<u32, f64> =
        from.iter().map(|&point| (point, 0.0)).collect();
    // Distances are not negative, so that their bits are in order.
    let mut queue: std::collections::BinaryHeap<_> =
        from.iter().map(|&point| Reverse((0u64, point))).collect();
    while let Some(Reverse((bits, point))) = queue.pop() {
        let so_far = f64::from_bits(bits);
        if distance.get(&point).is_some_and(|&known| so_far > known) {
            continue;
        }
        for &next in adjacency.ring(point as usize) {
            let length = so_far + f64::from(points[point as usize].distance(points[next as usize]));
            if length <= metres && distance.get(&next).is_none_or(|&known| length < known) {
                distance.insert(next, length);
                queue.push(Reverse((length.to_bits(), next)));
            }
        }
    }
    distance.into_iter().collect()
}

/// A frame that moves a region alone.
#[derive(Clone, Copy, Debug)]
pub struct Within<'a> {
    /// What may move. Of handles those are held that are pinned.
    pub region: &'a Region,
    /// Where everything else is, one position a point: as a rule the frame without edits. `None` is
    /// the first stage.
    pub base: Option<&'a [Vec3]>,
}

impl Within<'_> {
    /// # Panics
    /// If it is not of so many points.
    pub(super) fn check(&self, num_points: usize) {
        assert_eq!(self.region.num_mesh_points(), num_points, "a region of the bound mesh");
        let is_of_mesh = self.base.is_none_or(|base| base.len() == num_points);
        assert!(is_of_mesh, "one base position a point");
    }
}

/// Another scale vector of a point, from its bone to the surface: a handle of a surface edit
/// (section 4.1).
///
/// The point's length term holds on to the new length, and with a direction its first stage has
/// that too, and holds on to it, ten times as stiffly as to its angle to the bone, which it
/// replaces. Of its neighbours' forces all of `F_a` and a tenth of `F_s` reach it; they follow by
/// their springs. Anchored knows no `F_a` apart: a handle is ten times as stiff along its arm.
/// Delta mush knows no scale vectors and leaves it out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct ScaleEdit {
    /// Which point of the mesh.
    pub point: u32,
    /// New length over that at rest; not negative. What is no number counts as 1. A point that is
    /// named twice has the product.
    pub length_factor: f32,
    /// New direction away from the bone where the skin was bound, so that it turns with the bone;
    /// of any length. `None`, and what has no direction, keeps the point's own. Of a point that is
    /// named twice the last counts.
    #[cfg_attr(feature = "serde", serde(default))]
    pub direction: Option<Vec3>,
}

/// The share of the edges' forces that reaches a handle, so that the edit is a little soft.
pub const HANDLE_EDGE_SHARE: f32 = 0.1;

impl ScaleEdit {
    /// A handle that has the scale vector it has at rest.
    pub const fn of(point: u32) -> Self {
        Self::of_length(point, 1.0)
    }

    /// Another length alone.
    pub const fn of_length(point: u32, length_factor: f32) -> Self {
        Self { point, length_factor, direction: None }
    }

    /// The factor that counts: a number that is not negative.
    pub fn factor(&self) -> f32 {
        if self.length_factor.is_finite() { self.length_factor.max(0.0) } else { 1.0 }
    }

    /// The direction that counts: a unit vector.
    pub fn unit_direction(&self) -> Option<Vec3> {
        self.direction.and_then(Vec3::try_normalize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};

    /// A strip of seven points, each an edge from the next but also from the one after.
    fn strip() -> Adjacency {
        Adjacency::of_triangles(7, &[[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5], [4, 5, 6]])
    }

    #[test]
    fn rings_are_edges_from_the_nearest_handle() {
        let region = Region::around(&strip(), &[0, 0], 2);
        assert_eq!(region.handles(), [0]);
        assert_eq!(region.passive(), [1, 2]);
        assert_eq!(region.boundary(), [3, 4]);
        assert_eq!([0, 2, 4, 5].map(|p| region.ring(p)), [Some(0), Some(1), Some(2), None]);
        assert_eq!([0, 2, 4, 5].map(|p| region.is_free(p)), [true, true, false, false]);
    }

    #[test]
    fn the_rim_of_a_mesh_is_no_boundary() {
        let region = Region::around(&strip(), &[0], 9);
        assert_eq!(region.boundary(), [0u32; 0]);
        assert_eq!(region.passive(), [1, 2, 3, 4, 5, 6]);
        let bare = Region::around(&strip(), &[3], 0);
        assert_eq!((bare.handles(), bare.passive(), bare.boundary()), (&[3][..], &[][..], &[][..]));
        assert!(bare.is_free(3) && !bare.is_free(2));
    }

    #[test]
    fn a_region_is_the_same_as_walking_from_each_handle() {
        let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
        let adjacency = Adjacency::of(&character.parts[0].mesh);
        let handles = [5, 700, 701];
        let region = Region::around(&adjacency, &handles, 4);
        let alone: Vec<Region> =
            handles.iter().map(|&h| Region::around(&adjacency, &[h], 4)).collect();
        for point in 0..adjacency.num_points() as u32 {
            let nearest = alone.iter().filter_map(|region| region.ring(point)).min();
            assert_eq!(region.ring(point), nearest);
            assert_eq!(region.is_free(point), nearest.is_some_and(|ring| ring < 4));
        }
    }

    #[test]
    fn a_region_by_distance_is_what_lies_within_it_along_the_edges() {
        let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
        let mesh = &character.parts[0].mesh;
        let (adjacency, points) = (Adjacency::of(mesh), mesh.points());
        let lengths = adjacency.edges().iter().map(|edge| {
            let [a, b] = edge.points.map(|point| points[point as usize]);
            f64::from(a.distance(b))
        });
        let mean = lengths.sum::<f64>() / adjacency.edges().len() as f64;
        let (handles, metres) = ([700, 5], 4.0 * mean);
        let region = Region::within(&adjacency, points, &handles, metres);
        let mut distance = vec![f64::INFINITY; points.len()];
        handles.iter().for_each(|&handle| distance[handle as usize] = 0.0);
        // Shortened along every edge until nothing changes.
        loop {
            let before = distance.clone();
            for edge in adjacency.edges() {
                let [a, b] = edge.points.map(|point| point as usize);
                let length = f64::from(points[a].distance(points[b]));
                distance[a] = distance[a].min(distance[b] + length);
                distance[b] = distance[b].min(distance[a] + length);
            }
            if distance == before {
                break;
            }
        }
        let is_inside = |point: u32| distance[point as usize] <= metres;
        let num_points = adjacency.num_points() as u32;
        assert!((0..num_points).all(|point| region.ring(point).is_some() == is_inside(point)));
        assert_eq!(region.handles(), [5, 700]);
        assert!(region.passive().len() > 10 && region.boundary().len() > 4);
        let has_way_out =
            |&point: &u32| adjacency.ring(point as usize).iter().any(|&next| !is_inside(next));
        assert!(region.boundary().iter().all(has_way_out));
        assert!(!region.passive().iter().any(has_way_out));
    }
}
