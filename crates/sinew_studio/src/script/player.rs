//! Plays a script: pointer and key events go the way that the window's own go.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use eframe::egui::{self, Event, Modifiers, PointerButton, Pos2};
use sinew_editor::seam::Clock as _;
use sinew_view::camera::Size;
use sinew_view::encode;
use sinew_view::picture::Picture;

use super::{Place, Step, controls};
use crate::studio::Studio;

/// Frames in which nothing may change before a step counts as done: panels measure themselves in
/// one and lay out in the next.
const QUIET_FRAMES: u32 = 4;
/// A tour that hangs is a bug: it says where, and ends.
const PATIENCE: Duration = Duration::from_secs(120);

/// A script on its way.
pub(crate) struct Player {
    steps: std::vec::IntoIter<Step>,
    /// Events for the next frames, one a frame.
    events: std::collections::VecDeque<(Vec<Event>, Modifiers)>,
    quiet_frames: u32,
    waits_until: Option<Duration>,
    screenshot: Option<(PathBuf, Receiver<Picture>)>,
    since: Duration,
    modifiers: Modifiers,
    skin_ms: Vec<f64>,
    draw_ms: Vec<f64>,
    ui_ms: Vec<f64>,
    frames: Vec<Duration>,
    last_answers: u64,
}

impl Player {
    pub(crate) fn new(steps: Vec<Step>, now: Duration) -> Self {
        Self {
            steps: steps.into_iter(),
            events: std::collections::VecDeque::new(),
            quiet_frames: 0,
            waits_until: None,
            screenshot: None,
            since: now,
            modifiers: Modifiers::NONE,
            skin_ms: Vec::new(),
            draw_ms: Vec::new(),
            ui_ms: Vec::new(),
            frames: Vec::new(),
            last_answers: 0,
        }
    }

    /// Before a frame: what the user would do in it.
    pub(crate) fn feed(&mut self, input: &mut egui::RawInput) {
        if let Some((events, modifiers)) = self.events.pop_front() {
            if modifiers != self.modifiers {
                self.modifiers = modifiers;
                input.events.push(Event::ModifiersChanged(modifiers));
            }
            input.events.extend(events);
        }
    }

    /// After a frame: the next step, once the last is on the screen.
    pub(crate) fn act(&mut self, studio: &mut Studio, ctx: &egui::Context) {
        ctx.request_repaint();
        controls::listen(ctx);
        self.note_times(studio);
        self.take_screenshot(studio);
        let now = studio.clock.now();
        let waits = self.waits_until.is_some_and(|until| now < until);
        let is_still = self.events.is_empty() && self.screenshot.is_none() && !waits;
        let is_playing = studio.session.playback.is_playing();
        if !is_still || (!is_playing && studio.is_busy()) {
            self.quiet_frames = 0;
            if now.saturating_sub(self.since) > PATIENCE {
                self.fail(studio, ctx, "a step took longer than two minutes");
            }
            return;
        }
        self.quiet_frames += 1;
        if self.quiet_frames < QUIET_FRAMES {
            return;
        }
        self.quiet_frames = 0;
        self.waits_until = None;
        self.since = now;
        match self.steps.next() {
            Some(step) => {
                if let Err(words) = self.begin(step, studio, ctx) {
                    self.fail(studio, ctx, &words);
                }
            }
            None => Self::close(ctx),
        }
    }

    fn fail(&mut self, studio: &mut Studio, ctx: &egui::Context, words: &str) {
        studio.tour.failure.get_or_insert_with(|| words.to_owned());
        self.steps = Vec::new().into_iter();
        Self::close(ctx);
    }

    fn close(ctx: &egui::Context) {
        ctx.send_viewport_cmd(egui::ViewportCommand::Close);
    }

