//! Binding elsewhere, and motions to scrub through while weights are painted.

use eframe::egui;
use sinew::motion::range_of_motion;
use sinew::progress::Progress;
use sinew_editor::job::{Found, Job, JobError};
use sinew_editor::seam::Threads;
use sinew_editor::{Edit, JointRef, Keeping, WeightEdit, motion_edits};

use super::Studio;

impl Studio {
    /// Budget, locks and layer, as the panel has them.
    pub(crate) fn keeping(&self) -> Keeping {
        let settings = &self.session.weights;
        let name = |&joint: &u32| self.document().joint_ref(joint);
        let locked: Vec<JointRef> = settings.locked.iter().map(name).collect();
        let layer = settings.layer_of(self.document());
        Keeping { influences: settings.influences, locked, layer }
    }

    /// Finds all weights anew elsewhere; they enter as one step.
    pub(crate) fn bind_weights(&mut self, ctx: &egui::Context) {
        let (document, keep) = (self.document().clone(), self.keeping());
        let method = self.session.weights.method.name();
        let work = move |progress: &dyn Progress| {
            let found = WeightEdit::bound(&document, method, &keep, progress);
            if progress.is_cancelled() {
                return Err(JobError::Cancelled);
            }
            let edits = found.map_err(|error| JobError::Failed(error.to_string()))?;
            let edits = edits.into_iter().map(Edit::from).collect();
            Ok(Found { label: format!("Bind: {method}"), edits })
        };
        let ctx = ctx.clone();
        match Job::start(&Threads, "binding", move || ctx.request_repaint(), work) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.toasts.failed(format!("no thread for it: {error}")),
        }
    }

    /// Stops what a job is at.
    pub(crate) fn cancel_job(&self) {
        if let Some(job) = &self.job {
            job.cancel();
        }
    }

    /// Adds a motion in which the chosen joints bend and twist in turn, or all that move skin.
    pub(crate) fn add_range_of_motion(&mut self) {
        let character = self.document().character().clone();
        let mut joints: Vec<u32> = self.session.selection.joints.iter().copied().collect();
        if joints.is_empty() {
            let moves = character.joints_that_move_skin();
            joints = (0..moves.len() as u32).filter(|&joint| moves[joint as usize]).collect();
        }
        let motion = range_of_motion(&character.skeleton, &joints, "Range of motion");
        let first = self.document().motions().len();
        let edits = motion_edits(self.document(), &motion);
        self.apply_all("Range of motion", edits);
        if self.document().motions().len() > first {
            self.choose_clip(Some(first));
        }
    }
}
