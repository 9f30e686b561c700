//! Edits that pose by strokes.
//!
//! A stroke stays in hand until the pose is changed in another way: its knots can be moved and the
//! whole of it drawn again, and what was drawn after it follows.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use sinew::skeleton::{JointPose, Pose};
use sinew::sketch::chain::Chain;
use sinew::sketch::pose::{Freedom, Limits, PoseStroke, StrokePlane};
use sinew::sketch::stroke::{Curve, FitSettings, Knot};

use super::EditError;
use super::pose::{check_pose, take_pose};
use crate::document::Document;
use crate::name_ref::JointRef;
use crate::pose_strokes::PoseStrokes;

/// A change of how a character stands, by strokes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum StrokeEdit {
    /// Brings a chain of joints to lie along a stroke.
    DrawPose {
        /// What was drawn.
        stroke: StrokeText,
    },
    /// Puts a stroke in the place of one that is still in hand.
    RedrawPose {
        /// Which, from 0.
        number: usize,
        /// What was drawn.
        stroke: StrokeText,
    },
    /// Takes a stroke back that is still in hand; those after it stay.
    EraseStroke {
        /// Which, from 0.
        number: usize,
    },
    /// Lets go of all strokes; the pose stays.
    SettleStrokes {},
    /// Takes strokes in hand that made a pose which is now keys of a motion; the document's own
    /// pose stays.
    TakeStrokes {
        /// How the joints stood before the first of them, where not at rest.
        from: BTreeMap<JointRef, JointPose>,
        /// In the order in which they were drawn.
        strokes: Vec<StrokeText>,
    },
}

/// A stroke as scripts and projects have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrokeText {
    /// The first joint that follows.
    pub from: JointRef,
    /// The last one, below it.
    pub to: JointRef,
    /// The last one turns, too.
    #[serde(default = "yes")]
    pub with_tail: bool,
    /// What the lines lie on.
    pub plane: StrokePlane,
    /// Where the chain was drawn; without, it is to lie under the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<LineText>,
    /// What it follows, from the upper end.
    pub target: LineText,
    /// Bones get longer and shorter to cover all of it.
    #[serde(default)]
    pub stretches: bool,
    /// The first joint goes to where it begins.
    #[serde(default)]
    pub moves_start: bool,
    /// The last one ends where a short one ends.
    #[serde(default)]
    pub ends_there: bool,
    /// Elbows and knees bend about their hinges, no way else and no further than they close.
    #[serde(default)]
    pub keeps_limits: bool,
}

fn yes() -> bool {
    true
}

/// A line: its knots, or places along it that a curve is fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LineText {
    /// As tools send it.
    Knots(Vec<Knot>),
    /// As people write it.
    Points(Vec<DVec3>),
}

/// Places that people write are met to this share of the line's extent.
const LINE_TOLERANCE: f64 = 1e-3;

impl LineText {
    fn curve(&self, what: &str) -> Result<Curve, EditError> {
        let curve = match self {
            Self::Knots(knots) => Curve::of_knots(knots.clone()),
            Self::Points(points) => {
                let first = points.first().copied().unwrap_or_default();
                let extent = points.iter().map(|at| at.distance(first)).fold(0.0, f64::max);
                let settings = FitSettings {
                    least_step: 0.0,
                    tolerance: LINE_TOLERANCE * extent,
                    ..FitSettings::SCREEN
                };
                Curve::fit(points, &settings)
            }
        };
        curve.map_err(|error| EditError::value(what, error.to_string()))
    }
}

impl StrokeText {
    /// A stroke in words.
    pub fn of(document: &Document, stroke: &PoseStroke) -> Self {
        let path = stroke.chain.path();
        let line = |curve: &Curve| LineText::Knots(curve.knots().to_vec());
        Self {
            from: document.joint_ref(path[0]),
            to: document.joint_ref(path[path.len() - 1]),
            with_tail: stroke.chain.has_tail(),
            plane: stroke.plane,
            baseline: stroke.baseline.as_ref().map(line),
            target: line(&stroke.target),
            stretches: stroke.freedom.stretches,
            moves_start: stroke.freedom.moves_start,
            ends_there: stroke.freedom.ends_there,
            keeps_limits: !stroke.limits.is_empty(),
        }
    }

    pub(crate) fn resolve(&self, document: &Document) -> Result<PoseStroke, EditError> {
        let skeleton = &document.character.skeleton;
        let joint = |name: &JointRef| name.resolve(skeleton).map_err(EditError::Unknown);
        let (from, to) = (joint(&self.from)?, joint(&self.to)?);
        let chain = Chain::between(skeleton, from, to, self.with_tail).ok_or_else(|| {
            let fault = format!("'{}' is not below '{}' in the skeleton", self.to.0, self.from.0);
            EditError::value("to", fault)
        })?;
        let StrokePlane { through, normal, eye } = self.plane;
        let is_finite = through.is_finite() && eye.is_none_or(DVec3::is_finite);
        if !is_finite || normal.try_normalize().is_none() {
            return Err(EditError::value("plane", "must be finite, with a normal of some length"));
        }
        let limits = match self.keeps_limits {
            true => Limits::of(&chain, &document.hinges()),
            false => Limits::default(),
        };
        Ok(PoseStroke {
            chain,
            limits,
            plane: self.plane,
            baseline: (self.baseline.as_ref()).map(|line| line.curve("baseline")).transpose()?,
            target: self.target.curve("target")?,
            freedom: Freedom {
                stretches: self.stretches,
                moves_start: self.moves_start,
                ends_there: self.ends_there,
            },
        })
    }

