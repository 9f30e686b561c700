//! The iterations: `x̂ = x + .95 F/D`, then Chebyshev's `x_{n+1} = x_{n−1} + ω(x̂ − x_{n−1})`.
//!
//! ```text
//! F = Σ_j k[c_t(e − d_e) + 10c_s (u/(.82 + 1.19u))² e − 12c_g s(.8ℓ⁰ − e·d̂; .13ℓ⁰) d̂]      u = max(0, |e|²/ℓ_t² − .92²)
//!   − ε[c_b(x − x*) + 15c_l((x − x*)·ŝ)ŝ] + 54ε_g c_l s(l l_m − n·(x − a'); .14 l_m) n + 4ε_g c_g s(h − m·(x − p) − .07 l_m; .14 l_m) m
//! s(u; w) = max(0, u), but (u + w/2)²/2w where |u| < w/2
//! D = ε(c_b + 15c_l) + ε_g(54c_l + 4c_g) + Σ k(c_t + 10c_s + 12c_g)
//! ω₁ = 1, ω₂ = 2/(2 − ρ²), ω = 4/(4 − ρ²ω)      ρ = min(1 − .07 ε₁₀, 1/cosh(arcosh(20)/n))
//! ```
//!
//! After n iterations Chebyshev's leave `1/cosh(n arcosh(1/ρ))` of whatever `ρ` bounds. With a `ρ`
//! for the slowest of all that may be nearly everything, also of what is short and would else be
//! gone at once, and it swings: skins popped. So `ρ` is no larger than what leaves a twentieth
//! after the frame's own number; what is slower is the coarse level's.
//!
//! `s` has a soft onset: with `max(0, u)` alone a guard's stiffness is there at once, and a point
//! that it begins to hold has a kink in its way. The chibi's skin popped up to 2.4 times as far as
//! a linear one, and now no further. The stiffness is never more than with a kink, so that `D`
//! bounds it as before. Tension is soft in a form of its own: `(u/(.82 + 1.19u))² |e|/ℓ_t` is
//! within .03 of `s(|e|/ℓ_t − 1; .16)` up to 1.7 times the limit, nowhere stiffer than the gain
//! (.995 of it at the most; within the onset up to .06 stiffer than `s`), and needs no root. It
//! acts on nearly every row (at rest an edge is at .91 of its limit), so rows are not asked whether
//! it does.
//!
//! `D` counts every term, whether it acts or not, and never changes: one that follows the terms
//! (springs.md's) converges a little faster, but steps from frame to frame, and with it the shape:
//! skins popped up to 40 times as far as linear ones. The fourth float of a position is infinite
//! where the point is held, a larger `D` where it is a handle, else zero. `x_{n−1}` is read at its
//! own slot only, so `x_{n+1}` is written over it and two buffers do. A slot reads `x_n` alone of
//! others, so the bits do not depend on who computes what.

use fearless_simd::{Simd, dispatch, prelude::*};
use rayon::prelude::*;

use super::domains::{ChunkStep, Domain, MAX_WAVE, exchange};
use super::prepare::{LEAST_SQUARE, block};
use super::{
    Anchored, AnchoredFrame, AnchoredScratch, ContactSlice, EdgeRow, GAINS, LinkRow, PointSlice,
};
use crate::springs::SpringStats;
use crate::springs::lanes::{
    V, add_scaled, difference, dot, gather, load, load_rows, load3, store_rows,
};
use crate::springs::rows::{LANES, POSITION_FLOATS};

/// Slots for which a thread pays: waking it costs 25–85 µs a frame, and meeting it some 5 µs a
/// wave.
pub(super) const SLOTS_A_THREAD: usize = 4_096;

/// How often the threshold is looked at.
pub(super) const CHECK_ITERATIONS: u32 = 6;

/// How much smaller a frame's iterations make any error that `ρ` bounds. Of 12, 20 and 30 the last
/// pops least, and the first is nearest to the answer where there are few iterations.
const LEAST_REDUCTION: f64 = 20.0;

