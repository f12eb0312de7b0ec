//! What a step of CI is, and what several steps share.

use crate::{Options, workspace};
use std::{
    fs,
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// How a step ended, if it did not fail.
pub enum Outcome {
    /// All of it ran, and all is well.
    Passed,
    /// It did not run, or a part of it did not, and why.
    Skipped(String),
}

/// Steps that are run together: `cargo xtask ci quick`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// What you run before you push.
    Quick,
    /// Other builds of the same code: release, documentation, other machines.
    Deep,
    /// The guests: programs that bring much of their own.
    Guests,
    /// Long runs and files that are not part of the project.
    Long,
}

impl Lane {
    /// All of them, in the order in which they run.
    pub const ALL: [Self; 4] = [Self::Quick, Self::Deep, Self::Guests, Self::Long];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Deep => "deep",
            Self::Guests => "guests",
            Self::Long => "long",
        }
    }
}

/// One step.
pub struct Step {
    pub name: &'static str,
    pub lane: Lane,
    pub why: &'static str,
    pub run: fn(&Options) -> Result<Outcome, String>,
}

/// Runs cargo in the workspace.
pub fn cargo(args: &[&str]) -> Result<Outcome, String> {
    workspace::run(workspace::cargo().args(args)).map(|()| Outcome::Passed)
}

/// Lints the packages; warnings are errors.
pub fn clippy(packages: &[&str]) -> Result<Outcome, String> {
    let mut clippy = workspace::cargo();
    clippy.args(["clippy", "--all-targets"]).args(workspace::named(packages.iter().copied()));
    workspace::run(clippy.args(["--", "--deny", "warnings"])).map(|()| Outcome::Passed)
}

/// Works on all items, as many at a time as there are cores; the error of one of them, if any has one.
pub fn on_all_cores<T: Sync>(
    items: &[T],
    work: impl Fn(&T) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let worker = || -> Result<(), String> {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item)?;
        }
        Ok(())
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|w| w.join().map_err(|_| "a thread of the step panicked".to_owned())?)
    })
}

/// A folder under the target folder for what a step writes.
pub fn scratch(name: &str) -> Result<PathBuf, String> {
    let folder = workspace::target()?.join("ci").join(name);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// The folder whose `node_modules` has a package of npm, fetched if need be; or why there is none.
pub fn node_package(name: &str) -> Result<Result<PathBuf, String>, String> {
    let folder = scratch("gltf")?;
    if !folder.join("node_modules").join(name).is_dir() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg(name);
        if let Err(why) = workspace::output(&mut npm) {
            return Ok(Err(format!("npm cannot fetch {name}: {why}")));
        }
    }
    Ok(Ok(folder))
}
