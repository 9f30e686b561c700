//! What is bound, as plain arrays: what another device uploads to run the same frames.

use super::kernel::{LANES, NO_DIRECTION};
use super::{MAX_REACH, PaperSprings};

/// The published springs of a mesh, by row of the state and by half-edge.
///
/// Half-edges are rows of eight points side by side: that of row `p` of the state in row `r` of its
/// block `p / 8` is number `(block_starts[p / 8] + r) · 8 + p % 8`. Lengths are in units near the
/// diagonal of the rest bounds, attachments in model space.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperTables {
    /// The point of each row of the state; padding, which comes last, has none.
    pub point_of_row: Vec<Option<u32>>,
    /// The joint that each row holds on to.
    pub joint_of_row: Vec<u32>,
    /// Where on its bone, at rest, model space.
    pub attachments: Vec<[f32; 3]>,
    /// How far along it, 0 to 1.
    pub alongs: Vec<f32>,
    /// `s`: from there to the point, at rest.
    pub scale_vectors: Vec<[f32; 3]>,
    /// How long each joint's bone is at rest, metres.
    pub bone_lengths: Vec<f32>,
    /// Where each block's half-edges begin, in rows of eight, and where the last one's end.
    pub block_starts: Vec<u32>,
    /// Half-edges: the neighbour's row of the state; padding names the row itself.
    pub neighbours: Vec<u32>,
    /// Half-edges: stiffness of `F_a`, of `F_s`, angle at rest (below 0 for none) and length at
    /// rest.
    pub pairs: Vec<[f32; 4]>,
    /// Rows of the state: bone stiffness, bend at rest, length stiffness, length at rest.
    pub points: Vec<[f32; 4]>,
    /// Rows of the state: how strongly a direction is held that takes the place of the bend.
    pub aim_stiffness: Vec<f32>,
    /// Scale of `F_a`.
    pub torque: f32,
    /// Scale of `F_s`.
    pub edge: f32,
    /// Further scale of `F_s` of pairs that are shorter than at rest.
    pub compressed: f32,
    /// `dt`.
    pub step_seconds: f32,
    /// The longest step, in units.
    pub max_step: f32,
    /// A power of two.
    pub units_a_metre: f32,
    /// The same the other way.
    pub metres_a_unit: f32,
    /// The unit of residuals, in units.
    pub smallest_side: f32,
    /// The furthest coordinate, in units.
    pub max_reach: f32,
    /// Squares below this have no direction.
    pub no_direction: f32,
}

impl PaperSprings {
    /// What is bound, as plain arrays.
    pub(crate) fn tables(&self) -> PaperTables {
        let mut block_starts: Vec<u32> =
            self.blocks.iter().map(|block| block.pairs.start).collect();
        block_starts.push(self.pairs.len() as u32);
        let pairs = self.pairs.iter().flat_map(|row| {
            (0..LANES).map(move |lane| {
                [
                    row.torque_stiffness[lane],
                    row.edge_stiffness[lane],
                    row.rest_angle[lane],
                    row.rest_length[lane],
                ]
            })
        });
        let points = self.points.iter().flat_map(|row| {
            (0..LANES).map(move |lane| {
                [
                    row.bone_stiffness[lane],
                    row.rest_bend[lane],
                    row.length_stiffness[lane],
                    row.rest_length[lane],
                ]
            })
        });
        PaperTables {
            point_of_row: self.point_of_row.clone(),
            joint_of_row: self.attachments.iter().map(|held| held.joint).collect(),
            attachments: self.attachments.iter().map(|h| h.place.as_vec3().to_array()).collect(),
            alongs: self.attachments.iter().map(|held| held.along as f32).collect(),
            scale_vectors: self
                .attachments
                .iter()
                .zip(&self.rest)
                .map(|(held, rest)| (rest.as_dvec3() - held.place).as_vec3().to_array())
                .collect(),
            bone_lengths: self.bone_lengths.iter().map(|&length| length as f32).collect(),
            block_starts,
            neighbours: self.pairs.iter().flat_map(|row| row.row).collect(),
            pairs: pairs.collect(),
            points: points.collect(),
            aim_stiffness: self
                .point_of_row
                .iter()
                .map(|point| point.map_or(0.0, |point| self.aim_stiffness(point)))
                .collect(),
            torque: self.scalars.torque,
            edge: self.scalars.edge,
            compressed: self.scalars.compressed,
            step_seconds: self.scalars.step_seconds,
            max_step: self.scalars.max_step,
            units_a_metre: self.extent.units_a_metre,
            metres_a_unit: self.extent.metres_a_unit,
            smallest_side: self.extent.smallest_side_in_units,
            max_reach: MAX_REACH as f32,
            no_direction: NO_DIRECTION,
        }
    }
}
