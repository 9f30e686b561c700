//! Correctives: shapes that come with a pose, so that linear blending carries the skin to where it
//! should be in it.
//!
//! `moved` is how far points are to move *in the pose*. Linear blending multiplies a displacement
//! at rest by the blended matrix of its point; the shape has the displacement that this turns into
//! `moved`. Where a blend has nearly flattened space (a bend of 180°), the smallest one that comes
//! nearest.

use std::sync::Arc;

use glam::{DMat3, DVec3, Vec3};

use super::limb::check_joint;
use super::{NewShape, RiggingError, add_shape};
use crate::driver::{
    Drive, Driver, DriverPlan, Example, ExampleJoint, ExampleTurn, LEAST_APART_RADIANS, ShapeIndex,
};
use crate::frame::{Controls, Plan, PlanError, Rig};
use crate::progress::Progress;
use crate::shape::Deltas;
use crate::skeleton::Palette;
use crate::skin::SkinMethod;
use crate::springs::SpringModel;
use crate::{Character, Part};

/// On the diagonal of `AᵀA`, over its mean: what is flattened further than a hundredth is left.
const DAMPING: f64 = 1e-4;
/// Points that springs move less than this over the mesh's diagonal stay: rounding, not shape.
const STILL_OVER_DIAGONAL: f32 = 2e-5;

/// A corrective to add.
#[derive(Clone, Copy, Debug)]
pub struct Corrective<'a> {
    /// Which mesh, what it is called, and how far points move in the pose.
    pub shape: NewShape<'a>,
    /// Whose turns say when it is there.
    pub joints: &'a [u32],
}

/// Adds a corrective for the pose of some controls. Those of the same joints are one driver, which
/// gets one more example; in a pose that is an example already, the shape comes on top of what is
/// there.
///
/// # Errors
/// If a joint, mesh or point is not there, or the joints are at rest.
pub fn add_corrective(
    character: &Character,
    controls: &Controls,
    new: &Corrective<'_>,
) -> Result<Character, RiggingError> {
    for &joint in new.joints {
        check_joint(character, joint)?;
    }
    let num_parts = character.parts.len();
    let part = new.shape.part;
    let no_part = RiggingError::NoPart { part, num_parts };
    let of_part = character.parts.get(part).ok_or(no_part)?;
    let mut driven = controls.clone();
    DriverPlan::new(character)?.run(&character.skeleton, &mut driven);
    let palette = Palette::new(&character.skeleton, &driven.pose);
    let at_rest: Vec<(u32, Vec3)> = new
        .shape
        .moved
        .iter()
        .map(|&(point, delta)| (point, rest_displacement(of_part, &palette, point, delta)))
        .collect();
    let (mut out, shape) = add_shape(character, &NewShape { moved: &at_rest, ..new.shape })?;
    let turn = |joint: &u32| {
        let pose = &driven.pose.joints[*joint as usize];
        ExampleTurn { swing: pose.swing, twist_radians: pose.twist_radians }
    };
    let turns: Vec<ExampleTurn> = new.joints.iter().map(turn).collect();
    if turns.iter().all(|turn| is_near(turn, &ExampleTurn::REST)) {
        let first = new.joints.first().map(|&joint| &character.skeleton.joints()[joint as usize]);
        let joint = first.map_or_else(String::new, |joint| joint.name.clone());
        let fault = "it is at rest; a corrective is for a pose, so turn it first";
        return Err(RiggingError::Joint { joint, fault });
    }
    add_example(&mut out, new.joints, turns, shape, &driven);
    DriverPlan::new(&out)?;
    Ok(out)
}

fn is_near(a: &ExampleTurn, b: &ExampleTurn) -> bool {
    let between = a.swing.conjugate() * b.swing;
    let swing = 2.0 * between.xyz().length().atan2(between.w.abs());
    swing.hypot(a.twist_radians - b.twist_radians) < LEAST_APART_RADIANS
}

