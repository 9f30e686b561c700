//! Surface edits of a document: a stack of strokes and grabs, each with what it moves at rest.
//!
//! An entry keeps both what was drawn and what came of it: what was drawn can be changed later, and
//! opening a project solves nothing. What several do adds up, so that any of them can be muted,
//! weighted and keyed by itself.

use std::sync::{Arc, Mutex, PoisonError};

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::mesh::{Adjacency, Mesh};
use sinew::shape::Deltas;
use sinew::sketch::surface::{
    Bones, Extent, Handle, OffsetStroke, ReachBy, Sheet, StrokeFrame, SurfaceMethod, SurfaceSolver,
    SurfaceStroke, handles_of, region_of,
};
use sinew::springs::Region;

use crate::edit::{EditError, MovedPoint};
use crate::name_ref::MeshRef;
use crate::names;

/// What was drawn: a stroke, how far its surroundings follow, and where it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurfaceDrawing {
    /// Where it runs.
    #[serde(default)]
    pub stroke: SurfaceStroke,
    /// Where it goes.
    #[serde(default)]
    pub offset: OffsetStroke,
    /// How far the region reaches.
    pub extent: Extent,
    /// How the region follows.
    #[serde(default)]
    pub method: SurfaceMethod,
    /// What scale vectors may do, by springs.
    #[serde(default)]
    pub reach: ReachBy,
}

/// An edit of the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceEntry {
    /// Motions know it by this, whatever its name and place.
    pub number: u32,
    /// Unique in the stack, never empty.
    pub name: String,
    /// The number of the mesh.
    pub part: usize,
    /// How much of it is there; any finite number.
    pub weight: f32,
    /// It does nothing.
    pub is_muted: bool,
    /// What was drawn; `None` of points that were moved by hand.
    pub drawing: Option<Arc<SurfaceDrawing>>,
    /// How far points move at rest.
    pub moved: Arc<Deltas>,
}

/// All of a document, in the order of its list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceStack {
    pub(crate) entries: Vec<SurfaceEntry>,
}

impl SurfaceStack {
    /// In their order.
    pub fn entries(&self) -> &[SurfaceEntry] {
        &self.entries
    }

    /// The place of what is called so.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    /// The entry that motions know by a number.
    pub fn by_number(&self, number: u32) -> Option<&SurfaceEntry> {
        self.entries.iter().find(|entry| entry.number == number)
    }

    /// The place of what is called so; else what is wrong, with the nearest names.
    pub(crate) fn resolve(&self, name: &str) -> Result<usize, EditError> {
        let all = self.entries.iter().map(|entry| entry.name.as_str());
        let unknown = || EditError::Unknown(names::unknown("surface edit", name, all));
        self.find(name).ok_or_else(unknown)
    }

    /// A number that none has.
    pub(crate) fn next_number(&self) -> u32 {
        self.entries.iter().map(|entry| entry.number + 1).max().unwrap_or(1)
    }

    /// A name that none has.
    pub(crate) fn free_name(&self, like: &str) -> String {
        if self.find(like).is_none() && !like.is_empty() {
            return like.to_owned();
        }
        let base = like.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
        let base = if base.is_empty() { "Edit" } else { base };
        let numbered = (2..).map(|number| format!("{base} {number}"));
        let is_free = |name: &String| self.find(name).is_none();
        numbered.into_iter().find(is_free).unwrap_or_default()
    }

    /// Moves the points of a character's rest; `weight` says how much of each entry is there.
    pub fn rest_offsets(
        &self,
        character: &Character,
        weight: impl Fn(&SurfaceEntry) -> f32,
    ) -> Vec<Vec<Vec3>> {
        let mut offsets = vec![Vec::new(); character.parts.len()];
        for entry in self.entries.iter().filter(|entry| !entry.is_muted) {
            let weight = weight(entry);
            let Some(of_part) = offsets.get_mut(entry.part).filter(|_| weight != 0.0) else {
                continue;
            };
            if of_part.is_empty() {
                let num_points = character.parts[entry.part].mesh.points().len();
                of_part.resize(num_points, Vec3::ZERO);
            }
            entry.moved.add_to(weight, of_part);
        }
        offsets
    }

