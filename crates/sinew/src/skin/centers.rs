//! Centres of rotation (Le and Hodgins 2016; coupled-cages paper, eq. 5).
//!
//! `c_i = ∫ s(i,x) x / ∫ s(i,x)` over the surface at rest, where `s` is large where the weights at
//! `x` are like those of `i`:
//!
//! `s(i,x) = Σ_{j≠k} w_ij w_ik w_xj w_xk exp(−(w_ij w_xk − w_ik w_xj)²/σ²)`, σ = 0.1
//!
//! (a *similarity*: the paper's text calls it a distance). A point with fewer than two influences
//! has no centre. Triangles enter with their area, centroid and mean weights.
//!
//! Evaluated as written this is quadratic. `s` is a sum over pairs of joints, and in each it
//! depends on `x` only through `(w_xj, w_xk)`: triangles are summed into 64×64 cells of that plane,
//! pair by pair, and points evaluate the few cells that are not empty, each at the mean weights of
//! what is in it.

use std::collections::HashMap;

use fearless_simd::{Level, Simd, dispatch};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::{BindError, SkinInput};
use crate::progress::Progress;
use crate::weights::Influence;

/// Cells along one weight.
const CELLS: usize = 64;

/// `1/σ²`.
const INVERSE_SIGMA_SQUARED: f64 = 1.0 / (0.1 * 0.1);

/// Points between two looks at the progress.
const CHUNK_POINTS: usize = 4096;

/// Centres by binning: within about a thousandth of the diagonal of [`exact_centers_of_rotation`].
///
/// `None` for a point that has fewer than two influences, or that no triangle resembles.
pub fn centers_of_rotation(
    input: &SkinInput<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Option<DVec3>>, BindError> {
    input.validate()?;
    let planes = Planes::new(input, input.positions);
    let whole = |share: f32| progress.report(WHAT, share);
    means(input, &planes, (progress, &whole), |mean, _| mean)
}

const WHAT: &str = "centres of rotation";

/// How far centres move with the rest, areas and similarities as they are: the image of each field
/// of displacements (one a position) under the map that takes positions to centres, which is
/// linear. A rest of `Σ w_k field_k` has its centres at `centres + Σ w_k image_k`; points that have
/// no centre move by their own displacement.
pub fn centers_of_displacements(
    input: &SkinInput<'_>,
    fields: &[&[Vec3]],
    progress: &dyn Progress,
) -> Result<Vec<Vec<Vec3>>, BindError> {
    input.validate()?;
    let expected = input.positions.len();
    let num_fields = fields.len() as f32;
    let image = |(index, field): (usize, &&[Vec3])| {
        if field.len() != expected {
            let found = field.len();
            return Err(BindError::Length { what: "displacements", expected, found });
        }
        let of_all = |share: f32| progress.report(WHAT, (index as f32 + share) / num_fields);
        let planes = Planes::new(input, field);
        means(input, &planes, (progress, &of_all), |mean, point| {
            mean.map_or(field[point], |mean| mean.as_vec3())
        })
    };
    fields.iter().enumerate().map(image).collect()
}

/// What `found` makes of each point's mean over the surface, by likeness.
fn means<T: Clone + Default + Send>(
    input: &SkinInput<'_>,
    planes: &Planes,
    (progress, report): (&dyn Progress, &(dyn Fn(f32) + Sync)),
    found: impl Fn(Option<DVec3>, usize) -> T + Sync,
) -> Result<Vec<T>, BindError> {
    let level = Level::new();
    let num_points = input.positions.len();
    let done = std::sync::atomic::AtomicUsize::new(0);
    let mut means = vec![T::default(); num_points];
    means.par_chunks_mut(CHUNK_POINTS).enumerate().for_each(|(chunk, out)| {
        if progress.is_cancelled() {
            return;
        }
        for (offset, out) in out.iter_mut().enumerate() {
            let point = chunk * CHUNK_POINTS + offset;
            *out = found(planes.mean(level, input.weights.row(point)), point);
        }
        let before = done.fetch_add(out.len(), std::sync::atomic::Ordering::Relaxed);
        report((before + out.len()) as f32 / num_points as f32);
    });
    if progress.is_cancelled() { Err(BindError::Cancelled) } else { Ok(means) }
}

/// Centres by the definition: quadratic, for tests and for judging the binning.
///
/// # Panics
/// If a triangle names a position that is not there or that has no weights.
pub fn exact_centers_of_rotation(input: &SkinInput<'_>) -> Vec<Option<DVec3>> {
    let triangles: Vec<_> = SurfacePatch::all(input, input.positions).collect();
    let weight_of = |row: &[(u32, f64)], joint: u32| {
        row.iter().find(|(j, _)| *j == joint).map_or(0.0, |(_, w)| *w)
    };
    let of_point = |row: &[Influence]| {
        let (mut mass, mut moment) = (0.0, DVec3::ZERO);
        for patch in &triangles {
            let mut similarity = 0.0;
            for a in row {
                for b in row {
                    if a.joint == b.joint {
                        continue;
                    }
                    let (wj, wk) = (f64::from(a.weight), f64::from(b.weight));
                    let (xj, xk) =
                        (weight_of(&patch.weights, a.joint), weight_of(&patch.weights, b.joint));
                    let difference = wj * xk - wk * xj;
                    similarity += wj
                        * wk
                        * xj
                        * xk
                        * (-difference * difference * INVERSE_SIGMA_SQUARED).exp();
                }
            }
            mass += similarity * patch.area;
            moment += similarity * patch.area * patch.mean;
        }
        (mass > 0.0).then(|| moment / mass)
    };
    input.weights.rows().map(of_point).collect()
}

/// A triangle as the integral sees it.
struct SurfacePatch {
    area: f64,
    /// Of the corners' values; of their positions it is the centroid.
    mean: DVec3,
    /// Mean of the corners', by joint.
    weights: Vec<(u32, f64)>,
}

impl SurfacePatch {
    fn all<'a>(input: &'a SkinInput<'_>, values: &'a [Vec3]) -> impl Iterator<Item = Self> + 'a {
        input.triangles.iter().map(move |corners| {
            let [a, b, c] = corners.map(|p| input.positions[p as usize].as_dvec3());
            let area = 0.5 * (b - a).cross(c - a).length();
            let [a, b, c] = corners.map(|p| values[p as usize].as_dvec3());
            let mut weights: Vec<(u32, f64)> = corners
                .iter()
                .flat_map(|&p| input.weights.row(p as usize))
                .map(|i| (i.joint, f64::from(i.weight) / 3.0))
                .collect();
            weights.sort_unstable_by_key(|(joint, _)| *joint);
            weights.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    earlier.1 += later.1;
                }
                same
            });
            Self { area, mean: (a + b + c) / 3.0, weights }
        })
    }
}

