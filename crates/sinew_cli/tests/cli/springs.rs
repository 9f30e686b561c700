//! `--springs` and what tunes it, in `skin` and `measure`.

use serde_json::Value;
use sinew::mesh::RawMesh;
use sinew::sample::{SampleKind, SampleOptions, build};

use crate::common::{Folder, obj_points};

/// Coordinates in files are decimal f32, and the springs' own rest drift is 1e-7 of a metre-sized
/// box.
const REST_METRES: f64 = 2e-6;

/// A bent and twisted box: no method agrees with another on it.
const BENT: &str = "--rotate bone_1:x:80 --rotate bone_2:twist:60";

fn max_difference(folder: &Folder, a: &str, b: &str) -> f64 {
    folder.ok(&format!("diff {a} {b} --json")).json()["max_difference"].as_f64().unwrap()
}

fn stats(folder: &Folder, flags: &str) -> Value {
    folder.ok(&format!("skin box.glb -o out.obj --stats --json {flags}")).json()
}

#[test]
fn springs_start_from_their_own_first_stage_unless_a_method_is_named() {
    let folder = Folder::with_box();
    let own = stats(&folder, "--springs anchored");
    assert_eq!(
        (own["method"].as_str(), own["springs"].as_str()),
        (Some("bone-smooth"), Some("anchored"))
    );
    assert_eq!(own["iterations"], 50);
    let other = stats(&folder, "--springs anchored --method linear --iterations 7");
    assert_eq!((other["method"].as_str(), other["iterations"].as_u64()), (Some("linear"), Some(7)));
    let off = stats(&folder, "--springs off");
    assert_eq!((off["method"].as_str(), off["springs"].as_str()), (Some("linear"), Some("off")));
    assert!(off["iterations"].is_null() && off["residual"].is_null());
}

#[test]
fn the_residual_falls_with_the_iterations_and_people_see_it_too() {
    let folder = Folder::with_box();
    let residual = |iterations: u32| {
        let flags = format!("--springs anchored --iterations {iterations} {BENT}");
        stats(&folder, &flags)["residual"].as_f64().unwrap()
    };
    assert!(residual(10) > 10.0 * residual(200), "{} {}", residual(10), residual(200));
    let run = folder.ok(&format!("skin box.glb -o out.obj --stats --springs anchored {BENT}"));
    for key in ["method", "springs", "iterations", "residual", "bind", "deform"] {
        assert!(run.stdout.lines().any(|line| line.starts_with(key)), "{key}: {}", run.stdout);
    }
    assert!(run.stderr.contains("bone-smooth + springs"), "{}", run.stderr);
}

#[test]
fn the_rest_pose_stays_the_rest_shape_with_every_model() {
    let folder = Folder::with_box();
    for model in sinew::springs::SpringModel::ALL {
        for format in ["obj", "glb"] {
            folder.ok(&format!("skin box.glb -o rest.{format} --springs {}", model.name()));
            let difference = max_difference(&folder, "box.glb", &format!("rest.{format}"));
            assert!(difference < REST_METRES, "{} {format}: {difference}", model.name());
        }
    }
}

#[test]
fn two_turns_of_twist_are_not_none() {
    let folder = Folder::with_box();
    folder.ok("skin box.glb -o turned.obj --rotate bone_1:twist:720 --springs anchored");
    assert!(max_difference(&folder, "box.glb", "turned.obj") > 0.1);
}

#[test]
fn the_anchored_model_ends_at_one_shape_whatever_it_starts_from() {
    /// f32 over a thousand iterations, on a box of a metre.
    const SAME_METRES: f64 = 1e-4;
    let folder = Folder::with_box();
    folder.ok(&format!("skin box.glb -o own.obj --springs anchored --iterations 1000 {BENT}"));
    for method in sinew::skin::SkinMethod::ALL.map(sinew::skin::SkinMethod::name) {
        let flags = format!("--springs anchored --iterations 1000 --method {method} {BENT}");
        folder.ok(&format!("skin box.glb -o other.obj {flags}"));
        let difference = max_difference(&folder, "own.obj", "other.obj");
        assert!(difference < SAME_METRES, "{method}: {difference}");
    }
}

#[test]
fn no_iterations_are_the_first_stage() {
    let folder = Folder::with_box();
    folder.ok(&format!("skin box.glb -o none.obj --springs anchored --iterations 0 {BENT}"));
    folder.ok(&format!("skin box.glb -o stage.obj --method bone-smooth {BENT}"));
    let difference = max_difference(&folder, "none.obj", "stage.obj");
    assert!(difference < REST_METRES, "{difference}");
}

