//! A scripted tour: events replayed in the real window, with screenshots. The tests and the
//! documentation use it.
//!
//! A script is JSON, a list of steps or an object with one under `steps`; each is done once
//! everything before it is on the screen:
//!
//! ```json
//! [
//!   {"do": "drag", "from": "elbow_l", "to": [0.7, 0.4]},
//!   {"do": "command", "command": "compare-two"},
//!   {"do": "screenshot", "file": "compare.png"}
//! ]
//! ```

mod controls;
mod player;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sinew_editor::Edit;

use crate::command::Command;

pub(crate) use player::Player;

/// A place in the first view: shares of its width and height from its upper left corner, or the
/// middle of a joint's bone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// Shares of the view.
    Share([f32; 2]),
    /// A joint's name.
    Joint(String),
    /// Where a joint is, not the middle of its bone.
    Head {
        /// Its name.
        head: String,
    },
    /// Points from the window's upper left corner: menus and panels.
    Window {
        /// Across and down.
        window: [f32; 2],
    },
    /// The middle of a button, a field or a list, or another place in it.
    Control {
        /// Its name, as a screen reader says it: mostly what is written on it.
        control: String,
        /// Shares of its width and height from its upper left corner.
        #[serde(default = "middle")]
        share: [f32; 2],
    },
    /// A handle of the cage.
    Handle {
        /// Its number.
        handle: u32,
        /// In which view, counted from 1.
        #[serde(default = "first")]
        view: usize,
    },
    /// A part of the gizmo on the chosen handles of the cage.
    CageGizmo {
        /// Which gizmo the cage tool shows.
        gizmo: sinew_editor::tool::CageGizmo,
        /// In which view, counted from 1.
        #[serde(default = "first")]
        view: usize,
    },
    /// A ring of the rotation gizmo: the active joint's, about one of its axes.
    Ring {
        /// `x`, `y`, `z` or `twist`.
        ring: sinew_editor::Axis,
        /// Where on it, in degrees.
        #[serde(default)]
        at_degrees: f32,
    },
}

/// A step of a tour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Opens a file, as if it was dropped.
    Open {
        /// From the folder that the studio was started in.
        file: PathBuf,
    },
    /// Does what a menu entry does.
    Command {
        /// What is done, as by its menu entry.
        command: Command,
    },
    /// Answers the next file dialog.
    Answer {
        /// The file that it answers with.
        file: PathBuf,
    },
    /// Does an edit.
    Edit {
        /// As in `docs/edits.md`.
        edit: Edit,
    },
    /// Chooses a joint.
    Select {
        /// Its name.
        joint: String,
    },
    /// Moves the pointer somewhere.
    Hover {
        /// Where the pointer is.
        at: Place,
    },
    /// Clicks with the first button.
    Click {
        /// Where the pointer is.
        at: Place,
        /// With Shift held.
        #[serde(default)]
        shift: bool,
    },
    /// Drags with the first button.
    Drag {
        /// From there.
        from: Place,
        /// Where the drag ends.
        to: Place,
        /// In so many moves.
        #[serde(default = "twelve")]
        moves: u32,
        /// With Alt held.
        #[serde(default)]
        alt: bool,
    },
    /// Draws a line with the first button.
    Draw {
        /// Through there, straight from one to the next.
        through: Vec<Place>,
        /// In so many moves from one to the next.
        #[serde(default = "six")]
        moves: u32,
        /// With Shift held.
        #[serde(default)]
        shift: bool,
        /// The button is down already, from the line before.
        #[serde(default)]
        goes_on: bool,
        /// The button stays down, for a picture in the middle of it.
        #[serde(default)]
        holds: bool,
    },
    /// Presses a key.
    Key {
        /// Its name, as `F` or `Escape`.
        key: String,
        /// With Control (Command on a Mac) held.
        #[serde(default)]
        command: bool,
        /// With Shift held.
        #[serde(default)]
        shift: bool,
    },
    /// Lets time pass.
    Wait {
        /// For how many seconds.
        seconds: f64,
    },
    /// Sets the method of a compared view.
    Compare {
        /// Counted from 1.
        view: usize,
        /// As in `docs/edits.md`.
        #[serde(alias = "rig", deserialize_with = "sinew_editor::rig_over_defaults")]
        deformation: sinew::frame::Rig,
    },
    /// Where the slider of a wipe is.
    Wipe {
        /// From 0 to 1.
        at: f32,
    },
    /// Chooses a clip and a time of it.
    Clip {
        /// Its name.
        clip: String,
        /// The time in the clip.
        #[serde(default)]
        seconds: f64,
    },
    /// Saves a picture of the whole window.
    Screenshot {
        /// A .png.
        file: PathBuf,
    },
    /// Writes how fast frames were made while the last `play` ran, as JSON.
    Times {
        /// A .json.
        file: PathBuf,
    },
    /// Closes the studio, without asking.
    Quit,
}

fn twelve() -> u32 {
    12
}

fn six() -> u32 {
    6
}

fn middle() -> [f32; 2] {
    [0.5, 0.5]
}

fn first() -> usize {
    1
}

/// Why a script could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// No such file, or not readable.
    #[error("cannot read the script '{}': {source}", path.display())]
    Io {
        /// The script.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Not a list of steps.
    #[error("'{}': {fault}; a script is a list of steps, as in [{{\"do\": \"command\", \"command\": \"frame-all\"}}]", path.display())]
    Syntax {
        /// The script.
        path: PathBuf,
        /// Where and what.
        fault: String,
    },
}

/// Reads a script: a list of steps, or an object with one under `steps`.
pub fn read_script(path: &std::path::Path) -> Result<Vec<Step>, ScriptError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ScriptError::Io { path: path.to_owned(), source })?;
    let syntax = |fault: String| ScriptError::Syntax { path: path.to_owned(), fault };
    let mut value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| syntax(error.to_string()))?;
    if let Some(steps) = value.get_mut("steps") {
        value = steps.take();
    }
    let serde_json::Value::Array(steps) = value else { return Err(syntax("not a list".into())) };
    let parse = |(index, step)| {
        serde_json::from_value(step).map_err(|error| syntax(format!("step {}: {error}", index + 1)))
    };
    steps.into_iter().enumerate().map(parse).collect()
}
