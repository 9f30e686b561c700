//! A cage bound to a character: the rest that it gives, and the posed cage that follows.
//!
//! `rest = M0 + shapes + Φ (C − C0)`, joints by `Ψ`, centres of rotation by `Λ`: all linear in the
//! rest cage, so that a frame turns it into offsets of the rest, which everything after knows how
//! to follow. Coordinates are kept in blocks of sixteen points, a handle's sixteen together:
//! handles that have not moved are not read.

mod blocks;
mod centers;
mod tables;

pub use blocks::LANES as CAGE_LANES;
pub use tables::CageTables;

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::part::{PartInput, PartStart, skin_input};
use super::{Controls, Frame, Note, PartControls, Rig};
use crate::cage::{
    Cage, CageError, CoordinateKind, CoordinateRows, CoupledPart, Coupling, CouplingScratch,
    SampleShift,
};
use crate::progress::Progress;
use crate::skin::SkinMethod;
use crate::{Character, Part};
use blocks::Blocks;
use centers::{Centers, centers_of_part};

/// Of a mesh, this many points and no more than twice as many say whether it is in the cage.
const MAX_LOOKED_AT: usize = 200;

/// A cage, as the user decided about it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct CageRig {
    /// Where its handles are while it moves nothing.
    pub cage: Cage,
    /// How points hang on it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub coordinates: CoordinateKind,
}

impl CageRig {
    /// With the default coordinates.
    pub fn new(cage: Cage) -> Self {
        Self { cage, coordinates: CoordinateKind::default() }
    }
}

/// A cage bound to a character.
#[derive(Clone, Debug)]
pub struct BoundCage {
    rig: CageRig,
    method: SkinMethod,
    coupling: Coupling,
    parts: Vec<CagePart>,
    largest_coordinate: f64,
    notes: Vec<Note>,
}

/// A mesh's coordinates.
#[derive(Clone, Debug)]
struct CagePart {
    num_points: usize,
    points: Blocks,
    /// Of the centres of rotation; empty where the method has none.
    centers: Blocks,
    /// How shapes move the centres of the points that stand for all: one list a shape.
    shape_centers: Vec<Vec<Vec3>>,
}

/// Memory for the frames of a cage.
#[derive(Clone, Debug, Default)]
pub struct CageScratch {
    /// The controls, with what the cage does as offsets of the rest.
    controls: Controls,
    /// Whose offsets those are.
    cage: Vec<DVec3>,
    moves: Vec<(u32, Vec3)>,
    coupling: CouplingScratch,
    shifts: Vec<SampleShift>,
}

impl BoundCage {
    /// Binds the rig's cage, or takes it from a plan before.
    pub(super) fn of_rig(
        before: Option<(&Arc<Self>, &Arc<Character>)>,
        character: &Arc<Character>,
        rig: &Rig,
        progress: &dyn Progress,
    ) -> Result<Option<Arc<Self>>, CageError> {
        let Some(of_rig) = &rig.cage else { return Ok(None) };
        if let Some((kept, of)) = before
            && kept.rig == *of_rig
            && kept.method == rig.first_stage()
            && (Arc::ptr_eq(of, character) || is_same(of, character))
        {
            return Ok(Some(Arc::clone(kept)));
        }
        Self::bind(character, rig, of_rig, progress).map(|bound| Some(Arc::new(bound)))
    }