    /// Bytes that it holds and another does not.
    pub(crate) fn bytes_not_shared_with(&self, other: &Self) -> usize {
        let of_entry = |entry: &SurfaceEntry| {
            let known = other.by_number(entry.number);
            let moved = match known.is_some_and(|known| Arc::ptr_eq(&known.moved, &entry.moved)) {
                true => 0,
                false => entry.moved.bytes(),
            };
            let drawn = entry.drawing.as_ref().map_or(0, |drawing| {
                let is_known = known
                    .and_then(|known| known.drawing.as_ref())
                    .is_some_and(|known| Arc::ptr_eq(known, drawing));
                if is_known { 0 } else { bytes_of_drawing(drawing) }
            });
            size_of::<SurfaceEntry>() + entry.name.len() + moved + drawn
        };
        self.entries.iter().map(of_entry).sum()
    }
}

pub(crate) fn bytes_of_drawing(drawing: &SurfaceDrawing) -> usize {
    size_of_val(drawing.stroke.spots()) + size_of_val(drawing.offset.knots())
}

/// A stroke on a mesh at rest: its frames, what it takes hold of, and the region around that.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// One a spot.
    pub frames: Vec<StrokeFrame>,
    /// The points nearest to it.
    pub handles: Vec<Handle>,
    /// Around them.
    pub region: Region,
}

impl Drawn {
    /// Of a drawing on a surface.
    pub fn of(drawing: &SurfaceDrawing, sheet: &Sheet<'_>) -> Self {
        let frames = drawing.stroke.frames(sheet);
        let handles = handles_of(&drawing.stroke, &frames, sheet);
        let region = region_of(sheet, &handles, drawing.extent);
        Self { frames, handles, region }
    }
}

/// The surface that was worked on last, and the region that was bound on it. Copies of a document
/// share it: what is bound takes longer than what is then solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfaceMemory {
    last: Arc<Mutex<Option<Kept>>>,
}

#[derive(Debug)]
struct Kept {
    mesh: Mesh,
    adjacency: Arc<Adjacency>,
    bound: Option<Bound>,
}

impl Kept {
    /// What is known of a mesh.
    fn of<'k>(mesh: &Mesh, last: &'k mut Option<Self>) -> &'k mut Self {
        match last.take() {
            Some(kept) if kept.mesh.is_shared_with(mesh) => last.insert(kept),
            _ => {
                let adjacency = Arc::new(Adjacency::of(mesh));
                last.insert(Self { mesh: mesh.clone(), adjacency, bound: None })
            }
        }
    }
}

#[derive(Debug)]
struct Bound {
    /// Its offset is that of the last solve, and counts for nothing.
    drawing: SurfaceDrawing,
    /// For springs.
    character: Arc<Character>,
    drawn: Drawn,
    solver: SurfaceSolver,
}

impl Bound {
    fn serves(&self, drawing: &SurfaceDrawing, character: &Arc<Character>) -> bool {
        let own = &self.drawing;
        own.method == drawing.method
            && own.extent == drawing.extent
            && own.reach == drawing.reach
            && own.stroke == drawing.stroke
            && (drawing.method != SurfaceMethod::Springs || Arc::ptr_eq(&self.character, character))
    }
}

impl SurfaceMemory {
    /// A stroke along a mesh at rest.
    pub(crate) fn stroke_through(&self, mesh: &Mesh, places: &[Vec3]) -> SurfaceStroke {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = Kept::of(mesh, &mut last);
        SurfaceStroke::through(&Sheet::of(&kept.mesh, &kept.adjacency), places)
    }