/// Floats in a slice of positions.
const SLICE_FLOATS: usize = LANES * POSITION_FLOATS;

/// Threads that pay for a mesh.
pub(super) fn num_threads(num_slots: usize) -> usize {
    rayon::current_num_threads().min(num_slots / SLOTS_A_THREAD).max(1)
}

/// Chebyshev's factors.
pub(super) struct Omegas {
    rho_squared: f64,
    done: u32,
    last: f64,
}

impl Omegas {
    /// For so many iterations, of which none more is taken than there are.
    pub(super) fn new(rho: f64, iterations: u32) -> Self {
        let rho = rho.min(1.0 / (LEAST_REDUCTION.acosh() / f64::from(iterations.max(1))).cosh());
        Self { rho_squared: rho * rho, done: 0, last: 1.0 }
    }
}

impl Iterator for Omegas {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        self.last = match self.done {
            0 => 1.0,
            1 => 2.0 / (2.0 - self.rho_squared),
            _ => 4.0 / (4.0 - self.rho_squared * self.last),
        };
        self.done += 1;
        Some(self.last as f32)
    }
}

/// Runs the iterations, wave by wave.
pub(super) fn iterate(
    plan: &Anchored,
    frame: &AnchoredFrame<'_>,
    scratch: &mut AnchoredScratch,
) -> SpringStats {
    let AnchoredScratch { edges, points, contacts, is_bent, domains, .. } = scratch;
    let mut omegas = Omegas::new(plan.rho(), frame.iterations);
    let mut stats = SpringStats::default();
    let mut wave = [0.0; MAX_WAVE];
    while stats.iterations < frame.iterations {
        let mut steps = domains[0].max_wave().min((frame.iterations - stats.iterations) as usize);
        if frame.threshold > 0.0 {
            // Waves depend on the number of threads, so where to look must not depend on waves.
            steps = steps.min((CHECK_ITERATIONS - stats.iterations % CHECK_ITERATIONS) as usize);
        }
        let wave = &mut wave[..steps];
        for (factor, omega) in wave.iter_mut().zip(&mut omegas) {
            *factor = omega;
        }
        let sweep = Sweep { plan, edges, points, contacts, is_bent };
        let run = |domain: &mut Domain| {
            domain.wave(
                &plan.reach,
                stats.iterations,
                wave,
                |step| dispatch!(plan.level, simd => sweep.run(simd, step)),
            );
        };
        match &mut domains[..] {
            [domain] => run(domain),
            domains => {
                domains.par_iter_mut().for_each(run);
                exchange(domains);
            }
        }
        stats.iterations += wave.len() as u32;
        let step_squared = domains.iter().map(|domain| domain.step_squared).fold(0.0, f32::max);
        stats.residual = step_squared.sqrt() / plan.smallest_side;
        if stats.iterations % CHECK_ITERATIONS == 0 && stats.residual < frame.threshold {
            break;
        }
    }
    stats
}

/// Writes the forces on the slots of `out`, the first of which is in `first_slice`, at the
/// positions `now` of all slots.
pub(super) fn forces(
    plan: &Anchored,
    scratch: &AnchoredScratch,
    first_slice: usize,
    now: &[f32],
    out: &mut [f32],
) {
    let AnchoredScratch { edges, points, contacts, is_bent, .. } = scratch;
    let sweep = Sweep { plan, edges, points, contacts, is_bent };
    dispatch!(plan.level, simd => sweep.forces(simd, first_slice, now, out));
}

/// The frame as every iteration sees it.
struct Sweep<'a> {
    plan: &'a Anchored,
    edges: &'a [EdgeRow],
    points: &'a [PointSlice],
    contacts: &'a [ContactSlice],
    is_bent: &'a [bool],
}

/// Numbers of the inner loop, spread over lanes once a chunk.
struct Spread<S: Simd> {
    zero: V<S>,
    one: V<S>,
    least: V<S>,
    torque: V<S>,
    /// Minus the square of where tension sets in.
    taut_from: V<S>,
    /// `.82` and `1.19`, over the root of `10c_s`.
    tension_curve: [V<S>; 2],
    orientation: V<S>,
    folded_below: V<S>,
    orientation_onset: Onset<S>,
}

