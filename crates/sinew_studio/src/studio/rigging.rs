//! Twist joints, half-way helpers and correctives at the chosen joint.

use eframe::egui;
use sinew::progress::Progress;
use sinew::rigging::moved_by_springs;
use sinew_editor::job::{Found, Job, JobError};
use sinew_editor::seam::Threads;
use sinew_editor::{Edit, JointRef, MeshRef, RiggingEdit};

use super::Studio;

/// Work that changes the document when it is done.
pub(crate) type EditJob = Job<Result<Found, JobError>>;

/// Joints on a limb: steps of 45° in half a turn.
const TWIST_JOINTS: usize = 5;

impl Studio {
    fn active_joint(&self) -> Option<JointRef> {
        self.session.selection.active.map(|joint| self.document().joint_ref(joint))
    }

    pub(crate) fn add_twist_joints(&mut self) {
        if let Some(joint) = self.active_joint() {
            self.apply(RiggingEdit::AddTwistJoints { joint, count: TWIST_JOINTS });
        }
    }

    pub(crate) fn add_half_way(&mut self) {
        if let Some(joint) = self.active_joint() {
            self.apply(RiggingEdit::AddHalfWay { joint });
        }
    }

    /// Has springs relaxed in this pose elsewhere; what they do enters as correctives.
    pub(crate) fn add_corrective(&mut self, ctx: &egui::Context) {
        let Some(joint) = self.active_joint() else { return };
        let document = self.document().clone();
        let controls = self.session.playback.controls(&document);
        let playback = self.session.playback.clone();
        let work = move |progress: &dyn Progress| {
            let character = document.character();
            let moved = moved_by_springs(character, document.rig(), &controls, progress);
            let moved = moved.map_err(|error| match error.is_cancelled() {
                true => JobError::Cancelled,
                false => JobError::Failed(error.to_string()),
            })?;
            let mut edits: Vec<Edit> = Vec::new();
            for (part, moved) in moved.into_iter().enumerate().filter(|(_, m)| !m.is_empty()) {
                let moved = moved.into_iter().map(|(point, d)| (point, d.x, d.y, d.z)).collect();
                let edit = RiggingEdit::AddCorrective {
                    mesh: MeshRef::of(character, part),
                    name: format!("{} corrective", joint.0),
                    joints: vec![joint.clone()],
                    moved: Some(moved),
                };
                if edits.is_empty() {
                    edits.extend(playback.start_of(&edit.clone().into(), &document));
                }
                edits.push(edit.into());
            }
            if edits.is_empty() {
                let words = "springs leave the skin as it is in this pose; bend the joint first";
                return Err(JobError::Failed(words.into()));
            }
            Ok(Found { label: format!("Corrective of {}", joint.0), edits })
        };
        let ctx = ctx.clone();
        match Job::start(&Threads, "corrective", move || ctx.request_repaint(), work) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.toasts.failed(format!("no thread for it: {error}")),
        }
    }

    /// What it finds will enter the document.
    pub(crate) fn put_job(&mut self, job: EditJob) {
        self.job = Some(job);
    }

    /// Enters what a job has found.
    pub(crate) fn take_job(&mut self) {
        let Some(job) = &mut self.job else { return };
        match job.enter(self.workspace.editor_mut()) {
            None => {}
            Some(outcome) => {
                let what = job.label().to_owned();
                self.job = None;
                self.forget_check();
                match outcome {
                    Ok(()) => self.toasts.done(format!("The {what} is there")),
                    Err(error) => self.toasts.failed(error.to_string()),
                }
            }
        }
    }

    /// What a job is at, and how far.
    pub(crate) fn job_progress(&self) -> Option<(String, f32)> {
        self.job.as_ref().map(EditJob::progress)
    }

    /// True while a job works.
    pub fn has_job(&self) -> bool {
        self.job.is_some()
    }
}
