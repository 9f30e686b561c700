//! The skin of a document, made on a thread of its own: the window never waits for it.
//!
//! [`Solver::ask`] leaves a [`Job`] and returns; a job that was not begun is replaced by the next. The thread binds when the character
//! or its deformation is another one (with progress, and given up as soon as yet another is asked for), deforms, and keeps the newest
//! [`Answer`] until it is taken. Until then the last one stays on the screen.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use glam::Vec3;
use sinew::Character;
use sinew::deform::{BoundCharacter, DeformBindError, DeformScratch};
use sinew::frame::CREASE_DEGREES;
use sinew::measure::{CharacterMeasure, Measures, RigMeasures};
use sinew::mesh::{Aabb, SurfaceNormals};
use sinew::progress::Progress;
use sinew::skeleton::{Palette, Pose};
use sinew::springs::SpringStats;
use sinew_view::materials;
use sinew_view::scene::{Ground, Paint, Surface, SurfaceShape};
use sinew_view::stage::Stage;

use crate::deformation::Deformation;
use crate::document::Document;

/// What to make.
#[derive(Clone, Debug)]
pub struct Job {
    /// Whose skin.
    pub character: Arc<Character>,
    /// How.
    pub deformation: Arc<Deformation>,
    /// Standing how.
    pub pose: Arc<Pose>,
    /// The weights of each mesh's shapes.
    pub shape_weights: Arc<Vec<Vec<f32>>>,
    /// Whether the figures of the result are wanted: they cost about as much as a frame.
    pub measures: bool,
}

impl Job {
    /// A document as it stands, its shapes at rest.
    pub fn of(document: &Document) -> Self {
        let character = document.character();
        let weights = character.parts.iter().map(sinew::Part::rest_shape_weights).collect();
        Self {
            character: Arc::clone(character),
            deformation: Arc::clone(document.deformation()),
            pose: Arc::clone(document.pose()),
            shape_weights: Arc::new(weights),
            measures: false,
        }
    }

    /// True if what was bound for one serves the other.
    fn binds_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.character, &other.character) && self.deformation == other.deformation
    }

    /// The same, but for the springs' iterations: those of most models can be changed after binding.
    fn binds_alike(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.character, &other.character)
            && without_iterations(&self.deformation) == without_iterations(&other.deformation)
    }
}

fn without_iterations(deformation: &Deformation) -> Deformation {
    let mut same = deformation.clone();
    if let Some(springs) = &mut same.springs {
        springs.iterations = 0;
    }
    same
}

/// A skin.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub job: Job,
    /// The joints.
    pub palette: Arc<Palette>,
    /// The welded points of each mesh.
    pub points: Vec<Vec<Vec3>>,
    /// The same, ready to be drawn.
    pub surfaces: Vec<Surface>,
    /// What they stand on.
    pub ground: Ground,
    /// How the springs went.
    pub springs: Option<SpringStats>,
    /// Time that the frame took, shapes and springs and all, without normals.
    pub deform_ms: f64,
    /// Time that binding took, when it was last bound.
    pub bind_ms: f64,
    /// If asked for.
    pub measures: Option<(Measures, RigMeasures)>,
}

/// What the thread is at.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Status {
    /// Nothing to do.
    #[default]
    Idle,
    /// Binding.
    Binding {
        /// Which part of it.
        what: String,
        /// From 0 to 1.
        fraction: f32,
    },
    /// Making a frame.
    Deforming,
    /// The last binding could not be done, or was cancelled: why, and what to do.
    Failed(String),
}

#[derive(Debug, Default)]
struct Mailbox {
    job: Option<Job>,
    answer: Option<Answer>,
    status: Status,
    is_closing: bool,
    /// The user wants what was given up tried again.
    retries: bool,
}

struct Shared {
    mailbox: Mutex<Mailbox>,
    has_job: Condvar,
    is_cancelled: AtomicBool,
    wake: Box<dyn Fn() + Send + Sync>,
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
    thread: Option<JoinHandle<()>>,
}

