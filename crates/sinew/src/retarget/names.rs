//! Roles by names: Mixamo, CMU, Rigify, VRM, Unreal, 3ds Max Biped, MakeHuman, Quaternius, our
//! samples, and what reads like them.
//!
//! A name is cut into words (`mixamorig:LeftUpLeg`, `DEF-upper_arm.L`, `Bip01 L Thigh`,
//! `J_Bip_L_UpperArm`); prefixes and the side are taken off, and what is left is looked up.

use super::role::{Finger, Role, Roles};
use crate::skeleton::Side;

/// Words that say whose skeleton it is, and nothing of the joint.
const PREFIXES: [&str; 17] = [
    "mixamorig",
    "bip",
    "def",
    "org",
    "j",
    "c",
    "cc",
    "base",
    "rig",
    "bone",
    "joint",
    "jnt",
    "skeleton",
    "armature",
    "valvebiped",
    "character",
    "b",
];
/// Joints with such words help others.
const HELPERS: [&str; 14] = [
    "twist", "roll", "end", "nub", "helper", "ik", "fk", "pole", "target", "ctrl", "mch", "tweak",
    "socket", "offset",
];

/// A name, understood.
#[derive(Debug, PartialEq)]
struct Words {
    /// Without prefixes, side and numbers, joined.
    stem: String,
    side: Option<Side>,
    number: Option<u32>,
    /// True if the name begins with a letter.
    is_plain: bool,
}

impl Words {
    fn of(name: &str) -> Option<Self> {
        let mut stem = String::new();
        let (mut side, mut number) = (None, None);
        for word in words(name) {
            match word.as_str() {
                "left" | "l" => side = Some(Side::Left),
                "right" | "r" => side = Some(Side::Right),
                word if HELPERS.contains(&word) => return None,
                word if PREFIXES.contains(&word) => {}
                "metacarpal" => number = Some(0),
                "proximal" => number = Some(1),
                "intermediate" => number = Some(2),
                "distal" => number = Some(3),
                word if word.starts_with(|c: char| c.is_ascii_digit()) => {
                    // Of Bip01 the first is a prefix's.
                    if !stem.is_empty() || side.is_some() {
                        number = word.parse().ok().or(number);
                    }
                }
                word => stem.push_str(word),
            }
        }
        let is_plain = name.starts_with(|c: char| c.is_alphanumeric());
        Some(Self { stem, side, number, is_plain })
    }
}

/// Words at marks, at digits, and where small letters become large.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let begins = before.is_some_and(|before| {
            let is_hump = letter.is_uppercase()
                && (before.is_lowercase() || after.is_some_and(|after| after.is_lowercase()));
            is_hump || letter.is_ascii_digit() != before.is_ascii_digit()
        });
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Names of limbs, the surest first.
type Names = &'static [&'static str];

const UPPER_ARM: Names = &["upperarm", "uparm", "armupper", "arm", "shoulder"];
const LOWER_ARM: Names = &["forearm", "lowerarm", "loarm", "armlower", "elbow"];
const HAND: Names = &["hand", "wrist", "palm", "fist"];
const SHOULDER: Names = &["clavicle", "collar", "collarbone", "shoulder"];
const UPPER_LEG: Names = &["upperleg", "upleg", "thigh", "legupper", "hip", "leg"];
const LOWER_LEG: Names =
    &["lowerleg", "loleg", "lowleg", "calf", "shin", "leglower", "leg", "knee"];
const FOOT: Names = &["foot", "ankle"];
const TOES: Names = &["toes", "toebase", "ball", "toe"];
const HIPS: Names = &["hips", "pelvis", "hip"];
const NECK: Names = &["neck"];
const HEAD: Names = &["head"];

