//! The skin of a document, made on a thread of its own: the window never waits for it.
//!
//! [`Solver::ask`] leaves a [`Job`] and returns; a job that was not begun is replaced by the next.
//! The thread binds when the character or its rig is another one (with progress, and given up as
//! soon as yet another is asked for), runs the frame, and keeps the newest [`Answer`] until it is
//! taken. Until then the last one stays on the screen.
//!
//! Settings that are only scales are live ([`sinew::frame::Plan::adjust`]), and another rest is
//! refitted. Where that is only nearly the same, and nobody has asked for anything for a moment,
//! the thread binds again at the rest that is shown, and goes over from the one to the other in a
//! quarter of a second ([`Answer::is_final`]).
//!
//! Where there is a [`Card`] that the views are drawn on, it makes the frames, and the thread is
//! what binds, fits and submits them: an answer then says where they are, and points come only if
//! somebody wants them, later and without anybody waiting ([`Solver::take_read`]).

mod card;
mod fade;
mod job;
mod reading;
mod ready;
mod worker;

pub use card::{Card, OnCard};
pub use job::{Answer, Job, Read, Status};

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use sinew::frame::Controls;
use sinew::progress::Progress;

use crate::seam::{Clock, Executor, Running, SystemClock, Threads};
use worker::Worker;

#[derive(Debug, Default)]
struct Mailbox {
    job: Option<Job>,
    answer: Option<Answer>,
    read: Option<Read>,
    /// A frame is on its way from the card.
    is_reading: bool,
    status: Status,
    /// The last answer is not the final one: another comes by itself.
    is_settling: bool,
    is_closing: bool,
    /// The user wants what was given up tried again.
    retries: bool,
}

struct Shared {
    mailbox: Mutex<Mailbox>,
    has_job: Condvar,
    is_cancelled: AtomicBool,
    wake: Box<dyn Fn() + Send + Sync>,
    clock: Box<dyn Clock>,
}

impl Shared {
    /// A panic while it was held leaves plain data: nothing that could be half done.
    fn mailbox(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_status(&self, status: Status) {
        self.mailbox().status = status;
        (self.wake)();
    }
}

/// A thread that makes skins.
pub struct Solver {
    shared: Arc<Shared>,
    thread: Option<Box<dyn Running>>,
}

impl Solver {
    /// Starts the thread; `wake` is called from it whenever there is something new.
    pub fn start(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self::start_on(&Threads, Box::new(SystemClock::default()), None, wake)
    }

    /// The same on another's thread, by another's clock, and with a card that makes the frames.
    pub fn start_on(
        executor: &dyn Executor,
        clock: Box<dyn Clock>,
        card: Option<Box<dyn Card>>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            mailbox: Mutex::default(),
            has_job: Condvar::new(),
            is_cancelled: AtomicBool::new(false),
            wake: Box::new(wake),
            clock,
        });
        let of_thread = Arc::clone(&shared);
        let thread = executor.start("solver", Box::new(move || Worker::new(card).run(&of_thread)));
        if let Err(error) = &thread {
            let words = format!("no thread to make skins on: {error}; close other programs");
            shared.set_status(Status::Failed(words));
        }
        Self { shared, thread: thread.ok() }
    }

    /// Leaves a job; one that was not begun is forgotten, but for the time that was to pass in it.
    pub fn ask(&self, mut job: Job) {
        let mut mailbox = self.shared.mailbox();
        if let Some(passed) = mailbox.job.as_ref().and_then(|missed| missed.controls.step_seconds)
            && let Some(own) = job.controls.step_seconds
        {
            let step_seconds = Some(own + passed);
            job.controls = Arc::new(Controls { step_seconds, ..Controls::clone(&job.controls) });
        }
        mailbox.job = Some(job);
        drop(mailbox);
        self.shared.has_job.notify_one();
    }

    /// The newest answer, once.
    pub fn take(&self) -> Option<Answer> {
        self.shared.mailbox().answer.take()
    }

    /// The newest frame that was read from a card, once.
    pub fn take_read(&self) -> Option<Read> {
        self.shared.mailbox().read.take()
    }

    /// What it is at.
    pub fn status(&self) -> Status {
        self.shared.mailbox().status.clone()
    }

    /// True while there is something to wait for.
    pub fn is_busy(&self) -> bool {
        let mailbox = self.shared.mailbox();
        let is_at_work = match mailbox.status {
            Status::Binding { .. } | Status::Deforming | Status::Refining { .. } => true,
            Status::Idle | Status::Failed(_) => false,
        };
        let is_under_way = mailbox.is_settling || mailbox.is_reading || is_at_work;
        let is_left = mailbox.job.is_some() || mailbox.answer.is_some() || mailbox.read.is_some();
        is_under_way || is_left
    }

    /// Leaves a job that is tried even if it was given up before.
    pub fn retry(&self, job: Job) {
        self.shared.mailbox().retries = true;
        self.ask(job);
    }

    /// Gives up the binding that is under way.
    pub fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        self.shared.mailbox().is_closing = true;
        self.cancel();
        self.shared.has_job.notify_one();
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// Binding tells where it is, and is given up when the user says so or wants something else.
struct Watch<'a> {
    shared: &'a Shared,
    job: &'a Job,
    /// Nobody waits for it: it gives way to any other job.
    is_aside: bool,
}

impl Progress for Watch<'_> {
    fn report(&self, what: &str, fraction: f32) {
        let status = match self.is_aside {
            true => Status::Refining { fraction },
            false => Status::Binding { what: what.to_owned(), fraction },
        };
        self.shared.set_status(status);
    }

    fn is_cancelled(&self) -> bool {
        if self.shared.is_cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let mailbox = self.shared.mailbox();
        let gives_way = |next: &Job| self.is_aside || !next.binds_alike(self.job);
        mailbox.is_closing || mailbox.job.as_ref().is_some_and(gives_way)
    }
}
