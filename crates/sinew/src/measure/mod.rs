//! Figures that say 'better': volume, stretch, inversion and collapse of a posed skin against its
//! rest, and of a character of many shells what holds them together.
//!
//! All of it in f64. What does not change with the pose is found once by [`Measure::bind`];
//! [`Measure::evaluate`] is then linear in the mesh, uses all threads, and gives the same with any
//! number of them. Definitions and limits: the fields of [`Measures`], and
//! `docs/methods/measure.md`.
//!
//! Points that are not finite, and the edges and triangles on them, take no part in any figure;
//! `finite` then says so, and the volume, which needs all of them, is `None`. Edges without length
//! at rest have no stretch. Nothing panics on degenerate shapes, and no figure is NaN.

mod attachment;
mod character;
mod orientation;
mod rotation;
mod section;
mod shells;
mod sweep;
mod volumes;

#[cfg(test)]
mod tests;

pub use attachment::Attachments;
pub use character::{CharacterMeasure, CharacterMeasures};
pub use shells::{ShellCounts, ShellMeasure, ShellMeasures};
pub use sweep::Sweep;
pub use volumes::PartVolumes;

use glam::{DVec3, Vec3};

use crate::mesh::Adjacency;
use crate::skeleton::Palette;
use orientation::Orientation;
use sweep::max_distance;

/// A rest volume below this over the diagonal cubed is rounding: an open or flat surface holds
/// none.
const NO_VOLUME_OVER_DIAGONAL_CUBED: f64 = 1e-9;

/// The figures of one pose, named as `sinew measure` prints them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Signed volume posed over rest, each about the mean of its own points, so that moving an open
    /// mesh does not change it. `None` without volume at rest or if a point is not finite.
    pub volume_ratio: Option<f64>,
    /// The largest posed over rest length of an edge. `None` without edges.
    pub max_stretch: Option<f64>,
    /// The stretch that 99.9 % of the edges do not exceed (nearest rank).
    pub p999_stretch: Option<f64>,
    /// The smallest posed over rest length of an edge.
    pub min_compression: Option<f64>,
    /// Triangles whose normal opposes the rest one, carried along by the rotation of the limb's
    /// section there.
    pub inverted_triangles: usize,
    /// All triangles.
    pub triangles: usize,
    /// Points whose normal opposes the rest one, carried likewise.
    pub flipped_normals: usize,
    /// True if every posed coordinate is a number.
    pub finite: bool,
    /// The furthest that a point is from its rest, metres.
    pub max_displacement: f64,
}

/// The figures that need the skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigMeasures {
    /// The smallest share of its distance to the bone that a point has kept: see [`Attachments`].
    pub min_attachment_ratio: Option<f64>,
    /// The stretch that all but 0.1 % of the edges exceed or meet (nearest rank).
    pub p001_stretch: Option<f64>,
}

/// The figures of `posed` against `rest`. For more than one pose, [`Measure::bind`] once.
///
/// # Panics
/// If the lists differ in length, or a triangle names a point that is not there.
pub fn measure(rest: &[Vec3], posed: &[Vec3], triangles: &[[u32; 3]]) -> Measures {
    Measure::bind(rest, triangles).evaluate(posed)
}

/// A rest shape, ready to be compared with.
#[derive(Clone, Debug)]
pub struct Measure {
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    is_used: Vec<bool>,
    /// Edges with a length at rest.
    edges: Vec<([u32; 2], f64)>,
    volume: Option<f64>,
    orientation: Orientation,
}

impl Measure {
    /// Takes the rest shape. Triangles over welded points: across a split seam there would be no
    /// neighbours.
    ///
    /// # Panics
    /// If a triangle names a point that is not there.
    pub fn bind(rest: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let adjacency = Adjacency::of_triangles(rest.len(), triangles);
        let mut is_used = vec![false; rest.len()];
        for &point in triangles.iter().flatten() {
            is_used[point as usize] = true;
        }
        let centered = centered(rest, &is_used);
        let edges = adjacency
            .edges()
            .iter()
            .map(|edge| {
                let [a, b] = edge.points.map(|p| centered[p as usize]);
                (edge.points, a.distance(b))
            })
            .filter(|&(_, length)| length > 0.0 && length.is_finite())
            .collect();
        let volume = volume_at_rest(&centered, triangles);
        let orientation = Orientation::bind(&centered, triangles, &adjacency);
        Self {
            rest: rest.to_vec(),
            triangles: triangles.to_vec(),
            is_used,
            edges,
            volume,
            orientation,
        }
    }

