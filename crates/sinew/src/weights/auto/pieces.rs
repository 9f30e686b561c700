//! A character as one surface: points of all meshes, those that lie on one another as one.

use std::collections::HashMap;

use glam::DVec3;

use crate::Character;
use crate::mesh::{Aabb, Components};

/// Points nearer than this over the diagonal are one.
const ONE_OVER_DIAGONAL: f64 = 1e-5;

/// All meshes of a character, and their pieces.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    pub(super) points: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// By mesh and its points: the point of the whole.
    pub(super) point_of_part_point: Vec<Vec<u32>>,
    pub(super) components: Components,
    pub(super) diagonal: f64,
}

impl Pieces {
    pub(super) fn of(character: &Character) -> Self {
        let all = || character.parts.iter().flat_map(|part| part.mesh.points().iter().copied());
        let diagonal = f64::from(Aabb::around(all()).diagonal());
        let cell = (ONE_OVER_DIAGONAL * diagonal).max(f64::MIN_POSITIVE);
        let mut known: HashMap<[i64; 3], u32> = HashMap::new();
        let mut points: Vec<DVec3> = Vec::new();
        let mut point_of_part_point = Vec::new();
        let mut triangles = Vec::new();
        for part in &character.parts {
            let mut of_part = Vec::with_capacity(part.mesh.points().len());
            for point in part.mesh.points() {
                let point = point.as_dvec3();
                let at = (point / cell).to_array().map(|x| x.floor() as i64);
                of_part.push(find_or_add(&mut known, &mut points, at, point, cell));
            }
            let corners = part.mesh.point_triangles().iter();
            triangles.extend(corners.map(|t| t.map(|corner| of_part[corner as usize])));
            point_of_part_point.push(of_part);
        }
        let components = Components::of_triangles(points.len(), &triangles);
        Self { points, triangles, point_of_part_point, components, diagonal }
    }
}

fn find_or_add(
    known: &mut HashMap<[i64; 3], u32>,
    points: &mut Vec<DVec3>,
    at: [i64; 3],
    point: DVec3,
    cell: f64,
) -> u32 {
    for dx in -1..=1 {
        for dy in -1..=1 {
            for dz in -1..=1 {
                let beside = [at[0] + dx, at[1] + dy, at[2] + dz];
                if let Some(&there) = known.get(&beside)
                    && points[there as usize].distance(point) <= cell
                {
                    return there;
                }
            }
        }
    }
    let new = points.len() as u32;
    points.push(point);
    known.entry(at).or_insert(new);
    new
}