    fn bytes(&self) -> usize {
        let line = |line: &LineText| match line {
            LineText::Knots(knots) => size_of_val(&knots[..]),
            LineText::Points(points) => size_of_val(&points[..]),
        };
        self.baseline.as_ref().map_or(0, line) + line(&self.target)
    }
}

impl StrokeEdit {
    pub(super) const TAGS: &[&str] =
        &["draw-pose", "redraw-pose", "erase-stroke", "settle-strokes", "take-strokes"];

    /// True if what it does depends on the pose that is shown, or on strokes that made it.
    pub(crate) fn starts_from_pose(&self) -> bool {
        match self {
            Self::DrawPose { .. } | Self::RedrawPose { .. } | Self::EraseStroke { .. } => true,
            Self::SettleStrokes {} | Self::TakeStrokes { .. } => false,
        }
    }

    /// The edit that takes a document's strokes in hand where its pose has become keys; `None` of
    /// one that has none.
    pub(crate) fn take(document: &Document) -> Option<Self> {
        let strokes = &document.pose_strokes;
        if document.live_strokes().is_empty() {
            return None;
        }
        let joints = (0u32..).zip(&strokes.from.joints);
        let posed = joints.filter(|(_, pose)| **pose != JointPose::REST);
        Some(Self::TakeStrokes {
            from: posed.map(|(joint, pose)| (document.joint_ref(joint), *pose)).collect(),
            strokes: strokes.list.iter().map(|of| StrokeText::of(document, of)).collect(),
        })
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::DrawPose { stroke } => format!("Draw {}", stroke.from.0),
            Self::RedrawPose { stroke, .. } => format!("Redraw {}", stroke.from.0),
            Self::EraseStroke { .. } => "Erase a stroke".into(),
            Self::SettleStrokes {} => "Let go of strokes".into(),
            Self::TakeStrokes { .. } => "Take strokes in hand".into(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::DrawPose { stroke } | Self::RedrawPose { stroke, .. } => stroke.bytes(),
            Self::EraseStroke { .. } | Self::SettleStrokes {} => 0,
            Self::TakeStrokes { from, strokes } => {
                from.len() * size_of::<(JointRef, JointPose)>()
                    + strokes.iter().map(StrokeText::bytes).sum::<usize>()
            }
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        let skeleton = &document.character.skeleton;
        let old = &document.pose_strokes;
        let strokes = match self {
            Self::DrawPose { stroke } => {
                old.with(stroke.resolve(document)?, &document.pose, skeleton)
            }
            Self::RedrawPose { number, stroke } => {
                let mut list = in_hand(document, *number)?;
                list[*number] = stroke.resolve(document)?;
                PoseStrokes::again(&old.from, list, skeleton)
            }
            Self::EraseStroke { number } => {
                let mut list = in_hand(document, *number)?;
                list.remove(*number);
                PoseStrokes::again(&old.from, list, skeleton)
            }
            Self::SettleStrokes {} => {
                document.pose_strokes = Arc::default();
                return Ok(());
            }
            Self::TakeStrokes { from, strokes } => {
                let mut pose = Pose::rest(skeleton);
                for (joint, of_joint) in from {
                    let joint = joint.resolve(skeleton).map_err(EditError::Unknown)?;
                    pose.joints[joint as usize] = *of_joint;
                }
                check_pose(document, &pose)?;
                let list = strokes.iter().map(|stroke| stroke.resolve(document));
                let list = list.collect::<Result<_, _>>()?;
                document.pose_strokes =
                    Arc::new(PoseStrokes::again(&Arc::new(pose), list, skeleton));
                return Ok(());
            }
        };
        take_pose(document, Arc::clone(&strokes.made))?;
        document.pose_strokes = Arc::new(strokes);
        Ok(())
    }
}

/// The strokes in hand, among which is that number.
fn in_hand(document: &Document, number: usize) -> Result<Vec<PoseStroke>, EditError> {
    let list = document.live_strokes();
    if number < list.len() {
        return Ok(list.to_vec());
    }
    let fault = match list.len() {
        0 => "no stroke is in hand: the pose was changed since; draw one first".into(),
        len => format!("there is none of number {number}; those in hand are 0 to {}", len - 1),
    };
    Err(EditError::value("number", fault))
}

/// What is wrong with the strokes of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    let strokes = &document.pose_strokes;
    if strokes.list.is_empty() {
        return None;
    }
    let len = document.character.skeleton.len();
    if strokes.are_live(&document.pose) && strokes.from.joints.len() != len {
        return Some(format!("strokes of another skeleton than one of {len} joints"));
    }
    None
}
