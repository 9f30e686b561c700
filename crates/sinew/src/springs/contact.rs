//! Planes that keep the skins of two bones apart where the joint between them is bent deeply.
//!
//! A plane goes through the joint, across the mean of the bones' directions. A point on the half of
//! a bone that is next to the joint stays on its own side of it, or no farther beyond than at rest.
//! In shallow bends nothing meets, and planes would only be in the way of raised arms: they fade in
//! between 100° and 140°.

use glam::{DQuat, DVec3};

use super::tables::ContactRow;
use crate::attach::Attachment;
use crate::skeleton::{Palette, Skeleton};

/// The least product of a slot without a plane.
pub(crate) const NO_CONTACT: f32 = -1e30;

/// Cosines of the bends between which planes fade in.
pub(crate) const FADE_COSINES: [f64; 2] = [-0.173_648_177_666_930_35, -0.766_044_443_118_978];

/// How much the hinge's own direction counts beside the mean of the bones', which is nothing where
/// they are folded flat.
pub(crate) const FLAT_SHARE: f64 = 1e-3;

/// Bones meet where the gap between them is at most this, over the bone's length.
const MEETING: f64 = 0.02;

/// The planes of a skin, and the slots of a solver that they hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    hinges: Vec<Hinge>,
}

/// Two bones that meet.
#[derive(Clone, Debug)]
struct Hinge {
    parent: u32,
    child: u32,
    /// Where they meet, in the space of the rest points.
    place: DVec3,
    slots: Vec<SlotContact>,
}

#[derive(Clone, Copy, Debug)]
struct SlotContact {
    slot: u32,
    /// 1 on the child's side, −1 on the parent's.
    sign: f64,
    /// How far beyond the plane it is at rest, as a number that is not above 0.
    least: f64,
}

impl Contacts {
    pub(super) fn bind(
        skeleton: &Skeleton,
        attachments: &[Attachment],
        points: &[DVec3],
        point_of_slot: &[u32],
    ) -> Self {
        // By child, since a bone has one joint at its head.
        let mut hinges: Vec<Option<Hinge>> = (0..skeleton.len() as u32)
            .map(|child| {
                let parent = skeleton.joints()[child as usize].parent?;
                let ([_, tail], [head, own_tail]) =
                    (skeleton.bind_bone(parent), skeleton.bind_bone(child));
                let meets = tail.distance(head) <= MEETING * head.distance(own_tail);
                meets.then(|| Hinge { parent, child, place: head, slots: Vec::new() })
            })
            .collect();
        // A tail where several bones begin is no hinge.
        let mut num_of_parent = vec![0; skeleton.len()];
        for hinge in hinges.iter().flatten() {
            num_of_parent[hinge.parent as usize] += 1;
        }
        let child_of: Vec<Option<u32>> = (0..skeleton.len())
            .map(|parent| {
                let mut own = hinges.iter().flatten().filter(|hinge| hinge.parent == parent as u32);
                own.next().filter(|_| num_of_parent[parent] == 1).map(|hinge| hinge.child)
            })
            .collect();
        for (slot, &point) in point_of_slot.iter().enumerate() {
            let held = &attachments[point as usize];
            let (child, sign) = match held.along < 0.5 {
                true => (Some(held.joint), 1.0),
                false => (child_of[held.joint as usize], -1.0),
            };
            let Some(hinge) = child.and_then(|child| hinges[child as usize].as_mut()) else {
                continue;
            };
            hinge.slots.push(SlotContact { slot: slot as u32, sign, least: 0.0 });
        }
        let hinges = hinges.into_iter().flatten().filter(|hinge| !hinge.slots.is_empty());
        let mut contacts = Self { hinges: hinges.collect() };
        contacts.refit(skeleton, |slot| points[point_of_slot[slot] as usize]);
        contacts
    }

    /// Follows points at another rest, and bones that have moved with them. Who is on which side of
    /// which joint stays.
    pub(super) fn refit(&mut self, skeleton: &Skeleton, point_in_slot: impl Fn(usize) -> DVec3) {
        for hinge in &mut self.hinges {
            let axis = |joint| skeleton.bind_axis(joint);
            let normal = (axis(hinge.parent) + axis(hinge.child)).normalize_or_zero();
            [hinge.place, _] = skeleton.bind_bone(hinge.child);
            for contact in &mut hinge.slots {
                let beyond = point_in_slot(contact.slot as usize) - hinge.place;
                contact.least = (contact.sign * normal).dot(beyond).min(0.0);
            }
        }
    }

    /// Follows a pose: normals of at most unit length, and the least product with them.
    pub(super) fn update(&self, palette: &Palette, rows: &mut [[f32; 4]]) {
        for hinge in &self.hinges {
            let axis = |joint: u32| {
                let transform = &palette.model_from_rest()[joint as usize];
                let axis = palette.turns()[joint as usize].twist_axis;
                transform.transform_vector3(axis).normalize_or_zero()
            };
            let (from, to) = (axis(hinge.parent), axis(hinge.child));
            let [shallow, deep] = FADE_COSINES;
            let t = ((shallow - from.dot(to)) / (shallow - deep)).clamp(0.0, 1.0);
            // The force goes with the square of the normal's length.
            let strength = (t * t * (3.0 - 2.0 * t)).sqrt();
            let parent_rotation = palette.rotations()[hinge.parent as usize].map(f64::from);
            let swing_axis = DQuat::from_array(parent_rotation)
                * palette.turns()[hinge.child as usize].swing_axis;
            let mean = from + to + FLAT_SHARE * swing_axis.cross(from);
            let normal = strength * mean.normalize_or_zero();
            let place =
                palette.model_from_rest()[hinge.child as usize].transform_point3(hinge.place);
            for contact in &hinge.slots {
                let row = &mut rows[contact.slot as usize];
                *row = [0.0, 0.0, 0.0, NO_CONTACT];
                if strength > 0.0 {
                    let normal = contact.sign * normal;
                    let least = normal.dot(place) + strength * contact.least;
                    *row = normal.extend(least).as_vec4().to_array();
                }
            }
        }
    }

    /// By slot, for another device.
    pub(super) fn rows(&self, num_slots: usize) -> Vec<Option<ContactRow>> {
        let mut rows = vec![None; num_slots];
        for hinge in &self.hinges {
            for contact in &hinge.slots {
                rows[contact.slot as usize] = Some(ContactRow {
                    parent: hinge.parent,
                    child: hinge.child,
                    place: hinge.place.as_vec3().to_array(),
                    sign: contact.sign as f32,
                    least: contact.least as f32,
                });
            }
        }
        rows
    }
}
