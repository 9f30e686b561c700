//! Material libraries: of each material the colour, the opacity and the image of the colour.
//!
//! A library that cannot be had loses the looks, never the mesh: every fault here is a note in the
//! report.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use sinew::material::{AlphaMode, EncodedImage, Material};

use super::line::{Words, number, text};
use crate::Report;
use crate::neighbours::Neighbours;

/// Larger files than this are no material library.
const MAX_LIBRARY_BYTES: usize = 16 << 20;
/// And no image of a character's colour.
const MAX_IMAGE_BYTES: usize = 256 << 20;

/// The materials of the libraries that a file names, by name.
#[derive(Debug)]
pub(super) struct Library<'a> {
    pub(super) materials: HashMap<String, Material>,
    images: HashMap<String, Option<Arc<EncodedImage>>>,
    /// By where the bytes of their files are in memory: one file has many names.
    image_at: HashMap<*const u8, Arc<EncodedImage>>,
    neighbours: Neighbours<'a>,
}

const MEND: &str = "put the material library and its images into the folder of the OBJ";

impl<'a> Library<'a> {
    /// None yet, of a file in `folder`.
    pub(super) fn of(folder: Option<&'a Path>) -> Self {
        Self {
            materials: HashMap::new(),
            images: HashMap::new(),
            image_at: HashMap::new(),
            neighbours: Neighbours::of(folder),
        }
    }

    /// Adds the materials of a library in the folder.
    pub(super) fn read(&mut self, name: &str, report: &mut Report) {
        match self.neighbours.load(name, MAX_LIBRARY_BYTES) {
            Ok(blob) => self.add(blob.bytes(), name, report),
            Err(what) => {
                let what = format!("{what}; materials stay names of groups");
                report.note("materials-left-out", format!("mtllib {name}"), what, MEND);
            }
        }
    }

    fn add(&mut self, bytes: &[u8], library: &str, report: &mut Report) {
        let mut current: Option<Material> = None;
        for line in bytes.split(|&b| b == b'\n') {
            let mut words = Words::of(line);
            let Some(keyword) = words.next() else { continue };
            if keyword == b"newmtl" {
                let name = text(words.rest());
                self.keep(current.take());
                current = Some(Material { name, ..Material::default() });
                continue;
            }
            let Some(material) = &mut current else { continue };
            match keyword {
                b"Kd" => {
                    let values = words.map_while(|word| number(word).ok());
                    for (channel, value) in material.base_color.iter_mut().zip(values.take(3)) {
                        *channel = finite(value).clamp(0.0, 1.0);
                    }
                }
                b"d" | b"Tr" => {
                    let value = words.next().and_then(|word| number(word).ok()).map(finite);
                    if let Some(value) = value {
                        let opacity = if keyword == b"d" { value } else { 1.0 - value };
                        material.base_color[3] = opacity.clamp(0.0, 1.0);
                        if opacity < 1.0 {
                            material.alpha = AlphaMode::Blend;
                        }
                    }
                }
                b"map_Kd" => {
                    let file = map_file(words);
                    let place = || format!("{library}, material '{}'", material.name);
                    let (neighbours, image_at) = (&self.neighbours, &mut self.image_at);
                    material.image = self
                        .images
                        .entry(file.clone())
                        .or_insert_with(|| {
                            read_image(&file, neighbours, image_at)
                                .map_err(|what| report.warn("image-left-out", place(), what, MEND))
                                .ok()
                        })
                        .clone();
                }
                _ => {}
            }
        }
        self.keep(current);
    }

    fn keep(&mut self, material: Option<Material>) {
        if let Some(material) = material {
            self.materials.insert(material.name.clone(), material);
        }
    }
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 1.0 }
}

/// The file that a `map_` line names, after its options (`-s 1 1 1`, `-bm 0.5`).
fn map_file(words: Words<'_>) -> String {
    let mut rest = words.clone();
    let mut start = words;
    while let Some(word) = rest.next() {
        if word.first() == Some(&b'-') && word.len() > 1 {
            // Up to three values follow, numbers or on/off.
            let mut after = rest.clone();
            while let Some(value) = after.next() {
                let is_value = matches!(value, b"on" | b"off") || number(value).is_ok();
                if !is_value {
                    break;
                }
                rest = after.clone();
            }
            start = rest.clone();
        }
    }
    // Files made on Windows name their folders so.
    text(start.rest()).replace('\\', "/")
}

fn read_image(
    file: &str,
    neighbours: &Neighbours<'_>,
    image_at: &mut HashMap<*const u8, Arc<EncodedImage>>,
) -> Result<Arc<EncodedImage>, String> {
    let blob = neighbours.load(file, MAX_IMAGE_BYTES)?;
    let bytes = blob.bytes();
    if let Some(known) = image_at.get(&bytes.as_ptr()) {
        return Ok(Arc::clone(known));
    }
    let media_type = EncodedImage::media_type_of(bytes).ok_or("is neither PNG, JPEG nor WebP")?;
    let image = EncodedImage { name: file.to_owned(), media_type, bytes: bytes.to_vec() };
    let image = Arc::new(image);
    image_at.insert(bytes.as_ptr(), Arc::clone(&image));
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_opacity_and_images_are_read_from_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            crate::write_atomically(&path, |file| std::io::Write::write_all(file, bytes)).unwrap();
        };
        write("hide.png", b"\x89PNG\r\n\x1a\n");
        write(
            "a.mtl",
            b"# x\r\nnewmtl skin one\r\nKd 0.5 0.25 nan\r\nd 0.5\r\nmap_Kd -s 1 1 1 -clamp on hide.png\r\n\nnewmtl b\nTr 0.25\nmap_Kd ../x.png\n",
        );
        let mut library = Library::of(Some(folder.path()));
        let mut report = Report::default();
        library.read("a.mtl", &mut report);
        let skin = &library.materials["skin one"];
        assert_eq!(skin.base_color, [0.5, 0.25, 1.0, 0.5]);
        assert_eq!(skin.image.as_ref().unwrap().media_type, "image/png");
        assert_eq!(library.materials["b"].base_color[3], 0.75);
        assert!(library.materials["b"].image.is_none());
        assert!(report.has("image-left-out"));
        library.read("../a.mtl", &mut report);
        assert!(report.has("materials-left-out"));
    }
}
