//! What the rest shape says, and what coefficients make of it: found when a mesh is bound, again
//! when its rest moves, and scaled again when a coefficient does. The same arithmetic each time, so
//! that the same rest with the same coefficients gives the same bits.
//!
//! A rest that moves keeps its topology, the bone that each point holds on to, the coarse level's
//! cells, and whether there is a coarse level and a body at all. Nothing here allocates.

use glam::Vec3;

use super::{Anchored, AnchoredInput, Forces, GAINS};
use crate::mesh::{Aabb, Adjacency};
use crate::springs::coefficients::{check, scale_edges};
use crate::springs::order::SLOT_BLOCK;
use crate::springs::rows::{LANES, POSITION_FLOATS};
use crate::springs::{CoefficientError, Coefficients};

/// The share of points whose anchors may be softer than the stiffness that sets the iterations'
/// pace.
const SOFT_ANCHORS: f64 = 0.1;

/// A point that nothing holds stays where it is, instead of dividing by nothing.
const LEAST_DIAGONAL: f64 = 1e-30;

/// The least product of two arms of a tie, which is told from an edge by its sign.
const LEAST_ARMS: f32 = 1e-30;

/// A half-edge that is padding.
pub(super) const NO_EDGE: u32 = u32::MAX;

/// What a mesh is wherever its points are; shared by clones.
#[derive(Debug)]
pub(super) struct Topology {
    pub(super) triangles: Vec<[u32; 3]>,
    /// Of the surface, and of what ties its shells.
    pub(super) adjacency: Adjacency,
    /// Edges of the surface alone at each point.
    pub(super) valence_of_point: Vec<u32>,
    /// The stiffness of each edge that is no edge of the surface; empty where there is none.
    pub(super) tie_of_edge: Vec<Option<f64>>,
    /// Points that stay at their targets besides those without neighbours; empty for none.
    pub(super) is_held: Vec<bool>,
    /// What is left of the length guard and contact; empty for all.
    pub(super) guard_scale: Vec<f64>,
    pub(super) joint_of_point: Vec<u32>,
    /// The edge in each lane of each row, or [`NO_EDGE`].
    pub(super) edge_of_lane: Vec<[u32; LANES]>,
}

/// Lengths, areas and stiffnesses at rest by point, edge and triangle, before coefficients; and the
/// coefficients' own.
#[derive(Clone, Debug)]
pub(super) struct RestLengths {
    /// `|s⁰|`.
    pub(super) attachment_distance: Vec<f64>,
    /// `|s|`.
    pub(super) arm_length: Vec<f64>,
    /// `ε`.
    anchor_of_point: Vec<f64>,
    /// `ε_g`.
    guard_of_point: Vec<f64>,
    /// `k` without coefficients.
    stiffness_of_edge: Vec<f64>,
    /// Painted, across bones and of pairs.
    pub(super) scale_of_edge: Vec<f64>,
    area_of_triangle: Vec<f64>,
    length_of_edge: Vec<f64>,
    /// Sums over a point's edges, and what is sorted.
    sum_of_point: Vec<f64>,
    sorted: Vec<f64>,
    /// Where all of it was measured.
    positions: Vec<Vec3>,
    moved: Moved,
}

/// What has moved since the rest was measured last: the rest of it is not measured again.
#[derive(Clone, Debug)]
struct Moved {
    points: Vec<bool>,
    triangles: Vec<bool>,
    /// Slices with a point on an edge that has moved.
    slices: Vec<bool>,
}

impl Topology {
    /// The stiffness of an edge that ties two shells.
    pub(super) fn tie(&self, edge: usize) -> Option<f64> {
        self.tie_of_edge.get(edge).copied().flatten()
    }

    fn is_held(&self, point: usize) -> bool {
        self.is_held.get(point).copied().unwrap_or(false)
    }
}

