//! What is done to all keys of a motion: cut, other times, even keys, fewer keys, a loop.

use eframe::egui::{self, DragValue};
use sinew::motion::Motion;
use sinew::progress::Progress;
use sinew_editor::job::{Found, Job, JobError};
use sinew_editor::seam::Threads;
use sinew_editor::{ChannelRef, ChannelText, Document, Edit, KeysRef, MotionEdit, MotionRef};

use crate::panels::named;
use crate::studio::Studio;

/// What the fields say.
#[derive(Debug)]
pub(super) struct Fields {
    per_second: Option<f64>,
    millimetres: f64,
    blend_seconds: f64,
    /// How long the range is to be; `None` as it is.
    range_seconds: Option<f64>,
}

impl Default for Fields {
    fn default() -> Self {
        Self { per_second: None, millimetres: 1.0, blend_seconds: 0.25, range_seconds: None }
    }
}

pub(super) fn show(studio: &mut Studio, ui: &mut egui::Ui, motion: &Motion, of: &MotionRef) {
    let length = motion.length_seconds;
    let (from, to) = studio.session.playback.range();
    let has_range = to - from > 1e-6;
    ui.label("Range");
    ui.horizontal(|ui| {
        let is_part = has_range && (from > 0.0 || to < length);
        let button = ui.add_enabled(is_part, egui::Button::new("Trim").small());
        named(&button, "Trim to range");
        let button = button.on_hover_text("Keep the range that is played, from zero");
        let tip = "Set the start or the end of the range in the timeline first";
        if button.on_disabled_hover_text(tip).clicked() {
            studio.apply(MotionEdit::TrimMotion { motion: of.clone(), from, to });
            show_all(studio);
        }
        let fields = &mut studio.panels.motion.retime;
        let mut seconds = fields.range_seconds.unwrap_or(to - from);
        let field = DragValue::new(&mut seconds).speed(0.01).range(0.01..=3600.0).suffix(" s");
        let field = ui.add_enabled(has_range, field.max_decimals(3));
        named(&field, "Range takes");
        if field.on_hover_text("How long the range is to take").changed() {
            fields.range_seconds = Some(seconds);
        }
        let is_other = has_range && (seconds - (to - from)).abs() > 1e-6;
        let button = ui.add_enabled(is_other, egui::Button::new("Retime").small());
        named(&button, "Retime range");
        let button = button.on_hover_text("Play the range faster or slower; the rest goes along");
        if button.on_disabled_hover_text("Say another time at the left first").clicked() {
            let times = warp((from, to), seconds, length);
            studio.apply(MotionEdit::WarpMotion { motion: of.clone(), times });
            studio.panels.motion.retime.range_seconds = None;
            show_all(studio);
        }
    });
    ui.end_row();

    ui.label("Even keys");
    ui.horizontal(|ui| {
        let rate = studio.frames_per_second();
        let fields = &mut studio.panels.motion.retime;
        let mut per_second = fields.per_second.unwrap_or(rate);
        let field = DragValue::new(&mut per_second).speed(0.1).range(1.0..=240.0);
        let field = ui.add(field.suffix(" a second").max_decimals(2));
        named(&field, "Keys a second");
        if field.on_hover_text("How many keys a second every channel gets").changed() {
            fields.per_second = Some(per_second);
        }
        let button = ui.small_button("Resample");
        named(&button, "Resample motion");
        if button.on_hover_text("Straight keys at even times, in place of those there").clicked() {
            studio.apply(MotionEdit::ResampleMotion { motion: of.clone(), per_second });
        }
    });
    ui.end_row();

    ui.label("Fewer keys");
    ui.horizontal(|ui| {
        let millimetres = &mut studio.panels.motion.retime.millimetres;
        let field = DragValue::new(millimetres).speed(0.02).range(0.01..=100.0).suffix(" mm");
        let field = ui.add(field.max_decimals(2));
        named(&field.on_hover_text("How far any point of the skin may move"), "Reduce within");
        let metres = 1e-3 * *millimetres;
        let can = !studio.has_job();
        let button = ui.add_enabled(can, egui::Button::new("Reduce").small());
        named(&button, "Reduce motion");
        let tip =
            "Take keys out as long as no point of the skin, by linear blending, moves further";
        let button = button.on_hover_text(tip);
        if button.on_disabled_hover_text("Something is being made; wait for it").clicked() {
            studio.reduce_motion(metres, ui.ctx());
        }
        if let Some((what, fraction)) = studio.job_progress() {
            ui.weak(format!("{what} {:.0} %", 100.0 * fraction));
        }
    });
    ui.end_row();

    ui.label("Loop");
    ui.horizontal(|ui| {
        let seconds = &mut studio.panels.motion.retime.blend_seconds;
        let field = DragValue::new(seconds).speed(0.01).range(0.01..=60.0).suffix(" s");
        let field = ui.add(field.max_decimals(2));
        named(&field.on_hover_text("How long the end takes to become the start"), "Loop blend");
        let seconds = *seconds;
        let button = ui.add_enabled(seconds <= length, egui::Button::new("Blend").small());
        named(&button, "Blend loop");
        let button = button.on_hover_text("The last seconds go over into the start");
        if button.on_disabled_hover_text("The motion is not as long as that").clicked() {
            studio.apply(MotionEdit::LoopMotion { motion: of.clone(), seconds });
        }
    });
    ui.end_row();
}

