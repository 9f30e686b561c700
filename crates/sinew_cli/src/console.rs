//! Where the command speaks: data on stdout, words and progress on stderr, colour only on a
//! terminal.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anstyle::{AnsiColor, Style};

use crate::exit::Failure;
use crate::progress::Bar;

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();

/// How long a step may go on after Ctrl-C where the command is to end within a second.
const GRACE: std::time::Duration = std::time::Duration::from_millis(700);

/// The two streams, and whether Ctrl-C was pressed.
#[derive(Clone, Debug)]
pub(crate) struct Console {
    is_quiet: bool,
    is_interrupted: Arc<AtomicBool>,
    /// The first Ctrl-C does not wait for long.
    ends_soon: Arc<AtomicBool>,
    /// What [`Self::warn_once`] has said.
    warned: Arc<Mutex<BTreeSet<String>>>,
}

impl Console {
    /// Installs the Ctrl-C handler. The first press asks the work to stop; the second one insists.
    pub(crate) fn new(is_quiet: bool) -> Self {
        let is_interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_interrupted);
        // Fails only where a handler exists already; Ctrl-C then ends the process at once, which
        // writing through a temporary file survives as well.
        let ends_soon = Arc::new(AtomicBool::new(false));
        let insists = Arc::clone(&ends_soon);
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            if insists.load(Ordering::SeqCst) {
                std::thread::spawn(|| {
                    std::thread::sleep(GRACE);
                    Self::error(&Failure::Interrupted.to_string());
                    std::process::exit(130);
                });
            }
        });
        Self { is_quiet, is_interrupted, ends_soon, warned: Arc::default() }
    }

    /// From now on the first Ctrl-C ends the command within a second, even in the middle of a step
    /// that asks nobody. For verbs whose result is one file, which is whole or not there.
    pub(crate) fn end_within_a_second(&self) {
        self.ends_soon.store(true, Ordering::SeqCst);
    }

    /// Data, to stdout.
    pub(crate) fn data(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = anstream::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        written.map_err(|error| stdout_failure(&error))
    }

    /// Data as pretty JSON, to stdout.
    pub(crate) fn json(&self, value: &serde_json::Value) -> Result<(), Failure> {
        self.data(&format!("{value:#}\n"))
    }

    /// Words, to stderr; `--quiet` drops them.
    pub(crate) fn say(&self, words: &str) {
        if !self.is_quiet {
            to_stderr(words);
        }
    }

    /// Something the user should know, though the work goes on; `--quiet` drops it.
    pub(crate) fn warn(&self, words: &str) {
        self.say(&format!("{YELLOW}warning:{YELLOW:#} {words}"));
    }

    /// A warning that several rigs of one run may have the same reason for.
    pub(crate) fn warn_once(&self, words: &str) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(words.to_owned()) {
            self.warn(words);
        }
    }

    /// The one line of a failure. Not even `--quiet` drops it.
    pub(crate) fn error(words: &str) {
        to_stderr(&format!("{RED}error:{RED:#} {words}"));
    }

    /// A progress bar on stderr; hidden with `--quiet` or where stderr is no terminal.
    pub(crate) fn bar(&self) -> Bar {
        Bar::new(self.is_quiet, Arc::clone(&self.is_interrupted))
    }

    /// An error once Ctrl-C was pressed; called between steps of long work and before writing.
    pub(crate) fn check_interrupted(&self) -> Result<(), Failure> {
        if self.is_interrupted.load(Ordering::SeqCst) { Err(Failure::Interrupted) } else { Ok(()) }
    }
}

/// Why stdout took no more.
pub(crate) fn stdout_failure(error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::StdoutClosed,
        _ => Failure::Write(format!("cannot write to stdout: {error}")),
    }
}

fn to_stderr(words: &str) {
    // Nobody is left to tell if stderr is gone.
    let _ = writeln!(anstream::stderr().lock(), "{words}");
}
