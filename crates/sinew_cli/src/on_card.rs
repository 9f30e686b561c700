//! `--device gpu`: a plan's frames on the card, read back.

use sinew::frame::{Controls, Frame, Plan};
use sinew_gpu::{FrameTimes, Gpu, GpuCharacter, GpuError};

/// What the card took, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CardTimes {
    /// Recording and submitting.
    pub(crate) dispatch_ms: f64,
    /// By the card's clock; `None` where it shows none.
    pub(crate) compute_ms: Option<f64>,
    pub(crate) read_back_ms: f64,
}

/// A plan on a card.
pub(crate) struct OnCard {
    plan: Plan,
    character: GpuCharacter,
}

impl OnCard {
    pub(crate) fn new(gpu: &Gpu, plan: &Plan) -> Result<Self, GpuError> {
        Ok(Self { character: GpuCharacter::new(gpu, plan)?, plan: plan.clone() })
    }

    /// Makes a frame and reads it back.
    pub(crate) fn run(
        &mut self,
        controls: &Controls,
        frame: &mut Frame,
    ) -> Result<CardTimes, GpuError> {
        let FrameTimes { dispatch_ms, compute_ms } = self.character.run(&self.plan, controls)?;
        let read_back_ms = self.character.read(frame)?;
        Ok(CardTimes { dispatch_ms, compute_ms, read_back_ms })
    }
}
