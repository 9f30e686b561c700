//! The weighted edges around each point of a patch, and the rotation that fits how they turned.

use glam::{DMat3, DQuat, DVec3};

use super::Patch;
use crate::linalg::Laplacian;

/// Steps of the search for a rotation.
const MOST_TURNS: usize = 12;
/// Radians: below the rounding of the points.
const LEAST_TURN: f64 = 1e-7;
/// After a step of Newton's that is this short there is left what is short of it squared.
const LAST_TURN: f64 = 1e-3;
/// A hill flatter than this, over the cube of its height, has no top to step to.
const LEAST_HILL: f64 = 1e-9;

/// Cotangent weights of a patch, point by point.
#[derive(Clone, Debug)]
pub(super) struct Stars {
    /// Where each point's neighbours begin; one more at the end.
    starts: Vec<u32>,
    neighbours: Vec<(u32, f64)>,
    areas: Vec<f64>,
    places: Vec<DVec3>,
}

impl Stars {
    pub(super) fn of(patch: &Patch) -> Self {
        let places = patch.wide_places();
        let laplacian = Laplacian::cotangent(&places, patch.triangles());
        let mut starts = vec![0u32; places.len() + 1];
        for &(a, b, _) in laplacian.edges() {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for point in 0..places.len() {
            starts[point + 1] += starts[point];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![(0, 0.0); 2 * laplacian.edges().len()];
        for &(a, b, weight) in laplacian.edges() {
            for (from, to) in [(a, b), (b, a)] {
                let slot = &mut next[from as usize];
                neighbours[*slot as usize] = (to, weight);
                *slot += 1;
            }
        }
        Self { starts, neighbours, areas: laplacian.areas().to_vec(), places }
    }

    pub(super) fn num_points(&self) -> usize {
        self.places.len()
    }

    /// At rest.
    pub(super) fn places(&self) -> &[DVec3] {
        &self.places
    }

    pub(super) fn area(&self, point: usize) -> f64 {
        self.areas[point]
    }

    /// The neighbours of a point, with their weights.
    pub(super) fn of_point(&self, point: usize) -> &[(u32, f64)] {
        &self.neighbours[self.starts[point] as usize..self.starts[point + 1] as usize]
    }

    /// The weights around a point.
    pub(super) fn total(&self, point: usize) -> f64 {
        self.of_point(point).iter().map(|(_, weight)| weight).sum()
    }

    /// `Σ w (v_i − v_j)`.
    pub(super) fn laplacian(&self, point: usize, values: &[DVec3]) -> DVec3 {
        let own = values[point];
        self.of_point(point).iter().map(|&(j, weight)| weight * (own - values[j as usize])).sum()
    }

    /// The rotation that brings a point's edges at rest nearest to where they are, near another.
    pub(super) fn turn(&self, point: usize, at: &[DVec3], near: DQuat) -> DQuat {
        let mut covariance = DMat3::ZERO;
        for &(j, weight) in self.of_point(point) {
            let rest = self.places[j as usize] - self.places[point];
            let now = weight * (at[j as usize] - at[point]);
            covariance.x_axis += now * rest.x;
            covariance.y_axis += now * rest.y;
            covariance.z_axis += now * rest.z;
        }
        nearest_rotation(covariance, near)
    }
}

/// The rotation that is nearest to a matrix, found from another: each step turns the axes towards
/// the matrix's columns (Müller, Bender, Chentanez and Macklin 2016), by Newton's step where the
/// agreement is a hill there, so that one or two steps do from a rotation that is near. It needs no
/// care where the matrix is flat or mirrored, as singular values do.
fn nearest_rotation(matrix: DMat3, near: DQuat) -> DQuat {
    let mut rotation = near;
    for _ in 0..MOST_TURNS {
        let axes = DMat3::from_quat(rotation);
        let torque = axes.x_axis.cross(matrix.x_axis)
            + axes.y_axis.cross(matrix.y_axis)
            + axes.z_axis.cross(matrix.z_axis);
        let product = matrix * axes.transpose();
        let agreement = product.x_axis.x + product.y_axis.y + product.z_axis.z;
        let symmetric = 0.5 * (product + product.transpose());
        let slope = DMat3::from_diagonal(DVec3::splat(agreement)) - symmetric;
        let minor = slope.x_axis.x * slope.y_axis.y - slope.x_axis.y * slope.y_axis.x;
        let is_hill = slope.x_axis.x > 0.0
            && minor > 0.0
            && slope.determinant() > LEAST_HILL * agreement.abs().powi(3);
        let turn = match is_hill {
            true => slope.inverse() * torque,
            false => torque / (agreement.abs() + f64::MIN_POSITIVE),
        };
        let radians = turn.length();
        if !radians.is_finite() {
            break;
        }
        let half = 0.5 * turn;
        rotation = (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * rotation).normalize();
        if radians < (if is_hill { LAST_TURN } else { LEAST_TURN }) {
            break;
        }
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Radians: what a last step leaves.
    const TOLERANCE: f64 = 1e-5;

    #[test]
    fn a_rotation_is_found_again_from_far_and_through_a_stretch() {
        let turned = DQuat::from_euler(glam::EulerRot::XYZ, 1.2, -0.7, 2.0);
        let stretch = DMat3::from_diagonal(DVec3::new(1.0, 0.2, 3.0));
        let matrix = DMat3::from_quat(turned) * stretch;
        let far = |found, _| nearest_rotation(matrix, found);
        let found = (0..10).fold(DQuat::IDENTITY, far);
        assert!(found.angle_between(turned) < TOLERANCE, "{found} {turned}");
    }

    /// As the edges around a point of a smooth surface are.
    #[test]
    fn a_rotation_is_found_from_near_through_a_flat_matrix_at_once() {
        let turned = DQuat::from_euler(glam::EulerRot::XYZ, 0.2, -0.3, 0.1);
        let flat = DMat3::from_diagonal(DVec3::new(1.0, 0.7, 0.0));
        let found = nearest_rotation(DMat3::from_quat(turned) * flat, DQuat::IDENTITY);
        assert!(found.angle_between(turned) < TOLERANCE, "{found} {turned}");
    }

    #[test]
    fn what_is_nothing_turns_nothing() {
        assert_eq!(nearest_rotation(DMat3::ZERO, DQuat::IDENTITY), DQuat::IDENTITY);
    }
}
