//! The verbs of weights after binding: `transfer`, `mirror`, `prune`, `smooth`, `repair`.

pub(crate) mod mirror;
pub(crate) mod prune;
pub(crate) mod repair;
pub(crate) mod smooth;
pub(crate) mod transfer;

use std::path::Path;

use clap::Args;
use sinew::Character;
use sinew::weights::{PointRow, RowRules};
use sinew_editor::{Document, names};
use sinew_io::{Format, WriteOptions};

use crate::console::Console;
use crate::exit::Failure;
use crate::numbers::whole;
use crate::{edit, files};

/// More influences than anybody can play.
const MOST_INFLUENCES: usize = 64;

/// What every one of them keeps to.
#[derive(Args, Debug)]
pub(crate) struct KeepArgs {
    /// How many joints may move a point, at the most
    #[arg(long, value_name = "N", default_value = "4", value_parser = whole)]
    influences: usize,

    /// Leave the weights of this joint as they are; may repeat
    #[arg(long, value_name = "JOINT")]
    lock: Vec<String>,
}

impl KeepArgs {
    fn rules(&self, character: &Character) -> Result<RowRules, Failure> {
        if !(1..=MOST_INFLUENCES).contains(&self.influences) {
            let words = format!("--influences must be within 1 and {MOST_INFLUENCES}");
            return Err(Failure::Usage(words));
        }
        let mut locked = vec![false; character.skeleton.len()];
        for name in &self.lock {
            locked[joint(character, name)? as usize] = true;
        }
        Ok(RowRules { max_influences: self.influences, locked })
    }
}

fn joint(character: &Character, name: &str) -> Result<u32, Failure> {
    let names = character.skeleton.joints().iter().map(|joint| joint.name.as_str());
    let unknown = || Failure::Usage(names::unknown("joint", name, names));
    character.skeleton.find(name).ok_or_else(unknown)
}

/// Refuses an output that holds no weights.
fn check_output(path: &Path) -> Result<(), Failure> {
    files::check_output(path)?;
    if matches!(Format::of_path(path), Some(Format::Glb | Format::Gltf)) {
        return Ok(());
    }
    Err(Failure::Usage("weights need .glb or .gltf; OUT has another ending".into()))
}

/// A character, or the one of a project.
fn read(path: &Path, console: &Console) -> Result<Character, Failure> {
    if edit::is_project(path) {
        let document: Document = edit::open(path)?;
        return Ok(Character::clone(document.character()));
    }
    files::read(path, console)
}

fn write(path: &Path, character: &Character, console: &Console) -> Result<(), Failure> {
    files::write(path, character, &WriteOptions::default(), console)
}

/// Puts rows into meshes; says how many points have others now.
fn put(character: &mut Character, of_part: &[Vec<PointRow>]) -> usize {
    for (part, rows) in character.parts.iter_mut().zip(of_part) {
        part.weights = part.weights.as_ref().map(|weights| weights.with_rows(rows));
    }
    of_part.iter().map(Vec::len).sum()
}

/// Refuses a character with nothing to work on.
fn check_weights(path: &Path, character: &Character) -> Result<(), Failure> {
    if character.parts.iter().any(|part| part.weights.is_some()) {
        return Ok(());
    }
    let words = format!("'{}' has no weights; `sinew bind` gives it some", path.display());
    Err(Failure::Input(words))
}
