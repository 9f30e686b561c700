//! A character's materials with their images decoded, for pictures.

use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;
use image::{ImageReader, Limits};
use sinew::Character;
use sinew::material::EncodedImage;

use crate::scene::{Material, SurfaceShape, Texture};

/// A small file can claim any size; nobody's base colour has more pixels a side.
const MAX_SIDE_PIXELS: u32 = 16_384;

/// Room for decoding one image.
const MAX_DECODE_BYTES: u64 = 2 << 30;

/// Larger textures are halved until they fit: no picture shows more, and WebGPU takes no more a
/// side.
const MAX_SHOWN_SIDE_PIXELS: u32 = 4_096;

/// Why an image could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an image of material '{material}' cannot be decoded: {reason}; it is shown without")]
pub struct ImageError {
    /// The material's name.
    pub material: String,
    /// What the decoder said.
    pub reason: String,
}

/// The runs of one part.
type Runs = Vec<(Range<u32>, Arc<Material>)>;

/// The shape of each part with its materials. An image that cannot be decoded costs the image
/// alone.
pub fn shapes(character: &Character) -> (Vec<SurfaceShape>, Vec<ImageError>) {
    let (runs, errors) = of_character(character);
    let shape = |(part, materials): (&sinew::Part, Runs)| SurfaceShape {
        materials,
        ..SurfaceShape::of(&part.mesh)
    };
    (character.parts.iter().zip(runs).map(shape).collect(), errors)
}

/// For each part its runs of triangles with decoded materials.
fn of_character(character: &Character) -> (Vec<Runs>, Vec<ImageError>) {
    let mut errors = Vec::new();
    let mut decoded: Vec<(Arc<EncodedImage>, Option<Arc<Texture>>)> = Vec::new();
    let mut texture_of = |image: &Arc<EncodedImage>, material: &sinew::material::Material| {
        if let Some((_, known)) = decoded.iter().find(|(seen, _)| Arc::ptr_eq(seen, image)) {
            return known.clone();
        }
        let texture = decode(&image.bytes)
            .map_err(|reason| errors.push(ImageError { material: material.name.clone(), reason }))
            .ok()
            .map(Arc::new);
        decoded.push((Arc::clone(image), texture.clone()));
        texture
    };
    let mut materials = Vec::with_capacity(character.materials.len());
    for material in &character.materials {
        let texture = material.image.as_ref().and_then(|image| texture_of(image, material));
        let normal_map = material.normal_map.as_ref();
        let normal_map =
            normal_map.and_then(|map| Some((texture_of(&map.image, material)?, map.scale)));
        let [red, green, blue, opacity] = material.base_color;
        materials.push(Arc::new(Material {
            base_color: Vec3::new(red, green, blue),
            opacity,
            texture,
            alpha: material.alpha,
            normal_map,
            is_two_sided: material.is_two_sided,
        }));
    }
    let runs_of = |part: &sinew::Part| {
        let of_run = |run: &sinew::material::MaterialRun| {
            Some((run.triangles.clone(), Arc::clone(materials.get(run.material as usize)?)))
        };
        part.materials.iter().filter_map(of_run).collect()
    };
    (character.parts.iter().map(runs_of).collect(), errors)
}

fn decode(bytes: &[u8]) -> Result<Texture, String> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| error.to_string())?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_DECODE_BYTES);
    reader.limits(limits);
    let mut pixels = reader.decode().map_err(|error| error.to_string())?.into_rgba8();
    while pixels.width().max(pixels.height()) > MAX_SHOWN_SIDE_PIXELS {
        let (width, height) = ((pixels.width() / 2).max(1), (pixels.height() / 2).max(1));
        pixels = image::imageops::thumbnail(&pixels, width, height);
    }
    let (width, height) = pixels.dimensions();
    Ok(Texture { width, height, rgba: pixels.pixels().map(|pixel| pixel.0).collect() })
}

#[cfg(test)]
mod tests {
    use sinew::material::{Material as FileMaterial, MaterialRun};
    use sinew::sample::{SampleKind, SampleOptions, build};

    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let pixels =
            image::RgbaImage::from_fn(width, height, |x, _| image::Rgba([x as u8, 7, 9, 255]));
        let mut bytes = Cursor::new(Vec::new());
        pixels.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    fn with_image(bytes: Vec<u8>) -> Character {
        let mut character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
        let image = EncodedImage { name: String::new(), media_type: "image/png", bytes };
        character.materials = vec![FileMaterial {
            name: "hide".into(),
            base_color: [0.5, 0.5, 0.5, 1.0],
            image: Some(Arc::new(image)),
            ..FileMaterial::default()
        }];
        character.parts[0].materials = vec![MaterialRun { triangles: 3..9, material: 0 }];
        character
    }

    #[test]
    fn a_run_of_triangles_has_its_decoded_image() {
        let (runs, errors) = of_character(&with_image(png(3, 2)));
        assert!(errors.is_empty(), "{errors:?}");
        let (triangles, material) = &runs[0][0];
        let texture = material.texture.as_ref().unwrap();
        assert_eq!((triangles.clone(), texture.width, texture.height), (3..9, 3, 2));
        assert_eq!(texture.rgba[4], [1, 7, 9, 255]);
    }

    #[test]
    fn an_image_that_is_none_is_named_and_costs_nothing_else() {
        let mut cut = png(40, 40);
        cut.truncate(60);
        for bytes in [Vec::new(), b"\x89PNG\r\n\x1a\n".to_vec(), cut] {
            let (runs, errors) = of_character(&with_image(bytes));
            assert_eq!((errors.len(), runs[0].len()), (1, 1));
            assert!(errors[0].to_string().contains("'hide'"), "{}", errors[0]);
            assert!(runs[0][0].1.texture.is_none());
        }
    }
}
