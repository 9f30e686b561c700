//! Skins and animations.

use std::collections::{HashMap, HashSet};

use super::accessor::refuse_stride;
use super::data::{Accessor, accessor, for_each};
use super::document::num_targets;
use super::tape::Node;
use super::{Document, Faults};

const FLOAT: usize = 5126;

/// How far from one the length of a key's quaternion may be, as the Khronos validator has it.
const UNIT_TOLERANCE: f64 = 5e-4;
/// And of one of normalised integers.
const UNIT_TOLERANCE_QUANTIZED: f64 = 1e-2;
/// How far the last row of an inverse bind matrix may be from `0 0 0 1`: f32 arithmetic of the
/// exporter.
const AFFINE_TOLERANCE: f64 = 1e-6;

pub(super) fn check(document: &Document<'_>, faults: &mut Faults<'_>) {
    let trees = Trees::of(&document.nodes);
    for (index, &skin) in document.skins.iter().enumerate() {
        check_skin(document, &trees, index, skin, faults);
    }
    for (index, animation) in document.root.list("animations").into_iter().enumerate() {
        check_animation(document, index, animation, faults);
    }
}

/// Who is below whom: `first[n]..end[n]` are the visits of all below `n`.
struct Trees {
    first: Vec<usize>,
    end: Vec<usize>,
    root: Vec<usize>,
}

