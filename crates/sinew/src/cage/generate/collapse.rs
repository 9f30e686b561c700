//! Edges of a sheet are collapsed, the cheapest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::super::intersect::do_intersect;
use super::place::Quadric;
use super::sheet::Sheet;

/// A new face may turn from the old one by this cosine.
const TURN_QUICK: f64 = 0.2;
const TURN_OUTWARDS: f64 = 0.05;
/// The least [`slimness`] of a new face.
const LEAST_SHAPE: f64 = 0.08;

/// What an edge's length to the fourth counts beside areas times squared distances.
const EVENNESS: f64 = 0.3;

/// Over the offset: an edge this short is to go, and a face with one has no say in it. Its plane is
/// anyhow, and what is lost of the offset is less than this.
const SHORT: f64 = 0.1;

/// An edge with what its collapse costs.
struct Candidate {
    cost: f64,
    edge: [u32; 2],
    stamps: [u32; 2],
    place: DVec3,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// The cheapest is the greatest; ties by number, so that every run is the same.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.edge.cmp(&self.edge))
    }
}

struct Collapse<'a> {
    sheet: &'a mut Sheet,
    quadrics: Vec<Quadric>,
    stamps: Vec<u32>,
    is_rim: Vec<bool>,
    mirror: Option<f64>,
    is_outwards: bool,
    /// No collapse costs more than this.
    limit: f64,
    diagonal: f64,
    offset: f64,
}

/// Plain quadrics, down to a number of faces, as long as the sheet stays within a fraction of the
/// offset.
pub(super) fn quickly(sheet: &mut Sheet, faces: usize, offset: f64, mirror: Option<f64>) {
    // Quadrics are squared distances times areas; the last factor is the area of a patch.
    let limit = (0.35 * offset).powi(2) * offset * offset;
    Collapse::new(sheet, mirror, (false, offset), limit).run(faces);
}

/// Each surface outside the one before, and through nothing.
pub(super) fn outwards(sheet: &mut Sheet, faces: usize, offset: f64, mirror: Option<f64>) {
    Collapse::new(sheet, mirror, (true, offset), f64::INFINITY).run(faces);
}

impl<'a> Collapse<'a> {
    fn new(
        sheet: &'a mut Sheet,
        mirror: Option<f64>,
        (is_outwards, offset): (bool, f64),
        limit: f64,
    ) -> Self {
        let is_rim: Vec<bool> =
            sheet.points.iter().map(|p| mirror.is_some_and(|plane| p.x == plane)).collect();
        let mut quadrics = vec![Quadric::ZERO; sheet.points.len()];
        for face in (0..sheet.faces.len() as u32).filter(|&face| !sheet.is_gone[face as usize]) {
            let normal = sheet.normal(face);
            let corners = sheet.corners(face);
            let Some(unit) = normal.try_normalize() else { continue };
            let area = 0.5 * normal.length();
            let at = sheet.points[corners[0] as usize];
            for corner in corners {
                let own = sheet.points[corner as usize];
                // A little of the place itself: flat regions stay regular.
                let quadric = Quadric::plane(unit, at, area / 3.0)
                    .plus(Quadric::point(own, 1e-3 * area / 3.0));
                quadrics[corner as usize] = quadrics[corner as usize].plus(quadric);
            }
        }
        let stamps = vec![0; sheet.points.len()];
        let diagonal = super::super::shape::diagonal(&sheet.points);
        Self { sheet, quadrics, stamps, is_rim, mirror, is_outwards, limit, diagonal, offset }
    }

