//! The handles on the screen: where they are, which one is under the pointer, which are in a
//! region.

use std::collections::BTreeSet;

use glam::{DMat3, DVec3, Vec2, Vec3};
use sinew::cage::Cage;

use super::super::Context;
use super::super::region::{Region, is_in_sight};

/// A click this near to a handle means it. Times [`crate::View::gizmo_scale`].
const REACH_PX: f32 = 11.0;
/// Handles whose distances from the pointer differ by less lie over each other in the picture.
const OVER_PX: f32 = 5.0;

/// The handles as they are shown.
pub(super) struct Handles<'a> {
    pub(super) cage: &'a Cage,
    pub(super) places: &'a [DVec3],
}

impl<'a> Handles<'a> {
    /// `None` without a cage, and before it was ever on the screen.
    pub(super) fn shown(context: &Context<'a>) -> Option<Self> {
        let cage = &context.document.rig().cage.as_ref()?.cage;
        let frame = context.cage_frame?;
        let places = match context.cage.at_rest {
            true => frame.rest_cage(),
            false => frame.posed_cage(),
        };
        (places.len() == cage.points().len()).then_some(Self { cage, places })
    }

    pub(super) fn place(&self, handle: u32) -> Vec3 {
        self.places[handle as usize].as_vec3()
    }

    /// Those of them that there are.
    pub(super) fn chosen(&self, context: &Context<'_>) -> BTreeSet<u32> {
        let num_handles = self.places.len() as u32;
        context.selection.handles.range(..num_handles).copied().collect()
    }

    /// The handle that a click means: the nearest in the picture, and of those that lie over each
    /// other there the one before.
    pub(super) fn at(&self, at: Vec2, context: &Context<'_>) -> Option<u32> {
        let (scale, eye) = (context.view.gizmo_scale(), context.view.camera.eye());
        // What the skin hides is not meant; as long as that is being found out, what looks away.
        let seen = context.picker.filter(|_| !context.picking.goes_through);
        let seen = seen.and_then(|picker| picker.seen(&context.view));
        let normals = self.cage.normals_at(self.places);
        let is_hidden = |handle: u32, at: Vec2, place: Vec3| match (&seen, context.picker) {
            _ if context.picking.goes_through => false,
            (Some(seen), _) => !is_in_sight(seen, at, place, context),
            (None, Some(_)) => normals[handle as usize].as_vec3().dot(eye - place) < 0.0,
            (None, None) => false,
        };
        let near: Vec<(u32, f32, f32)> = (0..self.places.len() as u32)
            .filter_map(|handle| {
                let place = self.place(handle);
                let shown_at = context.view.project(place)?;
                let (distance_px, depth) = (shown_at.distance(at), place.distance(eye));
                let is_near = distance_px <= REACH_PX * scale;
                (is_near && !is_hidden(handle, shown_at, place)).then_some((
                    handle,
                    distance_px,
                    depth,
                ))
            })
            .collect();
        let nearest = near.iter().map(|found| found.1).min_by(f32::total_cmp)?;
        near.iter()
            .filter(|(_, distance_px, _)| *distance_px <= nearest + OVER_PX * scale)
            .min_by(|a, b| a.2.total_cmp(&b.2))
            .map(|(handle, ..)| *handle)
    }

    /// Those in a region: `None` while it is being found out which of them are in sight.
    pub(super) fn inside(&self, region: &Region, context: &Context<'_>) -> Option<Vec<u32>> {
        let seen = match (context.picking.goes_through, context.picker) {
            (false, Some(picker)) => Some(picker.seen(&context.view)?),
            _ => None,
        };
        let is_inside = |&handle: &u32| {
            let place = self.place(handle);
            let at = context.view.project(place).filter(|&at| region.contains(at));
            at.is_some_and(|at| {
                seen.as_ref().is_none_or(|seen| is_in_sight(seen, at, place, context))
            })
        };
        Some((0..self.places.len() as u32).filter(is_inside).collect())
    }
}

/// How the cage around each handle has turned from one shape to another: the rotation nearest to
/// what its sides and its normal did.
pub(super) fn turns(cage: &Cage, from: &[DVec3], to: &[DVec3]) -> Vec<DMat3> {
    let (neighbours, before, after) =
        (cage.neighbours(), cage.normals_at(from), cage.normals_at(to));
    let turn = |handle: usize| {
        let mut sum = DMat3::ZERO;
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        let mut weight = 0.0;
        for &next in &neighbours[handle] {
            let (a, b) = (from[next as usize] - from[handle], to[next as usize] - to[handle]);
            sum += outer(b, a);
            weight += a.length() * b.length();
        }
        nearest_rotation(sum + weight * outer(after[handle], before[handle]))
    };
    (0..from.len()).map(turn).collect()
}

/// By Higham's iteration; the identity where there is none.
fn nearest_rotation(matrix: DMat3) -> DMat3 {
    let mut at = matrix;
    for _ in 0..40 {
        let inverse = at.inverse().transpose();
        if !inverse.is_finite() {
            return DMat3::IDENTITY;
        }
        // Scaled: far from a rotation it comes there in a few steps all the same.
        let size =
            |m: DMat3| m.to_cols_array().iter().map(|value| value * value).sum::<f64>().sqrt();
        let gamma = (size(inverse) / size(at)).sqrt();
        let next = 0.5 * (gamma * at + inverse * gamma.recip());
        let change = size(next - at);
        at = next;
        if change < 1e-12 {
            break;
        }
    }
    if at.is_finite() && at.determinant() > 0.0 { at } else { DMat3::IDENTITY }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, UVec3};

    use super::*;

    #[test]
    fn a_cage_that_is_turned_and_scaled_has_turned_so_at_every_handle() {
        let cage = Cage::lattice(DVec3::ZERO, DVec3::new(1.0, 3.0, 2.0), UVec3::new(1, 4, 2));
        let cage = cage.unwrap();
        let turn = DQuat::from_scaled_axis(DVec3::new(0.4, -1.1, 0.7));
        let to: Vec<DVec3> = cage.points().iter().map(|p| 1.7 * (turn * *p) + DVec3::X).collect();
        for found in turns(&cage, cage.points(), &to) {
            assert!(found.abs_diff_eq(DMat3::from_quat(turn), 1e-9), "{found}");
        }
        assert_eq!(nearest_rotation(DMat3::ZERO), DMat3::IDENTITY);
    }
}
