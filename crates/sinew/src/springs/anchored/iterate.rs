//! The iterations: `x̂ = x + .95 F/D`, then Chebyshev's `x_{n+1} = x_{n−1} + ω(x̂ − x_{n−1})`.
//!
//! ```text
//! F = Σ_j k[c_t(e − d_e) + 4c_s max(0, 1 − ℓ_t/|e|) e − 8c_g max(0, .8ℓ⁰ − e·d̂) d̂]
//!   − ε[c_b(x − x*) + 15c_l((x − x*)·ŝ)ŝ] + 32εc_l max(0, .9|s⁰| − n·(x − a'))n
//! D = the largest so far of ε(c_b + 15c_l + 32c_l) + Σ k(c_t + 4c_s[|e| > .9ℓ_t] + 8c_g[e·d̂ < .9ℓ⁰])
//! ω₁ = 1, ω₂ = 2/(2 − ρ²), ω = 4/(4 − ρ²ω)
//! ```
//!
//! `D` may only grow: with one that follows the active terms down again, a real body diverged. It rides in the fourth float
//! of each position. `x_{n−1}` is read at its own slot only, so `x_{n+1}` is written over it and two buffers do. A slot
//! reads `x_n` alone of others, so the bits do not depend on who computes what.

use fearless_simd::{Simd, dispatch, prelude::*};
use rayon::prelude::*;

use super::prepare::{LEAST_SQUARE, block};
use super::{Anchored, AnchoredFrame, AnchoredScratch, EdgeRow, LinkRow, PointSlice};
use crate::springs::SpringStats;
use crate::springs::lanes::{
    V, add_scaled, difference, dot, gather, load, load_rows, load3, store_rows,
};
use crate::springs::rows::{LANES, POSITION_FLOATS};

/// From this many slots on a second thread pays.
pub(super) const PARALLEL_SLOTS: usize = 8_192;

/// Pieces a thread gets, so that a late one is made up for.
const PIECES_A_THREAD: usize = 4;

/// Floats in a slice of positions.
const SLICE_FLOATS: usize = LANES * POSITION_FLOATS;

/// Who works on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// The calling thread.
    One,
    /// Rayon's pool.
    Pool,
}

impl Threads {
    pub(super) fn for_slots(num_slots: usize) -> Self {
        if num_slots >= PARALLEL_SLOTS && rayon::current_num_threads() > 1 {
            Self::Pool
        } else {
            Self::One
        }
    }

    /// Runs a frame where its threads are: the pool is entered once a frame, not once an iteration.
    pub(super) fn run<R: Send>(self, frame: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::One => frame(),
            Self::Pool => rayon::scope(|_| frame()),
        }
    }

    /// Slices that one thread takes at a time.
    pub(super) fn piece(self, plan: &Anchored) -> usize {
        match self {
            Self::One => plan.anchors.len().max(1),
            Self::Pool => {
                plan.anchors.len().div_ceil(rayon::current_num_threads() * PIECES_A_THREAD).max(1)
            }
        }
    }
}

/// Runs the iterations; the result is in `now`.
pub(super) fn iterate(
    plan: &Anchored,
    frame: &AnchoredFrame<'_>,
    scratch: &mut AnchoredScratch,
    threads: Threads,
) -> SpringStats {
    let piece = threads.piece(plan);
    let rho_squared = plan.rho * plan.rho;
    let mut omega = 1.0;
    let mut stats = SpringStats::default();
    while stats.iterations < frame.iterations {
        omega = match stats.iterations {
            0 => 1.0,
            1 => 2.0 / (2.0 - rho_squared),
            _ => 4.0 / (4.0 - rho_squared * omega),
        };
        let AnchoredScratch { edges, points, now, next } = scratch;
        let sweep = |(index, next): (usize, &mut [f32])| {
            let sweep = Sweep { plan, edges, points, now, omega: omega as f32 };
            dispatch!(plan.level, simd => sweep.run(simd, index * piece, next))
        };
        let step_squared = match threads {
            Threads::One => sweep((0, next)),
            Threads::Pool => next
                .par_chunks_mut(piece * SLICE_FLOATS)
                .enumerate()
                .map(sweep)
                .reduce(|| 0.0, f32::max),
        };
        std::mem::swap(now, next);
        stats.iterations += 1;
        stats.residual = step_squared.sqrt() / plan.smallest_side;
        if stats.residual < frame.threshold {
            break;
        }
    }
    stats
}

/// One iteration.
struct Sweep<'a> {
    plan: &'a Anchored,
    edges: &'a [EdgeRow],
    points: &'a [PointSlice],
    now: &'a [f32],
    omega: f32,
}

/// Force and diagonal of a slice.
struct Sums<S: Simd> {
    force: [V<S>; 3],
    diagonal: V<S>,
}

