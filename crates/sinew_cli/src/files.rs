//! Files in and out, with their errors as exit codes and what they lose as words.

use std::io::Write as _;
use std::path::Path;

use sinew::Character;
use sinew::check::Severity;
use sinew::frame::{CageRig, Frame};
use sinew_io::{
    Format, IsReadOnly, Loaded, ReadError, Report, Warning, WriteError, WriteOptions,
    read_character, write_character,
};

use crate::console::Console;
use crate::exit::Failure;
use crate::text::counted;

/// Reads a character with the reader's report.
pub(crate) fn load(path: &Path) -> Result<Loaded, Failure> {
    read_character(path).map_err(|error| {
        Failure::Input(match error {
            // These name the file themselves.
            ReadError::Io { .. } | ReadError::UnknownFormat { .. } => error.to_string(),
            error => format!("'{}': {error}", path.display()),
        })
    })
}

/// Reads a character and says what had to be repaired.
pub(crate) fn read(path: &Path, console: &Console) -> Result<Character, Failure> {
    Ok(read_caged(path, console)?.0)
}

/// The same with the cage that came with it.
pub(crate) fn read_caged(
    path: &Path,
    console: &Console,
) -> Result<(Character, Option<CageRig>), Failure> {
    let Loaded { character, report, cage, .. } = load(path)?;
    let grave = |warning: &&Warning| warning.severity >= Severity::Warning;
    for words in gathered(report.warnings.iter().filter(grave)) {
        console.warn(&format!("'{}': {words}", path.display()));
    }
    Ok((character, cage))
}

/// A line for each kind of warning: what it is, where first, and in how many places more.
pub(crate) fn gathered<'a>(warnings: impl Iterator<Item = &'a Warning>) -> Vec<String> {
    let mut kinds: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        match kinds.iter_mut().find(|(first, _)| first.code == warning.code) {
            Some((_, num_more)) => *num_more += 1,
            None => kinds.push((warning, 0)),
        }
    }
    let words = |(first, num_more): (&Warning, usize)| match num_more {
        0 => format!("{}: {}", first.place, first.what),
        more => {
            let places = counted(more, "other place");
            format!("{} and {places}: {}; `sinew check` lists all", first.place, first.what)
        }
    };
    kinds.into_iter().map(words).collect()
}

/// Refuses an output that could never be written before the work for it is done.
pub(crate) fn check_output(path: &Path) -> Result<(), Failure> {
    match Format::of_path(path) {
        Some(format) if format.is_written() => Ok(()),
        _ => Err(write_failure(&WriteError::UnknownFormat { path: path.to_owned() })),
    }
}

