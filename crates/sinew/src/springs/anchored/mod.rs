//! The anchored model: the minimum of a convex energy over rotated edges, anchors and guards, so
//! that there is one answer.
//!
//! ```text
//! E = Σ_edges k [ c_t/2·|e − d_e|² + 10c_s ℓ_t² T(|e|²/ℓ_t²) + 12c_g P(.8ℓ⁰ − e·d̂; .13ℓ⁰) ]
//!   + Σ_points ε/2 [ c_b·|x − x*|² + 15c_l·((x − x*)·ŝ)² ] + 54c_l ε_g P(l l_m − n·(x − a'); .14 l_m) + 4c_g ε_g P(h − m·(x − p) − .07 l_m; .14 l_m)
//! T(q) = ∫ (u/(.82 + 1.19u))² du/2 from 0 to q − .92²: as P(|e|/ℓ_t − 1; .16), without a root
//! P(u; w) = u²/2 + w²/24 past w/2, 0 before −w/2, (u + w/2)³/6w between: its stiffness grows evenly from 0 to 1
//! d̂ = norm((q_i+q_j) e⁰)   g = (ψ_i−ψ_j)²|s_i||s_j|   τ = g/(g + .05ℓ⁰²)   μ = .25 + .75τ
//! d_e = (1−μ)ℓ⁰ d̂ + μ e*   e* = x*_j − x*_i   ℓ_t = 1.1(ℓ⁰ + τ clamp(|e*| − ℓ⁰, 0, .7√g))   n = norm(x* − a')
//! k = min((A₁+A₂)/ℓ⁰², 3)   ε = min(1, (h/(.5|s⁰|))²)   ε_g = min(1, (h/(.3|s⁰|))²)   l_m = (.89 + .04ε)|s⁰|   h the mean edge at the point
//! ```
//!
//! `m`, `p` and `h` are of the plane in a deeply bent joint (`springs::contact`), where there is
//! one. `x*`, `q`, `ψ`, `ŝ`, `a'` and `l` (below 1 where a stretched bone thins its limb) are the
//! first stage's ([`Stage`](super::stage::Stage)); the numbers are [`GAINS`], the `c` are
//! [`Coefficients`]. Each frame `prepare` turns the stage into what stays the same during the
//! frame, and `iterate` runs the Chebyshev iterations over it, from where `coarse` has brought it.
//! All of it works in the slots of [`Anchored::order`].

mod bind;
mod coarse;
mod domains;
mod edits;
mod forces;
mod iterate;
mod prepare;
mod rest;
mod solve;
pub(super) mod tables;
mod volume;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use fearless_simd::Level;
use glam::Vec3;

use coarse::{Coarse, CoarseScratch};
use domains::{Domain, Reach};
pub(crate) use edits::handles;
use rest::{RestLengths, Topology};
use volume::{Body, Sums};

use super::order::SlotOrder;
use super::rows::{LANES, Lanes, POSITION_FLOATS};
use super::{CoefficientError, Coefficients};
use super::{Pin, ScaleEdit, Start, Within};
use crate::mesh::Adjacency;
use crate::skeleton::Palette;

/// The model's numbers: [`GAINS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Stiffness past the tension limit over that of the edge.
    pub tension: f32,
    /// Tension limit over the rest length.
    pub tension_limit: f32,
    /// A twist between the two ends of an edge lengthens the edge. The tension limit rises with it,
    /// by at most this share of the lengthening.
    pub tension_twist: f32,
    /// Stiffness of the guard against folding over that of the edge.
    pub orientation: f32,
    /// Length along the rotated edge, over its rest length, below which the guard pushes.
    pub orientation_limit: f32,
    /// Share of the first stage's own edge in the wished-for edge, without twist.
    pub target_share: f32,
    /// Squared twist over the squared edge at which half of the rest of the share is the first
    /// stage's.
    pub twist_softness: f32,
    /// Stiffness of the anchor along the point's arm, besides that in all directions.
    pub along_arm: f32,
    /// Stiffness of the length guard.
    pub length: f32,
    /// Length of the arm over that at rest below which the length guard pushes, where anchors are
    /// as stiff as edges.
    pub length_limit: f32,
    /// The same where anchors are soft: in between, in proportion to `ε`.
    pub soft_length_limit: f32,
    /// Where tension sets in, as a share of the tension limit.
    pub tension_onset: f32,
    /// `α` and `γ` of tension's `(u/(α + γu))²`: without a step in stiffness, and none above that
    /// of the gain.
    pub tension_curve: [f32; 2],
    /// Width of the soft onset of the guard against folding, over its limit.
    pub orientation_softness: f32,
    /// The length guard is at its stiffest where the mean edge is at least this share of the
    /// distance to the bone.
    pub length_reach: f64,
    /// Width of the soft onset of the length guard, over its limit. It begins below the length at
    /// rest, or the rest pose would move.
    pub length_softness: f32,
    /// Stiffness of the contact plane, which sets in over the same width.
    pub contact: f32,
    /// The largest stiffness of an edge: slivers would have any.
    pub max_stiffness: f64,
    /// An anchor is as stiff as the edges where the mean edge is this share of the distance to the
    /// bone.
    pub anchor_reach: f64,
    /// Share of the diagonal step that is taken.
    pub step: f32,
    /// `ρ = 1 − this · ε₁₀`, with `ε₁₀` the tenth percentile of the anchors' stiffness.
    pub spectrum: f64,
}

