//! `sample`, `info`, `check` and `convert`.

use crate::common::{Folder, obj_points};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_list_of_samples_names_them_with_their_counts() {
    let folder = Folder::new();
    let list = folder.ok("sample --list --json").json();
    let of = |name: &str| {
        let found = list.as_array().unwrap().iter().find(|sample| sample["name"] == name);
        found.unwrap_or_else(|| panic!("no '{name}' in {list}")).clone()
    };
    assert_eq!((of("box")["points"].as_u64(), of("box")["joints"].as_u64()), (Some(1802), Some(4)));
    assert_eq!(of("plus")["points"], 5634);
    assert_eq!(of("snake")["joints"], 98);
    let text = folder.ok("sample --list").stdout;
    for sample in list.as_array().unwrap() {
        assert!(text.contains(sample["name"].as_str().unwrap()), "{text}");
    }
}

#[test]
fn a_sample_has_the_counts_that_the_list_promises() {
    let folder = Folder::new();
    folder.ok("sample box -o box.glb");
    let info = folder.ok("info box.glb --json").json();
    assert_eq!((info["points"].as_u64(), info["joints"]["count"].as_u64()), (Some(1802), Some(4)));
    folder.ok("sample cylinder -o tube.glb --points 500 --bones 3");
    let info = folder.ok("info tube.glb --json").json();
    assert_eq!(info["joints"]["count"], 3);
    let points = info["points"].as_f64().unwrap();
    assert!((points - 500.0).abs() < 100.0, "{points}");
}

#[test]
fn a_sample_is_the_same_bytes_each_time() {
    let folder = Folder::new();
    folder.ok("sample box -o a.glb");
    folder.ok("sample box -o b.glb");
    assert_eq!(folder.read("a.glb"), folder.read("b.glb"));
}

#[test]
fn an_unknown_sample_lists_those_that_exist() {
    let line = Folder::new().fails("sample cilinder -o a.glb", 2);
    assert!(line.contains("'cylinder'"), "{line}");
}

