//! The window's state, and what happens in a frame of it.

pub(crate) mod cage;
mod editing;
mod inspect;
mod keyboard;
mod leaving;
mod motion;
mod rigging;
mod weights;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use eframe::egui::{self, CentralPanel, Panel};
use sinew::frame::Rig;
use sinew::sample::SampleKind;
use sinew_editor::seam::Clock as _;
use sinew_editor::solver::{Answer, Status};
use sinew_editor::tool::{Picks, RotateTool};
use sinew_editor::{Autosave, Document, Guard, Session, SideShown, Source, View, Workspace};
use sinew_view::camera::{Size, front_yaw_radians};

pub(crate) use leaving::{Next, Question};
pub(crate) use weights::BRUSH_STEP;

use crate::clock::StudioClock;
use crate::command::Command;
use crate::files::{Dialogs, Files};
use crate::panels;
use crate::panels::drivers::DriversPanel;
use crate::panels::help::Help;
use crate::panels::keys::{KeysPanel, Shows};
use crate::panels::motion::MotionPanel;
use crate::panels::outliner::Outliner;
use crate::panels::repairs::Repairs;
use crate::panels::shapes::ShapesPanel;
use crate::panels::timeline::Timeline;
use crate::panels::why::WhyPanel;
use crate::script::Player;
use crate::settings::{Settings, Theme};
use crate::toasts::Toasts;
use crate::viewport::canvas::Canvas;
use crate::viewport::navigate::Navigator;
use crate::viewport::pane::{Panes, Wants};
use crate::viewport::picker::ViewPicker;
use crate::viewport::strip::Strip;
use crate::viewport::structures::Structures;
use crate::viewport::{self, ViewState};
use crate::{StudioOptions, theme};

/// What the studio opens on where nobody says.
pub(crate) const FIRST_CHARACTER: SampleKind = SampleKind::Chibi;
/// The journal reaches the disk this often, against power cuts; the system has it at once.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How long after its start the studio looks for work that a crash left behind.
const LOST_FOR: Duration = Duration::from_secs(20);

/// The interactive application.
pub struct Studio {
    /// What is edited, and its file.
    pub(crate) workspace: Workspace,
    /// Tool, selection, camera, time.
    pub(crate) session: Session,
    pub(crate) views: Views,
    pub(crate) panels: PanelStates,
    pub(crate) files: Files,
    pub(crate) settings: Settings,
    pub(crate) toasts: Toasts,
    pub(crate) questions: Vec<Question>,
    pub(crate) tour: Tour,
    pub(crate) care: Care,
    pub(crate) window: WindowState,
    /// Work that changes the document when it is done.
    job: Option<rigging::EditJob>,
    pub(crate) clock: StudioClock,
}

/// Pictures of the character, and who draws them.
pub(crate) struct Views {
    pub(crate) panes: Panes,
    pub(crate) navigator: Navigator,
    pub(crate) canvas: Canvas,
    pub(crate) state: ViewState,
    /// Poses beside one another, below the views.
    pub(crate) strip: Strip,
    /// What of the first view's skin is under the pointer.
    picker: ViewPicker,
}

impl Views {
    /// What is shown beside the skin of a view: the view at rest shows skin and bones of the rest
    /// already.
    pub(crate) fn structures(&self, pane: usize) -> Structures {
        let at_rest = self.panes.at_rest(pane) == Some(true);
        let Structures { rest_skin, rest_bones, .. } = self.state.structures;
        Structures {
            rest_skin: rest_skin && !at_rest,
            rest_bones: rest_bones && !at_rest,
            ..self.state.structures
        }
    }

    /// Has the card find what tools ask for, in the picture as it was drawn.
    fn serve_picker(&mut self, in_hand: usize, ctx: &egui::Context, toasts: &mut Toasts) {
        let ViewPicker::Card(picker) = &mut self.picker else { return };
        let in_hand = self.panes.pane(in_hand);
        let camera = in_hand.drawn.as_ref().map(viewport::DrawnKey::camera);
        match picker.serve(in_hand.target.scene().zip(camera)) {
            Ok(true) => ctx.request_repaint(),
            Ok(false) => {}
            Err(error) => toasts.failed(error.to_string()),
        }
    }
}