    fn bind(
        character: &Arc<Character>,
        rig: &Rig,
        of_rig: &CageRig,
        progress: &dyn Progress,
    ) -> Result<Self, CageError> {
        let cage = &of_rig.cage;
        let input = |part: usize| PartInput { character, part, rig, skeleton: &character.skeleton };
        let none = PartControls::default();
        let starts: Vec<PartStart<'_>> =
            (0..character.parts.len()).map(|part| PartStart::of(&input(part), &none)).collect();
        let places: Vec<Vec<DVec3>> = character
            .parts
            .iter()
            .map(|part| part.mesh.points().iter().map(|p| p.as_dvec3()).collect())
            .collect();
        let all_places = places.concat();
        let coordinates = of_rig.coordinates.bind(cage, &all_places)?;
        let rows = CoordinateRows::bind(cage, &*coordinates, &all_places, progress)?;
        let num_handles = cage.points().len();
        let method = rig.first_stage();
        let mut first_point = 0;
        let mut centers = Vec::new();
        for (index, part) in character.parts.iter().enumerate() {
            let weights = starts[index].weights.as_deref();
            let found = match (method, weights) {
                (SkinMethod::CenterOfRotation, Some(weights)) => {
                    let own = input(index);
                    let skin = skin_input(&own, part.mesh.points(), &[], weights);
                    centers_of_part(&skin, &rows, first_point, part, progress)?
                }
                _ => Centers::default(),
            };
            first_point += part.mesh.points().len();
            centers.push(found);
        }
        let mut first_point = 0;
        let coupled: Vec<CoupledPart<'_>> = character
            .parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let coupled = CoupledPart {
                    first_point,
                    points: &places[index],
                    triangles: part.mesh.point_triangles(),
                    weights: starts[index].weights.as_deref(),
                    method,
                    centers: &centers[index].places,
                    center_rows: &centers[index].rows,
                };
                first_point += part.mesh.points().len();
                coupled
            })
            .collect();
        let pieces = coordinates.parts();
        let coupling = Coupling::bind(cage, &rows, &coupled, &character.skeleton, pieces)?;
        let parts = coupled
            .iter()
            .zip(&centers)
            .map(|(part, centers)| {
                let num_points = part.points.len();
                let first = part.first_point;
                let points = Blocks::new(num_points, num_handles, |point, handle| {
                    rows.row(first + point)[handle] as f32
                });
                let of_center =
                    |point: usize, handle: usize| centers.rows[point * num_handles + handle];
                let num_centers = if centers.rows.is_empty() { 0 } else { num_points };
                let center_blocks = Blocks::new(num_centers, num_handles, of_center);
                let shape_centers = centers.of_shapes.clone();
                CagePart { num_points, points, centers: center_blocks, shape_centers }
            })
            .collect();
        let largest_coordinate = rows.largest();
        let notes = character.parts.iter().enumerate();
        let notes = match pieces {
            None => notes.filter_map(|(part, of_part)| elsewhere(cage, part, of_part)).collect(),
            // Around a part of the character only.
            Some(_) => Vec::new(),
        };
        Ok(Self { rig: of_rig.clone(), method, coupling, parts, largest_coordinate, notes })
    }

    /// What is odd about it, mesh by mesh.
    pub(super) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// How cage and skeleton move each other.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// The largest coordinate of any point, without its sign.
    pub fn largest_coordinate(&self) -> f64 {
        self.largest_coordinate
    }

    /// The rest cage of controls: theirs, or as it was bound.
    ///
    /// # Panics
    /// If theirs is of another cage.
    pub fn rest_cage<'a>(&'a self, controls: &'a Controls) -> &'a [DVec3] {
        let bound = self.coupling.cage().points();
        if controls.cage.is_empty() {
            return bound;
        }
        assert_eq!(controls.cage.len(), bound.len(), "one place a handle of the bound cage");
        &controls.cage
    }

    /// The controls with what the cage does as offsets of the rest: of joints, and of the points of
    /// all meshes but those that a device moves itself.
    pub(super) fn expand<'a>(
        &self,
        controls: &'a Controls,
        is_left: impl Fn(usize) -> bool,
        scratch: &'a mut CageScratch,
    ) -> &'a Controls {
        let bound = self.coupling.cage().points();
        let rest_cage = self.rest_cage(controls);
        if rest_cage == bound {
            return controls;
        }
        let CageScratch { controls: own, cage, moves, .. } = scratch;
        let is_plain = |controls: &Controls| {
            controls.joint_offsets.is_empty()
                && controls
                    .parts
                    .iter()
                    .all(|p| p.rest_offsets.is_empty() && p.center_offsets.is_empty())
        };
        // Parts past the end of the controls have lost their offsets.
        let has_all = controls.parts.len() >= self.parts.len();
        let is_known = has_all && is_plain(controls) && *cage == rest_cage;
        own.copy_but_rest(controls);
        own.parts.resize_with(self.parts.len(), PartControls::default);
        if is_known {
            return own;
        }
        cage.clear();
        match is_plain(controls) {
            true => cage.extend_from_slice(rest_cage),
            // Not known by the cage alone.
            false => cage.push(DVec3::NAN),
        }
        self.moves(rest_cage, moves);
        own.joint_offsets.resize(self.coupling.num_joints(), DVec3::ZERO);
        self.coupling.joint_offsets(rest_cage, &mut own.joint_offsets);
        for (own, given) in own.joint_offsets.iter_mut().zip(&controls.joint_offsets) {
            *own += *given;
        }
        let num_handles = bound.len();
        for (index, (part, own)) in self.parts.iter().zip(&mut own.parts).enumerate() {
            let given = controls.part(index);
            if is_left(index) {
                own.copy_offsets(given);
                continue;
            }
            part.points.offsets(moves, num_handles, part.num_points, &mut own.rest_offsets);
            add(&mut own.rest_offsets, &given.rest_offsets);
            if part.centers.is_empty() {
                own.center_offsets.clear();
                continue;
            }
            part.centers.offsets(moves, num_handles, part.num_points, &mut own.center_offsets);
            let along = [&given.center_offsets, &given.rest_offsets];
            add(&mut own.center_offsets, along[usize::from(given.center_offsets.is_empty())]);
        }
        own
    }

    /// How far each handle that has moved is from where it was bound.
    fn moves(&self, rest_cage: &[DVec3], out: &mut Vec<(u32, Vec3)>) {
        let bound = self.coupling.cage().points();
        let moves = (0u32..).zip(rest_cage.iter().zip(bound)).filter(|(_, (now, at))| now != at);
        out.clear();
        out.extend(moves.map(|(handle, (&now, &at))| (handle, (now - at).as_vec3())));
    }

    /// The posed cage of a frame whose joints are placed; `controls` are as they were given, and
    /// what drivers made of their shapes is the frame's.
    pub(super) fn follow(
        &self,
        character: &Character,
        controls: &Controls,
        scratch: &mut CageScratch,
        frame: &mut Frame,
    ) {
        let num_handles = self.coupling.num_handles();
        let rest_cage = self.rest_cage(controls);
        frame.rest_cage.clear();
        frame.rest_cage.extend_from_slice(rest_cage);
        frame.posed_cage.resize(num_handles, DVec3::ZERO);
        self.shifts(character, controls, &frame.made_from, &mut scratch.shifts);
        self.coupling.follow(
            rest_cage,
            &frame.palette,
            &scratch.shifts,
            &mut scratch.coupling,
            &mut frame.posed_cage,
        );
    }
}

