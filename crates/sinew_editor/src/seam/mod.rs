//! What a browser has in another way: threads, time, and files.

mod disk;
mod storage;

pub use disk::Disk;
pub use storage::{Lies, Log, Storage};

use std::io;
use std::time::{Duration, Instant};

/// A clock: how long ago it was started.
pub trait Clock: Send + Sync {
    /// Since a moment that stays the same for as long as the clock is there.
    fn now(&self) -> Duration;
}

impl<T: Clock + ?Sized> Clock for std::sync::Arc<T> {
    fn now(&self) -> Duration {
        (**self).now()
    }
}

/// Does work elsewhere.
pub trait Executor: Send + Sync {
    /// Starts work that may take as long as the program runs.
    ///
    /// # Errors
    /// If the system has no thread left.
    fn start(&self, name: &str, work: Box<dyn FnOnce() + Send>) -> io::Result<Box<dyn Running>>;
}

/// Work that was started.
pub trait Running: Send + Sync {
    /// Waits for its end; a panic in it goes on here.
    fn join(self: Box<Self>);
}

/// The system's own clock, from when it was made.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The system's own threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Executor for Threads {
    fn start(&self, name: &str, work: Box<dyn FnOnce() + Send>) -> io::Result<Box<dyn Running>> {
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Box::new(Thread(thread)))
    }
}

struct Thread(std::thread::JoinHandle<()>);

impl Running for Thread {
    fn join(self: Box<Self>) {
        if let Err(panic) = self.0.join()
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}
