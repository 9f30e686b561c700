//! Automatic weights beside the artist's: characters stripped of their weights and bound again, by
//! every method, and by other programs where their weights are there (`beside`).

pub mod beside;
mod figures;
mod screen;
pub mod sheet;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use sinew::Character;
use sinew::progress::Silent;
use sinew::weights::SkinWeights;
use sinew::weights::auto::{AutoError, AutoMethod, AutoSettings, auto_weights};
use sinew_io::read_character;

use self::beside::Beside;
use self::figures::{Apart, apart};
use crate::files::characters_in;
use crate::study::{Filter, Skipped};
use crate::table::Table;

/// What is bound, and with what.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Characters whose name contains one of these words.
    pub subjects: Vec<String>,
    /// Methods whose name contains one of these words; all if there is none.
    pub methods: Vec<String>,
    /// A folder of weights that another program found.
    pub beside: Option<PathBuf>,
}

/// A character, and how near everything came to its own weights.
#[derive(Debug)]
pub struct Bound {
    /// Its file's.
    pub name: String,
    /// With its own weights.
    pub character: Arc<Character>,
    /// Why its weights are no measure, if they are none.
    pub screened: Option<&'static str>,
    /// By method, in the order of the names.
    of_method: Vec<Option<(Apart, Vec<SkinWeights>)>>,
}

/// All results of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Our methods, then others'.
    pub methods: Vec<String>,
    /// By file.
    pub bound: Vec<Bound>,
    /// What could not be bound, and why.
    pub skipped: Vec<Skipped>,
}

/// Binds everything.
pub fn run(data: &Path, asked: &Asked) -> Outcome {
    let ours: Vec<AutoMethod> = (AutoMethod::ALL.into_iter())
        .filter(|method| Filter::takes(&asked.methods, method.name()))
        .collect();
    let mut outcome = Outcome::default();
    let mut beside: Vec<Option<Beside>> = Vec::new();
    for path in characters_in(data) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !Filter::takes(&asked.subjects, &name) {
            continue;
        }
        let Some(character) = suitable(&path) else { continue };
        let mut of_method = Vec::new();
        for &method in &ours {
            match bind(&character, method) {
                Ok(found) => of_method.push(found),
                Err(why) => {
                    let what = format!("{name} by {}", method.name());
                    outcome.skipped.push(Skipped { what, why });
                    of_method.push(None);
                }
            }
        }
        let theirs = asked.beside.as_deref().map(|folder| Beside::read(folder, &name));
        beside.push(theirs.and_then(|read| match read {
            Ok(found) => Some(found),
            Err(why) => {
                outcome.skipped.push(Skipped { what: format!("{name} beside"), why });
                None
            }
        }));
        let screened = screen::reason(&path);
        let character = Arc::new(character);
        outcome.bound.push(Bound { name, character, screened, of_method });
    }
    outcome.methods = ours.iter().map(|method| method.name().to_owned()).collect();
    let ways = beside.iter().flatten().next().map_or_else(Vec::new, Beside::ways);
    for way in &ways {
        outcome.methods.push(way.clone());
        for (bound, beside) in outcome.bound.iter_mut().zip(&beside) {
            let found = beside.as_ref().and_then(|beside| beside.weights(way, &bound.character));
            let found = found.and_then(|(weights, seconds, num_bare)| {
                let figures = apart(&bound.character, &weights, seconds).ok()?;
                Some((Apart { num_bare, ..figures }, weights))
            });
            bound.of_method.push(found);
        }
    }
    outcome
}

