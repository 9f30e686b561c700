//! Golden images: every sample in a pose, every overlay and heat map, compared with what was looked
//! at and kept.
//!
//! A picture that is missing or different fails, and the picture as it is now lies beside the
//! difference in `target/tmp/golden/`. Only `SINEW_BLESS=1` writes the kept ones, and a run that
//! does fails too: no run both keeps and passes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "golden/cases.rs"]
mod cases;

use std::fs;
use std::path::{Path, PathBuf};

use sinew_view::camera::Size;
use sinew_view::encode::png;
use sinew_view::perceptual::{Tolerance, compare, difference_picture};
use sinew_view::picture::Picture;

use cases::{CASES, Case};

fn kept_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn is_blessing() -> bool {
    std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1")
}

fn read(path: &Path) -> Option<Picture> {
    let image = image::load_from_memory(&fs::read(path).ok()?).ok()?.to_rgba8();
    let size = Size { width: image.width(), height: image.height() };
    Some(Picture::from_pixels(size, image.pixels().map(|pixel| pixel.0).collect()))
}

#[expect(clippy::disallowed_methods, reason = "half a picture of a test does no harm")]
fn write(path: &Path, picture: &Picture) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, png(picture).unwrap()).unwrap();
}

/// What is wrong with a case; `None` if nothing is.
fn complaint(case: &Case) -> Option<String> {
    let name = case.name;
    let kept_path = kept_folder().join(format!("{name}.png"));
    let found = (case.draw)();
    if is_blessing() {
        write(&kept_path, &found);
        return Some(format!("{name}: kept as {}", kept_path.display()));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden");
    let now = folder.join(format!("{name}.now.png"));
    let Some(kept) = read(&kept_path) else {
        write(&now, &found);
        return Some(format!("{name}: no kept picture; look at {}", now.display()));
    };
    let difference = compare(&kept, &found);
    if difference.is_some_and(|difference| Tolerance::SAME_RENDERER.accepts(&difference)) {
        return None;
    }
    write(&now, &found);
    if let Some(picture) = difference_picture(&kept, &found) {
        write(&folder.join(format!("{name}.difference.png")), &picture);
    }
    Some(format!("{name}: {difference:?}; look at {}", now.display()))
}

#[test]
fn every_picture_is_the_one_that_was_kept() {
    let complaints: Vec<String> = CASES.iter().filter_map(complaint).collect();
    assert!(
        complaints.is_empty(),
        "{} of {} golden images{}:\n{}\nLook at them; if they are right, keep them with SINEW_BLESS=1, and run again without.",
        complaints.len(),
        CASES.len(),
        if is_blessing() { " were written by this run, which therefore fails" } else { " differ" },
        complaints.join("\n")
    );
}

#[test]
fn every_kept_picture_is_of_a_case_and_small() {
    for entry in fs::read_dir(kept_folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "png") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(CASES.iter().any(|case| case.name == name), "no case draws {name}");
            let bytes = fs::metadata(&path).unwrap().len();
            // A veil over a texture is the busiest.
            assert!(bytes < 20_000, "{name} has {bytes} bytes");
        }
    }
}

/// The negative control: a comparison that cannot fail proves nothing.
#[test]
fn an_elbow_three_degrees_off_is_not_the_golden_image() {
    let (right, off) = cases::arm_bent_by(60.0, 63.0);
    let difference = compare(&right, &off).unwrap();
    assert!(!Tolerance::SAME_RENDERER.accepts(&difference), "{difference:?}");
    assert!(!Tolerance::OTHER_RENDERER.accepts(&difference), "{difference:?}");
}
