//! Where the point of a collapsed edge goes: the least squared distance to the planes that it
//! stands for (Garland and Heckbert 1997), outside the planes of the faces that it replaces.

use glam::{DMat3, DVec3};

/// `½ xᵀ A x − b·x`: sums of squared distances to planes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quadric {
    a: DMat3,
    b: DVec3,
    c: f64,
}

impl Quadric {
    /// Of no plane. (A matrix's own default is the identity.)
    pub(super) const ZERO: Self = Self { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0 };

    /// Of a plane through a point, weighted.
    pub(super) fn plane(normal: DVec3, point: DVec3, weight: f64) -> Self {
        let n = normal;
        let d = n.dot(point);
        Self {
            a: DMat3::from_cols(n * n.x, n * n.y, n * n.z) * weight,
            b: n * (d * weight),
            c: d * d * weight,
        }
    }

    /// Of a place: squared distances to it.
    pub(super) fn point(place: DVec3, weight: f64) -> Self {
        Self { a: DMat3::IDENTITY * weight, b: place * weight, c: place.length_squared() * weight }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { a: self.a + other.a, b: self.b + other.b, c: self.c + other.c }
    }

    pub(super) fn at(&self, x: DVec3) -> f64 {
        (x.dot(self.a * x) - 2.0 * self.b.dot(x) + self.c).max(0.0)
    }

    /// Its least place where `normals · x = values` holds; up to three of them.
    fn least_on(&self, planes: &[(DVec3, f64)]) -> Option<DVec3> {
        let n = 3 + planes.len();
        let mut m = [[0.0; 7]; 6];
        for row in 0..3 {
            m[row][..3].copy_from_slice(&self.a.row(row).to_array());
            m[row][n] = self.b[row];
            for (i, (normal, value)) in planes.iter().enumerate() {
                m[row][3 + i] = normal[row];
                m[3 + i][row] = normal[row];
                m[3 + i][n] = *value;
            }
        }
        let size = (0..3).fold(1e-300f64, |size, i| size.max(m[i][i].abs()));
        for pivot in 0..n {
            let best =
                (pivot..n).max_by(|&x, &y| m[x][pivot].abs().total_cmp(&m[y][pivot].abs()))?;
            m.swap(pivot, best);
            if m[pivot][pivot].abs() < 1e-10 * size.min(1.0) {
                return None;
            }
            for row in 0..n {
                if row != pivot {
                    let factor = m[row][pivot] / m[pivot][pivot];
                    let of_pivot = m[pivot];
                    for (own, other) in m[row].iter_mut().zip(of_pivot).skip(pivot) {
                        *own -= factor * other;
                    }
                }
            }
        }
        let x = DVec3::new(m[0][n] / m[0][0], m[1][n] / m[1][1], m[2][n] / m[2][2]);
        x.is_finite().then_some(x)
    }

    /// Its least place on the `equal` planes.
    pub(super) fn least(&self, equal: &[(DVec3, f64)]) -> Option<DVec3> {
        self.least_on(equal)
    }

    /// Its least place on the `equal` plane, if any, and outside of the others
    /// (`normal · x ≥ value`): the best of all corners, edges and faces of what they leave.
    pub(super) fn least_outside(
        &self,
        equal: Option<(DVec3, f64)>,
        outside: &[(DVec3, f64)],
        slack: f64,
    ) -> Option<DVec3> {
        let mut best: Option<(f64, DVec3)> = None;
        let mut planes: Vec<(DVec3, f64)> = equal.into_iter().collect();
        let free = 3 - planes.len();
        self.try_planes(&mut planes, outside, (0, free, slack), &mut best);
        best.map(|(_, place)| place)
    }

    fn try_planes(
        &self,
        planes: &mut Vec<(DVec3, f64)>,
        outside: &[(DVec3, f64)],
        (first, free, slack): (usize, usize, f64),
        best: &mut Option<(f64, DVec3)>,
    ) {
        if let Some(place) = self.least_on(planes) {
            let is_outside =
                outside.iter().all(|(normal, value)| normal.dot(place) >= value - slack);
            let cost = self.at(place);
            if is_outside && best.is_none_or(|(known, _)| cost < known) {
                *best = Some((cost, place));
            }
            // Nothing on fewer freedoms is better than a least place that is allowed.
            if is_outside {
                return;
            }
        }
        if free == 0 {
            return;
        }
        for index in first..outside.len() {
            planes.push(outside[index]);
            self.try_planes(planes, outside, (index + 1, free - 1, slack), best);
            planes.pop();
        }
    }
}
