//! Automatic weights: a mesh and a skeleton in, weights out.
//!
//! All meshes of a character are bound as one: points that lie on one another have the same
//! weights, and pieces take from those that they lie on. The recipe is the one of
//! `docs/methods/weights.md`: joints that do not deform are left out (`joints`), each point's
//! nearest bone is found through the body (`distance`), and heat flows over the surface from
//! there (`heat`).

mod biharmonic;
mod bones;
mod distance;
mod heat;
mod joints;
mod learned;
mod metric;
mod pieces;
mod solid;
#[cfg(test)]
mod tests;

pub use joints::{LeftOut, left_out};

use glam::{DVec3, Vec3};

use self::bones::Bones;
use self::pieces::Pieces;
use crate::Character;
use crate::progress::Progress;
use crate::weights::{Influence, SampledPoses, SkinWeights, refit};

/// How weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoMethod {
    /// The recipe.
    #[default]
    Auto,
    /// Heat over the surface from the nearest bone, of all joints, each piece by itself.
    Heat,
    /// `1/d⁴` to the bones.
    Distance,
    /// By ways through the body's cells: geodesic voxel binding.
    Voxel,
    /// By ways along the surface.
    Geodesic,
    /// Within capsules around bones.
    Envelope,
    /// Bounded biharmonic over the surface: smoother than heat, and slower.
    Biharmonic,
    /// Fitted to what springs do in a range of motion.
    Springs,
    /// Fitted to what springs do in the character's own clips.
    Motion,
}

impl AutoMethod {
    /// All variants.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Heat,
        Self::Distance,
        Self::Voxel,
        Self::Geodesic,
        Self::Envelope,
        Self::Biharmonic,
        Self::Springs,
        Self::Motion,
    ];

    /// As flags say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Heat => "heat",
            Self::Distance => "distance",
            Self::Voxel => "voxel",
            Self::Geodesic => "geodesic",
            Self::Envelope => "envelope",
            Self::Biharmonic => "biharmonic",
            Self::Springs => "springs",
            Self::Motion => "motion",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// What to bind with.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoSettings {
    /// The method that finds the weights.
    pub method: AutoMethod,
    /// The most influences of a point, from 1.
    pub max_influences: usize,
    /// Joints that are to deform, or are not, whatever names and structure say.
    pub decided: Vec<(u32, bool)>,
}

impl Default for AutoSettings {
    fn default() -> Self {
        Self { method: AutoMethod::default(), max_influences: 4, decided: Vec::new() }
    }
}

/// Why there are no weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AutoError {
    /// Nothing to hold on to.
    #[error("there is no joint to bind to; weights need a skeleton")]
    NoJoints,
    /// Nothing to bind.
    #[error("there is no mesh to bind")]
    NoPoints,
    /// A point of nowhere.
    #[error("mesh '{mesh}' has a point that is no number (point {point}); mend the file first")]
    NotFinite {
        /// Its name.
        mesh: String,
        /// The point.
        point: usize,
    },
    /// The heat could not be solved.
    #[error("the surface could not be solved over; try --weights distance")]
    Factor,
    /// Nothing to learn from.
    #[error("the character has no clip to learn from; --weights springs needs none")]
    NoClip,
    /// Springs cannot be bound.
    #[error("springs cannot teach: {why}; try --weights auto")]
    Springs {
        /// What went wrong.
        why: String,
    },
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Weights of every mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoWeights {
    /// One a mesh.
    pub of_part: Vec<SkinWeights>,
    /// Joints that got none, and why.
    pub left_out: Vec<LeftOut>,
    /// Pieces that one joint alone moves.
    pub num_rigid: usize,
}

/// A row as it is found: joints with their weights.
type Row = Vec<(u32, f64)>;

/// Weights below this are dropped.
const LEAST_WEIGHT: f64 = 1e-3;
/// The budget chooses among no more of a row's largest.
const MOST_CANDIDATES: usize = 16;

