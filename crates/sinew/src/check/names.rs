//! Names of joints: a left one without its right one is a slip of the pen, or a limb that was
//! forgotten.

/// Marks of sides that are words of their own, as programs write them. Case counts: `l` in `leg` is
/// none.
const WORDS: [[&str; 2]; 3] = [["Left", "Right"], ["left", "right"], ["LEFT", "RIGHT"]];
const LETTERS: [[&str; 2]; 2] = [["L", "R"], ["l", "r"]];

/// The name of the joint on the other side; `None` for a name that has no side.
pub(super) fn other_side(name: &str) -> Option<String> {
    for [left, right] in WORDS {
        for (from, to) in [(left, right), (right, left)] {
            if let Some(at) = name.find(from)
                && is_word(name, at, from.len())
            {
                return Some(format!("{}{to}{}", &name[..at], &name[at + from.len()..]));
            }
        }
    }
    for [left, right] in LETTERS {
        for (from, to) in [(left, right), (right, left)] {
            let alone = name.match_indices(from).find(|(at, _)| stands_alone(name, *at));
            if let Some((at, _)) = alone {
                return Some(format!("{}{to}{}", &name[..at], &name[at + 1..]));
            }
        }
    }
    None
}

/// `Left` of `LeftArm` and `mixamorig:Left_Arm`, not of `Leftover` nor `bright`.
fn is_word(name: &str, at: usize, length: usize) -> bool {
    let before = name[..at].chars().next_back();
    let after = name[at + length..].chars().next();
    let starts_upper = name[at..].starts_with(char::is_uppercase);
    before.is_none_or(|c| !c.is_alphabetic() || starts_upper && c.is_lowercase())
        && after.is_none_or(|c| !c.is_alphabetic() || c.is_uppercase())
}

/// A letter between what is neither letter nor digit, at least on one side with a mark: `arm.L`,
/// `L_arm`, `Bip01 L Arm`.
fn stands_alone(name: &str, at: usize) -> bool {
    let is_mark = |c: char| matches!(c, '.' | '_' | '-' | ' ' | ':');
    let before = name[..at].chars().next_back();
    let after = name[at + 1..].chars().next();
    before.is_none_or(is_mark) && after.is_none_or(is_mark) && (before.is_some() || after.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_side_is_found_in_every_convention() {
        for (left, right) in [
            ("arm.L", "arm.R"),
            ("L_arm", "R_arm"),
            ("hand_l_01", "hand_r_01"),
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("left_foot", "right_foot"),
            ("Bip01 L Arm", "Bip01 R Arm"),
            ("upperLeftArm", "upperRightArm"),
        ] {
            assert_eq!(other_side(left).as_deref(), Some(right));
            assert_eq!(other_side(right).as_deref(), Some(left));
        }
    }

    #[test]
    fn names_without_a_side_have_no_other() {
        for name in ["spine", "leg", "tail.001", "Bright", "leftover", "Leftover", "L", "rear", ""]
        {
            assert_eq!(other_side(name), None, "{name}");
        }
    }
}
