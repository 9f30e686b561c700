//! Where a document's character came from: the bytes of a file, kept as they are, or a built-in
//! sample.
//!
//! A project holds the file itself rather than a copy in a format of ours: nothing of it can be
//! lost, and a better reader gets more out of old projects.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sinew::sample::{SampleError, SampleKind, SampleOptions, build};
use sinew_io::{
    Format, Loaded, ReadError, Report, WriteOptions, character_to_glb, confined, read_character,
    read_character_from_bytes,
};

/// Where a character comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Built in.
    Sample(SampleOptions),
    /// A file, whole.
    Embedded {
        /// Its name, without folders.
        file_name: String,
        /// Which reader understands it.
        format: Format,
        /// What is in it.
        bytes: Arc<[u8]>,
    },
    /// A file beside the project, by its path from there.
    Linked {
        /// With forward slashes.
        relative_path: PathBuf,
    },
}

/// Why a character could not be had.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file is not a character.
    #[error("'{name}': {source}")]
    Read {
        /// The file.
        name: String,
        /// What is wrong.
        source: ReadError,
    },
    /// The sample cannot be built so.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A link out of nowhere.
    #[error("the character '{}' is linked, but the project has no place yet; save it first", path.display())]
    NoFolder {
        /// The linked file.
        path: PathBuf,
    },
    /// A link to what is no file of the project's folder.
    #[error("the project {what}")]
    Link {
        /// What is wrong, and what to do.
        what: String,
    },
    /// Packing failed.
    #[error("cannot pack '{name}' into one file: {what}")]
    Pack {
        /// The file.
        name: String,
        /// What is wrong with it.
        what: String,
    },
}

impl Source {
    /// Takes a file in. One that needs others beside it (a `.gltf`) becomes a GLB, which has
    /// everything inside.
    pub fn embed(path: &Path) -> Result<Self, SourceError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let read_error = |source| SourceError::Read { name: name.clone(), source };
        let bytes = std::fs::read(path)
            .map_err(|source| read_error(ReadError::Io { path: path.to_owned(), source }))?;
        let format = Format::of_path(path)
            .or_else(|| Format::of_bytes(&bytes))
            .ok_or_else(|| read_error(ReadError::UnknownFormat { path: path.to_owned() }))?;
        if format != Format::Gltf {
            return Ok(Self::Embedded { file_name: name, format, bytes: bytes.into() });
        }
        let loaded = read_character(path).map_err(read_error)?;
        let everything = WriteOptions { max_influences: None, ..WriteOptions::default() };
        let packed = character_to_glb(&loaded.character, &everything)
            .map_err(|error| SourceError::Pack { name: name.clone(), what: error.to_string() })?;
        let file_name = format!("{}.glb", name.trim_end_matches(".gltf"));
        Ok(Self::Embedded { file_name, format: Format::Glb, bytes: packed.into() })
    }

    /// A built-in character as it comes.
    pub const fn sample(kind: SampleKind) -> Self {
        Self::Sample(SampleOptions::new(kind))
    }

    /// Reads the character. `folder` is the project's, where linked files are looked for.
    pub fn load(&self, folder: Option<&Path>) -> Result<Loaded, SourceError> {
        match self {
            Self::Sample(options) => Ok(Loaded {
                character: build(options)?,
                report: Report::default(),
                extensions: Vec::new(),
                cage: None,
            }),
            Self::Embedded { file_name, format, bytes } => {
                let stem = Path::new(file_name).file_stem().unwrap_or_default().to_string_lossy();
                read_character_from_bytes(*format, &stem, bytes)
                    .map_err(|source| SourceError::Read { name: file_name.clone(), source })
            }
            Self::Linked { relative_path } => {
                let folder =
                    folder.ok_or_else(|| SourceError::NoFolder { path: relative_path.clone() })?;
                let name = relative_path.to_string_lossy();
                let path = confined(folder, &name).map_err(|what| SourceError::Link { what })?;
                read_character(&path)
                    .map_err(|source| SourceError::Read { name: name.into_owned(), source })
            }
        }
    }

    /// What people call it.
    pub fn name(&self) -> String {
        match self {
            Self::Sample(options) => options.kind.name().to_owned(),
            Self::Embedded { file_name, .. } => file_name.clone(),
            Self::Linked { relative_path } => relative_path.display().to_string(),
        }
    }
}
