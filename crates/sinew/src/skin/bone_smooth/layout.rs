//! Points in blocks of sixteen that go through one program, and where their results go.
//!
//! Blocks are made within windows of consecutive outputs, so that a window's results belong to one
//! task and threads need nothing of each other. Within a window points are sorted by the joints
//! that turn and carry them; a block's program and bones are the union over its points, with shares
//! of zero for what a point has none of.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;

use super::BoneSmoothRig;
use super::program::{Step, program};
use crate::skin::blocks::{LANES, Lanes, VectorBlock};
use crate::skin::tasks::Results;

/// Outputs in a window: small enough to stay in the caches while they are scattered, large enough
/// to fill blocks.
const WINDOW: usize = 4096;

/// In which order results are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order<'a> {
    /// One result a bound position: the rig's point that it is of.
    Positions(&'a [u32]),
    /// As above, in blocks, the whole mesh one window.
    Blocks(&'a [u32]),
    /// One result a slot of a solver: the rig's point in it. What is bound are the points
    /// themselves.
    Slots(&'a [u32]),
}

/// Consecutive blocks and the results that they own.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub blocks: Range<usize>,
    pub outputs: Range<usize>,
}

/// Sixteen points that go through one program.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The joint whose whole rotation all have.
    pub base: Option<u32>,
    pub steps: Range<usize>,
    pub bones: Range<usize>,
    /// Of those of [`rest_lane`], then those of [`bone_lane`] a bone, then two a turn.
    pub lanes_start: usize,
    /// Into [`LaneMap::turn_reaches`].
    pub turns: Range<usize>,
}

/// What a block's first lanes hold, one value a point.
pub(super) mod rest_lane {
    use std::ops::Range;

    /// Where it rests.
    pub(crate) const POSITION: Range<usize> = 0..3;
    /// From its places on the bones, by weight, to there.
    pub(crate) const FROM_BONES: Range<usize> = 3..6;
    /// To its places on the bones, by weight.
    pub(crate) const DISTANCE: usize = 6;
    /// Where it is attached.
    pub(crate) const ATTACHMENT: Range<usize> = 7..10;
    /// How far along its bone that is.
    pub(crate) const ATTACHMENT_ALONG: usize = 10;
    /// How many there are.
    pub(crate) const COUNT: usize = 11;
}

/// What the lanes of each of a block's bones hold.
pub(super) mod bone_lane {
    use std::ops::Range;

    /// The point's share of it.
    pub(crate) const WEIGHT: usize = 0;
    /// 1 where the point is attached to it.
    pub(crate) const IS_OWN: usize = 1;
    /// The point's place on it.
    pub(crate) const PLACE: Range<usize> = 2..5;
    /// How far along it that is.
    pub(crate) const ALONG: usize = 5;
    /// How many there are.
    pub(crate) const COUNT: usize = 6;
}

/// The bound form that frames run on.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Shared by clones: a rest that moves changes none of it.
    pub(super) map: Arc<LaneMap>,
    /// Shares and attachments as bound; refitting looks at them, frames do not.
    pub(super) rig: Arc<BoneSmoothRig>,
    pub(super) lanes: Vec<Lanes>,
    pub(super) normals: Vec<VectorBlock>,
    /// The joints' bones that the lanes were made for.
    pub(super) bones: Vec<RestBone>,
    /// κ: 1 thins a stretched limb so that it keeps its volume, 0 keeps its section.
    pub(crate) keep_volume: f64,
    pub(in crate::skin) level: fearless_simd::Level,
}

/// A bone at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestBone {
    pub(super) ends: [glam::DVec3; 2],
    /// Of its length over that when bound.
    pub(super) log_stretch: f64,
}

/// Which points are in which lanes, and what turns and carries them.
#[derive(Debug, Default)]
pub(super) struct LaneMap {
    pub(super) tasks: Vec<Task>,
    pub(super) blocks: Vec<Block>,
    pub(super) steps: Vec<Step>,
    pub(super) bones: Vec<u32>,
    /// The result of each lane, counted from its task's first; padding repeats a lane.
    pub(super) output_of_lane: Vec<[u16; LANES]>,
    /// The same from the first of all, for results in blocks.
    pub(super) mesh_output_of_lane: Vec<[u32; LANES]>,
    /// The rig's point in each lane.
    pub(super) point_of_lane: Vec<[u32; LANES]>,
    /// The bound position in each lane.
    pub(super) position_of_lane: Vec<[u32; LANES]>,
    /// The turns of all blocks in the order of their steps: where its two lanes are, and how they
    /// change with the reach.
    pub(super) turn_reaches: Vec<TurnReach>,
    pub(super) num_outputs: usize,
}

