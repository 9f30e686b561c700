//! What a stroke takes hold of: the points nearest to it, and the region around them.

use std::collections::BTreeSet;

use super::stroke::nearest_share;
use super::{Sheet, StrokeFrame, SurfaceStroke};
use crate::springs::Region;

/// A gap between two spots is closed along the surface in no more edges than this: a pen that
/// jumps from one limb to another holds both, and nothing between.
const MOST_EDGES_OF_A_GAP: usize = 48;

/// A point that a stroke takes hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// Which point of the mesh.
    pub point: u32,
    /// Of the stroke, where it is nearest.
    pub share: f64,
}

/// How far a region reaches from its handles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Extent {
    /// Up to so many edges away.
    Edges(u32),
    /// So many metres along the surface at rest.
    Metres(f32),
}

/// The points nearest to a stroke, by rising number; frames are the stroke's on the same sheet.
pub fn handles_of(
    stroke: &SurfaceStroke,
    frames: &[StrokeFrame],
    sheet: &Sheet<'_>,
) -> Vec<Handle> {
    let mut points = BTreeSet::new();
    let mut before = None;
    for spot in stroke.spots() {
        let point = spot.nearest_corner(sheet);
        if let Some(before) = before.filter(|&before| before != point) {
            points.extend(way(sheet, before, point));
        }
        points.insert(point);
        before = Some(point);
    }
    let share = |point: u32| {
        let place = sheet.points[point as usize].as_dvec3();
        Handle { point, share: nearest_share(frames, place).0 }
    };
    points.into_iter().map(share).collect()
}

/// Points from one to another, each step to the neighbour that is nearest to the end; none where
/// that does not lead there.
fn way(sheet: &Sheet<'_>, from: u32, to: u32) -> Vec<u32> {
    let end = sheet.points[to as usize];
    let distance = |point: u32| sheet.points[point as usize].distance_squared(end);
    let (mut at, mut passed) = (from, Vec::new());
    for _ in 0..MOST_EDGES_OF_A_GAP {
        let ring = sheet.adjacency.ring(at as usize).iter().copied();
        let next = ring.min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        match next {
            Some(next) if next == to => return passed,
            Some(next) if distance(next) < distance(at) => {
                passed.push(next);
                at = next;
            }
            _ => break,
        }
    }
    Vec::new()
}

/// The region around handles.
pub fn region_of(sheet: &Sheet<'_>, handles: &[Handle], extent: Extent) -> Region {
    let points: Vec<u32> = handles.iter().map(|handle| handle.point).collect();
    match extent {
        Extent::Edges(rings) => Region::around(sheet.adjacency, &points, rings),
        Extent::Metres(metres) => {
            Region::within(sheet.adjacency, sheet.points, &points, f64::from(metres))
        }
    }
}
