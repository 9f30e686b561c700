//! `cargo xtask files`: source files short enough to read, lines that fit, links that lead
//! somewhere.

mod length;
mod links;
mod width;

pub(crate) use links::{heading_slug, normalized};

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::run::workspace_root;

/// Prints warnings and errors; fails if there is an error.
pub(crate) fn run() -> Result<(), Failure> {
    let root = workspace_root();
    let mut errors = Vec::new();
    let sources = files_below(&root, &["rs", "wgsl"])?;
    for path in &sources {
        let shown = path.strip_prefix(&root).unwrap_or(path).display();
        let source = read(path)?;
        errors.extend(width::wide_lines(&source).into_iter().map(|line| {
            format!("{shown}:{line}: wider than {} characters: break it", width::MAX_WIDTH)
        }));
        let num_lines = source.lines().count();
        match length::verdict(num_lines) {
            length::Verdict::Fine => {}
            length::Verdict::Long => eprintln!(
                "warning: {shown} has {num_lines} lines; past {} it is asking to be split by topic",
                length::WARN_PAST
            ),
            length::Verdict::TooLong => errors.push(format!(
                "{shown} has {num_lines} lines, more than {}: split it by topic",
                length::FAIL_PAST
            )),
        }
    }
    let pages = files_below(&root, &["md"])?;
    let mut num_links = 0;
    for path in &pages {
        let report = links::check(&root, path, &read(path)?);
        num_links += report.num_relative;
        errors.extend(report.broken);
    }
    for error in &errors {
        eprintln!("error: {error}");
    }
    if !errors.is_empty() {
        return Err(format!("files or links are to be mended in {} places", errors.len()));
    }
    println!("{} source files, {num_links} links in {} pages", sources.len(), pages.len());
    Ok(())
}

/// A file's text.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The files below `folder` with one of these extensions, in order of their paths. Leaves out what
/// is built, and hidden folders; follows no symbolic links.
pub(crate) fn files_below(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let fail = |error| format!("cannot list {}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let kind = entry.file_type().map_err(fail)?;
        let (path, name) = (entry.path(), entry.file_name());
        if kind.is_dir() {
            let is_built = name == "target" || name == "node_modules";
            if !is_built && !name.to_string_lossy().starts_with('.') {
                found.extend(files_below(&path, extensions)?);
            }
        } else if kind.is_file()
            && path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_files_are_short_and_narrow_and_our_own_links_lead_somewhere() {
        run().unwrap();
    }

    #[test]
    fn what_is_built_or_hidden_is_not_listed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["src/b.rs", "a.rs", "a.txt", "target/c.rs", ".git/d.rs"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a throw-away file")]
            std::fs::write(path, "").unwrap();
        }
        let found = files_below(folder.path(), &["rs"]).unwrap();
        assert_eq!(found, ["a.rs", "src/b.rs"].map(|name| folder.path().join(name)));
    }
}
