//! Left and right in the names of joints.

/// A side of a body, as its owner calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Side {
    /// Its own left.
    Left,
    /// Its own right.
    Right,
}

impl Side {
    /// The side that a name says, and the name of the same joint on the other one: `arm_l` and
    /// `arm_r`, `LeftArm` and `RightArm`, `arm.L` and `arm.R`, `l_arm` and `r_arm`, `lArm` and
    /// `rArm`. `None` for a name of neither.
    pub fn of_name(name: &str) -> Option<(Self, String)> {
        const WORDS: [[&str; 2]; 3] = [["left", "right"], ["Left", "Right"], ["LEFT", "RIGHT"]];
        for [left, right] in WORDS {
            for (side, from, to) in [(Self::Left, left, right), (Self::Right, right, left)] {
                if let Some(at) = name.find(from) {
                    let other = format!("{}{to}{}", &name[..at], &name[at + from.len()..]);
                    return Some((side, other));
                }
            }
        }
        let is_mark = |c: char| !c.is_alphanumeric();
        let mut before = None;
        for (at, c) in name.char_indices() {
            let (side, other) = match c {
                'l' => (Self::Left, 'r'),
                'r' => (Self::Right, 'l'),
                'L' => (Self::Left, 'R'),
                'R' => (Self::Right, 'L'),
                _ => {
                    before = Some(c);
                    continue;
                }
            };
            let after = name[at + 1..].chars().next();
            // A letter that stands alone between marks, or a small one before a large one.
            let stands_alone = before.is_none_or(is_mark)
                && after.is_none_or(is_mark)
                && (before.is_some() || after.is_some());
            let leads = c.is_lowercase()
                && before.is_none_or(is_mark)
                && after.is_some_and(char::is_uppercase);
            if stands_alone || leads {
                return Some((side, format!("{}{other}{}", &name[..at], &name[at + 1..])));
            }
            before = Some(c);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_habit_have_partners() {
        for (left, right) in [
            ("arm_l", "arm_r"),
            ("arm.L", "arm.R"),
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("l_thigh_01", "r_thigh_01"),
            ("thigh_l_twist", "thigh_r_twist"),
            ("left hand", "right hand"),
            ("lShldr", "rShldr"),
        ] {
            assert_eq!(Side::of_name(left), Some((Side::Left, right.to_owned())));
            assert_eq!(Side::of_name(right), Some((Side::Right, left.to_owned())));
        }
        for name in ["spine", "l", "collar", "rib", "", "pelvis"] {
            assert_eq!(Side::of_name(name), None, "{name}");
        }
    }
}
