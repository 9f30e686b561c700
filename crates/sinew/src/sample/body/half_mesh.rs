//! A half body whose triangles can be split, collapsed and flipped.
//!
//! The seam (`x = 0`) is its only boundary. Beyond staying two-manifold, one rule keeps the
//! mirrored whole closed: two seam points share an edge only if it is a seam edge; any other would
//! be shared by four triangles after mirroring.

use glam::DVec3;

use super::nets::Net;

/// A collapse or flip may not turn a triangle further than this (cosine): it would fold the
/// surface.
const MIN_TURN_COSINE: f64 = 0.3;

/// See the module. Dead triangles and points stay in place until [`HalfMesh::compacted`].
#[derive(Clone, Debug)]
pub(super) struct HalfMesh {
    pub(super) points: Vec<DVec3>,
    pub(super) sizes: Vec<f64>,
    pub(super) on_seam: Vec<bool>,
    pub(super) fans: Vec<Vec<u32>>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) is_dead: Vec<bool>,
}

fn cross(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    (b - a).cross(c - a)
}

impl HalfMesh {
    pub(super) fn new(net: Net, size_at: impl Fn(DVec3) -> f64 + Sync) -> Self {
        let mut fans = vec![Vec::with_capacity(8); net.points.len()];
        for (index, triangle) in net.triangles.iter().enumerate() {
            for &corner in triangle {
                fans[corner as usize].push(index as u32);
            }
        }
        Self {
            sizes: net.points.iter().map(|&p| size_at(p)).collect(),
            on_seam: net.points.iter().map(|p| p.x == 0.0).collect(),
            is_dead: vec![false; net.triangles.len()],
            triangles: net.triangles,
            points: net.points,
            fans,
        }
    }

    /// Points of the whole body: seam points count once, others twice.
    pub(super) fn num_mirrored_points(&self) -> usize {
        (0..self.points.len())
            .filter(|&p| !self.fans[p].is_empty())
            .map(|p| if self.on_seam[p] { 1 } else { 2 })
            .sum()
    }

