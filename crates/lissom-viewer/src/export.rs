//! What is shown, as a file: a picture, or everything as glTF.

use crate::{
    document::{Document, Failure},
    viewer::Viewer,
};
use lissom_build::{
    export::write_glb,
    import::{self, ImportOptions},
};
use std::path::{Path, PathBuf};

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The scene as it is seen, without panels.
    Png,
    /// The character and all of its clips, as they are stored.
    Glb,
}

impl Export {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Png, Self::Glb];

    /// What the menu calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "save the picture (PNG)",
            Self::Glb => "save as glTF (GLB)",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Glb => "glb",
        }
    }
}

impl Viewer {
    /// Writes a file of a new name into a folder; its path.
    ///
    /// # Errors
    ///
    /// If there is nothing to write, and what the file system says.
    pub fn export(&mut self, what: Export, folder: &Path) -> Result<PathBuf, Failure> {
        let (name, clip) = self.title();
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = match what {
            Export::Png => free(folder, &format!("{stem} {clip}"), what),
            Export::Glb => free(folder, &stem, what),
        };
        let bytes = match what {
            Export::Png => self.scene.picture()?.to_png(),
            Export::Glb => self.document.as_ref().map_or(Err(nothing()), glb),
        };
        let named = |e: &dyn core::fmt::Display| Failure(format!("{}: {e}", path.display()));
        std::fs::write(&path, bytes.map_err(|e| named(&e))?).map_err(|e| named(&e))?;
        Ok(path)
    }
}

fn nothing() -> Failure {
    Failure("there is nothing to save".into())
}

/// Everything in the archive as glTF.
fn glb(document: &Document) -> Result<Vec<u8>, Failure> {
    let wrong = |e: &dyn core::fmt::Display| Failure(e.to_string());
    let name = Path::new(&document.name).with_extension("lsm");
    let mut none = |uri: &str| {
        let place = import::Place::Path(uri.into());
        Err(import::ImportError::Format { place, reason: "an archive names no files".into() })
    };
    let bytes = document.archive.bytes();
    let scene = import::open_bytes(&name, bytes, &mut none, None, &ImportOptions::default());
    write_glb(&scene.map_err(|e| wrong(&e))?).map_err(|e| wrong(&e))
}

/// A path that is not taken: `hero walk.png`, `hero walk 2.png`, …
fn free(folder: &Path, stem: &str, what: Export) -> PathBuf {
    let stem = stem.trim().replace(['/', '\\', ':'], "_");
    let path = |n: usize| match n {
        1 => folder.join(format!("{stem}.{}", what.extension())),
        n => folder.join(format!("{stem} {n}.{}", what.extension())),
    };
    (1..).map(path).find(|path| !path.exists()).unwrap_or_else(|| path(0))
}
