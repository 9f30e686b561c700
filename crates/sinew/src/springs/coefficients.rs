//! How stiff each force is: globally, by condition, by point and by pair (Toothman and Neff 2019,
//! section 4).
//!
//! What each scale does to the two models that have forces:
//!
//! | | `paper` | `anchored` |
//! |---|---|---|
//! | `torque`, `bone`, `edge`, `length` | `F_a`, `F_b`, `F_s`, `F_l` | edges follow the rotation · points stay at the first stage · tension limit · distance to the bone |
//! | `compressed` | `F_s` of pairs shorter than at rest | guards against folding and contact |
//! | `across_bones`, `.._torque`, `.._edge` | `k` of `F_a` and of `F_s`, each by both | `k` of the edge, by the mean of both |
//! | `of_pair` | `k` of `F_a` and of `F_s`, each by its own | `k` of the edge, by the mean of both |
//! | `of_point` | all four: `k` by the mean of its ends, `F_b` and `F_l` by the point's | `k` of the edge, by the mean of its ends |

use crate::mesh::{Adjacency, Edge};

/// Scales of the forces; 1 is the model's own. Delta mush has none of them.
///
/// The paper's four forces are what the anchored model's terms grew from, so that one set of
/// controls serves both.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Coefficients {
    /// `F_a`, attachment torque. Anchored: edges follow the rotation around them.
    pub torque: f32,
    /// `F_b`, bone torque. Anchored: points stay where the first stage put them.
    pub bone: f32,
    /// `F_s`, surface edges. Anchored: edges are not stretched past their limit.
    pub edge: f32,
    /// `F_l`, length. Anchored: points keep their distance to the bone.
    pub length: f32,
    /// Further scale of `F_s` of an edge while it is shorter than at rest. Anchored: of the guard
    /// against folding.
    pub compressed: f32,
    /// Anchored: of the volume that bends have lost, the share that is given back.
    pub volume: f32,
    /// Further scale of `F_a` and `F_s` between points on different bones.
    pub across_bones: f32,
    /// Further scale of `F_a` alone between points on different bones. Anchored knows one stiffness
    /// an edge, and takes the mean of this and the next.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_one"))]
    pub across_bones_torque: f32,
    /// Further scale of `F_s` alone between points on different bones.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_one"))]
    pub across_bones_edge: f32,
    /// Painted stiffness, one a point, or empty for 1 everywhere; a pair takes the mean of its two.
    pub of_point: Vec<f32>,
    /// Further scales of single pairs of neighbours, in any order; pairs that are no edge are an
    /// error.
    pub of_pair: Vec<PairScale>,
}

/// What is the model's own is not written, so that files of before stay as they were.
#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_one(scale: &f32) -> bool {
    *scale == 1.0
}

impl Default for Coefficients {
    fn default() -> Self {
        Self {
            torque: 1.0,
            bone: 1.0,
            edge: 1.0,
            length: 1.0,
            compressed: 1.0,
            volume: 1.0,
            across_bones: 1.0,
            across_bones_torque: 1.0,
            across_bones_edge: 1.0,
            of_point: Vec::new(),
            of_pair: Vec::new(),
        }
    }
}

impl Coefficients {
    /// Those that serve all points, by name.
    pub fn globals(&self) -> [(&'static str, f32); 9] {
        [
            ("torque", self.torque),
            ("bone", self.bone),
            ("edge", self.edge),
            ("length", self.length),
            ("compressed", self.compressed),
            ("volume", self.volume),
            ("across-bones", self.across_bones),
            ("across-bones-torque", self.across_bones_torque),
            ("across-bones-edge", self.across_bones_edge),
        ]
    }

    /// Whether they are scales at all, whatever the mesh.
    ///
    /// # Errors
    /// If one is below zero, or no number.
    pub fn check(&self) -> Result<(), CoefficientError> {
        let painted = self.of_point.iter().map(|&value| ("painted", value));
        let pairs = self.of_pair.iter().flat_map(|p| [("pair", p.torque), ("pair", p.edge)]);
        match self
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

    /// Whether they are of a mesh of so many points: for an edit, which knows no edges.
    /// [`Self::check`] is part of it.
    ///
    /// # Errors
    /// If there is not one painted scale a point, or a pair names a point that is not there.
    pub fn check_points(&self, num_points: usize) -> Result<(), CoefficientError> {
        self.check()?;
        match self.of_point.len() {
            0 => {}
            found if found == num_points => {}
            found => return Err(CoefficientError::PointCount { expected: num_points, found }),
        }
        let is_outside = |pair: &&PairScale| pair.points.iter().any(|&p| p as usize >= num_points);
        match self.of_pair.iter().find(is_outside) {
            Some(PairScale { points: [a, b], .. }) => {
                Err(CoefficientError::NoEdge { a: *a, b: *b })
            }
            None => Ok(()),
        }
    }
}

/// Scales of the two forces between two neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "PairScaleForm")
)]
pub struct PairScale {
    /// The two, in any order.
    pub points: [u32; 2],
    /// Of `F_a`.
    pub torque: f32,
    /// Of `F_s`.
    pub edge: f32,
}