/// Others keep the weights that they have in this pose: `moved` is from there.
fn add_example(
    character: &mut Character,
    joints: &[u32],
    turns: Vec<ExampleTurn>,
    shape: ShapeIndex,
    driven: &Controls,
) {
    let weight_of = |shape: &ShapeIndex| {
        let weights = &driven.part(shape.part as usize).shape_weights;
        weights.get(shape.shape as usize).copied().map_or(0.0, f64::from)
    };
    let is_of = |driver: &&mut Driver| match &driver.drive {
        Drive::Examples { joints: known, .. } => {
            known.iter().map(|of| of.joint).eq(joints.iter().copied())
        }
        _ => false,
    };
    if let Some(driver) = character.drivers.list.iter_mut().find(is_of)
        && let Drive::Examples { shapes, examples, .. } = &mut driver.drive
    {
        let is_here = |example: &&mut Example| {
            example.turns.iter().zip(&turns).all(|(known, turn)| is_near(known, turn))
        };
        if let Some(example) = examples.iter_mut().find(is_here) {
            example.weights.resize(shapes.len(), 0.0);
            example.weights.push(1.0);
            shapes.push(shape);
            return;
        }
        let mut weights: Vec<f64> = shapes.iter().map(weight_of).collect();
        weights.push(1.0);
        shapes.push(shape);
        examples.push(Example { turns, weights });
        return;
    }
    let of = |&joint: &u32| ExampleJoint { joint, swing: true, twist: true };
    let drive = Drive::Examples {
        joints: joints.iter().map(of).collect(),
        shapes: vec![shape],
        examples: vec![Example { turns, weights: vec![1.0] }],
    };
    let first = joints.first().map(|&joint| &character.skeleton.joints()[joint as usize].name);
    let wanted = first.map_or("correctives".to_owned(), |name| format!("{name} correctives"));
    let name = character.drivers.free_name(&wanted);
    character.drivers.list.push(Driver::new(name, drive));
}

/// A shape that is at work less than this cannot be sculpted: its displacements would be that much
/// larger.
const LEAST_AT_WORK: f64 = 0.2;

/// Moves points in the pose of some controls by changing a shape that is at work in it.
///
/// # Errors
/// If a mesh, shape or point is not there, or the shape's weight in this pose is below a fifth.
pub fn sculpt_shape(
    character: &Character,
    controls: &Controls,
    shape: ShapeIndex,
    moved: &[(u32, Vec3)],
) -> Result<Character, RiggingError> {
    let (part, number) = (shape.part as usize, shape.shape as usize);
    let no_part = RiggingError::NoPart { part, num_parts: character.parts.len() };
    let of_part = character.parts.get(part).ok_or(no_part)?;
    let fault = |shape: String, fault: String| RiggingError::Shape { shape, fault };
    let known = of_part.shapes.get(number);
    let known = known.ok_or_else(|| fault(format!("#{number}"), "it is not there".into()))?;
    let num_points = of_part.mesh.points().len();
    if let Some(&(point, _)) = moved.iter().find(|(point, _)| *point as usize >= num_points) {
        let mesh = of_part.mesh.name().to_owned();
        return Err(RiggingError::NoPoint { mesh, point, num_points });
    }
    let mut driven = controls.clone();
    DriverPlan::new(character)?.run(&character.skeleton, &mut driven);
    let weights = &driven.part(part).shape_weights;
    let weight = weights.get(number).copied().map_or(0.0, f64::from);
    if weight.abs() < LEAST_AT_WORK {
        let words = format!(
            "its weight in this pose is {weight:.2}; pose the character so that it is \
             {LEAST_AT_WORK} at least"
        );
        return Err(fault(known.name.clone(), words));
    }
    let palette = Palette::new(&character.skeleton, &driven.pose);
    let mut deltas = known.deltas.dense();
    for &(point, delta) in moved {
        let at_rest = rest_displacement(of_part, &palette, point, delta) / weight as f32;
        if !at_rest.is_finite() {
            return Err(fault(known.name.clone(), "a displacement that is no number".into()));
        }
        deltas[point as usize] += at_rest;
    }
    let mut out = character.clone();
    let moved = (0u32..).zip(deltas).filter(|(_, delta)| *delta != Vec3::ZERO);
    out.parts[part].shapes[number].deltas = Deltas::of_moved(num_points, moved);
    Ok(out)
}

