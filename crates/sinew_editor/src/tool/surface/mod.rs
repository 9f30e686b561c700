//! Tools for the surface: strokes on the posed skin, and a brush that grabs it.

mod grab;
mod marks;
mod offset;
mod place;
mod work;

pub use grab::GrabTool;
pub use work::SurfaceWork;

use std::sync::Arc;

use glam::{Vec2, Vec3};
use sinew::mesh::Mesh;
use sinew::sketch::stroke::{FitSettings, Steady};
use sinew::sketch::surface::{OffsetStroke, Sheet, StrokeFrame, SurfaceSpot, SurfaceStroke};
use sinew_view::pick::PickBuffer;
use sinew_view::scene::Marks;

use super::weights::Neighbours;
use super::{Act, Context, Event, Hit, Key, Modifiers, Tool};
use crate::edit::SurfaceEdit;
use crate::name_ref::MeshRef;
use crate::selection::Selection;
use crate::surface::{Drawn, SurfaceDrawing, SurfaceEntry};
use offset::{by_pressure, drawn_anew, moved};
use place::Base;

/// Places of a stroke are this far apart: nearer ones are the pen's jitter.
const APART_PX: f32 = 2.0;
/// A fast hand still gets its line, in no more places than this a move.
const MOST_PLACES: usize = 1024;
/// Draw on the skin: the stroke's points rise to the offset stroke, and what is around follows.
#[derive(Debug, Default)]
pub struct SurfaceTool {
    held: Option<Held>,
    /// The knot under the pointer.
    over: Option<Over>,
    /// A press that waits for what is under it.
    pressed: Option<(Vec2, Modifiers)>,
    /// The points of the mesh in hand as they stood when the pen went down: shown while it moves.
    ghost: Vec<Vec3>,
    neighbours: Neighbours,
    /// For the hint, which sees no document.
    has_chosen: bool,
    /// What the marks were found from last.
    known: std::cell::RefCell<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    drawing: Arc<SurfaceDrawing>,
    mesh: Mesh,
    drawn: Arc<Drawn>,
}

/// What of the offset stroke is under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Knot(usize),
    Line,
}

#[derive(Debug)]
enum Held {
    /// A stroke under way.
    Stroke {
        part: usize,
        name: String,
        /// It takes the place of that edit's stroke.
        redraws: bool,
        /// What is under each pixel, as it was when the stroke began: the skin rises under the pen.
        seen: Arc<PickBuffer>,
        /// Where the mesh's points were then, without the edit.
        posed: Vec<Vec3>,
        /// How long a pixel is there.
        unit: f64,
        stroke: SurfaceStroke,
        /// How hard the pen was pressed at each of its spots; empty where nobody tells it.
        pressures: Vec<f32>,
        /// Pulls the line along.
        steady: Steady,
        last: Vec2,
    },
    /// A part of the offset stroke.
    Offset { name: String, over: Over, offset: OffsetStroke, frames: Vec<StrokeFrame>, from: Vec2 },
    /// An offset stroke that is drawn anew.
    Redraw { name: String, offset: OffsetStroke, frames: Vec<StrokeFrame>, line: Vec<Vec2> },
}

