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
    /// Where it stands in the picture at the head of the page.
    pub(super) in_group: Option<Place>,
}

/// A place in the group.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Metres to the right.
    pub(super) x: f32,
    /// Metres to the front.
    pub(super) z: f32,
    pub(super) turn_degrees: f32,
    /// Of its own size: a group of one height.
    pub(super) scale: f32,
}

const fn view(yaw_degrees: f32, pitch_degrees: f32) -> View {
    View { yaw_degrees, pitch_degrees }
}

/// A sample by its name.
pub(super) fn sample_name(text: &str) -> Result<SampleKind, String> {
    SampleKind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let names = SampleKind::ALL.map(SampleKind::name);
        format!("'{text}' is none of {}", names.join(", "))
    })
}

/// All samples, the ones with the most to see first.
pub(super) const SUBJECTS: &[Subject] = &[
    Subject {
        kind: SampleKind::Human,
        what: "a deep squat, arms raised, forearms twisted",
        turns: HUMAN_SQUAT,
        view: view(38.0, 6.0),
        tallness: 1.25,
        in_group: Some(Place { x: 0.6, z: 0.2, turn_degrees: 8.0, scale: 1.0 }),
    },
    Subject {
        kind: SampleKind::Chibi,
        what: "a high kick",
        turns: CHIBI_KICK,
        view: view(52.0, 6.0),
        tallness: 1.1,
        in_group: Some(Place { x: 1.95, z: 0.2, turn_degrees: -72.0, scale: 1.3 }),
    },
    Subject {
        kind: SampleKind::Soldier,
        what: "on guard: plates, belt, pouches, cape and skirt are shells of their own, which nothing but their weights holds together",
        turns: SOLDIER_GUARD,
        view: view(34.0, 6.0),
        tallness: 1.25,
        in_group: None,
    },
    Subject {
        kind: SampleKind::Suit,
        what: "a bow: coat over vest over shirt, buttons, glasses, hair in pieces",
        turns: SUIT_BOW,
        view: view(48.0, 6.0),
        tallness: 1.15,
        in_group: None,
    },
    Subject {
        kind: SampleKind::Arm,
        what: "the elbow bent by 125°, the forearm twisted by 100°, a fist",
        turns: ARM_CURL,
        view: view(20.0, 12.0),
        tallness: 0.9,
        in_group: None,
    },
    Subject {
        kind: SampleKind::Cylinder,
        what: "bent by 135°",
        turns: &[("bone_1", Axis::X, 135.0)],
        view: view(72.0, 10.0),
        tallness: 1.0,
        in_group: None,
    },
    Subject {
        kind: SampleKind::Box,
        what: "curled by 65° at each of three joints",
        turns: &[("bone_1", Axis::X, 65.0), ("bone_2", Axis::X, 65.0), ("bone_3", Axis::X, 65.0)],
        view: view(72.0, 10.0),
        tallness: 1.0,
        in_group: None,
    },
    Subject {
        kind: SampleKind::Plus,
        what: "its four arms curled and twisted",
        turns: PLUS_CURL,
        view: view(30.0, 22.0),
        tallness: 0.9,
        in_group: None,
    },
    Subject {
        kind: SampleKind::Giant,
        what: "a lunge, the trunk twisted",
        turns: GIANT_LUNGE,
        view: view(35.0, 6.0),
        tallness: 1.15,
        in_group: Some(Place { x: -0.85, z: -0.2, turn_degrees: 14.0, scale: 0.72 }),
    },
    Subject {
        kind: SampleKind::Snake,
        what: "coiled; the paper's springs, taken literally, diverge where slivers meet at its ends",
        turns: &[],
        view: view(28.0, 30.0),
        tallness: 0.75,
        in_group: Some(Place { x: -2.3, z: 0.35, turn_degrees: 0.0, scale: 1.8 }),
    },
];

const HUMAN_SQUAT: &[Turn] = &[
    ("spine_1", Axis::X, 18.0),
    ("spine_2", Axis::X, 12.0),
    ("neck", Axis::X, -14.0),
    ("thigh_l", Axis::X, 105.0),
    ("thigh_r", Axis::X, 105.0),
    ("thigh_l", Axis::Z, 14.0),
    ("thigh_r", Axis::Z, -14.0),
    ("shin_l", Axis::X, 115.0),
    ("shin_r", Axis::X, 115.0),
    ("foot_l", Axis::X, 22.0),
    ("foot_r", Axis::X, 22.0),
    ("clavicle_l", Axis::X, 22.0),
    ("clavicle_r", Axis::X, 22.0),
    ("upper_arm_l", Axis::Z, 70.0),
    ("upper_arm_r", Axis::Z, -70.0),
    ("forearm_l", Axis::X, 45.0),
    ("forearm_r", Axis::X, 45.0),
    ("forearm_twist_l", Axis::Twist, 70.0),
    ("forearm_twist_r", Axis::Twist, -70.0),
];

const CHIBI_KICK: &[Turn] = &[
    ("thigh_l", Axis::X, 110.0),
    ("shin_l", Axis::X, 20.0),
    ("upper_arm_r", Axis::Z, -60.0),
    ("upper_arm_l", Axis::Z, -30.0),
    ("forearm_r", Axis::X, 50.0),
    ("forearm_l", Axis::X, 70.0),
    ("spine", Axis::X, -8.0),
    ("chest", Axis::Twist, 25.0),
];

