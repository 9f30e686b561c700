//! Isotropic remeshing with a sizing field, to an exact number of points (after Botsch & Kobbelt
//! 2004).
//!
//! Split what is longer than 4/3 of the wanted length, collapse what is shorter than 4/5, flip
//! towards valence six, then relax along the surface and project back onto the clay. The wanted
//! length is scaled from round to round until the count is near; the last few points go by
//! collapsing the shortest or splitting the longest edges, which is exact.

use glam::DVec3;
use rayon::prelude::*;

use super::half_mesh::HalfMesh;
use super::nets::{Net, Nets};

const LONG: f64 = 4.0 / 3.0;
const SHORT: f64 = 4.0 / 5.0;
const ROUNDS: usize = 8;
const FINAL_ROUNDS: usize = 4;

/// Remeshes the half body `net` so that the mirrored whole has exactly `num_points` points.
/// `size_at` is the wanted edge length at a place, up to a common factor.
pub(super) fn remesh(
    nets: &Nets<'_>,
    net: Net,
    num_points: usize,
    size_at: impl Fn(DVec3) -> f64 + Sync,
) -> Net {
    let mut mesh = HalfMesh::new(net, &size_at);
    let mut scale = first_scale(&mesh, num_points);
    // From dense to coarse in steps: collapsing everything at once leaves long thin triangles.
    for fraction in [0.3, 0.5, 0.75] {
        collapse_short(&mut mesh, scale * fraction);
    }
    mesh = HalfMesh::new(mesh.compacted(), &size_at);
    for round in 0..ROUNDS {
        split_long(&mut mesh, scale);
        collapse_short(&mut mesh, scale);
        mesh = HalfMesh::new(mesh.compacted(), &size_at);
        flip(&mut mesh, lowers_valence_error);
        relax(&mut mesh, nets);
        let ratio = mesh.num_mirrored_points() as f64 / num_points as f64;
        if round + 2 < ROUNDS {
            scale *= ratio.sqrt().clamp(0.5, 2.0);
        }
    }
    make_exact(&mut mesh, num_points);
    for _ in 0..FINAL_ROUNDS {
        flip(&mut mesh, is_not_delaunay);
        relax(&mut mesh, nets);
    }
    flip(&mut mesh, is_not_delaunay);
    unfold(&mut mesh);
    mesh.compacted()
}

/// An even mesh has √3/2 · length² of area a point.
fn first_scale(mesh: &HalfMesh, num_points: usize) -> f64 {
    let area: f64 = (0..mesh.triangles.len() as u32)
        .map(|t| {
            let size = mesh.triangles[t as usize].map(|p| mesh.sizes[p as usize]);
            0.5 * mesh.area_normal(t).length() / ((size[0] + size[1] + size[2]) / 3.0).powi(2)
        })
        .sum();
    (2.0 * area / (0.75f64.sqrt() * num_points as f64)).sqrt()
}

fn split_long(mesh: &mut HalfMesh, scale: f64) {
    for _ in 0..8 {
        let mut split_any = false;
        for [a, b] in mesh.edges() {
            if mesh.relative_length(a, b) > LONG * scale && mesh.is_edge(a, b) {
                mesh.split(a, b);
                split_any = true;
            }
        }
        if !split_any {
            break;
        }
    }
}

fn collapse_short(mesh: &mut HalfMesh, scale: f64) {
    for _ in 0..3 {
        let mut collapsed_any = false;
        for [a, b] in mesh.edges() {
            if mesh.fans[a as usize].is_empty() || mesh.fans[b as usize].is_empty() {
                continue;
            }
            if mesh.relative_length(a, b) < SHORT * scale && mesh.is_edge(a, b) {
                collapsed_any |=
                    mesh.collapse(b, a, LONG * scale) || mesh.collapse(a, b, LONG * scale);
            }
        }
        if !collapsed_any {
            break;
        }
    }
}

fn flip(mesh: &mut HalfMesh, better: impl Fn(&HalfMesh, [u32; 2], [u32; 2]) -> bool) {
    for _ in 0..2 {
        let mut flipped_any = false;
        for [a, b] in mesh.edges() {
            if mesh.is_edge(a, b) {
                flipped_any |= mesh.flip_if(a, b, &better);
            }
        }
        if !flipped_any {
            break;
        }
    }
}

