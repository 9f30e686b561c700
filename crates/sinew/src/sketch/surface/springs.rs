//! The paper's way to carry an edit: handles have other scale vectors, and springs do the rest
//! (Toothman and Neff 2019, section 4.1).
//!
//! `F_l` holds each handle at its new length, a tenth of `F_s` softens it, and the region follows
//! by the springs' own forces, run on the region alone until it rests.

use glam::{DVec3, Vec3};

use super::{Patch, SolveError};
use crate::progress::Silent;
use crate::skeleton::{Palette, Pose, Skeleton};
use crate::springs::{
    Hold, Pin, Region, ScaleEdit, SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings,
    Start, Within,
};
use crate::weights::SkinWeights;

/// At the most. A region of ten rings rests after about two hundred.
const ITERATIONS: u32 = 250;
/// Over the region's smallest side: far below what is seen.
const THRESHOLD: f32 = 1e-5;
/// How stiffly a handle keeps its wished length and direction: what one step can follow. At the
/// model's own stiffness the tenth of `F_s` took a quarter of the way back.
const HOLD: f32 = 1.0 / SpringSettings::PAPER_STEP_SECONDS;
/// Of the springs that hold what is passive at its length, over the model's own. At its own a
/// handle stands alone: its neighbours' lengths hold them down, and the edit is a spike.
const PASSIVE_LENGTH: f32 = 0.02;

/// What a handle's scale vector may do to meet its goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ReachBy {
    /// Grow or shrink alone.
    Length,
    /// The edges turn, too.
    #[default]
    Turn,
}

/// A region's springs.
pub(super) struct SpringSystem {
    rig: SpringRig,
    palette: Palette,
    region: Region,
    /// One a handle of the patch: where it holds on to its bone.
    holds: Vec<DVec3>,
    reach: ReachBy,
}

impl SpringSystem {
    pub(super) fn bind(
        patch: &Patch,
        skeleton: &Skeleton,
        weights: Option<&SkinWeights>,
        reach: ReachBy,
    ) -> Result<Self, SolveError> {
        let weights = weights.map(|weights| weights.select_rows(patch.points()));
        let input = SpringInput {
            positions: patch.places(),
            triangles: patch.triangles(),
            weights: weights.as_ref(),
            skeleton,
            pieces: Default::default(),
        };
        let mut settings = SpringSettings {
            iterations: ITERATIONS,
            threshold: THRESHOLD,
            ..SpringSettings::new(SpringModel::Paper)
        };
        settings.coefficients.length = PASSIVE_LENGTH;
        let rig = SpringRig::bind(&input, &settings, &Silent)
            .map_err(|error| SolveError::Springs(error.to_string()))?;
        let mut region = Region::default();
        let mut is_free = vec![false; patch.points().len()];
        for &point in patch.handles().iter().chain(patch.passive()) {
            is_free[point as usize] = true;
        }
        region.fill(is_free.into_iter());
        let holds = patch.handles().iter().map(|&point| rig.hold_of(point)).collect();
        let palette = Palette::new(skeleton, &Pose::rest(skeleton));
        Ok(Self { rig, palette, region, holds, reach })
    }

    /// Where all points of the patch go if its handles want to be somewhere.
    pub(super) fn solve(&self, patch: &Patch, goals: &[DVec3]) -> Vec<Vec3> {
        let rest = patch.places();
        let mut out = rest.to_vec();
        let wishes = patch.handles().iter().zip(&self.holds).zip(goals);
        let pins: Vec<Pin> =
            wishes.map(|((&point, &hold), &goal)| self.pin(point, rest, hold, goal)).collect();
        let edits: Vec<ScaleEdit> =
            patch.handles().iter().map(|&point| ScaleEdit::of(point)).collect();
        let frame = SpringFrame {
            start: Start::Previous(rest),
            within: Some(Within { region: &self.region, base: Some(rest) }),
            edits: &edits,
            pins: &pins,
            ..SpringFrame::new(&self.palette)
        };
        self.rig.deform(&frame, &mut self.rig.scratch(), &mut out);
        out
    }

    fn pin(&self, point: u32, rest: &[Vec3], hold: DVec3, goal: DVec3) -> Pin {
        let own = rest[point as usize].as_dvec3() - hold;
        let (position, direction) = match self.reach {
            ReachBy::Turn => (goal, HOLD),
            ReachBy::Length => {
                let squared = own.length_squared().max(f64::MIN_POSITIVE);
                (hold + own * ((goal - hold).dot(own) / squared).max(0.0), 0.0)
            }
        };
        let hold = Hold::Soft { length: HOLD, direction };
        Pin { point, position: position.as_vec3(), hold }
    }
}
