//! Shares: how much of each joint's swing and twist a point has, and which bones carry it.
//!
//! Bone weights are the indicator of the attached bone, half of it given to the authored weights
//! where there are any, diffused twice over the surface by `(L + M)⁻¹ M`, `M = A/(0.8 d)²`, with
//! `d` the distance to the bone: a joint blends over about the limb's own thickness, whatever the
//! resolution. The *swing share* of joint j is the sum of the weights of the bones below it. The
//! *twist share* rises along the bones: from the head of the parent's bone (where the joint is its
//! only child) over the joint to the end of its own, diffused once with `0.4 d` and stretched to
//! reach 0 and 1. This generalises the poster's influence size.
//!
//! A limb that becomes thicker or shorter blends over more of its length, by the same factor as if
//! its reach had grown. With `D = (L + M)⁻¹ M` and `M ∝ κ⁻²`, `d Dⁿ/d ln κ = 2n(Dⁿ⁺¹ − Dⁿ)`: two
//! further passes tell how every share changes with the reach, to the second order ([`Slope`]).

use glam::DVec3;

use super::shells::{Shells, smooth_step};
use super::spread::{Diffused, Spread};
use super::{AttachInput, AttachSettings, Attachment, Attachments, Bones, influence};
use crate::progress::Progress;
use crate::skeleton::Joint;

/// Reach of a joint's blend over the distance to the bone.
const SWING_REACH: f64 = 0.8;
/// Reach of the twist's smoothing over the distance to the bone.
const TWIST_REACH: f64 = 0.4;
/// Diffusions of the bone weights: two take the kink out of the first one's front.
const SWING_PASSES: usize = 2;
/// Taken off every bone weight, so that joints far away have none at all.
const CUT: f64 = 0.01;
/// Of a bone's length, at both ends, over which its joint's twist does not rise.
const TWIST_MARGIN: f64 = 0.05;
/// Twist shares this near to 0 or 1 are, and the rest is stretched to reach them: diffusion leaves
/// a tail at both ends, which would keep 6 % of every twist back.
const TWIST_TAIL: f64 = 0.03;
/// What of a bone weight's source is the authored weight, where there is one; the rest is the
/// attached bone alone. Attachments know where the bones are, painters what hangs together.
const AUTHORED: f64 = 0.5;
/// An authored weight below this is a fade-out.
const LEAST_AUTHORED: f64 = 0.01;
/// Where shells are tied, an attached bone that the artist gave less weight than this is not
/// believed as much as the weights.
const BELIEVED: f64 = 0.4;

/// A bone that carries a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneShare {
    /// The bone's joint.
    pub joint: u32,
    /// In (0, 1]; a point's sum to one.
    pub weight: f64,
    /// The point's place on that bone at rest, model space.
    pub place: DVec3,
    /// From 0 at the bone's head to 1 at its tail.
    pub along: f64,
}

/// What a point has of a joint's rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnShare {
    /// The joint.
    pub joint: u32,
    /// Of its swing, in [0, 1].
    pub swing: f64,
    /// Of its twist, in [0, 1].
    pub twist: f64,
}

/// Why attachments or shares could not be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A diffusion could not be factored.
    #[error(
        "the surface is too degenerate, or too large for this machine, to contract it or to spread weights over it; run `sinew check`"
    )]
    Factor,
}

/// How a share changes with the logarithm of the reach: the first derivative, and half of the
/// second.
pub(crate) type Slope = [f64; 2];

/// Shares of all points.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    bone_starts: Vec<u32>,
    bones: Vec<BoneShare>,
    /// Of the weights.
    bone_slopes: Vec<Slope>,
    turn_starts: Vec<u32>,
    turns: Vec<TurnShare>,
    /// Of swing and twist.
    turn_slopes: Vec<[Slope; 2]>,
}

