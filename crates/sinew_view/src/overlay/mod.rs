//! What is drawn over a character: its bones, where its skin holds on to them, a cage around it.
//! Each builder makes [`Marks`] that go among the surfaces or in front of them.

mod attachments;
mod cage;
mod skeleton;

pub use attachments::{AttachmentStyle, attachments};
pub use cage::{CageStyle, cage};
pub use skeleton::{BoneShape, BoneStyle, skeleton};

use glam::{DVec3, Vec3};
use sinew::skeleton::{Palette, Skeleton};

use crate::scene::Marks;

impl Marks {
    /// True without a mark.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.discs.is_empty() && self.facets.is_empty()
    }

    /// Adds other marks.
    pub fn append(&mut self, mut other: Self) {
        self.lines.append(&mut other.lines);
        self.discs.append(&mut other.discs);
        self.facets.append(&mut other.facets);
    }
}

/// Head and tail of a joint's bone in a pose.
///
/// # Panics
/// If there is no such joint, or the palette is of another skeleton.
pub fn posed_bone(skeleton: &Skeleton, palette: &Palette, joint: u32) -> [Vec3; 2] {
    [0.0, 1.0].map(|along| on_posed_bone(skeleton, palette, joint, along).as_vec3())
}

/// A place on a joint's bone in a pose; `along` runs from 0 at the head to 1 at the tail.
fn on_posed_bone(skeleton: &Skeleton, palette: &Palette, joint: u32, along: f64) -> DVec3 {
    let [head, tail] = skeleton.bind_bone(joint);
    let moved = palette.model_from_rest()[joint as usize];
    // A bone that its pose stretches reaches to where its child has gone.
    moved.transform_point3(head.lerp(tail, along)) + along * palette.spans()[joint as usize].gap
}
