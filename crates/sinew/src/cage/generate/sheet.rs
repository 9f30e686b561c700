//! A triangle mesh whose edges can be collapsed.

use glam::DVec3;

/// Points, faces, and which faces each point has.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub(super) points: Vec<DVec3>,
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) is_gone: Vec<bool>,
    pub(super) faces_of: Vec<Vec<u32>>,
    pub(super) num_faces: usize,
}

impl Sheet {
    /// Finds the faces of each point.
    pub(super) fn link(&mut self) {
        self.is_gone = vec![false; self.faces.len()];
        self.faces_of = vec![Vec::new(); self.points.len()];
        for (face, corners) in (0u32..).zip(&self.faces) {
            corners.iter().for_each(|&corner| self.faces_of[corner as usize].push(face));
        }
        self.num_faces = self.faces.len();
    }

    pub(super) fn corners(&self, face: u32) -> [u32; 3] {
        self.faces[face as usize]
    }

    /// Points that share an edge with one, ascending.
    pub(super) fn neighbors(&self, point: u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.faces_of[point as usize]
            .iter()
            .flat_map(|&face| self.corners(face))
            .filter(|&other| other != point)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The faces on both sides of an edge.
    pub(super) fn faces_of_edge(&self, a: u32, b: u32) -> Vec<u32> {
        let of_a = self.faces_of[a as usize].iter().copied();
        of_a.filter(|&face| self.corners(face).contains(&b)).collect()
    }

    /// True if an edge can be collapsed and leave a two-manifold (the link condition).
    pub(super) fn can_collapse(&self, a: u32, b: u32, is_rim: impl Fn(u32) -> bool) -> bool {
        let between = self.faces_of_edge(a, b);
        let both_on_rim = is_rim(a) && is_rim(b);
        // An edge across from rim to rim would pinch the sheet.
        if between.is_empty() || (both_on_rim && between.len() != 1) {
            return false;
        }
        let of_b = self.neighbors(b);
        let common: Vec<u32> = self
            .neighbors(a)
            .into_iter()
            .filter(|other| of_b.binary_search(other).is_ok())
            .collect();
        if common.len() != between.len() {
            return false;
        }
        // Two faces that would become one, on either side of nothing.
        let opposite = |face: u32, of: u32| -> Vec<u32> {
            let mut others: Vec<u32> =
                self.corners(face).into_iter().filter(|&c| c != of).collect();
            others.sort_unstable();
            others
        };
        let of_a: Vec<Vec<u32>> = self.faces_of[a as usize]
            .iter()
            .filter(|face| !between.contains(face))
            .map(|&face| opposite(face, a))
            .collect();
        !self.faces_of[b as usize]
            .iter()
            .filter(|face| !between.contains(face))
            .any(|&face| of_a.contains(&opposite(face, b)))
    }

    /// Moves `a` to a place and gives it what `b` had.
    pub(super) fn collapse(&mut self, a: u32, b: u32, place: DVec3) {
        for face in self.faces_of_edge(a, b) {
            self.is_gone[face as usize] = true;
            self.num_faces -= 1;
            for corner in self.corners(face) {
                self.faces_of[corner as usize].retain(|&other| other != face);
            }
        }
        for face in std::mem::take(&mut self.faces_of[b as usize]) {
            for corner in &mut self.faces[face as usize] {
                if *corner == b {
                    *corner = a;
                }
            }
            self.faces_of[a as usize].push(face);
        }
        self.points[a as usize] = place;
    }

    pub(super) fn normal(&self, face: u32) -> DVec3 {
        let [a, b, c] = self.corners(face).map(|corner| self.points[corner as usize]);
        (b - a).cross(c - a)
    }

    /// What is left, numbered anew.
    pub(super) fn compact(&self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let mut number = vec![u32::MAX; self.points.len()];
        let mut points = Vec::new();
        let mut faces = Vec::new();
        for (corners, _) in self.faces.iter().zip(&self.is_gone).filter(|(_, gone)| !**gone) {
            faces.push(corners.map(|corner| {
                let known = &mut number[corner as usize];
                if *known == u32::MAX {
                    *known = points.len() as u32;
                    points.push(self.points[corner as usize]);
                }
                *known
            }));
        }
        (points, faces)
    }
}
