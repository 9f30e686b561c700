//! What is read and posed, against a straightforward evaluation of the file's own JSON in f64: nodes' global matrices at a
//! time by glTF's rules, skin matrices, weights, morph targets. Slow, obvious, and sharing no code with the reader.
//! Real files where the machine has them (`../shared/data` beside the project), generated ones everywhere.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;
mod raw;

use std::path::Path;

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use sinew::Character;
use sinew::motion::Clip;
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::{Skin, SkinInput, SkinMethod};
use sinew_io::{WriteOptions, read_character, write_character};

/// Over the diagonal: positions, matrices and the skin itself are f32, and joints are taken apart into swing, twist and
/// scale and put together again.
const TOLERANCE_OVER_DIAGONAL: f64 = 1e-5;

/// Of a clip's duration; the last is past its end.
const SHARES_OF_CLIP: [f64; 5] = [0.0, 0.2137, 0.5, 0.861, 1.25];

/// Render vertices of every part, by the reader, the clip and linear skinning.
fn posed(character: &Character, clip: Option<&Clip>, seconds: f64) -> Vec<Vec<Vec3>> {
    let skeleton = &character.skeleton;
    let pose = clip.map_or_else(|| Pose::rest(skeleton), |clip| clip.pose_at(skeleton, seconds));
    let palette = Palette::new(skeleton, &pose);
    let of_part = |(index, part): (usize, &sinew::Part)| {
        let weights = match clip {
            Some(clip) => clip.shape_weights_at(index, part, seconds),
            None => part.rest_shape_weights(),
        };
        let shaped = part.shaped_points(&weights);
        let mut points = shaped.clone();
        if let Some(weights) = &part.weights {
            let input = SkinInput {
                positions: &shaped,
                normals: &[],
                weights,
                triangles: part.mesh.point_triangles(),
                skeleton,
            };
            let skin = Skin::bind(SkinMethod::Linear, &input, &Silent).unwrap();
            skin.deform(&palette, &mut points, &mut []);
        }
        part.mesh.point_of_vertex().iter().map(|&point| points[point as usize]).collect()
    };
    character.parts.iter().enumerate().map(of_part).collect()
}

/// The largest distance over the diagonal, over all clips and times, and where it is.
fn worst(path: &Path) -> (f64, String) {
    let loaded = read_character(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let character = &loaded.character;
    let document = raw::Document::open(path);
    let rest = document.posed(None, 0.0);
    let diagonal = raw::diagonal(&rest);
    let mut worst = (0.0, "nothing".to_owned());
    let clips: Vec<Option<usize>> =
        std::iter::once(None).chain((0..character.clips.len()).map(Some)).collect();
    for clip in clips {
        let duration = clip.map_or(0.0, |clip| character.clips[clip].duration_seconds());
        let shares = if clip.is_some() { &SHARES_OF_CLIP[..] } else { &[0.0] };
        for share in shares {
            let seconds = share * duration;
            let ours = posed(character, clip.map(|clip| &character.clips[clip]), seconds);
            let theirs = document.posed(clip, seconds);
            assert_eq!(ours.len(), theirs.len(), "{}: meshes", path.display());
            for (mesh, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                assert_eq!(ours.len(), theirs.len(), "{}: vertices of mesh {mesh}", path.display());
                for (vertex, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                    let Some(theirs) = theirs else { continue };
                    let distance = ours.as_dvec3().distance(*theirs) / diagonal;
                    // A NaN is the worst.
                    if distance.is_nan() || distance > worst.0 {
                        let what = format!(
                            "clip {clip:?} at {seconds:.3} s, mesh {mesh}, vertex {vertex}: {ours} for {theirs}"
                        );
                        worst = (distance, what);
                    }
                }
            }
        }
    }
    worst
}

#[test]
fn real_files_pose_as_a_plain_evaluation_says() {
    let mut failures = Vec::new();
    let mut largest = 0.0_f64;
    let files = common::real_files("gltf");
    for path in &files {
        let (distance, what) = worst(path);
        eprintln!("{:.1e}  {}  ({what})", distance, path.display());
        largest = largest.max(distance);
        if distance.is_nan() || distance > TOLERANCE_OVER_DIAGONAL {
            failures.push(format!("{}: {distance:.1e} of the diagonal, {what}", path.display()));
        }
    }
    eprintln!("{} files, at most {largest:.1e} of the diagonal", files.len());
    assert!(failures.is_empty(), "{failures:#?}");
}

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

/// Two skinned bars of two joints, one of which is scaled to its mirror image; a box on a joint; shapes; cubic curves of
/// everything that can be keyed. No inverse bind matrices, and joints outside the scene.
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
    // And after a detour through our own writer: the second file poses as its own text says, and as the first.
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

#[test]
fn a_file_compressed_with_draco_poses_as_its_uncompressed_twin() {
    let find =
        |name: &str| common::real_files("gltf").into_iter().find(|path| path.ends_with(name));
    for (plain, compressed) in [
        ("CesiumMan.glb", "CesiumMan_draco/CesiumMan.gltf"),
        ("RiggedSimple.glb", "RiggedSimple_draco/RiggedSimple.gltf"),
    ] {
        let (Some(plain), Some(compressed)) = (find(plain), find(compressed)) else {
            eprintln!("no {plain} on this machine");
            continue;
        };
        let (plain, compressed) = (
            read_character(&plain).unwrap().character,
            read_character(&compressed).unwrap().character,
        );
        assert_eq!(plain.num_triangles(), compressed.num_triangles());
        let seconds = 0.4 * plain.clips[0].duration_seconds();
        let all = |c: &Character| -> Vec<DVec3> {
            posed(c, Some(&c.clips[0]), seconds).concat().iter().map(|p| p.as_dvec3()).collect()
        };
        let (a, b) = (all(&plain), all(&compressed));
        let diagonal = f64::from(plain.bounds().diagonal());
        // Draco reorders vertices: every one must have a partner, both ways, within the quantisation of 11 to 14 bits.
        let far = |from: &[DVec3], to: &[DVec3]| {
            let nearest =
                |p: &DVec3| to.iter().map(|q| p.distance(*q)).fold(f64::INFINITY, f64::min);
            from.iter().map(nearest).fold(0.0, f64::max) / diagonal
        };
        let (there, back) = (far(&a, &b), far(&b, &a));
        eprintln!("{there:.1e} and {back:.1e} of the diagonal");
        assert!(there.max(back) < 2e-3);
    }
}
