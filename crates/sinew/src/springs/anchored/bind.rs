//! From a mesh at rest to the anchored model's plan.

use fearless_simd::Level;
use glam::{DVec3, Vec3};

use super::coarse::Coarse;
use super::domains::Reach;
use super::{AnchorSlice, Anchored, AnchoredInput, Forces, LinkRow, RestRow};
use crate::mesh::{Aabb, Adjacency, Edge};
use crate::springs::CoefficientError;
use crate::springs::coefficients::Scales;
use crate::springs::order::SlotOrder;
use crate::springs::rows::{HalfEdge, LANES, POSITION_FLOATS, Rows};

/// The share of points whose anchors may be softer than the stiffness that sets the iterations' pace.
const SOFT_ANCHORS: f64 = 0.1;

/// A point that nothing holds stays where it is, instead of dividing by nothing.
const LEAST_DIAGONAL: f64 = 1e-30;

pub(super) fn bind(input: &AnchoredInput<'_>) -> Result<Anchored, CoefficientError> {
    let num_points = input.positions.len();
    assert!(num_points <= (u32::MAX / 8) as usize, "coordinates that a u32 counts");
    assert_eq!(input.adjacency.num_points(), num_points, "adjacency of these points");
    assert_eq!(input.joint_of_point.len(), num_points, "one joint a point");
    assert_eq!(input.attachment_distance.len(), num_points, "one distance a point");
    assert_eq!(input.arm_length.len(), num_points, "one length a point");

    let stiffness_of_edge = stiffnesses(input)?;
    let anchor_of_point = anchors(input, input.gains.anchor_reach);
    let guard_of_point = anchors(input, input.gains.length_reach);
    let order = SlotOrder::new(input.adjacency);
    let rows = Rows::new(&order, input.adjacency);
    let edges = input.adjacency.edges();
    let link = |(half_edges, neighbours): (&[HalfEdge; LANES], &[u32; LANES])| LinkRow {
        neighbours: neighbours.map(|slot| slot * POSITION_FLOATS as u32),
        stiffness: half_edges.map(|half_edge| match half_edge {
            HalfEdge::Real([i, j]) => {
                find_edge(edges, i, j).map_or(0.0, |edge| stiffness_of_edge[edge] as f32)
            }
            HalfEdge::Padding(_) => 0.0,
        }),
    };
    // The edge is a difference of f32, as the iterations see it: at rest there is then nothing to do, to the last bit.
    let edge = |[i, j]: [u32; 2]| input.positions[j as usize] - input.positions[i as usize];
    let arms =
        |[i, j]: [u32; 2]| (input.arm_length[i as usize] * input.arm_length[j as usize]) as f32;
    let rest = |half_edges: &[HalfEdge; LANES]| {
        let pairs = half_edges.map(|half_edge| {
            let (HalfEdge::Real(pair) | HalfEdge::Padding(pair)) = half_edge;
            pair
        });
        RestRow {
            edge: [
                pairs.map(|pair| edge(pair).x),
                pairs.map(|pair| edge(pair).y),
                pairs.map(|pair| edge(pair).z),
            ],
            arms: pairs.map(arms),
        }
    };
    let (gains, coefficients) = (input.gains, input.coefficients);
    let forces = Forces {
        torque: coefficients.torque,
        tension: gains.tension * coefficients.edge,
        orientation: gains.orientation * coefficients.compressed,
        bone: coefficients.bone,
        along_arm: gains.along_arm * coefficients.length,
        length: gains.length * coefficients.length,
        contact: gains.contact * coefficients.compressed,
    };
    let of_edge = f64::from(forces.torque + forces.tension + forces.orientation);
    let of_anchor = f64::from(forces.bone + forces.along_arm);
    let of_guard = f64::from(forces.length + forces.contact);
    let mut diagonals: Vec<f64> = anchor_of_point
        .iter()
        .zip(&guard_of_point)
        .map(|(anchor, guard)| anchor * of_anchor + guard * of_guard + LEAST_DIAGONAL)
        .collect();
    for (edge, stiffness) in edges.iter().zip(&stiffness_of_edge) {
        for point in edge.points {
            diagonals[point as usize] += stiffness * of_edge;
        }
    }
    let anchor = |points: &[u32; LANES]| AnchorSlice {
        diagonal: points.map(|p| diagonals[p as usize] as f32),
        stiffness: points.map(|p| anchor_of_point[p as usize] as f32),
        least_length: points.map(|p| least_length(input, p as usize, anchor_of_point[p as usize])),
        guard: points.map(|p| guard_of_point[p as usize] as f32),
    };
    let (slices, _) = order.point_of_slot().as_chunks::<LANES>();
    let is_loose = |&slot: &u32| {
        let slot = slot as usize;
        slot >= num_points || input.adjacency.ring(order.point_of_slot()[slot] as usize).is_empty()
    };
    let soft_anchor = soft_anchor(&anchor_of_point, input.adjacency);
    let coarse = match input.has_coarse_start {
        true => Coarse::bind(input, &order, soft_anchor)?,
        false => None,
    };
    Ok(Anchored {
        coarse,
        body: None,
        reach: Reach::new(&rows),
        row_starts: rows.starts().to_vec(),
        links: rows.half_edges().iter().zip(rows.neighbours()).map(link).collect(),
        rests: rows.half_edges().iter().map(rest).collect(),
        anchors: slices.iter().map(anchor).collect(),
        loose_slots: (0..order.num_slots() as u32).filter(is_loose).collect(),
        gains: *gains,
        forces,
        rho: 1.0 - gains.spectrum * soft_anchor,
        smallest_side: smallest_side(input.positions),
        level: Level::new(),
        order,
    })
}