/// Finds the weights of all meshes of a character. Those that it has do not count.
///
/// # Errors
/// If there is nothing to bind or to bind to, or someone asked to stop.
pub fn auto_weights(
    character: &Character,
    settings: &AutoSettings,
    progress: &dyn Progress,
) -> Result<AutoWeights, AutoError> {
    let skeleton = &character.skeleton;
    if skeleton.is_empty() {
        return Err(AutoError::NoJoints);
    }
    for part in &character.parts {
        let points = part.mesh.points();
        if let Some(point) = points.iter().position(|point| !point.is_finite()) {
            return Err(AutoError::NotFinite { mesh: part.mesh.name().to_owned(), point });
        }
    }
    let pieces = Pieces::of(character);
    if pieces.points.is_empty() {
        return Err(AutoError::NoPoints);
    }
    if matches!(settings.method, AutoMethod::Springs | AutoMethod::Motion) {
        return learned::learn(character, settings, progress);
    }
    let left_out = match settings.method {
        AutoMethod::Auto
        | AutoMethod::Biharmonic
        | AutoMethod::Springs
        | AutoMethod::Motion
        | AutoMethod::Voxel
        | AutoMethod::Geodesic
        | AutoMethod::Envelope => left_out(skeleton, &settings.decided),
        AutoMethod::Heat | AutoMethod::Distance => Vec::new(),
    };
    let bones = Bones::of(skeleton, |joint| left_out.iter().all(|left| left.joint != joint));
    check(progress)?;
    let (rows, num_rigid) = match settings.method {
        AutoMethod::Auto | AutoMethod::Springs | AutoMethod::Motion => {
            let nearest = distance::through_the_body(&pieces, &bones, progress)?;
            heat::flow(&pieces, &nearest, skeleton, heat::Recipe::Whole, progress)?
        }
        AutoMethod::Biharmonic => {
            let nearest = distance::through_the_body(&pieces, &bones, progress)?;
            heat::flow(&pieces, &nearest, skeleton, heat::Recipe::Bounded, progress)?
        }
        AutoMethod::Heat => {
            let nearest = distance::straight(&pieces, &bones);
            heat::flow(&pieces, &nearest, skeleton, heat::Recipe::Plain, progress)?
        }
        AutoMethod::Distance => (distance::inverse(&pieces, &bones), 0),
        AutoMethod::Voxel => (metric::voxel(&pieces, &bones, progress)?, 0),
        AutoMethod::Geodesic => (metric::geodesic(&pieces, &bones, progress)?, 0),
        AutoMethod::Envelope => (metric::envelope(&pieces, &bones), 0),
    };
    progress.report("choosing influences", 0.95);
    let of_point = within_budget(rows, &pieces, character, settings.max_influences);
    let of_part = pieces
        .point_of_part_point
        .iter()
        .map(|points| {
            let row = |&point: &u32| {
                of_point[point as usize].iter().map(|&(joint, weight)| (joint, weight as f32))
            };
            SkinWeights::from_rows(points.iter().map(row), skeleton.len()).0
        })
        .collect();
    Ok(AutoWeights { of_part, left_out, num_rigid })
}

fn check(progress: &dyn Progress) -> Result<(), AutoError> {
    if progress.is_cancelled() { Err(AutoError::Cancelled) } else { Ok(()) }
}

/// Rows of at most so many influences: the joints and weights that come nearest to what all of a
/// row's do, over poses. Solved for, and not cut off.
fn within_budget(
    rows: Vec<Row>,
    pieces: &Pieces,
    character: &Character,
    max_influences: usize,
) -> Vec<Row> {
    let rows = rows.into_iter().map(without_small);
    let skeleton = &character.skeleton;
    let (all, _) = SkinWeights::from_rows(
        rows.map(|row| row.into_iter().map(|(joint, weight)| (joint, weight as f32))),
        skeleton.len(),
    );
    let points: Vec<Vec3> = pieces.points.iter().map(|point| point.as_vec3()).collect();
    let poses = SampledPoses::of(skeleton, &character.clips);
    let few = refit(&all, &points, &poses, max_influences).weights;
    let row = |row: &[Influence]| row.iter().map(|i| (i.joint, f64::from(i.weight))).collect();
    few.rows().map(row).collect()
}

/// A row without weights that move nothing, summing to one.
fn without_small(mut row: Row) -> Row {
    // Of all of the row: not every method's sum to one.
    let whole: f64 = row.iter().map(|&(_, weight)| weight).sum();
    let largest = row.iter().map(|entry| entry.1).fold(0.0, f64::max);
    row.retain(|&(_, weight)| weight >= (LEAST_WEIGHT * whole).min(largest));
    row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    row.truncate(MOST_CANDIDATES);
    let sum: f64 = row.iter().map(|&(_, weight)| weight).sum();
    row.iter_mut().for_each(|(_, weight)| *weight /= sum);
    row
}

/// The point of a segment that is nearest to another.
fn closest_on([from, to]: [DVec3; 2], point: DVec3) -> DVec3 {
    let along = to - from;
    let length_squared = along.length_squared();
    if length_squared <= 0.0 {
        return from;
    }
    from + along * ((point - from).dot(along) / length_squared).clamp(0.0, 1.0)
}
