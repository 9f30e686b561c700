//! What one layer says of one mesh: rows of some of its points, and how much of each counts.

use super::super::rules::PointRow;
use super::super::{Influence, SkinWeights};

/// Rows of the points that a layer is about, with a mask. Others are as what is below has them.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRows {
    /// Ascending, each once.
    points: Vec<u32>,
    rows: SkinWeights,
    mask: Vec<f32>,
}

impl Default for LayerRows {
    fn default() -> Self {
        let rows = SkinWeights { row_starts: vec![0], influences: Vec::new() };
        Self { points: Vec::new(), rows, mask: Vec::new() }
    }
}

/// A point of a layer: its row, and how much of it counts, from nothing to one.
pub type LayerEntry<'a> = (u32, &'a [Influence], f32);

impl LayerRows {
    /// The points that have a row, ascending.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// A point's row, and how much of it counts; `None` if the layer is not about it.
    pub fn get(&self, point: u32) -> Option<(&[Influence], f32)> {
        let at = self.points.binary_search(&point).ok()?;
        Some((self.rows.row(at), self.mask[at]))
    }

    /// All entries, by point.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = LayerEntry<'_>> {
        let rows = self.points.iter().zip(self.rows.rows());
        rows.zip(&self.mask).map(|((&point, row), &mask)| (point, row, mask))
    }

    /// The same with other rows for some points. Points that are new count wholly. Rows must be
    /// what rows are; of a point that is named twice, the last counts.
    #[must_use]
    pub fn with_rows(&self, changed: &[PointRow]) -> Self {
        let mut wanted: Vec<(u32, &[Influence])> =
            changed.iter().map(|(point, row)| (*point, row.as_slice())).collect();
        wanted.sort_by_key(|(point, _)| *point);
        let mut out = Self::default();
        let mut own = self.entries().peekable();
        for (at, &(point, row)) in wanted.iter().enumerate() {
            if wanted.get(at + 1).is_some_and(|&(next, _)| next == point) {
                continue;
            }
            while let Some((before, row, mask)) = own.next_if(|&(before, ..)| before < point) {
                out.push(before, row, mask);
            }
            let mask = own.next_if(|&(before, ..)| before == point).map_or(1.0, |entry| entry.2);
            out.push(point, row, mask);
        }
        own.for_each(|(point, row, mask)| out.push(point, row, mask));
        out
    }

    /// The same with another mask for some of its points; others are passed over.
    #[must_use]
    pub fn with_mask(&self, changed: &[(u32, f32)]) -> Self {
        let mut out = self.clone();
        for &(point, mask) in changed {
            if let Ok(at) = out.points.binary_search(&point) {
                out.mask[at] = if mask.is_finite() { mask.clamp(0.0, 1.0) } else { 0.0 };
            }
        }
        out
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.points[..])
            + size_of_val(&self.mask[..])
            + size_of_val(&self.rows.row_starts[..])
            + size_of_val(&self.rows.influences[..])
    }

    fn push(&mut self, point: u32, row: &[Influence], mask: f32) {
        self.points.push(point);
        self.mask.push(mask);
        self.rows.influences.extend_from_slice(row);
        self.rows.row_starts.push(self.rows.influences.len() as u32);
    }
}
