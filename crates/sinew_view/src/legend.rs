//! A colour bar with ticks: what a heat map's colours mean.

use glam::Vec2;

use crate::color::bytes_from_linear;
use crate::label::{Align, INK, TextStyle, Typeface, blend, write};
use crate::picture::Picture;
use crate::scene::Ramp;

/// What a bar says.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Above the bar.
    pub title: String,
    /// Its colours.
    pub ramp: Ramp,
    /// Numbers beside it.
    pub ticks: Vec<Tick>,
}

/// A number beside the bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// 0 at the lower end, 1 at the upper.
    pub at: f32,
    /// The number.
    pub text: String,
}

/// Draws the legend upright in the lower left corner. It grows with the picture's height, so that
/// it is legible in all of them.
pub fn draw(picture: &mut Picture, legend: &Legend) {
    let size = picture.size();
    let height = size.height as f32;
    let unit = (height / 640.0).max(0.55);
    let text_px = 14.0 * unit;
    let bar_height = (200.0 * unit).min(0.45 * height).round();
    let bar_width = (12.0 * unit).round().max(4.0);
    let margin = (20.0 * unit).round();
    let bottom = height - margin;
    let top = bottom - bar_height;

    let mut style =
        TextStyle { typeface: Typeface::Sans, size_px: text_px, color: INK, align: Align::Left };
    write(picture, &legend.title, Vec2::new(margin, top - 0.8 * text_px), &style);
    for row in 0..bar_height as u32 {
        let value = 1.0 - (row as f32 + 0.5) / bar_height;
        let [r, g, b] = bytes_from_linear(legend.ramp.at(value));
        for column in 0..bar_width as u32 {
            let at = Vec2::new(margin + column as f32, top + row as f32);
            blend(picture, at, [r, g, b, 255], 1.0);
        }
    }
    frame(picture, Vec2::new(margin, top), Vec2::new(bar_width, bar_height));
    style.size_px = 0.9 * text_px;
    for tick in &legend.ticks {
        let y = (bottom - tick.at.clamp(0.0, 1.0) * (bar_height - 1.0) - 1.0).round();
        for step in 0..(4.0 * unit).ceil() as u32 {
            blend(picture, Vec2::new(margin + bar_width + 1.0 + step as f32, y), INK, 0.55);
        }
        // Figures of this face are 0.69 of the em high.
        let baseline = y + 0.5 + 0.345 * style.size_px;
        write(picture, &tick.text, Vec2::new(margin + bar_width + 8.0 * unit, baseline), &style);
    }
}

/// A hairline around a rectangle.
fn frame(picture: &mut Picture, corner: Vec2, size: Vec2) {
    for column in -1..=size.x as i32 {
        for y in [-1.0, size.y] {
            blend(picture, corner + Vec2::new(column as f32, y), INK, 0.35);
        }
    }
    for row in 0..size.y as i32 {
        for x in [-1.0, size.x] {
            blend(picture, corner + Vec2::new(x, row as f32), INK, 0.35);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::camera::Size;

    #[test]
    fn the_bar_runs_from_the_ramps_first_colour_below_to_its_last_above() {
        let legend = Legend {
            title: "weight".into(),
            ramp: Ramp { stops: vec![Vec3::X, Vec3::Z] },
            ticks: vec![Tick { at: 0.5, text: "0.5".into() }],
        };
        let mut picture = Picture::filled(Size { width: 300, height: 640 }, [255; 4]);
        draw(&mut picture, &legend);
        let at = |x: usize, y: usize| picture.pixels()[y * 300 + x];
        assert!(at(25, 618)[0] > 240 && at(25, 618)[2] < 30, "{:?}", at(25, 618));
        assert!(at(25, 421)[2] > 240 && at(25, 421)[0] < 30, "{:?}", at(25, 421));
        assert_eq!(at(200, 500), [255; 4]);
    }

    #[test]
    fn a_picture_too_small_for_it_does_not_panic() {
        let legend = Legend {
            title: "t".into(),
            ramp: Ramp { stops: vec![Vec3::X, Vec3::Z] },
            ticks: Vec::new(),
        };
        for side in [0, 1, 7] {
            draw(&mut Picture::filled(Size { width: side, height: side }, [0; 4]), &legend);
        }
    }
}
