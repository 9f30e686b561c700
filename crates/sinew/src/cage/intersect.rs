//! Triangles that go through one another.
//!
//! Two triangles without a common corner intersect where an edge of one goes through the other, or
//! where they overlap in a plane. With one common corner the opposite edges are tested; with a
//! common edge they intersect only if they fold onto one another.

use glam::DVec3;

use super::Cage;

/// Distances below this share of the cage's diagonal touch.
const TOUCH: f64 = 1e-10;

/// Every pair of faces of which a triangle goes through one of the other.
pub(super) fn intersecting_faces(cage: &Cage) -> Vec<[u32; 2]> {
    let triangles: Vec<(u32, [u32; 3])> = cage
        .faces()
        .iter()
        .enumerate()
        .flat_map(|(face, of)| of.triangles().map(move |triangle| (face as u32, triangle)))
        .collect();
    let corners: Vec<[u32; 3]> = triangles.iter().map(|&(_, triangle)| triangle).collect();
    let mut pairs: Vec<[u32; 2]> = intersecting_triangles(cage.points(), &corners, cage.diagonal())
        .into_iter()
        .map(|[a, b]| [triangles[a].0, triangles[b].0])
        .filter(|[a, b]| a != b)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Every pair of triangles that go through one another: all whose boxes meet are tested.
pub(super) fn intersecting_triangles(
    points: &[DVec3],
    triangles: &[[u32; 3]],
    diagonal: f64,
) -> Vec<[usize; 2]> {
    let touch = TOUCH * diagonal;
    let bounds: Vec<[DVec3; 2]> = triangles.iter().map(|t| bounds_of(points, t, touch)).collect();
    // Along x in order: a triangle meets only those that begin before it ends.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_unstable_by(|&a, &b| bounds[a][0].x.total_cmp(&bounds[b][0].x));
    let mut pairs = Vec::new();
    for (place, &a) in order.iter().enumerate() {
        for &b in &order[place + 1..] {
            if bounds[b][0].x > bounds[a][1].x {
                break;
            }
            let meet =
                bounds[a][0].cmple(bounds[b][1]).all() && bounds[b][0].cmple(bounds[a][1]).all();
            if meet && do_intersect(points, &triangles[a], &triangles[b], touch) {
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn bounds_of(points: &[DVec3], triangle: &[u32; 3], margin: f64) -> [DVec3; 2] {
    let [a, b, c] = triangle.map(|corner| points[corner as usize]);
    [a.min(b).min(c) - margin, a.max(b).max(c) + margin]
}

/// True if two triangles meet elsewhere than in what they share.
pub(super) fn do_intersect(
    points: &[DVec3],
    first: &[u32; 3],
    second: &[u32; 3],
    touch: f64,
) -> bool {
    let at = |triangle: &[u32; 3]| triangle.map(|corner| points[corner as usize]);
    let shared: Vec<u32> = first.iter().copied().filter(|corner| second.contains(corner)).collect();
    let (p, q) = (at(first), at(second));
    match shared.len() {
        0 => {
            sides(&p).iter().any(|side| goes_through(*side, &q, touch))
                || sides(&q).iter().any(|side| goes_through(*side, &p, touch))
                || overlap_in_plane(&p, &q, touch)
        }
        1 => {
            let opposite = |triangle: &[u32; 3]| {
                let others: Vec<DVec3> = triangle
                    .iter()
                    .filter(|corner| **corner != shared[0])
                    .map(|&corner| points[corner as usize])
                    .collect();
                [others[0], others[1]]
            };
            goes_through(opposite(first), &q, touch) || goes_through(opposite(second), &p, touch)
        }
        2 => {
            let apex = |triangle: &[u32; 3]| {
                triangle.iter().find(|corner| !shared.contains(corner)).map(|&c| points[c as usize])
            };
            let [a, b] = [points[shared[0] as usize], points[shared[1] as usize]];
            let (Some(x), Some(y)) = (apex(first), apex(second)) else { return true };
            let along = (b - a).normalize_or_zero();
            let from_edge = |p: DVec3| (p - a) - along * (p - a).dot(along);
            let (x, y) = (from_edge(x), from_edge(y));
            let sine = x.cross(y).length();
            // Folded flat onto one another.
            x.dot(y) > 0.0 && sine <= 1e-9 * x.length() * y.length()
        }
        _ => true,
    }
}

fn sides(t: &[DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// True if a segment crosses the inside of a triangle.
fn goes_through([from, to]: [DVec3; 2], t: &[DVec3; 3], touch: f64) -> bool {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
    let (start, end) = (normal.dot(from - t[0]), normal.dot(to - t[0]));
    // Beside the plane, or in it.
    if start * end > 0.0 || (start - end).abs() <= touch {
        return false;
    }
    let at = from + (to - from) * (start / (start - end));
    sides(t).iter().all(|[a, b]| {
        let inwards = normal.cross(*b - *a).normalize_or_zero();
        inwards.dot(at - *a) >= -touch
    })
}

/// True if two triangles lie in one plane and overlap there.
fn overlap_in_plane(p: &[DVec3; 3], q: &[DVec3; 3], touch: f64) -> bool {
    let normal = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
    if q.iter().any(|corner| normal.dot(*corner - p[0]).abs() > touch) {
        return false;
    }
    // No side of either separates them.
    let separates = |triangle: &[DVec3; 3], other: &[DVec3; 3]| {
        let n = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalize_or_zero();
        sides(triangle).iter().any(|[a, b]| {
            let inwards = n.cross(*b - *a).normalize_or_zero();
            other.iter().all(|corner| inwards.dot(*corner - *a) <= touch)
        })
    };
    !separates(p, q) && !separates(q, p)
}
