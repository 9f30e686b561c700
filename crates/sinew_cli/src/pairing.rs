//! Two files of one surface, point by point.
//!
//! Files disagree on what a point is. A GLB splits vertices at seams; an OBJ of `sinew skin` has
//! welded points; one of `sinew convert` has the split vertices, as points; reading a posed file
//! may weld points that the pose merely brought together. So the two are compared in whatever view
//! has the same triangles in both: welded points, else vertices, else whichever of points, vertices
//! and places fit up to their numbering.

use glam::Vec3;
use sinew::Character;
use sinew::mesh::{Aabb, RawMesh};

use crate::text::count;

/// Vertices of one welded point are still one point this near, over the diagonal: what rounding in
/// a file's decimals leaves.
const SAME_POINT_OVER_DIAGONAL: f32 = 1e-6;

/// The same points in two states, and the triangles between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paired {
    pub(crate) a: Vec<Vec3>,
    pub(crate) b: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The welded point of the first file that each stands for, over all of its meshes.
    pub(crate) point_of_a: Vec<u32>,
}

/// All meshes of a file as one surface.
#[derive(Clone, Debug, Default, PartialEq)]
struct Surface {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// The welded point that each position is of, the first of several.
    points: Vec<u32>,
}

/// A file's surface over its render vertices, over its welded points, and over the places where
/// points are.
#[derive(Default)]
struct Views {
    vertices: Surface,
    points: Surface,
    places: Surface,
    point_of_vertex: Vec<u32>,
    place_of_point: Vec<u32>,
}

impl Views {
    fn of(character: &Character) -> Self {
        let mut views = Self::default();
        for part in &character.parts {
            let mesh = &part.mesh;
            let offset = |first: usize| move |&index: &u32| first as u32 + index;
            let (num_points, num_places) =
                (views.points.positions.len(), views.places.positions.len());
            views.point_of_vertex.extend(mesh.point_of_vertex().iter().map(offset(num_points)));
            views.vertices.append(mesh.vertex_positions(), mesh.triangles());
            let of_vertices = mesh.point_of_vertex().iter().map(offset(num_points));
            views.vertices.points.extend(of_vertices);
            views.points.append(mesh.points(), mesh.point_triangles());
            views.points.points.extend(num_points as u32..views.points.positions.len() as u32);
            let raw = RawMesh {
                positions: mesh.points().to_vec(),
                triangles: mesh.point_triangles().to_vec(),
                ..RawMesh::default()
            };
            // A mesh that was one stays one without its attributes.
            if let Ok(welded) = raw.weld() {
                let places = &welded.part.mesh;
                views
                    .place_of_point
                    .extend(places.point_of_vertex().iter().map(offset(num_places)));
                views.places.append(places.points(), places.point_triangles());
                let mut first_of = vec![u32::MAX; places.points().len()];
                for (point, &place) in (num_points as u32..).zip(places.point_of_vertex()) {
                    let first = &mut first_of[place as usize];
                    *first = point.min(*first);
                }
                views.places.points.extend(first_of);
            }
        }
        views
    }
}

/// `positions` merged as `merged_of` says, if they agree wherever several become one.
fn gather(merged_of: &[u32], num_merged: usize, positions: &[Vec3]) -> Option<Vec<Vec3>> {
    let diagonal = Aabb::around(positions.iter().copied()).diagonal();
    let mut merged: Vec<Option<Vec3>> = vec![None; num_merged];
    for (&index, &position) in merged_of.iter().zip(positions) {
        match &merged[index as usize] {
            None => merged[index as usize] = Some(position),
            Some(first) if first.distance(position) <= diagonal * SAME_POINT_OVER_DIAGONAL => {}
            Some(_) => return None,
        }
    }
    merged.into_iter().collect()
}

impl Surface {
    fn append(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) {
        let first = self.positions.len() as u32;
        self.positions.extend_from_slice(positions);
        self.triangles.extend(triangles.iter().map(|t| t.map(|index| first + index)));
    }

    fn same_topology(&self, other: &Self) -> bool {
        self.positions.len() == other.positions.len() && self.triangles == other.triangles
    }

    fn paired(&self, other: &Self) -> Paired {
        self.with(other.positions.clone())
    }

    fn with(&self, other: Vec<Vec3>) -> Paired {
        Paired {
            a: self.positions.clone(),
            b: other,
            triangles: self.triangles.clone(),
            point_of_a: self.points.clone(),
        }
    }

    /// Numbered in the order in which the triangles first use the positions; unused ones are left
    /// out.
    fn in_order_of_use(&self) -> Self {
        let mut new_index = vec![u32::MAX; self.positions.len()];
        let mut ordered = Self::default();
        for triangle in &self.triangles {
            ordered.triangles.push(triangle.map(|old| {
                let index = &mut new_index[old as usize];
                if *index == u32::MAX {
                    *index = ordered.positions.len() as u32;
                    ordered.positions.push(self.positions[old as usize]);
                    ordered.points.push(self.points[old as usize]);
                }
                *index
            }));
        }
        ordered
    }
}

