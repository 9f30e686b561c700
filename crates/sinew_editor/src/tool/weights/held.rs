//! Points in hand: of which meshes, in which poses, and where they come to.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::DVec3;
use sinew::frame::{Controls, Frame};
use sinew::skeleton::{Palette, Pose};
use sinew::weights::SkinWeights;
use sinew::weights::drag::{
    Drag, DragInput, DragMotion, DragSettings, HeldPose, soft_selection, why_not,
};
use sinew::weights::paint::dab_on_surface;

use super::super::Context;
use super::hand::Hand;
use super::{DragGesture, Neighbours, WhyShown, set_rows};
use crate::edit::Edit;

/// Points of one mesh.
#[derive(Debug)]
struct HeldPart {
    part: usize,
    weights: SkinWeights,
    drag: Drag,
    starts: Vec<DVec3>,
    shares: Vec<f64>,
}

/// Points in the hand.
#[derive(Debug)]
pub(super) struct Held {
    /// Those of the mesh that was taken hold of first.
    parts: Vec<HeldPart>,
    /// The one that was taken hold of.
    pub(super) point: u32,
    at: usize,
    frame: Arc<Frame>,
    settings: DragSettings,
    poses: Vec<HeldPose>,
    pub(super) hand: Hand,
    pub(super) has_moved: bool,
}

/// What the panel says of drags.
pub(super) fn settings(context: &Context<'_>) -> DragSettings {
    let tools = context.weights;
    let chosen = context.selection.active.filter(|_| tools.takes_chosen);
    DragSettings {
        rule: tools.rule,
        rules: tools.rules(),
        further: chosen.into_iter().collect(),
        smoothness: tools.smoothness,
        ..DragSettings::default()
    }
}

/// Stored poses in which points are to stay.
pub(super) fn held_poses(context: &Context<'_>) -> Vec<HeldPose> {
    let document = context.document;
    let character = document.character();
    let rest = Pose::rest(&character.skeleton);
    let of_name = |(name, worth): (&String, &f64)| {
        let stored = document.stored_poses().iter().find(|stored| stored.name == *name);
        let pose = match stored {
            Some(stored) => stored.pose.clone(),
            None if name.is_empty() => rest.clone(),
            None => return None,
        };
        let mut controls = Controls { pose, ..document.controls() };
        if let Ok(plan) = sinew::driver::DriverPlan::new(character) {
            plan.run(&character.skeleton, &mut controls);
        }
        let palette = Palette::new(&character.skeleton, &controls.pose);
        let model_from_rest = palette.model_from_rest().to_vec();
        Some(HeldPose { model_from_rest, weight: *worth })
    };
    context.weights.held.iter().filter_map(of_name).collect()
}

/// The middle of the chosen points as they stand; `None` without any.
pub(super) fn chosen_center(context: &Context<'_>) -> Option<DVec3> {
    let frame = context.frame?;
    let (mut sum, mut number) = (DVec3::ZERO, 0.0);
    for (&part, points) in &context.selection.points {
        let posed = frame.parts().get(part)?.points();
        for &point in points {
            sum += posed.get(point as usize)?.as_dvec3();
            number += 1.0;
        }
    }
    (number > 0.0).then(|| sum / number)
}

/// What is taken hold of, and how.
pub(super) struct Taken {
    pub(super) part: usize,
    pub(super) point: u32,
    pub(super) gesture: DragGesture,
    /// What the hand is held to from the start.
    pub(super) axis: Option<DVec3>,
}

