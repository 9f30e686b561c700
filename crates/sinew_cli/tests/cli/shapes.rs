//! Clips with cubic curves and shapes, through the command, against the formulas written out.

use crate::common::{Folder, obj_points};

/// Positions are written as f32 and so was the file.
const TOLERANCE: f64 = 1e-5;

const POSITIONS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.5]];
const DELTAS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.0]];
const TIMES: [f32; 2] = [0.5, 2.5];
/// In-tangent, value, out-tangent of two keys: of `z` and `w` of a quaternion, and of a weight.
const TURN_Z: [f32; 6] = [0.0, 0.0, 0.9, -0.4, 0.6, 0.0];
const TURN_W: [f32; 6] = [0.0, 1.0, 0.3, 0.2, 0.8, 0.0];
const WEIGHT: [f32; 6] = [0.0, 0.25, 1.5, -0.5, 1.0, 0.0];

/// One joint a metre up, a triangle on it, a shape with rest weight a half, and a clip that turns
/// and shapes.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut binary: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut add = |bytes: Vec<u8>| {
        let (start, length) = (binary.len(), bytes.len());
        views.push(format!(r#"{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#));
        binary.extend(bytes);
    };
    let floats = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    add(floats(POSITIONS.as_flattened()));
    add(floats(DELTAS.as_flattened()));
    add([0u8; 12].to_vec());
    add(floats(&[1.0, 0.0, 0.0, 0.0].repeat(3)));
    add(floats(&TIMES));
    let turns: Vec<f32> = TURN_Z.iter().zip(TURN_W).flat_map(|(&z, w)| [0.0, 0.0, z, w]).collect();
    add(floats(&turns));
    add(floats(&WEIGHT));
    let accessor = |view: usize, component: u32, count: usize, kind: &str| {
        format!(
            r#"{{"bufferView":{view},"componentType":{component},"count":{count},"type":"{kind}"}}"#
        )
    };
    let accessors = [
        accessor(0, 5126, 3, "VEC3"),
        accessor(1, 5126, 3, "VEC3"),
        accessor(2, 5121, 3, "VEC4"),
        accessor(3, 5126, 3, "VEC4"),
        accessor(4, 5126, 2, "SCALAR"),
        accessor(5, 5126, 6, "VEC4"),
        accessor(6, 5126, 6, "SCALAR"),
    ];
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},
        "nodes":[{{"name":"arm","translation":[0,1,0]}},{{"mesh":0,"skin":0}}],
        "skins":[{{"joints":[0]}}],
        "meshes":[{{"name":"skin","primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":2,"WEIGHTS_0":3}},
            "targets":[{{"POSITION":1}}]}}],"weights":[0.5],"extras":{{"targetNames":["puff"]}}}}],
        "animations":[{{"name":"wave","channels":[
            {{"sampler":0,"target":{{"node":0,"path":"rotation"}}}},
            {{"sampler":1,"target":{{"node":1,"path":"weights"}}}}],"samplers":[
            {{"input":4,"output":5,"interpolation":"CUBICSPLINE"}},
            {{"input":4,"output":6,"interpolation":"CUBICSPLINE"}}]}}],
        "accessors":[{}],"bufferViews":[{}],"buffers":[{{"uri":"data.bin","byteLength":{}}}]}}"#,
        accessors.join(","),
        views.join(","),
        binary.len()
    );
    folder.write("data.bin", binary);
    folder.write("wave.gltf", text);
    folder
}

/// The cubic of glTF's appendix, at a time that is held outside the keys.
fn cubic(keys: [f32; 6], seconds: f64) -> f64 {
    let k = keys.map(f64::from);
    let (start, end) = (f64::from(TIMES[0]), f64::from(TIMES[1]));
    let d = end - start;
    let t = ((seconds - start) / d).clamp(0.0, 1.0);
    let (t2, t3) = (t * t, t * t * t);
    (2.0 * t3 - 3.0 * t2 + 1.0) * k[1]
        + d * (t3 - 2.0 * t2 + t) * k[2]
        + (3.0 * t2 - 2.0 * t3) * k[4]
        + d * (t3 - t2) * k[3]
}

/// `arm · (position + weight · delta)`, with the arm turned about z.
fn expected(weight: f64, (z, w): (f64, f64)) -> Vec<[f64; 3]> {
    let length = z.hypot(w);
    let (sin, cos) = (2.0 * z * w / (length * length), (w * w - z * z) / (length * length));
    let posed = |(position, delta): (&[f32; 3], &[f32; 3])| {
        let [x, y, z]: [f64; 3] =
            std::array::from_fn(|k| f64::from(position[k]) + weight * f64::from(delta[k]));
        [cos * x - sin * y, sin * x + cos * y + 1.0, z]
    };
    POSITIONS.iter().zip(&DELTAS).map(posed).collect()
}

fn assert_near(folder: &Folder, file: &str, expected: &[[f64; 3]]) {
    let found = obj_points(&folder.read(file));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
        assert!((found - expected).abs() < TOLERANCE, "{found:?} for {expected:?}");
    }
}

