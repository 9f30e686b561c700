//! What a frame says before its iterations: posed attachments and bones, handles, kinematic points,
//! and what is held.

use glam::Vec3;

use super::kernel::{FrameRow, LANES};
use super::{PaperFrame, PaperScratch, PaperSprings};
use crate::springs::region::HANDLE_EDGE_SHARE;
use crate::springs::{Hold, Pin, Within};

/// A handle's hold on its direction over `F_b` of an `s` at a right angle to its bone.
const HANDLE_AIM: f32 = 10.0;

impl FrameRow {
    /// Turns `s` towards a direction, in place of keeping its angle to the bone.
    fn aim(&mut self, lane: usize, direction: Vec3, stiffness: f32) {
        for (axis, value) in self.axis.iter_mut().zip(direction.to_array()) {
            axis[lane] = value;
        }
        self.own.rest_bend[lane] = 0.0;
        self.own.bone_stiffness[lane] = stiffness;
    }
}

impl PaperSprings {
    /// Places attachments, bones, handles and pins of a frame, for [`Self::forces`];
    /// [`Self::deform`] does it itself.
    ///
    /// # Panics
    /// As [`Self::deform`].
    pub(crate) fn prepare(&self, frame: &PaperFrame<'_>, scratch: &mut PaperScratch) {
        let num_points = self.row_of_point.len();
        assert_eq!(frame.start.len(), num_points, "a start for each bound point");
        assert!(frame.bones.len() >= self.bone_lengths.len(), "a bone for each joint");
        assert_eq!(scratch.frame.len(), self.blocks.len(), "scratch of these springs");
        let [first, second] = &mut scratch.state;
        let rows = self.attachments.chunks_exact(LANES).zip(&mut scratch.frame);
        for (block, ((attachments, frame_row), own)) in rows.zip(&self.points).enumerate() {
            frame_row.own = *own;
            frame_row.mobility = [1.0; LANES];
            frame_row.edge_share = [1.0; LANES];
            for (lane, held) in attachments.iter().enumerate() {
                let bone = &frame.bones[held.joint as usize];
                let posed = self.extent.to_unit_f64(bone.attachment(held.place, held.along));
                first[block * LANES + lane].set_attachment(posed);
                second[block * LANES + lane].set_attachment(posed);
                let direction = bone.direction.as_vec3();
                frame_row.axis[0][lane] = direction.x;
                frame_row.axis[1][lane] = direction.y;
                frame_row.axis[2][lane] = direction.z;
            }
        }
        for edit in frame.edits {
            let row = self.row_of_point[edit.point as usize] as usize;
            let frame_row = &mut scratch.frame[row / LANES];
            frame_row.own.rest_length[row % LANES] *= edit.factor();
            frame_row.edge_share[row % LANES] = HANDLE_EDGE_SHARE;
            if let Some(direction) = edit.unit_direction() {
                let bone = &frame.bones[self.attachments[row].joint as usize];
                let posed = (bone.rotation * direction.as_dvec3()).as_vec3();
                frame_row.aim(row % LANES, posed, self.aim_stiffness(edit.point));
            }
        }
        self.for_each_held(frame, |_, row| {
            scratch.frame[row / LANES].mobility[row % LANES] = 0.0;
        });
        for pin in frame.pins {
            let row = self.row_of_point[pin.point as usize] as usize;
            match pin.hold {
                Hold::Exact => scratch.frame[row / LANES].mobility[row % LANES] = 0.0,
                Hold::Soft { length, direction } if is_free(frame, pin.point) => {
                    let attachment = scratch.state[0][row].attachment();
                    let wish = self.extent.to_unit(pin.position) - attachment;
                    let (frame_row, lane) = (&mut scratch.frame[row / LANES], row % LANES);
                    frame_row.mobility[lane] = 1.0;
                    if length > 0.0 {
                        frame_row.own.rest_length[lane] = wish.length();
                        let own = &mut frame_row.own.length_stiffness[lane];
                        *own = own.max(self.hold_stiffness(length));
                    }
                    if direction > 0.0 {
                        let stiffness = self.hold_stiffness(direction);
                        frame_row.aim(lane, wish.normalize_or_zero(), stiffness);
                    }
                }
                Hold::Soft { .. } => {}
            }
        }
    }

    /// How strongly a handle's direction is held, which takes the place of its angle to the bone.
    /// All of its neighbours' `F_a` acts against it, which at the stiffness of `F_b` left three
    /// quarters of the way.
    pub(super) fn aim_stiffness(&self, point: u32) -> f32 {
        self.bone_scale * self.scales.of_point[point as usize] * HANDLE_AIM
    }

    /// A kinematic point's stiffness: no more than what one step follows to its end without passing
    /// it.
    pub(super) fn hold_stiffness(&self, wanted: f32) -> f32 {
        wanted.min(1.0 / self.scalars.step_seconds)
    }

    /// The pins that count as such, with their rows: soft ones only where the point may move.
    pub(super) fn held_pins<'a>(
        &'a self,
        frame: &PaperFrame<'a>,
    ) -> impl Iterator<Item = (&'a Pin, usize)> + 'a {
        let frame = *frame;
        frame
            .pins
            .iter()
            .filter(move |pin| pin.is_exact() || is_free(&frame, pin.point))
            .map(|pin| (pin, self.row_of_point[pin.point as usize] as usize))
    }

    /// Points, and their rows, that are not in the region.
    pub(super) fn for_each_held(&self, frame: &PaperFrame<'_>, mut run: impl FnMut(usize, usize)) {
        let Some(Within { region, .. }) = frame.within else { return };
        for (point, &row) in (0..).zip(&self.row_of_point) {
            if !region.is_free(point) {
                run(point as usize, row as usize);
            }
        }
    }
}

fn is_free(frame: &PaperFrame<'_>, point: u32) -> bool {
    frame.within.is_none_or(|within| within.region.is_free(point))
}