/// The shares of a block's turn as bound, and their [`Slope`](crate::attach::Slope)s.
#[derive(Clone, Debug)]
pub(super) struct TurnReach {
    /// Swing, then twist.
    pub(super) bound: [Lanes; 2],
    pub(super) first: [Lanes; 2],
    pub(super) half_second: [Lanes; 2],
}

/// A layout in the making.
struct Builder<'a> {
    rig: &'a BoneSmoothRig,
    /// The rig's point of each result.
    points: &'a [u32],
    normals_of_output: &'a [Vec3],
    map: LaneMap,
    lanes: Vec<Lanes>,
    normals: Vec<VectorBlock>,
}

impl Layout {
    /// Lays out a rig's points in an order, with the normals of the results if there are any.
    pub(crate) fn new(
        rig: Arc<BoneSmoothRig>,
        order: Order<'_>,
        normals: &[Vec3],
        keep_volume: f64,
    ) -> Self {
        let (points, window) = match order {
            Order::Positions(points) | Order::Slots(points) => (points, WINDOW),
            Order::Blocks(points) => (points, points.len().max(1)),
        };
        let is_blocks = matches!(order, Order::Blocks(_));
        let mut builder = Builder {
            rig: &rig,
            points,
            normals_of_output: normals,
            map: LaneMap { num_outputs: points.len(), ..LaneMap::default() },
            lanes: Vec::new(),
            normals: Vec::new(),
        };
        for start in (0..points.len()).step_by(window) {
            let outputs = start..(start + window).min(points.len());
            builder.push_window(outputs, order);
        }
        let Builder { mut map, lanes, normals, .. } = builder;
        if is_blocks {
            // Each block owns itself: any cut is as good as another.
            let num_blocks = map.blocks.len();
            let piece = WINDOW / LANES;
            let cut = |start: usize| start..(start + piece).min(num_blocks);
            map.tasks = (0..num_blocks)
                .step_by(piece)
                .map(|start| Task { blocks: cut(start), outputs: cut(start) })
                .collect();
        }
        let level = fearless_simd::Level::new();
        let bones = rig.bones().iter().map(|&ends| RestBone { ends, log_stretch: 0.0 }).collect();
        Self { map: Arc::new(map), rig, lanes, normals, bones, keep_volume, level }
    }

    /// Shares and attachments as bound.
    pub(crate) fn rig(&self) -> &BoneSmoothRig {
        &self.rig
    }

    pub(crate) fn num_blocks(&self) -> usize {
        self.map.blocks.len()
    }

    /// The result of each lane of each block, for results in blocks.
    pub(crate) fn mesh_output_of_lane(&self) -> &[[u32; LANES]] {
        &self.map.mesh_output_of_lane
    }
}

