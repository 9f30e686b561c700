//! The skeleton: names, bones, rest against bind.

use std::collections::{HashMap, HashSet};

use glam::{DAffine3, DMat3};

use super::names::other_side;
use super::pair_faults::duplicate_joints;
use super::{Finding, Severity, listed};
use crate::character::Character;
use crate::skeleton::{Joint, polar};

/// A bone shorter than this share of the character is a point: its twist axis is rounding noise.
const ZERO_BONE_OVER_DIAGONAL: f64 = 1e-6;

/// Scale this near to one is a file's rounding: f32 matrices taken apart are good to about 1e-6.
const SCALE_TOLERANCE: f64 = 1e-4;

/// A joint further from the box around the meshes than this share of its diagonal is outside.
const OUTSIDE_OVER_DIAGONAL: f64 = 0.5;

/// How far, over the character's size, a joint may rest from where it was bound before it counts as
/// posed. Files in f32 with long chains are off by some 1e-5.
const REST_IS_BIND_TOLERANCE: f64 = 1e-3;

pub(super) fn check(character: &Character, findings: &mut Vec<Finding>) {
    if character.skeleton.is_empty() {
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
    let mut joints = Joints { character, joints: character.skeleton.joints(), findings };
    joints.check_duplicate_names();
    joints.check_bones();
    joints.check_scales();
    joints.check_bind();
    joints.check_roots();
    joints.check_sides();
    joints.check_places();
    joints.check_use();
    joints.check_twins();
}

/// The joints of a character, of which there are some.
struct Joints<'a> {
    character: &'a Character,
    joints: &'a [Joint],
    findings: &'a mut Vec<Finding>,
}

/// What is wrong with joints.
struct Fault {
    severity: Severity,
    code: &'static str,
    what: &'static str,
    mend: &'static str,
}

