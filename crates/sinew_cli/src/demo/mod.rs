//! `sinew demo`: the tour with no window. Samples are built, posed with every method, measured,
//! drawn side by side, and shown on one page that needs nothing but the folder it lies in.

mod cages;
mod dragged;
mod drawn;
mod figures;
mod group;
mod of_file;
mod page;
mod papers;
mod plot;
mod section;
mod strokes;
mod subject;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use sinew::progress::Progress;
use sinew::sample::SampleKind;
use sinew_io::{ReadOnly, WriteError, write_all_atomically};
use sinew_view::picture::Picture;
use sinew_view::scene::Surface;

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::progress::Bar;
use crate::render::{Artist, RenderDevice};

/// In the folder where the command is run.
const DEFAULT_FOLDER: &str = "sinew-demo";

/// Build the samples, pose and measure them with every method, and write a page of pictures, plots
/// and figures
///
/// Open DIR/index.html in a browser. The figures are in DIR/figures.json, too. With a FILE the page
/// shows that character: from its sides, and in its clips with three methods side by side.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  sinew demo\n  sinew demo -o /tmp/tour\n  sinew demo --samples human,cylinder\n  \
    sinew demo hero.glb -o /tmp/hero"
)]
pub(crate) struct DemoArgs {
    /// A character or a project, in place of the samples
    #[arg(value_name = "FILE", conflicts_with = "samples")]
    file: Option<PathBuf>,

    /// The folder to write to; its index.html is the page
    #[arg(short, long, value_name = "DIR", default_value = DEFAULT_FOLDER)]
    output: PathBuf,

    /// Only these samples, with commas [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = subject::sample_name)]
    samples: Vec<SampleKind>,

    /// Only the figures of cages and skeletons
    #[arg(long, conflicts_with_all = ["file", "samples"])]
    cages: bool,

    /// What draws
    #[arg(long, value_enum, default_value = "auto")]
    device: RenderDevice,
}

impl DemoArgs {
    /// As with nothing else said.
    pub(crate) fn standard(file: Option<PathBuf>) -> Self {
        let (output, samples) = (DEFAULT_FOLDER.into(), Vec::new());
        Self { file, output, samples, cages: false, device: RenderDevice::Auto }
    }
}

/// What is written, by its name in the folder.
type File = (String, Vec<u8>);

/// What all parts of the page are made with.
struct Tour<'a> {
    artist: Artist,
    console: &'a Console,
    bar: Bar,
    /// Parts done and parts in all.
    done: usize,
    total: usize,
    files: Vec<File>,
    /// Who stands in the picture at the head of the page.
    group: Vec<Surface>,
}

pub(crate) fn run(args: &DemoArgs, console: &Console) -> Result<(), Failure> {
    check_folder(&args.output)?;
    let start = Instant::now();
    let is_wanted = |subject: &&subject::Subject| {
        args.samples.is_empty() || args.samples.contains(&subject.kind)
    };
    let subjects: Vec<_> = subject::SUBJECTS.iter().filter(is_wanted).collect();
    let mut tour = Tour {
        artist: Artist::new(args.device)?,
        console,
        bar: console.bar(),
        done: 0,
        total: 5 + subjects.len() + tools::TOOLS.len(),
        files: Vec::new(),
        group: Vec::new(),
    };
    if let Some(file) = &args.file {
        tour.total = 2;
        let html = of_file::build(file, &mut tour)?;
        return finish(args, tour, html, start);
    }
    if args.cages {
        tour.total = 1;
        let html = page::of_part("Cages and skeletons", &cages::build(&mut tour)?);
        return finish(args, tour, html, start);
    }
    let papers = papers::build(&mut tour)?;
    let figures_of_paper = figures::build(&mut tour)?;
    let cages = cages::build(&mut tour)?;
    let mut sections = Vec::with_capacity(subjects.len());
    for subject in subjects {
        sections.push(section::build(subject, &mut tour)?);
    }
    let tools = tools::build(&args.samples, &mut tour)?;
    let group = group::draw(&mut tour)?;
    tour.step("writing")?;
    let figures = json!({
        "papers": papers.as_json(),
        "samples": sections.iter().map(section::Section::as_json).collect::<Vec<Value>>(),
    });
    let seconds = start.elapsed().as_secs_f64();
    let html = page::html(
        group.as_deref(),
        &page::PageParts {
            papers: &papers,
            figures: &figures_of_paper,
            cages: &cages,
            sections: &sections,
            tools: &tools,
        },
        &tour.artist.name(),
        seconds,
    );
    tour.files.push(("figures.json".into(), format!("{figures:#}\n").into_bytes()));
    finish(args, tour, html, start)
}

