//! Files that motion comes in: BVH, VRM animations, FBX.
//!
//! FBX is read by C, whose memory errors no test of ours would catch: a crash ends the test's
//! process, which fails it; `fuzz/README.md` says how the same runs under a sanitiser.

use serde_json::json;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_io::{Format, WriteOptions, character_to_glb, write_character};

use crate::draco::{join, split};
use crate::{mutate, structure, survive};

const STRIP: &str = include_str!("../../../sinew_fbx/tests/strip.fbx");
/// Two roots, an end site, odd orders and odd blanks.
const ODD_BVH: &str = "HIERARCHY\r\nROOT a b\n{ OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition \
    Zposition Zrotation Yrotation Xrotation JOINT c { OFFSET 1.5 0 -2e-1\nCHANNELS 3 Xrotation \
    Zrotation Yrotation\nEnd Site { OFFSET 0 .5 0 } } }\nROOT d\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n\
    MOTION\nFrames:\t3\nFrame Time: .0333\n0 0 0 1 2 3 4 5 6\n\n 0 1 0 90 -90 720 1e1 0 0 0 0 0 0 \
    0 0 0 0 0\n";

#[test]
fn bvhs_with_broken_lines_bytes_and_other_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seed.bvh");
    let mut arm = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
    arm.parts.clear();
    write_character(&path, &arm, &WriteOptions::default()).unwrap();
    let seeds = [std::fs::read(&path).unwrap(), ODD_BVH.as_bytes().to_vec()];
    survive("bvh", Format::Bvh, (3000, 2), |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        match random.below(3) {
            0 => mutate::bytes(&mut mutant, &seeds[1], random),
            1 => mutate::lines(&mut mutant, random),
            _ => structure::words(&mut mutant, random),
        }
        mutant
    });
}

#[test]
fn vrm_animations_with_another_structure() {
    let mut arm = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
    arm.parts.clear();
    let glb = character_to_glb(&arm, &WriteOptions::default()).unwrap();
    let (mut document, binary) = split(&glb);
    let bones = json!({ "hips": { "node": 0 }, "leftUpperArm": { "node": 1 } });
    let presets = json!({ "preset": { "happy": { "node": 1 } }, "custom": {} });
    document["extensions"]["VRMC_vrm_animation"] = json!({
        "specVersion": "1.0",
        "humanoid": { "humanBones": bones },
        "expressions": presets,
    });
    document["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
    survive("vrma", Format::Glb, (2000, 20), |random| {
        let (mut json, mut binary) = (document.clone(), binary.clone());
        if random.below(2) == 0 {
            mutate::document(&mut json, random);
        } else {
            structure::document(&mut json, &mut binary, random);
        }
        join(&json, binary)
    });
}

#[test]
fn fbxs_with_broken_lines_bytes_and_other_words() {
    let seeds = fbxs();
    survive("fbx", Format::Fbx, (3000, 2), |random| {
        let (mut mutant, is_text) = seeds[random.below(seeds.len())].clone();
        match random.below(3) {
            0 if is_text => mutate::lines(&mut mutant, random),
            1 if is_text => structure::words(&mut mutant, random),
            _ => mutate::bytes(&mut mutant, &seeds[0].0, random),
        }
        mutant
    });
}

/// Files, and whether they are text: ours; in a long run small ones of the shared data too, of
/// every version that there is.
fn fbxs() -> Vec<(Vec<u8>, bool)> {
    let mut seeds = vec![(STRIP.as_bytes().to_vec(), true)];
    if std::env::var_os("SINEW_MUTANTS").is_some()
        && let Some(folder) = crate::common::data::folder("fbx")
    {
        for path in crate::common::data::files(&folder) {
            let is_fbx = path.extension().is_some_and(|extension| extension == "fbx");
            let bytes = std::fs::read(&path).unwrap();
            if is_fbx && bytes.len() < 200_000 {
                let is_text = !bytes.starts_with(b"Kaydara");
                seeds.push((bytes, is_text));
            }
        }
    }
    seeds
}
