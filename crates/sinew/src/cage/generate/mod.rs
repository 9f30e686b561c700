//! A cage around any character: open, of many parts, non-manifold.
//!
//! 1. *Field*: unsigned distances to the surface on a grid; what cannot be reached from outside at
//!    the offset's distance is inside ([`field`]).
//! 2. *Surface*: where the distance is the offset, by marching tetrahedra: closed and two-manifold
//!    whatever the field ([`extract`]).
//! 3. *Decimation*: edges are collapsed while the link condition holds. The last ones go to the
//!    cheapest place that is outside all faces that they replace, so that each surface encloses the
//!    one before, and only where no new face goes through another one ([`collapse`], [`place`]).
//!
//! What is symmetric gets a symmetric cage: one half is made, with its rim on the mirror plane.
//! What comes out is checked, every pair of faces and every point, or refused.

mod collapse;
mod extract;
mod field;
mod place;
mod sheet;

use glam::DVec3;
use rayon::prelude::*;

use super::{Cage, CageError, CageFace, CageFault};
use crate::Character;
use crate::progress::Progress;
use field::Field;
use sheet::Sheet;

/// What a cage is made like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CageSettings {
    /// About how many triangles; 60 to 1,000.
    pub faces: usize,
    /// How far from the surface, over the diagonal of the character.
    pub offset: f64,
    /// A symmetric character gets a symmetric cage.
    pub symmetric: bool,
}

impl Default for CageSettings {
    fn default() -> Self {
        Self { faces: 300, offset: 0.03, symmetric: true }
    }
}

impl CageSettings {
    /// The fewest faces that can be asked for.
    pub const MIN_FACES: usize = 60;
    /// The most.
    pub const MAX_FACES: usize = 1000;

    fn check(&self) -> Result<(), CageError> {
        let refuse =
            |why: &str| Err(CageError::CannotGenerate { faces: self.faces, why: why.to_owned() });
        if !(Self::MIN_FACES..=Self::MAX_FACES).contains(&self.faces) {
            return refuse("ask for 60 to 1000");
        }
        if !(0.005..=0.3).contains(&self.offset) {
            return refuse("the offset must be 0.005 to 0.3 of the diagonal");
        }
        Ok(())
    }
}

/// Grids along the longest side, from the first to what is tried when that fails.
const ATTEMPTS: [f64; 3] = [72.0, 96.0, 56.0];

impl Cage {
    /// Makes a cage around a character at rest.
    ///
    /// # Errors
    /// If the settings cannot be, there is nothing to enclose, no such cage was found, or someone
    /// asked to stop.
    pub fn generate(
        character: &Character,
        settings: &CageSettings,
        progress: &dyn Progress,
    ) -> Result<Self, CageError> {
        settings.check()?;
        let mut points: Vec<DVec3> = Vec::new();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for part in &character.parts {
            let first = points.len() as u32;
            points.extend(part.mesh.points().iter().map(|p| p.as_dvec3()));
            let own = part.mesh.point_triangles().iter();
            triangles.extend(own.map(|triangle| triangle.map(|corner| corner + first)));
        }
        Self::generate_around(&points, &triangles, settings, progress)
    }

    /// Makes a cage around a surface, or around points alone.
    ///
    /// # Errors
    /// As [`Self::generate`].
    pub fn generate_around(
        points: &[DVec3],
        triangles: &[[u32; 3]],
        settings: &CageSettings,
        progress: &dyn Progress,
    ) -> Result<Self, CageError> {
        settings.check()?;
        let diagonal = super::shape::diagonal(points);
        if points.is_empty() || diagonal <= 0.0 {
            return Err(CageError::NoPoints);
        }
        let mirror = if settings.symmetric { mirror_plane(points, diagonal) } else { None };
        let mut why = String::new();
        for (attempt, &cells) in ATTEMPTS.iter().enumerate() {
            let report = |share: f32| {
                let of_all = (attempt as f32 + share) / ATTEMPTS.len() as f32;
                progress.report("cage", of_all);
            };
            let offset = settings.offset * diagonal;
            let field = Field::new(points, triangles, offset, cells, mirror);
            report(0.3);
            if progress.is_cancelled() {
                return Err(CageError::Cancelled);
            }
            let sheet = extract::surface(&field);
            let halves = if mirror.is_some() { 2 } else { 1 };
            match reduce(sheet, settings.faces / halves, offset, mirror, progress) {
                Err(CageError::Cancelled) => return Err(CageError::Cancelled),
                Err(error) => why = error.to_string(),
                Ok(sheet) => {
                    report(0.9);
                    let made = whole(&sheet, mirror).map_err(|error| error.to_string());
                    match made.and_then(|cage| match fault(&cage, points, settings.faces) {
                        None => Ok(cage),
                        Some(found) => Err(found),
                    }) {
                        Ok(cage) => return Ok(cage),
                        Err(found) => why = found,
                    }
                }
            }
        }
        let why = format!("{why}; try more faces or another offset");
        Err(CageError::CannotGenerate { faces: settings.faces, why })
    }
}