    /// How far points move at rest if this is drawn on a mesh.
    pub(crate) fn solve(
        &self,
        character: &Arc<Character>,
        part: usize,
        drawing: &SurfaceDrawing,
    ) -> Result<Deltas, EditError> {
        let of_part = &character.parts[part];
        check(drawing, &of_part.mesh)?;
        // A thread that panicked while it held this has left something that serves, or nothing.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = Kept::of(&of_part.mesh, &mut last);
        let sheet = Sheet::of(&kept.mesh, &kept.adjacency);
        let bound = match kept.bound.take() {
            Some(bound) if bound.serves(drawing, character) => kept.bound.insert(bound),
            _ => {
                let drawn = Drawn::of(drawing, &sheet);
                let weights = of_part.weights.as_ref();
                let bones = Bones { skeleton: &character.skeleton, weights, reach: drawing.reach };
                let solver = SurfaceSolver::bind(&sheet, &drawn.region, drawing.method, &bones)
                    .map_err(|error| EditError::value("surface edit", error.to_string()))?;
                let (drawing, character) = (drawing.clone(), Arc::clone(character));
                kept.bound.insert(Bound { drawing, character, drawn, solver })
            }
        };
        let Drawn { frames, handles, .. } = &bound.drawn;
        let moves: Vec<DVec3> =
            handles.iter().map(|handle| drawing.offset.move_at(frames, handle.share)).collect();
        Ok(Deltas::of_moved(of_part.mesh.points().len(), bound.solver.solve(&moves)))
    }
}

/// The most that a region may reach, edges or metres: more is a typing error.
const MOST_EDGES: u32 = 1000;
const MOST_METRES: f32 = 1000.0;

fn check(drawing: &SurfaceDrawing, mesh: &Mesh) -> Result<(), EditError> {
    let fault = |what: &str, fault: String| Err(EditError::value(what, fault));
    let num_triangles = mesh.point_triangles().len();
    let spots = drawing.stroke.spots();
    if let Some(at) = spots.iter().position(|spot| !spot.is_of(num_triangles)) {
        let words = format!(
            "mesh '{}' has triangles 0 to {}, and a place's three shares sum to one",
            mesh.name(),
            num_triangles.saturating_sub(1)
        );
        return fault(&format!("stroke[{at}]"), words);
    }
    if spots.is_empty() {
        return fault("stroke", "it is nowhere; give at least one place".into());
    }
    let is_knot = |knot: &sinew::sketch::surface::OffsetKnot| {
        (0.0..=1.0).contains(&knot.share) && knot.by.is_finite()
    };
    if let Some(at) = drawing.offset.knots().iter().position(|knot| !is_knot(knot)) {
        let words = "a share from 0 to 1, and three finite numbers".into();
        return fault(&format!("offset[{at}]"), words);
    }
    let is_extent = match drawing.extent {
        Extent::Edges(edges) => edges <= MOST_EDGES,
        Extent::Metres(metres) => (0.0..=MOST_METRES).contains(&metres),
    };
    match is_extent {
        true => Ok(()),
        false => fault("extent", format!("0 to {MOST_EDGES} edges, or to {MOST_METRES} metres")),
    }
}

/// An entry as projects have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SurfaceRecord {
    number: u32,
    name: String,
    mesh: MeshRef,
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    weight: f32,
    #[serde(default, skip_serializing_if = "is_not")]
    muted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drawing: Option<SurfaceDrawing>,
    moved: Vec<MovedPoint>,
}

fn whole() -> f32 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_whole(weight: &f32) -> bool {
    *weight == 1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_not(muted: &bool) -> bool {
    !muted
}

impl SurfaceRecord {
    pub(crate) fn of(entry: &SurfaceEntry, character: &Character) -> Self {
        let moved = entry.moved.moved().filter(|(_, by)| *by != Vec3::ZERO);
        Self {
            number: entry.number,
            name: entry.name.clone(),
            mesh: MeshRef::of(character, entry.part),
            weight: entry.weight,
            muted: entry.is_muted,
            drawing: entry.drawing.as_deref().cloned(),
            moved: moved.map(|(point, by)| (point, by.x, by.y, by.z)).collect(),
        }
    }

    pub(crate) fn entry(&self, character: &Character) -> Result<SurfaceEntry, EditError> {
        let part = self.mesh.resolve(character).map_err(EditError::Unknown)?;
        let mesh = &character.parts[part].mesh;
        if let Some(drawing) = &self.drawing {
            check(drawing, mesh)?;
        }
        let moved = self.moved.iter().map(|&(point, x, y, z)| (point, Vec3::new(x, y, z)));
        Ok(SurfaceEntry {
            number: self.number,
            name: self.name.clone(),
            part,
            weight: self.weight,
            is_muted: self.muted,
            drawing: self.drawing.clone().map(Arc::new),
            moved: Arc::new(Deltas::of_moved(mesh.points().len(), moved)),
        })
    }
}