impl SurfaceTool {
    /// The drawing that is worked on.
    fn chosen<'d>(context: &Context<'d>) -> Option<(&'d SurfaceEntry, &'d Arc<SurfaceDrawing>)> {
        let entry = context.surface.entry(context.document)?;
        Some((entry, entry.drawing.as_ref()?))
    }

    /// Its frames on the skin as it would stand without it.
    fn frames(&mut self, context: &Context<'_>) -> Option<Vec<StrokeFrame>> {
        let (entry, drawing) = Self::chosen(context)?;
        let mesh = &context.document.character().parts[entry.part].mesh;
        let adjacency = self.neighbours.of(mesh);
        let base = Base::of(entry, &adjacency, context)?;
        Some(drawing.stroke.frames(&base.sheet(&adjacency)))
    }

    fn over_at(&mut self, at: Vec2, context: &Context<'_>) -> Option<Over> {
        let frames = self.frames(context)?;
        let (_, drawing) = Self::chosen(context)?;
        offset::over(&drawing.offset, &frames, at, context)
    }

    fn press(&mut self, at: Vec2, modifiers: Modifiers, context: &Context<'_>) -> Vec<Act> {
        let redraws = modifiers.shift || context.surface.redraws;
        if modifiers.control {
            return self.press_offset(at, context);
        }
        if !redraws && let Some(over) = self.over_at(at, context) {
            return self.take_offset(at, over, context);
        }
        let Some(seen) = context.picker.and_then(|picker| picker.seen(&context.view)) else {
            return Vec::new();
        };
        let Some((part, spot)) = spot_at(at, &seen) else {
            // Beside the skin a drag looks around.
            return vec![Act::Select(Selection::default())];
        };
        let again = Self::chosen(context).filter(|(entry, _)| redraws && entry.part == part);
        let adjacency = self.neighbours.of(&context.document.character().parts[part].mesh);
        let stroke = SurfaceStroke::new([spot]);
        let (name, acts, posed) = match again {
            Some((entry, _)) => {
                let base = Base::of(entry, &adjacency, context);
                let posed = base.map_or(Vec::new(), Base::into_points);
                let name = entry.name.clone();
                let acts = vec![Act::Stroke(format!("Redraw {name}"))];
                (name, acts, posed)
            }
            None => {
                let name = context.document.surface().free_name("Stroke 1");
                let shown = context.frame.and_then(|frame| frame.parts().get(part));
                let posed = shown.map_or(Vec::new(), |shown| shown.points().to_vec());
                let label = Act::Stroke(format!("Draw {name}"));
                let acts = vec![label, Act::ChooseSurface(Some(name.clone()))];
                (name, acts, posed)
            }
        };
        let deep = seen.at(at.max(Vec2::ZERO).as_uvec2()).map_or(Vec3::ZERO, |pick| pick.position);
        let unit = 1.0 / f64::from(context.view.pixels_per_metre(deep)).max(1e-9);
        let string = f64::from(context.sketch.steady_px * context.view.gizmo_scale());
        let steady = Steady::new(at.as_dvec2(), string);
        let pressures = context.pressure.into_iter().collect();
        let redraws = again.is_some();
        self.remember(part, context);
        self.held = Some(Held::Stroke {
            part,
            name,
            redraws,
            seen,
            posed,
            unit,
            stroke,
            pressures,
            steady,
            last: at,
        });
        acts.into_iter().chain(self.edit(context)).collect()
    }

    /// Takes hold of the offset stroke.
    fn take_offset(&mut self, at: Vec2, over: Over, context: &Context<'_>) -> Vec<Act> {
        let (Some(frames), Some((entry, drawing))) = (self.frames(context), Self::chosen(context))
        else {
            return Vec::new();
        };
        let (name, offset) = (entry.name.clone(), drawing.offset.clone());
        let label = format!("Offset of {name}");
        self.remember(entry.part, context);
        self.held = Some(Held::Offset { name, over, offset, frames, from: at });
        vec![Act::Stroke(label)]
    }

    /// With Control: takes a knot of the offset stroke out, puts one in where its line is, or draws
    /// all of it anew.
    fn press_offset(&mut self, at: Vec2, context: &Context<'_>) -> Vec<Act> {
        let over = self.over_at(at, context);
        let (Some(over), Some(frames), Some((entry, drawing))) =
            (over, self.frames(context), Self::chosen(context))
        else {
            return self.begin_redraw(at, context);
        };
        let name = entry.name.clone();
        match over {
            Over::Knot(index) => {
                let Some(offset) = drawing.offset.with_knot_deleted(index) else {
                    return Vec::new();
                };
                let edit = redraw(&name, offset).into();
                let label = format!("Take a knot of {name} out");
                vec![Act::Stroke(label), Act::Replace(vec![edit]), Act::Commit]
            }
            Over::Line => {
                let share = offset::share_at(&drawing.offset, &frames, at, context);
                let Some(share) = share else { return Vec::new() };
                let (offset, knot) = drawing.offset.with_knot_inserted(share);
                let edit = redraw(&name, offset.clone()).into();
                let label = format!("Add a knot to {name}");
                let over = Over::Knot(knot);
                self.remember(entry.part, context);
                self.held = Some(Held::Offset { name, over, offset, frames, from: at });
                vec![Act::Stroke(label), Act::Replace(vec![edit])]
            }
        }
    }

    fn begin_redraw(&mut self, at: Vec2, context: &Context<'_>) -> Vec<Act> {
        let (Some(frames), Some((entry, drawing))) = (self.frames(context), Self::chosen(context))
        else {
            return Vec::new();
        };
        let (name, offset) = (entry.name.clone(), drawing.offset.clone());
        let label = format!("Redraw {name}");
        self.remember(entry.part, context);
        self.held = Some(Held::Redraw { name, offset, frames, line: vec![at] });
        vec![Act::Stroke(label)]
    }

    /// What the pen does next; where it goes up, the line ends under it.
    fn drag_to(&mut self, at: Vec2, is_end: bool, context: &Context<'_>) -> Vec<Act> {
        match &mut self.held {
            Some(Held::Stroke { part, seen, stroke, pressures, steady, last, .. }) => {
                let at = if is_end { at } else { steady.follow(at.as_dvec2()).as_vec2() };
                let way = at - *last;
                let num_places = ((way.length() / APART_PX) as usize).min(MOST_PLACES);
                if num_places == 0 {
                    return Vec::new();
                }
                for place in 1..=num_places {
                    let pixel = *last + way * (place as f32 / num_places as f32);
                    if let Some((_, spot)) = spot_at(pixel, seen).filter(|(of, _)| of == part) {
                        stroke.push(spot);
                        let harder = context.pressure.filter(|_| !pressures.is_empty());
                        pressures.extend(harder.filter(|_| pressures.len() < stroke.spots().len()));
                    }
                }
                *last = at;
            }
            Some(Held::Redraw { line, .. }) => {
                if line.last().is_some_and(|last| last.distance(at) < APART_PX) {
                    return Vec::new();
                }
                line.push(at);
            }
            Some(Held::Offset { .. }) | None => {}
        }
        self.edit_to(at, context).into_iter().collect()
    }

    fn edit(&self, context: &Context<'_>) -> Option<Act> {
        self.edit_to(Vec2::ZERO, context)
    }

    /// What the drag is now.
    fn edit_to(&self, at: Vec2, context: &Context<'_>) -> Option<Act> {
        let character = context.document.character();
        let edit = match self.held.as_ref()? {
            Held::Stroke { part, name, redraws, posed, unit, stroke, pressures, .. } => {
                let stroke = self.smoothed(stroke, (*part, posed.as_slice()), *unit, context);
                let mut drawing = context.surface.drawing(character, *part, stroke);
                let pressed = by_pressure(&drawing.offset, pressures);
                if *redraws {
                    let mut edit = SurfaceEdit::redraw(name);
                    if let SurfaceEdit::RedrawSurface { stroke, offset, .. } = &mut edit {
                        (*stroke, *offset) = (Some(drawing.stroke), pressed);
                    }
                    return Some(Act::Replace(vec![edit.into()]));
                }
                drawing.offset = pressed.unwrap_or(drawing.offset);
                SurfaceEdit::DrawSurface {
                    mesh: MeshRef::of(character, *part),
                    name: Some(name.clone()),
                    drawing: Box::new(drawing),
                    through: Vec::new(),
                    height: None,
                }
            }
            Held::Offset { name, over, offset, frames, from } => {
                redraw(name, moved(offset, *over, frames, [*from, at], context)?)
            }
            Held::Redraw { name, offset, frames, line } => {
                redraw(name, drawn_anew(offset, frames, line, context)?)
            }
        };
        Some(Act::Replace(vec![edit.into()]))
    }

    /// A stroke without the tremble of the hand, on the skin as it stood when it began.
    fn smoothed(
        &self,
        stroke: &SurfaceStroke,
        (part, posed): (usize, &[Vec3]),
        unit: f64,
        context: &Context<'_>,
    ) -> SurfaceStroke {
        let mesh = &context.document.character().parts[part].mesh;
        if posed.len() != mesh.points().len() {
            return stroke.clone();
        }
        let adjacency = Neighbours::clone(&self.neighbours).of(mesh);
        let pixel = unit * f64::from(context.view.gizmo_scale());
        let sheet = Sheet::of(mesh, &adjacency).posed(posed);
        stroke.smoothed(&sheet, &FitSettings::SCREEN.scaled(pixel))
    }

    /// Keeps how a mesh stands now.
    fn remember(&mut self, part: usize, context: &Context<'_>) {
        let shown = context.frame.and_then(|frame| frame.parts().get(part));
        self.ghost = shown.map_or(Vec::new(), |shown| shown.points().to_vec());
    }

    /// The pen goes up, or what it did is forgotten.
    fn end(&mut self, ending: Act) -> Vec<Act> {
        self.ghost.clear();
        match self.held.take() {
            Some(Held::Stroke { name, redraws: true, .. }) => {
                vec![ending, Act::ChooseSurface(Some(name))]
            }
            Some(Held::Stroke { .. }) if ending == Act::Cancel => {
                vec![ending, Act::ChooseSurface(None)]
            }
            Some(_) => vec![ending],
            None => Vec::new(),
        }
    }
}

