//! Meshes: attributes and targets by the rules, and what their data must hold.

use std::collections::HashSet;

use super::accessor::refuse_stride;
use super::data::{Accessor, accessor, for_each};
use super::document::{num_targets, textures_of};
use super::tape::Node;
use super::{Document, Faults};

const BYTE: usize = 5120;
const UNSIGNED_BYTE: usize = 5121;
const UNSIGNED_SHORT: usize = 5123;
const UNSIGNED_INT: usize = 5125;
const FLOAT: usize = 5126;

/// How far from one the length of a normal may be, as the Khronos validator has it.
const UNIT_TOLERANCE: f64 = 5e-4;
/// And of one that was quantized to eight bits: half a step in each of three.
const UNIT_TOLERANCE_QUANTIZED: f64 = 1e-2;

pub(super) fn check(document: &Document<'_>, faults: &mut Faults<'_>) {
    let used = document.root.list("extensionsUsed");
    let quantized = used.into_iter().any(|e| e.text() == Some("KHR_mesh_quantization"));
    let materials = document.root.list("materials");
    let mut checker = Checker {
        document,
        quantized,
        num_uv_sets: materials.iter().map(|&material| num_uv_sets(material)).collect(),
        use_of_view: vec![None; document.views.len()],
        seen: HashSet::new(),
    };
    for (index, &mesh) in document.meshes.iter().enumerate() {
        let targets = num_targets(mesh);
        if let Some(weights) = mesh.get("weights")
            && weights.items().count() != targets
        {
            let what = format!("{} weights for {targets} blend shapes", weights.items().count());
            faults.add("morph-targets-differ", || format!("meshes[{index}].weights"), what);
        }
        for (k, primitive) in mesh.list("primitives").into_iter().enumerate() {
            let place = format!("meshes[{index}].primitives[{k}]");
            let own = primitive.get("targets").map_or(0, |list| list.items().count());
            if own != targets {
                let what = format!("{own} targets, but the first primitive has {targets}");
                faults.add("morph-targets-differ", || format!("{place}.targets"), what);
            }
            checker.primitive(primitive, &place, faults);
        }
    }
}

/// One past the highest set of texture coordinates that a material asks for.
fn num_uv_sets(material: Node<'_>) -> usize {
    let set = |(_, texture): (&str, Node<'_>)| texture.index_of("texCoord").unwrap_or(0) + 1;
    textures_of(material).map(set).max().unwrap_or(0)
}

/// What a view's bytes are for: they may be one of these only.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Vertices,
    Indices,
}

struct Checker<'a, 'b> {
    document: &'a Document<'b>,
    quantized: bool,
    num_uv_sets: Vec<usize>,
    use_of_view: Vec<Option<Use>>,
    /// Accessors whose data was looked at, by what for.
    seen: HashSet<(usize, &'static str)>,
}

impl Checker<'_, '_> {
    fn primitive(&mut self, primitive: Node<'_>, place: &str, faults: &mut Faults<'_>) {
        let document = self.document;
        let Some(attributes) = primitive.get("attributes") else { return };
        if attributes.is_empty() {
            faults.add("empty-array", || format!("{place}.attributes"), "no attribute");
        }
        let mut num_vertices = None;
        for (name, value) in attributes.entries() {
            let place = || format!("{place}.attributes.{name}");
            check_name(name, false, place, faults);
            let Some(index) = self.accessor_index(value, place, faults) else { continue };
            self.note_use(index, Use::Vertices, place, faults);
            let Some(found) = accessor(document, index) else { continue };
            let expected = *num_vertices.get_or_insert(found.count);
            if found.count != expected {
                let what =
                    format!("{} entries where another attribute has {expected}", found.count);
                faults.add("attribute-count", place, what);
            }
            self.check_format(name, &found, place, faults);
            let has_bounds = found.node.get("min").is_some() && found.node.get("max").is_some();
            if name == "POSITION" && !has_bounds {
                faults.add("accessor-bounds", place, "positions must have min and max");
            }
            self.check_values(name, &found, index, place, faults);
        }
        check_sets(attributes, place, faults);
        if let Some(material) =
            faults.reference(primitive, "material", self.num_uv_sets.len(), || place.to_owned())
        {
            let has =
                (0..).take_while(|k| attributes.get(&format!("TEXCOORD_{k}")).is_some()).count();
            let needs = self.num_uv_sets[material];
            if has < needs {
                let what = format!(
                    "material {material} needs {needs} sets of texture coordinates of {has}"
                );
                faults.add("texture-coordinates-missing", || format!("{place}.material"), what);
            }
        }
        self.indices(primitive, num_vertices, place, faults);
        for (k, target) in primitive.list("targets").into_iter().enumerate() {
            for (name, value) in target.entries() {
                let place = || format!("{place}.targets[{k}].{name}");
                check_name(name, true, place, faults);
                let Some(index) = self.accessor_index(value, place, faults) else { continue };
                self.note_use(index, Use::Vertices, place, faults);
                if attributes.get(name).is_none() {
                    faults.add("morph-without-base", place, "the primitive has no such attribute");
                }
                let count = document.accessors[index].index_of("count");
                if let (Some(count), Some(expected)) = (count, num_vertices)
                    && count != expected
                {
                    let what = format!("{count} entries for {expected} vertices");
                    faults.add("attribute-count", place, what);
                }
            }
        }
    }

