//! Which joints move skin, by name and structure. Names lie at times: what is left out is said, and
//! can be decided otherwise.

use crate::skeleton::Skeleton;

/// A joint that gets no weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its number.
    pub joint: u32,
    /// Why it got no weights.
    pub reason: &'static str,
}

/// Words of joints that pose others.
const CONTROLS: [&str; 13] = [
    "ik",
    "fk",
    "pole",
    "target",
    "ctrl",
    "control",
    "controller",
    "slot",
    "handslot",
    "socket",
    "effector",
    "attach",
    "mch",
];
/// Words of tips, where nothing hangs on them.
const TIPS: [&str; 4] = ["end", "nub", "headtop", "tip"];
/// Words of what holds everything.
const ROOTS: [&str; 9] =
    ["root", "armature", "master", "global", "origin", "reference", "main", "rig", "scene"];

const HOLDS_EVERYTHING: &str = "holds everything";

/// The words of a name, in small letters: `mixamorig:HeadTop_End` has four.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let starts = letter.is_uppercase() && was_small;
        if !letter.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Joints that do not deform. `decided` goes before what names say; where nothing would be left,
/// nothing is left out.
pub fn left_out(skeleton: &Skeleton, decided: &[(u32, bool)]) -> Vec<LeftOut> {
    let mut has_child = vec![false; skeleton.len()];
    for parent in skeleton.joints().iter().filter_map(|joint| joint.parent) {
        has_child[parent as usize] = true;
    }
    let reason = |joint: u32, holders: &[bool]| {
        if let Some(&(_, deforms)) = decided.iter().find(|(known, _)| *known == joint) {
            return (!deforms).then_some("decided");
        }
        let own = &skeleton.joints()[joint as usize];
        let words = words(&own.name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let is_leaf = !has_child[joint as usize];
        // Mixamo's fourth of a finger is its tip: LeftHandIndex4.
        let is_fourth = own.name.contains("Hand") && own.name.ends_with('4');
        let is_root = !is_leaf && own.parent.is_none_or(|parent| holders[parent as usize]);
        if has(&CONTROLS) {
            Some("poses others")
        } else if is_leaf && (has(&TIPS) || own.name.contains("HeadTop") || is_fourth) {
            Some("the tip of a chain")
        } else if is_root && has(&ROOTS) {
            Some(HOLDS_EVERYTHING)
        } else {
            None
        }
    };
    // One may hang on another: an armature with a root.
    let mut holders = vec![false; skeleton.len()];
    let mut found = Vec::new();
    for joint in 0..skeleton.len() as u32 {
        if let Some(reason) = reason(joint, &holders) {
            holders[joint as usize] = reason == HOLDS_EVERYTHING;
            found.push(LeftOut { joint, reason });
        }
    }
    if found.len() == skeleton.len() { Vec::new() } else { found }
}
