//! What a frame on the card takes, and how it is told to the shaders (`frame.wgsl`).

use glam::Vec3;
use sinew::springs::{Hold, Pin, ScaleEdit, SpringFrame, Start, Within};

use crate::kernel::STEP_STRIDE;

/// What the iterations of a frame begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GpuStart<'a> {
    /// The first stage's points: every frame by itself.
    #[default]
    FirstStage,
    /// Other points, which are uploaded.
    Previous(&'a [Vec3]),
    /// What the rig's last frame ended with, which is on the card already. Before the first frame
    /// it is the first stage.
    LastFrame,
}

/// One frame's wishes; where the joints are is the palette's. Nothing in it needs binding again.
#[derive(Clone, Copy, Debug, Default)]
pub struct GpuSpringFrame<'a> {
    /// Where the iterations begin.
    pub start: GpuStart<'a>,
    /// Points that are held.
    pub pins: &'a [Pin],
    /// What may move; `None` is everything.
    pub within: Option<Within<'a>>,
    /// Handles whose scale vectors have another length. Delta mush leaves them out, as on the CPU.
    pub edits: &'a [ScaleEdit],
    /// Iterations at the most; `None` for what the rig was bound with. Delta mush always has that.
    pub iterations: Option<u32>,
    /// Anchored: how much bent skin swells; `None` finds it, so that the body keeps its volume.
    pub swell: Option<f32>,
}

/// All but the palette, which is on the card already or must be uploaded there.
impl<'a> From<&SpringFrame<'a>> for GpuSpringFrame<'a> {
    fn from(frame: &SpringFrame<'a>) -> Self {
        Self {
            start: match frame.start {
                Start::FirstStage => GpuStart::FirstStage,
                Start::Previous(points) => GpuStart::Previous(points),
            },
            pins: frame.pins,
            within: frame.within,
            edits: frame.edits,
            iterations: None,
            swell: frame.swell,
        }
    }
}

/// `Frame` of `frame.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FrameUniform {
    pub num_slots: u32,
    pub num_points: u32,
    pub num_marks: u32,
    pub iterations: u32,
    pub check_iterations: u32,
    pub start_by_slot: u32,
    pub base_by_slot: u32,
    pub units_a_metre: f32,
    pub metres_a_unit: f32,
    pub max_reach: f32,
    pub shortest_step: f32,
    pub smallest_side: f32,
    pub swell: Option<f32>,
}

impl FrameUniform {
    /// As the shaders read it.
    pub(super) fn words(&self) -> [u32; 16] {
        [
            self.num_slots,
            self.num_points,
            self.num_marks,
            self.iterations,
            self.check_iterations,
            self.start_by_slot,
            self.base_by_slot,
            u32::from(self.swell.is_some()),
            self.units_a_metre.to_bits(),
            self.metres_a_unit.to_bits(),
            self.max_reach.to_bits(),
            self.shortest_step.to_bits(),
            self.smallest_side.to_bits(),
            self.swell.unwrap_or(0.0).to_bits(),
            0,
            0,
        ]
    }
}

/// `Step` of `frame.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepUniform {
    pub omega: f32,
    pub index: u32,
    pub check: u32,
    pub is_measured: u32,
}

impl StepUniform {
    /// As the shaders read it, up to the next one.
    pub(super) fn words(&self) -> [u32; STEP_STRIDE as usize / 4] {
        let mut words = [0; STEP_STRIDE as usize / 4];
        words[..4].copy_from_slice(&[
            self.omega.to_bits(),
            self.index,
            self.check,
            self.is_measured,
        ]);
        words
    }
}

const NO_CHECK: u32 = u32::MAX;

/// The iterations of a frame. Only those that someone asks after are measured: the ones after which
/// the threshold is looked at, if there is one, and the last.
pub(super) fn steps(
    omegas: &[f32],
    check_iterations: u32,
    has_threshold: bool,
) -> Vec<StepUniform> {
    let num_steps = omegas.len() as u32;
    (0..num_steps)
        .zip(omegas)
        .map(|(index, &omega)| {
            let before = index / check_iterations * check_iterations;
            let is_check = has_threshold && (index + 1).is_multiple_of(check_iterations);
            StepUniform {
                omega,
                index,
                check: if has_threshold && before > 0 { before - 1 } else { NO_CHECK },
                is_measured: u32::from(is_check || index + 1 == num_steps),
            }
        })
        .collect()
}

/// `Mark` of `frame.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MarkRow {
    pub place: Vec3,
    pub hold_length: f32,
    pub direction: Vec3,
    pub hold_direction: f32,
    pub slot: u32,
    pub point: u32,
    pub flags: u32,
    pub length_factor: f32,
}

