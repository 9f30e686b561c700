//! What is chosen: one type for everything that tools work on.

use std::collections::{BTreeMap, BTreeSet};

use sinew::Character;
use sinew::mesh::Adjacency;

/// Joints, points and handles that are chosen. What comes to be chosen later (strokes) has its
/// place here, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// All chosen joints.
    pub joints: BTreeSet<u32>,
    /// The joint that was chosen last: gizmos stand on it.
    pub active: Option<u32>,
    /// By mesh: those of its welded points that are chosen. No mesh has an empty set.
    pub points: BTreeMap<usize, BTreeSet<u32>>,
    /// Handles of the cage.
    pub handles: BTreeSet<u32>,
    /// The handle that was chosen last: where both sides are worked on, the hand is on its side.
    pub active_handle: Option<u32>,
}

impl Selection {
    /// One joint.
    pub fn of(joint: u32) -> Self {
        Self { joints: BTreeSet::from([joint]), active: Some(joint), ..Self::default() }
    }

    /// Points of meshes.
    pub fn of_points(points: impl IntoIterator<Item = (usize, u32)>) -> Self {
        let mut selection = Self::default();
        selection.add_points(points);
        selection
    }

    /// Adds a joint, or takes it out if it was in.
    pub fn toggle(&mut self, joint: u32) {
        if self.joints.remove(&joint) {
            self.active = self.joints.last().copied();
        } else {
            self.joints.insert(joint);
            self.active = Some(joint);
        }
    }

    /// Chooses these handles and no other.
    pub fn choose_handles(&mut self, handles: impl IntoIterator<Item = u32>) {
        self.handles = handles.into_iter().collect();
        let kept = self.active_handle.filter(|handle| self.handles.contains(handle));
        self.active_handle = kept.or_else(|| self.handles.first().copied());
    }

    /// Adds a handle, or takes it out if it was in.
    pub fn toggle_handle(&mut self, handle: u32) {
        if self.handles.remove(&handle) {
            self.active_handle = self.handles.last().copied();
        } else {
            self.handles.insert(handle);
            self.active_handle = Some(handle);
        }
    }

    /// Adds points.
    pub fn add_points(&mut self, points: impl IntoIterator<Item = (usize, u32)>) {
        for (part, point) in points {
            self.points.entry(part).or_default().insert(point);
        }
    }

    /// Takes points out.
    pub fn remove_points(&mut self, points: impl IntoIterator<Item = (usize, u32)>) {
        for (part, point) in points {
            if let Some(of_part) = self.points.get_mut(&part) {
                of_part.remove(&point);
                if of_part.is_empty() {
                    self.points.remove(&part);
                }
            }
        }
    }

    /// Adds a point, or takes it out if it was in.
    pub fn toggle_point(&mut self, part: usize, point: u32) {
        if self.has_point(part, point) {
            self.remove_points([(part, point)]);
        } else {
            self.add_points([(part, point)]);
        }
    }

    /// True if a point is chosen.
    pub fn has_point(&self, part: usize, point: u32) -> bool {
        self.points.get(&part).is_some_and(|of_part| of_part.contains(&point))
    }

    /// How many points are chosen.
    pub fn num_points(&self) -> usize {
        self.points.values().map(BTreeSet::len).sum()
    }

    /// The same with the neighbours of every chosen point.
    #[must_use]
    pub fn grown(&self, character: &Character) -> Self {
        let mut grown = self.clone();
        for (&part, points) in &self.points {
            let Some(of_part) = character.parts.get(part) else { continue };
            let adjacency = Adjacency::of(&of_part.mesh);
            let rings = points.iter().flat_map(|&point| adjacency.ring(point as usize));
            grown.add_points(rings.map(|&point| (part, point)));
        }
        grown
    }

    /// The same without every chosen point that has a neighbour which is not.
    #[must_use]
    pub fn shrunk(&self, character: &Character) -> Self {
        let mut shrunk = self.clone();
        for (&part, points) in &self.points {
            let Some(of_part) = character.parts.get(part) else { continue };
            let adjacency = Adjacency::of(&of_part.mesh);
            let is_at_edge = |point: &&u32| {
                adjacency.ring(**point as usize).iter().any(|next| !points.contains(next))
            };
            let edge = points.iter().filter(is_at_edge);
            shrunk.remove_points(edge.map(|&point| (part, point)));
        }
        shrunk
    }

    /// The same with all points of every mesh that has a chosen one.
    #[must_use]
    pub fn with_whole_meshes(&self, character: &Character) -> Self {
        let mut whole = self.clone();
        for &part in self.points.keys() {
            let Some(of_part) = character.parts.get(part) else { continue };
            let num_points = of_part.mesh.points().len() as u32;
            whole.add_points((0..num_points).map(|point| (part, point)));
        }
        whole
    }

    /// True if nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.points.is_empty() && self.handles.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_added_and_taken_out_and_no_mesh_is_left_with_none() {
        let mut selection = Selection::of_points([(0, 3), (2, 1), (0, 3)]);
        assert_eq!(selection.num_points(), 2);
        selection.toggle_point(2, 1);
        assert_eq!(selection.points.keys().collect::<Vec<_>>(), [&0]);
        selection.toggle_point(0, 4);
        assert!(selection.has_point(0, 4) && !selection.is_empty());
        selection.remove_points([(0, 3), (0, 4), (5, 5)]);
        assert_eq!(selection, Selection::default());
    }

    #[test]
    fn a_handle_that_is_taken_out_is_not_the_active_one() {
        let mut selection = Selection::default();
        selection.choose_handles([4, 2]);
        assert_eq!(selection.active_handle, Some(2));
        selection.toggle_handle(9);
        assert_eq!(selection.active_handle, Some(9));
        selection.toggle_handle(9);
        assert_eq!(selection.active_handle, Some(4));
        selection.choose_handles([]);
        assert_eq!(selection, Selection::default());
    }

    #[test]
    fn a_point_grows_by_its_ring_and_to_its_whole_mesh() {
        let options = sinew::sample::SampleOptions::new(sinew::sample::SampleKind::Box);
        let character = sinew::sample::build(&options).unwrap();
        let one = Selection::of_points([(0, 5)]);
        let ring = Adjacency::of(&character.parts[0].mesh).ring(5).len();
        assert_eq!(one.grown(&character).num_points(), 1 + ring);
        assert!(one.grown(&character).grown(&character).num_points() > 1 + ring);
        // Back by as much, but for what a ring encloses.
        let grown = one.grown(&character).grown(&character);
        assert!(grown.shrunk(&character).has_point(0, 5));
        assert!(grown.shrunk(&character).num_points() < grown.num_points());
        assert!(one.shrunk(&character).is_empty());
        let whole = one.with_whole_meshes(&character);
        assert_eq!(whole.shrunk(&character), whole, "all of a mesh has no edge");
        assert_eq!(whole.num_points(), character.parts[0].mesh.points().len());
        assert_eq!(whole.grown(&character), whole);
    }
}
