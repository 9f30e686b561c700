//! `sinew edit`: what the studio does, as a script.

use crate::common::{Folder, obj_points};

const BEND: &str = r#"[
    {"edit": "rotate-joint", "joint": "bone_1", "axis": "x", "degrees": 60},
    {"edit": "set-method", "method": "dual-quat"},
    {"edit": "store-pose", "name": "bent"}
]"#;

#[test]
fn edits_give_the_same_points_as_the_flags_of_skin() {
    let folder = Folder::with_box();
    folder.write("bend.json", BEND);
    folder.ok("edit box.glb bend.json -o edited.obj");
    folder.ok("skin box.glb -o flags.obj --rotate bone_1:x:60 --method dual-quat");
    assert_eq!(obj_points(&folder.read("edited.obj")), obj_points(&folder.read("flags.obj")));
    folder.write(
        "springs.json",
        r#"{"edits": [{"edit": "rotate-joint", "joint": "bone_1", "axis": "x", "degrees": 60},
            {"edit": "set-springs", "springs": {"model": "anchored", "iterations": 30}}]}"#,
    );
    folder.ok("edit box.glb springs.json -o edited.obj");
    folder.ok("skin box.glb -o flags.obj --rotate bone_1:x:60 --springs anchored --iterations 30");
    assert_eq!(obj_points(&folder.read("edited.obj")), obj_points(&folder.read("flags.obj")));
}

#[test]
fn a_project_goes_on_where_it_was_left_and_needs_no_other_file() {
    let folder = Folder::with_box();
    folder.write("bend.json", BEND);
    folder.ok("edit box.glb bend.json -o box.sinew");
    folder
        .write("back.json", r#"[{"edit": "reset-pose"}, {"edit": "recall-pose", "name": "bent"}]"#);
    std::fs::remove_file(folder.file("box.glb")).unwrap();
    folder.ok("edit box.sinew back.json -o there.sinew");
    assert_eq!(folder.read("box.sinew"), folder.read("there.sinew"));
}

#[test]
fn a_script_that_cannot_be_done_names_the_edit_and_writes_nothing() {
    let folder = Folder::with_box();
    for (script, words) in [
        (
            r#"[{"edit": "reset-pose"}, {"edit": "rotate-joint", "joint": "bone_7", "axis": "x", "degrees": 1}]"#,
            "edit 2 (Rotate bone_7): there is no joint 'bone_7'",
        ),
        (r#"[{"edit": "explode"}]"#, "edit 1: there is no edit 'explode'"),
        (r#"[{"edit": "reset-pose", "joint": "bone_1"}]"#, "unknown field `joint`"),
        (r#"{"pose": 1}"#, "must be a list of edits"),
        ("[", "EOF"),
    ] {
        folder.write("script.json", script);
        let run = folder.sinew("edit box.glb script.json -o out.sinew");
        assert_eq!(run.code, 3, "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert!(!folder.file("out.sinew").exists());
    }
    folder.write("broken.sinew", "PK hello");
    folder.write("none.json", "[]");
    let run = folder.sinew("edit broken.sinew none.json -o out.sinew");
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("not a Sinew project"), "{}", run.stderr);
}

#[test]
fn two_turns_keyed_in_a_script_are_in_the_character_that_is_written() {
    let folder = Folder::with_box();
    folder.write(
        "wring.json",
        r#"[{"edit": "add-motion", "name": "wring", "seconds": 1},
            {"edit": "set-keys", "motion": "wring", "channels": [
                {"channel": {"joint": "bone_1", "property": "twist"},
                 "keys": [{"seconds": 0, "value": 0}, {"seconds": 1, "value": 12.566370614359172}]}]}]"#,
    );
    folder.ok("edit box.glb wring.json -o wrung.glb --character");
    let table = folder.ok("measure wrung.glb --clip wring --fps 12 --json").stdout;
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 13);
    let volume = |frame: usize| rows[frame]["volume_ratio"].as_f64().unwrap();
    // Half a turn collapses linear blending; one and two whole turns are the rest to it.
    assert!(volume(0) > 0.999 && volume(12) > 0.999, "{table}");
    assert!((1..12).any(|frame| volume(frame) < 0.97));
    let summary = &table["summary"][0];
    let worst = summary["worst_seconds"].as_f64().unwrap();
    let at_worst = rows.iter().find(|row| row["seconds"].as_f64() == Some(worst)).unwrap();
    assert_eq!(at_worst["max_stretch"], summary["max_stretch"]);
    let run = folder.sinew("edit box.glb wring.json -o wrung.obj --character");
    assert_eq!(run.code, 2, "{}", run.stderr);
}
