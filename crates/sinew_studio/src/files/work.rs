//! What follows from a file: opening, saving, exporting.

use std::path::{Path, PathBuf};
use std::sync::mpsc::TryRecvError;

use eframe::egui;
use sinew::sample::SampleKind;
use sinew_editor::project::ProjectError;
use sinew_editor::{
    Document, ExportError, Guard, Opened, Source, Workspace, export_character, export_shown,
};
use sinew_io::ReadOnly;
use sinew_view::camera::Size;
use sinew_view::encode;
use sinew_view::picture::Picture;
use sinew_view::scene::{Overlay, Scene};

use super::{Adds, Dialogs, Finished, NEVER_THERE, PROJECT_EXTENSION, Purpose};
use crate::studio::{Next, Question, Studio, Views};
use crate::viewport::paint;

/// The state of no document.
const NOBODY_WAS_ASKED: u64 = u64::MAX;

/// A project with what a crash left beside it, or a character that is in no project yet. What lies
/// in no file is guarded from the start.
fn read(path: &Path, guard: &Guard) -> Result<Box<Opened>, String> {
    if is_project(path) {
        let opened = Workspace::open(path, guard).map(Box::new);
        return opened.map_err(|error| format!("'{}': {error}", path.display()));
    }
    let document = Source::embed(path).and_then(|source| Document::open(source, None));
    let document = document.map_err(|error| error.to_string())?;
    let mut warnings = Vec::new();
    let workspace = Workspace::untitled(document.clone(), guard, Some(path));
    let workspace = workspace.unwrap_or_else(|error| {
        warnings.push(format!("autosave is off: {error}"));
        Workspace::unguarded(document)
    });
    Ok(Box::new(Opened { workspace, recovery: None, warnings }))
}

fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(PROJECT_EXTENSION))
}

impl Studio {
    /// What the next dialog answers, where the desktop is not asked.
    pub fn answer_next_dialog(&mut self, path: &Path) {
        self.files.answers.push_back(path.to_owned());
    }

    /// Takes a file that was dropped on the window: a motion, a cage, or what is to be opened.
    pub(crate) fn take_dropped(&mut self, path: PathBuf, ctx: &egui::Context) {
        if self.is_motion(&path) {
            self.import_motion(path, ctx);
        } else if self.is_cage(&path) {
            self.import_cage(path, Adds::No, ctx);
        } else {
            // It may be a motion, which loses nothing: what it is, is known once it is read.
            self.files.dropped = Some(path.clone());
            self.start_reading(path, NOBODY_WAS_ASKED, ctx);
        }
    }

    /// Takes what dialogs answered and what was dropped.
    pub(crate) fn take_files(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        if let Some(file) = dropped.first() {
            self.take_dropped(file.path().to_owned(), ctx);
        }
        if let Some(next) = self.files.save_then.take() {
            self.save_and(Some(next), ctx);
        }
        match self.files.over.take() {
            Some((path, next, true)) => self.save_over(&path, next, ctx),
            Some((_, next, false)) => self.ask_name(next, ctx),
            None => {}
        }
        for next in std::mem::take(&mut self.files.later) {
            self.go_on(next, ctx);
        }
        let working = std::mem::take(&mut self.files.working);
        for work in working {
            match work.finished.try_recv() {
                Ok(finished) => self.finish(finished),
                Err(TryRecvError::Empty) => self.files.working.push(work),
                Err(TryRecvError::Disconnected) => {
                    self.toasts.failed(format!("{} ended by a fault of the program", work.words));
                }
            }
        }
        let waiting = std::mem::take(&mut self.files.waiting);
        for dialog in waiting {
            match dialog.answer.try_recv() {
                Ok(Some(path)) => self.chosen(dialog.purpose, &path, ctx),
                Ok(None) | Err(TryRecvError::Disconnected) => {
                    let was_there = self.clock.since(dialog.since) > NEVER_THERE;
                    if !was_there && self.files.dialogs == Dialogs::Desktop {
                        self.files.typed = Some((dialog.purpose, String::new()));
                    }
                }
                Err(TryRecvError::Empty) => self.files.waiting.push(dialog),
            }
        }
        self.take_picture(ctx);
        self.ask_for_path(ctx);
    }