/// Writes the folder; the page last: it is there only once all that it shows is.
fn finish(args: &DemoArgs, tour: Tour<'_>, html: String, start: Instant) -> Result<(), Failure> {
    let Tour { mut files, bar, console, .. } = tour;
    files.push(("index.html".into(), html.into_bytes()));
    drop(bar);
    write(&args.output, &files, console.read_only)?;
    let megabytes = files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() as f64 / 1e6;
    console.say(&format!(
        "wrote {}: {} files, {megabytes:.1} MB, in {:.0} s",
        args.output.join("index.html").display(),
        files.len(),
        start.elapsed().as_secs_f64()
    ));
    Ok(())
}

impl Tour<'_> {
    /// Says what comes next, and stops here after Ctrl-C.
    fn step(&mut self, what: &str) -> Result<(), Failure> {
        self.console.check_interrupted()?;
        self.bar.report(what, self.done as f32 / self.total as f32);
        self.done += 1;
        Ok(())
    }

    /// Keeps a picture for the folder and returns its name there.
    fn keep(&mut self, name: &str, picture: &Picture) -> Result<String, Failure> {
        let bytes =
            sinew_view::encode::png(picture).map_err(|error| Failure::Write(error.to_string()))?;
        let name = format!("{name}.png");
        self.files.push((name.clone(), bytes));
        Ok(name)
    }

    /// Keeps pictures as one that moves.
    fn keep_gif(
        &mut self,
        name: &str,
        pictures: &[Picture],
        frames_per_second: f64,
    ) -> Result<String, Failure> {
        let delay_ms = (1e3 / frames_per_second).round() as u32;
        let bytes = sinew_view::encode::gif(pictures, delay_ms, &self.bar)
            .map_err(|error| Failure::Write(error.to_string()))?;
        let name = format!("{name}.gif");
        self.files.push((name.clone(), bytes));
        Ok(name)
    }
}

/// A file in the folder's place is found before the work, not after it.
fn check_folder(folder: &Path) -> Result<(), Failure> {
    match std::fs::metadata(folder) {
        Ok(found) if !found.is_dir() => {
            Err(Failure::Usage(format!("'{}' is a file; name a folder with -o", folder.display())))
        }
        _ => Ok(()),
    }
}

/// All files or none: where one finds no room, none is there, nor a folder that was made for them.
fn write(folder: &Path, files: &[File], read_only: ReadOnly) -> Result<(), Failure> {
    let failed = |(path, source): (PathBuf, std::io::Error)| {
        files::write_failure(&WriteError::Io { path, source })
    };
    let made = missing_folders(folder);
    let make = || std::fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error));
    let all = files.iter().map(|(name, bytes)| (folder.join(name), bytes.as_slice()));
    make().and_then(|()| write_all_atomically(all, read_only)).map_err(|error| {
        for folder in &made {
            // Only if it is empty: what else may be in it is not ours.
            let _ = std::fs::remove_dir(folder);
        }
        failed(error)
    })
}

/// A folder and those above it that are not there, the deepest first.
fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    folder.ancestors().take_while(is_missing).map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_leaves_no_file_and_no_folder() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("new/demo");
        let files = [("a.png".to_owned(), vec![1]), ("no/b.png".to_owned(), vec![2])];
        assert!(write(&folder, &files, ReadOnly::Keep).is_err());
        assert!(!above.path().join("new").exists());
        std::fs::create_dir_all(&folder).unwrap();
        assert!(write(&folder, &files, ReadOnly::Keep).is_err());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        write(&folder, &files[..1], ReadOnly::Keep).unwrap();
        assert_eq!(std::fs::read(folder.join("a.png")).unwrap(), [1]);
    }
}
