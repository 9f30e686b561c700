//! Automatic weights beside the artist's: characters stripped of their weights and bound again.

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use sinew::Character;
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::{Skin, SkinInput, SkinMethod};
use sinew::weights::SkinWeights;
use sinew::weights::auto::{AutoError, AutoMethod, AutoSettings, auto_weights};
use sinew_io::read_character;

use crate::random::{Limits, random_pose};
use crate::table::Table;

/// Folders of the shared data with characters that artists have weighted.
const FOLDERS: [&str; 2] = ["gltf", "layered"];
/// A character of fewer points or joints says nothing.
const LEAST_POINTS: usize = 150;
const LEAST_JOINTS: usize = 4;
/// Poses that the skin is compared in.
const NUM_POSES: u64 = 12;
const LIMITS: Limits = Limits { swing_degrees: 45.0, twist_degrees: 30.0 };
const FIRST_SEED: u64 = 20_261_118;

/// How far the weights of a method are from the artist's.
#[derive(Clone, Copy, Debug, Default)]
struct Apart {
    /// Half the sum of differences of a point's weights, in the mean.
    weights: f64,
    /// Of posed points, over the diagonal: root of the mean square, and 95 % of them.
    rms: f64,
    p95: f64,
    seconds: f64,
}

/// The table, and what could not be taken into it.
pub fn table(data: &Path, words: &[String]) -> (Table, Vec<String>) {
    let mut head: Vec<String> = ["character", "points", "joints"].map(str::to_owned).into();
    for method in AutoMethod::ALL {
        head.push(format!("{} ΔW / rms % / p95 % / s", method.name()));
    }
    let mut table = Table { head, rows: Vec::new() };
    let mut skipped = Vec::new();
    let mut sums = [(Apart::default(), 0); AutoMethod::ALL.len()];
    for path in files(data) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let Some(character) = suitable(&path) else { continue };
        let mut row = vec![
            name.clone(),
            character.num_points().to_string(),
            character.skeleton.len().to_string(),
        ];
        let found: Result<Vec<Option<Apart>>, String> =
            AutoMethod::ALL.into_iter().map(|method| apart(&character, method)).collect();
        match found {
            Err(error) => skipped.push(format!("{name}: {error}")),
            Ok(found) => {
                for ((sum, number), found) in sums.iter_mut().zip(&found) {
                    let Some(found) = found else { continue };
                    *number += 1;
                    sum.weights += found.weights;
                    sum.rms += found.rms;
                    sum.p95 += found.p95;
                    sum.seconds += found.seconds;
                }
                let words = |found: &Option<Apart>| found.as_ref().map_or("–".into(), words_of);
                row.extend(found.iter().map(words));
                table.rows.push(row);
            }
        }
    }
    let mut mean = vec![format!("mean of {}", table.rows.len()), String::new(), String::new()];
    mean.extend(sums.iter().map(|(sum, number)| {
        let num = f64::from((*number).max(1));
        words_of(&Apart {
            weights: sum.weights / num,
            rms: sum.rms / num,
            p95: sum.p95 / num,
            seconds: sum.seconds / num,
        })
    }));
    table.rows.push(mean);
    (table, skipped)
}

fn words_of(apart: &Apart) -> String {
    let Apart { weights, rms, p95, seconds } = apart;
    format!("{weights:.3} / {:.2} / {:.2} / {seconds:.2}", 100.0 * rms, 100.0 * p95)
}

fn files(data: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.map(|folder| data.join(folder)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["glb", "gltf", "vrm"].contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// With weights all over, that more than one joint has.
fn suitable(path: &Path) -> Option<Character> {
    let character = read_character(path).ok()?.character;
    let has_all = character.parts.iter().all(|part| part.weights.is_some());
    let mut used: Vec<u32> = Vec::new();
    for weights in character.parts.iter().filter_map(|part| part.weights.as_ref()) {
        used.extend(weights.rows().flatten().map(|influence| influence.joint));
    }
    used.sort_unstable();
    used.dedup();
    let is_enough = character.num_points() >= LEAST_POINTS && used.len() >= LEAST_JOINTS;
    (has_all && is_enough).then_some(character)
}

/// `None` for what learns from clips where there is none.
fn apart(character: &Character, method: AutoMethod) -> Result<Option<Apart>, String> {
    let start = Instant::now();
    let settings = AutoSettings { method, ..AutoSettings::default() };
    let found = match auto_weights(character, &settings, &Silent) {
        Err(AutoError::NoClip) => return Ok(None),
        found => found.map_err(|error| error.to_string())?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let own = || character.parts.iter().filter_map(|part| part.weights.as_ref());
    let mut weights = 0.0;
    for (own, found) in own().zip(&found.of_part) {
        weights += (0..own.num_points()).map(|point| difference(own, found, point)).sum::<f64>();
    }
    let diagonal = f64::from(character.bounds().diagonal());
    let mut distances = Vec::new();
    for seed in 0..NUM_POSES {
        let pose = random_pose(&character.skeleton, FIRST_SEED + seed, LIMITS);
        let theirs = posed(character, &own().collect::<Vec<_>>(), &pose)?;
        let ours = posed(character, &found.of_part.iter().collect::<Vec<_>>(), &pose)?;
        let pairs = theirs.iter().zip(&ours);
        distances.extend(pairs.map(|(a, b)| f64::from(a.distance(*b)) / diagonal));
    }
    let squares: f64 = distances.iter().map(|distance| distance * distance).sum();
    let rms = (squares / distances.len() as f64).sqrt();
    distances.sort_by(f64::total_cmp);
    let p95 = distances[(0.95 * (distances.len() - 1) as f64) as usize];
    Ok(Some(Apart { weights: weights / character.num_points() as f64, rms, p95, seconds }))
}

/// Half the sum of what a point's weights differ by.
fn difference(a: &SkinWeights, b: &SkinWeights, point: usize) -> f64 {
    let of = |weights: &SkinWeights, joint: u32| -> f64 {
        let row = weights.row(point).iter().filter(|influence| influence.joint == joint);
        row.map(|influence| f64::from(influence.weight)).sum()
    };
    let mut joints: Vec<u32> =
        a.row(point).iter().chain(b.row(point)).map(|influence| influence.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    0.5 * joints.into_iter().map(|joint| (of(a, joint) - of(b, joint)).abs()).sum::<f64>()
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
