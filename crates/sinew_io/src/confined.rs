//! Files that other files name: below the folder of the one that names them, and ordinary.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Where the file lies that a document in `folder` names; what is wrong with the name otherwise, as
/// the rest of a sentence. Devices, pipes and folders are refused, and so is everything outside of
/// `folder`, whether by `..`, by an absolute path or by a link.
///
/// # Errors
/// Says what is wrong, and what to do.
pub fn confined(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let relative = Path::new(name);
    let stays_inside =
        relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    // A colon is a scheme (http:) or a Windows drive.
    if !stays_inside || name.contains(':') || name.contains('\\') {
        return Err(format!(
            "names '{name}', which is not inside the file's folder; move it there and name it without '..'"
        ));
    }
    let failed = |error: std::io::Error| format!("names '{name}', which cannot be read: {error}");
    // Links are followed, and must end inside too.
    let path = folder.join(relative).canonicalize().map_err(failed)?;
    if !path.starts_with(folder.canonicalize().map_err(failed)?) {
        return Err(format!("names '{name}', a link that leads out of the file's folder"));
    }
    if !fs::metadata(&path).map_err(failed)?.is_file() {
        return Err(format!("names '{name}', which is not a file"));
    }
    Ok(path)
}
