//! Which files' weights an artist made, so that nearness to them says something.

use std::path::Path;

use sinew::Character;

/// A character of fewer points or joints says nothing.
const LEAST_POINTS: usize = 150;
const LEAST_JOINTS: usize = 4;

/// Files whose weights are no measure, by a part of their paths, and why.
const SCREENED: [(&str, &str); 7] = [
    ("CesiumMan_draco", "the same character as CesiumMan"),
    ("dembones_", "a program found its weights from shapes (Dem Bones), no artist"),
    ("max7_skin", "a tube that tests an exporter"),
    ("maya_dq_weights", "a tube that tests an exporter"),
    ("momentum_blender_simple", "a tube that tests a library"),
    ("momentum_test", "a body of 161 markers that tests a library"),
    ("webxr_generic_hand", "its joints are 25 roots, and poses turn none of them"),
];

pub(super) fn reason(path: &Path) -> Option<&'static str> {
    let path = path.to_string_lossy();
    SCREENED.iter().find(|(part, _)| path.contains(part)).map(|(_, why)| *why)
}

pub(super) fn is_large_enough(character: &Character) -> bool {
    let has_all = character.parts.iter().all(|part| part.weights.is_some());
    let mut used: Vec<u32> = Vec::new();
    for weights in character.parts.iter().filter_map(|part| part.weights.as_ref()) {
        used.extend(weights.rows().flatten().map(|influence| influence.joint));
    }
    used.sort_unstable();
    used.dedup();
    has_all && character.num_points() >= LEAST_POINTS && used.len() >= LEAST_JOINTS
}
