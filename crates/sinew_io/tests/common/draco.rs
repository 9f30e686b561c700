//! GLBs apart and together, and with their arrays in a Draco stream, by the reference encoder.

use draco_core::{
    DataType, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, MeshEncoder,
    PointAttribute,
};
use serde_json::{Value, json};
use sinew::Character;

/// The extension.
pub(crate) const DRACO: &str = "KHR_draco_mesh_compression";

/// JSON and binary chunk.
pub(crate) fn split(glb: &[u8]) -> (Value, Vec<u8>) {
    let length = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    (
        serde_json::from_slice(&glb[20..end]).unwrap(),
        glb.get(end + 8..).unwrap_or_default().to_vec(),
    )
}

pub(crate) fn join(json: &Value, mut binary: Vec<u8>) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 28 + text.len() + binary.len();
    let mut glb = b"glTF".to_vec();
    for word in [2, total as u32, text.len() as u32, u32::from_le_bytes(*b"JSON")] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(text);
    glb.extend((binary.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(binary);
    glb
}

pub(crate) fn number(value: &Value, key: &str) -> usize {
    value[key].as_u64().unwrap_or(0) as usize
}

/// The GLB with the arrays of its one primitive as a Draco stream. Joints and weights as generic
/// attributes.
pub(crate) fn with_draco(glb: &[u8], speed: i32) -> Vec<u8> {
    let (mut json, binary) = split(glb);
    let bytes_of = |json: &Value, accessor: usize| {
        let view = &json["bufferViews"][number(&json["accessors"][accessor], "bufferView")];
        let start = number(view, "byteOffset");
        binary[start..start + number(view, "byteLength")].to_vec()
    };
    let primitive = json["meshes"][0]["primitives"][0].clone();
    let mut mesh = draco_core::Mesh::new();
    let mut options = EncoderOptions::new();
    options.set_global_int("encoding_speed", speed);
    options.set_global_int("decoding_speed", speed);
    let mut ids = serde_json::Map::new();
    for (name, accessor) in primitive["attributes"].as_object().unwrap() {
        let accessor = accessor.as_u64().unwrap() as usize;
        let found = &json["accessors"][accessor];
        let (kind, width) = match name.as_str() {
            "POSITION" => (GeometryAttributeType::Position, 3),
            "NORMAL" => (GeometryAttributeType::Normal, 3),
            "TEXCOORD_0" => (GeometryAttributeType::TexCoord, 2),
            _ => (GeometryAttributeType::Generic, 4),
        };
        let data_type = if number(found, "componentType") == 5121 {
            DataType::Uint8
        } else {
            DataType::Float32
        };
        let count = number(found, "count");
        mesh.set_num_points(count);
        let mut attribute = PointAttribute::new();
        attribute.init(kind, width, data_type, false, count);
        attribute.buffer_mut().write(0, &bytes_of(&json, accessor));
        let id = mesh.add_attribute(attribute);
        if data_type == DataType::Float32 {
            options.set_attribute_int(id, "quantization_bits", 16);
        }
        ids.insert(name.clone(), json!(mesh.attribute(id).unique_id()));
    }
    let indices: Vec<u32> = bytes_of(&json, number(&primitive, "indices"))
        .as_chunks::<2>()
        .0
        .iter()
        .map(|b| u32::from(u16::from_le_bytes(*b)))
        .collect();
    mesh.set_num_faces(indices.len() / 3);
    for (face, corners) in indices.as_chunks::<3>().0.iter().enumerate() {
        mesh.set_face(FaceIndex(face as u32), corners.map(Into::into));
    }
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut stream = EncoderBuffer::new();
    encoder.encode(&options, &mut stream).unwrap();

    let mut binary = binary.clone();
    let view = json["bufferViews"].as_array().unwrap().len();
    let stream_view =
        json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": stream.size() });
    json["bufferViews"].as_array_mut().unwrap().push(stream_view);
    binary.extend(stream.data());
    json["buffers"][0]["byteLength"] = json!(binary.len());
    let primitive = &mut json["meshes"][0]["primitives"][0];
    primitive["extensions"] = json!({ DRACO: { "bufferView": view, "attributes": ids } });
    let accessors: Vec<usize> = primitive["attributes"]
        .as_object()
        .unwrap()
        .values()
        .chain([&primitive["indices"]])
        .map(|a| a.as_u64().unwrap() as usize)
        .collect();
    for accessor in accessors {
        json["accessors"][accessor].as_object_mut().unwrap().remove("bufferView");
    }
    json["extensionsRequired"] = json!([DRACO]);
    join(&json, binary)
}

/// One primitive, without shapes: Draco cannot have them.
pub(crate) fn for_draco() -> Character {
    use sinew::sample::{SampleKind, SampleOptions, build};
    let options = SampleOptions { points: Some(300), ..SampleOptions::new(SampleKind::Cylinder) };
    let mut character = build(&options).unwrap();
    character.clips.truncate(1);
    character
}
