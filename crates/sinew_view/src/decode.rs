//! Images as textures: PNG, JPEG and WebP, no larger than they are shown, all of a scene within one
//! budget.
//!
//! A small file can claim any size. PNGs are therefore decoded row by row and averaged on the way;
//! of other formats, which are decoded whole, only as many pixels as their bytes justify.

use std::collections::BinaryHeap;
use std::collections::HashMap;
use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};

use image::{DynamicImage, ImageReader, Limits};
use rayon::prelude::*;
use sinew::material::EncodedImage;

use crate::scene::Texture;

/// Nobody's texture has more pixels a side.
const MAX_SIDE_PIXELS: u32 = 16_384;

/// No picture shows more a side, and WebGPU takes no more.
const MAX_SHOWN_SIDE_PIXELS: u32 = 4_096;

/// All textures of a scene: 128 MB,
const MAX_ALL_PIXELS: u64 = 32 << 20;
/// of which they may have these whatever their files' sizes: 32 MB,
const FREE_PIXELS: u64 = 8 << 20;
/// and more for each byte of them. What a scene takes may be twenty times what was read.
const PIXELS_PER_BYTE: u64 = 3;

/// What is decoded whole may be so large whatever its file's size,
const MAX_WHOLE_PIXELS: u64 = 4_096 * 4_096;
/// and larger by so many pixels for each byte of it.
const MAX_WHOLE_PIXELS_PER_BYTE: u64 = 4;

/// The textures of a scene's images, or why there is none.
pub(crate) struct Textures {
    of_image: HashMap<*const EncodedImage, Result<Arc<Texture>, String>>,
}

impl Textures {
    /// Decodes images, each once.
    pub(crate) fn of<'a>(images: impl Iterator<Item = &'a Arc<EncodedImage>>) -> Self {
        let mut distinct: Vec<&Arc<EncodedImage>> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        distinct.extend(images.filter(|image| seen.insert(Arc::as_ptr(image))));
        let sizes: Vec<Result<[u32; 2], String>> =
            distinct.iter().map(|image| size(&image.bytes)).collect();
        let num_bytes = distinct.iter().map(|image| image.bytes.len() as u64).sum();
        let shown = shown_sides(&sizes, budget_pixels(num_bytes));
        // Of those that are decoded whole one at a time is in memory.
        let whole = Mutex::new(());
        let decode = |index: usize| {
            let size = sizes[index].clone()?;
            decode(&distinct[index].bytes, size, shown[index], &whole).map(Arc::new)
        };
        let textures: Vec<_> = (0..distinct.len()).into_par_iter().map(decode).collect();
        let pointers = distinct.iter().map(|image| Arc::as_ptr(image));
        Self { of_image: pointers.zip(textures).collect() }
    }

    /// The texture of one of them.
    pub(crate) fn get(&self, image: &Arc<EncodedImage>) -> Result<Arc<Texture>, String> {
        let unknown = || Err("it was not decoded".to_owned());
        self.of_image.get(&Arc::as_ptr(image)).cloned().unwrap_or_else(unknown)
    }
}

fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, String> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| error.to_string())?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    reader.limits(limits);
    Ok(reader)
}

fn size(bytes: &[u8]) -> Result<[u32; 2], String> {
    let (width, height) = reader(bytes)?.into_dimensions().map_err(|error| error.to_string())?;
    if width.max(height) > MAX_SIDE_PIXELS {
        return Err(format!("{width} × {height} pixels are more than {MAX_SIDE_PIXELS} a side"));
    }
    Ok([width, height])
}

/// By how much a side is divided so that none is longer than `most`.
fn factor([width, height]: [u32; 2], most: u32) -> u32 {
    let mut factor = 1;
    while width.div_ceil(factor).max(height.div_ceil(factor)) > most {
        factor *= 2;
    }
    factor
}

fn num_pixels([width, height]: [u32; 2], factor: u32) -> u64 {
    u64::from(width.div_ceil(factor)) * u64::from(height.div_ceil(factor))
}

/// What all textures of a scene may have, that were so many bytes.
fn budget_pixels(num_bytes: u64) -> u64 {
    let justified = PIXELS_PER_BYTE.saturating_mul(num_bytes);
    MAX_ALL_PIXELS.min(FREE_PIXELS.saturating_add(justified))
}

