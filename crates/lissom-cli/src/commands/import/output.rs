//! Where the archives of `lissom import` go.

use super::{Arguments, inputs::Found};
use crate::options::usage;
use anyhow::Result;
use lissom_show::files::{is_standard, same_file};
use std::path::{Path, PathBuf};

/// Where archives go.
pub(super) enum Output {
    File(PathBuf),
    Folder(PathBuf),
    /// One clip, as a stream.
    Stream(PathBuf),
    /// One archive, to standard output.
    Standard,
}

impl Output {
    /// A folder is one that exists, or that ends in a slash.
    pub(super) fn of(path: &Path) -> Self {
        let slash = path.as_os_str().as_encoded_bytes().ends_with(b"/")
            || path.as_os_str().as_encoded_bytes().ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes());
        if is_standard(path) {
            Self::Standard
        } else if slash || path.is_dir() {
            Self::Folder(path.into())
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lcs")) {
            Self::Stream(path.into())
        } else {
            Self::File(path.into())
        }
    }

    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Folder(path) => path,
            Self::File(path) | Self::Stream(path) => path.parent().unwrap_or(Path::new("")),
            Self::Standard => Path::new(""),
        }
    }

    /// An archive is called `.lsm`, a stream `.lcs`, and neither is written over what it is made of.
    pub(super) fn check(&self, found: &[Found], arguments: &Arguments) -> Result<()> {
        let path = match self {
            Self::Folder(_) => return Ok(()),
            Self::Standard if arguments.stream.is_some() => {
                return usage("-o - is the archive; a stream needs a name: -o OUT.lcs --stream");
            }
            Self::Standard if arguments.json => {
                return usage("-o - and --json both want standard output");
            }
            Self::Standard => return Ok(()),
            Self::Stream(path) if arguments.pack => {
                return usage(format!("-o {}: --pack is for archives; streams have a codec", path.display()));
            }
            Self::Stream(path) if arguments.stream.is_none() => {
                return usage(format!("-o {}: a stream is written with --stream", path.display()));
            }
            Self::File(path) | Self::Stream(path) => path,
        };
        let is_archive = matches!(self, Self::File(_));
        if is_archive && !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lsm")) {
            let path = path.display();
            return usage(format!(
                "-o {path}: it must be OUT.lsm, OUT.lcs with --stream, - or a folder that exists or ends in a slash"
            ));
        }
        if let Some(own) = found.iter().find(|f| same_file(&f.path, path)) {
            return usage(format!("-o {}: this is one of the files to import", own.path.display()));
        }
        Ok(())
    }
}
