//! Partners by the triangles alone: from an edge in the middle, triangle by triangle to both sides.
//!
//! Where the triangles of one half are those of the other seen in a mirror, every point finds its
//! partner, however far one half was moved from the other's image. Where two ways disagree, or the
//! halves differ, there is none.

use std::collections::VecDeque;

use crate::mesh::{Adjacency, Mesh};

use super::MirrorPlane;

/// Edges in the middle that are tried as a start.
const NUM_STARTS: usize = 16;

/// For each point its partner, itself in the middle; `None` where there is none.
pub(super) fn partners(mesh: &Mesh, plane: &MirrorPlane) -> Vec<Option<u32>> {
    let points = mesh.points();
    let triangles = mesh.point_triangles();
    let adjacency = Adjacency::of(mesh);
    let height = |point: u32| plane.height(points[point as usize].as_dvec3()).abs();
    let corner = |triangle: u32, [a, b]: [u32; 2]| {
        triangles[triangle as usize].into_iter().find(|&corner| corner != a && corner != b)
    };
    // Edges with a triangle on either side, the nearest to being in the middle first.
    let mut starts: Vec<(f64, [u32; 2], [u32; 2])> = adjacency
        .edges()
        .iter()
        .filter_map(|edge| {
            let beside: Vec<u32> = edge.triangles().collect();
            let [one, two] = beside[..] else { return None };
            let [c, d] = [corner(one, edge.points)?, corner(two, edge.points)?];
            let image = plane.image(points[c as usize].as_dvec3());
            let off = image.distance(points[d as usize].as_dvec3());
            let [a, b] = edge.points;
            Some((height(a) + height(b) + off, edge.points, [c, d]))
        })
        .collect();
    starts.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut best = vec![None; points.len()];
    let mut most = 0;
    for &(_, edge, beside) in starts.iter().take(NUM_STARTS) {
        let found = flood(points.len(), triangles, &adjacency, edge, beside);
        let number = found.iter().flatten().count();
        if number > most {
            (most, best) = (number, found);
        }
        if most == points.len() {
            break;
        }
    }
    best
}

fn flood(
    num_points: usize,
    triangles: &[[u32; 3]],
    adjacency: &Adjacency,
    [a, b]: [u32; 2],
    [c, d]: [u32; 2],
) -> Vec<Option<u32>> {
    let mut partner: Vec<Option<u32>> = vec![None; num_points];
    let mut is_torn = vec![false; num_points];
    let mut join = |partner: &mut Vec<Option<u32>>, x: u32, y: u32| -> bool {
        let known = [partner[x as usize], partner[y as usize]];
        match known {
            [None, None] => {
                (partner[x as usize], partner[y as usize]) = (Some(y), Some(x));
                true
            }
            [Some(of_x), Some(of_y)] if of_x == y && of_y == x => true,
            _ => {
                is_torn[x as usize] = true;
                is_torn[y as usize] = true;
                false
            }
        }
    };
    for (x, y) in [(a, a), (b, b), (c, d)] {
        join(&mut partner, x, y);
    }
    // A pair of edges, and the triangles that were crossed to come to them.
    let triangle_of = |edge: [u32; 2], other_than: Option<u32>, with: Option<u32>| {
        adjacency.fan(edge[0] as usize).iter().copied().find(|&triangle| {
            let corners = triangles[triangle as usize];
            corners.contains(&edge[1])
                && Some(triangle) != other_than
                && with.is_none_or(|point| corners.contains(&point))
        })
    };
    let mut queue = VecDeque::new();
    let (one, two) = (triangle_of([a, b], None, Some(c)), triangle_of([a, b], None, Some(d)));
    if let (Some(one), Some(two)) = (one, two) {
        queue.push_back((one, two));
    }
    let mut is_done = vec![false; triangles.len()];
    while let Some((one, two)) = queue.pop_front() {
        if std::mem::replace(&mut is_done[one as usize], true) {
            continue;
        }
        let corners = triangles[one as usize];
        for at in 0..3 {
            let edge = [corners[at], corners[(at + 1) % 3]];
            let [Some(x), Some(y)] = edge.map(|point| partner[point as usize]) else { continue };
            let beside = triangle_of(edge, Some(one), None);
            let beside_two = triangle_of([x, y], Some(two), None);
            let (Some(beside), Some(beside_two)) = (beside, beside_two) else { continue };
            if is_done[beside as usize] {
                continue;
            }
            let far = |triangle: u32, edge: [u32; 2]| {
                triangles[triangle as usize].into_iter().find(|corner| !edge.contains(corner))
            };
            if let (Some(p), Some(q)) = (far(beside, edge), far(beside_two, [x, y]))
                && join(&mut partner, p, q)
            {
                queue.push_back((beside, beside_two));
            }
        }
    }
    for (point, torn) in is_torn.iter().enumerate() {
        if *torn {
            partner[point] = None;
        }
    }
    // A partner that was torn has none either.
    (0..num_points)
        .map(|point| partner[point].filter(|&other| partner[other as usize] == Some(point as u32)))
        .collect()
}
