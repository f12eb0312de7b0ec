//! Files of other programs, cooked as they are loaded (feature `import`).
//!
//! Known by their bytes: the one loader of archives reads them, whatever they are called. So labels of a `.glb`, its scenes, are
//! still `bevy_gltf`'s.
//!
//! ```text
//!  hero.gltf ─▶ what does it name? ─▶ hero.bin, textures/skin.png  (read by Bevy, until it names nothing new)
//!  lissom.toml beside it or above ─▶ what is done to clips ─▶ graphs, the file with the skeleton
//!                                     └──────────────┴──▶ one archive in memory
//! ```
//!
//! All of these are read through Bevy, so they may come from a folder, a packed app or the network, and the archive is cooked anew when
//! one of them changes.

use crate::archive::LissomSettings;
use bevy_asset::{AssetPath, LoadContext, ReadAssetBytesError, io::AssetReaderError};
use lissom_build::{
    import::{self, Format, ImportOptions, OpenError, Place},
    pipeline::{self, Input, InputError, Parsed, PipelineError, Plan},
    recipe::{self, RecipeError, RecipeFile},
};
use percent_encoding::percent_decode_str;
use std::{
    collections::HashMap,
    path::{Component, Path, PathBuf},
    sync::{Mutex, PoisonError},
};
use tracing::warn;

/// Why a file cannot be cooked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The options.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file, or a graph or a database for matching that goes with it: each that is refused.
    #[error("{}", listed(.0))]
    Refused(Vec<InputError>),
    /// What came out of it.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The recipe.
    #[error("{path}: {source}")]
    Recipe {
        /// Its path among the assets.
        path: String,
        /// What is wrong with it.
        source: Box<RecipeError>,
    },
    /// A file that the recipe or the loader's settings name.
    #[error("{path}: {source}")]
    Beside {
        /// Its path among the assets.
        path: String,
        /// Why it cannot be read.
        source: Box<ReadAssetBytesError>,
    },
}

