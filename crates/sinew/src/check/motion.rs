//! Clips and shapes: those that do nothing, and those that do what another one does.

use std::collections::HashMap;

use super::{Finding, Severity, listed, part_place};
use crate::character::{Character, Part};
use crate::motion::{Channel, Clip, Interpolation, Motion};

/// Times at which a clip is looked at. A motion that is still at all of them is none that can be
/// seen.
const NUM_LOOKS: usize = 17;

/// Poses this near are one: keys of a bone that rests differ in their last f32 bits.
const SAME_POSE_TOLERANCE: f64 = 1e-5;

/// Keys further apart than this are a motion, however wide.
const JUMP_SECONDS: f64 = 0.05;
/// Wider turns than this between two such keys are a fault. The shorter arc is at most half a turn.
const JUMP_RADIANS: f64 = 120.0 * std::f64::consts::PI / 180.0;

/// A shape that moves no point further than this share of the mesh cannot be seen.
const EMPTY_SHAPE_OVER_DIAGONAL: f32 = 1e-6;

pub(super) fn check(character: &Character, findings: &mut Vec<Finding>) {
    let still: Vec<&str> = character
        .clips
        .iter()
        .enumerate()
        .filter(|(index, _)| !moves(character, *index))
        .map(|(_, clip)| clip.name.as_str())
        .collect();
    push_named(
        findings,
        "still-clips",
        "clips in which no joint moves",
        &still,
        "remove them, or export the motion (Blender: push the action to the NLA)",
    );
    let mut first = HashMap::new();
    let again: Vec<&str> = character
        .clips
        .iter()
        .enumerate()
        .filter(|(index, clip)| *first.entry(clip.name.as_str()).or_insert(*index) != *index)
        .map(|(_, clip)| clip.name.as_str())
        .collect();
    push_named(
        findings,
        "duplicate-clip-names",
        "clips with the name of an earlier one; by name only the first is found",
        &again,
        "give every clip a name of its own",
    );
    let jumping: Vec<&str> =
        character.clips.iter().filter(|clip| jumps(clip)).map(|clip| clip.name.as_str()).collect();
    push_named(
        findings,
        "jumping-clips",
        "clips in which a joint turns by more than 120 degrees between two keys a twentieth of a second apart",
        &jumping,
        "look for a flipped key (Blender: Graph Editor > Key > Discontinuity (Euler) Filter)",
    );
    for (index, part) in character.parts.iter().enumerate() {
        check_shapes(part, &part_place(index, part.mesh.name()), findings);
    }
}

fn push_named(
    findings: &mut Vec<Finding>,
    code: &'static str,
    what: &str,
    names: &[&str],
    mend: &str,
) {
    if !names.is_empty() {
        findings.push(Finding {
            severity: Severity::Info,
            code,
            what: what.to_owned(),
            place: listed("clip", names.iter().map(|name| format!("'{name}'")), "the character"),
            mend: mend.to_owned(),
            count: names.len(),
        });
    }
}

/// True if a curve of a joint's rotation makes a turn that no body makes. Steps are meant to jump.
fn jumps(clip: &Clip) -> bool {
    clip.tracks.iter().any(|track| {
        let Channel::Rotation(curve) = &track.channel else { return false };
        if matches!(curve.interpolation, Interpolation::Step) {
            return false;
        }
        let keys = || curve.times_seconds.iter().zip(&curve.values);
        keys().zip(keys().skip(1)).any(|((t0, q0), (t1, q1))| {
            t1 - t0 <= JUMP_SECONDS && q0.angle_between(*q1) > JUMP_RADIANS
        })
    })
}

/// True if a joint moves between any two looks, or a clip moves what is no joint (shapes).
fn moves(character: &Character, clip: usize) -> bool {
    let clip = &character.clips[clip];
    let duration = clip.duration_seconds();
    // What moves shapes is no pose, and may be a face.
    if !clip.shape_tracks.is_empty() || !duration.is_finite() {
        return true;
    }
    let motion = Motion::of_clip(clip, &character.skeleton);
    let pose_at = |look: usize| {
        let time = duration * look as f64 / (NUM_LOOKS - 1) as f64;
        let mut models = Vec::new();
        motion
            .pose_at(&character.skeleton, time)
            .model_from_joint(&character.skeleton, &mut models);
        models
    };
    let first = pose_at(0);
    (1..NUM_LOOKS).any(|look| {
        let now = pose_at(look);
        first.iter().zip(&now).any(|(a, b)| {
            let size = a.translation.length().max(1.0);
            !a.matrix3.abs_diff_eq(b.matrix3, SAME_POSE_TOLERANCE)
                || a.translation.distance(b.translation) > SAME_POSE_TOLERANCE * size
        })
    })
}

fn check_shapes(part: &Part, place: &str, findings: &mut Vec<Finding>) {
    let mut push = |code, what: &str, found: &[usize], mend: &str| {
        if !found.is_empty() {
            let names = found.iter().map(|&shape| format!("'{}'", part.shapes[shape].name));
            findings.push(Finding {
                severity: Severity::Info,
                code,
                what: what.to_owned(),
                place: listed("shape", names, place),
                mend: mend.to_owned(),
                count: found.len(),
            });
        }
    };
    let smallest = EMPTY_SHAPE_OVER_DIAGONAL * part.mesh.bounds().diagonal().max(f32::MIN_POSITIVE);
    let is_empty: Vec<bool> = part
        .shapes
        .iter()
        .map(|shape| shape.deltas.iter().all(|delta| delta.length() <= smallest))
        .collect();
    let empty: Vec<usize> = (0..part.shapes.len()).filter(|&shape| is_empty[shape]).collect();
    push(
        "empty-shapes",
        "blend shapes that move no point",
        &empty,
        "remove them, or sculpt them before export",
    );
    let mut first_with_deltas: HashMap<Vec<[u32; 3]>, usize> = HashMap::new();
    let mut first_with_name: HashMap<&str, usize> = HashMap::new();
    let (mut copies, mut same_names) = (Vec::new(), Vec::new());
    for (shape, found) in part.shapes.iter().enumerate() {
        if *first_with_name.entry(&found.name).or_insert(shape) != shape {
            same_names.push(shape);
        }
        if !is_empty[shape] {
            let key =
                found.deltas.iter().map(|d| d.to_array().map(|x| (x + 0.0).to_bits())).collect();
            if *first_with_deltas.entry(key).or_insert(shape) != shape {
                copies.push(shape);
            }
        }
    }
    push(
        "duplicate-shapes",
        "blend shapes that move every point as an earlier one does",
        &copies,
        "remove the copies, or sculpt what they were copied for",
    );
    push(
        "duplicate-shape-names",
        "blend shapes with the name of an earlier one; by name only the first is found",
        &same_names,
        "give every shape a name of its own",
    );
}
