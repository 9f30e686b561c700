//! Pictures beside each other, with captions: how methods are compared.

use glam::Vec2;

use crate::camera::Size;
use crate::label::{INK, TextStyle, fitted, write};
use crate::picture::Picture;

/// One picture of a grid.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// What it shows.
    pub picture: &'a Picture,
    /// Below it; may be empty.
    pub caption: &'a str,
}

/// How a grid looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridStyle {
    /// Between pictures and around them.
    pub gap_px: u32,
    /// Of the captions; 0 leaves no room for them.
    pub caption_px: f32,
    /// sRGB around the pictures.
    pub paper: [u8; 4],
    /// sRGB of the captions.
    pub ink: [u8; 4],
}

impl Default for GridStyle {
    fn default() -> Self {
        Self { gap_px: 12, caption_px: 16.0, paper: [255; 4], ink: INK }
    }
}

/// Row by row, `columns` in each. A column is as wide as its widest picture, a row as high as its
/// highest; smaller ones are centred. Nothing gives a picture of the gap alone.
pub fn grid(cells: &[Cell<'_>], columns: usize, style: &GridStyle) -> Picture {
    let columns = columns.clamp(1, cells.len().max(1));
    let rows = cells.len().div_ceil(columns);
    let has_captions = style.caption_px > 0.0 && cells.iter().any(|cell| !cell.caption.is_empty());
    let caption_height = if has_captions { (1.9 * style.caption_px).round() as u32 } else { 0 };
    let mut widths = vec![0; columns];
    let mut heights = vec![0; rows];
    for (index, cell) in cells.iter().enumerate() {
        let Size { width, height } = cell.picture.size();
        widths[index % columns] = width.max(widths[index % columns]);
        heights[index / columns] = height.max(heights[index / columns]);
    }
    let start = |sizes: &[u32], place: usize, more: u32| {
        sizes[..place].iter().map(|size| size + more + style.gap_px).sum::<u32>() + style.gap_px
    };
    let size =
        Size { width: start(&widths, columns, 0), height: start(&heights, rows, caption_height) };
    let mut whole = Picture::filled(size, style.paper);
    for (index, cell) in cells.iter().enumerate() {
        let (column, row) = (index % columns, index / columns);
        let (left, top) = (start(&widths, column, 0), start(&heights, row, caption_height));
        let Size { width, height } = cell.picture.size();
        paste(
            &mut whole,
            cell.picture,
            left + (widths[column] - width) / 2,
            top + (heights[row] - height) / 2,
        );
        let text = TextStyle { color: style.ink, ..TextStyle::caption(style.caption_px) };
        let middle = left as f32 + 0.5 * widths[column] as f32;
        let baseline = (top + heights[row]) as f32 + 1.35 * style.caption_px;
        let caption = fitted(cell.caption, &text, widths[column] as f32);
        write(&mut whole, &caption, Vec2::new(middle, baseline), &text);
    }
    whole
}

/// All in one row.
pub fn side_by_side(cells: &[Cell<'_>], style: &GridStyle) -> Picture {
    grid(cells, cells.len(), style)
}

fn paste(whole: &mut Picture, part: &Picture, left: u32, top: u32) {
    let (across, width) = (whole.size().width as usize, part.size().width as usize);
    if width == 0 {
        return;
    }
    for (row, pixels) in part.pixels().chunks_exact(width).enumerate() {
        let start = (top as usize + row) * across + left as usize;
        whole.pixels_mut()[start..start + width].copy_from_slice(pixels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_their_pixels_and_do_not_touch() {
        let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]];
        let pictures = colors.map(|c| Picture::filled(Size { width: 20, height: 10 }, c));
        let cells = [0, 1, 2].map(|i| Cell { picture: &pictures[i], caption: "" });
        let whole = grid(&cells, 2, &GridStyle::default());
        assert_eq!(whole.size(), Size { width: 12 * 3 + 40, height: 12 * 3 + 20 });
        for color in colors {
            assert_eq!(whole.pixels().iter().filter(|&&p| p == color).count(), 200);
        }
    }

    #[test]
    fn captions_have_room_and_ink() {
        let picture = Picture::filled(Size { width: 90, height: 10 }, [255; 4]);
        let cells = [Cell { picture: &picture, caption: "dual-quat" }];
        let whole = side_by_side(&cells, &GridStyle::default());
        assert!(whole.size().height > 12 * 2 + 10 + 20);
        assert!(whole.pixels().iter().any(|p| p[0] < 100));
    }

    #[test]
    fn no_picture_is_no_grid_but_no_panic() {
        assert_eq!(grid(&[], 3, &GridStyle::default()).size().width, 24);
    }
}
