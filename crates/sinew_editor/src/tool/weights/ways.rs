//! What would bring a point where its weights do not reach: a half-way helper, a corrective shape.
//! Each with what it costs and what would be left.

use glam::DVec3;
use sinew::driver::DriverPlan;
use sinew::frame::Controls;
use sinew::skeleton::{JointPose, Palette, Pose};
use sinew::weights::drag::{Drag, DragInput, soft_selection};

use super::super::Context;
use super::held::{held_poses, settings};
use super::{WhyShown, set_rows};
use crate::document::Document;
use crate::edit::{Edit, RiggingEdit};
use crate::name_ref::MeshRef;

/// A joint that is turned by less is at rest.
const LEAST_BEND_RADIANS: f64 = 0.02;

/// Ways beyond the joints that are there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaysOut {
    /// A helper that turns half as far as a joint.
    pub helper: Option<HelperWay>,
    /// A shape that comes with this pose.
    pub corrective: Option<CorrectiveWay>,
}

/// A half-way helper.
#[derive(Clone, Debug, PartialEq)]
pub struct HelperWay {
    /// At which joint, by number.
    pub joint: u32,
    /// How far from its goal the point would be.
    pub distance: f64,
    /// How many influences it would have.
    pub num_influences: usize,
    /// How many points would follow the helper.
    pub num_points: usize,
    /// What makes it, and brings the point to its goal.
    pub edits: Vec<Edit>,
}

/// A corrective shape: in this pose nothing is left.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrectiveWay {
    /// Whose turn says when it is there.
    pub joint: u32,
    /// How many points it moves.
    pub num_points: usize,
    /// What makes it.
    pub edit: Edit,
}

/// How far a joint is turned.
fn bend_radians(pose: &JointPose) -> f64 {
    let swing = pose.swing;
    (2.0 * swing.xyz().length().atan2(swing.w.abs())).hypot(pose.twist_radians)
}

/// Of the joints that move a point, and those above and below them, the one that is turned most.
fn most_bent(why: &WhyShown, context: &Context<'_>) -> Option<u32> {
    let character = context.document.character();
    let joints = character.skeleton.joints();
    let weights = character.parts.get(why.part)?.weights.as_ref()?;
    let own = weights.row(why.point as usize).iter().map(|i| i.joint);
    let bend = |joint: u32| context.pose.joints.get(joint as usize).map_or(0.0, bend_radians);
    let is_bent = |joint: &u32| bend(*joint) > LEAST_BEND_RADIANS;
    let has_parent = |joint: &u32| joints[*joint as usize].parent.is_some();
    own.filter(|joint| is_bent(joint) && has_parent(joint))
        .max_by(|&a, &b| bend(a).total_cmp(&bend(b)).then(b.cmp(&a)))
}

/// What would bring the point of a readout to its goal.
pub(crate) fn ways_out(why: &WhyShown, context: &Context<'_>) -> WaysOut {
    let Some(joint) = most_bent(why, context) else { return WaysOut::default() };
    WaysOut { helper: helper(why, joint, context), corrective: corrective(why, joint, context) }
}

fn helper(why: &WhyShown, joint: u32, context: &Context<'_>) -> Option<HelperWay> {
    let add: Edit = RiggingEdit::AddHalfWay { joint: context.document.joint_ref(joint) }.into();
    let mut after: Document = context.document.clone();
    after.apply(&add).ok()?;
    let character = after.character();
    let helper = character.skeleton.len() as u32 - 1;
    let mut pose = Pose::rest(&character.skeleton);
    pose.joints.iter_mut().zip(&context.pose.joints).for_each(|(to, from)| *to = *from);
    let mut driven = Controls { pose, ..after.controls() };
    DriverPlan::new(character).ok()?.run(&character.skeleton, &mut driven);
    let palette = Palette::new(&character.skeleton, &driven.pose);
    let weights = character.parts.get(why.part)?.weights.as_ref()?;
    let with = Context { document: &after, ..*context };
    let held = held_poses(&with);
    let input = DragInput {
        rest: context.frame?.parts().get(why.part)?.rest(),
        weights,
        model_from_rest: palette.model_from_rest(),
        held: &held,
    };
    let mut settings = settings(context);
    settings.further.push(helper);
    let mut drag = Drag::begin(&input, &[why.point], None, &settings);
    drag.solve(&[why.goal]);
    let distance = drag.reached()[0].distance(why.goal);
    if distance >= why.why.distance {
        return None;
    }
    let rows = drag.rows(weights);
    let row = rows.first().map_or(weights.row(why.point as usize), |(_, row)| row);
    let num_influences = row.len();
    let follows = |row: &[sinew::weights::Influence]| row.iter().any(|i| i.joint == helper);
    let all = character.parts.iter().filter_map(|part| part.weights.as_ref());
    let num_points = all.flat_map(|weights| weights.rows()).filter(|row| follows(row)).count();
    let mut edits = vec![add];
    if !rows.is_empty() {
        edits.push(set_rows(&with, why.part, &rows).into());
    }
    Some(HelperWay { joint, distance, num_influences, num_points, edits })
}

/// What is missing, at the point and, the less the further, around it.
fn corrective(why: &WhyShown, joint: u32, context: &Context<'_>) -> Option<CorrectiveWay> {
    let character = context.document.character();
    let part = character.parts.get(why.part)?;
    let shown = context.frame?.parts().get(why.part)?;
    let missing: DVec3 = why.goal - why.why.reached;
    let tools = context.weights;
    // Of one point alone it would be a spike.
    let radius = if tools.soft_radius > 0.0 { tools.soft_radius } else { tools.radius };
    let adjacency = sinew::mesh::Adjacency::of(&part.mesh);
    let soft = soft_selection(shown.rest(), &adjacency, &[why.point], radius);
    let moved: Vec<_> = (soft.iter())
        .map(|&(point, share)| {
            let by = (missing * share).as_vec3();
            (point, by.x, by.y, by.z)
        })
        .collect();
    let of = context.document.joint_ref(joint);
    let taken = |name: &str| part.shapes.iter().any(|shape| shape.name == name);
    let base = format!("{} corrective", of.0);
    let numbered = (2..).map(|number| format!("{base} {number}"));
    let name = std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name))?;
    let num_points = moved.len();
    let mesh = MeshRef::of(character, why.part);
    let edit = RiggingEdit::AddCorrective { mesh, name, joints: vec![of], moved: Some(moved) };
    Some(CorrectiveWay { joint, num_points, edit: edit.into() })
}