#[test]
fn info_has_the_keys_that_scripts_rely_on() {
    let folder = Folder::with_box();
    let run = folder.ok("info box.glb --json");
    assert_eq!(run.stderr, "");
    let info = run.json();
    assert_eq!(
        keys(&info),
        [
            "file",
            "name",
            "points",
            "vertices",
            "triangles",
            "meshes",
            "joints",
            "max_influences",
            "clips",
            "shapes",
            "expressions",
            "controls",
            "drivers",
            "bounds",
            "materials",
            "source",
            "extensions",
            "warnings"
        ]
    );
    assert_eq!(
        keys(&info["meshes"][0]),
        [
            "name",
            "points",
            "vertices",
            "triangles",
            "closed",
            "groups",
            "uvs",
            "normals",
            "skinned",
            "attributes",
            "max_influences",
            "points_of_influences",
            "materials",
            "shape_weights",
            "shapes"
        ]
    );
    assert_eq!(keys(&info["joints"]), ["count", "roots", "depth", "names"]);
    assert_eq!(info["meshes"][0]["closed"], true);
    assert_eq!(info["joints"]["depth"], 4);
    assert_eq!(info["joints"]["names"].as_array().unwrap().len(), 4);
    assert!(info["clips"][0]["duration_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(info["bounds"]["min"].as_array().unwrap().len(), 3);
    let mesh = &info["meshes"][0];
    assert_eq!(mesh["attributes"], serde_json::json!(["positions", "normals", "uvs", "weights"]));
    let histogram = mesh["points_of_influences"].as_array().unwrap();
    let total: u64 = histogram.iter().map(|points| points.as_u64().unwrap()).sum();
    assert_eq!(Some(total), info["points"].as_u64());
    assert_eq!(histogram.len() as u64 - 1, info["max_influences"].as_u64().unwrap());
    let curves: u64 = info["clips"][0]["interpolations"]
        .as_object()
        .unwrap()
        .values()
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(Some(curves), info["clips"][0]["tracks"].as_u64());
    assert_eq!(info["source"]["bytes"].as_u64(), Some(folder.read("box.glb").len() as u64));
    assert_eq!(info["source"]["counts"]["skins"], 1);
}

#[test]
fn info_for_people_says_the_same() {
    let folder = Folder::with_box();
    let info = folder.ok("info box.glb --json").json();
    let text = folder.ok("info box.glb").stdout;
    let clip = info["clips"][0]["name"].as_str().unwrap();
    for expected in [&info["points"].to_string(), "4 joints", "closed", clip] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[test]
fn a_sound_sample_passes_the_check() {
    let folder = Folder::with_box();
    let run = folder.ok("check box.glb --json");
    let report = run.json();
    assert_eq!(keys(&report), ["file", "errors", "warnings", "infos", "passed", "findings"]);
    assert_eq!((report["errors"].as_u64(), report["passed"].as_bool()), (Some(0), Some(true)));
}

#[test]
fn the_check_names_points_over_the_limit_that_it_is_given() {
    let folder = Folder::with_box();
    let codes = |words: &str| -> Vec<String> {
        let report = folder.ok(words).json();
        let findings = report["findings"].as_array().unwrap();
        findings.iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
    };
    let code = "too-many-influences".to_owned();
    assert!(codes("check box.glb --max-influences 1 --json").contains(&code));
    assert!(!codes("check box.glb --json").contains(&code));
    folder.fails("check box.glb --max-influences 0", 2);
}

/// Three triangles on one edge: no surface has that.
const FINS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 -1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n";

/// Points without any triangle.
const NO_SURFACE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

#[test]
fn a_check_fails_with_exit_1_on_what_it_was_told_to_fail_on() {
    let folder = Folder::new();
    folder.write("fins.obj", FINS);
    folder.write("empty.obj", NO_SURFACE);
    for (words, code) in [
        ("check fins.obj", 0),
        ("check fins.obj --fail-on warning", 1),
        ("check fins.obj --fail-on never", 0),
        ("check empty.obj", 1),
        ("check empty.obj --fail-on warning", 1),
        ("check empty.obj --fail-on never", 0),
    ] {
        let run = folder.sinew(words);
        assert_eq!(run.code, code, "{words}: {}", run.stdout);
        assert!(run.stdout.contains("mend:"), "{words}: {}", run.stdout);
        if code == 1 {
            run.error_line();
        }
        let json = folder.sinew(&format!("{words} --json"));
        assert_eq!((json.code, json.json()["passed"].as_bool()), (code, Some(code == 0)));
    }
    let report = folder.ok("check fins.obj --json").json();
    let finding = &report["findings"][0];
    assert_eq!(keys(finding), ["severity", "code", "what", "where", "mend", "count"]);
    assert_eq!(finding["severity"], "warning", "the worst comes first");
}

#[test]
fn converting_to_a_mesh_format_says_what_is_lost_on_stderr() {
    let folder = Folder::with_box();
    for output in ["box.obj", "box.ply"] {
        let run = folder.ok(&format!("convert box.glb {output}"));
        assert_eq!(run.stdout, "");
        for lost in ["4 joints", "clip", "weights"] {
            assert!(run.stderr.contains(lost), "{}", run.stderr);
        }
    }
    let run = folder.ok("convert box.glb again.glb");
    assert!(!run.stderr.contains("lost"), "{}", run.stderr);
}

#[test]
fn a_character_survives_conversion_through_every_format() {
    let folder = Folder::with_box();
    let triangles = folder.ok("info box.glb --json").json()["triangles"].clone();
    folder.ok("convert box.glb a.obj");
    folder.ok("convert a.obj b.ply");
    folder.ok("convert b.ply c.glb");
    assert_eq!(folder.ok("info c.glb --json").json()["triangles"], triangles);
    let diff = folder.ok("diff box.glb c.glb --json --tolerance 1e-6").json();
    assert!(diff["points"].as_u64().unwrap() > 100, "{diff}");
}

#[test]
fn an_obj_keeps_the_whole_mesh() {
    let folder = Folder::with_box();
    folder.ok("convert box.glb box.obj");
    let (glb, obj) =
        (folder.ok("info box.glb --json").json(), folder.ok("info box.obj --json").json());
    for key in ["points", "vertices", "triangles", "closed", "uvs", "normals"] {
        assert_eq!(glb["meshes"][0][key], obj["meshes"][0][key], "{key}");
    }
    assert_eq!(obj["meshes"][0]["closed"], true);
    folder.ok("diff box.glb box.obj --tolerance 1e-6");
}

#[test]
fn the_same_conversion_writes_the_same_bytes() {
    let folder = Folder::with_box();
    folder.ok("convert box.glb a.glb");
    folder.ok("convert box.glb b.glb");
    assert_eq!(folder.read("a.glb"), folder.read("b.glb"));
    folder.ok("convert box.glb a.obj");
    assert!(!obj_points(&folder.read("a.obj")).is_empty());
}
