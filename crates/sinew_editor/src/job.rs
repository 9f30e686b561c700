//! What takes long: off the thread, with progress and cancel.
//!
//! A job reads what it was given (a document's layers are behind `Arc`, so that a copy costs
//! nothing) and changes nothing. What it found enters a document as *edits*, in one step
//! ([`Job::enter`]): undo, journal and replay have the result and never compute it again.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sinew::progress::Progress;

use crate::edit::{Edit, EditError};
use crate::editor::Editor;
use crate::seam::{Executor, Running};

/// Work that was started, and what comes of it. Dropped, it is cancelled, and nobody waits for it.
#[derive(Debug)]
pub struct Job<T> {
    label: String,
    shared: Arc<Shared<T>>,
    running: Option<Handle>,
}

/// What a job that changes a document has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What the history calls the step.
    pub label: String,
    /// In their order.
    pub edits: Vec<Edit>,
}

/// Why a job's result is not in the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// Nobody wanted it any longer.
    #[error("cancelled")]
    Cancelled,
    /// It could not be done: why, and what to do.
    #[error("{0}")]
    Failed(String),
    /// The document has become another one meanwhile, and the result is none of it.
    #[error("it does not fit what was edited meanwhile: {0}")]
    Outdated(EditError),
}

struct Handle(Box<dyn Running>);

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Running")
    }
}

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    is_cancelled: AtomicBool,
}

#[derive(Debug)]
struct State<T> {
    what: String,
    fraction: f32,
    is_over: bool,
    outcome: Option<T>,
}

impl<T> Shared<T> {
    /// A job that panicked leaves its last words whole.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send> Progress for Shared<T> {
    fn report(&self, what: &str, fraction: f32) {
        let mut state = self.state();
        if state.what != what {
            what.clone_into(&mut state.what);
        }
        state.fraction = fraction;
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// Says that it is over however the work ends, and wakes who waits for it.
struct Over<T, W: Fn()> {
    shared: Arc<Shared<T>>,
    wake: W,
}

impl<T, W: Fn()> Drop for Over<T, W> {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        (self.wake)();
    }
}

impl<T: Send + 'static> Job<T> {
    /// Starts work elsewhere; `wake` is called there once it is over.
    ///
    /// # Errors
    /// If the system has no thread left.
    pub fn start(
        executor: &dyn Executor,
        label: &str,
        wake: impl Fn() + Send + 'static,
        work: impl FnOnce(&dyn Progress) -> T + Send + 'static,
    ) -> io::Result<Self> {
        let state = State { what: label.to_owned(), fraction: 0.0, is_over: false, outcome: None };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), is_cancelled: AtomicBool::new(false) });
        let over = Over { shared: Arc::clone(&shared), wake };
        let work = Box::new(move || {
            let outcome = work(&*over.shared);
            over.shared.state().outcome = Some(outcome);
            drop(over);
        });
        let running = Some(Handle(executor.start(label, work)?));
        Ok(Self { label: label.to_owned(), shared, running })
    }

    /// What it is.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What it is at, and how far, from 0 to 1.
    pub fn progress(&self) -> (String, f32) {
        let state = self.shared.state();
        (state.what.clone(), state.fraction)
    }

    /// Tells it that nobody wants its result any longer; it ends when it next asks.
    pub fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// True once it has ended, in whatever way.
    pub fn is_over(&self) -> bool {
        self.shared.state().is_over
    }

    /// What came of it, once: `None` while it runs, and after it was taken.
    ///
    /// # Panics
    /// If the work did.
    pub fn take(&mut self) -> Option<T> {
        if !self.is_over() {
            return None;
        }
        if let Some(Handle(running)) = self.running.take() {
            running.join();
        }
        self.shared.state().outcome.take()
    }
}

