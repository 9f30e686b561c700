//! What the studio remembers of its user, in a file of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::keymap::Keymap;

/// As many as fit a menu.
const MOST_RECENT: usize = 10;
const FILE_NAME: &str = "studio.json";

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// As the desktop is.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Panels that are folded away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Folded {
    /// Joints, meshes and clips, at the left.
    pub lists: bool,
    /// Method, joint, poses and figures, at the right.
    pub settings: bool,
    /// The timeline, below.
    pub timeline: bool,
}

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light or dark.
    pub theme: Theme,
    /// Which keys and buttons do what.
    pub keymap: Keymap,
    /// Files that were opened or saved, the last first.
    pub recent: Vec<PathBuf>,
    /// True once the first steps were closed.
    pub knows_first_steps: bool,
    /// Panels that are folded away.
    pub folded: Folded,
}

impl Settings {
    /// As remembered; what cannot be read is as new.
    pub(crate) fn load(folder: Option<&Path>) -> Self {
        let text = folder.and_then(|folder| std::fs::read_to_string(folder.join(FILE_NAME)).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Remembers them. Failing to is no reason to stop work.
    pub(crate) fn save(&self, folder: Option<&Path>) {
        let Some(folder) = folder else { return };
        let Ok(text) = serde_json::to_string_pretty(self) else { return };
        _ = std::fs::create_dir_all(folder);
        _ = sinew_io::write_atomically(&folder.join(FILE_NAME), |file| {
            file.write_all(text.as_bytes())
        });
    }

    /// Puts a file at the top of the list.
    pub(crate) fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(MOST_RECENT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_comes_back_and_a_broken_file_is_as_new() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut settings = Settings { theme: Theme::Dark, ..Settings::default() };
        for n in 0..12 {
            settings.remember(Path::new(&format!("/tmp/{n}.glb")));
        }
        settings.remember(Path::new("/tmp/5.glb"));
        assert_eq!(settings.recent.len(), MOST_RECENT);
        assert_eq!(settings.recent[0], Path::new("/tmp/5.glb"));
        settings.save(Some(folder.path()));
        assert_eq!(Settings::load(Some(folder.path())), settings);
        sinew_io::write_atomically(&folder.path().join(FILE_NAME), |f| {
            f.write_all(b"{\"theme\": 3")
        })
        .expect("written");
        assert_eq!(Settings::load(Some(folder.path())), Settings::default());
    }
}
