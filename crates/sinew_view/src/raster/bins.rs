//! Which triangles are in which tile of a picture, in the order in which they are drawn.

use super::fill::Tile;
use super::screen::{SUBPIXELS, ScreenTriangle};

/// Pixels of a tile's side: colours and depths of all samples of a tile stay in a core's own cache.
pub(super) const TILE: i32 = 32;

/// Lists of triangles, one a tile, over a rectangle of pixels.
pub(super) struct Bins {
    whole: Tile,
    columns: usize,
    rows: usize,
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Bins {
    /// Sorts triangles into the tiles of a rectangle.
    pub(super) fn new(triangles: &[ScreenTriangle], whole: Tile) -> Self {
        let tiles_along = |ends: [i32; 2]| ((ends[1] - ends[0] + TILE - 1) / TILE).max(0) as usize;
        let (columns, rows) = (tiles_along(whole.x), tiles_along(whole.y));
        let mut starts = vec![0_u32; columns * rows + 1];
        let mut bins = Self { whole, columns, rows, starts: Vec::new(), triangles: Vec::new() };
        for triangle in triangles {
            bins.each_tile(triangle, |tile| starts[tile + 1] += 1);
        }
        for tile in 0..columns * rows {
            starts[tile + 1] += starts[tile];
        }
        let mut ends = starts.clone();
        let mut lists = vec![0_u32; starts[columns * rows] as usize];
        for (index, triangle) in triangles.iter().enumerate() {
            bins.each_tile(triangle, |tile| {
                lists[ends[tile] as usize] = index as u32;
                ends[tile] += 1;
            });
        }
        bins.starts = starts;
        bins.triangles = lists;
        bins
    }

    /// Tiles across.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The pixels of a tile.
    pub(super) fn tile(&self, column: usize, row: usize) -> Tile {
        let ends = |ends: [i32; 2], place: usize| {
            let start = ends[0] + place as i32 * TILE;
            [start, (start + TILE).min(ends[1])]
        };
        Tile { x: ends(self.whole.x, column), y: ends(self.whole.y, row) }
    }

    /// The triangles of a tile, ascending.
    pub(super) fn triangles(&self, column: usize, row: usize) -> &[u32] {
        let tile = row * self.columns + column;
        &self.triangles[self.starts[tile] as usize..self.starts[tile + 1] as usize]
    }

    fn each_tile(&self, triangle: &ScreenTriangle, mut visit: impl FnMut(usize)) {
        let tiles = |axis: usize, ends: [i32; 2], count: usize| {
            let (least, most) = triangle.span(axis);
            let tile = |at: i32| (at.div_euclid(SUBPIXELS) - ends[0]).div_euclid(TILE);
            tile(least).max(0)..(tile(most) + 1).min(count as i32)
        };
        for row in tiles(1, self.whole.y, self.rows) {
            for column in tiles(0, self.whole.x, self.columns) {
                visit(row as usize * self.columns + column as usize);
            }
        }
    }
}
