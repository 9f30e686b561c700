//! What a skin has bound, as plain arrays: what another device uploads, so that binding exists
//! once.
//!
//! The CPU's own frame loops run on blocks ([`super::blocks`]); these tables say the same point by
//! point, or, for bone-smooth, block by block with the alignment taken off.

use glam::Vec3;

use super::blocks::{BlockKind, BlockPlace, LANES, Layout};
use super::bone_smooth::BoneSmoothTables;
use super::{BlendMethod, Form, Skin};
use crate::weights::Influence;

/// The bound data of a skin, by family of methods. See [`Skin::tables`].
#[derive(Clone, Debug)]
pub enum SkinTables {
    /// Matrices blended by weights: linear and, with one weight a point, rigid skinning.
    Linear(BlendTables),
    /// Dual quaternions blended by weights.
    DualQuat(BlendTables),
    /// Rotations about centres; [`BlendTables::centers`] has one a point.
    CenterOfRotation(BlendTables),
    /// Shares along the bones.
    BoneSmooth(BoneSmoothTables),
}

/// Points and the joints that each blends, in the order of the skin's input.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendTables {
    /// Rest positions; from the centre of rotation, where there are centres.
    pub positions: Vec<Vec3>,
    /// Centres of rotation, model space; empty for other methods.
    pub centers: Vec<Vec3>,
    /// Rest normals; empty if none were bound.
    pub normals: Vec<Vec3>,
    /// Where each point's influences begin, and where the last one's end.
    pub row_starts: Vec<u32>,
    /// Row by row, at least one each. The first is the pivot, whose hemisphere quaternions are
    /// blended in; a row's weights sum to one.
    pub influences: Vec<Influence>,
}

impl Skin {
    /// The bound data as plain arrays, for a device that deforms by itself. Made anew: not for
    /// every frame.
    pub fn tables(&self) -> SkinTables {
        match &self.bound.form {
            Form::Blended(blended) => {
                let tables = BlendTables::of(&blended.layout);
                match blended.method {
                    BlendMethod::Linear => SkinTables::Linear(tables),
                    BlendMethod::DualQuat => SkinTables::DualQuat(tables),
                    BlendMethod::CenterOfRotation => SkinTables::CenterOfRotation(tables),
                }
            }
            Form::BoneSmooth(layout) => SkinTables::BoneSmooth(layout.tables()),
        }
    }

    /// Number of joints that a palette must have.
    pub fn num_joints(&self) -> usize {
        self.bound.num_joints
    }
}

/// Rest lanes of a point with a centre: its offset, then the centre.
const NUM_REST_WITH_CENTER: usize = 6;

impl BlendTables {
    /// From a layout in the user's order.
    fn of(layout: &Layout) -> Self {
        let rows = rows(layout);
        let mut tables = Self {
            positions: vec![Vec3::ZERO; layout.map.num_points],
            centers: Vec::new(),
            normals: Vec::new(),
            row_starts: Vec::with_capacity(layout.map.num_points + 1),
            influences: Vec::new(),
        };
        if layout.map.num_rest == NUM_REST_WITH_CENTER {
            tables.centers.resize(layout.map.num_points, Vec3::ZERO);
        }
        if !layout.normals.is_empty() {
            tables.normals.resize(layout.map.num_points, Vec3::ZERO);
        }
        for (point, row) in rows.iter().enumerate() {
            let vector = |start: usize| {
                let lanes = &layout.rest[row.place.rest_start + start..][..3];
                Vec3::new(lanes[0].0[row.lane], lanes[1].0[row.lane], lanes[2].0[row.lane])
            };
            tables.positions[point] = vector(0);
            if let Some(center) = tables.centers.get_mut(point) {
                *center = vector(3);
            }
            if let Some(normal) = tables.normals.get_mut(point) {
                let block = &layout.normals[row.place.block];
                *normal = Vec3::new(block.x.0[row.lane], block.y.0[row.lane], block.z.0[row.lane]);
            }
            tables.row_starts.push(tables.influences.len() as u32);
            row.push_influences(layout, &mut tables.influences);
        }
        tables.row_starts.push(tables.influences.len() as u32);
        tables
    }
}

