//! What a careless or hostile user types.

use crate::common::Folder;

#[test]
fn a_missing_folder_is_named_and_no_temporary_file_is() {
    let folder = Folder::with_box();
    for words in
        ["sample box -o no/a.glb", "skin box.glb -o no/a.obj", "measure box.glb -o no/a.csv"]
    {
        let line = folder.fails(words, 5);
        assert!(line.contains("there is no folder") && !line.contains(".sinew-"), "{line}");
    }
    assert_eq!(folder.listing(), ["box.glb"]);
}

#[test]
fn a_negative_number_is_refused_for_what_it_is() {
    let folder = Folder::with_box();
    for words in [
        "sample box -o a.glb --points -5",
        "sample box -o a.glb --bones -1",
        "skin box.glb -o a.glb --normals recomputed --crease -1",
        "diff box.glb box.glb --tolerance -1",
    ] {
        let line = folder.fails(words, 2);
        assert!(line.contains("invalid value '-") && !line.contains("tip:"), "{line}");
    }
}

#[test]
fn a_sweep_may_run_down_with_or_without_a_sign() {
    let folder = Folder::with_box();
    let plain = folder.ok("measure box.glb --sweep bone_1:x:30..-30:15").stdout;
    assert_eq!(plain.lines().count(), 6);
    assert_eq!(folder.ok("measure box.glb --sweep bone_1:x:30..-30:-15").stdout, plain);
    let line = folder.fails("measure box.glb --sweep bone_1:x:0..90:-15", 2);
    assert!(line.contains("leads away from 90"), "{line}");
    let line = folder.fails("measure box.glb --sweep bone_1:x:0..1e300:1", 2);
    assert!(line.contains("more than 100000 steps") && line.len() < 300, "{line}");
    folder.fails("measure box.glb --sweep bone_1:x:0..90:0", 2);
}

#[test]
fn flags_that_would_do_nothing_are_refused() {
    let folder = Folder::with_box();
    let line = folder.fails("skin box.glb -o a.glb --crease 10", 2);
    assert!(line.contains("--normals recomputed"), "{line}");
    let line = folder.fails("measure box.glb box.glb --method linear", 2);
    assert!(line.contains("one file"), "{line}");
}

#[test]
fn a_method_named_twice_is_measured_once() {
    let folder = Folder::with_box();
    let run = folder.ok("measure box.glb --sweep bone_1:x:0..30:15 --method linear,linear --json");
    assert_eq!(run.json()["rows"].as_array().unwrap().len(), 3);
}

#[test]
fn a_file_without_meshes_is_not_written_as_an_empty_mesh() {
    let folder = Folder::new();
    folder.write("bones.gltf", r#"{"asset": {"version": "2.0"}, "nodes": [{"name": "bone"}]}"#);
    folder.ok("info bones.gltf");
    for words in
        ["skin bones.gltf -o a.obj", "convert bones.gltf a.obj", "convert bones.gltf a.ply"]
    {
        folder.fails(words, 3);
    }
    assert_eq!(folder.listing(), ["bones.gltf"]);
}

#[test]
fn joints_of_one_name_are_warned_about_when_that_name_is_turned() {
    let folder = Folder::with_box();
    // The same number of bytes, so that the GLB stays one.
    let mut glb = folder.read("box.glb");
    let at = glb.windows(8).position(|word| word == b"\"bone_2\"").unwrap();
    glb[at + 6] = b'1';
    folder.write("twins.glb", &glb);
    let run = folder.ok("skin twins.glb -o a.obj --rotate bone_1:x:5");
    assert!(run.stderr.contains("2 joints are named 'bone_1'"), "{}", run.stderr);
    let run = folder.ok("skin twins.glb -o a.obj --rotate bone_0:x:5");
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}

#[test]
fn a_mesh_format_is_not_said_to_hold_joints() {
    let folder = Folder::new();
    let run = folder.ok("sample box -o box.obj --points 200");
    let wrote = run.stderr.lines().last().unwrap();
    assert!(wrote.starts_with("wrote") && !wrote.contains("joint"), "{wrote}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_even_for_the_help() {
    let folder = Folder::with_box();
    for words in ["--help", "--version", "info box.glb", "sample --list"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(words.split(' '))
            .current_dir(folder.file("box.glb").parent().unwrap())
            .stdout(full)
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(5), "{words}");
    }
}