impl Shares {
    /// Spreads attachments over the surface, and over what ties its shells.
    ///
    /// # Panics
    /// If the attachments or the shells are of another number of points.
    pub fn bind(
        input: &AttachInput<'_>,
        attachments: &Attachments,
        shells: Option<&Shells>,
        (settings, progress): (&AttachSettings, &dyn Progress),
    ) -> Result<Self, ShareError> {
        assert_eq!(attachments.of_point().len(), input.points.len(), "one attachment a point");
        let bones = Bones::of(input.skeleton);
        let reaches = influence::of_points(input, attachments, settings);
        let reaches: Vec<f64> = reaches.iter().map(|scale| scale * SWING_REACH).collect();
        let spread = Spread::new(input, attachments, shells.map(|shells| (shells, &reaches[..])));
        let of = Source { input, attachments, bones: &bones, shells };
        let mut bone_rows = bone_weights((&spread, &reaches), &of, progress)?;
        let mut twist_rows = twist_shares(&spread, &of, progress)?;
        if let Some(shells) = shells {
            fix_rigid(&of, shells, &mut bone_rows, &mut twist_rows);
        }

        let mut shares = Self {
            bone_starts: vec![0],
            bones: Vec::new(),
            bone_slopes: Vec::new(),
            turn_starts: vec![0],
            turns: Vec::new(),
            turn_slopes: Vec::new(),
        };
        let mut turns = TurnRow::new(input);
        for (bone_row, twist_row) in bone_rows.into_iter().zip(twist_rows) {
            let turns = turns.gather(&bone_row, &twist_row);
            shares.turns.extend(turns.iter().map(|turn| turn.0));
            shares.turn_slopes.extend(turns.iter().map(|turn| turn.1));
            shares.bones.extend(bone_row.iter().map(|bone| bone.0));
            shares.bone_slopes.extend(bone_row.iter().map(|bone| bone.1));
            shares.bone_starts.push(shares.bones.len() as u32);
            shares.turn_starts.push(shares.turns.len() as u32);
        }
        Ok(shares)
    }

    /// Number of points.
    pub fn num_points(&self) -> usize {
        self.bone_starts.len() - 1
    }

    /// The bones that carry a point, ascending.
    pub fn bones(&self, point: usize) -> &[BoneShare] {
        &self.bones[self.bone_starts[point] as usize..self.bone_starts[point + 1] as usize]
    }

    /// The joints whose rotation a point has some of, parents before children.
    pub fn turns(&self, point: usize) -> &[TurnShare] {
        &self.turns[self.turn_starts[point] as usize..self.turn_starts[point + 1] as usize]
    }

    /// How the weights of [`Self::bones`] change with the reach.
    pub(crate) fn bone_slopes(&self, point: usize) -> &[Slope] {
        &self.bone_slopes[self.bone_starts[point] as usize..self.bone_starts[point + 1] as usize]
    }

    /// How swing and twist of [`Self::turns`] do.
    pub(crate) fn turn_slopes(&self, point: usize) -> &[[Slope; 2]] {
        &self.turn_slopes[self.turn_starts[point] as usize..self.turn_starts[point + 1] as usize]
    }
}

/// Gathers a point's turns; a joint's place is looked up, not searched for, since a snake's row has
/// a hundred.
struct TurnRow<'a> {
    joints: &'a [Joint],
    row: Vec<(TurnShare, [Slope; 2])>,
    place_of_joint: Vec<Option<u32>>,
}

impl<'a> TurnRow<'a> {
    fn new(input: &AttachInput<'a>) -> Self {
        let joints = input.skeleton.joints();
        Self { joints, row: Vec::new(), place_of_joint: vec![None; joints.len()] }
    }

    /// A joint's turn. Ancestors are there even without a share, so that a row is a tree.
    fn turn(&mut self, joint: u32) -> &mut (TurnShare, [Slope; 2]) {
        let mut missing = Some(joint);
        while let Some(j) = missing.filter(|&j| self.place_of_joint[j as usize].is_none()) {
            self.place_of_joint[j as usize] = Some(self.row.len() as u32);
            let turn = TurnShare { joint: j, swing: 0.0, twist: 0.0 };
            self.row.push((turn, [[0.0; 2]; 2]));
            missing = self.joints[j as usize].parent;
        }
        let place = self.place_of_joint[joint as usize].map_or(0, |place| place as usize);
        &mut self.row[place]
    }

    /// Swing shares are sums of bone weights up the tree; twist shares join them.
    fn gather(
        &mut self,
        bones: &[(BoneShare, Slope)],
        twists: &[Diffused],
    ) -> &[(TurnShare, [Slope; 2])] {
        for (turn, _) in self.row.drain(..) {
            self.place_of_joint[turn.joint as usize] = None;
        }
        for (bone, slope) in bones {
            let mut joint = Some(bone.joint);
            while let Some(j) = joint {
                let (turn, [of_swing, _]) = self.turn(j);
                turn.swing += bone.weight;
                *of_swing = [of_swing[0] + slope[0], of_swing[1] + slope[1]];
                joint = self.joints[j as usize].parent;
            }
        }
        for twist in twists {
            let (turn, [_, of_twist]) = self.turn(twist.joint);
            turn.twist += twist.value;
            *of_twist = twist.slope;
        }
        for (turn, [of_swing, _]) in &mut self.row {
            // All bones below: rounding must not leave a rest of the joint's rotation behind.
            if turn.swing > 1.0 - 1e-9 {
                turn.swing = 1.0;
                *of_swing = [0.0; 2];
            }
        }
        self.row.sort_unstable_by_key(|(turn, _)| turn.joint);
        &self.row
    }
}

