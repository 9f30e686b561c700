//! Delta mush: smooth, and put back what smoothing took off at rest.
//!
//! J. Mancewicz, M. Derksen, H. Rijpkema and C. Wilson, *Delta Mush: Smoothing Deformations While
//! Preserving Detail*, DigiPro 2014. Blender has it as Corrective Smooth, Maya under its own name.
//! `iterations` times
//!
//! ```text
//! x_i ← x_i + f (Σ_j w_ij x_j / Σ_j w_ij − x_i)          f = ½
//! ```
//!
//! At rest the difference to the unsmoothed shape is kept in a frame `R` of each smoothed point,
//! `δ = Rᵀ(x − x̄)`; a frame smooths the skin the same way and gives `x̄' + R' δ`. The frame's
//! first two axes are `Σ_j u_ij (x_j − x_i)` and `Σ_j v_ij (x_j − x_i)`, made orthonormal, where
//! `u_ij` and `v_ij` are the cosines of the rest edges with two tangents: every edge has its say,
//! and a rigid motion turns the frame with it.
//!
//! Limits: it follows the first stage's mistakes (a section that linear skinning flattened stays
//! flat), shrinks bends, and its reach is in edges, so that a finer mesh needs more iterations. A
//! point without a ring of its own (no neighbours, or all on one line) keeps `δ` in model space.

#[cfg(test)]
mod reference;
mod refit;
pub(super) mod tables;
#[cfg(test)]
mod tests;

use glam::{DVec3, Mat3A, Vec3, Vec3A, Vec4};
use rayon::prelude::*;

use crate::mesh::Adjacency;
use crate::springs::frame::{Pin, soft_pins};
use crate::springs::region::Within;
use refit::Rest;

/// Rows that a thread takes at a time.
const ROWS_A_TASK: usize = 2048;

/// From this many points on a second thread pays: an iteration then takes a few times what waking
/// it costs.
const PARALLEL_POINTS: usize = 60_000;

/// A ring whose axes span less than this over the square of its edges is a line.
const FLAT_RING: f64 = 1e-5;

/// What an edge counts in smoothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weighting {
    /// As much as any other.
    Uniform,
    /// As its length at rest, so that uneven triangles slide less.
    Length,
}

/// How to smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeltaMushSettings {
    /// Rounds of smoothing.
    pub iterations: u32,
    /// How far towards the neighbours' mean each time, 0 to 1.
    pub factor: f32,
    /// What counts in that mean.
    pub weighting: Weighting,
}

impl Default for DeltaMushSettings {
    fn default() -> Self {
        Self { iterations: 10, factor: 0.5, weighting: Weighting::Uniform }
    }
}

/// What delta mush is bound to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeltaMushInput<'a> {
    /// Welded points at rest, model space.
    pub positions: &'a [Vec3],
    /// Over the points.
    pub triangles: &'a [[u32; 3]],
    /// Of those triangles.
    pub adjacency: &'a Adjacency,
    /// An order of the points that keeps neighbours together; empty for the order they come in.
    pub order: &'a [u32],
}

/// A neighbour's say in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tangents {
    row: u32,
    u: f32,
    v: f32,
}

/// Bound delta mush: shareable, and changed only by `refit`.
#[derive(Clone, Debug)]
pub(crate) struct DeltaMush {
    settings: DeltaMushSettings,
    point_of_row: Vec<u32>,
    /// Where each row's neighbours begin, and where the last one's end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// One a neighbour; empty if all count the same.
    weights: Vec<f32>,
    /// `f / Σ w` of each row.
    factors: Vec<f32>,
    tangents: Vec<Tangents>,
    deltas: Vec<Delta>,
    rest: Rest,
}

/// What smoothing took off a point.
#[derive(Clone, Copy, Debug, Default)]
struct Delta {
    in_frame: Vec3,
    /// False if it is in model space.
    has_frame: bool,
}

/// A frame's working memory; one a thread that deforms.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeltaMushScratch {
    now: Vec<Vec4>,
    next: Vec<Vec4>,
}

impl DeltaMushScratch {
    fn of(num_points: usize) -> Self {
        let empty = vec![Vec4::ZERO; num_points];
        Self { now: empty.clone(), next: empty }
    }
}

