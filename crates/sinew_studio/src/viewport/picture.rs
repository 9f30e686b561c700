//! The picture of a view: drawn anew only where something changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{self, Rect};
use sinew::glam::Vec3;
use sinew_view::camera::{Camera, Size};
use sinew_view::overlay::{self, BoneShape, BoneStyle};
use sinew_view::scene::{Marks, Overlay, Scene};

use sinew_editor::tool::{PaintTarget, painted_values};

use super::canvas::Shown;
use super::draughtsman::Care;
use super::paint::{self, Coloring};
use super::structures::{self, Structures};
use super::{Bones, pixels};
use crate::studio::{Studio, Views};
use crate::theme;

/// Bones are seen through a little, so that the skin before them is still there.
const FRONT_OPACITY: f32 = 0.9;
/// The side of a picture over the view's while something moves, where drawing is slow.
const MOVING_SCALE: f32 = 0.5;
/// Where the colours of painted stiffness end.
const MOST_STIFFNESS: f32 = 4.0;

/// What a picture was drawn from; the same again need not be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnKey {
    num_answers: [u64; 2],
    /// Where colours are of points that come from the card later.
    num_reads: [u64; 2],
    camera: Camera,
    size: Size,
    coloring: (Coloring, Option<u32>),
    /// What the brush paints, if not weights, and in which layer.
    painted: (PaintTarget, Option<String>),
    shows: [bool; 2],
    hidden_meshes: BTreeSet<usize>,
    /// Smaller, with coarser shadows and edges, for as long as something moves.
    is_quick: bool,
    marks: Marks,
    /// Which shapes of other times are seen; 0 for none.
    ghosts: u64,
    structures: Structures,
}

impl DrawnKey {
    pub(crate) fn camera(&self) -> &Camera {
        &self.camera
    }
}

/// Draws a view if it changed; `None` before the first answer.
pub(super) fn picture(
    studio: &mut Studio,
    ui: &egui::Ui,
    pane: usize,
    rect: Rect,
) -> Option<egui::TextureId> {
    let is_dark = ui.visuals().dark_mode;
    let is_dragging = studio.workspace.editor().is_open() || studio.session.playback.is_held();
    let is_playing = studio.session.playback.is_playing();
    let is_moving = studio.views.state.capture.is_some() || is_dragging || is_playing;
    let is_quick = is_moving && studio.views.canvas.is_slow();
    let scale = if is_quick { MOVING_SCALE } else { 1.0 };
    let size = pixels(rect, scale * ui.pixels_per_point());
    let camera = studio.views.navigator.camera();
    let panes = &studio.views.panes;
    let first_answers = panes.pane(0).num_answers;
    let num_answers = panes.pane(pane).num_answers;
    let structures = studio.views.structures(pane);
    let num_reads = match studio.views.state.coloring.is_of_points() || structures.rest_skin {
        true => [panes.pane(pane).num_reads, panes.pane(0).num_reads],
        false => [0; 2],
    };
    if num_answers == 0 {
        return None;
    }
    let mut marks = Marks::default();
    if let Some(answer) = studio.views.panes.answer(pane) {
        let skeleton = answer.frame.skeleton();
        let bones = studio.views.state.bones;
        if bones != Bones::Off && !skeleton.is_empty() {
            let accent = studio.session.selection.active.filter(|&j| (j as usize) < skeleton.len());
            let style = BoneStyle {
                shape: if bones == Bones::XRay { BoneShape::Octahedron } else { BoneShape::Stick },
                helpers: studio.session.helpers(),
                shares: studio.session.bone_shares(),
                shows_helpers: studio.session.shows_helpers,
                accent: accent.map(|joint| (joint, Vec3::new(0.95, 0.45, 0.05))),
                ..BoneStyle::default()
            };
            marks.append(overlay::skeleton(skeleton, answer.frame.palette(), &style));
        }
        let (document, helpers) = (studio.document(), studio.session.helpers());
        let structures = studio.views.structures(pane);
        marks.append(structures.lines(document, &answer.frame, helpers));
        if let Some(refused) = &studio.panels.cage.refused {
            marks.append(structures::refused(&refused.cage, &refused.report));
        }
        if studio.has_tool_for(pane) {
            marks.append(studio.session.marks(studio.workspace.editor()));
        }
        if studio.views.state.coloring == Coloring::Shells {
            let posed = |part: usize| answer.frame.parts()[part].points();
            marks.append(sinew_view::shells::ties(&answer.springs, posed));
        }
    }
    // The tool's are in pixels of the whole view; a quick picture has fewer.
    for width in marks.lines.iter_mut().map(|line| &mut line.width_px) {
        *width *= scale;
    }
    for radius in marks.discs.iter_mut().map(|disc| &mut disc.radius_px) {
        *radius *= scale;
    }
    let ghosts = ghosts(studio).map_or(0, |(number, _)| number);
    let coloring = studio.views.state.coloring;
    let is_of_joint = matches!(coloring, Coloring::Weights | Coloring::Influences);
    let joint = studio.session.selection.active.filter(|_| is_of_joint);
    let painted = (target(studio), studio.session.weights.layer_of(studio.document()));
    let key = DrawnKey {
        num_answers: [num_answers, first_answers],
        num_reads,
        camera,
        size,
        coloring: (coloring, joint),
        painted,
        shows: [studio.views.state.shows_wireframe, is_dark],
        hidden_meshes: studio.session.hidden_meshes.clone(),
        is_quick,
        marks,
        ghosts,
        structures: studio.views.structures(pane),
    };
    if studio.views.panes.pane_mut(pane).drawn.as_ref() != Some(&key) {
        draw(studio, ui, pane, key);
    }
    if let Some(ms) = studio.views.panes.pane_mut(pane).target.poll(ui.ctx()) {
        studio.views.panes.note_drawing(ms);
    }
    studio.views.panes.pane_mut(pane).target.texture()
}