/// What shares are found from.
struct Source<'a> {
    input: &'a AttachInput<'a>,
    attachments: &'a Attachments,
    bones: &'a Bones,
    shells: Option<&'a Shells>,
}

impl Source<'_> {
    /// How much a point's authored weights are believed beyond what they are everywhere: all the
    /// way where it is tied to another shell, and where its bone has next to none of them (at hems
    /// and collars a bone with 6 % took half).
    fn trust(&self, point: usize) -> f64 {
        let Some(shells) = self.shells else { return 0.0 };
        let own = self.attachments.of_point()[point].joint;
        let authored = self.attachments.authored(self.input, point, LEAST_AUTHORED);
        let of_own: f64 = authored.filter(|&(joint, _)| joint == own).map(|(_, w)| w).sum();
        shells.tie(point).max(1.0 - smooth_step(of_own / BELIEVED))
    }
}

/// Shells that keep their shapes have one row for all their points.
fn fix_rigid(
    of: &Source<'_>,
    shells: &Shells,
    bone_rows: &mut [Vec<(BoneShare, Slope)>],
    twist_rows: &mut [Vec<Diffused>],
) {
    let joints = of.input.skeleton.joints();
    for shell in 0..shells.kinds().len() as u32 {
        let Some(row) = shells.row_of(shell) else { continue };
        let row = of.attachments.standing_in(row);
        let points = shells.components().points(shell);
        if row.is_empty() || points.is_empty() {
            continue;
        }
        // Sums up the tree: all of the turns of what is above a bone are the shell's.
        let mut twists: Vec<Diffused> = Vec::new();
        for &(joint, weight) in &row {
            let mut above = Some(joint);
            while let Some(j) = above {
                match twists.iter_mut().find(|twist| twist.joint == j) {
                    Some(twist) => twist.value = (twist.value + weight).min(1.0),
                    None => twists.push(Diffused { joint: j, value: weight, slope: [0.0; 2] }),
                }
                above = joints[j as usize].parent;
            }
        }
        for twist in twists.iter_mut().filter(|twist| twist.value > 1.0 - 1e-9) {
            twist.value = 1.0;
        }
        twists.sort_unstable_by_key(|twist| twist.joint);
        let sum: DVec3 = points.iter().map(|&point| of.input.points[point as usize]).sum();
        let middle = sum / points.len() as f64;
        for &point in points {
            let point = point as usize;
            // On one bone each point has its own place, so that nothing is far from it.
            let from = if row.len() == 1 { of.input.points[point] } else { middle };
            let share = |&(joint, weight): &(u32, f64)| {
                let Attachment { place, along, .. } = of.bones.project(joint, from);
                (BoneShare { joint, weight, place, along }, [0.0; 2])
            };
            bone_rows[point] = row.iter().map(share).collect();
            twist_rows[point].clone_from(&twists);
        }
    }
}

