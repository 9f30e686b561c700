//! Binding: rows in a good order, and who is whose neighbour. What depends on the rest shape is
//! `refit`'s.

use std::f64::consts::{FRAC_PI_2, PI};

use fearless_simd::Level;
use glam::{DVec3, Vec3};

use super::bone::Held;
use super::kernel::{Block, LANES, PairRow, PointRow, Scalars, StateRow};
use super::{MAX_REACH, MAX_STIFFNESS, NO_EDGE, PaperInput, PaperSprings};
use crate::mesh::{Aabb, Edge};
use crate::springs::coefficients::{CoefficientError, Scales};

/// Points among which like numbers of neighbours are sought: few enough that neighbours stay near.
const WINDOW_POINTS: usize = 512;

/// Points this near to their bone over the diagonal (the middle of a cap) have no angle to it or to
/// their neighbours: rounding would turn a shorter `s` about.
const ON_BONE_OVER_DIAGONAL: f64 = 1e-4;

/// How large the model is. Frames run in units of a power of two near the diagonal: scaling is
/// exact, and squares of squares stay in f32 whatever the model is measured in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) units_a_metre: f32,
    pub(super) metres_a_unit: f32,
    pub(super) diagonal_in_units: f32,
    pub(super) smallest_side_in_units: f32,
}

impl Extent {
    pub(super) fn of(positions: &[Vec3], places: impl Iterator<Item = DVec3>) -> Self {
        let rest = Aabb::around(positions.iter().copied());
        let whole = Aabb::around(positions.iter().copied().chain(places.map(|p| p.as_vec3())));
        let diagonal = Some(whole.diagonal()).filter(|d| d.is_normal()).unwrap_or(1.0);
        // Within the exponents of normal numbers, both ways.
        let exponent = diagonal.log2().ceil().clamp(-100.0, 100.0);
        let units_a_metre = (-exponent).exp2();
        Self {
            units_a_metre,
            metres_a_unit: exponent.exp2(),
            diagonal_in_units: diagonal * units_a_metre,
            smallest_side_in_units: rest.size().min_element() * units_a_metre,
        }
    }

    pub(super) fn to_unit(self, p: Vec3) -> Vec3 {
        // Also takes what is not a number: `max` prefers the number.
        let reach = Vec3::splat(MAX_REACH as f32);
        (p * self.units_a_metre).max(-reach).min(reach)
    }

    pub(super) fn to_unit_f64(self, p: DVec3) -> Vec3 {
        let reach = Vec3::splat(MAX_REACH as f32);
        (p * f64::from(self.units_a_metre)).as_vec3().max(-reach).min(reach)
    }

    pub(super) fn to_metres(self, p: Vec3) -> Vec3 {
        p * self.metres_a_unit
    }

    /// The longest step that is taken, metres.
    pub(super) fn diagonal(self) -> f64 {
        f64::from(self.diagonal_in_units * self.metres_a_unit)
    }

    /// True if `s` of a point at rest is too short to have a direction.
    pub(super) fn is_on_bone(self, s: DVec3) -> bool {
        s.length() <= ON_BONE_OVER_DIAGONAL * self.diagonal()
    }

    /// Metres.
    #[cfg(test)]
    pub(super) fn smallest_side(self) -> f64 {
        f64::from(self.smallest_side_in_units * self.metres_a_unit)
    }
}

/// `k` of an edge, before any scale: `(A₁+A₂)/ℓ⁰²`, at most [`MAX_STIFFNESS`], 0 for an edge
/// without length.
pub(super) fn stiffness_of(edge: &Edge, positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let area = |triangle: u32| {
        let [a, b, c] = triangles[triangle as usize].map(|p| positions[p as usize].as_dvec3());
        (b - a).cross(c - a).length() * 0.5
    };
    let [a, b] = edge.points.map(|p| positions[p as usize].as_dvec3());
    let squared = a.distance_squared(b);
    let areas: f64 = edge.triangles().map(area).sum();
    // Also what overflowed: `min` prefers the number.
    if squared > 0.0 { (areas / squared).min(MAX_STIFFNESS) } else { 0.0 }
}

