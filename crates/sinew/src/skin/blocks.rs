//! The layout that the kernels run on: points bucketed by *joint set* into blocks of sixteen lanes.
//!
//! Characters have few joint sets (8–114 each in seventeen real files), so a run of blocks shares its joints: a frame blends
//! with broadcasts and no gathers, and dual quaternions test their signs once a run. A block is a structure of arrays:
//! rest lanes (x, y, z …), then the weights of the second and later joints; the first joint's is what is left of one.
//!
//! In the *user's order* points are bucketed only within windows, so that the writes of a run fall into a few
//! cache lines. In *bucketed order* the whole mesh is one window and results stay in blocks.

use std::collections::HashMap;
use std::ops::Range;

use crate::weights::Influence;

/// Lanes in a block: one AVX-512 register, two of AVX2, four of NEON.
pub const LANES: usize = 16;

/// Points in a window of the user's order: 2,048 results are 24 KiB, which stays in L1 or just beside it.
const WINDOW_POINTS: usize = 2048;

/// Blocks in a task of the bucketed order: large enough that the run's set-up does not show, small enough to share out.
const TASK_BLOCKS: usize = 256;

/// Runs of fewer points than this share blocks with others as *loose* lanes: a block padded from three points to
/// sixteen costs more than blending three points one by one.
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
    pub order: PointOrder,
    pub tasks: Vec<Task>,
    pub runs: Vec<Run>,
    pub joints: Vec<u32>,
    /// A run's block has `num_rest` rest lanes, then a lane a further joint; a loose block its rest lanes only.
    pub rest: Vec<Lanes>,
    /// One a block, if normals were bound.
    pub normals: Vec<VectorBlock>,
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
}

/// What a layout is made from; `rest` has `num_rest` lanes for each point.
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

impl Layout {
    pub(super) fn new(input: &LayoutInput<'_>) -> Self {
        let mut layout = Self {
            order: input.order,
            tasks: Vec::new(),
            runs: Vec::new(),
            joints: Vec::new(),
            rest: Vec::new(),
            normals: Vec::new(),
            point_of_lane: Vec::new(),
            mesh_point_of_lane: Vec::new(),
            loose_rest_start: Vec::new(),
            loose_rows: Vec::new(),
            loose_influences: Vec::new(),
            num_points: input.num_points,
            num_rest: input.num_rest,
            max_joints: (0..input.num_points).map(|p| (input.rows)(p).len()).max().unwrap_or(1),
        };
        let window = match input.order {
            PointOrder::User => WINDOW_POINTS,
            PointOrder::Bucketed => input.num_points.max(1),
        };
        let mut start = 0;
        while start < input.num_points {
            let end = (start + window).min(input.num_points);
            layout.push_window(input, start..end);
            start = end;
        }
        layout
    }

    /// Buckets one window; a bucketed mesh is cut into tasks along the way.
    fn push_window(&mut self, input: &LayoutInput<'_>, points: Range<usize>) {
        let (sets, loose) = bucket(input, points.clone());
        let mut first_run = self.runs.len();
        let mut first_block = self.num_blocks();
        for (joints, set_points) in sets {
            let joints_start = self.joints.len() as u32;
            self.joints.extend_from_slice(&joints);
            let joints = joints_start..self.joints.len() as u32;
            for piece in set_points.chunks(TASK_BLOCKS * LANES) {
                self.push_run(input, joints.clone(), piece, points.start);
                if self.order == PointOrder::Bucketed
                    && self.num_blocks() - first_block >= TASK_BLOCKS
                {
                    self.push_task(first_run, first_block, &points, 0..0);
                    (first_run, first_block) = (self.runs.len(), self.num_blocks());
                }
            }
        }
        let first_loose = self.loose_rows.len() as u32;
        for piece in loose.chunks(LANES) {
            self.push_loose_block(input, piece, points.start);
        }
        let loose_blocks = first_loose..self.loose_rows.len() as u32;
        if self.num_blocks() > first_block {
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
        self.tasks.push(Task {
            runs: first_run as u32..self.runs.len() as u32,
            blocks: first_block as u32..self.num_blocks() as u32,
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
        let first_block = self.num_blocks() as u32;
        let num_further = joints.len() - 1;
        for piece in points.chunks(LANES) {
            self.push_lanes(input, piece, window_start);
            for further in 0..num_further {
                let weight = |p: u32| (input.rows)(p as usize)[further + 1].weight;
                self.rest.push(Lanes(std::array::from_fn(|lane| weight(padded(piece, lane)))));
            }
        }
        self.runs.push(Run { joints, blocks: first_block..self.num_blocks() as u32, rest_start });
    }

    fn push_loose_block(&mut self, input: &LayoutInput<'_>, points: &[u32], window_start: usize) {
        self.loose_rest_start.push(self.rest.len() as u32);
        self.push_lanes(input, points, window_start);
        let spans = std::array::from_fn(|lane| {
            let start = self.loose_influences.len() as u32;
            if lane < points.len() {
                self.loose_influences.extend_from_slice((input.rows)(points[lane] as usize));
            }
            start..self.loose_influences.len() as u32
        });
        // Padding lanes have no influences of their own: they repeat the last point's.
        let last: Range<u32> = Range::clone(&spans[points.len() - 1]);
        self.loose_rows
            .push(spans.map(|span: Range<u32>| if span.is_empty() { last.clone() } else { span }));
    }

    fn push_lanes(&mut self, input: &LayoutInput<'_>, points: &[u32], window_start: usize) {
        for component in 0..self.num_rest {
            let value = |p: u32| input.rest[p as usize * self.num_rest + component];
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
        match self.order {
            PointOrder::User => self.point_of_lane.push(std::array::from_fn(|lane| {
                (padded(points, lane) as usize - window_start) as u16
            })),
            PointOrder::Bucketed => {
                self.mesh_point_of_lane.push(std::array::from_fn(|lane| padded(points, lane)));
            }
        }
    }

    pub(super) fn num_blocks(&self) -> usize {
        match self.order {
            PointOrder::User => self.point_of_lane.len(),
            PointOrder::Bucketed => self.mesh_point_of_lane.len(),
        }
    }
}

fn padded(points: &[u32], lane: usize) -> u32 {
    points[lane.min(points.len() - 1)]
}

/// Points of each joint set, sets in the order in which points first show them, and the points of sets too small
/// for a block of their own.
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