/// The shape of a mesh that these joints' turns bring in just this pose, if one was made for it:
/// the last that was added.
pub fn corrective_here(
    character: &Character,
    controls: &Controls,
    part: usize,
    joints: &[u32],
) -> Option<ShapeIndex> {
    let mut driven = controls.clone();
    DriverPlan::new(character).ok()?.run(&character.skeleton, &mut driven);
    let turn = |joint: &u32| {
        let pose = driven.pose.joints.get(*joint as usize)?;
        Some(ExampleTurn { swing: pose.swing, twist_radians: pose.twist_radians })
    };
    let turns: Vec<ExampleTurn> = joints.iter().map(turn).collect::<Option<_>>()?;
    let of_driver = |driver: &Driver| match &driver.drive {
        Drive::Examples { joints: known, shapes, examples } if !driver.muted => {
            if !known.iter().map(|of| of.joint).eq(joints.iter().copied()) {
                return None;
            }
            let is_here = |example: &&Example| {
                example.turns.iter().zip(&turns).all(|(known, turn)| is_near(known, turn))
            };
            let example = examples.iter().find(is_here)?;
            let own = shapes.iter().zip(&example.weights).rev();
            let mut own = own
                .filter(|(shape, weight)| shape.part as usize == part && **weight >= LEAST_AT_WORK);
            own.next().map(|(shape, _)| *shape)
        }
        _ => None,
    };
    character.drivers.list.iter().find_map(of_driver)
}

/// What linear blending turns into a displacement of a point.
fn rest_displacement(part: &Part, palette: &Palette, point: u32, posed: Vec3) -> Vec3 {
    let Some(weights) = part.weights.as_ref().filter(|w| (point as usize) < w.num_points()) else {
        return posed;
    };
    let mut blended = DMat3::ZERO;
    for influence in weights.row(point as usize) {
        let of_joint = palette.model_from_rest()[influence.joint as usize].matrix3;
        blended += of_joint * f64::from(influence.weight);
    }
    let normal = blended.transpose() * blended;
    let mean = (normal.x_axis.x + normal.y_axis.y + normal.z_axis.z) / 3.0;
    let damped = normal + DMat3::from_diagonal(DVec3::splat(DAMPING * mean));
    let wanted = blended.transpose() * posed.as_dvec3();
    let mut found = damped.inverse() * wanted;
    // What the damping took, given back where space is not flat.
    found += damped.inverse() * (wanted - normal * found);
    if found.is_finite() { found.as_vec3() } else { Vec3::ZERO }
}

/// How far springs move each mesh's points from where linear blending has them, in the pose of
/// some controls. They relax the rest without correctives, which are what is to be found. Without
/// springs of its own a rig has the anchored ones.
///
/// # Errors
/// As [`Plan::bind`].
pub fn moved_by_springs(
    character: &Arc<Character>,
    rig: &Rig,
    controls: &Controls,
    progress: &dyn Progress,
) -> Result<Vec<Vec<(u32, Vec3)>>, PlanError> {
    let rig = match rig.springs {
        Some(_) => rig.clone(),
        None => Rig::of_model(SpringModel::Anchored),
    };
    let mut plain = Character::clone(character);
    for driver in &mut plain.drivers.list {
        driver.muted |= matches!(driver.drive, Drive::Examples { .. });
    }
    let mut frames = Vec::with_capacity(2);
    let plain = Arc::new(plain);
    for (of, rig) in [(&plain, rig), (character, Rig::of(SkinMethod::Linear))] {
        let plan = Plan::bind(of, &rig, progress)?;
        frames.push(plan.frame_of(controls));
    }
    let of_part = |part: usize| {
        let [relaxed, linear] = [&frames[0], &frames[1]].map(|frame| frame.parts()[part].points());
        let still = STILL_OVER_DIAGONAL * character.parts[part].mesh.bounds().diagonal();
        let moves = relaxed.iter().zip(linear).map(|(to, from)| *to - *from);
        let moved = (0u32..).zip(moves).filter(|(_, delta)| delta.length() > still);
        moved.filter(|(_, delta)| delta.is_finite()).collect()
    };
    Ok((0..character.parts.len()).map(of_part).collect())
}
