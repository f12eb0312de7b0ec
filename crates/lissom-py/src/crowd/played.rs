//! The characters behind a crowd, and their threads.

use super::PLACE;
use crate::errors::defect;
use lissom_motion::{
    Animator, RootStep,
    crowd::{Crowd, CrowdError, Executor, Member, Task},
};
use pyo3::PyResult;
use std::sync::Mutex;

pub(super) struct Played {
    pub(super) crowd: Crowd,
    pub(super) members: Vec<Member>,
    /// Shows what a state looks like.
    pub(super) animator: Animator,
}

/// Threads of one call; the first one is the caller's.
struct Threads(usize);

impl Executor for Threads {
    fn width(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: &mut [Task<'_>]) {
        let queue = Mutex::new(tasks.iter_mut());
        let work = || {
            loop {
                let next = queue.lock().unwrap_or_else(|e| e.into_inner()).next();
                match next {
                    Some(task) => task.run(),
                    None => break,
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.0 {
                scope.spawn(work);
            }
            work();
        });
    }
}

impl Played {
    pub(super) fn update(&mut self, dt_s: f64) -> Result<(), CrowdError> {
        /// Members that are worth a thread: it costs some 20 µs to start.
        const WORTH: usize = 16;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(self.members.len() / WORTH).max(1);
        self.crowd.update_on(dt_s, &Threads(threads))
    }

    pub(super) fn steps<'a>(
        &'a self,
        of: impl Fn(&'a Crowd, Member) -> Result<&'a RootStep, CrowdError>,
    ) -> PyResult<Vec<f64>> {
        let mut numbers = Vec::with_capacity(self.members.len() * PLACE);
        for member in &self.members {
            numbers.extend_from_slice(&step_numbers(of(&self.crowd, *member).map_err(defect)?));
        }
        Ok(numbers)
    }
}

pub(super) fn step_numbers(step: &RootStep) -> [f64; PLACE] {
    let ([x, y, z], [a, b, c, d]) = (step.translation, step.rotation);
    [x, y, z, a, b, c, d]
}
