//! `--stretch` and the `stretch` of pose files.

use crate::common::{Folder, obj_points};

/// Coordinates in files are decimal f32; the smallest step near 1 m is 6e-8.
const ROUNDING_METRES: f64 = 1e-6;

fn max_difference(folder: &Folder, a: &str, b: &str) -> f64 {
    folder.ok(&format!("diff {a} {b} --json")).json()["max_difference"].as_f64().unwrap()
}

fn height(folder: &Folder, flags: &str) -> f64 {
    folder.ok(&format!("skin box.glb -o out.obj {flags}"));
    let points = obj_points(&folder.read("out.obj"));
    let ys = points.iter().map(|p| p[1]);
    ys.clone().fold(f64::MIN, f64::max) - ys.fold(f64::MAX, f64::min)
}

#[test]
fn a_bone_twice_as_long_lengthens_the_box_by_one_bone() {
    let folder = Folder::with_box();
    let rest = height(&folder, "");
    // Bone-smooth keeps the caps' stretched distance to the bones around them, and so pushes them
    // out.
    for (method, tolerance) in
        [("rigid", 1e-6), ("linear", 1e-6), ("dual-quat", 1e-6), ("bone-smooth", 0.06)]
    {
        let longer = height(&folder, &format!("--stretch bone_1:2 --method {method}"));
        assert!((longer - rest * 1.25).abs() < tolerance * rest, "{method}: {rest} {longer}");
    }
    // A stretch is not inherited: the last bone adds as much as any other.
    let both = height(&folder, "--stretch bone_1:2 --stretch bone_3:2");
    assert!((both - rest * 1.5).abs() < 0.01 * rest, "{rest} {both}");
    assert!((height(&folder, "--stretch bone_1:1") - rest).abs() < ROUNDING_METRES);
}

#[test]
fn the_skin_keeps_its_distance_to_a_stretched_bone_or_the_limb_its_volume() {
    let folder = Folder::with_box();
    let measured = |flags: &str| {
        let words = format!("measure box.glb --stretch bone_1:1.5 {flags} --json");
        let figures = folder.ok(&words).json();
        ["min_attachment_ratio", "volume_ratio"].map(|key| figures[key].as_f64().unwrap())
    };
    for flags in ["--method linear", "--springs anchored --keep-volume 0"] {
        let [ratio, _] = measured(flags);
        assert!((0.98..=1.02).contains(&ratio), "{flags}: {ratio}");
    }
    let ([_, kept], [_, not_kept]) =
        (measured("--springs anchored"), measured("--springs anchored --keep-volume 0"));
    assert!(kept < not_kept - 0.05, "{kept} {not_kept}");
    let line = folder.fails("skin box.glb -o a.obj --springs anchored --keep-volume 2", 2);
    assert!(line.contains("not between 0 and 1"), "{line}");
}

#[test]
fn repeated_stretches_multiply_and_a_pose_file_says_the_same() {
    let folder = Folder::with_box();
    folder.write("pose.json", r#"{"joints": {"bone_1": {"stretch": 1.5, "rotate": [["x", 20]]}}}"#);
    folder.ok("skin box.glb -o file.obj --pose pose.json");
    folder.ok(
        "skin box.glb -o flag.obj --rotate bone_1:x:20 --stretch bone_1:3 --stretch bone_1:0.5",
    );
    assert!(max_difference(&folder, "file.obj", "flag.obj") < ROUNDING_METRES);
    folder.ok("skin box.glb -o back.obj --pose pose.json --rotate bone_1:x:-20 --stretch bone_1:0.6666666666666667");
    assert!(max_difference(&folder, "box.glb", "back.obj") < ROUNDING_METRES);
}

#[test]
fn a_sweep_runs_on_top_of_a_stretch() {
    let folder = Folder::with_box();
    let words = "measure box.glb --sweep bone_1:x:0..30:30 --stretch bone_1:2 --json";
    let rows = folder.ok(words).json()["rows"].clone();
    assert!(rows[0]["max_displacement"].as_f64().unwrap() > 0.1, "{rows}");
}

#[test]
fn what_is_no_stretch_is_refused() {
    let folder = Folder::with_box();
    for (flag, part) in [
        ("bone_1", "JOINT:FACTOR"),
        ("bone_1:0", "no stretch"),
        ("bone_1:-2", "no stretch"),
        ("bone_1:nan", "no stretch"),
        ("bon_1:2", "'bone_1'"),
    ] {
        let line = folder.fails(&format!("skin box.glb -o a.obj --stretch {flag}"), 2);
        assert!(line.contains(part), "{flag}: {line}");
    }
    folder.write("pose.json", r#"{"joints": {"bone_1": {"stretch": -1}}}"#);
    let line = folder.fails("skin box.glb -o a.obj --pose pose.json", 3);
    assert!(line.contains("'bone_1'") && line.contains("no stretch"), "{line}");
}
