//! Formats, and how a file tells its own.

use std::path::Path;

use crate::WriteError;

/// A file format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// glTF 2.0 in one binary file; also `.vrm` and `.vrma`.
    Glb,
    /// glTF 2.0 as JSON with buffers beside it or inside.
    Gltf,
    /// Wavefront OBJ.
    Obj,
    /// Polygon file format (Stanford), ASCII or binary.
    Ply,
    /// Biovision hierarchy: a skeleton and one motion.
    Bvh,
    /// Autodesk's, ASCII or binary; read only.
    Fbx,
}

impl Format {
    /// The ending that files of it have.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Bvh => "bvh",
            Self::Fbx => "fbx",
        }
    }

    /// True if Sinew writes it.
    pub const fn is_written(self) -> bool {
        match self {
            Self::Glb | Self::Gltf | Self::Obj | Self::Ply | Self::Bvh => true,
            Self::Fbx => false,
        }
    }

    /// By extension, whatever its case.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "glb" | "vrm" | "vrma" => Some(Self::Glb),
            "gltf" => Some(Self::Gltf),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "bvh" => Some(Self::Bvh),
            "fbx" => Some(Self::Fbx),
            _ => None,
        }
    }

    /// By the first bytes. An OBJ has none of its own; text that starts like one is taken for it.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"glTF") {
            return Some(Self::Glb);
        }
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        if sinew_fbx::is_fbx(bytes) {
            return Some(Self::Fbx);
        }
        let text = bytes.trim_ascii_start();
        if text.starts_with(b"{") {
            return Some(Self::Gltf);
        }
        const BVH_START: &[u8] = b"HIERARCHY";
        if text.get(..BVH_START.len()).is_some_and(|start| start.eq_ignore_ascii_case(BVH_START)) {
            return Some(Self::Bvh);
        }
        let obj_starts: [&[u8]; 6] = [b"v ", b"#", b"o ", b"g ", b"mtllib ", b"vn "];
        obj_starts.iter().any(|start| text.starts_with(start)).then_some(Self::Obj)
    }

    /// The format to write to a path.
    pub(crate) fn of_output(path: &Path) -> Result<Self, WriteError> {
        Self::of_path(path)
            .filter(|format| format.is_written())
            .ok_or_else(|| WriteError::UnknownFormat { path: path.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_format_whatever_its_case() {
        assert_eq!(Format::of_path(Path::new("a/Human.GLB")), Some(Format::Glb));
        assert_eq!(Format::of_path(Path::new("a/Human")), None);
    }

    #[test]
    fn the_first_bytes_tell_the_format_of_a_file_without_extension() {
        assert_eq!(Format::of_bytes(b"glTF\x02"), Some(Format::Glb));
        assert_eq!(Format::of_bytes(b" \n{\"asset\":1}"), Some(Format::Gltf));
        assert_eq!(Format::of_bytes(b"ply\r\nformat"), Some(Format::Ply));
        assert_eq!(Format::of_bytes(b"\r\nHierarchy\nROOT a"), Some(Format::Bvh));
        assert_eq!(Format::of_bytes(b"Kaydara FBX Binary  \0"), Some(Format::Fbx));
        assert_eq!(Format::of_bytes(b"; FBX 7.5.0 project file"), Some(Format::Fbx));
        assert_eq!(Format::of_bytes(b"# Blender\nv 0 0 0"), Some(Format::Obj));
        assert_eq!(Format::of_bytes(b"\x89PNG"), None);
    }

    #[test]
    fn what_has_no_known_ending_is_not_written() {
        assert!(Format::of_output(Path::new("a.gltf")).is_ok());
        assert!(Format::of_output(Path::new("a.fbx")).is_err());
    }
}
