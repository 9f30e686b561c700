//! The plane that strokes of a screen lie on, and how a joint lies before or behind it.

use glam::DVec3;

/// A plane in model space, and from where a stroke on it was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StrokePlane {
    /// A place on it.
    pub through: DVec3,
    /// Of any length.
    pub normal: DVec3,
    /// Where the eye was; `None` for one that is infinitely far away along the normal.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub eye: Option<DVec3>,
}

/// Where a place lies before or behind the plane: what a stroke does not change. A joint with its
/// depth kept is seen where the stroke is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Depth {
    /// Times as far from the eye as the plane is, along the ray.
    Times(f64),
    /// Above the plane.
    Above(f64),
}

/// A plane that is seen more edge-on than this sine is not looked through: a pixel would be metres.
const EDGE_ON: f64 = 0.02;

impl StrokePlane {
    fn unit_normal(&self) -> DVec3 {
        self.normal.try_normalize().unwrap_or(DVec3::Z)
    }

    /// Where a place is seen on the plane, and its depth.
    pub(super) fn onto(&self, place: DVec3) -> (DVec3, Depth) {
        let normal = self.unit_normal();
        if let Some(eye) = self.eye {
            let (ray, ahead) = (place - eye, (self.through - eye).dot(normal));
            let towards = ray.dot(normal);
            let times = towards / ahead;
            let is_seen = towards.abs() > EDGE_ON * ray.length() && times > 0.0;
            if is_seen && times.is_finite() {
                return (eye + ray / times, Depth::Times(times));
            }
        }
        let above = (place - self.through).dot(normal);
        (place - above * normal, Depth::Above(above))
    }

    /// The place over a point of the plane that has that depth.
    pub(super) fn lifted(&self, on_plane: DVec3, depth: Depth) -> DVec3 {
        match (depth, self.eye) {
            (Depth::Times(times), Some(eye)) => eye + times * (on_plane - eye),
            (Depth::Times(_), None) => on_plane,
            (Depth::Above(above), _) => on_plane + above * self.unit_normal(),
        }
    }

    /// From a direction on the plane to the one that lies to its left, seen against the normal.
    pub(super) fn left_of(&self, along: DVec3) -> DVec3 {
        self.unit_normal().cross(along)
    }

    /// Where a ray from the eye meets it; `None` where it does not.
    pub fn under(&self, eye: DVec3, ray: DVec3) -> Option<DVec3> {
        let normal = self.unit_normal();
        let towards = ray.dot(normal);
        if towards.abs() <= EDGE_ON * ray.length() {
            return None;
        }
        let times = (self.through - eye).dot(normal) / towards;
        Some(eye + times * ray).filter(|at| times > 0.0 && at.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDING: f64 = 1e-12;

    #[test]
    fn a_place_goes_onto_the_plane_and_back() {
        let place = DVec3::new(0.3, 1.2, 0.4);
        for eye in [None, Some(DVec3::new(0.1, 1.0, 5.0))] {
            let plane = StrokePlane { through: DVec3::Y, normal: DVec3::new(0.0, 0.2, 2.0), eye };
            let (on_plane, depth) = plane.onto(place);
            assert!((on_plane - plane.through).dot(plane.normal).abs() < ROUNDING);
            assert!(plane.lifted(on_plane, depth).distance(place) < ROUNDING);
            if let Some(eye) = eye {
                let hit = plane.under(eye, place - eye).unwrap();
                assert!(hit.distance(on_plane) < ROUNDING, "both are where it is seen");
            }
        }
    }

    #[test]
    fn a_plane_that_is_seen_edge_on_or_from_behind_the_eye_is_still_one() {
        let eye = DVec3::Z * 2.0;
        let edge_on = StrokePlane { through: DVec3::ZERO, normal: DVec3::X, eye: Some(eye) };
        assert_eq!(edge_on.under(eye, DVec3::NEG_Z), None);
        assert_eq!(edge_on.onto(DVec3::ZERO), (DVec3::ZERO, Depth::Above(0.0)));
        let facing = StrokePlane { normal: DVec3::Z, ..edge_on };
        assert_eq!(facing.onto(DVec3::Z * 3.0), (DVec3::ZERO, Depth::Above(3.0)));
        assert_eq!(facing.under(eye, DVec3::Z), None);
    }
}
