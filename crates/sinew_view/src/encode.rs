//! Pictures as bytes of files. Writing them is the caller's affair.
//!
//! A **GIF** has one palette for all frames, so that nothing flickers: 255 colours found by a
//! self-organising map (A. Dekker, Network 1994) in pixels of all frames, none dithered (the scenes
//! have few hues and smooth light, and noise neither compresses nor keeps still). A frame holds the
//! rectangle that has changed, and its unchanged pixels are the 256th colour: nothing.

use std::borrow::Cow;
use std::collections::HashMap;

use color_quant::NeuQuant;
use image::ImageEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use sinew::progress::Progress;

use crate::camera::Size;
use crate::picture::Picture;

/// Colours of a GIF's palette; one more stands for a pixel that does not change.
const COLORS: usize = 255;

/// Pixels that the palette is learnt from.
const SAMPLES: usize = 400_000;

/// Why pictures could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The PNG encoder said no.
    #[error("the picture could not be encoded as PNG: {0}")]
    Png(#[from] image::ImageError),
    /// The GIF encoder said no.
    #[error("the pictures could not be encoded as GIF: {0}")]
    Gif(#[from] gif::EncodingError),
    /// A GIF of nothing.
    #[error("there is no frame; a GIF needs one at least")]
    NoFrames,
    /// A GIF has one size.
    #[error(
        "frame {frame} has {found} pixels across and down, the first one {expected}; render all frames at one size"
    )]
    FrameSize {
        /// Which frame.
        frame: usize,
        /// Its size.
        found: String,
        /// The first one's.
        expected: String,
    },
    /// A GIF counts pixels with 16 bits.
    #[error("a GIF of {size} pixels cannot be written; stay within 1 and 65,535 a side")]
    GifSize {
        /// What was asked for.
        size: String,
    },
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// A PNG file.
pub fn png(picture: &Picture) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
    let Size { width, height } = picture.size();
    // Opaque pictures are a fifth smaller without their opacity.
    if picture.pixels().iter().all(|pixel| pixel[3] == 255) {
        let rgb: Vec<u8> = picture.pixels().iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        encoder.write_image(&rgb, width, height, image::ExtendedColorType::Rgb8)?;
    } else {
        let rgba: &[u8] = bytemuck::cast_slice(picture.pixels());
        encoder.write_image(rgba, width, height, image::ExtendedColorType::Rgba8)?;
    }
    Ok(bytes)
}

/// An animated GIF that loops for ever; `delay_ms` is between frames, in whole hundredths of a
/// second.
pub fn gif(
    frames: &[Picture],
    delay_ms: u32,
    progress: &dyn Progress,
) -> Result<Vec<u8>, EncodeError> {
    let (width, height) = gif_size(frames)?;
    let mut palette = Palette::learn(frames);
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &palette.rgb)?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    let delay = u16::try_from((delay_ms + 5) / 10).unwrap_or(u16::MAX).max(1);
    let mut shown: Option<Vec<u8>> = None;
    for (index, picture) in frames.iter().enumerate() {
        progress.report("encoding", index as f32 / frames.len() as f32);
        if progress.is_cancelled() {
            return Err(EncodeError::Cancelled);
        }
        let indices: Vec<u8> = picture.pixels().iter().map(|p| palette.nearest(p)).collect();
        let frame = changed(shown.as_deref(), &indices, usize::from(width));
        encoder.write_frame(&gif::Frame { delay, ..frame })?;
        shown = Some(indices);
    }
    drop(encoder);
    progress.report("encoding", 1.0);
    Ok(bytes)
}

fn gif_size(frames: &[Picture]) -> Result<(u16, u16), EncodeError> {
    let first = frames.first().ok_or(EncodeError::NoFrames)?.size();
    let text = |size: Size| format!("{} × {}", size.width, size.height);
    if let Some(frame) = frames.iter().position(|picture| picture.size() != first) {
        let found = text(frames[frame].size());
        return Err(EncodeError::FrameSize { frame, found, expected: text(first) });
    }
    match (u16::try_from(first.width), u16::try_from(first.height)) {
        (Ok(width), Ok(height)) if width > 0 && height > 0 => Ok((width, height)),
        _ => Err(EncodeError::GifSize { size: text(first) }),
    }
}

/// The colours of all frames.
struct Palette {
    rgb: Vec<u8>,
    quantizer: NeuQuant,
    found: HashMap<[u8; 4], u8>,
}

impl Palette {
    fn learn(frames: &[Picture]) -> Self {
        let total: usize = frames.iter().map(|picture| picture.pixels().len()).sum();
        // A prime step does not fall in with the pictures' columns.
        let step = (total / SAMPLES).max(1) | 1;
        let pixels = frames.iter().flat_map(Picture::pixels).step_by(step);
        let samples: Vec<u8> = pixels.flat_map(|&[r, g, b, _]| [r, g, b, 255]).collect();
        let quantizer = NeuQuant::new(1, COLORS, &samples);
        let mut rgb = quantizer.color_map_rgb();
        rgb.resize(3 * (COLORS + 1), 0);
        Self { rgb, quantizer, found: HashMap::new() }
    }

