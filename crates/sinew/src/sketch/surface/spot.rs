//! A place on a surface that moves with it.

use glam::Vec3;

use super::Sheet;

/// A triangle, and where in it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct SurfaceSpot {
    /// Which triangle of the mesh.
    pub triangle: u32,
    /// How much of each corner; they sum to one.
    pub at: [f32; 3],
}

impl SurfaceSpot {
    /// A place in a triangle. Shares are brought to a sum of one; what has none, or is no number,
    /// is the middle.
    pub fn new(triangle: u32, barycentrics: Vec3) -> Self {
        let shares = barycentrics.max(Vec3::ZERO);
        let sum = shares.element_sum();
        let is_place = shares.is_finite() && sum > f32::MIN_POSITIVE;
        let shares = if is_place { shares / sum } else { Vec3::splat(1.0 / 3.0) };
        Self { triangle, at: shares.to_array() }
    }

    /// What of a surface is nearest to a place; `None` of a surface without triangles, or of what
    /// is no place.
    pub fn nearest(sheet: &Sheet<'_>, place: Vec3) -> Option<Self> {
        Self::nearest_of(sheet, 0..sheet.triangles.len() as u32, place)
    }

    /// The same among some of its triangles.
    pub(super) fn nearest_of(
        sheet: &Sheet<'_>,
        triangles: impl Iterator<Item = u32>,
        place: Vec3,
    ) -> Option<Self> {
        let mut nearest: Option<(f32, Self)> = None;
        for triangle in triangles {
            let corners = sheet.triangles[triangle as usize];
            let corners = corners.map(|corner| sheet.points[corner as usize]);
            let shares = nearest_in(corners, place);
            let at: Vec3 = (0..3).map(|k| shares[k] * corners[k]).sum();
            let distance = at.distance_squared(place);
            if distance.is_finite() && nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, Self { triangle, at: shares.to_array() }));
            }
        }
        nearest.map(|(_, spot)| spot)
    }

    /// True if it is of a mesh with so many triangles, and in its triangle.
    pub fn is_of(&self, num_triangles: usize) -> bool {
        /// Of what files round.
        const TOLERANCE: f32 = 1e-3;
        let is_share = |share: &f32| share.is_finite() && *share >= -TOLERANCE;
        (self.triangle as usize) < num_triangles
            && self.at.iter().all(is_share)
            && (self.at.iter().sum::<f32>() - 1.0).abs() <= TOLERANCE
    }

    /// Its place on a surface.
    pub fn place(&self, sheet: &Sheet<'_>) -> Vec3 {
        let corners = sheet.triangles[self.triangle as usize];
        (0..3).map(|k| self.at[k] * sheet.points[corners[k] as usize]).sum()
    }

    /// The surface's normal there, between those of the corners; the triangle's own where they
    /// cancel out.
    pub fn normal(&self, sheet: &Sheet<'_>) -> Vec3 {
        let corners = sheet.triangles[self.triangle as usize];
        let smooth: Vec3 = (0..3).map(|k| self.at[k] * sheet.normal(corners[k])).sum();
        let [a, b, c] = corners.map(|corner| sheet.points[corner as usize]);
        smooth.try_normalize().or_else(|| (b - a).cross(c - a).try_normalize()).unwrap_or(Vec3::Y)
    }

    /// The corner that is nearest.
    pub fn nearest_corner(&self, sheet: &Sheet<'_>) -> u32 {
        let place = self.place(sheet);
        let corners = sheet.triangles[self.triangle as usize];
        let distance = |corner: u32| sheet.points[corner as usize].distance_squared(place);
        let [a, b, c] = corners;
        let nearer = if distance(b) < distance(a) { b } else { a };
        if distance(c) < distance(nearer) { c } else { nearer }
    }
}

/// The shares of a triangle's corners at its place nearest to another (Ericson 2005, section
/// 5.1.5).
fn nearest_in([a, b, c]: [Vec3; 3], place: Vec3) -> Vec3 {
    let (ab, ac) = (b - a, c - a);
    let on_edge = |from: Vec3, way: Vec3| {
        ((place - from).dot(way) / way.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0)
    };
    let normal = ab.cross(ac);
    let squared = normal.length_squared();
    if squared > 0.0 {
        let v = (place - a).cross(ac).dot(normal) / squared;
        let w = ab.cross(place - a).dot(normal) / squared;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return Vec3::new(1.0 - v - w, v, w);
        }
    }
    let (t, u, s) = (on_edge(a, ab), on_edge(a, ac), on_edge(b, c - b));
    let of_edges =
        [Vec3::new(1.0 - t, t, 0.0), Vec3::new(1.0 - u, 0.0, u), Vec3::new(0.0, 1.0 - s, s)];
    let distance =
        |shares: &Vec3| (shares.x * a + shares.y * b + shares.z * c).distance_squared(place);
    let nearer = |x: Vec3, y: Vec3| if distance(&y) < distance(&x) { y } else { x };
    nearer(nearer(of_edges[0], of_edges[1]), of_edges[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_of_a_triangle_is_no_further_than_any_other() {
        let corners = [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.3), Vec3::new(0.4, 1.0, -0.2)];
        let at = |shares: Vec3| (0..3).map(|k| shares[k] * corners[k]).sum::<Vec3>();
        for place in [(0.5, 0.3, 1.0), (-1.0, -1.0, 0.0), (3.0, 0.2, 0.0), (1.5, 1.5, -1.0)] {
            let place = Vec3::from(place);
            let found = at(nearest_in(corners, place)).distance(place);
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (v, w) = (i as f32 / 20.0, j as f32 / 20.0);
                    let other = at(Vec3::new(1.0 - v - w, v, w)).distance(place);
                    assert!(found <= other + 1e-6, "{found} {other}");
                }
            }
        }
    }
}