impl Sweep<'_> {
    /// Moves the slices from `first` on, whose `x_{n−1}` are in `next`; returns the square of the largest step.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, first: usize, next: &mut [f32]) -> f32 {
        let (blocks, _) = next.as_chunks_mut::<SLICE_FLOATS>();
        let mut largest = V::splat(simd, 0.0);
        let step_gain = V::splat(simd, self.plan.gains.step);
        let omega = V::splat(simd, self.omega);
        for (slice, next) in (first..).zip(blocks) {
            let [x, y, z, diagonal] = load_rows(simd, block(self.now, slice));
            let [before_x, before_y, before_z, _] = load_rows(simd, next);
            let sums = self.slice(simd, slice, [x, y, z]);
            let diagonal = sums.diagonal.max(diagonal);
            let step = step_gain / diagonal;
            let move_x = step.mul_add(sums.force[0], x - before_x);
            let move_y = step.mul_add(sums.force[1], y - before_y);
            let move_z = step.mul_add(sums.force[2], z - before_z);
            let after = [
                omega.mul_add(move_x, before_x),
                omega.mul_add(move_y, before_y),
                omega.mul_add(move_z, before_z),
            ];
            let moved = difference::<S>(after, [x, y, z]);
            largest = largest.max(dot::<S>(moved, moved));
            store_rows(simd, [after[0], after[1], after[2], diagonal], next);
        }
        simd.reduce_max_f32x8(largest)
    }

    #[inline(always)]
    fn slice<S: Simd>(&self, simd: S, slice: usize, x: [V<S>; 3]) -> Sums<S> {
        let plan = self.plan;
        let rows = plan.row_starts[slice] as usize..plan.row_starts[slice + 1] as usize;
        let zero = V::splat(simd, 0.0);
        let mut sums = Sums { force: [zero; 3], diagonal: V::splat(simd, LEAST_SQUARE) };
        for (link, edge) in plan.links[rows.clone()].iter().zip(&self.edges[rows]) {
            self.row(simd, link, edge, x, &mut sums);
        }
        self.anchor(simd, &self.points[slice], x, &mut sums);
        sums
    }

    /// Adds what one neighbour of each point does.
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        simd: S,
        link: &LinkRow,
        edge: &EdgeRow,
        x: [V<S>; 3],
        sums: &mut Sums<S>,
    ) {
        let (forces, gains) = (&self.plan.forces, &self.plan.gains);
        let zero = V::splat(simd, 0.0);
        let there = gather(simd, self.now, &link.neighbours);
        let e = difference::<S>([there[0], there[1], there[2]], x);
        let stiffness = load(simd, &link.stiffness);
        let guard = load3(simd, &edge.guard);
        let limit = load(simd, &edge.tension_squared);
        let length_squared = dot::<S>(e, e);
        let along = dot::<S>(e, guard);

        let is_long = length_squared
            .simd_gt(limit * V::splat(simd, gains.tension_margin * gains.tension_margin));
        let is_short =
            along.simd_lt(V::splat(simd, gains.orientation_margin / gains.orientation_limit));
        let counted = V::splat(simd, forces.torque)
            + is_long.select(V::splat(simd, forces.tension), zero)
            + is_short.select(V::splat(simd, forces.orientation), zero);
        sums.diagonal = stiffness.mul_add(counted, sums.diagonal);

        let torque = stiffness * V::splat(simd, forces.torque);
        sums.force = add_scaled::<S>(sums.force, torque, e);

        // Most rows have no term that acts: one test for both.
        let one = V::splat(simd, 1.0);
        let acts = length_squared.simd_gt(limit) | along.simd_lt(one);
        if acts.any_true() {
            let least = V::splat(simd, LEAST_SQUARE);
            let over = (one - (limit / length_squared.max(least)).sqrt()).max(zero);
            let tension = stiffness * over * V::splat(simd, forces.tension);
            sums.force = add_scaled::<S>(sums.force, tension, e);
            let under = (along - one).min(zero) / dot::<S>(guard, guard).max(least);
            let push = stiffness * under * V::splat(simd, forces.orientation);
            sums.force = add_scaled::<S>(sums.force, push, guard);
        }
    }

    /// Adds what holds each point by itself.
    #[inline(always)]
    fn anchor<S: Simd>(&self, simd: S, point: &PointSlice, x: [V<S>; 3], sums: &mut Sums<S>) {
        let forces = &self.plan.forces;
        let stiffness = load(simd, &point.stiffness);
        let whole = forces.bone + forces.along_arm + forces.length;
        sums.diagonal = stiffness.mul_add(V::splat(simd, whole), sums.diagonal);
        let force = difference::<S>(sums.force, load3(simd, &point.pull));

        let direction = load3(simd, &point.direction);
        let off = difference::<S>(x, load3(simd, &point.target));
        let bone = stiffness * V::splat(simd, -forces.bone);
        let force = add_scaled::<S>(force, bone, off);
        let along = stiffness * V::splat(simd, -forces.along_arm) * dot::<S>(off, direction);
        let force = add_scaled::<S>(force, along, direction);

        let normal = load3(simd, &point.normal);
        let under = (load(simd, &point.least) - dot::<S>(normal, x)).max(V::splat(simd, 0.0));
        let push = stiffness * V::splat(simd, forces.length) * under;
        sums.force = add_scaled::<S>(force, push, normal);
    }
}
