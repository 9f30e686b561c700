//! What who takes hold of handles asks of a cage: neighbours, normals, ways along its sides, loops,
//! and which handle is the mirror image of which.

use std::collections::BinaryHeap;

use glam::DVec3;

use super::Cage;

/// A handle is the image of another within this share of the diagonal.
const MIRROR_TOLERANCE: f64 = 2e-3;
/// A loop goes on along a side that turns by less than this (cosine).
const STRAIGHT: f64 = 0.5;

/// Which handles are the mirror images of which, across a plane `x = …`.
#[derive(Clone, Debug, PartialEq)]
pub struct MirroredHandles {
    /// Where the plane is.
    pub plane_x: f64,
    /// For each handle: its image; itself where it is in the plane, `None` where it has none.
    pub images: Vec<Option<u32>>,
}

impl Cage {
    /// For each handle: those at the other ends of its sides, ascending.
    pub fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.points().len()];
        for [a, b] in self.edges() {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        neighbours.iter_mut().for_each(|list| list.sort_unstable());
        neighbours
    }

    /// The normal of each handle with the handles at `places`, outwards, by the areas of its faces;
    /// zero where they cancel out.
    ///
    /// # Panics
    /// If there is not one place a handle.
    pub fn normals_at(&self, places: &[DVec3]) -> Vec<DVec3> {
        assert_eq!(places.len(), self.points().len(), "one place a handle");
        let mut normals = vec![DVec3::ZERO; places.len()];
        for face in self.faces() {
            // Newell's: of a quad that is in no plane, too.
            let normal: DVec3 = face
                .sides()
                .map(|[a, b]| places[a as usize].cross(places[b as usize]))
                .sum::<DVec3>();
            for &corner in face.corners() {
                normals[corner as usize] += normal;
            }
        }
        let sign = if self.volume() < 0.0 { -1.0 } else { 1.0 };
        normals.iter().map(|normal| sign * normal.normalize_or_zero()).collect()
    }

    /// How far each handle is from the nearest of some, along the sides between `places`; infinite
    /// where no side leads.
    ///
    /// # Panics
    /// If there is not one place a handle, or a handle is not there.
    pub fn distances(&self, from: impl IntoIterator<Item = u32>, places: &[DVec3]) -> Vec<f64> {
        assert_eq!(places.len(), self.points().len(), "one place a handle");
        let neighbours = self.neighbours();
        let mut distances = vec![f64::INFINITY; places.len()];
        let mut open: BinaryHeap<Next> = BinaryHeap::new();
        for handle in from {
            distances[handle as usize] = 0.0;
            open.push(Next { distance: 0.0, handle });
        }
        while let Some(Next { distance, handle }) = open.pop() {
            if distance > distances[handle as usize] {
                continue;
            }
            for &next in &neighbours[handle as usize] {
                let step = places[handle as usize].distance(places[next as usize]);
                if distance + step < distances[next as usize] {
                    distances[next as usize] = distance + step;
                    open.push(Next { distance: distance + step, handle: next });
                }
            }
        }
        distances
    }

    /// The loop of sides through two neighbours: straight on at both ends, until it comes back or
    /// no side goes on. Both handles are in it.
    ///
    /// # Panics
    /// If there is not one place a handle, or a handle is not there.
    pub fn edge_loop(&self, [a, b]: [u32; 2], places: &[DVec3]) -> Vec<u32> {
        assert_eq!(places.len(), self.points().len(), "one place a handle");
        let (neighbours, normals) = (self.neighbours(), self.normals_at(places));
        let mut found = vec![a, b];
        for [mut before, mut at] in [[a, b], [b, a]] {
            let go_on = |[before, at]: [u32; 2]| {
                let normal = normals[at as usize];
                straight_on(&neighbours[at as usize], [before, at], normal, places)
            };
            while let Some(next) = go_on([before, at]) {
                if found.contains(&next) {
                    break;
                }
                found.push(next);
                (before, at) = (at, next);
            }
        }
        found
    }

    /// Which handle mirrors which, if all but a tenth do: across the middle of the cage.
    pub fn mirrored_handles(&self) -> Option<MirroredHandles> {
        let points = self.points();
        let (low, high) = points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.x), h.max(p.x)));
        let near = MIRROR_TOLERANCE * self.diagonal();
        [0.0, 0.5 * (low + high)].into_iter().find_map(|plane_x| {
            let image = |p: &DVec3| {
                let at = DVec3::new(2.0 * plane_x - p.x, p.y, p.z);
                let nearest = (0u32..)
                    .zip(points)
                    .map(|(handle, other)| (handle, other.distance(at)))
                    .min_by(|a, b| a.1.total_cmp(&b.1));
                nearest.filter(|(_, distance)| *distance <= near).map(|(handle, _)| handle)
            };
            let images: Vec<Option<u32>> = points.iter().map(image).collect();
            let alone = images.iter().filter(|image| image.is_none()).count();
            (10 * alone <= points.len()).then_some(MirroredHandles { plane_x, images })
        })
    }
}

