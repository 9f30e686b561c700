//! From a mesh to closed surfaces that a body is inside of.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use crate::mesh::Joined;

/// Pieces whose holes are larger than this, over their area, are no bodies.
const MOST_HOLE: f64 = 0.1;

/// Pieces whose volume is less than this, over the 1.5th power of their area, are none either. A
/// ball has .094, a standing human about .03, a tube a thousand times as long as its radius .006.
const LEAST_BULK: f64 = 0.005;

/// The triangles of all pieces that are bodies, and of the fans over their holes, all facing
/// outwards.
pub(super) fn closed_triangles(points: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut pieces = Joined::new(points.len());
    for &[a, b, c] in triangles {
        pieces.join(a, b);
        pieces.join(b, c);
    }
    // Of each piece the surface and the lids over its holes.
    let mut of_piece: BTreeMap<u32, [Vec<[u32; 3]>; 2]> = BTreeMap::new();
    for &triangle in triangles {
        of_piece.entry(pieces.root(triangle[0])).or_default()[0].push(triangle);
    }
    for lid in lids(points.len(), triangles) {
        of_piece.entry(pieces.root(lid[0])).or_default()[1].push(lid);
    }
    of_piece.into_values().filter_map(|piece| closed_piece(points, piece)).flatten().collect()
}

fn closed_piece(points: &[Vec3], [mut piece, lids]: [Vec<[u32; 3]>; 2]) -> Option<Vec<[u32; 3]>> {
    let area = |triangles: &[[u32; 3]]| -> f64 {
        triangles.iter().map(|triangle| area_vector(points, triangle).length()).sum()
    };
    let (surface, hole) = (area(&piece), area(&lids));
    piece.extend(lids);
    let volume = volume(points, &piece);
    // What is not a number is no body.
    let is_body = hole <= MOST_HOLE * surface && volume.abs() >= LEAST_BULK * surface.powf(1.5);
    if !is_body || surface == 0.0 {
        return None;
    }
    if volume < 0.0 {
        for [_, b, c] in &mut piece {
            std::mem::swap(b, c);
        }
    }
    Some(piece)
}

/// Fans over the holes: triangles that have every open side the other way round.
fn lids(num_points: usize, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    // Each side by its lower and its higher point, and whether a triangle runs along it from the
    // lower one.
    let mut sides: Vec<([u32; 2], i32)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .filter(|[from, to]| from != to)
        .map(|[from, to]| ([from.min(to), from.max(to)], if from < to { 1 } else { -1 }))
        .collect();
    sides.sort_unstable();
    let open: Vec<([u32; 2], i32)> = sides
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|side| side.1).sum()))
        .filter(|&(_, count)| count != 0)
        .collect();
    let mut holes = Joined::new(num_points);
    for &([low, high], _) in &open {
        holes.join(low, high);
    }
    let mut lids = Vec::with_capacity(open.len());
    for ([low, high], count) in open {
        let [from, to] = if count > 0 { [high, low] } else { [low, high] };
        let apex = holes.root(low);
        if apex != from && apex != to {
            lids.extend(std::iter::repeat_n([apex, from, to], count.unsigned_abs() as usize));
        }
    }
    lids
}

/// Half of the cross product of two sides.
pub(super) fn area_vector(points: &[Vec3], triangle: &[u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|point| points[point as usize].as_dvec3());
    0.5 * (b - a).cross(c - a)
}

/// Inside of closed triangles.
pub(super) fn volume(points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    // From a place on them: far from the origin nothing is lost.
    let Some(first) = triangles.first() else { return 0.0 };
    let origin = points[first[0] as usize].as_dvec3();
    let cone = |triangle: &[u32; 3]| {
        let from_origin = points[triangle[0] as usize].as_dvec3() - origin;
        area_vector(points, triangle).dot(from_origin) / 3.0
    };
    triangles.iter().map(cone).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of side 1, outwards.
    fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32);
        let sides =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    #[test]
    fn a_closed_piece_is_taken_as_it_is_and_turned_outwards() {
        let (points, mut triangles) = cube();
        assert_eq!(closed_triangles(&points, &triangles), triangles);
        for triangle in &mut triangles {
            triangle.reverse();
        }
        let closed = closed_triangles(&points, &triangles);
        assert!((volume(&points, &closed) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn small_holes_are_closed_and_large_ones_are_no_bodies() {
        let (mut points, mut triangles) = cube();
        // A long box without one end: a hole of 1 beside 41.
        for point in &mut points {
            point.y *= 10.0;
        }
        let without = |end: f32, triangles: &mut Vec<[u32; 3]>| {
            triangles.retain(|t| !t.iter().all(|&p| points[p as usize].y == end));
        };
        without(10.0, &mut triangles);
        let closed = closed_triangles(&points, &triangles);
        assert_eq!(closed.len(), 12);
        assert!((volume(&points, &closed) - 10.0).abs() < 1e-9, "{}", volume(&points, &closed));
        // A tube: two holes, each with a fan of its own.
        without(0.0, &mut triangles);
        let closed = closed_triangles(&points, &triangles);
        assert!((volume(&points, &closed) - 10.0).abs() < 1e-9);
        // As short as wide, a third of it is missing.
        for point in &mut points {
            point.y *= 0.1;
        }
        assert!(closed_triangles(&points, &triangles).is_empty());
    }

    #[test]
    fn many_pieces_are_closed_each_by_itself() {
        let (cube, mut sides) = cube();
        // Half of an end.
        sides.remove(7);
        let num = 2_000;
        let place = |p: &Vec3, i: u32| Vec3::new(p.x, 10.0 * p.y, p.z + 2.0 * i as f32);
        let points: Vec<Vec3> =
            (0..num).flat_map(|i| cube.iter().map(move |p| place(p, i))).collect();
        let triangles: Vec<[u32; 3]> = (0..num)
            .flat_map(|i| sides.iter().map(move |t| t.map(|point| point + 8 * i)))
            .collect();
        let closed = closed_triangles(&points, &triangles);
        assert_eq!(closed.len(), 12 * num as usize);
        assert!((volume(&points, &closed) / (10.0 * f64::from(num)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn sheets_and_coats_are_no_bodies_and_nothing_panics() {
        let (mut points, triangles) = cube();
        assert!(closed_triangles(&points, &triangles[..2]).is_empty());
        assert!(closed_triangles(&points, &[[0, 0, 0], [1, 1, 2]]).is_empty());
        assert!(closed_triangles(&points, &[]).is_empty());
        for point in &mut points {
            point.y *= 1e-3;
        }
        assert!(closed_triangles(&points, &triangles).is_empty());
        points[3] = Vec3::NAN;
        assert!(closed_triangles(&points, &triangles).is_empty());
    }
}
