//! The codec of EXT_meshopt_compression and KHR_meshopt_compression: streams of vertices, triangles
//! and indices, and the filters that vertices may have gone through. Safe Rust of our own, after
//! the extensions' text and meshoptimizer 1.0 (Kapoulkine, MIT): whatever the bytes, a decoder ends
//! with the data or with a [`MeshoptError`].
//!
//! Decoders are in `decode_*`, one file a stream; encoders beside them in `encode_*`.

mod decode_index;
mod decode_vertex;
mod encode_index;
mod encode_vertex;
mod filter;

pub(crate) use encode_index::encode_triangles;
pub(crate) use encode_vertex::encode_vertices;
pub(crate) use filter::Filter;

/// Why bytes are not a meshopt stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MeshoptError {
    #[error("the stream begins with byte {0:#04x}, which is none of its kind or version")]
    Header(u8),
    #[error("the stream is cut off")]
    CutOff,
    #[error("the stream has bytes left over; count or byteStride do not fit it")]
    LeftOver,
    #[error("the stream has an unknown kind of channel")]
    Channel,
    #[error("byteStride must be {0}")]
    Stride(&'static str),
    #[error("count must be a multiple of three")]
    Count,
}

/// What a stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Attributes,
    Triangles,
    Indices,
}

impl Mode {
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "ATTRIBUTES" => Self::Attributes,
            "TRIANGLES" => Self::Triangles,
            "INDICES" => Self::Indices,
            _ => return None,
        })
    }

    /// Decodes `count` elements of `stride` bytes. Allocates no more than they take, and only if
    /// the stream is long enough to be one of so many elements; bounds on `count * stride` are the
    /// caller's.
    pub(crate) fn decode(
        self,
        bytes: &[u8],
        count: usize,
        stride: usize,
    ) -> Result<Vec<u8>, MeshoptError> {
        match self {
            Self::Attributes => decode_vertex::decode(bytes, count, stride),
            Self::Triangles => decode_index::decode_triangles(bytes, count, stride),
            Self::Indices => decode_index::decode_sequence(bytes, count, stride),
        }
    }
}

#[cfg(test)]
mod tests;
