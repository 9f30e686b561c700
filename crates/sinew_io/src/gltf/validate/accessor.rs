//! Buffers, views and accessors: whether they fit into each other, and whether the bounds are true.

use super::data::{Accessor, accessor, component_size, for_each};
use super::tape::Node;
use super::{Document, Faults};

const ARRAY_BUFFER: usize = 34962;
const ELEMENT_ARRAY_BUFFER: usize = 34963;

/// Bounds are written as decimal numbers of f32: this far off, over their size, is rounding of the
/// text.
const BOUNDS_TOLERANCE: f64 = 1e-6;

pub(super) fn check(document: &Document<'_>, faults: &mut Faults<'_>) {
    check_buffers(document, faults);
    check_views(document, faults);
    for index in 0..document.accessors.len() {
        check_accessor(document, index, faults);
    }
}

fn required(node: Node<'_>, keys: &[&str], place: impl Fn() -> String, faults: &mut Faults<'_>) {
    for key in keys {
        if node.get(key).is_none() {
            faults.add("missing-property", &place, format!("has no '{key}'"));
        }
    }
}

fn check_buffers(document: &Document<'_>, faults: &mut Faults<'_>) {
    for (index, &buffer) in document.buffers.iter().enumerate() {
        let place = || format!("buffers[{index}]");
        required(buffer, &["byteLength"], place, faults);
        if buffer.get("byteLength").is_some_and(|length| length.index().is_none_or(|l| l == 0)) {
            let place = || format!("buffers[{index}].byteLength");
            faults.add("out-of-range", place, "must be a whole number, at least one");
        }
        // Without a uri it may be meant for a program that has the bytes from elsewhere.
        if let (Some(uri), Err(error)) = (buffer.get("uri"), document.bytes.get(index)) {
            let _ = uri;
            let place = || format!("buffers[{index}].uri");
            faults.add("buffer-unreadable", place, error.to_string());
        }
    }
}

fn check_views(document: &Document<'_>, faults: &mut Faults<'_>) {
    for (index, &view) in document.views.iter().enumerate() {
        let place = || format!("bufferViews[{index}]");
        required(view, &["buffer", "byteLength"], place, faults);
        let buffer = faults.reference(view, "buffer", document.buffers.len(), place);
        if let (Some(buffer), Some(length)) = (buffer, view.index_of("byteLength")) {
            let offset = view.index_of("byteOffset").unwrap_or(0);
            let has = document.buffers[buffer].index_of("byteLength").unwrap_or(usize::MAX);
            if length == 0 || offset.checked_add(length).is_none_or(|end| end > has) {
                let what =
                    format!("{length} bytes from byte {offset} are not in a buffer of {has}");
                faults.add("view-out-of-bounds", place, what);
            }
        }
        let target = view.get("target").map(|target| target.index().unwrap_or(0));
        if target.is_some_and(|t| t != ARRAY_BUFFER && t != ELEMENT_ARRAY_BUFFER) {
            faults.add(
                "out-of-range",
                || format!("bufferViews[{index}].target"),
                "is none of glTF's",
            );
        }
        let Some(stride) = view.get("byteStride") else { continue };
        let place = || format!("bufferViews[{index}].byteStride");
        if !stride.index().is_some_and(|s| (4..=252).contains(&s) && s % 4 == 0) {
            faults.add("bad-stride", place, "must be a multiple of 4, from 4 to 252");
        } else if target == Some(ELEMENT_ARRAY_BUFFER) {
            faults.add("bad-stride", place, "indices may have no stride");
        }
    }
}

/// A view with a stride where glTF allows none: only vertex attributes may be interleaved.
pub(super) fn refuse_stride(
    document: &Document<'_>,
    view: Option<usize>,
    place: impl Fn() -> String,
    faults: &mut Faults<'_>,
) {
    let view = view.and_then(|view| document.views.get(view));
    if view.is_some_and(|view| view.get("byteStride").is_some()) {
        faults.add("bad-stride", place, "only vertex attributes may lie in a view with byteStride");
    }
}

fn check_accessor(document: &Document<'_>, index: usize, faults: &mut Faults<'_>) {
    let node = document.accessors[index];
    let place = || format!("accessors[{index}]");
    required(node, &["componentType", "count", "type"], place, faults);
    let view = faults.reference(node, "bufferView", document.views.len(), place);
    let Some(found) = accessor(document, index) else {
        if ["componentType", "count", "type"].iter().all(|key| node.get(key).is_some()) {
            faults.add("out-of-range", place, "componentType, count or type is none of glTF's");
        }
        return;
    };
    if found.count == 0 {
        faults.add("out-of-range", || format!("accessors[{index}].count"), "must be at least one");
    }
    if let Some(view) = view {
        check_fit(document.views[view], &found, place, faults);
    }
    if let Some(sparse) = node.get("sparse") {
        check_sparse(document, sparse, found.count, index, faults);
    }
    check_bounds(document, &found, index, faults);
}