/// `k` of every edge, with its coefficients.
fn stiffnesses(input: &AnchoredInput<'_>) -> Result<Vec<f64>, CoefficientError> {
    let scales = Scales::resolve(input.coefficients, input.adjacency, input.joint_of_point)?;
    let p = |point: u32| input.positions[point as usize].as_dvec3();
    let area = |triangle: u32| {
        let [a, b, c] = input.triangles[triangle as usize].map(p);
        0.5 * (b - a).cross(c - a).length()
    };
    let stiffness = |(edge, scale): (&Edge, f64)| {
        let ratio = edge.triangles().map(area).sum::<f64>()
            / p(edge.points[0]).distance_squared(p(edge.points[1]));
        // Ends in one place: the ratio is infinite or not a number, and the edge has no direction to keep.
        if ratio.is_finite() { ratio.min(input.gains.max_stiffness) * scale } else { 0.0 }
    };
    Ok(input.adjacency.edges().iter().zip(scales.of_edges()).map(stiffness).collect())
}

/// Edges are sorted by their points.
fn find_edge(edges: &[Edge], i: u32, j: u32) -> Option<usize> {
    edges.binary_search_by_key(&[i.min(j), i.max(j)], |edge| edge.points).ok()
}

/// `ε` of every point, `min(1, (h/(.5|s⁰|))²)`, or `ε_g` with another reach than .5.
fn anchors(input: &AnchoredInput<'_>, reach_over_distance: f64) -> Vec<f64> {
    let p = |point: u32| -> DVec3 { input.positions[point as usize].as_dvec3() };
    (0..input.positions.len() as u32)
        .map(|point| {
            let ring = input.adjacency.ring(point as usize);
            let sum: f64 = ring.iter().map(|&other| p(point).distance(p(other))).sum();
            let mean = sum / ring.len().max(1) as f64;
            let reach = reach_over_distance * input.attachment_distance[point as usize];
            // On the bone itself, or so near that the ratio is not a number, the anchor is the stiffest.
            let ratio = mean / reach;
            if ratio < 1.0 { ratio * ratio } else { 1.0 }
        })
        .collect()
}

/// `l_m`: below it the length guard pushes. Dense skin is held softly and would be pushed out by a guard that begins early; where a few points make the
/// limb's section nothing else keeps it.
fn least_length(input: &AnchoredInput<'_>, point: usize, anchor: f64) -> f32 {
    let (soft, stiff) =
        (f64::from(input.gains.soft_length_limit), f64::from(input.gains.length_limit));
    ((soft + (stiff - soft) * anchor) * input.attachment_distance[point]) as f32
}

/// The tenth percentile of the anchors of points that have neighbours.
fn soft_anchor(anchor_of_point: &[f64], adjacency: &Adjacency) -> f64 {
    let mut sorted: Vec<f64> = anchor_of_point
        .iter()
        .enumerate()
        .filter(|&(point, _)| !adjacency.ring(point).is_empty())
        .map(|(_, &anchor)| anchor)
        .collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() as f64 * SOFT_ANCHORS) as usize).copied().unwrap_or(1.0)
}

/// The unit of residuals; 1 for meshes that are flat to the last bit or empty.
fn smallest_side(positions: &[Vec3]) -> f32 {
    let side =
        Aabb::around(positions.iter().copied().filter(|p| p.is_finite())).size().min_element();
    if side > 0.0 { side } else { 1.0 }
}
