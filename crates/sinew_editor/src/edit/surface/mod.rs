//! Edits of the surface: strokes drawn on the skin, points that are grabbed, and the stack that
//! they make.

mod bake;
mod mirror;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::glam::Vec3;
use sinew::motion::Address;
use sinew::shape::Deltas;
use sinew::sketch::surface::{Extent, OffsetStroke, ReachBy, SurfaceMethod, SurfaceStroke};

pub(crate) use bake::baked;

use super::{EditError, MovedPoint};
use crate::document::Document;
use crate::motions::Motions;
use crate::name_ref::MeshRef;
use crate::surface::{SurfaceDrawing, SurfaceEntry, SurfaceStack, bytes_of_drawing};

/// A change of the surface edits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SurfaceEdit {
    /// Draws a stroke on the skin: its points go to the offset stroke, and what is around follows.
    DrawSurface {
        /// On which mesh.
        mesh: MeshRef,
        /// What the edit is called; left out, it gets a name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Stroke, offset, extent, method.
        drawing: Box<SurfaceDrawing>,
        /// Where a stroke without places of its own runs: along the skin at rest, past these.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        through: Vec<Vec3>,
        /// How high an offset without knots of its own is, metres.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        height: Option<f64>,
    },
    /// Draws an edit anew, in part: what is left out stays.
    RedrawSurface {
        /// The name of the surface edit.
        surface: String,
        /// Where the stroke runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stroke: Option<SurfaceStroke>,
        /// Where it goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<OffsetStroke>,
        /// How high that is: knots keep their shares of the highest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        height: Option<f64>,
        /// How far the region reaches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extent: Option<Extent>,
        /// How the region follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        method: Option<SurfaceMethod>,
        /// What scale vectors may do, by springs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reach: Option<ReachBy>,
    },
    /// Moves points at rest, further than they have; begins an edit of that name if there is none.
    MoveSurface {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// The name of the surface edit.
        surface: String,
        /// How far each point moves.
        moved: Vec<MovedPoint>,
    },
    /// Sets what an edit is called and how much of it is there; what is left out stays.
    SetSurface {
        /// The name of the surface edit.
        surface: String,
        /// What it is called.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// How much of it; any finite number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weight: Option<f32>,
        /// Whether it does nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        muted: Option<bool>,
    },
    /// Gives an edit another place in the list.
    PlaceSurface {
        /// The name of the surface edit.
        surface: String,
        /// From 0; past the end is the end.
        place: usize,
    },
    /// Adds an edit's mirror image.
    MirrorSurface {
        /// The name of the surface edit.
        surface: String,
        /// What the image is called; left out, it gets a name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Makes an edit a blend shape of its name, with its weight and its keys.
    BakeSurface {
        /// The name of the surface edit.
        surface: String,
    },
    /// Takes an edit away, with its keys.
    RemoveSurface {
        /// The name of the surface edit.
        surface: String,
    },
}

impl SurfaceEdit {
    pub(super) const TAGS: &[&str] = &[
        "draw-surface",
        "redraw-surface",
        "move-surface",
        "set-surface",
        "place-surface",
        "mirror-surface",
        "bake-surface",
        "remove-surface",
    ];

    /// Another weight.
    pub fn weigh(surface: &str, weight: f32) -> Self {
        let (surface, weight) = (surface.to_owned(), Some(weight));
        Self::SetSurface { surface, name: None, weight, muted: None }
    }