/// What panels remember from frame to frame.
#[derive(Default)]
pub(crate) struct PanelStates {
    pub(crate) timeline: Timeline,
    pub(crate) outliner: Outliner,
    pub(crate) shapes: ShapesPanel,
    pub(crate) cage: cage::CagePanel,
    pub(crate) drivers: DriversPanel,
    pub(crate) keys: KeysPanel,
    pub(crate) motion: MotionPanel,
    pub(crate) repairs: Repairs,
    pub(crate) why: WhyPanel,
    pub(crate) help: Help,
    pub(crate) new_pose_name: String,
    /// A surface edit, and the name that is being typed for it.
    pub(crate) surface_name: Option<(u32, String)>,
    /// The stored pose that is being blended with, and how far in percent.
    pub(crate) blending: Option<(String, f64)>,
    pub(crate) copied_pose: Option<String>,
    /// A panel in sight shows figures.
    pub(crate) wants_figures: bool,
}

/// A script that is played, what went wrong in it, and who wants to know.
#[derive(Default)]
pub(crate) struct Tour {
    pub(crate) player: Option<Player>,
    pub(crate) failure: Option<String>,
    tells: Option<Arc<Mutex<Option<String>>>>,
}

/// That no work is lost.
pub(crate) struct Care {
    /// Where settings and lost work are kept; `None` keeps none.
    pub(crate) home: Option<PathBuf>,
    started: Duration,
    /// Lost work that the user was asked about.
    asked_about: BTreeSet<PathBuf>,
    last_sync: Duration,
    /// The document is what the studio opens on where nobody says.
    pub(crate) is_first: bool,
}

/// The window itself.
#[derive(Default)]
pub(crate) struct WindowState {
    queued: Vec<Command>,
    last_failure: Vec<String>,
    pub(crate) is_closing: bool,
    title: String,
    /// Time that the last frame took, without painting it.
    pub(crate) ui_ms: f64,
}

impl Studio {
    /// Opens on a file, or on the built-in character.
    pub fn new(cc: &eframe::CreationContext<'_>, options: StudioOptions) -> Self {
        let ctx = &cc.egui_ctx;
        theme::install(ctx);
        let home = options.home;
        let mut settings = Settings::load(home.as_deref());
        if let Some(theme) = options.theme {
            settings.theme = theme;
        }
        theme::apply(ctx, settings.theme);
        let dialogs = if options.script.is_some() { Dialogs::Answered } else { options.dialogs };
        let document = first_document();
        let bounds = document.character().bounds();
        let size = Size { width: 800, height: 600 };
        let front_yaw = front_yaw_radians(document.character());
        let navigator = Navigator::around(&bounds, front_yaw, size.aspect());
        let view = View { camera: navigator.camera(), size };
        let help = Help {
            start: options.shows_start && options.file.is_none() && options.script.is_none(),
            first_steps: !settings.knows_first_steps,
            ..Help::default()
        };
        let clock = options.clock;
        let now = clock.now();
        let canvas = Canvas::new(cc.wgpu_render_state.as_ref(), options.drawn_by);
        let picker = canvas.picker(ctx);
        let mut session = Session::new(view, Box::new(RotateTool::default()));
        session.picker = Some(picker.for_tools());
        let mut studio = Self {
            workspace: Workspace::unguarded(document),
            session,
            views: Views {
                panes: Panes::new(ctx, &clock, canvas.gpu()),
                navigator,
                canvas,
                state: ViewState::default(),
                strip: Strip::default(),
                picker,
            },
            panels: PanelStates { help, ..PanelStates::default() },
            files: Files::answered_by(dialogs, &clock),
            settings,
            toasts: Toasts::new(&clock),
            questions: Vec::new(),
            tour: Tour {
                player: options.script.map(|steps| Player::new(steps, now)),
                ..Tour::default()
            },
            care: Care {
                home,
                started: now,
                asked_about: BTreeSet::new(),
                last_sync: now,
                is_first: true,
            },
            window: WindowState::default(),
            job: None,
            clock,
        };
        studio.guard();
        // What was asked for says itself what a crash left of it.
        let asked_for = options.file.as_ref().and_then(|path| path.canonicalize().ok());
        studio.care.asked_about.extend(asked_for);
        studio.find_lost();
        if let Some(path) = options.file {
            studio.open(&path);
        }
        studio
    }

