//! The cage tool: choose handles by a click, a box or a lasso; move, turn and scale them, slide
//! them along their normals, at rest or in the pose, with the pointer or with numbers.
//!
//! In the pose each drag is an edit of the *posed* cage: the rest cage that leads there is found by
//! the coupling, so that skeleton, cage and skin stay in step.

mod drag;
mod gizmo;
mod handles;
mod marks;
mod work;

pub use drag::{CageMove, cage_center, cage_moved};
pub use work::{CageGesture, CageWork};

use std::collections::BTreeSet;

use glam::{DVec3, Vec2, Vec3};
use sinew_view::scene::Marks;

use super::region::Region;
use super::typed::{Typed, type_into};
use super::{Act, Context, Event, Hit, Key, Modifiers, Tool};
use crate::selection::Selection;
use drag::{Held, Kind, Start, Way};
use gizmo::Gizmo;
use handles::Handles;

/// A drag shorter than this is a click.
const CLICK_PX: f32 = 3.0;

/// Click a handle and drag it; drag beside the cage for all in a box or a lasso.
#[derive(Clone, Debug, Default)]
pub struct CageTool {
    held: Option<Held>,
    choosing: Option<Choosing>,
    pointer: Option<Vec2>,
    hovered_way: Option<Way>,
    hovered_handle: Option<u32>,
}

/// A box or a lasso that is being drawn.
#[derive(Clone, Debug)]
struct Choosing {
    way: Vec<Vec2>,
    modifiers: Modifiers,
    /// Let go; what lies in it is being found out.
    is_over: bool,
}

impl Choosing {
    fn is_click(&self) -> bool {
        self.way.iter().all(|at| at.distance(self.way[0]) <= CLICK_PX)
    }

    fn region(&self, context: &Context<'_>) -> Region {
        let last = self.way.last().copied().unwrap_or_default();
        match context.picking.by_lasso {
            true => Region::Lasso(self.way.clone()),
            false => Region::Box(self.way[0], last),
        }
    }

    /// What it chooses; `None` while that is being found out.
    fn choice(&self, context: &Context<'_>) -> Option<Selection> {
        let Modifiers { shift, control } = self.modifiers;
        let mut selection = context.selection.clone();
        if !shift && !control {
            selection.choose_handles([]);
        }
        if self.is_click() {
            return Some(selection);
        }
        let Some(handles) = Handles::shown(context) else { return Some(selection) };
        let inside = handles.inside(&self.region(context), context)?;
        let chosen = selection.handles.iter().copied();
        let next: BTreeSet<u32> = match control {
            true => chosen.filter(|handle| !inside.contains(handle)).collect(),
            false => chosen.chain(inside).collect(),
        };
        selection.choose_handles(next);
        Some(selection)
    }
}

/// The gizmo on the chosen handles.
fn gizmo(context: &Context<'_>) -> Option<Gizmo> {
    let start = Start::of(&context.selection.handles, context)?;
    Some(Gizmo::new(&start, context.cage.gesture.into()))
}

/// A part of the gizmo on the chosen handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CageGizmo {
    /// Any way.
    Middle,
    /// The end of the arrow along an axis.
    X,
    /// The same.
    Y,
    /// The same.
    Z,
    /// The end of the arrow along the normals.
    Normal,
}

/// Where a part of the gizmo is, in the model. For scripts; `None` without a chosen handle.
pub fn cage_gizmo_place(context: &Context<'_>, part: CageGizmo) -> Option<Vec3> {
    let gizmo = gizmo(context)?;
    match part {
        CageGizmo::Middle => Some(gizmo.center),
        CageGizmo::X => gizmo.tip(Way::Along(DVec3::X), context),
        CageGizmo::Y => gizmo.tip(Way::Along(DVec3::Y), context),
        CageGizmo::Z => gizmo.tip(Way::Along(DVec3::Z), context),
        CageGizmo::Normal => gizmo.tip(Way::Normal, context),
    }
}

/// Where a handle is shown. For scripts.
pub fn cage_handle_place(context: &Context<'_>, handle: u32) -> Option<Vec3> {
    let handles = Handles::shown(context)?;
    ((handle as usize) < handles.places.len()).then(|| handles.place(handle))
}