/// The longest side that each may have: the largest is halved until all fit.
fn shown_sides(sizes: &[Result<[u32; 2], String>], budget_pixels: u64) -> Vec<u32> {
    let mut sides = vec![MAX_SHOWN_SIDE_PIXELS; sizes.len()];
    let known = |index: usize| sizes[index].as_ref().ok().copied();
    let shown = |index: usize, side: u32| {
        known(index).map_or(0, |size| num_pixels(size, factor(size, side)))
    };
    let mut total: u64 = (0..sizes.len()).map(|index| shown(index, sides[index])).sum();
    let mut heap: BinaryHeap<(u64, usize)> =
        (0..sizes.len()).map(|index| (shown(index, sides[index]), index)).collect();
    while total > budget_pixels
        && let Some((pixels, index)) = heap.pop()
        && pixels > 1
        && let Some(size) = known(index)
    {
        let longest = size[0].max(size[1]).div_ceil(factor(size, sides[index]));
        sides[index] = longest.div_ceil(2);
        let smaller = shown(index, sides[index]);
        total -= pixels - smaller;
        heap.push((smaller, index));
    }
    sides
}

fn decode(bytes: &[u8], size: [u32; 2], side: u32, whole: &Mutex<()>) -> Result<Texture, String> {
    let factor = factor(size, side);
    if factor > 1
        && bytes.starts_with(b"\x89PNG")
        && let Some(texture) = decode_rows(bytes, size, factor)?
    {
        return Ok(texture);
    }
    let justified = MAX_WHOLE_PIXELS.max(MAX_WHOLE_PIXELS_PER_BYTE * bytes.len() as u64);
    if num_pixels(size, 1) > justified {
        let [width, height] = size;
        return Err(format!("{width} × {height} pixels are too many for {} bytes", bytes.len()));
    }
    let _one_at_a_time = whole.lock().unwrap_or_else(PoisonError::into_inner);
    let mut reader = reader(bytes)?;
    // The sizes are known by now; what is left is the decoder's own room.
    let mut limits = Limits::default();
    limits.max_alloc = Some(justified * 16);
    reader.limits(limits);
    let decoded = reader.decode().map_err(|error| error.to_string())?;
    let mut reducer = Reducer::new([decoded.width(), decoded.height()], factor);
    match decoded {
        DynamicImage::ImageLuma8(pixels) => reducer.rows(pixels.as_raw(), 1),
        DynamicImage::ImageLumaA8(pixels) => reducer.rows(pixels.as_raw(), 2),
        DynamicImage::ImageRgb8(pixels) => reducer.rows(pixels.as_raw(), 3),
        other => reducer.rows(other.into_rgba8().as_raw(), 4),
    }
    Ok(reducer.finish())
}

/// A PNG, averaged as its rows come; `None` if they come in another order than from the top.
fn decode_rows(bytes: &[u8], size: [u32; 2], factor: u32) -> Result<Option<Texture>, String> {
    let failed = |error: png::DecodingError| error.to_string();
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(failed)?;
    if reader.info().interlaced {
        return Ok(None);
    }
    let channels = reader.output_color_type().0.samples();
    let mut reducer = Reducer::new(size, factor);
    for _ in 0..size[1] {
        let row = reader.next_row().map_err(failed)?.ok_or("it is cut off")?;
        reducer.rows(row.data(), channels);
    }
    Ok(Some(reducer.finish()))
}

/// Averages squares of pixels.
struct Reducer {
    size: [u32; 2],
    factor: u32,
    sums: Vec<[u32; 4]>,
    /// Rows that are in the sums.
    num_rows: u32,
    rgba: Vec<[u8; 4]>,
}

impl Reducer {
    fn new(size: [u32; 2], factor: u32) -> Self {
        let columns = size[0].div_ceil(factor) as usize;
        let rgba = Vec::with_capacity(columns * size[1].div_ceil(factor) as usize);
        Self { size, factor, sums: vec![[0; 4]; columns], num_rows: 0, rgba }
    }

    /// Adds whole rows of 1 (grey), 2 (grey, opacity), 3 or 4 channels.
    fn rows(&mut self, bytes: &[u8], channels: usize) {
        for row in bytes.chunks_exact(self.size[0] as usize * channels) {
            match channels {
                1 => self.row(row.as_chunks::<1>().0, |[grey]| [grey, grey, grey, 255]),
                2 => self.row(row.as_chunks::<2>().0, |[grey, a]| [grey, grey, grey, a]),
                3 => self.row(row.as_chunks::<3>().0, |[r, g, b]| [r, g, b, 255]),
                _ => self.row(row.as_chunks::<4>().0, |rgba| rgba),
            }
        }
    }