    /// Nothing drawn anew yet.
    pub fn redraw(surface: &str) -> Self {
        Self::RedrawSurface {
            surface: surface.to_owned(),
            stroke: None,
            offset: None,
            height: None,
            extent: None,
            method: None,
            reach: None,
        }
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::DrawSurface { .. } => "Stroke on the surface".into(),
            Self::RedrawSurface { surface, height: Some(_), .. } => format!("Height of {surface}"),
            Self::RedrawSurface { surface, .. } => format!("Redraw {surface}"),
            Self::MoveSurface { surface, .. } => format!("Grab: {surface}"),
            Self::SetSurface { surface, name: Some(name), .. } => {
                format!("Rename {surface} to {name}")
            }
            Self::SetSurface { surface, muted: Some(true), .. } => format!("Mute {surface}"),
            Self::SetSurface { surface, muted: Some(false), .. } => format!("Let {surface} act"),
            Self::SetSurface { surface, .. } => format!("Weight of {surface}"),
            Self::PlaceSurface { surface, .. } => format!("Move {surface} in the list"),
            Self::MirrorSurface { surface, .. } => format!("Mirror {surface}"),
            Self::BakeSurface { surface } => format!("Bake {surface} to a shape"),
            Self::RemoveSurface { surface } => format!("Remove {surface}"),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::DrawSurface { drawing, .. } => bytes_of_drawing(drawing),
            Self::RedrawSurface { stroke, offset, .. } => {
                stroke.as_ref().map_or(0, |stroke| size_of_val(stroke.spots()))
                    + offset.as_ref().map_or(0, |offset| size_of_val(offset.knots()))
            }
            Self::MoveSurface { moved, .. } => size_of_val(&moved[..]),
            Self::SetSurface { .. }
            | Self::PlaceSurface { .. }
            | Self::MirrorSurface { .. }
            | Self::BakeSurface { .. }
            | Self::RemoveSurface { .. } => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        let mut stack = SurfaceStack::clone(&document.surface);
        match self {
            Self::DrawSurface { mesh, name, drawing, through, height } => {
                let part = mesh.resolve(&document.character).map_err(EditError::Unknown)?;
                let name = new_name(&stack, name.as_deref(), "Stroke 1")?;
                let mut drawing = SurfaceDrawing::clone(drawing);
                if drawing.stroke.is_empty() {
                    let mesh = &document.character.parts[part].mesh;
                    drawing.stroke = document.surface_memory.stroke_through(mesh, through);
                }
                if let Some(height) = height.filter(|_| drawing.offset.knots().is_empty()) {
                    drawing.offset = OffsetStroke::of_height(height);
                }
                let moved = document.surface_memory.solve(&document.character, part, &drawing)?;
                let drawing = Some(Arc::new(drawing));
                stack.entries.push(SurfaceEntry {
                    drawing,
                    moved: Arc::new(moved),
                    ..unmoved(&stack, name, part)
                });
            }
            Self::RedrawSurface { surface, stroke, offset, height, extent, method, reach } => {
                let entry = &mut stack.entries[document.surface.resolve(surface)?];
                let Some(before) = entry.drawing.as_deref() else {
                    let fault = "it was grabbed, not drawn; grab it again, or draw another";
                    return Err(EditError::value(surface, fault));
                };
                let mut drawing = before.clone();
                drawing.stroke = stroke.clone().unwrap_or(drawing.stroke);
                drawing.offset = offset.clone().unwrap_or(drawing.offset);
                if let Some(height) = height.filter(|height| height.is_finite()) {
                    drawing.offset = drawing.offset.with_height(height);
                }
                drawing.extent = extent.unwrap_or(drawing.extent);
                drawing.method = method.unwrap_or(drawing.method);
                drawing.reach = reach.unwrap_or(drawing.reach);
                let (memory, character) = (&document.surface_memory, &document.character);
                entry.moved = Arc::new(memory.solve(character, entry.part, &drawing)?);
                entry.drawing = Some(Arc::new(drawing));
            }
            Self::MoveSurface { mesh, surface, moved } => {
                let part = mesh.resolve(&document.character).map_err(EditError::Unknown)?;
                let at = match stack.find(surface) {
                    Some(at) => at,
                    None if surface.is_empty() => return Err(nameless()),
                    None => {
                        stack.entries.push(unmoved(&stack, surface.clone(), part));
                        stack.entries.len() - 1
                    }
                };
                move_further(&mut stack.entries[at], part, moved, document)?;
            }
            Self::SetSurface { surface, name, weight, muted } => {
                let at = stack.resolve(surface)?;
                if let Some(name) = name.as_ref().filter(|&name| name != surface) {
                    if stack.find(name).is_some() {
                        return Err(taken(name));
                    }
                    if name.is_empty() {
                        return Err(nameless());
                    }
                    stack.entries[at].name.clone_from(name);
                }
                let entry = &mut stack.entries[at];
                if let Some(weight) = weight {
                    if !weight.is_finite() {
                        let fault = format!("a weight of {weight}; it must be a finite number");
                        return Err(EditError::value(surface, fault));
                    }
                    entry.weight = *weight;
                }
                entry.is_muted = muted.unwrap_or(entry.is_muted);
            }
            Self::PlaceSurface { surface, place } => {
                let entry = stack.entries.remove(document.surface.resolve(surface)?);
                let place = (*place).min(stack.entries.len());
                stack.entries.insert(place, entry);
            }
            Self::MirrorSurface { surface, name } => {
                let entry = &stack.entries[stack.resolve(surface)?];
                let image = mirror::mirrored(entry, &document.character)?;
                let name = new_name(&stack, name.as_deref(), surface)?;
                let number = stack.next_number();
                stack.entries.push(SurfaceEntry { name, number, ..image });
            }
            Self::BakeSurface { surface } => {
                let entry = stack.entries.remove(document.surface.resolve(surface)?);
                bake::bake(document, &entry)?;
            }
            Self::RemoveSurface { surface } => {
                let gone = stack.entries.remove(document.surface.resolve(surface)?);
                forget_keys(document, gone.number);
            }
        }
        if stack != *document.surface {
            document.surface = Arc::new(stack);
        }
        Ok(())
    }
}

