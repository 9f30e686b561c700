//! Everything that is written passes the Khronos glTF validator. Without it (`cargo xtask install` puts it into
//! `target/validator`, and needs Node.js) each test is reported as ignored, unless `SINEW_REQUIRE_VALIDATOR` is set, as
//! `cargo xtask test` does: then its absence is a failure.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/rich.rs"]
mod rich;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;
use sinew::Character;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_io::{
    Format, PosedPart, WriteOptions, read_character, read_character_from_bytes, write_character,
    write_posed,
};

/// What the validator calls an error.
const ERROR: u64 = 0;
const WARNING: u64 = 1;

/// Warnings of files that are not ours to mend: the source has them too.
const OF_THE_SOURCE: &[&str] = &[
    // Joints of a character need not move in its file.
    "NODE_SKINNED_MESH_LOCAL_TRANSFORMS",
    "NODE_SKINNED_MESH_NON_ROOT",
    "NODE_EMPTY",
    "MATERIAL_ALPHA_CUTOFF_INVALID_MODE",
    "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE",
    "IMAGE_NPOT_DIMENSIONS",
    "IMAGE_UNRECOGNIZED_FORMAT",
    "IMAGE_FEATURES_UNSUPPORTED",
    "NON_RELATIVE_URI",
    "BUFFER_VIEW_TARGET_MISSING",
    "ANIMATION_CHANNEL_TARGET_NODE_SKIN",
    "UNSUPPORTED_EXTENSION",
    // VRM, as VRM 0 wants it.
    "INVALID_EXTENSION_NAME_FORMAT",
];

type Test = (&'static str, fn(&Validator));

const TESTS: &[Test] = &[
    ("every_sample_is_valid", every_sample_is_valid),
    ("a_small_character_with_everything_is_valid_with_every_option", everything_is_valid),
    ("random_characters_are_valid", random_characters_are_valid),
    ("posed_parts_are_valid", posed_parts_are_valid),
    ("a_rich_document_is_valid_again", a_rich_document_is_valid_again),
    ("every_real_file_is_valid_after_us", every_real_file_is_valid_after_us),
    ("a_broken_file_is_found", a_broken_file_is_found),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let is_required = std::env::var_os("SINEW_REQUIRE_VALIDATOR").is_some();
    let trial = |&(name, test): &Test| {
        let validator = Validator::find();
        let is_ignored = validator.is_err() && !is_required;
        let run = move || {
            test(&validator.map_err(Failed::from)?);
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_ignored)
    };
    libtest_mimic::run(&arguments, TESTS.iter().map(trial).collect()).exit_code()
}

/// The Khronos validator, installed.
struct Validator {
    folder: PathBuf,
}

impl Validator {
    fn find() -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = root.join("target/validator");
        if !folder.join("node_modules/gltf-validator/package.json").is_file() {
            return Err("the glTF validator is not there; run `cargo xtask install`".into());
        }
        let node = Command::new("node").arg("--version").stdout(Stdio::null()).status();
        match node {
            Ok(status) if status.success() => Ok(Self { folder }),
            _ => {
                Err("there is no Node.js for the glTF validator; run `cargo xtask install`".into())
            }
        }
    }

    /// Every message on these files: file, severity, code and place.
    fn messages(&self, files: &[PathBuf]) -> Vec<(String, u64, String, String)> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validator/validate.mjs");
        let mut node = Command::new("node")
            .arg(script)
            .arg(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let names: Vec<String> = files.iter().map(|f| f.to_str().unwrap().to_owned()).collect();
        node.stdin.take().unwrap().write_all(names.join("\n").as_bytes()).unwrap();
        let output = node.wait_with_output().unwrap();
        assert!(output.status.success());
        let results: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut messages = Vec::new();
        for name in &names {
            for message in results[name].as_array().expect("one answer a file") {
                let text = |key: &str| message[key].as_str().unwrap_or("").to_owned();
                let file = Path::new(name).file_name().unwrap().to_string_lossy().into_owned();
                let what = format!("{}: {}", text("pointer"), text("message"));
                messages.push((file, message["severity"].as_u64().unwrap(), text("code"), what));
            }
        }
        messages
    }

    /// No errors, and no warning that is ours.
    fn accept(&self, files: &[PathBuf]) {
        assert!(!files.is_empty());
        let messages = self.messages(files);
        let is_bad = |severity: u64, code: &str| {
            severity == ERROR || (severity == WARNING && !OF_THE_SOURCE.contains(&code))
        };
        let bad: Vec<_> = messages.iter().filter(|(_, s, code, _)| is_bad(*s, code)).collect();
        let mut told = std::collections::HashSet::new();
        for (file, severity, code, what) in &bad {
            // One of a kind is enough to look for.
            if told.insert((file, code)) {
                eprintln!("{file}: {severity} {code} {what}");
            }
        }
        assert!(bad.is_empty(), "{} complaints in {} files", bad.len(), files.len());
    }
}

