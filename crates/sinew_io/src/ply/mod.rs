//! PLY (Stanford polygon format): ASCII and both binary endians in, binary little-endian out. An
//! own parser: counts in a header are checked against the bytes that follow before anything is
//! allocated, and files are read by streaming.
//!
//! One mesh a file, so parts are joined on writing; each vertex is one welded point, in the file's
//! order.

mod header;
mod read;
#[cfg(test)]
mod tests;
mod values;
mod write;

pub(crate) use read::{read, read_stream};
pub(crate) use write::write;
