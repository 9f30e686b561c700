//! From frames of the source to frames of the target, and to a clip.

use glam::{DAffine3, DQuat, DVec3};

use super::body::Body;
use super::role::Role;
use super::sampled::frame_times;
use super::{Pair, RetargetError};
use crate::motion::{Channel, Clip, Curve, Placed, Track};
use crate::skeleton::{Side, Skeleton, swing_twist};

/// Joints this near to a bone's line, over its length, lie on it.
const ON_BONE: f64 = 0.15;

/// The cosine between trunk and legs of a body that stands, at least.
const UPRIGHT: f64 = 0.7;

/// What turns a joint of the target.
#[derive(Clone, Debug, PartialEq)]
enum Plan {
    /// As a joint of the source, with its limb laid along that one's.
    Partner { source: usize, laid: DQuat },
    /// A share of the way along the source's trunk.
    Trunk { share: f64 },
    /// A share of the twist between two joints of a limb.
    Twist { above: usize, below: usize, share: f64 },
}

/// A frame of the target: how joints are turned in model space, and where the hips are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) turned: Vec<Option<DQuat>>,
    pub(super) hips: DVec3,
}

/// Everything that does not change from frame to frame.
pub(super) struct Transfer<'a> {
    source: &'a Skeleton,
    target: &'a Skeleton,
    clip: &'a Clip,
    pub(super) pairs: Vec<Pair>,
    pub(super) times: Vec<f64>,
    /// The source's frames.
    pub(super) sampled: Vec<Placed>,
    pub(super) source_rest: Placed,
    pub(super) target_rest: Placed,
    pub(super) source_body: Body,
    pub(super) target_body: Body,
    /// From the source's directions to the target's.
    pub(super) align: DQuat,
    pub(super) scale: f64,
    plans: Vec<Option<Plan>>,
    source_trunk: Vec<u32>,
    hips: Pair,
    /// Feet that do not hang on their shins: joint and shin.
    detached: Vec<(usize, usize)>,
}

impl<'a> Transfer<'a> {
    pub(super) fn new(
        source: &'a Skeleton,
        clip: &'a Clip,
        target: &'a Skeleton,
        pairs: Vec<Pair>,
    ) -> Result<Self, RetargetError> {
        let times = frame_times(clip);
        if times.is_empty() {
            return Err(RetargetError::NoKeys { name: clip.name.clone() });
        }
        let is_hips = |pair: &&Pair| pair.role == Some(Role::Hips);
        let hips = *pairs.iter().find(is_hips).ok_or(RetargetError::NoHips { of: "motion" })?;
        let of = |role: Role| pairs.iter().find(|pair| pair.role == Some(role)).copied();
        let sampled: Vec<Placed> =
            times.iter().map(|&time| Placed::at(source, clip, time)).collect();
        let upright = |placed: &Placed| uprightness(|role| of(role).map(|p| p.source), placed);
        let (mut source_rest, target_rest) = (Placed::rest(source), Placed::rest(target));
        // Some files have bones at rest that are no body: the frame that stands most is one.
        if upright(&source_rest).is_some_and(|score| score < UPRIGHT) {
            let score = |placed: &&Placed| upright(placed).unwrap_or(f64::NEG_INFINITY);
            let best = sampled.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
            source_rest = best.cloned().unwrap_or(source_rest);
        }
        let source_body = Body::of(|role| of(role).map(|pair| pair.source), &source_rest);
        let target_body = Body::of(|role| of(role).map(|pair| pair.target), &target_rest);
        let align = source_body.turn_to(&target_body);
        let head = of(Role::Neck).or(of(Role::Head));
        let trunk = |skeleton: &Skeleton, hips: u32, end: Option<u32>| {
            end.map_or_else(Vec::new, |end| trunk(skeleton, hips, end))
        };
        let source_trunk = trunk(source, hips.source, head.map(|pair| pair.source));
        let target_trunk = trunk(target, hips.target, head.map(|pair| pair.target));
        let mut transfer = Self {
            source,
            target,
            clip,
            times,
            sampled,
            align,
            scale: target_body.leg_length / source_body.leg_length,
            source_rest,
            target_rest,
            source_body,
            target_body,
            plans: vec![None; target.len()],
            source_trunk,
            hips,
            detached: Vec::new(),
            pairs,
        };
        transfer.plan_partners();
        let num = target_trunk.len();
        for (index, &joint) in target_trunk.iter().enumerate() {
            if !transfer.source_trunk.is_empty() && transfer.plans[joint as usize].is_none() {
                let share = (index + 1) as f64 / num as f64;
                transfer.plans[joint as usize] = Some(Plan::Trunk { share });
            }
        }
        transfer.plan_twists();
        transfer.find_detached();
        Ok(transfer)
    }