    fn run(&mut self, faces: usize) {
        let mut heap = BinaryHeap::new();
        for point in 0..self.sheet.points.len() as u32 {
            for other in self.sheet.neighbors(point).into_iter().filter(|&other| other > point) {
                heap.extend(self.candidate(point, other));
            }
        }
        while self.sheet.num_faces > faces {
            let Some(best) = heap.pop() else { break };
            let [a, b] = best.edge;
            if best.cost > self.limit {
                break;
            }
            if best.stamps != [self.stamps[a as usize], self.stamps[b as usize]] {
                continue;
            }
            let is_rim = &self.is_rim;
            if !self.sheet.can_collapse(a, b, |point| is_rim[point as usize])
                || !self.is_good(a, b, best.place)
            {
                continue;
            }
            self.sheet.collapse(a, b, best.place);
            self.quadrics[a as usize] = self.quadrics[a as usize].plus(self.quadrics[b as usize]);
            self.is_rim[a as usize] |= self.is_rim[b as usize];
            self.stamps[b as usize] += 1;
            // Around the new point every edge has other faces beside it; outwards that counts.
            let near = if self.is_outwards { self.sheet.neighbors(a) } else { Vec::new() };
            for &point in near.iter().chain([&a]) {
                self.stamps[point as usize] += 1;
            }
            let mut edges: Vec<[u32; 2]> = Vec::new();
            for &point in near.iter().chain([&a]) {
                let others = self.sheet.neighbors(point);
                edges.extend(others.into_iter().map(|other| [point.min(other), point.max(other)]));
            }
            edges.sort_unstable();
            edges.dedup();
            heap.extend(edges.into_iter().filter_map(|[a, b]| self.candidate(a, b)));
        }
    }

    /// Where an edge would go, and at what cost.
    fn candidate(&self, a: u32, b: u32) -> Option<Candidate> {
        let quadric = self.quadrics[a as usize].plus(self.quadrics[b as usize]);
        let [p, q] = [a, b].map(|point| self.sheet.points[point as usize]);
        let on_rim = self.is_rim[a as usize] || self.is_rim[b as usize];
        let rim = self.mirror.filter(|_| on_rim).map(|plane| (DVec3::X, plane));
        let mut place = if self.is_outwards {
            let mut planes: Vec<(DVec3, f64)> = Vec::new();
            let mut faces: Vec<u32> =
                [a, b].iter().flat_map(|&p| self.sheet.faces_of[p as usize].clone()).collect();
            faces.sort_unstable();
            faces.dedup();
            // More faces around an edge than this are seldom, and take long.
            if faces.len() > 24 {
                return None;
            }
            faces.retain(|&face| !self.is_sliver(face));
            for face in faces {
                let normal = self.sheet.normal(face).try_normalize()?;
                let corner = self.sheet.points[self.sheet.corners(face)[0] as usize];
                planes.push((normal, normal.dot(corner)));
            }
            if let (Some(plane), None) = (self.mirror, rim) {
                // What is not on the rim stays off the plane.
                planes.push((DVec3::X, plane + 1e-3 * self.diagonal));
            }
            quadric.least_outside(rim, &planes, 1e-9 * self.diagonal)?
        } else {
            let equal: Vec<(DVec3, f64)> = rim.into_iter().collect();
            let middle = 0.5 * (p + q);
            quadric
                .least(&equal)
                .filter(|x| x.distance(middle) < 2.0 * p.distance(q))
                .unwrap_or(middle)
        };
        if let Some((_, plane)) = rim {
            place.x = plane;
        } else if let Some(plane) = self.mirror
            && place.x <= plane
        {
            return None;
        }
        // A place far from the edge is a spike.
        let length = p.distance(q);
        if place.distance(0.5 * (p + q)) > 2.0 * length + 0.5 * self.offset {
            return None;
        }
        // Outwards short edges go first: handles that crowd together move the same points, and a
        // cage cannot be fitted to what they do not tell apart.
        let crowding = if self.is_outwards { EVENNESS * length.powi(4) } else { 0.0 };
        let stamps = [self.stamps[a as usize], self.stamps[b as usize]];
        let cost = quadric.at(place) + crowding;
        Some(Candidate { cost, edge: [a, b], stamps, place })
    }

    /// True for a face with a side that is too short to be one.
    fn is_sliver(&self, face: u32) -> bool {
        let [a, b, c] = self.sheet.corners(face).map(|corner| self.sheet.points[corner as usize]);
        let shortest = a.distance(b).min(b.distance(c)).min(c.distance(a));
        self.is_outwards && shortest < SHORT * self.offset
    }