    /// A field for a path, where the desktop has no dialogs.
    fn ask_for_path(&mut self, ctx: &egui::Context) {
        let Some((purpose, mut text)) = self.files.typed.take() else { return };
        let title = match purpose {
            Purpose::Open => "Open a character or a project",
            Purpose::Save(_) => "Save the project",
            Purpose::Export => "Export the posed mesh",
            Purpose::ExportCharacter => "Export the character with its motions",
            Purpose::ImportMotion => "Take the motions of another file",
            Purpose::ImportCage(adds) => adds.title(),
            Purpose::Weights(used) => used.title(),
            Purpose::ExportWeights => "Export the weights",
            Purpose::Picture => "Save the picture",
        };
        let modal = egui::Modal::new(egui::Id::unique("path")).show(ctx, |ui| {
            ui.set_width(420.0);
            ui.heading(title);
            ui.label("This desktop has no file dialog. Type a path:");
            let field = egui::TextEdit::singleline(&mut text).desired_width(f32::INFINITY);
            let field =
                ui.add(field).on_hover_text("From the folder that the studio was started in");
            crate::panels::named(&field, "Path");
            field.request_focus();
            let is_entered = ui.input(|i| i.key_pressed(egui::Key::Enter));
            ui.horizontal(|ui| {
                let can = !text.trim().is_empty();
                let go =
                    ui.add_enabled(can, egui::Button::new("Go")).on_hover_text("Take this path");
                let back = ui.button("Cancel").on_hover_text("Never mind");
                ((go.clicked() || is_entered) && can, back.clicked())
            })
            .inner
        });
        let is_closed = modal.should_close();
        let (goes, goes_back) = modal.inner;
        if goes {
            self.chosen(purpose, Path::new(text.trim()), ctx);
        } else if !goes_back && !is_closed {
            self.files.typed = Some((purpose, text));
        }
    }

    fn chosen(&mut self, purpose: Purpose, path: &Path, ctx: &egui::Context) {
        match purpose {
            Purpose::Open => self.ask_then(Next::Open(path.to_owned()), ctx),
            Purpose::Save(next) => {
                let path = match is_project(path) {
                    true => path.to_owned(),
                    false => path.with_extension(PROJECT_EXTENSION),
                };
                self.save_to(&path, next, ctx);
            }
            Purpose::Export => self.export(path, ctx),
            Purpose::ExportCharacter => self.export_character(path, ctx),
            Purpose::ImportMotion => self.import_motion(path.to_owned(), ctx),
            Purpose::ImportCage(adds) => self.import_cage(path.to_owned(), adds, ctx),
            Purpose::Weights(used) => self.import_weights(path.to_owned(), used, ctx),
            Purpose::ExportWeights => self.export_weights(path, ctx),
            Purpose::Picture => self.picture(path, ctx),
        }
    }

    pub(crate) fn open_later(&mut self, path: &Path) {
        let path = path.to_owned();
        self.ask_or_later(Next::Open(path));
    }

    pub(crate) fn open_sample_later(&mut self, kind: SampleKind) {
        self.ask_or_later(Next::Sample(kind));
    }

    fn ask_or_later(&mut self, next: Next) {
        if self.workspace.editor().is_modified() {
            self.questions.push(Question::Unsaved(next));
        } else {
            self.files.go_on(next);
        }
    }

    /// Opens a character or a project in place of this one, and waits for it. On an error nothing
    /// changes.
    pub fn open(&mut self, path: &Path) {
        let outcome = read(path, &self.guarding());
        let state = self.workspace.editor().state_id();
        self.finish(Finished::Opened { path: path.to_owned(), outcome, state });
    }

    /// The same while the window goes on.
    pub(crate) fn start_opening(&mut self, path: PathBuf, ctx: &egui::Context) {
        let state = self.workspace.editor().state_id();
        self.start_reading(path, state, ctx);
    }

