//! The bound form of bone-smooth skinning as plain arrays, for another device.

use super::layout::Layout;
use super::program::{MAX_FORKS, Step};
use super::{
    BEND_SOFTNESS, DEEP_WIDENING, GIVE_SOFTNESS, LENGTH_STEPS, LENGTHENING_ONSET, MIN_BEND_COSINE,
    MOST_LENGTHENING,
};
use crate::skin::blocks::LANES;

/// Blocks of [`LANES`] points that go through one program. Values of a block's points lie *lane by
/// lane*: sixteen of the first kind, sixteen of the second, and so on, so that neighbouring
/// invocations load neighbouring floats.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneSmoothTables {
    /// In order.
    pub blocks: Vec<BoneSmoothBlock>,
    /// The steps of all blocks.
    pub steps: Vec<Step>,
    /// The carrying bones' joints of all blocks.
    pub bones: Vec<u32>,
    /// Of each block: rest position (3), vector from the bones (3), distance to the bones, the
    /// attachment (3) and its place along its bone; then for each of its bones the weight, 1 on the
    /// point's own bone, place on the bone (3), place along the bone; then for each [`Step::Turn`]
    /// the shares of swing and twist. Each is sixteen floats.
    pub lanes: Vec<f32>,
    /// Rest normals of each block, 3 × 16; empty if none were bound.
    pub normals: Vec<f32>,
    /// Where the result of each lane goes; [`BoneSmoothTables::PADDING`] for a lane without a
    /// point.
    pub output_of_lane: Vec<u32>,
    /// Number of results.
    pub num_outputs: usize,
    /// κ: 1 thins a stretched limb so that it keeps its volume, 0 keeps its section.
    pub keep_volume: f64,
    /// The method's own numbers.
    pub constants: BoneSmoothConstants,
}

/// The numbers in the method's formulas; see the method's own page for what they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSmoothConstants {
    /// The least `J` that widens a bend.
    pub min_bend_cosine: f64,
    /// How softly `J` comes down to it, squared.
    pub bend_softness: f64,
    /// How much wider than `J^(−1/4)` a bend is at `J = 0`.
    pub deep_widening: f64,
    /// The most that the length adjustment adds to what the bend alone would have.
    pub most_lengthening: f64,
    /// How softly it sets in.
    pub lengthening_onset: f64,
    /// Of `1 − J`, where the room that the springs' first stage gives goes over from a proportion
    /// to a root.
    pub give_softness: f64,
    /// Fixed-point steps of the length adjustment.
    pub length_steps: u32,
}

/// Sixteen points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoneSmoothBlock {
    /// The joint whose whole rotation all have.
    pub base: Option<u32>,
    /// Into [`BoneSmoothTables::steps`].
    pub steps: std::ops::Range<usize>,
    /// Into [`BoneSmoothTables::bones`].
    pub bones: std::ops::Range<usize>,
    /// Into [`BoneSmoothTables::lanes`].
    pub lanes_start: usize,
}

impl BoneSmoothTables {
    /// No point is in this lane.
    pub const PADDING: u32 = u32::MAX;

    /// The deepest that [`Step::Fork`]s nest.
    pub const MAX_FORKS: usize = MAX_FORKS;
}

impl Layout {
    /// What was bound, as plain arrays. The layout must be in an order of single results, not in
    /// blocks.
    pub(crate) fn tables(&self) -> BoneSmoothTables {
        let blocks = self.map.blocks.iter().map(|block| BoneSmoothBlock {
            base: block.base,
            steps: block.steps.clone(),
            bones: block.bones.clone(),
            lanes_start: block.lanes_start * LANES,
        });
        let mut output_of_lane = Vec::with_capacity(self.map.blocks.len() * LANES);
        for task in &self.map.tasks {
            for lanes in &self.map.output_of_lane[task.blocks.clone()] {
                for (lane, &output) in lanes.iter().enumerate() {
                    // Only padding repeats the lane before it.
                    let is_padding = lane > 0 && lanes[lane - 1] == output;
                    let output = task.outputs.start as u32 + u32::from(output);
                    output_of_lane.push(if is_padding {
                        BoneSmoothTables::PADDING
                    } else {
                        output
                    });
                }
            }
        }
        let of_normal = |block: &crate::skin::VectorBlock| [block.x.0, block.y.0, block.z.0];
        BoneSmoothTables {
            blocks: blocks.collect(),
            steps: self.map.steps.clone(),
            bones: self.map.bones.clone(),
            lanes: self.lanes.iter().flat_map(|lanes| lanes.0).collect(),
            normals: self.normals.iter().flat_map(of_normal).flatten().collect(),
            output_of_lane,
            num_outputs: self.map.num_outputs,
            keep_volume: self.keep_volume,
            constants: BoneSmoothConstants {
                min_bend_cosine: MIN_BEND_COSINE,
                bend_softness: BEND_SOFTNESS,
                deep_widening: DEEP_WIDENING,
                most_lengthening: MOST_LENGTHENING,
                lengthening_onset: LENGTHENING_ONSET,
                give_softness: GIVE_SOFTNESS,
                length_steps: LENGTH_STEPS as u32,
            },
        }
    }
}
