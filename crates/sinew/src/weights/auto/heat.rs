//! Heat over the surface, from each point's nearest bone: `(L + M c/d² + B) w = M c/d² p + B w_q`.
//!
//! `p` is one at the points of a joint and zero elsewhere. Pieces are solved by falling area; `B`
//! draws a piece to those before it that it lies near, `M · .3/max(gap, .002 diagonal)²`, and takes
//! nothing back. A piece that is mostly one joint's is wholly its own.

use rayon::prelude::*;

use super::biharmonic::Bounded;
use super::distance::Nearest;
use super::pieces::Pieces;
use super::{AutoError, Row, check};
use crate::linalg::{Laplacian, NotPositive, SparseCholesky};
use crate::mesh::ShellTree;
use crate::progress::Progress;
use crate::skeleton::Skeleton;

/// `c` of the recipe, and of plain heat.
const STRENGTH: f64 = 3.0;
const PLAIN_STRENGTH: f64 = 1.0;
/// Pieces are drawn to others within this over the diagonal.
const NEAR: f64 = 0.05;
const BRIDGE: f64 = 0.3;
const LEAST_GAP: f64 = 0.002;
/// A joint that has this much of a piece has all of it.
const RIGID_FROM: f64 = 0.6;
/// Of the diagonal: an eye is smaller.
const LARGEST_EYE: f64 = 0.05;
/// Over the radius of a piece: how near to its middle the joint of an eye is.
const EYE_OFF: f64 = 0.6;
/// Other pieces that are looked at for one that is solved already.
const NUM_OTHERS: usize = 4;
/// Columns that are solved at once.
const BATCH: usize = 8;

/// The parts of the computation that are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recipe {
    Whole,
    /// Each piece by itself, and none rigid.
    Plain,
    /// The whole of it, by the bounded biharmonic energy.
    Bounded,
}

impl Recipe {
    /// Pieces are drawn to one another, and some are rigid.
    fn joins(self) -> bool {
        matches!(self, Self::Whole | Self::Bounded)
    }
}

/// What a piece is solved with.
enum Solver {
    Heat(SparseCholesky),
    Bounded(Bounded),
}

impl Solver {
    fn of(recipe: Recipe, laplacian: &Laplacian, masses: &[f64]) -> Result<Self, NotPositive> {
        match recipe {
            Recipe::Whole | Recipe::Plain => laplacian.factor_screened(masses).map(Self::Heat),
            Recipe::Bounded => Bounded::of(laplacian, masses).map(Self::Bounded),
        }
    }

    fn solve(&self, columns: &mut [Vec<f64>]) {
        match self {
            Self::Heat(factor) => factor.solve(columns),
            Self::Bounded(bounded) => bounded.solve(columns),
        }
    }
}

/// What a point of a piece is drawn to: how strongly, and to which weights.
type Bridge<'a> = (f64, Vec<(f64, &'a Row)>);

/// The rows of all points, and how many pieces are rigid.
pub(super) fn flow(
    pieces: &Pieces,
    nearest: &Nearest,
    skeleton: &Skeleton,
    recipe: Recipe,
    progress: &dyn Progress,
) -> Result<(Vec<Row>, usize), AutoError> {
    let components = &pieces.components;
    let areas = Laplacian::cotangent(&pieces.points, &pieces.triangles).areas().to_vec();
    let area = |component: u32| -> f64 {
        components.points(component).iter().map(|&point| areas[point as usize]).sum()
    };
    let mut order: Vec<(u32, f64)> =
        (0..components.len() as u32).map(|component| (component, area(component))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut triangles_of = vec![Vec::new(); components.len()];
    for triangle in &pieces.triangles {
        triangles_of[components.of_point()[triangle[0] as usize] as usize].push(*triangle);
    }
    let tree = ShellTree::new(&pieces.points, &pieces.triangles, components.of_point());
    let mut rows: Vec<Row> = vec![Row::new(); pieces.points.len()];
    let mut num_rigid = 0;
    for (done, &(component, _)) in order.iter().enumerate() {
        check(progress)?;
        progress.report("letting heat flow", done as f32 / order.len() as f32);
        let points = components.points(component);
        let piece = Piece { pieces, points, triangles: &triangles_of[component as usize] };
        let bridges = match recipe {
            recipe if recipe.joins() && done > 0 => piece.bridges(&tree, component, &rows),
            Recipe::Whole | Recipe::Plain | Recipe::Bounded => {
                vec![(0.0, Vec::new()); points.len()]
            }
        };
        let mut solved = piece.solve(nearest, recipe, &bridges, progress)?;
        if recipe.joins() && done > 0 {
            let joint = piece.eye(skeleton).or_else(|| piece.owner(&solved, &areas));
            if let Some(joint) = joint {
                solved.fill(vec![(joint, 1.0)]);
                num_rigid += 1;
            }
        }
        for (&point, row) in points.iter().zip(solved) {
            rows[point as usize] = row;
        }
    }
    Ok((rows, num_rigid))
}

/// A piece of the surface.
struct Piece<'a> {
    pieces: &'a Pieces,
    /// Ascending.
    points: &'a [u32],
    triangles: &'a [[u32; 3]],
}