/// Found on cylinder, box, plus and humanoid. They are no settings: those scale forces by
/// [`Coefficients`].
pub const GAINS: Gains = Gains {
    tension: 10.0,
    tension_limit: 1.1,
    tension_twist: 0.7,
    orientation: 12.0,
    orientation_limit: 0.8,
    target_share: 0.25,
    twist_softness: 0.05,
    along_arm: 15.0,
    length: 54.0,
    length_limit: 0.93,
    soft_length_limit: 0.89,
    tension_onset: 0.92,
    tension_curve: [0.82, 1.19],
    orientation_softness: 0.16,
    length_reach: 0.3,
    length_softness: 0.14,
    contact: 4.0,
    max_stiffness: 3.0,
    anchor_reach: 0.5,
    step: 0.95,
    spectrum: 0.07,
};

/// What binding needs to know; everything in the order of the mesh's points.
#[derive(Clone, Copy, Debug)]
pub struct AnchoredInput<'a> {
    /// At rest.
    pub positions: &'a [Vec3],
    /// Triangles over the points.
    pub triangles: &'a [[u32; 3]],
    /// Of the same triangles.
    pub adjacency: &'a Adjacency,
    /// The bone that each point holds on to: pairs on different ones have a coefficient of their
    /// own.
    pub joint_of_point: &'a [u32],
    /// `|s⁰|`: each point's distance to its attachment.
    pub attachment_distance: &'a [f64],
    /// `|s|`: each point's distance to the blend of its projections, for the twist between
    /// neighbours.
    pub arm_length: &'a [f64],
    /// Scales of the forces.
    pub coefficients: &'a Coefficients,
    /// Frames from scratch begin with a coarse level, where the mesh is fine enough for one.
    pub has_coarse_start: bool,
    /// Springs between shells.
    pub ties: &'a [Tie],
    /// True for what stays at its target, one a point; empty for nothing.
    pub is_held: &'a [bool],
    /// What is left of the length guard and of contact, one a point; empty for all of it.
    pub guard_scale: &'a [f64],
}

/// A spring between two shells: a rotated edge, without a tension limit or a guard against folding
/// (with them skins popped).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// The lower number first.
    pub points: [u32; 2],
    /// Beside edges, which have one of about 1.
    pub stiffness: f64,
}

/// A frame's wishes.
#[derive(Clone, Copy, Debug)]
pub struct AnchoredFrame<'a> {
    /// Where the iterations begin.
    pub start: Start<'a>,
    /// Points that are held.
    pub pins: &'a [Pin],
    /// Iterations at the most.
    pub iterations: u32,
    /// Ends the iterations once no step is longer than this over the smallest side of the rest
    /// bounds; 0 runs all. It is looked at after every sixth.
    pub threshold: f32,
    /// What may move; `None` is everything.
    pub within: Option<Within<'a>>,
    /// Handles with another length.
    pub edits: &'a [ScaleEdit],
    /// The volume to keep over that at rest: 1, but for stretched and scaled bones.
    pub growth: f64,
    /// How much bent skin swells; `None` finds it by the volume.
    pub swell: Option<f32>,
}

/// A mesh bound to the anchored model.
#[derive(Clone, Debug)]
pub struct Anchored {
    order: Arc<SlotOrder>,
    topology: Arc<Topology>,
    lengths: RestLengths,
    /// Where each slice's rows begin, and where the last one's end.
    row_starts: Arc<[u32]>,
    links: Vec<LinkRow>,
    rests: Vec<RestRow>,
    anchors: Vec<AnchorSlice>,
    reach: Arc<Reach>,
    /// Where frames from scratch begin.
    coarse: Option<Box<Coarse>>,
    /// What keeps its volume, if it has any.
    body: Option<Body>,
    /// Slots of points without neighbours, and padding: they stay at their targets.
    loose_slots: Arc<[u32]>,
    forces: Forces,
    /// `ε₁₀`, which `ρ` comes from.
    soft_anchor: f64,
    smallest_side: f32,
    level: Level,
}

/// Scales of the terms: gains times coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forces {
    /// Of the wished-for edge.
    pub torque: f32,
    /// Past the tension limit.
    pub tension: f32,
    /// Of the guard against folding.
    pub orientation: f32,
    /// Of the anchor in all directions.
    pub bone: f32,
    /// Of the anchor along the arm.
    pub along_arm: f32,
    /// Of the length guard.
    pub length: f32,
    /// Of the contact plane.
    pub contact: f32,
}

