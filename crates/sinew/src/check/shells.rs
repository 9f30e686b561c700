//! Shells that pass through one another at rest.
//!
//! Often meant so: a sleeve ends in a glove, a prop goes through a fist. Where it is not, cloth
//! shows through cloth, and nothing that holds shells together can tell which one is outside.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::{Finding, Severity, part_place};
use crate::character::{Character, Part};
use crate::mesh::{Aabb, Adjacency, Components, SegmentTree};

/// What an edge is shortened by at either end before it is said to cross: shells that only touch,
/// border on border, do not pass through one another.
const TOUCH: f64 = 0.02;
/// How many pairs of shells a place names.
const MAX_NAMED: usize = 3;

/// A shell of a mesh, ready to be looked through.
struct Shell {
    part: usize,
    /// Over the points of all meshes.
    edges: Vec<[DVec3; 2]>,
    bounds: Aabb,
    triangles: SegmentTree,
    name: String,
}

/// Between two meshes: how many edges cross, and of which shells, with their number.
#[derive(Default)]
struct Crossings {
    count: usize,
    shells: Vec<(usize, String)>,
}

pub(super) fn check(character: &Character, findings: &mut Vec<Finding>) {
    let shells: Vec<Shell> = (0..character.parts.len())
        .filter(|&part| has_weights(&character.parts[part]))
        .flat_map(|part| shells_of(character, part))
        .collect();
    let mut crossings: BTreeMap<[usize; 2], Crossings> = BTreeMap::new();
    for (index, a) in shells.iter().enumerate() {
        for b in &shells[index + 1..] {
            let count = crossing(a, b) + crossing(b, a);
            if count > 0 {
                let between = crossings.entry([a.part, b.part]).or_default();
                between.count += count;
                between.shells.push((count, format!("{} and {}", a.name, b.name)));
            }
        }
    }
    for ([a, b], Crossings { count, shells: mut named }) in crossings {
        named.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let more = named.len().saturating_sub(MAX_NAMED);
        let pairs: Vec<String> = named.into_iter().take(MAX_NAMED).map(|(_, name)| name).collect();
        let more = if more == 0 { String::new() } else { format!("; and {more} pairs more") };
        let mesh = |part: usize| part_place(part, character.parts[part].mesh.name());
        let meshes = if a == b { mesh(a) } else { format!("{} and {}", mesh(a), mesh(b)) };
        findings.push(Finding {
            severity: Severity::Info,
            code: "crossing-shells",
            what: "edges of one shell that pass through another at rest".into(),
            place: format!("{meshes}: {}{more}", pairs.join("; ")),
            mend:
                "move one of them out, if both are seen there; delete what the other hides, if not"
                    .into(),
            count,
        });
    }
}

/// Weights of another mesh are a finding of their own.
fn has_weights(part: &Part) -> bool {
    part.weights.as_ref().is_some_and(|weights| weights.num_points() == part.mesh.points().len())
}

fn shells_of(character: &Character, part: usize) -> Vec<Shell> {
    let mesh = &character.parts[part].mesh;
    let (points, triangles) = (mesh.points(), mesh.point_triangles());
    let components = Components::of_triangles(points.len(), triangles);
    let adjacency = Adjacency::of(mesh);
    let at = |point: u32| points[point as usize].as_dvec3();
    let mut edges: Vec<Vec<[DVec3; 2]>> = vec![Vec::new(); components.len()];
    for edge in adjacency.edges() {
        let shell = components.of_point()[edge.points[0] as usize];
        edges[shell as usize].push(edge.points.map(at));
    }
    let mut of_shell: Vec<Vec<[DVec3; 3]>> = vec![Vec::new(); components.len()];
    for triangle in triangles {
        let shell = components.of_point()[triangle[0] as usize];
        of_shell[shell as usize].push(triangle.map(at));
    }
    let shells = edges.into_iter().zip(of_shell).enumerate();
    shells
        .filter(|(_, (edges, _))| !edges.is_empty())
        .map(|(shell, (edges, triangles))| {
            let own = components.points(shell as u32);
            let place = |&point: &u32| points[point as usize];
            Shell {
                part,
                edges,
                bounds: Aabb::around(own.iter().map(place)),
                triangles: SegmentTree::new(triangles.into_iter()),
                name: name_of(character, part, own),
            }
        })
        .collect()
}

/// "the shell of 120 points on 'hand_r'".
fn name_of(character: &Character, part: usize, points: &[u32]) -> String {
    let mut shares: BTreeMap<u32, f32> = BTreeMap::new();
    if let Some(weights) = &character.parts[part].weights {
        for influence in points.iter().flat_map(|&point| weights.row(point as usize)) {
            *shares.entry(influence.joint).or_default() += influence.weight;
        }
    }
    let most = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    let joint = most.and_then(|(joint, _)| character.skeleton.joints().get(joint as usize));
    let on = joint.map_or_else(String::new, |joint| format!(" on '{}'", joint.name));
    format!("the shell of {} points{on}", points.len())
}

/// How many edges of the one pass through the other.
fn crossing(edges_of: &Shell, through: &Shell) -> usize {
    let (a, b) = (&edges_of.bounds, &through.bounds);
    if a.min.cmpgt(b.max).any() || b.min.cmpgt(a.max).any() {
        return 0;
    }
    let apart = |[p, q]: &[DVec3; 2]| {
        let (low, high): (Vec3, Vec3) = (p.min(*q).as_vec3(), p.max(*q).as_vec3());
        low.cmpgt(b.max).any() || b.min.cmpgt(high).any()
    };
    let crosses =
        |[p, q]: &&[DVec3; 2]| through.triangles.is_crossed(p.lerp(*q, TOUCH), q.lerp(*p, TOUCH));
    edges_of.edges.iter().filter(|edge| !apart(edge)).filter(crosses).count()
}
