//! FBX: read by `sinew_fbx` into a glTF document, which the reader of glTF takes from there.

use std::path::Path;

use sinew::carried::Blob;
use sinew_fbx::{Converted, Note};

use crate::neighbours::Neighbours;
use crate::{Loaded, ReadError, gltf};

/// Larger files than this are no texture of a character.
const MAX_IMAGE_BYTES: usize = 256 << 20;

pub(crate) fn read(name: &str, bytes: &[u8], folder: Option<&Path>) -> Result<Loaded, ReadError> {
    let neighbours = Neighbours::of(folder);
    let image = |relative: &str| {
        // What leaves the folder is not looked at; nor is a path taken for an address.
        let uri = relative.replace('%', "%25");
        if relative.is_empty() || relative.starts_with("data:") {
            return None;
        }
        neighbours.load(&uri, MAX_IMAGE_BYTES).ok().map(|blob| blob.bytes().to_vec())
    };
    let Converted { document, binary, notes } = sinew_fbx::convert(bytes, &image)
        .map_err(|error| ReadError::malformed("FBX", error.to_string()))?;
    let json = serde_json::to_vec(&document)
        .map_err(|error| ReadError::malformed("FBX", error.to_string()))?;
    drop(document);
    let mut loaded = gltf::read(name, &json, Some(&Blob::from(binary)), None)?;
    // Trees of bones without a common root are glTF's worry, and none of the file's.
    loaded.report.warnings.retain(|warning| warning.code != "skin-hierarchy");
    for Note { is_warning, code, place, what, mend } in notes {
        if is_warning {
            loaded.report.warn(code, place, what, mend);
        } else {
            loaded.report.note(code, place, what, mend);
        }
    }
    Ok(loaded)
}