#[test]
fn skin_at_a_time_of_a_clip_has_its_cubic_turns_and_its_shapes() {
    let folder = folder();
    for seconds in [0.0, 0.9, 1.5, 2.2, 4.0] {
        let turn = (cubic(TURN_Z, seconds), cubic(TURN_W, seconds));
        let points = expected(cubic(WEIGHT, seconds), turn);
        for method in ["linear", "rigid", "dual-quat"] {
            folder.ok(&format!(
                "skin wave.gltf -o out.obj --clip wave --time {seconds} --method {method}"
            ));
            assert_near(&folder, "out.obj", &points);
        }
    }
}

#[test]
fn shapes_have_their_rest_weight_without_a_clip_and_another_on_request() {
    let folder = folder();
    folder.ok("skin wave.gltf -o rest.obj");
    assert_near(&folder, "rest.obj", &expected(0.5, (0.0, 1.0)));
    folder.ok("skin wave.gltf -o puffed.obj --shape puff:2 --clip wave --time 4");
    assert_near(&folder, "puffed.obj", &expected(2.0, (0.6, 0.8)));
    let line = folder.fails("skin wave.gltf -o out.obj --shape puf:1", 2);
    assert!(line.contains("'puff'"), "{line}");
    folder.fails("skin wave.gltf -o out.obj --shape puff:much", 2);
}

#[test]
fn an_edited_pose_has_the_shapes_at_rest_as_skin_does() {
    let folder = folder();
    folder.write("none.json", "[]");
    folder.ok("edit wave.gltf none.json -o rest.obj");
    assert_near(&folder, "rest.obj", &expected(0.5, (0.0, 1.0)));
    folder.write(
        "turn.json",
        r#"[{"edit": "rotate-joint", "joint": "arm", "axis": "z", "degrees": 90}]"#,
    );
    folder.ok("edit wave.gltf turn.json -o turned.obj");
    assert_near(&folder, "turned.obj", &expected(0.5, (0.5_f64.sqrt(), 0.5_f64.sqrt())));
}

#[test]
fn a_clip_with_shapes_survives_conversion_and_is_listed() {
    let folder = folder();
    folder.ok("convert wave.gltf wave.glb");
    for file in ["wave.gltf", "wave.glb"] {
        let info = folder.ok(&format!("info {file} --json")).json();
        assert_eq!(info["clips"][0]["shape_tracks"], 1, "{file}");
        assert_eq!(info["meshes"][0]["shapes"][0], "puff", "{file}");
    }
    folder.ok("skin wave.glb -o out.obj --clip wave --time 1.5");
    let turn = (cubic(TURN_Z, 1.5), cubic(TURN_W, 1.5));
    assert_near(&folder, "out.obj", &expected(cubic(WEIGHT, 1.5), turn));
}

#[test]
fn figures_are_against_the_shapes_of_the_same_moment() {
    let folder = folder();
    for time in [0.5, 1.5, 2.5] {
        let words = format!("measure wave.gltf --clip wave --time {time} --json");
        let figures = folder.ok(&words).json();
        // One joint turns all of it: nothing is longer or shorter than at the rest with the same
        // weights.
        for key in ["max_stretch", "min_compression"] {
            let found = figures[key].as_f64().unwrap();
            assert!((found - 1.0).abs() < TOLERANCE, "{key} at {time}: {found}");
        }
    }
    let sweep = "measure wave.gltf --clip wave --time 2.5 --sweep arm:z:0..90:45 --json";
    let summary = folder.ok(sweep).json()["summary"][0].clone();
    assert!((summary["max_stretch"].as_f64().unwrap() - 1.0).abs() < TOLERANCE, "{summary}");
}

#[test]
fn render_takes_shapes_along() {
    let folder = folder();
    let picture = |time: &str| {
        let words = format!(
            "render wave.gltf -o out.png --clip wave --time {time} --device cpu --size 64x64 --no-labels"
        );
        folder.ok(&words);
        folder.read("out.png")
    };
    assert_ne!(picture("0.5"), picture("2.0"));
    folder.ok("render wave.gltf -o out.gif --clip wave --device cpu --size 64x64 --fps 4");
    // Eight frames a quarter second apart, each with a mesh of its own.
    assert!(folder.read("out.gif").len() > 1000);
}

#[test]
fn springs_follow_the_shapes_of_a_clip_and_go_on_following_with_inertia() {
    let folder = folder();
    let at = |flags: &str| {
        let run = folder.ok(&format!("skin wave.gltf -o out.obj --springs anchored {flags}"));
        assert!(!run.stderr.contains("do not move"), "{}", run.stderr);
        obj_points(&folder.read("out.obj"))
    };
    let longest = |a: &[[f64; 3]], b: &[[f64; 3]]| {
        let apart = a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max)
    };
    // A triangle on one bone goes along rigidly, shaped or not.
    let turn = (cubic(TURN_Z, 1.5), cubic(TURN_W, 1.5));
    let shaped = expected(cubic(WEIGHT, 1.5), turn);
    let clip = at("--clip wave --time 1.5");
    assert!(longest(&clip, &shaped) < 1e-3, "{clip:?} {shaped:?}");
    // Long after the clip has ended, a skin in motion has the last weight: 1.
    let settled = at("--clip wave --time 9 --dynamics");
    let last = expected(1.0, (0.6, 0.8));
    assert!(longest(&settled, &last) < 5e-3, "{settled:?} {last:?}");
    let unshaped = expected(0.5, (0.6, 0.8));
    assert!(longest(&settled, &unshaped) > 0.2, "shapes move");
}
