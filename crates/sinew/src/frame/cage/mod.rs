//! A cage bound to a character: the rest that it gives, and the posed cage that follows.
//!
//! `rest = M0 + shapes + Φ (C − C0)`, joints by `Ψ`, centres of rotation by `Λ`: all linear in the
//! rest cage, so that a frame turns it into offsets of the rest, which everything after knows how
//! to follow. Coordinates are kept in blocks of sixteen points, a handle's sixteen together:
//! handles that have not moved are not read.

mod blocks;
mod centers;
mod places;
mod tables;

pub use blocks::LANES as CAGE_LANES;
pub use tables::CageTables;

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::part::{PartInput, PartStart, skin_input};
use super::{Controls, Frame, Note, PartControls, Rig};
use crate::cage::coordinates::Loaded;
use crate::cage::{
    Cage, CageError, CoordinateKind, Coordinates, CoupledPart, Coupling, CouplingScratch,
    SampleShift,
};
use crate::progress::Progress;
use crate::skin::SkinMethod;
use crate::{Character, Part};
use blocks::Blocks;
use centers::{Centers, centers_of_part};
use places::Places;

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
    /// Coordinates of all points, mesh after mesh, that were found elsewhere: in the place of that
    /// kind's.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub loaded: Option<Loaded>,
}

impl CageRig {
    /// With the default coordinates.
    pub fn new(cage: Cage) -> Self {
        Self::of(cage, CoordinateKind::default())
    }

    /// With coordinates of a kind.
    pub fn of(cage: Cage, coordinates: CoordinateKind) -> Self {
        Self { cage, coordinates, loaded: None }
    }

    /// Bound to points.
    fn coordinates_of(&self, points: &[DVec3]) -> Result<Box<dyn Coordinates>, CageError> {
        let Some(loaded) = &self.loaded else { return self.coordinates.bind(&self.cage, points) };
        loaded.check(self.cage.points().len(), points.len())?;
        Ok(Box::new(loaded.clone()))
    }
}

/// A cage bound to a character.
#[derive(Clone, Debug)]
pub struct BoundCage {
    /// Of the points: kept while weights, joints and the method change.
    places: Arc<Places>,
    method: SkinMethod,
    coupling: Coupling,
    parts: Vec<CagePart>,
}

/// What a mesh has beside the coordinates of its points.
#[derive(Clone, Debug)]
struct CagePart {
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
        let before = before.filter(|(kept, of)| kept.places.are_of(of_rig, of, character));
        let places = match before {
            Some((kept, _)) => Arc::clone(&kept.places),
            None => Arc::new(Places::bind(character, of_rig, progress)?),
        };
        if let Some((kept, of)) = before
            && kept.method == rig.first_stage()
            && (Arc::ptr_eq(of, character) || moves_alike(kept.method, of, character))
        {
            return Ok(Some(Arc::clone(kept)));
        }
        Self::bind(character, rig, places, progress).map(|bound| Some(Arc::new(bound)))
    }

    fn bind(
        character: &Arc<Character>,
        rig: &Rig,
        places: Arc<Places>,
        progress: &dyn Progress,
    ) -> Result<Self, CageError> {
        let input = |part: usize| PartInput { character, part, rig, skeleton: &character.skeleton };
        let none = PartControls::default();
        let starts: Vec<PartStart<'_>> =
            (0..character.parts.len()).map(|part| PartStart::of(&input(part), &none)).collect();
        let of_parts: Vec<Vec<DVec3>> = character.parts.iter().map(places::points_of).collect();
        let rows = places.caged.rows();
        let num_handles = rows.num_handles();
        let method = rig.first_stage();
        let mut first_point = 0;
        let mut centers = Vec::new();
        for (index, part) in character.parts.iter().enumerate() {
            let weights = starts[index].weights.as_deref();
            let found = match (method, weights) {
                (SkinMethod::CenterOfRotation, Some(weights)) => {
                    let own = input(index);
                    let skin = skin_input(&own, part.mesh.points(), &[], weights);
                    centers_of_part(&skin, rows, first_point, part, progress)?
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
                    points: &of_parts[index],
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
        let coupling = Coupling::bind(&places.caged, &coupled, &character.skeleton)?;
        let of_part = |(points, centers): (&Vec<DVec3>, Centers)| {
            let Centers { rows, of_shapes: shape_centers, .. } = centers;
            let of_center = |point: usize, handle: usize| rows[point * num_handles + handle];
            let num_centers = if rows.is_empty() { 0 } else { points.len() };
            CagePart { centers: Blocks::new(num_centers, num_handles, of_center), shape_centers }
        };
        let parts = of_parts.iter().zip(centers).map(of_part).collect();
        Ok(Self { places, method, coupling, parts })
    }

    /// What is odd about it, mesh by mesh.
    pub(super) fn notes(&self) -> &[Note] {
        &self.places.notes
    }

    /// True if both have one set of coordinates: nothing was found twice.
    pub fn shares_places(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.places, &other.places)
    }

    /// How cage and skeleton move each other.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// The largest coordinate of any point, without its sign.
    pub fn largest_coordinate(&self) -> f64 {
        self.places.caged.rows().largest()
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
            let (points, num_points) = self.places.of_part(index);
            points.offsets(moves, num_handles, num_points, &mut own.rest_offsets);
            add(&mut own.rest_offsets, &given.rest_offsets);
            if part.centers.is_empty() {
                own.center_offsets.clear();
                continue;
            }
            part.centers.offsets(moves, num_handles, num_points, &mut own.center_offsets);
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

/// True if points, joints and centres of a mesh that is the same are moved alike.
fn moves_alike(method: SkinMethod, a: &Character, b: &Character) -> bool {
    // Shapes move centres, which other methods have none of.
    let has_centers = method == SkinMethod::CenterOfRotation;
    let is_same_part =
        |(a, b): (&Part, &Part)| a.weights == b.weights && (!has_centers || a.shapes == b.shapes);
    a.skeleton == b.skeleton && a.parts.iter().zip(&b.parts).all(is_same_part)
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
