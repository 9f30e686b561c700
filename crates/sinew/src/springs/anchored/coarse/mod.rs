//! A coarse level: the same springs between a tenth of the points, whose way from the first stage
//! is where the fine ones begin.
//!
//! What fifty iterations leave over is smooth: a limb's skin that has yet to slide as a whole.
//! Between points three edges apart it is short-waved, so [`ITERATIONS`] there, which cost as much
//! as two or three of the fine ones, take most of it away. The model does not depend on resolution
//! (`k` has no unit, `ε` grows with the area that a point stands for), so the coarse level is the
//! fine one bound again: its points are points of the mesh (*seeds*) with their own rows of the
//! first stage, its triangles join seeds whose cells meet ([`mesh`]).
//!
//! ```text
//! u_c = t (x_c − x*_c) after the coarse iterations      x₀ = x* + Σ w u_c      t = .02H/(.02H + G), G = Σ k g, H = Σ k ℓ⁰²
//! ```
//!
//! `t` is there for twists (`g` as in the energy), whose first stage is right but for a hair, while
//! three edges at once see a chord instead of a helix: without it a cylinder of 16k points kept
//! 712° of two turns after fifty iterations, with it 717°.
//!
//! Only the start changes, never the answer. It is one linear blend of few numbers a point
//! ([`blend`]), the same on a card, and the bits do not depend on threads. The coarse level knows
//! neither pins, regions, edits nor ties (a plan with ties has none): what is held is put in its
//! place afterwards. At rest nothing moves on either level.
//!
//! Nested iteration: A. Brandt, *Multi-Level Adaptive Solutions to Boundary-Value Problems*, 1977.

pub(super) mod blend;
pub(super) mod mesh;

use std::sync::Arc;

use glam::Vec3;

use self::blend::Blend;
use self::mesh::CoarseMesh;
use super::rest::RestLengths;
use super::{Anchored, AnchoredFrame, AnchoredInput, AnchoredScratch, LANES, iterate, prepare};
use crate::mesh::Adjacency;
use crate::springs::coefficients::scale_painted_edges;
use crate::springs::order::SlotOrder;
use crate::springs::rows::POSITION_FLOATS;
use crate::springs::stage::Stage;
use crate::springs::{CoefficientError, Coefficients, Start};

/// On the coarse level. Twice as many gain a tenth, half of them lose half.
pub(super) const ITERATIONS: u32 = 25;

/// The fine points that a coarse one must stand for, in the mean, to pay for its iterations.
const LEAST_RATIO: usize = 4;

/// The square of the twist around a seed, over that of the edges, at which half of its way is
/// taken.
pub(super) const TWIST_SOFTNESS: f32 = 0.02;

/// Anchors that are stiffer than this, but for a tenth of them, leave nothing smooth over: the mean
/// edge is then two fifths of a half of the distance to the bone, and a coarse point would hardly
/// see its neighbours.
const SOFT_ANCHOR: f64 = 0.14;

/// The coarse level of a plan.
#[derive(Clone, Debug)]
pub(super) struct Coarse {
    pub(super) plan: Anchored,
    /// The fine slot of each coarse one.
    pub(super) seeds: Arc<[u32]>,
    /// The fine point of each coarse one.
    seed_points: Arc<[u32]>,
    /// By fine slot.
    pub(super) blends: Arc<[Blend]>,
    /// Memory for refitting.
    positions: Vec<Vec3>,
}

/// What a frame needs on the coarse level.
#[derive(Clone, Debug)]
pub(super) struct CoarseScratch {
    stage: Stage,
    level: AnchoredScratch,
    /// `u_c` by coarse slot.
    ways: Vec<[f32; 4]>,
}

impl Coarse {
    /// The coarse level of a mesh whose soft anchors are as stiff as `soft_anchor`, unless it does
    /// not pay.
    pub(super) fn bind(
        input: &AnchoredInput<'_>,
        order: &SlotOrder,
        soft_anchor: f64,
    ) -> Result<Option<Box<Self>>, CoefficientError> {
        if soft_anchor > SOFT_ANCHOR {
            return Ok(None);
        }
        let mesh = CoarseMesh::new(input, order);
        let has_springs = !mesh.triangles.is_empty();
        if !has_springs || mesh.seeds.len() * LEAST_RATIO > input.positions.len() {
            return Ok(None);
        }
        let adjacency = Adjacency::of_triangles(mesh.seeds.len(), &mesh.triangles);
        let positions = at_seeds(&mesh, input.positions);
        let plan = super::bind::bind(&AnchoredInput {
            positions: &positions,
            triangles: &mesh.triangles,
            adjacency: &adjacency,
            joint_of_point: &at_seeds(&mesh, input.joint_of_point),
            attachment_distance: &at_seeds(&mesh, input.attachment_distance),
            arm_length: &at_seeds(&mesh, input.arm_length),
            coefficients: &coefficients(&mesh, input),
            has_coarse_start: false,
            ties: &[],
            is_held: &at_seeds_of(&mesh, input.is_held),
            guard_scale: &at_seeds_of(&mesh, input.guard_scale),
        })?;
        let slot_of_point = order.slot_of_point();
        let seed = |&coarse: &u32| slot_of_point[mesh.seeds[coarse as usize] as usize];
        let seeds = plan.order().point_of_slot().iter().map(seed).collect();
        let blends = blend::blends(&mesh, input.adjacency, &adjacency, plan.order());
        let blends = order.point_of_slot().iter().map(|&point| blends[point as usize]).collect();
        let seed_points = mesh.seeds.into();
        Ok(Some(Box::new(Self { plan, seeds, seed_points, blends, positions })))
    }

