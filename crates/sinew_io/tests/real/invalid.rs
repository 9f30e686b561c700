//! Files that break the rules, of other projects (glTF-Validator, glTF-Asset-Generator, assimp,
//! tinygltf): refused, or reported with the spot, quickly and in little memory.

use std::path::Path;

use sinew_io::read_character;

use crate::Test;
use crate::bounds::alone;
use crate::common::data;
use crate::faults::{bounded, warnings};

pub(crate) const TESTS: &[Test] = &[
    (
        "every_case_with_validator_errors_is_refused_or_reported",
        every_case_with_validator_errors_is_refused_or_reported,
    ),
    ("cases_without_validator_errors_are_read", cases_without_validator_errors_are_read),
    (
        "broken_files_of_other_projects_are_refused_or_reported",
        broken_files_of_other_projects_are_refused_or_reported,
    ),
];

/// The spots of the errors that the validator's own report beside the file lists; `None` without
/// one. Spots are entries of the top arrays (`nodes[3]`), bytes of the container, or empty for the
/// document as a whole.
fn validator_errors(path: &Path) -> Option<Vec<String>> {
    let mut report = path.as_os_str().to_owned();
    report.push(".report.json");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(report).ok()?).unwrap();
    let messages = json["issues"]["messages"].as_array().unwrap();
    let errors = messages.iter().filter(|message| message["severity"] == 0);
    let spot = |message: &serde_json::Value| {
        let pointer = message["pointer"].as_str().unwrap_or_default();
        let mut words = pointer.split('/').skip(1);
        match (words.next(), words.next()) {
            (Some(list), Some(index)) if index.parse::<usize>().is_ok() => {
                format!("{list}[{index}]")
            }
            (Some(name), _) => name.to_owned(),
            _ => String::new(),
        }
    };
    Some(errors.map(spot).collect())
}

fn every_case_with_validator_errors_is_refused_or_reported(folder: &Path) {
    let _alone = alone();
    let (mut silent, mut num_cases) = (Vec::new(), 0);
    for path in data::files(folder) {
        let Some(errors) = validator_errors(&path) else { continue };
        let label = path.strip_prefix(folder).unwrap().display().to_string();
        let size = std::fs::metadata(&path).unwrap().len() as usize;
        let result = bounded(&label, size, || read_character(&path));
        if errors.is_empty() {
            continue;
        }
        num_cases += 1;
        let said = match &result {
            Ok(loaded) => warnings(loaded),
            Err(error) => vec![error.to_string()],
        };
        let is_noticed = said.iter().any(|line| errors.iter().any(|spot| line.contains(spot)));
        if !is_noticed {
            silent.push((label, errors, said));
        }
    }
    assert!(num_cases > 50, "only {num_cases} cases: are the reports there?");
    assert!(silent.is_empty(), "neither refused nor reported at the spot: {silent:#?}");
}

fn cases_without_validator_errors_are_read(folder: &Path) {
    let _alone = alone();
    for path in data::files(folder)
        .iter()
        .filter(|path| validator_errors(path).is_some_and(|errors| errors.is_empty()))
    {
        match read_character(path) {
            Ok(_) => {}
            // Buffers whose bytes the validator was given by other means.
            Err(error) if error.to_string().contains("neither a uri nor a binary chunk") => {}
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
}

fn broken_files_of_other_projects_are_refused_or_reported(folder: &Path) {
    let _alone = alone();
    // With the Khronos validator's word on each (`npm i gltf-validator`): these three have no
    // error.
    let valid = ["Mesh_NoPosition_00.gltf", "issue-492.glb", "zero-sized-bin-chunk-issue-440.glb"];
    for path in data::files(folder) {
        let is_ours = path
            .extension()
            .is_some_and(|e| ["gltf", "glb", "obj", "ply"].contains(&e.to_str().unwrap()));
        if !is_ours || validator_errors(&path).is_some() {
            continue;
        }
        let label = path.strip_prefix(folder).unwrap().display().to_string();
        let size = std::fs::metadata(&path).unwrap().len() as usize;
        let result = bounded(&label, size, || read_character(&path));
        let is_valid = valid.iter().any(|name| label.ends_with(name));
        let is_noticed = result.as_ref().map_or(true, |loaded| !warnings(loaded).is_empty());
        assert!(is_noticed || is_valid, "{label} passed in silence");
    }
}