fn lowers_valence_error(mesh: &HalfMesh, ends: [u32; 2], opposite: [u32; 2]) -> bool {
    let error = |p: u32, change: i64| {
        // A seam point has half its triangles in this half.
        let wanted = if mesh.on_seam[p as usize] { 3 } else { 6 };
        (mesh.fans[p as usize].len() as i64 + change - wanted).pow(2)
    };
    let sum = |end: i64, other: i64| {
        ends.iter().map(|&p| error(p, end)).sum::<i64>()
            + opposite.iter().map(|&p| error(p, other)).sum::<i64>()
    };
    sum(-1, 1) < sum(0, 0)
}

fn is_not_delaunay(mesh: &HalfMesh, [a, b]: [u32; 2], opposite: [u32; 2]) -> bool {
    let at = |p: u32| mesh.points[p as usize];
    let angle = |p: u32| (at(a) - at(p)).angle_between(at(b) - at(p));
    // Not at exactly π: a square's diagonals would flip back and forth.
    angle(opposite[0]) + angle(opposite[1]) > std::f64::consts::PI + 1e-6
}

/// Moves every point to the middle of its surroundings, along the surface, and back onto the clay.
fn relax(mesh: &mut HalfMesh, nets: &Nets<'_>) {
    let moved: Vec<DVec3> = (0..mesh.points.len() as u32)
        .into_par_iter()
        .map(|point| relaxed(mesh, nets, point))
        .collect();
    let mut target = moved;
    let mut normals = vec![DVec3::ZERO; mesh.points.len()];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        if !mesh.is_dead[t] {
            for &p in corners {
                normals[p as usize] += mesh.area_normal(t as u32);
            }
        }
    }
    // A move that folds a triangle against its surroundings is taken back, with its neighbours';
    // few rounds settle it. A triangle that is folded already may move if that helps.
    for _ in 0..4 {
        let mut undone = Vec::new();
        for (t, corners) in mesh.triangles.iter().enumerate() {
            if mesh.is_dead[t] {
                continue;
            }
            let [a, b, c] = corners.map(|p| target[p as usize]);
            let around: DVec3 =
                corners.iter().map(|&p| normals[p as usize].normalize_or_zero()).sum();
            let cosine = |n: DVec3| n.normalize_or_zero().dot(around.normalize_or_zero());
            let new = cosine((b - a).cross(c - a));
            if new < 0.3 && new < cosine(mesh.area_normal(t as u32)) {
                undone.extend(*corners);
            }
        }
        if undone.is_empty() {
            break;
        }
        for p in undone {
            target[p as usize] = mesh.points[p as usize];
        }
    }
    mesh.points = target;
}

/// Smooths out what is still folded, in the web of a thumb or a fold of cloth: points of such
/// triangles go to the middle of their ring, off the clay by a little.
fn unfold(mesh: &mut HalfMesh) {
    /// Cosine between a triangle and the surface around a corner, below which it counts as folded.
    const FOLDED: f64 = 0.2;
    let mut ring = Vec::new();
    for _ in 0..10 {
        let mut normals = vec![DVec3::ZERO; mesh.points.len()];
        let live = |mesh: &HalfMesh| {
            (0..mesh.triangles.len()).filter(|&t| !mesh.is_dead[t]).collect::<Vec<_>>()
        };
        for t in live(mesh) {
            for p in mesh.triangles[t] {
                normals[p as usize] += mesh.area_normal(t as u32);
            }
        }
        let mut folded: Vec<u32> = live(mesh)
            .into_iter()
            .filter(|&t| {
                let normal = mesh.area_normal(t as u32).normalize_or_zero();
                mesh.triangles[t]
                    .iter()
                    .any(|&p| normals[p as usize].normalize_or_zero().dot(normal) < FOLDED)
            })
            .flat_map(|t| mesh.triangles[t])
            .filter(|&p| !mesh.on_seam[p as usize])
            .collect();
        folded.sort_unstable();
        folded.dedup();
        if folded.is_empty() {
            break;
        }
        let mut moved = Vec::with_capacity(folded.len());
        for &p in &folded {
            mesh.ring(p, &mut ring);
            let sum: DVec3 = ring.iter().map(|&q| mesh.points[q as usize]).sum();
            moved.push(mesh.points[p as usize].lerp(sum / ring.len() as f64, 0.5));
        }
        for (p, to) in folded.into_iter().zip(moved) {
            mesh.points[p as usize] = to;
        }
    }
}