/// For every pair of joints that share a triangle, its cells.
struct Planes {
    of_pair: HashMap<(u32, u32), Plane>,
}

/// The cells of one pair that are not empty, as a structure of arrays, padded to whole lanes with
/// empty ones.
#[derive(Default)]
struct Plane {
    /// Mean weights of a cell.
    first_weight: Vec<f32>,
    second_weight: Vec<f32>,
    mass: Vec<f32>,
    moment: [Vec<f32>; 3],
}

/// Cells are summed in lanes of this many; the order of addition does not depend on the machine.
const SUM_LANES: usize = 16;

#[derive(Clone, Copy, Default)]
struct Cell {
    mass: f64,
    moment: DVec3,
    first_weight: f64,
    second_weight: f64,
}

impl Planes {
    fn new(input: &SkinInput<'_>, values: &[Vec3]) -> Self {
        let mut cells_of_pair: HashMap<(u32, u32), HashMap<u32, Cell>> = HashMap::new();
        for patch in SurfacePatch::all(input, values) {
            for (index, &(first, first_weight)) in patch.weights.iter().enumerate() {
                for &(second, second_weight) in &patch.weights[index + 1..] {
                    let cell_of = |w: f64| ((w * CELLS as f64) as usize).min(CELLS - 1);
                    let cell = cell_of(first_weight) * CELLS + cell_of(second_weight);
                    let mass = patch.area * first_weight * second_weight;
                    let cell = cells_of_pair
                        .entry((first, second))
                        .or_default()
                        .entry(cell as u32)
                        .or_default();
                    cell.mass += mass;
                    cell.moment += mass * patch.mean;
                    cell.first_weight += mass * first_weight;
                    cell.second_weight += mass * second_weight;
                }
            }
        }
        let of_pair =
            cells_of_pair.into_iter().map(|(pair, cells)| (pair, Plane::of(cells))).collect();
        Self { of_pair }
    }

