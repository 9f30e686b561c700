//! The grab brush: takes the skin under it along, less towards its rim.

use std::sync::Arc;

use glam::{DQuat, Vec2, Vec3};
use sinew::sketch::surface::Sheet;
use sinew::weights::paint::dab_on_surface;
use sinew_view::scene::Marks;

use super::super::weights::{Neighbours, ring};
use super::super::{Act, Context, Event, Hit, Key, Tool};
use super::place::turn_of;
use super::spot_at;
use crate::edit::{MovedPoint, SurfaceEdit};
use crate::name_ref::MeshRef;
use crate::selection::Selection;

/// Grab the skin and pull it, in any pose.
#[derive(Debug, Default)]
pub struct GrabTool {
    held: Option<Held>,
    over: Option<Over>,
    /// A press that waits for what is under it.
    pressed: Option<Vec2>,
    /// The same of a pointer that rests.
    rests: Option<Vec2>,
    neighbours: Neighbours,
}

#[derive(Clone, Copy, Debug)]
struct Over {
    part: usize,
    point: u32,
    place: Vec3,
    normal: Vec3,
}

#[derive(Debug)]
struct Held {
    part: usize,
    name: String,
    /// Points, how far they go along, and what brings a move of the posed skin back to rest.
    taken: Vec<(u32, f64, DQuat)>,
    place: Vec3,
    from: Vec2,
}

impl GrabTool {
    /// What of the skin is under a pixel; `None` within while it is being found out.
    fn over_at(&mut self, at: Vec2, context: &Context<'_>) -> Option<Option<Over>> {
        let seen = context.picker?.seen(&context.view)?;
        Some(spot_at(at, &seen).and_then(|(part, spot)| {
            let mesh = &context.document.character().parts.get(part)?.mesh;
            let posed = context.frame?.parts().get(part)?.points();
            let adjacency = self.neighbours.of(mesh);
            let sheet = Sheet::of(mesh, &adjacency);
            if posed.len() != sheet.points.len() {
                return None;
            }
            let sheet = sheet.posed(posed);
            let point = spot.nearest_corner(&sheet);
            Some(Over { part, point, place: spot.place(&sheet), normal: spot.normal(&sheet) })
        }))
    }

    fn press(&mut self, at: Vec2, context: &Context<'_>) -> Vec<Act> {
        self.over = self.over_at(at, context).flatten();
        // Beside the skin a drag looks around.
        let Some(over) = self.over else { return vec![Act::Select(Selection::default())] };
        let Some(held) = self.take(at, over, context) else { return Vec::new() };
        let acts = vec![
            Act::Stroke(format!("Grab: {}", held.name)),
            Act::ChooseSurface(Some(held.name.clone())),
        ];
        self.held = Some(held);
        acts
    }

    fn take(&mut self, from: Vec2, over: Over, context: &Context<'_>) -> Option<Held> {
        let character = context.document.character();
        let mesh = &character.parts.get(over.part)?.mesh;
        let frame = context.frame?.parts().get(over.part)?;
        let adjacency: Arc<_> = self.neighbours.of(mesh);
        let work = context.surface;
        let (radius, falloff) = (work.radius_of(character), work.falloff);
        let dab =
            dab_on_surface(frame.points(), &adjacency, over.point, over.place, radius, falloff);
        let triangles = mesh.point_triangles();
        let rest = Sheet { points: frame.rest(), triangles, adjacency: &adjacency };
        let posed = rest.posed(frame.points());
        let taken = dab
            .into_iter()
            .map(|(point, share)| (point, share, turn_of(point, &rest, &posed).inverse()));
        // Grabs go on in the edit that is worked on, if that was grabbed, too.
        let own = work.entry(context.document);
        let own = own.filter(|entry| entry.part == over.part && entry.drawing.is_none());
        let name = match own {
            Some(entry) => entry.name.clone(),
            None => context.document.surface().free_name("Grab 1"),
        };
        Some(Held { part: over.part, name, taken: taken.collect(), place: over.place, from })
    }
}

impl Held {
    fn edit(&self, at: Vec2, context: &Context<'_>) -> Act {
        let [before, after] =
            [self.from, at].map(|pixel| context.view.on_facing_plane(pixel, self.place));
        let by = (after - before).as_dvec3();
        let moved = self.taken.iter().map(|&(point, share, rest_from_posed)| -> MovedPoint {
            let by = (rest_from_posed * (share * by)).as_vec3();
            (point, by.x, by.y, by.z)
        });
        let mesh = MeshRef::of(context.document.character(), self.part);
        let (surface, moved) = (self.name.clone(), moved.collect());
        Act::Replace(vec![SurfaceEdit::MoveSurface { mesh, surface, moved }.into()])
    }
}

impl Tool for GrabTool {
    fn name(&self) -> &'static str {
        "Grab"
    }

    fn hint(&self) -> String {
        match self.held {
            Some(_) => "Let go to keep it · Escape puts it back".into(),
            None => "Drag the skin: what is within the brush goes along".into(),
        }
    }

    fn has_pointer(&self) -> bool {
        self.held.is_some() || self.pressed.is_some()
    }

    fn is_waiting(&self) -> bool {
        self.pressed.is_some() || self.rests.is_some()
    }

    fn under(&self, _: Vec2, _: &Context<'_>) -> Option<Hit> {
        None
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, .. } => {
                if self.over_at(at, context).is_none() {
                    self.pressed = Some(at);
                    return Vec::new();
                }
                self.press(at, context)
            }
            Event::Moved { at, .. } => match &self.held {
                Some(held) => vec![held.edit(at, context)],
                None => {
                    let found = self.over_at(at, context);
                    self.rests = found.is_none().then_some(at);
                    self.over = found.flatten();
                    Vec::new()
                }
            },
            Event::Released { .. } => {
                self.pressed = None;
                self.held.take().map(|_| Act::Commit).into_iter().collect()
            }
            Event::Found => match (self.pressed.take(), self.rests) {
                (Some(at), _) if self.over_at(at, context).is_some() => self.press(at, context),
                (pressed @ Some(_), _) => {
                    self.pressed = pressed;
                    Vec::new()
                }
                (None, Some(at)) => {
                    let found = self.over_at(at, context);
                    self.rests = found.is_none().then_some(at);
                    self.over = found.flatten();
                    Vec::new()
                }
                (None, None) => Vec::new(),
            },
            Event::Key(Key::Escape) => self.held.take().map(|_| Act::Cancel).into_iter().collect(),
            Event::Key(_) | Event::Grabbed { .. } => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let Some(over) = self.over.filter(|_| self.held.is_none()) else { return Marks::default() };
        let radius = context.surface.radius_of(context.document.character()) as f32;
        ring(over.place, over.normal, radius, context)
    }
}
