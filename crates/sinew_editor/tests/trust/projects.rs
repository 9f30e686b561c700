//! Projects that somebody made to do harm.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use sinew_editor::{Edit, Editor, project};
use zip::CompressionMethod;

use crate::common::document;
use crate::put;

fn text() -> Value {
    let bytes = project::to_bytes(&document()).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    serde_json::from_reader(archive.by_name("project.json").unwrap()).unwrap()
}

fn packed(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in entries {
        let options = options.compression_method(CompressionMethod::Deflated);
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn with_text(text: &Value) -> Vec<u8> {
    packed(&[("project.json", text.to_string().as_bytes())])
}

fn fault(bytes: &[u8], folder: Option<&Path>) -> String {
    project::open(bytes, folder).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn links_stay_below_the_projects_folder_and_name_ordinary_files() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("inner");
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    let triangle = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for path in [outer.path().join("secret.obj"), folder.join("sub/near.obj")] {
        put(&path, triangle);
    }
    let linked = |link: &str| {
        let mut text = text();
        text["character"] = json!({ "link": link });
        text["state"]["pose"] = json!({});
        with_text(&text)
    };
    assert!(project::open(&linked("sub/near.obj"), Some(&folder)).is_ok());
    let absolute = outer.path().join("secret.obj");
    for bad in ["../secret.obj", absolute.to_str().unwrap(), "/dev/zero", "sub", "sub/none.obj"] {
        let words = fault(&linked(bad), Some(&folder));
        assert!(words.contains(&format!("names '{bad}'")), "{words}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path(), folder.join("out")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.join("zero.obj")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join("fifo.obj")).status();
        assert!(made.unwrap().success());
        for bad in ["out/secret.obj", "zero.obj", "fifo.obj"] {
            let words = fault(&linked(bad), Some(&folder));
            assert!(words.contains(&format!("names '{bad}'")), "{words}");
        }
    }
}

#[test]
fn what_unpacks_to_more_than_the_file_justifies_is_refused() {
    let zeros = vec![0_u8; 64 << 20];
    let mut text = text();
    text["character"] = json!({ "file": "character/a.glb", "format": "glb" });
    let bomb =
        packed(&[("project.json", text.to_string().as_bytes()), ("character/a.glb", &zeros)]);
    assert!(bomb.len() < 1 << 20);
    let words = fault(&bomb, None);
    assert!(words.contains("'character/a.glb' unpacks to more than"), "{words}");
    let mut spaces = text.to_string().into_bytes();
    spaces.resize(64 << 20, b' ');
    let words = fault(&packed(&[("project.json", &spaces)]), None);
    assert!(words.contains("'project.json' unpacks to more than"), "{words}");
}

#[test]
fn a_text_of_little_but_numbers_is_refused_before_it_is_understood() {
    let numbers = format!("{{\"sinew_project\": 2, \"extra\": [{}0]}}", "0,".repeat(3_000_000));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let options = options.compression_method(CompressionMethod::Stored);
    archive.start_file("project.json", options).unwrap();
    archive.write_all(numbers.as_bytes()).unwrap();
    let words = fault(&archive.finish().unwrap().into_inner(), None);
    assert!(words.contains("values in"), "{words}");
    let script = format!("[{}0]", "0,".repeat(3_000_000));
    assert!(sinew_editor::read_edits(&script).unwrap_err().contains("values in"));
    let pose = format!("{{\"joints\": [{}0]}}", "0,".repeat(3_000_000));
    assert!(sinew_editor::pose_file::PoseFile::parse(&pose).unwrap_err().contains("values in"));
}

#[test]
fn settings_have_the_same_limits_in_projects_and_in_edits() {
    for (what, springs) in [
        ("iterations", json!({ "iterations": 4_294_967_295_u32 })),
        ("iterations", json!({ "iterations": 100_001 })),
        ("smoothings", json!({ "attach": { "smoothings": 4_000_000_000_u32 } })),
        ("smoothings", json!({ "attach": { "smoothings": 1001 } })),
        ("contractions", json!({ "attach": { "contractions": 1001 } })),
        ("step_seconds", json!({ "model": "paper", "step_seconds": 1.5 })),
        ("keep_volume", json!({ "keep_volume": 1.5 })),
    ] {
        let mut text = text();
        text["state"]["rig"]["springs"] = springs.clone();
        let words = fault(&with_text(&text), None);
        assert!(words.contains(what), "{what}: {words}");
        let edit: Edit =
            serde_json::from_value(json!({ "edit": "set-springs", "springs": springs })).unwrap();
        let words = Editor::new(document()).apply(edit).unwrap_err().to_string();
        assert!(words.contains(what), "{what}: {words}");
    }
}
