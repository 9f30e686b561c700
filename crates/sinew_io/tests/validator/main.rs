//! Everything that is written passes the Khronos glTF validator. Without it (`cargo xtask install`
//! puts it into `target/validator`, and needs Node.js) each test is reported as ignored, unless
//! `SINEW_REQUIRE_VALIDATOR` is set, as `cargo xtask test` does: then its absence is a failure.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/rich.rs"]
mod rich;

use std::collections::BTreeSet;
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

/// Warnings that are not ours to mend, where the source has them too. These occur; any other is a
/// failure.
const OF_THE_SOURCE: &[&str] = &[
    // Where the node of a skinned mesh lies means nothing, and is carried as it is (Elf,
    // RobotExpressive).
    "NODE_SKINNED_MESH_LOCAL_TRANSFORMS",
    // Nodes keep their parents (CesiumMan).
    "NODE_SKINNED_MESH_NON_ROOT",
    // Materials are carried as they are: a cutoff that is not used (VRM 0's exporter),
    "MATERIAL_ALPHA_CUTOFF_INVALID_MODE",
    // a normal map on a mesh without tangents (gdbot).
    "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE",
    // `VRM`, as VRM 0 is called.
    "INVALID_EXTENSION_NAME_FORMAT",
];

type Test = (&'static str, fn(&Validator));

/// Ignored without the folder `gltf` of the shared data, too.
const OF_REAL_FILES: (&str, fn(&Validator, &Path)) =
    ("every_real_file_is_valid_after_us", every_real_file_is_valid_after_us);

const TESTS: &[Test] = &[
    ("every_sample_is_valid", every_sample_is_valid),
    ("a_small_character_with_everything_is_valid_with_every_option", everything_is_valid),
    ("random_characters_are_valid", random_characters_are_valid),
    ("posed_parts_are_valid", posed_parts_are_valid),
    ("a_rich_document_is_valid_again", a_rich_document_is_valid_again),
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
    let (name, test) = OF_REAL_FILES;
    let (validator, folder) = (Validator::find(), common::data::folder("gltf"));
    let is_ignored = folder.is_none() || validator.is_err() && !is_required;
    let run = move || {
        let folder = folder.ok_or("there is no gltf in the shared data")?;
        test(&validator.map_err(Failed::from)?, &folder);
        Ok(())
    };
    let of_real_files = Trial::test(name, run).with_ignored_flag(is_ignored);
    let trials = TESTS.iter().map(trial).chain([of_real_files]).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
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

    /// Every message on these files.
    fn messages(&self, files: &[PathBuf]) -> Vec<Message> {
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
        for (name, file) in names.iter().zip(files) {
            for message in results[name].as_array().expect("one answer a file") {
                let text = |key: &str| message[key].as_str().unwrap_or("").to_owned();
                messages.push(Message {
                    file: file.clone(),
                    severity: message["severity"].as_u64().unwrap(),
                    code: text("code"),
                    what: format!("{}: {}", text("pointer"), text("message")),
                });
            }
        }
        messages
    }

    /// No errors, and no warning that is ours.
    fn accept(&self, files: &Files) {
        let written: Vec<PathBuf> = files.written.iter().map(|(path, _)| path.clone()).collect();
        assert!(!written.is_empty());
        let sources: BTreeSet<PathBuf> =
            files.written.iter().filter_map(|(_, source)| source.clone()).collect();
        let of_source = self.messages(&sources.into_iter().collect::<Vec<_>>());
        let in_source = |file: &Path, code: &str| {
            let source = files.written.iter().find(|(path, _)| path == file);
            source.and_then(|(_, source)| source.as_ref()).is_some_and(|source| {
                of_source.iter().any(|found| found.file == *source && found.code == code)
            })
        };
        let is_bad = |found: &Message| match found.severity {
            ERROR => true,
            WARNING => {
                let code = found.code.as_str();
                // Normal maps without tangents are allowed: the specification says how a
                // reader makes them, and so do we.
                let is_allowed = code == "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE";
                !is_allowed && (!OF_THE_SOURCE.contains(&code) || !in_source(&found.file, code))
            }
            _ => false,
        };
        let messages = self.messages(&written);
        let bad: Vec<&Message> = messages.iter().filter(|found| is_bad(found)).collect();
        let mut told = BTreeSet::new();
        for found in &bad {
            // One of a kind is enough to look for.
            if told.insert((&found.file, &found.code)) {
                eprintln!("{found:?}");
            }
        }
        assert!(bad.is_empty(), "{} complaints in {} files", bad.len(), written.len());
    }
}

/// What the validator says of a file.
#[derive(Debug)]
struct Message {
    file: PathBuf,
    severity: u64,
    code: String,
    /// Read by who looks at a failure.
    #[expect(dead_code, reason = "printed")]
    what: String,
}

/// A folder and the files written into it, with what each was made of.
struct Files {
    folder: tempfile::TempDir,
    written: Vec<(PathBuf, Option<PathBuf>)>,
}

impl Files {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), written: Vec::new() }
    }

    fn path(&mut self, name: &str, source: Option<&Path>) -> PathBuf {
        let path = self.folder.path().join(format!("{}-{name}", self.written.len()));
        self.written.push((path.clone(), source.map(Path::to_owned)));
        path
    }

    fn write(&mut self, name: &str, character: &Character, options: &WriteOptions) {
        let path = self.path(name, None);
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
    validator.accept(&files);
}

