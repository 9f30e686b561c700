//! Automatic cages of every sample and of every character of the shared data: made, checked here
//! once more by what a cage must be, timed.

use std::path::Path;
use std::time::Instant;

use glam::DVec3;
use rayon::prelude::*;
use sinew::Character;
use sinew::cage::coordinates::QuadMeanValue;
use sinew::cage::{Cage, CageFault, CageSettings, CoordinateRows, Selection};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_io::read_character;

use crate::files::characters_in;
use crate::table::Table;

/// What has fewer points is a test of a reader, not a character.
const LEAST_POINTS: usize = 150;
/// What a cage is asked to have.
const FACES: [usize; 3] = [120, 300, 600];
/// A condition past this is worth a look.
const GOOD_CONDITION: f64 = 200.0;
/// Seconds that it should take.
const GOOD_SECONDS: f64 = 3.0;

/// What came of one request.
enum Made {
    Cage {
        faces: usize,
        condition: f64,
        seconds: f64,
        is_symmetric: bool,
    },
    /// It broke a promise.
    Wrong(String),
    Refused {
        why: String,
        seconds: f64,
    },
}

/// Counts over all requests.
#[derive(Default)]
struct Counts {
    asked: usize,
    made: usize,
    wrong: usize,
    good_condition: usize,
    good_time: usize,
}

/// The table, and what there is to say below it.
pub fn table(data: Option<&Path>, words: &[String]) -> (Table, Vec<String>) {
    let mut head: Vec<String> = ["character", "points"].map(str::to_owned).into();
    head.extend(FACES.map(|faces| format!("{faces} faces: condition / s")));
    let mut table = Table { head, rows: Vec::new() };
    let (mut said, mut counts) = (Vec::new(), Counts::default());
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    for kind in SampleKind::ALL {
        let name = format!("sample {}", kind.name());
        if is_wanted(&name) {
            match build(&SampleOptions::new(kind)) {
                Ok(character) => push(&mut table, &mut counts, &mut said, &name, &character),
                Err(error) => said.push(format!("{name}: {error}")),
            }
        }
    }
    for path in data.map(characters_in).unwrap_or_default() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !is_wanted(&name) {
            continue;
        }
        let Ok(read) = read_character(&path) else { continue };
        if read.character.num_points() >= LEAST_POINTS && !read.character.skeleton.is_empty() {
            push(&mut table, &mut counts, &mut said, &name, &read.character);
        }
    }
    let Counts { asked, made, wrong, good_condition, good_time } = counts;
    said.push(format!(
        "{} characters, {asked} cages asked for: {made} made, {wrong} wrong, {} refused; \
         {good_condition} of condition {GOOD_CONDITION} or less, {good_time} within {GOOD_SECONDS} s",
        table.rows.len(),
        asked - made - wrong
    ));
    (table, said)
}

fn push(
    table: &mut Table,
    counts: &mut Counts,
    said: &mut Vec<String>,
    name: &str,
    character: &Character,
) {
    let mut row = vec![name.to_owned(), character.num_points().to_string()];
    for faces in FACES {
        counts.asked += 1;
        row.push(match made(character, faces) {
            Made::Cage { faces: found, condition, seconds, is_symmetric } => {
                counts.made += 1;
                counts.good_condition += usize::from(condition <= GOOD_CONDITION);
                counts.good_time += usize::from(seconds <= GOOD_SECONDS);
                let mut words = match condition.is_finite() {
                    true => format!("{condition:.0} / {seconds:.1}"),
                    false => format!("more handles than points tell / {seconds:.1}"),
                };
                if found > faces + 8 {
                    words.push_str(&format!(" ({found} faces)"));
                }
                if !is_symmetric {
                    words.push_str(" (not symmetric)");
                }
                words
            }
            Made::Wrong(why) => {
                counts.wrong += 1;
                said.push(format!("{name}, {faces}: WRONG: {why}"));
                "wrong".into()
            }
            Made::Refused { why, seconds } => {
                said.push(format!("{name}, {faces}: refused: {why}"));
                format!("refused / {seconds:.1}")
            }
        });
    }
    table.rows.push(row);
}

fn made(character: &Character, faces: usize) -> Made {
    let settings = CageSettings { faces, ..CageSettings::default() };
    let start = Instant::now();
    let found = Cage::generate_noting(character, &settings, &Silent);
    let seconds = start.elapsed().as_secs_f64();
    let (cage, note) = match found {
        Ok(found) => found,
        Err(error) => return Made::Refused { why: error.to_string(), seconds },
    };
    let places: Vec<DVec3> = character
        .parts
        .iter()
        .flat_map(|part| part.mesh.points().iter().map(|p| p.as_dvec3()))
        .collect();
    let report = cage.check();
    if report.faults.iter().any(|fault| !matches!(fault, CageFault::Flat { .. })) {
        return Made::Wrong(report.to_string());
    }
    let outside = places.par_iter().filter(|&&place| !cage.encloses(place)).count();
    if outside > 0 {
        return Made::Wrong(format!("{outside} points are outside"));
    }
    let condition = match CoordinateRows::bind(&cage, &QuadMeanValue::new(&cage), &places, &Silent)
    {
        Ok(rows) => Selection::of(&rows, |_| true).condition(&rows),
        Err(error) => return Made::Wrong(error.to_string()),
    };
    Made::Cage { faces: cage.faces().len(), condition, seconds, is_symmetric: note.is_none() }
}
