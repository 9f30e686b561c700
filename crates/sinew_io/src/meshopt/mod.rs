//! The codec of EXT_meshopt_compression, the encoders.

mod encode_index;
mod encode_vertex;

pub(crate) use encode_index::encode_triangles;
pub(crate) use encode_vertex::encode_vertices;
