//! The part of a surface that a region needs: its points, those around it, and the triangles
//! between them.

use glam::{DVec3, Vec3};

use super::Sheet;
use crate::springs::Region;

/// A region cut out of its mesh, with one ring of points around it so that every point of the
/// region has all of its triangles.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The mesh's numbers, ascending.
    points: Vec<u32>,
    places: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Own numbers.
    handles: Vec<u32>,
    /// Own numbers of what follows.
    passive: Vec<u32>,
}

impl Patch {
    /// Of a region at rest.
    pub fn new(sheet: &Sheet<'_>, region: &Region) -> Self {
        let inside = [region.handles(), region.passive(), region.boundary()].concat();
        let mut triangles: Vec<u32> = inside
            .iter()
            .flat_map(|&point| sheet.adjacency.fan(point as usize).iter().copied())
            .collect();
        triangles.sort_unstable();
        triangles.dedup();
        let corners = triangles.iter().flat_map(|&t| sheet.triangles[t as usize]);
        let mut points: Vec<u32> = corners.chain(inside).collect();
        points.sort_unstable();
        points.dedup();
        // Every point that is asked for is in the list.
        let own = |point: u32| points.binary_search(&point).unwrap_or(0) as u32;
        let of = |list: &[u32]| list.iter().map(|&point| own(point)).collect();
        Self {
            handles: of(region.handles()),
            passive: of(region.passive()),
            triangles: triangles.iter().map(|&t| sheet.triangles[t as usize].map(own)).collect(),
            places: points.iter().map(|&point| sheet.points[point as usize]).collect(),
            points,
        }
    }

    /// The mesh's numbers of its points, ascending.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// Where they rest.
    pub fn places(&self) -> &[Vec3] {
        &self.places
    }

    /// The same in double precision.
    pub(super) fn wide_places(&self) -> Vec<DVec3> {
        self.places.iter().map(|place| place.as_dvec3()).collect()
    }

    /// Between them, by the patch's own numbers.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The region's handles, by the patch's own numbers.
    pub fn handles(&self) -> &[u32] {
        &self.handles
    }

    /// What follows, by the patch's own numbers. All else is held.
    pub fn passive(&self) -> &[u32] {
        &self.passive
    }
}
