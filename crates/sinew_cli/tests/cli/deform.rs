//! `skin`, `measure` and `diff`.

use serde_json::Value;

use crate::common::{Folder, obj_points};

/// Coordinates in files are decimal f32; the smallest step near 1 m is 6e-8.
const ROUNDING_METRES: f64 = 1e-6;

fn max_difference(folder: &Folder, a: &str, b: &str) -> f64 {
    let diff = folder.ok(&format!("diff {a} {b} --json")).json();
    diff["max_difference"].as_f64().unwrap()
}

fn bone(folder: &Folder, index: usize) -> String {
    let info = folder.ok("info box.glb --json").json();
    info["joints"]["names"][index].as_str().unwrap().to_owned()
}

#[test]
fn the_rest_pose_is_the_rest_shape_with_every_method_and_format() {
    let folder = Folder::with_box();
    for method in sinew::skin::SkinMethod::ALL.map(sinew::skin::SkinMethod::name) {
        for format in ["obj", "ply", "glb"] {
            folder.ok(&format!("skin box.glb -o rest.{format} --method {method}"));
            let difference = max_difference(&folder, "box.glb", &format!("rest.{format}"));
            assert!(difference < ROUNDING_METRES, "{method} {format}: {difference}");
        }
    }
}

#[test]
fn an_obj_has_one_v_line_a_welded_point_whatever_the_pose() {
    let folder = Folder::with_box();
    let info = folder.ok("info box.glb --json").json();
    let (points, vertices) = (info["points"].as_u64().unwrap(), info["vertices"].as_u64().unwrap());
    let joint = bone(&folder, 1);
    folder.ok("skin box.glb -o rest.obj");
    folder.ok(&format!("skin box.glb -o bent.obj --rotate {joint}:x:90 --method dual-quat"));
    let (rest, bent) = (folder.read("rest.obj"), folder.read("bent.obj"));
    assert_eq!(obj_points(&rest).len() as u64, points);
    assert_eq!(obj_points(&bent).len() as u64, points);
    let faces = |obj: &[u8]| -> Vec<String> {
        let text = String::from_utf8(obj.to_vec()).unwrap();
        text.lines().filter(|line| line.starts_with("f ")).map(str::to_owned).collect()
    };
    assert_eq!(faces(&rest), faces(&bent));

    folder.ok("skin box.glb -o split.obj --render-vertices");
    assert_eq!(obj_points(&folder.read("split.obj")).len() as u64, vertices);
    assert!(vertices > points);
}

#[test]
fn the_same_pose_writes_the_same_bytes() {
    let folder = Folder::with_box();
    let pose = format!("--rotate {}:z:45 --method center-of-rotation", bone(&folder, 2));
    for format in ["obj", "ply", "glb"] {
        folder.ok(&format!("skin box.glb -o a.{format} {pose}"));
        folder.ok(&format!("skin box.glb -o b.{format} {pose}"));
        assert_eq!(folder.read(&format!("a.{format}")), folder.read(&format!("b.{format}")));
    }
}

#[test]
fn rotations_add_up_and_a_full_turn_is_the_rest() {
    let folder = Folder::with_box();
    let joint = bone(&folder, 1);
    folder.ok("skin box.glb -o rest.obj");
    folder.ok(&format!("skin box.glb -o once.obj --rotate {joint}:x:60"));
    folder.ok(&format!("skin box.glb -o twice.obj --rotate {joint}:x:20 --rotate {joint}:x:40"));
    folder.ok(&format!("skin box.glb -o turn.obj --rotate {joint}:twist:720"));
    assert!(max_difference(&folder, "rest.obj", "once.obj") > 0.1);
    assert!(max_difference(&folder, "once.obj", "twice.obj") < ROUNDING_METRES);
    assert!(max_difference(&folder, "rest.obj", "turn.obj") < ROUNDING_METRES);
}