    pub(super) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|p| self.points[p as usize])
    }

    /// Twice the area times the normal.
    pub(super) fn area_normal(&self, triangle: u32) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        cross(a, b, c)
    }

    /// Length over the mean size of its ends.
    pub(super) fn relative_length(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (a as usize, b as usize);
        self.points[a].distance(self.points[b]) / (0.5 * (self.sizes[a] + self.sizes[b]))
    }

    /// Neighbours of a point, in no particular but a fixed order.
    pub(super) fn ring(&self, point: u32, out: &mut Vec<u32>) {
        out.clear();
        for &triangle in &self.fans[point as usize] {
            for &corner in &self.triangles[triangle as usize] {
                if corner != point && !out.contains(&corner) {
                    out.push(corner);
                }
            }
        }
    }

    /// The one or two triangles on an edge.
    fn on_edge(&self, a: u32, b: u32) -> [Option<u32>; 2] {
        let mut found = [None; 2];
        for &triangle in &self.fans[a as usize] {
            if self.triangles[triangle as usize].contains(&b) {
                if found[0].is_none() {
                    found[0] = Some(triangle);
                } else {
                    found[1] = Some(triangle);
                }
            }
        }
        found
    }

    pub(super) fn is_edge(&self, a: u32, b: u32) -> bool {
        self.on_edge(a, b)[0].is_some()
    }

    fn is_boundary(&self, a: u32, b: u32) -> bool {
        matches!(self.on_edge(a, b), [Some(_), None])
    }

    /// Every edge once, as `(a, b)` with `a < b`, in the order of the triangles.
    pub(super) fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges = Vec::with_capacity(self.triangles.len() * 3 / 2);
        for (t, &[a, b, c]) in self.triangles.iter().enumerate() {
            if self.is_dead[t] {
                continue;
            }
            for (p, q) in [(a, b), (b, c), (c, a)] {
                if p < q || self.is_boundary(p, q) {
                    edges.push([p.min(q), p.max(q)]);
                }
            }
        }
        edges
    }

    /// Merges `gone` into `kept`, which stays where it is; false if that would harm the surface or
    /// make an edge longer than `max_relative_length`.
    pub(super) fn collapse(&mut self, gone: u32, kept: u32, max_relative_length: f64) -> bool {
        let boundary = self.is_boundary(gone, kept);
        if self.on_seam[gone as usize] && !boundary {
            return false;
        }
        let (mut ring_gone, mut ring_kept) = (Vec::with_capacity(8), Vec::with_capacity(8));
        self.ring(gone, &mut ring_gone);
        self.ring(kept, &mut ring_kept);
        let shared = ring_gone.iter().filter(|p| ring_kept.contains(p)).count();
        if shared != if boundary { 1 } else { 2 } {
            return false;
        }
        // Two triangles on three points would remain of a tetrahedron-like pocket; a valence of
        // three folds.
        for &p in ring_gone.iter().filter(|p| ring_kept.contains(p)) {
            let least = if self.on_seam[p as usize] { 2 } else { 4 };
            if self.fans[p as usize].len() <= least.max(2) {
                return false;
            }
        }
        for &p in &ring_gone {
            if p == kept {
                continue;
            }
            if !ring_kept.contains(&p) {
                if self.on_seam[kept as usize] && self.on_seam[p as usize] && !boundary {
                    return false;
                }
                if self.relative_length(p, kept) > max_relative_length {
                    return false;
                }
            }
        }
        let target = self.points[kept as usize];
        for &triangle in &self.fans[gone as usize] {
            let corners = self.triangles[triangle as usize];
            if corners.contains(&kept) {
                continue;
            }
            let old = self.area_normal(triangle);
            let [a, b, c] =
                corners.map(|p| if p == gone { target } else { self.points[p as usize] });
            let new = cross(a, b, c);
            if new.dot(old) <= MIN_TURN_COSINE * new.length() * old.length()
                || new.length_squared() < 1e-16 * old.length_squared()
            {
                return false;
            }
        }
        for triangle in std::mem::take(&mut self.fans[gone as usize]) {
            let corners = self.triangles[triangle as usize];
            if corners.contains(&kept) {
                self.is_dead[triangle as usize] = true;
                for p in corners.into_iter().filter(|&p| p != gone) {
                    self.fans[p as usize].retain(|&t| t != triangle);
                }
            } else {
                self.triangles[triangle as usize] =
                    corners.map(|p| if p == gone { kept } else { p });
                self.fans[kept as usize].push(triangle);
            }
        }
        true
    }

    /// Puts a point in the middle of an edge; returns it.
    pub(super) fn split(&mut self, a: u32, b: u32) -> u32 {
        let triangles = self.on_edge(a, b);
        let middle = self.points.len() as u32;
        let (ia, ib) = (a as usize, b as usize);
        self.points.push(0.5 * (self.points[ia] + self.points[ib]));
        self.sizes.push(0.5 * (self.sizes[ia] + self.sizes[ib]));
        self.on_seam.push(triangles[1].is_none());
        self.fans.push(Vec::with_capacity(8));
        for triangle in triangles.into_iter().flatten() {
            let corners = self.triangles[triangle as usize];
            let added = self.triangles.len() as u32;
            self.triangles[triangle as usize] = corners.map(|p| if p == b { middle } else { p });
            self.triangles.push(corners.map(|p| if p == a { middle } else { p }));
            self.is_dead.push(false);
            for fan in &mut self.fans[ib] {
                if *fan == triangle {
                    *fan = added;
                }
            }
            for &p in corners.iter().filter(|&&p| p != a && p != b) {
                self.fans[p as usize].push(added);
            }
            self.fans[middle as usize].extend([triangle, added]);
        }
        middle
    }

    /// Turns an edge to the other diagonal where `better` says so of (ends, opposite points) and it
    /// harms nothing.
    pub(super) fn flip_if(
        &mut self,
        a: u32,
        b: u32,
        better: impl Fn(&Self, [u32; 2], [u32; 2]) -> bool,
    ) -> bool {
        let [Some(first), Some(second)] = self.on_edge(a, b) else { return false };
        let opposite = |t: u32| {
            let corners = self.triangles[t as usize];
            corners.into_iter().find(|&p| p != a && p != b).unwrap_or(a)
        };
        let (mut c, mut d) = (opposite(first), opposite(second));
        let (mut first, mut second) = (first, second);
        // `first` is the triangle that runs a → b.
        let corners = self.triangles[first as usize];
        let at = corners.iter().position(|&p| p == a).unwrap_or(0);
        if corners[(at + 1) % 3] != b {
            std::mem::swap(&mut c, &mut d);
            std::mem::swap(&mut first, &mut second);
        }
        let least = |p: u32| if self.on_seam[p as usize] { 2 } else { 4 };
        if self.is_edge(c, d)
            || (self.on_seam[c as usize] && self.on_seam[d as usize])
            || self.fans[a as usize].len() <= least(a)
            || self.fans[b as usize].len() <= least(b)
            || !better(self, [a, b], [c, d])
        {
            return false;
        }
        let old = self.area_normal(first) + self.area_normal(second);
        let new = [[a, d, c], [b, c, d]];
        for t in new {
            let [p, q, r] = t.map(|p| self.points[p as usize]);
            let normal = cross(p, q, r);
            // 0.7: the quad must be nearly flat, or the flip changes the shape.
            if normal.dot(old) <= 0.7 * normal.length() * old.length() || normal.length() < 1e-14 {
                return false;
            }
        }
        self.triangles[first as usize] = new[0];
        self.triangles[second as usize] = new[1];
        self.fans[a as usize].retain(|&t| t != second);
        self.fans[b as usize].retain(|&t| t != first);
        self.fans[c as usize].push(second);
        self.fans[d as usize].push(first);
        true
    }

    /// Without dead points and triangles.
    pub(super) fn compacted(&self) -> Net {
        let mut new_of = vec![u32::MAX; self.points.len()];
        let mut net = Net::default();
        for (p, fan) in self.fans.iter().enumerate() {
            if !fan.is_empty() {
                new_of[p] = net.points.len() as u32;
                net.points.push(self.points[p]);
            }
        }
        net.triangles = self
            .triangles
            .iter()
            .zip(&self.is_dead)
            .filter(|(_, dead)| !**dead)
            .map(|(t, _)| t.map(|p| new_of[p as usize]))
            .collect();
        net
    }
}