/// `s`: how far a guard is passed, with the soft onset of a width.
#[derive(Clone, Copy)]
struct Onset<S: Simd> {
    half_width: V<S>,
    width: V<S>,
    over_double_width: V<S>,
}

impl<S: Simd> Onset<S> {
    #[inline(always)]
    fn new(simd: S, width: V<S>) -> Self {
        Self {
            half_width: V::splat(simd, 0.5) * width,
            width,
            over_double_width: V::splat(simd, 1.0)
                / (width + width).max(V::splat(simd, LEAST_SQUARE)),
        }
    }

    #[inline(always)]
    fn passed(&self, zero: V<S>, over: V<S>) -> V<S> {
        let past_onset = (over + self.half_width).max(zero);
        let within = past_onset.min(self.width);
        (within * within).mul_add(self.over_double_width, past_onset - within)
    }
}

impl<S: Simd> Spread<S> {
    #[inline(always)]
    fn new(simd: S, plan: &Anchored) -> Self {
        let forces = &plan.forces;
        // Divisors: without tension they are large, not infinite.
        let root = forces.tension.max(LEAST_SQUARE).sqrt();
        Self {
            zero: V::splat(simd, 0.0),
            one: V::splat(simd, 1.0),
            least: V::splat(simd, LEAST_SQUARE),
            torque: V::splat(simd, forces.torque),
            taut_from: V::splat(simd, -GAINS.tension_onset.powi(2)),
            tension_curve: GAINS.tension_curve.map(|number| V::splat(simd, number / root)),
            orientation: V::splat(simd, forces.orientation),
            folded_below: V::splat(simd, 1.0 + 0.5 * GAINS.orientation_softness),
            orientation_onset: Onset::new(simd, V::splat(simd, GAINS.orientation_softness)),
        }
    }
}

