//! Pictures as bytes of files. Writing them is the caller's affair.

use image::ImageEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

use crate::picture::Picture;

/// Why a picture could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The encoder said no.
    #[error("the picture could not be encoded: {0}")]
    Image(#[from] image::ImageError),
}

/// A PNG file.
pub fn png(picture: &Picture) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
    let size = picture.size();
    let pixels: &[u8] = bytemuck::cast_slice(picture.pixels());
    encoder.write_image(pixels, size.width, size.height, image::ExtendedColorType::Rgba8)?;
    Ok(bytes)
}
