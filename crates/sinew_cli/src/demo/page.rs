//! The page: one file of HTML, its style inside, pictures beside it.

use std::fmt::Write as _;

use super::figures::Figure;
use super::papers::{Papers, Shown};
use super::plot::color;
use super::section::{Entry, Section};
use super::tools;
use crate::contestant::Contestant;
use crate::text::{count, duration_ns};

pub(super) const STYLE: &str = include_str!("page.css");

/// A page of one part alone.
pub(super) fn of_part(title: &str, part: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Sinew · {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{part}</main>\n</body>\n</html>\n"
    )
}

/// A click on a picture, or Enter, shows it as large as the window; any click or Esc ends that.
pub(super) const ENLARGE: &str = concat!("<script>\n", include_str!("enlarge.js"), "</script>\n");

/// What the page shows, from top to bottom.
pub(super) struct PageParts<'a> {
    pub(super) papers: &'a Papers,
    pub(super) figures: &'a [Figure],
    /// A section of its own, as HTML.
    pub(super) cages: &'a str,
    pub(super) sections: &'a [Section],
    pub(super) tools: &'a [tools::Shown],
}

/// The whole page.
pub(super) fn html(
    group: Option<&str>,
    parts: &PageParts<'_>,
    drawn_by: &str,
    seconds: f64,
) -> String {
    let &PageParts { papers, figures, cages, sections, tools } = parts;
    let mut page = String::new();
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Sinew · a tour</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    header(&mut page, group, sections, tools);
    page.push_str("<main>\n");
    figures_of_the_papers(&mut page, papers);
    further_figures(&mut page, figures);
    page.push_str(cages);
    for section in sections {
        sample(&mut page, section, papers);
    }
    for shown in tools {
        tool(&mut page, shown);
    }
    times(&mut page, sections);
    page.push_str(
        "<section id=\"own\"><h2>Your own character</h2>\n\
         <p>The same pictures and figures of any glTF, GLB, OBJ or PLY file:</p>\n\
         <pre>sinew render hero.glb -o hero.png --rotate elbow:x:120 --compare linear,dual-quat,springs\n\
         sinew render hero.glb -o walk.gif --clip walk --springs anchored\n\
         sinew measure hero.glb --sweep elbow:x:0..150:5 --method linear,dual-quat --springs off,anchored\n\
         sinew skin hero.glb -o posed.glb --rotate elbow:x:120 --springs anchored</pre></section>\n",
    );
    let _ = write!(
        page,
        "</main>\n<footer>Made by <code>sinew demo</code> {} in {seconds:.0} s: computed on {}, drawn by {}. \
         All figures are in <a href=\"figures.json\">figures.json</a>.</footer>\n{ENLARGE}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        escaped(&crate::bench::machine_name()),
        escaped(drawn_by),
    );
    page
}

fn header(page: &mut String, group: Option<&str>, sections: &[Section], tools: &[tools::Shown]) {
    page.push_str(
        "<header><div class=\"inner\"><h1>Skin that bends like skin</h1>\n\
         <p class=\"lede\">Sinew deforms the skin of characters. Below, every method it has, side by side: the classics that \
         engines use, and springs that hold the skin to the bones. Same mesh, same weights, same pose.</p>\n<nav>\
         <a href=\"#papers\">Twist and bend</a><a href=\"#figures\">The paper's figures</a>\
         <a href=\"#cages\">Cages and skeletons</a>",
    );
    for section in sections {
        let name = section.subject.kind.name();
        let _ = write!(page, "<a href=\"#{name}\">{}</a>", title(name));
    }
    for shown in tools {
        let _ = write!(page, "<a href=\"#{}\">{}</a>", shown.tool.id, shown.tool.title);
    }
    page.push_str("<a href=\"#times\">Times</a><a href=\"#own\">Your own character</a></nav>\n");
    if let Some(group) = group {
        let _ = writeln!(
            page,
            "<figure class=\"hero\"><img src=\"{group}\" alt=\"Some of the samples, relaxed by Sinew's springs\"></figure>"
        );
    }
    page.push_str("</div></header>\n");
}