impl BoundCage {
    /// What shapes and offsets do to the points that stand for all; `driven` has the shapes as
    /// drivers left them.
    fn shifts(
        &self,
        character: &Character,
        given: &Controls,
        driven: &Controls,
        out: &mut Vec<SampleShift>,
    ) {
        out.clear();
        out.extend(self.coupling.points().iter().map(|&[part, point]| {
            let (index, point) = (part as usize, point as usize);
            let shapes = &driven.part(index).shape_weights[..];
            let of_part = (given.part(index), shapes);
            self.parts[index].shift(&character.parts[index], of_part, point)
        }));
    }
}

/// Says if a mesh is not in the cage: by some of its points, since each is held against every face.
fn elsewhere(cage: &Cage, part: usize, of_part: &Part) -> Option<Note> {
    let points = of_part.mesh.points();
    let looked_at = points.iter().step_by((points.len() / MAX_LOOKED_AT).max(1));
    let num = looked_at.len();
    let num_outside = looked_at.filter(|point| !cage.encloses(point.as_dvec3())).count();
    (2 * num_outside > num).then(|| {
        let name = of_part.mesh.name();
        let words = format!(
            "mesh '{name}': most points are outside of the cage, and follow it only by \
             extrapolation; this looks like the cage of another character"
        );
        Note { part, words }
    })
}

fn is_same(a: &Character, b: &Character) -> bool {
    let is_same_part = |(a, b): (&Part, &Part)| a.mesh == b.mesh && a.weights == b.weights;
    a.skeleton == b.skeleton
        && a.parts.len() == b.parts.len()
        && a.parts.iter().zip(&b.parts).all(is_same_part)
}

fn add(offsets: &mut [Vec3], further: &[Vec3]) {
    for (offset, further) in offsets.iter_mut().zip(further) {
        *offset += *further;
    }
}

impl CagePart {
    /// What shapes and offsets do to a point and its centre.
    fn shift(
        &self,
        part: &Part,
        (controls, shape_weights): (&PartControls, &[f32]),
        point: usize,
    ) -> SampleShift {
        let mut shift = SampleShift::default();
        for (index, (shape, &weight)) in part.shapes.iter().zip(shape_weights).enumerate() {
            if weight != 0.0 {
                let weight = f64::from(weight);
                shift.point += weight * shape.deltas.of(point).as_dvec3();
                if let Some(centers) = self.shape_centers.get(index) {
                    shift.center += weight * centers[point].as_dvec3();
                }
            }
        }
        let of = |offsets: &[Vec3]| offsets.get(point).map_or(DVec3::ZERO, |o| o.as_dvec3());
        shift.point += of(&controls.rest_offsets);
        shift.center += match controls.center_offsets.is_empty() {
            true => of(&controls.rest_offsets),
            false => of(&controls.center_offsets),
        };
        shift
    }
}
