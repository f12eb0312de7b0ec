//! Archives and their clips as assets.

use crate::mesh::{mesh_of, targets_of};
use bevy_asset::{Asset, AssetLoader, Handle, LoadContext, io::Reader};
use bevy_mesh::{Mesh, morph::MAX_MORPH_WEIGHTS};
use bevy_reflect::TypePath;
use lissom::archive::{Archive, ArchiveError};
use std::collections::HashMap;
use tracing::warn;

/// A `.lsm` file. Every clip in it is an asset too, `hero.lsm#walk`, and every mesh, `hero.lsm#mesh/body`.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct LissomArchive {
    /// What the file holds.
    pub archive: Archive,
    /// Its meshes, by name.
    pub meshes: HashMap<Box<str>, Handle<Mesh>>,
}

/// A clip of an archive, loaded by its label.
#[derive(Asset, TypePath, Clone, Debug, PartialEq)]
pub struct LissomClip {
    /// Its name.
    pub name: String,
    /// Its length in seconds.
    pub duration_s: f64,
    /// True if its last pose is the first one again.
    pub looping: bool,
}

/// Reads archives.
#[derive(TypePath, Clone, Copy, Debug, Default)]
pub struct LissomLoader;

/// Why an archive was not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LissomLoadError {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// What is wrong with the archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// It cannot be cooked.
    #[cfg(feature = "import")]
    #[error(transparent)]
    Import(#[from] crate::import::ImportError),
}

impl AssetLoader for LissomLoader {
    type Asset = LissomArchive;
    type Settings = ();
    type Error = LissomLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        context: &mut LoadContext<'_>,
    ) -> Result<LissomArchive, LissomLoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        #[cfg(feature = "import")]
        let bytes = crate::import::cooked(&context.path().to_string(), bytes)?;
        LissomArchive::new(Archive::read(&bytes)?, context)
    }

    fn extensions(&self) -> &[&str] {
        &["lsm"]
    }
}

impl LissomArchive {
    /// With its clips and meshes as assets.
    pub(crate) fn new(archive: Archive, context: &mut LoadContext<'_>) -> Result<Self, LissomLoadError> {
        for (name, clip) in archive.clips() {
            let clip = clip?;
            let (duration_s, looping) = (clip.view().duration_s(), clip.view().is_looping());
            context.add_labeled_asset(
                name.to_owned(),
                LissomClip { name: name.to_owned(), duration_s, looping },
            );
        }
        let mut meshes = HashMap::new();
        for (name, mesh) in archive.meshes() {
            let (mesh, mut targets) = (mesh?, targets_of(&archive, name)?);
            if targets.iter().any(|(_, target)| target.view().vertex_count != mesh.view().positions.len()) {
                warn!(
                    "{}: morph targets of mesh {name:?} are for other vertices and left out",
                    context.path()
                );
                targets.clear();
            }
            if targets.len() > MAX_MORPH_WEIGHTS {
                warn!(
                    "{}: mesh {name:?} has {} morph targets; Bevy draws the first {MAX_MORPH_WEIGHTS}",
                    context.path(),
                    targets.len()
                );
                targets.truncate(MAX_MORPH_WEIGHTS);
            }
            let (mesh, cut) = mesh_of(&mesh.view(), targets);
            if cut > 0 {
                warn!(
                    "{}: {cut} vertices of mesh {name:?} follow more than four joints; the lightest are left out",
                    context.path()
                );
            }
            meshes.insert(name.into(), context.add_labeled_asset(format!("mesh/{name}"), mesh));
        }
        Ok(Self { archive, meshes })
    }
}
