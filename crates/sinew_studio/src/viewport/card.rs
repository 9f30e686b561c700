//! A view's frames on the card that draws it: made, faded and read there by the solver's thread.
//!
//! Device and queue are the window's own, so that what a thread submits is drawn in its order;
//! nothing is copied from where it is made to where it is drawn.

use std::sync::Arc;

use sinew::frame::{Controls, Frame, Plan};
use sinew::mesh::Aabb;
use sinew_editor::solver::{Card, OnCard};
use sinew_gpu::{Gpu, GpuCharacter, GpuError, GpuFade, PartBuffers, PendingRead};

/// The solver's hold on the card.
pub(super) struct ViewCard {
    gpu: Gpu,
    character: Option<GpuCharacter>,
    fade: Option<GpuFade>,
    pending: Option<PendingRead>,
    /// What the card cannot have: not tried again at every pose.
    refused: Option<(u64, String)>,
}

impl ViewCard {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), character: None, fade: None, pending: None, refused: None }
    }

    fn submit(&mut self, plan: &Plan, controls: &Controls) -> Result<(), GpuError> {
        match &mut self.character {
            Some(character) => character.submit(plan, controls),
            None => {
                let mut character = GpuCharacter::new(&self.gpu, plan)?;
                character.submit(plan, controls)?;
                self.character = Some(character);
                Ok(())
            }
        }
    }

    /// The words of what went wrong; another frame of the plan may go well where time is the
    /// trouble.
    fn refuse(&mut self, plan: &Plan, error: &GpuError) -> String {
        if matches!(error, GpuError::Swings) {
            return "The processor makes springs that swing: the card has none with mass".into();
        }
        let words = format!("The processor makes this frame: {error}");
        (self.character, self.fade) = (None, None);
        self.refused = Some((plan.revision()[0], words.clone()));
        words
    }

    fn check(&self, plan: &Plan) -> Result<(), String> {
        match &self.refused {
            Some((refused, words)) if *refused == plan.revision()[0] => Err(words.clone()),
            _ => Ok(()),
        }
    }
}

impl Card for ViewCard {
    fn make(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String> {
        self.check(plan)?;
        self.submit(plan, controls).map_err(|error| self.refuse(plan, &error))
    }

    fn replace(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String> {
        self.check(plan)?;
        let before = self.character.take();
        self.fade = None;
        let replaced = self.submit(plan, controls).and_then(|()| {
            if let (Some(before), Some(after)) = (&before, &self.character) {
                self.fade = Some(GpuFade::between(&self.gpu, before, after)?);
            }
            Ok(())
        });
        replaced.map_err(|error| self.refuse(plan, &error))
    }

    fn fade(&mut self, share: f32) {
        match &mut self.fade {
            Some(fade) if share > 0.0 => fade.run(share),
            _ => self.fade = None,
        }
    }

    fn frame(&self) -> (Frame, Aabb) {
        let Some(character) = &self.character else { unreachable!("made before it is shown") };
        (character.prepared().frame(), character.bounds())
    }

    fn skin(&self) -> OnCard {
        let Some(character) = &self.character else { unreachable!("made before it is shown") };
        let buffers = match &self.fade {
            Some(fade) => fade.buffers(character),
            None => character.buffers(),
        };
        OnCard(Arc::new(buffers))
    }

    fn request(&mut self) -> Result<(), String> {
        let Some(character) = &self.character else { unreachable!("made before it is read") };
        self.pending = Some(character.request_read().map_err(|error| error.to_string())?);
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Frame>, String> {
        let Some(mut pending) = self.pending.take() else { return Ok(None) };
        if pending.poll().map_err(|error| error.to_string())? {
            return pending.wait().map(Some).map_err(|error| error.to_string());
        }
        self.pending = Some(pending);
        Ok(None)
    }
}

/// What [`ViewCard::skin`] has put there.
pub(super) fn buffers(on_card: &OnCard) -> &[PartBuffers] {
    on_card.0.downcast_ref::<Vec<PartBuffers>>().map_or(&[], Vec::as_slice)
}
