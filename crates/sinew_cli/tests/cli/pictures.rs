//! `render`, `demo`, and what computes on the graphics adapter.

use std::path::Path;
use std::process::Command;

use crate::common::Folder;

/// Width and height from a PNG's header.
pub(crate) fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn a_picture_has_the_size_that_was_asked_for() {
    let folder = Folder::with_box();
    let run = folder.ok("render box.glb -o box.png --size 120x90 --device cpu");
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("box.png") && run.stderr.contains("the processor"),
        "{}",
        run.stderr
    );
    assert_eq!(png_size(&folder.read("box.png")), (120, 90));
}

#[test]
fn pictures_side_by_side_are_wider_and_a_pose_changes_them() {
    let folder = Folder::with_box();
    let common = "--size 100x100 --device cpu";
    folder.ok(&format!("render box.glb -o rest.png {common}"));
    folder.ok(&format!("render box.glb -o bent.png --rotate bone_1:x:90 {common}"));
    folder.ok(&format!(
        "render box.glb -o both.png --rotate bone_1:x:90 --compare linear,dual-quat,springs {common}"
    ));
    assert_ne!(folder.read("rest.png"), folder.read("bent.png"));
    assert!(png_size(&folder.read("both.png")).0 > 300);
}

#[test]
fn everything_that_can_be_shown_changes_the_picture() {
    let folder = Folder::with_box();
    let common = "--size 100x100 --device cpu --rotate bone_1:x:60";
    folder.ok("sample box -o cage.obj --points 200");
    folder.ok(&format!("render box.glb -o plain.png {common}"));
    let plain = folder.read("plain.png");
    for show in [
        "--show stretch",
        "--show weights:bone_1",
        "--show skeleton",
        "--show wireframe",
        "--show attachments",
        "--show cage --cage cage.obj",
        "--no-labels --show stretch",
    ] {
        folder.ok(&format!("render box.glb -o shown.png {common} {show}"));
        assert_ne!(folder.read("shown.png"), plain, "{show}");
    }
}

#[test]
fn a_gif_turns_or_plays_a_clip() {
    let folder = Folder::with_box();
    let common = "--size 60x60 --device cpu --fps 5";
    folder.ok(&format!("render box.glb -o turn.gif {common}"));
    folder.ok(&format!("render box.glb -o curl.gif --clip curl {common}"));
    folder.ok(&format!(
        "render box.glb -o swing.gif --clip curl --springs anchored --dynamics {common}"
    ));
    for name in ["turn.gif", "curl.gif", "swing.gif"] {
        let bytes = folder.read(name);
        assert_eq!(&bytes[..6], b"GIF89a", "{name}");
        // Graphic control extensions: one a frame.
        let frames = bytes.windows(3).filter(|w| *w == [0x21, 0xf9, 0x04]).count();
        assert!(frames >= 12, "{name} has {frames} frames");
    }
}

#[test]
fn what_cannot_be_drawn_says_why_and_writes_nothing() {
    let folder = Folder::with_box();
    for (words, part) in [
        ("render box.glb -o box.jpg", ".png or .gif"),
        ("render box.glb -o a.png --compare linear,springy", "springs"),
        ("render box.glb -o a.png --show bones", "skeleton"),
        ("render box.glb -o a.png --show weights:bone_9", "bone_"),
        ("render box.glb -o a.png --show stretch --show weights:bone_1", "one colour"),
        ("render box.glb -o a.png --show cage", "--cage"),
        ("render box.glb -o a.png --size 0x4", "pixels"),
        ("render box.glb -o a.png --view up", "front"),
        ("render box.glb -o a.png --turntable", ".gif"),
        ("render box.glb -o a.png --fps 20", ".gif"),
        ("render box.glb -o a.gif --fps 60 --clip curl", "--fps"),
        ("render box.glb -o a.png --iterations 9", "springs"),
        ("render box.glb -o a.gif --clip nothing", "curl"),
    ] {
        let line = folder.fails(words, 2);
        assert!(line.contains(part), "sinew {words}: {line}");
    }
    assert_eq!(folder.listing(), ["box.glb"]);
    folder.fails("render nothing.glb -o a.png", 3);
    folder.fails("render box.glb -o nowhere/a.png --device cpu --size 20", 5);
}