impl Sweep<'_> {
    /// Moves a chunk; returns the square of the largest step.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, chunk: &mut ChunkStep<'_>) -> f32 {
        let (blocks, _) = chunk.next.as_chunks_mut::<SLICE_FLOATS>();
        let spread = Spread::new(simd, self.plan);
        let mut largest = spread.zero;
        let step_gain = V::splat(simd, GAINS.step);
        let omega = V::splat(simd, chunk.omega);
        for (slice, next) in (chunk.first_slice..).zip(blocks) {
            let [x, y, z, held] = load_rows(simd, block(chunk.now, slice));
            let force = self.slice(simd, &spread, slice, chunk.now, [x, y, z]);
            let diagonal = load(simd, &self.plan.anchors[slice].diagonal);
            let step = step_gain / diagonal.max(held);
            let [before_x, before_y, before_z, _] = load_rows(simd, next);
            let move_x = step.mul_add(force[0], x - before_x);
            let move_y = step.mul_add(force[1], y - before_y);
            let move_z = step.mul_add(force[2], z - before_z);
            let after = [
                omega.mul_add(move_x, before_x),
                omega.mul_add(move_y, before_y),
                omega.mul_add(move_z, before_z),
            ];
            let moved = difference::<S>(after, [x, y, z]);
            largest = largest.max(dot::<S>(moved, moved));
            store_rows(simd, [after[0], after[1], after[2], held], next);
        }
        simd.reduce_max_f32x8(largest)
    }

    #[inline(always)]
    fn forces<S: Simd>(&self, simd: S, first_slice: usize, now: &[f32], out: &mut [f32]) {
        let (blocks, _) = out.as_chunks_mut::<SLICE_FLOATS>();
        let spread = Spread::new(simd, self.plan);
        for (slice, out) in (first_slice..).zip(blocks) {
            let [x, y, z, _] = load_rows(simd, block(now, slice));
            let [x, y, z] = self.slice(simd, &spread, slice, now, [x, y, z]);
            store_rows(simd, [x, y, z, spread.zero], out);
        }
    }

    #[inline(always)]
    fn slice<S: Simd>(
        &self,
        simd: S,
        spread: &Spread<S>,
        slice: usize,
        now: &[f32],
        x: [V<S>; 3],
    ) -> [V<S>; 3] {
        let plan = self.plan;
        let rows = plan.row_starts[slice] as usize..plan.row_starts[slice + 1] as usize;
        let mut force = [spread.zero; 3];
        for (link, edge) in plan.links[rows.clone()].iter().zip(&self.edges[rows]) {
            let there = gather(simd, now, &link.neighbours);
            let e = difference::<S>([there[0], there[1], there[2]], x);
            add_row(simd, spread, (link, edge), e, &mut force);
        }
        self.with_anchor(simd, slice, &self.points[slice], x, force)
    }

    /// Adds what holds each point by itself.
    #[inline(always)]
    fn with_anchor<S: Simd>(
        &self,
        simd: S,
        slice: usize,
        point: &PointSlice,
        x: [V<S>; 3],
        force: [V<S>; 3],
    ) -> [V<S>; 3] {
        let forces = &self.plan.forces;
        let stiffness = load(simd, &point.stiffness);
        let force = difference::<S>(force, load3(simd, &point.pull));

        let direction = load3(simd, &point.direction);
        let off = difference::<S>(x, load3(simd, &point.target));
        let bone = stiffness * V::splat(simd, -forces.bone);
        let force = add_scaled::<S>(force, bone, off);
        let along = stiffness * V::splat(simd, -forces.along_arm) * dot::<S>(off, direction);
        let force = add_scaled::<S>(force, along, direction);

        let normal = load3(simd, &point.normal);
        let anchor = &self.plan.anchors[slice];
        let width = V::splat(simd, GAINS.length_softness) * load(simd, &anchor.least_length);
        let short = load(simd, &point.least) - dot::<S>(normal, x);
        // Most points are far from their guards, and in no deep bend.
        let is_short = (short + short + width).simd_gt(0.0).any_true();
        let is_bent = self.is_bent[slice];
        if !(is_short || is_bent) {
            return force;
        }
        let (zero, onset) = (V::splat(simd, 0.0), Onset::<S>::new(simd, width));
        let guard = load(simd, &anchor.guard);
        let push = guard * V::splat(simd, forces.length) * onset.passed(zero, short);
        let force = add_scaled::<S>(force, push, normal);
        if !is_bent {
            return force;
        }
        // From the plane on, not from half a width before it: at rest points lie on it.
        let plane = &self.contacts[slice];
        let contact = load3(simd, &plane.normal);
        let deep = load(simd, &plane.least) - dot::<S>(contact, x) - V::splat(simd, 0.5) * width;
        let push = guard * V::splat(simd, forces.contact) * onset.passed(zero, deep);
        add_scaled::<S>(force, push, contact)
    }
}

/// Adds what one neighbour of each point does.
#[inline(always)]
fn add_row<S: Simd>(
    simd: S,
    spread: &Spread<S>,
    (link, edge): (&LinkRow, &EdgeRow),
    e: [V<S>; 3],
    force: &mut [V<S>; 3],
) {
    let stiffness = load(simd, &link.stiffness);
    let guard = load3(simd, &edge.guard);
    let along = dot::<S>(e, guard);
    let taut = dot::<S>(e, e).mul_add(load(simd, &edge.over_tension_squared), spread.taut_from);
    let taut = taut.max(spread.zero);
    let tension = taut / taut.mul_add(spread.tension_curve[1], spread.tension_curve[0]);
    let pull = stiffness * tension.mul_add(tension, spread.torque);
    *force = add_scaled::<S>(*force, pull, e);

    // Most rows have nothing that folds.
    if along.simd_lt(spread.folded_below).any_true() {
        let under = spread.orientation_onset.passed(spread.zero, spread.one - along);
        let push = -under / dot::<S>(guard, guard).max(spread.least);
        *force = add_scaled::<S>(*force, stiffness * push * spread.orientation, guard);
    }
}
