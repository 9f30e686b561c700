//! What edits of weights do.

use std::sync::Arc;

use sinew::Character;
use sinew::driver::DriverPlan;
use sinew::frame::Controls;
use sinew::glam::{DAffine3, DVec3, Vec3};
use sinew::mesh::Adjacency;
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose};
use sinew::weights::drag::{Drag, DragInput, DragMotion, DragSettings, HeldPose, soft_selection};
use sinew::weights::layers::{LayerRows, WeightLayers};
use sinew::weights::mirror::{JointPairs, MirrorPlane, MirrorSettings, mirror};
use sinew::weights::paint::{Paint, Stroke, dab_on_surface, dab_through, paint};
use sinew::weights::repair::{Mend, repair};
use sinew::weights::{Influence, PointRow, RowRules, SkinWeights, clean};

use super::super::EditError;
use super::super::layers::layer_named;
use super::rows::{Target, put, read, weights_of};
use super::{Held, Keeping, Motion, WeightEdit};
use super::{bind, transfer};
use crate::document::Document;
use crate::name_ref::{JointRef, MeshRef};
use crate::names;

/// More influences than anybody can play.
const MOST_INFLUENCES: usize = 64;
/// More sweeps than anybody waits for.
const MOST_TIMES: usize = 1000;

pub(super) fn apply(edit: &WeightEdit, document: &mut Document) -> Result<(), EditError> {
    let character = Arc::clone(&document.character);
    let mesh = |mesh: &MeshRef| mesh.resolve(&character).map_err(EditError::Unknown);
    let rows: Vec<(usize, Vec<PointRow>)> = match edit {
        WeightEdit::SetWeights { mesh: of, joints, rows, .. } => {
            let part = mesh(of)?;
            let rows = read(&character, part, joints, rows)?;
            // A mesh that has none takes them if they are all there.
            if rows.len() < character.parts[part].mesh.points().len() {
                weights_of(&character, part)?;
            }
            vec![(part, rows)]
        }
        WeightEdit::DragPoints { mesh: of, .. } => {
            let part = mesh(of)?;
            vec![(part, drag(edit, document, part)?)]
        }
        WeightEdit::PaintWeights { mesh: of, .. } => {
            let part = mesh(of)?;
            vec![(part, painted(edit, document, part)?)]
        }
        WeightEdit::SmoothWeights { mesh: of, points, times, share, keep } => {
            let part = mesh(of)?;
            let weights = weights_of(&character, part)?;
            let adjacency = Adjacency::of(&character.parts[part].mesh);
            check_points(&character, part, points)?;
            within("times", *times as f64, 0.0, MOST_TIMES as f64)?;
            within("share", *share, 0.0, 1.0)?;
            let some = (!points.is_empty()).then_some(points.as_slice());
            let rules = rules(&character, keep)?;
            vec![(part, clean::smooth(weights, &adjacency, some, *times, *share, &rules))]
        }
        WeightEdit::PruneWeights { meshes, points, least, without, keep } => {
            within("least", *least, 0.0, 1.0)?;
            let rules = rules(&character, keep)?;
            let without = joints(&character, without)?;
            let parts = parts(&character, meshes)?;
            if let ([first, ..], [part, rest @ ..]) = (points.as_slice(), parts.as_slice()) {
                if !rest.is_empty() {
                    let words = "points are of one mesh; name it under `meshes`";
                    return Err(EditError::value(format!("point {first}"), words));
                }
                check_points(&character, *part, points)?;
            }
            let some = (!points.is_empty()).then_some(points.as_slice());
            let of_part = |part: usize| {
                let weights = character.parts[part].weights.as_ref();
                let prune = |weights| clean::prune(weights, some, (*least, &without), &rules);
                (part, weights.map(prune).unwrap_or_default())
            };
            parts.into_iter().map(of_part).collect()
        }
        WeightEdit::FillWeights { mesh: of, points, keep } => {
            let part = mesh(of)?;
            check_points(&character, part, points)?;
            let weights = weights_of(&character, part)?;
            let adjacency = Adjacency::of(&character.parts[part].mesh);
            vec![(part, clean::fill(weights, &adjacency, points, &rules(&character, keep)?))]
        }
        WeightEdit::FloodWeights { mesh: of, points, joint, brush, value, share, keep } => {
            let part = mesh(of)?;
            check_points(&character, part, points)?;
            within("share", *share, 0.0, 1.0)?;
            within("value", *value, 0.0, 1.0)?;
            let weights = weights_of(&character, part)?;
            let adjacency = Adjacency::of(&character.parts[part].mesh);
            let joint = joint.resolve(&character.skeleton).map_err(EditError::Unknown)?;
            let rules = rules(&character, keep)?;
            let all = 0..weights.num_points() as u32;
            let amounts: Vec<(u32, f64)> = match points.is_empty() {
                true => all.map(|point| (point, *share)).collect(),
                false => points.iter().map(|&point| (point, *share)).collect(),
            };
            let mesh = &character.parts[part].mesh;
            let what = Paint { brush: *brush, mesh, joint, value: *value, rules };
            vec![(part, paint(weights, &adjacency, &amounts, &what))]
        }
        WeightEdit::AverageWeights { mesh: of, points, keep } => {
            let part = mesh(of)?;
            check_points(&character, part, points)?;
            let weights = weights_of(&character, part)?;
            vec![(part, clean::average(weights, points, &rules(&character, keep)?))]
        }
        WeightEdit::TransferWeights { to, .. } => {
            let part = mesh(to)?;
            vec![(part, transfer::between(edit, document, part)?)]
        }
        WeightEdit::MirrorWeights { from, by, keep } => {
            let rules = rules(&character, keep)?;
            let settings = MirrorSettings { from: *from, by: *by, rules };
            let found = mirror(&character, &settings)
                .map_err(|error| EditError::value("mirror", error.to_string()))?;
            found.of_part.into_iter().enumerate().collect()
        }
        WeightEdit::BindWeights { .. } => {
            bind::found(document, edit, &Silent)?.into_iter().enumerate().collect()
        }
        WeightEdit::RepairWeights { mends, keep } => {
            if let Some(mend) = mends.iter().find(|mend| !mend.is_of_weights()) {
                let code = mend.code();
                let words = format!(
                    "a project keeps its file's skeleton; `sinew repair --only {code}` mends the file"
                );
                return Err(EditError::value(code, words));
            }
            let all = if mends.is_empty() { &Mend::ALL[..] } else { mends };
            let of_weights = |mend: &Mend| mend.is_of_weights();
            let all: Vec<Mend> = all.iter().copied().filter(of_weights).collect();
            let (mended, _) = repair(&character, &all, &rules(&character, keep)?, &Silent);
            let of_part = mended.parts.iter().map(|part| part.weights.as_ref());
            of_part.enumerate().map(|(part, weights)| (part, all_rows(weights))).collect()
        }
        WeightEdit::ResetWeights { meshes } => return reset(document, meshes),
    };
    let target = target(document, edit)?;
    put(document, &rows, &target);
    Ok(())
}

