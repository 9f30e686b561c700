//! Wavefront OBJ. Each `v` line is one welded point, in the file's order: OBJ keeps positions apart
//! from UVs and normals, so the file itself says what is one point. `o` starts a part, `g` and
//! `usemtl` a group. Texture coordinates are flipped on the way in and out: OBJ counts `v` from
//! below, glTF (and Sinew) from above.

mod build;
mod line;
mod mtl;
mod read;
mod write;

pub(crate) use read::{read, read_stream};
pub(crate) use write::write;
