//! The layout that the kernels run on: points bucketed by *joint set* into blocks of sixteen lanes.
//!
//! Characters have few joint sets (8–114 each in seventeen real files), so a run of blocks shares
//! its joints: a frame blends with broadcasts and no gathers, and dual quaternions test their signs
//! once a run. A block is a structure of arrays: rest lanes (x, y, z …), then the weights of the
//! second and later joints; the first joint's is what is left of one.
//!
//! In the *user's order* points are bucketed only within windows, so that the writes of a run fall
//! into a few cache lines. In *bucketed order* the whole mesh is one window and results stay in
//! blocks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::weights::Influence;

/// Lanes in a block: one AVX-512 register, two of AVX2, four of NEON.
pub const LANES: usize = 16;

/// Points in a window of the user's order, and what scattering over so many costs beside the
/// narrowest: 2,048 results are 24 KiB, which stays in L1 or just beside it. Wider ones pay where
/// many joint sets leave too few points a set.
const WINDOWS: [(usize, f64); 4] = [(2048, 1.0), (8192, 1.05), (32_768, 1.15), (65_536, 1.25)];

/// What a loose block costs, over a block of a run: whole, so that sums of windows are exact.
const LOOSE_COST: usize = 3;

/// A cost over the least possible at which no wider window is tried.
const GOOD_ENOUGH: f64 = 1.15;

/// Blocks in a task of the bucketed order: large enough that the run's set-up does not show, small
/// enough to share out.
const TASK_BLOCKS: usize = 256;

/// Runs of fewer points than this share blocks with others as *loose* lanes: a block padded from
/// three points to sixteen costs more than blending three points one by one.
const MIN_RUN_POINTS: usize = 4;

/// One value for each of sixteen points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

/// Sixteen vectors as a structure of arrays: positions or normals in bucketed order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct VectorBlock {
    /// First components.
    pub x: Lanes,
    /// Second components.
    pub y: Lanes,
    /// Third components.
    pub z: Lanes,
}

/// In which order a skin writes its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointOrder {
    /// The order of the input.
    User,
    /// Bucketed by joint set, in blocks: the fastest, for pipelines that renumber once at bind.
    Bucketed,
}

/// Blocks of points that have the same joints.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Into [`Layout::joints`]; the first is the pivot.
    pub joints: Range<u32>,
    /// In the order of the layout.
    pub blocks: Range<u32>,
    /// Of the first block, into [`Layout::rest`].
    pub rest_start: u32,
}

/// What one thread does without looking up: consecutive runs, and where their results go.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub runs: Range<u32>,
    pub blocks: Range<u32>,
    /// Of the user's points; all of them in bucketed order.
    pub points: Range<u32>,
    /// Blocks of loose lanes follow the runs' blocks.
    pub loose_blocks: Range<u32>,
}

/// Points in blocks. See the module.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Shared by clones: a rest that moves changes none of it.
    pub map: Arc<LaneMap>,
    /// A run's block has `num_rest` rest lanes, then a lane a further joint; a loose block its rest
    /// lanes only.
    pub rest: Vec<Lanes>,
    /// One a block, if normals were bound.
    pub normals: Vec<VectorBlock>,
}

/// Which points are in which lanes, and what moves them.
#[derive(Debug)]
pub(super) struct LaneMap {
    pub order: PointOrder,
    pub tasks: Vec<Task>,
    pub runs: Vec<Run>,
    pub joints: Vec<u32>,
    /// The point in each lane, counted from its task's first. Padding repeats a point of the block.
    pub point_of_lane: Vec<[u16; LANES]>,
    /// The same from the mesh's first; for the bucketed order, which has no window.
    pub mesh_point_of_lane: Vec<[u32; LANES]>,
    /// Where a loose block's rest lanes are, by loose block.
    pub loose_rest_start: Vec<u32>,
    /// For each lane of the loose blocks, its span in [`Self::loose_influences`].
    pub loose_rows: Vec<[Range<u32>; LANES]>,
    pub loose_influences: Vec<Influence>,
    pub num_points: usize,
    pub num_rest: usize,
    pub max_joints: usize,
    /// How wide windows are, and what was found out about others.
    pub windows: Windows,
}

/// How wide the windows of a layout are; what runs and padding cost in each of those that were
/// tried, so that other weights of a few points need not find it out again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Windows {
    pub width: usize,
    /// A width, and the cost of each window.
    pub tried: Vec<(usize, Vec<usize>)>,
}

/// What a layout keeps of another that differs in the rows of some points.
pub(super) struct Known<'a> {
    pub windows: &'a Windows,
    /// Ascending.
    pub changed: &'a [u32],
}

