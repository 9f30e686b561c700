//! Contact sheets: every character in one pose, a row each, a column a method.

use glam::Vec3;
use rayon::prelude::*;
use sinew::frame::{Controls, Frame, Normals, Plan};
use sinew::mesh::Aabb;
use sinew::progress::Silent;
use sinew_view::camera::{Camera, Size};
use sinew_view::compose::{self, Cell, GridStyle};
use sinew_view::encode::{self, EncodeError};
use sinew_view::picture::Picture;
use sinew_view::stage::Stage;
use sinew_view::{materials, raster};

use crate::method::Method;
use crate::study::Skipped;
use crate::subject::{NamedPose, Subject};

/// How a sheet is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetStyle {
    /// Of each picture.
    pub size: Size,
    /// From where, degrees: to the character's left, and from above.
    pub view_degrees: [f32; 2],
}

impl Default for SheetStyle {
    fn default() -> Self {
        Self { size: Size { width: 380, height: 420 }, view_degrees: [30.0, 8.0] }
    }
}

/// The sheet of a pose as a PNG, and what could not be drawn. Characters without the pose are left
/// out; `Ok(None)` if there is none with it.
pub fn png(
    subjects: &[Subject],
    pose: &str,
    methods: &[Method],
    style: &SheetStyle,
) -> Result<(Option<Vec<u8>>, Vec<Skipped>), EncodeError> {
    let rows: Vec<Result<Vec<(String, Picture)>, Skipped>> = subjects
        .par_iter()
        .filter_map(|subject| {
            let pose = subject.poses.iter().find(|one| one.name == pose)?;
            let row = row(subject, pose, methods, style);
            Some(row.map_err(|why| Skipped { what: subject.name.clone(), why }))
        })
        .collect();
    let (mut pictures, mut skipped) = (Vec::new(), Vec::new());
    for row in rows {
        match row {
            Ok(row) => pictures.extend(row),
            Err(reason) => skipped.push(reason),
        }
    }
    if pictures.is_empty() {
        return Ok((None, skipped));
    }
    let cells: Vec<Cell<'_>> =
        pictures.iter().map(|(caption, picture)| Cell { picture, caption }).collect();
    let grid = compose::grid(&cells, methods.len(), &GridStyle::default());
    Ok((Some(encode::png(&grid)?), skipped))
}

/// One character by every method, all seen by one camera.
fn row(
    subject: &Subject,
    pose: &NamedPose,
    methods: &[Method],
    style: &SheetStyle,
) -> Result<Vec<(String, Picture)>, String> {
    let character = &subject.character;
    // Images that cannot be decoded show as clay.
    let (shapes, _) = materials::shapes(character);
    let stage = Stage::with_shapes(character, shapes);
    let controls = Controls::posed(character, pose.pose.clone());
    let mut frames: Vec<Frame> = Vec::with_capacity(methods.len());
    for method in methods {
        // The same light on all: normals of the posed surface.
        let rig = method.rig.clone().with_normals(Normals::RECOMPUTED);
        let plan = Plan::bind(character, &rig, &Silent).map_err(|error| error.to_string())?;
        frames.push(plan.frame_of(&controls));
    }
    let [yaw, pitch] = style.view_degrees.map(f32::to_radians);
    let points = frames.iter().flat_map(Frame::all_points).filter(|p| p.is_finite());
    let camera = Camera::fitting(points, yaw, pitch, style.size.aspect());
    let lowest = |frame: &Frame| {
        let points: Vec<Vec3> = frame.all_points();
        Aabb::around(points.into_iter().filter(|p| p.is_finite())).min.y
    };
    let drawn = frames.iter().zip(methods).map(|(frame, method)| {
        let mut scene = stage.seen_by(camera, frame);
        if let Some(ground) = &mut scene.ground {
            ground.y = lowest(frame);
        }
        let caption = format!("{}: {}", subject.name, method.name);
        (caption, raster::draw(&scene, style.size))
    });
    Ok(drawn.collect())
}