/// The layer that an edit's rows go to, and what they keep to.
fn target(document: &Document, edit: &WeightEdit) -> Result<Target, EditError> {
    let none = Keeping::default();
    let (layer, is_own, keep) = match edit {
        WeightEdit::SetWeights { layer, own, .. } => (layer, *own, &none),
        WeightEdit::BindWeights { keep, .. } => (&keep.layer, true, keep),
        WeightEdit::DragPoints { keep, .. }
        | WeightEdit::PaintWeights { keep, .. }
        | WeightEdit::SmoothWeights { keep, .. }
        | WeightEdit::PruneWeights { keep, .. }
        | WeightEdit::FillWeights { keep, .. }
        | WeightEdit::FloodWeights { keep, .. }
        | WeightEdit::AverageWeights { keep, .. }
        | WeightEdit::MirrorWeights { keep, .. }
        | WeightEdit::TransferWeights { keep, .. }
        | WeightEdit::RepairWeights { keep, .. } => (&keep.layer, false, keep),
        WeightEdit::ResetWeights { .. } => (&None, false, &none),
    };
    let layer = layer.as_ref().map(|name| layer_named(document, name)).transpose()?;
    Ok(Target { layer, is_own, rules: rules(&document.character, keep)? })
}

/// All rows of a mesh; none where it has no weights.
pub(super) fn all_rows(weights: Option<&SkinWeights>) -> Vec<PointRow> {
    let rows = weights.into_iter().flat_map(SkinWeights::rows);
    (0u32..).zip(rows.map(<[Influence]>::to_vec)).collect()
}

/// Puts meshes back to the weights of the file, with nothing over them.
fn reset(document: &mut Document, meshes: &[MeshRef]) -> Result<(), EditError> {
    let mut changed = Character::clone(&document.character);
    let mut layers = WeightLayers::clone(&document.weight_layers);
    for part in parts(&document.character, meshes)? {
        let base = document.base.parts.get(part).and_then(|part| part.weights.clone());
        if let Some(known) = layers.base.get_mut(part) {
            known.clone_from(&base);
        }
        for of_part in layers.layers.iter_mut().filter_map(|layer| layer.of_part.get_mut(part)) {
            *of_part = LayerRows::default();
        }
        changed.parts[part].weights = base;
    }
    if layers != *document.weight_layers {
        document.weight_layers = Arc::new(layers);
    }
    if changed != *document.character {
        document.character = Arc::new(changed);
    }
    Ok(())
}