impl DeltaMush {
    /// Smooths the rest shape and keeps the difference.
    ///
    /// # Panics
    /// If the arrays are not of the same points, or the order is no permutation.
    pub(crate) fn bind(input: &DeltaMushInput<'_>, settings: &DeltaMushSettings) -> Self {
        let num_points = input.positions.len();
        assert_eq!(input.adjacency.num_points(), num_points, "an adjacency of these points");
        let point_of_row: Vec<u32> = match input.order {
            [] => (0..num_points as u32).collect(),
            order => order.to_vec(),
        };
        assert_eq!(point_of_row.len(), num_points, "an order of all points");
        let mut row_of_point = vec![u32::MAX; num_points];
        for (row, &point) in point_of_row.iter().enumerate() {
            row_of_point[point as usize] = row as u32;
        }
        assert!(!row_of_point.contains(&u32::MAX), "an order of all points");

        let mut starts = vec![0];
        let mut neighbours = Vec::new();
        for &point in &point_of_row {
            let ring = input.adjacency.ring(point as usize);
            neighbours.extend(ring.iter().map(|&p| row_of_point[p as usize]));
            starts.push(neighbours.len() as u32);
        }
        let num_weights = match settings.weighting {
            Weighting::Uniform => 0,
            Weighting::Length => neighbours.len(),
        };
        let mut bound = Self {
            settings: *settings,
            starts,
            weights: vec![0.0; num_weights],
            factors: vec![0.0; num_points],
            tangents: vec![Tangents::default(); neighbours.len()],
            deltas: vec![Delta::default(); num_points],
            neighbours,
            point_of_row,
            rest: Rest {
                positions: input.positions.to_vec(),
                triangles: input.triangles.to_vec(),
                adjacency: input.adjacency.clone(),
                smoothed: vec![DVec3::ZERO; num_points],
                scratch: DeltaMushScratch::of(num_points),
            },
        };
        bound.fit();
        bound
    }