fn figures_of_the_papers(page: &mut String, papers: &Papers) {
    page.push_str(
        "<section id=\"papers\"><h2>Twist and bend</h2>\n\
         <p>A cylinder on two bones. Twisted, linear blending wrings it out like a candy wrapper; dual quaternions keep it round, \
         but past half a turn they take the short way back, and a turn and a half looks like half a turn. Springs keep \
         every turn, and spread it along the limb (the paper's Figure 5; its own springs keep none past half a turn either, since \
         matrices do not).</p>\n",
    );
    for row in &papers.twists {
        let Some(first) = row.first() else { continue };
        let _ = writeln!(page, "<h3>{}</h3>", escaped(&first.contestant.label()));
        pictures(page, "of4", row);
    }
    let _ = writeln!(
        page,
        "<h3>Bent by 90°, and springs on top of each</h3>\n\
         <p>The paper's Figure 6. The first row is what springs start from, the second where the paper's own are after their fifty \
         iterations, the third where Sinew's end: the same shape, whichever it was.</p>"
    );
    for row in &papers.bends {
        pictures(page, "of3", row);
    }
    for (title, plots) in [
        ("Over a whole turn of twist", &papers.twist_plots),
        ("Over a bend up to 150°", &papers.bend_plots),
    ] {
        let _ = writeln!(page, "<h3>{title}</h3>\n<div class=\"plots\">");
        for plot in plots {
            let _ = writeln!(page, "<div>{plot}</div>");
        }
        page.push_str("</div>\n");
        key(page, &papers.plotted);
    }
    page.push_str(
        "<p class=\"note\">1 is the rest shape. What leaves a plot is drawn at its edge. A bend must stretch the outside: a tube \
         of this thickness by 1.33 at 150°, if its section is kept.</p></section>\n",
    );
}

/// Those that are not about a cylinder's twist and bend.
fn further_figures(page: &mut String, figures: &[Figure]) {
    page.push_str(
        "<section id=\"figures\"><h2>The paper's figures</h2>\n\
         <p>N. Toothman and M. Neff, <i>Spring Rigs for Skinning</i>, made again with the paper's own forces, and Sinew's springs beside \
         them. Its Figures 5 and 6 are above.</p>\n",
    );
    for Figure { number, title, words, columns, rows } in figures {
        let _ = writeln!(page, "<h3>Figure {number}: {title}</h3>\n<p>{words}</p>");
        for row in rows {
            pictures(page, columns, row);
        }
    }
    page.push_str("</section>\n");
}

fn pictures(page: &mut String, columns: &str, row: &[Shown]) {
    let _ = writeln!(page, "<div class=\"row {columns}\">");
    for Shown { picture, contestant, words } in row {
        let _ = writeln!(
            page,
            "<figure{}><img src=\"{picture}\" alt=\"{}, {words}\" loading=\"lazy\"><figcaption><b>{words}</b></figcaption></figure>",
            ours(*contestant),
            escaped(&contestant.label()),
        );
    }
    page.push_str("</div>\n");
}

fn key(page: &mut String, contestants: &[Contestant]) {
    page.push_str("<div class=\"key\">");
    for &contestant in contestants {
        let (red, green, blue) = color(contestant);
        let _ = write!(
            page,
            "<span><i style=\"background:rgb({red},{green},{blue})\"></i>{}</span>",
            escaped(&contestant.label())
        );
    }
    page.push_str("</div>\n");
}

fn sample(page: &mut String, section: &Section, papers: &Papers) {
    let name = section.subject.kind.name();
    let _ = write!(
        page,
        "<section id=\"{name}\"><h2>{}</h2>\n<p>{}: {} points, {} triangles, {} joints.</p>\n\
         <input type=\"radio\" class=\"shape-on\" name=\"{name}-shows\" id=\"{name}-shape\" checked>\
         <input type=\"radio\" class=\"stretch-on\" name=\"{name}-shows\" id=\"{name}-stretch\">\
         <div class=\"switch\"><label class=\"to-shape\" for=\"{name}-shape\">Shape</label>\
         <label class=\"to-stretch\" for=\"{name}-stretch\">Stretch</label></div>\n",
        title(name),
        capitalised(section.subject.what),
        count(section.points),
        count(section.triangles),
        count(section.joints),
    );
    legend(page, papers);
    page.push_str("<div class=\"row of8\">\n");
    for entry in &section.entries {
        let label = escaped(&entry.contestant.label());
        let _ = writeln!(
            page,
            "<figure{}><img class=\"shape\" src=\"{}\" alt=\"{name}, {label}\" loading=\"lazy\">\
             <img class=\"stretch\" src=\"{}\" alt=\"{name}, {label}, stretch\" loading=\"lazy\">\
             <figcaption><b>{label}</b></figcaption></figure>",
            ours(entry.contestant),
            entry.shape_picture,
            entry.stretch_picture,
        );
    }
    page.push_str("</div>\n");
    table(page, &section.entries);
    page.push_str("</section>\n");
}

/// A capability beside the methods.
fn tool(page: &mut String, tools::Shown { tool, pictures }: &tools::Shown) {
    let (id, title, words) = (tool.id, tool.title, tool.words);
    let _ = writeln!(
        page,
        "<section id=\"{id}\"><h2>{title}</h2>\n<p>{words}</p>\n<div class=\"row of3\">"
    );
    for drawn in pictures {
        let _ = writeln!(
            page,
            "<figure><img src=\"{0}\" alt=\"{1}\" loading=\"lazy\"><figcaption>{1}</figcaption></figure>",
            drawn.picture, drawn.caption,
        );
    }
    let _ = writeln!(page, "</div>\n<pre>{}</pre></section>", escaped(tool.command));
}

