//! Clips of the file: play, scrub, loop, range, speed, frames.

use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{self, DragValue, Sense};
use sinew::motion::{DEFAULT_FRAMES_PER_SECOND, Motion};
use sinew_editor::seam::Clock as _;

use super::keys::sight::frame_step;
use super::{elided, named};
use crate::clock::StudioClock;
use crate::command::Command;
use crate::studio::Studio;

/// What the window knows of time; what is shown is the session's.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// When the last frame was; `None` before the first.
    last: Option<Duration>,
    /// Frames of the clip that were not shown since it plays.
    num_dropped: u64,
    /// The last skin that came while it plays: its number, and where the clip was then.
    shown: Option<(u64, f64)>,
    frames_per_second: f64,
    /// The motion that these are of.
    rated: Option<Arc<Motion>>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            last: None,
            num_dropped: 0,
            shown: None,
            frames_per_second: DEFAULT_FRAMES_PER_SECOND,
            rated: None,
        }
    }
}

impl Timeline {
    /// Since this was last asked.
    pub(crate) fn passed_seconds(&mut self, clock: &StudioClock) -> f64 {
        let now = clock.now();
        let passed = self.last.map_or(Duration::ZERO, |last| now.saturating_sub(last));
        self.last = Some(now);
        passed.as_secs_f64()
    }

    /// Counts the frames of a playing clip that went by unseen from one skin to the next.
    pub(crate) fn count(&mut self, num_answers: u64, seconds: f64) {
        let frame = |seconds: f64| (seconds * self.frames_per_second).floor();
        if let Some((_, before)) = self.shown.filter(|(known, _)| *known != num_answers) {
            self.num_dropped += (frame(seconds) - frame(before) - 1.0).max(0.0) as u64;
        }
        if self.shown.is_none_or(|(known, before)| known != num_answers || seconds < before) {
            self.shown = Some((num_answers, seconds));
        }
    }

    /// Takes the frames a second of the motion that is shown, found once for each.
    pub(crate) fn count_as(&mut self, motion: Option<&Arc<Motion>>) {
        let Some(motion) = motion else {
            (self.rated, self.frames_per_second) = (None, DEFAULT_FRAMES_PER_SECOND);
            return;
        };
        if self.rated.as_ref().is_none_or(|rated| !Arc::ptr_eq(rated, motion)) {
            self.frames_per_second = motion.frame_rate();
            self.rated = Some(Arc::clone(motion));
        }
    }

    pub(crate) fn frames_per_second(&self) -> f64 {
        self.frames_per_second
    }

    pub(crate) fn forget_dropped(&mut self) {
        (self.num_dropped, self.shown) = (0, None);
    }
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        clip_list(studio, ui);
        ui.separator();
        let play = if studio.session.playback.is_playing() { "Pause" } else { "Play" };
        for (command, text) in [
            (Command::ToStart, "|<"),
            (Command::StepBack, "<"),
            (Command::PlayPause, play),
            (Command::StepForward, ">"),
            (Command::ToEnd, ">|"),
        ] {
            let button = ui.add_enabled(studio.can(command), egui::Button::new(text));
            named(&button, &format!("Timeline: {}", command.label()));
            let button =
                button.on_hover_text(command.tip()).on_disabled_hover_text(studio.why_not(command));
            if button.clicked() {
                studio.queue(command);
            }
        }
        ui.add_enabled_ui(studio.session.playback.clip().is_some(), |ui| numbers(studio, ui));
    });
    ruler(studio, ui);
}

fn clip_list(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = studio.document().character().clone();
    let motions = studio.document().motions().clone();
    let name = |clip: Option<usize>| match clip.filter(|&clip| clip < motions.len()) {
        Some(clip) => elided(motions.name(&character, clip)),
        None => "Pose".to_owned(),
    };
    let list = egui::ComboBox::from_id_salt("clips")
        .selected_text(name(studio.session.playback.clip()))
        .width(150.0);
    let shown = list.show_ui(ui, |ui| {
        for clip in std::iter::once(None).chain((0..motions.len()).map(Some)) {
            let tip = match clip {
                Some(_) => "Show this clip",
                None => "The pose that you make, without a clip",
            };
            let row = ui.selectable_label(studio.session.playback.clip() == clip, name(clip));
            if row.on_hover_text(tip).clicked() {
                studio.choose_clip(clip);
            }
        }
    });
    named(&shown.response, "Clip");
    shown.response.on_hover_text("A clip of the file, or the pose that you make");
}

