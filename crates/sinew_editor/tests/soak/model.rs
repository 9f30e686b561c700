//! A user, a studio, and what must be there after a crash.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sinew::sample::{SampleKind, SampleOptions};
use sinew_editor::project::{self, ProjectError};
use sinew_editor::{Autosave, Document, Guard, Opened, Source, Workspace};

use crate::edits::edit;
use crate::faulty::Faulty;
use crate::random::Random;

/// What happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) edits: u64,
    undos: u64,
    pub(crate) saves: u64,
    refused_saves: u64,
    pub(crate) kills: u64,
    pub(crate) full_disks: u64,
    second_studios: u64,
    changed_outside: u64,
    pub(crate) recoveries: u64,
    put_aside: u64,
    /// Only memory had them when the plug was pulled, and the bottom line said so.
    told_lost: u64,
    pub(crate) lost: u64,
    pub(crate) broken: u64,
}

impl Counts {
    pub(crate) fn is_clean(&self) -> bool {
        self.lost == 0 && self.broken == 0
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "edits made              {}", self.edits)?;
        writeln!(f, "undone and redone       {}", self.undos)?;
        writeln!(f, "saves                   {}", self.saves)?;
        writeln!(f, "saves refused           {}", self.refused_saves)?;
        writeln!(f, "kills                   {}", self.kills)?;
        writeln!(f, "disks filled            {}", self.full_disks)?;
        writeln!(f, "second studios          {}", self.second_studios)?;
        writeln!(f, "projects changed by others {}", self.changed_outside)?;
        writeln!(f, "recoveries              {}", self.recoveries)?;
        writeln!(f, "journals put aside      {}", self.put_aside)?;
        writeln!(f, "edits in memory only, as said, at a kill {}", self.told_lost)?;
        writeln!(f, "edits lost              {}", self.lost)?;
        write!(f, "files broken            {}", self.broken)
    }
}

/// A project, a disk under it, and who works on it.
pub(crate) struct World {
    path: PathBuf,
    recovery_folder: PathBuf,
    disk: Faulty,
    random: Random,
    workspace: Option<Workspace>,
    life: u64,
    num_kills: u32,
    /// What may come back after a kill: what was last on the screen, and what was being done.
    /// Every one that is in memory only counts from where the disk had it.
    expected: Vec<Document>,
    /// Somebody else wrote the project, and it was not saved over yet.
    is_changed: bool,
    /// Something was done since it was saved.
    is_modified: bool,
    /// The bottom line said that only memory had the last edits.
    was_told: bool,
}

fn document() -> Document {
    let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
    Document::open(Source::Sample(options), None).unwrap()
}

impl World {
    pub(crate) fn new(folder: &Path, seed: u64) -> Self {
        let path = folder.join("hero.sinew");
        let mut workspace = Workspace::unguarded(document());
        workspace.save_as(&path).unwrap();
        workspace.close();
        Self {
            path,
            recovery_folder: folder.join("recovery"),
            disk: Faulty::new(),
            random: Random(seed.wrapping_mul(0x1234_5678_9abc_def1)),
            workspace: None,
            life: seed,
            num_kills: 0,
            expected: vec![document()],
            is_changed: false,
            is_modified: false,
            was_told: false,
        }
    }

    fn guard(&self) -> Guard {
        let recovery_folder = Some(self.recovery_folder.clone());
        Guard { storage: Arc::new(self.disk.clone()), recovery_folder }
    }

    /// So many crashes, with work between them.
    pub(crate) fn live(mut self, num_kills: u32, counts: &mut Counts) {
        for _ in 0..num_kills {
            self.start(counts);
            for _ in 0..self.random.below(40) {
                if self.disk.is_dead() {
                    break;
                }
                self.act(counts);
            }
            self.kill(counts);
        }
    }

    /// Opens the project after a crash, recovers, and compares with the model.
    fn start(&mut self, counts: &mut Counts) {
        self.disk = Faulty::new();
        let opened = match Workspace::open(&self.path, &self.guard()) {
            Ok(opened) => opened,
            Err(error) => {
                counts.broken += 1;
                eprintln!("the project does not open: {error}");
                let mut fresh = Workspace::unguarded(document());
                fresh.save_over(&self.path).unwrap();
                fresh.close();
                Workspace::open(&self.path, &self.guard()).unwrap()
            }
        };
        let Opened { mut workspace, recovery, .. } = opened;
        let mut is_kept = false;
        if let Some(recovery) = recovery {
            counts.recoveries += 1;
            let outcome = workspace.recover(&recovery);
            is_kept = outcome.aside.is_some();
            counts.put_aside += u64::from(is_kept);
        }
        let found = workspace.editor().document();
        // On top of what somebody else wrote it is another document, and its edits are kept aside.
        let is_well = self.expected.contains(found)
            || (self.is_changed && (is_kept || self.was_told || !self.is_modified));
        if !is_well {
            counts.lost += 1;
            let (life, kill) = (self.life, self.num_kills);
            eprintln!("life {life}, kill {kill}: what came back is not what was there");
            for document in std::iter::once(found).chain(&self.expected) {
                let poses = document.stored_poses().iter().map(|pose| pose.name.as_str());
                let (poses, rig) = (poses.collect::<Vec<_>>(), document.rig().springs_name());
                eprintln!("  {poses:?} {rig} {:?}", document.pose().joints);
            }
            eprintln!(
                "  changed {}, modified {}, told {}, aside {is_kept}",
                self.is_changed, self.is_modified, self.was_told
            );
        }
        self.expected = vec![found.clone()];
        self.is_changed = false;
        self.workspace = Some(workspace);
        // Some lives end at a byte that nobody chose.
        if self.random.one_in(2) {
            let fuse = self.random.below(30_000) as u64;
            self.disk.light_fuse(fuse);
        }
    }

