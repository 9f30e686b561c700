//! What the solver's thread does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use glam::Vec3;
use sinew::Character;
use sinew::frame::{Frame, Note, Plan, PlanError, Scratch};
use sinew::measure::{CharacterMeasure, CharacterMeasures};
use sinew::progress::Progress;
use sinew_view::materials;
use sinew_view::stage::Stage;

use super::fade::Fade;
use super::{Answer, Job, Shared, Status, Watch};

/// Nothing asked for this long: the hand has let go.
const QUIET: Duration = Duration::from_millis(150);

/// What the thread keeps between jobs.
#[derive(Default)]
pub(super) struct Worker {
    ready: Option<Ready>,
    stage: Option<(Arc<Character>, Stage)>,
    measure: Option<Measured>,
    /// What could not be bound, and why: not tried again at every pose.
    refused: Option<(Job, String)>,
    /// The last job, and when to bind at its rest.
    settles: Option<(Job, Duration)>,
    fade: Option<Fade>,
}

/// A character, bound.
struct Ready {
    plan: Plan,
    notes: Arc<Vec<Note>>,
    scratch: Scratch,
    frame: Arc<Frame>,
    deform_ms: f64,
    bind_ms: f64,
}

/// A character with its figures at a rest.
struct Measured {
    character: Arc<Character>,
    rest: Vec<Vec3>,
    measure: CharacterMeasure,
}

/// What is to be done next.
enum Next {
    Do(Job),
    Settle(Job),
    Fade(Job),
    Close,
}

impl Worker {
    pub(super) fn run(&mut self, shared: &Shared) {
        loop {
            let (job, is_asked) = match self.next(shared) {
                Next::Close => return,
                Next::Do(job) => (job, true),
                Next::Settle(job) => {
                    self.in_peace(shared, &job, |worker| worker.settle(&job, shared));
                    continue;
                }
                Next::Fade(job) => (job, false),
            };
            let answer = self.in_peace(shared, &job, |worker| match is_asked {
                true => worker.answer(&job, shared),
                false => Ok(worker.show(&job, shared)),
            });
            match answer {
                Some(Ok(answer)) => self.post(answer, shared),
                Some(Err(words)) => shared.set_status(words.map_or(Status::Idle, Status::Failed)),
                None => {}
            }
        }
    }

