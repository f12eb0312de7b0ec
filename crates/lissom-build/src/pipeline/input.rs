//! What is cooked: a file, or bytes and a way to read what they name.

use super::{InputError, Parsed};
use crate::import::{self, ImportError, ImportLimits, OpenError, Place};
use core::fmt;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Gives the bytes of a file that an input names, by the URI that the input has for it.
pub type Resolve<'a> = dyn Fn(&str) -> Result<Vec<u8>, ImportError> + Sync + 'a;

/// One file to cook.
#[derive(Clone)]
pub struct Input<'a> {
    name: PathBuf,
    recorded: Option<String>,
    bytes: Option<&'a [u8]>,
    files: Option<&'a Resolve<'a>>,
    parsed: Option<&'a Parsed<'a>>,
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Input");
        shown.field("name", &self.name).field("recorded", &self.recorded());
        shown.field("bytes", &self.bytes.map(<[u8]>::len)).finish_non_exhaustive()
    }
}

impl<'a> Input<'a> {
    /// A file, read when its turn comes. What it names is read from its own folder and below.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { name: path.into(), recorded: None, bytes: None, files: None, parsed: None }
    }

    /// Bytes. The name is that of the file they could have come from: it tells what cannot be told by the first bytes,
    /// names a clip that has no name, and stands in messages.
    #[must_use]
    pub fn bytes(name: impl Into<PathBuf>, bytes: &'a [u8]) -> Self {
        Self { name: name.into(), recorded: None, bytes: Some(bytes), files: None, parsed: None }
    }

    /// A file that was parsed already, under the name that it was parsed under.
    #[must_use]
    pub fn parsed(parsed: &'a Parsed<'a>) -> Self {
        Self { parsed: Some(parsed), bytes: Some(parsed.bytes()), ..parsed.input().clone() }
    }

    pub(super) fn known(&self) -> Option<&'a Parsed<'a>> {
        self.parsed
    }

    /// Where files come from that this one names. Without it, bytes must name none.
    #[must_use]
    pub fn with_files(self, files: &'a Resolve<'a>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// What the stamp calls it, so that it is the same on every machine: a path from the project's folder, with `/`.
    /// Without it, the name's last part.
    #[must_use]
    pub fn recorded_as(self, name: impl Into<String>) -> Self {
        Self { recorded: Some(name.into()), ..self }
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    pub(super) fn recorded(&self) -> Cow<'_, str> {
        match &self.recorded {
            Some(name) => Cow::Borrowed(name),
            None => self.name.file_name().unwrap_or(self.name.as_os_str()).to_string_lossy(),
        }
    }

    pub(super) fn read(&self, limits: &ImportLimits) -> Result<Cow<'a, [u8]>, OpenError> {
        let Some(bytes) = self.bytes else {
            return import::read_limited(&self.name, limits.max_bytes).map(Cow::Owned);
        };
        if bytes.is_empty() {
            return Err(OpenError::Empty { path: self.name.clone() });
        }
        if bytes.len() as u64 > limits.max_bytes {
            return Err(OpenError::TooLarge { path: self.name.clone(), allowed: limits.max_bytes });
        }
        Ok(Cow::Borrowed(bytes))
    }

    pub(super) fn read_beside(&self, uri: &str, limits: &ImportLimits) -> Result<Vec<u8>, ImportError> {
        // Bytes that were parsed may be those of a file, which has a folder.
        if let Some(parsed) = self.parsed {
            return parsed.input().read_beside(uri, limits);
        }
        match (self.files, self.bytes) {
            (Some(files), _) => files(uri),
            (None, None) => import::read_beside(&self.name, uri, limits),
            (None, Some(_)) => {
                let reason = "this file is named, but there is no way to read it".into();
                Err(ImportError::Format { place: Place::Path(uri.into()), reason })
            }
        }
    }

    pub(super) fn left_out<T>(&self) -> Result<T, InputError> {
        let text = "the executor left a task out".into();
        Err(InputError::Defect { name: self.name.clone(), text })
    }
}
