//! Reading files that break the rules.

use sinew::check::Severity;
use sinew_io::{Loaded, ReadError};

use crate::bounds::Cost;

/// Reads within the bounds of time and memory.
pub(crate) fn bounded(
    label: &str,
    num_bytes: usize,
    read: impl FnOnce() -> Result<Loaded, ReadError>,
) -> Result<Loaded, ReadError> {
    let (result, cost) = Cost::of(read);
    if let Some(excess) = cost.excess(num_bytes) {
        panic!("{label}: {excess}");
    }
    result
}

pub(crate) fn warnings(loaded: &Loaded) -> Vec<String> {
    let bad = loaded.report.warnings.iter().filter(|w| w.severity >= Severity::Warning);
    bad.map(|w| format!("{}: {}: {}", w.code, w.place, w.what)).collect()
}
