//! Materials: base colour and its image, opacity, normal map. What else a material says (roughness,
//! light of its own) is in the carried document alone.
//!
//! A material that cannot be had loses its picture, never the character: every fault here is a note
//! in the report.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use sinew::Part;
use sinew::material::{AlphaMode, EncodedImage, Material, NormalMap};

use super::buffer::Buffers;
use super::json::{self, Root};
use crate::Report;
use crate::neighbours::Neighbours;

/// Larger files than this are no base colour of a character.
pub(super) const MAX_IMAGE_BYTES: usize = 256 << 20;

/// What our own writer calls the address of an image whose file it did not have.
pub(super) const MISSING: &str = "sinew_missing_uri";

/// The materials that parts use, in the order in which they do; the parts' runs are made to name
/// them.
pub(super) fn read_materials(
    root: &Root,
    buffers: &Buffers<'_>,
    neighbours: &Neighbours<'_>,
    parts: &mut [Part],
    report: &mut Report,
) -> Vec<Material> {
    let mut used: Vec<usize> = Vec::new();
    for run in parts.iter_mut().flat_map(|part| &mut part.materials) {
        run.material = place_of(&mut used, run.material) as u32;
    }
    read_used(root, buffers, neighbours, &used, report)
}

/// Where a material of the document is among those that are used, in the order in which they are.
pub(super) fn place_of(used: &mut Vec<usize>, material: u32) -> usize {
    let named = material as usize;
    used.iter().position(|&known| known == named).unwrap_or_else(|| {
        used.push(named);
        used.len() - 1
    })
}

/// Some of the document's materials, by their indices.
pub(super) fn read_used(
    root: &Root,
    buffers: &Buffers<'_>,
    neighbours: &Neighbours<'_>,
    used: &[usize],
    report: &mut Report,
) -> Vec<Material> {
    let mut images: Vec<Option<Result<Arc<EncodedImage>, String>>> = vec![None; root.images.len()];
    let mut reader = ImageReader {
        root,
        buffers,
        neighbours,
        image_at: HashMap::new(),
        view_bytes_left: buffers.total_bytes(),
    };
    let mut image_at = |texture: &Value| {
        image_of(root, texture)
            .and_then(|image| images[image].get_or_insert_with(|| reader.read(image)).clone())
    };
    let mut materials = Vec::with_capacity(used.len());
    for &index in used {
        let material = &root.materials[index];
        let mut left_out = |of: &str, what: &str, instead: &str| {
            let place = format!("materials[{index}].{of}");
            let what = format!("{what}; {instead}");
            let mend =
                "export textures as PNG, JPEG or WebP on the first set of texture coordinates";
            report.warn("image-left-out", place, what, mend);
        };
        let texture = material.pbr_metallic_roughness.get("baseColorTexture");
        let image = texture.and_then(|texture| {
            let of = "pbrMetallicRoughness.baseColorTexture";
            let instead = "the material is shown in one colour";
            image_at(texture).map_err(|what| left_out(of, &what, instead)).ok()
        });
        let normal_map = material.normal_texture.is_object().then(|| {
            let image = image_at(&material.normal_texture)
                .map_err(|what| left_out("normalTexture", &what, "the material is shown smooth"))
                .ok()?;
            let scale = material.normal_texture.get("scale").and_then(Value::as_f64).unwrap_or(1.0);
            Some(NormalMap { image, scale: scale as f32 })
        });
        materials.push(Material {
            name: material.name.clone().unwrap_or_default(),
            base_color: base_color(material),
            image,
            alpha: alpha(material),
            normal_map: normal_map.flatten(),
            is_two_sided: material.double_sided.as_bool().unwrap_or(false),
        });
    }
    materials
}

/// What its opacity means.
fn alpha(material: &json::Material) -> AlphaMode {
    match material.alpha_mode.as_str() {
        Some("MASK") => {
            let cutoff = material.alpha_cutoff.as_f64().unwrap_or(0.5);
            AlphaMode::Mask { cutoff: cutoff as f32 }
        }
        Some("BLEND") => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    }
}