const SOLDIER_GUARD: &[Turn] = &[
    ("spine_1", Axis::X, 10.0),
    ("spine_2", Axis::Twist, 18.0),
    ("neck", Axis::Twist, -14.0),
    ("thigh_l", Axis::X, 62.0),
    ("shin_l", Axis::X, 70.0),
    ("thigh_r", Axis::X, -14.0),
    ("thigh_r", Axis::Z, -8.0),
    ("shin_r", Axis::X, 30.0),
    ("upper_arm_r", Axis::X, 25.0),
    ("forearm_r", Axis::X, 78.0),
    ("clavicle_l", Axis::X, 12.0),
    ("upper_arm_l", Axis::Z, 30.0),
    ("upper_arm_l", Axis::X, 50.0),
    ("forearm_l", Axis::X, 80.0),
];

const SUIT_BOW: &[Turn] = &[
    ("spine_1", Axis::X, 24.0),
    ("spine_2", Axis::X, 20.0),
    ("spine_3", Axis::X, 10.0),
    ("neck", Axis::X, -16.0),
    ("thigh_l", Axis::X, 42.0),
    ("thigh_r", Axis::X, 8.0),
    ("shin_r", Axis::X, 24.0),
    ("upper_arm_l", Axis::X, 28.0),
    ("forearm_l", Axis::X, 96.0),
    ("upper_arm_r", Axis::Z, -38.0),
    ("upper_arm_r", Axis::X, -20.0),
    ("forearm_r", Axis::X, 34.0),
];

const ARM_CURL: &[Turn] = &[
    ("fore_arm", Axis::X, 125.0),
    ("fore_arm_twist", Axis::Twist, 100.0),
    ("index_0", Axis::X, 60.0),
    ("index_1", Axis::X, 70.0),
    ("middle_0", Axis::X, 60.0),
    ("middle_1", Axis::X, 70.0),
    ("ring_0", Axis::X, 60.0),
    ("ring_1", Axis::X, 70.0),
    ("little_0", Axis::X, 60.0),
    ("little_1", Axis::X, 70.0),
];

const PLUS_CURL: &[Turn] = &[
    ("up_0", Axis::X, 30.0),
    ("up_0", Axis::Twist, 20.0),
    ("up_1", Axis::X, 30.0),
    ("up_1", Axis::Twist, 20.0),
    ("up_2", Axis::X, 30.0),
    ("up_2", Axis::Twist, 20.0),
    ("up_3", Axis::X, 30.0),
    ("up_3", Axis::Twist, 20.0),
    ("left_0", Axis::X, 30.0),
    ("left_0", Axis::Twist, 20.0),
    ("left_1", Axis::X, 30.0),
    ("left_1", Axis::Twist, 20.0),
    ("left_2", Axis::X, 30.0),
    ("left_2", Axis::Twist, 20.0),
    ("left_3", Axis::X, 30.0),
    ("left_3", Axis::Twist, 20.0),
    ("down_0", Axis::X, 30.0),
    ("down_0", Axis::Twist, 20.0),
    ("down_1", Axis::X, 30.0),
    ("down_1", Axis::Twist, 20.0),
    ("down_2", Axis::X, 30.0),
    ("down_2", Axis::Twist, 20.0),
    ("down_3", Axis::X, 30.0),
    ("down_3", Axis::Twist, 20.0),
    ("right_0", Axis::X, 30.0),
    ("right_0", Axis::Twist, 20.0),
    ("right_1", Axis::X, 30.0),
    ("right_1", Axis::Twist, 20.0),
    ("right_2", Axis::X, 30.0),
    ("right_2", Axis::Twist, 20.0),
    ("right_3", Axis::X, 30.0),
    ("right_3", Axis::Twist, 20.0),
];

const GIANT_LUNGE: &[Turn] = &[
    ("thigh_l", Axis::X, 78.0),
    ("shin_l", Axis::X, 80.0),
    ("thigh_r", Axis::X, -18.0),
    ("shin_r", Axis::X, 92.0),
    ("upper_arm_l", Axis::X, -40.0),
    ("upper_arm_r", Axis::X, 30.0),
    ("upper_arm_r", Axis::Z, -30.0),
    ("forearm_r", Axis::X, 75.0),
    ("forearm_l", Axis::X, 60.0),
    ("spine", Axis::Twist, 25.0),
    ("chest", Axis::Twist, 20.0),
    ("chest", Axis::X, 15.0),
];

/// Turn of each joint of the snake's spine: around, and a little upwards, so that it does not lie
/// in itself.
const SNAKE_COIL: [(Axis, f64); 2] = [(Axis::Z, 11.0), (Axis::X, 0.9)];

impl Subject {
    /// The hard pose.
    pub(super) fn pose(&self, character: &Character) -> Result<Pose, Failure> {
        let mut posed = Pose::rest(&character.skeleton);
        for &(joint, axis, degrees) in self.turns {
            pose::turn(character, &mut posed, joint, axis, degrees)?;
        }
        if self.kind == SampleKind::Snake {
            let spine = character.skeleton.joints().iter().map(|joint| joint.name.clone());
            for joint in spine.filter(|name| name.starts_with("spine_")).skip(1) {
                for (axis, degrees) in SNAKE_COIL {
                    pose::turn(character, &mut posed, &joint, axis, degrees)?;
                }
            }
        }
        Ok(posed)
    }
}