#[test]
fn a_demo_is_a_page_whose_pictures_are_all_there() {
    let folder = Folder::new();
    let run = folder.ok("demo -o tour --samples box,cylinder --device cpu");
    assert!(run.stderr.contains("index.html"), "{}", run.stderr);
    let page = String::from_utf8(folder.read("tour/index.html")).unwrap();
    let pictures: Vec<&str> =
        page.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    // Eight methods, shape and stretch, of two samples; four twists and a bend, with its stretch,
    // of four methods; Figures 4, 7 and 10 of springs; strokes: Figures 1, 8 and 9; seven figures
    // of cages, three of which move, too.
    let num_strokes = 2 + 7 + 3;
    assert_eq!(pictures.len(), 2 * 2 * 8 + 4 * 4 + 2 * 4 + 3 + 4 * 3 + 4 + num_strokes + (7 + 3));
    for picture in pictures {
        let bytes = folder.read(&format!("tour/{picture}"));
        if picture.ends_with(".gif") {
            assert!(bytes.starts_with(b"GIF89a"), "{picture}");
        } else {
            png_size(&bytes);
        }
    }
    assert_eq!(page.matches("<svg").count(), 6);
    assert!(
        !page.contains("http://") || page.contains("http://www.w3.org"),
        "nothing from elsewhere"
    );
    assert!(!page.contains("NaN") && !page.contains("https://"));
    let figures: serde_json::Value =
        serde_json::from_slice(&folder.read("tour/figures.json")).unwrap();
    assert_eq!(figures["samples"].as_array().map(Vec::len), Some(2));
    let springs = &figures["samples"][0]["methods"][7];
    assert_eq!(springs["method"], "anchored");
    assert_eq!(springs["figures"]["inverted_triangles"], 0, "{springs}");
    assert!(folder.fails("demo --samples sphere", 2).contains("cylinder"));
}

#[test]
fn a_demo_shows_the_tools_of_the_samples_that_are_wanted() {
    let folder = Folder::new();
    folder.ok("demo -o tour --samples arm --device cpu");
    let page = String::from_utf8(folder.read("tour/index.html")).unwrap();
    for (tool, is_shown) in
        [("cages", true), ("weights", true), ("motion", false), ("drivers", false)]
    {
        let section = format!("<section id=\"{tool}\">");
        assert_eq!(page.contains(&section), is_shown, "{tool}");
        assert_eq!(page.contains(&format!("<a href=\"#{tool}\">")), is_shown, "{tool}");
    }
    for picture in ["cage", "cage-rest", "cage-pose", "weights", "weights-bent"] {
        png_size(&folder.read(&format!("tour/tool-{picture}.png")));
    }
    assert!(page.contains("showModal"), "a click enlarges a picture");
}

#[test]
fn a_demo_does_not_write_over_a_file() {
    let folder = Folder::with_box();
    let line = folder.fails("demo -o box.glb", 2);
    assert!(line.contains("is a file"), "{line}");
}

/// Without any adapter, whatever the machine has: the loader is told of no driver.
fn without_adapter(folder: &Folder, words: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(words.split_whitespace())
        .current_dir(folder.file("box.glb").parent().unwrap_or(Path::new(".")))
        .env("VK_ICD_FILENAMES", "/no/such/driver.json")
        .env("VK_DRIVER_FILES", "/no/such/driver.json")
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_machine_without_an_adapter_says_so_with_exit_4_and_draws_on_the_processor() {
    let folder = Folder::with_box();
    for words in [
        "skin box.glb -o out.obj --device gpu",
        "render box.glb -o out.png --device gpu",
        "measure box.glb --rotate bone_1:x:90 --device gpu",
        "bench --device gpu",
    ] {
        let (code, words_said) = without_adapter(&folder, words);
        assert_eq!(code, Some(4), "sinew {words}: {words_said}");
        assert!(words_said.contains("--device cpu"), "{words_said}");
    }
    let (code, words_said) = without_adapter(&folder, "render box.glb -o out.png --size 40");
    assert_eq!(code, Some(0), "{words_said}");
    assert!(words_said.contains("the processor"), "{words_said}");
}
