//! Edits of the cage: which one there is, and where its handles are, at rest and in the pose.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use sinew::cage::{Cage, CageSettings, CoordinateKind};
use sinew::frame::{CageRig, Rig};
use sinew::motion::{Cursor, MotionSample};
use sinew::progress::Silent;

use super::EditError;
use crate::document::Document;
use crate::name_ref::MotionRef;

/// A change of the cage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CageEdit {
    /// Puts a cage around the character, or takes it away. Of the cage that is there already the
    /// coordinates change, and handles stay where they were moved to.
    SetCage {
        /// Points, and faces of three or four of them; `null` for none.
        cage: Option<Cage>,
        /// How points hang on it.
        #[serde(default)]
        coordinates: CoordinateKind,
    },
    /// Puts a cage around another part, or point handles, beside what is there: each piece then
    /// holds what is in it, and its handles come after those that are there.
    AddToCage {
        /// Points, and faces of three or four of them.
        #[serde(default)]
        cage: Option<Cage>,
        /// Point handles: each holds the skin around the point nearest to it.
        #[serde(default)]
        points: Vec<DVec3>,
    },
    /// Makes a cage.
    GenerateCage {
        /// About how many triangles, 60 to 1,000.
        #[serde(default = "default_faces")]
        faces: usize,
        /// How far from the skin, over the character's diagonal.
        #[serde(default = "default_offset")]
        offset: f64,
        /// Whether a symmetric character gets a symmetric one.
        #[serde(default = "default_symmetric")]
        symmetric: bool,
    },
    /// Moves handles at rest; the others stay.
    MoveCage {
        /// Where to, by number.
        #[serde(deserialize_with = "by_number")]
        handles: BTreeMap<u32, DVec3>,
    },
    /// Moves handles of the posed cage; the others stay, and the rest cage is found that leads
    /// there.
    MovePosedCage {
        /// Where to, by number.
        #[serde(deserialize_with = "by_number")]
        handles: BTreeMap<u32, DVec3>,
    },
    /// Takes the rest cage that a motion has at a time.
    CageFromClip {
        /// Its name.
        clip: String,
        /// Held before the first key and after the last.
        seconds: f64,
    },
    /// Puts all handles back.
    ResetCage {},
}

/// Keys of an object are texts, and serde takes them for nothing else below a tag.
fn by_number<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<u32, DVec3>, D::Error> {
    use serde::de::Error;
    let named = BTreeMap::<String, DVec3>::deserialize(deserializer)?;
    let number = |(name, place): (String, DVec3)| match name.parse() {
        Ok(handle) => Ok((handle, place)),
        Err(_) => Err(D::Error::custom(format!("handle '{name}'; handles go by number, from 0"))),
    };
    named.into_iter().map(number).collect()
}

fn default_faces() -> usize {
    CageSettings::default().faces
}

fn default_offset() -> f64 {
    CageSettings::default().offset
}

fn default_symmetric() -> bool {
    CageSettings::default().symmetric
}

impl CageEdit {
    pub(super) const TAGS: &[&str] = &[
        "set-cage",
        "add-to-cage",
        "generate-cage",
        "move-cage",
        "move-posed-cage",
        "cage-from-clip",
        "reset-cage",
    ];