fn check_fit(
    view: Node<'_>,
    found: &Accessor<'_>,
    place: impl Fn() -> String,
    faults: &mut Faults<'_>,
) {
    let component = component_size(found.component).unwrap_or(1);
    let offset = found.node.index_of("byteOffset").unwrap_or(0);
    let in_buffer = offset.saturating_add(view.index_of("byteOffset").unwrap_or(0));
    if !offset.is_multiple_of(component) || !in_buffer.is_multiple_of(component) {
        let what =
            format!("starts on byte {in_buffer}, no multiple of its components' {component} bytes");
        faults.add("misaligned-accessor", &place, what);
    }
    let size = found.element_size();
    let stride = view.index_of("byteStride").unwrap_or(size);
    if stride < size {
        let what = format!("elements of {size} bytes in a view with a stride of {stride}");
        faults.add("bad-stride", &place, what);
        return;
    }
    let needed =
        found.count.saturating_sub(1).checked_mul(stride).and_then(|n| n.checked_add(size));
    let end = needed.and_then(|needed| needed.checked_add(offset));
    let length = view.index_of("byteLength").unwrap_or(usize::MAX);
    // A compressed view has another length than what is in it.
    let is_plain = view.get("extensions").is_none();
    if is_plain && end.is_none_or(|end| end > length) {
        let what = format!("{} elements do not fit into a view of {length} bytes", found.count);
        faults.add("accessor-out-of-bounds", &place, what);
    }
}

fn check_sparse(
    document: &Document<'_>,
    sparse: Node<'_>,
    count: usize,
    index: usize,
    faults: &mut Faults<'_>,
) {
    if !sparse.index_of("count").is_some_and(|n| (1..=count).contains(&n)) {
        let place = || format!("accessors[{index}].sparse.count");
        faults.add(
            "out-of-range",
            place,
            format!("must be from 1 to the accessor's count, {count}"),
        );
    }
    for key in ["indices", "values"] {
        let place = || format!("accessors[{index}].sparse.{key}");
        let Some(part) = sparse.get(key) else {
            faults.add("missing-property", place, "is missing");
            continue;
        };
        required(part, &["bufferView"], place, faults);
        let view = faults.reference(part, "bufferView", document.views.len(), place);
        refuse_stride(document, view, place, faults);
    }
}

fn check_bounds(
    document: &Document<'_>,
    found: &Accessor<'_>,
    index: usize,
    faults: &mut Faults<'_>,
) {
    let n = found.num_components;
    let mut bounds: [Option<Vec<f64>>; 2] = [None, None];
    for (bound, key) in bounds.iter_mut().zip(["min", "max"]) {
        let Some(list) = found.node.get(key) else { continue };
        let values: Vec<f64> = list.items().take(n + 1).filter_map(Node::number).collect();
        if values.len() == n {
            *bound = Some(values);
        } else {
            let place = || format!("accessors[{index}].{key}");
            faults.add("accessor-bounds", place, format!("must have {n} numbers"));
        }
    }
    if bounds.iter().all(Option::is_none) {
        return;
    }
    // Room for a matrix: arrays on the stack stay in registers.
    let (mut least, mut most) = ([f64::INFINITY; 16], [f64::NEG_INFINITY; 16]);
    let is_read = for_each(document, found, |_, values| {
        for ((least, most), &value) in least.iter_mut().zip(&mut most).zip(values) {
            *least = least.min(value);
            *most = most.max(value);
        }
    });
    if !is_read {
        return;
    }
    for ((key, bound), actual) in ["min", "max"].iter().zip(bounds).zip([least, most]) {
        let Some(bound) = bound else { continue };
        for (k, (&said, &is)) in bound.iter().zip(&actual).enumerate() {
            // What is all NaN has no bounds.
            if is.is_finite() && (said - is).abs() > BOUNDS_TOLERANCE * is.abs().max(1e-6) {
                let place = || format!("accessors[{index}].{key}[{k}]");
                faults.add("accessor-bounds", place, format!("says {said}, but it is {is}"));
            }
        }
    }
}