impl PairScale {
    /// One scale of both forces.
    pub const fn both(points: [u32; 2], scale: f32) -> Self {
        Self { points, torque: scale, edge: scale }
    }
}

/// What files say: `{"points": [3, 4], "torque": 2, "edge": 0.5}`, or, as before there were two,
/// `[[3, 4], 2]`.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum PairScaleForm {
    Both([u32; 2], f32),
    Apart {
        points: [u32; 2],
        #[serde(default = "unscaled")]
        torque: f32,
        #[serde(default = "unscaled")]
        edge: f32,
    },
}

#[cfg(feature = "serde")]
fn unscaled() -> f32 {
    1.0
}

#[cfg(feature = "serde")]
impl From<PairScaleForm> for PairScale {
    fn from(form: PairScaleForm) -> Self {
        match form {
            PairScaleForm::Both(points, scale) => Self::both(points, scale),
            PairScaleForm::Apart { points, torque, edge } => Self { points, torque, edge },
        }
    }
}

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
        /// The first of the two points.
        a: u32,
        /// The second of the two points.
        b: u32,
    },
    /// A coefficient below zero, or not a number.
    #[error("the {what} coefficient is {value}; it must be finite and not negative")]
    BadValue {
        /// The setting's name.
        what: &'static str,
        /// What it is.
        value: f32,
    },
    /// A time step that is none.
    #[error("a time step of {seconds} s cannot be taken; give a number above 0 and up to 1")]
    BadStep {
        /// What was asked for.
        seconds: f32,
    },
}

/// Scales that do not change from frame to frame. The global ones and `compressed` are left to the
/// model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scales {
    /// Of `F_a`, one an edge of the adjacency: painted mean × across bones × the pair's own.
    pub torque_of_edge: Vec<f32>,
    /// Of `F_s`, likewise.
    pub edge_of_edge: Vec<f32>,
    /// One a point: painted.
    pub of_point: Vec<f32>,
}

impl Scales {
    /// From scratch.
    #[cfg(test)]
    pub(crate) fn resolve(
        coefficients: &Coefficients,
        adjacency: &Adjacency,
        joint_of_point: &[u32],
    ) -> Result<Self, CoefficientError> {
        let mut scales = Self::default();
        scales.update(coefficients, adjacency.edges(), joint_of_point)?;
        Ok(scales)
    }

    /// Resolves and checks; a pair that is named twice has the product of both. Following other
    /// coefficients of the same mesh allocates nothing, and what does not fit changes nothing.
    pub(crate) fn update(
        &mut self,
        c: &Coefficients,
        edges: &[Edge],
        joint_of_point: &[u32],
    ) -> Result<(), CoefficientError> {
        let num_points = joint_of_point.len();
        check(c, num_points, edges)?;
        self.of_point.clear();
        match c.of_point.len() {
            0 => self.of_point.resize(num_points, 1.0),
            _ => self.of_point.extend_from_slice(&c.of_point),
        }
        self.torque_of_edge.clear();
        self.edge_of_edge.clear();
        for edge in edges {
            let [a, b] = edge.points.map(|p| p as usize);
            let painted = (self.of_point[a] + self.of_point[b]) * 0.5;
            let (torque, along) = match joint_of_point[a] == joint_of_point[b] {
                true => (1.0, 1.0),
                false => {
                    (c.across_bones * c.across_bones_torque, c.across_bones * c.across_bones_edge)
                }
            };
            self.torque_of_edge.push(painted * torque);
            self.edge_of_edge.push(painted * along);
        }
        for pair in &c.of_pair {
            if let Some(edge) = find_edge(edges, pair.points) {
                self.torque_of_edge[edge] *= pair.torque;
                self.edge_of_edge[edge] *= pair.edge;
            }
        }
        Ok(())
    }
}

