//! Writing files whole or not at all, and never over what they are made of.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Writes to a temporary name beside the target, then renames: a reader never sees half a file.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
        bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
    }
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = Path::new(&part);
    let written = fs::write(part, bytes).and_then(|()| fs::rename(part, path));
    if written.is_err() {
        // The first failure is the one to report; the leftover may not even exist.
        let _ = fs::remove_file(part);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// True if both are there and the same.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
