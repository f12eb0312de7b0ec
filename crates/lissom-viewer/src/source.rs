//! Where documents come from: files, or bytes under the names of files.

use crate::failure::Failure;
use lissom_build::import::{self, ImportLimits};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Extensions of files that others name, and of graphs.
const PARTS: [&str; 6] = ["bin", "png", "jpg", "jpeg", "ktx2", "webp"];
pub(crate) const GRAPH: &str = "json";

/// Where a document comes from: files, or bytes under the names of files.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// What was in one.
    Bytes(String, Arc<[u8]>),
}

impl Source {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Bytes(name, _) => Path::new(name),
        }
    }

    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Bytes(..) => None,
        }
    }

    /// What it is called in a title.
    pub(crate) fn title(&self) -> String {
        title(self.path())
    }

    pub(crate) fn has_extension(&self, one_of: &[&str]) -> bool {
        let extension = self.path().extension();
        extension.is_some_and(|e| one_of.iter().any(|one| e.eq_ignore_ascii_case(one)))
    }

    pub(crate) fn read(&self) -> Result<std::borrow::Cow<'_, [u8]>, Failure> {
        match self {
            Self::File(path) => import::read_limited(path, ImportLimits::default().max_bytes)
                .map(Into::into)
                .map_err(|e| Failure(e.to_string())),
            Self::Bytes(_, bytes) => Ok((&**bytes).into()),
        }
    }

    /// True if it is a graph's description.
    pub(crate) fn is_graph(&self) -> bool {
        self.has_extension(&[GRAPH])
    }

    /// True if it can be opened by itself.
    pub(crate) fn is_whole(&self) -> bool {
        !self.has_extension(&PARTS) && !self.is_graph()
    }
}

/// What a path is called in a title.
pub(crate) fn title(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