impl MarkRow {
    /// As the shaders read it.
    pub(super) fn words(&self) -> [u32; MARK_WORDS] {
        let [x, y, z, w] = self.place.extend(self.hold_length).to_array().map(f32::to_bits);
        let [a, b, c, d] = self.direction.extend(self.hold_direction).to_array().map(f32::to_bits);
        let factor = self.length_factor.to_bits();
        [x, y, z, w, a, b, c, d, self.slot, self.point, self.flags, factor]
    }
}

/// Of a [`MarkRow`].
pub(super) const MARK_WORDS: usize = 12;

const MARK_EDIT: u32 = 1;
const MARK_PLACE: u32 = 2;
const MARK_BASE: u32 = 4;
const MARK_PIN: u32 = 8;
const MARK_SOFT: u32 = 16;
const MARK_DIRECTION: u32 = 32;
const HELD: u32 = MARK_PLACE | MARK_BASE | MARK_PIN | MARK_SOFT;

/// What a frame says of single points: one mark a point at the most, so that invocations do not
/// race.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    pub rows: Vec<MarkRow>,
    pub has_edits: bool,
    pub has_held: bool,
    pub has_soft: bool,
    slot_of_point: Vec<u32>,
    /// `u32::MAX` for none.
    row_of_point: Vec<u32>,
}

impl Marks {
    pub(super) fn new(slot_of_point: Vec<u32>) -> Self {
        let row_of_point = vec![u32::MAX; slot_of_point.len()];
        Self {
            rows: Vec::new(),
            has_edits: false,
            has_held: false,
            has_soft: false,
            slot_of_point,
            row_of_point,
        }
    }

    /// # Panics
    /// If a pin, an edit or a region is not of the bound mesh.
    pub(super) fn set(&mut self, frame: &GpuSpringFrame<'_>) {
        for row in self.rows.drain(..) {
            self.row_of_point[row.point as usize] = u32::MAX;
        }
        self.has_edits = !frame.edits.is_empty();
        self.has_held = frame.within.is_some() || !frame.pins.is_empty();
        self.has_soft = frame.pins.iter().any(|pin| !pin.is_exact());
        for edit in frame.edits {
            let mark = self.mark(edit.point);
            mark.flags |= MARK_EDIT;
            mark.length_factor *= edit.factor();
            if let Some(direction) = edit.unit_direction() {
                mark.flags |= MARK_DIRECTION;
                mark.direction = direction;
            }
        }
        if let Some(Within { region, base }) = frame.within {
            let num_points = self.slot_of_point.len();
            assert_eq!(region.num_mesh_points(), num_points, "a region of the bound mesh");
            assert!(base.is_none_or(|base| base.len() == num_points), "one base position a point");
            for point in (0..num_points as u32).filter(|&point| !region.is_free(point)) {
                let at = base.map(|base| base[point as usize]);
                self.hold(point, at, if at.is_some() { MARK_PLACE } else { MARK_BASE });
            }
        }
        for pin in frame.pins {
            match pin.hold {
                Hold::Exact => self.hold(pin.point, Some(pin.position), MARK_PLACE | MARK_PIN),
                Hold::Soft { length, direction } => {
                    // Outside of a region a soft pin has nothing to say.
                    if frame.within.is_none_or(|within| within.region.is_free(pin.point)) {
                        self.hold(pin.point, Some(pin.position), MARK_SOFT);
                        let mark = self.mark(pin.point);
                        (mark.hold_length, mark.hold_direction) = (length, direction);
                    }
                }
            }
        }
    }

    fn hold(&mut self, point: u32, at: Option<Vec3>, flags: u32) {
        let mark = self.mark(point);
        mark.place = at.unwrap_or_default();
        mark.flags = mark.flags & !HELD | flags;
    }

    fn mark(&mut self, point: u32) -> &mut MarkRow {
        let row = &mut self.row_of_point[point as usize];
        if *row == u32::MAX {
            *row = self.rows.len() as u32;
            self.rows.push(MarkRow {
                place: Vec3::ZERO,
                hold_length: 0.0,
                direction: Vec3::ZERO,
                hold_direction: 0.0,
                slot: self.slot_of_point[point as usize],
                point,
                flags: 0,
                length_factor: 1.0,
            });
        }
        &mut self.rows[*row as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_looked_at_every_sixth_iteration_and_the_last_is_measured() {
        let steps = steps(&[1.0; 14], 6, true);
        let checks: Vec<u32> = steps.iter().map(|step| step.check).collect();
        let none = NO_CHECK;
        assert_eq!(checks, [none, none, none, none, none, none, 5, 5, 5, 5, 5, 5, 11, 11]);
        let measured: Vec<u32> =
            steps.iter().filter(|step| step.is_measured == 1).map(|step| step.index).collect();
        assert_eq!(measured, [5, 11, 13]);
        let without = super::steps(&[1.0; 14], 6, false);
        assert!(without.iter().all(|step| step.check == NO_CHECK));
        assert_eq!(without.iter().filter(|step| step.is_measured == 1).count(), 1);
    }
}
