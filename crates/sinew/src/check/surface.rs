//! Geometry: what is not a clean surface.

use std::collections::HashMap;

use super::{Finding, Severity, listed};
use crate::character::Part;
use crate::mesh::Adjacency;

/// A triangle whose area is below this share of its longest edge squared is a needle or a point. An f32 cross
/// product of well-shaped edges is good to about 1e-7 of it.
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

    let mut is_used = vec![false; mesh.points().len()];
    for &corner in mesh.point_triangles().iter().flatten() {
        is_used[corner as usize] = true;
    }
    let isolated: Vec<usize> = (0..is_used.len()).filter(|&point| !is_used[point]).collect();
    push(
        Severity::Warning,
        "isolated-points",
        "points that no triangle uses",
        listed("point", &isolated, place),
        "delete them (Blender: Mesh > Clean Up > Delete Loose)",
        isolated.len(),
    );

    if part.weights.is_none() {
        let doubled = doubled_points(part);
        push(
            Severity::Info,
            "coincident-points",
            "points lie exactly on another one and are not joined to it",
            listed("point", &doubled, place),
            "merge them by distance if the surface is meant to hang together there",
            doubled.len(),
        );
    }
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