    /// Of the values, by likeness to a row of weights.
    fn mean(&self, level: Level, row: &[Influence]) -> Option<DVec3> {
        let mut sums = [0.0f64; 4];
        for (index, first) in row.iter().enumerate() {
            for second in &row[index + 1..] {
                let Some(plane) = self.of_pair.get(&(first.joint, second.joint)) else { continue };
                let weights = [first.weight, second.weight];
                let found = dispatch!(level, simd => plane.sums(simd, weights));
                let scale = f64::from(first.weight) * f64::from(second.weight);
                for (sum, value) in sums.iter_mut().zip(found) {
                    *sum += scale * f64::from(value);
                }
            }
        }
        let [mass, x, y, z] = sums;
        (mass > 0.0).then(|| DVec3::new(x, y, z) / mass)
    }
}

impl Plane {
    fn of(cells: HashMap<u32, Cell>) -> Self {
        // A hash map's order differs from run to run; sums must not.
        let mut cells: Vec<_> = cells.into_iter().filter(|(_, cell)| cell.mass > 0.0).collect();
        cells.sort_unstable_by_key(|(index, _)| *index);
        let mut plane = Self::default();
        for (_, cell) in &cells {
            plane.first_weight.push((cell.first_weight / cell.mass) as f32);
            plane.second_weight.push((cell.second_weight / cell.mass) as f32);
            plane.mass.push(cell.mass as f32);
            for (axis, moment) in plane.moment.iter_mut().enumerate() {
                moment.push(cell.moment[axis] as f32);
            }
        }
        let padded = cells.len().next_multiple_of(SUM_LANES);
        for values in [&mut plane.first_weight, &mut plane.second_weight, &mut plane.mass] {
            values.resize(padded, 0.0);
        }
        for moment in &mut plane.moment {
            moment.resize(padded, 0.0);
        }
        plane
    }

    /// Mass and moment of the cells, each by its likeness to `weights`.
    #[inline(always)]
    fn sums<S: Simd>(&self, simd: S, weights: [f32; 2]) -> [f32; 4] {
        simd.vectorize(
            #[inline(always)]
            || {
                let mut sums = [[0.0f32; SUM_LANES]; 4];
                let lanes = |values: &[f32], start: usize| -> [f32; SUM_LANES] {
                    let mut lanes = [0.0; SUM_LANES];
                    lanes.copy_from_slice(&values[start..start + SUM_LANES]);
                    lanes
                };
                for start in (0..self.mass.len()).step_by(SUM_LANES) {
                    let first = lanes(&self.first_weight, start);
                    let second = lanes(&self.second_weight, start);
                    let mut likeness = [0.0; SUM_LANES];
                    for i in 0..SUM_LANES {
                        let difference = weights[0] * second[i] - weights[1] * first[i];
                        likeness[i] = exp_of_negative(
                            -difference * difference * INVERSE_SIGMA_SQUARED as f32,
                        );
                    }
                    let terms = [&self.mass, &self.moment[0], &self.moment[1], &self.moment[2]];
                    for (sum, values) in sums.iter_mut().zip(terms) {
                        let values = lanes(values, start);
                        for i in 0..SUM_LANES {
                            sum[i] += likeness[i] * values[i];
                        }
                    }
                }
                sums.map(|lanes| lanes.iter().sum())
            },
        )
    }
}