fn relaxed(mesh: &HalfMesh, nets: &Nets<'_>, point: u32) -> DVec3 {
    let index = point as usize;
    let start = mesh.points[index];
    if mesh.fans[index].is_empty() {
        return start;
    }
    let on_seam = mesh.on_seam[index];
    let mut sum = DVec3::ZERO;
    let mut normal = DVec3::ZERO;
    let mut total = 0.0;
    for &triangle in &mesh.fans[index] {
        let corners = mesh.triangles[triangle as usize];
        let area_normal = mesh.area_normal(triangle);
        normal += area_normal;
        if on_seam {
            for p in corners.into_iter().filter(|&p| p != point && mesh.on_seam[p as usize]) {
                sum += mesh.points[p as usize];
                total += 1.0;
            }
        } else {
            let size = corners.iter().map(|&p| mesh.sizes[p as usize]).sum::<f64>() / 3.0;
            let weight = area_normal.length() / (size * size);
            let [a, b, c] = mesh.corners(triangle);
            sum += weight * (a + b + c) / 3.0;
            total += weight;
        }
    }
    if total <= 0.0 {
        return start;
    }
    let normal = normal.normalize_or_zero();
    let step = (sum / total - start).reject_from_normalized(normal);
    let mut p = start + step * if on_seam { 0.5 } else { 0.9 };
    if on_seam {
        p.x = 0.0;
    }
    let (mut landed, _) = nets.project(p, on_seam);
    if on_seam {
        landed.x = 0.0;
    } else if landed.x < 0.2 * start.x {
        // Never across the mirror plane.
        return start;
    }
    landed
}

/// Collapses the shortest or splits the longest edges until the mirrored whole has exactly
/// `num_points` points.
fn make_exact(mesh: &mut HalfMesh, num_points: usize) {
    // Each round changes a fraction of the excess spread over the body; 200 bounds what a bad shape
    // could cost.
    for _ in 0..200 {
        let excess = mesh.num_mirrored_points() as i64 - num_points as i64;
        if excess == 0 {
            return;
        }
        let mut edges: Vec<(f64, u32, u32)> = mesh
            .edges()
            .into_iter()
            .filter(|&[a, b]| {
                let (a, b) = (mesh.on_seam[a as usize], mesh.on_seam[b as usize]);
                // An odd excess needs one point on the seam, where points count once.
                if excess % 2 != 0 { a && b } else { !(a && b) }
            })
            .map(|[a, b]| (mesh.relative_length(a, b), a, b))
            .collect();
        edges.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        if excess < 0 {
            edges.reverse();
        }
        let mut left =
            if excess % 2 != 0 { 1 } else { (excess.abs() / 2).min(edges.len() as i64 / 8) };
        left = left.max(1);
        let mut touched = vec![false; mesh.points.len()];
        for (_, a, b) in edges {
            if left == 0 {
                break;
            }
            if touched[a as usize] || touched[b as usize] || !mesh.is_edge(a, b) {
                continue;
            }
            let done = if excess > 0 {
                mesh.collapse(b, a, f64::INFINITY) || mesh.collapse(a, b, f64::INFINITY)
            } else {
                mesh.split(a, b);
                true
            };
            if done {
                left -= 1;
                touched[a as usize] = true;
                touched[b as usize] = true;
                let mut ring = Vec::new();
                for p in [a, b] {
                    mesh.ring(p, &mut ring);
                    for &q in &ring {
                        if let Some(t) = touched.get_mut(q as usize) {
                            *t = true;
                        }
                    }
                }
            }
        }
    }
}