impl Solver {
    /// Starts the thread; `wake` is called from it whenever there is something new.
    pub fn start(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared {
            mailbox: Mutex::default(),
            has_job: Condvar::new(),
            is_cancelled: AtomicBool::new(false),
            wake: Box::new(wake),
        });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("solver".into());
        let thread = thread.spawn(move || Worker::default().run(&of_thread));
        if let Err(error) = &thread {
            let words = format!("no thread to make skins on: {error}; close other programs");
            shared.set_status(Status::Failed(words));
        }
        Self { shared, thread: thread.ok() }
    }

    /// Leaves a job; one that was not begun is forgotten.
    pub fn ask(&self, job: Job) {
        self.shared.mailbox().job = Some(job);
        self.shared.has_job.notify_one();
    }

    /// The newest answer, once.
    pub fn take(&self) -> Option<Answer> {
        self.shared.mailbox().answer.take()
    }

    /// What it is at.
    pub fn status(&self) -> Status {
        self.shared.mailbox().status.clone()
    }

    /// True while there is something to wait for.
    pub fn is_busy(&self) -> bool {
        let mailbox = self.shared.mailbox();
        mailbox.job.is_some()
            || mailbox.answer.is_some()
            || matches!(mailbox.status, Status::Binding { .. } | Status::Deforming)
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
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Binding tells where it is, and is given up when the user says so or wants something else.
struct Watch<'a> {
    shared: &'a Shared,
    job: &'a Job,
}

impl Progress for Watch<'_> {
    fn report(&self, what: &str, fraction: f32) {
        self.shared.set_status(Status::Binding { what: what.to_owned(), fraction });
    }

    fn is_cancelled(&self) -> bool {
        if self.shared.is_cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let mailbox = self.shared.mailbox();
        mailbox.is_closing || mailbox.job.as_ref().is_some_and(|next| !next.binds_alike(self.job))
    }
}

/// What the thread keeps between jobs.
#[derive(Default)]
struct Worker {
    ready: Option<Ready>,
    stage: Option<(Arc<Character>, Staged)>,
    measure: Option<(Arc<Character>, CharacterMeasure)>,
    /// What could not be bound, and why: not tried again at every pose.
    refused: Option<(Job, String)>,
}

/// A character, bound.
struct Ready {
    job: Job,
    bound: BoundCharacter,
    scratch: DeformScratch,
    bind_ms: f64,
}

impl Worker {
    fn run(&mut self, shared: &Shared) {
        loop {
            let mut mailbox = shared.mailbox();
            while mailbox.job.is_none() && !mailbox.is_closing {
                mailbox = shared.has_job.wait(mailbox).unwrap_or_else(PoisonError::into_inner);
            }
            let Some(job) = mailbox.job.take().filter(|_| !mailbox.is_closing) else { return };
            mailbox.status = Status::Deforming;
            if std::mem::take(&mut mailbox.retries) {
                self.refused = None;
            }
            drop(mailbox);
            shared.is_cancelled.store(false, Ordering::Relaxed);
            let refused = job.clone();
            // A fault of ours in one skin must not take the window, and unsaved work, with it.
            let answer = catch_unwind(AssertUnwindSafe(|| self.answer(job, shared)));
            let answer = answer.unwrap_or_else(|_| {
                let words = "a fault of Sinew's own; choose another method, and please report it";
                // What was bound may serve another pose; what was being bound is not tried again by itself.
                let refused = self.ready.is_none().then(|| (refused, words.to_owned()));
                *self = Self { refused, ..Self::default() };
                Err(Some(words.to_owned()))
            });
            match answer {
                Ok(answer) => {
                    let mut mailbox = shared.mailbox();
                    mailbox.answer = Some(answer);
                    mailbox.status = Status::Idle;
                    drop(mailbox);
                    (shared.wake)();
                }
                Err(words) => shared.set_status(words.map_or(Status::Idle, Status::Failed)),
            }
        }
    }

