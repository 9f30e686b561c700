//! The studio: a character in the middle, everything that can be done to it around.
//!
//! [`run`] opens the window. All of the editing is [`sinew_editor`]'s; here are panels, the views,
//! keys and menus. [`Studio`] is an [`eframe::App`], so that tests drive it without a window. What
//! every key does is in [`Keymap`], what every menu entry does in [`Command`]; [`Step`] is a
//! scripted tour.

mod clock;
mod command;
mod files;
mod keymap;
mod panels;
mod script;
mod settings;
mod studio;
mod theme;
mod toasts;
mod viewport;

use std::path::PathBuf;

pub use clock::StudioClock;
pub use command::{Command, Menu};
pub use files::Dialogs;
pub use keymap::Keymap;
pub use script::{Place, ScriptError, Step, read_script};
pub use settings::{Settings, Theme};
pub use studio::Studio;

use eframe::egui;

/// How the studio starts.
#[derive(Clone, Debug, Default)]
pub struct StudioOptions {
    /// What to open; a built-in character where nobody says.
    pub file: Option<PathBuf>,
    /// A tour to play, after which it closes.
    pub script: Option<Vec<Step>>,
    /// Where settings and unsaved work are kept; `None` keeps none.
    pub home: Option<PathBuf>,
    /// The start page is seen where neither a file nor a tour is named.
    pub shows_start: bool,
    /// In place of the remembered one.
    pub theme: Option<Theme>,
    /// Who answers questions for a file; a tour's are answered by its steps.
    pub dialogs: Dialogs,
    /// Width and height of the window, in points.
    pub size: Option<[f32; 2]>,
    /// Who draws the views, and makes their frames.
    pub drawn_by: DrawnBy,
    /// What time it is.
    pub clock: StudioClock,
}

/// Who makes the frames of the character and draws them in its views: one of the two, from rest to
/// picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawnBy {
    /// The graphics card where there is one, else the processor.
    #[default]
    Either,
    /// The graphics driver, even one in software.
    Card,
    /// The processor.
    Processor,
}

impl StudioOptions {
    /// The user's own folder for settings and unsaved work.
    pub fn user_home() -> Option<PathBuf> {
        let folders = directories::ProjectDirs::from("", "", "sinew")?;
        Some(folders.data_dir().to_owned())
    }
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// No display.
    #[error("there is no display to open the studio on")]
    NoDisplay,
    /// The window system or the graphics driver does not do it.
    #[error("the studio's window does not open: {0}")]
    Window(String),
    /// A tour that could not be played to its end.
    #[error("the script: {0}")]
    Script(String),
}

/// False where there is no display for sure.
pub fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens the window and returns when it is closed.
pub fn run(options: StudioOptions) -> Result<(), StudioError> {
    if !has_display() {
        return Err(StudioError::NoDisplay);
    }
    let viewport = egui::ViewportBuilder::default()
        .with_title("Sinew")
        .with_app_id("sinew")
        .with_inner_size(options.size.unwrap_or([1440.0, 900.0]))
        .with_min_inner_size([820.0, 520.0])
        .with_drag_and_drop(true);
    let native = eframe::NativeOptions { viewport, ..eframe::NativeOptions::default() };
    let failure = std::sync::Arc::new(std::sync::Mutex::new(None));
    let of_app = std::sync::Arc::clone(&failure);
    let start: eframe::AppCreator<'_> = Box::new(move |cc| {
        let mut studio = Studio::new(cc, options);
        studio.tell_script_failure_to(of_app);
        Ok(Box::new(studio))
    });
    eframe::run_native("Sinew", native, start)
        .map_err(|error| StudioError::Window(error.to_string()))?;
    let failure = failure.lock().map(|mut failure| failure.take()).unwrap_or_default();
    failure.map_or(Ok(()), |words| Err(StudioError::Script(words)))
}
