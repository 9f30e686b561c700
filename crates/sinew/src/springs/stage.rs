//! What the first stage hands to the springs.

use glam::Vec3;

use super::contact::{Contacts, NO_CONTACT};
use crate::skeleton::Palette;
use crate::skin::bone_smooth::{Layout, StageOut};

/// The first stage's result, in the solver's order of slots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// `x*` and the total twist `ψ` in radians.
    pub target: Vec<[f32; 4]>,
    /// Unit quaternions `xyzw`; their signs vary continuously over the surface.
    pub rotation: Vec<[f32; 4]>,
    /// Unit vectors away from the bone, zero where there is none; the last is how far the point may
    /// be moved along it to make up for lost volume, up to a factor: 0 where it has turned with its
    /// bones.
    pub direction: Vec<[f32; 4]>,
    /// Where the point holds on to its bone; the last is the share of its distance that is left:
    /// below 1 where a stretched bone thins its limb.
    pub attachment: Vec<[f32; 4]>,
    /// What keeps a point from the next bone's skin: a normal, of at most unit length, and the
    /// least product with it.
    pub contact: Vec<[f32; 4]>,
}

impl Stage {
    /// Memory for a number of slots.
    pub fn new(num_slots: usize) -> Self {
        let rows = vec![[0.0; 4]; num_slots];
        Self {
            target: rows.clone(),
            rotation: rows.clone(),
            direction: rows.clone(),
            attachment: rows,
            contact: vec![[0.0, 0.0, 0.0, NO_CONTACT]; num_slots],
        }
    }

    /// `x*` of a slot.
    pub(super) fn position(&self, slot: usize) -> Vec3 {
        let [x, y, z, _] = self.target[slot];
        Vec3::new(x, y, z)
    }

    /// The direction in which a slot may be moved to make up for lost volume, and how far, up to a
    /// factor.
    pub(super) fn give(&self, slot: usize) -> Vec3 {
        let [x, y, z, give] = self.direction[slot];
        give * Vec3::new(x, y, z)
    }

    /// Follows a pose. `layout` and `contacts` are of the same slots.
    pub(super) fn update(&mut self, layout: &Layout, contacts: &Contacts, palette: &Palette) {
        contacts.update(palette, &mut self.contact);
        layout.run(
            palette,
            StageOut {
                target: &mut self.target,
                rotation: &mut self.rotation,
                direction: &mut self.direction,
                attachment: &mut self.attachment,
            },
        );
    }
}
