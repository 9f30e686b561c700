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
//! Between limbs that stand near to one another the offset is smaller ([`limbs`]), so that each is
//! in a tube of its own where that can be had.
//!
//! What is symmetric gets a symmetric cage: one half is made, with its rim on the mirror plane.
//! What comes out is checked, every pair of faces and every point, or refused.

mod collapse;
mod extract;
mod field;
mod limbs;
mod place;
mod sheet;

use glam::DVec3;
use rayon::prelude::*;

use super::coordinates::QuadMeanValue;
use super::{Cage, CageError, CageFace, CageFault, CoordinateRows, Selection};
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
    /// The largest number of faces that may be asked for.
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
/// A cage of this condition is taken without a look at another way to make it.
const GOOD_CONDITION: f64 = 200.0;
/// Cages of which the best is taken where none is good.
const MAX_MADE: usize = 3;
/// Points that say what the condition is about.
const MAX_LOOKED_AT: usize = 3000;
/// The grid with which limbs are told from one another, before all others.
const LIMB_CELLS: f64 = 112.0;

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
        Self::generate_noting(character, settings, progress).map(|(cage, _)| cage)
    }

    /// The same, and what was done otherwise than asked, for people.
    ///
    /// # Errors
    /// As [`Self::generate`].
    pub fn generate_noting(
        character: &Character,
        settings: &CageSettings,
        progress: &dyn Progress,
    ) -> Result<(Self, Option<String>), CageError> {
        settings.check()?;
        let mut points: Vec<DVec3> = Vec::new();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for part in &character.parts {
            let first = points.len() as u32;
            points.extend(part.mesh.points().iter().map(|p| p.as_dvec3()));
            let own = part.mesh.point_triangles().iter();
            triangles.extend(own.map(|triangle| triangle.map(|corner| corner + first)));
        }
        let offset = settings.offset * super::shape::diagonal(&points);
        let own = limbs::offsets(character, &points, &triangles, offset);
        let of = Shape { points: &points, triangles: &triangles, own: own.as_deref() };
        generate(&of, settings, progress)
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
        let of = Shape { points, triangles, own: None };
        generate(&of, settings, progress).map(|(cage, _)| cage)
    }
}

/// What a cage is put around.
struct Shape<'a> {
    points: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    /// Offsets of single points, where limbs stand near to one another.
    own: Option<&'a [f64]>,
}

/// One way to make it.
#[derive(Clone, Copy)]
struct Attempt {
    cells: f64,
    tells_limbs: bool,
    mirror: Option<f64>,
}

fn generate(
    of: &Shape<'_>,
    settings: &CageSettings,
    progress: &dyn Progress,
) -> Result<(Cage, Option<String>), CageError> {
    let diagonal = super::shape::diagonal(of.points);
    if of.points.is_empty() || diagonal <= 0.0 {
        return Err(CageError::NoPoints);
    }
    let mirror = if settings.symmetric { mirror_plane(of.points, diagonal) } else { None };
    best(of, settings, (mirror, progress), |attempt, report| {
        tried(of, settings, attempt, report, progress)
    })
}

/// The best of what is made in several ways, and a note where it is not symmetric though it should
/// be.
fn best(
    of: &Shape<'_>,
    settings: &CageSettings,
    (mirror, progress): (Option<f64>, &dyn Progress),
    make: impl Fn(Attempt, &dyn Fn(f32)) -> Result<Cage, CageError>,
) -> Result<(Cage, Option<String>), CageError> {
    let mut attempts = Vec::new();
    // Where no symmetric one is found, one that is not is better than none.
    let planes = if mirror.is_some() { vec![mirror, None] } else { vec![None] };
    for &mirror in &planes {
        let limbs = of.own.map(|_| Attempt { cells: LIMB_CELLS, tells_limbs: true, mirror });
        let merged = ATTEMPTS.map(|cells| Attempt { cells, tells_limbs: false, mirror });
        attempts.extend(limbs.into_iter().chain(merged));
    }
    let mut why = String::new();
    let mut best: Option<(f64, Cage)> = None;
    let mut num_made = 0;
    for (index, attempt) in attempts.iter().enumerate() {
        let report = |share: f32| {
            progress.report("cage", (index as f32 + share) / attempts.len() as f32);
        };
        if num_made == MAX_MADE || (best.is_some() && attempt.mirror != mirror) {
            break;
        }
        match make(*attempt, &report) {
            Ok(cage) if attempt.mirror != mirror => {
                let note = "no symmetric cage was found, so this one is not symmetric";
                return Ok((cage, Some(format!("{note} ({why})"))));
            }
            Ok(cage) => {
                // Fewer points than handles determine them with no cage.
                let can_be_good = of.points.len() > cage.points().len();
                let found = if can_be_good { condition(&cage, of.points, progress) } else { 0.0 };
                if best.as_ref().is_none_or(|(least, _)| found < *least) {
                    best = Some((found, cage));
                }
                if found <= GOOD_CONDITION {
                    break;
                }
                num_made += 1;
            }
            Err(CageError::Cancelled) => return Err(CageError::Cancelled),
            Err(CageError::CannotGenerate { why: found, .. }) => why = found,
            Err(error) => why = error.to_string(),
        }
    }
    if let Some((_, cage)) = best {
        return Ok((cage, None));
    }
    let why = format!("{why}; try more faces or another offset");
    Err(CageError::CannotGenerate { faces: settings.faces, why })
}