/// What a new edit is called.
fn new_name(stack: &SurfaceStack, name: Option<&str>, like: &str) -> Result<String, EditError> {
    match name {
        Some("") => Err(nameless()),
        Some(name) if stack.find(name).is_some() => Err(taken(name)),
        Some(name) => Ok(name.to_owned()),
        None => Ok(stack.free_name(like)),
    }
}

/// Takes the keys of an edit out of the motions.
fn forget_keys(document: &mut Document, number: u32) {
    let mut motions = Motions::clone(&document.motions);
    motions.forget(|address| address == Address::Surface(number));
    if motions != *document.motions {
        document.motions = Arc::new(motions);
    }
}

fn taken(name: &str) -> EditError {
    EditError::value(format!("surface edit '{name}'"), "there is one already; choose another name")
}

fn nameless() -> EditError {
    EditError::value("surface edit", "its name must not be empty")
}

fn unmoved(stack: &SurfaceStack, name: String, part: usize) -> SurfaceEntry {
    SurfaceEntry {
        number: stack.next_number(),
        name,
        part,
        weight: 1.0,
        is_muted: false,
        drawing: None,
        moved: Arc::default(),
    }
}

fn move_further(
    entry: &mut SurfaceEntry,
    part: usize,
    moved: &[MovedPoint],
    document: &Document,
) -> Result<(), EditError> {
    let mesh = &document.character.parts[part].mesh;
    if entry.drawing.is_some() || entry.part != part {
        let fault = "it was drawn, or is of another mesh; grab under another name";
        return Err(EditError::value(&entry.name, fault));
    }
    let mut all = entry.moved.dense();
    all.resize(mesh.points().len(), Vec3::ZERO);
    for &(point, x, y, z) in moved {
        let by = Vec3::new(x, y, z);
        match all.get_mut(point as usize).filter(|_| by.is_finite()) {
            Some(slot) => *slot += by,
            None => {
                let fault = format!(
                    "point {point}: mesh '{}' has points 0 to {}, and a move is three finite numbers",
                    mesh.name(),
                    mesh.points().len().saturating_sub(1)
                );
                return Err(EditError::value(&entry.name, fault));
            }
        }
    }
    entry.moved = Arc::new(Deltas::from(all));
    Ok(())
}

/// What is wrong with the surface edits of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    let entries = document.surface.entries();
    for (at, entry) in entries.iter().enumerate() {
        let name = &entry.name;
        let is_twice = |other: &SurfaceEntry| other.name == *name || other.number == entry.number;
        if name.is_empty() || entries[..at].iter().any(is_twice) {
            return Some(format!("two surface edits '{name}', or none"));
        }
        let Some(part) = document.character.parts.get(entry.part) else {
            return Some(format!("surface edit '{name}' of a mesh that is not there"));
        };
        let moves = entry.moved.num_points();
        if !entry.weight.is_finite() || (moves != 0 && moves != part.mesh.points().len()) {
            return Some(format!("surface edit '{name}' does not fit its mesh"));
        }
    }
    None
}
