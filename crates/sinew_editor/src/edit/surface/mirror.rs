//! The same surface edit on the other side.

use std::collections::HashMap;
use std::sync::Arc;

use sinew::Character;
use sinew::glam::{DVec3, Vec3};
use sinew::mesh::Mesh;
use sinew::shape::Deltas;
use sinew::sketch::surface::{OffsetKnot, OffsetStroke, SurfaceSpot, SurfaceStroke};
use sinew::weights::mirror::{JointPairs, MirrorPlane, point_partners};

use crate::edit::EditError;
use crate::surface::{SurfaceDrawing, SurfaceEntry};

/// An entry's mirror image, with its drawing where the mesh has every triangle on both sides.
pub(super) fn mirrored(
    entry: &SurfaceEntry,
    character: &Character,
) -> Result<SurfaceEntry, EditError> {
    let skeleton = &character.skeleton;
    let no_pairs = "the skeleton has no joints of two sides, as hand_l and hand_r, to mirror by";
    let pairs = JointPairs::of(skeleton).ok_or_else(|| EditError::value(&entry.name, no_pairs))?;
    let plane = MirrorPlane::of(skeleton, &pairs);
    let mesh = &character.parts[entry.part].mesh;
    let partners = point_partners(mesh, &plane);
    let turned = |by: Vec3| {
        let by = by.as_dvec3();
        (plane.image(by) - plane.image(DVec3::ZERO)).as_vec3()
    };
    let moved: Vec<(u32, Vec3)> = entry
        .moved
        .moved()
        .filter(|(_, by)| *by != Vec3::ZERO)
        .filter_map(|(point, by)| Some(((*partners.get(point as usize)?)?, turned(by))))
        .collect();
    if moved.is_empty() {
        let fault = format!("mesh '{}' has no other side at these points", mesh.name());
        return Err(EditError::value(&entry.name, fault));
    }
    Ok(SurfaceEntry {
        drawing: entry
            .drawing
            .as_deref()
            .and_then(|drawing| of_drawing(drawing, mesh, &partners))
            .map(Arc::new),
        moved: Arc::new(Deltas::of_moved(mesh.points().len(), moved)),
        ..entry.clone()
    })
}

fn of_drawing(
    drawing: &SurfaceDrawing,
    mesh: &Mesh,
    partners: &[Option<u32>],
) -> Option<SurfaceDrawing> {
    let sorted = |mut corners: [u32; 3]| {
        corners.sort_unstable();
        corners
    };
    let triangles = mesh.point_triangles();
    let by_corners: HashMap<[u32; 3], u32> =
        triangles.iter().map(|&corners| sorted(corners)).zip(0u32..).collect();
    let spot = |spot: &SurfaceSpot| {
        let corners = triangles[spot.triangle as usize];
        let there = [
            partners[corners[0] as usize]?,
            partners[corners[1] as usize]?,
            partners[corners[2] as usize]?,
        ];
        let triangle = *by_corners.get(&sorted(there))?;
        let at = triangles[triangle as usize].map(|corner| {
            let of = there.iter().position(|other| *other == corner);
            of.map_or(0.0, |of| spot.at[of])
        });
        Some(SurfaceSpot::new(triangle, Vec3::from(at)))
    };
    let spots = drawing.stroke.spots().iter().map(spot).collect::<Option<Vec<_>>>()?;
    // Across is normal × along, which a mirror turns round.
    let knot = |knot: &OffsetKnot| OffsetKnot { by: knot.by * DVec3::new(-1.0, 1.0, 1.0), ..*knot };
    Some(SurfaceDrawing {
        stroke: SurfaceStroke::new(spots),
        offset: OffsetStroke::new(drawing.offset.knots().iter().map(knot)),
        ..drawing.clone()
    })
}