pub(super) fn within(what: &str, value: f64, least: f64, most: f64) -> Result<(), EditError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(EditError::value(what, format!("{value}; it must be from {least} to {most}")))
}

fn parts(character: &Character, meshes: &[MeshRef]) -> Result<Vec<usize>, EditError> {
    if meshes.is_empty() {
        return Ok((0..character.parts.len()).collect());
    }
    meshes.iter().map(|mesh| mesh.resolve(character).map_err(EditError::Unknown)).collect()
}

pub(super) fn joints(character: &Character, joints: &[JointRef]) -> Result<Vec<u32>, EditError> {
    let resolve = |joint: &JointRef| joint.resolve(&character.skeleton);
    joints.iter().map(resolve).collect::<Result<_, _>>().map_err(EditError::Unknown)
}

pub(super) fn rules(character: &Character, keep: &Keeping) -> Result<RowRules, EditError> {
    within("influences", keep.influences as f64, 1.0, MOST_INFLUENCES as f64)?;
    let mut locked = vec![false; character.skeleton.len()];
    for joint in joints(character, &keep.locked)? {
        locked[joint as usize] = true;
    }
    Ok(RowRules { max_influences: keep.influences, locked })
}

pub(super) fn check_points(
    character: &Character,
    part: usize,
    points: &[u32],
) -> Result<(), EditError> {
    let num_points = character.parts[part].mesh.points().len();
    match points.iter().find(|&&point| point as usize >= num_points) {
        None => Ok(()),
        Some(point) => {
            let words = format!("the mesh has {num_points} points, from 0");
            Err(EditError::value(format!("point {point}"), words))
        }
    }
}

/// What each joint does to a rest point in a pose, with what drives it.
pub(super) fn model_from_rest(document: &Document, pose: &Pose) -> Vec<DAffine3> {
    let character = &document.character;
    let mut controls = Controls { pose: pose.clone(), ..document.controls() };
    if let Ok(plan) = DriverPlan::new(character) {
        plan.run(&character.skeleton, &mut controls);
    }
    Palette::new(&character.skeleton, &controls.pose).model_from_rest().to_vec()
}

/// The points of a mesh at rest, as its shapes have them.
fn rest_of(document: &Document, part: usize) -> Vec<Vec3> {
    let weights = document.shapes.weights().get(part).cloned().unwrap_or_default();
    document.character.parts[part].shaped_points(&weights)
}

fn held_poses(document: &Document, hold: &[Held]) -> Result<Vec<HeldPose>, EditError> {
    let held = |held: &Held| {
        within("weight of a held pose", held.weight, 0.0, 1e6)?;
        let rest = Pose::rest(&document.character.skeleton);
        let stored = document.stored_poses();
        let pose = match stored.iter().find(|stored| stored.name == held.pose) {
            Some(stored) => &stored.pose,
            None if held.pose.is_empty() => &rest,
            None => {
                let all = stored.iter().map(|stored| stored.name.as_str());
                return Err(EditError::Unknown(names::unknown("pose", &held.pose, all)));
            }
        };
        let model_from_rest = model_from_rest(document, pose);
        Ok(HeldPose { model_from_rest, weight: held.weight })
    };
    hold.iter().map(held).collect()
}

