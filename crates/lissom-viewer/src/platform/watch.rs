//! Files that change while they are open. A thread waits for news from the system, so that a window at rest does nothing.

use notify::{RecursiveMode, Watcher};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::{Duration, SystemTime},
};

/// How long nothing must change until what was written is whole.
const QUIET: Duration = Duration::from_millis(300);

/// When a file was written and how large it is; `None` if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Watches files until it is dropped, on one thread: what it watches can be changed.
#[derive(Default)]
pub(crate) struct Watch {
    paths: Vec<PathBuf>,
    ears: Option<Ears>,
}

/// What hears of changes; the thread ends with it.
struct Ears {
    watcher: notify::RecommendedWatcher,
    folders: Vec<PathBuf>,
    seen: Arc<Mutex<Seen>>,
    changed: Arc<AtomicBool>,
}

impl Watch {
    /// Watches these files from now on, as they are now. `wake` is called after a change, when all files are there and nobody writes
    /// any more; that of the first call is the one that is kept. An error says that the system does not tell of changes.
    pub fn set(
        &mut self,
        paths: Vec<PathBuf>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<(), notify::Error> {
        self.paths = paths;
        if self.paths.is_empty() && self.ears.is_none() {
            return Ok(());
        }
        let ears = match &mut self.ears {
            Some(ears) => ears,
            none => none.insert(Ears::new(wake)?),
        };
        ears.turn_to(&self.paths)
    }

    /// What is watched.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// True once after a change.
    pub fn take_change(&self) -> bool {
        self.ears.as_ref().is_some_and(|ears| ears.changed.swap(false, Ordering::AcqRel))
    }
}

impl Ears {
    fn new(wake: impl Fn() + Send + 'static) -> Result<Self, notify::Error> {
        let (send, news) = channel();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let names = seen.clone();
        let watcher = notify::recommended_watcher(move |told: notify::Result<notify::Event>| {
            let seen = names.lock().unwrap_or_else(PoisonError::into_inner);
            // What was missed may have been ours.
            let is_news = told.map_or(true, |event| {
                event.need_rescan() || event.paths.iter().any(|path| seen.has_name_of(path))
            });
            if is_news {
                // Nobody waits for it any more if that fails.
                let _ = send.send(());
            }
        })?;
        let changed = Arc::new(AtomicBool::new(false));
        let (files, told) = (seen.clone(), changed.clone());
        std::thread::spawn(move || {
            let mut pending = false;
            while wait(&news, pending) {
                let mut seen = files.lock().unwrap_or_else(PoisonError::into_inner);
                let over = seen.look();
                pending = seen.news.is_some();
                drop(seen);
                if over {
                    told.store(true, Ordering::Release);
                    wake();
                }
            }
        });
        Ok(Self { watcher, folders: Vec::new(), seen, changed })
    }

    /// Editors put a new file in the old one's place: the folders of files are watched.
    fn turn_to(&mut self, paths: &[PathBuf]) -> Result<(), notify::Error> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Seen::new(paths.to_vec());
        self.changed.store(false, Ordering::Release);
        for folder in self.folders.drain(..) {
            // A folder that is gone tells nothing anyway.
            let _ = self.watcher.unwatch(&folder);
        }
        let mut folders: Vec<PathBuf> = paths.iter().map(|path| folder(path).into()).collect();
        folders.sort_unstable();
        folders.dedup();
        for folder in folders {
            self.watcher.watch(&folder, RecursiveMode::NonRecursive)?;
            self.folders.push(folder);
        }
        Ok(())
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
#[derive(Default)]
struct Seen {
    files: Vec<PathBuf>,
    known: Vec<Stamp>,
    /// What was seen last, if it was news: who writes may not be done.
    news: Option<Vec<Stamp>>,
}

impl Seen {
    fn new(files: Vec<PathBuf>) -> Self {
        Self { known: stamps(&files), files, news: None }
    }

    /// Folders tell of all of their files, by paths that may be written otherwise: names are compared.
    fn has_name_of(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.files.iter().any(|file| file.file_name() == Some(name)))
    }

    /// True once after a change, when two looks have seen the same and all files are there.
    fn look(&mut self) -> bool {
        let seen = stamps(&self.files);
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
        let mut seen = Seen::new(vec![file.clone()]);
        let look = Seen::look;
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
        let mut watch = Watch::default();
        watch.set(vec![folder.join("other")], move || send.send(()).unwrap_or_default()).unwrap();
        watch.set(vec![file.clone()], || {}).unwrap();
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
