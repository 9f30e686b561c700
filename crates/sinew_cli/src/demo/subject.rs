//! What the demo shows: a sample, a pose that is hard for it, and from where it is looked at.

use sinew::Character;
use sinew::sample::SampleKind;
use sinew::skeleton::Pose;

use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::pose;
use crate::render::view::View;

/// A turn of one joint: its name, the axis, degrees.
type Turn = (&'static str, Axis, f64);

/// One section of the page.
pub(super) struct Subject {
    pub(super) kind: SampleKind,
    /// What the pose is.
    pub(super) what: &'static str,
    pub(super) turns: &'static [Turn],
    pub(super) view: View,
    /// Height of its pictures over their width.
    pub(super) tallness: f32,
}

const fn view(yaw_degrees: f32, pitch_degrees: f32) -> View {
    View { yaw_degrees, pitch_degrees }
}

/// All samples, the ones with the most to see first.
pub(super) const SUBJECTS: &[Subject] = &[
    Subject {
        kind: SampleKind::Human,
        what: "a deep squat, arms raised, forearms twisted",
        turns: HUMAN_SQUAT,
        view: view(38.0, 6.0),
        tallness: 1.25,
    },
    Subject {
        kind: SampleKind::Chibi,
        what: "a high kick",
        turns: CHIBI_KICK,
        view: view(30.0, 6.0),
        tallness: 1.1,
    },
    Subject {
        kind: SampleKind::Arm,
        what: "the elbow bent by 125°, the forearm twisted by 100°, a fist",
        turns: ARM_CURL,
        view: view(20.0, 12.0),
        tallness: 0.9,
    },
    Subject {
        kind: SampleKind::Cylinder,
        what: "bent by 135°",
        turns: &[("bone_1", Axis::X, 135.0)],
        view: view(72.0, 10.0),
        tallness: 1.0,
    },
    Subject {
        kind: SampleKind::Box,
        what: "curled by 65° at each of three joints",
        turns: &[("bone_1", Axis::X, 65.0), ("bone_2", Axis::X, 65.0), ("bone_3", Axis::X, 65.0)],
        view: view(72.0, 10.0),
        tallness: 1.0,
    },
    Subject {
        kind: SampleKind::Plus,
        what: "its four arms curled and twisted",
        turns: PLUS_CURL,
        view: view(30.0, 22.0),
        tallness: 0.9,
    },
    Subject {
        kind: SampleKind::Giant,
        what: "90,000 points in a lunge",
        turns: GIANT_LUNGE,
        view: view(35.0, 6.0),
        tallness: 1.15,
    },
    Subject {
        kind: SampleKind::Snake,
        what: "120,000 points and 98 joints, coiled",
        turns: &[],
        view: view(28.0, 30.0),
        tallness: 0.75,
    },
];

const HUMAN_SQUAT: &[Turn] = &[];
const CHIBI_KICK: &[Turn] = &[];
const ARM_CURL: &[Turn] = &[];
const PLUS_CURL: &[Turn] = &[];
const GIANT_LUNGE: &[Turn] = &[];

/// Turn of each joint of the snake's spine, about its own x axis and z axis.
const SNAKE_COIL_DEGREES: (f64, f64) = (0.0, 0.0);

impl Subject {
    /// The hard pose.
    pub(super) fn pose(&self, character: &Character) -> Result<Pose, Failure> {
        let mut posed = Pose::rest(&character.skeleton);
        for &(joint, axis, degrees) in self.turns {
            pose::turn(character, &mut posed, joint, axis, degrees)?;
        }
        Ok(posed)
    }
}
