//! `sinew studio`, and `sinew` alone: the window, or the tour where there is none.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sinew_studio::{DrawnBy, StudioError, StudioOptions, Theme, read_script};

use crate::args::Device;
use crate::console::Console;
use crate::demo::{self, DemoArgs};
use crate::exit::Failure;

/// Open the studio: pose, compare, save and export in a window
///
/// Without a file it opens a built-in character. Without a display it says so and runs `sinew demo`
/// instead.
#[derive(Args, Debug, Default)]
#[command(
    after_help = "Examples:\n  sinew studio\n  sinew studio human.glb\n  sinew studio human.sinew --theme dark\n  \
    sinew studio human.glb --script tour.json"
)]
pub(crate) struct StudioArgs {
    /// A character or a project
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Replay a tour (JSON, docs/guide/studio.md), save its screenshots, and close
    #[arg(long, value_name = "SCRIPT")]
    script: Option<PathBuf>,

    /// Light or dark, instead of the theme used last
    #[arg(long, value_enum)]
    theme: Option<ThemeArg>,

    /// Width and height of the window
    #[arg(long, value_name = "W,H", value_delimiter = ',')]
    size: Vec<f32>,

    /// What makes the frames and draws the views; gpu takes the graphics driver, even one in
    /// software [default: gpu where there is a card]
    #[arg(long, value_enum)]
    device: Option<Device>,

    /// Where to keep settings and unsaved work, instead of the user's own folder
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ThemeArg {
    System,
    Light,
    Dark,
}

impl From<ThemeArg> for Theme {
    fn from(theme: ThemeArg) -> Self {
        match theme {
            ThemeArg::System => Self::System,
            ThemeArg::Light => Self::Light,
            ThemeArg::Dark => Self::Dark,
        }
    }
}

pub(crate) fn run(args: &StudioArgs, console: &Console) -> Result<(), Failure> {
    let script = args.script.as_deref().map(read_script).transpose();
    let script = script.map_err(|error| Failure::Input(error.to_string()))?;
    if let Some(file) = args.file.as_ref().filter(|file| !file.exists()) {
        return Err(Failure::Input(format!("there is no file '{}'", file.display())));
    }
    let size = match args.size[..] {
        [width, height] if (200.0..=16_384.0).contains(&width.min(height)) => Some([width, height]),
        [] => None,
        _ => {
            return Err(Failure::Usage(
                "--size takes a width and a height from 200 up, as in 1280,800".into(),
            ));
        }
    };
    let is_scripted = script.is_some();
    let options = StudioOptions {
        file: args.file.clone(),
        // A tour starts the same everywhere.
        home: args.home.clone().or_else(|| StudioOptions::user_home().filter(|_| !is_scripted)),
        script,
        shows_start: true,
        theme: args.theme.map(Theme::from),
        size,
        drawn_by: match args.device {
            None => DrawnBy::Either,
            Some(Device::Gpu) => DrawnBy::Card,
            Some(Device::Cpu) => DrawnBy::Processor,
        },
        ..StudioOptions::default()
    };
    match sinew_studio::run(options) {
        Ok(()) => Ok(()),
        Err(StudioError::NoDisplay) if !is_scripted => {
            let file = args.file.as_ref();
            let of_file = file.map_or_else(String::new, |file| format!(" {}", file.display()));
            console.say(&format!(
                "there is no display to open the studio on; running `sinew demo{of_file}` instead"
            ));
            demo::run(&DemoArgs::standard(args.file.clone()), console)
        }
        Err(error @ (StudioError::NoDisplay | StudioError::Window(_))) => {
            Err(Failure::Machine(error.to_string()))
        }
        Err(error @ StudioError::Script(_)) => Err(Failure::Input(error.to_string())),
    }
}