impl Job<Result<Found, JobError>> {
    /// Enters the result into a document, as one step; `None` while it is not there, and while a
    /// drag is under way, which is not to be cut in two.
    pub fn enter(&mut self, editor: &mut Editor) -> Option<Result<(), JobError>> {
        if editor.is_open() {
            return None;
        }
        let found = match self.take()? {
            Ok(found) if !self.shared.is_cancelled() => found,
            Ok(_) => return Some(Err(JobError::Cancelled)),
            Err(error) => return Some(Err(error)),
        };
        editor.begin(Some(&found.label));
        let entered = editor.replace(found.edits);
        if entered.is_err() {
            editor.cancel();
        } else {
            editor.commit();
        }
        Some(entered.map_err(JobError::Outdated))
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use sinew::sample::SampleKind;

    use super::*;
    use crate::seam::Threads;
    use crate::{Document, MeshRef, PoseEdit, RigEdit, Source};

    type Work = Box<dyn FnOnce() + Send>;

    /// Runs work when it is told to, on the thread that tells it.
    #[derive(Default)]
    struct Later(Mutex<Vec<Work>>);

    struct Done;

    impl Running for Done {
        fn join(self: Box<Self>) {}
    }

    impl Executor for Later {
        fn start(&self, _: &str, work: Work) -> io::Result<Box<dyn Running>> {
            self.0.lock().unwrap().push(work);
            Ok(Box::new(Done))
        }
    }

    impl Later {
        fn run(&self) {
            let works: Vec<_> = self.0.lock().unwrap().drain(..).collect();
            works.into_iter().for_each(|work| work());
        }
    }

    fn editor() -> Editor {
        Editor::new(Document::open(Source::sample(SampleKind::Box), None).unwrap())
    }

    /// A job that paints a mesh with as many numbers as it has points.
    fn painting(executor: &dyn Executor, editor: &Editor) -> Job<Result<Found, JobError>> {
        let document = editor.document().clone();
        let work = move |progress: &dyn Progress| {
            progress.report("painting", 0.5);
            if progress.is_cancelled() {
                return Err(JobError::Cancelled);
            }
            let num_points = document.character().parts[0].mesh.points().len();
            let (mesh, stiffness) = (MeshRef::of(document.character(), 0), vec![2.0; num_points]);
            let edits = vec![RigEdit::PaintStiffness { mesh, stiffness }.into()];
            Ok(Found { label: "Paint".into(), edits })
        };
        Job::start(executor, "paint", || {}, work).unwrap()
    }

    #[test]
    fn a_result_enters_as_one_step_that_the_journal_has() {
        let (later, mut editor) = (Later::default(), editor());
        let before = editor.document().clone();
        let mut job = painting(&later, &editor);
        assert!(job.enter(&mut editor).is_none() && !job.is_over());
        later.run();
        assert_eq!(job.progress(), ("painting".into(), 0.5));
        assert_eq!(job.enter(&mut editor), Some(Ok(())));
        assert_eq!(job.enter(&mut editor), None);
        let after = editor.document().clone();
        assert_ne!(after, before);
        let entries = editor.take_entries();
        // Undo and replay have the result: nothing runs again.
        editor.undo();
        assert_eq!(*editor.document(), before);
        assert_eq!(editor.replay(&entries, &[]).num_skipped, 0);
        assert_eq!(*editor.document(), after);
        assert!(later.0.lock().unwrap().is_empty());
    }

    #[test]
    fn a_cancelled_job_changes_nothing_whenever_it_was_cancelled() {
        for cancels_late in [false, true] {
            let (later, mut editor) = (Later::default(), editor());
            let before = editor.document().clone();
            let mut job = painting(&later, &editor);
            if cancels_late {
                later.run();
                job.cancel();
            } else {
                job.cancel();
                later.run();
            }
            assert_eq!(job.enter(&mut editor), Some(Err(JobError::Cancelled)));
            assert_eq!(*editor.document(), before);
            assert!(editor.take_entries().is_empty());
        }
    }

    #[test]
    fn a_drag_is_not_cut_in_two() {
        let (later, mut editor) = (Later::default(), editor());
        let mut job = painting(&later, &editor);
        later.run();
        editor.begin(None);
        assert_eq!(job.enter(&mut editor), None);
        editor.commit();
        assert_eq!(job.enter(&mut editor), Some(Ok(())));
    }

    #[test]
    fn what_does_not_fit_the_document_any_more_says_so_and_changes_nothing() {
        let (later, mut editor) = (Later::default(), editor());
        let before = editor.document().clone();
        let work = |_: &dyn Progress| {
            let gone = PoseEdit::RecallPose { name: "wave".into() };
            let joints = Vec::new();
            let edits = vec![PoseEdit::ResetPose { joints }.into(), gone.into()];
            Ok(Found { label: "Recall".into(), edits })
        };
        let mut job = Job::start(&later, "recall", || {}, work).unwrap();
        later.run();
        assert!(matches!(job.enter(&mut editor), Some(Err(JobError::Outdated(_)))));
        assert_eq!(*editor.document(), before);
        assert!(!editor.is_open() && editor.history().done().len() == 0);
    }

    #[test]
    fn a_job_on_a_thread_wakes_who_waits_and_one_that_is_dropped_is_told() {
        let (woken, wakes) = std::sync::mpsc::channel();
        let wake = move || woken.send(()).unwrap();
        let mut job = Job::start(&Threads, "sum", wake, |_| (1..=10).sum::<u32>()).unwrap();
        wakes.recv().unwrap();
        assert_eq!(job.take(), Some(55));

        let (told, words) = std::sync::mpsc::channel();
        let work = move |progress: &dyn Progress| {
            while !progress.is_cancelled() {
                std::thread::yield_now();
            }
            told.send("cancelled").unwrap();
        };
        drop(Job::start(&Threads, "wait", || {}, work).unwrap());
        assert_eq!(words.recv(), Ok("cancelled"));
    }

    #[test]
    #[should_panic(expected = "the work did")]
    fn a_panic_in_the_work_goes_on_where_its_result_is_taken() {
        let (woken, wakes) = std::sync::mpsc::channel();
        let wake = move || woken.send(()).unwrap();
        let work = |_: &dyn Progress| -> u32 { panic!("the work did") };
        let mut job = Job::start(&Threads, "panic", wake, work).unwrap();
        wakes.recv().unwrap();
        job.take();
    }
}