const FINGERS: [(Finger, &[&str]); 5] = [
    (Finger::Thumb, &["thumb", "handthumb", "thumbfinger"]),
    (Finger::Index, &["index", "handindex", "indexfinger", "findex"]),
    (Finger::Middle, &["middle", "handmiddle", "middlefinger", "fmiddle", "fingers"]),
    (Finger::Ring, &["ring", "handring", "ringfinger", "fring"]),
    (Finger::Little, &["little", "pinky", "handpinky", "handringpinky", "pinkyfinger", "fpinky"]),
];

/// Roles of joints by the names that they have.
pub(super) fn find<'a>(names: impl Iterator<Item = Option<&'a str>>, roles: &mut Roles) {
    let named: Vec<Option<Words>> = names.map(|name| name.and_then(Words::of)).collect();
    let mut finder = Finder { named: &named, roles };
    finder.one(Role::Hips, HIPS, None);
    finder.one(Role::Head, HEAD, None);
    finder.one(Role::Neck, NECK, None);
    for side in [Side::Left, Side::Right] {
        let of = Some(side);
        finder.one(Role::UpperArm(side), UPPER_ARM, of);
        finder.one(Role::LowerArm(side), LOWER_ARM, of);
        finder.one(Role::Hand(side), HAND, of);
        finder.one(Role::Shoulder(side), SHOULDER, of);
        finder.one(Role::UpperLeg(side), UPPER_LEG, of);
        finder.one(Role::LowerLeg(side), LOWER_LEG, of);
        finder.one(Role::Foot(side), FOOT, of);
        finder.one(Role::Toes(side), TOES, of);
        for (finger, names) in FINGERS {
            finder.fingers(side, finger, names);
        }
    }
}

struct Finder<'a> {
    named: &'a [Option<Words>],
    roles: &'a mut Roles,
}

impl Finder<'_> {
    /// The joint of the surest name; of several the one with the lowest number.
    fn one(&mut self, role: Role, names: Names, side: Option<Side>) {
        let rank = |words: &Words| names.iter().position(|name| *name == words.stem);
        let candidates = self.named.iter().enumerate().filter_map(|(joint, words)| {
            let words = words.as_ref().filter(|words| words.side == side)?;
            let joint = joint as u32;
            let is_free = self.roles.role(joint).is_none();
            is_free.then_some((rank(words)?, !words.is_plain, words.number.unwrap_or(0), joint))
        });
        if let Some((.., joint)) = candidates.min() {
            self.roles.set(role, joint);
        }
    }

    /// Up to three joints, in the order of their numbers.
    fn fingers(&mut self, side: Side, finger: Finger, names: &[&str]) {
        let mut found: Vec<(u32, u32)> = self
            .named
            .iter()
            .enumerate()
            .filter_map(|(joint, words)| {
                let words = words.as_ref()?;
                let is_it = words.side == Some(side)
                    && words.is_plain
                    && names.contains(&words.stem.as_str());
                is_it.then_some((words.number.unwrap_or(0), joint as u32))
            })
            .collect();
        found.sort_unstable();
        for (place, (_, joint)) in found.into_iter().take(3).enumerate() {
            self.roles.set(Role::Finger(side, finger, place as u8 + 1), joint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_programs_are_cut_into_words() {
        let cut = |name: &str| {
            let words = Words::of(name).unwrap();
            (words.stem, words.side, words.number)
        };
        let left = Some(Side::Left);
        assert_eq!(cut("mixamorig:LeftUpLeg"), ("upleg".into(), left, None));
        assert_eq!(cut("DEF-upper_arm.L.001"), ("upperarm".into(), left, Some(1)));
        assert_eq!(cut("Bip01 L Thigh"), ("thigh".into(), left, None));
        assert_eq!(cut("J_Bip_L_UpperArm"), ("upperarm".into(), left, None));
        assert_eq!(cut("LThumb"), ("thumb".into(), left, None));
        assert_eq!(cut("index_01_l"), ("index".into(), left, Some(1)));
        assert_eq!(cut("leftIndexProximal"), ("index".into(), left, Some(1)));
        assert_eq!(cut("Hips"), ("hips".into(), None, None));
        assert_eq!(Words::of("upperarm_twist_01_l"), None);
    }
}
