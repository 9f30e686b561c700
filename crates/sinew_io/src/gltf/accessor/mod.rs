//! Accessors: typed, strided, perhaps normalised, sparse or compressed arrays in buffers (glTF 2.0,
//! section 3.6.2).
//!
//! Every offset is checked against the bytes that are there before anything is allocated. Several
//! accessors may share bytes, and one without a view has none, so that a small file can ask for
//! much: a budget that grows with the file's size bounds what all of them decode to.

use std::cell::{Cell, OnceCell};

use rayon::prelude::*;

use super::buffer::Buffers;
use super::json::{self, Root};
use super::meshopt::CompressedViews;
use crate::ReadError;

/// Components that any file may decode.
const FREE_COMPONENTS: usize = 1 << 22;
/// And for each byte of it so many more: a thousand instances of a mesh pass, a bomb does not.
const COMPONENTS_PER_BYTE: usize = 16;

/// Smaller arrays take less time than it takes to wake a second thread.
const MIN_PARALLEL_COMPONENTS: usize = 1 << 17;
const COMPONENTS_PER_TASK: usize = 1 << 16;

/// Reads the accessors of a document.
#[derive(Debug)]
pub(super) struct Accessors<'a> {
    root: &'a Root,
    views: CompressedViews<'a>,
    /// What a primitive's Draco stream has for an accessor, in the place of its view.
    decoded: Vec<OnceCell<Decoded>>,
    components_left: Cell<usize>,
}

/// The elements of an accessor that lie in no view, in the accessor's own type.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub(super) fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// What one element is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Element {
    /// Of a column; vectors are one column.
    rows: usize,
    /// From one column to the next: columns of matrices begin at multiples of four bytes.
    column_bytes: usize,
    bytes: usize,
}

impl Element {
    fn of(kind: &str, component: Component) -> Option<Self> {
        let size = component.size();
        let vector = |rows: usize| Self { rows, column_bytes: rows * size, bytes: rows * size };
        let matrix = |n: usize| {
            let column_bytes = (n * size).next_multiple_of(4);
            Self { rows: n, column_bytes, bytes: n * column_bytes }
        };
        Some(match kind {
            "SCALAR" => vector(1),
            "VEC2" => vector(2),
            "VEC3" => vector(3),
            "VEC4" => vector(4),
            "MAT2" => matrix(2),
            "MAT3" => matrix(3),
            "MAT4" => matrix(4),
            _ => return None,
        })
    }

    fn num_components(self) -> usize {
        self.rows * (self.bytes / self.column_bytes)
    }
}

/// An accessor that makes sense, and where its elements lie.
struct Found<'a> {
    index: usize,
    place: &'a str,
    accessor: &'a json::Accessor,
    component: Component,
    element: Element,
    count: usize,
    /// `None` without a view: zeros.
    layout: Option<Layout<'a>>,
}

impl Found<'_> {
    fn error(&self, what: impl Into<String>) -> ReadError {
        malformed(self.index, self.place, what.into())
    }
}

fn malformed(index: usize, place: &str, what: String) -> ReadError {
    ReadError::malformed(format!("accessors[{index}] (used by {place})"), what)
}

/// Where the elements of an array lie.
struct Layout<'a> {
    bytes: &'a [u8],
    stride: usize,
    element: Element,
}

