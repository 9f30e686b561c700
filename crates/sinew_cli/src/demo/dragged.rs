//! The figures of *Direct Manipulation of Interactive Character Skins* (Mohr, Tokheim, Gleicher
//! 2003) on the human's elbow: where a point with three influences can come to, several points
//! pulled at once, and an elbow before and after.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use sinew::Character;
use sinew::frame::Controls;
use sinew::mesh::Adjacency;
use sinew::sample::{SampleKind, SampleOptions};
use sinew::skeleton::{Axis, Palette};
use sinew::weights::drag::{Drag, DragInput, DragSettings, Hull, soft_selection};
use sinew_editor::{Document, Source, read_edits};
use sinew_view::scene::{Disc, Facet, Line, Marks};

use super::Tour;
use super::tools::{Drawn, Shot, input, posed};
use crate::exit::Failure;
use crate::render::view::View;

/// What brings the elbow near to its volume at rest, in two poses.
const SCRIPT: &str = include_str!("../../../../docs/guide/weights-elbow.json");
const VIEW: View = View { yaw_degrees: 70.0, pitch_degrees: 12.0 };
/// The joints that pictures are of.
const FRAMED: [&str; 2] = ["forearm_l", "upper_arm_l"];

const HULL: [f32; 4] = [0.02, 0.3, 0.9, 1.0];
const FACE: [f32; 4] = [0.1, 0.45, 1.0, 0.35];
const GOAL: [f32; 4] = [0.95, 0.25, 0.05, 1.0];
const REACHED: [f32; 4] = [1.0, 0.8, 0.05, 1.0];
const LINE_PX: f32 = 3.0;
/// Metres.
const DASH: f64 = 0.004;

pub(super) fn pictures(tour: &mut Tour<'_>) -> Result<Vec<Drawn>, Failure> {
    let options = SampleOptions::new(SampleKind::Human);
    let mut document = Document::open(Source::Sample(options), None).map_err(input)?;
    let before = Arc::clone(document.character());
    for edit in read_edits(SCRIPT).map_err(input)? {
        document.apply(&edit).map_err(input)?;
    }
    let after = Arc::clone(document.character());
    let joint = |name: &str| before.skeleton.find(name).ok_or_else(|| input(name));
    let framed = [joint(FRAMED[0])?, joint(FRAMED[1])?];
    let further = vec![joint("upper_arm_l")?, joint("forearm_l")?, joint("hand_l")?];

    let turned = [("forearm_l", Axis::X, 60.0), ("hand_l", Axis::X, -35.0)];
    let settings = DragSettings { further, ..DragSettings::default() };
    let one = dragged(&before, &posed(&before, &turned)?, 0.0, &settings)?;
    let bent = posed(&before, &[("forearm_l", Axis::X, 60.0)])?;
    let many = dragged(&before, &bent, 0.035, &DragSettings::default())?;
    let shot = |name, character, controls, marks| Shot {
        view: VIEW,
        framed: framed.to_vec(),
        marks,
        ..Shot::new(name, character, controls)
    };
    let turned = posed(&before, &turned)?;
    let none = Marks::default;
    Ok(vec![
        shot("hull", &one.character, &turned, one.marks)
            .draw("a point of three joints: its triangle, a goal, what is reached", tour)?,
        shot("pulled", &many.character, &bent, many.marks)
            .draw("several points pulled at once: dashes are what is left", tour)?,
        shot("before", &before, &bent, none()).draw("an elbow as bound, linear", tour)?,
        shot("after", &after, &bent, none()).draw("dragged in two poses, linear", tour)?,
    ])
}

struct Dragged {
    character: Arc<Character>,
    marks: Marks,
}

/// The outside of the elbow pulled outwards, with what lies around it.
fn dragged(
    character: &Arc<Character>,
    controls: &Controls,
    radius: f64,
    settings: &DragSettings,
) -> Result<Dragged, Failure> {
    let part = &character.parts[0];
    let weights = part.weights.as_ref().ok_or_else(|| input("no weights"))?;
    let rest = part.mesh.points();
    let palette = Palette::new(&character.skeleton, &controls.pose);
    let model_from_rest = palette.model_from_rest();
    let elbow = character.skeleton.find("forearm_l").ok_or_else(|| input("no forearm"))?;
    let at = palette.model_from_joint()[elbow as usize].translation;
    let place = |point: u32| -> DVec3 {
        let of = |i: &sinew::weights::Influence| {
            let alone =
                model_from_rest[i.joint as usize].transform_point3(rest[point as usize].as_dvec3());
            alone * f64::from(i.weight)
        };
        weights.row(point as usize).iter().map(of).sum()
    };
    // Behind the elbow: what a bend stretches.
    let behind = at - DVec3::Z * 0.05;
    let nearest = (0..rest.len() as u32)
        .min_by(|&a, &b| place(a).distance(behind).total_cmp(&place(b).distance(behind)))
        .ok_or_else(|| input("no points"))?;
    let adjacency = Adjacency::of(&part.mesh);
    let soft = soft_selection(rest, &adjacency, &[nearest], radius);
    let points: Vec<u32> = soft.iter().map(|&(point, _)| point).collect();
    let draw = DragInput { rest, weights, model_from_rest, held: &[] };
    let mut drag = Drag::begin(&draw, &points, Some(&adjacency), settings);
    let starts = drag.starts();
    let by =
        (starts[points.iter().position(|&p| p == nearest).unwrap_or(0)] - at).normalize_or_zero();
    let goals: Vec<DVec3> =
        starts.iter().zip(&soft).map(|(start, (_, share))| *start + 0.045 * *share * by).collect();
    drag.solve(&goals);
    let mut marks = Marks::default();
    if points.len() == 1 {
        hull(&draw.hull(nearest, &settings.further), &mut marks);
    }
    for (reached, goal) in drag.reached().into_iter().zip(&goals) {
        dashes(reached, *goal, &mut marks);
    }
    let rows = drag.rows(weights);
    let mut found = (**character).clone();
    found.parts[0].weights = Some(weights.with_rows(&rows));
    Ok(Dragged { character: Arc::new(found), marks })
}

fn hull(hull: &Hull, marks: &mut Marks) {
    let of = |place: DVec3| place.as_vec3();
    let line = |ends: [DVec3; 2]| Line { ends: ends.map(of), color: HULL, width_px: LINE_PX };
    marks.lines.extend(hull.edges().into_iter().map(line));
    let facet = |corners: [DVec3; 3]| Facet { corners: corners.map(of), color: FACE };
    marks.facets.extend(hull.triangles().into_iter().map(facet));
    marks.discs.extend(hull.corners().iter().map(|&place| disc(of(place), HULL, 5.0)));
}

fn dashes(reached: DVec3, goal: DVec3, marks: &mut Marks) {
    let length = reached.distance(goal);
    let number = (length / (2.0 * DASH)).ceil().max(1.0) as u32;
    for dash in 0..number {
        let at = |share: f64| reached.lerp(goal, (share / f64::from(number)).min(1.0)).as_vec3();
        let ends = [at(f64::from(dash)), at(f64::from(dash) + 0.5)];
        marks.lines.push(Line { ends, color: GOAL, width_px: LINE_PX });
    }
    marks.discs.push(disc(goal.as_vec3(), GOAL, 4.5));
    marks.discs.push(disc(reached.as_vec3(), REACHED, 4.5));
}

fn disc(center: Vec3, color: [f32; 4], radius_px: f32) -> Disc {
    Disc { center, color, radius_px }
}
