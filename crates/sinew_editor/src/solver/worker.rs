//! What the solver's thread does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use sinew::Character;
use sinew::frame::{Frame, PlanError};
use sinew::mesh::Aabb;
use sinew::progress::Progress;
use sinew_view::stage::Stage;

use super::card::{Card, OnCard};
use super::fade::Fade;
use super::reading::{Desk, Wanted};
use super::ready::{Measured, Ready, bind_stage, figures, kept_for, milliseconds};
use super::{Answer, Job, Read, Shared, Status, Watch};

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
    /// Where frames are made if not here.
    desk: Option<Desk>,
    num_made: u64,
}

/// A frame, and where it was made.
struct Made {
    frame: Arc<Frame>,
    bounds: Aabb,
    on_card: Option<OnCard>,
    why_here: Option<String>,
    deform_ms: f64,
}

/// What is to be done next.
enum Next {
    Do(Job),
    Settle(Job),
    Fade(Job),
    /// A frame may have come from the card.
    Read,
    Close,
}

impl Worker {
    pub(super) fn new(card: Option<Box<dyn Card>>) -> Self {
        Self { desk: card.map(Desk::new), ..Self::default() }
    }

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
                Next::Read => match self.read(shared) {
                    // The card has stopped answering: from now on frames are made here.
                    Some(job) => (job, false),
                    None => continue,
                },
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
            let work_due = match (&self.fade, &self.settles) {
                (Some(fade), Some(_)) => Some(fade.next),
                (None, Some((_, due))) => Some(*due),
                (_, None) => None,
            };
            let read_due = self.desk.as_ref().and_then(Desk::due);
            let Some(due) = work_due.into_iter().chain(read_due).min() else {
                let waited = shared.has_job.wait(mailbox);
                mailbox = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if due <= now {
                if read_due == Some(due) {
                    return Next::Read;
                }
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
            let (desk, num_made) = (self.desk.take(), self.num_made);
            *self = Self { refused, desk, num_made, ..Self::default() };
            let mut mailbox = shared.mailbox();
            mailbox.is_settling = false;
            drop(mailbox);
            shared.set_status(Status::Failed(words.to_owned()));
        })
        .ok()
    }

    fn post(&mut self, answer: Answer, shared: &Shared) {
        self.ask_for_read(shared);
        let mut mailbox = shared.mailbox();
        mailbox.is_settling = !answer.is_final && self.settles.is_some();
        mailbox.answer = Some(answer);
        mailbox.status = Status::Idle;
        drop(mailbox);
        (shared.wake)();
    }

    /// Asks the card for the last frame, if somebody wants it.
    fn ask_for_read(&mut self, shared: &Shared) {
        let Some(desk) = &mut self.desk else { return };
        desk.ask(shared.clock.now());
        shared.mailbox().is_reading = desk.is_reading();
    }

    /// Takes what has come from the card; a job that must be shown again without it, if it has
    /// stopped answering.
    fn read(&mut self, shared: &Shared) -> Option<Job> {
        let desk = self.desk.as_mut()?;
        match desk.poll(shared.clock.now()) {
            Ok(None) => return None,
            Ok(Some((Wanted { job, number }, frame))) => {
                let measures = job.measures.then(|| figures(&mut self.measure, &job, &frame));
                let read = Read { job, number, frame: Arc::new(frame), measures };
                shared.mailbox().read = Some(read);
            }
            Err(job) => {
                shared.mailbox().is_reading = false;
                return self.ready.is_some().then_some(job);
            }
        }
        self.ask_for_read(shared);
        (shared.wake)();
        None
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

    /// Makes a frame: on the card, or here where there is none or it cannot.
    fn make(&mut self, job: &Job, shared: &Shared) -> Made {
        let Some(ready) = &mut self.ready else { unreachable!("bound before it is shown") };
        let mut why_here = None;
        if let Some(desk) = &mut self.desk {
            let start = shared.clock.now();
            match desk.make(&ready.plan, &job.controls) {
                Ok(()) => {
                    let (frame, bounds) = desk.card.frame();
                    let deform_ms = milliseconds(shared.clock.now().saturating_sub(start));
                    let (frame, on_card) = (Arc::new(frame), Some(desk.card.skin()));
                    return Made { frame, bounds, on_card, why_here, deform_ms };
                }
                Err(words) => why_here = Some(words),
            }
        }
        ready.run(job, shared);
        Made {
            frame: Arc::clone(&ready.frame),
            bounds: ready.frame.bounds(),
            on_card: None,
            why_here,
            deform_ms: ready.deform_ms,
        }
    }

    /// Shows a frame with what is left of the shape before; true if anything is.
    fn fade(&mut self, made: &mut Made, shared: &Shared) -> bool {
        let now = shared.clock.now();
        let left = self.fade.as_mut().and_then(|fade| fade.left(now));
        let apart = self.fade.as_ref().map(|fade| &fade.apart);
        let is_fading = match (&mut made.on_card, apart, left, &mut self.desk) {
            (Some(on_card), Some(None), Some(share), Some(desk)) => {
                desk.card.fade(share);
                *on_card = desk.card.skin();
                true
            }
            (None, Some(Some(apart)), Some(share), _) => {
                made.frame = Arc::new(made.frame.towards(apart, share));
                made.bounds = made.frame.bounds();
                true
            }
            // At its end, or made elsewhere than what it is to go over from.
            (Some(on_card), Some(_), _, Some(desk)) => {
                desk.card.fade(0.0);
                *on_card = desk.card.skin();
                false
            }
            _ => false,
        };
        if !is_fading {
            self.fade = None;
        }
        is_fading
    }

    /// The frame of a job, by what is bound.
    fn show(&mut self, job: &Job, shared: &Shared) -> Answer {
        let mut made = self.make(job, shared);
        let of_figures = Arc::clone(&made.frame);
        let is_fading = self.fade(&mut made, shared);
        self.num_made += 1;
        let number = self.num_made;
        let is_here = made.on_card.is_none();
        if let Some(desk) = &mut self.desk {
            let wanted = (!is_here && job.reads()).then(|| Wanted { job: job.clone(), number });
            desk.want(wanted);
        }
        let Self { ready, stage, measure, settles, .. } = self;
        let Some(ready) = ready else { unreachable!("bound before it is shown") };
        // What is exact but still fades comes again as well.
        let is_final = !is_fading && (ready.plan.is_exact(&job.base) || !job.is_still());
        *settles = (!is_final).then(|| (job.clone(), shared.clock.now() + QUIET));
        let stage = kept_for(stage, &job.character, bind_stage);
        Answer {
            number,
            surfaces: if is_here { stage.surfaces(&made.frame) } else { stage.bare_surfaces() },
            ground: stage.ground(&made.bounds),
            measures: (is_here && job.measures).then(|| figures(measure, job, &of_figures)),
            frame: made.frame,
            bounds: made.bounds,
            on_card: made.on_card,
            why_here: made.why_here,
            notes: Arc::clone(&ready.notes),
            is_final,
            deform_ms: made.deform_ms,
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
                let now = shared.clock.now();
                let on_card = self.desk.as_mut().map(|d| d.replace(&settled.plan, &job.controls));
                if let Some(Ok(())) = on_card {
                    self.fade = Some(Fade::new(None, now));
                } else {
                    settled.run(job, shared);
                    let before = self.ready.as_ref().map(|before| &before.frame);
                    let apart = before.and_then(|before| settled.frame.apart(before));
                    self.fade = apart.map(|apart| Fade::new(Some(apart), now));
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