    pub(super) fn pair(&self, role: Role) -> Option<Pair> {
        self.pairs.iter().find(|pair| pair.role == Some(role)).copied()
    }

    fn plan_partners(&mut self) {
        let laid: Vec<DQuat> = self.pairs.iter().map(|pair| self.laid(pair)).collect();
        for (pair, laid) in self.pairs.iter().zip(laid) {
            let plan = Plan::Partner { source: pair.source as usize, laid };
            self.plans[pair.target as usize] = Some(plan);
        }
    }

    /// The turn that lays the target's limb at rest along the source's.
    fn laid(&self, pair: &Pair) -> DQuat {
        let Some(role) = pair.role else { return DQuat::IDENTITY };
        let before = match role {
            Role::LowerArm(side) => Some(Role::UpperArm(side)),
            Role::Hand(side) => Some(Role::LowerArm(side)),
            Role::Finger(side, _, 1) => Some(Role::Hand(side)),
            Role::Finger(side, finger, joint) => Some(Role::Finger(side, finger, joint - 1)),
            Role::LowerLeg(side) => Some(Role::UpperLeg(side)),
            Role::Toes(side) => Some(Role::Foot(side)),
            _ => None,
        };
        // A limb of several bones is laid from its beginning: what turns the first turns them all.
        let so_far = before
            .and_then(|role| self.pair(role))
            .map_or(DQuat::IDENTITY, |before| self.laid(&before));
        let Some(next) = role.next().and_then(|next| self.pair(next)) else { return so_far };
        let way = |rest: &Placed, from: u32, to: u32| {
            rest.positions[to as usize] - rest.positions[from as usize]
        };
        let wanted = self.align * way(&self.source_rest, pair.source, next.source);
        let own = so_far * way(&self.target_rest, pair.target, next.target);
        let up = self.target_body.up;
        let flat = |v: DVec3| if matches!(role, Role::Foot(_)) { v - up * v.dot(up) } else { v };
        match (flat(own).try_normalize(), flat(wanted).try_normalize()) {
            (Some(own), Some(wanted)) => DQuat::from_rotation_arc(own, wanted) * so_far,
            _ => so_far,
        }
    }

    /// Joints on a limb's bone that have no partner: they take a share of its twist.
    fn plan_twists(&mut self) {
        let joints = self.target.joints();
        let limbs: Vec<(Pair, Pair)> = self
            .pairs
            .iter()
            .filter(|pair| pair.role.is_some_and(Role::is_limb))
            .filter_map(|pair| Some((*pair, self.pair(pair.role?.next()?)?)))
            .collect();
        for (above, below) in limbs {
            let from = self.target_rest.positions[above.target as usize];
            let along = self.target_rest.positions[below.target as usize] - from;
            let length_squared = along.length_squared();
            for (index, joint) in joints.iter().enumerate() {
                let hangs = joint.parent.is_some_and(|parent| {
                    parent == above.target
                        || matches!(self.plans[parent as usize], Some(Plan::Twist { above: a, .. })
                            if a == above.target as usize)
                });
                if !hangs || self.plans[index].is_some() || length_squared <= 0.0 {
                    continue;
                }
                let offset = self.target_rest.positions[index] - from;
                let share = offset.dot(along) / length_squared;
                let aside = (offset - along * share).length();
                let is_on =
                    (0.02..=1.02).contains(&share) && aside <= ON_BONE * length_squared.sqrt();
                if is_on {
                    let (above, below) = (above.target as usize, below.target as usize);
                    self.plans[index] = Some(Plan::Twist { above, below, share: share.min(1.0) });
                }
            }
        }
    }