impl Known<'_> {
    /// True if a window has a point whose row is another.
    pub(super) fn is_changed(&self, points: &Range<usize>) -> bool {
        let next = self.changed.partition_point(|&point| (point as usize) < points.start);
        self.changed.get(next).is_some_and(|&point| (point as usize) < points.end)
    }
}

/// Where a layout keeps a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockPlace {
    pub block: usize,
    /// The point that [`LaneMap::point_of_lane`] counts from.
    pub first_point: usize,
    /// Of its rest lanes.
    pub rest_start: usize,
    pub kind: BlockKind,
}

/// Where a block's influences are.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockKind {
    /// Joints of the run; weights in the lanes behind the rest lanes.
    Run(usize),
    /// A row a lane, of the loose block.
    Loose(usize),
}

/// What a layout is made from.
pub(super) struct LayoutInput<'a> {
    pub order: PointOrder,
    pub num_rest: usize,
    /// `num_rest` values a point.
    pub rest: &'a [f32],
    /// Empty or one a point.
    pub normals: &'a [glam::Vec3],
    pub rows: &'a dyn Fn(usize) -> &'a [Influence],
    pub num_points: usize,
}

/// A layout in the making.
pub(super) struct Builder {
    pub map: LaneMap,
    pub rest: Vec<Lanes>,
    pub normals: Vec<VectorBlock>,
}

impl Layout {
    pub(super) fn new(input: &LayoutInput<'_>) -> Self {
        let windows = match input.order {
            PointOrder::User => Windows::cheapest(input, None),
            PointOrder::Bucketed => Windows { width: input.num_points.max(1), tried: Vec::new() },
        };
        let mut builder = Builder::new(input, windows);
        for window in builder.windows(input.num_points) {
            builder.push_window(input, window);
        }
        builder.finish()
    }

    pub(super) fn num_blocks(&self) -> usize {
        self.map.num_blocks()
    }
}

impl Builder {
    pub(super) fn new(input: &LayoutInput<'_>, windows: Windows) -> Self {
        let map = LaneMap {
            order: input.order,
            tasks: Vec::new(),
            runs: Vec::new(),
            joints: Vec::new(),
            point_of_lane: Vec::new(),
            mesh_point_of_lane: Vec::new(),
            loose_rest_start: Vec::new(),
            loose_rows: Vec::new(),
            loose_influences: Vec::new(),
            num_points: input.num_points,
            num_rest: input.num_rest,
            max_joints: (0..input.num_points).map(|p| (input.rows)(p).len()).max().unwrap_or(1),
            windows,
        };
        Self { map, rest: Vec::new(), normals: Vec::new() }
    }

    pub(super) fn windows(&self, num_points: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let width = self.map.windows.width;
        (0..num_points).step_by(width).map(move |start| start..(start + width).min(num_points))
    }

    pub(super) fn finish(self) -> Layout {
        let Self { map, rest, normals } = self;
        Layout { map: Arc::new(map), rest, normals }
    }
}

impl LaneMap {
    pub(super) fn num_blocks(&self) -> usize {
        match self.order {
            PointOrder::User => self.point_of_lane.len(),
            PointOrder::Bucketed => self.mesh_point_of_lane.len(),
        }
    }

    /// All blocks, in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = BlockPlace> + '_ {
        self.tasks.iter().flat_map(move |task| {
            let first_point = task.points.start as usize;
            let of_runs = (task.runs.start..task.runs.end).flat_map(move |index| {
                let run = &self.runs[index as usize];
                let stride = self.num_rest + run.joints.len() - 1;
                run.blocks.clone().enumerate().map(move |(in_run, block)| BlockPlace {
                    block: block as usize,
                    first_point,
                    rest_start: run.rest_start as usize + in_run * stride,
                    kind: BlockKind::Run(index as usize),
                })
            });
            let first_loose = task.blocks.end as usize - task.loose_blocks.len();
            let loose = task.loose_blocks.clone().enumerate().map(move |(index, loose)| {
                let loose = loose as usize;
                BlockPlace {
                    block: first_loose + index,
                    first_point,
                    rest_start: self.loose_rest_start[loose] as usize,
                    kind: BlockKind::Loose(loose),
                }
            });
            of_runs.chain(loose)
        })
    }
}

