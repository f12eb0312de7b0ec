//! Reading a file or standard input; writing files whole or not at all, and never over what they are made of.

use anyhow::{Context, Result, bail};
use lissom_build::{
    export,
    import::{self, OpenError},
};
use std::io::Read;
use std::path::Path;

/// True if standard input or output is meant.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The bytes of a file, or of standard input if it is called `-`.
pub fn read_input(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    if !is_standard(path) {
        return Ok(import::read_limited(path, max_bytes)?);
    }
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock().take(max_bytes.saturating_add(1));
    { input }.read_to_end(&mut bytes).context("standard input")?;
    match bytes.len() as u64 {
        0 => Err(OpenError::Empty { path: path.into() }.into()),
        length if length > max_bytes => {
            Err(OpenError::TooLarge { path: path.into(), allowed: max_bytes }.into())
        }
        _ => Ok(bytes),
    }
}

/// Writes a file whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
        bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
    }
    export::write_whole(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// True if both are there and the same.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
