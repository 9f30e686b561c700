//! What is read and posed, against a straightforward evaluation of the file's own JSON in f64:
//! nodes' global matrices at a time by glTF's rules, skin matrices, weights, morph targets. Slow,
//! obvious, and sharing no code with the reader. Generated files here; `real/evaluation.rs` has
//! real ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "common/plain.rs"]
mod plain;
mod raw;

use plain::{TOLERANCE_OVER_DIAGONAL, posed, worst};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use sinew_io::{WriteOptions, read_character, write_character};

#[test]
fn written_characters_pose_as_a_plain_evaluation_of_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut characters = vec![common::everything()];
    for _ in 0..40 {
        characters.push(common::character().new_tree(&mut runner).unwrap().current());
    }
    for (index, character) in characters.iter().enumerate() {
        let path = folder.path().join(format!("{index}.glb"));
        write_character(&path, character, &WriteOptions::default()).unwrap();
        let (distance, what) = worst(&path);
        assert!(distance <= TOLERANCE_OVER_DIAGONAL, "character {index}: {distance:.1e}, {what}");
    }
}

/// Two skinned bars of two joints, one of which is scaled to its mirror image; a box on a joint;
/// shapes; cubic curves of everything that can be keyed. No inverse bind matrices, and joints
/// outside the scene.
fn hard_gltf() -> String {
    let mut binary: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    let mut add = |kind: &str, component: u32, count: usize, bytes: Vec<u8>| {
        views.push(format!(
            r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#,
            binary.len(),
            bytes.len()
        ));
        accessors.push(format!(
            r#"{{"bufferView":{},"componentType":{component},"count":{count},"type":"{kind}"}}"#,
            views.len() - 1
        ));
        binary.extend(bytes);
        binary.resize(binary.len().next_multiple_of(4), 0);
        accessors.len() - 1
    };
    let floats = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let positions = [0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.5, 0., 2., 0., 1., 2., 0.25];
    let position = add("VEC3", 5126, 6, floats(&positions));
    let index = add(
        "SCALAR",
        5123,
        12,
        [0u16, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5].iter().flat_map(|i| i.to_le_bytes()).collect(),
    );
    let joints = add("VEC4", 5121, 6, [0u8, 1, 0, 0].repeat(6));
    let weights: Vec<f32> = (0..6)
        .flat_map(|v| {
            let w = (v / 2) as f32 * 0.5;
            [1.0 - w, w, 0.0, 0.0]
        })
        .collect();
    let weights = add("VEC4", 5126, 6, floats(&weights));
    let puff = add("VEC3", 5126, 6, floats(&[0.25; 18]));
    let lean: Vec<f32> = (0..18).map(|k| (k as f32 * 1.7).sin() * 0.3).collect();
    let lean = add("VEC3", 5126, 6, floats(&lean));
    let times = add("SCALAR", 5126, 3, floats(&[0.25, 1.0, 2.5]));
    let wave = |n: usize, scale: f32| -> Vec<f32> {
        (0..n).map(|k| (k as f32 * 2.3 + 0.4).sin() * scale).collect()
    };
    // In-tangent, value, out-tangent of three keys.
    let move_keys = add("VEC3", 5126, 9, floats(&wave(27, 0.6)));
    let scale_keys: Vec<f32> = wave(27, 0.3)
        .iter()
        .enumerate()
        .map(|(k, x)| if (k / 3) % 3 == 1 { 1.2 + x } else { *x })
        .collect();
    let scale_keys = add("VEC3", 5126, 9, floats(&scale_keys));
    let turns: Vec<f32> = wave(36, 0.8)
        .chunks(4)
        .enumerate()
        .flat_map(|(k, q)| {
            let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
            q.iter().map(move |x| if k % 3 == 1 { x / length } else { *x }).collect::<Vec<_>>()
        })
        .collect();
    let turns = add("VEC4", 5126, 9, floats(&turns));
    let shape_keys = add("SCALAR", 5126, 18, floats(&wave(18, 0.9)));
    let step_keys = add("SCALAR", 5126, 6, floats(&[0.0, 1.0, 0.5, 0.5, 1.0, 0.0]));
    let step_moves = add("VEC3", 5126, 3, floats(&wave(9, 1.0)));

    let attributes = format!(r#""POSITION":{position},"JOINTS_0":{joints},"WEIGHTS_0":{weights}"#);
    let targets = format!(r#""targets":[{{"POSITION":{puff}}},{{"POSITION":{lean}}}]"#);
    let channel = |sampler: usize, node: usize, path: &str| {
        format!(r#"{{"sampler":{sampler},"target":{{"node":{node},"path":"{path}"}}}}"#)
    };
    let sampler = |output: usize, kind: &str| {
        format!(r#"{{"input":{times},"output":{output},"interpolation":"{kind}"}}"#)
    };
    let cubic = [
        channel(0, 0, "translation"),
        channel(1, 1, "rotation"),
        channel(2, 1, "scale"),
        channel(1, 3, "rotation"),
        channel(3, 2, "weights"),
        channel(3, 5, "weights"),
    ]
    .join(",");
    let step = [channel(0, 1, "translation"), channel(1, 2, "weights")].join(",");
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[2,5,6]}}],
        "nodes":[
            {{"name":"hip","translation":[0.1,0.2,0.3],"rotation":[0.0,0.6,0.0,0.8],"children":[1,4]}},
            {{"name":"knee","translation":[0,1,0],"scale":[-1,1,1],"children":[3]}},
            {{"name":"bar","mesh":0,"skin":0,"translation":[5,5,5],"weights":[0.5,-0.25]}},
            {{"name":"foot","translation":[0,1,0.2]}},
            {{"name":"box outside","mesh":1}},
            {{"name":"still","mesh":2,"scale":[1,-2,1],"translation":[3,0,0]}},
            {{"name":"carrier","matrix":[0,2,0,0,-2,0,0,0,0,0,2,0,1,2,3,1],"children":[7]}},
            {{"name":"second","mesh":0,"skin":1}}],
        "meshes":[
            {{"primitives":[{{"attributes":{{{attributes}}},"indices":{index},{targets}}}],"weights":[1,1]}},
            {{"primitives":[{{"attributes":{{"POSITION":{position}}},"indices":{index}}}]}},
            {{"primitives":[{{"attributes":{{"POSITION":{position}}},"indices":{index},{targets}}}],"weights":[0.75,0]}}],
        "skins":[{{"joints":[0,1]}},{{"joints":[1,3]}}],
        "animations":[
            {{"name":"cubic","channels":[{cubic}],"samplers":[{},{},{},{}]}},
            {{"name":"step","channels":[{step}],"samplers":[{},{}]}}],
        "accessors":[{}],"bufferViews":[{}],
        "buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{}"}}]}}"#,
        sampler(move_keys, "CUBICSPLINE"),
        sampler(turns, "CUBICSPLINE"),
        sampler(scale_keys, "CUBICSPLINE"),
        sampler(shape_keys, "CUBICSPLINE"),
        sampler(step_moves, "STEP"),
        sampler(step_keys, "STEP"),
        accessors.join(","),
        views.join(","),
        binary.len(),
        raw::to_base64(&binary),
    )
}

