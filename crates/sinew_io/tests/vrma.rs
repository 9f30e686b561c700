//! Motion without a mesh in glTF, and VRM animations.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/draco.rs"]
#[allow(dead_code, reason = "of interest to others")]
mod draco;

use draco::{join, split};
use serde_json::json;
use sinew::Character;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_io::{Format, WriteOptions, character_to_glb, humanoid_bones, read_character_from_bytes};

/// The human's walk alone, its joints called `n0`, `n1` and so on.
fn motion() -> (Character, Vec<String>) {
    let mut human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    human.parts.clear();
    let mut joints = human.skeleton.joints().to_vec();
    let names = joints.iter().map(|joint| joint.name.clone()).collect();
    for (index, joint) in joints.iter_mut().enumerate() {
        joint.name = format!("n{index}");
    }
    human.skeleton = sinew::skeleton::Skeleton::new(joints).unwrap();
    (human, names)
}

#[test]
fn a_motion_without_a_mesh_goes_through_glb() {
    let (motion, _) = motion();
    let glb = character_to_glb(&motion, &WriteOptions::default()).unwrap();
    let read = read_character_from_bytes(Format::Glb, "motion", &glb).unwrap().character;
    assert!(read.parts.is_empty());
    assert_eq!(read.skeleton.len(), motion.skeleton.len());
    assert_eq!(read.clips.len(), motion.clips.len());
    let again = character_to_glb(&read, &WriteOptions::default()).unwrap();
    let read = read_character_from_bytes(Format::Glb, "motion", &again).unwrap().character;
    assert_eq!(read.clips.len(), motion.clips.len());
}

#[test]
fn a_vrm_animation_says_which_joint_is_which_bone() {
    let (motion, names) = motion();
    let glb = character_to_glb(&motion, &WriteOptions::default()).unwrap();
    let (mut document, binary) = split(&glb);
    let bones = [("hips", "hips"), ("leftUpperLeg", "thigh_l"), ("rightFoot", "foot_r")];
    let mut human_bones = json!({});
    for (bone, joint) in bones {
        let index = names.iter().position(|name| name == joint).unwrap();
        let nodes = document["nodes"].as_array().unwrap();
        let wanted = format!("n{index}");
        let node = nodes.iter().position(|node| node["name"] == wanted.as_str()).unwrap();
        human_bones[bone] = json!({ "node": node });
    }
    let extension = json!({ "specVersion": "1.0", "humanoid": { "humanBones": human_bones } });
    document["extensions"] = json!({ "VRMC_vrm_animation": extension });
    document["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
    let vrma = join(&document, binary);
    let read = read_character_from_bytes(Format::Glb, "motion", &vrma).unwrap().character;
    let mut found = humanoid_bones(&read);
    found.sort();
    let mut wanted: Vec<(u32, String)> = bones
        .iter()
        .map(|(bone, joint)| {
            let index = names.iter().position(|name| name == joint).unwrap();
            (read.skeleton.find(&format!("n{index}")).unwrap(), (*bone).to_owned())
        })
        .collect();
    wanted.sort();
    assert_eq!(found, wanted);
    assert!(humanoid_bones(&motion).is_empty());
}
