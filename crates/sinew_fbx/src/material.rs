//! Materials: base colour and its image, opacity, normal map, in the document's order.

use std::collections::HashMap;

use serde_json::json;
use ufbx::{Material, MaterialMap, Texture};

use crate::{Converter, FbxError};

/// Less opaque than this is meant to be seen through.
const OPAQUE: f64 = 0.999;

impl Converter<'_> {
    pub(crate) fn materials(
        &mut self,
        find: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<(), FbxError> {
        let scene = self.scene;
        // By the texture's number.
        let mut known: HashMap<u32, Option<usize>> = HashMap::new();
        for material in &scene.materials {
            let place = format!("material '{}'", &*material.element.name);
            let color = color_of(material);
            let mut surface = json!({
                "baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.8,
            });
            let maps = [&material.pbr.base_color, &material.fbx.diffuse_color];
            if let Some(texture) = texture_of(&maps)
                && let Some(index) = self.texture(texture, &place, &mut known, find)?
            {
                surface["baseColorTexture"] = json!({ "index": index });
                // With an image, programs show the image, whatever the colour below it.
                surface["baseColorFactor"] = json!([1.0, 1.0, 1.0, color[3]]);
            }
            let mut written = json!({ "pbrMetallicRoughness": surface });
            let maps = [&material.pbr.normal_map, &material.fbx.normal_map];
            if let Some(texture) = texture_of(&maps)
                && let Some(index) = self.texture(texture, &place, &mut known, find)?
            {
                written["normalTexture"] = json!({ "index": index });
            }
            if !material.element.name.is_empty() {
                written["name"] = json!(&*material.element.name);
            }
            let has_holes = texture_of(&[&material.pbr.opacity]).is_some();
            if color[3] < OPAQUE || has_holes {
                written["alphaMode"] = json!("BLEND");
            }
            if material.features.double_sided.enabled {
                written["doubleSided"] = json!(true);
            }
            self.push("materials", written);
        }
        Ok(())
    }

    /// The document's texture; `None` where its image cannot be had.
    fn texture(
        &mut self,
        texture: &Texture,
        place: &str,
        known: &mut HashMap<u32, Option<usize>>,
        find: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Option<usize>, FbxError> {
        // Layers and shaders lead to files.
        let file = match texture.file_textures.first() {
            Some(file) if texture.content.is_empty() => file,
            _ => texture,
        };
        let id = file.element.typed_id;
        if let Some(known) = known.get(&id) {
            return Ok(*known);
        }
        let name = file_name(&file.relative_filename)
            .or_else(|| file_name(&file.filename))
            .unwrap_or_else(|| file.element.name.to_string());
        let found;
        let bytes: &[u8] = if file.content.is_empty() {
            let relative = file.relative_filename.replace('\\', "/");
            found = find(&relative).or_else(|| find(&name)).unwrap_or_default();
            &found
        } else {
            &file.content
        };
        let written = match media_type(bytes) {
            Some(media_type) => {
                let view = self.binary.view(bytes, None)?;
                let image = self.push(
                    "images",
                    json!({ "bufferView": view, "mimeType": media_type, "name": name }),
                );
                let texture = if media_type == "image/webp" {
                    json!({ "extensions": { "EXT_texture_webp": { "source": image } } })
                } else {
                    json!({ "source": image })
                };
                Some(self.push("textures", texture))
            }
            None => {
                let why = if bytes.is_empty() { "is not there" } else { "is no PNG, JPEG or WebP" };
                let what = format!("the image '{name}' {why}; the material has one colour");
                let mend = "embed images as PNG or JPEG, or keep them beside the file";
                self.warn("image-left-out", place.to_owned(), what, mend);
                None
            }
        };
        if written.is_some_and(|_| media_type(bytes) == Some("image/webp")) {
            let names = json!(["EXT_texture_webp"]);
            self.document.insert("extensionsUsed".into(), names.clone());
            self.document.insert("extensionsRequired".into(), names);
        }
        known.insert(id, written);
        Ok(written)
    }
}

fn texture_of<'a>(maps: &[&'a MaterialMap]) -> Option<&'a Texture> {
    maps.iter().find_map(|map| {
        map.texture.as_ref().filter(|_| map.texture_enabled).map(|texture| &**texture)
    })
}

/// Base colour times its factor, and opacity.
fn color_of(material: &Material) -> [f64; 4] {
    let within = |x: f64| if x.is_finite() { x.clamp(0.0, 1.0) } else { 1.0 };
    let map = [&material.pbr.base_color, &material.fbx.diffuse_color];
    let map = map.into_iter().find(|map| map.has_value);
    let factor = &material.pbr.base_factor;
    let factor = if factor.has_value { factor.value_vec4.x } else { 1.0 };
    let color = map.map_or([0.8; 3], |map| {
        let v = &map.value_vec4;
        [v.x, v.y, v.z].map(|x| x * factor)
    });
    let opacity = &material.pbr.opacity;
    let opacity = if opacity.has_value { opacity.value_vec4.x } else { 1.0 };
    let [r, g, b] = color.map(within);
    [r, g, b, within(opacity)]
}

/// The last part of a path of any system.
fn file_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
