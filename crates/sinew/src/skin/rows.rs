//! Other weights of a few points: what a brush and a hand change. Only windows with such a point
//! are bucketed again; the blocks of the others are copied. What comes of it is what a bind with
//! the new weights gives, to the bit.

use std::ops::Range;

use super::blocks::{Builder, Known, LaneMap, Layout, LayoutInput, PointOrder, Run, Task, Windows};
use super::{Blended, Bound, Form, Skin, SkinInput, SkinMethod, rigid};

impl Skin {
    /// The skin with other weights, where all but the rows of some points are those that were
    /// bound, and so are positions, normals and joints. `changed` names those points, ascending.
    /// `None` for methods whose binding looks at more than a point's own row (centres of rotation,
    /// bone-smooth): bind them.
    ///
    /// # Panics
    /// If the input has not as many positions, normals and joints as were bound.
    pub fn with_rows(&self, input: &SkinInput<'_>, changed: &[u32]) -> Option<Self> {
        let Bound { method, num_points, has_normals, num_joints, form } = &self.bound;
        assert_eq!(input.positions.len(), *num_points, "one position a bound one");
        assert_eq!(input.skeleton.len(), *num_joints, "the bound joints");
        assert_eq!(!input.normals.is_empty(), *has_normals, "normals as they were bound");
        let Form::Blended(blended) = form else { return None };
        let layout = match method {
            SkinMethod::Rigid => {
                let weights = rigid::dominant(input.weights);
                blended.layout.with_rows(&SkinInput { weights: &weights, ..*input }, changed)
            }
            SkinMethod::Linear | SkinMethod::DualQuat => blended.layout.with_rows(input, changed),
            SkinMethod::CenterOfRotation | SkinMethod::BoneSmooth => return None,
        };
        let blended = Blended {
            method: blended.method,
            layout,
            centers: blended.centers.clone(),
            level: blended.level,
        };
        let (num_points, num_joints) = (*num_points, *num_joints);
        let form = Form::Blended(Box::new(blended));
        let (method, has_normals) = (*method, *has_normals);
        Some(Self { bound: Bound { method, num_points, has_normals, num_joints, form } })
    }
}

impl Layout {
    fn with_rows(&self, input: &SkinInput<'_>, changed: &[u32]) -> Self {
        let rest: Vec<f32> = input.positions.iter().flat_map(glam::Vec3::to_array).collect();
        let input = LayoutInput {
            order: PointOrder::User,
            num_rest: 3,
            rest: &rest,
            normals: input.normals,
            rows: &|point| input.weights.row(point),
            num_points: input.positions.len(),
        };
        let known = Known { windows: &self.map.windows, changed };
        let windows = Windows::cheapest(&input, Some(&known));
        let is_as_wide = windows.width == self.map.windows.width;
        let mut builder = Builder::new(&input, windows);
        for (task, points) in builder.windows(input.num_points).enumerate() {
            if is_as_wide && !known.is_changed(&points) {
                builder.copy_window(self, task);
            } else {
                builder.push_window(&input, points);
            }
        }
        builder.finish()
    }
}

/// What of a layout's arrays is one task's, in the user's order: a window.
struct Own {
    joints: Range<usize>,
    rest: Range<usize>,
    influences: Range<usize>,
}

impl LaneMap {
    fn own(&self, task: usize, num_rest_lanes: usize) -> Own {
        let start = |task: &Task| -> [usize; 3] {
            let run = self.runs.get(task.runs.start as usize).filter(|_| !task.runs.is_empty());
            let loose = task.loose_blocks.start as usize;
            let has_loose = !task.loose_blocks.is_empty();
            [
                self.joints_before(task),
                match run {
                    Some(run) => run.rest_start as usize,
                    None if has_loose => self.loose_rest_start[loose] as usize,
                    None => num_rest_lanes,
                },
                match has_loose {
                    true => self.loose_rows[loose][0].start as usize,
                    false => self.influences_before(task),
                },
            ]
        };
        let [joints, rest, influences] = start(&self.tasks[task]);
        let ends = match self.tasks.get(task + 1) {
            Some(next) => start(next),
            None => [self.joints.len(), num_rest_lanes, self.loose_influences.len()],
        };
        Own { joints: joints..ends[0], rest: rest..ends[1], influences: influences..ends[2] }
    }

    /// Where a task's joints begin: where the runs before it end.
    fn joints_before(&self, task: &Task) -> usize {
        let before = (task.runs.start as usize).checked_sub(1);
        before.map_or(0, |run| self.runs[run].joints.end as usize)
    }

