//! How far weights are from others of the same meshes.

use std::collections::HashMap;
use std::fmt;

use glam::{IVec3, Vec3};
use sinew::Character;
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::{Skin, SkinInput, SkinMethod};
use sinew::weights::SkinWeights;

use crate::random::{Limits, random_pose};

/// Poses that the skin is compared in.
const NUM_POSES: u64 = 12;
const LIMITS: Limits = Limits { swing_degrees: 45.0, twist_degrees: 30.0 };
const FIRST_SEED: u64 = 20_261_118;
/// Over the diagonal: points on one place.
const ONE_PLACE: f32 = 1e-5;
/// Weights that differ by less are the same: what files round to.
const SAME_WEIGHT: f64 = 1e-3;

/// How far the weights of a method are from the artist's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Apart {
    /// Half the sum of differences of a point's weights, in the mean.
    pub weights: f64,
    /// Of posed points, over the diagonal: root of the mean square, and 95 % of them.
    pub rms: f64,
    pub p95: f64,
    pub seconds: f64,
    /// Points without weight.
    pub num_bare: usize,
    /// Pairs of points on one place, and those of them whose weights differ.
    pub num_pairs: usize,
    pub num_opened: usize,
}

impl Apart {
    pub(super) fn mean(all: &[Self]) -> Self {
        let number = all.len().max(1) as f64;
        let of = |value: fn(&Self) -> f64| all.iter().map(value).sum::<f64>() / number;
        Self {
            weights: of(|one| one.weights),
            rms: of(|one| one.rms),
            p95: of(|one| one.p95),
            seconds: of(|one| one.seconds),
            ..Self::default()
        }
    }

    /// By weights or by posed points, as they are printed.
    pub(super) fn is_further_off_than(&self, other: &Self) -> bool {
        self.weights > other.weights + 5e-4 || self.rms > other.rms + 5e-5
    }
}

impl fmt::Display for Apart {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rms, p95) = (100.0 * self.rms, 100.0 * self.p95);
        write!(out, "{:.3} / {rms:.2} / {p95:.2} / {:.2}", self.weights, self.seconds)
    }
}

/// A pose that skins are compared in.
pub(super) fn pose(character: &Character, number: u64) -> Pose {
    random_pose(&character.skeleton, FIRST_SEED + number, LIMITS)
}

pub(super) fn apart(
    character: &Character,
    found: &[SkinWeights],
    seconds: f64,
) -> Result<Apart, String> {
    let own: Vec<&SkinWeights> =
        character.parts.iter().filter_map(|part| part.weights.as_ref()).collect();
    let mut weights = 0.0;
    for (own, found) in own.iter().zip(found) {
        weights += (0..own.num_points())
            .map(|point| difference(own.row(point), found.row(point)))
            .sum::<f64>();
    }
    let diagonal = f64::from(character.bounds().diagonal());
    let mut distances = Vec::new();
    for number in 0..NUM_POSES {
        let pose = pose(character, number);
        let theirs = posed(character, &own, &pose)?;
        let ours = posed(character, &found.iter().collect::<Vec<_>>(), &pose)?;
        let pairs = theirs.iter().zip(&ours);
        distances.extend(pairs.map(|(a, b)| f64::from(a.distance(*b)) / diagonal));
    }
    let squares: f64 = distances.iter().map(|distance| distance * distance).sum();
    let rms = (squares / distances.len() as f64).sqrt();
    distances.sort_by(f64::total_cmp);
    let p95 = distances[(0.95 * (distances.len() - 1) as f64) as usize];
    let num_bare = found.iter().flat_map(SkinWeights::rows).filter(|row| row.is_empty()).count();
    let (num_pairs, num_opened) = pairs_on_one_place(character, found);
    let weights = weights / character.num_points() as f64;
    Ok(Apart { weights, rms, p95, seconds, num_bare, num_pairs, num_opened })
}

type Row = [sinew::weights::Influence];

/// Half the sum of what a point's weights differ by.
fn difference(a: &Row, b: &Row) -> f64 {
    let of = |row: &Row, joint: u32| -> f64 {
        let row = row.iter().filter(|influence| influence.joint == joint);
        row.map(|influence| f64::from(influence.weight)).sum()
    };
    let mut joints: Vec<u32> = a.iter().chain(b).map(|influence| influence.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    0.5 * joints.into_iter().map(|joint| (of(a, joint) - of(b, joint)).abs()).sum::<f64>()
}

/// Points of different meshes, or of one that was not welded.
fn pairs_on_one_place(character: &Character, found: &[SkinWeights]) -> (usize, usize) {
    let cell = (ONE_PLACE * character.bounds().diagonal()).max(f32::MIN_POSITIVE);
    let mut cells: HashMap<IVec3, Vec<(Vec3, &Row)>> = HashMap::new();
    let (mut num_pairs, mut num_opened) = (0, 0);
    for (part, weights) in character.parts.iter().zip(found) {
        for (&place, row) in part.mesh.points().iter().zip(weights.rows()) {
            let at = (place / cell).floor().as_ivec3();
            for step in (0..27).map(|i| IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)) {
                for (other, theirs) in cells.get(&(at + step)).into_iter().flatten() {
                    if other.distance(place) <= cell {
                        num_pairs += 1;
                        num_opened += usize::from(difference(row, theirs) > SAME_WEIGHT);
                    }
                }
            }
            cells.entry(at).or_default().push((place, row));
        }
    }
    (num_pairs, num_opened)
}

fn posed(
    character: &Character,
    weights: &[&SkinWeights],
    pose: &Pose,
) -> Result<Vec<Vec3>, String> {
    let palette = Palette::new(&character.skeleton, pose);
    let mut all = Vec::new();
    for (part, weights) in character.parts.iter().zip(weights) {
        let positions = part.mesh.points();
        let input = SkinInput {
            positions,
            normals: &[],
            weights,
            triangles: part.mesh.point_triangles(),
            skeleton: &character.skeleton,
        };
        let skin = Skin::bind(SkinMethod::Linear, &input, &Silent).map_err(|e| e.to_string())?;
        let mut points = positions.to_vec();
        skin.deform(&palette, &mut points, &mut []);
        all.extend(points);
    }
    Ok(all)
}
