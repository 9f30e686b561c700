//! The project file, `.sinew`: a ZIP with `project.json`, which people can read, and the
//! character's own file as it was.
//!
//! ```text
//! hero.sinew
//!   project.json           version, source, rig, shapes, pose, stored poses
//!   character/hero.glb     the file that was opened, byte for byte; none for samples and links
//! ```
//!
//! The same document gives the same bytes: entries have a fixed order and no times.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinew::sample::{SampleKind, SampleOptions};
use sinew_io::Format;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::document::Document;
use crate::edit::EditError;
use crate::names;
use crate::source::{Source, SourceError};
use crate::state::State;
use crate::text::refuse_crowds;

/// The form that is written. Older ones are brought forward when they are opened.
pub const VERSION: u64 = 2;

/// The n-th takes `project.json` from version n + 1 to n + 2.
const MIGRATIONS: &[fn(Value) -> Value] = &[
    // To 2: `deformation` became `rig`. Journals have states too, so that `State` itself knows both
    // names.
    |value| value,
];

const TEXT: &str = "project.json";
const FOLDER: &str = "character/";

/// No project's text is longer; a longer one is a trap.
const MAX_TEXT_BYTES: u64 = 128 << 20;
/// All entries together unpack to so many times the file, and a little more. We pack nothing; by
/// hand, text packs to a tenth at the best.
const UNPACKED_PER_BYTE: u64 = 10;
const FREE_UNPACKED_BYTES: u64 = 4 << 20;