    /// Waits for the next thing to do.
    fn next(&mut self, shared: &Shared) -> Next {
        let mut mailbox = shared.mailbox();
        loop {
            if mailbox.is_closing {
                return Next::Close;
            }
            if let Some(job) = mailbox.job.take() {
                mailbox.status = Status::Deforming;
                if std::mem::take(&mut mailbox.retries) {
                    self.refused = None;
                }
                shared.is_cancelled.store(false, Ordering::Relaxed);
                return Next::Do(job);
            }
            let now = shared.clock.now();
            let due = match (&self.fade, &self.settles) {
                (Some(fade), Some(_)) => fade.next,
                (None, Some((_, due))) => *due,
                (_, None) => {
                    let waited = shared.has_job.wait(mailbox);
                    mailbox = waited.unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            };
            if due <= now {
                let Some((job, _)) = self.settles.clone() else { continue };
                return if self.fade.is_some() { Next::Fade(job) } else { Next::Settle(job) };
            }
            let waited = shared.has_job.wait_timeout(mailbox, due - now);
            mailbox = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A fault of ours in one skin must not take the window, and unsaved work, with it.
    fn in_peace<T>(
        &mut self,
        shared: &Shared,
        job: &Job,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        done.map_err(|_| {
            let words = "a fault of Sinew's own; choose another method, and please report it";
            // What was bound may serve another pose; what was being bound is not tried again by
            // itself.
            let was_bound = self.ready.as_ref().is_some_and(|ready| ready.is_of(job));
            let refused = (!was_bound).then(|| (job.clone(), words.to_owned()));
            *self = Self { refused, ..Self::default() };
            let mut mailbox = shared.mailbox();
            mailbox.is_settling = false;
            drop(mailbox);
            shared.set_status(Status::Failed(words.to_owned()));
        })
        .ok()
    }

    fn post(&mut self, answer: Answer, shared: &Shared) {
        let mut mailbox = shared.mailbox();
        mailbox.is_settling = !answer.is_final && self.settles.is_some();
        mailbox.answer = Some(answer);
        mailbox.status = Status::Idle;
        drop(mailbox);
        (shared.wake)();
    }

    /// `Err(None)` if another binding is wanted instead.
    fn answer(&mut self, job: &Job, shared: &Shared) -> Result<Answer, Option<String>> {
        self.settles = None;
        shared.mailbox().is_settling = false;
        if let Some((refused, words)) = &self.refused
            && refused.binds_as(job)
        {
            return Err(Some(words.clone()));
        }
        self.refused = None;
        self.make_ready(job, shared).map_err(|error| {
            let is_by_user = shared.is_cancelled.load(Ordering::Relaxed);
            let words = match error.is_cancelled() {
                true if is_by_user => "cancelled; choose a method, or Rebind, to go on".to_owned(),
                true => return None,
                false => error.to_string(),
            };
            self.refused = Some((job.clone(), words.clone()));
            Some(words)
        })?;
        shared.set_status(Status::Deforming);
        Ok(self.show(job, shared))
    }

    /// Takes live settings, or binds what must be bound.
    fn make_ready(&mut self, job: &Job, shared: &Shared) -> Result<(), PlanError> {
        if let Some(ready) = &mut self.ready
            && Arc::ptr_eq(ready.plan.character(), &job.character)
            && ready.plan.adjust(&job.rig)?
        {
            return Ok(());
        }
        let watch = Watch { shared, job, is_aside: false };
        watch.report("binding", 0.0);
        self.ready = Some(Ready::bind(self.ready.as_ref(), job, &watch, shared)?);
        self.fade = None;
        Ok(())
    }

    /// The frame of a job, by what is bound.
    fn show(&mut self, job: &Job, shared: &Shared) -> Answer {
        let Self { ready, stage, measure, settles, fade, .. } = self;
        let Some(ready) = ready else { unreachable!("bound before it is shown") };
        ready.run(job, shared);
        let now = shared.clock.now();
        let is_exact = ready.plan.is_exact(&job.base);
        let faded = fade.as_mut().and_then(|fade| fade.over(&ready.frame, now));
        if faded.is_none() {
            *fade = None;
        }
        // What is exact but still fades comes again as well.
        let is_final = faded.is_none() && (is_exact || !job.is_still());
        *settles = (!is_final).then(|| (job.clone(), now + QUIET));
        let frame = faded.unwrap_or_else(|| Arc::clone(&ready.frame));
        let stage = kept_for(stage, &job.character, bind_stage);
        Answer {
            surfaces: stage.surfaces(&frame),
            ground: stage.ground(&frame.bounds()),
            measures: job.measures.then(|| figures(measure, job, &ready.frame)),
            frame,
            notes: Arc::clone(&ready.notes),
            is_final,
            deform_ms: ready.deform_ms,
            bind_ms: ready.bind_ms,
            springs: ready.plan.shared_groups(),
            job: job.clone(),
        }
    }

    /// Binds again at the document's rest.
    fn settle(&mut self, job: &Job, shared: &Shared) {
        self.settles = None;
        shared.is_cancelled.store(false, Ordering::Relaxed);
        let watch = Watch { shared, job, is_aside: true };
        watch.report("binding", 0.0);
        match Ready::bind(self.ready.as_ref(), job, &watch, shared) {
            Ok(mut settled) => {
                settled.run(job, shared);
                if let Some(before) = &self.ready {
                    self.fade = Fade::between(&before.frame, &settled.frame, shared.clock.now());
                }
                self.ready = Some(settled);
                let answer = self.show(job, shared);
                self.post(answer, shared);
            }
            // Another job came, or nobody wants it: what is shown stays.
            Err(_) => {
                shared.mailbox().is_settling = false;
                shared.set_status(Status::Idle);
            }
        }
    }
}

impl Ready {
    fn bind(
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

    fn is_of(&self, job: &Job) -> bool {
        Arc::ptr_eq(self.plan.character(), &job.character) && *self.plan.rig() == *job.rig
    }

    fn run(&mut self, job: &Job, shared: &Shared) {
        let start = shared.clock.now();
        // Whoever still looks at the last frame keeps its points; this one's are written elsewhere.
        let frame = Arc::make_mut(&mut self.frame);
        self.plan.run(&job.controls, &mut self.scratch, frame);
        self.deform_ms = milliseconds(shared.clock.now().saturating_sub(start));
    }
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

/// Against the rest under the same controls.
fn figures(kept: &mut Option<Measured>, job: &Job, frame: &Frame) -> CharacterMeasures {
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

fn bind_stage(character: &Character) -> Stage {
    // Images that cannot be decoded show as clay; `check` tells of them.
    let (shapes, _) = materials::shapes(character);
    Stage::with_shapes(character, shapes)
}

/// What was made of a character, made once.
fn kept_for<'a, T>(
    kept: &'a mut Option<(Arc<Character>, T)>,
    character: &Arc<Character>,
    make: impl FnOnce(&Character) -> T,
) -> &'a T {
    if kept.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, character)) {
        *kept = None;
    }
    &kept.get_or_insert_with(|| (Arc::clone(character), make(character))).1
}
