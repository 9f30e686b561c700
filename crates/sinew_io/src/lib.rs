//! Character files in and out: glTF/GLB, OBJ, PLY, motion as BVH; FBX in. `docs/formats.md` says
//! what each keeps and loses.
//!
//! Readers take any bytes: they never panic, never allocate more than the bytes that are there
//! justify, never recurse on the file's depth, and never open a file outside the folder of the one
//! that was named. What they had to repair or leave out is in the [`Report`]. Writers write to a
//! temporary file and rename it ([`write_atomically`]), so that a crash or a full disk leaves the
//! old file.
//!
//! Load, pose, skin, relax, export:
//!
//! ```
//! use std::sync::Arc;
//! use sinew::frame::{Controls, Plan, Rig};
//! use sinew::progress::Silent;
//! use sinew::skeleton::{Axis, Pose};
//! use sinew::springs::SpringModel;
//! use sinew_io::WriteOptions;
//!
//! # let folder = tempfile::tempdir()?;
//! # let (human, bent) = (folder.path().join("human.glb"), folder.path().join("bent.glb"));
//! # let arm = sinew::sample::SampleOptions::new(sinew::sample::SampleKind::Arm);
//! # let mut arm = sinew::sample::build(&arm)?;
//! # let mut joints = arm.skeleton.joints().to_vec();
//! # joints[1].name = "forearm_l".into();
//! # arm.skeleton = sinew::skeleton::Skeleton::new(joints)?;
//! # sinew_io::write_character(&human, &arm, &WriteOptions::default())?;
//! # std::env::set_current_dir(folder.path())?;
//! let character = Arc::new(sinew_io::read_character("human.glb")?.character);
//! let plan = Plan::bind(&character, &Rig::of_model(SpringModel::Anchored), &Silent)?;
//! let mut pose = Pose::rest(&character.skeleton);
//! pose.rotate(&character.skeleton, "forearm_l", Axis::X, 90.0)?;
//! let frame = plan.frame_of(&Controls::posed(&character, pose));
//! sinew_io::write_frame("bent.glb", &character, &frame, &WriteOptions::default())?;
//! # assert!(bent.metadata()?.len() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic;
mod beside;
mod bvh;
mod cage;
mod confined;
mod error;
mod expressions;
mod fbx;
mod format;
mod glb;
mod gltf;
mod humanoid;
mod meshopt;
mod neighbours;
mod obj;
mod ply;
mod polygon;
mod posed;
mod report;
mod weights;

pub use atomic::{
    IsReadOnly, ReadOnly, remove_unfinished, write_all_atomically, write_atomically,
    write_atomically_over,
};
pub use cage::{cage_of_obj, cage_to_obj, read_cage, read_cage_weights};
pub use confined::confined;
pub use error::{ReadError, WriteError};
pub use expressions::{Expression, Standard, expressions};
pub use format::Format;
pub use gltf::PartMaterials;
pub use humanoid::humanoid_bones;
pub use posed::PosedPart;
pub use report::{Report, Warning};
pub use weights::{ReadWeights, WeightsForm, read_weights, weights_of_text, weights_to_text};

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use sinew::Character;
use sinew::carried::Blob;
use sinew::frame::{CageRig, Frame};

/// What the crate's page shows compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CratePage;

/// And what the project's page shows.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ProjectPage;

/// A character, and what its file left to be desired.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Ready to pose.
    pub character: Character,
    /// What was repaired, left out or lost, with the place in the file.
    pub report: Report,
    /// Names of the glTF extensions that the file uses; none for other formats.
    pub extensions: Vec<String>,
    /// The cage that came with it; only glTF that Sinew wrote has one.
    pub cage: Option<CageRig>,
}

/// How to write. The default keeps everything but influences past the fourth, which few engines
/// take.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteOptions {
    /// OBJ and PLY: the split render vertices with UVs and normals instead of the welded points.
    pub render_vertices: bool,
    /// OBJ of welded points: UVs and normals as well, at the corners of the faces. Nothing of the
    /// mesh is lost then.
    pub corner_attributes: bool,
    /// glTF: at most that many influences a vertex, fitted by least squares to what all of them do
    /// ([`sinew::weights::refit`]); all of them if `None`.
    pub max_influences: Option<usize>,
    /// glTF: vertices of 16 bits a component (`KHR_mesh_quantization`). About half the size;
    /// positions are off by up to 1.3e-5 of the mesh's box.
    pub quantize: bool,
    /// glTF: arrays compressed with meshopt (`EXT_meshopt_compression`), without loss.
    pub meshopt: bool,
    /// BVH, which holds one motion: the clip of that name; the first if `None`.
    pub clip: Option<String>,
    /// glTF: a cage, as a mesh that no node shows; in place of the one that its file had.
    pub cage: Option<CageRig>,
    /// What becomes of an old file that is read-only.
    pub read_only: ReadOnly,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            render_vertices: false,
            corner_attributes: false,
            max_influences: Some(DEFAULT_MAX_INFLUENCES),
            quantize: false,
            meshopt: false,
            clip: None,
            cage: None,
            read_only: ReadOnly::Keep,
        }
    }
}