    /// `Err(None)` if another binding is wanted instead.
    fn answer(&mut self, job: Job, shared: &Shared) -> Result<Answer, Option<String>> {
        if let Some((refused, words)) = &self.refused
            && refused.binds_as(&job)
        {
            return Err(Some(words.clone()));
        }
        self.refused = None;
        let watch = Watch { shared, job: &job };
        let ready = Self::ready(self.ready.take(), &job, &watch).map_err(|error| {
            let is_by_user = shared.is_cancelled.load(Ordering::Relaxed);
            let words = match error.is_cancelled() {
                true if is_by_user => "cancelled; choose a method, or Rebind, to go on".to_owned(),
                true => return None,
                false => error.to_string(),
            };
            self.refused = Some((job.clone(), words.clone()));
            Some(words)
        })?;
        let ready = self.ready.insert(ready);
        shared.set_status(Status::Deforming);
        let palette = Arc::new(Palette::new(&job.character.skeleton, &job.pose));
        let mut points = ready.bound.rest_points();
        let start = Instant::now();
        let springs = ready.bound.deform(&palette, &mut ready.scratch, &mut points);
        let deform_ms = 1e3 * start.elapsed().as_secs_f64();
        let bind_ms = ready.bind_ms;
        let stage = kept_for(&mut self.stage, &job.character, bind_stage);
        let surfaces = stage.surfaces(&points);
        let finite = points.iter().flatten().copied().filter(|p| p.is_finite());
        let ground = stage.stage.ground(&Aabb::around(finite));
        let measures = job.measures.then(|| {
            let measure = kept_for(&mut self.measure, &job.character, CharacterMeasure::bind);
            measure.evaluate(&points.concat(), &palette)
        });
        Ok(Answer { job, palette, points, surfaces, ground, springs, deform_ms, bind_ms, measures })
    }

    /// What was bound before if it serves, or a new binding.
    fn ready(
        before: Option<Ready>,
        job: &Job,
        watch: &Watch<'_>,
    ) -> Result<Ready, DeformBindError> {
        let start = Instant::now();
        let mut ready = match before.map(|before| before.serving(job)) {
            Some(Some(ready)) => ready,
            _ => {
                watch.report("binding", 0.0);
                let deformation = job.deformation.on(&job.character);
                let weights = &job.shape_weights;
                let bound =
                    BoundCharacter::bind_shaped(&job.character, &deformation, weights, watch)?;
                let scratch = bound.scratch();
                let bind_ms = 1e3 * start.elapsed().as_secs_f64();
                Ready { job: job.clone(), bound, scratch, bind_ms }
            }
        };
        if ready.job.shape_weights != job.shape_weights {
            ready.bound.reshape(&job.character, &job.shape_weights, watch)?;
            ready.scratch = ready.bound.scratch();
        }
        ready.job = job.clone();
        Ok(ready)
    }
}

impl Ready {
    /// Itself, if a job needs no binding: another number of iterations does not.
    fn serving(mut self, job: &Job) -> Option<Self> {
        if self.job.binds_as(job) {
            return Some(self);
        }
        let iterations = job.deformation.springs.as_ref()?.iterations;
        (self.job.binds_alike(job) && self.bound.set_iterations(iterations)).then_some(self)
    }
}

/// Stands in for a frame until the solver makes one.
struct Staged {
    stage: Stage,
    shapes: Vec<Arc<SurfaceShape>>,
    normals: Vec<SurfaceNormals>,
}

impl Staged {
    fn surfaces(&self, points: &[Vec<Vec3>]) -> Vec<Surface> {
        let parts = self.shapes.iter().zip(&self.normals).zip(points);
        let surface = |((shape, normals), points): ((_, &SurfaceNormals), &Vec<Vec3>)| Surface {
            shape: Arc::clone(shape),
            positions: Arc::new(points.clone()),
            normals: Arc::new(normals.of_vertices(points)),
            paint: Paint::Material,
            wireframe: None,
        };
        parts.map(surface).collect()
    }
}

fn bind_stage(character: &Character) -> Staged {
    // Images that cannot be decoded show as clay; `check` tells of them.
    let (shapes, _) = materials::shapes(character);
    let normals =
        |part: &sinew::Part| SurfaceNormals::bind(&part.mesh, CREASE_DEGREES.to_radians());
    Staged {
        shapes: shapes.iter().cloned().map(Arc::new).collect(),
        normals: character.parts.iter().map(normals).collect(),
        stage: Stage::with_shapes(character, shapes),
    }
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
