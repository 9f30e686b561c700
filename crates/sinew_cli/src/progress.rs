//! A progress bar on stderr that also tells the library when Ctrl-C was pressed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sinew::progress::Progress;

/// Ticks of the bar; fine enough for any terminal's width.
const TICKS: u64 = 1000;

/// One bar for the whole of a verb. It leaves no trace once dropped.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    is_interrupted: Arc<AtomicBool>,
}

impl Bar {
    pub(crate) fn new(is_quiet: bool, is_interrupted: Arc<AtomicBool>) -> Self {
        // indicatif hides what it draws to stderr by itself where stderr is no terminal.
        let target =
            if is_quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(TICKS), target);
        if let Ok(style) = ProgressStyle::with_template("{msg:24} {bar:32} {percent:>3}%") {
            bar.set_style(style);
        }
        // Draws again while a long step reports nothing, so that the terminal does not look dead.
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, is_interrupted }
    }
}

impl Progress for Bar {
    fn report(&self, what: &str, fraction: f32) {
        if self.bar.message() != what {
            self.bar.set_message(what.to_owned());
        }
        self.bar.set_position((fraction.clamp(0.0, 1.0) * TICKS as f32) as u64);
    }

    fn is_cancelled(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
