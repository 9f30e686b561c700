//! Relative links of Markdown pages: the file is there, inside the project, and has the heading
//! that the link names.
//!
//! Links to elsewhere (`https:` …) are not followed: a test must not depend on other people's
//! machines.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser, Tag, TagEnd};

/// What the links of one page are like.
pub(super) struct Report {
    /// Links into the project.
    pub(super) num_relative: usize,
    /// Sentences with file and line.
    pub(super) broken: Vec<String>,
}

/// Checks the links of the page `path` with this `text`, in the project at `root`.
pub(super) fn check(root: &Path, path: &Path, text: &str) -> Report {
    let mut report = Report { num_relative: 0, broken: Vec::new() };
    let shown = path.strip_prefix(root).unwrap_or(path).display();
    for (start, target) in links(text) {
        let line = text[..start].matches('\n').count() + 1;
        if is_elsewhere(&target) {
            continue;
        }
        report.num_relative += 1;
        if let Err(why) = resolve(root, path, text, &target) {
            report.broken.push(format!("{shown}:{line}: link to '{target}': {why}"));
        }
    }
    report
}

/// `https:`, `mailto:` and their like, and `//host`.
fn is_elsewhere(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme);
    target.starts_with("//")
        || scheme.is_some_and(|s| {
            s.len() > 1 && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        })
}

fn resolve(root: &Path, page: &Path, text: &str, target: &str) -> Result<(), String> {
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (target, None),
    };
    let path = if file.is_empty() {
        page.to_path_buf()
    } else {
        let base = page.parent().unwrap_or(root);
        let path = normalized(&base.join(file.replace("%20", " ")));
        if Path::new(file).is_absolute() || !path.starts_with(normalized(root)) {
            return Err("leads out of the project".into());
        }
        if !path.exists() {
            return Err("there is no such file".into());
        }
        path
    };
    let Some(anchor) = anchor else { return Ok(()) };
    if path.extension().is_none_or(|extension| extension != "md") {
        return Ok(());
    }
    let anchors = if file.is_empty() {
        anchors(text)
    } else {
        anchors(&std::fs::read_to_string(&path).map_err(|error| error.to_string())?)
    };
    if anchors.iter().any(|known| known == anchor) {
        Ok(())
    } else {
        Err(format!("the page has no heading '#{anchor}'; it has {}", anchors.join(", ")))
    }
}

/// Without `.` and `..`, by name only.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Where each link and picture starts, and where it leads; `[text][name]` without its definition
/// leads to `[name]`.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut undefined = |link: BrokenLink<'_>| {
        // `[ ]` and `[x]` as in `a[x]` are text; only the two-bracket form surely means a link.
        let is_meant = matches!(link.link_type, pulldown_cmark::LinkType::Reference);
        is_meant.then(|| (CowStr::from(format!("[{}]", link.reference)), CowStr::from("")))
    };
    let parser =
        Parser::new_with_broken_link_callback(text, Options::ENABLE_TABLES, Some(&mut undefined));
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.push((range.start, dest_url.into_string()));
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                found.extend(html_targets(&html).map(|target| (range.start, target.to_owned())));
            }
            _ => {}
        }
    }
    found
}

/// `src="…"` and `href="…"` outside of comments.
fn html_targets(html: &str) -> impl Iterator<Item = &str> {
    let is_comment = html.trim_start().starts_with("<!--");
    ["src=\"", "href=\""]
        .into_iter()
        .filter(move |_| !is_comment)
        .flat_map(|key| html.split(key).skip(1).filter_map(|rest| rest.split('"').next()))
}

/// The anchors that GitHub gives to a page's headings.
fn anchors(text: &str) -> Vec<String> {
    let mut times_seen: HashMap<String, usize> = HashMap::new();
    let mut anchors = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                anchors.push(heading_slug(&heading.take().unwrap_or_default(), &mut times_seen));
            }
            _ => {}
        }
    }
    anchors
}

/// The anchor of a heading; headings of the same words are numbered.
pub(crate) fn heading_slug(heading: &str, times_seen: &mut HashMap<String, usize>) -> String {
    let slug = slug(heading);
    let times = times_seen.entry(slug.clone()).or_default();
    *times += 1;
    if *times == 1 { slug } else { format!("{slug}-{}", *times - 1) }
}

/// Lower case, blanks to hyphens, punctuation dropped.
fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Broken links of a page at `docs/page.md` in a project that also has `README.md` and
    /// `docs/other.md`.
    fn broken(text: &str) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("docs")).unwrap();
        let page = root.path().join("docs/page.md");
        for (path, content) in [
            (root.path().join("README.md"), "# Sinew"),
            (root.path().join("docs/other.md"), "## How to: `bind` it\n\n## Twice\n\n## Twice"),
            (page.clone(), text),
        ] {
            #[expect(clippy::disallowed_methods, reason = "a throw-away file")]
            std::fs::write(path, content).unwrap();
        }
        check(root.path(), &page, text).broken
    }

    #[test]
    fn links_to_what_is_there_are_fine() {
        let text = "[a](other.md) [b](../README.md#sinew) ![c](./other.md) [d](..) [e](#top) [f]\n\n\
                    # Top\n\n[f]: other.md#how-to-bind-it\n\n[g](other.md#twice-1) <img src=\"other.md\">";
        assert_eq!(broken(text), [""; 0]);
    }

    #[test]
    fn a_link_to_nothing_is_reported_with_page_and_line() {
        let found = broken("# Top\n\nSee [this](missing.md).");
        assert_eq!(found, ["docs/page.md:3: link to 'missing.md': there is no such file"]);
        assert!(broken("# Top\n\n[This](missing.md)")[0].starts_with("docs/page.md:3: "));
    }

    #[test]
    fn pictures_references_and_html_are_looked_at_too() {
        for text in [
            "![p](no.png)",
            "[a][b]\n\n[b]: no.md",
            "<p><img src=\"no.png\"></p>",
            "[a][undefined]",
        ] {
            assert_eq!(broken(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_heading_that_is_not_there_is_reported() {
        assert!(broken("[a](other.md#no-such)")[0].contains("no heading '#no-such'"));
        assert_eq!(broken("[a](#no-such)").len(), 1);
    }

    #[test]
    fn a_link_out_of_the_project_is_reported() {
        assert!(broken("[a](../../elsewhere.md)")[0].contains("out of the project"));
        assert!(broken("[a](/etc/passwd)")[0].contains("out of the project"));
    }

    #[test]
    fn other_machines_code_and_comments_are_left_alone() {
        let text = "<https://example.org> [a](https://example.org/no) [m](mailto:a@example.org)\n\n\
                    `[a](no.md)` a[0]\n\n```md\n[a](no.md)\n```\n\n<!-- <img src=\"no.png\"> -->";
        assert_eq!(broken(text), [""; 0]);
    }
}