fn numbers(studio: &mut Studio, ui: &mut egui::Ui) {
    let end = studio.clip_seconds();
    let rate = studio.frames_per_second();
    let mut frame = studio.session.playback.seconds() * rate;
    let field = DragValue::new(&mut frame).speed(0.25).range(0.0..=end * rate).max_decimals(1);
    let field = ui
        .add(field.prefix("frame "))
        .on_hover_text(format!("Frame, at {} a second. Drag, or click to type", plain(rate)));
    named(&field, "Frame");
    if field.changed() && field.dragged() {
        studio.scrub_time(frame / rate);
    } else if field.changed() {
        studio.go_to(frame / rate);
    }
    if field.drag_stopped() {
        studio.session.playback.end_scrub();
    }
    let (mut from, mut to) = studio.session.playback.range();
    let field =
        ui.add(DragValue::new(&mut from).speed(0.01).range(0.0..=to).suffix(" s").max_decimals(2));
    named(&field.on_hover_text("Start of the range that is played"), "Range start");
    let field =
        ui.add(DragValue::new(&mut to).speed(0.01).range(from..=end).suffix(" s").max_decimals(2));
    named(&field.on_hover_text("End of the range that is played"), "Range end");
    studio.session.playback.set_range(from, to);
    let field = DragValue::new(&mut studio.session.playback.speed)
        .speed(0.01)
        .range(0.05..=4.0)
        .suffix(" ×");
    let field = ui.add(field.max_decimals(2)).on_hover_text("Times real time");
    named(&field, "Speed");
    let mut loops = studio.session.playback.loops;
    let field = ui.checkbox(&mut loops, "Loop").on_hover_text(Command::Loop.tip());
    if field.changed() {
        studio.session.playback.loops = loops;
    }
    let num_dropped = studio.panels.timeline.num_dropped;
    if num_dropped > 0 {
        let words = format!("{num_dropped} dropped");
        let tip = format!(
            "Frames that were not shown, at {} a second, since the clip plays: it is on time, and \
             the machine is not fast enough for all of them",
            plain(rate)
        );
        let label = ui.weak(words).on_hover_text(tip);
        named(&label, "Dropped frames");
    }
}

/// A rate as people say it: 30, 29.97.
pub(crate) fn plain(rate: f64) -> String {
    format!("{}", (rate * 1000.0).round() / 1000.0)
}

/// Where it is in the clip, to be dragged.
fn ruler(studio: &mut Studio, ui: &mut egui::Ui) {
    let size = egui::vec2(ui.available_width(), 22.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    super::introduced(&response, egui::Role::Slider, "Time ruler");
    let response = response.on_hover_text("Drag to go through the clip");
    let visuals = ui.visuals().clone();
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
    let end = studio.clip_seconds();
    if studio.session.playback.clip().is_none() || end <= 0.0 {
        let words = "Choose a clip to play it; posing needs none";
        let font = egui::TextStyle::Small.resolve(ui.style());
        painter.text(
            rect.center(),
            egui::Align2::CENTER_CENTER,
            words,
            font,
            visuals.weak_text_color(),
        );
        return;
    }
    let inner = rect.shrink2(egui::vec2(8.0, 0.0));
    let x_of = |seconds: f64| inner.left() + inner.width() * (seconds / end) as f32;
    let (from, to) = studio.session.playback.range();
    let range = egui::Rect::from_x_y_ranges(x_of(from)..=x_of(to), rect.y_range());
    painter.rect_filled(range, 2.0, visuals.faint_bg_color);
    let rate = studio.frames_per_second();
    let num_frames = (end * rate).round() as usize;
    let step = frame_step(inner.width() / num_frames.max(1) as f32);
    for frame in (0..=num_frames).step_by(step) {
        let x = x_of(frame as f64 / rate);
        let stroke = egui::Stroke::new(1.0, visuals.weak_text_color());
        painter.vline(x, rect.bottom() - 6.0..=rect.bottom(), stroke);
        let font = egui::TextStyle::Small.resolve(ui.style());
        let at = egui::pos2(x, rect.top() + 1.0);
        painter.text(
            at,
            egui::Align2::CENTER_TOP,
            frame.to_string(),
            font,
            visuals.weak_text_color(),
        );
    }
    let x = x_of(studio.session.playback.seconds().clamp(0.0, end));
    // Where the user has posed since, the clip lies under the pose and is not seen.
    let color = match studio.shows_clip() {
        true => visuals.selection.stroke.color,
        false => visuals.weak_text_color(),
    };
    painter.vline(x, rect.y_range(), egui::Stroke::new(2.0, color));
    // Escape leaves the playhead where it was, though the button is still down.
    if let Some(pointer) = response.interact_pointer_pos()
        && (response.drag_started() || response.clicked() || response.drag_delta().x != 0.0)
    {
        let share = f64::from((pointer.x - inner.left()) / inner.width().max(1.0));
        studio.scrub_time(share.clamp(0.0, 1.0) * end);
    }
    if response.drag_stopped() || response.clicked() {
        studio.session.playback.end_scrub();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_no_skin_came_for_are_dropped() {
        let mut timeline = Timeline::default();
        let frames = |frame: f64| frame / DEFAULT_FRAMES_PER_SECOND + 1e-9;
        // A skin a frame, the window drawn twice as often.
        for frame in 0..4 {
            timeline.count(frame, frames(frame as f64));
            timeline.count(frame, frames(frame as f64 + 0.5));
        }
        assert_eq!(timeline.num_dropped, 0);
        // Three frames without a skin, though the window goes on.
        for frame in 4..7 {
            timeline.count(3, frames(f64::from(frame)));
        }
        timeline.count(4, frames(7.0));
        assert_eq!(timeline.num_dropped, 3);
        // The clip begins again: nothing was dropped.
        timeline.count(5, frames(0.0));
        timeline.count(6, frames(1.0));
        assert_eq!(timeline.num_dropped, 3);
        timeline.forget_dropped();
        assert_eq!(timeline.num_dropped, 0);
    }
}
