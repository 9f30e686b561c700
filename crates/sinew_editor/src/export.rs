//! A document's skin as it stands, in a file that other programs read.

use std::path::Path;

use sinew::Character;
use sinew::deform::{BoundCharacter, DeformBindError};
use sinew::frame::CREASE_DEGREES;
use sinew::mesh::SurfaceNormals;
use sinew::progress::Progress;
use sinew::skeleton::Palette;
use sinew_io::{Format, PosedPart, WriteError, WriteOptions, write_posed};

use crate::document::Document;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is only a skeleton.
    #[error("there is no mesh to pose; write a .sinew project")]
    NoMesh,
    /// The skin could not be made.
    #[error(transparent)]
    Bind(#[from] DeformBindError),
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ExportError {
    /// True if nobody wanted the file any longer.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Bind(error) if error.is_cancelled())
    }
}

/// Writes the posed meshes (.obj, .ply, .glb, .gltf): shapes at rest, joints as posed, by the document's deformation.
pub fn export_posed(
    document: &Document,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(), ExportError> {
    let mut character = Character::clone(document.character());
    if character.parts.is_empty() {
        return Err(ExportError::NoMesh);
    }
    // Before the long part.
    let unknown = || WriteError::UnknownFormat { path: path.to_owned() };
    let format = Format::of_path(path).ok_or_else(unknown)?;
    // As `sinew skin` does: shapes first, then joints.
    for part in &mut character.parts {
        *part = part.shaped(&part.rest_shape_weights());
    }
    progress.report("binding", 0.0);
    let deformation = document.deformation().on(&character);
    let bound = BoundCharacter::bind(&character, &deformation, progress)?;
    let palette = Palette::new(&character.skeleton, document.pose());
    let mut points = bound.rest_points();
    bound.deform(&palette, &mut bound.scratch(), &mut points);
    let mut normals = vec![Vec::new(); character.parts.len()];
    if matches!(format, Format::Glb | Format::Gltf) {
        for ((part, points), normals) in character.parts.iter().zip(&points).zip(&mut normals) {
            *normals = SurfaceNormals::bind(&part.mesh, CREASE_DEGREES.to_radians()).of_vertices(points);
        }
    }
    let parts = PosedPart::of_character(&character, &points, &normals);
    Ok(write_posed(path, &character.name, &parts, &WriteOptions::default())?)
}