/// Decimates: quickly while there are many faces, then with everything watched.
fn reduce(
    mut sheet: Sheet,
    faces: usize,
    offset: f64,
    mirror: Option<f64>,
    progress: &dyn Progress,
) -> Result<Sheet, CageError> {
    let quick = (6 * faces).max(1600);
    collapse::quickly(&mut sheet, quick, offset, mirror);
    if progress.is_cancelled() {
        return Err(CageError::Cancelled);
    }
    collapse::outwards(&mut sheet, faces, mirror);
    Ok(sheet)
}

/// Both halves.
fn whole(sheet: &Sheet, mirror: Option<f64>) -> Result<Cage, CageError> {
    let (mut points, triangles) = sheet.compact();
    let mut faces: Vec<CageFace> = triangles.iter().map(|&t| CageFace::Triangle(t)).collect();
    if let Some(plane) = mirror {
        let mut image: Vec<u32> = Vec::with_capacity(points.len());
        for index in 0..points.len() {
            let p = points[index];
            if p.x == plane {
                image.push(index as u32);
            } else {
                image.push(points.len() as u32);
                points.push(DVec3::new(2.0 * plane - p.x, p.y, p.z));
            }
        }
        faces.extend(
            triangles.iter().map(|&[a, b, c]| {
                CageFace::Triangle([a, c, b].map(|corner| image[corner as usize]))
            }),
        );
    }
    Cage::new(points, faces)
}

/// What is wrong with a cage that was made.
fn fault(cage: &Cage, points: &[DVec3], faces: usize) -> Option<String> {
    let report = cage.check();
    if report.faults.iter().any(|fault| !matches!(fault, CageFault::Flat { .. })) {
        return Some(format!("it came out wrong ({report})"));
    }
    let outside = points.par_iter().filter(|&&point| !cage.encloses(point)).count();
    if outside > 0 {
        return Some(format!("{outside} points came out outside"));
    }
    // A surface with many handles and pieces needs more faces than were asked for.
    (cage.faces().len() > 2 * faces + 60)
        .then(|| format!("the shape needs {} faces at least", cage.faces().len()))
}

/// The plane `x = …` that points are mirrored at, if they are: within a hundredth.
fn mirror_plane(points: &[DVec3], diagonal: f64) -> Option<f64> {
    let low = points.iter().fold(f64::INFINITY, |low, p| low.min(p.x));
    let high = points.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p.x));
    let near = 0.01 * diagonal;
    let mut planes = vec![0.0, 0.5 * (low + high)];
    planes.retain(|plane| (plane - 0.5 * (low + high)).abs() < 2.0 * near);
    let cell = |p: DVec3| (p / near).floor().as_i64vec3();
    let taken: std::collections::HashSet<glam::I64Vec3> = points.iter().map(|&p| cell(p)).collect();
    planes.into_iter().find(|plane| {
        let has_image = |p: &DVec3| {
            let at = cell(DVec3::new(2.0 * plane - p.x, p.y, p.z));
            (-1..=1).any(|x| {
                (-1..=1)
                    .any(|y| (-1..=1).any(|z| taken.contains(&(at + glam::I64Vec3::new(x, y, z)))))
            })
        };
        points.iter().filter(|p| !has_image(p)).count() * 200 <= points.len()
    })
}
