//! Short words that come and go: what went wrong and what to do, what was done.
//!
//! Of our own and not of a crate: they must have names that a screen reader and the tests see, and
//! stay until closed where something failed.

use std::time::Duration;

use eframe::egui::{self, Align2, Color32};
use sinew_editor::seam::Clock as _;

use crate::clock::StudioClock;

/// Good news goes away by itself.
const SHOWN: Duration = Duration::from_secs(4);
const WIDTH: f32 = 340.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Done,
    Failed,
}

#[derive(Debug)]
struct Toast {
    kind: Kind,
    words: String,
    since: Duration,
}

/// The words on the screen.
#[derive(Debug)]
pub(crate) struct Toasts {
    toasts: Vec<Toast>,
    clock: StudioClock,
}

impl Toasts {
    pub(crate) fn new(clock: &StudioClock) -> Self {
        Self { toasts: Vec::new(), clock: clock.clone() }
    }

    /// Something went well.
    pub(crate) fn done(&mut self, words: impl Into<String>) {
        self.push(Kind::Done, &words.into());
    }

    /// Something did not; `words` say what, where and what to do.
    pub(crate) fn failed(&mut self, words: impl Into<String>) {
        self.push(Kind::Failed, &words.into());
    }

    fn push(&mut self, kind: Kind, words: &str) {
        // The window's font has no arrow, and what has no glyph is a fault of the program.
        let words = words.replace('→', ">");
        // The same again is the same toast: an edit that fails at every move of the mouse says so
        // once.
        self.toasts.retain(|toast| toast.words != words);
        self.toasts.push(Toast { kind, words, since: self.clock.now() });
    }

    /// The last that failed, for tests and scripts.
    pub(crate) fn last_failure(&self) -> Option<&str> {
        let failed = self.toasts.iter().rev().find(|toast| toast.kind == Kind::Failed);
        failed.map(|toast| &*toast.words)
    }

    pub(crate) fn show(&mut self, ctx: &egui::Context) {
        let Self { toasts, clock } = self;
        toasts.retain(|toast| toast.kind == Kind::Failed || clock.since(toast.since) < SHOWN);
        if self.toasts.is_empty() {
            return;
        }
        if self.toasts.iter().any(|toast| toast.kind == Kind::Done) {
            ctx.request_repaint_after(Duration::from_millis(200));
        }
        let mut closed = None;
        egui::Area::new(egui::Id::unique("toasts"))
            .anchor(Align2::RIGHT_BOTTOM, egui::vec2(-12.0, -92.0))
            .order(egui::Order::Foreground)
            .show(ctx, |ui| {
                for (index, toast) in self.toasts.iter().enumerate() {
                    if toast_ui(ui, toast) {
                        closed = Some(index);
                    }
                    ui.add_space(6.0);
                }
            });
        if let Some(index) = closed {
            self.toasts.remove(index);
        }
    }
}

/// True if it was closed.
fn toast_ui(ui: &mut egui::Ui, toast: &Toast) -> bool {
    let color = match toast.kind {
        Kind::Done => Color32::from_rgb(60, 150, 80),
        Kind::Failed => Color32::from_rgb(214, 84, 60),
    };
    let frame = egui::Frame::popup(ui.style()).stroke(egui::Stroke::new(1.5, color));
    frame
        .show(ui, |ui| {
            ui.set_width(WIDTH);
            ui.horizontal_top(|ui| {
                let (dot, _) = ui.allocate_exact_size(egui::vec2(10.0, 16.0), egui::Sense::hover());
                ui.painter().circle_filled(dot.center(), 4.5, color);
                ui.with_layout(egui::Layout::right_to_left(egui::Align::TOP), |ui| {
                    let close = ui.small_button("×").on_hover_text("Close this message");
                    crate::panels::named(&close, "Close message");
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::TOP), |ui| {
                        ui.add(egui::Label::new(&toast.words).wrap());
                    });
                    close.clicked()
                })
                .inner
            })
            .inner
        })
        .inner
}
