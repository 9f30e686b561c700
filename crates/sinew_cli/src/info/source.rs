//! What the file is, beyond the character in it: its size, what it was written by, and what is only
//! carried through.

use std::path::Path;

use serde_json::{Map, Value, json};
use sinew_io::Loaded;

use crate::text::count;

/// Extensions that pack geometry, with what they are called.
const COMPRESSIONS: [(&str, &str); 4] = [
    ("KHR_draco_mesh_compression", "Draco"),
    ("EXT_meshopt_compression", "meshopt"),
    ("KHR_meshopt_compression", "meshopt"),
    ("KHR_mesh_quantization", "quantized"),
];

/// Arrays of a glTF document that are counted.
const COLLECTIONS: [&str; 11] = [
    "scenes",
    "nodes",
    "meshes",
    "skins",
    "animations",
    "materials",
    "textures",
    "images",
    "cameras",
    "accessors",
    "buffers",
];

/// What is known of a file.
pub(super) struct Source {
    num_bytes: Option<u64>,
    compression: Vec<&'static str>,
    generator: Option<String>,
    /// How many of each there are in its document; empty for formats without one.
    counts: Vec<(&'static str, usize)>,
}

impl Source {
    pub(super) fn of(path: &Path, loaded: &Loaded) -> Self {
        let is_used = |name: &str| loaded.extensions.iter().any(|used| used == name);
        let mut compression: Vec<&str> =
            COMPRESSIONS.iter().filter(|(name, _)| is_used(name)).map(|(_, what)| *what).collect();
        compression.dedup();
        let carried = loaded.character.carried.as_ref().filter(|carried| carried.format == "gltf");
        let document: Value = carried
            .and_then(|carried| serde_json::from_str(&carried.text).ok())
            .unwrap_or(Value::Null);
        let length = |name: &str| document.get(name).and_then(Value::as_array).map_or(0, Vec::len);
        let counts = COLLECTIONS.iter().filter(|_| !document.is_null());
        Self {
            num_bytes: std::fs::metadata(path).ok().map(|metadata| metadata.len()),
            compression,
            generator: document
                .pointer("/asset/generator")
                .and_then(Value::as_str)
                .map(str::to_owned),
            counts: counts.map(|name| (*name, length(name))).collect(),
        }
    }

    pub(super) fn as_json(&self) -> Value {
        let counts: Map<String, Value> =
            self.counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
        json!({
            "bytes": self.num_bytes,
            "compression": self.compression,
            "generator": self.generator,
            "counts": if counts.is_empty() { Value::Null } else { counts.into() },
        })
    }

    pub(super) fn as_text(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.num_bytes.map(|bytes| format!("{} bytes", count(bytes as usize))));
        words.extend(self.compression.iter().map(|what| (*what).to_owned()));
        words.extend(self.generator.as_ref().map(|generator| format!("by {generator}")));
        let mut text = format!("file      {}\n", words.join(", "));
        let there: Vec<String> = self
            .counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, n)| {
                format!("{} {}", count(*n), if *n == 1 { singular(name) } else { name })
            })
            .collect();
        if !there.is_empty() {
            text.push_str(&format!("document  {}\n", there.join(", ")));
        }
        text
    }
}

/// `mesh` of `meshes`, for who counts them.
fn singular(name: &str) -> &str {
    match name {
        "meshes" => "mesh",
        name => name.strip_suffix('s').unwrap_or(name),
    }
}
