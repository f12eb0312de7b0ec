//! Archives and their clips as assets.

use crate::{
    material::LissomMaterial,
    mesh::{mesh_of, targets_of},
};
use bevy_asset::{Asset, AssetLoader, Handle, LoadContext, io::Reader};
use bevy_image::CompressedImageFormats;
use bevy_mesh::{Mesh, morph::MAX_MORPH_WEIGHTS};
use bevy_reflect::TypePath;
use lissom::archive::{Archive, ArchiveError};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tracing::warn;

/// A `.lsm` file. Every clip in it is an asset too, `hero.lsm#walk`, every mesh, `hero.lsm#mesh/body`, every material,
/// `hero.lsm#material/skin`, and every image that one uses.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct LissomArchive {
    /// What the file holds.
    pub archive: Archive,
    /// Its meshes, by name.
    pub meshes: HashMap<Box<str>, Handle<Mesh>>,
    /// Its materials, by name.
    pub materials: HashMap<Box<str>, Handle<LissomMaterial>>,
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

/// How a file is loaded, for one file or in its `.meta`:
/// `server.load_builder().with_settings(|own: &mut LissomSettings| own.precision_m = Some(0.001)).load("hero.glb")`.
///
/// Files that are archives already are cooked, and take only what says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LissomSettings {
    /// The largest error of a vertex in metres, of files that are cooked as they are loaded; `None`: what the recipe says.
    pub precision_m: Option<f64>,
    /// The recipe, a path among the assets; `None`: the nearest `lissom.toml` in the file's folder or above it.
    pub recipe: Option<String>,
    /// More graphs than the recipe names, as paths among the assets.
    pub graphs: Vec<String>,
    /// Whether images of materials are decoded: of archives, too. A server needs none.
    pub images: bool,
}

impl Default for LissomSettings {
    fn default() -> Self {
        Self { precision_m: None, recipe: None, graphs: Vec::new(), images: true }
    }
}

/// Reads archives.
#[derive(TypePath, Clone, Copy, Debug)]
pub struct LissomLoader {
    /// Compressed images that the GPU reads as they are.
    pub formats: CompressedImageFormats,
}

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

impl LissomLoader {
    pub(crate) const EXTENSIONS: &[&str] = &["lsm"];
}

impl AssetLoader for LissomLoader {
    type Asset = LissomArchive;
    type Settings = LissomSettings;
    type Error = LissomLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &LissomSettings,
        context: &mut LoadContext<'_>,
    ) -> Result<LissomArchive, LissomLoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        #[cfg(feature = "import")]
        let bytes = crate::import::cooked(context, settings, bytes).await?;
        LissomArchive::new(Archive::read(&bytes)?, settings.images.then_some(self.formats), context)
    }

    fn extensions(&self) -> &[&str] {
        Self::EXTENSIONS
    }
}

impl LissomArchive {
    /// With its clips and meshes as assets.
    pub(crate) fn new(
        archive: Archive,
        images: Option<CompressedImageFormats>,
        context: &mut LoadContext<'_>,
    ) -> Result<Self, LissomLoadError> {
        for (name, clip) in archive.clips() {
            let clip = clip?;
            let (duration_s, looping) = (clip.view().duration_s(), clip.view().is_looping());
            context.add_labeled_asset(
                name.to_owned(),
                LissomClip { name: name.to_owned(), duration_s, looping },
            );
        }
        let materials = crate::material::all(&archive, images, context)?;
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
            let bumpy = materials.bumpy.contains(mesh.view().material);
            let (mesh, cut) = mesh_of(&mesh.view(), targets, bumpy);
            if cut > 0 {
                warn!(
                    "{}: {cut} vertices of mesh {name:?} follow more than four joints; the lightest are left out",
                    context.path()
                );
            }
            meshes.insert(name.into(), context.add_labeled_asset(format!("mesh/{name}"), mesh));
        }
        Ok(Self { archive, meshes, materials: materials.handles })
    }
}
