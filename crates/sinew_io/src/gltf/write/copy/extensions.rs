//! What extensions point to: accessors and views, wherever they name one.

use serde_json::{Map, Value, json};

use super::super::Writer;
use super::{Copier, Use, lost};

impl Copier<'_> {
    /// Makes what extensions say of accessors and views name the copies. Other indices are those of
    /// the source, and stay.
    pub(in super::super) fn extensions(&mut self, writer: &mut Writer) {
        let mut document = std::mem::take(&mut writer.document);
        self.remap_map(writer, &mut document, None);
        writer.document = document;
    }

    // As deep as the JSON's parser lets values be.
    fn remap(&mut self, writer: &mut Writer, value: &mut Value, extension: Option<&str>) {
        match value {
            Value::Array(values) => {
                for value in values {
                    self.remap(writer, value, extension);
                }
            }
            Value::Object(map) => self.remap_map(writer, map, extension),
            _ => {}
        }
    }

    fn remap_map(
        &mut self,
        writer: &mut Writer,
        map: &mut Map<String, Value>,
        extension: Option<&str>,
    ) {
        let mut gone = Vec::new();
        for (key, value) in map.iter_mut() {
            match (key.as_str(), &mut *value) {
                // Nobody's business.
                ("extras", _) => continue,
                ("extensions", Value::Object(extensions)) => {
                    for (name, value) in extensions {
                        self.remap(writer, value, Some(name));
                    }
                    continue;
                }
                _ => {}
            }
            let Some(extension) = extension else {
                self.remap(writer, value, None);
                continue;
            };
            let named = value.as_u64().map(|index| index as usize);
            let copy = match (key.as_str(), named) {
                ("bufferView", Some(view)) => self.view(writer, view),
                ("values" | "arrayOffsets" | "stringOffsets", Some(view))
                    if extension == "EXT_structural_metadata" =>
                {
                    self.view(writer, view)
                }
                ("accessor", Some(index)) => self.accessor(writer, index, Use::Other),
                ("attributes", _) => {
                    self.remap_attributes(writer, value);
                    continue;
                }
                _ => {
                    self.remap(writer, value, Some(extension));
                    continue;
                }
            };
            match copy {
                Some(copy) => *value = json!(copy),
                None => gone.push(key.clone()),
            }
        }
        for key in gone {
            lost(writer, format!("an extension's {key}"), "what it points to");
            map.remove(&key);
        }
    }

    /// `EXT_mesh_gpu_instancing` and its like: names and accessors.
    fn remap_attributes(&mut self, writer: &mut Writer, value: &mut Value) {
        let Some(map) = value.as_object_mut() else { return };
        map.retain(|name, value| {
            let Some(index) = value.as_u64() else { return true };
            match self.accessor(writer, index as usize, Use::Other) {
                Some(copy) => *value = json!(copy),
                None => {
                    lost(writer, format!("an extension's attribute {name}"), "its accessor");
                    return false;
                }
            }
            true
        });
    }
}
