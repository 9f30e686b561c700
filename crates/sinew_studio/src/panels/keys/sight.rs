//! Which part of a motion is in sight in the key sheet and the curves, and where its times are.

use eframe::egui::{self, PointerButton, Rect};

use crate::studio::Studio;

/// What is in sight cannot be shorter: some keys of any capture.
const LEAST_SECONDS: f64 = 0.02;
/// Points of a wheel that show half as much.
const POINTS_PER_HALF: f32 = 150.0;
/// Marks of frames are this far apart.
const MARK_SPACE_PX: f32 = 40.0;

/// Where times are on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeScale {
    pub(super) left: f32,
    pub(super) width: f32,
    /// What is in sight begins here.
    pub(super) from: f64,
    /// How long what is in sight is.
    pub(super) seconds: f64,
    pub(super) frames_per_second: f64,
}

impl TimeScale {
    /// In a rectangle; all of a motion, if nobody chose a part.
    pub(super) fn new(studio: &Studio, rect: Rect, length_seconds: f64) -> Self {
        let inner = rect.shrink2(egui::vec2(8.0, 0.0));
        let (from, to) = studio.panels.keys.sight.unwrap_or((0.0, length_seconds));
        Self {
            left: inner.left(),
            width: inner.width().max(1.0),
            from,
            seconds: (to - from).max(1e-3),
            frames_per_second: studio.frames_per_second(),
        }
    }

    pub(super) fn x_of(self, seconds: f64) -> f32 {
        self.left + self.width * ((seconds - self.from) / self.seconds) as f32
    }

    pub(super) fn seconds_at(self, x: f32) -> f64 {
        self.from + f64::from((x - self.left) / self.width) * self.seconds
    }

    /// Frames that are marked, with their times: as many as can be told apart.
    pub(super) fn marked_frames(self) -> impl Iterator<Item = (i64, f64)> {
        let rate = self.frames_per_second;
        let per_frame = self.width / (self.seconds * rate).max(1e-6) as f32;
        let step = frame_step(per_frame) as i64;
        let first = ((self.from * rate) / step as f64).ceil() as i64;
        let last = ((self.from + self.seconds) * rate / step as f64 + 1e-6).floor() as i64;
        (first..=last).map(move |mark| (mark * step, (mark * step) as f64 / rate))
    }
}

/// How many frames there are from mark to mark, where a frame is so wide.
pub(crate) fn frame_step(points_per_frame: f32) -> usize {
    let steps = [1, 5, 10, 30, 60, 300, 600, 3000];
    let is_apart = |step: &usize| points_per_frame * *step as f32 >= MARK_SPACE_PX;
    steps.into_iter().find(is_apart).unwrap_or(30_000)
}

/// The wheel zooms at the pointer; the middle button, or Shift and the wheel, go along the motion.
pub(super) fn look_around(
    studio: &mut Studio,
    ui: &egui::Ui,
    response: &egui::Response,
    scale: TimeScale,
    length_seconds: f64,
) {
    let mut moved = 0.0_f32;
    let mut factor = 1.0_f64;
    if response.dragged_by(PointerButton::Middle) {
        moved = response.drag_delta().x;
    }
    let pointer = ui.input(|input| input.pointer.hover_pos());
    let pointer = pointer.filter(|at| {
        at.x >= scale.left - 8.0 && response.rect.contains(*at) && response.contains_pointer()
    });
    if let Some(at) = pointer {
        let (scroll, zoom) = ui.input_mut(|input| {
            // What is used here must not turn the rows as well.
            let scroll = std::mem::take(&mut input.smooth_scroll_delta);
            (scroll, input.zoom_delta())
        });
        moved += scroll.x;
        factor = f64::from((-scroll.y / POINTS_PER_HALF).exp2() / zoom.max(1e-3));
        if factor != 1.0 {
            let about = scale.seconds_at(at.x);
            let from = about - (about - scale.from) * factor;
            studio.panels.keys.look_at(from, scale.seconds * factor, length_seconds);
        }
    }
    if moved != 0.0 && factor == 1.0 {
        let by = f64::from(moved / scale.width) * scale.seconds;
        studio.panels.keys.look_at(scale.from - by, scale.seconds, length_seconds);
    }
}

impl super::KeysPanel {
    /// Shows a part of a motion, as far as there is one.
    pub(crate) fn look_at(&mut self, from: f64, seconds: f64, length_seconds: f64) {
        let seconds = seconds.max(LEAST_SECONDS);
        if seconds >= length_seconds {
            self.sight = None;
            return;
        }
        let from = from.clamp(0.0, length_seconds - seconds);
        self.sight = Some((from, from + seconds));
    }

    /// Another motion, or one of another length, is seen as a whole.
    pub(super) fn keep_sight(&mut self, motion: Option<usize>, length_seconds: f64) {
        let is_past = self.sight.is_some_and(|(_, to)| to > length_seconds + 1e-6);
        if self.sight_of != motion || is_past {
            (self.sight, self.sight_of) = (None, motion);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::KeysPanel;
    use super::*;

    #[test]
    fn what_is_in_sight_stays_within_the_motion() {
        let mut panel = KeysPanel::default();
        panel.look_at(-1.0, 2.0, 10.0);
        assert_eq!(panel.sight, Some((0.0, 2.0)));
        panel.look_at(9.0, 2.0, 10.0);
        assert_eq!(panel.sight, Some((8.0, 10.0)));
        panel.keep_sight(None, 10.0);
        assert_eq!(panel.sight, Some((8.0, 10.0)));
        panel.keep_sight(None, 5.0);
        assert_eq!(panel.sight, None);
        panel.look_at(3.0, 40.0, 10.0);
        assert_eq!(panel.sight, None);
    }

    #[test]
    fn marks_are_frames_in_sight_and_no_nearer_than_words_are_wide() {
        let scale = TimeScale {
            left: 0.0,
            width: 600.0,
            from: 40.0,
            seconds: 2.0,
            frames_per_second: 60.0,
        };
        let marks: Vec<i64> = scale.marked_frames().map(|(frame, _)| frame).collect();
        assert_eq!(marks.first(), Some(&2400));
        assert_eq!(marks.last(), Some(&2520));
        assert!(marks.windows(2).all(|pair| pair[1] - pair[0] == 10), "{marks:?}");
        let at = |frame: i64| scale.x_of(frame as f64 / 60.0);
        assert!((at(2410) - at(2400) - 50.0).abs() < 1e-3);
    }
}
