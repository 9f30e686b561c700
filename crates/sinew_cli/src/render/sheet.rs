//! Several characters on one sheet, each seen from its own front.

use sinew_view::camera::Size;
use sinew_view::compose::{self, Cell, GridStyle};
use sinew_view::picture::Picture;

use super::{Artist, RenderArgs, prepare};
use crate::console::Console;
use crate::exit::Failure;

/// One picture of a sheet.
pub(super) const CELL_SIZE: Size = Size { width: 300, height: 340 };

/// Wider than high, as screens and pages are.
const COLUMNS_OVER_ROWS: f64 = 1.6;

/// No viewer opens more.
const MAX_SIDE_PX: usize = 16_384;

/// All files of the command line.
pub(super) fn draw(
    args: &RenderArgs,
    artist: &Artist,
    console: &Console,
) -> Result<Picture, Failure> {
    let size = args.size.unwrap_or(CELL_SIZE);
    let num = args.files.len();
    let columns =
        args.columns.unwrap_or_else(|| (num as f64 * COLUMNS_OVER_ROWS).sqrt().ceil() as usize);
    let columns = columns.clamp(1, num);
    let sides = [columns * size.width as usize, num.div_ceil(columns) * size.height as usize];
    if sides.into_iter().any(|side| side > MAX_SIDE_PX) {
        return Err(Failure::Usage(format!(
            "a sheet of {num} pictures of this size is larger than {MAX_SIDE_PX} pixels; give a smaller --size"
        )));
    }
    let bar = console.bar();
    let mut pictures = Vec::with_capacity(num);
    for file in &args.files {
        console.check_interrupted()?;
        let mut prepared = prepare(args, file, artist, (console, &bar))?;
        let picture = args.picture(&mut prepared, artist, (size, &bar))?;
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        pictures.push((picture, name.unwrap_or_default()));
    }
    let caption = |name: &'_ String| if args.no_labels { String::new() } else { name.clone() };
    let captions: Vec<String> = pictures.iter().map(|(_, name)| caption(name)).collect();
    let cells: Vec<Cell<'_>> = pictures
        .iter()
        .zip(&captions)
        .map(|((picture, _), caption)| Cell { picture, caption })
        .collect();
    let style = GridStyle { caption_px: 13.0, ..GridStyle::default() };
    Ok(compose::grid(&cells, columns, &style))
}
