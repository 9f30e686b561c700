//! What holds a costume together: gaps between shells, shells that sink into one another, and rigid
//! pieces that bend.
//!
//! A *shell* is a piece of the surface that hangs together by triangles ([`Components`]), over all
//! meshes of a character. Each point of one has a *pair*: the closest point `q` on a triangle of
//! another, if it is within 2 % of the diagonal at rest. In a pose the pair's **gap** is how much
//! `p − q` has changed in the triangle's own frame, over the diagonal: the triangle carries its
//! neighbour along, however it moves. A pair is **tied** if the authored weights of `p` and `q`
//! overlap by half (`Σ min(w_p, w_q) ≥ .5`): the artist means the two to move together. A sleeve
//! beside a chest is near and not tied. Without any weights every pair is taken to be tied.
//!
//! Meshes that no joint moves take no part where others have weights: they stay behind by design.

mod pairs;
mod rigid;

use glam::{DVec3, Vec3};

use self::pairs::Pairs;
use self::rigid::RigidShells;
use super::character::{Row, flattened};
use super::quantile;
use crate::Character;
use crate::mesh::{Aabb, Components};

/// The figures of one pose, named as `sinew measure` prints them. Lengths are over the diagonal of
/// the rest. `None` where there is nothing to look at: a single skin has no gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShellMeasures {
    /// The mean gap of all pairs.
    pub gap_mean: Option<f64>,
    /// The gap that 95 % of the pairs do not exceed (nearest rank).
    pub gap_p95: Option<f64>,
    /// The largest gap.
    pub gap_max: Option<f64>,
    /// The mean gap of tied pairs.
    pub tied_mean: Option<f64>,
    /// The gap that 95 % of the tied pairs do not exceed.
    pub tied_p95: Option<f64>,
    /// The largest gap of a tied pair.
    pub tied_max: Option<f64>,
    /// The share of tied pairs that go from outside their triangle to more than .2 % of the
    /// diagonal inside it.
    pub penetrations: Option<f64>,
    /// The same by area and of all pairs, tied or not: of the area at rest that has another shell
    /// beside it, what sinks and is still beside it (within 3 % of the diagonal). Cloth that comes
    /// through a plate, whatever their weights.
    pub crossings: Option<f64>,
    /// How far the points of a shell with the same weights everywhere are from its best rigid
    /// motion: the root of the mean square, of the worst such shell.
    pub rigid_deviation: Option<f64>,
}

/// How many of what there are; they do not change with the pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShellCounts {
    /// Shells with a triangle.
    pub shells: usize,
    /// Points with a neighbour on another shell.
    pub pairs: usize,
    /// Those that the weights tie together.
    pub tied: usize,
    /// Shells that are rigid by their weights.
    pub rigid: usize,
}

/// A character's shells at rest, ready to be compared with.
#[derive(Clone, Debug)]
pub struct ShellMeasure {
    num_points: usize,
    diagonal: f64,
    counts: ShellCounts,
    pairs: Pairs,
    rigid: RigidShells,
}

impl ShellMeasure {
    /// Of all meshes of a character at a rest: their points, one after the other.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn of_character(character: &Character, rest: &[Vec3]) -> Self {
        assert_eq!(rest.len(), character.num_points(), "the points of all meshes");
        let (triangles, rows) = flattened(character);
        Self::bind(rest, &triangles, &rows)
    }

    /// Of a surface: points, triangles over them, and each point's joints and weights. An empty
    /// row is of a point that no joint moves, an empty list is no weights at all.
    ///
    /// # Panics
    /// If a triangle names a point that is not there, or there are rows and not one a point.
    pub fn bind(rest: &[Vec3], triangles: &[[u32; 3]], rows: &[Vec<(u32, f32)>]) -> Self {
        assert!(rows.is_empty() || rows.len() == rest.len(), "one row a point");
        let has_weights = rows.iter().any(|row| !row.is_empty());
        let takes_part = |point: usize| {
            rest[point].is_finite()
                && (!has_weights || rows.get(point).is_some_and(|r| !r.is_empty()))
        };
        let used: Vec<[u32; 3]> = triangles
            .iter()
            .copied()
            .filter(|t| t.iter().all(|&point| takes_part(point as usize)))
            .collect();
        let points: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3()).collect();
        let corners = used.iter().flatten().map(|&point| rest[point as usize]);
        let diagonal = f64::from(Aabb::around(corners).diagonal());
        let components = Components::of_triangles(rest.len(), &used);
        let mut has_triangle = vec![false; components.len()];
        for triangle in &used {
            has_triangle[components.of_point()[triangle[0] as usize] as usize] = true;
        }
        let rows = if has_weights { rows } else { &[] };
        let pairs = Pairs::bind(&points, &used, rows, &components, diagonal);
        let rigid = RigidShells::bind(&points, rows, &components, &has_triangle);
        let counts = ShellCounts {
            shells: has_triangle.iter().filter(|&&has| has).count(),
            pairs: pairs.len(),
            tied: pairs.num_tied(),
            rigid: rigid.len(),
        };
        Self { num_points: rest.len(), diagonal, counts, pairs, rigid }
    }

    /// How many shells, pairs and rigid pieces there are.
    pub fn counts(&self) -> ShellCounts {
        self.counts
    }

    /// The figures of a pose.
    ///
    /// # Panics
    /// If `posed` has another number of points.
    pub fn evaluate(&self, posed: &[Vec3]) -> ShellMeasures {
        assert_eq!(posed.len(), self.num_points, "one posed point a rest point");
        let posed: Vec<DVec3> = posed.iter().map(|p| p.as_dvec3()).collect();
        let found = self.pairs.evaluate(&posed);
        let over = |value: f64| value / self.diagonal;
        let mut gaps = Vec::with_capacity(found.len());
        let mut tied = Vec::new();
        let mut sunk = 0;
        let crossings = pairs::crossed_area(&found, self.diagonal);
        for (pair, change) in found {
            gaps.push(over(change.gap));
            if pair.is_tied {
                tied.push(over(change.gap));
                sunk += usize::from(pair.has_sunk(&change, self.diagonal));
            }
        }
        ShellMeasures {
            gap_mean: mean(&gaps),
            gap_max: gaps.iter().copied().max_by(f64::total_cmp),
            gap_p95: quantile(&mut gaps, 0.95),
            tied_mean: mean(&tied),
            tied_max: tied.iter().copied().max_by(f64::total_cmp),
            penetrations: (!tied.is_empty()).then(|| sunk as f64 / tied.len() as f64),
            crossings,
            tied_p95: quantile(&mut tied, 0.95),
            rigid_deviation: self.rigid.worst_deviation(&posed).map(over),
        }
    }

    /// The gap of each point's pair over the diagonal, for colours; `None` for points without one.
    ///
    /// # Panics
    /// If `posed` has another number of points.
    pub fn gaps_of_points(&self, posed: &[Vec3]) -> Vec<Option<f64>> {
        assert_eq!(posed.len(), self.num_points, "one posed point a rest point");
        let posed: Vec<DVec3> = posed.iter().map(|p| p.as_dvec3()).collect();
        let mut gaps = vec![None; self.num_points];
        for (pair, change) in self.pairs.evaluate(&posed) {
            gaps[pair.point as usize] = Some(change.gap / self.diagonal);
        }
        gaps
    }

    /// True for points whose pair the weights tie together.
    pub fn tied_points(&self) -> Vec<bool> {
        let mut is_tied = vec![false; self.num_points];
        for pair in self.pairs.all().iter().filter(|pair| pair.is_tied) {
            is_tied[pair.point as usize] = true;
        }
        is_tied
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests;
