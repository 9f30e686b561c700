//! Every example runs to its end, and writes what it says it wrote.

use std::path::Path;
use std::process::{Command, Stdio};

/// Name, program, and the file that it leaves.
const EXAMPLES: [(&str, &str, Option<&str>); 8] = [
    ("first_frame", env!("CARGO_BIN_EXE_first_frame"), Some("posed.glb")),
    ("springs", env!("CARGO_BIN_EXE_springs"), None),
    ("cages", env!("CARGO_BIN_EXE_cages"), Some("fat.glb")),
    ("weights", env!("CARGO_BIN_EXE_weights"), Some("bound.glb")),
    ("motion", env!("CARGO_BIN_EXE_motion"), Some("waving.glb")),
    ("drivers", env!("CARGO_BIN_EXE_drivers"), Some("twisting.glb")),
    ("sketch", env!("CARGO_BIN_EXE_sketch"), Some("drawn.glb")),
    ("render", env!("CARGO_BIN_EXE_render"), Some("twist.png")),
];

#[test]
fn every_example_runs_to_its_end() {
    // All at once: each is slow by itself, and has a folder of its own.
    let running = EXAMPLES.map(|(name, program, leaves)| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        (name, command.spawn().unwrap(), folder, leaves)
    });
    for (name, child, folder, leaves) in running {
        let run = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{name}: {words}");
        assert!(!run.stdout.is_empty(), "{name} says nothing");
        if let Some(file) = leaves {
            let length = std::fs::metadata(folder.path().join(file)).unwrap().len();
            assert!(length > 0, "{name} wrote an empty {file}");
        }
    }
}

#[test]
fn an_example_of_a_joint_that_is_not_there_names_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_first_frame");
    let first = Command::new(program).current_dir(folder.path()).output().unwrap();
    assert!(first.status.success());
    let arguments = ["human.glb", "forearm"];
    let run = Command::new(program).args(arguments).current_dir(folder.path()).output().unwrap();
    assert!(!run.status.success());
    let words = String::from_utf8_lossy(&run.stderr);
    assert!(words.contains("\"forearm\"") && words.contains("forearm_l"), "{words}");
}

#[test]
fn no_example_is_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let mut known: Vec<String> = EXAMPLES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    found.sort_unstable();
    known.sort_unstable();
    assert_eq!(found, known, "name it in EXAMPLES and in Cargo.toml");
}
