//! What breaks the rules of glTF 2.0 without keeping the reader from reading: each becomes a
//! warning that names the spot, so that a file which other programs refuse does not pass here in
//! silence. What cannot be read is refused by who reads it; nothing is refused here.
//!
//! The rules are those of the Khronos validator, as far as they touch what Sinew reads or carries.
//! Checks run on the document of the file, before anything is repaired. Time and memory are linear
//! in the file's size: data is looked at only up to a budget, and no code is reported more than
//! [`MAX_PER_CODE`] times.

mod accessor;
mod container;
mod data;
mod document;
mod mesh;
mod motion;
mod tape;

use std::collections::HashMap;

use sinew::skeleton::Skeleton;

use super::buffer::Buffers;
use crate::{ReadError, Report};
use tape::{Node, Tape};

pub(crate) use container::validate_container;

/// After so many of a code the rest is only counted.
const MAX_PER_CODE: usize = 12;

/// Adds a warning for each broken rule.
pub(super) fn validate(json: &[u8], buffers: &Buffers<'_>, report: &mut Report) {
    let without_mark = json.strip_prefix(b"\xef\xbb\xbf");
    if without_mark.is_some() {
        let what =
            "a byte-order mark stands before the JSON, which glTF forbids; it was passed over";
        report.warn("byte-order-mark", "byte 0", what, "write the JSON without a byte-order mark");
    }
    let Some(tape) = Tape::parse(without_mark.unwrap_or(json)) else { return };
    let mut faults = Faults { report, num_of_code: HashMap::new() };
    let document = Document::new(tape.root(), buffers, json.len());
    document::check(&document, &mut faults);
    accessor::check(&document, &mut faults);
    mesh::check(&document, &mut faults);
    motion::check(&document, &mut faults);
    faults.finish();
}

/// Refuses joints that rest or are bound where an f32 cannot say: they could be neither posed nor
/// written.
pub(super) fn refuse_huge_joints(skeleton: &Skeleton) -> Result<(), ReadError> {
    let rest = skeleton.rest_model_from_joint();
    let bound = skeleton.joint_from_model();
    let is_huge = |transform: &glam::DAffine3| {
        !transform.to_cols_array().iter().all(|x| x.abs() <= f64::from(f32::MAX))
    };
    for (joint, (rest, bound)) in skeleton.joints().iter().zip(rest.iter().zip(bound)) {
        if is_huge(rest) || is_huge(bound) {
            let what = "its transform, or the inverse of it, is larger than a float can be";
            return Err(ReadError::malformed(format!("joint '{}'", joint.name), what));
        }
    }
    Ok(())
}

/// The collections of a document that others refer to.
struct Document<'a> {
    root: Node<'a>,
    accessors: Vec<Node<'a>>,
    views: Vec<Node<'a>>,
    buffers: Vec<Node<'a>>,
    nodes: Vec<Node<'a>>,
    meshes: Vec<Node<'a>>,
    skins: Vec<Node<'a>>,
    bytes: &'a Buffers<'a>,
    /// Bytes of data that may still be looked at.
    budget: std::cell::Cell<usize>,
}

/// Data is looked at up to this many times the file's size: accessors may share bytes.
const LOOKS_PER_BYTE: usize = 4;

impl<'a> Document<'a> {
    fn new(root: Node<'a>, bytes: &'a Buffers<'a>, json_bytes: usize) -> Self {
        let budget = (json_bytes + bytes.total_bytes()).saturating_mul(LOOKS_PER_BYTE);
        Self {
            root,
            accessors: root.list("accessors"),
            views: root.list("bufferViews"),
            buffers: root.list("buffers"),
            nodes: root.list("nodes"),
            meshes: root.list("meshes"),
            skins: root.list("skins"),
            bytes,
            budget: std::cell::Cell::new(budget),
        }
    }
}

/// Where faults go.
struct Faults<'a> {
    report: &'a mut Report,
    /// How many of a code there were, and where its last warning stands in the report.
    num_of_code: HashMap<&'static str, (usize, usize)>,
}

impl Faults<'_> {
    fn add(&mut self, code: &'static str, place: impl FnOnce() -> String, what: impl Into<String>) {
        let (count, last) = self.num_of_code.entry(code).or_default();
        *count += 1;
        if *count <= MAX_PER_CODE {
            *last = self.report.warnings.len();
            self.report.warn(code, place(), what, mend(code));
        }
    }

    /// What breaks no rule, and is worth knowing.
    fn note(&mut self, code: &'static str, place: impl FnOnce() -> String, what: &str, mend: &str) {
        let (count, last) = self.num_of_code.entry(code).or_default();
        *count += 1;
        if *count <= MAX_PER_CODE {
            *last = self.report.warnings.len();
            self.report.note(code, place(), what, mend);
        }
    }

    /// A reference that must lead somewhere. Returns the index if it does.
    fn reference(
        &mut self,
        of: Node<'_>,
        key: &str,
        count: usize,
        place: impl Fn() -> String,
    ) -> Option<usize> {
        let value = of.get(key)?;
        let place = || format!("{}.{key}", place());
        let Some(index) = value.index() else {
            self.add("wrong-type", place, "must be an index: a whole number, not negative");
            return None;
        };
        if index >= count {
            let what = format!("names entry {index}, but there are {count}");
            self.add("unresolved-reference", place, what);
            return None;
        }
        Some(index)
    }

    /// What was only counted is added to the last warning of its code.
    fn finish(self) {
        for (count, last) in self.num_of_code.into_values() {
            if count > MAX_PER_CODE
                && let Some(warning) = self.report.warnings.get_mut(last)
            {
                let more = count - MAX_PER_CODE;
                warning.count += more;
                warning.what += &format!(" (and {more} more places like it)");
            }
        }
    }
}

/// How to mend a fault.
fn mend(code: &str) -> &'static str {
    match code {
        "accessor-bounds" => "have the exporter write the true min and max",
        "skin-hierarchy" => "put all joints of a skin under one root",
        "normals-not-unit" => "have the exporter write unit normals and tangents with a sign of ±1",
        "keys-not-ascending" => "bake the animation again: key times must rise from zero or later",
        "rotation-not-unit" => "write unit quaternions",
        "wrong-type" | "missing-property" | "empty-array" | "unresolved-reference" => {
            "export the file again; it breaks glTF's schema"
        }
        _ => "export the file again; other programs may refuse it (see the Khronos glTF validator)",
    }
}
