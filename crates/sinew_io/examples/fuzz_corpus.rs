//! Seeds for the fuzz targets, by our own writers:
//! `cargo run -p sinew_io --example fuzz_corpus [FOLDER]`.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

use sinew::Character;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::shape::BlendShape;
use sinew_io::{WriteOptions, character_to_glb, write_atomically, write_character};

fn main() -> Result<(), Box<dyn Error>> {
    let folder =
        std::env::args_os().nth(1).map_or_else(|| PathBuf::from("fuzz/corpus"), PathBuf::from);
    let mut count = 0;
    for (index, character) in characters()?.iter().enumerate() {
        for (option, options) in options().iter().enumerate() {
            let path = |kind: &str| folder.join(kind).join(format!("{index}-{option}.{kind}"));
            for kind in ["glb", "gltf", "obj", "ply"] {
                std::fs::create_dir_all(folder.join(kind))?;
            }
            let glb = character_to_glb(character, options)?;
            write(&path("glb"), &glb)?;
            write(&path("gltf"), &with_data_uri(&glb)?)?;
            write_character(&path("obj"), character, options)?;
            write_character(&path("ply"), character, options)?;
            count += 4;
        }
    }
    println!("{count} seeds in {}", folder.display());
    Ok(())
}

fn options() -> [WriteOptions; 5] {
    let plain = WriteOptions::default();
    [
        plain.clone(),
        WriteOptions { render_vertices: true, max_influences: Some(4), ..plain.clone() },
        WriteOptions { corner_attributes: true, ..plain.clone() },
        WriteOptions { quantize: true, ..plain.clone() },
        WriteOptions { quantize: true, meshopt: true, ..plain },
    ]
}

/// Small ones: a fuzzer tries thousands of inputs a second, and finds no more in large ones.
fn characters() -> Result<Vec<Character>, Box<dyn Error>> {
    let mut characters = Vec::new();
    for kind in [SampleKind::Cylinder, SampleKind::Box, SampleKind::Plus] {
        let points = Some(*kind.point_bounds().start());
        let mut character = build(&SampleOptions { points, ..SampleOptions::new(kind) })?;
        let mut second = character.parts[0].clone();
        let deltas = second.mesh.points().iter().map(|&point| point * 0.125).collect();
        second.shapes.push(BlendShape { name: "grow".into(), deltas, rest_weight: 0.0 });
        character.parts.push(second);
        characters.push(character);
    }
    Ok(characters)
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_atomically(path, |file| file.write_all(bytes))
}

/// A GLB as a document with a data URI.
fn with_data_uri(glb: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    use base64::Engine;
    let length = u32::from_le_bytes(*glb[12..].first_chunk().ok_or("no GLB")?) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length])?;
    let data = base64::engine::general_purpose::STANDARD.encode(&glb[28 + length..]);
    json["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{data}").into();
    Ok(serde_json::to_vec(&json)?)
}