impl RestLengths {
    pub(super) fn new(topology: &Topology, input: &AnchoredInput<'_>) -> Self {
        let (of_points, of_edges) =
            (vec![0.0; input.positions.len()], vec![0.0; topology.adjacency.edges().len()]);
        Self {
            attachment_distance: input.attachment_distance.to_vec(),
            arm_length: input.arm_length.to_vec(),
            anchor_of_point: of_points.clone(),
            guard_of_point: of_points.clone(),
            stiffness_of_edge: of_edges.clone(),
            scale_of_edge: of_edges,
            area_of_triangle: vec![0.0; topology.triangles.len()],
            length_of_edge: vec![0.0; topology.adjacency.edges().len()],
            sum_of_point: of_points.clone(),
            sorted: of_points,
            positions: vec![Vec3::ZERO; input.positions.len()],
            moved: Moved {
                points: vec![true; input.positions.len()],
                triangles: vec![true; topology.triangles.len()],
                slices: vec![true; input.positions.len().next_multiple_of(SLOT_BLOCK) / LANES],
            },
        }
    }
}

impl Forces {
    pub(super) fn new(coefficients: &Coefficients) -> Self {
        Self {
            torque: coefficients.torque,
            tension: GAINS.tension * coefficients.edge,
            orientation: GAINS.orientation * coefficients.compressed,
            bone: coefficients.bone,
            along_arm: GAINS.along_arm * coefficients.length,
            length: GAINS.length * coefficients.length,
            contact: GAINS.contact * coefficients.compressed,
        }
    }
}