impl Outcome {
    /// The figures of every character, their means, and in how many a method is further off than
    /// `1/d⁴`.
    pub fn table(&self) -> Table {
        let mut head: Vec<String> = ["character", "points", "joints"].map(str::to_owned).into();
        head.extend(self.methods.iter().map(|method| format!("{method} ΔW / rms % / p95 % / s")));
        let plain = self.methods.iter().position(|name| name == AutoMethod::Distance.name());
        let mut rows = Vec::new();
        for bound in &self.bound {
            let mark = if bound.screened.is_some() { " (not counted)" } else { "" };
            let mut row = vec![
                format!("{}{mark}", bound.name),
                bound.character.num_points().to_string(),
                bound.character.skeleton.len().to_string(),
            ];
            row.extend(bound.of_method.iter().map(|found| {
                let Some((figures, _)) = found else { return "–".to_owned() };
                let is_worse = plain.is_some_and(|plain| bound.is_worse(figures, plain));
                format!("{}{figures}", if is_worse { "! " } else { "" })
            }));
            rows.push(row);
        }
        let counted = |bound: &&Bound| bound.screened.is_none();
        let first: Vec<&Bound> = self.bound.iter().filter(counted).collect();
        let all: Vec<&Bound> = self.bound.iter().collect();
        for (words, bound) in [("mean of", &first), ("mean of all", &all)] {
            let mut row = vec![format!("{words} {}", bound.len()), String::new(), String::new()];
            for at in 0..self.methods.len() {
                let found = bound.iter().filter_map(|bound| bound.of_method[at].as_ref());
                let figures: Vec<Apart> = found.map(|(figures, _)| *figures).collect();
                row.push(Apart::mean(&figures).to_string());
            }
            rows.push(row);
        }
        if let Some(plain) = plain {
            let mut row = vec!["further off than 1/d⁴".to_owned(), String::new(), String::new()];
            for at in 0..self.methods.len() {
                let is_worse = |bound: &&&Bound| {
                    bound.of_method[at].as_ref().is_some_and(|(own, _)| bound.is_worse(own, plain))
                };
                row.push(format!("{} of {}", first.iter().filter(is_worse).count(), first.len()));
            }
            rows.push(row);
        }
        Table { head, rows }
    }

    /// Why weights of files are no measure.
    pub fn screened(&self) -> impl Iterator<Item = Skipped> {
        self.bound.iter().filter_map(|bound| {
            let why = bound.screened?.to_owned();
            Some(Skipped { what: format!("{} is not counted", bound.name), why })
        })
    }

    /// Points without weight, and pairs of vertices on one place with different weights.
    pub fn faults(&self) -> Table {
        let head = ["method", "characters with points without weight", "pairs opened", "of"];
        let mut rows = Vec::new();
        for (at, method) in self.methods.iter().enumerate() {
            let found = || self.bound.iter().filter_map(|bound| bound.of_method[at].as_ref());
            let bare = found().filter(|(figures, _)| figures.num_bare > 0).count();
            let opened: usize = found().map(|(figures, _)| figures.num_opened).sum();
            let pairs: usize = found().map(|(figures, _)| figures.num_pairs).sum();
            rows.push([method.clone(), bare.to_string(), opened.to_string(), pairs.to_string()]);
        }
        let rows = rows.into_iter().map(Vec::from).collect();
        Table { head: head.map(str::to_owned).into(), rows }
    }
}

impl Bound {
    fn is_worse(&self, figures: &Apart, plain: usize) -> bool {
        let plain = self.of_method[plain].as_ref();
        plain.is_some_and(|(plain, _)| figures.is_further_off_than(plain))
    }
}

/// With weights all over, that more than one joint has.
fn suitable(path: &Path) -> Option<Character> {
    let character = read_character(path).ok()?.character;
    screen::is_large_enough(&character).then_some(character)
}

/// `None` for what learns from clips where there is none.
fn bind(
    character: &Character,
    method: AutoMethod,
) -> Result<Option<(Apart, Vec<SkinWeights>)>, String> {
    let start = Instant::now();
    let settings = AutoSettings { method, ..AutoSettings::default() };
    let found = match auto_weights(character, &settings, &Silent) {
        Err(AutoError::NoClip) => return Ok(None),
        found => found.map_err(|error| error.to_string())?,
    };
    let seconds = start.elapsed().as_secs_f64();
    Ok(Some((apart(character, &found.of_part, seconds)?, found.of_part)))
}
