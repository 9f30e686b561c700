//! Geometry: what is not a clean surface.

use std::collections::HashMap;

use super::{Finding, Severity, listed, listed_points};
use crate::character::Part;
use crate::mesh::{Adjacency, Joined};

/// A triangle whose area is below this share of its longest edge squared is a needle or a point. An
/// f32 cross product of well-shaped edges is good to about 1e-7 of it.
const DEGENERATE_AREA_OVER_EDGE_SQUARED: f64 = 1e-6;

pub(super) fn check(part: &Part, place: &str, findings: &mut Vec<Finding>) {
    let mesh = &part.mesh;
    let adjacency = Adjacency::of(mesh);
    let mut push = |severity, code, what: &str, place: String, mend: &str, count| {
        if count > 0 {
            let (what, mend) = (what.to_owned(), mend.to_owned());
            findings.push(Finding { severity, code, what, place, mend, count });
        }
    };
    let edge = |[a, b]: [u32; 2]| format!("{a}-{b}");

    let non_manifold = adjacency.non_manifold_edges();
    push(
        Severity::Warning,
        "non-manifold-edges",
        "edges on which more than two triangles meet",
        listed("edge", non_manifold.iter().map(|&e| edge(e)), place),
        "separate the sheets or delete inner faces (Blender: Select > All by Trait > Non Manifold)",
        non_manifold.len(),
    );
    let misoriented = adjacency.misoriented_edges();
    push(
        Severity::Warning,
        "misoriented-edges",
        "edges whose two triangles are wound against each other, so that one shows its back",
        listed("edge", misoriented.iter().map(|&e| edge(e)), place),
        "recalculate the normals to the outside (Blender: Mesh > Normals > Recalculate Outside)",
        misoriented.len(),
    );
    let boundary: Vec<[u32; 2]> =
        adjacency.edges().iter().filter(|e| e.is_boundary()).map(|e| e.points).collect();
    push(
        Severity::Info,
        "open-boundary",
        "edges with only one triangle: the surface has holes or a rim",
        listed("edge", boundary.iter().map(|&e| edge(e)), place),
        "close the holes if volumes are to be measured or a cage is to be built",
        boundary.len(),
    );

    let degenerate: Vec<usize> = (0..mesh.point_triangles().len())
        .filter(|&triangle| is_degenerate(part, mesh.point_triangles()[triangle]))
        .collect();
    push(
        Severity::Warning,
        "degenerate-triangles",
        "triangles without area",
        listed("triangle", &degenerate, place),
        "dissolve them (Blender: Mesh > Clean Up > Degenerate Dissolve)",
        degenerate.len(),
    );

    let copies = duplicate_triangles(part);
    push(
        Severity::Warning,
        "duplicate-triangles",
        "triangles over the same three points as an earlier one",
        listed("triangle", &copies, place),
        "delete the copies (Blender: Mesh > Merge > By Distance)",
        copies.len(),
    );
    let bow_ties = bow_tie_points(part, &adjacency);
    push(
        Severity::Warning,
        "bow-tie-points",
        "points at which sheets meet that share no edge",
        listed_points(&bow_ties, mesh, place),
        "split the point, one for each sheet (Blender: Mesh > Split > Faces by Edges)",
        bow_ties.len(),
    );

    let mut is_used = vec![false; mesh.points().len()];
    for &corner in mesh.point_triangles().iter().flatten() {
        is_used[corner as usize] = true;
    }
    let isolated: Vec<usize> = (0..is_used.len()).filter(|&point| !is_used[point]).collect();
    push(
        Severity::Warning,
        "isolated-points",
        "points that no triangle uses",
        listed_points(&isolated, mesh, place),
        "delete them (Blender: Mesh > Clean Up > Delete Loose)",
        isolated.len(),
    );

    if part.weights.is_none() {
        let doubled = doubled_points(part);
        push(
            Severity::Info,
            "coincident-points",
            "points lie exactly on another one and are not joined to it",
            listed_points(&doubled, mesh, place),
            "merge them by distance if the surface is meant to hang together there",
            doubled.len(),
        );
    }
}

/// Triangles whose three points, in whatever order, are those of an earlier one.
fn duplicate_triangles(part: &Part) -> Vec<usize> {
    let mut first = HashMap::with_capacity(part.mesh.point_triangles().len());
    let mut copies = Vec::new();
    for (index, &triangle) in part.mesh.point_triangles().iter().enumerate() {
        let mut key = triangle;
        key.sort_unstable();
        // One that collapsed is degenerate, which is said elsewhere.
        let is_whole = key[0] != key[1] && key[1] != key[2];
        if is_whole && *first.entry(key).or_insert(index) != index {
            copies.push(index);
        }
    }
    copies
}

/// Points whose triangles fall into several groups that share no edge at the point.
fn bow_tie_points(part: &Part, adjacency: &Adjacency) -> Vec<usize> {
    let triangles = part.mesh.point_triangles();
    let mut group_of: HashMap<u32, u32> = HashMap::new();
    let mut sheets = Joined::default();
    let mut found = Vec::new();
    for point in 0..part.mesh.points().len() {
        let fan = adjacency.fan(point);
        // With one ring point more than triangles at most (a rim) it is one sheet, or a bow-tie of
        // closed fans, which has as many of both as well: only the union below tells.
        if fan.len() < 2 {
            continue;
        }
        group_of.clear();
        sheets.reset(0);
        for &triangle in fan {
            let others = triangles[triangle as usize].into_iter().filter(|&p| p as usize != point);
            let mut before: Option<u32> = None;
            for other in others {
                let group = *group_of.entry(other).or_insert_with(|| sheets.push());
                sheets.join(*before.get_or_insert(group), group);
            }
        }
        if sheets.num_groups() > 1 {
            found.push(point);
        }
    }
    found
}

fn is_degenerate(part: &Part, [a, b, c]: [u32; 3]) -> bool {
    if a == b || b == c || c == a {
        return true;
    }
    let [p, q, r] = [a, b, c].map(|point| part.mesh.points()[point as usize].as_dvec3());
    let double_area = (q - p).cross(r - p).length();
    let longest_squared =
        (q - p).length_squared().max((r - q).length_squared()).max((p - r).length_squared());
    double_area <= 2.0 * DEGENERATE_AREA_OVER_EDGE_SQUARED * longest_squared
}

fn doubled_points(part: &Part) -> Vec<usize> {
    let mut first_at = HashMap::new();
    let mut doubled = Vec::new();
    for (point, position) in part.mesh.points().iter().enumerate() {
        // `+ 0.0` makes one of the two zeros.
        let key = position.to_array().map(|x| (x + 0.0).to_bits());
        if *first_at.entry(key).or_insert(point) != point {
            doubled.push(point);
        }
    }
    doubled
}