    fn row<const N: usize>(&mut self, row: &[[u8; N]], rgba: impl Fn([u8; N]) -> [u8; 4]) {
        if self.factor == 1 {
            self.rgba.extend(row.iter().map(|pixel| rgba(*pixel)));
            return;
        }
        for (sum, pixels) in self.sums.iter_mut().zip(row.chunks(self.factor as usize)) {
            for pixel in pixels {
                for (sum, channel) in sum.iter_mut().zip(rgba(*pixel)) {
                    *sum += u32::from(channel);
                }
            }
        }
        self.num_rows += 1;
        if self.num_rows == self.factor {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (column, sum) in self.sums.iter_mut().enumerate() {
            let across = self.factor.min(self.size[0] - column as u32 * self.factor);
            let count = across * self.num_rows;
            self.rgba.push(sum.map(|sum| ((sum + count / 2) / count) as u8));
            *sum = [0; 4];
        }
        self.num_rows = 0;
    }

    fn finish(mut self) -> Texture {
        if self.num_rows > 0 {
            self.flush();
        }
        let [width, height] = self.size.map(|side| side.div_ceil(self.factor));
        Texture { width, height, rgba: self.rgba }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: Vec<u8>) -> Arc<EncodedImage> {
        Arc::new(EncodedImage { name: String::new(), media_type: "image/png", bytes })
    }

    fn encoded(width: u32, height: u32, format: image::ImageFormat) -> Vec<u8> {
        let pixel = |x: u32, y: u32| image::Rgb([(x / 4) as u8, (y / 4) as u8, 200]);
        let pixels = image::RgbImage::from_fn(width, height, pixel);
        let mut bytes = Cursor::new(Vec::new());
        pixels.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn rows_averaged_as_they_come_are_the_whole_averaged() {
        let bytes = encoded(67, 41, image::ImageFormat::Png);
        let by_rows = decode_rows(&bytes, [67, 41], 4).unwrap().unwrap();
        let whole = image::load_from_memory(&bytes).unwrap().into_rgba8();
        let mut reducer = Reducer::new([67, 41], 4);
        reducer.rows(whole.as_raw(), 4);
        let reduced = reducer.finish();
        assert_eq!((by_rows.width, by_rows.height), (17, 11));
        assert_eq!(by_rows.rgba, reduced.rgba);
        // Four by four of one colour each.
        assert_eq!(by_rows.rgba[17 * 2 + 5], [5, 2, 200, 255]);
    }

    #[test]
    fn all_images_of_a_scene_have_one_budget_and_the_largest_give_way() {
        let huge = Ok([16_384, 16_384]);
        let sizes = [huge.clone(), huge.clone(), Ok([1024, 1024]), huge, Err(String::new())];
        let sides = shown_sides(&sizes, budget_pixels(u64::MAX));
        let pixels: u64 = (sizes.iter().zip(&sides))
            .filter_map(|(size, &side)| {
                Some(num_pixels(*size.as_ref().ok()?, factor(size.clone().ok()?, side)))
            })
            .sum();
        assert!(pixels <= MAX_ALL_PIXELS, "{pixels}");
        assert_eq!(sides[2], MAX_SHOWN_SIDE_PIXELS, "a small one stays as it is");
        assert_eq!(shown_sides(&[Ok([2048, 2048])], budget_pixels(1)), [MAX_SHOWN_SIDE_PIXELS]);
        // Few bytes justify few pixels.
        assert_eq!(shown_sides(&[Ok([16_384, 16_384])], budget_pixels(30_000)), [2048]);
        assert_eq!(shown_sides(&[Ok([16_384, 16_384])], budget_pixels(3_000_000)), [4096]);
    }

    #[test]
    fn a_claim_that_its_bytes_do_not_justify_is_refused_unless_its_rows_can_be_had() {
        let whole = Mutex::new(());
        let bytes = encoded(8, 8, image::ImageFormat::Jpeg);
        let error = decode(&bytes, [16_384, 16_384], 2048, &whole).unwrap_err();
        assert!(error.contains("too many for"), "{error}");
        let bytes = encoded(8200, 16, image::ImageFormat::Png);
        let textures = Textures::of([image(bytes.clone())].iter());
        assert_eq!(textures.of_image.len(), 1);
        let texture = textures.of_image.values().next().unwrap().as_ref().unwrap();
        assert_eq!((texture.width, texture.height), (2050, 4));
    }

    #[test]
    fn webp_is_decoded() {
        // Lossless: what was put in comes out.
        let pixels =
            image::RgbaImage::from_fn(5, 3, |x, y| image::Rgba([x as u8, y as u8, 9, 255]));
        let mut bytes = Cursor::new(Vec::new());
        pixels.write_to(&mut bytes, image::ImageFormat::WebP).unwrap();
        let webp = image(bytes.into_inner());
        assert_eq!(EncodedImage::media_type_of(&webp.bytes), Some("image/webp"));
        let texture = Textures::of([&webp].into_iter()).get(&webp).unwrap();
        assert_eq!((texture.width, texture.height), (5, 3));
        assert_eq!(texture.rgba[6], [1, 1, 9, 255]);
    }
}
