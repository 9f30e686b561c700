//! The surface where a field is zero, by marching tetrahedra: six to a cell, the same on both sides
//! of every face between cells, so that the surface is closed and two-manifold.

use std::collections::HashMap;

use glam::IVec3;

use super::field::Field;
use super::sheet::Sheet;

/// The ways from a cell's first corner to its last along its edges.
const WAYS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The zero surface, counter-clockwise from outside.
pub(super) fn surface(field: &Field) -> Sheet {
    let mut sheet = Sheet::default();
    let mut known: HashMap<(usize, usize), u32> = HashMap::new();
    let axes = [IVec3::X, IVec3::Y, IVec3::Z];
    for z in 0..field.size.z - 1 {
        for y in 0..field.size.y - 1 {
            for x in 0..field.size.x - 1 {
                let base = IVec3::new(x, y, z);
                let mut inside = 0;
                for corner in 0..8 {
                    let step = IVec3::new(corner & 1, (corner >> 1) & 1, corner >> 2);
                    inside += i32::from(field.values[field.at(base + step)] < 0.0);
                }
                if inside == 0 || inside == 8 {
                    continue;
                }
                for (index, way) in WAYS.iter().enumerate() {
                    let mut nodes = [base; 4];
                    for step in 0..3 {
                        nodes[step + 1] = nodes[step] + axes[way[step]];
                    }
                    // Half of the ways turn the other way.
                    if matches!(index, 1 | 2 | 5) {
                        nodes.swap(2, 3);
                    }
                    tetrahedron(field, nodes, &mut known, &mut sheet);
                }
            }
        }
    }
    sheet.link();
    sheet
}

/// The triangles in one tetrahedron, of positive orientation.
fn tetrahedron(
    field: &Field,
    nodes: [IVec3; 4],
    known: &mut HashMap<(usize, usize), u32>,
    sheet: &mut Sheet,
) {
    let at = nodes.map(|node| field.at(node));
    let values = at.map(|at| field.values[at]);
    let mut cut = |a: usize, b: usize| {
        let key = (at[a].min(at[b]), at[a].max(at[b]));
        *known.entry(key).or_insert_with(|| {
            // Not right at a node: the triangles there would have no area.
            let share = (values[a] / (values[a] - values[b])).clamp(0.02, 0.98);
            let (from, to) = (field.place(nodes[a]), field.place(nodes[b]));
            sheet.points.push(from + share * (to - from));
            sheet.points.len() as u32 - 1
        })
    };
    let inside: Vec<usize> = (0..4).filter(|&i| values[i] < 0.0).collect();
    let outside: Vec<usize> = (0..4).filter(|&i| values[i] >= 0.0).collect();
    // The order of the others seen from a corner: even permutations keep the orientation.
    let others = |corner: usize| match corner {
        0 => [1, 2, 3],
        1 => [0, 3, 2],
        2 => [0, 1, 3],
        _ => [0, 2, 1],
    };
    let mut faces: Vec<[u32; 3]> = Vec::new();
    match (&inside[..], &outside[..]) {
        (&[a], _) => {
            let [b, c, d] = others(a);
            faces.push([cut(a, b), cut(a, c), cut(a, d)]);
        }
        (_, &[a]) => {
            let [b, c, d] = others(a);
            faces.push([cut(a, b), cut(a, d), cut(a, c)]);
        }
        (&[a, b], _) => {
            // The other two, in the order that makes (a, b, c, d) even.
            let (c, d) = match (a, b) {
                (0, 1) => (2, 3),
                (0, 2) => (3, 1),
                (0, 3) => (1, 2),
                (1, 2) => (0, 3),
                (1, 3) => (2, 0),
                _ => (0, 1),
            };
            let [ac, ad, bc, bd] = [cut(a, c), cut(a, d), cut(b, c), cut(b, d)];
            faces.push([ac, ad, bd]);
            faces.push([ac, bd, bc]);
        }
        _ => {}
    }
    sheet.faces.extend(faces);
}
