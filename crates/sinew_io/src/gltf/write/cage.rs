//! Writing a cage: a mesh that no node shows, and the cage itself in its `extras`.

use serde_json::{Value, json};
use sinew::frame::CageRig;
use sinew::motion::Clip;

use super::super::cage::{EXTRA, HandleTrackText, KEYS};
use super::Writer;
use super::array::{Elements, INDICES, U32, VERTICES};

/// Adds a cage to a document, in place of one that is there, with how clips move its handles.
pub(super) fn add_cage(writer: &mut Writer, rig: &CageRig, clips: &[Clip]) {
    for mesh in writer.array("meshes") {
        if let Some(extras) = mesh.get_mut("extras").and_then(Value::as_object_mut) {
            extras.remove(EXTRA);
            extras.remove(KEYS);
        }
    }
    // Lists of finite numbers: this does not fail.
    let text = serde_json::to_string(rig).unwrap_or_default();
    let positions: Vec<[f32; 3]> =
        rig.cage.points().iter().map(|place| place.as_vec3().to_array()).collect();
    let position = writer.add_floats("VEC3", VERTICES, &positions);
    writer.set_bounds(position, &positions);
    let corners: Vec<u32> = rig.cage.triangles().flatten().collect();
    let elements = Elements {
        kind: "SCALAR",
        component_type: U32,
        count: corners.len(),
        target: INDICES,
        normalized: false,
    };
    let indices = writer.add_accessor(elements, corners.iter().flat_map(|c| c.to_le_bytes()));
    let primitive = json!({ "attributes": { "POSITION": position }, "indices": indices });
    let mut extras = serde_json::Map::new();
    extras.insert(EXTRA.into(), json!(text));
    let of_clip = |clip: &Clip| {
        let text = |track| HandleTrackText::of(&clip.name, track);
        clip.handle_tracks.iter().map(text).collect::<Vec<_>>()
    };
    let keys: Vec<HandleTrackText> = clips.iter().flat_map(of_clip).collect();
    if !keys.is_empty() {
        extras.insert(KEYS.into(), json!(serde_json::to_string(&keys).unwrap_or_default()));
    }
    writer.push("meshes", json!({ "name": "cage", "primitives": [primitive], "extras": extras }));
}
