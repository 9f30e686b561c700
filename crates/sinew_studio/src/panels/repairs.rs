//! What is wrong with weights, as a list with one undoable mend each. It is looked for elsewhere,
//! while the window goes on.

use std::sync::Arc;

use eframe::egui;
use sinew::Character;
use sinew::progress::Progress;
use sinew::weights::repair::{Mend, repair};
use sinew_editor::WeightEdit;
use sinew_editor::job::Job;
use sinew_editor::seam::Threads;

use super::named;
use crate::studio::Studio;

/// Points that each mend would change, and joints where it is of the skeleton.
type Faults = Vec<(Mend, usize)>;

/// What was found when it was last looked for.
#[derive(Default)]
pub(crate) struct Repairs {
    of: Option<Arc<Character>>,
    found: Faults,
    /// Looking, and at what.
    looking: Option<(Arc<Character>, Job<Faults>)>,
}

impl Repairs {
    /// True while faults are looked for.
    pub(crate) fn is_looking(&self) -> bool {
        self.looking.is_some()
    }

    /// Takes what was found.
    pub(crate) fn poll(&mut self) {
        if let Some((of, job)) = &mut self.looking
            && job.is_over()
        {
            self.found = job.take().unwrap_or_default();
            self.of = Some(Arc::clone(of));
            self.looking = None;
        }
    }
}

fn words(mend: Mend) -> &'static str {
    match mend {
        Mend::RestIsNotBind => "joints that rest elsewhere than the skin was bound",
        Mend::UnweightedMesh => "points of meshes without weights",
        Mend::DuplicateJoints => "points with two joints that are at one place",
        Mend::WrongSideWeights => "points that follow a joint of the other side",
        Mend::StrayPoints => "points that follow another joint than all around them",
        Mend::FarWeights => "points with joints that are far away",
        Mend::SeamWeightsDiffer => "points on one place with other weights: seams that open",
        Mend::TinyWeights => "points with weights that move nothing",
        Mend::TooManyInfluences => "points with more influences than the budget",
    }
}

impl Studio {
    /// Looks for what is wrong with the weights, on a thread of its own.
    fn look_for_faults(&mut self, ctx: &egui::Context) {
        let character = Arc::clone(self.document().character());
        let (of, rules) = (Arc::clone(&character), self.session.weights.rules());
        let work = move |progress: &dyn Progress| {
            let mut found = Faults::new();
            for (index, mend) in Mend::ALL.into_iter().enumerate() {
                progress.report("looking for faults", index as f32 / Mend::ALL.len() as f32);
                if progress.is_cancelled() {
                    break;
                }
                let (_, done) = repair(&character, &[mend], &rules, progress);
                let count = done.iter().map(|mended| mended.count).sum::<usize>();
                found.extend((count > 0).then_some((mend, count)));
            }
            found
        };
        let ctx = ctx.clone();
        match Job::start(&Threads, "faults", move || ctx.request_repaint(), work) {
            Ok(job) => self.panels.repairs.looking = Some((of, job)),
            Err(error) => self.toasts.failed(format!("no thread for it: {error}")),
        }
    }
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        let looking = studio.panels.repairs.looking.as_ref();
        let at = looking.map(|(_, job)| job.progress().1);
        let look = ui.add_enabled(at.is_none(), egui::Button::new("Look for faults"));
        named(&look, "Weights: Look for faults");
        let look = look.on_disabled_hover_text("They are being looked for");
        if look.on_hover_text("Say what is wrong with the weights").clicked() {
            studio.look_for_faults(ui.ctx());
        }
        if let Some(at) = at {
            ui.add(egui::ProgressBar::new(at).desired_width(80.0));
            let stop = ui.small_button("Stop").on_hover_text("Stop looking for faults");
            named(&stop, "Stop looking for faults");
            if stop.clicked() {
                studio.panels.repairs.looking = None;
            }
        }
    });
    let character = Arc::clone(studio.document().character());
    let repairs = &studio.panels.repairs;
    // Of weights that were edited since, it says nothing.
    if repairs.of.as_ref().is_none_or(|of| !Arc::ptr_eq(of, &character)) {
        return;
    }
    if repairs.found.is_empty() {
        ui.weak("Nothing is wrong with these weights");
    }
    for (mend, count) in repairs.found.clone() {
        ui.horizontal(|ui| {
            let can = mend.is_of_weights();
            let button = ui.add_enabled(can, egui::Button::new("Mend").small());
            let button = button.on_hover_text(mend.code()).on_disabled_hover_text(
                "A project keeps its file's skeleton; `sinew repair --only rest-is-not-bind` mends the file",
            );
            named(&button, &format!("Mend {}", mend.code()));
            if button.clicked() {
                let keep = studio.keeping();
                studio.apply(WeightEdit::RepairWeights { mends: vec![mend], keep });
            }
            super::one_line(ui, format!("{count} {}", words(mend)));
        });
    }
}