impl CageTool {
    fn begin(kind: Kind, context: &Context<'_>) -> Act {
        let what = match kind {
            Kind::Move => "Move",
            Kind::Turn => "Turn",
            Kind::Scale => "Scale",
        };
        let (label, at_rest) = (format!("{what} the cage"), context.cage.at_rest);
        Act::BeginCage { label, at_rest }
    }

    fn press(&mut self, at: Vec2, modifiers: Modifiers, context: &Context<'_>) -> Vec<Act> {
        if self.held.take().is_some() {
            return vec![Act::Commit];
        }
        let Some(handles) = Handles::shown(context) else { return Vec::new() };
        let on_gizmo = gizmo(context).and_then(|gizmo| Some((gizmo.way_at(at, context)?, gizmo)));
        if let Some((way, gizmo)) = on_gizmo.filter(|_| !modifiers.shift && !modifiers.control)
            && let Some(start) = Start::of(&context.selection.handles, context)
        {
            let held = Held::new(start, gizmo.kind, way, at, false);
            self.held = Some(match gizmo.kind {
                Kind::Turn => held.take_ring(&gizmo.ring(way, context), context),
                Kind::Move | Kind::Scale => held,
            });
            return vec![Self::begin(gizmo.kind, context)];
        }
        let Some(handle) = handles.at(at, context) else {
            self.choosing = Some(Choosing { way: vec![at], modifiers, is_over: false });
            return Vec::new();
        };
        let mut selection = context.selection.clone();
        let is_chosen = selection.handles.contains(&handle);
        if modifiers.shift || modifiers.control {
            selection.toggle_handle(handle);
            return vec![Act::Select(selection)];
        }
        if is_chosen {
            selection.active_handle = Some(handle);
        } else {
            selection.choose_handles([handle]);
        }
        let chosen = Context { selection: &selection, ..*context };
        let start = Start::of(&selection.handles, &chosen);
        self.held = start.map(|start| Held::new(start, Kind::Move, Way::Free, at, false));
        let begun = self.held.iter().map(|_| Self::begin(Kind::Move, context));
        let begun: Vec<Act> = begun.collect();
        std::iter::once(Act::Select(selection)).chain(begun).collect()
    }

    /// With no button held, from where the pointer is.
    fn grab(&mut self, at: Vec2, context: &Context<'_>) -> Vec<Act> {
        let Some(start) = Start::of(&context.selection.handles, context) else {
            return Vec::new();
        };
        let gizmo = Gizmo::new(&start, context.cage.gesture.into());
        let held = Held::new(start, gizmo.kind, Way::Free, at, true);
        self.held = Some(match gizmo.kind {
            Kind::Turn => held.take_ring(&gizmo.ring(Way::Free, context), context),
            Kind::Move | Kind::Scale => held,
        });
        vec![Self::begin(gizmo.kind, context)]
    }

    /// Chooses what lies in what was drawn, if that is known.
    fn finish(&mut self, context: &Context<'_>) -> Vec<Act> {
        let Some(choosing) = self.choosing.as_mut() else { return Vec::new() };
        choosing.is_over = true;
        let Some(selection) = choosing.choice(context) else { return Vec::new() };
        self.choosing = None;
        vec![Act::Select(selection)]
    }

    fn key(&mut self, key: Key, context: &Context<'_>) -> Vec<Act> {
        let way = match key {
            Key::Char('x') => Some(Way::Along(DVec3::X)),
            Key::Char('y') => Some(Way::Along(DVec3::Y)),
            Key::Char('z') => Some(Way::Along(DVec3::Z)),
            Key::Char('n') => Some(Way::Normal),
            _ => None,
        };
        if let Some(way) = way {
            return self.constrain(way, context);
        }
        match key {
            Key::Escape if self.choosing.is_some() => {
                self.choosing = None;
                Vec::new()
            }
            Key::Escape => self.held.take().map(|_| Act::Cancel).into_iter().collect(),
            Key::Enter => self.held.take().map(|_| Act::Commit).into_iter().collect(),
            Key::Char(_) | Key::Backspace => {
                let Some(held) = &mut self.held else { return Vec::new() };
                let is_used = type_into(&mut held.typed, key);
                is_used.then(|| held.act(context)).into_iter().collect()
            }
        }
    }

