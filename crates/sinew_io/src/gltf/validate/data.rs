//! The bytes of an accessor, for checks of what is in them.

use super::Document;
use super::tape::Node;

/// What an accessor says of itself, once all of it makes sense.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accessor<'a> {
    pub(super) node: Node<'a>,
    pub(super) kind: &'a str,
    pub(super) component: usize,
    pub(super) num_components: usize,
    pub(super) count: usize,
    pub(super) normalized: bool,
}

/// Bytes of a component, by its code.
pub(super) fn component_size(code: usize) -> Option<usize> {
    Some(match code {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    })
}

/// Components of an element, by the name of its type.
pub(super) fn num_components(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

/// The accessor of that index; `None` if it is not there or makes no sense.
pub(super) fn accessor<'a>(document: &Document<'a>, index: usize) -> Option<Accessor<'a>> {
    let node = *document.accessors.get(index)?;
    let kind = node.get("type")?.text()?;
    let component = node.index_of("componentType")?;
    component_size(component)?;
    let normalized = node.get("normalized").is_some_and(|n| n.is_true());
    Some(Accessor {
        node,
        kind,
        component,
        num_components: num_components(kind)?,
        count: node.index_of("count")?,
        normalized,
    })
}

impl Accessor<'_> {
    /// Bytes of an element; columns of small matrices start on four bytes.
    pub(super) fn element_size(&self) -> usize {
        let size = component_size(self.component).unwrap_or(1);
        match (self.kind, size) {
            ("MAT2", 1) => 8,
            ("MAT3", 1) => 12,
            ("MAT3", 2) => 24,
            _ => size * self.num_components,
        }
    }

    pub(super) fn view<'b>(&self, document: &Document<'b>) -> Option<Node<'b>> {
        document.views.get(self.node.index_of("bufferView")?).copied()
    }
}

/// Calls `visit(element, components)` for each element, as the numbers that are stored (not
/// normalised). False if the data cannot be had: compressed, sparse, cut off, or the document's
/// budget is spent.
pub(super) fn for_each(
    document: &Document<'_>,
    accessor: &Accessor<'_>,
    mut visit: impl FnMut(usize, &[f64]),
) -> bool {
    if accessor.node.get("sparse").is_some()
        || accessor.kind.starts_with("MAT") && accessor.kind != "MAT4"
    {
        return false;
    }
    let Some(found) = element_bytes(document, accessor) else { return false };
    // What nearly all data is goes by fixed sizes, many times as fast as the rest.
    match (accessor.component, accessor.num_components) {
        (5126, 1) => each::<4, 1>(&found, |b| f64::from(f32::from_le_bytes(b)), visit),
        (5126, 3) => each::<4, 3>(&found, |b| f64::from(f32::from_le_bytes(b)), visit),
        (5126, 4) => each::<4, 4>(&found, |b| f64::from(f32::from_le_bytes(b)), visit),
        (5123, 1) => each::<2, 1>(&found, |b| f64::from(u16::from_le_bytes(b)), visit),
        (5125, 1) => each::<4, 1>(&found, |b| f64::from(u32::from_le_bytes(b)), visit),
        _ => {
            let size = component_size(accessor.component).unwrap_or(1);
            let mut values = [0.0; 16];
            let values = &mut values[..accessor.num_components];
            for (index, element) in found.elements().enumerate() {
                for (value, bytes) in values.iter_mut().zip(element.chunks_exact(size)) {
                    *value = component(accessor.component, bytes);
                }
                visit(index, values);
            }
        }
    }
    true
}

/// Elements in a view.
struct ElementBytes<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> ElementBytes<'a> {
    fn elements(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let size = self.size;
        self.bytes.chunks(self.stride).map(move |element| &element[..size.min(element.len())])
    }
}

#[inline(always)]
fn each<const SIZE: usize, const N: usize>(
    found: &ElementBytes<'_>,
    decode: impl Fn([u8; SIZE]) -> f64,
    mut visit: impl FnMut(usize, &[f64]),
) {
    let mut visit_one = |index: usize, components: &[[u8; SIZE]]| {
        let mut values = [0.0; N];
        for (value, bytes) in values.iter_mut().zip(components) {
            *value = decode(*bytes);
        }
        visit(index, &values);
    };
    if found.stride == SIZE * N {
        let (components, _) = found.bytes.as_chunks::<SIZE>();
        for (index, components) in components.as_chunks::<N>().0.iter().enumerate() {
            visit_one(index, components);
        }
    } else {
        for (index, element) in found.elements().enumerate() {
            visit_one(index, element.as_chunks::<SIZE>().0);
        }
    }
}

fn component(code: usize, bytes: &[u8]) -> f64 {
    match (code, bytes) {
        (5120, &[a]) => f64::from(a as i8),
        (5121, &[a]) => f64::from(a),
        (5122, &[a, b]) => f64::from(i16::from_le_bytes([a, b])),
        (5123, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
        (5125, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
        (5126, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => 0.0,
    }
}

fn element_bytes<'a>(document: &Document<'a>, accessor: &Accessor<'_>) -> Option<ElementBytes<'a>> {
    let view = accessor.view(document)?;
    if view.get("extensions").is_some() || accessor.count == 0 {
        return None;
    }
    let size = accessor.element_size();
    let stride = view.index_of("byteStride").unwrap_or(size).max(1);
    let start = view.index_of("byteOffset").unwrap_or(0);
    let end = start.checked_add(view.index_of("byteLength")?)?;
    let bytes = document.bytes.get(view.index_of("buffer")?).ok()?.get(start..end)?;
    let bytes = bytes.get(accessor.node.index_of("byteOffset").unwrap_or(0)..)?;
    let needed = (accessor.count - 1).checked_mul(stride)?.checked_add(size)?;
    let bytes = bytes.get(..needed)?;
    let left = document.budget.get().checked_sub(needed)?;
    document.budget.set(left);
    Some(ElementBytes { bytes, stride, size })
}