    fn accessor_index(
        &self,
        value: Node<'_>,
        place: impl Fn() -> String,
        faults: &mut Faults<'_>,
    ) -> Option<usize> {
        let count = self.document.accessors.len();
        let index = value.index().filter(|&index| index < count);
        if index.is_none() {
            faults.add("unresolved-reference", place, format!("names none of {count} accessors"));
        }
        index
    }

    fn note_use(
        &mut self,
        index: usize,
        now: Use,
        place: impl Fn() -> String,
        faults: &mut Faults<'_>,
    ) {
        let Some(view) = self.document.accessors[index].index_of("bufferView") else { return };
        let Some(slot) = self.use_of_view.get_mut(view) else { return };
        let declared = match self.document.views[view].index_of("target") {
            Some(34962) => Some(Use::Vertices),
            Some(34963) => Some(Use::Indices),
            _ => None,
        };
        let before = slot.or(declared);
        if before.is_some_and(|before| before != now) {
            let what = format!("bufferViews[{view}] is for indices as well as for vertices");
            faults.add("view-used-twice", place, what);
        }
        *slot = Some(now);
    }

    fn check_format(
        &self,
        name: &str,
        found: &Accessor<'_>,
        place: impl Fn() -> String,
        faults: &mut Faults<'_>,
    ) {
        let normalized_unsigned =
            found.normalized && matches!(found.component, UNSIGNED_BYTE | UNSIGNED_SHORT);
        let small = matches!(found.component, BYTE..=UNSIGNED_SHORT);
        let float = found.component == FLOAT || self.quantized && small;
        let fits = match name.split_once('_').map_or(name, |(semantic, _)| semantic) {
            "POSITION" | "NORMAL" => found.kind == "VEC3" && float,
            "TANGENT" => found.kind == "VEC4" && float,
            "TEXCOORD" => found.kind == "VEC2" && (float || normalized_unsigned),
            "COLOR" => {
                matches!(found.kind, "VEC3" | "VEC4")
                    && (found.component == FLOAT || normalized_unsigned)
            }
            "JOINTS" => {
                found.kind == "VEC4"
                    && matches!(found.component, UNSIGNED_BYTE | UNSIGNED_SHORT)
                    && !found.normalized
            }
            "WEIGHTS" => found.kind == "VEC4" && (found.component == FLOAT || normalized_unsigned),
            _ => found.component != UNSIGNED_INT,
        };
        if !fits {
            let what = format!(
                "{} of componentType {}{} is no format that glTF allows here",
                found.kind,
                found.component,
                if found.normalized { ", normalized," } else { "" }
            );
            faults.add("attribute-format", place, what);
        }
    }

