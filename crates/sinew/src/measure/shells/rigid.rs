//! Shells that are rigid by their weights, against their best rigid motion.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::super::rotation::best_rotation;
use super::Row;
use crate::mesh::Components;

/// Weights that differ by no more than this from the shell's mean are the same everywhere.
const SAME_WEIGHT: f64 = 0.02;

/// Each rigid shell: its points, about their middle at rest.
#[derive(Clone, Debug)]
pub(super) struct RigidShells(Vec<Vec<(u32, DVec3)>>);

impl RigidShells {
    /// Without rows none is known to be rigid.
    pub(super) fn bind(
        points: &[DVec3],
        rows: &[Row],
        components: &Components,
        has_triangle: &[bool],
    ) -> Self {
        if rows.is_empty() {
            return Self(Vec::new());
        }
        let shells = (0..components.len() as u32)
            .filter(|&shell| has_triangle[shell as usize])
            .map(|shell| components.points(shell))
            .filter(|shell| is_constant(rows, shell))
            .map(|shell| {
                let middle =
                    shell.iter().map(|&p| points[p as usize]).sum::<DVec3>() / shell.len() as f64;
                shell.iter().map(|&p| (p, points[p as usize] - middle)).collect()
            });
        Self(shells.collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The root of the mean square distance from the best rigid motion, of the worst shell, metres.
    /// Shells with a point that is not finite are left out.
    pub(super) fn worst_deviation(&self, posed: &[DVec3]) -> Option<f64> {
        self.0.par_iter().filter_map(|shell| deviation(shell, posed)).max_by(f64::total_cmp)
    }
}

fn is_constant(rows: &[Row], shell: &[u32]) -> bool {
    let mut mean: Vec<(u32, f64)> = Vec::new();
    for &point in shell {
        for &(joint, weight) in &rows[point as usize] {
            match mean.iter_mut().find(|(j, _)| *j == joint) {
                Some((_, sum)) => *sum += f64::from(weight),
                None => mean.push((joint, f64::from(weight))),
            }
        }
    }
    mean.iter_mut().for_each(|(_, sum)| *sum /= shell.len() as f64);
    let weight_of = |row: &Row, joint: u32| {
        row.iter().filter(|(j, _)| *j == joint).map(|(_, w)| f64::from(*w)).sum::<f64>()
    };
    shell.iter().all(|&point| {
        let row = &rows[point as usize];
        mean.iter().all(|&(joint, mean)| (weight_of(row, joint) - mean).abs() <= SAME_WEIGHT)
    })
}

fn deviation(shell: &[(u32, DVec3)], posed: &[DVec3]) -> Option<f64> {
    let count = shell.len() as f64;
    let middle = shell.iter().map(|&(p, _)| posed[p as usize]).sum::<DVec3>() / count;
    if !middle.is_finite() {
        return None;
    }
    let mut posed_from_rest = DMat3::ZERO;
    for &(point, rest) in shell {
        let now = posed[point as usize] - middle;
        posed_from_rest += DMat3::from_cols(now * rest.x, now * rest.y, now * rest.z);
    }
    let turn = best_rotation(&posed_from_rest);
    let squares = shell
        .iter()
        .map(|&(point, rest)| (turn * rest).distance_squared(posed[point as usize] - middle));
    Some((squares.sum::<f64>() / count).sqrt())
}
