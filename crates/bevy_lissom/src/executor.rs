//! A crowd on Bevy's compute pool.

use bevy_tasks::ComputeTaskPool;
use lissom_motion::crowd::{Executor, Task};

/// Bevy's compute pool; the calling thread alone where there is none.
pub(crate) struct Compute;

impl Executor for Compute {
    fn width(&self) -> usize {
        ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num())
    }

    fn run(&self, tasks: &mut [Task<'_>]) {
        // What is left out here is run by the crowd.
        let Some(pool) = ComputeTaskPool::try_get() else { return };
        pool.scope(|scope| tasks.iter_mut().for_each(|task| scope.spawn(async { task.run() })));
    }
}