    fn nearest(&mut self, &[r, g, b, _]: &[u8; 4]) -> u8 {
        let color = [r, g, b, 255];
        *self.found.entry(color).or_insert_with(|| self.quantizer.index_of(&color) as u8)
    }
}

/// The rectangle of a frame that differs from what is shown, at least one pixel.
fn changed(shown: Option<&[u8]>, indices: &[u8], width: usize) -> gif::Frame<'static> {
    let height = indices.len() / width;
    let Some(shown) = shown else {
        let buffer = Cow::Owned(indices.to_vec());
        let (width, height) = (width as u16, height as u16);
        return gif::Frame { width, height, buffer, ..gif::Frame::default() };
    };
    let differs = |x: usize, y: usize| shown[y * width + x] != indices[y * width + x];
    let has_row = |&y: &usize| (0..width).any(|x| differs(x, y));
    let top = (0..height).find(has_row).unwrap_or(0);
    let bottom = (0..height).rev().find(has_row).unwrap_or(0);
    let has_column = |&x: &usize| (top..=bottom).any(|y| differs(x, y));
    let left = (0..width).find(has_column).unwrap_or(0);
    let right = (0..width).rev().find(has_column).unwrap_or(0);
    let mut buffer = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
    for y in top..=bottom {
        for x in left..=right {
            buffer.push(if differs(x, y) { indices[y * width + x] } else { COLORS as u8 });
        }
    }
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(COLORS as u8),
        buffer: Cow::Owned(buffer),
        ..gif::Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use sinew::progress::Silent;

    use super::*;

    const SIZE: Size = Size { width: 24, height: 16 };

    /// A bright square that moves over a gradient.
    fn frame(step: usize) -> Picture {
        let pixels = (0..24 * 16)
            .map(|index| {
                let (x, y) = (index % 24, index / 24);
                let inside = (step..step + 6).contains(&x) && (4..10).contains(&y);
                if inside { [250, 80, 20, 255] } else { [40, 60 + 8 * y as u8, 200, 255] }
            })
            .collect();
        Picture::from_pixels(SIZE, pixels)
    }

    #[test]
    fn a_png_comes_back_as_it_was() {
        let picture = frame(3);
        let bytes = png(&picture).unwrap();
        let back = image::load_from_memory(&bytes).unwrap().to_rgba8();
        assert_eq!(back.as_raw().as_slice(), bytemuck::cast_slice::<_, u8>(picture.pixels()));
    }

    /// Sum of all channels' differences that the palette may cost a pixel.
    const PALETTE_TOLERANCE: i32 = 12;

    #[test]
    fn every_frame_of_a_gif_is_the_picture_within_the_palette() {
        let frames: Vec<Picture> = (0..8).map(|step| frame(2 * step)).collect();
        let bytes = gif(&frames, 40, &Silent).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
        let mut canvas = vec![[0_u8; 4]; 24 * 16];
        let mut count = 0;
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!(frame.delay, 4);
            let (left, top) = (usize::from(frame.left), usize::from(frame.top));
            for (index, pixel) in frame.buffer.chunks_exact(4).enumerate() {
                let (x, y) = (index % usize::from(frame.width), index / usize::from(frame.width));
                if pixel[3] > 0 {
                    canvas[(top + y) * 24 + left + x] = [pixel[0], pixel[1], pixel[2], pixel[3]];
                }
            }
            for (found, expected) in canvas.iter().zip(frames[count].pixels()) {
                let off: i32 =
                    (0..3).map(|c| (i32::from(found[c]) - i32::from(expected[c])).abs()).sum();
                assert!(off <= PALETTE_TOLERANCE, "frame {count}: {found:?} for {expected:?}");
            }
            count += 1;
        }
        assert_eq!(count, 8);
    }

    #[test]
    fn frames_that_do_not_change_cost_next_to_nothing() {
        let once = gif(&[frame(0)], 40, &Silent).unwrap().len();
        let often = gif(&vec![frame(0); 20], 40, &Silent).unwrap().len();
        assert!(often - once < 20 * 32, "{once} and {often} bytes");
    }

    #[test]
    fn what_is_no_animation_is_an_error() {
        assert!(matches!(gif(&[], 40, &Silent), Err(EncodeError::NoFrames)));
        let other = Picture::filled(Size { width: 3, height: 3 }, [0; 4]);
        let mixed = gif(&[frame(0), other], 40, &Silent);
        assert!(matches!(mixed, Err(EncodeError::FrameSize { frame: 1, .. })));
        let empty = Picture::filled(Size { width: 0, height: 3 }, [0; 4]);
        assert!(matches!(gif(&[empty], 40, &Silent), Err(EncodeError::GifSize { .. })));
    }

    #[test]
    fn encoding_stops_when_asked_to() {
        struct Stop(AtomicBool);
        impl Progress for Stop {
            fn report(&self, _what: &str, _fraction: f32) {
                self.0.store(true, Ordering::Relaxed);
            }
            fn is_cancelled(&self) -> bool {
                self.0.load(Ordering::Relaxed)
            }
        }
        let stop = Stop(AtomicBool::new(false));
        assert!(matches!(gif(&[frame(0), frame(1)], 40, &stop), Err(EncodeError::Cancelled)));
    }
}