/// The angle between two vectors; 0 if one of them is.
pub(super) fn angle_between(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}

/// κ of a point whose `s` is at `rest_bend` to its bone: 1 at a right angle, 0 along it.
pub(super) fn bone_stiffness(rest_bend: f64) -> f64 {
    rest_bend.min(PI - rest_bend) / FRAC_PI_2
}

impl PaperSprings {
    /// Binds springs.
    ///
    /// # Panics
    /// If the arrays are not of the same points, a joint has no bone, or the order is no
    /// permutation.
    pub(crate) fn bind(input: &PaperInput<'_>) -> Result<Self, CoefficientError> {
        Self::bind_at(Level::new(), input)
    }

    /// [`Self::bind`] for a set of instructions: angles at rest are only exact in the one that
    /// measured them.
    pub(super) fn bind_at(level: Level, input: &PaperInput<'_>) -> Result<Self, CoefficientError> {
        let num_points = input.positions.len();
        assert_eq!(input.adjacency.num_points(), num_points, "an adjacency of these points");
        assert_eq!(input.attachments.len(), num_points, "an attachment for each point");
        let point_of_row = order_rows(input);
        let mut row_of_point = vec![u32::MAX; num_points];
        for (row, point) in point_of_row.iter().enumerate() {
            if let Some(point) = point {
                row_of_point[*point as usize] = row as u32;
            }
        }
        assert!(!row_of_point.contains(&u32::MAX), "an order of all points");
        let num_rows = point_of_row.len();
        let held = |point: &Option<u32>| {
            let attachment = &input.attachments[point.unwrap_or(0) as usize];
            assert!((attachment.joint as usize) < input.bones.len(), "a bone for each joint");
            Held { joint: attachment.joint, along: attachment.along, place: attachment.place }
        };
        let edges = input.adjacency.edges();
        let mut bound = Self {
            bone_lengths: vec![0.0; input.bones.len()],
            attachments: point_of_row.iter().map(held).collect(),
            rest: vec![Vec3::ZERO; num_rows],
            edges: edges.to_vec(),
            triangles: input.triangles.to_vec(),
            joint_of_point: input.attachments.iter().map(|a| a.joint).collect(),
            edge_stiffness: vec![0.0; edges.len()],
            edge_of_pair: Vec::new(),
            kappas: vec![0.0; num_rows],
            is_on_bone: vec![false; num_rows],
            state: vec![StateRow::default(); num_rows],
            scales: Scales::default(),
            bone_scale: 1.0,
            length_scale: 1.0,
            blocks: Vec::with_capacity(num_rows / LANES),
            pairs: Vec::new(),
            points: vec![PointRow::default(); num_rows / LANES],
            scalars: Scalars {
                torque: 1.0,
                edge: 1.0,
                compressed: 1.0,
                step_seconds: input.step_seconds,
                max_step: 0.0,
            },
            point_of_row,
            row_of_point,
            extent: Extent::of(&[], std::iter::empty()),
            level,
        };
        bound.push_blocks(input);
        bound.adjust(input.coefficients, input.step_seconds)?;
        bound.fit(input.positions, |joint| input.bones[joint as usize]);
        Ok(bound)
    }