/// The side that goes on straightest for who walks on the cage: bends over an edge do not count.
fn straight_on(
    neighbours: &[u32],
    [before, at]: [u32; 2],
    normal: DVec3,
    places: &[DVec3],
) -> Option<u32> {
    let place = |handle: u32| places[handle as usize];
    let along = |way: DVec3| (way - way.dot(normal) * normal).normalize_or_zero();
    let ahead = along(place(at) - place(before));
    let cosine = |&next: &u32| along(place(next) - place(at)).dot(ahead);
    let others = neighbours.iter().copied().filter(|&next| next != before);
    others
        .map(|next| (next, cosine(&next)))
        .filter(|(_, cosine)| *cosine > STRAIGHT)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(next, _)| next)
}

/// The nearest comes first.
struct Next {
    distance: f64,
    handle: u32,
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.distance.total_cmp(&self.distance).then(self.handle.cmp(&other.handle))
    }
}

#[cfg(test)]
mod tests {
    use glam::UVec3;

    use super::*;

    fn lattice() -> Cage {
        let corner = DVec3::new(1.0, 2.0, 1.0);
        Cage::lattice(-corner, corner, UVec3::new(2, 4, 2)).unwrap()
    }

    #[test]
    fn normals_look_outwards_and_distances_go_along_the_sides() {
        let cage = lattice();
        let normals = cage.normals_at(cage.points());
        assert!(cage.points().iter().zip(&normals).all(|(p, n)| p.dot(*n) > 0.0));
        assert!(normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-12));
        let inside_out: Vec<_> = cage
            .faces()
            .iter()
            .map(|face| match *face {
                super::super::CageFace::Quad([a, b, c, d]) => {
                    super::super::CageFace::Quad([d, c, b, a])
                }
                super::super::CageFace::Triangle([a, b, c]) => {
                    super::super::CageFace::Triangle([c, b, a])
                }
            })
            .collect();
        let flipped = Cage::new(cage.points().to_vec(), inside_out).unwrap();
        assert_eq!(flipped.normals_at(cage.points()), normals);
        let distances = cage.distances([0], cage.points());
        // Sides of the lattice go along the axes.
        for (place, distance) in cage.points().iter().zip(distances) {
            let by = (*place - cage.points()[0]).abs();
            assert!((distance - by.element_sum()).abs() < 1e-9 || distance > by.element_sum());
        }
    }

    #[test]
    fn a_loop_of_a_lattice_goes_around_it() {
        let cage = lattice();
        let at = |p: DVec3| {
            let found = cage.points().iter().position(|q| q.distance(p) < 1e-9);
            found.unwrap() as u32
        };
        // Up the middle of a side, over the top and back.
        let up = cage.edge_loop(
            [at(DVec3::new(0.0, 0.0, 1.0)), at(DVec3::new(0.0, 1.0, 1.0))],
            cage.points(),
        );
        assert_eq!(up.len(), 12);
        assert!(up.iter().all(|&h| cage.points()[h as usize].x == 0.0));
    }

    #[test]
    fn a_lattice_is_its_own_mirror_image_and_a_bent_one_is_not() {
        let cage = lattice();
        let mirrored = cage.mirrored_handles().unwrap();
        assert_eq!(mirrored.plane_x, 0.0);
        for (handle, image) in (0u32..).zip(&mirrored.images) {
            let image = image.unwrap();
            assert_eq!(mirrored.images[image as usize], Some(handle));
            assert_eq!(image == handle, cage.points()[handle as usize].x == 0.0);
        }
        let bent = cage.points().iter().map(|p| *p + DVec3::X * p.y * p.y).collect();
        assert_eq!(cage.with_points(bent).unwrap().mirrored_handles(), None);
    }
}