/// Where a layout keeps a point.
#[derive(Clone, Copy)]
struct Row {
    place: BlockPlace,
    lane: usize,
}

/// The place of every point, in the user's order.
fn rows(layout: &Layout) -> Vec<Row> {
    let map = &*layout.map;
    let nowhere = BlockPlace { block: 0, first_point: 0, rest_start: 0, kind: BlockKind::Run(0) };
    let mut rows = vec![Row { place: nowhere, lane: 0 }; map.num_points];
    for place in map.blocks() {
        // Backwards, so that the first of a padded point's lanes has the last word.
        for lane in (0..LANES).rev() {
            let point = place.first_point + map.point_of_lane[place.block][lane] as usize;
            rows[point] = Row { place, lane };
        }
    }
    rows
}

impl Row {
    fn push_influences(&self, layout: &Layout, out: &mut Vec<Influence>) {
        let map = &*layout.map;
        match self.place.kind {
            BlockKind::Run(run) => {
                let joints = &map.runs[run].joints;
                let joints = &map.joints[joints.start as usize..joints.end as usize];
                let weights = &layout.rest[self.place.rest_start + map.num_rest..];
                let weights = &weights[..joints.len() - 1];
                let further: f64 = weights.iter().map(|w| f64::from(w.0[self.lane])).sum();
                // The run's loop blends from the pivot towards the others: the pivot has what is
                // left.
                out.push(Influence { joint: joints[0], weight: (1.0 - further) as f32 });
                out.extend(
                    joints[1..]
                        .iter()
                        .zip(weights)
                        .map(|(&joint, w)| Influence { joint, weight: w.0[self.lane] }),
                );
            }
            BlockKind::Loose(block) => {
                let span = &map.loose_rows[block][self.lane];
                let span = span.start as usize..span.end as usize;
                out.extend_from_slice(&map.loose_influences[span]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{FixturePose, of_character};
    use crate::progress::Silent;
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skin::SkinMethod;

    /// A weight of a pivot is one less the others', rounded.
    const WEIGHT_TOLERANCE: f32 = 1e-6;

    #[test]
    fn tables_give_back_what_was_bound_point_by_point() {
        let mut loose = 0;
        // Centres on a small sample: finding them is what takes long.
        for (kind, method) in [
            (SampleKind::Human, SkinMethod::Linear),
            (SampleKind::Human, SkinMethod::DualQuat),
            (SampleKind::Cylinder, SkinMethod::CenterOfRotation),
        ] {
            let character = build(&SampleOptions::new(kind)).unwrap();
            let fixture = &of_character(&character, FixturePose::Rest)[0];
            let skin = Skin::bind(method, &fixture.input(), &Silent).unwrap();
            let (SkinTables::Linear(tables)
            | SkinTables::DualQuat(tables)
            | SkinTables::CenterOfRotation(tables)) = skin.tables()
            else {
                panic!("{method:?} blends")
            };
            let Form::Blended(blended) = &skin.bound.form else { panic!("{method:?} blends") };
            loose += blended.layout.map.loose_rows.len();
            assert_eq!(tables.normals, fixture.normals);
            for (point, row) in fixture.weights.rows().enumerate() {
                let center = tables.centers.get(point).copied().unwrap_or_default();
                let position = tables.positions[point] + center;
                assert!(
                    position.abs_diff_eq(fixture.positions[point], 1e-6),
                    "{point}: {position}"
                );
                let span = tables.row_starts[point] as usize..tables.row_starts[point + 1] as usize;
                let found = &tables.influences[span];
                assert_eq!(found.len(), row.len());
                for (found, bound) in found.iter().zip(row) {
                    assert_eq!(found.joint, bound.joint);
                    assert!((found.weight - bound.weight).abs() <= WEIGHT_TOLERANCE, "{found:?}");
                }
            }
        }
        assert!(loose > 0, "a sample with points in runs and loose ones");
    }
}