impl Builder<'_> {
    /// Results in a line become blocks of a task.
    fn push_window(&mut self, outputs: Range<usize>, order: Order<'_>) {
        let (rig, points) = (self.rig, self.points);
        let mut sorted: Vec<usize> = outputs.clone().collect();
        let joints_of = |&output: &usize| {
            let point = points[output] as usize;
            let turns = rig.shares().turns(point).iter().map(|turn| turn.joint);
            let bones = rig.shares().bones(point).iter().map(|bone| bone.joint);
            turns.rev().chain(bones).collect::<Vec<u32>>()
        };
        sorted.sort_by_cached_key(joints_of);
        let first_block = self.map.blocks.len();
        for piece in sorted.chunks(LANES) {
            self.push_block(piece);
            let last = piece[piece.len() - 1];
            let in_mesh: [u32; LANES] =
                std::array::from_fn(|lane| *piece.get(lane).unwrap_or(&last) as u32);
            let in_rig = in_mesh.map(|output| points[output as usize]);
            let in_window = in_mesh.map(|output| (output as usize - outputs.start) as u16);
            self.map.point_of_lane.push(in_rig);
            match order {
                Order::Positions(_) => {
                    self.map.output_of_lane.push(in_window);
                    self.map.position_of_lane.push(in_mesh);
                }
                Order::Slots(_) => {
                    self.map.output_of_lane.push(in_window);
                    self.map.position_of_lane.push(in_rig);
                }
                Order::Blocks(_) => {
                    // Blocks are not scattered: they have no window that a u16 could be counted in.
                    self.map.output_of_lane.push([0; LANES]);
                    self.map.mesh_output_of_lane.push(in_mesh);
                    self.map.position_of_lane.push(in_mesh);
                }
            }
        }
        let blocks = first_block..self.map.blocks.len();
        self.map.tasks.push(Task { blocks, outputs });
    }

    fn push_block(&mut self, outputs: &[usize]) {
        let (rig, points, normals) = (self.rig, self.points, self.normals_of_output);
        let last = outputs[outputs.len() - 1];
        let output = |lane: usize| *outputs.get(lane).unwrap_or(&last);
        let point = |lane: usize| points[output(lane)] as usize;
        let shares = rig.shares();
        let joints: BTreeSet<u32> =
            (0..LANES).flat_map(|lane| shares.turns(point(lane)).iter().map(|t| t.joint)).collect();
        let carrying =
            (0..LANES).flat_map(|lane| shares.bones(point(lane)).iter().map(|b| b.joint));
        let held = (0..LANES).map(|lane| rig.attachments().of_point()[point(lane)].joint);
        let bones: BTreeSet<u32> = carrying.chain(held).collect();
        let turn = |lane: usize, joint: u32| {
            shares.turns(point(lane)).iter().find(|turn| turn.joint == joint)
        };
        let is_whole = |joint: u32| {
            (0..LANES)
                .all(|lane| turn(lane, joint).is_some_and(|t| t.swing == 1.0 && t.twist == 1.0))
        };
        let (base, steps) = program(&joints, &is_whole, rig.parents());

        let lanes_start = self.lanes.len();
        let first_turn = self.map.turn_reaches.len();
        let all_lanes = &mut self.lanes;
        let mut push = |value: &dyn Fn(usize) -> f64| {
            let lanes = Lanes(std::array::from_fn(|lane| value(lane) as f32));
            all_lanes.push(lanes);
            lanes
        };
        let rest = |lane: usize| rig.points()[point(lane)];
        let bones_at_rest = |lane: usize| -> glam::DVec3 {
            shares.bones(point(lane)).iter().map(|bone| bone.weight * bone.place).sum()
        };
        for axis in 0..3 {
            push(&|lane| rest(lane)[axis]);
        }
        for axis in 0..3 {
            push(&|lane| (rest(lane) - bones_at_rest(lane))[axis]);
        }
        push(&|lane| {
            let bones = shares.bones(point(lane)).iter();
            bones.map(|bone| bone.weight * bone.place.distance(rest(lane))).sum()
        });
        let own = |lane: usize| &rig.attachments().of_point()[point(lane)];
        for axis in 0..3 {
            push(&|lane| own(lane).place[axis]);
        }
        push(&|lane| own(lane).along);
        for &joint in &bones {
            let share = |lane: usize| shares.bones(point(lane)).iter().find(|b| b.joint == joint);
            push(&|lane| share(lane).map_or(0.0, |bone| bone.weight));
            push(&|lane| f64::from(u8::from(own(lane).joint == joint)));
            for axis in 0..3 {
                push(&|lane| share(lane).map_or(0.0, |bone| bone.place[axis]));
            }
            push(&|lane| share(lane).map_or(0.0, |bone| bone.along));
        }
        for step in &steps {
            if let Step::Turn(joint) = *step {
                let swing = push(&|lane| turn(lane, joint).map_or(0.0, |turn| turn.swing));
                let twist = push(&|lane| turn(lane, joint).map_or(0.0, |turn| turn.twist));
                let slope = |lane: usize, of: usize, order: usize| {
                    let mut turns = shares.turns(point(lane)).iter();
                    let at = turns.position(|turn| turn.joint == joint);
                    at.map_or(0.0, |at| shares.turn_slopes(point(lane))[at][of][order])
                };
                let lanes = |order| {
                    let of = |of| Lanes(std::array::from_fn(|lane| slope(lane, of, order) as f32));
                    [0, 1].map(of)
                };
                self.map.turn_reaches.push(TurnReach {
                    bound: [swing, twist],
                    first: lanes(0),
                    half_second: lanes(1),
                });
            }
        }
        if !normals.is_empty() {
            let mut block = VectorBlock::default();
            for lane in 0..LANES {
                let normal = normals[output(lane)];
                (block.x.0[lane], block.y.0[lane], block.z.0[lane]) =
                    (normal.x, normal.y, normal.z);
            }
            self.normals.push(block);
        }
        let first_step = self.map.steps.len();
        self.map.steps.extend(steps);
        let first_bone = self.map.bones.len();
        self.map.bones.extend(&bones);
        self.map.blocks.push(Block {
            base,
            steps: first_step..self.map.steps.len(),
            bones: first_bone..self.map.bones.len(),
            lanes_start,
            turns: first_turn..self.map.turn_reaches.len(),
        });
    }
}

/// What a block gives, as columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Columns {
    pub position: VectorBlock,
    pub normal: VectorBlock,
    pub rotation: [Lanes; 4],
    pub direction: VectorBlock,
    pub give: Lanes,
    pub attachment: VectorBlock,
    pub twist: Lanes,
    pub thinning: Lanes,
}

