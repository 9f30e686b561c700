//! A character bound for a method, posed: what `skin` writes and `measure` looks at.

use glam::Vec3;
use sinew::mesh::{Mesh, SurfaceNormals};
use sinew::progress::Progress;
use sinew::skeleton::{Palette, Skeleton};
use sinew::skin::{BindError, Skin, SkinInput, SkinMethod};
use sinew::{Character, Part};

use crate::exit::Failure;

impl From<BindError> for Failure {
    fn from(error: BindError) -> Self {
        match error {
            BindError::Cancelled => Self::Interrupted,
            error => Self::Input(error.to_string()),
        }
    }
}

/// The welded points of every mesh, bound for one method. A mesh without weights stays where it rests.
pub(crate) struct BoundPoints<'a> {
    parts: Vec<(&'a Mesh, Option<Skin>)>,
}

impl<'a> BoundPoints<'a> {
    pub(crate) fn bind(
        character: &'a Character,
        method: SkinMethod,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let mut parts = Vec::with_capacity(character.parts.len());
        for part in &character.parts {
            let skin = part.weights.as_ref().map(|weights| {
                let input = SkinInput {
                    positions: part.mesh.points(),
                    normals: &[],
                    weights,
                    triangles: part.mesh.point_triangles(),
                    skeleton: &character.skeleton,
                };
                Skin::bind(method, &input, progress)
            });
            parts.push((&part.mesh, skin.transpose()?));
        }
        Ok(Self { parts })
    }

    /// The posed points of each mesh.
    pub(crate) fn deform(&self, palette: &Palette) -> Vec<Vec<Vec3>> {
        let deform_part = |(mesh, skin): &(&Mesh, Option<Skin>)| {
            let mut points = mesh.points().to_vec();
            if let Some(skin) = skin {
                skin.deform(palette, &mut points, &mut []);
            }
            points
        };
        self.parts.iter().map(deform_part).collect()
    }
}

/// Where the normals of a posed mesh come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NormalSource {
    /// The file's own, moved by the method; none where the file has none.
    Transformed(SkinMethod),
    /// From the posed surface, smooth across edges up to this angle at rest.
    Recomputed { crease_radians: f32 },
}

/// The normals of a posed part's render vertices; empty if there are none.
pub(crate) fn posed_normals(
    (part, skeleton): (&Part, &Skeleton),
    posed_points: &[Vec3],
    palette: &Palette,
    source: NormalSource,
    progress: &dyn Progress,
) -> Result<Vec<Vec3>, Failure> {
    let mesh = &part.mesh;
    match (source, &part.weights) {
        (NormalSource::Recomputed { crease_radians }, _) => {
            let surface = SurfaceNormals::bind(mesh, crease_radians);
            let mut of_wedge = vec![Vec3::ZERO; surface.num_wedges()];
            surface.compute(posed_points, &mut of_wedge);
            Ok(surface.wedge_of_vertex().iter().map(|&wedge| of_wedge[wedge as usize]).collect())
        }
        (NormalSource::Transformed(_), _) if mesh.vertex_normals().is_empty() => Ok(Vec::new()),
        (NormalSource::Transformed(_), None) => Ok(mesh.vertex_normals().to_vec()),
        (NormalSource::Transformed(method), Some(weights)) => {
            // A point has one position but, at a seam, several normals: those are the render vertices'.
            let weights = weights.select_rows(mesh.point_of_vertex());
            let input = SkinInput {
                positions: mesh.vertex_positions(),
                normals: mesh.vertex_normals(),
                weights: &weights,
                triangles: mesh.triangles(),
                skeleton,
            };
            let skin = Skin::bind(method, &input, progress)?;
            let mut positions = vec![Vec3::ZERO; mesh.num_vertices()];
            let mut normals = vec![Vec3::ZERO; mesh.num_vertices()];
            skin.deform(palette, &mut positions, &mut normals);
            Ok(normals)
        }
    }
}