fn everything_is_valid(validator: &Validator) {
    let mut files = Files::new();
    let character = common::everything();
    for (name, options) in every_option() {
        files.write(name, &character, &options);
    }
    validator.accept(&files);
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
    validator.accept(&files);
}

fn posed_parts_are_valid(validator: &Validator) {
    let mut files = Files::new();
    let character = common::everything();
    let parts: Vec<PosedPart<'_>> = character.parts.iter().map(PosedPart::at_rest).collect();
    for name in ["posed.glb", "posed.gltf"] {
        let path = files.path(name, None);
        write_posed(&path, "posed", &parts, &WriteOptions::default()).unwrap();
    }
    validator.accept(&files);
}

fn a_rich_document_is_valid_again(validator: &Validator) {
    let mut files = Files::new();
    let rich = rich::document();
    let source = files.path("source.gltf", None);
    sinew_io::write_atomically(&source, |file| file.write_all(rich.as_bytes())).unwrap();
    let loaded = read_character_from_bytes(Format::Gltf, "rich", rich.as_bytes()).unwrap();
    for (name, options) in every_option() {
        let path = files.path(name, Some(&source));
        write_character(&path, &loaded.character, &options).unwrap();
    }
    validator.accept(&files);
}

fn every_real_file_is_valid_after_us(validator: &Validator, folder: &Path) {
    let mut files = Files::new();
    let sources = common::data::readable_files(folder);
    eprintln!("{} real files", sources.len());
    let options = every_option();
    for (index, source) in sources.iter().enumerate() {
        let loaded = read_character(source).unwrap();
        let name = source.file_stem().unwrap().to_string_lossy();
        let (ending, options) = &options[index % options.len()];
        for (ending, options) in [(&"plain.glb", &WriteOptions::default()), (ending, options)] {
            let path = files.path(&format!("{name}-{ending}"), Some(source));
            write_character(&path, &loaded.character, options).unwrap();
        }
    }
    validator.accept(&files);
}

/// The test can fail: a file with an index out of range is complained of.
fn a_broken_file_is_found(validator: &Validator) {
    let mut files = Files::new();
    let path = files.path("broken.gltf", None);
    let text = r#"{"asset":{"version":"2.0"},"scene":3}"#;
    sinew_io::write_atomically(&path, |file| file.write_all(text.as_bytes())).unwrap();
    let messages = validator.messages(&[path]);
    assert!(messages.iter().any(|found| found.severity == ERROR), "{messages:?}");
}
