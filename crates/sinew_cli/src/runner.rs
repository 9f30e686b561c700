//! A plan and the memory of its frames, on the processor or on a card: what every verb runs.

use std::sync::Arc;

use sinew::Character;
use sinew::frame::{Controls, Frame, Plan, PlanError, Rig, Scratch};
use sinew::progress::Progress;
use sinew::skin::BindError;
use sinew_gpu::Gpu;

use crate::console::Console;
use crate::dynamics::Frames;
use crate::exit::Failure;
use crate::on_card::{CardTimes, OnCard};

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Cancelled => Self::Interrupted,
            // Rigs are made of flags.
            PlanError::Rig(error) => Self::Usage(error.to_string()),
            PlanError::Cage(error) => Self::Input(error.to_string()),
            PlanError::Driver(error) => Self::Input(error.to_string()),
        }
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Self {
        match error {
            BindError::Cancelled => Self::Interrupted,
            error => Self::Input(error.to_string()),
        }
    }
}

/// A character bound by a rig, and the last of its frames.
pub(crate) struct Runner {
    plan: Plan,
    scratch: Scratch,
    frame: Frame,
    on_card: Option<OnCard>,
    /// Of the last frame; `None` on the processor.
    card_times: Option<CardTimes>,
}

impl Runner {
    /// Binds at the rest of `base`, and says what meshes do not have.
    pub(crate) fn bind(
        character: &Arc<Character>,
        rig: &Rig,
        base: &Controls,
        console: &Console,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let plan = Plan::bind_at(character, rig, base, progress)?;
        for note in plan.notes() {
            console.warn_once(&note.words);
        }
        let (scratch, frame) = (plan.scratch(), plan.frame());
        Ok(Self { plan, scratch, frame, on_card: None, card_times: None })
    }

    /// Moves what was bound to the card; frames are made there from now on.
    pub(crate) fn upload(&mut self, gpu: &Gpu) -> Result<(), Failure> {
        self.on_card = Some(OnCard::new(gpu, &self.plan)?);
        Ok(())
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The last frame.
    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }

    pub(crate) fn card_times(&self) -> Option<CardTimes> {
        self.card_times
    }

    pub(crate) fn run(&mut self, controls: &Controls) -> Result<&Frame, Failure> {
        match &mut self.on_card {
            None => self.plan.run(controls, &mut self.scratch, &mut self.frame),
            Some(card) => self.card_times = Some(card.run(controls, &mut self.frame)?),
        }
        Ok(&self.frame)
    }

    /// Runs through all frames of a clip with inertia, on the processor: springs are at rest at
    /// time 0. Each frame is shown to `each_frame`, the one at time 0 first. Returns the sub-steps
    /// of all frames, the most over the meshes; `None` without springs.
    pub(crate) fn simulate(
        &mut self,
        frames: &Frames,
        controls_at: &dyn Fn(f64) -> Result<Controls, Failure>,
        each_frame: &mut dyn FnMut(&Frame),
        progress: &dyn Progress,
    ) -> Result<Option<u32>, Failure> {
        self.scratch.stop();
        let num_frames = frames.num();
        let mut num_substeps: Vec<Option<u32>> = vec![None; self.frame.parts().len()];
        let mut before_seconds = 0.0;
        for index in 0..=num_frames {
            if progress.is_cancelled() {
                return Err(Failure::Interrupted);
            }
            let now_seconds = if index == 0 { 0.0 } else { frames.seconds(index) };
            let step_seconds = Some((now_seconds - before_seconds) as f32);
            let controls = Controls { step_seconds, ..controls_at(now_seconds)? };
            self.plan.run(&controls, &mut self.scratch, &mut self.frame);
            for (sum, part) in num_substeps.iter_mut().zip(self.frame.parts()) {
                let of_frame = part.springs().map(|stats| stats.iterations);
                *sum = of_frame.map(|number| number + sum.unwrap_or_default());
            }
            each_frame(&self.frame);
            before_seconds = now_seconds;
            progress.report("simulating", index as f32 / num_frames.max(1) as f32);
        }
        Ok(num_substeps.into_iter().flatten().max())
    }
}