/// One scale an edge, for a model that knows one stiffness, of coefficients that [`check`] has
/// seen: where `F_a` and `F_s` have two, their mean.
pub(crate) fn scale_edges(
    coefficients: &Coefficients,
    edges: &[Edge],
    joint_of_point: &[u32],
    of_edge: &mut [f64],
) {
    let painted = |point: u32| coefficients.of_point.get(point as usize).map_or(1.0, |&c| c.into());
    scale_painted_edges(coefficients, painted, edges, joint_of_point, of_edge);
    for pair in &coefficients.of_pair {
        if let Some(edge) = find_edge(edges, pair.points) {
            of_edge[edge] *= (f64::from(pair.torque) + f64::from(pair.edge)) * 0.5;
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
    let Coefficients { across_bones, across_bones_torque, across_bones_edge, .. } = coefficients;
    let both = f64::from(*across_bones_torque) + f64::from(*across_bones_edge);
    let across = f64::from(*across_bones) * both * 0.5;
    for (scale, edge) in of_edge.iter_mut().zip(edges) {
        let [a, b] = edge.points;
        let mean = (painted(a) + painted(b)) * 0.5;
        let is_on_one = joint_of_point[a as usize] == joint_of_point[b as usize];
        *scale = if is_on_one { mean } else { mean * across };
    }
}

/// Edges are sorted by their points.
pub(crate) fn find_edge(edges: &[Edge], [a, b]: [u32; 2]) -> Option<usize> {
    edges.binary_search_by_key(&[a.min(b), a.max(b)], |edge| edge.points).ok()
}

/// Whether all pairs are edges of a mesh.
pub(crate) fn check_pairs(
    pairs: &[PairScale],
    adjacency: &Adjacency,
) -> Result<(), CoefficientError> {
    let is_missing = |pair: &&PairScale| find_edge(adjacency.edges(), pair.points).is_none();
    match pairs.iter().find(is_missing) {
        Some(&PairScale { points: [a, b], .. }) => Err(CoefficientError::NoEdge { a, b }),
        None => Ok(()),
    }
}

/// Says what is wrong with coefficients of a mesh, if anything is.
pub(crate) fn check(
    coefficients: &Coefficients,
    num_points: usize,
    edges: &[Edge],
) -> Result<(), CoefficientError> {
    coefficients.check_points(num_points)?;
    let is_missing = |pair: &&PairScale| find_edge(edges, pair.points).is_none();
    match coefficients.of_pair.iter().find(is_missing) {
        Some(&PairScale { points: [a, b], .. }) => Err(CoefficientError::NoEdge { a, b }),
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
    fn paint_is_averaged_and_bones_and_pairs_multiply_each_force_by_its_own() {
        let scales = resolve(&Coefficients {
            across_bones: 0.5,
            across_bones_torque: 0.25,
            of_point: vec![1.0, 3.0, 1.0, 5.0],
            of_pair: vec![
                PairScale::both([3, 1], 10.0),
                PairScale { points: [0, 1], torque: 2.0, edge: 4.0 },
            ],
            ..Coefficients::default()
        })
        .unwrap();
        // Edges 01, 02, 12, 13, 23.
        let across = 4.0 * 0.5 * 10.0;
        assert_eq!(scales.torque_of_edge, [4.0, 1.0, 2.0, across * 0.25, 3.0 * 0.5 * 0.25]);
        assert_eq!(scales.edge_of_edge, [8.0, 1.0, 2.0, across, 3.0 * 0.5]);
        assert_eq!(scales.of_point, [1.0, 3.0, 1.0, 5.0]);
    }

    #[test]
    fn one_stiffness_has_the_means() {
        let adjacency = Adjacency::of_triangles(4, &[[0, 1, 2], [2, 1, 3]]);
        let coefficients = Coefficients {
            across_bones: 0.5,
            across_bones_torque: 0.25,
            of_pair: vec![PairScale { points: [0, 1], torque: 2.0, edge: 4.0 }],
            ..Coefficients::default()
        };
        let mut means = [0.0; 5];
        scale_edges(&coefficients, adjacency.edges(), &[0, 0, 0, 1], &mut means);
        assert_eq!(means, [3.0, 1.0, 1.0, 0.3125, 0.3125]);
    }

    #[test]
    fn what_does_not_fit_is_an_error_and_changes_nothing() {
        let adjacency = Adjacency::of_triangles(4, &[[0, 1, 2], [2, 1, 3]]);
        let mut scales = resolve(&Coefficients::default()).unwrap();
        let before = scales.clone();
        let none = Err(CoefficientError::NoEdge { a: 0, b: 3 });
        let of_pair = vec![PairScale::both([0, 3], 1.0)];
        let bad = Coefficients { of_pair, ..Coefficients::default() };
        assert_eq!(scales.update(&bad, adjacency.edges(), &[0, 0, 0, 1]), none);
        assert_eq!(
            resolve(&Coefficients { of_point: vec![1.0], ..Coefficients::default() }),
            Err(CoefficientError::PointCount { expected: 4, found: 1 })
        );
        let outside = vec![PairScale::both([1, 4], 1.0)];
        let bad = Coefficients { of_pair: outside, ..Coefficients::default() };
        assert_eq!(bad.check_points(4), Err(CoefficientError::NoEdge { a: 1, b: 4 }));
        assert!(resolve(&Coefficients { edge: f32::NAN, ..Coefficients::default() }).is_err());
        assert!(resolve(&Coefficients { length: -1.0, ..Coefficients::default() }).is_err());
        let across = Coefficients { across_bones_edge: -1.0, ..Coefficients::default() };
        assert!(resolve(&across).is_err());
        assert_eq!(scales, before);
    }
}
