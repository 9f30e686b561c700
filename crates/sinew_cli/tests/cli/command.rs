//! The command as a whole: what it says without a verb, its help, and its exit codes.

#[cfg(unix)]
use std::io::{BufRead as _, BufReader, Read as _};

use crate::common::Folder;
#[cfg(unix)]
use crate::common::interrupt;

const VERBS: [&str; 14] = [
    "studio", "sample", "info", "check", "convert", "retarget", "bind", "skin", "measure", "diff",
    "edit", "render", "demo", "bench",
];

#[cfg(unix)]
#[test]
fn without_a_verb_and_a_display_it_says_so_and_begins_the_demo() {
    let folder = Folder::new();
    for words in ["", "studio"] {
        let mut child = folder.start(words);
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut stderr = String::new();
        // Once it talks, it works.
        lines.read_line(&mut stderr).unwrap();
        interrupt(&child);
        lines.read_to_string(&mut stderr).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(stderr.starts_with("there is no display to open the studio on"), "{stderr}");
        assert!(stderr.contains("sinew demo"), "{stderr}");
        assert_eq!(output.status.code(), Some(130), "{stderr}");
    }
}

#[test]
fn a_tour_needs_a_display_and_a_script_that_can_be_read() {
    let folder = Folder::new();
    folder.write("tour.json", r#"[{"do": "command", "command": "frame-all"}]"#);
    folder.write("typo.json", r#"[{"do": "command", "command": "frame-al"}]"#);
    assert!(folder.fails("studio --script tour.json", 4).contains("no display"));
    let words = folder.fails("studio --script typo.json", 3);
    assert!(words.contains("typo.json") && words.contains("step 1"), "{words}");
    assert!(folder.fails("studio missing.glb", 3).contains("missing.glb"));
    folder.fails("studio --size 10,10", 2);
}

#[test]
fn every_verb_has_a_help_with_examples_on_stdout() {
    let folder = Folder::new();
    for verb in VERBS {
        let run = folder.ok(&format!("{verb} --help"));
        assert!(run.stdout.contains(&format!("sinew {verb} ")), "{}", run.stdout);
        assert!(run.stdout.contains("Examples:"), "{verb}");
        assert_eq!(run.stderr, "");
    }
    let all = folder.ok("--help").stdout;
    for verb in VERBS {
        assert!(all.contains(verb), "{all}");
    }
}

#[test]
fn the_version_is_the_packages_own() {
    let run = Folder::new().ok("--version");
    assert_eq!(run.stdout, format!("sinew {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn bad_usage_is_one_line_on_stderr_and_exit_2() {
    let folder = Folder::with_box();
    for words in [
        "no-such-verb",
        "info",
        "info box.glb --jsn",
        "skin box.glb",
        "skin box.glb -o out.obj --method cubic",
        "skin box.glb -o out.obj --device tpu",
        "skin box.glb -o out.obj --time 1",
        "skin box.glb -o out.obj --clip a --pose b.json",
        "skin box.glb -o out.obj --rotate elbow",
        "skin box.glb -o out.obj --json",
        "skin box.glb -o out.xyz",
        "convert box.glb box.fbx",
        "convert box.glb box.obj --quantize",
        "convert box.glb box.ply --meshopt",
        "sample box",
        "sample sphere -o sphere.glb",
        "sample box -o box2.glb --points 1",
        "sample --list -o box.glb",
        "measure box.glb --sweep nowhere:x:0..90",
        "measure box.glb box.glb --rotate bone:x:3",
        "measure box.glb box.glb box.glb",
        "diff box.glb",
        "diff box.glb box.glb --tolerance -1",
        "check box.glb --fail-on everything",
        "bench --filter no-such-case",
        "bench --threads 0",
    ] {
        let line = folder.fails(words, 2);
        assert!(line.len() > "error: ".len() + 10, "{words}: {line}");
    }
    assert_eq!(folder.listing(), ["box.glb"], "nothing was written");
}

#[test]
fn bad_input_is_exit_3_and_names_the_file() {
    let folder = Folder::with_box();
    folder.write("broken.glb", "glTF nonsense");
    folder.write("picture.png", [0x89, b'P', b'N', b'G']);
    for words in [
        "info missing.glb",
        "info broken.glb",
        "check broken.glb",
        "convert broken.glb out.obj",
        "skin broken.glb -o out.obj",
        "measure broken.glb broken.glb",
        "diff box.glb broken.glb",
        "info picture.png",
    ] {
        let line = folder.fails(words, 3);
        let file = ["missing.glb", "broken.glb", "picture.png"].iter().find(|f| words.contains(*f));
        assert!(line.contains(file.unwrap()), "{words}: {line}");
    }
    assert!(!folder.file("out.obj").exists());
}

#[test]
fn what_cannot_be_written_is_exit_5_and_the_old_file_survives() {
    let folder = Folder::with_box();
    let line = folder.fails("skin box.glb -o no/such/folder/out.obj", 5);
    assert!(line.contains("no/such/folder/out.obj"), "{line}");
    folder.fails("sample box -o no/such/folder/box.glb", 5);
    folder.fails("convert box.glb no/such/folder/box.obj", 5);
    folder.fails("measure box.glb -o no/such/folder/box.csv", 5);

    std::fs::create_dir(folder.file("taken.obj")).unwrap();
    folder.fails("skin box.glb -o taken.obj", 5);
    assert_eq!(folder.listing(), ["box.glb", "taken.obj"], "no temporary file is left");
}

#[test]
fn a_failed_run_leaves_an_existing_output_as_it_was() {
    let folder = Folder::with_box();
    folder.write("out.obj", "precious");
    folder.write("broken.glb", "glTF nonsense");
    folder.fails("skin broken.glb -o out.obj", 3);
    folder.fails("convert broken.glb out.obj", 3);
    folder.fails("skin box.glb -o out.obj --rotate nobody:x:10", 2);
    folder.fails("sample box -o out.obj --points 1", 2);
    assert_eq!(folder.read("out.obj"), b"precious");
    folder.ok("skin box.glb -o out.obj");
    assert_ne!(folder.read("out.obj"), b"precious");
}

#[test]
fn quiet_says_nothing_but_errors() {
    let folder = Folder::with_box();
    assert_ne!(folder.ok("skin box.glb -o out.obj").stderr, "");
    for words in ["--quiet skin box.glb -o out.obj", "convert -q box.glb out.obj"] {
        let run = folder.ok(words);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{words}");
    }
    folder.fails("--quiet info missing.glb", 3);
}

#[test]
fn no_colour_reaches_a_pipe() {
    let folder = Folder::with_box();
    for words in ["--help", "info missing.glb", "info box.glb", "convert box.glb box.obj"] {
        let run = folder.sinew(words);
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_long_sweep_cleanly_with_nothing_written() {
    let folder = Folder::with_box();
    let joint = folder.ok("info box.glb --json").json()["joints"]["names"][1].clone();
    let sweep = format!("{}:x:0..90:0.001", joint.as_str().unwrap());
    // 90,000 steps: far from done when it is stopped.
    let output = folder.interrupted(&format!("measure box.glb --sweep {sweep} -o sweep.csv"));
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(output.stdout, b"");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "error: stopped; nothing was written\n");
    assert_eq!(folder.listing(), ["box.glb"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::with_box();
    let mut child = folder.start("info box.glb --json");
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
