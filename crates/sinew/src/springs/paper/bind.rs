//! Binding: stiffness in f64, rows in a good order, angles and lengths at rest as the frame loop will see them.

use std::f64::consts::{FRAC_PI_2, PI};

use fearless_simd::{Level, dispatch};
use glam::{DVec3, Vec3};

use super::kernel::{Block, LANES, NO_ANGLE, PairRow, PointRow, Scalars, StateRow, measure_rest};
use super::{MAX_REACH, MAX_STIFFNESS, PaperInput, PaperSprings, STEP_SECONDS};
use crate::mesh::{Aabb, Adjacency};
use crate::springs::coefficients::{CoefficientError, Scales};

/// Points among which like numbers of neighbours are sought: few enough that neighbours stay near.
const WINDOW_POINTS: usize = 512;

/// Points this near to their bone over the diagonal (the middle of a cap) have no angle to it or to their neighbours:
/// rounding would turn a shorter `s` about.
const ON_BONE_OVER_DIAGONAL: f64 = 1e-4;

/// How large the model is. Frames run in units of a power of two near the diagonal: scaling is exact, and squares of
/// squares stay in f32 whatever the model is measured in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) units_a_metre: f32,
    pub(super) metres_a_unit: f32,
    pub(super) diagonal_in_units: f32,
    pub(super) smallest_side_in_units: f32,
}

