//! A finished picture.

use crate::camera::Size;

/// sRGB pixels, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    size: Size,
    rgba: Vec<[u8; 4]>,
}

impl Picture {
    /// All of one colour.
    pub fn filled(size: Size, rgba: [u8; 4]) -> Self {
        Self { size, rgba: vec![rgba; size.width as usize * size.height as usize] }
    }

    /// From pixels.
    ///
    /// # Panics
    /// If there are not as many as the size says.
    pub fn from_pixels(size: Size, rgba: Vec<[u8; 4]>) -> Self {
        assert_eq!(rgba.len(), size.width as usize * size.height as usize, "one entry a pixel");
        Self { size, rgba }
    }

    /// Pixels across and down.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Row by row.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.rgba
    }

    /// Row by row.
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.rgba
    }
}