/// A folder and the files written into it.
struct Files {
    folder: tempfile::TempDir,
    files: Vec<PathBuf>,
}

impl Files {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), files: Vec::new() }
    }

    fn path(&mut self, name: &str) -> PathBuf {
        let path = self.folder.path().join(format!("{}-{name}", self.files.len()));
        self.files.push(path.clone());
        path
    }

    fn write(&mut self, name: &str, character: &Character, options: &WriteOptions) {
        let path = self.path(name);
        write_character(&path, character, options).unwrap();
    }
}

/// Every way to write glTF.
fn every_option() -> Vec<(&'static str, WriteOptions)> {
    let plain = WriteOptions::default();
    vec![
        ("plain.glb", plain.clone()),
        ("plain.gltf", plain.clone()),
        ("four.glb", WriteOptions { max_influences: Some(4), ..plain.clone() }),
        ("eight.glb", WriteOptions { max_influences: Some(8), ..plain.clone() }),
        ("quantized.glb", WriteOptions { quantize: true, ..plain.clone() }),
        ("meshopt.glb", WriteOptions { meshopt: true, ..plain.clone() }),
        ("meshopt.gltf", WriteOptions { meshopt: true, ..plain.clone() }),
        ("small.glb", WriteOptions { quantize: true, meshopt: true, ..plain }),
    ]
}

fn every_sample_is_valid(validator: &Validator) {
    let mut files = Files::new();
    for kind in SampleKind::ALL {
        let few = matches!(kind, SampleKind::Giant | SampleKind::Snake).then_some(3000);
        let options = SampleOptions { kind, points: few, bones: None };
        let character = build(&options).unwrap();
        files.write("sample.glb", &character, &WriteOptions::default());
        let small = WriteOptions { quantize: true, meshopt: true, ..WriteOptions::default() };
        files.write("small.glb", &character, &small);
    }
    validator.accept(&files.files);
}

fn everything_is_valid(validator: &Validator) {
    let mut files = Files::new();
    let character = common::everything();
    for (name, options) in every_option() {
        files.write(name, &character, &options);
    }
    validator.accept(&files.files);
}

fn random_characters_are_valid(validator: &Validator) {
    let mut files = Files::new();
    let mut runner = TestRunner::deterministic();
    let options = every_option();
    for index in 0..64 {
        let character = common::character().new_tree(&mut runner).unwrap().current();
        let (name, options) = &options[index % options.len()];
        files.write(name, &character, options);
    }
    validator.accept(&files.files);
}

fn posed_parts_are_valid(validator: &Validator) {
    let mut files = Files::new();
    let character = common::everything();
    let parts: Vec<PosedPart<'_>> = character.parts.iter().map(PosedPart::at_rest).collect();
    for name in ["posed.glb", "posed.gltf"] {
        let path = files.path(name);
        write_posed(&path, "posed", &parts, &WriteOptions::default()).unwrap();
    }
    validator.accept(&files.files);
}

fn a_rich_document_is_valid_again(validator: &Validator) {
    let mut files = Files::new();
    let rich = rich::document();
    let path = files.path("source.gltf");
    sinew_io::write_atomically(&path, |file| file.write_all(rich.as_bytes())).unwrap();
    let loaded = read_character_from_bytes(Format::Gltf, "rich", rich.as_bytes()).unwrap();
    for (name, options) in every_option() {
        files.write(name, &loaded.character, &options);
    }
    validator.accept(&files.files);
}

fn every_real_file_is_valid_after_us(validator: &Validator) {
    let mut files = Files::new();
    let sources = common::real_files("gltf");
    eprintln!("{} real files", sources.len());
    let options = every_option();
    for (index, source) in sources.iter().enumerate() {
        let Ok(loaded) = read_character(source) else { continue };
        let name = source.file_stem().unwrap().to_string_lossy();
        files.write(&format!("{name}.glb"), &loaded.character, &WriteOptions::default());
        let (ending, options) = &options[index % options.len()];
        files.write(&format!("{name}-{ending}"), &loaded.character, options);
    }
    if !files.files.is_empty() {
        validator.accept(&files.files);
    }
}

/// The test can fail: a file with an index out of range is complained of.
fn a_broken_file_is_found(validator: &Validator) {
    let mut files = Files::new();
    let path = files.path("broken.gltf");
    let text = r#"{"asset":{"version":"2.0"},"scene":3}"#;
    sinew_io::write_atomically(&path, |file| file.write_all(text.as_bytes())).unwrap();
    let messages = validator.messages(&files.files);
    assert!(messages.iter().any(|(_, severity, _, _)| *severity == ERROR), "{messages:?}");
}
