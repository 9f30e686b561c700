//! The weights of a mesh's vertices as its file has them, and whether a part still has them.

use std::ops::Range;

use sinew::Part;
use sinew::weights::{SkinWeights, WeightReport};

use super::json::{Primitive, Root};
use super::primitive::WeightSet;

/// Rows of the vertices of one point that are this near are equal, as for welding.
const EQUAL_WEIGHT_TOLERANCE: f32 = 1e-5;
/// What a sum may be off by for each weight that is not zero, as the Khronos validator has it.
const SUM_TOLERANCE_PER_WEIGHT: f64 = 2e-7;

/// The weights of a run of vertices.
#[derive(Debug)]
pub(super) struct WeightBlock {
    pub(super) vertices: Range<usize>,
    pub(super) sets: Vec<WeightSet>,
}

impl WeightBlock {
    /// `(entry of the skin, weight)` of a vertex.
    fn row(&self, vertex: usize) -> impl Iterator<Item = (u32, f32)> {
        let vertex = vertex - self.vertices.start;
        self.sets.iter().flat_map(move |set| set.row(vertex))
    }
}

/// One row a vertex, cleaned, of entries of a skin that are these joints.
pub(super) fn read_rows(
    blocks: &[WeightBlock],
    joint_of_entry: &[u32],
    num_vertices: usize,
    num_joints: usize,
) -> (SkinWeights, WeightReport) {
    let joint = |(entry, weight): (u32, f32)| {
        // An entry that the skin does not have names no joint, and is reported as such.
        (joint_of_entry.get(entry as usize).copied().unwrap_or(u32::MAX), weight)
    };
    let row_at = |vertex: usize| {
        let block = &blocks[blocks.partition_point(|b| b.vertices.end <= vertex)];
        block.row(vertex).map(joint)
    };
    SkinWeights::from_rows_at(num_vertices, row_at, num_joints)
}

/// True if a part's weights are to the last bit what the file's are read as, and the file's are
/// such as glTF wants them: then they can be copied.
pub(super) fn are_kept(
    blocks: &[WeightBlock],
    joint_of_entry: &[u32],
    part: &Part,
    num_joints: usize,
) -> bool {
    let num_vertices = part.mesh.num_vertices();
    let Some(weights) = &part.weights else { return false };
    let is_covered = blocks.last().is_some_and(|block| block.vertices.end == num_vertices);
    if !is_covered || !blocks.iter().all(|block| is_well_formed(block, joint_of_entry.len())) {
        return false;
    }
    let (read, report) = read_rows(blocks, joint_of_entry, num_vertices, num_joints);
    if !report.is_clean() {
        return false;
    }
    let mut is_met = vec![false; weights.num_points()];
    part.mesh.point_of_vertex().iter().enumerate().all(|(vertex, &point)| {
        let (row, read_row) = (weights.row(point as usize), read.row(vertex));
        // The first vertex of a point gave it its weights; others were near enough.
        if std::mem::replace(&mut is_met[point as usize], true) {
            row.len() == read_row.len()
                && row.iter().zip(read_row).all(|(a, b)| {
                    a.joint == b.joint && (a.weight - b.weight).abs() <= EQUAL_WEIGHT_TOLERANCE
                })
        } else {
            row == read_row
        }
    })
}

/// Entries that are there, padding that names the first one, sums of one.
fn is_well_formed(block: &WeightBlock, num_entries: usize) -> bool {
    !block.sets.is_empty()
        && block.vertices.clone().all(|vertex| {
            let (mut sum, mut count) = (0.0_f64, 0_u32);
            let fits = block.row(vertex).all(|(entry, weight)| {
                sum += f64::from(weight);
                count += u32::from(weight != 0.0);
                (entry as usize) < num_entries && (weight > 0.0 || weight == 0.0 && entry == 0)
            });
            fits && (sum - 1.0).abs() <= SUM_TOLERANCE_PER_WEIGHT * f64::from(count)
        })
}

/// True if a primitive has so many whole sets at most, of types that glTF has for them.
pub(super) fn has_plain_sets(root: &Root, primitive: &Primitive, most: Option<usize>) -> bool {
    const U8: u32 = 5121;
    const U16: u32 = 5123;
    const F32: u32 = 5126;
    let count =
        |prefix: &str| primitive.attributes.keys().filter(|n| n.starts_with(prefix)).count();
    let num_sets = count("JOINTS_");
    let type_of = |name: String| {
        let accessor = root.accessors.get(*primitive.attributes.get(&name)?)?;
        Some((accessor.component_type, accessor.normalized))
    };
    most.is_none_or(|most| num_sets <= most)
        && count("WEIGHTS_") == num_sets
        && (0..num_sets).all(|set| {
            let joints = type_of(format!("JOINTS_{set}"));
            let weights = type_of(format!("WEIGHTS_{set}"));
            matches!(joints, Some((U8 | U16, false)))
                && matches!(weights, Some((F32, false) | (U8 | U16, true)))
        })
}
