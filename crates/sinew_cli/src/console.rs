//! Where the command speaks: data on stdout, words and progress on stderr, colour only on a
//! terminal.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use sinew_io::ReadOnly;

use crate::exit::Failure;
use crate::progress::Bar;

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();

/// How often work on another thread is asked whether it is done, or should be.
const POLL: Duration = Duration::from_millis(20);

/// What the main thread has, too.
const STACK_BYTES: usize = 8 << 20;

/// The two streams, what was said for every verb, and whether Ctrl-C was pressed.
#[derive(Clone, Debug)]
pub(crate) struct Console {
    is_quiet: bool,
    /// What becomes of outputs that are read-only.
    pub(crate) read_only: ReadOnly,
    is_interrupted: Arc<AtomicBool>,
    /// What [`Self::warn_once`] has said.
    warned: Arc<Mutex<BTreeSet<String>>>,
}

impl Console {
    /// Installs the Ctrl-C handler. The first press asks the work to stop; the second one insists.
    pub(crate) fn new(is_quiet: bool, is_forced: bool) -> Self {
        let is_interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_interrupted);
        // Fails only where a handler exists already; Ctrl-C then ends the process at once, which
        // writing through a temporary file survives as well.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::SeqCst) {
                sinew_io::remove_unfinished();
                std::process::exit(130);
            }
        });
        let read_only = if is_forced { ReadOnly::Replace } else { ReadOnly::Keep };
        Self { is_quiet, read_only, is_interrupted, warned: Arc::default() }
    }

    /// Does work that never asks whether it should stop: after Ctrl-C it is left alone, and ends
    /// with the process. What it has half written is removed.
    pub(crate) fn until_interrupted<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (done, result) = mpsc::channel();
        let run = move || {
            // Nobody listens any more after Ctrl-C.
            let _ = done.send(work());
        };
        let machine = |words: String| Failure::Machine(words);
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(run)
            .map_err(|error| machine(format!("cannot start a thread: {error}")))?;
        loop {
            match result.recv_timeout(POLL) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Timeout) => self.check_interrupted().inspect_err(|_| {
                    sinew_io::remove_unfinished();
                })?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(machine("the work ended without a result".into()));
                }
            }
        }
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
