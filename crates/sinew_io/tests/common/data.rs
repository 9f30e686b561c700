//! The shared data: real files, which are no part of the project. What they show is a bonus; every
//! required fact is tested on generated files.

use std::path::{Path, PathBuf};

/// A folder of the shared data, which is `../shared/data` beside the project unless `SINEW_DATA`
/// names another.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = match std::env::var_os("SINEW_DATA") {
        Some(data) => vec![PathBuf::from(data)],
        // A worktree lies one folder deeper.
        None => vec![project.join("../shared/data"), project.join("../../shared/data")],
    };
    data.into_iter().map(|data| data.join(name)).find(|folder| folder.is_dir())
}

/// Every file below a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The files below a folder that can be read, of which there are some: a test of none would pass.
pub(crate) fn readable_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = files(folder);
    files.retain(|path| sinew_io::Format::of_path(path).is_some());
    assert!(!files.is_empty(), "nothing to read below {}", folder.display());
    files
}
