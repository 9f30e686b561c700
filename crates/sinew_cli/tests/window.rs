//! The studio's real window, on a display of its own (Xvfb). Without one each test is reported as
//! ignored, unless `SINEW_REQUIRE_WINDOW` is set, as `cargo xtask test` does after it has installed
//! one.

mod mimic;

use std::io::BufRead as _;
use std::process::{Child, Command, ExitCode, Stdio};

use serde_json::json;
use sinew_view::camera::Size;
use sinew_view::perceptual::{self, Tolerance};
use sinew_view::picture::Picture;

/// Pixels may differ by this much in a channel: dithering and the driver's rounding. A moved arm
/// changes thousands by tens.
const SAME_CHANNEL: u8 = 3;

/// Frames and pictures by another device: edges are sampled at other places, and the card lays its
/// shadow maps around a box that it has estimated, so that a shadow's edge may fall beside the
/// processor's.
const OTHER_DEVICE: Tolerance = Tolerance { mean: 3e-3, worst_block: 6e-2, structure: 1e-2 };

fn main() -> ExitCode {
    let is_there = Command::new("Xvfb").arg("-help").output().is_ok();
    let is_ignored = !is_there && std::env::var_os("SINEW_REQUIRE_WINDOW").is_none();
    mimic::run(
        is_ignored,
        &[
            ("a_joint_turned_by_the_mouse_changes_the_picture_and_undo_brings_it_back", turning),
            ("what_is_saved_opens_again_as_the_same_picture", saving),
            ("card_and_processor_draw_the_same_views", devices),
            ("light_and_dark_fill_the_window_at_both_sizes", themes),
            ("a_script_that_cannot_go_on_says_where_and_exits_with_3", broken_script),
        ],
    )
}

/// A display that ends with the test.
struct Display {
    server: Child,
    name: String,
    folder: tempfile::TempDir,
}

impl Display {
    fn new() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        let output = server.stdout.take().expect("its output");
        std::io::BufReader::new(output).read_line(&mut number).expect("the display's number");
        let folder = tempfile::tempdir().expect("a folder");
        Self { server, name: format!(":{}", number.trim()), folder }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Plays a tour; the exit code and what it said.
    fn play(&self, words: &[&str], steps: &serde_json::Value) -> (Option<i32>, String) {
        let script = self.path("tour.json");
        let text = steps.to_string();
        sinew_io::write_atomically(&script, |file| {
            std::io::Write::write_all(file, text.as_bytes())
        })
        .expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .arg("studio")
            .args(words)
            .arg("--script")
            .arg(&script)
            .current_dir(self.folder.path())
            .env("DISPLAY", &self.name)
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env_remove("WAYLAND_DISPLAY")
            .output()
            .expect("the command starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn plays(&self, words: &[&str], steps: &serde_json::Value) {
        let (code, said) = self.play(words, steps);
        assert_eq!(code, Some(0), "{said}");
    }

    fn picture(&self, name: &str) -> image::RgbaImage {
        image::open(self.path(name)).expect("a screenshot").to_rgba8()
    }

    /// The view in a screenshot of 1280 × 800, without the panels around it.
    fn view(&self, name: &str) -> image::RgbaImage {
        image::imageops::crop_imm(&self.picture(name), 260, 60, 690, 640).to_image()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        _ = self.server.kill();
        _ = self.server.wait();
    }
}

/// Pixels that are not the same.
fn num_different(a: &image::RgbaImage, b: &image::RgbaImage) -> usize {
    assert_eq!(a.dimensions(), b.dimensions());
    let differs = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| {
        a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > SAME_CHANNEL)
    };
    a.pixels().zip(b.pixels()).filter(|&pair| differs(pair)).count()
}

fn screenshot(name: &str) -> serde_json::Value {
    json!({"do": "screenshot", "file": name})
}

fn turning() {
    let display = Display::new();
    display.plays(
        &["--size", "1280,800"],
        &json!([
            {"do": "click", "at": "upper_arm_l"},
            {"do": "hover", "at": [0.02, 0.02]},
            screenshot("before.png"),
            {"do": "drag", "from": {"ring": "side", "at_degrees": 30.0}, "to": [0.62, 0.3]},
            {"do": "hover", "at": [0.02, 0.02]},
            screenshot("turned.png"),
            {"do": "key", "key": "Z", "command": true},
            screenshot("undone.png"),
        ]),
    );
    assert_eq!(display.picture("before.png").dimensions(), (1280, 800));
    let [before, turned, undone] =
        ["before.png", "turned.png", "undone.png"].map(|name| display.view(name));
    assert!(num_different(&before, &turned) > 3000, "the arm has moved");
    assert_eq!(num_different(&before, &undone), 0, "the same picture after undo");
}