/// Linear, with opacity.
pub(super) fn base_color(material: &json::Material) -> [f32; 4] {
    let mut color = [1.0_f32; 4];
    let factors = material.pbr_metallic_roughness.get("baseColorFactor").and_then(Value::as_array);
    for (out, factor) in color.iter_mut().zip(factors.into_iter().flatten()) {
        *out = factor.as_f64().unwrap_or(1.0).clamp(0.0, 1.0) as f32;
    }
    color
}

/// The image that a `textureInfo` leads to.
pub(super) fn image_of(root: &Root, texture: &Value) -> Result<usize, String> {
    if texture.get("texCoord").and_then(Value::as_u64).unwrap_or(0) != 0 {
        return Err("uses another set of texture coordinates than the first".into());
    }
    let index = texture.get("index").and_then(Value::as_u64).ok_or("names no texture")?;
    let found = root.textures.get(index as usize).ok_or(format!("there is no texture {index}"))?;
    // A reader that knows WebP takes it; the other image is for those that do not.
    let image = found.extensions.webp.as_ref().and_then(|webp| webp.source).or(found.source);
    let image = image.ok_or("the texture has no image in PNG, JPEG or WebP")?;
    if image >= root.images.len() {
        return Err(format!("there is no image {image}"));
    }
    Ok(image)
}

/// Reads images: files and views that several name but once.
struct ImageReader<'a> {
    root: &'a Root,
    buffers: &'a Buffers<'a>,
    neighbours: &'a Neighbours<'a>,
    /// By where their bytes are in memory.
    image_at: HashMap<(*const u8, usize), Arc<EncodedImage>>,
    /// Views may overlap: all of them together are no more than what they lie in.
    view_bytes_left: usize,
}

impl ImageReader<'_> {
    fn read(&mut self, index: usize) -> Result<Arc<EncodedImage>, String> {
        let image = &self.root.images[index];
        if let Some(uri) = image.extras.get(MISSING).and_then(Value::as_str) {
            return Err(format!("images[{index}] stands for '{uri}', which was missing"));
        }
        let blob;
        let bytes = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => {
                let loaded = self.neighbours.load(uri, MAX_IMAGE_BYTES);
                blob = loaded.map_err(|what| format!("images[{index}] {what}"))?;
                blob.bytes()
            }
            (None, Some(view)) => view_bytes(self.root, view, self.buffers)?,
            (None, None) => {
                return Err(format!("images[{index}] has neither a uri nor a bufferView"));
            }
        };
        let place = (bytes.as_ptr(), bytes.len());
        if let Some(known) = self.image_at.get(&place) {
            return Ok(Arc::clone(known));
        }
        let media_type = EncodedImage::media_type_of(bytes)
            .ok_or(format!("images[{index}] is neither PNG, JPEG nor WebP"))?;
        if image.uri.is_none() {
            let left = self.view_bytes_left.checked_sub(bytes.len());
            self.view_bytes_left =
                left.ok_or(format!("images[{index}] overlaps others: too many bytes in all"))?;
        }
        let name = image.name.clone().unwrap_or_default();
        let image = Arc::new(EncodedImage { name, media_type, bytes: bytes.to_vec() });
        // What a data URI decodes to is gone after this, and its place may be another's.
        if self.root.images[index].uri.as_ref().is_none_or(|uri| !uri.starts_with("data:")) {
            self.image_at.insert(place, Arc::clone(&image));
        }
        Ok(image)
    }
}

fn view_bytes<'a>(root: &Root, view: usize, buffers: &'a Buffers<'_>) -> Result<&'a [u8], String> {
    let found = root.buffer_views.get(view).ok_or(format!("there is no bufferView {view}"))?;
    let bytes = buffers.get(found.buffer).map_err(|error| error.to_string())?;
    let end = found.byte_offset.checked_add(found.byte_length);
    end.and_then(|end| bytes.get(found.byte_offset..end))
        .ok_or(format!("bufferViews[{view}] reaches past its buffer"))
}