/// What every engine takes: one JOINTS/WEIGHTS set.
pub const DEFAULT_MAX_INFLUENCES: usize = 4;

/// Reads a character; the format is told by the extension, or by the first bytes where that says
/// nothing.
///
/// # Errors
/// If the file cannot be read, or is none of the formats; the error says where in the file.
pub fn read_character(path: impl AsRef<Path>) -> Result<Loaded, ReadError> {
    read_path(path.as_ref())
}

fn read_path(path: &Path) -> Result<Loaded, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    if Format::of_path(path) == Some(Format::Obj) {
        // Scans are larger than the memory that their text and their mesh would take together.
        let mut file = std::fs::File::open(path).map_err(failed)?;
        return obj::read_stream(&stem(path), &mut file, path, Some(folder_of(path)));
    }
    // What cannot be wound back (a pipe) is read whole.
    if Format::of_path(path) == Some(Format::Ply) && path.is_file() {
        let mut file = std::fs::File::open(path).map_err(failed)?;
        return ply::read_stream(&stem(path), &mut file, path);
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let format = Format::of_path(path)
        .or_else(|| Format::of_bytes(&bytes))
        .ok_or_else(|| ReadError::UnknownFormat { path: path.to_owned() })?;
    read(format, &stem(path), &Arc::new(bytes), Some(folder_of(path)))
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Where files that a file names are looked for. An empty parent means "here".
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a character from memory. External buffers of a glTF are refused: there is no folder to
/// look in.
///
/// ```
/// let triangle = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let loaded = sinew_io::read_character_from_bytes(sinew_io::Format::Obj, "triangle", triangle)?;
/// assert_eq!(loaded.character.num_points(), 3);
/// assert!(loaded.report.warnings.is_empty());
/// # Ok::<(), sinew_io::ReadError>(())
/// ```
///
/// # Errors
/// As [`read_character`].
pub fn read_character_from_bytes(
    format: Format,
    name: &str,
    bytes: &[u8],
) -> Result<Loaded, ReadError> {
    read(format, name, &Arc::new(bytes.to_vec()), None)
}

fn read(
    format: Format,
    name: &str,
    bytes: &Arc<Vec<u8>>,
    folder: Option<&Path>,
) -> Result<Loaded, ReadError> {
    match format {
        Format::Glb => {
            let glb = glb::split(bytes)?;
            let chunk = glb.binary.map(|binary| {
                let range = glb.binary_start..glb.binary_start + binary.len();
                Blob::new(Arc::clone(bytes), range)
            });
            let mut loaded = gltf::read(name, glb.json, chunk.as_ref(), folder)?;
            gltf::validate_container(bytes, &mut loaded.report);
            Ok(loaded)
        }
        // Files are often misnamed: a GLB called .gltf still says so itself.
        Format::Gltf if Format::of_bytes(bytes) == Some(Format::Glb) => {
            read(Format::Glb, name, bytes, folder)
        }
        Format::Gltf => gltf::read(name, bytes, None, folder),
        Format::Obj => obj::read(name, bytes, folder),
        Format::Ply => ply::read(name, bytes),
        Format::Bvh => bvh::read(name, bytes),
        Format::Fbx => fbx::read(name, bytes, folder),
    }
}

/// Writes a character at rest as `.glb` (`.vrm`), `.gltf` with its buffer beside it, `.obj` or
/// `.ply`, or its skeleton and a clip as `.bvh`, and says what of its source could not be kept.
/// Only glTF keeps weights.
///
/// # Errors
/// If the format cannot hold it, or the file cannot be written.
pub fn write_character(
    path: impl AsRef<Path>,
    character: &Character,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let path = path.as_ref();
    match Format::of_output(path)? {
        format @ (Format::Glb | Format::Gltf) => {
            write_gltf(path, format, gltf::character_document(character, options)?, options)
        }
        Format::Obj | Format::Ply => {
            let parts: Vec<PosedPart<'_>> =
                character.parts.iter().map(PosedPart::at_rest).collect();
            write_posed(path, &character.name, &parts, options).map(|()| Report::default())
        }
        Format::Bvh => write_bvh(path, character, options),
        Format::Fbx => Err(WriteError::UnknownFormat { path: path.to_owned() }),
    }
}

fn write_bvh(
    path: &Path,
    character: &Character,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let clip = match &options.clip {
        None => character.clips.first(),
        Some(name) => Some(character.clip(name).ok_or_else(|| {
            let names: Vec<&str> = character.clips.iter().map(|clip| clip.name.as_str()).collect();
            let what = format!("there is none of that name; there are: {}", names.join(", "));
            WriteError::unwritable(format!("clip '{name}'"), what)
        })?),
    };
    let mut prepared = bvh::prepare(character, clip)?;
    if let (Some(clip), 2..) = (clip, character.clips.len()) {
        let what = format!(
            "a BVH holds one motion: '{}' was written, {} more left out",
            clip.name,
            character.clips.len() - 1
        );
        prepared.report.warn("clips-left-out", "clips", what, "choose one with --clip");
    }
    write_atomically_over(path, options.read_only, |file| prepared.write(file))
        .map_err(|source| WriteError::Io { path: path.to_owned(), source })?;
    Ok(prepared.report)
}

fn write_gltf(
    path: &Path,
    format: Format,
    finished: gltf::Finished,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let report = finished.report.clone();
    if format == Format::Gltf {
        beside::write(path, finished, options.read_only)?;
    } else {
        let bytes = to_glb(finished)?;
        write_atomically_over(path, options.read_only, |file| file.write_all(&bytes))
            .map_err(|source| WriteError::Io { path: path.to_owned(), source })?;
    }
    Ok(report)
}

fn to_glb(finished: gltf::Finished) -> Result<Vec<u8>, WriteError> {
    let json = serde_json::to_vec(&finished.document)
        .map_err(|error| WriteError::unwritable("character", error.to_string()))?;
    glb::join(json, finished.binary).ok_or_else(|| {
        WriteError::unwritable("character", "more than 4 GB do not fit into one GLB; split it")
    })
}

/// A character's GLB in memory: what [`write_character`] writes.
///
/// ```
/// use sinew::sample::{SampleKind, SampleOptions, build};
/// use sinew_io::{Format, WriteOptions, character_to_glb, read_character_from_bytes};
///
/// let plus = build(&SampleOptions::new(SampleKind::Box))?;
/// let bytes = character_to_glb(&plus, &WriteOptions::default())?;
/// let again = read_character_from_bytes(Format::Glb, "box", &bytes)?.character;
/// assert_eq!(again.parts[0].mesh.points(), plus.parts[0].mesh.points());
/// assert_eq!(again.parts[0].weights, plus.parts[0].weights);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a GLB cannot hold it: more than 4 GB, or a number that is none.
pub fn character_to_glb(
    character: &Character,
    options: &WriteOptions,
) -> Result<Vec<u8>, WriteError> {
    to_glb(gltf::character_document(character, options)?)
}

/// Writes what [`Plan::run`](sinew::frame::Plan::run) made of a character: its points, its normals
/// and its materials, as [`write_posed_character`].
///
/// # Errors
/// As [`write_character`], and if the frame is of another character.
pub fn write_frame(
    path: impl AsRef<Path>,
    character: &Character,
    frame: &Frame,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let (expected, found) = (character.parts.len(), frame.parts().len());
    if found != expected {
        let what = format!("it has {found} meshes, but the character has {expected}");
        return Err(WriteError::unwritable("frame", what));
    }
    write_posed_character(path, character, &PosedPart::of_frame(character, frame), options)
}

/// Writes a character as it is posed, one part each. As glTF it goes into the document that it came
/// from: every material, texture and extra stays, as with [`write_character`], and the report says
/// what does not. Otherwise as [`write_posed`].
///
/// # Errors
/// As [`write_character`], and if the parts are not of the character.
pub fn write_posed_character(
    path: impl AsRef<Path>,
    character: &Character,
    parts: &[PosedPart<'_>],
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let path = path.as_ref();
    let format = Format::of_output(path)?;
    if !matches!(format, Format::Glb | Format::Gltf) || parts.len() != character.parts.len() {
        return write_posed(path, &character.name, parts, options).map(|()| Report::default());
    }
    posed::validate(parts)?;
    write_gltf(path, format, gltf::posed_character_document(character, parts)?, options)
}

/// Writes deformed parts as `.obj`, `.ply` or a static `.glb` or `.gltf`.
///
/// OBJ and PLY have one vertex a welded point, in the mesh's order whatever the pose or method, so
/// that two results compare line by line; [`WriteOptions::render_vertices`] writes the split ones
/// with UVs and normals.
///
/// # Errors
/// As [`write_character`], and where points or normals are missing, too many or no numbers.
pub fn write_posed(
    path: impl AsRef<Path>,
    name: &str,
    parts: &[PosedPart<'_>],
    options: &WriteOptions,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    posed::validate(parts)?;
    let failed = |source| WriteError::Io { path: path.to_owned(), source };
    match Format::of_output(path)? {
        format @ (Format::Glb | Format::Gltf) => {
            write_gltf(path, format, gltf::posed_document(name, parts)?, options).map(|_| ())
        }
        Format::Obj => write_atomically_over(path, options.read_only, |file| {
            obj::write(file, name, parts, options)
        })
        .map_err(failed),
        Format::Ply => write_atomically_over(path, options.read_only, |file| {
            ply::write(file, name, parts, options)
        })
        .map_err(failed),
        Format::Bvh => {
            let what = "a BVH holds motion and no posed mesh; write .obj, .ply or .glb";
            Err(WriteError::unwritable(format!("'{}'", path.display()), what))
        }
        Format::Fbx => Err(WriteError::UnknownFormat { path: path.to_owned() }),
    }
}