impl Piece<'_> {
    fn local(&self, point: u32) -> u32 {
        self.points.binary_search(&point).unwrap_or_default() as u32
    }

    /// To the nearest piece that has weights.
    fn bridges<'r>(&self, tree: &ShellTree, own: u32, rows: &'r [Row]) -> Vec<Bridge<'r>> {
        let pieces = self.pieces;
        let bridge = |&point: &u32| -> Bridge<'r> {
            let place = pieces.points[point as usize];
            let hits = tree.closest_of_others::<NUM_OTHERS>(place, own, NEAR * pieces.diagonal);
            let is_solved = |hit: &crate::mesh::Hit| {
                let corners = pieces.triangles[hit.triangle as usize];
                corners.iter().all(|&corner| !rows[corner as usize].is_empty())
            };
            let Some(hit) = hits.into_iter().flatten().find(is_solved) else {
                return (0.0, Vec::new());
            };
            let gap = hit.distance.max(LEAST_GAP * pieces.diagonal);
            let corners = pieces.triangles[hit.triangle as usize];
            let blend = corners.into_iter().zip(hit.shares);
            let blend = blend.map(|(corner, share)| (share, &rows[corner as usize])).collect();
            (BRIDGE / (gap * gap), blend)
        };
        self.points.par_iter().map(bridge).collect()
    }

    fn solve(
        &self,
        nearest: &Nearest,
        recipe: Recipe,
        bridges: &[Bridge<'_>],
        progress: &dyn Progress,
    ) -> Result<Vec<Row>, AutoError> {
        let places: Vec<_> =
            self.points.iter().map(|&point| self.pieces.points[point as usize]).collect();
        let triangles: Vec<[u32; 3]> =
            self.triangles.iter().map(|t| t.map(|corner| self.local(corner))).collect();
        let laplacian = Laplacian::cotangent(&places, &triangles);
        let least = 1e-4 * self.pieces.diagonal.max(f64::MIN_POSITIVE);
        let area = |at: usize| laplacian.areas()[at].max(f64::MIN_POSITIVE);
        let strength = if recipe.joins() { STRENGTH } else { PLAIN_STRENGTH };
        // A biharmonic energy has the square of a harmonic one's unit.
        let pull = |pull: f64| if recipe == Recipe::Bounded { pull * pull } else { pull };
        let own: Vec<f64> = (0..places.len())
            .map(|at| {
                let distance = nearest[self.points[at] as usize].1.max(least);
                area(at) * pull(strength / (distance * distance))
            })
            .collect();
        let drawn: Vec<f64> = (0..places.len()).map(|at| area(at) * pull(bridges[at].0)).collect();
        let masses: Vec<f64> = own.iter().zip(&drawn).map(|(own, drawn)| own + drawn).collect();
        let factor = Solver::of(recipe, &laplacian, &masses).map_err(|_| AutoError::Factor)?;
        let joint_of = |at: usize| nearest[self.points[at] as usize].0;
        let mut joints: Vec<u32> = (0..places.len()).map(joint_of).collect();
        for (_, blend) in bridges {
            joints.extend(blend.iter().flat_map(|(_, row)| row.iter().map(|&(joint, _)| joint)));
        }
        joints.sort_unstable();
        joints.dedup();
        let batches: Vec<Vec<Vec<f64>>> = joints
            .par_chunks(BATCH)
            .map(|batch| {
                check(progress)?;
                let column = |&joint: &u32| -> Vec<f64> {
                    let at = |at: usize| {
                        let known = |row: &Row| -> f64 {
                            row.iter().filter(|entry| entry.0 == joint).map(|entry| entry.1).sum()
                        };
                        let blend = bridges[at].1.iter();
                        let there: f64 = blend.map(|(share, row)| share * known(row)).sum();
                        let here = if joint_of(at) == joint { own[at] } else { 0.0 };
                        here + drawn[at] * there
                    };
                    (0..places.len()).map(at).collect()
                };
                let mut columns: Vec<Vec<f64>> = batch.iter().map(column).collect();
                factor.solve(&mut columns);
                Ok(columns)
            })
            .collect::<Result<_, AutoError>>()?;
        let columns: Vec<&Vec<f64>> = batches.iter().flatten().collect();
        let row = |at: usize| -> Row {
            let values = joints.iter().zip(&columns).map(|(&joint, column)| (joint, column[at]));
            let row: Row = values.filter(|&(_, value)| value > super::LEAST_WEIGHT).collect();
            if row.is_empty() { vec![(joint_of(at), 1.0)] } else { row }
        };
        Ok((0..places.len()).map(row).collect())
    }

    /// The joint that has most of a piece, if that is enough.
    fn owner(&self, rows: &[Row], areas: &[f64]) -> Option<u32> {
        let mut sums: Vec<(u32, f64)> = Vec::new();
        let mut whole = 0.0;
        for (&point, row) in self.points.iter().zip(rows) {
            let area = areas[point as usize];
            whole += area;
            for &(joint, weight) in row {
                match sums.iter_mut().find(|(known, _)| *known == joint) {
                    Some((_, sum)) => *sum += area * weight,
                    None => sums.push((joint, area * weight)),
                }
            }
        }
        let most = sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        (most.1 >= RIGID_FROM * whole).then_some(most.0)
    }

    /// The joint of an eye that a small piece lies around.
    fn eye(&self, skeleton: &Skeleton) -> Option<u32> {
        let places = || self.points.iter().map(|&point| self.pieces.points[point as usize]);
        let middle = places().sum::<glam::DVec3>() / self.points.len().max(1) as f64;
        let radius = places().map(|place| place.distance(middle)).fold(0.0, f64::max);
        if radius > LARGEST_EYE * self.pieces.diagonal {
            return None;
        }
        let is_eye = |name: &str| {
            let name = name.to_lowercase();
            name.contains("eye") && !name.contains("lid") && !name.contains("brow")
        };
        (0u32..).zip(skeleton.joints()).find_map(|(joint, own)| {
            let place = super::bones::bind_place(skeleton, joint);
            (is_eye(&own.name) && place.distance(middle) <= EYE_OFF * radius).then_some(joint)
        })
    }
}
