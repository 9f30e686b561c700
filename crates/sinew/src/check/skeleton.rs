//! The skeleton: names, bones, rest against bind.

use std::collections::{HashMap, HashSet};

use glam::{DAffine3, DMat3};

use super::names::other_side;
use super::{Finding, Severity, listed};
use crate::character::Character;
use crate::skeleton::{Joint, polar};

/// A bone shorter than this share of the character is a point: its twist axis is rounding noise.
const ZERO_BONE_OVER_DIAGONAL: f64 = 1e-6;

/// Scale this near to one is a file's rounding: f32 matrices taken apart are good to about 1e-6.
const SCALE_TOLERANCE: f64 = 1e-4;

/// A joint further from the box around the meshes than this share of its diagonal is outside.
const OUTSIDE_OVER_DIAGONAL: f64 = 0.5;

/// How far, over the character's size, a joint may rest from where it was bound before it counts as posed.
/// Files in f32 with long chains are off by some 1e-5.
const REST_IS_BIND_TOLERANCE: f64 = 1e-3;

pub(super) fn check(character: &Character, findings: &mut Vec<Finding>) {
    let skeleton = &character.skeleton;
    if skeleton.is_empty() {
        findings.push(Finding {
            severity: Severity::Info,
            code: "no-skeleton",
            what: "there is no skeleton, so that nothing can be posed".into(),
            place: format!("character '{}'", character.name),
            mend: "export the armature with the mesh, in a format that has one (GLB)".into(),
            count: 1,
        });
        return;
    }
    let joints = skeleton.joints();
    let size = character_size(character);
    let mut push = |severity, code, what: &str, found: &[usize], mend: &str| {
        if !found.is_empty() {
            findings.push(Finding {
                severity,
                code,
                what: what.to_owned(),
                place: listed("joint", found.iter().map(|&j| label(j, &joints[j])), "the skeleton"),
                mend: mend.to_owned(),
                count: found.len(),
            });
        }
    };
    let where_joint = |test: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..joints.len()).filter(|&joint| test(joint)).collect()
    };

    let mut first_with_name = HashMap::new();
    let duplicates: Vec<usize> = (0..joints.len())
        .filter(|&j| *first_with_name.entry(joints[j].name.as_str()).or_insert(j) != j)
        .collect();
    push(
        Severity::Warning,
        "duplicate-joint-names",
        "joints with the name of an earlier one; by name only the first is found",
        &duplicates,
        "give every joint a name of its own",
    );
    push(
        Severity::Warning,
        "zero-length-bones",
        "bones without length, whose twist has no axis",
        &where_joint(&|j| {
            let [head, tail] = skeleton.rest_bone(j as u32);
            head.distance(tail) <= ZERO_BONE_OVER_DIAGONAL * size
        }),
        "move the tail, or merge the joint with its parent",
    );
    push(
        Severity::Warning,
        "scaled-joints",
        "joints with a scale at rest",
        &where_joint(&|j| {
            let scale = joints[j].rest.scale;
            (scale - 1.0).abs().max_element() > SCALE_TOLERANCE
        }),
        "apply the scale to armature and mesh (Blender: Ctrl+A > Scale) and export again",
    );
    push(
        Severity::Warning,
        "sheared-joints",
        "joints sheared at rest: a rotation below a parent with unequal scale",
        &where_joint(&|j| is_sheared(&skeleton.rest_model_from_joint()[j])),
        "apply the unequal scale of the parents; rigid methods cannot follow a shear",
    );
    push(
        Severity::Warning,
        "mirrored-joints",
        "joints with a negative scale, which turn the skin inside out for rigid methods",
        &where_joint(&|j| joints[j].rest.scale.min_element() < 0.0),
        "apply the negative scale and recalculate the normals",
    );
    push(
        Severity::Info,
        "rest-is-not-bind",
        "joints that rest elsewhere than the skin was bound; at rest the skin is already posed",
        &where_joint(&|j| {
            let posed = skeleton.rest_model_from_joint()[j] * skeleton.joint_from_model()[j];
            !is_near_identity(&posed, size)
        }),
        "export in the bind pose (Blender: Armature > Rest Position) if that is not meant",
    );

    let roots = where_joint(&|j| joints[j].parent.is_none());
    if roots.len() > 1 {
        push(
            Severity::Info,
            "several-roots",
            "joints without a parent, of which most engines take one",
            &roots,
            "put them under one root joint, unless they belong to several characters",
        );
    }
    let names: HashSet<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    push(
        Severity::Info,
        "one-sided-joints",
        "joints of one side whose name has no partner on the other",
        &where_joint(&|j| {
            other_side(&joints[j].name).is_some_and(|other| !names.contains(other.as_str()))
        }),
        "name both sides alike (arm.L, arm.R), so that poses and weights can be mirrored",
    );
    let bounds = character.bounds();
    if !bounds.is_empty() {
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let far = f64::from(bounds.diagonal()) * OUTSIDE_OVER_DIAGONAL;
        push(
            Severity::Info,
            "joints-outside-mesh",
            "joints bound further from all meshes than half their size",
            &where_joint(&|j| {
                let [head, _] = skeleton.bind_bone(j as u32);
                head.distance(head.clamp(min, max)) > far
            }),
            "check the scale of mesh and armature against each other, and stray helper joints",
        );
    }

    let mut is_used = vec![false; joints.len()];
    for weights in character.parts.iter().filter_map(|part| part.weights.as_ref()) {
        for influence in weights.rows().flatten() {
            if let Some(used) = is_used.get_mut(influence.joint as usize) {
                *used = true;
            }
        }
    }
    push(
        Severity::Info,
        "unused-joints",
        "joints that move no point themselves",
        &where_joint(&|j| !is_used[j]),
        "remove end joints that only mark a tail, if the engine's limit on joints matters",
    );
}

fn label(index: usize, joint: &Joint) -> String {
    if joint.name.is_empty() { index.to_string() } else { format!("'{}'", joint.name) }
}

/// The longest side of all that there is: joints too, since a file may have no mesh.
fn character_size(character: &Character) -> f64 {
    let heads = character.skeleton.rest_model_from_joint().iter().map(|m| m.translation);
    let (min, max) = heads
        .fold((glam::DVec3::INFINITY, glam::DVec3::NEG_INFINITY), |(a, b), p| (a.min(p), b.max(p)));
    f64::from(character.bounds().diagonal()).max((max - min).length()).max(f64::MIN_POSITIVE)
}

fn is_sheared(model_from_joint: &DAffine3) -> bool {
    // Without shear the columns are at right angles; the stretch of `R · S` is diagonal then.
    let (_, stretch) = polar(model_from_joint.matrix3);
    let largest = stretch.x_axis.abs().max(stretch.y_axis.abs()).max(stretch.z_axis.abs());
    let off_diagonal =
        stretch.y_axis.x.abs().max(stretch.z_axis.x.abs()).max(stretch.z_axis.y.abs());
    off_diagonal > SCALE_TOLERANCE * largest.max_element()
}

fn is_near_identity(transform: &DAffine3, size: f64) -> bool {
    let linear = transform.matrix3 - DMat3::IDENTITY;
    let largest = linear.to_cols_array().into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    largest <= REST_IS_BIND_TOLERANCE
        && transform.translation.length() <= REST_IS_BIND_TOLERANCE * size
}
