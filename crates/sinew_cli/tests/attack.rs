//! The files of the shared data that broke something once (`attack/`). Where they are missing, each
//! test is reported as ignored; what they show is tested on our own in
//! `sinew_editor/tests/trust`.

#[path = "../../sinew_io/tests/common/data.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "the rest is for other tests")]
mod data;
mod mimic;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use sinew_editor::{Guard, Workspace};

fn main() -> ExitCode {
    mimic::run(
        data::folder("attack").is_none(),
        &[
            ("projects_with_a_trap_are_refused_with_exit_code_3", projects),
            ("journals_that_were_ruined_come_back_and_the_rest_is_kept", journals),
        ],
    )
}

fn attack() -> PathBuf {
    data::folder("attack").expect("the shared data")
}

/// A copy that can be written to.
fn copy(names: &[&str], to: &Path) {
    for name in names {
        let bytes = std::fs::read(attack().join(name)).expect("a file of the shared data");
        let to = to.join(Path::new(name).file_name().expect("a name"));
        sinew_io::write_atomically(&to, |file| std::io::Write::write_all(file, &bytes))
            .expect("written");
    }
}

fn projects() {
    let folder = tempfile::tempdir().expect("a folder");
    let traps = [
        ("iterations_4e9.sinew", "iterations"),
        ("smoothings_4e9.sinew", "smoothings"),
        ("link_escapes_folder.sinew", "not inside"),
        ("link_dev_zero.sinew", "not inside"),
        ("link_fifo.sinew", "not a file"),
        ("zip_character_1GB.sinew", "unpacks to more"),
        ("zip_project_json_abort.sinew", "unpacks to more"),
    ];
    let names: Vec<&str> = traps.iter().map(|&(name, _)| name).collect();
    copy(&names, folder.path());
    if cfg!(unix) {
        let made = Command::new("mkfifo").arg(folder.path().join("fifo.obj")).status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    let script = folder.path().join("none.json");
    sinew_io::write_atomically(&script, |file| std::io::Write::write_all(file, b"[]"))
        .expect("written");
    for (name, words) in traps {
        let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(["edit", name, "none.json", "-o", "out.sinew"])
            .current_dir(folder.path())
            .output()
            .expect("the command starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert!(said.contains(words), "{name}: {said}");
    }
}

fn journals() {
    for (name, num_done, num_left) in [("journal_full_disk", 4, 1), ("journal_two_studios", 2, 0)] {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ["p.sinew", "p.sinew.journal"].map(|file| format!("{name}/{file}"));
        copy(&[&files[0], &files[1]], folder.path());
        let path = folder.path().join("p.sinew");
        let mut opened = Workspace::open(&path, &Guard::default()).expect("a project");
        let recovery = opened.recovery.take().expect("something to recover");
        let outcome = opened.workspace.recover(&recovery);
        assert_eq!((outcome.num_done, outcome.num_left), (num_done, num_left), "{name}");
        assert!(outcome.aside.is_some_and(|path| path.exists()), "{name}");
    }
}
