//! The command on the graphics adapter. Without one each test is reported as ignored, unless
//! `SINEW_REQUIRE_GPU` is set, as `cargo xtask test` does after it has installed a software driver.

mod mimic;

use std::process::{Command, ExitCode, Output};

use serde_json::Value;

fn main() -> ExitCode {
    let is_ignored =
        sinew_gpu::Gpu::headless().is_err() && std::env::var_os("SINEW_REQUIRE_GPU").is_none();
    mimic::run(
        is_ignored,
        &[
            ("the_card_gives_the_same_skin", the_card_gives_the_same_skin),
            ("the_card_draws_the_same_picture", the_card_draws_the_same_picture),
            ("bench_tells_the_parts_of_a_frame_apart", bench_tells_the_parts_of_a_frame_apart),
        ],
    )
}

/// A folder with the box in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    sinew(&folder, "sample box -o box.glb --points 400");
    folder
}

fn sinew(folder: &tempfile::TempDir, words: &str) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(words.split_whitespace())
        .current_dir(folder.path())
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "sinew {words}: {said}");
    output
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON on stdout")
}

fn the_card_gives_the_same_skin() {
    // As the library's: springs after fifty iterations, the rest.
    for (deformation, tolerance) in [
        ("--method rigid", 2e-5),
        ("--method linear", 2e-5),
        ("--method dual-quat", 2e-5),
        ("--method center-of-rotation", 2e-5),
        ("--method bone-smooth", 2e-5),
        ("--springs anchored", 2e-4),
        ("--springs paper", 2e-4),
        ("--springs delta-mush", 2e-4),
    ] {
        let folder = folder();
        let pose = "--rotate bone_1:x:70 --rotate bone_2:twist:60";
        sinew(&folder, &format!("skin box.glb -o cpu.obj {pose} {deformation}"));
        let stats = json(&sinew(
            &folder,
            &format!("skin box.glb -o gpu.obj {pose} {deformation} --device gpu --stats --json"),
        ));
        assert_eq!(stats["device"], "gpu");
        for key in ["dispatch_ms", "read_back_ms"] {
            assert!(stats[key].as_f64().is_some_and(|ms| ms > 0.0), "{key}: {stats}");
        }
        let difference = json(&sinew(&folder, "diff cpu.obj gpu.obj --json"));
        let found = difference["max_over_diagonal"].as_f64().expect("a number");
        assert!(found <= tolerance, "{deformation}: {found:e} of the diagonal");
    }
}

fn the_card_draws_the_same_picture() {
    let folder = folder();
    let words = "render box.glb --size 96 --rotate bone_1:x:70 --show skeleton --show stretch";
    sinew(&folder, &format!("{words} -o cpu.png --device cpu"));
    sinew(&folder, &format!("{words} -o gpu.png --device gpu"));
    let pixels = |name: &str| {
        let bytes = std::fs::read(folder.path().join(name)).expect("a picture");
        image::load_from_memory(&bytes).expect("a PNG").into_rgb8().into_raw()
    };
    let (cpu, gpu) = (pixels("cpu.png"), pixels("gpu.png"));
    assert_eq!(cpu.len(), gpu.len());
    let sum: f64 = cpu.iter().zip(&gpu).map(|(&a, &b)| f64::from(a.abs_diff(b))).sum();
    // Edges are smoothed by other samples; a missing bone or another colour is ten times as much.
    assert!(sum / (cpu.len() as f64) < 1.5, "{} levels apart in the mean", sum / cpu.len() as f64);
}

fn bench_tells_the_parts_of_a_frame_apart() {
    let folder = folder();
    let output = sinew(&folder, "bench --device gpu --filter linear --budget 0 --json");
    let cases = json(&output)["gpu"]["cases"].as_array().cloned().unwrap_or_default();
    assert!(!cases.is_empty());
    for case in cases {
        for key in ["dispatch_ms", "compute_ms", "read_back_ms", "cpu_ms"] {
            assert!(case[key].as_f64().is_some_and(|ms| ms > 0.0), "{key}: {case}");
        }
    }
}