/// The motion has another length: all of it is played.
fn show_all(studio: &mut Studio) {
    let document = studio.document().clone();
    studio.session.playback.sync(&document);
    let end = studio.clip_seconds();
    studio.session.playback.set_range(0.0, end);
    studio.go_to(0.0);
}

/// Pairs of a new time and the old one that comes there: the range takes so long, what is beside it
/// as long as it took.
fn warp((from, to): (f64, f64), seconds: f64, length: f64) -> Vec<[f64; 2]> {
    let mut pairs = vec![[from, from], [from + seconds, to]];
    if from > 0.0 {
        pairs.insert(0, [0.0, 0.0]);
    }
    if to < length {
        pairs.push([from + seconds + (length - to), length]);
    }
    pairs
}

impl Studio {
    /// Has keys taken out elsewhere: every try is compared with the skin of the whole motion.
    fn reduce_motion(&mut self, metres: f64, ctx: &egui::Context) {
        let Some(index) = self.session.playback.clip() else { return };
        let document = self.document().clone();
        let work = move |progress: &dyn Progress| reduced(&document, index, metres, progress);
        let ctx = ctx.clone();
        match Job::start(&Threads, "motion", move || ctx.request_repaint(), work) {
            Ok(job) => self.put_job(job),
            Err(error) => self.toasts.failed(format!("no thread for it: {error}")),
        }
    }
}

fn reduced(
    document: &Document,
    index: usize,
    metres: f64,
    progress: &dyn Progress,
) -> Result<Found, JobError> {
    let character = document.character();
    let before = document.motions().motion(character, index);
    let found = before.reduced(character, metres, progress).map_err(|error| {
        match error.is_cancelled() {
            true => JobError::Cancelled,
            false => JobError::Failed(error.to_string()),
        }
    })?;
    let (num_before, num_after) = found.num_keys;
    if num_after == num_before {
        return Err(JobError::Failed("no key can go without the skin moving further".into()));
    }
    let motion = MotionRef::of(document, index);
    let mut edits: Vec<Edit> = Vec::new();
    for (old, new) in before.layers.iter().zip(&found.motion.layers) {
        let changed: Vec<_> = (new.channels().iter())
            .filter(|channel| old.channel(channel.address()) != Some(*channel))
            .collect();
        if changed.is_empty() {
            continue;
        }
        let all =
            |address| KeysRef { channel: ChannelRef::of(character, address), seconds: Vec::new() };
        let keys = changed.iter().map(|channel| all(channel.address())).collect();
        let texts = changed.iter().map(|c| ChannelText::of(character, c.address(), c.keys()));
        let (channels, layer) = (texts.collect(), Some(new.name.clone()));
        let gone = MotionEdit::DeleteKeys { motion: motion.clone(), layer: layer.clone(), keys };
        edits.push(gone.into());
        edits.push(MotionEdit::SetKeys { motion: motion.clone(), layer, channels }.into());
    }
    Ok(Found { label: format!("Reduce {num_before} keys to {num_after}"), edits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_in_the_middle_takes_another_time_and_the_rest_goes_along() {
        let pairs = warp((1.0, 2.0), 3.0, 5.0);
        assert_eq!(pairs, [[0.0, 0.0], [1.0, 1.0], [4.0, 2.0], [7.0, 5.0]]);
        assert_eq!(warp((0.0, 5.0), 2.5, 5.0), [[0.0, 0.0], [2.5, 5.0]]);
    }
}
