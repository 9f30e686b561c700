//! What of the skin is under the pointer. Finding it out may take a while: nobody waits, they ask
//! again.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sinew::frame::Frame;
use sinew_view::look::Look;
use sinew_view::pick::{PickBuffer, PixelRect};
use sinew_view::raster;
use sinew_view::scene::{Overlay, Scene, Surface};

use crate::seam::Executor;
use crate::view::View;

/// Says what is seen where.
pub trait Picker: fmt::Debug {
    /// What of the frame on the screen is under each pixel of a view; `None` while it is being
    /// found out.
    fn seen(&self, view: &View) -> Option<Arc<PickBuffer>>;
}

/// The rasteriser's picking buffer, made elsewhere, once a view.
pub struct RasterPicker {
    shared: Arc<Shared>,
    executor: Box<dyn Executor>,
}

struct Shared {
    desk: Mutex<Desk>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Desk {
    shown: Option<Shown>,
    /// Of what was asked last, if it was found.
    found: Option<(View, Arc<Frame>, Arc<PickBuffer>)>,
    is_at_work: bool,
}

#[derive(Clone)]
struct Shown {
    frame: Arc<Frame>,
    surfaces: Vec<Surface>,
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RasterPicker {
    /// Works on another's threads; `wake` is called from there when something was found.
    pub fn new(executor: impl Executor + 'static, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Shared { desk: Mutex::default(), wake: Box::new(wake) };
        Self { shared: Arc::new(shared), executor: Box::new(executor) }
    }

    /// What is on the screen now.
    pub fn show(&self, frame: &Arc<Frame>, surfaces: &[Surface]) {
        let mut desk = self.shared.desk();
        if desk.shown.as_ref().is_none_or(|shown| !Arc::ptr_eq(&shown.frame, frame)) {
            desk.shown = Some(Shown { frame: Arc::clone(frame), surfaces: surfaces.to_vec() });
        }
    }
}

impl Picker for RasterPicker {
    fn seen(&self, view: &View) -> Option<Arc<PickBuffer>> {
        let mut desk = self.shared.desk();
        let shown = desk.shown.clone()?;
        if let Some((of_view, of_frame, buffer)) = &desk.found
            && of_view == view
            && Arc::ptr_eq(of_frame, &shown.frame)
        {
            return Some(Arc::clone(buffer));
        }
        if !desk.is_at_work {
            let (shared, view) = (Arc::clone(&self.shared), *view);
            let work = move || {
                let buffer = Arc::new(buffer_of(&view, shown.surfaces));
                let mut desk = shared.desk();
                desk.found = Some((view, shown.frame, buffer));
                desk.is_at_work = false;
                drop(desk);
                (shared.wake)();
            };
            // Without a thread nothing is found, and what needs no picker goes on.
            desk.is_at_work = self.executor.start("picker", Box::new(work)).is_ok();
        }
        None
    }
}

impl fmt::Debug for RasterPicker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RasterPicker").finish_non_exhaustive()
    }
}

fn buffer_of(view: &View, surfaces: Vec<Surface>) -> PickBuffer {
    let scene = Scene {
        camera: view.camera,
        look: Look::default(),
        surfaces,
        overlay: Overlay::default(),
        ground: None,
    };
    raster::pick(&scene, view.size, PixelRect::whole(view.size))
}
