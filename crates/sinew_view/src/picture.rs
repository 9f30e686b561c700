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

    /// Every pixel as a square of `times` by `times`.
    #[must_use]
    pub fn enlarged(&self, times: u32) -> Self {
        let size = Size { width: self.size.width * times, height: self.size.height * times };
        let from = |index: u32| {
            let (x, y) = (index % size.width / times, index / size.width / times);
            self.rgba[(y * self.size.width + x) as usize]
        };
        Self { size, rgba: (0..size.width * size.height).map(from).collect() }
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
