//! The palette on the card.

mod palette;

pub use palette::{GpuPalette, GpuSkeleton};

/// The names of the palette's rows, in front of every shader that reads them.
pub(crate) const ROWS: &str = include_str!("rows.wgsl");