    /// What is edited.
    pub fn document(&self) -> &Document {
        self.workspace.editor().document()
    }

    /// Does a command before the next frame.
    pub fn queue(&mut self, command: Command) {
        self.window.queued.push(command);
    }

    /// The folder of documents that are in no file yet.
    pub(crate) fn recovery_folder(&self) -> Option<PathBuf> {
        Some(self.care.home.as_ref()?.join("recovery"))
    }

    /// Where and how unsaved work is kept.
    pub(crate) fn guarding(&self) -> Guard {
        Guard { recovery_folder: self.recovery_folder(), ..Guard::default() }
    }

    /// Keeps a journal of a document that is in no file yet.
    pub(crate) fn guard(&mut self) {
        match Workspace::untitled(self.document().clone(), &self.guarding(), None) {
            Ok(workspace) => self.workspace = workspace,
            Err(error) => self.toasts.failed(format!("autosave is off: {error}")),
        }
    }

    /// Asks about what a crash left behind. For a while: a process that was killed is still there
    /// for some moments, and so is its lock.
    fn find_lost(&mut self) {
        if self.clock.since(self.care.started) > LOST_FOR {
            return;
        }
        let is_known = |path: &std::path::Path| self.care.asked_about.contains(path);
        for lost in Workspace::lost_and_found(&self.guarding(), is_known) {
            self.care.asked_about.extend(lost.workspace.home().map(std::path::Path::to_owned));
            self.questions.push(Question::Found(Box::new(lost)));
        }
    }

    pub(crate) fn remember(&self) {
        self.settings.save(self.care.home.as_deref());
    }

    pub(crate) fn canvas_name(&self) -> String {
        self.views.canvas.name()
    }

    /// What people call the document.
    pub(crate) fn title(&self) -> String {
        let name = self.workspace.path().and_then(|path| path.file_name());
        name.map_or_else(
            || match self.workspace.copy_of().and_then(|path| path.file_name()) {
                Some(name) => format!("Copy of {}", name.to_string_lossy()),
                None => self.document().source().name(),
            },
            |name| name.to_string_lossy().into_owned(),
        )
    }

    /// What the user chose to open or works on; `None` while that is nothing.
    pub(crate) fn chosen_title(&self) -> Option<String> {
        let is_chosen = !self.care.is_first || self.workspace.editor().is_modified();
        is_chosen.then(|| panels::elided(&self.title()))
    }

    fn perform_queued(&mut self, ctx: &egui::Context) {
        self.take_job();
        self.panels.repairs.poll();
        self.take_check();
        for command in std::mem::take(&mut self.window.queued) {
            if self.can(command) {
                self.perform(command, ctx);
            }
        }
    }

    /// Tools see the skin that is on the screen.
    fn show_frame(&mut self) {
        let has_answer = self.show_in_hand();
        if self.views.state.frames_all && self.views.panes.first().has_points() {
            self.frame_all();
        }
        let character = Arc::clone(self.document().character());
        self.session.meet(&character);
        // As it is shown, which need not be how it was bound.
        if has_answer && self.views.state.is_new {
            self.views.state.is_new = false;
            self.frame_all();
        }
        if let Err(error) = self.session.poll(self.workspace.editor_mut()) {
            self.toasts.failed(error.to_string());
        }
    }

    /// The view that tools work in: the first, but where rest and pose are side by side the one
    /// whose cage is in hand.
    fn in_hand(&self) -> usize {
        self.views.panes.at_rest(0).map_or(0, |_| usize::from(self.session.cage.at_rest))
    }

