//! Motions of another file on the document's skeleton, as edits.

use std::path::Path;

use sinew::Character;
use sinew::motion::Motion;
use sinew::progress::Progress;
use sinew::retarget::{RetargetError, RetargetOptions, carry_shapes, retarget};
use sinew_io::{ReadError, humanoid_bones, read_character};

use crate::document::Document;
use crate::edit::{Edit, MotionEdit};
use crate::motion_text::ChannelText;
use crate::name_ref::MotionRef;

/// Why motions cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot read '{file}': {error}")]
    Read {
        /// Its name.
        file: String,
        /// Why it failed.
        error: ReadError,
    },
    /// There is nothing in it.
    #[error("'{file}' has no motion")]
    NoMotion {
        /// Its name.
        file: String,
    },
    /// It fits nothing.
    #[error("'{file}' does not fit this character: {error}")]
    Retarget {
        /// Its name.
        file: String,
        /// Why it failed.
        error: RetargetError,
    },
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Motions, ready to enter the document as one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// What the history calls the step.
    pub label: String,
    /// In their order.
    pub edits: Vec<Edit>,
    /// Of the new motions.
    pub names: Vec<String>,
    /// Joints of the file that move and have no partner here.
    pub lost: Vec<String>,
}

/// Reads a file and puts each of its clips on the document's skeleton, as `sinew retarget` does.
///
/// # Errors
/// If it cannot be read, has no motion, or no joint of it is known here.
pub fn import_motions(
    document: &Document,
    path: &Path,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let loaded = read_character(path)
        .map_err(|error| ImportError::Read { file: file.clone().into_owned(), error })?;
    motions_of(document, &loaded.character, &file, progress)
}

/// The same of what was read.
///
/// # Errors
/// As [`import_motions`], but for reading.
pub fn motions_of(
    document: &Document,
    source: &Character,
    file: &str,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    if source.clips.is_empty() {
        return Err(ImportError::NoMotion { file: file.to_owned() });
    }
    let character = document.character();
    let options = RetargetOptions {
        source_names: humanoid_bones(source),
        target_names: humanoid_bones(character),
        ..RetargetOptions::default()
    };
    let mut imported = Imported {
        label: format!("Import {file}"),
        edits: Vec::new(),
        names: Vec::new(),
        lost: Vec::new(),
    };
    for (index, clip) in source.clips.iter().enumerate() {
        progress.report("retargeting", index as f32 / source.clips.len() as f32);
        if progress.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        let mut done = retarget(&source.skeleton, clip, &character.skeleton, &options)
            .map_err(|error| ImportError::Retarget { file: file.to_owned(), error })?;
        done.clip.shape_tracks = carry_shapes(source, clip, character).tracks;
        for joint in done.lost {
            let name = &source.skeleton.joints()[joint as usize].name;
            if !imported.lost.contains(name) {
                imported.lost.push(name.clone());
            }
        }
        let motion = Motion::of_clip(&done.clip, &character.skeleton);
        let name = free_name(document, &imported.names, wanted_name(&clip.name, file));
        imported.edits.extend(edits_of(document, &motion, name.clone()));
        imported.names.push(name);
    }
    Ok(imported)
}

/// The edits that add a motion to a document, under its name or the next that is free.
pub fn motion_edits(document: &Document, motion: &Motion) -> Vec<Edit> {
    edits_of(document, motion, free_name(document, &[], &motion.name)).into()
}

/// One adds it, one sets its keys.
fn edits_of(document: &Document, motion: &Motion, name: String) -> [Edit; 2] {
    let character = document.character();
    let layer = motion.layers.iter().flat_map(|layer| layer.channels());
    let channels = layer.map(|own| ChannelText::of(character, own.address(), own.keys())).collect();
    let seconds = motion.length_seconds;
    let add = MotionEdit::AddMotion { name: name.clone(), seconds, copy_of: None };
    [add.into(), MotionEdit::SetKeys { motion: MotionRef(name), layer: None, channels }.into()]
}

/// A clip's own name says more than what every exporter calls its only one.
fn wanted_name<'a>(clip: &'a str, file: &'a str) -> &'a str {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or(file);
    let says_nothing = ["", "mixamo.com", "Take 001", "motion"].contains(&clip);
    if says_nothing { stem } else { clip }
}

/// A name that no motion has.
fn free_name(document: &Document, taken: &[String], wanted: &str) -> String {
    let is_taken = |name: &str| {
        taken.iter().any(|other| other == name)
            || (0..document.motions().len())
                .any(|motion| document.motions().name(document.character(), motion) == name)
    };
    let mut name = wanted.to_owned();
    let mut number = 2;
    while is_taken(&name) {
        name = format!("{wanted} {number}");
        number += 1;
    }
    name
}

#[cfg(test)]
mod tests {
    use sinew::progress::Silent;
    use sinew::sample::{SampleKind, SampleOptions, build};
    use sinew_io::{WriteOptions, write_character};

    use super::*;
    use crate::{Editor, Source};

    #[test]
    fn a_walk_of_another_body_enters_in_one_step_and_leaves_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("human walk.bvh");
        let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let walk = human.clips[0].name.clone();
        let options = WriteOptions { clip: Some(walk), ..WriteOptions::default() };
        write_character(&path, &human, &options).unwrap();

        let document = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
        let before = document.clone();
        let imported = import_motions(&document, &path, &Silent).unwrap();
        assert_eq!(imported.names, ["human walk"]);
        let mut editor = Editor::new(document);
        editor.begin(Some(&imported.label));
        editor.replace(imported.edits).unwrap();
        editor.commit();
        let motions = editor.document().motions();
        let added = motions.len() - 1;
        assert_eq!(motions.len(), before.motions().len() + 1);
        assert!(motions.seconds(editor.document().character(), added) > 0.5);
        // A second one has a name of its own.
        let again = import_motions(editor.document(), &path, &Silent).unwrap();
        assert_eq!(again.names, ["human walk 2"]);
        editor.undo();
        assert_eq!(*editor.document(), before);
    }

    #[test]
    fn what_has_no_motion_or_no_partner_says_so() {
        let document = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
        let mut still = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        still.clips.clear();
        let error = motions_of(&document, &still, "still.glb", &Silent).unwrap_err();
        assert!(error.to_string().contains("still.glb"), "{error}");
        let snake = build(&SampleOptions::new(SampleKind::Snake)).unwrap();
        if !snake.clips.is_empty() {
            let error = motions_of(&document, &snake, "snake.glb", &Silent).unwrap_err();
            assert!(matches!(error, ImportError::Retarget { .. }), "{error}");
        }
    }
}
