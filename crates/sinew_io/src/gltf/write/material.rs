//! Writing materials: base colour and its image, opacity, normal map; clay where there is none.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};
use sinew::material::{AlphaMode, EncodedImage, Material, MaterialRun};

use super::super::json::{Image, Texture};
use super::Writer;

/// Light clay: shows form under any light, and is nobody's skin.
const CLAY: [f64; 4] = [0.80, 0.66, 0.57, 1.0];
const WEBP: &str = "image/webp";
/// Cloth and skin shine little.
const ROUGHNESS: f64 = 0.8;

/// What the parts' triangles look like.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartMaterials<'a> {
    /// The part's.
    pub runs: &'a [MaterialRun],
    /// The character's, which the runs name.
    pub materials: &'a [Material],
}

impl PartMaterials<'_> {
    /// The material of a triangle.
    fn of_triangle(&self, triangle: u32) -> Option<u32> {
        let run = self.runs.iter().find(|run| run.triangles.contains(&triangle))?;
        ((run.material as usize) < self.materials.len()).then_some(run.material)
    }

    /// A range of triangles cut where the material changes.
    pub(super) fn cut(&self, triangles: Range<u32>) -> Vec<(Range<u32>, Option<u32>)> {
        let inside = |&end: &u32| triangles.contains(&end) && end > triangles.start;
        let ends = self.runs.iter().flat_map(|run| [run.triangles.start, run.triangles.end]);
        let mut cuts: Vec<u32> = ends.filter(inside).collect();
        cuts.extend([triangles.start, triangles.end]);
        cuts.sort_unstable();
        cuts.dedup();
        cuts.windows(2).map(|cut| (cut[0]..cut[1], self.of_triangle(cut[0]))).collect()
    }
}

impl Writer {
    /// The clay material of that name.
    pub(super) fn clay(&mut self, name: &str) -> usize {
        self.material(json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": CLAY, "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS,
            },
        }))
    }

    /// A material of the character's.
    pub(super) fn own_material(&mut self, material: &Material) -> usize {
        let mut surface = json!({
            "baseColorFactor": material.base_color, "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS,
        });
        if let Some(image) = &material.image {
            surface["baseColorTexture"] = json!({ "index": self.texture(image) });
        }
        let mut written = json!({ "pbrMetallicRoughness": surface });
        if let Some(map) = &material.normal_map {
            written["normalTexture"] = json!({ "index": self.texture(&map.image) });
            if map.scale != 1.0 {
                written["normalTexture"]["scale"] = json!(map.scale);
            }
        }
        match material.alpha {
            AlphaMode::Opaque => {}
            AlphaMode::Mask { cutoff } => {
                written["alphaMode"] = json!("MASK");
                written["alphaCutoff"] = json!(cutoff);
            }
            AlphaMode::Blend => written["alphaMode"] = json!("BLEND"),
        }
        if material.is_two_sided {
            written["doubleSided"] = json!(true);
        }
        if !material.name.is_empty() {
            written["name"] = json!(material.name);
        }
        self.material(written)
    }

    /// Adds a material unless the very same one is there.
    fn material(&mut self, wanted: Value) -> usize {
        let known = self.array("materials").iter().position(|m| *m == wanted);
        known.unwrap_or_else(|| self.push("materials", wanted))
    }

    /// The texture of an image; each image is written once.
    pub(super) fn texture(&mut self, image: &Arc<EncodedImage>) -> usize {
        let is_same = |known: &Arc<EncodedImage>| Arc::ptr_eq(known, image) || known == image;
        if let Some((_, known)) = self.textures.iter().find(|(known, _)| is_same(known)) {
            return *known;
        }
        let buffer_view = Some(self.add_view(None, image.bytes.iter().copied()));
        let source = self.push(
            "images",
            Image {
                name: Some(image.name.clone()).filter(|name| !name.is_empty()),
                uri: None,
                media_type: Some(image.media_type.to_owned()),
                buffer_view,
                ..Image::default()
            },
        );
        let texture = if image.media_type == WEBP {
            // Core glTF has no WebP: by its extension alone, which readers then need.
            self.require_extension("EXT_texture_webp");
            self.push(
                "textures",
                json!({ "extensions": { "EXT_texture_webp": { "source": source } } }),
            )
        } else {
            self.push("textures", Texture { source: Some(source), ..Texture::default() })
        };
        self.textures.push((Arc::clone(image), texture));
        texture
    }
}