fn drag(edit: &WeightEdit, document: &Document, part: usize) -> Result<Vec<PointRow>, EditError> {
    let WeightEdit::DragPoints {
        points,
        motion,
        radius,
        hold,
        further,
        rule,
        smoothness,
        keep,
        ..
    } = edit
    else {
        return Ok(Vec::new());
    };
    let character = &document.character;
    let weights = weights_of(character, part)?;
    check_points(character, part, points)?;
    within("radius", *radius, 0.0, f64::MAX)?;
    within("smoothness", *smoothness, 0.0, 1e6)?;
    let rest = rest_of(document, part);
    let transforms = model_from_rest(document, &document.pose);
    let held = held_poses(document, hold)?;
    let input = DragInput { rest: &rest, weights, model_from_rest: &transforms, held: &held };
    let adjacency = Adjacency::of(&character.parts[part].mesh);
    let soft = soft_selection(&rest, &adjacency, points, *radius);
    let settings = DragSettings {
        rule: *rule,
        rules: rules(character, keep)?,
        smoothness: *smoothness,
        further: joints(character, further)?,
        ..DragSettings::default()
    };
    let taken: Vec<u32> = soft.iter().map(|&(point, _)| point).collect();
    let mut drag = Drag::begin(&input, &taken, Some(&adjacency), &settings);
    let starts = drag.starts();
    let of_held = starts.iter().zip(&soft).filter(|(_, (point, _))| points.contains(point));
    let of_held: Vec<DVec3> = of_held.map(|(&start, _)| start).collect();
    let about = of_held.iter().sum::<DVec3>() / of_held.len().max(1) as f64;
    let motion = match *motion {
        Motion::By(by) if by.is_finite() => DragMotion::Translate(by),
        Motion::Scale(factor) if factor.is_finite() => {
            DragMotion::Scale { about, factors: DVec3::splat(factor) }
        }
        Motion::Turn { axis, degrees } if degrees.is_finite() => match axis.try_normalize() {
            Some(axis) => DragMotion::Rotate { about, axis, radians: degrees.to_radians() },
            None => return Err(EditError::value("motion", "an axis must point somewhere")),
        },
        Motion::By(_) | Motion::Scale(_) | Motion::Turn { .. } => {
            return Err(EditError::value("motion", "numbers must be finite"));
        }
    };
    let goals: Vec<DVec3> =
        starts.iter().zip(&soft).map(|(&at, &(_, share))| motion.goal(at, share)).collect();
    drag.solve(&goals);
    Ok(drag.rows(weights))
}

fn painted(
    edit: &WeightEdit,
    document: &Document,
    part: usize,
) -> Result<Vec<PointRow>, EditError> {
    let WeightEdit::PaintWeights {
        joint,
        brush,
        dabs,
        radius,
        strength,
        falloff,
        value,
        through,
        symmetric,
        keep,
        ..
    } = edit
    else {
        return Ok(Vec::new());
    };
    let character = &document.character;
    let weights = weights_of(character, part)?;
    within("radius", *radius, f64::MIN_POSITIVE, f64::MAX)?;
    within("strength", *strength, 0.0, 1.0)?;
    within("value", *value, 0.0, 1.0)?;
    if dabs.iter().any(|dab| !dab.is_finite()) {
        return Err(EditError::value("dabs", "a place must be three finite numbers"));
    }
    let joint = joint.resolve(&character.skeleton).map_err(EditError::Unknown)?;
    let rest = rest_of(document, part);
    let transforms = model_from_rest(document, &document.pose);
    let posed: Vec<Vec3> = (rest.iter().zip(weights.rows()))
        .map(|(point, row)| {
            let place = |i: &sinew::weights::Influence| {
                let moved = transforms[i.joint as usize].transform_point3(point.as_dvec3());
                moved * f64::from(i.weight)
            };
            row.iter().map(place).sum::<DVec3>().as_vec3()
        })
        .collect();
    let adjacency = Adjacency::of(&character.parts[part].mesh);
    let rules = rules(character, keep)?;
    let stroke_at = |points: &[Vec3], places: &[DVec3]| {
        let mut stroke = Stroke::default();
        for dab in places {
            let at = dab.as_vec3();
            let distance = |p: &u32| points[*p as usize].distance_squared(at);
            let nearest =
                (0..points.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let Some(nearest) = nearest else { continue };
            let under = if *through {
                dab_through(points, at, *radius, *falloff)
            } else {
                dab_on_surface(points, &adjacency, nearest, at, *radius, *falloff)
            };
            stroke.add(&under, *strength);
        }
        stroke.amounts()
    };
    let mesh = &character.parts[part].mesh;
    let paints = |joint: u32| {
        let rules = rules.clone();
        Paint { brush: *brush, mesh, joint, value: *value, rules }
    };
    let amounts = stroke_at(&posed, dabs);
    let mut rows = paint(weights, &adjacency, &amounts, &paints(joint));
    if *symmetric {
        let Some(pairs) = JointPairs::of(&character.skeleton) else {
            return Err(EditError::value("symmetric", "no joint has a partner on the other side"));
        };
        let plane = MirrorPlane::of(&character.skeleton, &pairs);
        let partners = sinew::weights::mirror::point_partners(&character.parts[part].mesh, &plane);
        let amounts: Vec<(u32, f64)> = (amounts.iter())
            .filter_map(|&(point, amount)| Some((partners[point as usize]?, amount)))
            .collect();
        let there = if brush.is_of_joint() { pairs.partner(joint) } else { joint };
        let after = weights.with_rows(&rows);
        rows.extend(paint(&after, &adjacency, &amounts, &paints(there)));
    }
    Ok(rows)
}
