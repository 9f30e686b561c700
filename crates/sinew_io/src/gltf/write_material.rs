//! Writing materials: base colour and its image, clay where there is none.

use std::ops::Range;
use std::sync::Arc;

use serde_json::json;
use sinew::material::{EncodedImage, Material, MaterialRun};

use super::json::{self as gltf, Image, Texture};
use super::write::Writer;

/// Light clay: shows form under any light, and is nobody's skin.
const CLAY: [f64; 4] = [0.80, 0.66, 0.57, 1.0];
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

impl<'a> PartMaterials<'a> {
    /// The material of a triangle.
    fn of_triangle(&self, triangle: u32) -> Option<&'a Material> {
        let run = self.runs.iter().find(|run| run.triangles.contains(&triangle))?;
        self.materials.get(run.material as usize)
    }

    /// A range of triangles cut where the material changes.
    pub(super) fn cut(&self, triangles: Range<u32>) -> Vec<(Range<u32>, Option<&'a Material>)> {
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
        self.material(&gltf::Material {
            name: Some(name.to_owned()),
            pbr_metallic_roughness: json!({
                "baseColorFactor": CLAY, "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS,
            }),
        })
    }

    /// A material of the character's.
    pub(super) fn own_material(&mut self, material: &Material) -> usize {
        let mut surface = json!({
            "baseColorFactor": material.base_color, "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS,
        });
        if let Some(image) = &material.image {
            surface["baseColorTexture"] = json!({ "index": self.texture(image) });
        }
        let name = Some(material.name.clone()).filter(|name| !name.is_empty());
        self.material(&gltf::Material { name, pbr_metallic_roughness: surface })
    }

    /// Adds a material unless the very same one is there.
    fn material(&mut self, wanted: &gltf::Material) -> usize {
        let same = |m: &gltf::Material| *m == *wanted;
        self.root.materials.iter().position(same).unwrap_or_else(|| {
            self.root.materials.push(wanted.clone());
            self.root.materials.len() - 1
        })
    }

    /// The texture of an image; each image is written once.
    fn texture(&mut self, image: &Arc<EncodedImage>) -> usize {
        if let Some(known) = self.images.iter().position(|i| Arc::ptr_eq(i, image) || i == image) {
            return known;
        }
        self.images.push(Arc::clone(image));
        let buffer_view = Some(self.add_view(None, image.bytes.iter().copied()));
        self.root.images.push(Image {
            name: Some(image.name.clone()).filter(|name| !name.is_empty()),
            uri: None,
            media_type: Some(image.media_type.to_owned()),
            buffer_view,
        });
        self.root.textures.push(Texture { source: Some(self.root.images.len() - 1) });
        self.root.textures.len() - 1
    }
}