    /// The figures of a pose.
    ///
    /// # Panics
    /// If `posed` has another number of points.
    pub fn evaluate(&self, posed: &[Vec3]) -> Measures {
        assert_eq!(posed.len(), self.rest.len(), "one posed point a rest point");
        let finite = posed.iter().all(|p| p.is_finite());
        let centered = centered(posed, &self.is_used);
        let mut stretches = self.stretches(posed);
        let wrong_way = self.orientation.count(&centered);
        Measures {
            volume_ratio: self
                .volume
                .filter(|_| finite)
                .map(|volume| signed_volume(&centered, &self.triangles) / volume),
            max_stretch: stretches.iter().copied().max_by(f64::total_cmp),
            min_compression: stretches.iter().copied().min_by(f64::total_cmp),
            p999_stretch: quantile(&mut stretches, 0.999),
            inverted_triangles: wrong_way.triangles,
            triangles: self.triangles.len(),
            flipped_normals: wrong_way.points,
            finite,
            max_displacement: max_distance(&self.rest, posed).unwrap_or(0.0),
        }
    }

    /// The figures of a pose that need the skeleton.
    ///
    /// # Panics
    /// If `posed` has another number of points, or the palette is not of the attachments' skeleton.
    pub fn evaluate_rig(
        &self,
        posed: &[Vec3],
        attachments: &Attachments,
        palette: &Palette,
    ) -> RigMeasures {
        assert_eq!(posed.len(), self.rest.len(), "one posed point a rest point");
        RigMeasures {
            min_attachment_ratio: attachments.min_ratio(posed, palette),
            p001_stretch: quantile(&mut self.stretches(posed), 0.001),
        }
    }

    fn stretches(&self, posed: &[Vec3]) -> Vec<f64> {
        self.edges
            .iter()
            .map(|&([a, b], length)| {
                posed[a as usize].as_dvec3().distance(posed[b as usize].as_dvec3()) / length
            })
            .filter(|stretch| stretch.is_finite())
            .collect()
    }
}

/// About the mean of the points that are used and finite.
fn centered(points: &[Vec3], is_used: &[bool]) -> Vec<DVec3> {
    let mut count = 0.0;
    let mut sum = DVec3::ZERO;
    for (p, _) in points.iter().zip(is_used).filter(|(p, used)| **used && p.is_finite()) {
        sum += p.as_dvec3();
        count += 1.0;
    }
    let mean = if count > 0.0 { sum / count } else { DVec3::ZERO };
    points.iter().map(|p| p.as_dvec3() - mean).collect()
}

/// `None` for what holds none.
fn volume_at_rest(centered: &[DVec3], triangles: &[[u32; 3]]) -> Option<f64> {
    let reach = centered.iter().filter(|p| p.is_finite()).map(|p| p.length()).fold(0.0, f64::max);
    let least = NO_VOLUME_OVER_DIAGONAL_CUBED * (2.0 * reach).powi(3);
    let volume = signed_volume(centered, triangles);
    (volume.is_finite() && volume.abs() > least).then_some(volume)
}

/// By the divergence theorem: a sixth of `Σ a·(b × c)`.
fn signed_volume(points: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|p| points[p as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

/// The value at rank `⌈fraction · n⌉` of the ascending values.
fn quantile(values: &mut [f64], fraction: f64) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let rank = (fraction * values.len() as f64).ceil().max(1.0) as usize;
    let rank = rank.min(values.len());
    Some(*values.select_nth_unstable_by(rank - 1, f64::total_cmp).1)
}