fn saving() {
    let display = Display::new();
    let character = display.path("box.glb");
    let made = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["sample", "box", "-o"])
        .arg(&character)
        .output()
        .expect("the command starts");
    assert!(made.status.success());
    let size = ["--size", "1280,800"];
    let project = display.path("work.sinew");
    display.plays(
        &size,
        &json!([
            {"do": "open", "file": character},
            screenshot("opened.png"),
            {"do": "edit", "edit": {"edit": "rotate-joint", "joint": "bone_1", "axis": "x", "degrees": 60.0}},
            {"do": "answer", "file": project},
            {"do": "command", "command": "save"},
            // Until the word that it was saved is gone.
            {"do": "wait", "seconds": 5.0},
            screenshot("saved.png"),
            {"do": "command", "command": "undo"},
            screenshot("undone.png"),
            // A project opens with all of its pose in view.
            {"do": "command", "command": "redo"},
            {"do": "wait", "seconds": 1.0},
            {"do": "command", "command": "frame-all"},
            {"do": "wait", "seconds": 1.0},
            screenshot("framed.png"),
            {"do": "command", "command": "undo"},
            // What is left unsaved would be asked about.
            {"do": "command", "command": "redo"},
            {"do": "command", "command": "save"},
            {"do": "wait", "seconds": 1.0},
        ]),
    );
    display.plays(
        &[&[project.to_str().expect("a path")], &size[..]].concat(),
        &json!([screenshot("again.png")]),
    );
    let names = ["opened.png", "saved.png", "undone.png", "framed.png", "again.png"];
    let [opened, saved, undone, framed, again] = names.map(|name| display.view(name));
    assert!(num_different(&opened, &saved) > 2000, "the box is bent");
    assert_eq!(num_different(&framed, &again), 0, "the same picture after opening again");
    assert_eq!(num_different(&opened, &undone), 0, "the same picture after undo");
}

fn picture_of(image: &image::RgbaImage) -> Picture {
    let size = Size { width: image.width(), height: image.height() };
    Picture::from_pixels(size, image.pixels().map(|pixel| pixel.0).collect())
}

/// The driver draws into textures of its own, which change their size with the window's parts.
fn devices() {
    let display = Display::new();
    let steps = |device: &str| {
        json!([
            screenshot(&format!("{device}-rest.png")),
            {"do": "edit", "edit": {"edit": "rotate-joint", "joint": "upper_arm_l", "axis": "z", "degrees": 40.0}},
            {"do": "command", "command": "compare-two"},
            screenshot(&format!("{device}-two.png")),
            {"do": "command", "command": "compare-one"},
            screenshot(&format!("{device}-one.png")),
        ])
    };
    for device in ["cpu", "gpu"] {
        display.plays(&["--device", device, "--size", "1280,800"], &steps(device));
    }
    let compared = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|name| picture_of(&display.view(name)));
        perceptual::compare(&a, &b).expect("windows of one size")
    };
    for views in ["rest", "one", "two"] {
        let difference = compared(&format!("cpu-{views}.png"), &format!("gpu-{views}.png"));
        assert!(OTHER_DEVICE.accepts(&difference), "{views}: {difference:?}");
    }
    let difference = compared("cpu-rest.png", "gpu-one.png");
    assert!(!OTHER_DEVICE.accepts(&difference), "an arm has moved: {difference:?}");
}

fn themes() {
    let display = Display::new();
    for (theme, is_dark) in [("light", false), ("dark", true)] {
        for (size, dimensions) in [("1280,800", (1280, 800)), ("1920,1080", (1920, 1080))] {
            let name = format!("{theme}-{}.png", dimensions.0);
            display.plays(&["--theme", theme, "--size", size], &json!([screenshot(&name)]));
            let picture = display.picture(&name);
            assert_eq!(picture.dimensions(), dimensions);
            let mean =
                |pixel: &image::Rgba<u8>| pixel.0[..3].iter().map(|&c| u64::from(c)).sum::<u64>();
            let sum: u64 = picture.pixels().map(mean).sum();
            let brightness = sum / (3 * u64::from(dimensions.0) * u64::from(dimensions.1));
            assert_eq!(brightness < 128, is_dark, "{theme}: {brightness}");
        }
    }
}

fn broken_script() {
    let display = Display::new();
    let (code, said) = display.play(&[], &json!([{"do": "select", "joint": "upper_arm"}]));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("upper_arm") && said.contains("upper_arm_l"), "{said}");
    let (code, said) = display.play(&[], &json!([{"do": "command", "command": "paste-pose"}]));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("No pose was copied"), "{said}");
}
