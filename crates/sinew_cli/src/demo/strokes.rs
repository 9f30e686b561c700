//! Figures 1 and 8 of the spring rigs paper: a stroke down a back, where it goes, what it does, and
//! that it is still there when the spine bends.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use sinew::Character;
use sinew::frame::{Controls, Rig};
use sinew::mesh::Adjacency;
use sinew::sample::SampleKind;
use sinew::sketch::surface::{
    Bones, Extent, OffsetStroke, ReachBy, Sheet, SurfaceMethod, SurfaceSolver, SurfaceStroke,
    handles_of, region_of,
};
use sinew::springs::Region;
use sinew_view::camera::Size;
use sinew_view::scene::{Disc, Line, Marks};

use super::Tour;
use super::figures::{Figure, OURS, Scene, draw, draw_with, subject};
use super::section::sample;
use crate::contestant::Contestant;
use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::pose;
use crate::render::view::View;

/// Where the stroke runs on the human, a little behind the back.
const BACK: [Vec3; 4] = [
    Vec3::new(0.0, 1.44, -0.2),
    Vec3::new(0.0, 1.3, -0.2),
    Vec3::new(0.0, 1.15, -0.2),
    Vec3::new(0.0, 1.0, -0.2),
];
const HEIGHT: f64 = 0.07;
const EDGES: u32 = 5;
const BEND: &[(&str, Axis, f64)] =
    &[("spine_1", Axis::X, 25.0), ("spine_2", Axis::X, 25.0), ("spine_3", Axis::X, 15.0)];

/// As in the paper.
const STROKE: [f32; 4] = [0.85, 0.1, 0.1, 1.0];
const OFFSET: [f32; 4] = [0.1, 0.3, 0.95, 1.0];
const HANDLE: [f32; 4] = [0.1, 0.7, 0.2, 1.0];
const PASSIVE: [f32; 4] = [0.9, 0.3, 0.25, 1.0];
const LINE_PX: f32 = 3.0;

fn line(places: &[DVec3], color: [f32; 4]) -> impl Iterator<Item = Line> + '_ {
    let ends = |pair: &[DVec3]| [pair[0].as_vec3(), pair[1].as_vec3()];
    places.windows(2).map(move |pair| Line { ends: ends(pair), color, width_px: LINE_PX })
}

fn dots(region: &Region, at: &[Vec3]) -> Marks {
    let disc = |&point: &u32, color: [f32; 4], radius_px: f32| Disc {
        center: at[point as usize],
        color,
        radius_px,
    };
    let handles = region.handles().iter().map(|point| disc(point, HANDLE, 4.0));
    let passive = region.passive().iter().map(|point| disc(point, PASSIVE, 2.5));
    Marks { discs: handles.chain(passive).collect(), ..Marks::default() }
}

fn seen<'a>(character: &'a Arc<Character>, controls: &'a Controls) -> Scene<'a> {
    let view = View { yaw_degrees: 150.0, pitch_degrees: 10.0 };
    Scene { character, controls, view, size: Size { width: 460, height: 575 } }
}

/// Figures 1 and 8.
pub(super) fn build(tour: &mut Tour<'_>) -> Result<Vec<Figure>, Failure> {
    let character = &Arc::new(sample(subject(SampleKind::Human))?);
    let part = &character.parts[0];
    let adjacency = Adjacency::of(&part.mesh);
    let sheet = Sheet::of(&part.mesh, &adjacency);
    let stroke = SurfaceStroke::through(&sheet, &BACK);
    let frames = stroke.frames(&sheet);
    let handles = handles_of(&stroke, &frames, &sheet);
    let region = region_of(&sheet, &handles, Extent::Edges(EDGES));
    let offset = OffsetStroke::of_height(HEIGHT);
    let moves: Vec<DVec3> =
        handles.iter().map(|handle| offset.move_at(&frames, handle.share)).collect();
    let bones = Bones {
        skeleton: &character.skeleton,
        weights: part.weights.as_ref(),
        reach: ReachBy::Turn,
    };
    let edited = |method: SurfaceMethod| -> Result<Controls, Failure> {
        let solver = SurfaceSolver::bind(&sheet, &region, method, &bones)
            .map_err(|error| Failure::Input(error.to_string()))?;
        let mut offsets = vec![Vec3::ZERO; sheet.points.len()];
        for (point, by) in solver.solve(&moves) {
            offsets[point as usize] = by;
        }
        let mut controls = Controls::rest(character);
        controls.parts[0].rest_offsets = offsets;
        Ok(controls)
    };
    let bent = |mut controls: Controls| -> Result<Controls, Failure> {
        for &(joint, axis, degrees) in BEND {
            pose::turn(character, &mut controls.pose, joint, axis, degrees)?;
        }
        Ok(controls)
    };
    let linear = Contestant::of_method(sinew::skin::SkinMethod::Linear);
    let rig = Rig::of(sinew::skin::SkinMethod::Linear);
    let rest = Controls::rest(character);

    let under: Vec<DVec3> = frames.iter().map(|frame| frame.place).collect();
    let above = offset.places(&frames);
    let mut strokes = Marks::default();
    strokes.lines.extend(line(&under, STROKE).chain(line(&above, OFFSET)));
    let ridge = edited(SurfaceMethod::Springs)?;
    let mut first = vec![
        draw_with(
            tour,
            &seen(character, &rest),
            ("figure-8-stroke", "A stroke (red), where it goes (blue)".into()),
            (linear, rig.clone()),
            strokes,
        )?,
        draw_with(
            tour,
            &seen(character, &rest),
            ("figure-8-region", "Handles (green), what follows (red)".into()),
            (linear, rig.clone()),
            dots(&region, sheet.points),
        )?,
    ];
    let shown = [
        ("figure-8-edit", "By springs", ridge.clone()),
        ("figure-8-bent", "By springs, the spine bent", bent(ridge)?),
    ];
    for (name, words, controls) in shown {
        let named = (name, words.to_owned());
        first.push(draw(tour, &seen(character, &controls), named, (linear, rig.clone()))?);
    }
    let mut peers = Vec::new();
    for method in SurfaceMethod::ALL {
        let (name, words) = match method {
            SurfaceMethod::Springs => ("figure-8-springs", "Springs"),
            SurfaceMethod::Laplacian => ("figure-8-laplacian", "Laplacian"),
            SurfaceMethod::AsRigidAsPossible => ("figure-8-rigid", "As rigid as possible"),
        };
        let controls = bent(edited(method)?)?;
        let named = (name, words.to_owned());
        peers.push(draw(tour, &seen(character, &controls), named, (linear, rig.clone()))?);
    }
    let plain = bent(rest.clone())?;
    let with = bent(edited(SurfaceMethod::Laplacian)?)?;
    let springs = Rig::relaxed(sinew::springs::SpringSettings::default());
    let pair = vec![
        draw(
            tour,
            &seen(character, &plain),
            ("figure-1-plain", "Springs, without the edit".into()),
            (OURS, springs.clone()),
        )?,
        draw(tour, &seen(character, &with), ("figure-1-edit", "With it".into()), (OURS, springs))?,
    ];
    Ok(vec![
        Figure {
            number: 1,
            title: "a pose without and with surface edits",
            words: "The same pose with springs after the skin: as it is, and with a stroke's edit \
                    at rest.",
            columns: "of3",
            rows: vec![pair],
        },
        Figure {
            number: 8,
            title: "surface editing with strokes",
            words: "A stroke down the back, the region around it, the edit, and the edit with the \
                    spine bent. Below, the three ways to follow, in the same pose.",
            columns: "of4",
            rows: vec![first, peers],
        },
    ])
}