#[test]
fn cubic_curves_shapes_mirrored_joints_and_skins_without_matrices_pose_as_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hard.gltf");
    let text = hard_gltf();
    sinew_io::write_atomically(&path, |f| std::io::Write::write_all(f, text.as_bytes())).unwrap();
    let (distance, what) = worst(&path);
    assert!(distance <= TOLERANCE_OVER_DIAGONAL, "{distance:.1e}, {what}");
    // And after a detour through our own writer: the second file poses as its own text says, and as
    // the first.
    let loaded = read_character(&path).unwrap();
    let again = folder.path().join("again.glb");
    write_character(&again, &loaded.character, &WriteOptions::default()).unwrap();
    let (distance, what) = worst(&again);
    assert!(distance <= TOLERANCE_OVER_DIAGONAL, "{distance:.1e}, {what}");
    let reread = read_character(&again).unwrap().character;
    assert_eq!(reread.clips.len(), 2);
    for (clip, other) in loaded.character.clips.iter().zip(&reread.clips) {
        for seconds in [0.0, 0.7, 1.9, 9.0] {
            let first = posed(&loaded.character, Some(clip), seconds);
            let second = posed(&reread, Some(other), seconds);
            for (a, b) in first.iter().flatten().zip(second.iter().flatten()) {
                assert!(a.distance(*b) < 1e-4, "{} at {seconds}: {a} became {b}", clip.name);
            }
        }
    }
}