    pub(super) fn label(&self) -> String {
        let moved = |what: &str, handles: &BTreeMap<u32, DVec3>| match handles.len() {
            1 => format!("Move a handle of the {what}"),
            n => format!("Move {n} handles of the {what}"),
        };
        match self {
            Self::SetCage { cage: Some(cage), .. } => {
                format!("Cage of {} handles", cage.points().len())
            }
            Self::SetCage { cage: None, .. } => "No cage".into(),
            Self::AddToCage { cage: Some(cage), .. } => {
                format!("A further cage of {} handles", cage.points().len())
            }
            Self::AddToCage { cage: None, points } => match points.len() {
                1 => "Add a point handle".into(),
                n => format!("Add {n} point handles"),
            },
            Self::GenerateCage { faces, .. } => format!("Make a cage of {faces} faces"),
            Self::MoveCage { handles } => moved("cage", handles),
            Self::MovePosedCage { handles } => moved("posed cage", handles),
            Self::CageFromClip { clip, .. } => format!("Cage from {clip}"),
            Self::ResetCage {} => "Reset the cage".into(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::SetCage { cage: Some(cage), .. } => bytes_of_cage(cage),
            Self::AddToCage { cage, points } => {
                cage.as_ref().map_or(0, bytes_of_cage) + size_of_val(&points[..])
            }
            Self::MoveCage { handles } | Self::MovePosedCage { handles } => {
                handles.len() * size_of::<(u32, DVec3)>()
            }
            Self::CageFromClip { clip, .. } => clip.len(),
            Self::SetCage { cage: None, .. } | Self::GenerateCage { .. } | Self::ResetCage {} => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        match self {
            Self::SetCage { cage, coordinates } => {
                let rig = cage.clone().map(|cage| CageRig::of(cage, *coordinates));
                set(document, rig)
            }
            Self::AddToCage { cage, points } => add(document, cage.as_ref(), points),
            Self::GenerateCage { faces, offset, symmetric } => {
                let settings =
                    CageSettings { faces: *faces, offset: *offset, symmetric: *symmetric };
                let cage = Cage::generate(&document.character, &settings, &Silent);
                set(document, Some(CageRig::new(cage.map_err(|error| fault(error.to_string()))?)))
            }
            Self::MoveCage { handles } => {
                let mut points = rest_cage(document)?;
                put(&mut points, handles)?;
                keep(document, points);
                Ok(())
            }
            Self::MovePosedCage { handles } => {
                let points = reversed(document, handles)?;
                keep(document, points);
                Ok(())
            }
            Self::CageFromClip { clip, seconds } => {
                if !seconds.is_finite() {
                    return Err(EditError::value("seconds", "must be a finite number"));
                }
                let rest = rest_cage(document)?;
                let at = MotionRef(clip.clone()).resolve(document).map_err(EditError::Unknown)?;
                let motion = document.motions.motion(&document.character, at);
                let mut sample = MotionSample::rest(&document.character);
                let skeleton = &document.character.skeleton;
                motion.evaluate(skeleton, *seconds, &mut Cursor::default(), &mut sample);
                let points = with_offsets(document, &rest, &sample.cage_offsets);
                keep(document, points.unwrap_or(rest));
                Ok(())
            }
            Self::ResetCage {} => {
                rest_cage(document)?;
                document.rest_cage = Arc::default();
                Ok(())
            }
        }
    }
}

pub(super) fn bytes_of_cage(cage: &Cage) -> usize {
    size_of_val(cage.points()) + size_of_val(cage.faces())
}

fn fault(error: impl Into<String>) -> EditError {
    EditError::value("cage", error)
}

/// Takes a cage that can be bound.
fn set(document: &mut Document, cage: Option<CageRig>) -> Result<(), EditError> {
    if let Some(rig) = &cage {
        let report = rig.cage.check_topology();
        if report.has_errors() {
            return Err(fault(report.to_string()));
        }
    }
    let mut changed = document.clone();
    let faces = |rig: &Option<CageRig>| rig.as_ref().map(|rig| rig.cage.faces().to_vec());
    if faces(&cage) != faces(&document.rig.cage) {
        // Its keys are of handles that are not there any more.
        Arc::make_mut(&mut changed.motions).forget_cage(&changed.character);
    }
    let places = |rig: &Option<CageRig>| rig.as_ref().map(|rig| rig.cage.points().to_vec());
    if faces(&cage) != faces(&document.rig.cage) || places(&cage) != places(&document.rig.cage) {
        changed.rest_cage = Arc::default();
    }
    changed.rig = Arc::new(Rig { cage, ..Rig::clone(&document.rig) });
    // What cannot be bound is refused here, not by the solver.
    changed.cage_plan.of(&changed)?;
    *document = changed;
    Ok(())
}

/// Puts handles beside those that are there, which keep their numbers, places and keys.
fn add(document: &mut Document, cage: Option<&Cage>, points: &[DVec3]) -> Result<(), EditError> {
    let joined = match &document.rig.cage {
        Some(rig) => rig.cage.joined(cage, points),
        None => match cage {
            Some(cage) => cage.joined(None, points),
            None => Cage::new(points.to_vec(), Vec::new()),
        },
    };
    let joined = joined.map_err(|error| fault(error.to_string()))?;
    let report = joined.check_topology();
    if report.has_errors() {
        return Err(fault(report.to_string()));
    }
    let mut changed = document.clone();
    if !document.rest_cage.is_empty() {
        let new = &joined.points()[document.rest_cage.len()..];
        changed.rest_cage = Arc::new([&document.rest_cage[..], new].concat());
    }
    let rig = CageRig::of(joined, CoordinateKind::Parts);
    changed.rig = Arc::new(Rig { cage: Some(rig), ..Rig::clone(&document.rig) });
    changed.cage_plan.of(&changed)?;
    *document = changed;
    Ok(())
}

/// Where the handles are at rest.
fn rest_cage(document: &Document) -> Result<Vec<DVec3>, EditError> {
    match (&document.rig.cage, document.rest_cage.is_empty()) {
        (None, _) => Err(fault("there is none; `set-cage` or `generate-cage` first")),
        (Some(rig), true) => Ok(rig.cage.points().to_vec()),
        (Some(_), false) => Ok(document.rest_cage.to_vec()),
    }
}

/// A rest cage with the handles that a motion moves where it moves them; `None` if it moves none.
pub(crate) fn with_offsets(
    document: &Document,
    rest: &[DVec3],
    offsets: &[Option<DVec3>],
) -> Option<Vec<DVec3>> {
    let bound = document.rig.cage.as_ref()?.cage.points();
    if offsets.iter().all(Option::is_none) {
        return None;
    }
    let offsets = offsets.iter().copied().chain(std::iter::repeat(None));
    let rest = if rest.is_empty() { bound } else { rest };
    let place = |((&rest, &bound), by): ((&DVec3, &DVec3), Option<DVec3>)| match by {
        Some(by) => bound + by,
        None => rest,
    };
    Some(rest.iter().zip(bound).zip(offsets).map(place).collect())
}

fn put(points: &mut [DVec3], handles: &BTreeMap<u32, DVec3>) -> Result<(), EditError> {
    let num_handles = points.len();
    for (&handle, &place) in handles {
        let Some(point) = points.get_mut(handle as usize) else {
            return Err(fault(format!("no handle {handle}; there are {num_handles}, from 0")));
        };
        if !place.is_finite() {
            return Err(fault(format!("handle {handle}: a place must be three finite numbers")));
        }
        *point = place;
    }
    Ok(())
}

fn keep(document: &mut Document, points: Vec<DVec3>) {
    let is_home = document.rig.cage.as_ref().is_some_and(|rig| rig.cage.points() == points);
    // Another layer in any case: what lies over a motion's cage is told by it.
    document.rest_cage = Arc::new(if is_home { Vec::new() } else { points });
}

/// The rest cage that brings handles of the posed one somewhere.
fn reversed(document: &Document, handles: &BTreeMap<u32, DVec3>) -> Result<Vec<DVec3>, EditError> {
    let rest = rest_cage(document)?;
    let controls = document.controls();
    let plan = &document.cage_plan;
    let reversed = plan.reversed(document, &controls, |posed| put(posed, handles))?;
    Ok(reversed.unwrap_or(rest))
}

/// What is wrong with the cage of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    let handles = document.rig.cage.as_ref().map_or(0, |rig| rig.cage.points().len());
    let found = document.rest_cage.len();
    if found != 0 && found != handles {
        return Some(format!("a rest cage of {found} handles, where there are {handles}"));
    }
    document
        .rest_cage
        .iter()
        .position(|place| !place.is_finite())
        .map(|handle| format!("handle {handle} of the rest cage is not finite"))
}
