//! Centres of rotation in a cage: they are means of points, and so go with its handles.

use glam::Vec3;

use crate::Part;
use crate::cage::{CageError, CoordinateRows};
use crate::progress::Progress;
use crate::skin::{BindError, centers_of_displacements, centers_of_rotation};

/// Centres of rotation of a mesh, and how they move with handles and shapes.
#[derive(Default)]
pub(super) struct Centers {
    pub(super) places: Vec<Vec3>,
    pub(super) rows: Vec<f32>,
    pub(super) of_shapes: Vec<Vec<Vec3>>,
}

pub(super) fn centers_of_part(
    skin: &crate::skin::SkinInput<'_>,
    rows: &CoordinateRows,
    first_point: usize,
    part: &Part,
    progress: &dyn Progress,
) -> Result<Centers, CageError> {
    let num_handles = rows.num_handles();
    let num_points = skin.positions.len();
    // Skin weights that cannot be bound: the mesh then has no centres anywhere.
    let failed = |error: BindError| match error {
        BindError::Cancelled => Err(CageError::Cancelled),
        _ => Ok(Centers::default()),
    };
    let found = match centers_of_rotation(skin, progress) {
        Ok(found) => found,
        Err(error) => return failed(error),
    };
    let places = found
        .iter()
        .zip(skin.positions)
        .map(|(center, &own)| center.map_or(own, |center| center.as_vec3()))
        .collect();
    let mut of_rows = vec![0.0f32; num_points * num_handles];
    // Three handles at a time, as the three axes of a displacement.
    for start in (0..num_handles).step_by(3) {
        let field: Vec<Vec3> = (0..num_points)
            .map(|point| {
                let row = rows.row(first_point + point);
                let at = |k: usize| row.get(start + k).copied().unwrap_or_default() as f32;
                Vec3::new(at(0), at(1), at(2))
            })
            .collect();
        let image = match centers_of_displacements(skin, &[&field], progress) {
            Ok(image) => image,
            Err(error) => return failed(error),
        };
        for (point, value) in image[0].iter().enumerate() {
            for axis in 0..3.min(num_handles - start) {
                of_rows[point * num_handles + start + axis] = value[axis];
            }
        }
    }
    let dense: Vec<Vec<Vec3>> = part.shapes.iter().map(|shape| shape.deltas.dense()).collect();
    let fields: Vec<&[Vec3]> = dense.iter().map(|deltas| &deltas[..]).collect();
    let of_shapes = match centers_of_displacements(skin, &fields, progress) {
        Ok(of_shapes) => of_shapes,
        Err(error) => return failed(error),
    };
    Ok(Centers { places, rows: of_rows, of_shapes })
}
