//! Who runs the work of a frame, on which threads.

use super::task::Task;

/// Runs the tasks of a frame, each once, in any order, on any threads: a game's own job system, `bevy_tasks`, rayon.
///
/// ```
/// use lissom_motion::crowd::{Executor, Task};
///
/// /// A thread a task.
/// struct Threads(usize);
///
/// impl Executor for Threads {
///     fn width(&self) -> usize {
///         self.0
///     }
///
///     fn run(&self, tasks: &mut [Task<'_>]) {
///         std::thread::scope(|scope| tasks.iter_mut().for_each(|task| drop(scope.spawn(|| task.run()))));
///     }
/// }
/// ```
pub trait Executor {
    /// How many tasks may run at once. A frame is cut into a few times as many, so that who is done early helps.
    fn width(&self) -> usize;

    /// Calls [`Task::run`] of each, and returns when all have been run. A task that was left out is run by the crowd
    /// afterwards, one that is run twice does nothing the second time.
    fn run(&self, tasks: &mut [Task<'_>]);
}

/// Everything on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Executor for Serial {
    fn width(&self) -> usize {
        1
    }

    fn run(&self, tasks: &mut [Task<'_>]) {
        tasks.iter_mut().for_each(Task::run);
    }
}

/// The current rayon pool. Allocates nothing if called from inside a pool; a call from outside does.
#[cfg(feature = "rayon")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Rayon;

#[cfg(feature = "rayon")]
impl Executor for Rayon {
    fn width(&self) -> usize {
        rayon::current_num_threads()
    }

    fn run(&self, tasks: &mut [Task<'_>]) {
        match tasks {
            [] => {}
            [one] => one.run(),
            _ => {
                let (a, b) = tasks.split_at_mut(tasks.len() / 2);
                rayon::join(|| self.run(a), || self.run(b));
            }
        }
    }
}
