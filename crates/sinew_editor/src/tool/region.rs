//! What lies in a box or a lasso of the picture: points of the frame and joints, in sight or
//! through the skin.

use glam::{UVec2, Vec2, Vec3};
use sinew_view::pick::PickBuffer;

use super::Context;

/// A point that lies deeper than what is seen by less than this share of its distance is on the
/// surface that is seen.
const DEPTH_SHARE: f32 = 0.004;
/// A click this near to a point means it. Times [`crate::View::gizmo_scale`].
const REACH_PX: f32 = 12.0;

/// A part of the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Region {
    /// Between two corners.
    Box(Vec2, Vec2),
    /// Inside of a closed line, counted by its crossings.
    Lasso(Vec<Vec2>),
}

impl Region {
    pub(super) fn contains(&self, at: Vec2) -> bool {
        match self {
            Self::Box(a, b) => at.cmpge(a.min(*b)).all() && at.cmple(a.max(*b)).all(),
            Self::Lasso(line) => {
                let mut is_inside = false;
                for (index, &b) in line.iter().enumerate() {
                    let a = line[(index + line.len() - 1) % line.len()];
                    let crosses = (a.y > at.y) != (b.y > at.y);
                    if crosses && at.x < a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y) {
                        is_inside = !is_inside;
                    }
                }
                is_inside
            }
        }
    }
}

/// Points of the frame in a region: `None` while it is being found out which of them are in sight.
pub(super) fn points_in(region: &Region, context: &Context<'_>) -> Option<Vec<(usize, u32)>> {
    let Some(frame) = context.frame else { return Some(Vec::new()) };
    let seen = match (context.picking.goes_through, context.picker) {
        (false, Some(picker)) => Some(picker.seen(&context.view)?),
        _ => None,
    };
    let mut found = Vec::new();
    for (part, posed) in frame.parts().iter().enumerate() {
        for (point, &place) in posed.points().iter().enumerate() {
            let Some(at) = context.view.project(place).filter(|&at| region.contains(at)) else {
                continue;
            };
            if seen.as_ref().is_none_or(|seen| is_in_sight(seen, at, place, context)) {
                found.push((part, point as u32));
            }
        }
    }
    Some(found)
}

/// True if nothing lies before a point. On the outline its own pixel may show what is behind: its
/// neighbours speak for it.
pub(super) fn is_in_sight(seen: &PickBuffer, at: Vec2, place: Vec3, context: &Context<'_>) -> bool {
    let eye = context.view.camera.eye();
    let farthest = place.distance(eye) * (1.0 - DEPTH_SHARE);
    let mut sees_something = false;
    for (x, y) in (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y))) {
        let pixel = at.floor() + Vec2::new(x as f32, y as f32);
        if pixel.cmplt(Vec2::ZERO).any() {
            continue;
        }
        if let Some(pick) = seen.at(UVec2::new(pixel.x as u32, pixel.y as u32)) {
            sees_something = true;
            if pick.position.distance(eye) >= farthest {
                return true;
            }
        }
    }
    !sees_something
}

/// The point that a click takes: of the triangle under the pointer, the nearest corner. `None`
/// while it is being found out.
pub(super) fn point_at(at: Vec2, context: &Context<'_>) -> Option<Option<(usize, u32)>> {
    let Some(frame) = context.frame else { return Some(None) };
    if let (false, Some(picker)) = (context.picking.goes_through, context.picker) {
        let seen = picker.seen(&context.view)?;
        if at.cmplt(Vec2::ZERO).any() {
            return Some(None);
        }
        let Some(pick) = seen.at(at.as_uvec2()) else { return Some(None) };
        let part = &context.document.character().parts[pick.surface as usize];
        let corners = part.mesh.point_triangles()[pick.triangle as usize];
        let largest = if pick.barycentrics.x >= pick.barycentrics.y.max(pick.barycentrics.z) {
            0
        } else if pick.barycentrics.y >= pick.barycentrics.z {
            1
        } else {
            2
        };
        return Some(Some((pick.surface as usize, corners[largest])));
    }
    let reach_px = REACH_PX * context.view.gizmo_scale();
    let mut nearest: Option<(f32, (usize, u32))> = None;
    for (part, posed) in frame.parts().iter().enumerate() {
        for (point, &place) in posed.points().iter().enumerate() {
            let Some(seen) = context.view.project(place) else { continue };
            let distance = seen.distance(at);
            if distance <= reach_px && nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, (part, point as u32)));
            }
        }
    }
    Some(nearest.map(|(_, found)| found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasso_holds_what_is_inside_of_it_and_not_what_its_box_holds() {
        let corner = [(0.0, 0.0), (10.0, 0.0), (10.0, 2.0), (2.0, 2.0), (2.0, 10.0), (0.0, 10.0)];
        let lasso = Region::Lasso(corner.map(|(x, y)| Vec2::new(x, y)).to_vec());
        assert!(lasso.contains(Vec2::new(8.0, 1.0)) && lasso.contains(Vec2::new(1.0, 8.0)));
        assert!(!lasso.contains(Vec2::new(8.0, 8.0)));
        let around = Region::Box(Vec2::new(10.0, 0.0), Vec2::new(0.0, 10.0));
        assert!(around.contains(Vec2::new(8.0, 8.0)) && !around.contains(Vec2::new(11.0, 8.0)));
    }
}
