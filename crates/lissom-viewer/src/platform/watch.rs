//! Files that change while they are open.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};
use web_time::Instant;

/// How often files are looked at.
pub(crate) const EVERY: Duration = Duration::from_millis(500);

/// When a file was written and how large it is; `None` if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Looks at files from time to time.
pub(crate) struct Changes {
    files: Vec<PathBuf>,
    known: Vec<Stamp>,
    /// What was seen last, if it was news: who writes may not be done.
    news: Option<Vec<Stamp>>,
    looked: Instant,
}

impl Changes {
    pub fn new(files: Vec<PathBuf>) -> Self {
        let known = stamps(&files);
        Self { files, known, news: None, looked: Instant::now() }
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// True once after a change, when two looks have seen the same and all files are there.
    pub fn look(&mut self, now: Instant) -> bool {
        if now.saturating_duration_since(self.looked) < EVERY {
            return false;
        }
        self.looked = now;
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
        let file = std::env::temp_dir().join(format!("lissom-changes-{}", std::process::id()));
        std::fs::write(&file, "1").unwrap();
        let mut changes = Changes::new(vec![file.clone()]);
        let mut now = Instant::now();
        let mut look = |changes: &mut Changes| {
            now += EVERY;
            changes.look(now)
        };
        assert!(!look(&mut changes) && !look(&mut changes));
        std::fs::write(&file, "22").unwrap();
        assert!(!look(&mut changes));
        std::fs::write(&file, "333").unwrap();
        assert!(!look(&mut changes), "it is still being written");
        assert!(look(&mut changes) && !look(&mut changes));
        // Editors put a new file in the old one's place.
        std::fs::remove_file(&file).unwrap();
        assert!(!look(&mut changes) && !look(&mut changes));
        std::fs::write(&file, "4444").unwrap();
        assert!(!look(&mut changes) && look(&mut changes));
        std::fs::remove_file(&file).unwrap();
    }
}