/// Where results go: a window of it can be split off for a task.
pub(crate) trait Output: Results {
    /// Wants positions.
    const NORMALS: bool;
    /// Wants rotations, directions, attachments and twists.
    const STAGE: bool;
    /// Takes the columns of a block: `block` counted from the task's first, `outputs` of its lanes.
    fn put(&mut self, block: usize, outputs: &[u16; LANES], columns: &Columns);
}

/// Positions and normals in order; `NORMALS` if there are any.
pub(crate) struct UserOut<'a, const NORMALS: bool> {
    pub(crate) positions: &'a mut [Vec3],
    pub(crate) normals: &'a mut [Vec3],
}

fn lane_vector(block: &VectorBlock, lane: usize) -> Vec3 {
    Vec3::new(block.x.0[lane], block.y.0[lane], block.z.0[lane])
}

impl<const NORMALS: bool> Output for UserOut<'_, NORMALS> {
    const NORMALS: bool = NORMALS;
    const STAGE: bool = false;

    fn put(&mut self, _block: usize, outputs: &[u16; LANES], columns: &Columns) {
        for (lane, &output) in outputs.iter().enumerate() {
            self.positions[output as usize] = lane_vector(&columns.position, lane);
        }
        if NORMALS {
            for (lane, &output) in outputs.iter().enumerate() {
                self.normals[output as usize] = lane_vector(&columns.normal, lane);
            }
        }
    }
}

impl<const NORMALS: bool> Results for UserOut<'_, NORMALS> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (positions, later) = self.positions.split_at_mut(at);
        let (normals, later_normals) = self.normals.split_at_mut(if NORMALS { at } else { 0 });
        (Self { positions, normals }, Self { positions: later, normals: later_normals })
    }
}

/// Positions and normals in blocks.
pub(crate) struct BlockOut<'a, const NORMALS: bool> {
    pub(crate) positions: &'a mut [VectorBlock],
    pub(crate) normals: &'a mut [VectorBlock],
}

impl<const NORMALS: bool> Output for BlockOut<'_, NORMALS> {
    const NORMALS: bool = NORMALS;
    const STAGE: bool = false;

    fn put(&mut self, block: usize, _outputs: &[u16; LANES], columns: &Columns) {
        self.positions[block] = columns.position;
        if NORMALS {
            self.normals[block] = columns.normal;
        }
    }
}

impl<const NORMALS: bool> Results for BlockOut<'_, NORMALS> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (positions, later) = self.positions.split_at_mut(at);
        let (normals, later_normals) = self.normals.split_at_mut(if NORMALS { at } else { 0 });
        (Self { positions, normals }, Self { positions: later, normals: later_normals })
    }
}

/// All that the springs want to know, as rows of four.
pub(crate) struct StageOut<'a> {
    /// Position and twist.
    pub(crate) target: &'a mut [[f32; 4]],
    pub(crate) rotation: &'a mut [[f32; 4]],
    /// The fourth is how far the point may be moved along it to make up for lost volume, up to a
    /// factor.
    pub(crate) direction: &'a mut [[f32; 4]],
    /// The fourth is what bone stretch leaves of the distance to it.
    pub(crate) attachment: &'a mut [[f32; 4]],
}

impl Output for StageOut<'_> {
    const NORMALS: bool = false;
    const STAGE: bool = true;

    fn put(&mut self, _block: usize, outputs: &[u16; LANES], columns: &Columns) {
        for (lane, &output) in outputs.iter().enumerate() {
            let output = output as usize;
            self.target[output] =
                lane_vector(&columns.position, lane).extend(columns.twist.0[lane]).to_array();
            let [x, y, z, w] = &columns.rotation;
            self.rotation[output] = [x.0[lane], y.0[lane], z.0[lane], w.0[lane]];
            self.direction[output] =
                lane_vector(&columns.direction, lane).extend(columns.give.0[lane]).to_array();
            self.attachment[output] =
                lane_vector(&columns.attachment, lane).extend(columns.thinning.0[lane]).to_array();
        }
    }
}

impl Results for StageOut<'_> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (target, later_target) = self.target.split_at_mut(at);
        let (rotation, later_rotation) = self.rotation.split_at_mut(at);
        let (direction, later_direction) = self.direction.split_at_mut(at);
        let (attachment, later_attachment) = self.attachment.split_at_mut(at);
        (
            Self { target, rotation, direction, attachment },
            Self {
                target: later_target,
                rotation: later_rotation,
                direction: later_direction,
                attachment: later_attachment,
            },
        )
    }
}
