//! The files of a folder, and work on all of them.

use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

const THREADS: usize = 2;

/// Tasks of a pipeline, on a few threads.
pub fn tasks(count: usize, task: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < count) {
                    task(number);
                }
            });
        }
    });
}

/// Every file below a folder that is wanted, in order.
pub fn below(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Every file of `assets` and `defects` that is wanted.
pub fn of_both(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut files = below(&folder.join("assets"), &wanted)?;
    files.extend(below(&folder.join("defects"), wanted)?);
    Ok(files)
}

/// True for a name with one of these ends.
pub fn ends(extensions: &[&str]) -> impl Fn(&Path) -> bool {
    move |path| path.extension().is_some_and(|e| extensions.iter().any(|known| e == *known))
}

/// As [`below`], by the ends of their names.
pub fn below_named(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    below(folder, ends(extensions))
}

/// Looks at every file, on a few threads: the sums of all, and what failed.
pub fn look<S: Default + Send>(
    files: &[PathBuf],
    one: impl Fn(&Path, &mut S) -> Result<()> + Sync,
    add: impl Fn(&mut S, S) + Sync,
) -> (S, Vec<String>) {
    let next = AtomicUsize::new(0);
    let all: Mutex<(S, Vec<String>)> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut own = S::default();
                    let result = one(file, &mut own);
                    let mut all = all.lock().unwrap_or_else(|e| e.into_inner());
                    add(&mut all.0, own);
                    if let Err(error) = result {
                        all.1.push(format!("{}: {error:#}", file.display()));
                    }
                }
            });
        }
    });
    let (sums, mut failures) = all.into_inner().unwrap_or_else(|e| e.into_inner());
    failures.sort();
    (sums, failures)
}
