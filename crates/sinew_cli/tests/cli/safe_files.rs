//! Files that are not to be lost: protected ones, half written ones, results that are no numbers.

use crate::common::Folder;

#[cfg(unix)]
#[test]
fn a_read_only_file_is_replaced_only_by_force() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with_box();
    folder.write("none.json", "[]");
    for (name, words) in [
        ("a.glb", "convert box.glb a.glb"),
        ("a.gltf", "convert box.glb a.gltf"),
        ("a.obj", "skin box.glb -o a.obj"),
        ("s.glb", "sample box -o s.glb"),
        ("e.obj", "edit box.glb none.json -o e.obj"),
        ("e.glb", "edit box.glb none.json -o e.glb"),
        ("e.sinew", "edit box.glb none.json -o e.sinew"),
    ] {
        folder.write(name, "protected");
        let read_only = std::fs::Permissions::from_mode(0o444);
        std::fs::set_permissions(folder.file(name), read_only).unwrap();
        let before = folder.listing();
        let line = folder.fails(words, 5);
        assert!(line.contains("read-only") && line.contains("--force"), "{line}");
        assert_eq!(folder.read(name), b"protected", "{name}");
        assert_eq!(folder.listing(), before, "nothing else was written");
        folder.ok(&format!("{words} --force"));
        assert_ne!(folder.read(name), b"protected", "{name}");
        let mode = std::fs::metadata(folder.file(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o444, "it stays as protected");
    }
}

#[test]
fn a_result_that_is_no_number_is_bad_input_and_the_words_fit() {
    let folder = Folder::with_box();
    let pose = r#"{"joints": {"bone_1": {"stretch": 1e308, "scale": [1.3, 1.2, 1]}}}"#;
    folder.write("pose.json", pose);
    for output in ["a.glb", "a.obj", "a.ply"] {
        let line = folder.fails(&format!("skin box.glb -o {output} --pose pose.json"), 3);
        assert!(line.contains("is not a number") && line.contains("stretch"), "{line}");
        assert!(!folder.file(output).exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_sample_that_takes_long_stops_and_leaves_nothing() {
    let folder = Folder::new();
    // Half a minute of work that asks nobody whether it should go on.
    let output = folder.interrupted("sample human -o human.glb --points 200000");
    assert_eq!(output.status.code(), Some(130));
    assert!(folder.listing().is_empty());
}

#[test]
fn a_posed_character_keeps_the_materials_of_its_file() {
    let folder = Folder::with_box();
    let read = |name: &str| {
        let glb = folder.read(name);
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice::<serde_json::Value>(&glb[20..20 + length]).unwrap()
    };
    let run = folder.ok("skin box.glb -o posed.glb --rotate bone_1:x:60");
    assert_eq!(read("posed.glb")["materials"], read("box.glb")["materials"]);
    assert!(run.stderr.contains("none of the source's 1 skins"), "{}", run.stderr);
}

#[test]
fn a_second_conversion_is_the_first() {
    let folder = Folder::new();
    folder.ok("sample human -o human.glb");
    folder.ok("convert human.glb a.glb");
    folder.ok("convert a.glb b.glb");
    assert!(folder.read("a.glb") == folder.read("b.glb"));
}