    fn begin(
        &mut self,
        step: Step,
        studio: &mut Studio,
        ctx: &egui::Context,
    ) -> Result<(), String> {
        match step {
            Step::Open { file } => studio.open(&file),
            Step::Command { command } if !studio.can(command) => {
                return Err(format!("'{}': {}", command.label(), studio.why_not(command)));
            }
            Step::Command { command } => studio.queue(command),
            Step::Answer { file } => studio.answer_next_dialog(&file),
            Step::Edit { edit } => studio.apply(edit),
            Step::Select { joint } => {
                let joint = find_joint(studio, &joint)?;
                studio.session.selection = sinew_editor::Selection::of(joint);
            }
            Step::Hover { at } => {
                let at = place(studio, ctx, &at)?;
                self.push(vec![Event::PointerMoved(at)], Modifiers::NONE);
            }
            Step::Click { at, shift } => {
                let at = place(studio, ctx, &at)?;
                let modifiers = if shift { Modifiers::SHIFT } else { Modifiers::NONE };
                self.push(vec![Event::PointerMoved(at)], modifiers);
                self.push(vec![button(at, true, modifiers)], modifiers);
                self.push(vec![button(at, false, modifiers)], modifiers);
                self.push(Vec::new(), Modifiers::NONE);
            }
            Step::Drag { from, to, moves, alt } => {
                let modifiers = if alt { Modifiers::ALT } else { Modifiers::NONE };
                let (from, to) = (place(studio, ctx, &from)?, place(studio, ctx, &to)?);
                self.push(vec![Event::PointerMoved(from)], modifiers);
                self.push(vec![button(from, true, modifiers)], modifiers);
                for step in 1..=moves.max(1) {
                    let at = from + (to - from) * (step as f32 / moves.max(1) as f32);
                    self.push(vec![Event::PointerMoved(at)], modifiers);
                }
                self.push(vec![button(to, false, modifiers)], modifiers);
                self.push(Vec::new(), Modifiers::NONE);
            }
            Step::Draw { through, moves, shift, goes_on, holds } => {
                let modifiers = if shift { Modifiers::SHIFT } else { Modifiers::NONE };
                let places: Result<Vec<Pos2>, String> =
                    through.iter().map(|at| place(studio, ctx, at)).collect();
                self.draw(&places?, moves.max(1), modifiers, [goes_on, holds]);
            }
            Step::Key { key, command, shift } => {
                let known = egui::Key::from_name(&key);
                let key = known.ok_or_else(|| format!("there is no key '{key}'"))?;
                let mut modifiers = if command { Modifiers::COMMAND } else { Modifiers::NONE };
                modifiers.ctrl = command && !cfg!(target_os = "macos");
                modifiers.shift = shift;
                for pressed in [true, false] {
                    let event =
                        Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
                    self.push(vec![event], modifiers);
                }
                self.push(Vec::new(), Modifiers::NONE);
            }
            Step::Wait { seconds } => {
                self.clear_times();
                let wait = Duration::from_secs_f64(seconds.clamp(0.0, 60.0));
                self.waits_until = Some(studio.clock.now() + wait);
            }
            Step::Compare { view, deformation } => {
                studio.views.panes.set_rig(view.saturating_sub(1), deformation);
            }
            Step::Wipe { at } => studio.views.panes.wipe = at.clamp(0.02, 0.98),
            Step::Clip { clip, seconds } => {
                let (document, motions) = (studio.document(), studio.document().motions());
                let name = |at: &usize| motions.name(document.character(), *at) == clip;
                let found = (0..motions.len()).find(name);
                studio
                    .choose_clip(Some(found.ok_or_else(|| format!("there is no clip '{clip}'"))?));
                studio.go_to(seconds);
            }
            Step::Screenshot { file } => self.ask_screenshot(file, ctx),
            Step::Times { file } => self.write_times(&file)?,
            Step::Quit => {
                self.steps = Vec::new().into_iter();
                Self::close(ctx);
            }
        }
        Ok(())
    }