#[test]
fn every_coefficient_and_attachment_flag_changes_the_shape() {
    let folder = Folder::with_box();
    folder.ok(&format!("skin box.glb -o plain.obj --springs anchored {BENT}"));
    for flags in [
        "--stiffness torque=0.2",
        "--stiffness bone=0.2",
        "--stiffness edge=0,length=3",
        "--stiffness across-bones=0.1",
        "--stiffness volume=0",
        "--exclude bone_3",
        "--smoothings 0",
        "--contractions 4",
        "--influence 0.5",
        "--influence bone_1:0.5 --influence bone_2:2",
    ] {
        folder.ok(&format!("skin box.glb -o tuned.obj --springs anchored {BENT} {flags}"));
        let difference = max_difference(&folder, "plain.obj", "tuned.obj");
        assert!(difference > 1e-4, "{flags}: {difference}");
    }
    folder.ok(&format!(
        "skin box.glb -o ones.obj --springs anchored {BENT} --stiffness torque=1,length=1"
    ));
    assert_eq!(folder.read("ones.obj"), folder.read("plain.obj"));
    for attach in ["weighted", "all", "dominant"] {
        folder.ok(&format!("skin box.glb -o out.obj --springs anchored --attach {attach}"));
    }
}

#[test]
fn visibility_changes_what_a_figure_attaches_to() {
    let folder = Folder::new();
    folder.ok("sample chibi -o chibi.glb --points 2000");
    for (name, flags) in [("plain", ""), ("seeing", "--visibility")] {
        let pose = "--springs anchored --attach all --rotate chest:x:80";
        folder.ok(&format!("skin chibi.glb -o {name}.obj {pose} {flags}"));
    }
    // Millimetres of a figure of a metre, at the few points that a bone outside of their limb is
    // nearest to.
    let difference = max_difference(&folder, "plain.obj", "seeing.obj");
    assert!(difference > 1e-3, "{difference}");
}

/// The box twice, as meshes `left` and `right` of one character.
pub(crate) fn write_two_meshes(folder: &Folder) {
    let options = SampleOptions { points: Some(200), ..SampleOptions::new(SampleKind::Box) };
    let mut character = build(&options).unwrap();
    let part = character.parts.remove(0);
    for name in ["left", "right"] {
        let mesh = &part.mesh;
        let raw = RawMesh {
            name: name.into(),
            positions: mesh.vertex_positions().to_vec(),
            triangles: mesh.triangles().to_vec(),
            weights: part.weights.as_ref().map(|w| w.select_rows(mesh.point_of_vertex())),
            ..RawMesh::default()
        };
        character.parts.push(raw.weld().unwrap().part);
    }
    let options = sinew_io::WriteOptions::default();
    folder.write("two.glb", sinew_io::character_to_glb(&character, &options).unwrap());
}

#[test]
fn springs_on_one_mesh_leave_the_others_at_the_first_stage() {
    let folder = Folder::new();
    write_two_meshes(&folder);
    let points = |flags: &str| {
        folder.ok(&format!("skin two.glb -o out.obj {BENT} {flags}"));
        obj_points(&folder.read("out.obj"))
    };
    // The two lie in one place: tied, the one would go with the other; and one swell is for all.
    let stage = points("--springs anchored --shells 0 --stiffness volume=0 --iterations 0");
    let both = points("--springs anchored --shells 0 --stiffness volume=0");
    let right_only =
        points("--springs anchored --shells 0 --stiffness volume=0 --springs-on right");
    let half = stage.len() / 2;
    assert_eq!(right_only[..half], stage[..half], "the left one is not relaxed");
    assert_eq!(right_only[half..], both[half..], "the right one is");
    assert_ne!(both[half..], stage[half..]);
    assert_eq!(
        points(
            "--springs anchored --shells 0 --stiffness volume=0 --springs-on right --springs-on left"
        ),
        both
    );
    let line = folder.fails("skin two.glb -o out.obj --springs anchored --springs-on rigth", 2);
    assert!(line.contains("no mesh 'rigth'") && line.contains("'right'"), "{line}");
}

#[test]
fn a_relaxed_glb_has_normals_of_its_surface() {
    let folder = Folder::with_box();
    folder.ok(&format!("skin box.glb -o relaxed.glb --springs anchored {BENT}"));
    let mesh = folder.ok("info relaxed.glb --json").json()["meshes"][0].clone();
    assert_eq!(mesh["normals"], true, "{mesh}");
    let obj = |flags: &str| {
        folder.ok(&format!("skin box.glb -o out.obj --render-vertices {BENT} {flags}"));
        folder.read("out.obj")
    };
    let springs = "--springs anchored";
    assert_eq!(obj(springs), obj(&format!("{springs} --normals recomputed --crease 40")));
    let smooth = "--method bone-smooth";
    assert_eq!(
        obj(smooth),
        obj(&format!("{smooth} --normals recomputed")),
        "nor does that move any"
    );
}

