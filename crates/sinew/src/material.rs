//! A surface's own colour, carried from file to file and into pictures. Nothing of the deformation
//! looks at it.

use std::ops::Range;
use std::sync::Arc;

/// One colour, times an image where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// As the file has it; may be empty.
    pub name: String,
    /// Linear, with opacity.
    pub base_color: [f32; 4],
    /// Multiplied with it at the vertices' texture coordinates.
    pub image: Option<Arc<EncodedImage>>,
    /// What the opacity of colour and image means.
    pub alpha: AlphaMode,
    /// Directions in place of the surface's own; `None` for a smooth one.
    pub normal_map: Option<NormalMap>,
    /// Seen from behind as from the front: hair, leaves, cloth.
    pub is_two_sided: bool,
}

impl Default for Material {
    /// White, opaque and smooth.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            image: None,
            alpha: AlphaMode::Opaque,
            normal_map: None,
            is_two_sided: false,
        }
    }
}

/// What opacity means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Nothing: all of it is there.
    #[default]
    Opaque,
    /// What has less than that is not there, all else is wholly.
    Mask {
        /// The least that is there.
        cutoff: f32,
    },
    /// The share of light that it stops.
    Blend,
}

/// Bumps as an image: red, green and blue are x, y and z of a direction, from −1 to 1, with x along
/// the image to the right, y up and z off the surface, as in glTF.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalMap {
    /// At the vertices' texture coordinates.
    pub image: Arc<EncodedImage>,
    /// What x and y are multiplied with.
    pub scale: f32,
}

/// An image as its file has it: decoding is for who shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedImage {
    /// As the file has it; may be empty.
    pub name: String,
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub media_type: &'static str,
    /// The whole file.
    pub bytes: Vec<u8>,
}

impl EncodedImage {
    /// The media type that the first bytes tell, whatever a document says of them; `None` for
    /// neither PNG, JPEG nor WebP.
    pub fn media_type_of(bytes: &[u8]) -> Option<&'static str> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
            [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
            _ => None,
        }
    }
}

/// Triangles that have a material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialRun {
    /// Of the part's mesh.
    pub triangles: Range<u32>,
    /// Place in [`Character::materials`](crate::Character::materials).
    pub material: u32,
}
