//! What reading a file may take: time, and memory that its size justifies.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is measured of the process, so that only one test may allocate at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Any of these files takes a fraction of a second; this allows for a busy machine.
const MOST_TIME: Duration = Duration::from_secs(5);
/// Twenty times the file, and fifty megabytes.
const MOST_BYTES_PER_BYTE: usize = 20;
const MOST_BYTES: usize = 50_000_000;

/// Keeps other tests of this process waiting.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What something took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    pub(crate) bytes: usize,
}

impl Cost {
    /// Runs something, [`alone`].
    pub(crate) fn of<T>(run: impl FnOnce() -> T) -> (T, Self) {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        let result = run();
        let time = start.elapsed();
        (result, Self { time, bytes: MEMORY.peak_usage().saturating_sub(before) })
    }

    /// What a file of so many bytes must not take.
    pub(crate) fn excess(&self, num_bytes: usize) -> Option<String> {
        let Self { time, bytes } = *self;
        if time > MOST_TIME {
            return Some(format!("took {time:?}"));
        }
        let most = MOST_BYTES_PER_BYTE * num_bytes + MOST_BYTES;
        (bytes > most).then(|| format!("took {bytes} bytes of memory for a file of {num_bytes}"))
    }
}
