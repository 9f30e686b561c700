//! Images of the source, in the document's own buffer.

use serde_json::json;

use super::super::super::material::MISSING;
use super::super::Writer;
use super::Copier;

/// A PNG of one white pixel.
const WHITE_PIXEL: &[u8] = b"\
    \x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x0a\x49\x44\x41\x54\x78\xda\x63\xf8\x0f\x00\x01\
    \x01\x01\x00\x1c\xb0\x8c\x99\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

impl Copier<'_> {
    /// Puts a white pixel where an image is missing: textures go on naming the images that they
    /// named.
    fn stand_in(&mut self, writer: &mut Writer, index: usize) {
        let image = &self.source.root.images[index];
        let known = image.extras.get(MISSING).cloned();
        let address = known.unwrap_or_else(|| json!(image.uri.clone().unwrap_or_default()));
        let place = format!("images[{index}]");
        let what = format!("the image {address} was missing; a white pixel stands for it");
        let mend = "put the image where the source names it, and convert again";
        writer.report.warn("image-missing", place, what, mend);
        let view = writer.add_view(None, WHITE_PIXEL.iter().copied());
        if let Some(image) = writer.object("images", index) {
            image.remove("uri");
            image.insert("bufferView".into(), json!(view));
            image.insert("mimeType".into(), json!("image/png"));
            let extras = image.entry("extras").or_insert_with(|| json!({}));
            if let Some(extras) = extras.as_object_mut() {
                extras.insert(MISSING.into(), address);
            }
        }
    }

    /// Takes the images into the document's own buffer.
    pub(in super::super) fn images(&mut self, writer: &mut Writer) {
        for index in 0..self.source.root.images.len() {
            let Some(bytes) = self.source.image(index) else {
                self.stand_in(writer, index);
                continue;
            };
            let image = &self.source.root.images[index];
            let written = image.media_type.as_deref();
            let Some(media_type) = media_type(&bytes).or(written).map(str::to_owned) else {
                continue;
            };
            let view = match image.buffer_view.filter(|_| image.uri.is_none()) {
                Some(view) => self.view(writer, view),
                None => Some(writer.add_view(None, bytes.iter().copied())),
            };
            if let (Some(view), Some(image)) = (view, writer.object("images", index)) {
                image.remove("uri");
                image.insert("bufferView".into(), json!(view));
                image.insert("mimeType".into(), json!(media_type));
            }
        }
    }
}

/// What an image's first bytes say.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Some("image/ktx2"),
        [b'D', b'D', b'S', b' ', ..] => Some("image/vnd-ms.dds"),
        _ => None,
    }
}
