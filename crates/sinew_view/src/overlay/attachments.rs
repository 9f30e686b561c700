//! Where the skin holds on to its bones: a dot on the bone for each point, and the line from there
//! to the point, which the springs' papers call the scale vector.

use glam::Vec3;
use sinew::attach::Attachments;
use sinew::skeleton::{Palette, Skeleton};

use super::on_posed_bone;
use crate::color::linear_from_hex;
use crate::scene::{Disc, Line, Marks};

/// How attachments look. The joints take the colours in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttachmentStyle {
    /// At most this many vectors, spread over the points.
    pub max_vectors: usize,
    /// Of the vectors.
    pub width_px: f32,
    /// Of the vectors, 0..1.
    pub opacity: f32,
    /// Of the dots.
    pub radius_px: f32,
}

impl Default for AttachmentStyle {
    fn default() -> Self {
        Self { max_vectors: 1_500, width_px: 0.8, opacity: 0.45, radius_px: 1.6 }
    }
}

/// Neighbours on the skeleton differ, and none shouts.
const COLORS: [u32; 6] = [0x3b_6e_a8, 0xc8_6a_3a, 0x4a_8f_6b, 0x8d_5a_97, 0xb0_8a_2e, 0x4f_93_a8];

/// Attachments in a pose. Best in front of all surfaces.
///
/// # Panics
/// If the attachments are not of the deformed points, or the palette is not of the skeleton.
pub fn attachments(
    attachments: &Attachments,
    posed: &[Vec3],
    skeleton: &Skeleton,
    palette: &Palette,
    style: &AttachmentStyle,
) -> Marks {
    let of_point = attachments.of_point();
    assert_eq!(of_point.len(), posed.len(), "attachments of these points");
    assert_eq!(palette.len(), skeleton.len(), "a palette of this skeleton");
    let mut marks = Marks::default();
    let step = of_point.len().div_ceil(style.max_vectors.max(1)).max(1);
    for (attachment, &point) in of_point.iter().zip(posed).step_by(step) {
        let place = on_posed_bone(skeleton, palette, attachment.joint, attachment.along).as_vec3();
        let color = linear_from_hex(COLORS[attachment.joint as usize % COLORS.len()]);
        let with = |opacity: f32| [color.x, color.y, color.z, opacity];
        marks.lines.push(Line {
            ends: [place, point],
            color: with(style.opacity),
            width_px: style.width_px,
        });
        marks.discs.push(Disc { center: place, color: with(1.0), radius_px: style.radius_px });
    }
    marks
}