    /// Where a task's loose influences begin: where the loose blocks before it end.
    fn influences_before(&self, task: &Task) -> usize {
        let before = (task.loose_blocks.start as usize).checked_sub(1);
        let ends = before.map(|block| self.loose_rows[block].iter().map(|row| row.end));
        ends.and_then(Iterator::max).map_or(0, |end| end as usize)
    }
}

impl Builder {
    /// Appends a window as another layout has it.
    fn copy_window(&mut self, from: &Layout, index: usize) {
        let map = &from.map;
        let task = &map.tasks[index];
        let own = map.own(index, from.rest.len());
        let shift = |to: usize, from: usize| move |at: u32| (at as usize + to - from) as u32;
        let blocks = task.blocks.start as usize..task.blocks.end as usize;
        let joint = shift(self.map.joints.len(), own.joints.start);
        let rest = shift(self.rest.len(), own.rest.start);
        let block = shift(self.map.num_blocks(), blocks.start);
        let influence = shift(self.map.loose_influences.len(), own.influences.start);
        let runs = task.runs.start as usize..task.runs.end as usize;
        let loose = task.loose_blocks.start as usize..task.loose_blocks.end as usize;
        let (first_run, first_loose) = (self.map.runs.len(), self.map.loose_rows.len());
        self.map.tasks.push(Task {
            runs: first_run as u32..(first_run + runs.len()) as u32,
            blocks: block(task.blocks.start)..block(task.blocks.end),
            points: task.points.clone(),
            loose_blocks: first_loose as u32..(first_loose + loose.len()) as u32,
        });
        self.map.runs.extend(map.runs[runs].iter().map(|run| Run {
            joints: joint(run.joints.start)..joint(run.joints.end),
            blocks: block(run.blocks.start)..block(run.blocks.end),
            rest_start: rest(run.rest_start),
        }));
        let starts = map.loose_rest_start[loose.clone()].iter();
        self.map.loose_rest_start.extend(starts.map(|&start| rest(start)));
        let rows = map.loose_rows[loose].iter().cloned();
        self.map
            .loose_rows
            .extend(rows.map(|rows| rows.map(|row| influence(row.start)..influence(row.end))));
        self.map.joints.extend_from_slice(&map.joints[own.joints]);
        self.map.loose_influences.extend_from_slice(&map.loose_influences[own.influences]);
        self.map.point_of_lane.extend_from_slice(&map.point_of_lane[blocks.clone()]);
        self.rest.extend_from_slice(&from.rest[own.rest]);
        if !from.normals.is_empty() {
            self.normals.extend_from_slice(&from.normals[blocks]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};
    use proptest::prelude::*;

    use super::*;
    use crate::progress::Silent;
    use crate::skeleton::{Joint, JointTransform, Palette, Pose, Skeleton};
    use crate::weights::{PointRow, SkinWeights};

    const NUM_POINTS: usize = 9_000;
    const NUM_JOINTS: u32 = 9;

    fn skeleton() -> Skeleton {
        let joint = |index: u32| Joint {
            name: format!("joint {index}"),
            parent: index.checked_sub(1),
            rest: JointTransform {
                translation: DVec3::new(0.1, 0.4, 0.0),
                ..JointTransform::IDENTITY
            },
            tail_in_joint: DVec3::Y,
        };
        Skeleton::new((0..NUM_JOINTS).map(joint).collect()).unwrap()
    }

    fn positions() -> Vec<Vec3> {
        let place = |p: usize| Vec3::new((p % 90) as f32 * 0.1, (p / 90) as f32 * 0.1, 0.3);
        (0..NUM_POINTS).map(place).collect()
    }

    /// Stripes of a few joint sets, with points here and there that have a set of their own.
    fn weights(kind: usize) -> SkinWeights {
        let row = |p: usize| -> Vec<(u32, f32)> {
            let first = (p / 700) as u32 % NUM_JOINTS;
            let mut row = vec![(first, 1.0), ((first + 1) % NUM_JOINTS, (p % 13) as f32 * 0.1)];
            if p.is_multiple_of(5 + kind) {
                row.push(((first + 3) % NUM_JOINTS, 0.3));
            }
            if p.is_multiple_of(37) {
                row = vec![((p / 37) as u32 % NUM_JOINTS, 1.0), ((p / 41) as u32 % 4, 0.5)];
            }
            row
        };
        SkinWeights::from_rows((0..NUM_POINTS).map(row), NUM_JOINTS as usize).0
    }

    fn check_same(a: &Skin, b: &Skin) {
        let (Form::Blended(a), Form::Blended(b)) = (&a.bound.form, &b.bound.form) else {
            panic!("blended");
        };
        let (a, b) = (&a.layout, &b.layout);
        assert_eq!(a.rest, b.rest);
        assert_eq!(a.normals, b.normals);
        assert_eq!(format!("{:?}", a.map), format!("{:?}", b.map));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn other_rows_of_some_points_are_what_a_bind_gives_to_the_bit(
            changes in prop::collection::vec(
                (0..NUM_POINTS as u32, 1..60u32, 0..NUM_JOINTS, 0..NUM_JOINTS, 0.01f32..1.0),
                0..8,
            ),
            kind in 0usize..40,
            method in prop::sample::select(
                vec![SkinMethod::Rigid, SkinMethod::Linear, SkinMethod::DualQuat],
            ),
            has_normals in any::<bool>(),
        ) {
            let (skeleton, positions) = (skeleton(), positions());
            let normals = vec![Vec3::Z; if has_normals { NUM_POINTS } else { 0 }];
            let before = weights(kind);
            let mut rows: Vec<PointRow> = Vec::new();
            for (first, number, a, b, share) in changes {
                let row = SkinWeights::from_rows([[(a, share), (b, 1.0 - share)]], 9).0;
                let points = first..(first + number).min(NUM_POINTS as u32);
                rows.extend(points.map(|point| (point, row.row(0).to_vec())));
            }
            let after = before.with_rows(&rows);
            let mut changed: Vec<u32> = rows.iter().map(|(point, _)| *point).collect();
            changed.sort_unstable();
            changed.dedup();
            let input = |weights| SkinInput {
                positions: &positions,
                normals: &normals,
                weights,
                triangles: &[],
                skeleton: &skeleton,
            };
            let bound = Skin::bind(method, &input(&before), &Silent).unwrap();
            let fresh = Skin::bind(method, &input(&after), &Silent).unwrap();
            let quick = bound.with_rows(&input(&after), &changed).unwrap();
            check_same(&quick, &fresh);
            // And it can be changed again, back to what it was.
            check_same(&quick.with_rows(&input(&before), &changed).unwrap(), &bound);
            let mut pose = Pose::rest(&skeleton);
            for (joint, own) in (0u32..).zip(&mut pose.joints) {
                *own = own.rotated(DVec3::X, 0.4, skeleton.pose_axis(joint));
            }
            let palette = Palette::new(&skeleton, &pose);
            let posed = |skin: &Skin| {
                let mut out = positions.clone();
                skin.deform(&palette, &mut out, &mut []);
                out
            };
            prop_assert_eq!(posed(&quick), posed(&fresh));
        }
    }

    #[test]
    fn a_row_that_nobody_names_stays_as_it_was() {
        let (skeleton, positions, before) = (skeleton(), positions(), weights(1));
        let other = SkinWeights::rigid(&[8]).row(0).to_vec();
        let after = before.with_rows(&[(10, other.clone()), (8_000, other)]);
        let input = |weights| SkinInput {
            positions: &positions,
            normals: &[],
            weights,
            triangles: &[],
            skeleton: &skeleton,
        };
        let bound = Skin::bind(SkinMethod::Linear, &input(&before), &Silent).unwrap();
        let mut pose = Pose::rest(&skeleton);
        pose.joints[8] = pose.joints[8].rotated(DVec3::X, 0.9, skeleton.pose_axis(8));
        let palette = Palette::new(&skeleton, &pose);
        let posed = |skin: &Skin| {
            let mut out = positions.clone();
            skin.deform(&palette, &mut out, &mut []);
            out
        };
        let named = posed(&bound.with_rows(&input(&after), &[10, 8_000]).unwrap());
        let forgotten = posed(&bound.with_rows(&input(&after), &[10]).unwrap());
        assert_eq!(named[10], forgotten[10]);
        assert_ne!(named[8_000], forgotten[8_000]);
    }

    #[test]
    fn methods_that_look_further_than_a_row_are_bound_anew() {
        let (skeleton, positions, weights) = (skeleton(), positions(), weights(1));
        let input = SkinInput {
            positions: &positions,
            normals: &[],
            weights: &weights,
            triangles: &[],
            skeleton: &skeleton,
        };
        let skin = Skin::bind(SkinMethod::CenterOfRotation, &input, &Silent).unwrap();
        assert!(skin.with_rows(&input, &[1]).is_none());
    }
}
