//! Between the screen and the plane that strokes lie on.

use glam::{DVec2, DVec3, Vec2};
use sinew::skeleton::{Palette, Pose};
use sinew::sketch::chain::{Chain, Seen};
use sinew::sketch::pose::{PoseStroke, StrokePlane};
use sinew::sketch::stroke::{Curve, FitSettings};

use super::super::Context;
use super::super::limb::limb_ends;
use super::{Facing, OwnPlane};
use crate::view::distance_to_segment;

/// The skeleton as it is seen.
#[derive(Debug)]
pub(super) struct Screen {
    is_end: Vec<bool>,
    bones: Vec<Option<[DVec2; 2]>>,
    reach_px: f64,
}

impl Screen {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let skeleton = &context.document.character().skeleton;
        let palette = context.palette();
        let mut bones = vec![None; skeleton.len()];
        for joint in context.shown_joints() {
            let [head, tail] = context.bone_ends(&palette, joint);
            let seen = [context.view.project(head), context.view.project(tail)];
            if let [Some(head), Some(tail)] = seen {
                bones[joint as usize] = Some([head.as_dvec2(), tail.as_dvec2()]);
            }
        }
        let reach_px = f64::from(context.sketch.reach_px * context.view.gizmo_scale());
        Self { is_end: limb_ends(skeleton), bones, reach_px }
    }

    pub(super) fn seen<'a>(&'a self, context: &Context<'a>) -> Seen<'a> {
        let skeleton = &context.document.character().skeleton;
        Seen { skeleton, is_end: &self.is_end, bones: &self.bones, reach_px: self.reach_px }
    }

    /// True if a stroke that begins there is meant for the skeleton.
    pub(super) fn is_near(&self, at: Vec2) -> bool {
        let is_near = |[head, tail]: &[DVec2; 2]| {
            let bone = [head.as_vec2(), tail.as_vec2()];
            f64::from(distance_to_segment(at, bone)) <= self.reach_px
        };
        self.bones.iter().flatten().any(is_near)
    }
}

/// The plane for a stroke over a chain.
pub(super) fn plane(chain: &Chain, pose: &Pose, context: &Context<'_>) -> StrokePlane {
    let camera = &context.view.camera;
    if context.sketch.facing == Facing::Own {
        let OwnPlane { through, normal } = own_plane(context);
        return StrokePlane { through, normal, eye: Some(camera.eye().as_dvec3()) };
    }
    let palette = Palette::new(&context.document.character().skeleton, pose);
    let first = palette.model_from_joint()[chain.path()[0] as usize].translation;
    StrokePlane {
        through: if context.sketch.through_look_at { camera.target.as_dvec3() } else { first },
        normal: context.sketch.facing.normal(towards_eye(context)),
        eye: Some(camera.eye().as_dvec3()),
    }
}

fn towards_eye(context: &Context<'_>) -> DVec3 {
    (context.view.camera.view_from_model_rotation().inverse() * glam::Vec3::Z).as_dvec3()
}

/// Where the gizmo of a plane that nobody has dragged yet is, as shares of the picture: beside the
/// character, where no stroke begins.
const GIZMO_PLACE: Vec2 = Vec2::new(0.16, 0.78);

/// The plane that is placed by hand. Until it was, it faces the view, as deep as the character.
pub(super) fn own_plane(context: &Context<'_>) -> OwnPlane {
    context.sketch.own.unwrap_or_else(|| {
        let view = &context.view;
        let size = Vec2::new(view.size.width as f32, view.size.height as f32);
        let deep = context.document.character().bounds().center();
        let through = view.on_facing_plane(GIZMO_PLACE * size, deep).as_dvec3();
        OwnPlane { through, normal: towards_eye(context) }
    })
}

/// The place of a plane under a pixel; `None` where it is seen edge-on.
pub(super) fn under(plane: &StrokePlane, at: Vec2, context: &Context<'_>) -> Option<DVec3> {
    plane.under(context.view.camera.eye().as_dvec3(), context.view.direction(at).as_dvec3())
}

/// The strokes whose knots can be moved: those that made what is shown.
pub(super) fn in_hand<'a>(context: &Context<'a>) -> &'a [PoseStroke] {
    context.document.strokes_of(context.pose)
}

/// How long a pixel is, where a plane is.
pub(super) fn pixel(plane: &StrokePlane, context: &Context<'_>) -> f64 {
    1.0 / f64::from(context.view.pixels_per_metre(plane.through.as_vec3())).max(1e-9)
}

/// What was drawn in pixels as a curve on a plane.
pub(super) fn on_plane(
    samples: &[Vec2],
    plane: &StrokePlane,
    context: &Context<'_>,
) -> Option<Curve> {
    let places: Vec<DVec3> = samples.iter().filter_map(|&at| under(plane, at, context)).collect();
    Curve::fit(&places, &fit(context).scaled(pixel(plane, context))).ok()
}

/// What was drawn, as a curve in pixels.
pub(super) fn on_screen(samples: &[Vec2], context: &Context<'_>) -> Option<Curve> {
    let places: Vec<DVec3> = samples.iter().map(|at| at.as_dvec2().extend(0.0)).collect();
    Curve::fit(&places, &fit(context)).ok()
}

pub(super) fn fit(context: &Context<'_>) -> FitSettings {
    FitSettings::SCREEN.scaled(f64::from(context.view.gizmo_scale()))
}