impl Held {
    /// Takes hold of a point and of all that go along: the chosen ones if it is one of them, those
    /// under the brush, or those near enough.
    pub(super) fn new(
        taken: &Taken,
        from: glam::Vec2,
        neighbours: &mut Neighbours,
        context: &Context<'_>,
    ) -> Option<Self> {
        let frame = Arc::new(context.frame?.clone());
        let (settings, poses) = (settings(context), held_poses(context));
        let chosen = &context.selection.points;
        let is_chosen = chosen.get(&taken.part).is_some_and(|own| own.contains(&taken.point));
        let pulls = taken.gesture == DragGesture::Pull;
        let mut groups: Vec<(usize, BTreeSet<u32>)> = Vec::new();
        if is_chosen && !pulls {
            groups.extend(chosen.iter().map(|(&part, points)| (part, points.clone())));
            groups.sort_by_key(|(part, _)| *part != taken.part);
        } else {
            groups.push((taken.part, BTreeSet::from([taken.point])));
        }
        let mut parts = Vec::new();
        for (part, points) in &groups {
            let of_part = hold(*part, points, taken, (&settings, &poses), neighbours, context);
            match of_part {
                Some(of_part) => parts.push(of_part),
                // A mesh without weights stays where it is, unless it is the one that was taken.
                None if *part == taken.part => return None,
                None => {}
            }
        }
        let of_first = parts.first()?;
        let at = of_first.drag.points().position(|point| point == taken.point)?;
        let place = of_first.starts[at];
        // All that were chosen, and not those that follow in part, say where the middle is.
        let center = if is_chosen { chosen_center(context)? } else { mean(&of_first.starts) };
        let hand = Hand::new(taken.gesture, taken.axis, [center, place], from, context);
        let point = taken.point;
        Some(Self { parts, point, at, frame, settings, poses, hand, has_moved: false })
    }

    pub(super) fn part(&self) -> usize {
        self.parts[0].part
    }

    pub(super) fn num_points(&self) -> usize {
        self.parts.iter().map(|part| part.starts.len()).sum()
    }

    /// Brings all of them where the hand is: edits, and why the one that was taken is not there.
    pub(super) fn drag(&mut self, context: &Context<'_>) -> (Vec<Edit>, WhyShown) {
        let motion: DragMotion = self.hand.motion(context);
        self.has_moved = true;
        let mut edits = Vec::new();
        let mut goal = DVec3::ZERO;
        let mut num_influences = 0;
        for (index, of_part) in self.parts.iter_mut().enumerate() {
            let goals: Vec<DVec3> = (of_part.starts.iter().zip(&of_part.shares))
                .map(|(&start, &share)| motion.goal(start, share))
                .collect();
            of_part.drag.solve(&goals);
            let rows = of_part.drag.rows(&of_part.weights);
            if index == 0 {
                goal = goals[self.at];
                let own = rows.iter().find(|(point, _)| *point == self.point);
                let before = of_part.weights.row(self.point as usize);
                num_influences = own.map_or(before.len(), |(_, row)| row.len());
            }
            if !rows.is_empty() {
                edits.push(set_rows(context, of_part.part, &rows).into());
            }
        }
        let of_first = &self.parts[0];
        let input = DragInput {
            rest: self.frame.parts()[of_first.part].rest(),
            weights: &of_first.weights,
            model_from_rest: self.frame.palette().model_from_rest(),
            held: &self.poses,
        };
        let why = why_not(&input, self.point, goal, &self.settings);
        let (part, point) = (of_first.part, self.point);
        (edits, WhyShown { part, point, goal, num_influences, why })
    }
}

fn mean(places: &[DVec3]) -> DVec3 {
    places.iter().sum::<DVec3>() / places.len().max(1) as f64
}

fn hold(
    part: usize,
    points: &BTreeSet<u32>,
    taken: &Taken,
    (settings, poses): (&DragSettings, &[HeldPose]),
    neighbours: &mut Neighbours,
    context: &Context<'_>,
) -> Option<HeldPart> {
    let (frame, tools) = (context.frame?, context.weights);
    let of_part = context.document.character().parts.get(part)?;
    let weights = of_part.weights.clone()?;
    let shown = frame.parts().get(part)?;
    let adjacency = neighbours.of(&of_part.mesh);
    let soft = match taken.gesture {
        DragGesture::Pull => {
            let posed = shown.points();
            let place = *posed.get(taken.point as usize)?;
            let (radius, falloff) = (tools.radius, tools.falloff);
            dab_on_surface(posed, &adjacency, taken.point, place, radius, falloff)
        }
        DragGesture::Move | DragGesture::Turn | DragGesture::Scale => {
            let points: Vec<u32> = points.iter().copied().collect();
            soft_selection(shown.rest(), &adjacency, &points, tools.soft_radius)
        }
    };
    let input = DragInput {
        rest: shown.rest(),
        weights: &weights,
        model_from_rest: frame.palette().model_from_rest(),
        held: poses,
    };
    let all: Vec<u32> = soft.iter().map(|&(point, _)| point).collect();
    let drag = Drag::begin(&input, &all, Some(&adjacency), settings);
    let starts = drag.starts();
    let shares = soft.iter().map(|&(_, share)| share).collect();
    Some(HeldPart { part, weights, drag, starts, shares })
}
