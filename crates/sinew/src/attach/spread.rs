//! Diffusion over a surface, and over the bridges between its shells: `(L + B + M)⁻¹ M` with
//! `M = A/(reach·d)²`.
//!
//! `B` is a Laplacian of further edges, from each tied point to the corners of what it is tied to,
//! `200·A/(.8 i d)²·b·confidence` with `b` the corner's share: far stronger than what holds the
//! point to its own source, so that tied shells have the same shares. Shells that keep their
//! shapes are no unknowns: their rows are known, and what is tied to them is drawn there. (A head
//! with 150 pieces of hair is thus no harder than a bald one.) What rides pulls at nothing.

use rayon::prelude::*;

use super::shells::{ShellKind, Shells};
use super::{AttachInput, Attachments, ShareError, Slope};
use crate::linalg::{Laplacian, SparseCholesky};
use crate::progress::Progress;

/// A distance to the bone below this over the edges around the point is rounding, or a cap's
/// middle.
const MIN_DISTANCE_OVER_EDGE: f64 = 0.1;

/// Columns solved at once: faer's panels, and what a thread works on between two looks at
/// `is_cancelled`.
const BATCH: usize = 8;

/// How strong a bridge is over what holds its point to its own source. At 20 the tied gaps of two
/// clothed characters were twice as wide, at 2,000 no narrower.
const FLOW: f64 = 200.0;

/// The unknown of a point whose row is known.
const KNOWN: u32 = u32::MAX;

/// What a point has of a joint's column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Diffused {
    pub(super) joint: u32,
    pub(super) value: f64,
    pub(super) slope: Slope,
}

/// Points and what they have.
type SparseColumn = Vec<(u32, f64, Slope)>;

/// The surface to spread over.
pub(super) struct Spread {
    laplacian: Laplacian,
    /// To the bone, no less than a tenth of an edge.
    distances: Vec<f64>,
    flow: Option<Flow>,
}

/// What shells add.
struct Flow {
    /// The points that are unknowns, ascending.
    unknowns: Vec<u32>,
    /// The unknown of each point, or [`KNOWN`].
    unknown_of_point: Vec<u32>,
    /// Between two unknowns, by number.
    between: Vec<(u32, u32, f64)>,
    /// From an unknown to a point that is known.
    to_known: Vec<(u32, u32, f64)>,
}

/// A factored diffusion.
struct Diffusion<'a> {
    masses: Vec<f64>,
    factor: SparseCholesky,
    flow: Option<&'a Flow>,
}

impl Spread {
    /// With shells, the reaches of the swing.
    pub(super) fn new(
        input: &AttachInput<'_>,
        attachments: &Attachments,
        shells: Option<(&Shells, &[f64])>,
    ) -> Self {
        let points = input.points;
        let distances: Vec<f64> = (0..points.len())
            .map(|p| {
                let ring = input.adjacency.ring(p);
                let edges: f64 = ring.iter().map(|&q| points[q as usize].distance(points[p])).sum();
                let least = MIN_DISTANCE_OVER_EDGE * edges / ring.len().max(1) as f64;
                let distance = points[p].distance(attachments.of_point()[p].place).max(least);
                // An isolated point on its bone: nothing to spread.
                if distance > 0.0 { distance } else { 1.0 }
            })
            .collect();
        let laplacian = Laplacian::cotangent(points, input.triangles);
        let flow = shells.map(|(shells, reaches)| {
            let masses = masses(&laplacian, &distances, reaches);
            Flow::new(shells, &masses)
        });
        Self { laplacian, distances, flow }
    }

    /// `A/(reach·d)²` and the factor of `L + B` plus it.
    fn factor(&self, reaches: &[f64]) -> Result<Diffusion<'_>, ShareError> {
        let masses = masses(&self.laplacian, &self.distances, reaches);
        let flow = self.flow.as_ref();
        let factor = match flow {
            None => self.laplacian.factor_screened(&masses),
            Some(flow) => flow.factor(&self.laplacian, &masses),
        };
        Ok(Diffusion { masses, factor: factor.map_err(|_| ShareError::Factor)?, flow })
    }

    /// Diffuses a column for each joint of `joints`, and gives what `keep` leaves of each, as rows.
    /// `keep` also says by what its slope is multiplied.
    pub(super) fn diffuse(
        &self,
        (reaches, passes): (&[f64], usize),
        joints: &[u32],
        column: impl Fn(u32) -> Vec<f64> + Sync,
        keep: impl Fn(f64) -> (f64, f64) + Sync,
        (progress, what): (&dyn Progress, &str),
    ) -> Result<Vec<Vec<Diffused>>, ShareError> {
        let cancelled =
            || if progress.is_cancelled() { Err(ShareError::Cancelled) } else { Ok(()) };
        cancelled()?;
        progress.report(what, 0.0);
        let diffusion = self.factor(reaches)?;
        let done = std::sync::atomic::AtomicUsize::new(0);
        let batches: Vec<Vec<(u32, SparseColumn)>> = joints
            .par_chunks(BATCH)
            .map(|batch| {
                cancelled()?;
                let mut columns: Vec<Vec<f64>> = batch.iter().map(|&joint| column(joint)).collect();
                for _ in 0..passes {
                    diffusion.pass(&mut columns);
                }
                let mut once_more = columns.clone();
                diffusion.pass(&mut once_more);
                let mut twice_more = once_more.clone();
                diffusion.pass(&mut twice_more);
                let before = done.fetch_add(batch.len(), std::sync::atomic::Ordering::Relaxed);
                progress.report(what, (before + batch.len()) as f32 / joints.len() as f32);
                let n = passes as f64;
                let sparse = |column: usize| -> SparseColumn {
                    let values = [&columns[column], &once_more[column], &twice_more[column]];
                    let at = |point: usize| {
                        let [now, next, last] = values.map(|values| values[point]);
                        let (kept, slope) = keep(now);
                        let first = 2.0 * n * (next - now);
                        let half_second = 2.0 * n * ((n + 1.0) * (last - next) - n * (next - now));
                        (point as u32, kept, [slope * first, slope * half_second])
                    };
                    (0..diffusion.masses.len()).map(at).filter(|&(_, x, _)| x > 0.0).collect()
                };
                Ok(batch.iter().enumerate().map(|(c, &joint)| (joint, sparse(c))).collect())
            })
            .collect::<Result<_, ShareError>>()?;
        let mut rows = vec![Vec::new(); diffusion.masses.len()];
        for (joint, column) in batches.into_iter().flatten() {
            for (point, value, slope) in column {
                rows[point as usize].push(Diffused { joint, value, slope });
            }
        }
        Ok(rows)
    }
}