/// The colours of stretch, drawn by the browser.
fn legend(page: &mut String, papers: &Papers) {
    let (colors, ticks) = &papers.stretch_legend;
    let stops: Vec<String> = colors.iter().map(|[r, g, b]| format!("rgb({r},{g},{b})")).collect();
    let _ = write!(
        page,
        "<div class=\"legend\">length of edges over rest<div style=\"background:linear-gradient(90deg,{})\"></div><p>",
        stops.join(",")
    );
    for tick in ticks {
        let _ = write!(page, "<span>{tick}</span>");
    }
    page.push_str("</p></div>\n");
}

/// One column of the table: its head, its value, and how bad a value is (the least is the best).
type Column = (&'static str, fn(&Entry) -> String, fn(&Entry) -> f64);

const COLUMNS: [Column; 5] = [
    (
        "volume",
        |e| e.figures.volume_ratio.map_or("–".into(), |v| format!("{v:.3}")),
        |e| e.figures.volume_ratio.map_or(f64::INFINITY, |v| (v - 1.0).abs()),
    ),
    ("largest stretch", |e| format!("{:.2}", e.figures.max_stretch), |e| e.figures.max_stretch),
    ("99.9 % stretch", |e| format!("{:.2}", e.figures.p999_stretch), |e| e.figures.p999_stretch),
    (
        "smallest radius",
        |e| e.figures.min_radius.map_or("–".into(), |r| format!("{r:.3}")),
        |e| e.figures.min_radius.map_or(f64::INFINITY, |r| -r.min(1.0)),
    ),
    ("inverted", |e| count(e.figures.inverted as usize), |e| e.figures.inverted as f64),
];

fn table(page: &mut String, entries: &[Entry]) {
    page.push_str("<div class=\"tablewrap\"><table><thead><tr><th>method</th>");
    for (head, ..) in COLUMNS {
        let _ = write!(page, "<th>{head}</th>");
    }
    page.push_str("</tr></thead><tbody>\n");
    let best =
        COLUMNS.map(|(.., badness)| entries.iter().map(badness).fold(f64::INFINITY, f64::min));
    for entry in entries {
        let _ = write!(
            page,
            "<tr{}><td>{}</td>",
            ours(entry.contestant),
            escaped(&entry.contestant.label())
        );
        for ((_, value, badness), best) in COLUMNS.into_iter().zip(best) {
            let class = if badness(entry) <= best + 5e-4 { " class=\"best\"" } else { "" };
            let _ = write!(page, "<td{class}>{}</td>", value(entry));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

fn times(page: &mut String, sections: &[Section]) {
    page.push_str(
        "<section id=\"times\"><h2>Times on this machine</h2>\n\
         <p>One frame, from a pose to all points, the best of a short run; springs with their 50 iterations. Binding is done once.</p>\n\
         <div class=\"tablewrap\"><table><thead><tr><th>method</th>",
    );
    for section in sections {
        let _ =
            write!(page, "<th>{}<br>{}</th>", section.subject.kind.name(), count(section.points));
    }
    page.push_str("</tr></thead><tbody>\n");
    let Some(first) = sections.first() else { return };
    for (row, entry) in first.entries.iter().enumerate() {
        let _ = write!(
            page,
            "<tr{}><td>{}</td>",
            ours(entry.contestant),
            escaped(&entry.contestant.label())
        );
        for section in sections {
            let _ = write!(page, "<td>{}</td>", duration_ns(section.entries[row].frame_ms * 1e6));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n<p class=\"note\">Binding: ");
    let bind = |section: &Section| {
        let slowest = section.entries.iter().map(|entry| entry.bind_ms).fold(0.0, f64::max);
        format!("{} {}", section.subject.kind.name(), duration_ns(slowest * 1e6))
    };
    page.push_str(&sections.iter().map(bind).collect::<Vec<_>>().join(", "));
    page.push_str(" for the slowest method.</p></section>\n");
}

fn ours(contestant: Contestant) -> &'static str {
    match contestant.model {
        Some(sinew::springs::SpringModel::Anchored) => " class=\"ours\"",
        _ => "",
    }
}

fn title(name: &str) -> String {
    format!("The {name}")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_calls_itself_cannot_break_the_page() {
        assert_eq!(escaped("a <b> & \"c\""), "a &lt;b&gt; &amp; &quot;c&quot;");
    }

    #[test]
    fn the_style_asks_for_nothing_from_elsewhere() {
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
