//! A cage bound to a character: the rest that it gives, and the posed cage that follows.
//!
//! `rest = M0 + shapes + Φ (C − C0)`, joints by `Ψ`, centres of rotation by `Λ`: all linear in the
//! rest cage, so that a frame turns it into offsets of the rest, which everything after knows how
//! to follow. Coordinates are kept in blocks of sixteen points, a handle's sixteen together:
//! handles that have not moved are not read.

use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::part::{PartInput, PartStart, skin_input};
use super::{Controls, Frame, Note, PartControls, Rig};
use crate::cage::{
    Cage, CageError, CoordinateKind, CoordinateRows, CoupledPart, Coupling, CouplingScratch,
    SampleShift,
};
use crate::progress::Progress;
use crate::skin::{BindError, SkinMethod, centers_of_displacements, centers_of_rotation};
use crate::{Character, Part};

/// Points in a block.
const LANES: usize = 16;
/// Of a mesh, this many points and no more than twice as many say whether it is in the cage.
const MAX_LOOKED_AT: usize = 200;
/// Fewer points take less time than it takes to wake a second thread.
const MIN_PARALLEL_POINTS: usize = 1 << 14;

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

/// Rows of sixteen points at a time, handle after handle.
#[derive(Clone, Debug, Default)]
struct Blocks {
    values: Vec<[f32; LANES]>,
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

    /// The loop.
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

    /// The controls with what the cage does as offsets of the rest.
    pub(super) fn expand<'a>(
        &self,
        controls: &'a Controls,
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
        moves.clear();
        for (handle, (now, at_bind)) in (0u32..).zip(rest_cage.iter().zip(bound)) {
            if now != at_bind {
                moves.push((handle, (*now - *at_bind).as_vec3()));
            }
        }
        own.joint_offsets.resize(self.coupling.num_joints(), DVec3::ZERO);
        self.coupling.joint_offsets(rest_cage, &mut own.joint_offsets);
        for (own, given) in own.joint_offsets.iter_mut().zip(&controls.joint_offsets) {
            *own += *given;
        }
        let num_handles = bound.len();
        for (index, (part, own)) in self.parts.iter().zip(&mut own.parts).enumerate() {
            let given = controls.part(index);
            part.points.offsets(moves, num_handles, part.num_points, &mut own.rest_offsets);
            add(&mut own.rest_offsets, &given.rest_offsets);
            if part.centers.values.is_empty() {
                own.center_offsets.clear();
                continue;
            }
            part.centers.offsets(moves, num_handles, part.num_points, &mut own.center_offsets);
            let along = [&given.center_offsets, &given.rest_offsets];
            add(&mut own.center_offsets, along[usize::from(given.center_offsets.is_empty())]);
        }
        own
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
        scratch.shifts.clear();
        for &[part, point] in self.coupling.points() {
            let (index, point) = (part as usize, point as usize);
            let (given, shown) = (controls.part(index), frame.made_from.part(index));
            let shapes = &shown.shape_weights;
            let shift = self.parts[index].shift(&character.parts[index], (given, shapes), point);
            scratch.shifts.push(shift);
        }
        self.coupling.follow(
            rest_cage,
            &frame.palette,
            &scratch.shifts,
            &mut scratch.coupling,
            &mut frame.posed_cage,
        );
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

/// Centres of rotation of a mesh, and how they move with handles and shapes.
#[derive(Default)]
struct Centers {
    places: Vec<Vec3>,
    rows: Vec<f32>,
    of_shapes: Vec<Vec<Vec3>>,
}

fn centers_of_part(
    skin: &crate::skin::SkinInput<'_>,
    rows: &CoordinateRows,
    first_point: usize,
    part: &Part,
    progress: &dyn Progress,
) -> Result<Centers, CageError> {
    let num_handles = rows.num_handles();
    let num_points = skin.positions.len();
    // Skin weights that cannot be bound: the mesh then has no centres anywhere.
    let failed = |error: BindError| match error {
        BindError::Cancelled => Err(CageError::Cancelled),
        _ => Ok(Centers::default()),
    };
    let found = match centers_of_rotation(skin, progress) {
        Ok(found) => found,
        Err(error) => return failed(error),
    };
    let places = found
        .iter()
        .zip(skin.positions)
        .map(|(center, &own)| center.map_or(own, |center| center.as_vec3()))
        .collect();
    let mut of_rows = vec![0.0f32; num_points * num_handles];
    // Three handles at a time, as the three axes of a displacement.
    for start in (0..num_handles).step_by(3) {
        let field: Vec<Vec3> = (0..num_points)
            .map(|point| {
                let row = rows.row(first_point + point);
                let at = |k: usize| row.get(start + k).copied().unwrap_or_default() as f32;
                Vec3::new(at(0), at(1), at(2))
            })
            .collect();
        let image = match centers_of_displacements(skin, &[&field], progress) {
            Ok(image) => image,
            Err(error) => return failed(error),
        };
        for (point, value) in image[0].iter().enumerate() {
            for axis in 0..3.min(num_handles - start) {
                of_rows[point * num_handles + start + axis] = value[axis];
            }
        }
    }
    let dense: Vec<Vec<Vec3>> = part.shapes.iter().map(|shape| shape.deltas.dense()).collect();
    let fields: Vec<&[Vec3]> = dense.iter().map(|deltas| &deltas[..]).collect();
    let of_shapes = match centers_of_displacements(skin, &fields, progress) {
        Ok(of_shapes) => of_shapes,
        Err(error) => return failed(error),
    };
    Ok(Centers { places, rows: of_rows, of_shapes })
}

impl Blocks {
    fn new(num_points: usize, num_handles: usize, at: impl Fn(usize, usize) -> f32) -> Self {
        let num_blocks = num_points.div_ceil(LANES);
        let mut values = vec![[0.0; LANES]; num_blocks * num_handles];
        for point in 0..num_points {
            let (block, lane) = (point / LANES, point % LANES);
            for handle in 0..num_handles {
                values[block * num_handles + handle][lane] = at(point, handle);
            }
        }
        Self { values }
    }