impl Anchored {
    /// Each point's distance to its attachment and to the blend of its projections, for who refits
    /// them.
    pub(crate) fn lengths_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        (&mut self.lengths.attachment_distance, &mut self.lengths.arm_length)
    }

    /// Follows points at another rest; [`Self::lengths_mut`] has their lengths already. With
    /// `is_all` every point's may be others, without it only those of points that have moved.
    ///
    /// # Panics
    /// If there is not one position a point.
    pub(crate) fn refit(&mut self, positions: &[Vec3], is_all: bool) {
        assert_eq!(positions.len(), self.order.num_points(), "one position a point");
        self.measure(positions, is_all);
        self.stiffen_springs();
        if let Some(coarse) = &mut self.coarse {
            coarse.refit(positions, &self.lengths, is_all);
        }
        if let Some(body) = &mut self.body {
            body.refit(positions, &self.lengths.attachment_distance);
        }
    }

    /// Takes other coefficients, or says what is wrong with them and takes none.
    pub(crate) fn adjust(&mut self, coefficients: &Coefficients) -> Result<(), CoefficientError> {
        check(coefficients, self.order.num_points(), self.topology.adjacency.edges())?;
        self.scale_edges(coefficients);
        self.take_forces(coefficients);
        if let Some(coarse) = &mut self.coarse {
            coarse.adjust(coefficients);
        }
        if let Some(body) = &mut self.body {
            body.set_coefficient(coefficients);
        }
        Ok(())
    }

    /// The global ones, and what has been made of the others.
    pub(super) fn take_forces(&mut self, coefficients: &Coefficients) {
        self.forces = Forces::new(coefficients);
        self.stiffen_springs();
    }

    pub(super) fn scale_edges(&mut self, coefficients: &Coefficients) {
        let topology = &self.topology;
        let of_edge = &mut self.lengths.scale_of_edge;
        scale_edges(coefficients, topology.adjacency.edges(), &topology.joint_of_point, of_edge);
    }

    /// All that the rest shape says by itself.
    pub(super) fn measure(&mut self, positions: &[Vec3], is_all: bool) {
        let lengths = &mut self.lengths;
        let points = lengths.positions.iter_mut().zip(&mut lengths.moved.points);
        for ((before, moved), now) in points.zip(positions) {
            *moved = is_all || before != now;
            *before = *now;
        }
        self.measure_edges();
        self.measure_anchors();
        self.measure_rows();
        self.smallest_side = smallest_side(positions);
    }

    /// `k` of every edge, and the sum of the edges at every point.
    fn measure_edges(&mut self) {
        let RestLengths {
            positions,
            area_of_triangle,
            stiffness_of_edge,
            length_of_edge,
            sum_of_point,
            moved: Moved { points, triangles, slices },
            ..
        } = &mut self.lengths;
        let p = |point: u32| positions[point as usize].as_dvec3();
        let of_triangles = self.topology.triangles.iter().zip(&mut *triangles);
        for (area, (triangle, is_moved)) in area_of_triangle.iter_mut().zip(of_triangles) {
            *is_moved = triangle.iter().any(|&point| points[point as usize]);
            if *is_moved {
                let [a, b, c] = triangle.map(p);
                *area = 0.5 * (b - a).cross(c - a).length();
            }
        }
        slices.fill(false);
        let slot_of_point = self.order.slot_of_point();
        let edges = self.topology.adjacency.edges();
        let of_edges = stiffness_of_edge.iter_mut().zip(&mut *length_of_edge);
        for (index, ((stiffness, length), edge)) in of_edges.zip(edges).enumerate() {
            if let Some(tie) = self.topology.tie(index) {
                *stiffness = tie;
                for point in edge.points.into_iter().filter(|&point| points[point as usize]) {
                    slices[slot_of_point[point as usize] as usize / LANES] = true;
                    let [a, b] = edge.points;
                    let other = if a == point { b } else { a };
                    slices[slot_of_point[other as usize] as usize / LANES] = true;
                }
                continue;
            }
            if !edge.triangles().any(|triangle| triangles[triangle as usize]) {
                continue;
            }
            let [a, b] = edge.points;
            let squared = p(a).distance_squared(p(b));
            let areas = edge.triangles().map(|triangle| area_of_triangle[triangle as usize]);
            let ratio = areas.sum::<f64>() / squared;
            // Ends in one place: the ratio is infinite or not a number, and the edge has no
            // direction to keep.
            let is_edge = ratio.is_finite();
            *stiffness = if is_edge { ratio.min(GAINS.max_stiffness) } else { 0.0 };
            *length = squared.sqrt();
            for point in edge.points {
                slices[slot_of_point[point as usize] as usize / LANES] = true;
            }
        }
        sum_of_point.fill(0.0);
        for (edge, length) in edges.iter().zip(&*length_of_edge) {
            for point in edge.points {
                sum_of_point[point as usize] += length;
            }
        }
    }

    /// `ε` of every point, `min(1, (h/(.5|s⁰|))²)`, and `ε_g` with another reach than .5; the pace
    /// of the iterations.
    fn measure_anchors(&mut self) {
        let lengths = &mut self.lengths;
        lengths.sorted.clear();
        for point in 0..self.order.num_points() {
            let num_edges = self.topology.valence_of_point[point];
            let mean = lengths.sum_of_point[point] / f64::from(num_edges.max(1));
            let distance = lengths.attachment_distance[point];
            let anchor = |reach_over_distance: f64| {
                // On the bone itself, or so near that the ratio is not a number, the anchor is the
                // stiffest.
                let ratio = mean / (reach_over_distance * distance);
                if ratio < 1.0 { ratio * ratio } else { 1.0 }
            };
            lengths.anchor_of_point[point] = anchor(GAINS.anchor_reach);
            lengths.guard_of_point[point] = anchor(GAINS.length_reach);
            if let Some(scale) = self.topology.guard_scale.get(point) {
                lengths.guard_of_point[point] *= scale;
            }
            if num_edges > 0 && !self.topology.is_held(point) {
                lengths.sorted.push(lengths.anchor_of_point[point]);
            }
        }
        self.soft_anchor = soft_anchor(&mut lengths.sorted);
        let (soft, stiff) = (f64::from(GAINS.soft_length_limit), f64::from(GAINS.length_limit));
        let (slices, _) = self.order.point_of_slot().as_chunks::<LANES>();
        for (slice, points) in self.anchors.iter_mut().zip(slices) {
            for (lane, &point) in points.iter().enumerate() {
                let point = point as usize;
                let anchor = lengths.anchor_of_point[point];
                slice.stiffness[lane] = anchor as f32;
                slice.guard[lane] = lengths.guard_of_point[point] as f32;
                // `l_m`: below it the length guard pushes. Dense skin is held softly and would be
                // pushed out by a guard that begins early; where a few points make the limb's
                // section nothing else keeps it.
                let limit = soft + (stiff - soft) * anchor;
                slice.least_length[lane] = (limit * lengths.attachment_distance[point]) as f32;
            }
        }
    }

    fn measure_rows(&mut self) {
        let point_of_slot = self.order.point_of_slot();
        let RestLengths { arm_length, positions, moved, .. } = &self.lengths;
        let is_tie = |edge: u32| self.topology.tie(edge as usize).is_some();
        for (slice, span) in self.row_starts.windows(2).enumerate() {
            if !moved.slices[slice] {
                continue;
            }
            let rows = span[0] as usize..span[1] as usize;
            let links = self.links[rows.clone()].iter().zip(&mut self.rests[rows.clone()]);
            for ((link, rest), edges) in links.zip(&self.topology.edge_of_lane[rows]) {
                for lane in 0..LANES {
                    let i = point_of_slot[slice * LANES + lane] as usize;
                    let j =
                        point_of_slot[link.neighbours[lane] as usize / POSITION_FLOATS] as usize;
                    // A difference of f32, as the iterations see it: at rest there is then nothing
                    // to do, to the last bit.
                    let edge = positions[j] - positions[i];
                    (rest.edge[0][lane], rest.edge[1][lane], rest.edge[2][lane]) = edge.into();
                    let arms = (arm_length[i] * arm_length[j]) as f32;
                    rest.arms[lane] =
                        if is_tie(edges[lane]) { -arms.max(LEAST_ARMS) } else { arms };
                }
            }
        }
    }

    /// What the iterations see of the stiffnesses: of half-edges, and all of a point's together.
    pub(super) fn stiffen_springs(&mut self) {
        let (forces, lengths) = (&self.forces, &mut self.lengths);
        let of_edge = f64::from(forces.torque + forces.tension + forces.orientation);
        let of_anchor = f64::from(forces.bone + forces.along_arm);
        let of_guard = f64::from(forces.length + forces.contact);
        let diagonals = &mut lengths.sum_of_point;
        let of_points = lengths.anchor_of_point.iter().zip(&lengths.guard_of_point);
        for (diagonal, (anchor, guard)) in diagonals.iter_mut().zip(of_points) {
            *diagonal = anchor * of_anchor + guard * of_guard + LEAST_DIAGONAL;
        }
        let springs = lengths.stiffness_of_edge.iter().zip(&lengths.scale_of_edge);
        let edges = self.topology.adjacency.edges().iter();
        for (index, (edge, (stiffness, scale))) in edges.zip(springs).enumerate() {
            let of_edge = match self.topology.tie(index) {
                Some(_) => f64::from(forces.torque),
                None => of_edge,
            };
            for point in edge.points {
                diagonals[point as usize] += stiffness * scale * of_edge;
            }
        }
        for (link, edges) in self.links.iter_mut().zip(&self.topology.edge_of_lane) {
            for (out, &edge) in link.stiffness.iter_mut().zip(edges) {
                let edge = edge as usize;
                *out = match lengths.stiffness_of_edge.get(edge) {
                    Some(stiffness) => (stiffness * lengths.scale_of_edge[edge]) as f32,
                    None => 0.0,
                };
            }
        }
        let (slices, _) = self.order.point_of_slot().as_chunks::<LANES>();
        for (slice, points) in self.anchors.iter_mut().zip(slices) {
            for (diagonal, &point) in slice.diagonal.iter_mut().zip(points) {
                *diagonal = lengths.sum_of_point[point as usize] as f32;
            }
        }
    }
}

/// The tenth percentile of the anchors of points that have neighbours.
fn soft_anchor(anchors: &mut [f64]) -> f64 {
    let at = (anchors.len() as f64 * SOFT_ANCHORS) as usize;
    if at >= anchors.len() {
        return 1.0;
    }
    *anchors.select_nth_unstable_by(at, f64::total_cmp).1
}

/// The unit of residuals; 1 for meshes that are flat to the last bit or empty.
fn smallest_side(positions: &[Vec3]) -> f32 {
    let side =
        Aabb::around(positions.iter().copied().filter(|p| p.is_finite())).size().min_element();
    if side > 0.0 { side } else { 1.0 }
}
