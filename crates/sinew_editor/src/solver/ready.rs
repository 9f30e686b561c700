//! What the solver's thread keeps of a character: its plan, its figures, what is drawn of it.

use std::sync::Arc;
use std::time::Duration;

use glam::Vec3;
use sinew::Character;
use sinew::frame::{Frame, Note, Plan, PlanError, Scratch};
use sinew::measure::{CharacterMeasure, CharacterMeasures};
use sinew_view::materials;
use sinew_view::stage::Stage;

use super::{Job, Shared, Watch};

/// A character, bound.
pub(super) struct Ready {
    pub(super) plan: Plan,
    pub(super) notes: Arc<Vec<Note>>,
    scratch: Scratch,
    pub(super) frame: Arc<Frame>,
    pub(super) deform_ms: f64,
    pub(super) bind_ms: f64,
}

/// A character with its figures at a rest.
pub(super) struct Measured {
    character: Arc<Character>,
    rest: Vec<Vec3>,
    measure: CharacterMeasure,
}

impl Ready {
    pub(super) fn bind(
        before: Option<&Self>,
        job: &Job,
        watch: &Watch<'_>,
        shared: &Shared,
    ) -> Result<Self, PlanError> {
        let start = shared.clock.now();
        let before = before.map(|before| &before.plan);
        let plan = Plan::rebind(before, &job.character, &job.rig, &job.base, watch)?;
        let bind_ms = milliseconds(shared.clock.now().saturating_sub(start));
        let (scratch, frame) = (plan.scratch(), Arc::new(plan.frame()));
        Ok(Self { notes: Arc::new(plan.notes()), plan, scratch, frame, deform_ms: 0.0, bind_ms })
    }

    pub(super) fn is_of(&self, job: &Job) -> bool {
        Arc::ptr_eq(self.plan.character(), &job.character) && *self.plan.rig() == *job.rig
    }

    /// Makes a frame here.
    pub(super) fn run(&mut self, job: &Job, shared: &Shared) {
        let start = shared.clock.now();
        // Whoever still looks at the last frame keeps its points; this one's are written elsewhere.
        let frame = Arc::make_mut(&mut self.frame);
        self.plan.run(&job.controls, &mut self.scratch, frame);
        self.deform_ms = milliseconds(shared.clock.now().saturating_sub(start));
    }
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

/// Against the rest under the same controls.
pub(super) fn figures(kept: &mut Option<Measured>, job: &Job, frame: &Frame) -> CharacterMeasures {
    let rest = frame.all_rest();
    let is_of =
        |known: &Measured| Arc::ptr_eq(&known.character, &job.character) && known.rest == rest;
    if !kept.as_ref().is_some_and(is_of) {
        *kept = None;
    }
    let measured = kept.get_or_insert_with(|| Measured {
        character: Arc::clone(&job.character),
        measure: CharacterMeasure::bind_at(&job.character, &rest),
        rest,
    });
    measured.measure.evaluate(&frame.all_points(), frame.palette())
}

pub(super) fn bind_stage(character: &Character) -> Stage {
    // Images that cannot be decoded show as clay; `check` tells of them.
    let (shapes, _) = materials::shapes(character);
    Stage::with_shapes(character, shapes)
}

/// What was made of a character, made once.
pub(super) fn kept_for<'a, T>(
    kept: &'a mut Option<(Arc<Character>, T)>,
    character: &Arc<Character>,
    make: impl FnOnce(&Character) -> T,
) -> &'a T {
    if kept.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, character)) {
        *kept = None;
    }
    &kept.get_or_insert_with(|| (Arc::clone(character), make(character))).1
}
