//! Which joints are which bones of a body, where a file says so: VRM (0 and 1) and VRM animations
//! (`VRMC_vrm_animation`).

use serde_json::Value;
use sinew::Character;

/// Joints with the names of VRM's humanoid bones (`leftUpperArm`); none for other files.
///
/// Read from the document that a character came from: a node's name leads to its joint.
pub fn humanoid_bones(character: &Character) -> Vec<(u32, String)> {
    let carried = character.carried.as_ref().filter(|carried| carried.format == "gltf");
    let Some(carried) = carried else { return Vec::new() };
    let Ok(document) = serde_json::from_str::<Value>(&carried.text) else { return Vec::new() };
    let joint_of = |node: &Value| {
        let name = document.get("nodes")?.get(node.as_u64()? as usize)?.get("name")?.as_str()?;
        character.skeleton.find(name)
    };
    let mut bones = Vec::new();
    for extension in ["VRMC_vrm_animation", "VRMC_vrm"] {
        let found = document.pointer(&format!("/extensions/{extension}/humanoid/humanBones"));
        for (bone, of) in found.and_then(Value::as_object).into_iter().flatten() {
            bones.extend(of.get("node").and_then(joint_of).map(|joint| (joint, bone.clone())));
        }
    }
    let found = document.pointer("/extensions/VRM/humanoid/humanBones").and_then(Value::as_array);
    for of in found.into_iter().flatten() {
        let bone = of.get("bone").and_then(Value::as_str);
        let joint = of.get("node").and_then(joint_of);
        bones.extend(joint.zip(bone).map(|(joint, bone)| (joint, bone.to_owned())));
    }
    bones
}