#[test]
fn what_cannot_be_relaxed_is_refused_and_says_why() {
    let folder = Folder::with_box();
    folder.write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (words, code, part) in [
        ("skin box.glb -o a.obj --springs anchord", 2, "anchored"),
        ("skin box.glb -o a.obj --iterations 9", 2, "--iterations needs springs"),
        ("skin box.glb -o a.obj --springs off --exclude bone_1", 2, "--exclude needs springs"),
        ("skin box.glb -o a.obj --visibility", 2, "--visibility needs springs"),
        ("skin box.glb -o a.obj --contractions 2", 2, "--contractions needs springs"),
        ("skin box.glb -o a.obj --influence 0.5", 2, "--influence needs springs"),
        ("skin box.glb -o a.obj --springs anchored --influence 9", 2, "not between 0.1 and 4"),
        ("skin box.glb -o a.obj --springs anchored --influence bon_1:1", 2, "'bone_1'"),
        ("measure box.glb --springs off --stiffness bone=1", 2, "--stiffness needs springs"),
        ("skin box.glb -o a.obj --springs anchored --iterations -1", 2, "invalid value '-1'"),
        ("skin box.glb -o a.obj --springs anchored --exclude bon_1", 2, "'bone_1'"),
        (
            "skin box.glb -o a.obj --springs anchored --stiffness bones=1",
            2,
            "none of torque, bone,",
        ),
        ("skin box.glb -o a.obj --springs anchored --stiffness bone=-1", 2, "below zero"),
        ("skin box.glb -o a.glb --springs anchored --normals transformed", 2, "recomputed"),
        ("skin box.glb -o a.glb --method bone-smooth --normals transformed", 2, "recomputed"),
        ("skin bare.obj -o a.obj --springs anchored", 3, "springs need a skeleton"),
        ("measure box.glb box.glb --springs anchored", 2, "two files are compared as they are"),
    ] {
        let line = folder.fails(words, code);
        assert!(line.contains(part), "sinew {words}: {line}");
    }
    let all = (0..4).map(|bone| format!("--exclude bone_{bone} ")).collect::<String>();
    let line = folder.fails(&format!("skin box.glb -o a.obj --springs anchored {all}"), 2);
    assert!(line.contains("every joint is excluded"), "{line}");
    assert_eq!(folder.listing(), ["bare.obj", "box.glb"]);
}

/// Method and springs of every row.
fn columns(json: &Value) -> Vec<(String, String)> {
    let name = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = json["rows"].as_array().unwrap();
    rows.iter().map(|row| (name(&row["method"]), name(&row["springs"]))).collect()
}

#[test]
fn off_measures_methods_as_they_are_beside_each_model_from_its_own_start() {
    let folder = Folder::with_box();
    let measure = |flags: &str| folder.ok(&format!("measure box.glb {BENT} --json {flags}")).json();
    let expected = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|&(method, springs)| (method.to_owned(), springs.to_owned())).collect()
    };
    let beside = measure("--method linear,dual-quat --springs off,anchored,off");
    assert_eq!(
        columns(&beside),
        expected(&[("linear", "off"), ("dual-quat", "off"), ("bone-smooth", "anchored")])
    );
    let from = measure("--method linear,dual-quat --springs anchored");
    assert_eq!(columns(&from), expected(&[("linear", "anchored"), ("dual-quat", "anchored")]));
    let one = measure("--springs anchored");
    assert_eq!((&one["method"], &one["springs"]), (&"bone-smooth".into(), &"anchored".into()));
}

#[test]
fn a_sweep_with_springs_has_their_rows_summary_and_stats() {
    let folder = Folder::with_box();
    let sweep = "measure box.glb --sweep bone_1:x:0..90:45 --springs off,anchored --method linear";
    let csv = folder.ok(&format!("{sweep} --stats")).stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("method,springs,degrees,"), "{}", lines[0]);
    assert!(lines[0].ends_with(",max_jump,iterations,residual,deform_ms"), "{}", lines[0]);
    assert_eq!(lines.len(), 1 + 2 * 3);
    assert!(lines[1].starts_with("linear,off,0.0,"), "{}", lines[1]);
    assert!(lines[6].starts_with("bone-smooth,anchored,90.0,"), "{}", lines[6]);

    let json = folder.ok(&format!("{sweep} --json")).json();
    let summary = json["summary"].as_array().unwrap();
    assert_eq!(summary.len(), 2);
    assert_eq!(
        (&summary[1]["method"], &summary[1]["springs"]),
        (&"bone-smooth".into(), &"anchored".into())
    );
    let volume = |index: usize| summary[index]["min_volume_ratio"].as_f64().unwrap();
    assert!(volume(1) > 0.99 && volume(0) < 0.97, "{} {}", volume(1), volume(0));
    assert_eq!(json, folder.ok(&format!("{sweep} --json")).json(), "deterministic");
}

#[test]
fn measuring_springs_and_measuring_their_file_agree() {
    let folder = Folder::with_box();
    let flags = format!("{BENT} --springs anchored --iterations 30 --stiffness length=2");
    folder.ok(&format!("skin box.glb -o posed.obj {flags}"));
    let direct = folder.ok(&format!("measure box.glb {flags} --json")).json();
    let from_file = folder.ok("measure box.glb posed.obj --json").json();
    for key in ["volume_ratio", "max_stretch", "max_displacement"] {
        let (a, b) = (direct[key].as_f64().unwrap(), from_file[key].as_f64().unwrap());
        assert!((a - b).abs() < 1e-4 * a.abs().max(1.0), "{key}: {a} {b}");
    }
}