impl Builder {
    /// Buckets one window; a bucketed mesh is cut into tasks along the way.
    pub(super) fn push_window(&mut self, input: &LayoutInput<'_>, points: Range<usize>) {
        let (sets, loose) = bucket(input, points.clone());
        let mut first_run = self.map.runs.len();
        let mut first_block = self.map.num_blocks();
        for (joints, set_points) in sets {
            let joints_start = self.map.joints.len() as u32;
            self.map.joints.extend_from_slice(&joints);
            let joints = joints_start..self.map.joints.len() as u32;
            for piece in set_points.chunks(TASK_BLOCKS * LANES) {
                self.push_run(input, joints.clone(), piece, points.start);
                if self.map.order == PointOrder::Bucketed
                    && self.map.num_blocks() - first_block >= TASK_BLOCKS
                {
                    self.push_task(first_run, first_block, &points, 0..0);
                    (first_run, first_block) = (self.map.runs.len(), self.map.num_blocks());
                }
            }
        }
        let first_loose = self.map.loose_rows.len() as u32;
        for piece in loose.chunks(LANES) {
            self.push_loose_block(input, piece, points.start);
        }
        let loose_blocks = first_loose..self.map.loose_rows.len() as u32;
        if self.map.num_blocks() > first_block {
            self.push_task(first_run, first_block, &points, loose_blocks);
        }
    }

    fn push_task(
        &mut self,
        first_run: usize,
        first_block: usize,
        points: &Range<usize>,
        loose_blocks: Range<u32>,
    ) {
        self.map.tasks.push(Task {
            runs: first_run as u32..self.map.runs.len() as u32,
            blocks: first_block as u32..self.map.num_blocks() as u32,
            points: points.start as u32..points.end as u32,
            loose_blocks,
        });
    }

    fn push_run(
        &mut self,
        input: &LayoutInput<'_>,
        joints: Range<u32>,
        points: &[u32],
        window_start: usize,
    ) {
        let rest_start = self.rest.len() as u32;
        let first_block = self.map.num_blocks() as u32;
        let num_further = joints.len() - 1;
        for piece in points.chunks(LANES) {
            self.push_lanes(input, piece, window_start);
            for further in 0..num_further {
                let weight = |p: u32| (input.rows)(p as usize)[further + 1].weight;
                self.rest.push(Lanes(std::array::from_fn(|lane| weight(padded(piece, lane)))));
            }
        }
        self.map.runs.push(Run {
            joints,
            blocks: first_block..self.map.num_blocks() as u32,
            rest_start,
        });
    }

    fn push_loose_block(&mut self, input: &LayoutInput<'_>, points: &[u32], window_start: usize) {
        self.map.loose_rest_start.push(self.rest.len() as u32);
        self.push_lanes(input, points, window_start);
        let spans = std::array::from_fn(|lane| {
            let start = self.map.loose_influences.len() as u32;
            if lane < points.len() {
                self.map.loose_influences.extend_from_slice((input.rows)(points[lane] as usize));
            }
            start..self.map.loose_influences.len() as u32
        });
        // Padding lanes have no influences of their own: they repeat the last point's.
        let last: Range<u32> = Range::clone(&spans[points.len() - 1]);
        self.map
            .loose_rows
            .push(spans.map(|span: Range<u32>| if span.is_empty() { last.clone() } else { span }));
    }

    fn push_lanes(&mut self, input: &LayoutInput<'_>, points: &[u32], window_start: usize) {
        for component in 0..self.map.num_rest {
            let value = |p: u32| input.rest[p as usize * self.map.num_rest + component];
            self.rest.push(Lanes(std::array::from_fn(|lane| value(padded(points, lane)))));
        }
        if !input.normals.is_empty() {
            let normal = |lane: usize| input.normals[padded(points, lane) as usize];
            self.normals.push(VectorBlock {
                x: Lanes(std::array::from_fn(|lane| normal(lane).x)),
                y: Lanes(std::array::from_fn(|lane| normal(lane).y)),
                z: Lanes(std::array::from_fn(|lane| normal(lane).z)),
            });
        }
        match self.map.order {
            PointOrder::User => self.map.point_of_lane.push(std::array::from_fn(|lane| {
                (padded(points, lane) as usize - window_start) as u16
            })),
            PointOrder::Bucketed => {
                self.map.mesh_point_of_lane.push(std::array::from_fn(|lane| padded(points, lane)));
            }
        }
    }
}

impl Windows {
    /// Those for which runs and padding cost least.
    pub(super) fn cheapest(input: &LayoutInput<'_>, known: Option<&Known<'_>>) -> Self {
        let least = input.num_points as f64 / LANES as f64;
        let mut best = f64::INFINITY;
        let mut windows = Self { width: WINDOWS[0].0, tried: Vec::new() };
        for (width, scattering) in WINDOWS {
            let tried = |known: &Known<'_>| known.windows.tried.iter().position(|t| t.0 == width);
            let before = known
                .and_then(|known| Some((known, known.windows.tried[tried(known)?].1.as_slice())));
            let cost_of = |(index, start): (usize, usize)| {
                let points = start..(start + width).min(input.num_points);
                match before {
                    Some((known, costs)) if !known.is_changed(&points) => costs[index],
                    _ => cost(input, points),
                }
            };
            let starts = (0..input.num_points).step_by(width).enumerate();
            let costs: Vec<usize> = starts.map(cost_of).collect();
            let of_all = costs.iter().sum::<usize>() as f64 * scattering;
            windows.tried.push((width, costs));
            if of_all < best {
                (best, windows.width) = (of_all, width);
            }
            if of_all <= GOOD_ENOUGH * least || width >= input.num_points {
                break;
            }
        }
        windows
    }
}