fn listed(refused: &[InputError]) -> String {
    refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Files that others name, by their URI: the bytes, or why there are none.
type Files = HashMap<String, Result<Vec<u8>, String>>;

/// The archive of a file: its own bytes, if it is one.
pub(crate) async fn cooked(
    context: &mut LoadContext<'_>,
    settings: &LissomSettings,
    bytes: Vec<u8>,
) -> Result<Vec<u8>, ImportError> {
    if Format::of_bytes(&bytes).is_none_or(|format| format == Format::Lsm) {
        return Ok(bytes);
    }
    let own = context.path().clone_owned();
    let recipe = recipe_of(context, &own, settings).await?;
    let (skeleton, retarget) = (recipe.skeleton.clone(), recipe.retarget.clone());
    let mut graphs = Vec::new();
    let asked = settings.graphs.iter().map(PathBuf::from);
    for path in recipe.graphs.iter().cloned().chain(asked) {
        let bytes = read(context, &own, &path).await?;
        graphs.push((path, bytes));
    }
    let reading = recipe.clone().options().import;
    let skeleton = match skeleton {
        Some(path) => Some(File::read(context, &own, path, &reading).await?),
        None => None,
    };
    let retarget = match retarget {
        Some(path) => Some(File::read(context, &own, path, &reading).await?),
        None => None,
    };
    let model = File::with_what_it_names(context, own.path().to_owned(), bytes, &own, &reading).await;
    cook(&model, recipe, skeleton.as_ref(), retarget.as_ref(), &graphs)
}

/// A model, and the files that it names.
struct File {
    path: PathBuf,
    bytes: Vec<u8>,
    beside: Files,
}

impl File {
    async fn read(
        context: &mut LoadContext<'_>,
        own: &AssetPath<'static>,
        path: PathBuf,
        reading: &ImportOptions,
    ) -> Result<Self, ImportError> {
        let bytes = read(context, own, &path).await?;
        Ok(Self::with_what_it_names(context, path, bytes, own, reading).await)
    }

    /// Reads what it names, until it names nothing new.
    async fn with_what_it_names(
        context: &mut LoadContext<'_>,
        path: PathBuf,
        bytes: Vec<u8>,
        own: &AssetPath<'static>,
        reading: &ImportOptions,
    ) -> Self {
        let mut file = Self { path, bytes, beside: Files::new() };
        let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
        loop {
            let wanted = file.wanted(reading);
            if wanted.is_empty() {
                return file;
            }
            for uri in wanted {
                let found = match path_beside(&folder, &uri) {
                    Some(path) => read(context, own, &path).await.map_err(|why| why.to_string()),
                    None => Err("only a file among the assets can be read".into()),
                };
                file.beside.insert(uri, found);
            }
        }
    }

    /// The URIs that it names and that nobody has read.
    fn wanted(&self, reading: &ImportOptions) -> Vec<String> {
        let wanted = Mutex::new(Vec::new());
        let files = |uri: &str| {
            if !self.beside.contains_key(uri) {
                wanted.lock().unwrap_or_else(PoisonError::into_inner).push(uri.to_owned());
            }
            self.beside(uri)
        };
        // What is wrong with it is said when it is cooked.
        let _ = Parsed::new(Input::bytes(&self.path, &self.bytes).with_files(&files), reading);
        wanted.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn beside(&self, uri: &str) -> Result<Vec<u8>, import::ImportError> {
        let reason = match self.beside.get(uri) {
            Some(Ok(bytes)) => return Ok(bytes.clone()),
            Some(Err(why)) => why.clone(),
            None => "this file was not read".into(),
        };
        Err(import::ImportError::Format { place: Place::Path(uri.into()), reason })
    }
}

/// The recipe of the settings, or the nearest one.
async fn recipe_of(
    context: &mut LoadContext<'_>,
    own: &AssetPath<'static>,
    settings: &LissomSettings,
) -> Result<RecipeFile, ImportError> {
    let mut found = None;
    if let Some(path) = &settings.recipe {
        found = Some((PathBuf::from(path), read(context, own, Path::new(path)).await?));
    } else {
        for folder in own.path().ancestors().skip(1) {
            let path = folder.join("lissom.toml");
            match context.read_asset_bytes(among(own, &path)).await {
                Ok(bytes) => found = Some((path, bytes)),
                Err(ReadAssetBytesError::AssetReaderError(AssetReaderError::NotFound(_))) => continue,
                Err(source) => return Err(unread(&path, source)),
            }
            break;
        }
    }
    let asked = RecipeFile { precision_m: settings.precision_m, ..RecipeFile::default() };
    let Some((path, bytes)) = found else { return Ok(asked) };
    let shown = path.display().to_string();
    let recipe = recipe::read(&bytes)
        .map_err(|source| ImportError::Recipe { path: shown, source: Box::new(source) })?;
    Ok(recipe.in_folder(path.parent().unwrap_or(Path::new(""))).with(asked))
}

/// Where a URI leads from the model's folder, as a path among the assets; `None`: out of them.
fn path_beside(folder: &Path, uri: &str) -> Option<PathBuf> {
    let decoded = percent_decode_str(uri).decode_utf8().ok()?;
    if decoded.is_empty() || decoded.contains(['\\', ':', '\0']) {
        return None;
    }
    let mut path = PathBuf::new();
    for part in folder.components().chain(Path::new(&*decoded).components()) {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            // Above the first folder there is nothing.
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    Some(path)
}

/// A path in the same source of assets.
fn among(own: &AssetPath<'static>, path: &Path) -> AssetPath<'static> {
    AssetPath::from_path_buf(path.to_owned()).with_source(own.source().clone_owned())
}

async fn read(
    context: &mut LoadContext<'_>,
    own: &AssetPath<'static>,
    path: &Path,
) -> Result<Vec<u8>, ImportError> {
    context.read_asset_bytes(among(own, path)).await.map_err(|source| unread(path, source))
}

fn unread(path: &Path, source: ReadAssetBytesError) -> ImportError {
    ImportError::Beside { path: path.display().to_string(), source: Box::new(source) }
}

fn cook(
    model: &File,
    recipe: RecipeFile,
    skeleton: Option<&File>,
    retarget: Option<&File>,
    graphs: &[(PathBuf, Vec<u8>)],
) -> Result<Vec<u8>, ImportError> {
    let name = model.path.display().to_string();
    let of_model = |uri: &str| model.beside(uri);
    // Who is not there is not asked.
    let of_skeleton = |uri: &str| skeleton.unwrap_or(model).beside(uri);
    let of_retarget = |uri: &str| retarget.unwrap_or(model).beside(uri);
    let mut options = recipe.options();
    options.skeleton = skeleton.map(|file| Input::bytes(&file.path, &file.bytes).with_files(&of_skeleton));
    options.retarget = retarget.map(|file| Input::bytes(&file.path, &file.bytes).with_files(&of_retarget));
    options.graphs = graphs.iter().map(|(path, bytes)| Input::bytes(path, bytes)).collect();
    let plan = Plan::new(options)?;
    let input = [Input::bytes(&model.path, &model.bytes).with_files(&of_model)];
    // On this thread alone: frames go on meanwhile.
    let cooked = plan.cook(&input, &pipeline::serial, &mut pipeline::unwatched)?;
    let mut refused = Vec::new();
    for report in cooked.inputs {
        match report {
            Ok(report) => {
                for warning in report.warnings {
                    warn!("{name}: {}: {}", warning.place, warning.text);
                }
            }
            Err(why) => refused.push(why),
        }
    }
    refused.extend(cooked.graphs.into_iter().filter_map(Result::err));
    refused.extend(cooked.matching.into_iter().filter_map(Result::err));
    // There is one where nothing was refused.
    cooked.archive.ok_or(ImportError::Refused(refused))
}

#[cfg(test)]
mod tests {
    use super::path_beside;
    use std::path::Path;

    #[test]
    fn only_files_among_the_assets_are_read() {
        let of = |folder: &str, uri| {
            path_beside(Path::new(folder), uri)
                .map(|path| path.components().map(|c| c.as_os_str().to_owned()).collect::<Vec<_>>())
        };
        let parts = |path: &str| Some(path.split('/').map(Into::into).collect::<Vec<_>>());
        assert_eq!(of("models/people", "a%20b/./c.bin"), parts("models/people/a b/c.bin"));
        assert_eq!(of("models/people", "../textures/c.png"), parts("models/textures/c.png"));
        assert_eq!(of("models/people", "%2e%2e/../c.png"), parts("c.png"));
        assert_eq!(of("", "a/../c.png"), parts("c.png"));
        for (folder, outside) in [
            ("", "../c.bin"),
            ("models", "../../models/c.bin"),
            ("models", "a/../../../c.bin"),
            ("", "%2e%2e/c.bin"),
            ("models", "/c.bin"),
            ("models", "http://a/c.bin"),
            ("models", "c:/d.bin"),
            ("models", "a\\b"),
            ("models", ""),
        ] {
            assert_eq!(of(folder, outside), None, "{outside} from {folder}");
        }
    }
}
