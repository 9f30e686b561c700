//! What the sketch tool draws: the line and the pen, strokes in hand with their knots, the chain
//! that would be posed, and how the limb stood before.

use glam::{DVec3, Vec2, Vec3};
use sinew::skeleton::Palette;
use sinew::sketch::chain::Chain;
use sinew::sketch::pose::PoseStroke;
use sinew::sketch::stroke::Curve;
use sinew_view::scene::{Disc, Line, Marks};

use super::super::Context;
use super::drawing::Purpose;
use super::screen::in_hand;
use super::{PoseSketchTool, knots};

/// As in the paper's figures: green says where the limb is, blue where it is to be.
const BASELINE_COLOR: [f32; 4] = [0.05, 0.55, 0.16, 0.95];
const TARGET_COLOR: [f32; 4] = [0.03, 0.22, 0.9, 0.95];
const STRING_COLOR: [f32; 4] = [0.03, 0.22, 0.9, 0.35];
const KNOT_COLOR: [f32; 4] = [1.0, 1.0, 1.0, 1.0];
const ARM_COLOR: [f32; 4] = [0.4, 0.1, 0.7, 0.95];
const HELD_COLOR: [f32; 4] = [1.0, 0.62, 0.08, 1.0];
const CHAIN_COLOR: [f32; 4] = [1.0, 0.62, 0.08, 0.95];
const GHOST_COLOR: [f32; 4] = [0.25, 0.25, 0.3, 0.45];

/// Times [`crate::View::gizmo_scale`], as all lengths in pixels here.
const STROKE_PX: f32 = 3.2;
const CHAIN_PX: f32 = 2.0;
const GHOST_PX: f32 = 2.0;
const JOINT_PX: f32 = 4.2;
const KNOT_PX: f32 = 5.0;
const ARM_PX: f32 = 1.4;
const ARM_END_PX: f32 = 4.0;
/// Lines that a curve is drawn with.
const STEPS: usize = 64;
/// A bone that is moved less than this, in pixels, has no ghost.
const STILL_PX: f32 = 1.5;

pub(super) fn marks(tool: &PoseSketchTool, context: &Context<'_>) -> Marks {
    let scale = context.view.gizmo_scale();
    let mut marks = Marks::default();
    let active = super::active(context);
    if let Some(drawing) = &tool.drawing {
        ghost(&drawing.start, context, &mut marks);
        let is_baseline = drawing.purpose == Purpose::Choose;
        let found = drawing.found.as_ref().map(|found| found.chain.clone());
        if let Some(chain) = found.or_else(|| drawing.chain(context)) {
            show_chain(&chain, context, &mut marks);
        }
        let color = if is_baseline { BASELINE_COLOR } else { TARGET_COLOR };
        let depth = context.view.camera.target;
        let place = |at: Vec2| context.view.on_facing_plane(at, depth);
        let places: Vec<Vec3> = drawing.samples.iter().map(|&at| place(at)).collect();
        polyline(&places, color, STROKE_PX * scale, &mut marks);
        // The string, and where the pen is.
        let tip = places.last().copied().unwrap_or_default();
        let string = [tip, place(drawing.pen)];
        marks.lines.push(Line { ends: string, color: STRING_COLOR, width_px: scale });
        return marks;
    }
    if let Some(chosen) = tool.limb(context) {
        show_chain(&chosen.chain, context, &mut marks);
        if let Some((curve, _)) = &chosen.baseline {
            show_curve(curve, BASELINE_COLOR, scale, &mut marks);
        }
    }
    let Some(number) = active else { return marks };
    let Some(stroke) = in_hand(context).get(number) else { return marks };
    show_curve(&stroke.target, TARGET_COLOR, scale, &mut marks);
    let under = tool.pointer.and_then(|at| knots::knot_at((number, at), context));
    for (index, knot) in stroke.target.knots().iter().enumerate().skip(1) {
        let is_under = under == Some(index);
        let center = knot.at.as_vec3();
        let disc = |color, radius_px: f32| Disc { center, color, radius_px: radius_px * scale };
        marks.discs.push(disc(TARGET_COLOR, KNOT_PX + 1.5));
        marks.discs.push(disc(if is_under { HELD_COLOR } else { KNOT_COLOR }, KNOT_PX));
    }
    if let Some(knot) = tool.focus {
        show_arms(stroke, knot, scale, &mut marks);
    }
    marks
}

/// The arms of a knot, which can be dragged.
fn show_arms(stroke: &PoseStroke, knot: usize, scale: f32, marks: &mut Marks) {
    let Some(of) = stroke.target.knots().get(knot) else { return };
    for (_, end) in knots::arm_ends(stroke, knot) {
        let ends = [of.at.as_vec3(), end.as_vec3()];
        marks.lines.push(Line { ends, color: ARM_COLOR, width_px: ARM_PX * scale });
        let radius_px = ARM_END_PX * scale;
        marks.discs.push(Disc { center: ends[1], color: ARM_COLOR, radius_px });
    }
}

fn show_curve(curve: &Curve, color: [f32; 4], scale: f32, marks: &mut Marks) {
    let places: Vec<Vec3> = curve.points(STEPS).into_iter().map(DVec3::as_vec3).collect();
    polyline(&places, color, STROKE_PX * scale, marks);
}

fn polyline(places: &[Vec3], color: [f32; 4], width_px: f32, marks: &mut Marks) {
    let lines = places.windows(2).map(|pair| Line { ends: [pair[0], pair[1]], color, width_px });
    marks.lines.extend(lines);
}

/// The joints that a stroke poses, with the bones between them.
fn show_chain(chain: &Chain, context: &Context<'_>, marks: &mut Marks) {
    let scale = context.view.gizmo_scale();
    let palette = context.palette();
    let mut places: Vec<Vec3> = (chain.path().iter())
        .map(|&joint| palette.model_from_joint()[joint as usize].translation.as_vec3())
        .collect();
    if let Some(&last) = chain.path().last().filter(|_| chain.has_tail()) {
        places.push(context.bone_ends(&palette, last)[1]);
    }
    polyline(&places, CHAIN_COLOR, CHAIN_PX * scale, marks);
    marks.discs.extend(places.into_iter().map(|center| Disc {
        center,
        color: CHAIN_COLOR,
        radius_px: JOINT_PX * scale,
    }));
}

/// The bones that were elsewhere before.
fn ghost(before: &sinew::skeleton::Pose, context: &Context<'_>, marks: &mut Marks) {
    if before == &**context.pose {
        return;
    }
    let skeleton = &context.document.character().skeleton;
    let palettes = [Palette::new(skeleton, before), Palette::new(skeleton, context.pose)];
    let width_px = GHOST_PX * context.view.gizmo_scale();
    for joint in context.shown_joints() {
        let [was, is] = palettes.each_ref().map(|palette| context.bone_ends(palette, joint));
        let seen = |at: Vec3| context.view.project(at);
        let moved = was.iter().zip(&is).any(|(was, is)| match (seen(*was), seen(*is)) {
            (Some(was), Some(is)) => was.distance(is) > STILL_PX,
            _ => false,
        });
        if moved {
            marks.lines.push(Line { ends: was, color: GHOST_COLOR, width_px });
        }
    }
}