    /// Follows the fine points at another rest. Cells and blends stay.
    pub(super) fn refit(&mut self, positions: &[Vec3], fine: &RestLengths, is_all: bool) {
        let own = &mut self.plan.lengths;
        for (coarse, &seed) in self.seed_points.iter().enumerate() {
            let seed = seed as usize;
            self.positions[coarse] = positions[seed];
            own.attachment_distance[coarse] = fine.attachment_distance[seed];
            own.arm_length[coarse] = fine.arm_length[seed];
        }
        self.plan.refit(&self.positions, is_all);
    }

    /// Takes other coefficients: painted ones are the seeds'. Single pairs are no coarse edges, and
    /// too small to matter to a start.
    pub(super) fn adjust(&mut self, coefficients: &Coefficients) {
        let painted = &coefficients.of_point;
        let at_seed = |coarse: u32| {
            painted.get(self.seed_points[coarse as usize] as usize).map_or(1.0, |&c| c.into())
        };
        let topology = &self.plan.topology;
        scale_painted_edges(
            coefficients,
            at_seed,
            topology.adjacency.edges(),
            &topology.joint_of_point,
            &mut self.plan.lengths.scale_of_edge,
        );
        self.plan.take_forces(coefficients);
    }

    pub(super) fn scratch(&self) -> CoarseScratch {
        let num_slots = self.plan.order().num_slots();
        CoarseScratch {
            stage: Stage::new(num_slots),
            level: self.plan.scratch(),
            ways: vec![[0.0; 4]; num_slots],
        }
    }

    /// Relaxes the seeds' part of a stage.
    pub(super) fn run(&self, stage: &Stage, scratch: &mut CoarseScratch) {
        let CoarseScratch { stage: own, level, ways } = scratch;
        let Stage { target, rotation, direction, attachment, contact } = stage;
        let rows = [target, rotation, direction, attachment, contact];
        let Stage { target, rotation, direction, attachment, contact } = &mut *own;
        let own_rows = [target, rotation, direction, attachment, contact];
        for (own, fine) in own_rows.into_iter().zip(rows) {
            for (own, &seed) in own.iter_mut().zip(&*self.seeds) {
                *own = fine[seed as usize];
            }
        }
        let frame = AnchoredFrame {
            start: Start::FirstStage,
            pins: &[],
            iterations: ITERATIONS,
            threshold: 0.0,
            within: None,
            edits: &[],
            growth: 1.0,
            swell: None,
        };
        self.plan.prepare(own, (&[], &[]), level);
        prepare::start(&self.plan, &frame, own, level);
        iterate::iterate(&self.plan, &frame, level);
        for domain in &level.domains {
            let (rows, _) = domain.rows_after(ITERATIONS).as_chunks::<POSITION_FLOATS>();
            for slot in domain.own_slots(&self.plan) {
                let (x, target, share) = (rows[slot], own.target[slot], self.share(own, slot));
                for axis in 0..3 {
                    ways[slot][axis] = share * (x[axis] - target[axis]);
                }
            }
        }
    }

    /// `t`: how much of its way is taken, which is less where the stage twists.
    fn share(&self, stage: &Stage, slot: usize) -> f32 {
        let (slice, lane) = (slot / LANES, slot % LANES);
        let rows = self.plan.row_starts[slice] as usize..self.plan.row_starts[slice + 1] as usize;
        let (mut twists, mut edges) = (0.0, 0.0);
        for (link, rest) in self.plan.links[rows.clone()].iter().zip(&self.plan.rests[rows]) {
            let neighbour = link.neighbours[lane] as usize / POSITION_FLOATS;
            let twist = stage.target[neighbour][3] - stage.target[slot][3];
            let [x, y, z] = [rest.edge[0][lane], rest.edge[1][lane], rest.edge[2][lane]];
            twists += link.stiffness[lane] * twist * twist * rest.arms[lane];
            edges += link.stiffness[lane] * (x * x + y * y + z * z);
        }
        let edges = TWIST_SOFTNESS * edges;
        if edges > 0.0 { edges / (edges + twists) } else { 0.0 }
    }
}

impl CoarseScratch {
    /// How far a fine slot is from the first stage, by its blend.
    #[inline]
    pub(super) fn way(&self, blend: &Blend) -> [f32; 3] {
        let mut way = [0.0; 3];
        for (&slot, &weight) in blend.slots.iter().zip(&blend.weights) {
            let seed = &self.ways[slot as usize];
            for axis in 0..3 {
                // Not `mul_add`: this is compiled for any machine, where it is a call.
                way[axis] += weight * seed[axis];
            }
        }
        way
    }
}

/// The same of a list that may be empty.
fn at_seeds_of<T: Copy>(mesh: &CoarseMesh, of_point: &[T]) -> Vec<T> {
    if of_point.is_empty() { Vec::new() } else { at_seeds(mesh, of_point) }
}

fn at_seeds<T: Copy>(mesh: &CoarseMesh, of_point: &[T]) -> Vec<T> {
    mesh.seeds.iter().map(|&seed| of_point[seed as usize]).collect()
}

/// As [`Coarse::adjust`] has them.
fn coefficients(mesh: &CoarseMesh, input: &AnchoredInput<'_>) -> Coefficients {
    let painted = &input.coefficients.of_point;
    Coefficients {
        of_point: if painted.is_empty() { Vec::new() } else { at_seeds(mesh, painted) },
        of_pair: Vec::new(),
        ..input.coefficients.clone()
    }
}
