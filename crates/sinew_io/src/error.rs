//! Why a file could not be read or written.

use std::io;
use std::path::PathBuf;

use sinew::mesh::MeshError;
use sinew::skeleton::SkeletonError;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system would not give its bytes.
    #[error("cannot read '{}': {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the cause was.
        source: io::Error,
    },
    /// Neither extension nor content is of a known format.
    #[error("'{}' is of no known format; Sinew reads .glb, .gltf, .vrm, .fbx, .obj, .ply and .bvh", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The file breaks the rules of its format at a place.
    #[error("{place}: {what}")]
    Malformed {
        /// `meshes[0].primitives[1].indices`, `line 12`, `byte 48`.
        place: String,
        /// What is wrong, and what to do if that is known.
        what: String,
    },
    /// The file cannot be understood without an extension that Sinew does not have.
    #[error(
        "extensionsRequired: the file needs '{name}', which Sinew cannot read; export it without"
    )]
    UnsupportedExtension {
        /// As the file names it.
        name: String,
    },
    /// Its arrays are not a mesh.
    #[error("{place}: {source}")]
    Mesh {
        /// Where in the file.
        place: String,
        /// What is wrong.
        source: MeshError,
    },
    /// Its joints are not a skeleton.
    #[error("nodes: {source}")]
    Skeleton {
        /// What is wrong.
        #[from]
        source: SkeletonError,
    },
}

impl ReadError {
    pub(crate) fn malformed(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Malformed { place: place.into(), what: what.into() }
    }
}

/// Why a file could not be written. The old file, if there was one, is untouched.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system would not take its bytes.
    #[error("cannot write '{}': {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the cause was.
        source: io::Error,
    },
    /// The extension is of no format that is written.
    #[error("cannot tell the format of '{}'; Sinew writes .glb, .gltf, .obj, .ply and .bvh", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// What was computed is no number: the character or its pose is beyond what floats hold.
    #[error(
        "{place}: point {point} is not a number in this pose; a scale, a stretch or a distance of the \
         pose or of the file's matrices is beyond what a float holds: make the largest of them smaller"
    )]
    NotFinite {
        /// The mesh, or the part of it.
        place: String,
        /// The first such point.
        point: usize,
    },
    /// The character has something that the format cannot hold.
    #[error("{place}: {what}")]
    Unwritable {
        /// The part or joint.
        place: String,
        /// What it is, and what to do.
        what: String,
    },
}

impl WriteError {
    pub(crate) fn unwritable(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Unwritable { place: place.into(), what: what.into() }
    }
}
