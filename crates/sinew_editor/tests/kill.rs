//! `kill -9` at any time, while editing and while saving: the project opens, the journal is
//! offered, nothing that was done is lost.
//!
//! The test starts itself as a child that edits and saves without end, and says each edit on its
//! standard output once the editor has done it and the journal was told. It is killed after a
//! while, a hundred times.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and may talk"
)]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sinew_editor::{Axis, Guard, JointRef, Opened, PoseEdit, Workspace};

const NUM_KILLS: u32 = 100;
const PROJECT: &str = "SINEW_KILL_TEST_PROJECT";
/// Each edit turns by this much, so that the turn tells how many there were.
const STEP_DEGREES: f64 = 1.0;
/// A save every so many edits: killing must hit some.
const EDITS_PER_SAVE: u32 = 7;

fn open_and_recover(path: &Path) -> Workspace {
    let Opened { mut workspace, recovery, .. } = Workspace::open(path, &Guard::default()).unwrap();
    if let Some(recovery) = recovery {
        assert_eq!(workspace.recover(&recovery).num_left, 0);
    }
    workspace
}

fn num_edits(workspace: &Workspace) -> u32 {
    let turned = workspace.editor().document().pose().joints[1].twist_radians.to_degrees();
    (turned / STEP_DEGREES).round() as u32
}

/// Not a test of its own: what the killed child does.
#[test]
#[ignore = "run by the other test, as its child"]
fn child() {
    let Some(path) = std::env::var_os(PROJECT).map(PathBuf::from) else { return };
    let mut workspace = open_and_recover(&path);
    let mut done = num_edits(&workspace);
    loop {
        let joint = JointRef::from("#1");
        let edit = PoseEdit::RotateJoint { joint, axis: Axis::Twist, degrees: STEP_DEGREES };
        workspace.editor_mut().apply(edit).unwrap();
        workspace.tick();
        if let Some(trouble) = workspace.take_journal_trouble() {
            panic!("{trouble}");
        }
        done += 1;
        let mut out = std::io::stdout().lock();
        writeln!(out, "done {done}").unwrap();
        out.flush().unwrap();
        if done.is_multiple_of(EDITS_PER_SAVE) {
            workspace.save().unwrap();
        }
    }
}

#[test]
fn a_hundred_kills_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.sinew");
    let mut workspace = Workspace::unguarded(common::document());
    workspace.save_as(&path).unwrap();
    drop(workspace);
    let (mut num_recovered, mut num_saved_on) = (0, 0);
    let mut last = 0;
    for kill in 0..NUM_KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(PROJECT, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = last;
        // How many edits the next line tells of, if there is a next line; the test harness has
        // words of its own.
        let mut hear = || -> Option<u32> {
            let line = lines.next()?.ok()?;
            let Some((_, number)) = line.rsplit_once("done ") else { return Some(0) };
            said = number.trim().parse().unwrap_or(said);
            Some(1)
        };
        // Once it works, let it go on for a while that is never the same.
        let wanted = 1 + kill % 5;
        let mut heard = 0;
        while heard < wanted
            && let Some(more) = hear()
        {
            heard += more;
        }
        // It waits for nothing: the moment of death is to be another each time, in the midst of
        // edits and of saves.
        std::thread::sleep(Duration::from_micros(u64::from(kill * 7919 % 20_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        while hear().is_some() {}
        assert!(said > last, "the child did nothing");

        let before = std::fs::read(&path).unwrap();
        let Opened { workspace, recovery, .. } = Workspace::open(&path, &Guard::default()).unwrap();
        num_recovered += u32::from(recovery.is_some());
        num_saved_on += u32::from(num_edits(&workspace) > last);
        drop(workspace);
        let recovered = open_and_recover(&path);
        let found = num_edits(&recovered);
        // It may have done one that it had no time to tell of.
        assert!(found >= said, "kill {kill}: {found} of {said} edits");
        assert!(found <= said + 1, "kill {kill}: {found} of {said} edits");
        assert_eq!(std::fs::read(&path).unwrap(), before, "recovering wrote the user's file");
        last = found;
    }
    println!("{num_recovered} recovered, {num_saved_on} after a save, {last} edits");
    // Saving takes most of the time on some disks, so that many kills find nothing after it; both
    // must have been hit often enough to count.
    assert!(num_recovered > NUM_KILLS / 10, "{num_recovered} journals were offered");
    assert!(num_saved_on > NUM_KILLS / 10, "{num_saved_on} saves were hit");
}