fn redraw(name: &str, offset: OffsetStroke) -> SurfaceEdit {
    let mut edit = SurfaceEdit::redraw(name);
    if let SurfaceEdit::RedrawSurface { offset: slot, .. } = &mut edit {
        *slot = Some(offset);
    }
    edit
}

/// The triangle under a pixel, and where in it.
fn spot_at(at: Vec2, seen: &PickBuffer) -> Option<(usize, SurfaceSpot)> {
    if at.cmplt(Vec2::ZERO).any() {
        return None;
    }
    let pick = seen.at(at.as_uvec2())?;
    Some((pick.surface as usize, SurfaceSpot::new(pick.triangle, pick.barycentrics)))
}

impl Tool for SurfaceTool {
    fn name(&self) -> &'static str {
        "Sketch"
    }

    fn hint(&self) -> String {
        match (&self.held, self.has_chosen) {
            (Some(Held::Stroke { .. }), _) => "Let go to keep the stroke · Escape forgets it".into(),
            (Some(_), _) => "Let go to keep it · Escape puts it back".into(),
            (None, true) => "Drag the blue line or its knots · Ctrl: add or take a knot, draw a new blue line · Shift: draw the red one again".into(),
            (None, false) => "Draw a stroke on the skin: it rises along it".into(),
        }
    }

    fn is_hovered(&self) -> bool {
        self.over.is_some()
    }

    fn has_pointer(&self) -> bool {
        self.held.is_some() || self.pressed.is_some()
    }

    fn is_waiting(&self) -> bool {
        self.pressed.is_some()
    }

    fn under(&self, _: Vec2, _: &Context<'_>) -> Option<Hit> {
        None
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        self.has_chosen = Self::chosen(context).is_some();
        match *event {
            Event::Pressed { at, modifiers } => {
                let is_found =
                    context.picker.is_none_or(|picker| picker.seen(&context.view).is_some());
                if !is_found && !modifiers.control {
                    self.pressed = Some((at, modifiers));
                    return Vec::new();
                }
                self.press(at, modifiers, context)
            }
            Event::Moved { at, .. } => {
                if self.held.is_some() {
                    return self.drag_to(at, false, context);
                }
                self.over = self.over_at(at, context);
                Vec::new()
            }
            Event::Released { at } => {
                self.pressed = None;
                let is_stroke = matches!(self.held, Some(Held::Stroke { .. }));
                let mut acts = if is_stroke { self.drag_to(at, true, context) } else { Vec::new() };
                acts.extend(self.end(Act::Commit));
                acts
            }
            Event::Found => match self.pressed.take() {
                Some((at, modifiers)) => {
                    let acts = self.press(at, modifiers, context);
                    if acts.is_empty() {
                        self.pressed = Some((at, modifiers));
                    }
                    acts
                }
                None => Vec::new(),
            },
            Event::Key(Key::Escape) => self.end(Act::Cancel),
            Event::Key(_) | Event::Grabbed { .. } => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        self.drawing_marks(context).unwrap_or_default()
    }

    fn overlay(&self, context: &Context<'_>) -> Marks {
        let mut marks = Marks::default();
        if let Some(Held::Redraw { line, frames, .. }) = &self.held
            && let Some(frame) = frames.first()
        {
            let at = frame.place.as_vec3();
            let places: Vec<Vec3> =
                line.iter().map(|&pixel| context.view.on_facing_plane(pixel, at)).collect();
            marks.lines = marks::line(&places, [0.4, 0.75, 1.0, 0.8], context.view.gizmo_scale());
        }
        marks
    }
}

