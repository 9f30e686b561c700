//! Binding elsewhere, and motions to scrub through while weights are painted.

use eframe::egui;
use sinew::motion::range_of_motion;
use sinew::progress::Progress;
use sinew::weights::paint::Brush;
use sinew_editor::job::{Found, Job, JobError};
use sinew_editor::seam::Threads;
use sinew_editor::tool::{DragGesture, Event, WeightPaintTool};
use sinew_editor::{Edit, JointRef, Keeping, WeightEdit, motion_edits};

use super::Studio;
use crate::command::Command;
use crate::viewport::paint::Coloring;

/// A key makes the brush so many times as large.
pub(crate) const BRUSH_STEP: f64 = 1.25;
/// Of brushes, metres.
const LEAST_RADIUS: f64 = 0.002;
const MOST_RADIUS: f64 = 1.0;

impl Studio {
    /// Budget, locks and layer, as the panel has them.
    pub(crate) fn keeping(&self) -> Keeping {
        let settings = &self.session.weights;
        let name = |&joint: &u32| self.document().joint_ref(joint);
        let locked: Vec<JointRef> = settings.locked.iter().map(name).collect();
        let layer = settings.layer_of(self.document());
        Keeping { influences: settings.influences, locked, layer }
    }

    /// True if the keys and buttons of moving, turning and stretching joints mean points: the hand
    /// is taken, and there are some chosen.
    pub(crate) fn has_points_in_hand(&self) -> bool {
        self.session.tool().name() == "Drag" && self.session.selection.num_points() > 0
    }

    /// Takes the brush, and shows what it paints.
    pub(crate) fn take_paint_tool(&mut self) {
        self.take(Box::new(WeightPaintTool::default()));
        self.views.state.coloring = Coloring::Weights;
    }

    /// What the brush does from now on; takes it, if it is not in hand.
    pub(crate) fn take_brush(&mut self, brush: Brush) {
        self.session.weights.brush = brush;
        if self.session.tool().name() != "Paint" {
            self.take_paint_tool();
        }
    }

    /// How far the brush in hand reaches, if one is.
    pub(crate) fn brush_radius(&self) -> Option<f64> {
        let weights = &self.session.weights;
        match (self.session.tool().name(), weights.gesture) {
            ("Paint", _) | ("Drag", DragGesture::Pull) => Some(weights.radius),
            ("Drag", _) => Some(weights.soft_radius),
            ("Sculpt", _) => Some(self.session.sculpt.radius),
            _ => None,
        }
    }

    /// Makes the brush in hand so many times as large.
    pub(crate) fn scale_brush(&mut self, times: f64) {
        let tool = self.session.tool().name();
        let weights = &mut self.session.weights;
        let radius = match (tool, weights.gesture) {
            ("Paint", _) | ("Drag", DragGesture::Pull) => &mut weights.radius,
            ("Drag", _) => &mut weights.soft_radius,
            ("Sculpt", _) => &mut self.session.sculpt.radius,
            _ => return,
        };
        *radius = (times * *radius).clamp(LEAST_RADIUS, MOST_RADIUS);
    }

    /// Brackets mean the brush while one is in hand.
    pub(super) fn brush_key(&self, key: egui::Key, modifiers: egui::Modifiers) -> Option<Command> {
        let command = match key {
            egui::Key::OpenBracket => Command::BrushSmaller,
            egui::Key::CloseBracket => Command::BrushLarger,
            _ => return None,
        };
        (modifiers.is_none() && self.brush_radius().is_some()).then_some(command)
    }

    /// What the hand does to points from now on; where keys grab, it begins at once.
    pub(crate) fn drag_points_by(&mut self, gesture: DragGesture) {
        self.session.weights.gesture = gesture;
        if self.settings.keymap.grabs()
            && let Some(at) = self.views.state.pointer
        {
            self.dispatch(&Event::Grabbed { at });
        }
    }

    /// Finds all weights anew elsewhere; they enter as one step.
    pub(crate) fn bind_weights(&mut self, ctx: &egui::Context) {
        let document = self.document().clone();
        let method = self.session.weights.method.name();
        let decided = self.decided();
        let those = |gets: bool| -> Vec<JointRef> {
            let own = decided.iter().filter(|(_, decided)| **decided == gets);
            own.map(|(&joint, _)| document.joint_ref(joint)).collect()
        };
        let bind = WeightEdit::BindWeights {
            method: method.to_owned(),
            deform: those(true),
            left_out: those(false),
            keep: self.keeping(),
        };
        let work = move |progress: &dyn Progress| {
            let found = WeightEdit::bound(&document, &bind, progress);
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