    /// True if no face flips, becomes a needle, or goes through another.
    fn is_good(&self, a: u32, b: u32, place: DVec3) -> bool {
        let sheet = &*self.sheet;
        let mut moved: Vec<(u32, [DVec3; 3])> = Vec::new();
        for (own, other) in [(a, b), (b, a)] {
            for &face in &sheet.faces_of[own as usize] {
                let corners = sheet.corners(face);
                if corners.contains(&other) {
                    continue;
                }
                let at = corners.map(|c| if c == own { place } else { sheet.points[c as usize] });
                if self.is_sliver(face) {
                    moved.push((face, at));
                    continue;
                }
                let normal = (at[1] - at[0]).cross(at[2] - at[0]);
                let before = sheet.normal(face);
                let turn = if self.is_outwards { TURN_OUTWARDS } else { TURN_QUICK };
                if normal.dot(before) <= turn * normal.length() * before.length() {
                    return false;
                }
                // Needles may not get worse; marching tetrahedra begin with many.
                let old = corners.map(|corner| sheet.points[corner as usize]);
                if slimness(&at) < LEAST_SHAPE.min(0.7 * slimness(&old)) {
                    return false;
                }
                moved.push((face, at));
            }
        }
        !self.is_outwards || !self.goes_through(a, b, &moved)
    }

    fn goes_through(&self, a: u32, b: u32, moved: &[(u32, [DVec3; 3])]) -> bool {
        let sheet = &*self.sheet;
        let touch = 1e-9 * self.diagonal;
        let is_near = |face: u32| {
            let corners = sheet.corners(face);
            corners.contains(&a) || corners.contains(&b)
        };
        let joined = |corners: [u32; 3]| corners.map(|corner| if corner == b { a } else { corner });
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for p in moved.iter().flat_map(|(_, at)| at) {
            (low, high) = (low.min(*p), high.max(*p));
        }
        for other in (0..sheet.faces.len() as u32).filter(|&f| !sheet.is_gone[f as usize]) {
            if is_near(other) {
                continue;
            }
            let at = sheet.corners(other).map(|corner| sheet.points[corner as usize]);
            let (other_low, other_high) =
                (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]));
            if !(other_low.cmple(high).all() && low.cmple(other_high).all()) {
                continue;
            }
            for (face, own) in moved {
                if meet(joined(sheet.corners(*face)), *own, sheet.corners(other), at, touch) {
                    return true;
                }
            }
        }
        // Between themselves.
        moved.iter().enumerate().any(|(index, (face, own))| {
            moved[index + 1..].iter().any(|(other, at)| {
                let [first, second] = [*face, *other].map(|face| joined(sheet.corners(face)));
                meet(first, *own, second, *at, touch)
            })
        })
    }
}

/// Twice the area over the longest side squared: 0.87 of an equilateral triangle, 0 of a needle.
fn slimness(t: &[DVec3; 3]) -> f64 {
    let sides = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let longest = sides.iter().fold(0.0f64, |longest, side| longest.max(side.length_squared()));
    let double_area = sides[0].cross(sides[1]).length();
    if longest > 0.0 { double_area / longest } else { 0.0 }
}

/// True if two triangles meet elsewhere than in the corners that they share.
fn meet(
    first: [u32; 3],
    at_first: [DVec3; 3],
    second: [u32; 3],
    at_second: [DVec3; 3],
    touch: f64,
) -> bool {
    let mut points = at_first.to_vec();
    let mut corners = [0u32; 3];
    for (corner, (&name, &at)) in corners.iter_mut().zip(second.iter().zip(&at_second)) {
        *corner = match first.iter().position(|&own| own == name) {
            Some(shared) => shared as u32,
            None => {
                points.push(at);
                points.len() as u32 - 1
            }
        };
    }
    do_intersect(&points, &[0, 1, 2], &corners, touch)
}