/// `exp(x)` for `x` in −80..=0 to a relative 2e-6, in arithmetic that every lane can do:
/// `2ⁿ · e^r`, `r` within ½ ln 2. Below it stays at `e⁻⁸⁰`, before `2ⁿ` leaves what an f32 holds.
#[inline(always)]
fn exp_of_negative(x: f32) -> f32 {
    let x = x.max(-80.0);
    // Adding 1.5·2²³ rounds to a whole number and leaves it in the low bits.
    let shifter = 12_582_912.0f32;
    let shifted = x * std::f32::consts::LOG2_E + shifter;
    let n = shifted - shifter;
    let r = (x - n * 0.693_359_4) - n * -2.121_944_4e-4;
    let p = 1.0 / 5040.0;
    let p = p * r + 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let p = p * r + 1.0;
    let p = p * r + 1.0;
    let exponent =
        (shifted.to_bits() as i32).wrapping_sub(shifter.to_bits() as i32).wrapping_add(127);
    p * f32::from_bits((exponent as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::conformance::{FixturePose, of_character};
    use crate::progress::Silent;
    use crate::sample::{SampleKind, SampleOptions, build};

    /// What binning into 64×64 cells costs, over the diagonal.
    const BINNING_TOLERANCE: f64 = 1e-3;

    #[test]
    fn binned_centres_are_the_exact_ones_to_a_thousandth() {
        for kind in [SampleKind::Cylinder, SampleKind::Plus, SampleKind::Arm] {
            let character = build(&SampleOptions::new(kind)).unwrap();
            let fixture = &of_character(&character, FixturePose::Rest)[0];
            let binned = centers_of_rotation(&fixture.input(), &Silent).unwrap();
            let exact = exact_centers_of_rotation(&fixture.input());
            for (point, (binned, exact)) in binned.iter().zip(&exact).enumerate() {
                assert_eq!(binned.is_some(), exact.is_some(), "point {point}");
                if let (Some(binned), Some(exact)) = (binned, exact) {
                    let error = binned.distance(*exact) / fixture.diagonal();
                    assert!(error <= BINNING_TOLERANCE, "point {point}: {error}");
                }
            }
        }
    }

    #[test]
    fn a_cylinders_centres_lie_on_its_axis() {
        let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let fixture = &of_character(&character, FixturePose::Rest)[0];
        let centers = centers_of_rotation(&fixture.input(), &Silent).unwrap();
        let found: Vec<DVec3> = centers.iter().copied().flatten().collect();
        assert!(!found.is_empty());
        for center in found {
            assert!(center.x.hypot(center.z) < 1e-5 * fixture.diagonal(), "{center}");
        }
    }

    #[test]
    fn binding_stops_when_it_is_told_to() {
        struct Cancelled;
        impl Progress for Cancelled {
            fn report(&self, _what: &str, _fraction: f32) {}
            fn is_cancelled(&self) -> bool {
                true
            }
        }
        let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let fixture = &of_character(&character, FixturePose::Rest)[0];
        assert_eq!(centers_of_rotation(&fixture.input(), &Cancelled), Err(BindError::Cancelled));
    }

    #[test]
    fn what_is_not_a_surface_is_refused_and_no_surface_has_no_centres() {
        let weights = crate::weights::SkinWeights::from_rows([[(0, 0.5), (1, 0.5)]], 2).0;
        let positions = [glam::Vec3::ONE];
        let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let input = SkinInput {
            positions: &positions,
            normals: &[],
            weights: &weights,
            triangles: &[],
            skeleton: &character.skeleton,
        };
        assert_eq!(centers_of_rotation(&input, &Silent), Ok(vec![None]));
        let beyond = SkinInput { triangles: &[[0, 0, 1]], ..input };
        let found = centers_of_rotation(&beyond, &Silent);
        assert!(matches!(found, Err(BindError::PositionOutOfRange { position: 1, .. })));
        let short = SkinInput { positions: &[], ..input };
        assert!(matches!(centers_of_rotation(&short, &Silent), Err(BindError::Length { .. })));
    }

    #[test]
    fn the_fast_exponential_is_one() {
        for step in 0..=8000 {
            let x = -(step as f32) * 0.01;
            let relative = (f64::from(exp_of_negative(x)) / f64::from(x).exp() - 1.0).abs();
            // Seven terms of the series and f32 rounding of the argument's scaling.
            assert!(relative < 2e-6, "{x}: {relative}");
        }
        assert_eq!(exp_of_negative(-100.0), exp_of_negative(-80.0));
    }
}