fn bone_weights(
    (spread, reaches): (&Spread, &[f64]),
    of: &Source<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<(BoneShare, Slope)>>, ShareError> {
    let &Source { input, attachments, bones, .. } = of;
    let (of_point, points) = (attachments.of_point(), input.points);
    let authored = |point: usize| attachments.authored(input, point, LEAST_AUTHORED);
    let believed: Vec<f64> =
        (0..points.len()).map(|point| AUTHORED + (1.0 - AUTHORED) * of.trust(point)).collect();
    let mut used: Vec<u32> = of_point.iter().map(|a| a.joint).collect();
    used.extend((0..points.len()).flat_map(|point| authored(point).map(|(joint, _)| joint)));
    used.sort_unstable();
    used.dedup();
    let source = |joint: u32| -> Vec<f64> {
        let at_point = |(point, own): (usize, &Attachment)| {
            let attached = f64::from(u8::from(own.joint == joint));
            let mut all = 0.0;
            let mut of_joint = 0.0;
            for (other, weight) in authored(point) {
                all += weight;
                of_joint += if other == joint { weight } else { 0.0 };
            }
            match all > 0.0 {
                true => attached + believed[point] * (of_joint / all - attached),
                false => attached,
            }
        };
        of_point.iter().enumerate().map(at_point).collect()
    };
    let rows = spread.diffuse(
        (reaches, SWING_PASSES),
        &used,
        source,
        |weight| ((weight - CUT).max(0.0), 1.0),
        (progress, "spreading bone weights"),
    )?;
    let share_row = |(point, mut row): (usize, Vec<Diffused>)| {
        if row.is_empty() {
            row.push(Diffused { joint: of_point[point].joint, value: 1.0, slope: [0.0; 2] });
        }
        let sum: f64 = row.iter().map(|d| d.value).sum();
        let sum_slope = row.iter().fold([0.0; 2], |[a, b], d| [a + d.slope[0], b + d.slope[1]]);
        row.into_iter()
            .map(|Diffused { joint, value, slope }| {
                // Not the smoothed place, even on the attached bone: next to a point that is
                // attached to another bone it would be a jump, and a tear in dense skin.
                let Attachment { place, along, .. } = bones.project(joint, points[point]);
                let weight = value / sum;
                // Of the quotient, order by order.
                let first = (slope[0] - weight * sum_slope[0]) / sum;
                let half_second = (slope[1] - first * sum_slope[0] - weight * sum_slope[1]) / sum;
                (BoneShare { joint, weight, place, along }, [first, half_second])
            })
            .collect()
    };
    Ok(rows.into_iter().enumerate().map(share_row).collect())
}

fn twist_shares(
    spread: &Spread,
    of: &Source<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Diffused>>, ShareError> {
    let &Source { input, attachments, bones, .. } = of;
    let trusts: Vec<f64> = match of.shells {
        Some(_) => (0..input.points.len()).map(|point| of.trust(point)).collect(),
        None => Vec::new(),
    };
    let joints = input.skeleton.joints();
    let mut num_children = vec![0u32; joints.len()];
    for parent in joints.iter().filter_map(|joint| joint.parent) {
        num_children[parent as usize] += 1;
    }
    let column = |joint: u32| -> Vec<f64> {
        let parent = joints[joint as usize].parent;
        // Parents come before their children.
        let mut is_below = vec![false; joints.len()];
        for other in joint as usize..joints.len() {
            let hangs_below = joints[other].parent.is_some_and(|parent| is_below[parent as usize]);
            is_below[other] = other == joint as usize || hangs_below;
        }
        let own_length = bones.length(joint);
        // What of the twist has risen when the joint is reached.
        let at_joint = match parent {
            Some(parent) if num_children[parent as usize] == 1 => {
                let before = bones.length(parent);
                if before + own_length > 0.0 { before / (before + own_length) } else { 0.0 }
            }
            _ => 0.0,
        };
        let own = |a: &Attachment| {
            let risen = ((a.along - TWIST_MARGIN) / (1.0 - 2.0 * TWIST_MARGIN)).clamp(0.0, 1.0);
            if parent == Some(a.joint) {
                at_joint * risen
            } else if a.joint == joint && parent.is_some() {
                at_joint + (1.0 - at_joint) * risen
            } else {
                // Nothing holds a root: all below it turns with it.
                f64::from(u8::from(is_below[a.joint as usize]))
            }
        };
        let mut column: Vec<f64> = attachments.of_point().iter().map(own).collect();
        for (point, (share, trust)) in column.iter_mut().zip(&trusts).enumerate() {
            let (mut all, mut below) = (0.0, 0.0);
            for (other, weight) in attachments.authored(input, point, LEAST_AUTHORED) {
                all += weight;
                below += if is_below[other as usize] { weight } else { 0.0 };
            }
            if all > 0.0 {
                *share += trust * (below / all - *share);
            }
        }
        column
    };
    // Joints that no attached point is on or below of turn nothing.
    let mut is_used = vec![false; joints.len()];
    let trusted = trusts.iter().enumerate().filter(|(_, trust)| **trust > 0.0);
    let authored =
        trusted.flat_map(|(point, _)| attachments.authored(input, point, LEAST_AUTHORED));
    let attached = attachments.of_point().iter().map(|attachment| attachment.joint);
    for joint in attached.chain(authored.map(|(joint, _)| joint)) {
        let mut joint = Some(joint);
        while let Some(j) = joint.filter(|&j| !is_used[j as usize]) {
            is_used[j as usize] = true;
            joint = joints[j as usize].parent;
        }
    }
    // The parent's bone may carry a joint's twist where its own bone has no point.
    for (index, joint) in joints.iter().enumerate() {
        if joint
            .parent
            .is_some_and(|parent| is_used[parent as usize] && num_children[parent as usize] == 1)
        {
            is_used[index] = true;
        }
    }
    let used: Vec<u32> = (0..joints.len() as u32).filter(|&j| is_used[j as usize]).collect();
    let keep = |share: f64| {
        let stretched = (share - TWIST_TAIL) / (1.0 - 2.0 * TWIST_TAIL);
        let is_between = (0.0..1.0).contains(&stretched);
        (stretched.clamp(0.0, 1.0), if is_between { 1.0 / (1.0 - 2.0 * TWIST_TAIL) } else { 0.0 })
    };
    let reaches = vec![TWIST_REACH; attachments.of_point().len()];
    spread.diffuse((&reaches, 1), &used, column, keep, (progress, "spreading twist"))
}
