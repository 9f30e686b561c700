//! Real files are posed as a plain evaluation of their JSON says.

use std::path::{Path, PathBuf};

use glam::DVec3;
use sinew::Character;
use sinew_io::read_character;

use crate::Test;
use crate::common::data;
use crate::plain::{TOLERANCE_OVER_DIAGONAL, posed, worst};

pub(crate) const TESTS: &[Test] = &[
    ("real_files_pose_as_a_plain_evaluation_says", real_files_pose_as_a_plain_evaluation_says),
    (
        "a_file_compressed_with_draco_poses_as_its_uncompressed_twin",
        a_file_compressed_with_draco_poses_as_its_uncompressed_twin,
    ),
];

/// Of Draco's quantisation to 11 to 14 bits.
const DRACO_TOLERANCE_OVER_DIAGONAL: f64 = 2e-3;

fn real_files_pose_as_a_plain_evaluation_says(folder: &Path) {
    let mut failures = Vec::new();
    let mut largest = 0.0_f64;
    let files = data::readable_files(folder);
    for path in &files {
        let (distance, what) = worst(path);
        eprintln!("{:.1e}  {}  ({what})", distance, path.display());
        largest = largest.max(distance);
        if distance.is_nan() || distance > TOLERANCE_OVER_DIAGONAL {
            failures.push(format!("{}: {distance:.1e} of the diagonal, {what}", path.display()));
        }
    }
    eprintln!("{} files, at most {largest:.1e} of the diagonal", files.len());
    assert!(failures.is_empty(), "{failures:#?}");
}

fn a_file_compressed_with_draco_poses_as_its_uncompressed_twin(folder: &Path) {
    let files = data::readable_files(folder);
    let read = |name: &str| {
        let path: Option<&PathBuf> = files.iter().find(|path| path.ends_with(name));
        let path = path.unwrap_or_else(|| panic!("there is no {name}"));
        read_character(path).unwrap().character
    };
    for (plain, compressed) in [
        ("CesiumMan.glb", "CesiumMan_draco/CesiumMan.gltf"),
        ("RiggedSimple.glb", "RiggedSimple_draco/RiggedSimple.gltf"),
    ] {
        let (plain, compressed) = (read(plain), read(compressed));
        assert_eq!(plain.num_triangles(), compressed.num_triangles());
        let seconds = 0.4 * plain.clips[0].duration_seconds();
        let all = |c: &Character| -> Vec<DVec3> {
            posed(c, Some(&c.clips[0]), seconds).concat().iter().map(|p| p.as_dvec3()).collect()
        };
        let (a, b) = (all(&plain), all(&compressed));
        let diagonal = f64::from(plain.bounds().diagonal());
        // Draco reorders vertices: every one must have a partner, both ways.
        let far = |from: &[DVec3], to: &[DVec3]| {
            let nearest =
                |p: &DVec3| to.iter().map(|q| p.distance(*q)).fold(f64::INFINITY, f64::min);
            from.iter().map(nearest).fold(0.0, f64::max) / diagonal
        };
        let (there, back) = (far(&a, &b), far(&b, &a));
        eprintln!("{there:.1e} and {back:.1e} of the diagonal");
        assert!(there.max(back) < DRACO_TOLERANCE_OVER_DIAGONAL);
    }
}
