//! Pictures of the nearest and the furthest binds, each beside the artist's weights.

use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;
use sinew::Character;
use sinew::frame::{Controls, Frame, Normals, Plan, Rig};
use sinew::progress::Silent;
use sinew::skin::SkinMethod;
use sinew::weights::SkinWeights;
use sinew_view::camera::{Camera, Size};
use sinew_view::compose::{self, Cell, GridStyle};
use sinew_view::encode::{self, EncodeError};
use sinew_view::picture::Picture;
use sinew_view::stage::Stage;
use sinew_view::{materials, raster};

use super::figures::pose;
use super::{Bound, Outcome};

/// Of each end.
const NUM_CHARACTERS: usize = 5;
/// From the character's left, and from above.
const VIEW_DEGREES: [f32; 2] = [30.0, 8.0];
/// The pose of the twelve that is drawn.
const POSE: u64 = 0;

/// The five nearest by posed points, then the five furthest, one a row: the artist's weights, then
/// the methods that are named; as a PNG, two characters beside one another.
///
/// # Errors
/// If a picture cannot be encoded.
pub fn png(outcome: &Outcome, methods: &[&str], size: Size) -> Result<Vec<u8>, EncodeError> {
    let places: Vec<usize> = (methods.iter())
        .filter_map(|name| outcome.methods.iter().position(|method| method == name))
        .collect();
    let rms = |bound: &&Bound| {
        let found = places.first().and_then(|&at| bound.of_method[at].as_ref());
        found.map_or(f64::INFINITY, |(figures, _)| figures.rms)
    };
    let mut counted: Vec<&Bound> =
        outcome.bound.iter().filter(|bound| bound.screened.is_none()).collect();
    counted.sort_by(|a, b| rms(a).total_cmp(&rms(b)));
    let half = NUM_CHARACTERS.min(counted.len() / 2);
    let (best, worst) = (&counted[..half], &counted[counted.len() - half..]);
    let rows: Vec<Vec<(String, Picture)>> = (best.iter().zip(worst.iter().rev()))
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(best, worst)| {
            let mut row = row(outcome, best, &places, size);
            row.extend(self::row(outcome, worst, &places, size));
            row
        })
        .collect();
    let columns = 2 * (places.len() + 1);
    let pictures: Vec<(String, Picture)> = rows.into_iter().flatten().collect();
    let cells: Vec<Cell<'_>> =
        pictures.iter().map(|(caption, picture)| Cell { picture, caption }).collect();
    encode::png(&compose::grid(&cells, columns, &GridStyle::default()))
}

/// One character by its own weights and by methods, all seen by one camera.
fn row(outcome: &Outcome, bound: &Bound, places: &[usize], size: Size) -> Vec<(String, Picture)> {
    let mut variants: Vec<(String, Arc<Character>)> =
        vec![(format!("{}: artist", bound.name), Arc::clone(&bound.character))];
    for &at in places {
        let method = &outcome.methods[at];
        if let Some((figures, weights)) = &bound.of_method[at] {
            let caption = format!("{method}, {:.1} %", 100.0 * figures.rms);
            variants.push((caption, Arc::new(with(&bound.character, weights))));
        }
    }
    let controls = Controls::posed(&bound.character, pose(&bound.character, POSE));
    let rig = Rig::of(SkinMethod::Linear).with_normals(Normals::RECOMPUTED);
    let frames: Vec<Option<Frame>> = (variants.iter())
        .map(|(_, character)| {
            let plan = Plan::bind(character, &rig, &Silent).ok()?;
            Some(plan.frame_of(&controls))
        })
        .collect();
    let [yaw, pitch] = VIEW_DEGREES.map(f32::to_radians);
    let points =
        frames.iter().flatten().flat_map(Frame::all_points).filter(|p: &Vec3| p.is_finite());
    let camera = Camera::fitting(points, yaw, pitch, size.aspect());
    // Images that cannot be decoded show as clay.
    let (shapes, _) = materials::shapes(&bound.character);
    let stage = Stage::with_shapes(&bound.character, shapes);
    let draw = |(caption, frame): (String, Option<Frame>)| {
        let mut scene = stage.seen_by(camera, &frame?);
        scene.ground = None;
        Some((caption, raster::draw(&scene, size)))
    };
    let captions = variants.into_iter().map(|(caption, _)| caption);
    captions.zip(frames).filter_map(draw).collect()
}

fn with(character: &Character, weights: &[SkinWeights]) -> Character {
    let mut bound = character.clone();
    for (part, weights) in bound.parts.iter_mut().zip(weights) {
        part.weights = Some(weights.clone());
    }
    bound
}