/// The character at the keys beside the playhead, where that is asked for; not while it moves.
fn ghosts(studio: &mut Studio) -> Option<(u64, Arc<Marks>)> {
    let playback = &studio.session.playback;
    if !studio.views.state.shows_onion || playback.is_playing() {
        return None;
    }
    let (motion, seconds) = (Arc::clone(playback.motion()?), playback.seconds());
    let document = studio.workspace.editor().document();
    Some(studio.views.state.onion.around(document, &motion, seconds))
}

/// What the brush in hand paints.
fn target(studio: &Studio) -> PaintTarget {
    let is_brush = studio.session.tool().name() == "Paint";
    if is_brush { studio.session.weights.target } else { PaintTarget::Weights }
}

/// What the brush paints in place of weights.
pub(crate) fn painted(studio: &Studio) -> Option<paint::Painted> {
    let target = target(studio);
    let most = match target {
        PaintTarget::Weights => return None,
        PaintTarget::Mask => 1.0,
        PaintTarget::Stiffness => MOST_STIFFNESS,
    };
    let (document, tools) = (studio.document(), &studio.session.weights);
    let values = |part: usize| painted_values(document, tools, part);
    let of_part = (0..document.character().parts.len()).map(values).collect();
    Some(paint::Painted { name: target.name(), most, of_part })
}

fn draw(studio: &mut Studio, ui: &egui::Ui, pane: usize, key: DrawnKey) {
    let is_dark = ui.visuals().dark_mode;
    let (coloring, joint) = key.coloring;
    let mut ghosts = ghosts(studio).map(|(_, marks)| Marks::clone(&marks)).unwrap_or_default();
    let Some(answer) = studio.views.panes.answer(pane) else { return };
    let of_pane = studio.views.panes.pane(pane);
    if let Some(points) = of_pane.points() {
        // The rest of what a card moves is there with its points.
        ghosts.append(key.structures.rest_skin(studio.document(), points));
    }
    let first = studio.views.panes.pane(0).points().filter(|_| pane > 0);
    let painted = painted(studio);
    let colored = paint::Colored { answer, points: of_pane.points(), first, painted };
    let (mut surfaces, legend) = studio.views.state.painter.paint(&colored, coloring, joint);
    if studio.views.state.shows_wireframe {
        for surface in &mut surfaces {
            surface.wireframe = Some(paint::wireframe(is_dark));
        }
    }
    if !key.structures.skin {
        surfaces.iter_mut().for_each(|surface| surface.is_shown = false);
    }
    for &mesh in &key.hidden_meshes {
        if let Some(surface) = surfaces.get_mut(mesh) {
            surface.is_shown = false;
        }
    }
    let scene = Scene {
        camera: key.camera,
        look: theme::look(is_dark, key.is_quick),
        surfaces,
        overlay: Overlay {
            among: ghosts,
            in_front: key.marks.clone(),
            front_opacity: FRONT_OPACITY,
        },
        ground: Some(answer.ground),
    };
    let (size, on_card) = (key.size, answer.on_card.clone());
    let care = if key.is_quick { Care::Quick } else { Care::Fine };
    let Views { canvas, panes, .. } = &mut studio.views;
    let drawn = panes.pane_mut(pane);
    drawn.drawn = Some(key);
    drawn.legend = legend;
    let shown = Shown { scene, on_card: on_card.as_ref(), size, care };
    match canvas.draw(ui.ctx(), &mut drawn.target, shown, &studio.clock) {
        Ok(Some(ms)) => studio.views.panes.note_drawing(ms),
        Ok(None) => {}
        Err(error) => studio.toasts.failed(error.to_string()),
    }
}