impl Extent {
    pub(super) fn of(input: &PaperInput<'_>) -> Self {
        let rest = Aabb::around(input.positions.iter().copied());
        let whole = Aabb::around(
            input.positions.iter().copied().chain(input.attachments.iter().map(|a| a.as_vec3())),
        );
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
    pub(super) fn is_on_bone(self, input: &PaperInput<'_>, point: usize) -> bool {
        let s = input.positions[point].as_dvec3() - input.attachments[point];
        s.length() <= ON_BONE_OVER_DIAGONAL * self.diagonal()
    }

    /// Metres.
    #[cfg(test)]
    pub(super) fn smallest_side(self) -> f64 {
        f64::from(self.smallest_side_in_units * self.metres_a_unit)
    }
}

/// `k` of each edge, before any scale: `(A₁+A₂)/ℓ⁰²`, at most [`MAX_STIFFNESS`], 0 for an edge without length.
pub(super) fn edge_stiffness(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    adjacency: &Adjacency,
) -> Vec<f64> {
    let area = |triangle: u32| {
        let [a, b, c] = triangles[triangle as usize].map(|p| positions[p as usize].as_dvec3());
        (b - a).cross(c - a).length() * 0.5
    };
    adjacency
        .edges()
        .iter()
        .map(|edge| {
            let [a, b] = edge.points.map(|p| positions[p as usize].as_dvec3());
            let squared = a.distance_squared(b);
            let areas: f64 = edge.triangles().map(area).sum();
            // Also what overflowed: `min` prefers the number.
            if squared > 0.0 { (areas / squared).min(MAX_STIFFNESS) } else { 0.0 }
        })
        .collect()
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
    /// If the arrays are not of the same points, a joint has no bone direction, or the order is no permutation.
    pub(crate) fn bind(input: &PaperInput<'_>) -> Result<Self, CoefficientError> {
        Self::bind_at(Level::new(), input)
    }

    /// [`Self::bind`] for a set of instructions: angles at rest are only exact in the one that measured them.
    pub(super) fn bind_at(level: Level, input: &PaperInput<'_>) -> Result<Self, CoefficientError> {
        let num_points = input.positions.len();
        assert_eq!(input.adjacency.num_points(), num_points, "an adjacency of these points");
        assert_eq!(input.joint_of_point.len(), num_points, "a joint for each point");
        assert_eq!(input.attachments.len(), num_points, "an attachment for each point");
        let num_joints =
            input.joint_of_point.iter().map(|&joint| joint as usize + 1).max().unwrap_or(0);
        assert!(input.bone_directions.len() >= num_joints, "a direction for each joint");

        let scales = Scales::resolve(input.coefficients, input.adjacency, input.joint_of_point)?;
        let extent = Extent::of(input);
        let point_of_row = order_rows(input);
        let mut row_of_point = vec![u32::MAX; num_points];
        for (row, point) in point_of_row.iter().enumerate() {
            if let Some(point) = point {
                row_of_point[*point as usize] = row as u32;
            }
        }
        assert!(!row_of_point.contains(&u32::MAX), "an order of all points");

        let attachments: Vec<(u32, DVec3)> = point_of_row
            .iter()
            .map(|point| {
                let point = point.unwrap_or(0) as usize;
                (input.joint_of_point[point], input.attachments[point])
            })
            .collect();
        let mut bound = Self {
            num_joints,
            attachments,
            blocks: Vec::with_capacity(point_of_row.len() / LANES),
            pairs: Vec::new(),
            points: Vec::with_capacity(point_of_row.len() / LANES),
            scalars: Scalars {
                torque: input.coefficients.torque,
                edge: input.coefficients.edge,
                compressed: input.coefficients.compressed,
                step_seconds: STEP_SECONDS as f32,
                max_step: extent.diagonal_in_units,
            },
            point_of_row,
            row_of_point,
            extent,
            level,
            source: None,
        };
        bound.push_blocks(input, &scales);
        bound.measure(input);
        Ok(bound)
    }

    fn push_blocks(&mut self, input: &PaperInput<'_>, scales: &Scales) {
        let of_edge: Vec<f32> = edge_stiffness(input.positions, input.triangles, input.adjacency)
            .iter()
            .zip(&scales.of_edge)
            .map(|(k, scale)| (k * scale).min(MAX_STIFFNESS) as f32)
            .collect();
        let stiffness = |a: u32, b: u32| {
            let key = [a.min(b), a.max(b)];
            let found = input.adjacency.edges().binary_search_by_key(&key, |edge| edge.points);
            found.map_or(0.0, |edge| of_edge[edge])
        };
        let is_on_bone: Vec<bool> =
            (0..input.positions.len()).map(|point| self.extent.is_on_bone(input, point)).collect();
        for (block, points) in self.point_of_row.as_chunks::<LANES>().0.iter().enumerate() {
            let ring = |lane: usize| {
                points[lane].map_or(&[][..], |point| input.adjacency.ring(point as usize))
            };
            let start = self.pairs.len() as u32;
            let longest = (0..LANES).map(|lane| ring(lane).len()).max().unwrap_or(0);
            for index in 0..longest {
                let mut row = PairRow::default();
                for (lane, point) in points.iter().enumerate() {
                    row.row[lane] = (block * LANES + lane) as u32;
                    if let (Some(point), Some(&other)) = (point, ring(lane).get(index)) {
                        row.row[lane] = self.row_of_point[other as usize];
                        row.stiffness[lane] = stiffness(*point, other);
                        if is_on_bone[*point as usize] || is_on_bone[other as usize] {
                            row.rest_angle[lane] = NO_ANGLE;
                        }
                    }
                }
                self.pairs.push(row);
            }
            self.blocks.push(Block { pairs: start..self.pairs.len() as u32 });
            let mut of_points = PointRow::default();
            for (lane, point) in points.iter().enumerate() {
                let Some(point) = point.map(|p| p as usize) else { continue };
                let painted = scales.of_point[point];
                let bone = input.bone_directions[input.joint_of_point[point] as usize];
                let s = input.positions[point].as_dvec3() - input.attachments[point];
                let kappa = match is_on_bone[point] {
                    true => 0.0,
                    false => bone_stiffness(angle_between(s, bone)),
                };
                let scaled =
                    |k: f64, scale: f32| (k * painted * f64::from(scale)).min(MAX_STIFFNESS) as f32;
                of_points.bone_stiffness[lane] = scaled(kappa, input.coefficients.bone);
                of_points.length_stiffness[lane] = scaled(1.0, input.coefficients.length);
            }
            self.points.push(of_points);
        }
    }

    /// Angles and lengths at rest, by the frame loop's own functions.
    fn measure(&mut self, input: &PaperInput<'_>) {
        let mut state = vec![StateRow::default(); self.point_of_row.len()];
        for ((row, point), &(_, attachment)) in
            state.iter_mut().zip(&self.point_of_row).zip(&self.attachments)
        {
            row.set_position(self.extent.to_unit(input.positions[point.unwrap_or(0) as usize]));
            row.set_attachment(self.extent.to_unit_f64(attachment));
        }
        for (index, (block, point)) in self.blocks.iter().zip(&mut self.points).enumerate() {
            let mut bone = [[0.0; LANES]; 3];
            let attachments = &self.attachments[index * LANES..][..LANES];
            for (lane, &(joint, _)) in attachments.iter().enumerate() {
                let direction = input.bone_directions[joint as usize].normalize_or_zero().as_vec3();
                for axis in 0..3 {
                    bone[axis][lane] = direction[axis];
                }
            }
            let pairs = &mut self.pairs[block.pairs.start as usize..block.pairs.end as usize];
            dispatch!(self.level, simd => measure_rest(simd, &state, index, &bone, (pairs, point)));
        }
    }

    /// For each point at most how stiff the springs on it are together, all forces: the diagonal of what
    /// [`Dynamics`](crate::springs::dynamics::Dynamics) must resolve.
    pub(crate) fn stiffness_bounds(&self) -> Vec<f32> {
        let s = &self.scalars;
        // Both are springs of stiffness k along their own direction; across it a bent or pressed one has up to as
        // much again.
        let of_pairs = 2.0 * (s.torque + s.edge) * s.compressed.max(1.0);
        self.row_of_point
            .iter()
            .map(|&row| {
                let (block, lane) = (row as usize / LANES, row as usize % LANES);
                let pairs = self.blocks[block].pairs.clone();
                let sum: f32 = pairs.map(|pair| self.pairs[pair as usize].stiffness[lane]).sum();
                let own = &self.points[block];
                of_pairs * sum + own.bone_stiffness[lane] + own.length_stiffness[lane]
            })
            .collect()
    }

    /// For each point how stiff the springs to its bone are: what brings it back.
    pub(crate) fn restoring_stiffness(&self) -> Vec<f32> {
        self.row_of_point
            .iter()
            .map(|&row| {
                let own = &self.points[row as usize / LANES];
                let lane = row as usize % LANES;
                own.bone_stiffness[lane].max(own.length_stiffness[lane])
            })
            .collect()
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
