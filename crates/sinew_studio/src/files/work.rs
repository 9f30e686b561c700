//! What follows from a file: opening, saving, exporting, recovering.

use std::path::{Path, PathBuf};
use std::sync::mpsc::TryRecvError;

use eframe::egui;
use sinew::sample::SampleKind;
use sinew_editor::{Document, ExportError, Opened, Source, Workspace, export_shown};
use sinew_view::camera::front_yaw_radians;
use sinew_view::encode;

use super::{Dialogs, Finished, NEVER_THERE, PROJECT_EXTENSION, Purpose};
use crate::studio::{Next, Question, Studio};

/// A project with what a crash left beside it, or a character that is in no project yet.
fn read(path: &Path) -> Result<Box<Opened>, String> {
    if is_project(path) {
        let opened = Workspace::open(path).map(Box::new);
        return opened.map_err(|error| format!("'{}': {error}", path.display()));
    }
    let document = Source::embed(path).and_then(|source| Document::open(source, None));
    let document = document.map_err(|error| error.to_string())?;
    let workspace = Workspace::unguarded(document);
    Ok(Box::new(Opened { workspace, recovery: None, warnings: Vec::new() }))
}

fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(PROJECT_EXTENSION))
}

impl Studio {
    /// What the next dialog answers, where the desktop is not asked.
    pub fn answer_next_dialog(&mut self, path: &Path) {
        self.files.answers.push_back(path.to_owned());
    }

    /// Takes what dialogs answered and what was dropped.
    pub(crate) fn take_files(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        if let Some(file) = dropped.first() {
            let path = file.path().to_owned();
            self.ask_then(Next::Open(path), ctx);
        }
        if let Some(next) = self.files.save_then.take() {
            self.save_and(Some(next), ctx);
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
                    let was_there = dialog.since.elapsed() > NEVER_THERE;
                    if !was_there && self.files.dialogs == Dialogs::Desktop {
                        self.files.typed = Some((dialog.purpose, String::new()));
                    }
                }
                Err(TryRecvError::Empty) => self.files.waiting.push(dialog),
            }
        }
        self.ask_for_path(ctx);
    }

    /// A field for a path, where the desktop has no dialogs.
    fn ask_for_path(&mut self, ctx: &egui::Context) {
        let Some((purpose, mut text)) = self.files.typed.take() else { return };
        let title = match purpose {
            Purpose::Open => "Open a character or a project",
            Purpose::Save(_) => "Save the project",
            Purpose::Export => "Export the posed mesh",
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
        self.finish(Finished::Opened { path: path.to_owned(), outcome: read(path) });
    }

    /// The same while the window goes on.
    pub(crate) fn start_opening(&mut self, path: PathBuf, ctx: &egui::Context) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.files.start(ctx, format!("Opening {name}"), move |_| {
            let outcome = read(&path);
            Finished::Opened { path, outcome }
        });
    }

    fn finish(&mut self, finished: Finished) {
        match finished {
            Finished::Opened { path, outcome: Ok(mut opened) } => {
                self.warn(std::mem::take(&mut opened.warnings));
                if opened.recovery.is_some() {
                    self.questions.insert(0, Question::Recover(opened));
                } else {
                    let is_project = opened.workspace.path().is_some();
                    self.switch_to(opened.workspace);
                    if !is_project {
                        self.guard();
                    }
                }
                self.settings.remember(&path);
                self.remember();
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

    /// Puts another document in place of this one, which is closed.
    fn switch_to(&mut self, workspace: Workspace) {
        self.workspace.close();
        self.workspace = workspace;
        self.session.selection = sinew_editor::Selection::default();
        self.session.frame = None;
        self.session.hovered = None;
        self.session.playback = sinew_editor::Playback::default();
        let bounds = self.document().character().bounds();
        let aspect = self.session.view.size.aspect();
        let front_yaw = front_yaw_radians(self.document().character());
        self.views.navigator.meet(&bounds, front_yaw, aspect);
        self.views.state.is_new = true;
    }

    pub(crate) fn recover(&mut self, lost: Opened) {
        let Opened { mut workspace, recovery, warnings } = lost;
        self.warn(warnings);
        if let Some(recovery) = recovery
            && let Err(error) = workspace.recover(&recovery)
        {
            self.toasts.failed(format!("recovered up to an edit that cannot be done: {error}"));
        }
        self.switch_to(workspace);
        self.toasts.done("Recovered. Save to keep it");
    }

    /// What of an older project was left out.
    fn warn(&mut self, warnings: Vec<String>) {
        for words in warnings {
            self.toasts.failed(words);
        }
    }

    pub(crate) fn discard(&mut self, lost: Opened) {
        let Opened { mut workspace, .. } = lost;
        if workspace.path().is_some() {
            workspace.decline_recovery();
            self.switch_to(workspace);
        } else {
            workspace.close();
        }
    }

    pub(crate) fn save(&mut self, ctx: &egui::Context) {
        self.save_and(None, ctx);
    }

    fn save_and(&mut self, next: Option<Next>, ctx: &egui::Context) {
        match self.workspace.path().map(Path::to_owned) {
            Some(path) => self.save_to(&path, next, ctx),
            None => {
                let name = self.title();
                self.files.ask_save(ctx, &name, next);
            }
        }
    }

    pub(crate) fn save_as(&mut self, ctx: &egui::Context) {
        let name = self.title();
        self.files.ask_save(ctx, &name, None);
    }

    fn save_to(&mut self, path: &Path, next: Option<Next>, ctx: &egui::Context) {
        match self.workspace.save_as(path) {
            Ok(()) => {
                self.toasts.done(format!("Saved {}", path.display()));
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
            let outcome = export_shown(&document, &controls, &path, watch);
            if outcome.as_ref().is_err_and(ExportError::is_cancelled) {
                return Finished::GivenUp;
            }
            // What meshes lack is on the screen already.
            let outcome = outcome.map(|_| ()).map_err(|error| error.to_string());
            Finished::Exported { path, outcome }
        });
    }

    /// What the first view shows, at twice its size.
    fn picture(&mut self, path: &Path, ctx: &egui::Context) {
        let is_dark = ctx.global_style().visuals.dark_mode;
        let outcome = self.still(is_dark).and_then(|picture| {
            let png = encode::png(&picture).map_err(|error| error.to_string())?;
            sinew_io::write_atomically(path, |file| std::io::Write::write_all(file, &png))
                .map_err(|error| error.to_string())
        });
        match outcome {
            Ok(()) => self.toasts.done(format!("Saved {}", path.display())),
            Err(words) => self.toasts.failed(format!("no picture: {words}")),
        }
    }

    fn still(&mut self, is_dark: bool) -> Result<sinew_view::picture::Picture, String> {
        let answer = self.views.panes.answer(0).ok_or("there is nothing to see yet")?;
        let coloring = self.views.state.coloring;
        let (mut surfaces, _) =
            self.views.state.painter.paint(answer, coloring, self.session.selection.active, None);
        for &mesh in &self.session.hidden_meshes {
            if let Some(surface) = surfaces.get_mut(mesh) {
                surface.is_shown = false;
            }
        }
        let scene = sinew_view::scene::Scene {
            camera: self.views.navigator.camera(),
            look: crate::theme::look(is_dark, false),
            surfaces,
            overlay: sinew_view::scene::Overlay::default(),
            ground: Some(answer.ground),
        };
        let size = self.session.view.size;
        let size = sinew_view::camera::Size { width: 2 * size.width, height: 2 * size.height };
        Ok(sinew_view::raster::draw(&scene, size))
    }
}
