//! Shells: the pieces of a surface that hang together by triangles.
//!
//! A real character is made of many: sleeves, collars, pouches, hair cards, each held in place by
//! nothing but its weights. Near-linear: one pass over the triangles joins their corners.

use super::Joined;

/// Which shell each point is of. Shells are numbered by their lowest points; a point that no
/// triangle uses is one by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    of_point: Vec<u32>,
    /// Points, shell after shell, ascending in each.
    points: Vec<u32>,
    /// Where each shell's points begin, and one past the last.
    starts: Vec<u32>,
}

impl Components {
    /// Of a surface, or of all meshes of a character with their points one after the other.
    ///
    /// # Panics
    /// If a triangle names a point that is not there.
    pub fn of_triangles(num_points: usize, triangles: &[[u32; 3]]) -> Self {
        let mut joined = Joined::new(num_points);
        for &[a, b, c] in triangles {
            joined.join(a, b);
            joined.join(a, c);
        }
        let mut of_point = vec![0; num_points];
        let mut sizes: Vec<u32> = Vec::new();
        for point in 0..num_points as u32 {
            // The lowest of a shell comes first, so that its number is known to the others.
            let root = joined.root(point);
            let component = if root == point {
                sizes.push(0);
                sizes.len() as u32 - 1
            } else {
                of_point[root as usize]
            };
            of_point[point as usize] = component;
            sizes[component as usize] += 1;
        }
        let mut starts = vec![0];
        let mut next = Vec::with_capacity(sizes.len());
        let mut end = 0;
        for size in sizes {
            next.push(end);
            end += size;
            starts.push(end);
        }
        let mut points = vec![0; num_points];
        for (point, &component) in of_point.iter().enumerate() {
            let slot = &mut next[component as usize];
            points[*slot as usize] = point as u32;
            *slot += 1;
        }
        Self { of_point, points, starts }
    }

    /// How many shells there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True if there is no point.
    pub fn is_empty(&self) -> bool {
        self.of_point.is_empty()
    }

    /// The shell of each point.
    pub fn of_point(&self) -> &[u32] {
        &self.of_point
    }

    /// A shell's points, ascending.
    ///
    /// # Panics
    /// If there is no such shell.
    pub fn points(&self, component: u32) -> &[u32] {
        let [start, end] = [component, component + 1].map(|at| self.starts[at as usize] as usize);
        &self.points[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_numbered_by_their_lowest_points() {
        // Two strips whose points alternate, and a point of no triangle.
        let triangles = [[1, 3, 5], [0, 2, 6], [5, 3, 7]];
        let shells = Components::of_triangles(8, &triangles);
        assert_eq!(shells.len(), 3);
        assert_eq!(shells.of_point(), [0, 1, 0, 1, 2, 1, 0, 1]);
        assert_eq!(shells.points(0), [0, 2, 6]);
        assert_eq!(shells.points(1), [1, 3, 5, 7]);
        assert_eq!(shells.points(2), [4]);
    }

    #[test]
    fn triangles_that_welding_collapsed_still_join() {
        let shells = Components::of_triangles(3, &[[2, 0, 0], [1, 1, 1]]);
        assert_eq!(shells.of_point(), [0, 1, 0]);
    }

    #[test]
    fn no_points_are_no_shells() {
        let shells = Components::of_triangles(0, &[]);
        assert!(shells.is_empty());
        assert_eq!(shells.len(), 0);
        assert_eq!(Components::default().len(), 0);
    }
}