    fn find_detached(&mut self) {
        let joints = self.target.joints();
        let hangs_on = |joint: u32, on: u32| {
            let mut at = joint;
            while let Some(parent) = joints[at as usize].parent {
                if parent == on {
                    return true;
                }
                at = parent;
            }
            false
        };
        for pair in &self.pairs {
            let Some(Role::Foot(side)) = pair.role else { continue };
            let Some(shin) = self.pair(Role::LowerLeg(side)) else { continue };
            if !hangs_on(pair.target, shin.target) {
                self.detached.push((pair.target as usize, shin.target as usize));
            }
        }
    }

    /// How a joint of the source has turned from its rest, in the target's directions.
    fn turn(&self, frame: usize, source: usize) -> DQuat {
        let turned = self.sampled[frame].rotations[source];
        let turn = turned * self.source_rest.rotations[source].inverse();
        self.align * turn * self.align.inverse()
    }

    fn trunk_turn(&self, frame: usize, share: f64) -> DQuat {
        let num = self.source_trunk.len();
        let at = share * num as f64;
        let turn = |k: usize| match k.checked_sub(1) {
            None => self.turn(frame, self.hips.source as usize),
            Some(k) => self.turn(frame, self.source_trunk[k.min(num - 1)] as usize),
        };
        let below = (at.floor() as usize).min(num);
        turn(below).slerp(turn((below + 1).min(num)), at - below as f64)
    }

    /// All frames, before feet are kept.
    pub(super) fn frames(&self) -> Vec<Frame> {
        let up = self.source_body.up;
        let hips_at = |frame: usize| self.sampled[frame].positions[self.hips.source as usize];
        let ground = self.source_ground();
        let rest = self.target_rest.positions[self.hips.target as usize];
        let target_up = self.target_body.up;
        let target_ankle = self.mean_ankle_height(&self.target_rest, target_up, |p| p.target);
        let start = hips_at(0);
        (0..self.times.len())
            .map(|frame| {
                let moved = self.align * (hips_at(frame) - start) * self.scale;
                let across = moved - target_up * moved.dot(target_up);
                let hips = match (ground, target_ankle) {
                    (Some(ground), Some(ankle)) => {
                        let height = ankle + self.scale * (hips_at(frame).dot(up) - ground);
                        rest - target_up * rest.dot(target_up) + across + target_up * height
                    }
                    _ => rest + moved,
                };
                let turned = self
                    .plans
                    .iter()
                    .zip(&self.target_rest.rotations)
                    .map(|(plan, rest)| match plan {
                        Some(Plan::Partner { source, laid }) => {
                            Some(self.turn(frame, *source) * *laid * *rest)
                        }
                        Some(Plan::Trunk { share }) => Some(self.trunk_turn(frame, *share) * *rest),
                        Some(Plan::Twist { .. }) | None => None,
                    })
                    .collect();
                Frame { turned, hips }
            })
            .collect()
    }

    fn mean_ankle_height(
        &self,
        placed: &Placed,
        up: DVec3,
        joint: impl Fn(Pair) -> u32,
    ) -> Option<f64> {
        let feet = self.pairs.iter().filter(|pair| matches!(pair.role, Some(Role::Foot(_))));
        let heights: Vec<f64> =
            feet.map(|&pair| placed.positions[joint(pair) as usize].dot(up)).collect();
        (!heights.is_empty()).then(|| heights.iter().sum::<f64>() / heights.len() as f64)
    }