/// What the iterations read of a row of half-edges and never changes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct LinkRow {
    /// The first floats of the neighbours' positions.
    neighbours: [u32; LANES],
    stiffness: Lanes,
}

/// What preparing reads of a row of half-edges and never changes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct RestRow {
    /// `e⁰`, towards the neighbour.
    edge: [Lanes; 3],
    /// `|s_i||s_j|`, negative for what ties two shells.
    arms: Lanes,
}

/// What is known of a slice and never changes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct AnchorSlice {
    /// `ε`.
    stiffness: Lanes,
    /// `l_m`.
    least_length: Lanes,
    /// `D`.
    diagonal: Lanes,
    /// `ε_g`, of the length guard.
    guard: Lanes,
}

/// A frame's row of half-edges.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct EdgeRow {
    /// `d̂/(.8ℓ⁰)`: the guard pushes where its product with the edge is below 1.
    guard: [Lanes; 3],
    /// `1/ℓ_t²`.
    over_tension_squared: Lanes,
}

/// A frame's slice of points.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct PointSlice {
    /// `x*`.
    target: [Lanes; 3],
    /// `ŝ`.
    direction: [Lanes; 3],
    /// `n`.
    normal: [Lanes; 3],
    /// `c_t Σ k d_e`.
    pull: [Lanes; 3],
    /// The length guard pushes where `n·x` is below this.
    least: Lanes,
    /// `ε`.
    stiffness: Lanes,
}

/// A frame's contact planes of a slice. Beside the points, since few slices are in a bend that has
/// any.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct ContactSlice {
    normal: [Lanes; 3],
    /// A plane pushes where the product with its normal is below this.
    least: Lanes,
}

/// What a frame needs besides the plan: made once, used for every frame.
#[derive(Clone, Debug)]
pub struct AnchoredScratch {
    edges: Vec<EdgeRow>,
    points: Vec<PointSlice>,
    contacts: Vec<ContactSlice>,
    /// The slices that have a contact plane.
    is_bent: Vec<bool>,
    domains: Vec<Domain>,
    coarse: Option<Box<CoarseScratch>>,
    /// All positions after the iterations, where several domains have a part each.
    relaxed: Vec<f32>,
    sums: Vec<Sums>,
    /// What positions are relative to in `points` and `domains`.
    centre: [f32; 3],
}

impl Anchored {
    /// Binds a mesh.
    ///
    /// # Errors
    /// If coefficients are not of this mesh.
    ///
    /// # Panics
    /// If the slices of `input` are not of one mesh, or it has more than 536,870,911 points.
    pub fn bind(input: &AnchoredInput<'_>) -> Result<Self, CoefficientError> {
        let plan = bind::bind(input)?;
        Ok(Self { body: Body::bind(input, &plan.order), ..plan })
    }

    /// `ρ`: bounds the iteration's spectrum, but for the softest anchors.
    fn rho(&self) -> f64 {
        1.0 - GAINS.spectrum * self.soft_anchor
    }

    /// What stretched and scaled bones make of the volume at rest; `keep_volume` is the first
    /// stage's.
    pub(crate) fn growth(&self, palette: &Palette, keep_volume: f64) -> f64 {
        self.body.as_ref().map_or(1.0, |body| body.growth(palette, keep_volume))
    }

    /// The solver's order of points: a [`Stage`](super::stage::Stage) is filled in it.
    pub fn order(&self) -> &SlotOrder {
        &self.order
    }

    /// Memory for frames, with a part for each thread of rayon's current pool where the mesh is
    /// large enough.
    pub fn scratch(&self) -> AnchoredScratch {
        let lanes = [0.0; LANES];
        let edge = EdgeRow { guard: [lanes; 3], over_tension_squared: lanes };
        let point = PointSlice {
            target: [lanes; 3],
            direction: [lanes; 3],
            normal: [lanes; 3],
            pull: [lanes; 3],
            least: lanes,
            stiffness: lanes,
        };
        let slots = self.order.num_slots();
        let domains = self.reach.domains(iterate::num_threads(slots), slots);
        let is_parallel = domains.len() > 1;
        AnchoredScratch {
            edges: vec![edge; self.links.len()],
            points: vec![point; self.anchors.len()],
            contacts: vec![ContactSlice { normal: [lanes; 3], least: lanes }; self.anchors.len()],
            is_bent: vec![false; self.anchors.len()],
            domains,
            coarse: self.coarse.as_ref().map(|coarse| Box::new(coarse.scratch())),
            relaxed: Vec::with_capacity(if is_parallel { slots * POSITION_FLOATS } else { 0 }),
            sums: self.body.as_ref().map(Body::scratch).unwrap_or_default(),
            centre: [0.0; 3],
        }
    }
}
