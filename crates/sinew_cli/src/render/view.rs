//! `--view` and `--size`: from where, and how large.

use sinew_view::camera::Size;

/// No screen or page shows more, and a typing error must not take all memory.
const MAX_SIDE_PX: u32 = 8_192;

/// From which side of the character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// From its front, towards its left.
    pub(crate) yaw_degrees: f32,
    pub(crate) pitch_degrees: f32,
}

/// What people call sides.
const NAMED: [(&str, f32, f32); 8] = [
    ("three-quarter", 32.0, 10.0),
    ("front", 0.0, 4.0),
    ("side", 90.0, 4.0),
    ("left", 90.0, 4.0),
    ("right", -90.0, 4.0),
    ("back", 180.0, 4.0),
    ("top", 0.0, 89.0),
    ("below", 20.0, -35.0),
];

impl Default for View {
    fn default() -> Self {
        let (_, yaw_degrees, pitch_degrees) = NAMED[0];
        Self { yaw_degrees, pitch_degrees }
    }
}

impl std::str::FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(&(_, yaw_degrees, pitch_degrees)) =
            NAMED.iter().find(|(name, ..)| *name == text)
        {
            return Ok(Self { yaw_degrees, pitch_degrees });
        }
        let number = |text: &str| text.trim().parse::<f32>().ok().filter(|n| n.is_finite());
        let angles =
            text.split_once(',').and_then(|(yaw, pitch)| Some((number(yaw)?, number(pitch)?)));
        match angles {
            Some((yaw_degrees, pitch_degrees)) if pitch_degrees.abs() <= 90.0 => {
                Ok(Self { yaw_degrees, pitch_degrees })
            }
            _ => {
                let names = NAMED.map(|(name, ..)| name).join(", ");
                Err(format!(
                    "write one of {names}, or YAW,PITCH in degrees with PITCH from -90 to 90"
                ))
            }
        }
    }
}

/// `WIDTHxHEIGHT`, or one number for both.
pub(crate) fn size(text: &str) -> Result<Size, String> {
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    let side =
        |text: &str| text.parse::<u32>().ok().filter(|side| (1..=MAX_SIDE_PX).contains(side));
    match (side(width), side(height)) {
        (Some(width), Some(height)) => Ok(Size { width, height }),
        _ => Err(format!(
            "write WIDTHxHEIGHT in pixels, each from 1 to {MAX_SIDE_PX}, as in 640x800"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_a_name_or_two_angles() {
        assert_eq!("back".parse::<View>().unwrap().yaw_degrees, 180.0);
        let view: View = "-40, 12.5".parse().unwrap();
        assert_eq!((view.yaw_degrees, view.pitch_degrees), (-40.0, 12.5));
        for bad in ["", "up", "1", "0,91", "nan,0", "0,inf"] {
            assert!(bad.parse::<View>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_size_is_two_numbers_or_one() {
        assert_eq!(size("640x800"), Ok(Size { width: 640, height: 800 }));
        assert_eq!(size("64"), Ok(Size { width: 64, height: 64 }));
        for bad in ["", "0x4", "-1", "9000", "4x", "4x4x4"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