    /// How high the ankle of a foot that stands is: of the lower ankle in each frame, what only a
    /// tenth is below.
    fn source_ground(&self) -> Option<f64> {
        let up = self.source_body.up;
        let feet: Vec<usize> = self
            .pairs
            .iter()
            .filter(|pair| matches!(pair.role, Some(Role::Foot(_))))
            .map(|pair| pair.source as usize)
            .collect();
        let lower = |placed: &Placed| {
            feet.iter().map(|&foot| placed.positions[foot].dot(up)).reduce(f64::min)
        };
        let mut heights: Vec<f64> = self.sampled.iter().filter_map(lower).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 10).copied()
    }

    /// The target's joints in a frame.
    pub(super) fn solve(&self, frame: &Frame) -> (Placed, Vec<DAffine3>) {
        let joints = self.target.joints();
        let rest = &self.target_rest;
        let mut matrices: Vec<DAffine3> = Vec::with_capacity(joints.len());
        let mut rotations: Vec<DQuat> = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            let parent = joint.parent.map(|parent| parent as usize);
            let above = parent.map_or(DQuat::IDENTITY, |parent| rotations[parent]);
            let rotation = match (&self.plans[index], frame.turned[index]) {
                (Some(Plan::Twist { above, below, share }), _) => {
                    self.twisted(frame, index, (*above, *below, *share))
                }
                (_, Some(turned)) => turned,
                _ => above * joint.rest.rotation,
            };
            let local = DAffine3::from_scale_rotation_translation(
                joint.rest.scale,
                above.inverse() * rotation,
                joint.rest.translation,
            );
            let mut matrix = parent.map_or(local, |parent| matrices[parent] * local);
            if index == self.hips.target as usize {
                matrix.translation = frame.hips;
            }
            if let Some((_, shin)) = self.detached.iter().find(|(foot, _)| *foot == index)
                && let (Some(turned), true) = (frame.turned[*shin], *shin < index)
            {
                let turn = turned * rest.rotations[*shin].inverse();
                let offset = rest.positions[index] - rest.positions[*shin];
                matrix.translation = matrices[*shin].translation + turn * offset;
            }
            matrices.push(matrix);
            rotations.push(rotation.normalize());
        }
        // Feet that come before their shins are put at their ends now.
        for &(foot, shin) in self.detached.iter().filter(|(foot, shin)| shin >= foot) {
            let turn = rotations[shin] * rest.rotations[shin].inverse();
            let offset = rest.positions[foot] - rest.positions[shin];
            let moved = matrices[shin].translation + turn * offset - matrices[foot].translation;
            let mut is_below = vec![false; joints.len()];
            is_below[foot] = true;
            for index in foot..joints.len() {
                let parent = joints[index].parent.map(|parent| parent as usize);
                is_below[index] |= parent.is_some_and(|parent| is_below[parent]);
                if is_below[index] {
                    matrices[index].translation += moved;
                }
            }
        }
        let positions = matrices.iter().map(|matrix| matrix.translation).collect();
        (Placed { positions, rotations }, matrices)
    }

    fn twisted(&self, frame: &Frame, joint: usize, plan: (usize, usize, f64)) -> DQuat {
        let (above, below, share) = plan;
        let rest = &self.target_rest;
        let (Some(upper), Some(lower)) = (frame.turned[above], frame.turned[below]) else {
            return rest.rotations[joint];
        };
        let axis =
            rest.rotations[above].inverse() * (rest.positions[below] - rest.positions[above]);
        let Some(axis) = axis.try_normalize() else { return rest.rotations[joint] };
        let at_rest = rest.rotations[above].inverse() * rest.rotations[below];
        let (_, twist) = swing_twist(upper.inverse() * lower * at_rest.inverse(), axis);
        let in_above = rest.rotations[above].inverse() * rest.rotations[joint];
        upper * DQuat::from_axis_angle(axis, share * twist) * in_above
    }

    /// Joints of the source that the clip moves.
    pub(super) fn moving_source_joints(&self) -> Vec<u32> {
        let mut joints: Vec<u32> = self
            .clip
            .tracks
            .iter()
            .filter(|track| match &track.channel {
                Channel::Rotation(curve) => {
                    let first = curve.values.first().copied().unwrap_or(DQuat::IDENTITY);
                    curve.values.iter().any(|q| q.dot(first).abs() < 1.0 - 1e-7)
                }
                Channel::Translation(_) | Channel::Scale(_) => false,
            })
            .map(|track| track.joint)
            .filter(|&joint| (joint as usize) < self.source.len())
            .collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    pub(super) fn is_in_source_trunk(&self, joint: u32) -> bool {
        self.source_trunk.contains(&joint)
    }

    /// The frames as a clip of the target.
    pub(super) fn clip(&self, frames: &[Frame], name: &str) -> Clip {
        let joints = self.target.joints();
        let is_placed = |joint: usize| {
            joint == self.hips.target as usize
                || self.detached.iter().any(|(foot, _)| *foot == joint)
        };
        let mut rotations: Vec<Vec<DQuat>> = vec![Vec::new(); joints.len()];
        let mut translations: Vec<Vec<DVec3>> = vec![Vec::new(); joints.len()];
        for frame in frames {
            let (placed, matrices) = self.solve(frame);
            for (index, joint) in joints.iter().enumerate() {
                let parent = joint.parent.map(|parent| parent as usize);
                let above = parent.map_or(DQuat::IDENTITY, |parent| placed.rotations[parent]);
                if self.plans[index].is_some() {
                    rotations[index].push((above.inverse() * placed.rotations[index]).normalize());
                }
                if is_placed(index) {
                    let place = placed.positions[index];
                    let in_parent = parent
                        .map_or(place, |parent| matrices[parent].inverse().transform_point3(place));
                    translations[index].push(in_parent);
                }
            }
        }
        let start = self.times[0].min(0.0);
        let times: Vec<f64> = self.times.iter().map(|time| time - start).collect();
        let mut tracks = Vec::new();
        for (joint, (rotations, translations)) in
            rotations.into_iter().zip(translations).enumerate()
        {
            let joint = joint as u32;
            if !translations.is_empty() {
                let channel = Channel::Translation(Curve::linear(times.clone(), translations));
                tracks.push(Track { joint, channel });
            }
            if !rotations.is_empty() {
                let channel = Channel::Rotation(Curve::linear(times.clone(), rotations));
                tracks.push(Track { joint, channel });
            }
        }
        Clip::new(name, tracks)
    }
}

