//! From a mesh at rest to the anchored model's plan: its topology here, what its rest shape says in
//! [`rest`](super::rest).

use std::sync::Arc;

use fearless_simd::Level;

use super::coarse::Coarse;
use super::domains::Reach;
use super::rest::{NO_EDGE, RestLengths, Topology};
use super::{AnchorSlice, Anchored, AnchoredInput, Forces, LinkRow, RestRow};
use crate::springs::CoefficientError;
use crate::springs::coefficients::{self, find_edge};
use crate::springs::order::SlotOrder;
use crate::springs::rows::{HalfEdge, LANES, POSITION_FLOATS, Rows};

pub(super) fn bind(input: &AnchoredInput<'_>) -> Result<Anchored, CoefficientError> {
    let num_points = input.positions.len();
    assert!(num_points <= (u32::MAX / 8) as usize, "coordinates that a u32 counts");
    assert_eq!(input.adjacency.num_points(), num_points, "adjacency of these points");
    assert_eq!(input.joint_of_point.len(), num_points, "one joint a point");
    assert_eq!(input.attachment_distance.len(), num_points, "one distance a point");
    assert_eq!(input.arm_length.len(), num_points, "one length a point");

    coefficients::check(input.coefficients, num_points, input.adjacency.edges())?;
    let joined = (!input.ties.is_empty())
        .then(|| input.adjacency.with_links(input.ties.iter().map(|tie| tie.points)));
    let adjacency = joined.as_ref().unwrap_or(input.adjacency);
    let edges = adjacency.edges();
    let order = SlotOrder::new(adjacency);
    let rows = Rows::new(&order, adjacency);
    let edge_of = |half_edge: HalfEdge| match half_edge {
        HalfEdge::Real([i, j]) => find_edge(edges, [i, j]).map_or(NO_EDGE, |edge| edge as u32),
        HalfEdge::Padding(_) => NO_EDGE,
    };
    let link = |neighbours: &[u32; LANES]| LinkRow {
        neighbours: neighbours.map(|slot| slot * POSITION_FLOATS as u32),
        stiffness: [0.0; LANES],
    };
    let is_loose = |&slot: &u32| {
        let slot = slot as usize;
        let point = order.point_of_slot()[slot] as usize;
        let is_held = input.is_held.get(point).copied().unwrap_or(false);
        slot >= num_points || is_held || input.adjacency.ring(point).is_empty()
    };
    let mut ties = Vec::new();
    if joined.is_some() {
        ties.resize(edges.len(), None);
        for tie in input.ties {
            if let Some(edge) = find_edge(edges, tie.points) {
                ties[edge] = Some(tie.stiffness);
            }
        }
    }
    let valence = |point: usize| input.adjacency.ring(point).len() as u32;
    let topology = Topology {
        triangles: input.triangles.to_vec(),
        valence_of_point: (0..num_points).map(valence).collect(),
        is_held: input.is_held.to_vec(),
        guard_scale: input.guard_scale.to_vec(),
        tie_of_edge: ties,
        adjacency: adjacency.clone(),
        joint_of_point: input.joint_of_point.to_vec(),
        edge_of_lane: rows.half_edges().iter().map(|lanes| lanes.map(edge_of)).collect(),
    };
    let nothing = [0.0; LANES];
    let anchor = AnchorSlice {
        stiffness: nothing,
        least_length: nothing,
        diagonal: nothing,
        guard: nothing,
    };
    let mut plan = Anchored {
        coarse: None,
        body: None,
        lengths: RestLengths::new(&topology, input),
        topology: Arc::new(topology),
        reach: Reach::new(&rows).into(),
        row_starts: rows.starts().into(),
        links: rows.neighbours().iter().map(link).collect(),
        rests: vec![RestRow { edge: [nothing; 3], arms: nothing }; rows.num_rows()],
        anchors: vec![anchor; order.num_slots() / LANES],
        loose_slots: (0..order.num_slots() as u32).filter(is_loose).collect(),
        forces: Forces::new(input.coefficients),
        soft_anchor: 1.0,
        smallest_side: 1.0,
        level: Level::new(),
        order: order.into(),
    };
    plan.scale_edges(input.coefficients);
    plan.measure(input.positions, true);
    plan.stiffen_springs();
    // Cells join what lies near each other, not what is tied: between shells the start would jump.
    if input.has_coarse_start && input.ties.is_empty() {
        plan.coarse = Coarse::bind(input, &plan.order, plan.soft_anchor)?;
    }
    Ok(plan)
}