fn masses(laplacian: &Laplacian, distances: &[f64], reaches: &[f64]) -> Vec<f64> {
    let of_points = distances.iter().zip(reaches);
    laplacian
        .areas()
        .iter()
        .zip(of_points)
        .map(|(area, (distance, reach))| area / (reach * distance).powi(2))
        .collect()
}

impl Flow {
    fn new(shells: &Shells, masses: &[f64]) -> Self {
        let mut unknowns = Vec::new();
        let unknown_of_point: Vec<u32> = (0..masses.len() as u32)
            .map(|point| {
                if shells.is_rigid(point as usize) {
                    return KNOWN;
                }
                unknowns.push(point);
                unknowns.len() as u32 - 1
            })
            .collect();
        let unknown = |point: u32| unknown_of_point[point as usize];
        let mut between = Vec::new();
        let mut to_known = Vec::new();
        for bridge in shells.bridges() {
            if shells.kind_of(bridge.point) == ShellKind::Rider {
                continue;
            }
            let strength = FLOW * masses[bridge.point as usize] * bridge.confidence;
            for (corner, share) in bridge.corners.into_iter().zip(bridge.shares) {
                if share <= 0.0 {
                    continue;
                }
                let weight = strength * share;
                match (unknown(bridge.point), unknown(corner)) {
                    (KNOWN, KNOWN) => {}
                    (KNOWN, there) => to_known.push((there, bridge.point, weight)),
                    (here, KNOWN) => to_known.push((here, corner, weight)),
                    (here, there) => between.push((here.max(there), here.min(there), weight)),
                }
            }
        }
        Self { unknowns, unknown_of_point, between, to_known }
    }

    fn factor(
        &self,
        laplacian: &Laplacian,
        masses: &[f64],
    ) -> Result<SparseCholesky, crate::linalg::NotPositive> {
        let mut diagonal: Vec<f64> = self.unknowns.iter().map(|&p| masses[p as usize]).collect();
        let of_surface = laplacian.edges().iter().filter_map(|&(a, b, weight)| {
            let [a, b] = [a, b].map(|point| self.unknown_of_point[point as usize]);
            (a != KNOWN && b != KNOWN).then_some((a.max(b), a.min(b), weight))
        });
        let mut lower = Vec::with_capacity(laplacian.edges().len() + self.between.len());
        for (row, column, weight) in of_surface.chain(self.between.iter().copied()) {
            diagonal[row as usize] += weight;
            diagonal[column as usize] += weight;
            lower.push((row, column, -weight));
        }
        for &(unknown, _, weight) in &self.to_known {
            diagonal[unknown as usize] += weight;
        }
        lower.extend(diagonal.iter().enumerate().map(|(row, &v)| (row as u32, row as u32, v)));
        SparseCholesky::factor(diagonal.len(), &lower)
    }
}

impl Diffusion<'_> {
    fn pass(&self, columns: &mut [Vec<f64>]) {
        let Some(flow) = self.flow else {
            for column in columns.iter_mut() {
                column.iter_mut().zip(&self.masses).for_each(|(x, mass)| *x *= mass);
            }
            self.factor.solve(columns);
            return;
        };
        let of_unknowns = |column: &Vec<f64>| {
            let own = |&point: &u32| self.masses[point as usize] * column[point as usize];
            let mut sources: Vec<f64> = flow.unknowns.iter().map(own).collect();
            for &(unknown, known, weight) in &flow.to_known {
                sources[unknown as usize] += weight * column[known as usize];
            }
            sources
        };
        let mut unknowns: Vec<Vec<f64>> = columns.iter().map(of_unknowns).collect();
        self.factor.solve(&mut unknowns);
        for (column, values) in columns.iter_mut().zip(&unknowns) {
            for (&point, &value) in flow.unknowns.iter().zip(values) {
                column[point as usize] = value;
            }
        }
    }
}