impl Layout<'_> {
    fn floats<const N: usize>(&self, component: Component, normalized: bool, out: &mut [[f32; N]]) {
        // Divided, not multiplied by the inverse: 255 must become exactly one.
        let unit = |max: f32| if normalized { max } else { 1.0 };
        // The most negative code of a signed type stands for -1 too.
        let floor = if normalized { -1.0 } else { f32::NEG_INFINITY };
        match component {
            Component::F32 => self.fill(out, f32::from_le_bytes),
            Component::I8 => {
                let unit = unit(127.0);
                self.fill(out, |[b]| (f32::from(b as i8) / unit).max(floor));
            }
            Component::U8 => {
                let unit = unit(255.0);
                self.fill(out, |[b]| f32::from(b) / unit);
            }
            Component::I16 => {
                let unit = unit(32767.0);
                self.fill(out, |b| (f32::from(i16::from_le_bytes(b)) / unit).max(floor));
            }
            Component::U16 => {
                let unit = unit(65535.0);
                self.fill(out, |b| f32::from(u16::from_le_bytes(b)) / unit);
            }
            Component::U32 => self.fill(out, |b| u32::from_le_bytes(b) as f32),
        }
    }

    fn integers<const N: usize>(
        &self,
        component: Component,
        out: &mut [[u32; N]],
    ) -> Result<(), &'static str> {
        match component {
            Component::U8 => self.fill(out, |[b]| u32::from(b)),
            Component::U16 => self.fill(out, |b| u32::from(u16::from_le_bytes(b))),
            Component::U32 => self.fill(out, u32::from_le_bytes),
            Component::I8 | Component::I16 | Component::F32 => {
                return Err("must be of an unsigned integer type (5121, 5123 or 5125)");
            }
        }
        Ok(())
    }

    /// Fills `out` with as many elements, each `N` components of `SIZE` bytes. They are there: that
    /// was checked when the layout was made.
    fn fill<T: Send, const SIZE: usize, const N: usize>(
        &self,
        out: &mut [[T; N]],
        convert: impl Fn([u8; SIZE]) -> T + Sync,
    ) {
        let Element { rows, column_bytes, bytes: element_bytes } = self.element;
        if self.stride == SIZE * N && element_bytes == SIZE * N {
            // One run of components: the compiler makes this a copy, or as good as one.
            let (sources, _) = self.bytes.as_chunks::<SIZE>();
            let copy = |(out, sources): (&mut [T], &[[u8; SIZE]])| {
                for (to, source) in out.iter_mut().zip(sources) {
                    *to = convert(*source);
                }
            };
            let out = out.as_flattened_mut();
            if out.len() < MIN_PARALLEL_COMPONENTS {
                copy((out, sources));
            } else {
                // Most of the time goes to the first touch of the pages of `out`.
                let tasks = out.par_chunks_mut(COMPONENTS_PER_TASK);
                tasks.zip(sources.par_chunks(COMPONENTS_PER_TASK)).for_each(copy);
            }
            return;
        }
        for (to, element) in out.iter_mut().zip(self.bytes.chunks(self.stride)) {
            for (to, column) in to.chunks_mut(rows).zip(element.chunks(column_bytes)) {
                let (sources, _) = column.as_chunks::<SIZE>();
                for (to, source) in to.iter_mut().zip(sources) {
                    *to = convert(*source);
                }
            }
        }
    }
}

impl<'a> Accessors<'a> {
    pub(super) fn new(root: &'a Root, buffers: &'a Buffers<'a>, json_bytes: usize) -> Self {
        let file_bytes = json_bytes.saturating_add(buffers.total_bytes());
        let budget = file_bytes.saturating_mul(COMPONENTS_PER_BYTE).saturating_add(FREE_COMPONENTS);
        Self {
            root,
            views: CompressedViews::new(root, buffers, file_bytes),
            decoded: root.accessors.iter().map(|_| OnceCell::new()).collect(),
            components_left: Cell::new(budget),
        }
    }

    /// Elements of `N` components as floats: normalised integers become what they stand for, others
    /// their value.
    pub(super) fn floats<const N: usize>(
        &self,
        index: usize,
        place: &str,
    ) -> Result<Vec<[f32; N]>, ReadError> {
        self.read(index, place, |layout, component, normalized, out| {
            layout.floats(component, normalized, out);
            Ok(())
        })
    }

    /// Elements of `N` components as unsigned integers.
    pub(super) fn integers<const N: usize>(
        &self,
        index: usize,
        place: &str,
    ) -> Result<Vec<[u32; N]>, ReadError> {
        self.read(index, place, |layout, component, _, out| layout.integers(component, out))
    }

