//! The picture at the head of the page: several samples, relaxed by springs, on one ground.

use std::sync::Arc;

use glam::{Quat, Vec3};
use sinew_view::camera::{Camera, Size};
use sinew_view::look::Look;
use sinew_view::scene::{Ground, Overlay, Scene, Surface};

use super::Tour;
use super::subject::{Place, Subject};
use crate::exit::Failure;

/// As wide as the page on a sharp screen, and as flat as a banner.
const SIZE: Size = Size { width: 2000, height: 800 };

const YAW_DEGREES: f32 = 14.0;
const PITCH_DEGREES: f32 = 9.0;

/// Where the shadow has faded, over the group's width.
const GROUND_RADII: f32 = 0.9;

/// Puts a subject's surfaces to its place, with its lowest point on the ground.
pub(super) fn join(subject: &Subject, surfaces: Vec<Surface>, tour: &mut Tour<'_>) {
    let Some(Place { x, z, turn_degrees, scale }) = subject.in_group else { return };
    let bounds = bounds(&surfaces);
    let (middle, lowest) = (bounds.center(), bounds.center().y - 0.5 * bounds.size().y);
    let turn = Quat::from_rotation_y(turn_degrees.to_radians());
    for mut surface in surfaces {
        for position in Arc::make_mut(&mut surface.positions) {
            let from_middle = *position - Vec3::new(middle.x, lowest, middle.z);
            *position = scale * (turn * from_middle) + Vec3::new(x, 0.0, z);
        }
        for normal in Arc::make_mut(&mut surface.normals) {
            *normal = turn * *normal;
        }
        tour.group.push(surface);
    }
}

fn bounds(surfaces: &[Surface]) -> sinew::mesh::Aabb {
    let positions = surfaces.iter().flat_map(|surface| surface.positions.iter().copied());
    sinew::mesh::Aabb::around(positions.filter(|p| p.is_finite()))
}

/// Draws all who joined, and returns the picture's name; `None` if nobody did.
pub(super) fn draw(tour: &mut Tour<'_>) -> Result<Option<String>, Failure> {
    let surfaces = std::mem::take(&mut tour.group);
    if surfaces.is_empty() {
        return Ok(None);
    }
    let around = bounds(&surfaces);
    let positions = surfaces.iter().flat_map(|surface| surface.positions.iter().copied());
    let (yaw, pitch) = (YAW_DEGREES.to_radians(), PITCH_DEGREES.to_radians());
    let scene = Scene {
        camera: Camera::fitting(positions, yaw, pitch, SIZE.aspect()),
        look: Look::default(),
        overlay: Overlay::default(),
        ground: Some(Ground {
            y: 0.0,
            center: glam::Vec2::new(around.center().x, around.center().z),
            radius: GROUND_RADII * around.size().x,
        }),
        surfaces,
    };
    let picture = tour.artist.draw(&scene, SIZE)?;
    tour.keep("group", &picture).map(Some)
}
