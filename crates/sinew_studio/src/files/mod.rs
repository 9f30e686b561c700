//! Files: dialogs of the desktop, and what is on its way. What follows from a file is in `work`.

mod arrival;
mod cage;
mod motion;
mod weights;
mod work;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eframe::egui;
use sinew::progress::Progress;
use sinew_editor::seam::Clock as _;
use sinew_editor::{CageEdit, Imported, Opened};
use sinew_gpu::render::PendingPicture;

use crate::clock::StudioClock;
use crate::studio::Next;
pub(crate) use cage::Adds;
use cage::{CAGE_EXTENSIONS, CageRefusal};
use weights::TakenWeights;
pub(crate) use weights::WeightsUse;

/// The ending of project files.
const PROJECT_EXTENSION: &str = "sinew";

/// Who answers a question for a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialogs {
    /// The desktop's own dialogs.
    #[default]
    Desktop,
    /// Answers that were left beforehand
    /// ([`Studio::answer_next_dialog`](crate::Studio::answer_next_dialog)): tests and tours.
    Answered,
}

/// What a dialog was opened for.
#[derive(Clone, Debug, PartialEq)]
enum Purpose {
    Open,
    Save(Option<Next>),
    Export,
    ExportCharacter,
    ImportMotion,
    ImportCage(Adds),
    Weights(WeightsUse),
    ExportWeights,
    Picture,
}

/// A dialog that closes sooner than a hand can was never there: some desktops have none.
const NEVER_THERE: Duration = Duration::from_millis(400);

/// A dialog that is open.
struct Waiting {
    purpose: Purpose,
    answer: Receiver<Option<PathBuf>>,
    since: Duration,
}

/// What came of work on another thread.
enum Finished {
    /// `state` is the document's when it was asked for.
    Opened {
        path: PathBuf,
        outcome: Result<Box<Opened>, String>,
        state: u64,
    },
    Exported {
        path: PathBuf,
        outcome: Result<(), String>,
    },
    Imported {
        outcome: Result<Imported, String>,
    },
    Cage {
        name: String,
        outcome: Result<CageEdit, CageRefusal>,
    },
    Weights {
        outcome: Result<TakenWeights, String>,
    },
    GivenUp,
}

/// Work on another thread.
struct Working {
    words: String,
    watch: Arc<Watch>,
    finished: Receiver<Finished>,
}

/// Where work on another thread says how far it is, and is told to stop.
#[derive(Default)]
pub(crate) struct Watch {
    /// Of what, and how much of it; nothing before the first report.
    done: Mutex<Option<(String, f32)>>,
    is_cancelled: AtomicBool,
    ctx: egui::Context,
}

impl Watch {
    /// What is being done and how much of it is, if that is known.
    pub(crate) fn done(&self) -> Option<(String, f32)> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl Progress for Watch {
    fn report(&self, what: &str, fraction: f32) {
        let done = Some((what.to_owned(), fraction));
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = done;
        self.ctx.request_repaint();
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// Dialogs that are open, files that are on their way, and what waits for the next frame.
#[derive(Default)]
pub(crate) struct Files {
    waiting: Vec<Waiting>,
    /// Where the desktop has no dialogs: what the user types instead.
    typed: Option<(Purpose, String)>,
    working: Vec<Working>,
    later: Vec<Next>,
    save_then: Option<Next>,
    /// A file that changed since it was opened: whether to save over it, or under another name.
    over: Option<(PathBuf, Option<Next>, bool)>,
    /// What was opened while the document was being edited, and whether to recover it.
    arrived: Option<(Box<Opened>, bool)>,
    /// The user knows that what the document is in this state may be lost.
    agreed_state: Option<u64>,
    /// Who answers dialogs.
    dialogs: Dialogs,
    /// What they answer if not the desktop, in this order; nothing left is a dialog that is closed.
    answers: std::collections::VecDeque<PathBuf>,
    /// What was dropped last: it may be a motion.
    dropped: Option<PathBuf>,
    /// A picture on its way from the card, and its file.
    picture: Option<(PathBuf, PendingPicture)>,
    clock: StudioClock,
}

impl Files {
    pub(crate) fn answered_by(dialogs: Dialogs, clock: &StudioClock) -> Self {
        Self { dialogs, clock: clock.clone(), ..Self::default() }
    }

    /// True while a dialog is open.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
            || !self.working.is_empty()
            || self.picture.is_some()
            || !self.later.is_empty()
            || self.save_then.is_some()
            || self.over.is_some()
    }

    /// What is under way, for the status bar.
    pub(crate) fn work(&self) -> Option<(&str, Arc<Watch>)> {
        self.working.first().map(|work| (&*work.words, Arc::clone(&work.watch)))
    }

    /// Does something that takes long while the window goes on.
    fn start(
        &mut self,
        ctx: &egui::Context,
        words: String,
        work: impl FnOnce(&Watch) -> Finished + Send + 'static,
    ) {
        let (sender, finished) = channel();
        let watch = Arc::new(Watch { ctx: ctx.clone(), ..Watch::default() });
        self.working.push(Working { words, watch: Arc::clone(&watch), finished });
        std::thread::spawn(move || {
            _ = sender.send(work(&watch));
            watch.ctx.request_repaint();
        });
    }

    pub(crate) fn ask_open(&mut self, ctx: &egui::Context) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Open a character or a project")
            .add_filter(
                "Characters and projects",
                &["glb", "gltf", "vrm", "obj", "ply", "bvh", "fbx", PROJECT_EXTENSION],
            )
            .add_filter("All files", &["*"]);
        self.ask(ctx, Purpose::Open, async move { dialog.pick_file().await });
    }

    pub(crate) fn ask_import_motion(&mut self, ctx: &egui::Context) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Take the motions of another file")
            .add_filter("Motions", &["bvh", "fbx", "glb", "gltf", "vrm", "vrma"])
            .add_filter("All files", &["*"]);
        self.ask(ctx, Purpose::ImportMotion, async move { dialog.pick_file().await });
    }