    fn act(&mut self, counts: &mut Counts) {
        match self.random.below(40) {
            0..=2 => self.save(counts),
            3 => {
                counts.full_disks += 1;
                let room = self.random.below(400) as u64;
                self.disk.set_room(room);
            }
            4 | 5 => self.disk.empty(),
            6 => self.second_studio(counts),
            7 => self.sync(),
            8..=13 => self.step(counts, |world, counts| {
                counts.undos += 1;
                let is_undo = !world.random.one_in(3);
                let editor = world.workspace.as_mut().unwrap().editor_mut();
                _ = if is_undo { editor.undo() } else { editor.redo() };
            }),
            _ => self.step(counts, |world, counts| {
                let edit = edit(&mut world.random);
                // Some cannot be done, and change nothing.
                let done = world.workspace.as_mut().unwrap().editor_mut().apply(edit);
                counts.edits += u64::from(done.is_ok());
            }),
        }
    }

    /// One thing that the user does, and the frame after it.
    fn step(&mut self, counts: &mut Counts, act: impl FnOnce(&mut Self, &mut Counts)) {
        act(self, counts);
        let workspace = self.workspace.as_mut().unwrap();
        let now = workspace.editor().document().clone();
        workspace.tick();
        self.see(now);
    }

    fn sync(&mut self) {
        let workspace = self.workspace.as_mut().unwrap();
        workspace.sync();
        let now = workspace.editor().document().clone();
        self.see(now);
    }

    /// What may be found after a kill from now on.
    fn see(&mut self, now: Document) {
        match self.workspace.as_ref().unwrap().autosave() {
            Autosave::On if !self.disk.is_dead() => self.expected = vec![now],
            // The disk has any of those up to the last that it took.
            Autosave::On | Autosave::Waiting { .. } | Autosave::Off { .. } => {
                self.expected.push(now);
            }
        }
    }

    fn save(&mut self, counts: &mut Counts) {
        if self.random.one_in(12) {
            self.change_outside(counts);
        }
        let path = self.path.clone();
        let workspace = self.workspace.as_mut().unwrap();
        let now = workspace.editor().document().clone();
        let mut saved = workspace.save().map(|_| ());
        if matches!(saved, Err(ProjectError::Changed { .. })) {
            counts.refused_saves += 1;
            // The user looks, and saves over it.
            saved = workspace.save_over(&path).map(|_| ());
        }
        match saved {
            Ok(()) => {
                counts.saves += 1;
                self.expected = vec![now];
                self.is_changed = false;
            }
            Err(_) => {
                counts.refused_saves += 1;
                self.expected.push(now);
            }
        }
    }

    /// Another program writes the project; what is in the journal is asked about from then on.
    fn change_outside(&mut self, counts: &mut Counts) {
        counts.changed_outside += 1;
        let bytes = project::to_bytes(&document()).unwrap();
        sinew_io::write_atomically(&self.path, |file| std::io::Write::write_all(file, &bytes))
            .unwrap();
        self.is_changed = true;
    }

    /// Another studio opens the same project: it gets a copy, and disturbs nothing.
    fn second_studio(&mut self, counts: &mut Counts) {
        counts.second_studios += 1;
        let before = std::fs::read(&self.path).unwrap();
        let guard = Guard { storage: Arc::new(sinew_editor::seam::Disk), ..self.guard() };
        let mut second = Workspace::open(&self.path, &guard).unwrap().workspace;
        let is_copy = second.copy_of().is_some() && second.path().is_none();
        _ = second.editor_mut().apply(edit(&mut self.random));
        second.tick();
        let is_refused = matches!(second.save_as(&self.path), Err(ProjectError::InUse { .. }));
        second.close();
        if !is_copy || !is_refused || std::fs::read(&self.path).unwrap() != before {
            counts.broken += 1;
            eprintln!("a second studio was let in: copy {is_copy}, refused {is_refused}");
        }
    }

    /// No goodbye.
    fn kill(&mut self, counts: &mut Counts) {
        counts.kills += 1;
        self.num_kills += 1;
        if let Some(workspace) = self.workspace.take() {
            self.is_modified = workspace.editor().is_modified();
            self.was_told = workspace.autosave() != Autosave::On;
            if let Autosave::Waiting { num_edits, .. } = workspace.autosave()
                && !self.disk.is_dead()
            {
                counts.told_lost += num_edits as u64;
            }
            drop(workspace);
        }
    }
}