    fn start_reading(&mut self, path: PathBuf, state: u64, ctx: &egui::Context) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let guard = self.guarding();
        self.files.start(ctx, format!("Opening {name}"), move |_| {
            let outcome = read(&path, &guard);
            Finished::Opened { path, outcome, state }
        });
    }

    fn finish(&mut self, finished: Finished) {
        match finished {
            Finished::Opened { path, outcome: Ok(opened), .. }
                if self.is_dropped_motion(&path, &opened) =>
            {
                self.import_opened(*opened);
            }
            Finished::Opened { path, outcome: Ok(mut opened), state } => {
                self.warn(std::mem::take(&mut opened.warnings));
                self.settings.remember(&path);
                self.remember();
                self.arrive(opened, state);
            }
            Finished::Opened { outcome: Err(words), .. } => {
                self.toasts.failed(format!("cannot open {words}"));
            }
            Finished::Exported { path, outcome: Ok(()) } => {
                self.toasts.done(format!("Exported {}", path.display()));
            }
            Finished::Exported { outcome: Err(words), .. } => {
                self.toasts.failed(format!("not exported: {words}"));
            }
            Finished::Imported { outcome } => self.take_motions(outcome),
            Finished::Cage { name, outcome } => self.take_cage(&name, outcome),
            Finished::Weights { outcome } => self.take_weights(outcome),
            Finished::GivenUp => self.toasts.done("Given up; nothing was written"),
        }
    }

    pub(crate) fn open_sample(&mut self, kind: SampleKind) {
        match Document::open(Source::sample(kind), None) {
            Ok(document) => {
                self.switch_to(Workspace::unguarded(document));
                self.guard();
            }
            Err(error) => self.toasts.failed(error.to_string()),
        }
    }

    pub(crate) fn save(&mut self, ctx: &egui::Context) {
        self.save_and(None, ctx);
    }

    fn save_and(&mut self, next: Option<Next>, ctx: &egui::Context) {
        match self.workspace.path().map(Path::to_owned) {
            Some(path) => self.save_to(&path, next, ctx),
            None => self.ask_name(next, ctx),
        }
    }

    fn ask_name(&mut self, next: Option<Next>, ctx: &egui::Context) {
        let name = self.title();
        self.files.ask_save(ctx, &name, next);
    }

    pub(crate) fn save_as(&mut self, ctx: &egui::Context) {
        self.ask_name(None, ctx);
    }

    fn save_to(&mut self, path: &Path, next: Option<Next>, ctx: &egui::Context) {
        match self.workspace.save_as(path) {
            Err(ProjectError::Changed { path }) => {
                self.questions.insert(0, Question::Changed(path, next));
            }
            outcome => self.saved(path, outcome, next, ctx),
        }
    }

    /// Over a file that somebody else has changed: the user said so.
    pub(super) fn save_over(&mut self, path: &Path, next: Option<Next>, ctx: &egui::Context) {
        let outcome = self.workspace.save_over(path);
        self.saved(path, outcome, next, ctx);
    }

    fn saved(
        &mut self,
        path: &Path,
        outcome: Result<Vec<PathBuf>, ProjectError>,
        next: Option<Next>,
        ctx: &egui::Context,
    ) {
        match outcome {
            Ok(asides) => {
                self.toasts.done(format!("Saved {}", path.display()));
                for aside in asides {
                    self.toasts.failed(format!(
                        "Unsaved edits of what was there before are kept as {}",
                        aside.display()
                    ));
                }
                self.settings.remember(path);
                self.remember();
                if let Some(next) = next {
                    self.go_on(next, ctx);
                }
            }
            Err(error) => self.toasts.failed(format!("not saved: {error}")),
        }
    }

    fn export(&mut self, path: &Path, ctx: &egui::Context) {
        let (document, path) = (self.document().clone(), path.to_owned());
        let controls = self.session.playback.controls(&document);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.files.start(ctx, format!("Exporting {name}"), move |watch| {
            let outcome = export_shown(&document, &controls, &path, ReadOnly::Keep, watch);
            if outcome.as_ref().is_err_and(ExportError::is_cancelled) {
                return Finished::GivenUp;
            }
            // What meshes lack is on the screen already.
            let outcome = outcome.map(|_| ()).map_err(|error| error.to_string());
            Finished::Exported { path, outcome }
        });
    }

    fn export_character(&mut self, path: &Path, ctx: &egui::Context) {
        let (document, path) = (self.document().clone(), path.to_owned());
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.files.start(ctx, format!("Exporting {name}"), move |_| {
            let outcome = export_character(&document, &path, ReadOnly::Keep);
            Finished::Exported { path, outcome: outcome.map(|_| ()).map_err(|e| e.to_string()) }
        });
    }

    /// What the first view shows, at twice its size: by who draws it.
    fn picture(&mut self, path: &Path, ctx: &egui::Context) {
        let is_dark = ctx.global_style().visuals.dark_mode;
        match self.still(is_dark) {
            Ok(Still::Drawn(picture)) => self.write_picture(path, &picture),
            Ok(Still::OnItsWay(pending)) => self.files.picture = Some((path.to_owned(), pending)),
            Err(words) => self.toasts.failed(format!("no picture: {words}")),
        }
    }

    /// Writes a picture that has come from the card.
    fn take_picture(&mut self, ctx: &egui::Context) {
        let Some((path, mut pending)) = self.files.picture.take() else { return };
        match pending.poll() {
            Ok(false) => {
                self.files.picture = Some((path, pending));
                ctx.request_repaint();
            }
            Ok(true) => match pending.wait() {
                Ok(picture) => self.write_picture(&path, &picture),
                Err(error) => self.toasts.failed(format!("no picture: {error}")),
            },
            Err(error) => self.toasts.failed(format!("no picture: {error}")),
        }
    }

    fn write_picture(&mut self, path: &Path, picture: &Picture) {
        let outcome = encode::png(picture).map_err(|error| error.to_string()).and_then(|png| {
            sinew_io::write_atomically(path, |file| std::io::Write::write_all(file, &png))
                .map_err(|error| error.to_string())
        });
        match outcome {
            Ok(()) => self.toasts.done(format!("Saved {}", path.display())),
            Err(words) => self.toasts.failed(format!("no picture: {words}")),
        }
    }

    fn still(&mut self, is_dark: bool) -> Result<Still, String> {
        let first = self.views.panes.first();
        let answer = first.answer().ok_or("there is nothing to see yet")?;
        let (coloring, joint) = (self.views.state.coloring, self.session.selection.active);
        let painted = crate::viewport::painted(self);
        let points = first.points();
        let colored = paint::Colored { answer, points, first: None, painted };
        let (mut surfaces, _) = self.views.state.painter.paint(&colored, coloring, joint);
        for &mesh in &self.session.hidden_meshes {
            if let Some(surface) = surfaces.get_mut(mesh) {
                surface.is_shown = false;
            }
        }
        let scene = Scene {
            camera: self.views.navigator.camera(),
            look: crate::theme::look(is_dark, false),
            surfaces,
            overlay: Overlay::default(),
            ground: Some(answer.ground),
        };
        let on_card = answer.on_card.clone();
        let size = self.session.view.size;
        let size = Size { width: 2 * size.width, height: 2 * size.height };
        let Views { canvas, panes, .. } = &mut self.views;
        let pane = panes.pane_mut(0);
        // What is drawn there next is the view again.
        pane.drawn = None;
        let pending = canvas.request_still(&mut pane.target, &scene, on_card.as_ref(), size);
        match pending.map_err(|error| error.to_string())? {
            Some(pending) => Ok(Still::OnItsWay(pending)),
            None => Ok(Still::Drawn(sinew_view::raster::draw(&scene, size))),
        }
    }
}

/// A picture for a file.
enum Still {
    Drawn(Picture),
    OnItsWay(sinew_gpu::render::PendingPicture),
}