    pub(crate) fn ask_import_cage(&mut self, adds: Adds, ctx: &egui::Context) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(adds.title())
            .add_filter("Cages", &CAGE_EXTENSIONS)
            .add_filter("All files", &["*"]);
        self.ask(ctx, Purpose::ImportCage(adds), async move { dialog.pick_file().await });
    }

    fn ask_save(&mut self, ctx: &egui::Context, name: &str, next: Option<Next>) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Save the project")
            .set_file_name(with_ending(name, PROJECT_EXTENSION))
            .add_filter("Sinew project", &[PROJECT_EXTENSION]);
        self.ask(ctx, Purpose::Save(next), async move { dialog.save_file().await });
    }

    pub(crate) fn ask_export(&mut self, ctx: &egui::Context, name: &str) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Export the posed mesh")
            .set_file_name(with_ending(name, "glb"))
            .add_filter("glTF", &["glb", "gltf"])
            .add_filter("Wavefront", &["obj"])
            .add_filter("PLY", &["ply"]);
        self.ask(ctx, Purpose::Export, async move { dialog.save_file().await });
    }

    pub(crate) fn ask_export_character(&mut self, ctx: &egui::Context, name: &str) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Export the character with its motions")
            .set_file_name(with_ending(name, "glb"))
            .add_filter("glTF", &["glb", "gltf"]);
        self.ask(ctx, Purpose::ExportCharacter, async move { dialog.save_file().await });
    }

    pub(crate) fn ask_picture(&mut self, ctx: &egui::Context, name: &str) {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Save the picture")
            .set_file_name(with_ending(name, "png"))
            .add_filter("PNG", &["png"]);
        self.ask(ctx, Purpose::Picture, async move { dialog.save_file().await });
    }

    /// Waits on a thread of its own: the window goes on.
    fn ask(
        &mut self,
        ctx: &egui::Context,
        purpose: Purpose,
        dialog: impl Future<Output = Option<rfd::FileHandle>> + Send + 'static,
    ) {
        let (sender, receiver) = channel();
        self.waiting.push(Waiting { purpose, answer: receiver, since: self.clock.now() });
        if self.dialogs == Dialogs::Answered {
            _ = sender.send(self.answers.pop_front());
            ctx.request_repaint();
            return;
        }
        let ctx = ctx.clone();
        std::thread::spawn(move || {
            let chosen = pollster::block_on(dialog).map(|file| file.path().to_owned());
            _ = sender.send(chosen);
            ctx.request_repaint();
        });
    }

    /// Saves first, then goes on.
    pub(crate) fn after_saving(&mut self, next: Next) {
        self.save_then = Some(next);
    }

    /// Saves over a file that has changed since, or asks for another name.
    pub(crate) fn after_change(&mut self, path: PathBuf, next: Option<Next>, is_over: bool) {
        self.over = Some((path, next, is_over));
    }

    pub(crate) fn forget_arrived(&mut self) {
        self.arrived = None;
    }

    /// The document may be lost as it is in this state.
    pub(crate) fn agree(&mut self, state: u64) {
        self.agreed_state = Some(state);
    }

    pub(crate) fn go_on(&mut self, next: Next) {
        self.later.push(next);
    }
}

fn with_ending(name: &str, ending: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    format!("{stem}.{ending}")
}