/// How straight a body stands: the least cosine between the way up the trunk and the ways up its
/// legs, bone by bone; `None` for one without head or legs.
fn uprightness(joint: impl Fn(Role) -> Option<u32>, placed: &Placed) -> Option<f64> {
    let place = |role| joint(role).map(|joint| placed.positions[joint as usize]);
    let hips = place(Role::Hips)?;
    let trunk = place(Role::Head).or_else(|| place(Role::Neck))? - hips;
    let mut least = f64::INFINITY;
    for side in [Side::Left, Side::Right] {
        let hip = place(Role::UpperLeg(side))?;
        let knee = place(Role::LowerLeg(side))?;
        let ankle = place(Role::Foot(side))?;
        for way in [hip - knee, knee - ankle] {
            least = least.min(way.normalize_or_zero().dot(trunk.normalize_or_zero()));
        }
    }
    Some(least)
}

/// The joints from the hips, or what is above them, to `end`: neither of the two among them.
fn trunk(skeleton: &Skeleton, hips: u32, end: u32) -> Vec<u32> {
    let joints = skeleton.joints();
    let mut above_hips = vec![hips];
    while let Some(parent) = joints[above_hips[above_hips.len() - 1] as usize].parent {
        above_hips.push(parent);
    }
    let mut trunk = Vec::new();
    let mut at = end;
    while let Some(parent) = joints[at as usize].parent {
        if above_hips.contains(&parent) {
            break;
        }
        trunk.push(parent);
        at = parent;
    }
    trunk.reverse();
    trunk
}