/// How well some of the points determine the handles, as the coupling has it.
fn condition(cage: &Cage, points: &[DVec3], progress: &dyn Progress) -> f64 {
    let step = (points.len() / MAX_LOOKED_AT).max(1);
    let some: Vec<DVec3> = points.iter().step_by(step).copied().collect();
    let coordinates = QuadMeanValue::new(cage);
    let Ok(rows) = CoordinateRows::bind(cage, &coordinates, &some, progress) else {
        return f64::INFINITY;
    };
    Selection::of(&rows, |_| true).condition(&rows)
}

fn tried(
    of: &Shape<'_>,
    settings: &CageSettings,
    Attempt { cells, tells_limbs, mirror }: Attempt,
    report: &dyn Fn(f32),
    progress: &dyn Progress,
) -> Result<Cage, CageError> {
    let offset = settings.offset * super::shape::diagonal(of.points);
    let own = of.own.filter(|_| tells_limbs);
    let field = Field::new(of.points, of.triangles, (offset, own), cells, mirror);
    report(0.3);
    if progress.is_cancelled() {
        return Err(CageError::Cancelled);
    }
    let least = field.least_offset;
    let sheet = extract::surface(&field);
    let halves = if mirror.is_some() { 2 } else { 1 };
    let sheet = reduce(sheet, settings.faces / halves, (offset, least), mirror, progress)?;
    report(0.9);
    let cage = whole(&sheet, mirror)?;
    match fault(&cage, of.points, settings.faces) {
        None => Ok(cage),
        Some(why) => Err(CageError::CannotGenerate { faces: settings.faces, why }),
    }
}

/// Decimates: quickly while there are many faces, then with everything watched.
fn reduce(
    mut sheet: Sheet,
    faces: usize,
    (offset, least): (f64, f64),
    mirror: Option<f64>,
    progress: &dyn Progress,
) -> Result<Sheet, CageError> {
    let quick = (6 * faces).max(1600);
    collapse::quickly(&mut sheet, quick, least, mirror);
    if progress.is_cancelled() {
        return Err(CageError::Cancelled);
    }
    collapse::outwards(&mut sheet, faces, offset, mirror);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::sample::{SampleKind, SampleOptions, build};

    /// Where every symmetric way fails, a cage that is not symmetric is made, whole, and a note
    /// says why; where every way does, that is said.
    #[test]
    fn without_a_symmetric_cage_one_that_is_not_is_made_and_said_so() {
        let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let mesh = &character.parts[0].mesh;
        let points: Vec<DVec3> = mesh.points().iter().map(|p| p.as_dvec3()).collect();
        let of = Shape { points: &points, triangles: mesh.point_triangles(), own: None };
        let settings = CageSettings { faces: 120, ..CageSettings::default() };
        let plane = mirror_plane(&points, super::super::shape::diagonal(&points));
        assert!(plane.is_some(), "the sample is symmetric");
        let twice =
            || CageError::CannotGenerate { faces: 120, why: "faces are there twice".into() };
        let made = best(&of, &settings, (plane, &Silent), |attempt, report| match attempt.mirror {
            Some(_) => Err(twice()),
            None => tried(&of, &settings, attempt, report, &Silent),
        });
        let (cage, note) = made.unwrap();
        let note = note.unwrap();
        assert!(note.contains("not symmetric") && note.contains("there twice"), "{note}");
        assert!(cage.check().is_clean(), "{}", cage.check());
        assert!(points.iter().all(|&p| cage.encloses(p)));
        let refused = best(&of, &settings, (plane, &Silent), |_, _| Err(twice())).unwrap_err();
        assert!(refused.to_string().contains("there twice"), "{refused}");
    }
}
