//! Displacements of a mesh's points, of which most shapes have few.

use glam::Vec3;

/// One displacement a point. Where fewer than half of the points move, only those are kept.
#[derive(Clone, Debug, Default)]
pub struct Deltas {
    num_points: usize,
    /// Ascending; empty where all points are kept.
    points: Vec<u32>,
    deltas: Vec<Vec3>,
}

impl Deltas {
    /// Of some points, in any order; the others stay, and so do those past the end.
    pub fn of_moved(num_points: usize, moved: impl IntoIterator<Item = (u32, Vec3)>) -> Self {
        let mut dense = vec![Vec3::ZERO; num_points];
        for (point, delta) in moved {
            if let Some(slot) = dense.get_mut(point as usize) {
                *slot = delta;
            }
        }
        dense.into()
    }

    /// How many points the mesh has.
    pub fn num_points(&self) -> usize {
        self.num_points
    }

    /// How many displacements are kept.
    pub fn num_kept(&self) -> usize {
        self.deltas.len()
    }

    /// The displacement of a point; none past the end.
    pub fn of(&self, point: usize) -> Vec3 {
        if self.is_dense() {
            return self.deltas.get(point).copied().unwrap_or(Vec3::ZERO);
        }
        let found = self.points.binary_search(&(point as u32));
        found.map_or(Vec3::ZERO, |at| self.deltas[at])
    }

    /// Points and their displacements; those that stay may be left out.
    pub fn moved(&self) -> impl Iterator<Item = (u32, Vec3)> + '_ {
        let is_dense = self.is_dense();
        self.deltas.iter().enumerate().map(move |(at, &delta)| {
            let point = if is_dense { at as u32 } else { self.points[at] };
            (point, delta)
        })
    }

    /// One a point.
    pub fn iter(&self) -> impl Iterator<Item = Vec3> + '_ {
        (0..self.num_points).map(|point| self.of(point))
    }

    /// One a point.
    pub fn dense(&self) -> Vec<Vec3> {
        let mut dense = vec![Vec3::ZERO; self.num_points];
        for (point, delta) in self.moved() {
            dense[point as usize] = delta;
        }
        dense
    }

    /// Moves points by a share of it.
    pub fn add_to(&self, share: f32, points: &mut [Vec3]) {
        if self.is_dense() {
            for (point, &delta) in points.iter_mut().zip(&self.deltas) {
                *point += share * delta;
            }
            return;
        }
        for (&point, &delta) in self.points.iter().zip(&self.deltas) {
            points[point as usize] += share * delta;
        }
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.points[..]) + size_of_val(&self.deltas[..])
    }

    fn is_dense(&self) -> bool {
        self.deltas.len() == self.num_points
    }
}

impl PartialEq for Deltas {
    fn eq(&self, other: &Self) -> bool {
        self.num_points == other.num_points
            && self.points == other.points
            && self.deltas == other.deltas
    }
}

impl From<Vec<Vec3>> for Deltas {
    fn from(dense: Vec<Vec3>) -> Self {
        let num_points = dense.len();
        // What is no number is kept: a check has to find it.
        let is_kept = |delta: &Vec3| *delta != Vec3::ZERO;
        let num_moved = dense.iter().filter(|delta| is_kept(delta)).count();
        if 2 * num_moved >= num_points {
            return Self { num_points, points: Vec::new(), deltas: dense };
        }
        let mut points = Vec::with_capacity(num_moved);
        let mut deltas = Vec::with_capacity(num_moved);
        for (point, delta) in dense.into_iter().enumerate().filter(|(_, delta)| is_kept(delta)) {
            points.push(point as u32);
            deltas.push(delta);
        }
        Self { num_points, points, deltas }
    }
}

impl FromIterator<Vec3> for Deltas {
    fn from_iter<I: IntoIterator<Item = Vec3>>(dense: I) -> Self {
        dense.into_iter().collect::<Vec<_>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn few_or_many_they_are_what_was_given(moved in prop::collection::vec(-2i32..3, 0..60)) {
            let given: Vec<Vec3> =
                moved.iter().map(|&n| Vec3::new(n.max(0) as f32, 0.0, 0.0)).collect();
            let deltas = Deltas::from(given.clone());
            prop_assert_eq!(deltas.dense(), given.clone());
            prop_assert_eq!(deltas.iter().collect::<Vec<_>>(), given.clone());
            let mut points = vec![Vec3::ONE; given.len()];
            deltas.add_to(2.0, &mut points);
            for (point, delta) in points.iter().zip(&given) {
                prop_assert_eq!(*point, Vec3::ONE + 2.0 * *delta);
            }
            let again = Deltas::of_moved(given.len(), deltas.moved());
            prop_assert_eq!(again, deltas);
        }
    }

    #[test]
    fn a_face_on_a_body_is_kept_as_a_face() {
        let mut dense = vec![Vec3::ZERO; 20_000];
        dense[7..507].fill(Vec3::X);
        let deltas = Deltas::from(dense);
        assert_eq!(deltas.num_kept(), 500);
        assert!(deltas.bytes() < 20_000);
    }
}