    /// Holds a drag to a way; without a drag, a number is waited for.
    fn constrain(&mut self, way: Way, context: &Context<'_>) -> Vec<Act> {
        if let Some(held) = &mut self.held {
            held.constrain(way, context);
            return vec![held.act(context)];
        }
        let Some(start) = Start::of(&context.selection.handles, context) else {
            return Vec::new();
        };
        let kind = Kind::from(context.cage.gesture);
        let mut held = Held::new(start, kind, way, Vec2::ZERO, true);
        held.typed = Some(Typed::default());
        self.held = Some(held);
        vec![Self::begin(kind, context), Act::Replace(Vec::new())]
    }
}

impl Tool for CageTool {
    fn name(&self) -> &'static str {
        "Cage"
    }

    fn hint(&self) -> String {
        match &self.held {
            None => "Click a handle and drag it, or drag beside the cage for a box; Shift adds, Ctrl takes out. X, Y, Z or N (normals) and a number move by it".into(),
            Some(held) => format!(
                "{}  X, Y, Z hold to an axis, N to the normals, digits type, Ctrl goes in steps. Enter to keep it, Esc to take it back",
                held.words()
            ),
        }
    }

    fn is_hovered(&self) -> bool {
        self.hovered_way.is_some()
    }

    fn has_pointer(&self) -> bool {
        self.choosing.as_ref().is_some_and(|choosing| !choosing.is_over)
    }

    fn is_waiting(&self) -> bool {
        self.choosing.as_ref().is_some_and(|choosing| choosing.is_over)
    }

    fn under(&self, at: Vec2, context: &Context<'_>) -> Option<Hit> {
        Handles::shown(context)?.at(at, context).map(Hit::CageHandle)
    }

    fn shows_rest(&self, work: &CageWork) -> bool {
        work.at_rest
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => self.press(at, modifiers, context),
            Event::Grabbed { .. } if self.held.is_some() => Vec::new(),
            Event::Grabbed { at } => self.grab(at, context),
            Event::Moved { at, modifiers } => {
                self.pointer = Some(at);
                if let Some(choosing) = self.choosing.as_mut().filter(|c| !c.is_over) {
                    choosing.way.push(at);
                    return Vec::new();
                }
                if let Some(held) = &mut self.held {
                    // A number that is being typed is not the pointer's.
                    if held.typed.is_some() {
                        return Vec::new();
                    }
                    held.move_to(at, modifiers.control);
                    return vec![held.act(context)];
                }
                self.hovered_way = gizmo(context).and_then(|gizmo| gizmo.way_at(at, context));
                let handles = Handles::shown(context);
                self.hovered_handle = handles.and_then(|handles| handles.at(at, context));
                Vec::new()
            }
            Event::Released { .. } if self.held.as_ref().is_some_and(|held| !held.is_modal) => {
                self.held = None;
                vec![Act::Commit]
            }
            Event::Released { .. } | Event::Found if self.choosing.is_some() => {
                self.finish(context)
            }
            Event::Released { .. } | Event::Found => Vec::new(),
            Event::Key(key) => self.key(key, context),
        }
    }

    fn marks(&self, _: &Context<'_>) -> Marks {
        Marks::default()
    }

    fn overlay(&self, context: &Context<'_>) -> Marks {
        let Some(handles) = Handles::shown(context) else { return Marks::default() };
        let chosen = handles.chosen(context);
        let hovered = self.hovered_handle.filter(|_| self.held.is_none());
        let pointer = self.pointer;
        let mut marks = marks::cage_marks(&handles, (&chosen, hovered), pointer, context);
        let held = self.held.as_ref().map(|held| held.way);
        if let Some(gizmo) = gizmo(context) {
            marks.append(gizmo.marks((held, self.hovered_way), context));
        }
        if let Some(choosing) = self.choosing.as_ref().filter(|choosing| !choosing.is_click()) {
            let corners = match choosing.region(context) {
                Region::Lasso(line) => line,
                Region::Box(a, b) => vec![a, Vec2::new(b.x, a.y), b, Vec2::new(a.x, b.y)],
            };
            marks.append(marks::outline(&corners, context));
        }
        marks
    }
}