    fn push_blocks(&mut self, input: &PaperInput<'_>) {
        let edge_of = |a: u32, b: u32| {
            let key = [a.min(b), a.max(b)];
            let found = input.adjacency.edges().binary_search_by_key(&key, |edge| edge.points);
            found.map_or(NO_EDGE, |edge| edge as u32)
        };
        for (block, points) in self.point_of_row.as_chunks::<LANES>().0.iter().enumerate() {
            let ring = |lane: usize| {
                points[lane].map_or(&[][..], |point| input.adjacency.ring(point as usize))
            };
            let start = self.pairs.len() as u32;
            let longest = (0..LANES).map(|lane| ring(lane).len()).max().unwrap_or(0);
            for index in 0..longest {
                let mut row = PairRow::default();
                let mut edges = [NO_EDGE; LANES];
                for (lane, point) in points.iter().enumerate() {
                    row.row[lane] = (block * LANES + lane) as u32;
                    if let (Some(point), Some(&other)) = (point, ring(lane).get(index)) {
                        row.row[lane] = self.row_of_point[other as usize];
                        edges[lane] = edge_of(*point, other);
                    }
                }
                self.pairs.push(row);
                self.edge_of_pair.push(edges);
            }
            self.blocks.push(Block { pairs: start..self.pairs.len() as u32 });
        }
    }

    /// For each point at most how stiff the springs on it are together, all forces: the diagonal of
    /// what [`Dynamics`](crate::springs::dynamics::Dynamics) must resolve.
    pub(crate) fn stiffness_bounds(&self) -> Vec<f32> {
        (0..self.row_of_point.len() as u32).map(|point| self.stiffness_bound(point)).collect()
    }

    /// The same of one point.
    pub(crate) fn stiffness_bound(&self, point: u32) -> f32 {
        let s = &self.scalars;
        let row = self.row_of_point[point as usize] as usize;
        let (block, lane) = (row / LANES, row % LANES);
        let pairs = self.blocks[block].pairs.clone();
        let sum: f32 = self.pairs[pairs.start as usize..pairs.end as usize]
            .iter()
            .map(|pair| {
                let edge = s.edge * s.compressed.max(1.0) * pair.edge_stiffness[lane];
                s.torque * pair.torque_stiffness[lane] + edge
            })
            .sum();
        let own = &self.points[block];
        // Both are springs of stiffness k along their own direction; across it a bent or pressed
        // one has up to as much again.
        2.0 * sum + own.bone_stiffness[lane] + own.length_stiffness[lane]
    }

    /// For each point how stiff the springs to its bone are: what brings it back.
    pub(crate) fn restoring_stiffness(&self) -> Vec<f32> {
        self.bone_springs(f32::max)
    }

    /// The same where they hold it least: across or along its arm.
    pub(crate) fn holding_stiffness(&self) -> Vec<f32> {
        self.bone_springs(|bone, length| match bone.min(length) {
            least if least > 0.0 => least,
            _ => bone.max(length),
        })
    }

    fn bone_springs(&self, of_both: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        let of_row = |&row: &u32| {
            let own = &self.points[row as usize / LANES];
            let lane = row as usize % LANES;
            of_both(own.bone_stiffness[lane], own.length_stiffness[lane])
        };
        self.row_of_point.iter().map(of_row).collect()
    }

    /// Each point's distance to its attachment, metres.
    pub(crate) fn distances(&self) -> Vec<f32> {
        let of_row = |&row: &u32| {
            let place = self.attachments[row as usize].place;
            self.rest[row as usize].as_dvec3().distance(place) as f32
        };
        self.row_of_point.iter().map(of_row).collect()
    }
}

/// The points in the given order, by number of neighbours within windows, padded to whole blocks.
fn order_rows(input: &PaperInput<'_>) -> Vec<Option<u32>> {
    let num_points = input.positions.len();
    let mut order: Vec<u32> = match input.order {
        [] => (0..num_points as u32).collect(),
        order => order.to_vec(),
    };
    assert_eq!(order.len(), num_points, "an order of all points");
    for window in order.chunks_mut(WINDOW_POINTS) {
        window.sort_by_key(|&point| input.adjacency.ring(point as usize).len());
    }
    let mut rows: Vec<Option<u32>> = order.into_iter().map(Some).collect();
    rows.resize(num_points.next_multiple_of(LANES), None);
    rows
}
