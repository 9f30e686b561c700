//! Strokes that made a pose, kept so that their knots stay in hand: the document's own pose, or
//! one that has become keys of a motion and is shown at the playhead.

use std::sync::Arc;

use glam::DVec4;
use sinew::skeleton::{JointPose, Pose, Skeleton};
use sinew::sketch::pose::PoseStroke;

/// More strokes than this are not kept: the first are then part of what the others start from.
pub(crate) const MOST_STROKES: usize = 24;

/// A pose that comes back from its keys, through layers and parts of rotations, is off by
/// roundings: metres, radians and factors.
const SAME: f64 = 1e-9;

/// Strokes in the order in which they were drawn, each on what those before it made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseStrokes {
    pub(crate) from: Arc<Pose>,
    pub(crate) list: Vec<PoseStroke>,
    /// What they made. As soon as the pose is another one, they are settled.
    pub(crate) made: Arc<Pose>,
}

impl PoseStrokes {
    /// The strokes.
    pub fn list(&self) -> &[PoseStroke] {
        &self.list
    }

    /// How the character stood before the first of them.
    pub fn from(&self) -> &Arc<Pose> {
        &self.from
    }

    /// True if a pose is what they made.
    pub(crate) fn are_live(&self, pose: &Arc<Pose>) -> bool {
        !self.list.is_empty() && (Arc::ptr_eq(&self.made, pose) || is_same(&self.made, pose))
    }

    /// With one more, on the pose that the others made.
    pub(crate) fn with(&self, stroke: PoseStroke, pose: &Arc<Pose>, skeleton: &Skeleton) -> Self {
        let is_live = self.are_live(pose);
        let (mut from, mut list) = match is_live {
            true => (Arc::clone(&self.from), self.list.clone()),
            false => (Arc::clone(pose), Vec::new()),
        };
        if list.len() >= MOST_STROKES {
            from = Arc::new(after(&list.remove(0), &from, skeleton));
        }
        let made = Arc::new(after(&stroke, pose, skeleton));
        list.push(stroke);
        Self { from, list, made }
    }

    /// The same strokes, made again from the start.
    pub(crate) fn again(from: &Arc<Pose>, list: Vec<PoseStroke>, skeleton: &Skeleton) -> Self {
        let mut made = Pose::clone(from);
        for stroke in &list {
            made = after(stroke, &made, skeleton);
        }
        Self { from: Arc::clone(from), list, made: Arc::new(made) }
    }

    /// What the history holds for them.
    pub(crate) fn bytes(&self) -> usize {
        let knots = |stroke: &PoseStroke| {
            let baseline = stroke.baseline.as_ref().map_or(0, |curve| curve.knots().len());
            // A knot, its span, and the lengths along it.
            (baseline + stroke.target.knots().len()) * 320 + stroke.chain.path().len() * 4
        };
        let poses = (self.from.joints.len() + self.made.joints.len())
            * size_of::<sinew::skeleton::JointPose>();
        poses + self.list.iter().map(knots).sum::<usize>()
    }
}

fn is_same(a: &Pose, b: &Pose) -> bool {
    let is_near = |a: &JointPose, b: &JointPose| {
        // Both signs of a quaternion are one turn.
        let of_b = if a.swing.dot(b.swing) < 0.0 { -b.swing } else { b.swing };
        let turn = DVec4::from(a.swing - of_b).abs().max_element();
        (a.translation - b.translation).abs().max_element() <= SAME
            && (a.scale - b.scale).abs().max_element() <= SAME
            && (a.twist_radians - b.twist_radians).abs() <= SAME
            && (a.stretch - b.stretch).abs() <= SAME
            && turn <= SAME
    };
    a.joints.len() == b.joints.len() && a.joints.iter().zip(&b.joints).all(|(a, b)| is_near(a, b))
}

fn after(stroke: &PoseStroke, pose: &Pose, skeleton: &Skeleton) -> Pose {
    let mut after = pose.clone();
    for (joint, of_joint) in stroke.posed(skeleton, pose) {
        after.joints[joint as usize] = of_joint;
    }
    after
}