    fn check_values(
        &mut self,
        name: &str,
        found: &Accessor<'_>,
        index: usize,
        place: impl Fn() -> String,
        faults: &mut Faults<'_>,
    ) {
        let (code, purpose) = match name {
            "NORMAL" => ("normals-not-unit", "NORMAL"),
            "TANGENT" => ("normals-not-unit", "TANGENT"),
            _ if name.starts_with("COLOR_") && found.component == FLOAT => {
                ("color-out-of-range", "COLOR")
            }
            _ => return,
        };
        if !self.seen.insert((index, purpose)) {
            return;
        }
        let (scale, tolerance) = match found.component {
            FLOAT => (1.0, UNIT_TOLERANCE),
            BYTE => (127.0, UNIT_TOLERANCE_QUANTIZED),
            _ => (32767.0, UNIT_TOLERANCE_QUANTIZED),
        };
        let is_out_of = |value: f64, low: f64, high: f64| value < low || value > high;
        // Squares are compared with squares: a root of each of a million normals takes
        // milliseconds.
        let (shortest, longest) = (scale * (1.0 - tolerance), scale * (1.0 + tolerance));
        let (least, most) = (shortest * shortest, longest * longest);
        let (mut first, mut num_bad) = (usize::MAX, 0_usize);
        for_each(self.document, found, |element, values| {
            let bad = if purpose == "COLOR" {
                values.iter().any(|v| !(0.0..=1.0).contains(v))
            } else {
                let square: f64 = values.iter().take(3).map(|v| v * v).sum();
                let sign = values.get(3).map_or(scale, |w| w.abs());
                is_out_of(square, least, most) || is_out_of(sign, shortest, longest)
            };
            if bad {
                first = first.min(element);
                num_bad += 1;
            }
        });
        if num_bad > 0 {
            let how = if purpose == "COLOR" {
                "outside of 0 to 1"
            } else {
                "not of unit length, or with a wrong sign"
            };
            faults.add(
                code,
                place,
                format!("{num_bad} of {} are {how}; the first is {first}", found.count),
            );
        }
    }

    fn indices(
        &mut self,
        primitive: Node<'_>,
        num_vertices: Option<usize>,
        place: &str,
        faults: &mut Faults<'_>,
    ) {
        let Some(value) = primitive.get("indices") else { return };
        let place = || format!("{place}.indices");
        let Some(index) = self.accessor_index(value, place, faults) else { return };
        self.note_use(index, Use::Indices, place, faults);
        refuse_stride(
            self.document,
            self.document.accessors[index].index_of("bufferView"),
            place,
            faults,
        );
        let Some(found) = accessor(self.document, index) else { return };
        let restart = match found.component {
            UNSIGNED_BYTE => 255.0,
            UNSIGNED_SHORT => 65535.0,
            UNSIGNED_INT => 4_294_967_295.0,
            _ => {
                faults.add("attribute-format", place, "indices must be unsigned integers");
                return;
            }
        };
        if found.kind != "SCALAR" || found.normalized {
            faults.add("attribute-format", place, "indices must be SCALAR and not normalized");
        }
        if !self.seen.insert((index, "indices")) {
            return;
        }
        let (mut largest, mut at) = (-1.0, 0);
        for_each(self.document, &found, |element, values| {
            if values[0] > largest {
                (largest, at) = (values[0], element);
            }
        });
        if largest == restart {
            let what = format!("index {at} is {largest}, which restarts a strip; glTF forbids it");
            faults.add("primitive-restart", place, what);
        } else if num_vertices.is_some_and(|count| largest >= count as f64) {
            let what =
                format!("index {at} names vertex {largest} of {}", num_vertices.unwrap_or(0));
            faults.add("index-out-of-range", place, what);
        }
    }
}

/// Sets are numbered from zero without a gap, and JOINTS come with WEIGHTS.
fn check_sets(attributes: Node<'_>, place: &str, faults: &mut Faults<'_>) {
    let mut counts = [0_usize; 4];
    for (semantic, count) in ["TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"].iter().zip(&mut counts)
    {
        let mut highest = None;
        for number in attributes.entries().filter_map(|(name, _)| set_number(name, semantic)) {
            *count += 1;
            highest = highest.max(Some(number));
        }
        if highest.is_some_and(|highest| highest + 1 != *count) {
            let what = format!("sets of {semantic}n must be numbered 0, 1, 2 … without a gap");
            faults.add("attribute-name", || format!("{place}.attributes"), what);
        }
    }
    if counts[2] != counts[3] {
        let what = format!("{} sets of joints, but {} of weights", counts[2], counts[3]);
        faults.add("half-a-weight-set", || format!("{place}.attributes"), what);
    }
}

/// The `3` of `JOINTS_3`, written as glTF wants it.
fn set_number(name: &str, semantic: &str) -> Option<usize> {
    let digits = name.strip_prefix(semantic)?;
    let number: usize = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

fn check_name(name: &str, in_target: bool, place: impl Fn() -> String, faults: &mut Faults<'_>) {
    let is_known = matches!(name, "POSITION" | "NORMAL" | "TANGENT")
        || ["TEXCOORD_", "COLOR_"].iter().any(|semantic| set_number(name, semantic).is_some())
        || !in_target && ["JOINTS_", "WEIGHTS_"].iter().any(|s| set_number(name, s).is_some());
    if !is_known && !name.starts_with('_') {
        faults.add("attribute-name", place, "is no attribute of glTF's; own names start with '_'");
    }
}
