//! Handles of surface edits: their arms have another length, and hold on to it.
//!
//! The first stage's place of a handle is moved along its arm, `x* ← a' + f(x* − a')`, and the
//! length guard with it. "A tenth of the edges' forces" is, in an energy, ten times the anchor:
//! along the arm, and in the length guard, a handle is as stiff as ten of the stiffest anchors.
//! Around the arm it is as free as before, so that it goes where its neighbours relax to.
//!
//! Another direction turns with the point's own rotation; a soft pin moves the place, and with a
//! length held is a handle.
//!
//! The stiffness rides in the lengths of `ŝ` and `n`, which the iterations square, and in a
//! diagonal of its own (the fourth float): a frame without edits pays nothing.

use glam::{Quat, Vec3};

use super::{Anchored, PointSlice};
use crate::springs::frame::{Hold, Pin};
use crate::springs::region::{HANDLE_EDGE_SHARE, ScaleEdit};
use crate::springs::rows::LANES;
use crate::springs::stage::Stage;

/// Over the stiffest anchor of a point that is no handle.
const HANDLE_STIFFNESS: f32 = 1.0 / HANDLE_EDGE_SHARE;

impl Anchored {
    /// Moves the handles' and soft pins' places; before [`Anchored::prepare`].
    ///
    /// # Panics
    /// If an edit or a pin names no point of the mesh.
    pub(crate) fn raise<'a>(
        &self,
        edits: &[ScaleEdit],
        soft_pins: impl Iterator<Item = &'a Pin>,
        stage: &mut Stage,
    ) {
        for edit in edits {
            let slot = self.order.slot_of_point()[edit.point as usize] as usize;
            if let Some(direction) = edit.unit_direction() {
                let arm = stage.position(slot) - place(stage.attachment[slot]);
                let turned = Quat::from_array(stage.rotation[slot]) * direction;
                let at = place(stage.attachment[slot]) + arm.length() * turned;
                move_target(stage, slot, at);
            }
            let attachment = &mut stage.attachment[slot];
            for (x, a) in stage.target[slot].iter_mut().zip(*attachment).take(3) {
                *x = edit.factor().mul_add(*x - a, a);
            }
            attachment[3] *= edit.factor();
        }
        for pin in soft_pins {
            let slot = self.order.slot_of_point()[pin.point as usize] as usize;
            let attachment = place(stage.attachment[slot]);
            let before = stage.position(slot).distance(attachment);
            move_target(stage, slot, pin.position);
            let growth = pin.position.distance(attachment) / before;
            if growth.is_finite() {
                stage.attachment[slot][3] *= growth;
            }
        }
    }

    /// Makes handles hold on to their lengths.
    pub(super) fn stiffen(&self, edits: &[ScaleEdit], pins: &[Pin], points: &mut [PointSlice]) {
        for handle in handles(edits, pins) {
            let slot = self.order.slot_of_point()[handle as usize] as usize;
            let (point, lane) = (&mut points[slot / LANES], slot % LANES);
            let (own, guard) = (point.stiffness[lane], self.anchors[slot / LANES].guard[lane]);
            if own <= 0.0 || guard <= 0.0 {
                continue;
            }
            // Over the length that is there: an edit may name a point again.
            let scale = |own: f32, v: [f32; 3]| {
                let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                if length > 0.0 { (HANDLE_STIFFNESS / own).sqrt() / length } else { 0.0 }
            };
            let of_direction = scale(own, point.direction.map(|lanes| lanes[lane]));
            let of_normal = scale(guard, point.normal.map(|lanes| lanes[lane]));
            for axis in 0..3 {
                point.direction[axis][lane] *= of_direction;
                point.normal[axis][lane] *= of_normal;
            }
            point.least[lane] *= of_normal;
        }
    }

    /// A bound on all springs of a handle's slot.
    pub(crate) fn handle_bound(&self, slot: usize) -> f32 {
        let anchor = &self.anchors[slot / LANES];
        let more = |own: f32| (HANDLE_STIFFNESS - own).max(0.0);
        self.slot_bound(slot)
            + more(anchor.stiffness[slot % LANES]) * self.forces.along_arm
            + more(anchor.guard[slot % LANES]) * self.forces.length
    }

    /// A bound on all springs of a slot.
    pub(crate) fn slot_bound(&self, slot: usize) -> f32 {
        self.anchors[slot / LANES].diagonal[slot % LANES]
    }
}

/// The points that are as stiff along their arms as handles are.
pub(crate) fn handles(edits: &[ScaleEdit], pins: &[Pin]) -> impl Iterator<Item = u32> {
    let is_held = |pin: &&Pin| matches!(pin.hold, Hold::Soft { length, .. } if length > 0.0);
    edits.iter().map(|edit| edit.point).chain(pins.iter().filter(is_held).map(|pin| pin.point))
}

fn place([x, y, z, _]: [f32; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Puts a slot's place somewhere, and has its arm point there.
fn move_target(stage: &mut Stage, slot: usize, at: Vec3) {
    stage.target[slot][..3].copy_from_slice(&at.to_array());
    if let Some(arm) = (at - place(stage.attachment[slot])).try_normalize() {
        stage.direction[slot][..3].copy_from_slice(&arm.to_array());
    }
}
