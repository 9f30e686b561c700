//! Polygons to triangles: ear clipping, so that concave ones keep their outline.
//!
//! Ear clipping is O(n³) at worst; past a size no modeller draws by hand a fan does, which keeps
//! the time linear.

use glam::{DVec2, DVec3, Vec3};

/// Larger polygons are fanned.
const MAX_CLIPPED_CORNERS: usize = 64;

/// Calls `emit` with the corners (positions in `corners`) of each of the `n − 2` triangles.
pub(crate) fn triangulate(corners: &[Vec3], mut emit: impl FnMut([usize; 3])) {
    match corners.len() {
        0..=2 => return,
        3 => return emit([0, 1, 2]),
        _ => {}
    }
    let fan = |emit: &mut dyn FnMut([usize; 3])| {
        for k in 1..corners.len() - 1 {
            emit([0, k, k + 1]);
        }
    };
    if corners.len() > MAX_CLIPPED_CORNERS {
        return fan(&mut emit);
    }
    // On the stack: a scan has millions of quads.
    let mut room = [DVec2::ZERO; MAX_CLIPPED_CORNERS];
    let flat = &mut room[..corners.len()];
    if !flatten(corners, flat) {
        return fan(&mut emit);
    }
    let mut room = [0; MAX_CLIPPED_CORNERS];
    let mut left = &mut room[..corners.len()];
    for (k, corner) in left.iter_mut().enumerate() {
        *corner = k;
    }
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|&k| is_ear(flat, left, k));
        // A polygon that crosses itself may have none: any corner then, to end with n − 2 triangles
        // all the same.
        let k = ear.unwrap_or(1);
        emit([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]);
        left.copy_within(k + 1.., k);
        left = &mut left[..n - 1];
    }
    emit([left[0], left[1], left[2]]);
}

/// The corners in the polygon's own plane, counter-clockwise; false if it has no area.
fn flatten(corners: &[Vec3], flat: &mut [DVec2]) -> bool {
    let point = |k: usize| corners[k].as_dvec3() - corners[0].as_dvec3();
    // Newell: the sum of cross products is the area vector of any polygon, flat or not.
    let n = corners.len();
    let area: DVec3 = (0..n).map(|k| point(k).cross(point((k + 1) % n))).sum();
    let Some(normal) = area.try_normalize() else { return false };
    let (x, y) = normal.any_orthonormal_pair();
    // The pair is right-handed with the normal.
    for (k, flat) in flat.iter_mut().enumerate() {
        *flat = DVec2::new(point(k).dot(x), point(k).dot(y));
    }
    true
}

fn is_ear(flat: &[DVec2], left: &[usize], k: usize) -> bool {
    let n = left.len();
    let [a, b, c] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]].map(|corner| flat[corner]);
    let turn = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    if turn(a, b, c) <= 0.0 {
        return false;
    }
    left.iter()
        .map(|&corner| flat[corner])
        .filter(|p| ![a, b, c].contains(p))
        .all(|p| turn(a, b, p) < 0.0 || turn(b, c, p) < 0.0 || turn(c, a, p) < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangles_of(corners: &[Vec3]) -> Vec<[usize; 3]> {
        let mut triangles = Vec::new();
        triangulate(corners, |triangle| triangles.push(triangle));
        triangles
    }

    fn areas(corners: &[Vec3], normal: Vec3) -> Vec<f32> {
        triangles_of(corners)
            .iter()
            .map(|&[a, b, c]| {
                (corners[b] - corners[a]).cross(corners[c] - corners[a]).dot(normal) * 0.5
            })
            .collect()
    }

    #[test]
    fn a_concave_polygon_keeps_its_area_and_its_winding_in_any_rotation_of_its_corners() {
        let mut arrow = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]]
            .map(|[x, y]| Vec3::new(x, y, 3.0))
            .to_vec();
        for _ in 0..4 {
            let areas = areas(&arrow, Vec3::Z);
            assert_eq!(areas.len(), 2);
            assert!(areas.iter().all(|&area| area > 0.0), "{areas:?}");
            assert!((areas.iter().sum::<f32>() - 1.5).abs() < 1e-6);
            arrow.rotate_left(1);
        }
    }

    #[test]
    fn a_clockwise_polygon_stays_clockwise() {
        let square =
            [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        assert!(areas(&square, Vec3::Z).iter().all(|&area| area < 0.0));
    }

    #[test]
    fn every_polygon_gives_two_triangles_fewer_than_corners() {
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.2, 0.1]];
        assert_eq!(triangles_of(&bow.map(|[x, y]| Vec3::new(x, y, 0.0))).len(), 3);
        assert_eq!(triangles_of(&[Vec3::ONE; 9]).len(), 7);
        assert_eq!(triangles_of(&[Vec3::NAN; 9]).len(), 7);
        assert_eq!(triangles_of(&[Vec3::ZERO; 100]).len(), 98);
        assert!(triangles_of(&[Vec3::ZERO; 2]).is_empty());
    }
}
