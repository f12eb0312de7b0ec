//! Who runs the tasks, and who is told.

use super::{Input, InputError, PipelineError};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Runs independent tasks: it calls the task once for each index below the count, in any order, on any threads, and
/// returns when all have ended. With rayon:
///
/// ```ignore
/// &|count, task| (0..count).into_par_iter().for_each(|i| task(i))
/// ```
pub type Executor<'a> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + 'a;

/// Told of every step, one call at a time, perhaps from the thread that took it. It must not wait for another task. If
/// it breaks, no further task starts.
pub type Watch<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send + 'a;

/// One after the other, here.
pub fn serial(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(task);
}

/// What tasks give, in the order of their indices; nothing for those that gave nothing, or that the executor left out.
pub(super) fn gather<T: Send + Sync>(
    count: usize,
    executor: &Executor<'_>,
    task: impl Fn(usize) -> Option<T> + Sync,
) -> Vec<Option<T>> {
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    executor(count, &|i| {
        if let Some(slot) = slots.get(i).filter(|slot| slot.get().is_none())
            && let Some(done) = task(i)
        {
            // A second call for the same index has nowhere to go.
            let _ = slot.set(done);
        }
    });
    slots.into_iter().map(OnceLock::into_inner).collect()
}

/// Nobody looks.
pub fn unwatched(_: Progress<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// What was just done, and how far that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What was just done.
    pub step: Step<'a>,
    /// Steps done. Rises by one a call.
    pub done: usize,
    /// Steps in all: inputs, clips, and one to write the archive. Grows while inputs are read: their clips are known only then.
    pub all: usize,
}

/// A part of the work that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// An input was read, or refused.
    Read {
        /// Its name.
        input: &'a str,
    },
    /// A clip was cooked, or could not be.
    Cooked {
        /// The name of its input.
        input: &'a str,
        /// Its own.
        clip: &'a str,
    },
    /// The archive is there: this was the last step.
    Written,
}

/// Counts steps and asks whether to go on.
pub(super) struct Watcher<'a> {
    counts: Mutex<Counts<'a>>,
    cancelled: AtomicBool,
}

struct Counts<'a> {
    watch: &'a mut Watch<'a>,
    done: usize,
    all: usize,
}

impl<'a> Watcher<'a> {
    pub(super) fn new<'w: 'a>(inputs: usize, watch: &'a mut Watch<'w>) -> Self {
        let counts = Counts { watch, done: 0, all: inputs + 1 };
        Self { counts: Mutex::new(counts), cancelled: AtomicBool::new(false) }
    }

    /// A step that made `more` known.
    pub(super) fn grow(&self, more: usize, step: Step<'_>) {
        // A watch that panicked has told its caller; the counts are plain numbers.
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_cancelled() {
            return;
        }
        counts.done += 1;
        counts.all += more;
        let progress = Progress { step, done: counts.done, all: counts.all };
        if (counts.watch)(progress).is_break() {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Steps that became known without one being done.
    pub(super) fn add(&self, more: usize) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).all += more;
    }

    pub(super) fn step(&self, step: Step<'_>) -> Result<(), PipelineError> {
        self.grow(0, step);
        self.check()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn check(&self) -> Result<(), PipelineError> {
        if self.is_cancelled() { Err(PipelineError::Cancelled) } else { Ok(()) }
    }
}

/// Runs `task` for every index. An index that the executor leaves out has no result.
pub(super) fn run_all<T: Send + Sync>(
    count: usize,
    executor: &Executor<'_>,
    watcher: &Watcher<'_>,
    task: impl Fn(usize) -> T + Sync,
) -> Result<Vec<Option<T>>, PipelineError> {
    let done = gather(count, executor, |i| (!watcher.is_cancelled()).then(|| task(i)));
    watcher.check()?;
    Ok(done)
}

/// A defect of ours in one file does not take the others along.
pub(super) fn guarded<T>(
    input: &Input<'_>,
    work: impl FnOnce() -> Result<T, InputError>,
) -> Result<T, InputError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(InputError::Defect { name: input.name().to_owned(), text: text.unwrap_or_default() })
    })
}