#[test]
fn a_pose_file_and_a_flag_say_the_same() {
    let folder = Folder::with_box();
    let joint = bone(&folder, 1);
    let pose = format!(r#"{{"joints": {{"{joint}": {{"rotate": [["x", 30], ["twist", 90]]}}}}}}"#);
    folder.write("pose.json", pose);
    folder.ok("skin box.glb -o file.obj --pose pose.json");
    folder.ok(&format!("skin box.glb -o flag.obj --rotate {joint}:x:30 --rotate {joint}:twist:90"));
    assert_eq!(folder.read("file.obj"), folder.read("flag.obj"));
    folder.ok(&format!("skin box.glb -o both.obj --pose pose.json --rotate {joint}:twist:-90"));
    folder.ok(&format!("skin box.glb -o bent.obj --rotate {joint}:x:30"));
    assert!(max_difference(&folder, "both.obj", "bent.obj") < ROUNDING_METRES);
}

#[test]
fn a_broken_pose_file_is_bad_input_and_names_the_key() {
    let folder = Folder::with_box();
    folder.write("pose.json", r#"{"joints": {"bone": {"rotat": []}}}"#);
    let line = folder.fails("skin box.glb -o out.obj --pose pose.json", 3);
    assert!(line.contains("pose.json") && line.contains("rotat"), "{line}");
    folder.fails("skin box.glb -o out.obj --pose missing.json", 3);
}

#[test]
fn a_clip_poses_the_character_at_a_time() {
    let folder = Folder::with_box();
    let info = folder.ok("info box.glb --json").json();
    let clip = &info["clips"][0];
    let (name, seconds) =
        (clip["name"].as_str().unwrap(), clip["duration_seconds"].as_f64().unwrap());
    folder.ok(&format!("skin box.glb -o start.obj --clip {name}"));
    folder.ok(&format!("skin box.glb -o middle.obj --clip {name} --time {}", seconds / 3.0));
    assert!(max_difference(&folder, "start.obj", "middle.obj") > 1e-3);
}

#[test]
fn an_unknown_joint_lists_the_nearest_and_an_unknown_clip_the_clips() {
    let folder = Folder::with_box();
    let (joint, info) = (bone(&folder, 2), folder.ok("info box.glb --json").json());
    let typo = joint.replace('o', "0");
    for words in [
        format!("skin box.glb -o out.obj --rotate {typo}:x:9"),
        format!("measure box.glb --sweep {typo}:x:0..9:3"),
    ] {
        let line = folder.fails(&words, 2);
        assert!(line.contains(&format!("'{joint}'")), "{line}");
    }
    let line = folder.fails("skin box.glb -o out.obj --clip no-such-clip", 2);
    assert!(line.contains(info["clips"][0]["name"].as_str().unwrap()), "{line}");
}

#[test]
fn stats_are_data_on_stdout() {
    let folder = Folder::with_box();
    assert_eq!(folder.ok("skin box.glb -o out.obj").stdout, "");
    let stats = folder.ok("skin box.glb -o out.obj --stats --json").json();
    assert_eq!((stats["method"].as_str(), stats["joints"].as_u64()), (Some("linear"), Some(4)));
    for key in ["bind_ms", "deform_ms", "points"] {
        assert!(stats[key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(folder.ok("skin box.glb -o out.obj --stats").stdout.contains("deform"));
}

#[test]
fn recomputed_normals_keep_the_boxs_edges_sharp_or_round_them_as_asked() {
    let folder = Folder::with_box();
    let skin = |name: &str, flags: &str| {
        folder.ok(&format!("skin box.glb -o {name} --render-vertices {flags}"));
        let text = String::from_utf8(folder.read(name)).unwrap();
        let normals: Vec<String> =
            text.lines().filter(|line| line.starts_with("vn ")).map(str::to_owned).collect();
        assert!(!normals.is_empty());
        normals
    };
    let sharp = skin("sharp.obj", "--normals recomputed --crease 40");
    let round = skin("round.obj", "--normals recomputed --crease 179");
    assert_ne!(sharp, round);
}

const MEASURE_KEYS: [&str; 9] = [
    "volume_ratio",
    "max_stretch",
    "p999_stretch",
    "min_compression",
    "inverted_triangles",
    "triangles",
    "flipped_normals",
    "finite",
    "max_displacement",
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn measure_of_two_files_has_the_contracts_keys_and_no_change_at_rest() {
    let folder = Folder::with_box();
    folder.ok("skin box.glb -o rest.obj");
    let run = folder.ok("measure box.glb rest.obj --json");
    assert_eq!(run.stderr, "");
    let figures = run.json();
    assert_eq!(keys(&figures), MEASURE_KEYS);
    let near = |key: &str, expected: f64| {
        let found = figures[key].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-5, "{key}: {found}");
    };
    near("volume_ratio", 1.0);
    near("max_stretch", 1.0);
    near("min_compression", 1.0);
    near("max_displacement", 0.0);
    assert_eq!(
        (figures["inverted_triangles"].as_u64(), figures["finite"].as_bool()),
        (Some(0), Some(true))
    );
    let text = folder.ok("measure box.glb rest.obj").stdout;
    assert!(MEASURE_KEYS.iter().all(|key| text.contains(key)), "{text}");
}

#[test]
fn measure_tells_the_volume_of_each_mesh_if_asked() {
    let folder = Folder::with_box();
    folder.ok("sample soldier -o soldier.glb");
    let figures = folder.ok("measure soldier.glb --rotate shin_l:x:60 --parts --json").json();
    let near_one = |key: &str| {
        let found = figures[key].as_f64().unwrap();
        assert!((found - 1.0).abs() < 1e-4, "{key}: {found}");
    };
    near_one("volume_ratio helmet");
    near_one("volume_ratio sword");
    let body = figures["volume_ratio body"].as_f64().unwrap();
    assert!((body - 1.0).abs() > 1e-3, "{body}");
    assert!(figures["crossings"].is_number());
    let refused = folder.fails("measure box.glb box.glb --parts", 2);
    assert!(refused.contains("give one file"), "{refused}");
}

#[test]
fn measuring_a_file_and_measuring_its_pose_agree() {
    let folder = Folder::with_box();
    let pose = format!("--rotate {}:x:80 --method dual-quat", bone(&folder, 1));
    folder.ok("skin box.glb -o rest.obj");
    folder.ok(&format!("skin box.glb -o posed.obj {pose}"));
    folder.ok(&format!("skin box.glb -o posed.glb {pose}"));
    let direct = folder.ok(&format!("measure box.glb {pose} --json")).json();
    for (rest, posed) in
        [("rest.obj", "posed.obj"), ("box.glb", "posed.glb"), ("box.glb", "posed.obj")]
    {
        let files = folder.ok(&format!("measure {rest} {posed} --json")).json();
        for key in MEASURE_KEYS.iter().filter(|key| **key != "finite") {
            let (a, b) = (direct[key].as_f64().unwrap(), files[key].as_f64().unwrap());
            assert!((a - b).abs() < 1e-4 * a.abs().max(1.0), "{rest} {posed} {key}: {a} {b}");
        }
    }
    assert!(direct["min_attachment_ratio"].as_f64().unwrap() > 0.0);
}

#[test]
fn measuring_other_topologies_is_bad_input_with_both_counts() {
    let folder = Folder::with_box();
    folder.write("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for verb in ["measure", "diff"] {
        let line = folder.fails(&format!("{verb} box.glb triangle.obj"), 3);
        assert!(line.contains("3 points and 1 triangles"), "{line}");
        let points = folder.ok("info box.glb --json").json()["points"].to_string();
        assert!(line.contains(&format!("{points} points")), "{line}");
    }
}

#[test]
fn a_sweep_is_csv_with_a_header_and_a_row_for_each_method_and_step() {
    let folder = Folder::with_box();
    let sweep = format!("measure box.glb --sweep {}:x:0..90:30", bone(&folder, 1));
    let run = folder.ok(&format!("{sweep} --method linear,dual-quat"));
    let lines: Vec<&str> = run.stdout.lines().collect();
    let header = [
        &["method", "springs", "degrees"][..],
        &MEASURE_KEYS,
        &["min_attachment_ratio", "p001_stretch", "max_jump"],
    ]
    .concat()
    .join(",");
    assert_eq!(lines[0], header);
    assert_eq!(lines.len(), 1 + 2 * 4);
    assert!(lines[1].starts_with("linear,off,0.0,") && lines[1].ends_with(",null"), "{}", lines[1]);
    assert!(lines[8].starts_with("dual-quat,off,90.0,"), "{}", lines[8]);
    assert!(run.stderr.contains("largest jump"), "{}", run.stderr);

    folder.ok(&format!("{sweep} --method linear,dual-quat -o sweep.csv"));
    assert_eq!(folder.read("sweep.csv"), run.stdout.as_bytes());
}

#[test]
fn a_sweep_as_json_has_rows_and_a_summary_a_method() {
    let folder = Folder::with_box();
    let sweep = format!("measure box.glb --json --sweep {}:x:0..90:30", bone(&folder, 1));
    let json = folder.ok(&format!("{sweep} --method rigid,linear")).json();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    let summary = json["summary"].as_array().unwrap();
    assert_eq!(
        (summary[0]["method"].as_str(), summary[1]["method"].as_str()),
        (Some("rigid"), Some("linear"))
    );
    let largest = rows[5..].iter().filter_map(|row| row["max_jump"].as_f64()).fold(0.0, f64::max);
    assert_eq!(summary[1]["largest_jump"].as_f64(), Some(largest));
    assert!(largest > 0.0);
    assert_eq!(json, folder.ok(&format!("{sweep} --method rigid,linear")).json(), "deterministic");
}

#[test]
fn a_twisted_cylinder_collapses_with_linear_and_not_with_dual_quaternions() {
    let folder = Folder::new();
    folder.ok("sample cylinder -o tube.glb --points 800");
    let names = folder.ok("info tube.glb --json").json()["joints"]["names"].clone();
    let joint = names[1].as_str().unwrap();
    let ratio = |method: &str| {
        let words = format!("measure tube.glb --rotate {joint}:twist:175 --method {method} --json");
        folder.ok(&words).json()["min_attachment_ratio"].as_f64().unwrap()
    };
    assert!(ratio("linear") < 0.35, "{}", ratio("linear"));
    assert!(ratio("dual-quat") > 0.95, "{}", ratio("dual-quat"));
}

#[test]
fn diff_passes_up_to_the_tolerance_and_fails_above_it() {
    let folder = Folder::with_box();
    folder.ok("skin box.glb -o rest.obj");
    folder.ok(&format!("skin box.glb -o bent.obj --rotate {}:x:30", bone(&folder, 1)));
    let diff = folder.ok("diff rest.obj bent.obj --json").json();
    assert_eq!(keys(&diff), ["max_difference", "mean_difference", "max_over_diagonal", "points"]);
    let largest = diff["max_difference"].as_f64().unwrap();
    assert!(diff["mean_difference"].as_f64().unwrap() < largest);
    folder.ok(&format!("diff rest.obj bent.obj --tolerance {largest}"));
    let run = folder.sinew(&format!("diff rest.obj bent.obj --tolerance {}", largest * 0.99));
    assert_eq!(run.code, 1);
    run.error_line();
    assert!(run.stdout.contains("max_difference"), "the figures are still printed: {}", run.stdout);
    folder.ok("diff rest.obj rest.obj --tolerance 0");
}

#[test]
fn a_converted_file_is_a_rest_to_measure_against() {
    let folder = Folder::with_box();
    folder.ok("convert box.glb rest.obj");
    folder.ok(&format!("skin box.glb -o posed.obj --rotate {}:x:40", bone(&folder, 1)));
    folder.ok("convert box.glb rest.ply");
    let from_glb = folder.ok("measure box.glb posed.obj --json").json();
    for rest in ["rest.obj", "rest.ply"] {
        let from_file = folder.ok(&format!("measure {rest} posed.obj --json")).json();
        assert_eq!(from_file, from_glb, "{rest}");
    }
}
