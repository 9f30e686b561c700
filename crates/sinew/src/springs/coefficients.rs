//! Coefficients of [`Coefficients`], resolved for one mesh: one scale an edge, one a point.

use crate::mesh::{Adjacency, Edge};
use crate::springs::Coefficients;

/// Why coefficients do not fit a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CoefficientError {
    /// Painted stiffness of another number of points.
    #[error("{found} painted coefficients for {expected} points; give one a point, or none")]
    PointCount {
        /// Number of points.
        expected: usize,
        /// Number of coefficients.
        found: usize,
    },
    /// A pair that shares no edge.
    #[error("points {a} and {b} have a coefficient but no edge between them; name two neighbours")]
    NoEdge {
        /// One of them.
        a: u32,
        /// The other.
        b: u32,
    },
    /// A coefficient below zero, or not a number.
    #[error("the {what} coefficient is {value}; it must be finite and not negative")]
    BadValue {
        /// Which one.
        what: &'static str,
        /// What it is.
        value: f32,
    },
}

/// Scales that do not change from frame to frame. The global ones and `compressed` are left to the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scales {
    /// One an edge of the adjacency: painted mean × across bones × the pair's own.
    pub of_edge: Vec<f64>,
    /// One a point: painted.
    pub of_point: Vec<f64>,
}

impl Scales {
    /// Resolves and checks. A pair that is named twice has the product of both.
    pub(crate) fn resolve(
        coefficients: &Coefficients,
        adjacency: &Adjacency,
        joint_of_point: &[u32],
    ) -> Result<Self, CoefficientError> {
        check(coefficients, adjacency.num_points(), adjacency.edges())?;
        let of_point = match coefficients.of_point.as_slice() {
            [] => vec![1.0; adjacency.num_points()],
            painted => painted.iter().map(|&c| f64::from(c)).collect(),
        };
        let mut of_edge = vec![0.0; adjacency.edges().len()];
        scale_edges(coefficients, adjacency.edges(), joint_of_point, &mut of_edge);
        Ok(Self { of_edge, of_point })
    }
}

impl Coefficients {
    /// Those that serve all points, by name.
    pub fn globals(&self) -> [(&'static str, f32); 7] {
        [
            ("torque", self.torque),
            ("bone", self.bone),
            ("edge", self.edge),
            ("length", self.length),
            ("compressed", self.compressed),
            ("volume", self.volume),
            ("across-bones", self.across_bones),
        ]
    }
}

/// [`Scales::of_edge`] of coefficients that [`check`] has seen.
pub(crate) fn scale_edges(
    coefficients: &Coefficients,
    edges: &[Edge],
    joint_of_point: &[u32],
    of_edge: &mut [f64],
) {
    let painted = |point: u32| coefficients.of_point.get(point as usize).map_or(1.0, |&c| c.into());
    scale_painted_edges(coefficients, painted, edges, joint_of_point, of_edge);
    for &([a, b], scale) in &coefficients.of_pair {
        if let Some(edge) = find_edge(edges, a, b) {
            of_edge[edge] *= f64::from(scale);
        }
    }
}

/// The same without single pairs.
pub(crate) fn scale_painted_edges(
    coefficients: &Coefficients,
    painted: impl Fn(u32) -> f64,
    edges: &[Edge],
    joint_of_point: &[u32],
    of_edge: &mut [f64],
) {
    let across = f64::from(coefficients.across_bones);
    for (scale, edge) in of_edge.iter_mut().zip(edges) {
        let [a, b] = edge.points;
        let mean = (painted(a) + painted(b)) * 0.5;
        let is_on_one = joint_of_point[a as usize] == joint_of_point[b as usize];
        *scale = if is_on_one { mean } else { mean * across };
    }
}

/// Edges are sorted by their points.
pub(crate) fn find_edge(edges: &[Edge], a: u32, b: u32) -> Option<usize> {
    edges.binary_search_by_key(&[a.min(b), a.max(b)], |edge| edge.points).ok()
}

/// Says what is wrong with coefficients of a mesh, if anything is.
pub(crate) fn check(
    coefficients: &Coefficients,
    num_points: usize,
    edges: &[Edge],
) -> Result<(), CoefficientError> {
    check_values(coefficients)?;
    let found = coefficients.of_point.len();
    if found != 0 && found != num_points {
        return Err(CoefficientError::PointCount { expected: num_points, found });
    }
    let is_missing = |&([a, b], _): &([u32; 2], f32)| find_edge(edges, a, b).is_none();
    match coefficients.of_pair.iter().copied().find(is_missing) {
        Some(([a, b], _)) => Err(CoefficientError::NoEdge { a, b }),
        None => Ok(()),
    }
}

fn check_values(c: &Coefficients) -> Result<(), CoefficientError> {
    let painted = c.of_point.iter().map(|&value| ("painted", value));
    let pairs = c.of_pair.iter().map(|&(_, value)| ("pair", value));
    match c
        .globals()
        .into_iter()
        .chain(painted)
        .chain(pairs)
        .find(|(_, value)| !value.is_finite() || *value < 0.0)
    {
        Some((what, value)) => Err(CoefficientError::BadValue { what, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles on the edge 1–2; point 3 is on another bone.
    fn resolve(coefficients: &Coefficients) -> Result<Scales, CoefficientError> {
        let adjacency = Adjacency::of_triangles(4, &[[0, 1, 2], [2, 1, 3]]);
        Scales::resolve(coefficients, &adjacency, &[0, 0, 0, 1])
    }

    #[test]
    fn paint_is_averaged_and_bones_and_pairs_multiply() {
        let scales = resolve(&Coefficients {
            across_bones: 0.5,
            of_point: vec![1.0, 3.0, 1.0, 5.0],
            of_pair: vec![([3, 1], 10.0)],
            ..Coefficients::default()
        })
        .unwrap();
        // Edges 01, 02, 12, 13, 23.
        assert_eq!(scales.of_edge, [2.0, 1.0, 2.0, 4.0 * 0.5 * 10.0, 3.0 * 0.5]);
        assert_eq!(scales.of_point, [1.0, 3.0, 1.0, 5.0]);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let of_pair = vec![([0, 3], 1.0)];
        assert_eq!(
            resolve(&Coefficients { of_pair, ..Coefficients::default() }),
            Err(CoefficientError::NoEdge { a: 0, b: 3 })
        );
        assert_eq!(
            resolve(&Coefficients { of_point: vec![1.0], ..Coefficients::default() }),
            Err(CoefficientError::PointCount { expected: 4, found: 1 })
        );
        assert!(resolve(&Coefficients { edge: f32::NAN, ..Coefficients::default() }).is_err());
        assert!(resolve(&Coefficients { length: -1.0, ..Coefficients::default() }).is_err());
    }
}
