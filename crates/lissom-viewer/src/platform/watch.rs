//! Files that change while they are open. A thread waits for news from the system, so that a window at rest does nothing.

use notify::{RecursiveMode, Watcher};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::{Duration, SystemTime},
};

/// How long nothing must change until what was written is whole.
const QUIET: Duration = Duration::from_millis(300);

/// When a file was written and how large it is; `None` if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Watches files until it is dropped.
#[derive(Default)]
pub(crate) struct Watch {
    paths: Vec<PathBuf>,
    changed: Arc<AtomicBool>,
    /// What hears of it; the thread ends with it.
    _watcher: Option<notify::RecommendedWatcher>,
}

impl Watch {
    /// `wake` is called after a change, when all files are there and nobody writes any more. Where the system does not tell,
    /// nothing is watched, and why is the answer.
    pub fn files(paths: Vec<PathBuf>, wake: impl Fn() + Send + 'static) -> Result<Self, notify::Error> {
        if paths.is_empty() {
            return Ok(Self::default());
        }
        let (send, news) = channel();
        // Folders tell of all of their files, by paths that may be written otherwise: names are compared.
        let names: Vec<OsString> = paths.iter().filter_map(|p| p.file_name()).map(Into::into).collect();
        let mut watcher = notify::recommended_watcher(move |told: notify::Result<notify::Event>| {
            let ours = |path: &PathBuf| path.file_name().is_some_and(|name| names.iter().any(|n| n == name));
            // What was missed may have been ours.
            let is_news = told.map_or(true, |event| event.need_rescan() || event.paths.iter().any(ours));
            if is_news {
                // Nobody waits for it any more if that fails.
                let _ = send.send(());
            }
        })?;
        // Editors put a new file in the old one's place: their folders are watched.
        let mut folders: Vec<&Path> = paths.iter().map(|path| folder(path)).collect();
        folders.sort_unstable();
        folders.dedup();
        for folder in folders {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
        let changed = Arc::new(AtomicBool::new(false));
        let (mut seen, told) = (Seen::new(&paths), changed.clone());
        let files = paths.clone();
        std::thread::spawn(move || {
            while wait(&news, seen.news.is_some()) {
                if seen.look(stamps(&files)) {
                    told.store(true, Ordering::Release);
                    wake();
                }
            }
        });
        Ok(Self { paths, changed, _watcher: Some(watcher) })
    }

    /// What is watched.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// True once after a change.
    pub fn take_change(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }
}

/// Waits for news, or, where something was seen already, until it is quiet; false if there is nobody left who tells.
fn wait(news: &Receiver<()>, pending: bool) -> bool {
    if !pending && news.recv().is_err() {
        return false;
    }
    loop {
        match news.recv_timeout(QUIET) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// What was seen of files.
struct Seen {
    known: Vec<Stamp>,
    /// What was seen last, if it was news: who writes may not be done.
    news: Option<Vec<Stamp>>,
}

impl Seen {
    fn new(files: &[PathBuf]) -> Self {
        Self { known: stamps(files), news: None }
    }

    /// True once after a change, when two looks have seen the same and all files are there.
    fn look(&mut self, seen: Vec<Stamp>) -> bool {
        if seen == self.known || seen.iter().any(Option::is_none) {
            self.news = None;
            return false;
        }
        if self.news.as_ref() == Some(&seen) {
            (self.known, self.news) = (seen, None);
            return true;
        }
        self.news = Some(seen);
        false
    }
}

fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    let stamp = |file: &PathBuf| {
        let about = std::fs::metadata(file).ok()?;
        Some((about.modified().ok()?, about.len()))
    };
    files.iter().map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once_when_it_is_over() {
        let file = std::env::temp_dir().join(format!("lissom-seen-{}", std::process::id()));
        std::fs::write(&file, "1").unwrap();
        let files = [file.clone()];
        let mut seen = Seen::new(&files);
        let look = |seen: &mut Seen| seen.look(stamps(&files));
        assert!(!look(&mut seen) && !look(&mut seen));
        std::fs::write(&file, "22").unwrap();
        assert!(!look(&mut seen));
        std::fs::write(&file, "333").unwrap();
        assert!(!look(&mut seen), "it is still being written");
        assert!(look(&mut seen) && !look(&mut seen));
        // Editors put a new file in the old one's place.
        std::fs::remove_file(&file).unwrap();
        assert!(!look(&mut seen) && !look(&mut seen));
        std::fs::write(&file, "4444").unwrap();
        assert!(!look(&mut seen) && look(&mut seen));
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn the_system_tells_of_a_file_that_is_put_in_the_old_ones_place() {
        let folder = std::env::temp_dir().join(format!("lissom-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (file, new) = (folder.join("a.txt"), folder.join("new"));
        std::fs::write(&file, "1").unwrap();
        let (send, woken) = channel();
        let watch = Watch::files(vec![file.clone()], move || send.send(()).unwrap_or_default()).unwrap();
        // Another file of the folder is nobody's business.
        std::fs::write(folder.join("b.txt"), "other").unwrap();
        assert!(woken.recv_timeout(QUIET * 3).is_err() && !watch.take_change());
        std::fs::write(&new, "22").unwrap();
        std::fs::rename(&new, &file).unwrap();
        // Nor does a busy folder keep anybody waiting.
        let told = (0..400).any(|i| {
            std::fs::write(folder.join("b.txt"), i.to_string()).unwrap();
            woken.recv_timeout(QUIET / 6).is_ok()
        });
        assert!(told);
        assert!(watch.take_change() && !watch.take_change());
        drop(watch);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