    fn draw(
        &mut self,
        places: &[Pos2],
        moves: u32,
        modifiers: Modifiers,
        [goes_on, holds]: [bool; 2],
    ) {
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return };
        self.push(vec![Event::PointerMoved(first)], modifiers);
        if !goes_on {
            self.push(vec![button(first, true, modifiers)], modifiers);
        }
        for pair in places.windows(2) {
            for step in 1..=moves {
                let at = pair[0] + (pair[1] - pair[0]) * (step as f32 / moves as f32);
                self.push(vec![Event::PointerMoved(at)], modifiers);
            }
        }
        if !holds {
            self.push(vec![button(last, false, modifiers)], modifiers);
            self.push(Vec::new(), Modifiers::NONE);
        }
    }

    fn push(&mut self, events: Vec<Event>, modifiers: Modifiers) {
        self.events.push_back((events, modifiers));
    }

    fn ask_screenshot(&mut self, file: PathBuf, ctx: &egui::Context) {
        let (sender, receiver) = channel();
        let callback =
            egui::ScreenshotCallback::new(move |image: std::sync::Arc<egui::ColorImage>| {
                let [width, height] = image.size;
                let size = Size { width: width as u32, height: height as u32 };
                let pixels = image.pixels.iter().map(|c| [c.r(), c.g(), c.b(), 255]).collect();
                _ = sender.send(Picture::from_pixels(size, pixels));
            });
        ctx.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
        self.screenshot = Some((file, receiver));
    }

    fn take_screenshot(&mut self, studio: &mut Studio) {
        let Some((file, receiver)) = &self.screenshot else { return };
        let Ok(picture) = receiver.try_recv() else { return };
        let written = encode::png(&picture).map_err(|error| error.to_string()).and_then(|png| {
            sinew_io::write_atomically(file, |out| std::io::Write::write_all(out, &png))
                .map_err(|error| error.to_string())
        });
        if let Err(words) = written {
            studio.tour.failure.get_or_insert(format!("'{}': {words}", file.display()));
        }
        self.screenshot = None;
    }

    fn clear_times(&mut self) {
        self.skin_ms.clear();
        self.draw_ms.clear();
        self.ui_ms.clear();
        self.frames.clear();
    }

    fn note_times(&mut self, studio: &Studio) {
        self.frames.push(studio.clock.now());
        self.ui_ms.push(studio.window.ui_ms);
        let first = studio.views.panes.first();
        if first.num_answers != self.last_answers
            && let Some(answer) = first.answer()
        {
            self.last_answers = first.num_answers;
            self.skin_ms.push(answer.deform_ms);
            self.draw_ms.push(studio.views.panes.draw_ms());
        }
    }

    fn write_times(&self, file: &Path) -> Result<(), String> {
        let median = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.get(sorted.len() / 2).copied()
        };
        let gaps: Vec<f64> =
            self.frames.windows(2).map(|pair| 1e3 * (pair[1] - pair[0]).as_secs_f64()).collect();
        let seconds = self.frames.first().zip(self.frames.last());
        let seconds = seconds.map_or(0.0, |(first, last)| (*last - *first).as_secs_f64());
        let report = serde_json::json!({
            "skins": self.skin_ms.len(),
            "skins_per_second": self.skin_ms.len() as f64 / seconds.max(1e-9),
            "median_skin_ms": median(&self.skin_ms),
            "median_draw_ms": median(&self.draw_ms),
            "median_ui_ms": median(&self.ui_ms),
            "longest_ui_ms": self.ui_ms.iter().copied().max_by(f64::total_cmp),
            "window_frames": self.frames.len(),
            "median_window_frame_ms": median(&gaps),
            "longest_window_frame_ms": gaps.iter().copied().max_by(f64::total_cmp),
        });
        let text = format!("{report:#}\n");
        sinew_io::write_atomically(file, |out| std::io::Write::write_all(out, text.as_bytes()))
            .map_err(|error| format!("'{}': {error}", file.display()))
    }
}

fn button(pos: Pos2, pressed: bool, modifiers: Modifiers) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }
}

fn find_joint(studio: &Studio, name: &str) -> Result<u32, String> {
    let joints = studio.document().character().skeleton.joints();
    let found = joints.iter().position(|joint| joint.name == name);
    found.map(|joint| joint as u32).ok_or_else(|| {
        sinew_editor::names::unknown("joint", name, joints.iter().map(|joint| &*joint.name))
    })
}

fn place(studio: &Studio, ctx: &egui::Context, place: &Place) -> Result<Pos2, String> {
    let rect = studio.first_view_rect();
    let out_of_view = || "out of the view".to_owned();
    match place {
        Place::Share([x, y]) => Ok(rect.min + egui::vec2(x * rect.width(), y * rect.height())),
        Place::Window { window: [x, y] } => Ok(egui::pos2(*x, *y)),
        Place::Control { control, share: [x, y] } => {
            let rect = controls::rect_of(ctx, control)?;
            Ok(rect.min + egui::vec2(x * rect.width(), y * rect.height()))
        }
        Place::Joint(name) => {
            let [head, tail] = studio.bone_ends(find_joint(studio, name)?);
            studio.place_in_window(ctx, head.midpoint(tail)).ok_or_else(out_of_view)
        }
        Place::Head { head } => {
            let [head, _] = studio.bone_ends(find_joint(studio, head)?);
            studio.place_in_window(ctx, head).ok_or_else(out_of_view)
        }
        Place::Handle { handle, view } => {
            let view = view.saturating_sub(1);
            let place = studio.cage_handle_in(*handle, view);
            let place = place.ok_or_else(|| format!("there is no handle {handle} to be seen"))?;
            studio.place_in_view(ctx, place, view).ok_or_else(out_of_view)
        }
        Place::CageGizmo { gizmo, view } => {
            let view = view.saturating_sub(1);
            let point = studio.cage_gizmo_in(*gizmo, view).ok_or("no handle is chosen")?;
            studio.place_in_view(ctx, point, view).ok_or_else(out_of_view)
        }
        Place::Ring { ring, at_degrees } => {
            let context = studio.session.context(studio.workspace.editor());
            let point = sinew_editor::tool::ring_point(&context, *ring, at_degrees.to_radians());
            let point = point.ok_or("no joint is chosen")?;
            studio.place_in_window(ctx, point).ok_or_else(out_of_view)
        }
    }
}
