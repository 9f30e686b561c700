//! Runs the built command in a folder of its own.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use serde_json::Value;

/// Any command listens within milliseconds; what takes this long never will.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_secs(60);

/// Ctrl-C.
#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Its handler for SIGINT, signal 2 and so bit 1, is there.
#[cfg(target_os = "linux")]
fn catches_interrupts(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
}

/// A temporary folder to run `sinew` in.
pub(crate) struct Folder {
    dir: tempfile::TempDir,
}

/// How a run ended.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        sinew_io::write_atomically(&self.file(name), |file| {
            std::io::Write::write_all(file, content.as_ref())
        })
        .unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.file(name)).unwrap()
    }

    /// Names of all files, sorted: a temporary one left behind would show.
    pub(crate) fn listing(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `sinew` with these words; quote nothing, split at spaces.
    pub(crate) fn sinew(&self, words: &str) -> Run {
        self.sinew_args(&words.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn sinew_args(&self, args: &[&str]) -> Run {
        let output: Output = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(args)
            .current_dir(self.dir.path())
            .env_remove("CLICOLOR_FORCE")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .output()
            .unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Starts `sinew` and lets it run.
    pub(crate) fn start(&self, words: &str) -> Child {
        Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(words.split_whitespace())
            .current_dir(self.dir.path())
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts `sinew`, presses Ctrl-C as soon as it listens, and waits for it.
    #[cfg(target_os = "linux")]
    pub(crate) fn interrupted(&self, words: &str) -> Output {
        let child = self.start(words);
        let start = Instant::now();
        while !catches_interrupts(&child) {
            assert!(start.elapsed() < PATIENCE, "sinew {words} never listens to Ctrl-C");
            std::thread::yield_now();
        }
        interrupt(&child);
        child.wait_with_output().unwrap()
    }

    /// Runs `sinew`, which must succeed.
    pub(crate) fn ok(&self, words: &str) -> Run {
        let run = self.sinew(words);
        assert_eq!(run.code, 0, "sinew {words}\n{}{}", run.stdout, run.stderr);
        run
    }

    /// Runs `sinew`, which must end with `code`, one line that starts with `error:`, and nothing on
    /// stdout.
    pub(crate) fn fails(&self, words: &str, code: i32) -> String {
        let run = self.sinew(words);
        assert_eq!(run.code, code, "sinew {words}\n{}{}", run.stdout, run.stderr);
        assert_eq!(run.stdout, "", "sinew {words}");
        run.error_line()
    }

    /// The same character in every test that does not ask for another: 4 bones, few points.
    pub(crate) fn with_box() -> Self {
        let folder = Self::new();
        folder.ok("sample box -o box.glb --points 200");
        folder
    }
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// The last line of stderr, which must be the only one that is an error.
    pub(crate) fn error_line(&self) -> String {
        let errors: Vec<&str> =
            self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "one line that says what is wrong: {}", self.stderr);
        assert_eq!(self.stderr.lines().last(), Some(errors[0]), "{}", self.stderr);
        errors[0].to_owned()
    }
}

/// The `v` lines of an OBJ.
pub(crate) fn obj_points(text: &[u8]) -> Vec<[f64; 3]> {
    let text = std::str::from_utf8(text).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("v "))
        .map(|line| {
            let mut numbers = line.split_whitespace().map(|n| n.parse().unwrap());
            std::array::from_fn(|_| numbers.next().unwrap())
        })
        .collect()
}