impl Joints<'_> {
    /// Reports the joints that a fault is of, if there are any.
    fn report(&mut self, fault: &Fault, is_at: impl FnMut(&usize) -> bool) {
        let found: Vec<usize> = (0..self.joints.len()).filter(is_at).collect();
        if found.is_empty() {
            return;
        }
        let labels = found.iter().map(|&joint| label(joint, &self.joints[joint]));
        self.findings.push(Finding {
            severity: fault.severity,
            code: fault.code,
            what: fault.what.to_owned(),
            place: listed("joint", labels, "the skeleton"),
            mend: fault.mend.to_owned(),
            count: found.len(),
        });
    }

    fn check_duplicate_names(&mut self) {
        let joints = self.joints;
        let mut first_with_name = HashMap::new();
        let fault = Fault {
            severity: Severity::Warning,
            code: "duplicate-joint-names",
            what: "joints with the name of an earlier one; by name only the first is found",
            mend: "give every joint a name of its own",
        };
        self.report(&fault, |&j| *first_with_name.entry(joints[j].name.as_str()).or_insert(j) != j);
    }

    fn check_twins(&mut self) {
        let twins: HashSet<usize> =
            duplicate_joints(self.character).into_iter().map(|(joint, _)| joint as usize).collect();
        let fault = Fault {
            severity: Severity::Info,
            code: "duplicate-joints",
            what: "joints at the place of an earlier one, which share its skin and do nothing else",
            mend: "`sinew repair` gives their weights to the earlier one",
        };
        self.report(&fault, |joint| twins.contains(joint));
    }

    fn check_bones(&mut self) {
        let skeleton = &self.character.skeleton;
        let size = character_size(self.character);
        let fault = Fault {
            severity: Severity::Warning,
            code: "zero-length-bones",
            what: "bones without length, whose twist has no axis",
            mend: "move the tail, or merge the joint with its parent",
        };
        self.report(&fault, |&j| {
            let [head, tail] = skeleton.rest_bone(j as u32);
            head.distance(tail) <= ZERO_BONE_OVER_DIAGONAL * size
        });
    }

    fn check_scales(&mut self) {
        let joints = self.joints;
        let rest = self.character.skeleton.rest_model_from_joint();
        let scaled = Fault {
            severity: Severity::Warning,
            code: "scaled-joints",
            what: "joints with a scale at rest",
            mend: "apply the scale to armature and mesh (Blender: Ctrl+A > Scale) and export again",
        };
        self.report(&scaled, |&j| {
            (joints[j].rest.scale - 1.0).abs().max_element() > SCALE_TOLERANCE
        });
        let sheared = Fault {
            severity: Severity::Warning,
            code: "sheared-joints",
            what: "joints sheared at rest: a rotation below a parent with unequal scale",
            mend: "apply the unequal scale of the parents; rigid methods cannot follow a shear",
        };
        self.report(&sheared, |&j| is_sheared(&rest[j]));
        let mirrored = Fault {
            severity: Severity::Warning,
            code: "mirrored-joints",
            what: "joints with a negative scale, which turn the skin inside out for rigid methods",
            mend: "apply the negative scale and recalculate the normals",
        };
        self.report(&mirrored, |&j| joints[j].rest.scale.min_element() < 0.0);
    }

    fn check_bind(&mut self) {
        let skeleton = &self.character.skeleton;
        let size = character_size(self.character);
        let fault = Fault {
            severity: Severity::Info,
            code: "rest-is-not-bind",
            what: "joints that rest elsewhere than the skin was bound; at rest the skin is already posed",
            mend: "export in the bind pose (Blender: Armature > Rest Position) if that is not meant; `sinew repair --only rest-is-not-bind` makes it the rest",
        };
        self.report(&fault, |&j| {
            let posed = skeleton.rest_model_from_joint()[j] * skeleton.joint_from_model()[j];
            !is_near_identity(&posed, size)
        });
    }

    fn check_roots(&mut self) {
        let is_root = |joint: &Joint| joint.parent.is_none();
        if self.joints.iter().filter(|joint| is_root(joint)).count() < 2 {
            return;
        }
        let joints = self.joints;
        let fault = Fault {
            severity: Severity::Info,
            code: "several-roots",
            what: "joints without a parent, of which most engines take one",
            mend: "put them under one root joint, unless they belong to several characters",
        };
        self.report(&fault, |&j| is_root(&joints[j]));
    }

    fn check_sides(&mut self) {
        let joints = self.joints;
        let names: HashSet<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
        let fault = Fault {
            severity: Severity::Info,
            code: "one-sided-joints",
            what: "joints of one side whose name has no partner on the other",
            mend: "name both sides alike (arm.L, arm.R), so that poses and weights can be mirrored",
        };
        self.report(&fault, |&j| {
            other_side(&joints[j].name).is_some_and(|other| !names.contains(other.as_str()))
        });
    }

    fn check_places(&mut self) {
        let bounds = self.character.bounds();
        if bounds.is_empty() {
            return;
        }
        let skeleton = &self.character.skeleton;
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let far = f64::from(bounds.diagonal()) * OUTSIDE_OVER_DIAGONAL;
        let fault = Fault {
            severity: Severity::Info,
            code: "joints-outside-mesh",
            what: "joints bound further from all meshes than half their size",
            mend: "check the scale of mesh and armature against each other, and stray helper joints",
        };
        self.report(&fault, |&j| {
            let [head, _] = skeleton.bind_bone(j as u32);
            head.distance(head.clamp(min, max)) > far
        });
    }

    fn check_use(&mut self) {
        let mut is_used = vec![false; self.joints.len()];
        for weights in self.character.parts.iter().filter_map(|part| part.weights.as_ref()) {
            for influence in weights.rows().flatten() {
                if let Some(used) = is_used.get_mut(influence.joint as usize) {
                    *used = true;
                }
            }
        }
        if self.character.parts.is_empty() {
            return;
        }
        let fault = Fault {
            severity: Severity::Info,
            code: "unused-joints",
            what: "joints that move no point themselves",
            mend: "remove end joints that only mark a tail, if the engine's limit on joints matters",
        };
        self.report(&fault, |&j| !is_used[j]);
    }
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
