//! The rasteriser on a thread of its own: without a graphics card a picture takes longer than the
//! window may wait.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use eframe::egui;
use sinew_editor::seam::Clock as _;
use sinew_view::camera::Size;
use sinew_view::picture::Picture;
use sinew_view::raster;
use sinew_view::scene::Scene;

use crate::clock::StudioClock;

/// A picture, and what it took.
pub(crate) struct Drawn {
    pub(crate) picture: Picture,
    pub(crate) draw_ms: f64,
}

/// How well a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    Fine,
    /// For what moves: the next one is on its way.
    Quick,
}

#[derive(Default)]
struct Desk {
    /// The next picture; one that was not begun is replaced.
    scene: Option<(Scene, Size, Care)>,
    drawn: Option<Drawn>,
    is_drawing: bool,
    is_closing: bool,
}

struct Shared {
    desk: Mutex<Desk>,
    has_scene: Condvar,
    ctx: egui::Context,
    clock: StudioClock,
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        loop {
            let mut desk = self.desk();
            while desk.scene.is_none() && !desk.is_closing {
                desk = self.has_scene.wait(desk).unwrap_or_else(PoisonError::into_inner);
            }
            if desk.is_closing {
                return;
            }
            let Some((scene, size, care)) = desk.scene.take() else { continue };
            desk.is_drawing = true;
            drop(desk);
            let start = self.clock.now();
            let picture = match care {
                Care::Fine => raster::draw(&scene, size),
                Care::Quick => raster::draw_quick(&scene, size),
            };
            let draw_ms = self.clock.ms_since(start);
            let mut desk = self.desk();
            desk.is_drawing = false;
            desk.drawn = Some(Drawn { picture, draw_ms });
            drop(desk);
            self.ctx.request_repaint();
        }
    }
}

/// The thread.
pub(crate) struct Draughtsman {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Draughtsman {
    pub(crate) fn start(ctx: &egui::Context, clock: &StudioClock) -> Self {
        let shared = Arc::new(Shared {
            desk: Mutex::default(),
            has_scene: Condvar::new(),
            ctx: ctx.clone(),
            clock: clock.clone(),
        });
        let of_thread = Arc::clone(&shared);
        let builder = std::thread::Builder::new().name("draughtsman".into());
        Self { shared, thread: builder.spawn(move || of_thread.work()).ok() }
    }

    pub(crate) fn ask(&self, scene: Scene, size: Size, care: Care) {
        self.shared.desk().scene = Some((scene, size, care));
        self.shared.has_scene.notify_one();
    }

    pub(crate) fn take(&self) -> Option<Drawn> {
        self.shared.desk().drawn.take()
    }

    pub(crate) fn is_busy(&self) -> bool {
        let desk = self.shared.desk();
        desk.scene.is_some() || desk.is_drawing || desk.drawn.is_some()
    }
}

impl Drop for Draughtsman {
    fn drop(&mut self) {
        self.shared.desk().is_closing = true;
        self.shared.has_scene.notify_one();
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}