/// Why a project could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The system would not give or take its bytes.
    #[error("'{}': {source}", path.display())]
    Io {
        /// The project.
        path: PathBuf,
        /// What the cause was.
        source: std::io::Error,
    },
    /// Another studio has it open.
    #[error("'{}' is open in another Sinew; save under another name", path.display())]
    InUse {
        /// The project.
        path: PathBuf,
    },
    /// Saving would replace what somebody else wrote.
    #[error("'{}' has changed since it was opened", path.display())]
    Changed {
        /// The project.
        path: PathBuf,
    },
    /// No project.
    #[error("not a Sinew project: {what}")]
    NotAProject {
        /// What is wrong.
        what: String,
    },
    /// Its text says something that cannot be.
    #[error("project.json, {place}: {what}")]
    Text {
        /// The place in the file.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// From the future.
    #[error("the project is of version {found}; this Sinew knows up to {VERSION}: get a newer one")]
    TooNew {
        /// As it says.
        found: u64,
    },
    /// The character inside cannot be read.
    #[error("its character: {0}")]
    Character(#[from] SourceError),
    /// What it says does not fit the character.
    #[error("it does not fit its character: {0}")]
    State(#[from] EditError),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    sinew_project: u64,
    #[serde(default)]
    generator: String,
    character: CharacterText,
    state: State,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum CharacterText {
    Sample {
        sample: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        points: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bones: Option<usize>,
    },
    File {
        file: String,
        format: String,
    },
    Link {
        link: String,
    },
}

/// The bytes of a document's project file.
pub fn to_bytes(document: &Document) -> Result<Vec<u8>, ProjectError> {
    let impossible = |what: String| ProjectError::NotAProject { what };
    let character = match &**document.source() {
        Source::Sample(SampleOptions { kind, points, bones }) => {
            CharacterText::Sample { sample: kind.name().into(), points: *points, bones: *bones }
        }
        Source::Embedded { file_name, format, .. } => CharacterText::File {
            file: format!("{FOLDER}{file_name}"),
            format: format.extension().into(),
        },
        Source::Linked { relative_path } => {
            CharacterText::Link { link: relative_path.to_string_lossy().replace('\\', "/") }
        }
    };
    let text = Text {
        sinew_project: VERSION,
        generator: concat!("Sinew ", env!("CARGO_PKG_VERSION")).into(),
        character,
        state: State::of(document),
    };
    let text = serde_json::to_vec_pretty(&text).map_err(|error| impossible(error.to_string()))?;
    // Stored, not packed: saving is then as fast as the disk, and images do not shrink anyway.
    let plain = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, bytes: &[u8]| -> Result<(), String> {
        archive
            .start_file(name, plain.large_file(bytes.len() > 1 << 31))
            .map_err(|e| e.to_string())?;
        archive.write_all(bytes).map_err(|error| error.to_string())
    };
    add(TEXT, &text).map_err(impossible)?;
    if let Source::Embedded { file_name, bytes, .. } = &**document.source() {
        add(&format!("{FOLDER}{file_name}"), bytes).map_err(impossible)?;
    }
    Ok(archive.finish().map_err(|error| impossible(error.to_string()))?.into_inner())
}

/// A project's document, and what of it had no place any more.
#[derive(Clone, Debug)]
pub struct Opened {
    /// As saved.
    pub document: Document,
    /// What of an older form was left out, in words.
    pub warnings: Vec<String>,
}

/// The document of a project's bytes. `folder` is where it lies, for linked characters.
pub fn from_bytes(bytes: &[u8], folder: Option<&Path>) -> Result<Document, ProjectError> {
    open(bytes, folder).map(|opened| opened.document)
}

/// The same with what was left out.
pub fn open(bytes: &[u8], folder: Option<&Path>) -> Result<Opened, ProjectError> {
    let broken = |what: String| ProjectError::NotAProject { what };
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(error.to_string()))?;
    // Counted as it is unpacked, and all entries together.
    let mut left = FREE_UNPACKED_BYTES.saturating_add(UNPACKED_PER_BYTE * bytes.len() as u64);
    let text = read_entry(&mut archive, TEXT, left.min(MAX_TEXT_BYTES)).map_err(broken)?;
    left -= text.len() as u64;
    let text = parse(&text)?;
    let source = match text.character {
        CharacterText::Sample { sample, points, bones } => {
            let kind = SampleKind::from_name(&sample).ok_or_else(|| ProjectError::Text {
                place: "character.sample".into(),
                what: names::unknown("sample", &sample, SampleKind::ALL.map(SampleKind::name)),
            })?;
            Source::Sample(SampleOptions { kind, points, bones })
        }
        CharacterText::File { file, format } => {
            let format = Format::of_path(Path::new(&format!("x.{format}"))).ok_or_else(|| {
                let what = format!("'{format}' is no format that Sinew reads");
                ProjectError::Text { place: "character.format".into(), what }
            })?;
            let bytes = read_entry(&mut archive, &file, left).map_err(broken)?;
            let file_name = file.rsplit('/').next().unwrap_or(&file).to_owned();
            Source::Embedded { file_name, format, bytes: bytes.into() }
        }
        CharacterText::Link { link } => Source::Linked { relative_path: PathBuf::from(link) },
    };
    let mut document = Document::open(source, folder)?;
    let warnings = text.state.restore(&mut document)?;
    Ok(Opened { document, warnings })
}

fn parse(text: &[u8]) -> Result<Text, ProjectError> {
    let broken = |what: String| ProjectError::Text { place: "JSON".into(), what };
    refuse_crowds(text).map_err(broken)?;
    let mut value: Value =
        serde_json::from_slice(text).map_err(|error| broken(error.to_string()))?;
    let found = value.get("sinew_project").and_then(Value::as_u64).ok_or_else(|| {
        ProjectError::Text { place: "sinew_project".into(), what: "the version is missing".into() }
    })?;
    if found > VERSION {
        return Err(ProjectError::TooNew { found });
    }
    value = migrate(value, found, MIGRATIONS);
    serde_path_to_error::deserialize(value).map_err(|error| ProjectError::Text {
        place: error.path().to_string(),
        what: error.inner().to_string(),
    })
}

fn migrate(mut value: Value, from: u64, migrations: &[fn(Value) -> Value]) -> Value {
    for migration in migrations.iter().skip(from.saturating_sub(1) as usize) {
        value = migration(value);
    }
    value
}

fn read_entry(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
    most: u64,
) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("'{name}': {error}");
    let entry = archive.by_name(name).map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    // What the header says of its size is not to be believed, but it may save growing.
    let likely = entry.size().min(most) as usize;
    bytes.try_reserve_exact(likely).map_err(|error| failed(&error))?;
    entry.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() as u64 > most {
        return Err(format!(
            "'{name}' unpacks to more than {most} bytes, which a file of this size does not justify"
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_run_from_the_version_that_the_file_has() {
        let steps: [fn(Value) -> Value; 2] = [
            |mut value| {
                value["trail"] = format!("{}a", value["trail"].as_str().unwrap_or("")).into();
                value
            },
            |mut value| {
                value["trail"] = format!("{}b", value["trail"].as_str().unwrap_or("")).into();
                value
            },
        ];
        let trail = |from| migrate(serde_json::json!({}), from, &steps)["trail"].clone();
        assert_eq!((trail(1), trail(2), trail(3)), ("ab".into(), "b".into(), Value::Null));
    }

    #[test]
    fn a_project_from_the_future_says_so() {
        let error = parse(br#"{"sinew_project": 99}"#).unwrap_err();
        assert!(matches!(error, ProjectError::TooNew { found: 99 }), "{error}");
    }
}