    /// What the view in hand shows is what tools see; false if it has nothing to show yet.
    fn show_in_hand(&mut self) -> bool {
        let index = self.in_hand();
        let pane = self.views.panes.pane(index);
        let is_of = |a: &&Answer| Arc::ptr_eq(&a.job.character, self.document().character());
        let answer = pane.answer().filter(is_of);
        if let Some(answer) = answer {
            self.views.picker.show(answer, index);
        }
        let frame = answer.and(pane.points()).cloned();
        let cage_frame = answer.map(|answer| Arc::clone(&answer.frame));
        self.session.frame = frame;
        self.session.cage_frame = cage_frame;
        self.session.cage_frame.is_some()
    }

    /// Tools now work in a view: where rest and pose are side by side, in the one or in the other.
    /// What is under way stays where it began.
    pub(crate) fn take_in_hand(&mut self, pane: usize) {
        let Some(at_rest) = self.views.panes.at_rest(pane) else { return };
        if self.session.cage.at_rest != at_rest && !self.workspace.editor().is_open() {
            self.session.cage.at_rest = at_rest;
            self.show_in_hand();
        }
    }

    /// True if the tool in hand works in a view: at rest there is nothing to pose.
    pub(crate) fn has_tool_for(&self, pane: usize) -> bool {
        self.has_cage_tool() || self.views.panes.at_rest(pane) != Some(true)
    }

    /// A view as tools see it.
    pub(crate) fn side(&self, pane: usize, view: View) -> SideShown<'_> {
        let frame = self.views.panes.answer(pane).map(|answer| &*answer.frame);
        let at_rest = self.views.panes.at_rest(pane).unwrap_or(self.session.cage.at_rest);
        SideShown { view, frame, at_rest }
    }

    /// True if something needs to know where points are, though only the card does.
    fn wants_points(&self) -> bool {
        let chooses_points =
            self.session.picking.picks == Picks::Points || self.session.selection.num_points() > 0;
        let draws_on_skin = ["Sketch", "Grab"].contains(&self.session.tool().name());
        let state = &self.views.state;
        let shows_points = state.coloring.is_of_points() || state.structures.rest_skin;
        chooses_points || draws_on_skin || shows_points || state.frames_all
    }

    /// What views could not bind is said once.
    fn tell_failures(&mut self) {
        let failures: Vec<String> = (self.views.panes.statuses().into_iter())
            .filter_map(|(_, status)| match status {
                Status::Failed(words) => Some(words),
                Status::Idle
                | Status::Binding { .. }
                | Status::Deforming
                | Status::Refining { .. } => None,
            })
            .collect();
        for words in failures.iter().filter(|words| !self.window.last_failure.contains(words)) {
            self.toasts.failed(words.clone());
        }
        self.window.last_failure = failures;
        if let Some(error) = self.workspace.take_journal_trouble() {
            self.toasts.failed(format!("autosave: {error}"));
        }
    }

    fn panels(&mut self, ui: &mut egui::Ui) {
        Panel::top("menu").show(ui, |ui| panels::menu::show(self, ui));
        Panel::top("toolbar").show(ui, |ui| panels::toolbar::show(self, ui));
        Panel::bottom("status").show(ui, |ui| panels::status::show(self, ui));
        let folded = self.settings.folded;
        if !folded.timeline {
            Panel::bottom("timeline").show(ui, |ui| panels::timeline::show(self, ui));
        }
        if self.panels.keys.shows != Shows::Nothing {
            let high = ui.available_height();
            Panel::bottom("keys")
                .default_size((0.3 * high).clamp(200.0, 340.0))
                .size_range(90.0..=0.6 * high.max(160.0))
                .show(ui, |ui| panels::keys::show(self, ui));
        }
        if self.views.state.shows_strip {
            let high = ui.available_height();
            Panel::bottom("strip")
                .default_size((0.27 * high).clamp(150.0, 240.0))
                .size_range(120.0..=0.6 * high.max(200.0))
                .show(ui, |ui| panels::strip::show(self, ui));
        }
        let wide = ui.available_width();
        if !folded.lists {
            Panel::left("outliner")
                .default_size((0.19 * wide).clamp(180.0, 280.0))
                .size_range(150.0..=0.4 * wide)
                .show(ui, |ui| panels::outliner::show(self, ui));
        }
        if !folded.settings {
            Panel::right("inspector")
                .default_size((0.25 * wide).clamp(270.0, 360.0))
                .size_range(240.0..=0.45 * wide)
                .show(ui, |ui| panels::inspector::show(self, ui));
        }
        CentralPanel::no_frame().show(ui, |ui| viewport::show(self, ui));
    }

    fn update_title(&mut self, ctx: &egui::Context) {
        let mark = if self.workspace.editor().is_modified() { "*" } else { "" };
        let title = format!("{}{mark} – Sinew", self.title());
        if title != self.window.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.window.title = title;
        }
    }
}

