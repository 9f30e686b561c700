//! A character's materials with their images decoded, for pictures.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;
use sinew::Character;
use sinew::material::EncodedImage;

use crate::decode::Textures;
use crate::scene::{Material, SurfaceShape};

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
    let of_material = |material: &'_ sinew::material::Material| {
        let normals = material.normal_map.as_ref().map(|map| Arc::clone(&map.image));
        [material.image.clone(), normals].into_iter().flatten()
    };
    let images: Vec<Arc<EncodedImage>> = character.materials.iter().flat_map(of_material).collect();
    let textures = Textures::of(images.iter());
    let mut told = HashSet::new();
    let mut texture_of = |image: &Arc<EncodedImage>, material: &sinew::material::Material| {
        let found = textures.get(image);
        if let Err(reason) = &found
            && told.insert(Arc::as_ptr(image))
        {
            let (material, reason) = (material.name.clone(), reason.clone());
            errors.push(ImageError { material, reason });
        }
        found.ok()
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

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