/// The same for what has meshes and no motion.
pub(crate) fn check_mesh_output(path: &Path) -> Result<(), Failure> {
    check_output(path)?;
    match Format::of_path(path) {
        Some(Format::Bvh) => Err(Failure::Usage(format!(
            "'{}' would hold motion and no mesh; write .obj, .ply or .glb",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Writes a character at rest with all that the format holds, and says what it does not hold.
pub(crate) fn write(
    path: &Path,
    character: &Character,
    options: &WriteOptions,
    console: &Console,
) -> Result<(), Failure> {
    let format = Format::of_path(path);
    if character.parts.is_empty() && matches!(format, Some(Format::Obj | Format::Ply)) {
        return Err(Failure::Input(format!(
            "'{}' can hold only meshes, and there is none; write a .glb or .bvh",
            path.display()
        )));
    }
    // OBJ keeps welded points and attributes apart; PLY has only vertices, so that a seam is split.
    let options = match format {
        Some(Format::Ply) => WriteOptions { render_vertices: true, ..options.clone() },
        _ => WriteOptions { corner_attributes: true, ..options.clone() },
    };
    let options = WriteOptions { read_only: console.read_only, ..options };
    let report =
        write_character(path, character, &options).map_err(|error| write_failure(&error))?;
    tell(path, &report, console);
    if let Some(lost) = lost(path, character) {
        console.warn(&format!("'{}' does not hold {lost}; they are lost", path.display()));
    }
    Ok(())
}

/// Writes a frame of a character, and says what of its file could not be kept.
pub(crate) fn write_posed(
    path: &Path,
    character: &Character,
    frame: &Frame,
    render_vertices: bool,
    console: &Console,
) -> Result<(), Failure> {
    let read_only = console.read_only;
    let options = WriteOptions { render_vertices, read_only, ..WriteOptions::default() };
    let report = sinew_io::write_frame(path, character, frame, &options)
        .map_err(|error| write_failure(&error))?;
    tell(path, &report, console);
    Ok(())
}

/// Writes bytes that are a whole file.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8], console: &Console) -> Result<(), Failure> {
    let write = |file: &mut std::io::BufWriter<&mut std::fs::File>| file.write_all(bytes);
    sinew_io::write_atomically_over(path, console.read_only, write)
        .map_err(|source| write_failure(&WriteError::Io { path: path.to_owned(), source }))
}

fn tell(path: &Path, report: &Report, console: &Console) {
    let is_grave = |warning: &&Warning| warning.severity >= Severity::Warning;
    for words in gathered(report.warnings.iter().filter(is_grave)) {
        console.warn(&format!("'{}': {words}", path.display()));
    }
    for words in gathered(report.warnings.iter().filter(|warning| !is_grave(warning))) {
        console.say(&format!("'{}': {words}", path.display()));
    }
}

pub(crate) fn write_failure(error: &WriteError) -> Failure {
    match error {
        // An ending that nothing is known of was typed, not met on the disk.
        WriteError::UnknownFormat { .. } => Failure::Usage(error.to_string()),
        // What was read, or the pose, is to blame.
        WriteError::NotFinite { .. } => Failure::Input(error.to_string()),
        WriteError::Io { source, .. } if IsReadOnly::is_cause_of(source) => {
            Failure::Write(format!("{error}, or replace it with --force"))
        }
        WriteError::Io { .. } | WriteError::Unwritable { .. } => Failure::Write(error.to_string()),
    }
}

fn is_gltf(path: &Path) -> bool {
    matches!(Format::of_path(path), Some(Format::Glb | Format::Gltf))
}

/// What a format leaves out of a character; `None` if nothing.
fn lost(path: &Path, character: &Character) -> Option<String> {
    if is_gltf(path) {
        return None;
    }
    let num_shapes: usize = character.parts.iter().map(|part| part.shapes.len()).sum();
    let num_weighted = character.parts.iter().filter(|part| part.weights.is_some()).count();
    // It says itself what of clips it left out.
    let is_motion = Format::of_path(path) == Some(Format::Bvh);
    let lost: Vec<String> = [
        (if is_motion { 0 } else { character.skeleton.len() }, "joint"),
        (num_shapes, "blend shape"),
        (if is_motion { 0 } else { character.clips.len() }, "clip"),
        (if is_motion { character.parts.len() } else { 0 }, "meshes"),
    ]
    .into_iter()
    .filter(|&(number, _)| number > 0)
    .map(|(number, noun)| match noun {
        "meshes" => "the meshes".to_owned(),
        noun => counted(number, noun),
    })
    .chain((num_weighted > 0).then(|| "the skin weights".to_owned()))
    .collect();
    let (last, others) = lost.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_one_kind_are_one_line_with_a_count() {
        let warning = |code, place: &str| Warning {
            severity: Severity::Warning,
            code,
            place: place.into(),
            what: format!("{code} happened"),
            mend: String::new(),
            count: 1,
        };
        let all = [warning("a", "x"), warning("b", "y"), warning("a", "z"), warning("a", "w")];
        assert_eq!(
            gathered(all.iter()),
            ["x and 2 other places: a happened; `sinew check` lists all", "y: b happened"]
        );
    }
}