fn cost(input: &LayoutInput<'_>, points: Range<usize>) -> usize {
    let (sets, loose) = bucket(input, points);
    let runs: usize = sets.iter().map(|(_, points)| points.len().div_ceil(LANES)).sum();
    runs + LOOSE_COST * loose.len().div_ceil(LANES)
}

fn padded(points: &[u32], lane: usize) -> u32 {
    points[lane.min(points.len() - 1)]
}

/// Points of each joint set, sets in the order in which points first show them, and the points of
/// sets too small for a block of their own.
type Sets = Vec<(Vec<u32>, Vec<u32>)>;

fn bucket(input: &LayoutInput<'_>, points: Range<usize>) -> (Sets, Vec<u32>) {
    let mut index_of_set: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut sets: Sets = Vec::new();
    let mut key = Vec::new();
    for point in points {
        key.clear();
        key.extend((input.rows)(point).iter().map(|i| i.joint));
        let index = match index_of_set.get(&key) {
            Some(&index) => index,
            None => {
                index_of_set.insert(key.clone(), sets.len());
                sets.push((key.clone(), Vec::new()));
                sets.len() - 1
            }
        };
        sets[index].1.push(point as u32);
    }
    let mut loose = Vec::new();
    sets.retain(|(_, points)| {
        let keep = points.len() >= MIN_RUN_POINTS;
        if !keep {
            loose.extend_from_slice(points);
        }
        keep
    });
    loose.sort_unstable();
    (sets, loose)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::SkinWeights;

    fn layout(order: PointOrder, weights: &SkinWeights) -> Layout {
        let num_points = weights.num_points();
        let rest: Vec<f32> = (0..num_points).flat_map(|point| [point as f32; 3]).collect();
        Layout::new(&LayoutInput {
            order,
            num_rest: 3,
            rest: &rest,
            normals: &[],
            rows: &|point| weights.row(point),
            num_points,
        })
    }

    /// The mesh's point in each lane.
    fn points(layout: &Layout) -> Vec<[u32; LANES]> {
        match layout.map.order {
            PointOrder::Bucketed => layout.map.mesh_point_of_lane.clone(),
            PointOrder::User => layout
                .map
                .tasks
                .iter()
                .flat_map(|task| {
                    let blocks = task.blocks.start as usize..task.blocks.end as usize;
                    layout.map.point_of_lane[blocks]
                        .iter()
                        .map(|lanes| lanes.map(|p| task.points.start + u32::from(p)))
                })
                .collect(),
        }
    }

    /// Every point is in some lane, and a run's lanes hold its own rest values.
    fn check(layout: &Layout, num_points: usize) {
        let lanes = points(layout);
        assert_eq!(lanes.len(), layout.num_blocks());
        let mut is_there = vec![false; num_points];
        for &point in lanes.iter().flatten() {
            is_there[point as usize] = true;
        }
        assert!(is_there.iter().all(|there| *there));
        for run in &layout.map.runs {
            let stride = 3 + run.joints.len() - 1;
            for (index, block) in run.blocks.clone().enumerate() {
                let rest = layout.rest[run.rest_start as usize + index * stride];
                assert_eq!(rest.0, lanes[block as usize].map(|p| p as f32));
            }
        }
    }

    #[test]
    fn no_points_make_no_tasks() {
        for order in [PointOrder::User, PointOrder::Bucketed] {
            let layout = layout(order, &SkinWeights::rigid(&[]));
            assert_eq!((layout.map.tasks.len(), layout.num_blocks()), (0, 0));
        }
    }

    #[test]
    fn the_widest_window_still_tells_its_points_apart() {
        // Each joint comes back only after eight thousand points: no narrower window has a run in
        // it.
        let num_points = 3 * 65_536 + 5;
        let joints: Vec<u32> = (0..num_points).map(|point| point % 8_192).collect();
        let weights = SkinWeights::rigid(&joints);
        for order in [PointOrder::User, PointOrder::Bucketed] {
            let layout = layout(order, &weights);
            if order == PointOrder::User {
                assert_eq!(layout.map.tasks[0].points, 0..65_536);
            }
            check(&layout, num_points as usize);
        }
    }

    #[test]
    fn few_joint_sets_take_the_narrowest_window() {
        let layout = layout(PointOrder::User, &SkinWeights::rigid(&[0; 5_000]));
        assert_eq!(layout.map.tasks[0].points, 0..2_048);
        check(&layout, 5_000);
    }
}
