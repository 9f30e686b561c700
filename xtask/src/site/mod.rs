//! `cargo xtask site`: the documentation as a site, `target/site/index.html`, readable on a phone
//! and without a network.
//!
//! mdBook would do it, too; but it brings some two hundred crates, minutes of every cold test run,
//! for a list of links at the left. The pages, their order and their titles are `docs/README.md`,
//! which a reader of the sources has as well.

mod page;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::files::{files_below, read};
use crate::run::workspace_root;

/// Where it is written, below the root.
const OUTPUT: &str = "target/site";

/// Pages that are not below `docs`.
const TOP_PAGES: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"];

/// What pages show and link to beside pages.
const ASSETS: [&str; 6] = ["png", "gif", "svg", "json", "toml", "txt"];

/// Writes the site; fails if a link in it leads nowhere, or a page of `docs` cannot be reached.
pub(crate) fn run() -> Result<(), Failure> {
    let root = workspace_root();
    let built = Site::of(&root)?;
    let output = root.join(OUTPUT);
    for (path, bytes) in &built.files {
        let path = output.join(path);
        let fail = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        write(&path, bytes).map_err(fail)?;
    }
    println!("{} pages, {}/index.html", built.num_pages, output.display());
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "what is built can be built again")]
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::write(path, bytes)
}

/// All files of the site.
struct Site {
    /// By their paths in it.
    files: Vec<(PathBuf, Vec<u8>)>,
    num_pages: usize,
}

impl Site {
    fn of(root: &Path) -> Result<Self, Failure> {
        let mut sources: Vec<PathBuf> = TOP_PAGES.iter().map(PathBuf::from).collect();
        for path in files_below(&root.join("docs"), &["md"])? {
            sources.push(path.strip_prefix(root).unwrap_or(&path).to_owned());
        }
        let mut files = Vec::new();
        for path in files_below(&root.join("docs"), &ASSETS)? {
            let bytes = std::fs::read(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            files.push((path.strip_prefix(root).unwrap_or(&path).to_owned(), bytes));
        }
        let contents = read(&root.join("docs/README.md"))?;
        let pages: BTreeSet<PathBuf> = sources.iter().cloned().collect();
        let mut faults = Vec::new();
        let mut reached = BTreeSet::from([PathBuf::from("README.md")]);
        for source in &sources {
            let text = read(&root.join(source))?;
            let made = page::html(source, &text, &contents, &pages);
            reached.extend(made.links);
            files.push((page::target(source), made.html.into_bytes()));
        }
        faults.extend(
            pages.difference(&reached).map(|page| {
                format!("no page leads to {}: name it in docs/README.md", page.display())
            }),
        );
        let written: BTreeSet<&PathBuf> = files.iter().map(|(path, _)| path).collect();
        for (page, bytes) in files.iter().filter(|(path, _)| path.extension().is_some_and(html)) {
            faults.extend(page::dead_links(page, &String::from_utf8_lossy(bytes), &written));
        }
        if !faults.is_empty() {
            return Err(faults.join("\n"));
        }
        files.push((PathBuf::from("site.css"), include_bytes!("site.css").to_vec()));
        Ok(Self { files, num_pages: sources.len() })
    }
}

fn html(extension: &std::ffi::OsStr) -> bool {
    extension == "html"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_site_is_whole_and_every_page_can_be_reached() {
        let site = Site::of(&workspace_root()).unwrap();
        let has = |path: &str| site.files.iter().any(|(known, _)| known == Path::new(path));
        assert!(has("index.html") && has("docs/index.html") && has("docs/methods/springs.html"));
        assert!(has("docs/images/group.png") && has("site.css"));
    }

    #[test]
    fn a_page_that_nobody_links_to_is_a_fault() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["docs", "examples"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        for name in TOP_PAGES.iter().copied().chain(["docs/README.md", "docs/lost.md"]) {
            write(&root.path().join(name), b"# A page").unwrap();
        }
        let links: String = TOP_PAGES.iter().map(|page| format!("[to](../{page})\n")).collect();
        write(&root.path().join("docs/README.md"), format!("# Docs\n\n{links}").as_bytes())
            .unwrap();
        write(&root.path().join("README.md"), b"# Sinew\n\n[docs](docs/README.md)").unwrap();
        let fault = Site::of(root.path()).err().unwrap_or_default();
        assert_eq!(fault, "no page leads to docs/lost.md: name it in docs/README.md");
    }
}