    /// A list of indices three by three, with no copy between; `None` if they do not lie packed, or
    /// are no threes.
    pub(super) fn triangles(
        &self,
        index: usize,
        place: &str,
    ) -> Result<Option<Vec<[u32; 3]>>, ReadError> {
        let found = self.find::<1>(index, place)?;
        let is_packed = |layout: &&Layout<'_>| layout.stride == found.component.size();
        let Some(layout) = found.layout.as_ref().filter(is_packed) else { return Ok(None) };
        if found.accessor.sparse.is_some() || !found.count.is_multiple_of(3) {
            return Ok(None);
        }
        self.take(&found, 1);
        let mut out = vec![[0; 3]; found.count / 3];
        let element_bytes = layout.stride * 3;
        let element = Element { rows: 3, column_bytes: element_bytes, bytes: element_bytes };
        let threes = Layout { bytes: layout.bytes, stride: element_bytes, element };
        threes.integers(found.component, &mut out).map_err(|what| found.error(what))?;
        Ok(Some(out))
    }

    /// The type of an accessor's components, and how many an element has.
    pub(super) fn kind(&self, index: usize) -> Option<(Component, usize)> {
        let accessor = self.root.accessors.get(index)?;
        let component = Component::of(accessor.component_type)?;
        Some((component, Element::of(&accessor.kind, component)?.num_components()))
    }

    /// True if an accessor has its elements already.
    pub(super) fn is_decoded(&self, index: usize) -> bool {
        self.decoded.get(index).is_some_and(|cell| cell.get().is_some())
    }

    /// Gives an accessor its elements. The first ones stay.
    pub(super) fn set_decoded(&self, index: usize, decoded: Decoded) {
        if let Some(cell) = self.decoded.get(index) {
            let _ = cell.set(decoded);
        }
    }

    /// The bytes of a view, decompressed.
    pub(super) fn view(&self, view: usize) -> Result<&[u8], String> {
        self.views.bytes(view)
    }

    /// What decompression may still make of the file, in components.
    pub(super) fn components_left(&self) -> usize {
        self.components_left.get()
    }

    fn read<T: Copy + Default + Send, const N: usize>(
        &self,
        index: usize,
        place: &str,
        decode: impl Fn(&Layout<'_>, Component, bool, &mut [[T; N]]) -> Result<(), &'static str>,
    ) -> Result<Vec<[T; N]>, ReadError> {
        let found = self.find::<N>(index, place)?;
        self.take(&found, N);
        let Found { accessor, component, element, count, .. } = found;
        let mut out = vec![[T::default(); N]; count];
        let decode = |layout: &Layout<'_>, out: &mut [[T; N]]| {
            decode(layout, component, accessor.normalized, out).map_err(|e| found.error(e))
        };
        if let Some(layout) = &found.layout {
            decode(layout, &mut out)?;
        }
        if let Some(sparse) = &accessor.sparse {
            let indices = self.sparse_indices(sparse).map_err(|what| found.error(what))?;
            let values = &sparse.values;
            let layout = self
                .layout(values.buffer_view, values.byte_offset, element, sparse.count)
                .map_err(|what| found.error(format!("sparse.values: {what}")))?;
            let mut values = vec![[T::default(); N]; sparse.count];
            decode(&layout, &mut values)?;
            for ([index], value) in indices.into_iter().zip(values) {
                *out.get_mut(index as usize).ok_or_else(|| {
                    found.error(format!("sparse index {index} is past the {count} elements"))
                })? = value;
            }
        }
        Ok(out)
    }

