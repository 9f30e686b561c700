//! One page of the site: Markdown in, HTML out, with the list of all pages beside it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::files::{heading_slug, normalized};

/// What became of a page.
pub(super) struct Page {
    pub(super) html: String,
    /// Pages that it leads to, by their sources.
    pub(super) links: Vec<PathBuf>,
}

/// Where a page's HTML lies: `README.md` is a folder's `index.html`.
pub(super) fn target(source: &Path) -> PathBuf {
    match source.file_name().is_some_and(|name| name == "README.md") {
        true => source.with_file_name("index.html"),
        false => source.with_extension("html"),
    }
}

/// The page with the list of `contents` (`docs/README.md`) beside it.
pub(super) fn html(source: &Path, text: &str, contents: &str, pages: &BTreeSet<PathBuf>) -> Page {
    let mut links = Vec::new();
    let body = body(source, text, Path::new(""), pages, &mut links);
    // Up from where the page lies to the root of the site.
    let up: PathBuf =
        source.parent().into_iter().flat_map(Path::components).map(|_| "..").collect();
    let mut of_list = Vec::new();
    let list = body_of_list(contents, &up, pages, &mut of_list);
    links.extend(of_list);
    let title = title(text).unwrap_or_else(|| source.display().to_string());
    let home = up.join("index.html");
    let css = up.join("site.css");
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Sinew</title>\n<link rel=\"stylesheet\" href=\"{css}\">\n\
         <details class=\"list\" id=\"list\"><summary>Pages</summary>\n\
         <nav><a class=\"home\" href=\"{home}\">Sinew</a>\n{list}</nav></details>\n\
         <main>\n{body}</main>\n\
         <script>if (matchMedia(\"(min-width: 60em)\").matches) \
         document.getElementById(\"list\").open = true;</script>\n</html>\n",
        title = escaped(&title),
        css = css.display(),
        home = home.display(),
    );
    Page { html, links }
}

/// The list of pages as it is seen from another folder.
fn body_of_list(
    contents: &str,
    up: &Path,
    pages: &BTreeSet<PathBuf>,
    links: &mut Vec<PathBuf>,
) -> String {
    let after_title = contents.split_once('\n').map_or("", |(_, rest)| rest);
    let prefix = up.join("docs");
    body(Path::new("docs/README.md"), after_title, &prefix, pages, links)
}

/// Markdown as HTML: headings have anchors, links to pages lead to their HTML. `prefix` is put in
/// front of them.
fn body(
    source: &Path,
    text: &str,
    prefix: &Path,
    pages: &BTreeSet<PathBuf>,
    links: &mut Vec<PathBuf>,
) -> String {
    let mut times_seen: HashMap<String, usize> = HashMap::new();
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let mut heading = None;
    let mut ids: Vec<(usize, String)> = Vec::new();
    for (index, event) in events.iter_mut().enumerate() {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some((index, String::new())),
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, heading)) = &mut heading {
                    heading.push_str(words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((start, words)) = heading.take() {
                    let slug = heading_slug(&words, &mut times_seen);
                    ids.push((start, slug));
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                if let Some(other) = followed(source, dest_url, prefix, pages, links) {
                    *dest_url = CowStr::from(other);
                }
            }
            _ => {}
        }
    }
    for (start, slug) in ids {
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
            *id = Some(CowStr::from(slug));
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    // A wide table scrolls by itself: the page need not.
    out.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>")
}

/// Where a link leads in the site; `None` if it stays as it is.
fn followed(
    source: &Path,
    link: &str,
    prefix: &Path,
    pages: &BTreeSet<PathBuf>,
    links: &mut Vec<PathBuf>,
) -> Option<String> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a)));
    if file.is_empty() || file.contains("://") || file.starts_with("mailto:") {
        return None;
    }
    let leads_to = normalized(&source.parent().unwrap_or(Path::new("")).join(file));
    let place = if pages.contains(&leads_to) {
        links.push(leads_to);
        target(Path::new(file))
    } else {
        PathBuf::from(file)
    };
    // Sources and licences are no part of the site: they are named, not followed.
    let shown = prefix.join(place).display().to_string();
    Some(anchor.map_or(shown.clone(), |anchor| format!("{shown}#{anchor}")))
}

/// The first heading.
fn title(text: &str) -> Option<String> {
    let mut title = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
                title = Some(String::new());
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(title) = &mut title {
                    title.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => return title,
            _ => {}
        }
    }
    title
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Links of a finished page to files of the site that are not there. Links to sources of the
/// project, which are no part of the site, are not looked at.
pub(super) fn dead_links(page: &Path, html: &str, written: &BTreeSet<&PathBuf>) -> Vec<String> {
    let folder = page.parent().unwrap_or(Path::new(""));
    let mut dead = Vec::new();
    for quoted in ["href=\"", "src=\""] {
        for rest in html.split(quoted).skip(1) {
            let link = rest.split('"').next().unwrap_or_default();
            let file = link.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") || file.starts_with("mailto:") {
                continue;
            }
            let place = normalized(&folder.join(file));
            let is_of_site = [".html", ".png", ".gif"].iter().any(|end| file.ends_with(end));
            if is_of_site && !written.contains(&place) {
                dead.push(format!("{}: '{link}' leads nowhere", page.display()));
            }
        }
    }
    dead
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        let pages = ["README.md", "docs/README.md", "docs/a.md", "docs/b.md"];
        let pages = pages.iter().map(PathBuf::from).collect();
        html(Path::new("docs/a.md"), text, "# Documentation\n\n[b](b.md)", &pages)
    }

    #[test]
    fn a_link_to_a_page_leads_to_its_html_and_keeps_its_anchor() {
        let made = page("# A\n\n[b](b.md#how-to) [top](../README.md) [c](c.rs)");
        assert!(made.html.contains("href=\"b.html#how-to\""), "{}", made.html);
        assert!(made.html.contains("href=\"../index.html\""), "{}", made.html);
        assert!(made.html.contains("href=\"c.rs\""), "{}", made.html);
        assert!(made.links.contains(&PathBuf::from("docs/b.md")));
    }

    #[test]
    fn the_list_of_pages_is_seen_from_where_the_page_lies() {
        assert!(page("# A").html.contains("href=\"../docs/b.html\""));
    }

    #[test]
    fn headings_have_the_anchors_that_links_name() {
        assert!(page("# A\n\n## How to: `bind` it").html.contains("id=\"how-to-bind-it\""));
    }

    #[test]
    fn a_link_to_a_page_that_is_not_written_is_dead() {
        let index = PathBuf::from("docs/index.html");
        let written = BTreeSet::from([&index]);
        let text = "<a href=\"index.html#x\"></a><img src=\"no.png\"><a href=\"../x.rs\"></a>";
        let dead = dead_links(Path::new("docs/a.html"), text, &written);
        assert_eq!(dead, ["docs/a.html: 'no.png' leads nowhere"]);
    }
}