/// Pairs the points of two files; the error says how they differ.
pub(crate) fn pair(a: &Character, b: &Character) -> Result<Paired, String> {
    let (a, b) = (Views::of(a), Views::of(b));
    if a.points.same_topology(&b.points) {
        // Split points that stay together are one: across a seam there would be no neighbours to
        // measure.
        let merged = gather(&a.place_of_point, a.places.positions.len(), &b.points.positions);
        return Ok(match merged {
            Some(of_b) => a.places.with(of_b),
            None => a.points.paired(&b.points),
        });
    }
    if a.vertices.same_topology(&b.vertices) {
        // The fewest points first: a file may have kept the split points that the other one welded.
        let place_of_vertex: Vec<u32> =
            a.point_of_vertex.iter().map(|&point| a.place_of_point[point as usize]).collect();
        for (merged_of, merged) in [(&place_of_vertex, &a.places), (&a.point_of_vertex, &a.points)]
        {
            if let Some(of_b) = gather(merged_of, merged.positions.len(), &b.vertices.positions) {
                return Ok(merged.with(of_b));
            }
        }
        return Ok(a.vertices.paired(&b.vertices));
    }
    let ordered = |views: &Views| {
        [&views.points, &views.vertices, &views.places].map(Surface::in_order_of_use)
    };
    let (of_a, of_b) = (ordered(&a), ordered(&b));
    // Not vertices with vertices: unwelded triangles have no neighbours, so that any two such soups
    // would fit.
    for (in_a, in_b) in [(0, 0), (0, 1), (1, 0), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2)] {
        let (in_a, in_b) = (&of_a[in_a], &of_b[in_b]);
        if !in_a.triangles.is_empty() && in_a.same_topology(in_b) {
            return Ok(in_a.paired(in_b));
        }
    }
    Err(difference(&a.points, &b.points))
}

fn difference(a: &Surface, b: &Surface) -> String {
    let counts = |surface: &Surface| {
        let (points, triangles) = (surface.positions.len(), surface.triangles.len());
        format!("{} points and {} triangles", count(points), count(triangles))
    };
    if (a.positions.len(), a.triangles.len()) != (b.positions.len(), b.triangles.len()) {
        return format!("the first has {}, the second {}", counts(a), counts(b));
    }
    let differing = a.triangles.iter().zip(&b.triangles).position(|(a, b)| a != b).unwrap_or(0);
    format!("both have {}, but triangle {differing} joins other points", counts(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square whose diagonal is split into two vertices at each end, as at a UV seam.
    fn split_square(lift: f32) -> RawMesh {
        let corner = |x: f32, y: f32| Vec3::new(x, y, lift * x);
        RawMesh {
            name: "square".into(),
            positions: [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]
                .map(|(x, y)| corner(x as f32, y as f32))
                .to_vec(),
            triangles: vec![[0, 1, 2], [3, 4, 5]],
            ..RawMesh::default()
        }
    }

    fn character(raw: RawMesh) -> Character {
        Character { parts: vec![raw.weld().unwrap().part], ..Character::default() }
    }

    #[test]
    fn welded_points_pair_with_welded_points() {
        let paired = pair(&character(split_square(0.0)), &character(split_square(1.0))).unwrap();
        assert_eq!((paired.a.len(), paired.b.len()), (4, 4));
        assert_eq!(paired.b[1], Vec3::new(1.0, 0.0, 1.0));
    }

    #[test]
    fn a_pose_that_brings_points_together_still_pairs() {
        let mut collapsed = split_square(0.0);
        for position in &mut collapsed.positions {
            position.x = 0.0;
        }
        let paired = pair(&character(split_square(0.0)), &character(collapsed)).unwrap();
        assert_eq!(paired.a.len(), 4);
        assert!(paired.b.iter().all(|p| p.x == 0.0));
    }

    #[test]
    fn a_split_file_pairs_with_a_welded_one_in_another_order() {
        let welded = RawMesh {
            name: "welded".into(),
            positions: vec![Vec3::Y, Vec3::ONE.with_z(0.0), Vec3::X, Vec3::ZERO],
            triangles: vec![[3, 2, 1], [3, 1, 0]],
            ..RawMesh::default()
        };
        let paired = pair(&character(split_square(0.0)), &character(welded)).unwrap();
        assert_eq!(paired.a, paired.b);
        let points = character(split_square(0.0)).parts[0].mesh.points().to_vec();
        let named: Vec<Vec3> = paired.point_of_a.iter().map(|&p| points[p as usize]).collect();
        assert_eq!(named, paired.a);
    }

    #[test]
    fn split_points_pair_with_welded_ones() {
        let raw = split_square(0.0);
        let labels: Vec<u32> = (0..raw.positions.len() as u32).collect();
        let split = raw.weld_by(&labels).unwrap().part;
        let split = Character { parts: vec![split], ..Character::default() };
        assert_eq!(split.num_points(), 6);
        let paired = pair(&split, &character(split_square(1.0))).unwrap();
        assert_eq!(paired.a.len(), 4);
        assert_eq!(pair(&split, &split).unwrap().a.len(), 4);
    }

    #[test]
    fn other_topologies_are_refused_with_both_counts() {
        let mut other = split_square(0.0);
        other.triangles.pop();
        let error = pair(&character(split_square(0.0)), &character(other)).unwrap_err();
        assert!(error.contains("2 triangles") && error.contains("1 triangles"), "{error}");
        let mut turned = split_square(0.0);
        turned.triangles[1] = [3, 5, 4];
        let error = pair(&character(split_square(0.0)), &character(turned)).unwrap_err();
        assert!(error.contains("triangle 1 "), "{error}");
    }
}