    /// Looks an accessor of `N` components up.
    fn find<'b, const N: usize>(
        &'b self,
        index: usize,
        place: &'b str,
    ) -> Result<Found<'b>, ReadError> {
        let error = |what: String| malformed(index, place, what);
        let accessor =
            self.root.accessors.get(index).ok_or_else(|| {
                ReadError::malformed(place, format!("there is no accessor {index}"))
            })?;
        let component = Component::of(accessor.component_type).ok_or_else(|| {
            error(format!("componentType {} is none of glTF's", accessor.component_type))
        })?;
        let element = Element::of(&accessor.kind, component)
            .filter(|element| element.num_components() == N)
            .ok_or_else(|| {
                error(format!("is of type '{}', but needs {N} components", accessor.kind))
            })?;
        let decoded = self.decoded[index].get();
        let count = decoded.map_or(accessor.count, |decoded| decoded.count);
        if count.checked_mul(N).is_none_or(|cost| cost > self.components_left()) {
            let what = format!("{count} elements are more than a file of this size can mean");
            return Err(error(what));
        }
        let layout = match (decoded, accessor.buffer_view) {
            // Packed, whatever the type.
            (Some(Decoded { bytes, .. }), _) => {
                let element_bytes = N * component.size();
                let element =
                    Element { rows: N, column_bytes: element_bytes, bytes: element_bytes };
                Some(Layout { bytes, stride: element_bytes, element })
            }
            (None, Some(view)) => {
                Some(self.layout(view, accessor.byte_offset, element, count).map_err(error)?)
            }
            (None, None) => None,
        };
        Ok(Found { index, place, accessor, component, element, count, layout })
    }

    fn sparse_indices(&self, sparse: &json::Sparse) -> Result<Vec<[u32; 1]>, String> {
        let component = Component::of(sparse.indices.component_type)
            .filter(|c| matches!(c, Component::U8 | Component::U16 | Component::U32))
            .ok_or("sparse.indices must be of an unsigned integer type")?;
        let size = component.size();
        let element = Element { rows: 1, column_bytes: size, bytes: size };
        let indices = &sparse.indices;
        let layout = self
            .layout(indices.buffer_view, indices.byte_offset, element, sparse.count)
            .map_err(|what| format!("sparse.indices: {what}"))?;
        let mut out = vec![[0]; sparse.count];
        match component {
            Component::U8 => layout.fill(&mut out, |[b]| u32::from(b)),
            Component::U16 => layout.fill(&mut out, |b| u32::from(u16::from_le_bytes(b))),
            _ => layout.fill(&mut out, u32::from_le_bytes),
        }
        Ok(out)
    }

    /// Finds `count` elements in a view, or says why they are not there.
    fn layout(
        &self,
        view: usize,
        byte_offset: usize,
        element: Element,
        count: usize,
    ) -> Result<Layout<'_>, String> {
        let bytes = self.views.bytes(view)?.get(byte_offset..).unwrap_or(&[]);
        let stride = self.root.buffer_views[view].byte_stride.unwrap_or(element.bytes);
        if stride < element.bytes {
            return Err(format!(
                "bufferViews[{view}].byteStride {stride} is less than an element's {} bytes",
                element.bytes
            ));
        }
        let needed = match count {
            0 => Some(0),
            _ => stride.checked_mul(count - 1).and_then(|last| last.checked_add(element.bytes)),
        };
        match needed {
            Some(needed) if needed <= bytes.len() => {
                Ok(Layout { bytes: &bytes[..needed], stride, element })
            }
            _ => Err(format!(
                "{count} elements of {} bytes reach past the end of bufferViews[{view}]",
                element.bytes
            )),
        }
    }

    /// Takes what was found to be there.
    fn take(&self, found: &Found<'_>, components: usize) {
        self.components_left.set(self.components_left().saturating_sub(found.count * components));
    }

    /// Takes components from what the file may decode to.
    pub(super) fn spend(&self, count: usize, components: usize) -> Result<(), ()> {
        let cost = count.checked_mul(components).ok_or(())?;
        self.components_left.set(self.components_left.get().checked_sub(cost).ok_or(())?);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