impl Trees {
    /// Nodes in a ring, which the reader refuses, are left as trees of their own.
    fn of(nodes: &[Node<'_>]) -> Self {
        let n = nodes.len();
        let children = |node: usize| {
            nodes[node].list("children").into_iter().filter_map(Node::index).filter(move |&c| c < n)
        };
        let mut has_parent = vec![false; n];
        for child in (0..n).flat_map(children) {
            has_parent[child] = true;
        }
        let mut trees =
            Self { first: vec![usize::MAX; n], end: vec![0; n], root: (0..n).collect() };
        let mut clock = 0;
        let mut stack = Vec::new();
        for root in (0..n).filter(|&node| !has_parent[node]) {
            stack.push((root, false));
            while let Some((node, is_done)) = stack.pop() {
                if is_done {
                    trees.end[node] = clock;
                } else if trees.first[node] == usize::MAX {
                    trees.first[node] = clock;
                    trees.root[node] = root;
                    clock += 1;
                    stack.push((node, true));
                    stack.extend(children(node).map(|child| (child, false)));
                }
            }
        }
        trees
    }

    fn is_below(&self, node: usize, above: usize) -> bool {
        self.first[above] <= self.first[node] && self.first[node] < self.end[above]
    }
}

fn check_skin(
    document: &Document<'_>,
    trees: &Trees,
    index: usize,
    skin: Node<'_>,
    faults: &mut Faults<'_>,
) {
    let place = || format!("skins[{index}]");
    let joints = skin.list("joints");
    let mut known = Vec::with_capacity(joints.len());
    let mut seen = HashSet::new();
    for (k, joint) in joints.iter().enumerate() {
        let place = || format!("skins[{index}].joints[{k}]");
        match joint.index().filter(|&joint| joint < document.nodes.len()) {
            Some(joint) => {
                if !seen.insert(joint) {
                    faults.add("duplicate-joint", place, format!("node {joint} is named twice"));
                }
                known.push(joint);
            }
            None => faults.add("unresolved-reference", place, "there is no such node"),
        }
    }
    if let Some(&first) = known.first()
        && known.iter().any(|&joint| trees.root[joint] != trees.root[first])
    {
        let what = "the joints have no common root";
        faults.add("skin-hierarchy", || format!("skins[{index}].joints"), what);
    }
    if let Some(skeleton) = faults.reference(skin, "skeleton", document.nodes.len(), place)
        && known.iter().any(|&joint| !trees.is_below(joint, skeleton))
    {
        let what = format!("node {skeleton} is not above all of the joints");
        faults.add("skin-hierarchy", || format!("skins[{index}].skeleton"), what);
    }
    if skin.get("inverseBindMatrices").is_none() {
        let what = "there are no inverse bind matrices: the skin is taken as bound with all joints at the origin";
        let mend = "export the bind pose, unless the mesh was modelled in the joints' own spaces";
        faults.note("no-bind-pose", place, what, mend);
    }
    let place = || format!("skins[{index}].inverseBindMatrices");
    let Some(matrices) =
        faults.reference(skin, "inverseBindMatrices", document.accessors.len(), || {
            format!("skins[{index}]")
        })
    else {
        return;
    };
    refuse_stride(document, document.accessors[matrices].index_of("bufferView"), place, faults);
    let Some(found) = accessor(document, matrices) else { return };
    if found.kind != "MAT4" || found.component != FLOAT {
        faults.add("attribute-format", place, "inverse bind matrices must be MAT4 of floats");
        return;
    }
    if found.count < joints.len() {
        let what = format!("{} matrices for {} joints", found.count, joints.len());
        faults.add("attribute-count", place, what);
    }
    let mut bad = None;
    for_each(document, &found, |matrix, m| {
        let is_affine =
            [m[3], m[7], m[11], m[15] - 1.0].iter().all(|x| x.abs() <= AFFINE_TOLERANCE);
        if !is_affine && bad.is_none() {
            bad = Some(matrix);
        }
    });
    if let Some(matrix) = bad {
        let what = format!("the last row of matrix {matrix} is not 0 0 0 1; it was taken for that");
        faults.add("inverse-bind-not-affine", place, what);
    }
}

fn check_animation(
    document: &Document<'_>,
    index: usize,
    animation: Node<'_>,
    faults: &mut Faults<'_>,
) {
    let samplers = animation.list("samplers");
    let mut num_keys = Vec::with_capacity(samplers.len());
    for (k, &sampler) in samplers.iter().enumerate() {
        let place = || format!("animations[{index}].samplers[{k}]");
        num_keys.push(check_sampler(document, sampler, place, faults));
    }
    let mut first_channel = HashMap::new();
    let mut seen = HashSet::new();
    for (k, channel) in animation.list("channels").into_iter().enumerate() {
        let place = || format!("animations[{index}].channels[{k}]");
        let sampler = faults.reference(channel, "sampler", samplers.len(), place);
        let Some(target) = channel.get("target") else {
            faults.add("missing-property", place, "has no 'target'");
            continue;
        };
        let at_target = || format!("animations[{index}].channels[{k}].target");
        let node = faults.reference(target, "node", document.nodes.len(), at_target);
        let Some(path) = target.get("path").and_then(Node::text) else {
            faults.add("missing-property", at_target, "has no 'path'");
            continue;
        };
        let Some(node) = node else { continue };
        let earlier = *first_channel.entry((node, path)).or_insert(k);
        if earlier != k {
            let what = format!("channel {earlier} has the same node and path");
            faults.add("duplicate-target", at_target, what);
        }
        let morphs = document.nodes[node]
            .index_of("mesh")
            .and_then(|mesh| document.meshes.get(mesh))
            .map_or(0, |&mesh| num_targets(mesh));
        if path == "weights" && morphs == 0 {
            faults.add("weights-without-morphs", at_target, "the node's mesh has no blend shapes");
        }
        if path != "weights" && document.nodes[node].get("matrix").is_some() {
            let what = "an animated node must have translation, rotation and scale, not a matrix";
            faults.add("animated-matrix", at_target, what);
        }
        let Some(sampler) = sampler else { continue };
        let width = if path == "weights" { morphs.max(1) } else { 1 };
        if seen.insert((sampler, path, width)) {
            let keys = num_keys[sampler];
            check_output(document, samplers[sampler], (path, width, keys), place, faults);
        }
    }
}

/// The number of keys, if they can be counted.
fn check_sampler(
    document: &Document<'_>,
    sampler: Node<'_>,
    place: impl Fn() -> String,
    faults: &mut Faults<'_>,
) -> Option<usize> {
    let count = document.accessors.len();
    for key in ["input", "output"] {
        let at = || format!("{}.{key}", place());
        if let Some(index) = faults.reference(sampler, key, count, &place) {
            refuse_stride(document, document.accessors[index].index_of("bufferView"), at, faults);
        } else if sampler.get(key).is_none() {
            faults.add("missing-property", at, "is missing");
        }
    }
    if let Some(kind) = sampler.get("interpolation")
        && !matches!(kind.text(), Some("LINEAR" | "STEP" | "CUBICSPLINE"))
    {
        let at = || format!("{}.interpolation", place());
        faults.add("out-of-range", at, "is none of LINEAR, STEP and CUBICSPLINE");
    }
    let at = || format!("{}.input", place());
    let found = accessor(document, sampler.index_of("input")?)?;
    if found.kind != "SCALAR" || found.component != FLOAT {
        faults.add("attribute-format", at, "key times must be SCALAR floats");
        return None;
    }
    if found.node.get("min").is_none() || found.node.get("max").is_none() {
        faults.add("accessor-bounds", at, "key times must have min and max");
    }
    let (mut before, mut bad) = (f64::NEG_INFINITY, None);
    for_each(document, &found, |key, time| {
        if bad.is_none() && (time[0] <= before || time[0] < 0.0 || !time[0].is_finite()) {
            bad = Some((key, time[0]));
        }
        before = time[0];
    });
    if let Some((key, time)) = bad {
        let what = format!("key {key} is at {time} s: negative, or not later than the key before");
        faults.add("keys-not-ascending", at, what);
    }
    Some(found.count)
}

fn check_output(
    document: &Document<'_>,
    sampler: Node<'_>,
    (path, width, num_keys): (&str, usize, Option<usize>),
    place: impl Fn() -> String,
    faults: &mut Faults<'_>,
) {
    let at = || format!("{}.sampler", place());
    let Some(found) = sampler.index_of("output").and_then(|index| accessor(document, index)) else {
        return;
    };
    let is_float = found.component == FLOAT;
    let is_small = found.normalized && matches!(found.component, 5120..=5123);
    let fits = match path {
        "translation" | "scale" => found.kind == "VEC3" && is_float,
        "rotation" => found.kind == "VEC4" && (is_float || is_small),
        "weights" => found.kind == "SCALAR" && (is_float || is_small),
        _ => return,
    };
    if !fits {
        let what =
            format!("{} of componentType {} cannot animate '{path}'", found.kind, found.component);
        faults.add("attribute-format", at, what);
        return;
    }
    let is_cubic = sampler.get("interpolation").and_then(Node::text) == Some("CUBICSPLINE");
    let per_key = if is_cubic { 3 } else { 1 };
    if let Some(keys) = num_keys
        && keys.checked_mul(per_key * width) != Some(found.count)
    {
        let what = format!("{} values for {keys} keys of {}", found.count, per_key * width);
        faults.add("key-count", at, what);
    }
    if path == "rotation" {
        check_quaternions(document, &found, per_key, at, faults);
    }
}

fn check_quaternions(
    document: &Document<'_>,
    found: &Accessor<'_>,
    per_key: usize,
    at: impl Fn() -> String,
    faults: &mut Faults<'_>,
) {
    let (scale, tolerance) = match found.component {
        FLOAT => (1.0, UNIT_TOLERANCE),
        5120 => (127.0, UNIT_TOLERANCE_QUANTIZED),
        5121 => (255.0, UNIT_TOLERANCE_QUANTIZED),
        5122 => (32767.0, UNIT_TOLERANCE_QUANTIZED),
        _ => (65535.0, UNIT_TOLERANCE_QUANTIZED),
    };
    let (mut first, mut num_bad) = (0, 0_usize);
    for_each(document, found, |element, q| {
        // Tangents of a cubic curve have any length; the value is the middle one.
        if element % per_key == per_key / 2 {
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt() / scale;
            if length.is_nan() || (length - 1.0).abs() > tolerance {
                if num_bad == 0 {
                    first = element;
                }
                num_bad += 1;
            }
        }
    });
    if num_bad > 0 {
        let what = format!(
            "{num_bad} quaternions are not of unit length, first {first}; they were normalised"
        );
        faults.add("rotation-not-unit", at, what);
    }
}