    fn span(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Memory for [`Self::deform`].
    pub(crate) fn scratch(&self) -> DeltaMushScratch {
        DeltaMushScratch::of(self.point_of_row.len())
    }

    /// Smooths a skin and puts the detail back. A pin takes the place of its point's skin, is
    /// smoothed with the rest, and ends where it is held, unless it holds softly: a pin at the
    /// skin's own place changes nothing around it. Large meshes use rayon's threads; the bits are
    /// the same with any number of them.
    ///
    /// # Panics
    /// If the skin, the scratch or the output is not of what was bound.
    pub(crate) fn deform(
        &self,
        skinned: &[Vec3],
        (pins, within): (&[Pin], Option<Within<'_>>),
        scratch: &mut DeltaMushScratch,
        out: &mut [Vec3],
    ) {
        let parallel =
            self.point_of_row.len() >= PARALLEL_POINTS && rayon::current_num_threads() > 1;
        self.run(skinned, (pins, within), scratch, out, parallel);
    }

    /// [`Self::deform`] on the calling thread alone.
    ///
    /// # Panics
    /// As [`Self::deform`].
    #[cfg(test)]
    pub(crate) fn deform_on_one_thread(
        &self,
        skinned: &[Vec3],
        (pins, within): (&[Pin], Option<Within<'_>>),
        scratch: &mut DeltaMushScratch,
        out: &mut [Vec3],
    ) {
        self.run(skinned, (pins, within), scratch, out, false);
    }

    fn run(
        &self,
        skinned: &[Vec3],
        (pins, within): (&[Pin], Option<Within<'_>>),
        scratch: &mut DeltaMushScratch,
        out: &mut [Vec3],
        parallel: bool,
    ) {
        assert_eq!(skinned.len(), self.point_of_row.len(), "a skin of the bound points");
        assert_eq!(out.len(), self.point_of_row.len(), "one output a bound point");
        assert_eq!(scratch.now.len(), self.point_of_row.len(), "scratch of this binding");
        // The output serves as the skin with the pins in place until the results are known.
        out.copy_from_slice(skinned);
        let exact = pins.iter().filter(|pin| pin.is_exact());
        for pin in soft_pins(pins, within).chain(exact) {
            out[pin.point as usize] = pin.position;
        }
        self.smooth(out, scratch, parallel);
        let DeltaMushScratch { now, next } = scratch;
        for_each_task(next, parallel, |first, rows| self.put_back(now, first, rows));
        for (row, &point) in next.iter().zip(&self.point_of_row) {
            out[point as usize] = row.truncate();
        }
        for pin in pins.iter().filter(|pin| pin.is_exact()) {
            out[pin.point as usize] = pin.position;
        }
    }

    fn smooth(&self, points: &[Vec3], scratch: &mut DeltaMushScratch, parallel: bool) {
        for (row, &point) in scratch.now.iter_mut().zip(&self.point_of_row) {
            *row = points[point as usize].extend(0.0);
        }
        for _ in 0..self.settings.iterations {
            let DeltaMushScratch { now, next } = scratch;
            if self.weights.is_empty() {
                for_each_task(next, parallel, |first, rows| {
                    self.smooth_rows::<false>(now, first, rows);
                });
            } else {
                for_each_task(next, parallel, |first, rows| {
                    self.smooth_rows::<true>(now, first, rows);
                });
            }
            std::mem::swap(now, next);
        }
    }

    fn smooth_rows<const WEIGHTED: bool>(&self, now: &[Vec4], first: usize, out: &mut [Vec4]) {
        let starts = &self.starts[first..first + out.len() + 1];
        let factors = &self.factors[first..first + out.len()];
        let own = &now[first..first + out.len()];
        for (((out, &x), &factor), span) in
            out.iter_mut().zip(own).zip(factors).zip(starts.windows(2))
        {
            let (start, end) = (span[0] as usize, span[1] as usize);
            // Sums of differences, not of places: far from the origin they keep more digits, and
            // rigid motions commute better.
            let mut sum = Vec4::ZERO;
            if WEIGHTED {
                for (&row, &weight) in
                    self.neighbours[start..end].iter().zip(&self.weights[start..end])
                {
                    sum += (now[row as usize] - x) * weight;
                }
            } else {
                for &row in &self.neighbours[start..end] {
                    sum += now[row as usize] - x;
                }
            }
            *out = x + sum * factor;
        }
    }

    fn put_back(&self, smoothed: &[Vec4], first: usize, out: &mut [Vec4]) {
        for (index, out) in out.iter_mut().enumerate() {
            let row = first + index;
            let delta = self.deltas[row];
            let in_model = match delta.has_frame {
                true => (self.frame(row, smoothed) * Vec3A::from(delta.in_frame)).into(),
                false => delta.in_frame,
            };
            *out = smoothed[row] + in_model.extend(0.0);
        }
    }

    /// The frame of a smoothed point. Axes that have no direction are zero.
    fn frame(&self, row: usize, smoothed: &[Vec4]) -> Mat3A {
        let x = smoothed[row];
        let (mut u, mut v) = (Vec4::ZERO, Vec4::ZERO);
        for tangents in &self.tangents[self.span(row)] {
            let edge = smoothed[tangents.row as usize] - x;
            u += edge * tangents.u;
            v += edge * tangents.v;
        }
        let u = Vec3A::from_vec4(u).normalize_or_zero();
        let normal = u.cross(Vec3A::from_vec4(v)).normalize_or_zero();
        Mat3A::from_cols(u, normal.cross(u), normal)
    }
}

/// What a neighbour counts.
fn edge_weight(positions: &[Vec3], point: u32, other: u32, weighting: Weighting) -> f64 {
    match weighting {
        Weighting::Uniform => 1.0,
        Weighting::Length => {
            let [a, b] = [point, other].map(|p| positions[p as usize].as_dvec3());
            a.distance(b)
        }
    }
}

/// Two tangents of the smoothed rest shape; `None` if the ring spans no plane.
fn ring_tangents(
    smoothed: &[DVec3],
    adjacency: &Adjacency,
    triangles: &[[u32; 3]],
    point: u32,
) -> Option<(DVec3, DVec3)> {
    let center = smoothed[point as usize];
    let normal: DVec3 = adjacency
        .fan(point as usize)
        .iter()
        .map(|&triangle| {
            let [a, b, c] = triangles[triangle as usize].map(|p| smoothed[p as usize]);
            (b - a).cross(c - a)
        })
        .sum();
    let (u, v) = normal.try_normalize()?.any_orthonormal_pair();
    let (mut of_u, mut of_v, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for &other in adjacency.ring(point as usize) {
        let edge = smoothed[other as usize] - center;
        let direction = edge.normalize_or_zero();
        of_u += edge * direction.dot(u);
        of_v += edge * direction.dot(v);
        size += edge.length();
    }
    (of_u.cross(of_v).length() > FLAT_RING * size * size).then_some((u, v))
}

/// Runs `task(first row, rows)` over all rows.
fn for_each_task(rows: &mut [Vec4], parallel: bool, task: impl Fn(usize, &mut [Vec4]) + Sync) {
    if parallel {
        rows.par_chunks_mut(ROWS_A_TASK)
            .enumerate()
            .for_each(|(index, rows)| task(index * ROWS_A_TASK, rows));
    } else {
        task(0, rows);
    }
}