    /// `Σ φ_k · move_k` of every point.
    fn offsets(
        &self,
        moves: &[(u32, Vec3)],
        num_handles: usize,
        num_points: usize,
        out: &mut Vec<Vec3>,
    ) {
        out.resize(num_points, Vec3::ZERO);
        let level = Level::new();
        let of_blocks = |first: usize, out: &mut [Vec3]| {
            let values = &self.values[first * num_handles..];
            dispatch!(level, simd => sum_blocks(simd, values, num_handles, moves, out));
        };
        if num_points < MIN_PARALLEL_POINTS {
            of_blocks(0, out);
            return;
        }
        const BLOCKS: usize = 256;
        out.par_chunks_mut(BLOCKS * LANES)
            .enumerate()
            .for_each(|(chunk, out)| of_blocks(chunk * BLOCKS, out));
    }
}

#[inline(always)]
fn sum_blocks<S: Simd>(
    simd: S,
    values: &[[f32; LANES]],
    num_handles: usize,
    moves: &[(u32, Vec3)],
    out: &mut [Vec3],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (rows, out) in values.chunks_exact(num_handles).zip(out.chunks_mut(LANES)) {
                let mut sums = [[0.0f32; LANES]; 3];
                for &(handle, by) in moves {
                    let row = &rows[handle as usize];
                    for lane in 0..LANES {
                        sums[0][lane] += row[lane] * by.x;
                        sums[1][lane] += row[lane] * by.y;
                        sums[2][lane] += row[lane] * by.z;
                    }
                }
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = Vec3::new(sums[0][lane], sums[1][lane], sums[2][lane]);
                }
            }
        },
    );
}
