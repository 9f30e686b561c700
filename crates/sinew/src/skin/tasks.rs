//! Which tasks run on which thread.
//!
//! Threads only share out tasks; a task's arithmetic never depends on who runs it, so the bits are
//! the same with any number of threads.

use std::ops::Range;

/// Pieces a thread gets, so that a late one is made up for.
const PIECES_A_THREAD: usize = 4;

/// Who works on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threading {
    /// The calling thread.
    One,
    /// Rayon's pool, where that pays.
    Pool,
}

impl Threading {
    /// Tasks that a thread takes at a time; all of them where a second thread does not pay.
    pub(super) fn tasks_a_piece(self, num_tasks: usize, pays: bool) -> usize {
        let threads = rayon::current_num_threads();
        match self {
            Self::Pool if pays && threads > 1 => num_tasks.div_ceil(threads * PIECES_A_THREAD),
            Self::Pool | Self::One => num_tasks,
        }
        .max(1)
    }
}

/// Results that can be shared out among tasks.
pub(crate) trait Results: Send + Sized {
    /// What comes before, and from a result on.
    fn split_at(self, at: usize) -> (Self, Self);
}

/// Runs tasks, each into its own results; `span` says which those are.
pub(super) fn share_out<T: Sync, R: Results>(
    (tasks, tasks_a_piece): (&[T], usize),
    mut results: R,
    span: &(impl Fn(&T) -> Range<usize> + Sync),
    run: &(impl Fn(&T, R) + Sync),
) {
    if tasks.len() <= tasks_a_piece {
        for task in tasks {
            let (own, later) = results.split_at(span(task).len());
            run(task, own);
            results = later;
        }
        return;
    }
    let (early, late) = tasks.split_at(tasks.len() / 2);
    let (of_early, of_late) = results.split_at(span(&late[0]).start - span(&early[0]).start);
    rayon::join(
        || share_out((early, tasks_a_piece), of_early, span, run),
        || share_out((late, tasks_a_piece), of_late, span, run),
    );
}
