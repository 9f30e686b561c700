//! `skin --dynamics`: springs with inertia.

use crate::common::{Folder, obj_points};

/// Of the cylinder's diagonal: what tells a skin in motion from one that has settled.
const SETTLED: f64 = 1e-3;

fn with_cylinder() -> Folder {
    let folder = Folder::new();
    folder.ok("sample cylinder -o cylinder.glb --points 400");
    folder
}

fn max_over_diagonal(folder: &Folder, a: &str, b: &str) -> f64 {
    folder.ok(&format!("diff {a} {b} --json")).json()["max_over_diagonal"].as_f64().unwrap()
}

/// How far inertia takes the skin from where it would rest, over the diagonal.
fn lag(folder: &Folder, flags: &str) -> f64 {
    // Enough iterations that the static model has come to rest, which is where a motion ends.
    let common = format!("cylinder.glb --clip bend --iterations 1000 {flags}");
    folder.ok(&format!("skin {common} -o still.obj"));
    folder.ok(&format!("skin {common} -o moving.obj --dynamics"));
    max_over_diagonal(folder, "still.obj", "moving.obj")
}

#[test]
fn a_skin_in_motion_lags_and_settles_where_the_static_one_is() {
    let folder = with_cylinder();
    // On top of the clip, which ends at rest at 2 s: a settled skin that had lost the rotation
    // would be far off.
    for on_top in ["", "--rotate bone_1:x:40 --stretch bone_1:1.2"] {
        let at =
            |seconds: f64| lag(&folder, &format!("--springs anchored --time {seconds} {on_top}"));
        let (start, fast, settled) = (at(0.0), at(0.7), at(8.0));
        assert!(start < SETTLED, "at rest when the clip starts {on_top}: {start}");
        assert!(fast > 10.0 * SETTLED, "behind when it is fast {on_top}: {fast}");
        assert!(settled < SETTLED, "settled long after its end {on_top}: {settled}");
    }
}

#[test]
fn the_papers_springs_have_inertia_too() {
    let folder = with_cylinder();
    let at = |seconds: f64| lag(&folder, &format!("--springs paper --time {seconds}"));
    assert!(at(1.3) > 10.0 * SETTLED, "{}", at(1.3));
}

#[test]
fn the_rate_of_frames_refines_a_motion_and_does_not_change_its_kind() {
    let folder = with_cylinder();
    let run = |name: &str, fps: &str| {
        let flags = "--clip bend --time 0.7 --springs anchored --dynamics";
        folder.ok(&format!("skin cylinder.glb -o {name} {flags} {fps}"));
    };
    run("default.obj", "");
    run("30.obj", "--fps 30");
    run("120.obj", "--fps 120");
    run("4.obj", "--fps 4");
    assert_eq!(folder.read("default.obj"), folder.read("30.obj"));
    let finer = max_over_diagonal(&folder, "30.obj", "120.obj");
    let coarser = max_over_diagonal(&folder, "30.obj", "4.obj");
    assert!(finer > 0.0 && finer < 0.5 * coarser, "{finer} {coarser}");
}

#[test]
fn stats_count_the_substeps_of_all_frames() {
    let folder = with_cylinder();
    let flags = "skin cylinder.glb -o out.obj --clip bend --springs anchored --dynamics --stats";
    let substeps = |seconds: f64| {
        let stats = folder.ok(&format!("{flags} --json --time {seconds}")).json();
        assert!(stats["residual"].is_null(), "{stats}");
        stats["iterations"].as_u64().unwrap()
    };
    let (none, half, whole) = (substeps(0.0), substeps(0.5), substeps(1.0));
    assert_eq!((none, whole), (0, 2 * half));
    assert!(half >= 15, "at least one a frame: {half}");
    let words = folder.ok(flags).stdout;
    assert!(words.contains("iterations") && !words.contains("residual"), "{words}");
}

#[test]
fn what_has_no_springs_is_posed_at_the_last_moment() {
    let folder = Folder::new();
    crate::springs::write_two_meshes(&folder);
    let points = |flags: &str| {
        folder.ok(&format!("skin two.glb -o out.obj --clip curl --time 0.7 {flags}"));
        obj_points(&folder.read("out.obj"))
    };
    let stage = points("--springs anchored --shells 0 --stiffness volume=0 --iterations 0");
    // The two lie in one place: tied, the one would go with the other; and one swell is for all.
    let moving =
        points("--springs anchored --shells 0 --stiffness volume=0 --springs-on right --dynamics");
    let both = points("--springs anchored --shells 0 --stiffness volume=0 --dynamics");
    let half = stage.len() / 2;
    assert_eq!(moving[..half], stage[..half], "the left one has no springs");
    assert_eq!(moving[half..], both[half..], "the right one moves as it would anyway");
    assert_ne!(moving[half..], stage[half..]);
}

#[test]
fn what_cannot_be_run_is_refused_and_says_what_to_do() {
    let folder = with_cylinder();
    for (flags, part) in [
        ("--clip bend --springs delta-mush --dynamics", "use --springs anchored or paper"),
        ("--clip bend --dynamics", "add --springs anchored or paper"),
        ("--clip bend --springs off --dynamics", "add --springs anchored or paper"),
        ("--springs anchored --dynamics", "--clip <NAME>"),
        ("--clip bnd --springs anchored --dynamics", "'bend'"),
        ("--clip bend --springs anchored --fps 30", "--dynamics"),
        ("--clip bend --springs anchored --dynamics --fps 0", "between 4 and 10000"),
        ("--clip bend --springs anchored --dynamics --time -1", "from 0 on"),
        ("--clip bend --springs anchored --dynamics --time 1e9", "an earlier --time"),
    ] {
        let line = folder.fails(&format!("skin cylinder.glb -o a.obj {flags}"), 2);
        assert!(line.contains(part), "{flags}: {line}");
    }
    assert_eq!(folder.listing(), ["cylinder.glb"]);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_long_motion_with_nothing_written() {
    let folder = with_cylinder();
    let flags = "--clip bend --springs anchored --dynamics --time 30000";
    // 900,000 frames: far from done when it is stopped.
    let output = folder.interrupted(&format!("skin cylinder.glb -o a.obj {flags}"));
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(folder.listing(), ["cylinder.glb"]);
}
