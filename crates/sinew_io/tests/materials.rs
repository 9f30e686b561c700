//! Base colours: carried into the character, and never a reason to refuse one.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew_io::{
    Format, WriteOptions, character_to_glb, read_character, read_character_from_bytes,
    write_atomically,
};

mod common;

/// A triangle whose material names an image; `image` is the JSON of `images[0]`.
fn triangle_with_image(image: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":1}},"material":1}}]}}],
        "materials":[{{"name":"unused"}},{{"name":"skin","pbrMetallicRoughness":{{
            "baseColorFactor":[0.5,0.25,1,1],"baseColorTexture":{{"index":0}}}}}}],
        "textures":[{{"source":0}}],"images":[{image}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}},
                     {{"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteLength":24}}],
        "buffers":[{{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}}]}}"#
    )
}

#[test]
fn a_material_comes_with_its_colour_and_image_and_unused_ones_stay_behind() {
    let json = triangle_with_image(r#"{"name":"hide","uri":"data:image/png;base64,iVBORw0KGgo="}"#);
    let loaded = read_character_from_bytes(Format::Gltf, "x", json.as_bytes()).unwrap();
    let character = &loaded.character;
    assert!(loaded.report.is_clean(), "{:?}", loaded.report);
    assert_eq!(character.materials.len(), 1);
    let material = &character.materials[0];
    assert_eq!((material.name.as_str(), material.base_color), ("skin", [0.5, 0.25, 1.0, 1.0]));
    let image = material.image.as_ref().unwrap();
    assert_eq!((image.media_type, image.bytes.len()), ("image/png", 8));
    assert_eq!(
        (character.parts[0].materials.len(), character.parts[0].materials[0].material),
        (1, 0)
    );
}

#[test]
fn an_image_that_cannot_be_had_costs_the_image_alone() {
    let broken = [
        r#"{"uri":"nowhere.png"}"#,
        r#"{"uri":"../outside.png"}"#,
        r#"{"uri":"data:image/webp;base64,UklGRg=="}"#,
        r#"{"bufferView":7}"#,
        r#"{}"#,
    ];
    let folder = tempfile::tempdir().unwrap();
    for image in broken {
        let path = folder.path().join("a.gltf");
        let json = triangle_with_image(image);
        write_atomically(&path, |file| std::io::Write::write_all(file, json.as_bytes())).unwrap();
        let loaded = read_character(&path).unwrap();
        let material = &loaded.character.materials[0];
        assert_eq!((&material.image, material.base_color[2]), (&None, 1.0), "{image}");
        assert!(format!("{:?}", loaded.report).contains("image-left-out"), "{image}");
    }
}

#[test]
fn an_image_that_two_materials_share_is_written_once() {
    let mut character = common::everything();
    character.materials[0].image = character.materials[1].image.clone();
    let bytes = character_to_glb(&character, &WriteOptions::default()).unwrap();
    let written = bytes.windows(8).filter(|w| *w == b"\x89PNG\r\n\x1a\n").count();
    assert_eq!(written, 1);
    let read = read_character_from_bytes(Format::Glb, "x", &bytes).unwrap().character;
    assert_eq!(read.materials, character.materials);
}