impl SurfaceTool {
    fn drawing_marks(&self, context: &Context<'_>) -> Option<Marks> {
        let (entry, drawing) = Self::chosen(context)?;
        let mesh = &context.document.character().parts[entry.part].mesh;
        let adjacency = Neighbours::clone(&self.neighbours).of(mesh);
        let at_rest = Sheet::of(mesh, &adjacency);
        let posed = context.frame?.parts().get(entry.part)?.points();
        if posed.len() != at_rest.points.len() {
            // They are on a card, and on their way.
            return None;
        }
        // While it is dragged the frame on the screen is older than the edit: what was known when
        // the drag began does not jump.
        let frames = match &self.held {
            Some(Held::Offset { frames, .. } | Held::Redraw { frames, .. }) => frames.clone(),
            Some(Held::Stroke { posed, .. }) if posed.len() == at_rest.points.len() => {
                drawing.stroke.frames(&at_rest.posed(posed))
            }
            _ => drawing.stroke.frames(&Base::of(entry, &adjacency, context)?.sheet(&adjacency)),
        };
        let mut known = self.known.borrow_mut();
        let is_known = known.as_ref().is_some_and(|known| {
            known.mesh.is_shared_with(mesh)
                && known.drawing.stroke == drawing.stroke
                && known.drawing.extent == drawing.extent
        });
        if !is_known {
            let drawn = Arc::new(Drawn::of(drawing, &at_rest));
            *known = Some(Known { drawing: Arc::clone(drawing), mesh: mesh.clone(), drawn });
        }
        let drawn = Arc::clone(&known.as_ref()?.drawn);
        let taken = match (&self.held, self.over) {
            (Some(Held::Offset { over: Over::Knot(knot), .. }), _) => Some(*knot),
            (None, Some(Over::Knot(knot))) => Some(knot),
            _ => None,
        };
        let shown = marks::Shown { drawing, drawn: &drawn, frames: &frames, taken };
        let sheet = at_rest.posed(posed);
        let mut marks = marks::ghost(&drawn.region, &self.ghost, &sheet, context);
        marks.append(marks::of(&shown, &sheet, context));
        Some(marks)
    }
}
