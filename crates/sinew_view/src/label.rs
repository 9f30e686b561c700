//! Text in pictures: two faces that need no file, anti-aliased by the exact area of their outlines.

use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, Glyph, GlyphId, PxScale, ScaleFont as _, point};
use glam::Vec2;

use crate::picture::Picture;

/// A typeface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typeface {
    /// Ubuntu Light: captions and titles.
    Sans,
    /// Hack: figures that stand below each other.
    Mono,
}

/// What of a text is at the place that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Its beginning.
    Left,
    /// Its middle.
    Center,
    /// Its end.
    Right,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// The face.
    pub typeface: Typeface,
    /// Height of the em square.
    pub size_px: f32,
    /// sRGB and opacity.
    pub color: [u8; 4],
    /// What is at the place.
    pub align: Align,
}

/// Softer than black on a light ground, and easily read.
pub const INK: [u8; 4] = [0x2e, 0x34, 0x40, 0xff];

impl TextStyle {
    /// Captions: dark, of this size, centred.
    pub fn caption(size_px: f32) -> Self {
        Self { typeface: Typeface::Sans, size_px, color: INK, align: Align::Center }
    }
}

static SANS: LazyLock<FontRef<'static>> =
    LazyLock::new(|| face(epaint_default_fonts::UBUNTU_LIGHT));
static MONO: LazyLock<FontRef<'static>> =
    LazyLock::new(|| face(epaint_default_fonts::HACK_REGULAR));

fn face(bytes: &'static [u8]) -> FontRef<'static> {
    FontRef::try_from_slice(bytes).expect("a font that was built in is a font")
}

/// One letter: its face, its glyph, and where it begins on the line.
struct Placed {
    font: &'static FontRef<'static>,
    scale: PxScale,
    glyph: GlyphId,
    x: f32,
}

/// The letters of a line from `x = 0` on, and its width. What a face does not have comes from the
/// other one.
fn placed(text: &str, style: &TextStyle) -> (Vec<Placed>, f32) {
    let (first, other) = match style.typeface {
        Typeface::Sans => (&*SANS, &*MONO),
        Typeface::Mono => (&*MONO, &*SANS),
    };
    let mut letters: Vec<Placed> = Vec::new();
    let mut x = 0.0;
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        let has = |font: &FontRef<'_>| font.glyph_id(letter) != GlyphId(0);
        let font = if !has(first) && has(other) { other } else { first };
        // A scale is of the line's height, a size of the em square.
        let em = font.units_per_em().unwrap_or(1000.0);
        let scale = PxScale::from(style.size_px.max(0.0) * font.height_unscaled() / em);
        let glyph = font.glyph_id(letter);
        let scaled = font.as_scaled(scale);
        if let Some(before) = letters.last().filter(|before| std::ptr::eq(before.font, font)) {
            x += scaled.kern(before.glyph, glyph);
        }
        letters.push(Placed { font, scale, glyph, x });
        x += scaled.h_advance(glyph);
    }
    (letters, x)
}

/// How wide a line is.
pub fn width_px(text: &str, style: &TextStyle) -> f32 {
    placed(text, style).1
}

/// Writes a line; `place` is on its baseline. What is outside of the picture is cut off.
pub fn write(picture: &mut Picture, text: &str, place: Vec2, style: &TextStyle) {
    if !place.is_finite() || !style.size_px.is_finite() {
        return;
    }
    let (letters, width) = placed(text, style);
    let start = match style.align {
        Align::Left => place.x,
        Align::Center => place.x - 0.5 * width,
        Align::Right => place.x - width,
    };
    for letter in letters {
        let glyph = Glyph {
            id: letter.glyph,
            scale: letter.scale,
            position: point(start + letter.x, place.y),
        };
        let Some(outline) = letter.font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|x, y, cover| {
            let at = Vec2::new(corner.x + x as f32, corner.y + y as f32);
            blend(picture, at, style.color, cover);
        });
    }
}

/// A line that does not fit is cut, with an ellipsis.
pub fn fitted(text: &str, style: &TextStyle, width_limit_px: f32) -> String {
    if width_px(text, style) <= width_limit_px {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while kept.pop().is_some() {
        let shorter: String = kept.iter().collect::<String>().trim_end().to_owned() + "…";
        if width_px(&shorter, style) <= width_limit_px {
            return shorter;
        }
    }
    String::new()
}

/// Mixes in sRGB: what screens' text is drawn for; in linear light, thin dark strokes fade.
pub(crate) fn blend(picture: &mut Picture, at: Vec2, color: [u8; 4], cover: f32) {
    let size = picture.size();
    if at.x < 0.0 || at.y < 0.0 || at.x >= size.width as f32 || at.y >= size.height as f32 {
        return;
    }
    let index = at.y as usize * size.width as usize + at.x as usize;
    let pixel = &mut picture.pixels_mut()[index];
    let share = cover.clamp(0.0, 1.0) * f32::from(color[3]) / 255.0;
    for channel in 0..3 {
        let (from, to) = (f32::from(pixel[channel]), f32::from(color[channel]));
        pixel[channel] = (from + share * (to - from) + 0.5) as u8;
    }
    let opacity = f32::from(pixel[3]);
    pixel[3] = (opacity + share * (255.0 - opacity) + 0.5) as u8;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Size;

    const PAPER: [u8; 4] = [255; 4];

    fn written(text: &str, style: &TextStyle, place: Vec2) -> Picture {
        let mut picture = Picture::filled(Size { width: 80, height: 30 }, PAPER);
        write(&mut picture, text, place, style);
        picture
    }

    /// Columns from the first to the last that has ink.
    fn inked(picture: &Picture) -> Option<(usize, usize)> {
        let columns =
            || picture.pixels().iter().enumerate().filter(|(_, p)| p[0] < 200).map(|(i, _)| i % 80);
        columns().min().zip(columns().max())
    }

    #[test]
    fn text_is_as_wide_as_it_says_and_where_its_alignment_says() {
        let mut style = TextStyle { align: Align::Left, ..TextStyle::caption(16.0) };
        let width = width_px("Hamburg", &style);
        for (align, start) in
            [(Align::Left, 40.0 - width), (Align::Center, 40.0), (Align::Right, 40.0 + width)]
        {
            style.align = align;
            let place = Vec2::new(
                match align {
                    Align::Left => start,
                    Align::Center => start - width / 2.0,
                    Align::Right => start - width,
                },
                20.0,
            );
            let found = inked(&written("Hamburg", &style, place));
            let (first, last) = found.expect("ink");
            assert!(
                last - first < width.ceil() as usize + 1,
                "{align:?}: {first} to {last}, {width}"
            );
        }
    }

    #[test]
    fn nothing_is_written_outside_and_nothing_panics_there() {
        let style = TextStyle::caption(16.0);
        for place in [Vec2::new(-500.0, 10.0), Vec2::new(40.0, 900.0), Vec2::NAN] {
            assert_eq!(inked(&written("text\n\t\u{1F600}", &style, place)), None);
        }
        written("half", &style, Vec2::new(0.0, 3.0));
    }

    #[test]
    fn what_is_too_long_ends_in_an_ellipsis_and_fits() {
        let style = TextStyle::caption(14.0);
        let short = fitted("centre of rotation, 50 iterations", &style, 100.0);
        assert!(short.ends_with('…') && width_px(&short, &style) <= 100.0, "{short}");
        assert_eq!(fitted("short", &style, 100.0), "short");
    }
}