/// The built-in character.
fn first_document() -> Document {
    // Samples are part of the program, and tests build all of them.
    Document::open(Source::sample(FIRST_CHARACTER), None).expect("samples can be built")
}

impl eframe::App for Studio {
    fn raw_input_hook(&mut self, _ctx: &egui::Context, input: &mut egui::RawInput) {
        if let Some(player) = &mut self.tour.player {
            player.feed(input);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let (ctx, start) = (ui.ctx().clone(), self.clock.now());
        self.panels.wants_figures = false;
        self.views.panes.poll();
        self.show_frame();
        self.take_files(&ctx);
        self.keys(&ctx);
        if self.advance() {
            ctx.request_repaint();
        }
        self.panels(ui);
        panels::help::show(self, &ctx);
        panels::start::show(self, &ctx);
        panels::questions::show(self, &ctx);
        self.toasts.show(&ctx);
        self.perform_queued(&ctx);
        self.close_requested(&ctx);
        self.tell_failures();
        let document = self.document().clone();
        self.session.playback.sync(&document);
        let editor = self.workspace.editor();
        let posed = match self.views.panes.layout {
            viewport::pane::Layout::RestAndPose => self.session.posed_controls(editor),
            _ => self.session.controls(editor),
        };
        let controls = [posed, self.session.rest_controls(editor)];
        let rig = Arc::clone(self.session.playback.rig(&document));
        let rig = match &rig.springs {
            Some(_) if self.views.state.shows_before => {
                Arc::new(Rig { springs: None, ..Rig::clone(&rig) })
            }
            _ => rig,
        };
        let wants = Wants { figures: self.panels.wants_figures, points: self.wants_points() };
        self.views.panes.ask(&document, &rig, controls, wants);
        self.views.serve_picker(self.in_hand(), &ctx, &mut self.toasts);
        self.update_title(&ctx);
        self.workspace.tick();
        if self.clock.since(self.care.last_sync) > SYNC_EVERY {
            self.workspace.sync();
            self.find_lost();
            self.care.last_sync = self.clock.now();
        }
        let waits = matches!(self.workspace.autosave(), Autosave::Waiting { .. });
        let is_modified = self.workspace.editor().is_modified();
        if self.clock.since(self.care.started) < LOST_FOR || is_modified || waits {
            ctx.request_repaint_after(SYNC_EVERY);
        }
        self.window.ui_ms = self.clock.ms_since(start);
        if let Some(mut player) = self.tour.player.take() {
            player.act(self, &ctx);
            self.tour.player = Some(player);
        }
    }

    fn on_exit(&mut self) {
        if let (Some(tells), Some(words)) = (&self.tour.tells, self.tour.failure.take())
            && let Ok(mut told) = tells.lock()
        {
            *told = Some(words);
        }
        self.remember();
        self.workspace.close();
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }
}

impl Studio {
    /// Where a script's failure is left when the window closes.
    pub(crate) fn tell_script_failure_to(&mut self, whom: Arc<Mutex<Option<String>>>) {
        self.tour.tells = Some(whom);
    }

    pub(crate) fn set_theme(&mut self, theme: Theme, ctx: &egui::Context) {
        self.settings.theme = theme;
        theme::apply(ctx, theme);
        self.remember();
    }
}
