//! What of a view's skin is under the pointer: asked of whoever draws it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eframe::egui;
use sinew_editor::seam::Threads;
use sinew_editor::solver::Answer;
use sinew_editor::{Picker, RasterPicker, View};
use sinew_gpu::GpuError;
use sinew_gpu::pick::{self, PendingRect};
use sinew_gpu::render::SceneOnCard;
use sinew_view::pick::{PickBuffer, PixelRect};

/// Whoever answers.
pub(crate) enum ViewPicker {
    Raster(Arc<RasterPicker>),
    Card(Box<CardPicker>),
}

/// The card's picking buffer, asked for by tools and answered a frame or two later.
pub(crate) struct CardPicker {
    shared: Arc<Wishes>,
    picker: pick::Picker,
    pending: Option<(View, (u64, usize), PendingRect)>,
}

/// What tools want of the card.
#[derive(Debug, Default)]
struct Wishes(Mutex<Desk>);

#[derive(Debug, Default)]
struct Desk {
    /// Counts the pictures of the skin in a view: another number is another skin.
    shown: (u64, usize),
    wanted: Option<View>,
    found: Option<(View, (u64, usize), Arc<PickBuffer>)>,
}

impl Wishes {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Picker for Wishes {
    fn seen(&self, view: &View) -> Option<Arc<PickBuffer>> {
        let mut desk = self.desk();
        if let Some((of_view, of_skin, buffer)) = &desk.found
            && of_view == view
            && *of_skin == desk.shown
        {
            return Some(Arc::clone(buffer));
        }
        desk.wanted = Some(*view);
        None
    }
}

impl ViewPicker {
    /// The rasteriser, on threads of its own.
    pub(crate) fn raster(ctx: &egui::Context) -> Self {
        let ctx = ctx.clone();
        Self::Raster(Arc::new(RasterPicker::new(Threads, move || ctx.request_repaint())))
    }

    /// By a card's picker.
    pub(crate) fn card(picker: pick::Picker) -> Self {
        Self::Card(Box::new(CardPicker { shared: Arc::default(), picker, pending: None }))
    }

    /// What tools ask.
    pub(crate) fn for_tools(&self) -> Arc<dyn Picker> {
        match self {
            Self::Raster(picker) => Arc::<RasterPicker>::clone(picker),
            Self::Card(picker) => Arc::<Wishes>::clone(&picker.shared),
        }
    }

    /// What is on the screen now, and in which view.
    pub(crate) fn show(&self, answer: &Answer, pane: usize) {
        match self {
            Self::Raster(picker) => picker.show(&answer.frame, &answer.surfaces),
            Self::Card(picker) => picker.shared.desk().shown = (answer.number, pane),
        }
    }
}

impl CardPicker {
    /// Takes an answer of the card that has come, and asks it for what tools want: of the scene as
    /// it was drawn. True while something is under way.
    pub(crate) fn serve(
        &mut self,
        scene: Option<(&SceneOnCard, &sinew_view::camera::Camera)>,
    ) -> Result<bool, GpuError> {
        if let Some((view, skin, mut pending)) = self.pending.take() {
            if pending.poll()? {
                let buffer = Arc::new(pending.wait()?);
                self.shared.desk().found = Some((view, skin, buffer));
                return Ok(true);
            }
            self.pending = Some((view, skin, pending));
            return Ok(true);
        }
        let mut desk = self.shared.desk();
        let Some(view) = desk.wanted else { return Ok(false) };
        desk.wanted = None;
        // The picture has moved on since: who still wants to know asks again.
        let Some((scene, _)) = scene.filter(|(_, camera)| **camera == view.camera) else {
            return Ok(true);
        };
        let (size, shown) = (view.size, desk.shown);
        drop(desk);
        let pending = self.picker.request_rect(scene, size, PixelRect::whole(size))?;
        self.pending = Some((view, shown, pending));
        Ok(true)
    }
}
